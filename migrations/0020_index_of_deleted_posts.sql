-- no-transaction
-- Index `blog_posts_deleted`: deleted posts, oldest first, for their permanent deletion.
create index concurrently if not exists blog_posts_deleted on blog_posts (deleted_at) where deleted_at is not null;
