-- Writing: drafts, tags, Markdown rendered once, versions for noticing that somebody else has saved in between, and
-- search in two languages.
--
-- Nothing here touches every row: posts that are there already are filled in step by step (`src/database/migrations.rs`).

create extension if not exists pg_trgm;

-- What search takes for the same: letters in either case; Arabic and Persian forms of a letter; digits of three scripts;
-- with and without vowel signs, joiners and the half-space. What looks like a tag is not read as one: that would take
-- the parser of texts very long.
create function search_fold(text) returns text language sql immutable strict parallel safe return lower(translate(
    $1,
    U&'\064A\0649\0626\0643\0629\06C0\0623\0625\0622\0624'
        || U&'\0660\0661\0662\0663\0664\0665\0666\0667\0668\0669\06F0\06F1\06F2\06F3\06F4\06F5\06F6\06F7\06F8\06F9'
        || '<>&' || U&'\200C\200D\0640\064B\064C\064D\064E\064F\0650\0651\0652\0654',
    U&'\06CC\06CC\06CC\06A9\0647\0647\0627\0627\0627\0648' || '01234567890123456789' || '   '
));

alter table blog_posts
    add column status text not null default 'published',
    -- The order of lists. A draft has none.
    add column published_at timestamptz,
    add column tags text[] not null default '{}',
    -- Counts up with every change.
    add column version integer not null default 1,
    -- What the program makes of `content`: kept, so that reading costs nothing. Rendered anew where
    -- `rendered_by` is not the program's own version.
    add column content_html text not null default '',
    add column outline jsonb not null default '[]',
    add column excerpt text not null default '',
    add column reading_minutes integer not null default 1,
    add column rendered_by integer not null default 0,
    -- Filled by a trigger; see 0008.
    add column search tsvector;

alter table blog_posts
    add constraint status_known check (status in ('draft', 'published')),
    add constraint published_has_time check ((status = 'published') = (published_at is not null)) not valid,
    add constraint tags_few check (cardinality(tags) <= 10);

-- Drafts are in no list but their author's.
drop index blog_posts_new;
drop index blog_posts_top;
drop index blog_posts_of_author;
create index blog_posts_new on blog_posts (published_at desc, id desc) where status = 'published';
create index blog_posts_top on blog_posts (top_score desc, id desc) where status = 'published';
create index blog_posts_of_author on blog_posts (author_id, published_at desc, id desc);
create index blog_posts_tags on blog_posts using gin (tags);
create index blog_posts_search on blog_posts using gin (search);
-- For titles that are nearly what was typed.
create index blog_posts_titles on blog_posts using gin (search_fold(title) gin_trgm_ops);
-- One's own ratings, the latest first.
create index rates_of_user on rates (user_id, updated_at desc, id desc);
