-- Steady score by periods: `limiters/src/steady_score.rs`. Who rates makes no difference any more. The scores of all posts are
-- recomputed from their ratings after this migration, some posts at a time (`src/database/fill_in.rs`).

lock table rating_totals, rates in access exclusive mode;

alter table rating_totals
    drop column steady_closed_weight,
    drop column steady_closed_sum,
    drop column steady_day,
    drop column steady_known_count,
    drop column steady_known_sum,
    drop column steady_fresh_count,
    drop column steady_fresh_sum,
    -- Sums over the ended periods, by the shares of `score_periods`: weight, and stars times weight.
    add column steady_regular_weight double precision not null default 0,
    add column steady_regular_stars double precision not null default 0,
    add column steady_provisional_weight double precision not null default 0,
    add column steady_provisional_stars double precision not null default 0,
    add column steady_held_weight double precision not null default 0,
    add column steady_held_stars double precision not null default 0,
    -- Day of the first rating, and latest day of the ended periods; null before the first rating, or the end of the first period.
    add column steady_since date,
    add column steady_ended_on date,
    -- Reference score, and the total weight of the ratings averaged into it.
    add column steady_reference double precision not null default 0,
    add column steady_known double precision not null default 0,
    -- Open period: days of its first and of its latest rating, number of ratings, sum of their stars. The days are null if
    -- there is none.
    add column steady_first_day date,
    add column steady_last_day date,
    add column steady_count bigint not null default 0,
    add column steady_stars bigint not null default 0;

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

update rating_totals set steady_usual = 0, steady_rating = null, steady_weight = 0;

-- Days that staff excluded stay excluded: the recomputation reads these rows.
insert into score_periods (blog_id, first_day, last_day, count, stars, regular, provisional, held, dropped, excluded, moderation_id)
select blog_id, day, day, 0, 0, 0, 0, 0, 0, true, moderation_id from post_days where voided;

drop table post_days;

alter table rates drop column counted_stars, drop column fresh;
alter table refused_ratings drop column fresh;
