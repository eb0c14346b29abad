-- Ratings, their totals, and their history.
--
-- A rating writes little: one row of `rates`, which has two indexes, and rows that stay on their page and change no indexed column
-- (heap-only tuples). Half of each page is left free for new versions of its rows (`fillfactor`).

-- Totals of the ratings of a post. Every page and list reads these, so that it costs the same with ten ratings as with ten million.
-- Whoever writes a rating locks this row first. Published posts have one; drafts that were never published have none.
create table rating_totals (
    blog_id bigint primary key references blog_posts (id) on delete cascade,
    -- Number of ratings with one to five stars.
    stars_1 bigint not null default 0,
    stars_2 bigint not null default 0,
    stars_3 bigint not null default 0,
    stars_4 bigint not null default 0,
    stars_5 bigint not null default 0,
    rating_count bigint not null generated always as (stars_1 + stars_2 + stars_3 + stars_4 + stars_5) stored,
    rating_sum bigint not null
        generated always as (stars_1 + 2 * stars_2 + 3 * stars_3 + 4 * stars_4 + 5 * stars_5) stored,
    average_rating double precision not null generated always as (
        coalesce(
            (stars_1 + 2 * stars_2 + 3 * stars_3 + 4 * stars_4 + 5 * stars_5)::double precision
                / nullif(stars_1 + stars_2 + stars_3 + stars_4 + stars_5, 0),
            0
        )
    ) stored,
    -- Bayesian average with ten prior ratings of three stars, rounded to hundredths: order of lists by average.
    top_score double precision not null generated always as (
        round(
            100 * (30 + stars_1 + 2 * stars_2 + 3 * stars_3 + 4 * stars_4 + 5 * stars_5)::double precision
                / (10 + stars_1 + stars_2 + stars_3 + stars_4 + stars_5)
        ) / 100
    ) stored,

    -- State of the post's rating limiter under the limiter's name, and the id in `gate_choices` that it belongs to under `choice`.
    gates jsonb not null default '{}',

    -- Steady score (see `limiters/src/steady_score.rs`) and its weight; NULL and 0 before the first rating.
    steady_rating double precision,
    steady_weight double precision not null default 0,
    -- As `top_score`, of the steady score.
    steady_top double precision not null generated always as (
        round(100 * (30 + coalesce(steady_rating, 0) * steady_weight) / (10 + steady_weight)) / 100
    ) stored,
    -- State of the steady score. Number of ratings that is usual in a period.
    steady_usual double precision not null default 0,
    -- Sums over the ended periods, by the shares of `score_periods`: weight, and stars times weight.
    steady_regular_weight double precision not null default 0,
    steady_regular_stars double precision not null default 0,
    steady_provisional_weight double precision not null default 0,
    steady_provisional_stars double precision not null default 0,
    steady_held_weight double precision not null default 0,
    steady_held_stars double precision not null default 0,
    -- Day of the first rating, and latest day of the ended periods; NULL before the first rating, or the end of the first period.
    steady_since date,
    steady_ended_on date,
    -- Reference score, and the total weight of the ratings averaged into it.
    steady_reference double precision not null default 0,
    steady_known double precision not null default 0,
    -- Open period: days of its first and of its latest rating, number of ratings, sum of their stars. The days are NULL if there is
    -- none.
    steady_first_day date,
    steady_last_day date,
    steady_count bigint not null default 0,
    steady_stars bigint not null default 0,

    constraint stars_not_negative check (least(stars_1, stars_2, stars_3, stars_4, stars_5) >= 0)
) with (fillfactor = 50);
-- Lists by rating need an index on the displayed score. The program creates it (`order_lists_by` in `src/db/migrations.rs`),
-- because an index on each of the two scores would add an entry to every rating.

-- Adds the totals when a post is published.
create function add_rating_totals() returns trigger language plpgsql as $$
begin
    insert into rating_totals (blog_id) values (new.id) on conflict do nothing;
    return null;
end
$$;
create trigger add_rating_totals after insert or update of status on blog_posts
    for each row when (new.status = 'published') execute function add_rating_totals();

-- Ratings: one for each user and post. They reference `rating_totals`, whose row the writer has locked anyway, not `blog_posts`.
create table rates (
    id bigint generated always as identity,
    user_id bigint not null references users (id) on delete restrict,
    blog_id bigint not null references rating_totals on delete cascade,
    rating smallint not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    -- Day (UTC) in whose period the steady score counts the rating.
    counted_on date,
    -- Finds the rating of a user, and all ratings of a post.
    constraint unique_user_blog_rating primary key (blog_id, user_id),
    constraint rating_in_range check (rating between 1 and 5)
);
create index rates_of_user on rates (user_id, updated_at desc, id desc);

-- Ratings of a post by hour, for charts and for telling readers of unusual activity.
create table rating_history (
    blog_id bigint not null references rating_totals on delete cascade,
    -- Start of the hour.
    hour timestamptz not null,
    -- New and changed ratings that were counted, and those that the rating limiter refused; and how many of each were changes.
    admitted bigint not null default 0,
    refused bigint not null default 0,
    changed bigint not null default 0,
    refused_changes bigint not null default 0,
    -- Users whose new rating was refused, by its stars. A user counts once an hour.
    refused_1 bigint not null default 0,
    refused_2 bigint not null default 0,
    refused_3 bigint not null default 0,
    refused_4 bigint not null default 0,
    refused_5 bigint not null default 0,
    -- Totals of the post and its steady score at the end of the hour.
    rating_count bigint not null,
    rating_sum bigint not null,
    steady_rating double precision,
    constraint rating_history_pkey primary key (blog_id, hour),
    constraint rating_history_not_negative check (least(admitted, refused, rating_count, rating_sum) >= 0)
);

-- Ended periods of the steady score.
create table score_periods (
    blog_id bigint not null references rating_totals (blog_id) on delete cascade,
    -- Days (UTC) of the first and of the latest rating.
    first_day date not null,
    last_day date not null,
    -- Ratings that have not been changed or withdrawn since, and the sum of their stars.
    count bigint not null,
    stars bigint not null,
    -- Fractions of each rating: always counted; counted while the post has few ratings; held back; dropped as a surge.
    regular double precision not null,
    provisional double precision not null,
    held double precision not null,
    dropped double precision not null,
    -- True if staff excluded the day from the score; `moderation_id` is the id of that decision in `moderations`.
    excluded boolean not null default false,
    moderation_id bigint,
    constraint score_periods_pkey primary key (blog_id, first_day),
    constraint score_periods_days check (first_day <= last_day),
    constraint score_periods_not_negative check (least(count, stars) >= 0)
);
create index score_periods_excluded on score_periods (blog_id) where excluded;

-- Decisions of staff to exclude days from a post's score or to include them again. Shown to readers; rows are never changed.
create table moderations (
    id bigint generated always as identity primary key,
    blog_id bigint not null references rating_totals (blog_id) on delete cascade,
    -- NULL after the account was erased.
    moderator_id bigint references users (id) on delete set null,
    -- True if the moderator is the author of the post.
    by_author boolean not null,
    -- `void` excludes the days, `restore` includes them.
    action text not null check (action in ('void', 'restore')),
    from_day date not null,
    until_day date not null,
    reason text not null,
    -- Number of days whose status changed, and of their ratings; score before and after.
    days bigint not null,
    ratings bigint not null,
    score_before double precision,
    score_after double precision,
    created_at timestamptz not null,
    constraint moderations_from_until check (from_day <= until_day)
);
create index moderations_by_post on moderations (blog_id, id);
create index moderations_by_moderator on moderations (moderator_id);

-- Rejects changes of a decision. It is deleted with its post only; the moderator is removed when the account is erased.
create function keep_moderation() returns trigger language plpgsql as $$
begin
    if tg_op = 'UPDATE' then
        if to_jsonb(new) - 'moderator_id' = to_jsonb(old) - 'moderator_id' and new.moderator_id is null then
            return new;
        end if;
    elsif not exists (select from rating_totals where blog_id = old.blog_id) then
        return old;
    end if;
    raise exception 'a decision of moderators cannot be changed';
end
$$;
create trigger keep_moderation before update or delete on moderations for each row execute function keep_moderation();

-- Ratings that a rating limiter refused, so that `evenkeel replay` and the admin area can compare limiters. A user is recorded once
-- an hour. Old rows are deleted.
create table refused_ratings (
    id bigint generated always as identity primary key,
    blog_id bigint not null references blog_posts (id) on delete cascade,
    user_id bigint not null references users (id) on delete cascade,
    rating smallint not null,
    at timestamptz not null,
    constraint refused_rating_one_to_five check (rating between 1 and 5)
);
create index refused_ratings_of_post on refused_ratings (blog_id, at);
-- The rating writer looks up whether a user was refused at a post in the current hour.
create index refused_ratings_of_pair on refused_ratings (user_id, blog_id, at);
create index refused_ratings_by_time on refused_ratings (at);

-- Failed attempts of a user to rate a post, and the pause that follows thousands of them.
--
-- The rating writer changes a row under the lock of its post, and only while the pair is not paused. Unpausing changes only paused
-- rows, ordered by post. So the two never wait for each other.
create table zombie_pauses (
    user_id bigint not null references users (id) on delete cascade,
    blog_id bigint not null references rating_totals on delete cascade,
    -- Theoretical arrival time of the bucket of failures, in nanoseconds since the Unix epoch; NULL if the bucket is full.
    tat_ns bigint,
    -- Start and end of the last pause. A pause without an end is in effect.
    paused_at timestamptz,
    unpaused_at timestamptz,
    constraint zombie_pauses_pkey primary key (user_id, blog_id),
    constraint pause_before_unpause check (unpaused_at is null or paused_at <= unpaused_at)
);
create index zombie_pauses_of_blog on zombie_pauses (blog_id);
create index zombie_pauses_new on zombie_pauses (paused_at desc, user_id desc) where paused_at is not null and unpaused_at is null;
