-- The steady score: every rating counts in the exact average, and beside that stands a score in which a day can only weigh
-- so much (`limiters/src/steady_score.rs`). The score, the day that is not over, and the sums of the days before stand in
-- the row of a post's totals, which whoever rates locks and writes anyway. A day has a row of its own when it is over.
--
-- The program before this one may still be running. Until it is replaced, its ratings and changes count in the average alone;
-- in the score they count when they are changed again.

-- Both tables are locked before the first is rewritten, or the work might be in vain.
lock table rating_totals, rates in access exclusive mode;

alter table rating_totals
    -- The days that are over: what they weigh together, the sum of their stars, each times what it weighs, and what a day
    -- usually weighs.
    add column steady_closed_weight double precision not null default 0,
    add column steady_closed_sum double precision not null default 0,
    add column steady_usual double precision not null default 0,
    -- The day that is not over, null where nothing has been counted; its ratings, as in `post_days`.
    add column steady_day date,
    add column steady_known_count bigint not null default 0,
    add column steady_known_sum bigint not null default 0,
    add column steady_fresh_count bigint not null default 0,
    add column steady_fresh_sum bigint not null default 0,
    -- The score, and what it weighs.
    add column steady_rating double precision,
    add column steady_weight double precision not null default 0,
    -- As `top_score`, of the steady score and its weight.
    add column steady_top double precision not null generated always as (
        round(100 * (30 + coalesce(steady_rating, 0) * steady_weight) / (10 + steady_weight)) / 100
    ) stored;

-- Lists are ordered by the score that is shown. An index of each would cost every rating one more entry, so there is one,
-- of the score that is shown (`src/database/migrations.rs`).
create table post_days (
    blog_id bigint not null references rating_totals (blog_id) on delete cascade,
    day date not null,
    -- Ratings of accounts that had rated another post on an earlier day, and of those that had not. A rating that is
    -- changed on a later day leaves the day.
    known_count bigint not null,
    known_sum bigint not null,
    fresh_count bigint not null,
    fresh_sum bigint not null,
    -- What one of them weighs, from 0 to 1.
    known_weight double precision not null,
    fresh_weight double precision not null,
    -- Left out of the score by a person.
    voided boolean not null default false,
    constraint post_days_pkey primary key (blog_id, day),
    constraint post_days_not_negative check (least(known_count, known_sum, fresh_count, fresh_sum) >= 0)
);

-- The days that the score leaves out, for saying so.
create index post_days_left_out on post_days (blog_id) where known_weight = 0 or voided;

alter table rates
    -- The day on which the score counts it; null where it does not.
    add column counted_on date,
    -- The stars that it counts, which are others than `rating` if the program before this one has changed that.
    add column counted_stars smallint,
    -- Whether its account was fresh on that day.
    add column fresh boolean;

-- Ratings of before are counted step by step (`src/database/fill_in.rs`).
