-- Posts. Totals of ratings are in `rating_totals`: a rating does not touch the row of its post.

-- Trigrams, for searches that contain a typing error.
create extension if not exists pg_trgm;

create table blog_posts (
    id bigint generated always as identity primary key,
    -- Accounts with posts or ratings are erased, not deleted.
    author_id bigint not null references users (id) on delete restrict,
    title text not null,
    -- Markdown.
    content text not null,
    status text not null default 'published',
    created_at timestamptz not null,
    updated_at timestamptz not null,
    -- Order of lists; NULL for drafts.
    published_at timestamptz,
    -- Time of the first publication. A post that is unpublished and published again keeps its place in lists.
    first_published_at timestamptz,
    -- Time at which a draft will be published.
    publish_at timestamptz,
    -- Incremented by each change, to detect concurrent edits.
    version integer not null default 1,
    -- Version that staff unpublished: staff can publish it again until the author changes the post.
    unpublished_version integer,
    -- Case by which staff took the post down: until that is reversed, the post cannot be published.
    withheld_by bigint,

    tags text[] not null default '{}',
    -- Set by the author: part of the URL, excerpt, image for link previews.
    own_slug text,
    own_excerpt text,
    cover text,
    -- BCP 47 tags: language set by the author, and that or else the detected one. NULL if unknown.
    own_language text,
    language text,

    -- Computed from `content` when it is saved. Posts are rendered again if `rendered_by` is not the version of the renderer.
    content_html text not null default '',
    outline jsonb not null default '[]',
    excerpt text not null default '',
    reading_minutes integer not null default 1,
    rendered_by integer not null default 0,
    -- Search terms, by the stemming rules of the post's language; and the case-folded title.
    search tsvector,
    search_title text,

    constraint title_length check (char_length(title) between 1 and 200),
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
create index blog_posts_of_author on blog_posts (author_id, published_at desc, id desc);
create index blog_posts_tags on blog_posts using gin (tags);
create index blog_posts_search on blog_posts using gin (search);
create index blog_posts_titles on blog_posts using gin (search_title gin_trgm_ops);
create index blog_posts_due on blog_posts (publish_at) where status = 'draft' and publish_at is not null;
create index blog_posts_unpublished on blog_posts (updated_at desc, id desc) where unpublished_version is not null;
create index blog_posts_withheld on blog_posts (withheld_by) where withheld_by is not null;
