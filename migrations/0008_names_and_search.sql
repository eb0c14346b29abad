-- Names that look alike, and searching without rewriting the table.

-- What is left of a name when everything that looks alike is the same (the skeleton of UTS 39): two people may not share
-- it. None where an account is older than this rule and looks like another one: `evenkeel check` names those.
alter table users add column username_skeleton text;
alter table users add constraint unique_username_skeleton unique (username_skeleton);
-- Accounts that the program has not come to yet.
create index users_without_skeleton on users (id) where username_skeleton is null;

-- Keys were folded letter by letter before; of all letters this one comes out differently now.
update users set username_key = replace(username_key, 'ß', 'ss')
where username_key like '%ß%'
    and not exists (select from users other where other.username_key = replace(users.username_key, 'ß', 'ss'));

-- A generated column would have to be computed for all posts at once when it is added.
alter table blog_posts alter column search drop expression if exists;
alter table blog_posts alter column search drop not null;

create function search_words(title text, content text) returns tsvector language sql immutable parallel safe return
    setweight(to_tsvector('english', search_fold(title)), 'A') || to_tsvector('english', search_fold(content));

create function fill_search() returns trigger language plpgsql as $$
begin
    new.search := search_words(new.title, new.content);
    return new;
end
$$;
create trigger fill_search before insert or update of title, content on blog_posts
    for each row execute function fill_search();

-- How far the program has come with filling in rows that were there before a migration.
create table migration_steps (
    name text primary key,
    -- The last id that is done.
    after bigint not null,
    is_done boolean not null
);
