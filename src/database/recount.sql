-- What stands beside some posts after the id $1, and what their ratings say.
with these as materialized (
    select t.* from (
        select blog_id, sum(rating_count) over (order by blog_id) - rating_count as before from (
            select blog_id, rating_count from rating_totals where blog_id > $1 order by blog_id limit 200
        ) as next
    ) as summed join rating_totals t using (blog_id) where before < 50000
), theirs as materialized (
    select r.blog_id, r.rating, r.counted_on, r.counted_stars, r.fresh from these join rates r using (blog_id)
), counted as (
    select blog_id, array[count(*) filter (where rating = 1), count(*) filter (where rating = 2),
        count(*) filter (where rating = 3), count(*) filter (where rating = 4), count(*) filter (where rating = 5)] as stars
    from theirs group by blog_id
), kept as (
    select d.blog_id, d.day, fresh, count, sum from these join post_days d using (blog_id), lateral (
        values (false, known_count, known_sum), (true, fresh_count, fresh_sum)
    ) as of (fresh, count, sum)
    union all
    select blog_id, steady_day, fresh, count, sum from these, lateral (
        values (false, steady_known_count, steady_known_sum), (true, steady_fresh_count, steady_fresh_sum)
    ) as of (fresh, count, sum)
), days as (
    select blog_id, counted_on as day, fresh, count(*) as count, sum(counted_stars) as sum
    from theirs where counted_on is not null group by 1, 2, 3
), wrong as (
    select blog_id from (select * from kept where count <> 0 or sum <> 0) k
        full join days d using (blog_id, day, fresh)
    where (k.count, k.sum) is distinct from (d.count, d.sum)
    union
    select blog_id from theirs where counted_stars <> rating
    union
    select t.blog_id from these t left join lateral (
        select sum(known_weight * known_count + fresh_weight * fresh_count) as weight,
            sum(known_weight * known_sum + fresh_weight * fresh_sum) as sum
        from post_days where blog_id = t.blog_id and not voided
    ) d on true
    where abs(steady_closed_weight - coalesce(weight, 0)) > 1e-6 * (1 + coalesce(weight, 0))
        or abs(steady_closed_sum - coalesce(sum, 0)) > 1e-6 * (1 + coalesce(sum, 0))
)
select t.blog_id as "post!", array[t.stars_1, t.stars_2, t.stars_3, t.stars_4, t.stars_5] as "counted!",
    coalesce(c.stars, '{0, 0, 0, 0, 0}') as "ratings!", w.blog_id is not null as "score_is_wrong!"
from these t left join counted c using (blog_id) left join wrong w using (blog_id) order by t.blog_id
