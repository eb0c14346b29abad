-- no-transaction
-- One index finds the rating of a reader, and all ratings of a post. Where there were two, a plan could take the wrong
-- one, and look through all ratings of a post for one reader's. It is built while ratings go on (the next migration makes
-- it the primary key), so it stands alone here: what is concurrent cannot be part of a transaction.
create unique index concurrently rates_by_pair on rates (blog_id, user_id);
