-- What authors may set themselves: the address, the excerpt, and an image for where the post is shared. `excerpt` stays
-- what readers are shown: this one, or the first paragraph.
alter table blog_posts
    add column own_slug text,
    add column own_excerpt text,
    add column cover text;

-- A draft with a time is published then.
alter table blog_posts add column publish_at timestamptz;
create index blog_posts_due on blog_posts (publish_at) where status = 'draft' and publish_at is not null;
