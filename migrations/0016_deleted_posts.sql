-- Posts that their authors deleted. Table: `blog_posts`.

-- `blog_posts.deleted_at`: time at which the author deleted the post, which is then a draft that only the list of deleted posts
-- shows; NULL for other posts. The row is deleted 7 days later.
alter table blog_posts add column deleted_at timestamptz;

-- Trigger `close_report_cases_of_deleted`: closes the undecided cases and appeals of a post when its author deletes it.
create trigger close_report_cases_of_deleted after update of deleted_at on blog_posts for each row
    when (old.deleted_at is null and new.deleted_at is not null) execute function close_report_cases();
