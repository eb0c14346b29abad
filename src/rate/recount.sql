-- Reads the next posts with ids above $1: stored totals and scores, and counts of ratings by stars. Limited to 200 posts and about
-- 50,000 ratings.
with posts as (
    select blog_id from (
        select blog_id, sum(rating_count) over (order by blog_id) - rating_count as before from (
            select blog_id, rating_count from rating_totals where blog_id > $1 order by blog_id limit 200
        ) as next
    ) as summed where before < 50000
), counted as (
    select blog_id, array[count(*) filter (where rating = 1), count(*) filter (where rating = 2),
        count(*) filter (where rating = 3), count(*) filter (where rating = 4), count(*) filter (where rating = 5)] as stars
    from posts join rates using (blog_id) group by blog_id
)
select t.blog_id as "post!", array[t.stars_1, t.stars_2, t.stars_3, t.stars_4, t.stars_5] as "counted!",
    coalesce(c.stars, '{0, 0, 0, 0, 0}') as "ratings!", t.steady as "steady: SteadyStateValue", t.steady_rating, t.steady_weight
from posts join rating_totals t using (blog_id) left join counted c using (blog_id) order by t.blog_id
