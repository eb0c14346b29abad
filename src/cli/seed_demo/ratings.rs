//! Ratings of the demo posts, and a brigade.

use chrono::{DateTime, TimeDelta, Utc};
use rand::RngExt as _;
use rand::rngs::StdRng;
use rand::seq::SliceRandom as _;
use sqlx::{PgConnection, PgTransaction};

/// Number of past days over which the publication times of the demo posts are distributed.
pub const HISTORY_DAYS: i64 = 90;

pub struct RatingDistribution {
    mean: f64,
    spread: f64,
    /// Share of users who always give one star, 0.0 to 1.0.
    one_star_share: f64,
    count: usize,
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "made-up numbers, all of them small"
)]
impl RatingDistribution {
    pub(super) fn random(random: &mut StdRng, age: TimeDelta) -> Self {
        // The distribution is long-tailed: most posts get few ratings, and a few posts get many.
        let popularity: f64 = random.random::<f64>().powi(3);
        Self {
            mean: random.random_range(3.2..4.9),
            spread: random.random_range(0.6..1.2),
            one_star_share: if random.random_bool(0.1) { 0.3 } else { 0.02 },
            count: 4 + (popularity * (age.num_days() as f64 / HISTORY_DAYS as f64).sqrt() * 390.0) as usize,
        }
    }

    fn stars(&self, random: &mut StdRng) -> i16 {
        if random.random_bool(self.one_star_share) {
            return 1;
        }
        // The sum of three uniform random numbers approximates a normal distribution.
        let bell = (0..3).map(|_| random.random_range(-1.0..1.0)).sum::<f64>();
        (self.mean + bell * self.spread).round().clamp(1.0, 5.0) as i16
    }

    /// Distributes ratings over time, most of them soon after `from`, the publication time of the post.
    pub(super) fn ratings(
        &self,
        random: &mut StdRng,
        mut readers: Vec<i64>,
        from: DateTime<Utc>,
        to: DateTime<Utc>,
    ) -> Vec<DemoRating> {
        readers.shuffle(random);
        let life = (to - from).num_seconds().max(1) as f64;
        let mut ratings: Vec<DemoRating> = readers
            .into_iter()
            .take(self.count)
            .map(|user| {
                let at = from + TimeDelta::seconds((life * random.random::<f64>().powf(1.5)) as i64);
                DemoRating { user, stars: self.stars(random), at }
            })
            .collect();
        ratings.sort_by_key(|rating| rating.at);
        ratings
    }
}

pub struct DemoRating {
    user: i64,
    stars: i16,
    at: DateTime<Utc>,
}

pub async fn insert_ratings(
    transaction: &mut PgTransaction<'_>,
    blog: i64,
    ratings: Vec<DemoRating>,
) -> anyhow::Result<()> {
    let mut columns: (Vec<i64>, Vec<i16>, Vec<DateTime<Utc>>) = Default::default();
    let mut counters = [0i64; 5];
    for DemoRating { user, stars, at } in ratings {
        counters[usize::try_from(stars - 1)?] += 1;
        columns.0.push(user);
        columns.1.push(stars);
        columns.2.push(at);
    }
    sqlx::query!(
        r#"insert into rates (user_id, blog_id, rating, created_at, updated_at)
        select user_id, $1, rating, at, at
        from unnest($2::bigint[], $3::smallint[], $4::timestamptz[]) as new (user_id, rating, at)"#,
        blog,
        &columns.0,
        &columns.1,
        &columns.2,
    )
    .execute(&mut **transaction)
    .await?;
    let [one, two, three, four, five] = counters;
    sqlx::query!(
        "update rating_totals set stars_1 = $2, stars_2 = $3, stars_3 = $4, stars_4 = $5, stars_5 = $6 where blog_id = $1",
        blog,
        one,
        two,
        three,
        four,
        five,
    )
    .execute(&mut **transaction)
    .await?;
    Ok(())
}

/// Adds a brigade to the demo post with the most ratings: one hour without refused ratings, and four hours with many.
pub async fn insert_brigade(connection: &mut PgConnection, now: DateTime<Utc>) -> sqlx::Result<()> {
    sqlx::query!(
        r#"insert into rating_history (blog_id, hour, refused, refused_1, refused_2, refused_5, rating_count, rating_sum,
            steady_rating)
        select most_rated.blog_id, start, attempts, one, two, five, before.rating_count, before.rating_sum,
            before.steady_rating
        from (select * from rating_totals where open_hour is null order by rating_count desc, blog_id limit 1) as most_rated,
            (values (4, 0, 0, 0, 0), (3, 412, 262, 24, 5), (2, 1893, 331, 37, 8), (1, 1240, 318, 29, 7), (0, 316, 192, 17, 4))
                as hours (ago, attempts, one, two, five)
            cross join lateral date_trunc('hour', $1::timestamptz - make_interval(hours => ago), 'UTC') as start
            cross join lateral (
                select * from rating_history
                where blog_id = most_rated.blog_id and hour <= start order by hour desc limit 1
            ) as before
        on conflict on constraint rating_history_pkey do update
            set refused = excluded.refused, refused_1 = excluded.refused_1, refused_2 = excluded.refused_2,
                refused_5 = excluded.refused_5"#,
        now,
    )
    .execute(&mut *connection)
    .await?;
    sqlx::query!(
        r#"insert into refused_ratings (blog_id, user_id, rating, at)
        select blog_id, reader.id, case when number <= one then 1 when number <= one + two then 2 else 5 end,
            least($1, date_trunc('hour', $1::timestamptz - make_interval(hours => ago), 'UTC') + make_interval(secs => number))
        from (select * from rating_totals where open_hour is null order by rating_count desc, blog_id limit 1) as most_rated,
            (values (3, 262, 24, 5), (2, 331, 37, 8), (1, 318, 29, 7), (0, 192, 17, 4)) as hours (ago, one, two, five),
            (select id, row_number() over (order by id desc) as number from users where not is_staff) as reader
        where number <= one + two + five"#,
        now,
    )
    .execute(&mut *connection)
    .await?;
    open_current_hour(connection, now).await
}

/// The score of each hour is the average until then, which is close to the score that the rating writer computes.
pub async fn fill_history(connection: &mut PgConnection) -> sqlx::Result<()> {
    sqlx::query!(
        r#"insert into rating_history as h (blog_id, hour, admitted, rating_count, rating_sum, steady_rating)
        select blog_id, hour, given, sum(given) over so_far, sum(stars) over so_far,
            sum(stars) over so_far / sum(given) over so_far
        from (
            select blog_id, date_trunc('hour', created_at, 'UTC') as hour, count(*) as given, sum(rating) as stars
            from rates join rating_totals using (blog_id) where open_hour is null group by 1, 2
        ) as by_hour
        window so_far as (partition by blog_id order by hour)
        on conflict on constraint rating_history_pkey do update
            set admitted = excluded.admitted, rating_count = excluded.rating_count, rating_sum = excluded.rating_sum,
                steady_rating = excluded.steady_rating"#,
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Moves the current hour of the history to the posts' rows in `rating_totals`, where the rating writer counts it.
async fn open_current_hour(connection: &mut PgConnection, now: DateTime<Utc>) -> sqlx::Result<()> {
    sqlx::query!(
        "with current as (
            delete from rating_history h using rating_totals t
            where h.blog_id = t.blog_id and t.open_hour is null and h.hour = date_trunc('hour', $1::timestamptz, 'UTC')
            returning h.*
        )
        update rating_totals t set open_hour = current.hour, open_admitted = current.admitted,
            open_refused = current.refused, open_refused_1 = current.refused_1, open_refused_2 = current.refused_2,
            open_refused_5 = current.refused_5
        from current where t.blog_id = current.blog_id",
        now,
    )
    .execute(connection)
    .await?;
    Ok(())
}
