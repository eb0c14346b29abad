-- Pages, such as an imprint, and posts without ratings. Table: `blog_posts`.

-- `blog_posts.is_page`: true for a page, which is not listed with the posts. `blog_posts.accepts_ratings`: false if users cannot
-- add or change ratings.
alter table blog_posts
    add column is_page boolean not null default false,
    add column accepts_ratings boolean not null default true;
