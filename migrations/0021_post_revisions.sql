-- Earlier versions of posts. Table: `post_revisions`.

-- Table `post_revisions`: titles and texts of posts that edits have replaced, at most 50 per post. A row is deleted 30 days
-- after the edit.
create table post_revisions (
    post_id bigint not null references blog_posts (id) on delete cascade,
    -- `post_revisions.version`: `blog_posts.version` of the post before the edit.
    version integer not null,
    title text not null,
    -- `post_revisions.content`: Markdown source.
    content text not null,
    -- `post_revisions.images`: ids of the images that the post showed, which are not deleted as unused.
    images bigint[] not null,
    -- `post_revisions.is_private`: true if only the author could see the text, because the post was a draft that was not
    -- submitted for a review.
    is_private boolean not null,
    -- `post_revisions.saved_at`: `blog_posts.updated_at` before the edit. `post_revisions.replaced_at`: time of the edit.
    saved_at timestamptz not null,
    replaced_at timestamptz not null,
    primary key (post_id, version),
    constraint revision_title_length check (char_length(title) between 1 and 255),
    constraint revision_content_length check (octet_length(content) between 1 and 262144)
);
create index post_revisions_images on post_revisions using gin (images);
