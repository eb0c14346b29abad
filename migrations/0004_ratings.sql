-- Ratings, their totals, and their history.
--
-- A rating causes few writes: one row in `rates`, which has two indexes, and heap-only tuple (HOT) updates of `rating_totals`,
-- which change no indexed column. Its `fillfactor` of 50 leaves half of each page free for new row versions.

-- Type `steady_state`: state of the steady score of a post, computed from its ratings. Ratings are grouped into periods; the last
-- period is open until a later rating ends it.
create type steady_state as (
    -- `steady_state.…_weight`, `…_stars`: sums of weights, and of stars times weight, over the ended periods: of ratings that
    -- always count, of those that count while the post has few ratings (`provisional`), and of those that are held back.
    regular_weight double precision,
    regular_stars double precision,
    provisional_weight double precision,
    provisional_stars double precision,
    held_weight double precision,
    held_stars double precision,
    -- `steady_state.dropped`: total weight of the dropped ratings in the ended periods.
    dropped double precision,
    -- `steady_state.excluded`: number of ratings on days that staff excluded.
    excluded bigint,
    -- `steady_state.usual`: usual weight of the ratings of a day.
    usual double precision,
    -- `steady_state.typical`: typical fractions of ratings with one to five stars, with which new periods are compared.
    -- `steady_state.known`: total weight of the ratings averaged in them.
    typical double precision[],
    known double precision,
    -- `steady_state.since`: day of the first rating. `steady_state.ended_on`: last day of the most recently ended period.
    since date,
    ended_on date,
    -- `steady_state.first_day`, `last_day`: days of the first and the latest rating of the open period; NULL if none is open.
    first_day date,
    last_day date,
    -- `steady_state.stars`: numbers of ratings of the open period with one to five stars. `steady_state.last_day_stars`: numbers
    -- of ratings on its last day.
    stars integer[],
    last_day_stars integer[]
);

-- Table `rating_totals`: totals and score of each post, so that pages and lists never aggregate ratings. A transaction that
-- writes ratings of a post locks its row first. A row is created when a post is first published.
create table rating_totals (
    blog_id bigint primary key references blog_posts (id) on delete cascade,
    -- `rating_totals.stars_1` to `stars_5`: number of ratings with one to five stars.
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
    -- `rating_totals.top_score`: Bayesian average with ten prior ratings of three stars, rounded to hundredths. Order of lists by
    -- average.
    top_score double precision not null generated always as (
        round(
            100 * (30 + stars_1 + 2 * stars_2 + 3 * stars_3 + 4 * stars_4 + 5 * stars_5)::double precision
                / (10 + stars_1 + stars_2 + stars_3 + stars_4 + stars_5)
        ) / 100
    ) stored,

    -- `rating_totals.steady_rating`: steady score (see `crates/limiters/src/steady_score.rs`); NULL before the first rating.
    -- `rating_totals.steady_weight`: total weight of the ratings that count in it.
    steady_rating double precision,
    steady_weight double precision not null default 0,
    -- `rating_totals.steady_top`: Bayesian average like `top_score`, computed from the steady score and its weight. Order of
    -- lists by steady score.
    steady_top double precision not null generated always as (
        round(100 * (30 + coalesce(steady_rating, 0) * steady_weight) / (10 + steady_weight)) / 100
    ) stored,
    -- `rating_totals.steady`: state of the steady score; NULL before the first rating.
    steady steady_state,

    constraint stars_not_negative check (least(stars_1, stars_2, stars_3, stars_4, stars_5) >= 0)
) with (fillfactor = 50);
-- Index of `rating_totals` for lists ordered by score: created at start-up by `build_score_index` in `src/db/migrations.rs`, only
-- for the score that is displayed. An index for each of the two scores would double the index writes of a rating.

-- Trigger `add_rating_totals`: inserts the row of `rating_totals` when a post is published.
create function add_rating_totals() returns trigger language plpgsql as $$
begin
    insert into rating_totals (blog_id) values (new.id) on conflict do nothing;
    return null;
end
$$;
create trigger add_rating_totals after insert or update of status on blog_posts
    for each row when (new.status = 'published') execute function add_rating_totals();

-- Table `rates`: ratings, at most one per user and post. The foreign key refers to `rating_totals` instead of `blog_posts`,
-- because a transaction that writes ratings has already locked that row.
create table rates (
    id bigint generated always as identity,
    user_id bigint not null references users (id) on delete restrict,
    blog_id bigint not null references rating_totals on delete cascade,
    rating smallint not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    -- `rates.counted_on`: day (UTC) on which the rating was first given, and on which the steady score counts it. NULL until the
    -- score of imported ratings is computed.
    counted_on date,
    -- Primary key of `rates`: finds the rating of a user for a post, and all ratings of a post.
    constraint unique_user_blog_rating primary key (blog_id, user_id),
    constraint rating_in_range check (rating between 1 and 5)
);
create index rates_of_user on rates (user_id, updated_at desc, id desc);

-- Table `rating_history`: ratings of a post per hour, for charts and for the notice about unusual activity.
create table rating_history (
    blog_id bigint not null references rating_totals on delete cascade,
    -- `rating_history.hour`: start of the hour.
    hour timestamptz not null,
    -- `rating_history.admitted`, `refused`: number of ratings that the rating limiter admitted and refused, including changes.
    -- `rating_history.changed`, `refused_changes`: number of changes among them.
    admitted bigint not null default 0,
    refused bigint not null default 0,
    changed bigint not null default 0,
    refused_changes bigint not null default 0,
    -- `rating_history.refused_1` to `refused_5`: number of users whose new rating of one to five stars was refused. Each user
    -- counts once per hour.
    refused_1 bigint not null default 0,
    refused_2 bigint not null default 0,
    refused_3 bigint not null default 0,
    refused_4 bigint not null default 0,
    refused_5 bigint not null default 0,
    -- `rating_history.rating_count`, `rating_sum`, `steady_rating`: totals and steady score of the post at the end of the hour.
    rating_count bigint not null,
    rating_sum bigint not null,
    steady_rating double precision,
    constraint rating_history_pkey primary key (blog_id, hour),
    constraint rating_history_not_negative check (least(admitted, refused, rating_count, rating_sum) >= 0)
);

-- Table `moderations`: decisions of moderators to exclude days from the score of a post, or to include them again. Public and
-- append-only.
create table moderations (
    id bigint generated always as identity primary key,
    blog_id bigint not null references rating_totals (blog_id) on delete cascade,
    -- `moderations.moderator_id`: moderator; NULL after the account was erased.
    moderator_id bigint references users (id) on delete set null,
    -- `moderations.by_author`: true if the moderator is the author of the post.
    by_author boolean not null,
    -- `moderations.action`: `exclude` excludes the days from `from_day` to `until_day` from the score, `restore` includes them
    -- again.
    action text not null check (action in ('exclude', 'restore')),
    from_day date not null,
    until_day date not null,
    reason text not null,
    -- `moderations.days`, `ratings`: number of days that the decision changed, and of their ratings. `moderations.score_before`,
    -- `score_after`: score before and after the decision.
    days bigint not null,
    ratings bigint not null,
    score_before double precision,
    score_after double precision,
    created_at timestamptz not null,
    constraint moderations_from_until check (from_day <= until_day)
);
create index moderations_by_post on moderations (blog_id, id);
create index moderations_by_moderator on moderations (moderator_id);

-- Table `score_days`: ratings of each day before the latest one, which `rating_totals.steady` contains. The state of the steady
-- score is computed from them when an earlier rating is changed or withdrawn.
create table score_days (
    blog_id bigint not null references rating_totals (blog_id) on delete cascade,
    -- `score_days.day`: day (UTC) on which the ratings were first given.
    day date not null,
    -- `score_days.stars`: numbers of ratings with one to five stars.
    stars bigint[] not null,
    -- `score_days.moderation_id`: decision that excluded the day from the score; NULL if the day counts.
    moderation_id bigint references moderations (id),
    constraint score_days_pkey primary key (blog_id, day),
    constraint score_days_one_to_five_stars check (cardinality(stars) = 5 and 0 <= all (stars))
);
create index score_days_excluded on score_days (moderation_id) where moderation_id is not null;

-- Trigger `keep_moderation`: rejects updates of `moderations`, except setting `moderator_id` to NULL, and deletions while the
-- post exists.
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

-- Table `refused_ratings`: ratings that the rating limiter refused, for comparing limiters with `evenkeel replay` and in the
-- admin area. A user is recorded once per hour and post. Old rows are deleted.
create table refused_ratings (
    id bigint generated always as identity primary key,
    blog_id bigint not null references blog_posts (id) on delete cascade,
    user_id bigint not null references users (id) on delete cascade,
    rating smallint not null,
    at timestamptz not null,
    constraint refused_rating_one_to_five check (rating between 1 and 5)
);
create index refused_ratings_of_post on refused_ratings (blog_id, at);
-- Index `refused_ratings_of_pair`: the rating writer checks whether a user has already been refused for a post in the current
-- hour.
create index refused_ratings_of_pair on refused_ratings (user_id, blog_id, at);
create index refused_ratings_by_time on refused_ratings (at);

-- Table `zombie_pauses`: failed rating attempts per user and post, and the pause after thousands of them.
--
-- Deadlocks cannot occur: the rating writer changes a row only while it holds the lock of the post, and only if the user is not
-- paused for this post. Lifting pauses changes only rows of paused users, in the order of posts.
create table zombie_pauses (
    user_id bigint not null references users (id) on delete cascade,
    blog_id bigint not null references rating_totals on delete cascade,
    -- `zombie_pauses.tat_ns`: theoretical arrival time of a token bucket (GCRA) of failures, in nanoseconds since the Unix epoch;
    -- NULL if the bucket is full.
    tat_ns bigint,
    -- `zombie_pauses.paused_at`, `unpaused_at`: start and end of the latest pause. `unpaused_at` is NULL while the user is
    -- paused for the post.
    paused_at timestamptz,
    unpaused_at timestamptz,
    constraint zombie_pauses_pkey primary key (user_id, blog_id),
    constraint pause_before_unpause check (unpaused_at is null or paused_at <= unpaused_at)
);
create index zombie_pauses_of_blog on zombie_pauses (blog_id);
create index zombie_pauses_new on zombie_pauses (paused_at desc, user_id desc) where paused_at is not null and unpaused_at is null;

-- Counts of the current hour in `rating_totals`, so that a rating updates one row for its post instead of two.
-- `rating_totals.open_hour`: hour whose ratings are still counted in this row; NULL before the first rating. The first rating
-- of a later hour copies the counts to `rating_history`.
-- `rating_totals.open_…`: like the columns of `rating_history`, for this hour.
alter table rating_totals
    add column open_hour timestamptz,
    add column open_admitted bigint not null default 0,
    add column open_refused bigint not null default 0,
    add column open_changed bigint not null default 0,
    add column open_refused_changes bigint not null default 0,
    add column open_refused_1 bigint not null default 0,
    add column open_refused_2 bigint not null default 0,
    add column open_refused_3 bigint not null default 0,
    add column open_refused_4 bigint not null default 0,
    add column open_refused_5 bigint not null default 0;

-- View `rating_hours`: all hours of a post with ratings: those in `rating_history`, and the open hour in `rating_totals`.
create view rating_hours as
    select blog_id, hour, admitted, refused, changed, refused_changes, refused_1, refused_2, refused_3, refused_4, refused_5,
        rating_count, rating_sum, steady_rating
    from rating_history
    union all
    select blog_id, open_hour, open_admitted, open_refused, open_changed, open_refused_changes, open_refused_1,
        open_refused_2, open_refused_3, open_refused_4, open_refused_5, rating_count, rating_sum, steady_rating
    from rating_totals where open_admitted + open_refused > 0;

-- Types of the arguments with which the rating writer changes many rows in one statement.
create type totals_change as (
    blog_id bigint,
    stars bigint[],
    admitted bigint,
    refused bigint,
    changed bigint,
    refused_changes bigint,
    refused_stars bigint[],
    steady_rating double precision,
    steady_weight double precision,
    steady steady_state
);
create type new_rating as (user_id bigint, blog_id bigint, rating smallint, counted_on date);
