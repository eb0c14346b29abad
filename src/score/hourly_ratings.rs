//! Hourly rating counts of a post: rows of the view `rating_hours`.

use chrono::{DateTime, Utc};
use serde::Deserialize;
use sqlx::PgConnection;

use evenkeel_limiters::HourTally;

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct HourlyRatings {
    pub hour: DateTime<Utc>,
    /// Number of new and changed ratings that the limiter admitted.
    pub admitted: i64,
    pub refused: i64,
    /// Number of `admitted` ratings that changed an existing rating.
    pub changed: i64,
    pub refused_changes: i64,
    /// Number of users whose new rating of 1 star was refused. Each user counts at most once an hour.
    pub refused_1: i64,
    pub refused_2: i64,
    pub refused_3: i64,
    pub refused_4: i64,
    pub refused_5: i64,
    /// Number of ratings, sum of stars, and score at the end of the hour.
    pub rating_count: i64,
    pub rating_sum: i64,
    pub steady_rating: Option<f64>,
}

impl HourlyRatings {
    /// Reads the latest hours with ratings, at most `limit`, in ascending order.
    pub async fn read_latest(connection: &mut PgConnection, post: i64, limit: i64) -> sqlx::Result<Vec<Self>> {
        let hours = sqlx::query_as!(
            Self,
            r#"select hour as "hour!", admitted as "admitted!", refused as "refused!", changed as "changed!",
                refused_changes as "refused_changes!", refused_1 as "refused_1!", refused_2 as "refused_2!",
                refused_3 as "refused_3!", refused_4 as "refused_4!", refused_5 as "refused_5!",
                rating_count as "rating_count!", rating_sum as "rating_sum!", steady_rating
            from (select * from rating_hours where blog_id = $1 order by hour desc limit $2) as latest order by hour"#,
            post,
            limit,
        );
        hours.fetch_all(connection).await
    }

    /// Number of users whose ratings were refused, and the sum of the stars of these ratings.
    pub async fn count_refused_before(
        connection: &mut PgConnection,
        post: i64,
        hour: DateTime<Utc>,
    ) -> sqlx::Result<(i64, i64)> {
        let refused = sqlx::query!(
            r#"select coalesce(sum(refused_1 + refused_2 + refused_3 + refused_4 + refused_5), 0)::bigint as "count!",
                coalesce(sum(refused_1 + 2 * refused_2 + 3 * refused_3 + 4 * refused_4 + 5 * refused_5), 0)::bigint
                    as "stars!"
            from rating_history where blog_id = $1 and hour < $2"#,
            post,
            hour,
        );
        let refused = refused.fetch_one(connection).await?;
        Ok((refused.count, refused.stars))
    }

    /// Stores ended hours with the current totals and score of the post, so it must precede ratings and decisions of
    /// moderators. The caller must hold the locks on the rows of the posts in `rating_totals`.
    pub async fn close_hours(connection: &mut PgConnection, posts: &[i64], now: DateTime<Utc>) -> sqlx::Result<()> {
        sqlx::query!(
            "with closed as (
                update rating_totals t set open_hour = date_trunc('hour', $2::timestamptz, 'UTC'), open_admitted = 0,
                    open_refused = 0, open_changed = 0, open_refused_changes = 0, open_refused_1 = 0,
                    open_refused_2 = 0, open_refused_3 = 0, open_refused_4 = 0, open_refused_5 = 0
                where blog_id = any($1) and open_hour < date_trunc('hour', $2::timestamptz, 'UTC')
                returning blog_id
            )
            insert into rating_history as h (blog_id, hour, admitted, refused, changed, refused_changes, refused_1,
                refused_2, refused_3, refused_4, refused_5, rating_count, rating_sum, steady_rating)
            select blog_id, open_hour, open_admitted, open_refused, open_changed, open_refused_changes, open_refused_1,
                open_refused_2, open_refused_3, open_refused_4, open_refused_5, rating_count, rating_sum, steady_rating
            -- These are the values before the update, because all parts of a statement read the same snapshot.
            from closed join rating_totals using (blog_id) where open_admitted + open_refused > 0
            -- The hour exists if an instance of the previous version wrote it.
            on conflict on constraint rating_history_pkey do update
                set admitted = h.admitted + excluded.admitted, refused = h.refused + excluded.refused,
                    changed = h.changed + excluded.changed,
                    refused_changes = h.refused_changes + excluded.refused_changes,
                    refused_1 = h.refused_1 + excluded.refused_1, refused_2 = h.refused_2 + excluded.refused_2,
                    refused_3 = h.refused_3 + excluded.refused_3, refused_4 = h.refused_4 + excluded.refused_4,
                    refused_5 = h.refused_5 + excluded.refused_5, rating_count = excluded.rating_count,
                    rating_sum = excluded.rating_sum, steady_rating = excluded.steady_rating",
            posts,
            now,
        )
        .execute(connection)
        .await?;
        Ok(())
    }

    #[cfg(test)]
    pub(crate) fn sample(hour: DateTime<Utc>, admitted: i64, refused_1: i64, count: i64, sum: i64) -> Self {
        let (refused, rating_count, rating_sum) = (refused_1, count, sum);
        Self { hour, admitted, refused, refused_1, rating_count, rating_sum, ..Self::default() }
    }

    /// Average rating at the end of the hour.
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
    pub fn average(&self) -> Option<f64> {
        (self.rating_count > 0).then(|| self.rating_sum as f64 / self.rating_count as f64)
    }

    /// Numbers of new ratings in the hour, without changed ratings.
    pub fn tally(&self) -> HourTally {
        let refused = [self.refused_1, self.refused_2, self.refused_3, self.refused_4, self.refused_5];
        HourTally {
            hour: hours_since_epoch(self.hour),
            admitted: self.admitted - self.changed,
            refused: refused.iter().sum(),
            refused_stars: (1..).zip(refused).map(|(stars, count)| stars * count).sum(),
        }
    }
}

pub fn hours_since_epoch(time: DateTime<Utc>) -> i64 {
    time.timestamp().div_euclid(3_600)
}
