-- Which limiter guards ratings, where staff have chosen (`src/rate/choices.rs`). Rows are added, never changed: of each
-- scope, the site or a post, the latest one counts. The highest id tells an instance whether it knows them all, so a row is
-- added under a lock of the table: none comes to light after a later one.
create table gate_choices (
    id bigint generated always as identity primary key,
    -- Null: the whole site.
    blog_id bigint references blog_posts (id) on delete cascade,
    -- As settings name it, or `off`; null: that of the settings again, or for a post that of the site.
    limiter text,
    -- All its parameters.
    params jsonb,
    -- What becomes of ratings that it does not admit.
    overflow text,
    reason text not null,
    chosen_at timestamptz not null,
    -- Null when their account is gone.
    chosen_by bigint references users (id) on delete set null,
    -- The choice that this one took back.
    undone_id bigint,
    constraint overflow_is_known check (overflow in ('refuse', 'hold')),
    constraint choice_is_whole check ((limiter is null) = (overflow is null) and (limiter is not null or params is null))
);
create index gate_choices_of_scope on gate_choices (blog_id, id desc);
create index gate_choices_of_user on gate_choices (chosen_by) where chosen_by is not null;

-- Ratings that a gate did not admit, for `evenkeel replay` and the desk: whether another limiter would have admitted them.
-- Who tries again within the hour is here once. Swept by age and by number.
create table refused_ratings (
    id bigint generated always as identity primary key,
    blog_id bigint not null references blog_posts (id) on delete cascade,
    user_id bigint not null references users (id) on delete cascade,
    rating smallint not null,
    at timestamptz not null,
    -- Whether the account was new, as the score asks.
    fresh boolean not null,
    constraint refused_rating_one_to_five check (rating between 1 and 5)
);
create index refused_ratings_of_post on refused_ratings (blog_id, at);
create index refused_ratings_of_user on refused_ratings (user_id);
create index refused_ratings_by_time on refused_ratings (at);
