-- Ratings that a post's gate did not admit yet, where `RATING_OVERFLOW` is `hold`: each post has a line, in the order of the
-- ids, and the first of it is counted as soon as the gate admits it (`src/rate/waiting/`).
create table waiting_ratings (
    id bigint generated always as identity primary key,
    user_id bigint not null references users (id) on delete cascade,
    blog_id bigint not null references rating_totals (blog_id) on delete cascade,
    rating smallint not null,
    -- When its stars were chosen. A rating that is counted in another way later than that takes its place.
    chosen_at timestamptz not null,
    constraint unique_user_blog_waiting unique (user_id, blog_id),
    constraint waiting_rating_one_to_five check (rating between 1 and 5)
);
create index waiting_ratings_by_post on waiting_ratings (blog_id, id);
