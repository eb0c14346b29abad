-- When an account is to be deleted, and whether its posts go, too; null where nobody has asked for that. An account that
-- was deleted keeps its row, without its person: ratings stay counted, and posts that stay have an author.
alter table users
    add column delete_at timestamptz,
    add column delete_posts boolean,
    add column erased_at timestamptz,
    add constraint asked_as_a_whole check ((delete_at is null) = (delete_posts is null));
create index users_to_delete on users (delete_at) where delete_at is not null;

-- Rows of before fit it: they fitted the stricter one.
alter table users drop constraint email_length;
alter table users add constraint email_length
    check (char_length(email) between 3 and 254 or (erased_at is not null and email = '')) not valid;
