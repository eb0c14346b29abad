-- The rating writer looks up whether a user was refused at a post in the current hour.
create index refused_ratings_of_pair on refused_ratings (user_id, blog_id, at);
-- Covered by the new index.
drop index refused_ratings_of_user;
