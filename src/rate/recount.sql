-- Compares stored totals and scores with a recount of the ratings, for the next posts with an id above $1: at most 200 posts, with about
-- 50,000 ratings in all.
with these as materialized (
    select t.* from (
        select blog_id, sum(rating_count) over (order by blog_id) - rating_count as before from (
            select blog_id, rating_count from rating_totals where blog_id > $1 order by blog_id limit 200
        ) as next
    ) as summed join rating_totals t using (blog_id) where before < 50000
), theirs as materialized (
    select r.blog_id, r.rating, r.counted_on from these join rates r using (blog_id)
), counted as (
    select blog_id, array[count(*) filter (where rating = 1), count(*) filter (where rating = 2),
        count(*) filter (where rating = 3), count(*) filter (where rating = 4), count(*) filter (where rating = 5)] as stars
    from theirs group by blog_id
), periods as (
    select s.blog_id, s.first_day, s.last_day, s.count, s.stars from these join score_periods s using (blog_id)
    union all
    select blog_id, steady_first_day, steady_last_day, steady_count, steady_stars from these
    where steady_first_day is not null
), days as (
    select blog_id, counted_on as day, count(*) as count, sum(rating) as stars
    from theirs where counted_on is not null group by 1, 2
), placed as (
    -- Ratings per stored period; `first_day` is NULL for ratings on days that no stored period covers.
    select d.blog_id, p.first_day, sum(d.count) as count, sum(d.stars) as stars
    from days d left join periods p on p.blog_id = d.blog_id and d.day between p.first_day and p.last_day
    group by 1, 2
), wrong as (
    select blog_id from (select * from periods where count <> 0 or stars <> 0) p
        full join placed d using (blog_id, first_day)
    where (p.count, p.stars) is distinct from (d.count, d.stars)
    union
    select t.blog_id from these t left join lateral (
        select array[sum(regular * count), sum(regular * stars), sum(provisional * count), sum(provisional * stars),
            sum(held * count), sum(held * stars)] as sums
        from score_periods where blog_id = t.blog_id and not excluded
    ) s on true cross join lateral unnest(
        array[steady_regular_weight, steady_regular_stars, steady_provisional_weight, steady_provisional_stars,
            steady_held_weight, steady_held_stars], s.sums
    ) as of (stored, recomputed)
    where abs(stored - coalesce(recomputed, 0)) > 1e-6 * (1 + coalesce(recomputed, 0))
)
select t.blog_id as "post!", array[t.stars_1, t.stars_2, t.stars_3, t.stars_4, t.stars_5] as "counted!",
    coalesce(c.stars, '{0, 0, 0, 0, 0}') as "ratings!", w.blog_id is not null as "score_is_wrong!"
from these t left join counted c using (blog_id) left join wrong w using (blog_id) order by t.blog_id
