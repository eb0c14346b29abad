-- A rating writes little: one row of `rates` in two indexes, and rows that stay on their page and touch no index (HOT).
--
-- PostgreSQL writes a row anew with every update. If a column of any index has changed, it also writes new entries into
-- all indexes of the table. A row of `blog_posts` carries a text and stood in seven of them, `top_score` in one.
--
-- The program before this one may still be running. It may read until the last statements. Its ratings wait, and then
-- fail, until it is replaced.

-- Somebody who reads for long, such as a backup, would have the last statements fail after all the work. So it is tried
-- first whether they can have their locks, and these are given back at once, with the block that fails.
do $$ begin
    lock table blog_posts, rates, rating_history, zombie_pauses in access exclusive mode;
    raise exception using errcode = 'EK001';
exception when sqlstate 'EK001' then
    null;
end $$;
lock table blog_posts in exclusive mode;

-- The totals of a post's ratings, apart from what people read. Half of each page is left free for new versions of its
-- rows. Published posts have a row each; drafts have none, as they cannot be rated and are in no list by rating.

create table rating_totals (
    blog_id bigint primary key references blog_posts (id) on delete cascade,
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
    -- The average as if ten readers had given three stars first, in hundredths: a post needs evidence to rise.
    top_score double precision not null generated always as (
        round(
            100 * (30 + stars_1 + 2 * stars_2 + 3 * stars_3 + 4 * stars_4 + 5 * stars_5)::double precision
                / (10 + stars_1 + stars_2 + stars_3 + stars_4 + stars_5)
        ) / 100
    ) stored,
    constraint stars_not_negative check (least(stars_1, stars_2, stars_3, stars_4, stars_5) >= 0)
) with (fillfactor = 50);

insert into rating_totals (blog_id, stars_1, stars_2, stars_3, stars_4, stars_5)
select id, stars_1, stars_2, stars_3, stars_4, stars_5 from blog_posts p
where status = 'published' or rating_count > 0
    or exists (select from rates where blog_id = p.id)
    or exists (select from rating_history where blog_id = p.id)
    or exists (select from zombie_pauses where blog_id = p.id)
order by id;

-- Nothing may be lost on the way.
do $$ begin
    if (select (sum(stars_1), sum(stars_2), sum(stars_3), sum(stars_4), sum(stars_5)) from blog_posts)
        is distinct from (select (sum(stars_1), sum(stars_2), sum(stars_3), sum(stars_4), sum(stars_5)) from rating_totals)
    then
        raise exception 'the totals of ratings do not equal the counters of the posts';
    end if;
end $$;

create index rating_totals_top on rating_totals (top_score desc, blog_id desc);

create function add_rating_totals() returns trigger language plpgsql as $$
begin
    insert into rating_totals (blog_id) values (new.id) on conflict do nothing;
    return null;
end
$$;
create trigger add_rating_totals after insert or update of status on blog_posts
    for each row when (new.status = 'published') execute function add_rating_totals();

-- Rate classes are shared among instances by the time of their last change. A column of their own for it leaves
-- `updated_at`, which changes with every rating, in no index.
alter table limiter_states add column shared_at timestamptz;
update limiter_states set shared_at = updated_at where limiter = 'rate_class' and key not like 'post:%';
create index limiter_states_shared on limiter_states (shared_at) where shared_at is not null;
drop index limiter_states_of_rate_classes;

-- From here on nobody can read for a moment.
alter table blog_posts
    drop column top_score,
    drop column average_rating,
    drop column rating_sum,
    drop column rating_count,
    drop column stars_1,
    drop column stars_2,
    drop column stars_3,
    drop column stars_4,
    drop column stars_5;
-- What hangs on a post's ratings hangs on its totals: the writer of ratings holds that row anyway, and does not have to
-- lock the post. All rows are in order; this is checked afterwards (`src/database/migrations.rs`).
alter table rates
    drop constraint rates_pkey,
    drop constraint unique_user_blog_rating,
    add constraint unique_user_blog_rating primary key using index rates_by_pair,
    drop constraint rates_blog_id_fkey,
    add constraint rates_blog_id_fkey foreign key (blog_id) references rating_totals on delete cascade not valid;
drop index rates_of_blog;
alter table rating_history
    drop constraint rating_history_blog_id_fkey,
    add constraint rating_history_blog_id_fkey foreign key (blog_id) references rating_totals on delete cascade not valid;
alter table zombie_pauses
    drop constraint zombie_pauses_blog_id_fkey,
    add constraint zombie_pauses_blog_id_fkey foreign key (blog_id) references rating_totals on delete cascade not valid;
