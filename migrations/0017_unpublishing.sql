-- A post can be a draft again, and comes back as it was: at its place in lists, with its ratings.
alter table blog_posts add column first_published_at timestamptz;
