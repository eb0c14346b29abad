-- no-transaction
-- Index `blog_posts_submitted`: posts that wait for a review.
create index concurrently if not exists blog_posts_submitted on blog_posts (updated_at desc, id desc) where submitted_at is not null;
