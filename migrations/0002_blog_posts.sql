-- Blog posts. Rating totals are in a separate table, `rating_totals`, so that a rating does not update the row of its post.

-- Extension `pg_trgm`: trigram similarity, for searches with typing errors.
create extension if not exists pg_trgm;

create table blog_posts (
    id bigint generated always as identity primary key,
    -- `blog_posts.author_id`: author. The row of an erased account is kept without personal data.
    author_id bigint not null references users (id) on delete restrict,
    title text not null,
    -- `blog_posts.content`: Markdown source.
    content text not null,
    status text not null default 'published',
    created_at timestamptz not null,
    updated_at timestamptz not null,
    -- `blog_posts.published_at`: publication time, by which lists are ordered; NULL for drafts.
    published_at timestamptz,
    -- `blog_posts.first_published_at`: time of the first publication. A post that is unpublished and published again returns to
    -- its previous position in lists.
    first_published_at timestamptz,
    -- `blog_posts.publish_at`: time at which a draft will be published automatically; NULL if it is not scheduled.
    publish_at timestamptz,
    -- `blog_posts.version`: incremented by each change, to detect concurrent edits.
    version integer not null default 1,
    -- `blog_posts.unpublished_version`: version that staff unpublished; NULL if staff did not unpublish the post. Staff can
    -- publish it again until the author changes it.
    unpublished_version integer,
    -- `blog_posts.withheld_by`: id of the report case (`report_cases`) by which staff took the post down; NULL otherwise. The
    -- post cannot be published until the decision is reversed.
    withheld_by bigint,

    -- `blog_posts.feed_id`: id of the post in feeds, which stays the same if `PUBLIC_URL` changes.
    feed_id uuid not null default gen_random_uuid(),
    tags text[] not null default '{}',
    -- `blog_posts.own_slug`, `blog_posts.own_excerpt`, `blog_posts.cover`: URL slug, excerpt and cover image set by the author;
    -- NULL if not set.
    own_slug text,
    own_excerpt text,
    cover text,
    -- `blog_posts.own_language`: BCP 47 tag set by the author; NULL if not set. `blog_posts.language`: `own_language`, or else
    -- the detected language; NULL if unknown.
    own_language text,
    language text,

    -- `blog_posts.content_html`, `outline`, `excerpt`, `reading_minutes`: computed from `content` when a post is saved, and again
    -- if `rendered_by` is not the current version of the renderer.
    content_html text not null default '',
    outline jsonb not null default '[]',
    excerpt text not null default '',
    reading_minutes integer not null default 1,
    rendered_by integer not null default 0,
    -- `blog_posts.search`: search terms, stemmed by the text search configuration `search_configuration`, which fits the
    -- language of the post. `blog_posts.search_title`: title in lower case and without accents.
    search tsvector,
    search_title text,
    search_configuration text not null default 'simple',

    constraint title_length check (char_length(title) between 1 and 255),
    constraint content_length check (octet_length(content) between 1 and 262144),
    constraint status_known check (status in ('draft', 'published')),
    constraint published_has_time check ((status = 'published') = (published_at is not null)),
    constraint withheld_is_draft check (withheld_by is null or status = 'draft'),
    constraint tags_few check (cardinality(tags) <= 10),
    constraint post_language_length check (
        coalesce(char_length(own_language) <= 35, true) and coalesce(char_length(language) <= 35, true)
    )
);

create index blog_posts_new on blog_posts (published_at desc, id desc) where status = 'published';
create index blog_posts_language on blog_posts (language, published_at desc, id desc) where status = 'published';
create index blog_posts_of_author on blog_posts (author_id, published_at desc, id desc);
create index blog_posts_tags on blog_posts using gin (tags);
create index blog_posts_search on blog_posts using gin (search);
create index blog_posts_titles on blog_posts using gin (search_title gin_trgm_ops);
create index blog_posts_due on blog_posts (publish_at) where status = 'draft' and publish_at is not null;
create index blog_posts_unpublished on blog_posts (updated_at desc, id desc) where unpublished_version is not null;
create index blog_posts_withheld on blog_posts (withheld_by) where withheld_by is not null;
