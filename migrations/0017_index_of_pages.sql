-- no-transaction
-- Index `blog_posts_pages`: pages in the list of posts of the admin area, and in the settings.
create index concurrently if not exists blog_posts_pages on blog_posts (published_at desc, id desc) where is_page;
