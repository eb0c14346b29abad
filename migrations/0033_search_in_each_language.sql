-- What posts are found by is made by the program now, as stems depend on the language of a post. Rows that are there are
-- filled in when they are rendered anew; until then they are found by what the trigger made.
drop trigger fill_search on blog_posts;
drop function fill_search;
drop function search_words;

-- The title, folded, for searches that are nearly like it.
alter table blog_posts add column search_title text;
drop index blog_posts_titles;
create index blog_posts_titles on blog_posts using gin (search_title gin_trgm_ops);
drop function search_fold;
