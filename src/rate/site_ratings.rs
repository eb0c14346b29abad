//! Reads the ratings of this site from its database for a replay: counted ratings, and recent refused ratings.

use std::collections::HashMap;

use chrono::{DateTime, TimeDelta, Utc};
use sqlx::PgConnection;

use crate::score::rating_days::days_since_epoch;
use evenkeel_limiters::replay::{PastRating, mark_brigades};

const POSTS_PER_QUERY: usize = 50;

/// Time before the replayed period. Its ratings update limiters and scores, but are not included in the results.
const WARM_UP: TimeDelta = TimeDelta::days(90);

#[derive(Debug)]
pub struct PostRatings {
    pub id: i64,
    /// Ratings in chronological order. A changed rating appears once, at the time when it was first given; a refused
    /// rating appears once for each hour in which it was refused, until its row is deleted.
    pub entries: Vec<PastRating>,
    /// Days since 1970-01-01 that moderators excluded from the score.
    pub excluded_days: Vec<i64>,
}

#[derive(Debug)]
pub struct SiteRatingReader {
    posts: Vec<i64>,
    read: usize,
    from: Option<DateTime<Utc>>,
    /// Maximum number of ratings of a post; older ratings are ignored.
    most_of_post: i64,
}

impl SiteRatingReader {
    /// `only` selects one post. `since` selects later ratings, and ratings in the warm-up time before `since`.
    pub async fn select(
        connection: &mut PgConnection,
        only: Option<i64>,
        since: Option<DateTime<Utc>>,
        most_of_post: i64,
    ) -> sqlx::Result<Self> {
        let posts = sqlx::query_scalar!(
            r#"select blog_id as "blog_id!" from rating_totals
                where (blog_id = $1 or $1 is null) and rating_count > 0
                    and ($2::timestamptz is null or (steady).last_day >= ($2 at time zone 'UTC')::date
                        -- Excluded days are not in the state of the score.
                        or exists (
                            select from score_days d where d.blog_id = rating_totals.blog_id
                                and d.day >= ($2 at time zone 'UTC')::date
                        ))
            union
            select blog_id from refused_ratings where (blog_id = $1 or $1 is null) and ($2 is null or at >= $2)
            order by 1 desc"#,
            only,
            since,
        );
        let posts = posts.fetch_all(connection).await?;
        let from = since.and_then(|since| since.checked_sub_signed(WARM_UP));
        Ok(Self { posts, read: 0, from, most_of_post })
    }

    pub fn post_count(&self) -> usize {
        self.posts.len()
    }

    pub fn posts_read(&self) -> usize {
        self.read
    }

    /// Reads the next chunk of posts, the newest posts first; empty after the last chunk. Chunks limit the used memory.
    #[expect(clippy::too_many_lines, reason = "one statement, and its rows")]
    pub async fn next_chunk(&mut self, connection: &mut PgConnection) -> sqlx::Result<Vec<PostRatings>> {
        let ids = &self.posts[self.read..self.posts.len().min(self.read + POSTS_PER_QUERY)];
        let mut excluded = excluded_days(connection, ids).await?;
        let rows = sqlx::query!(
            r#"select post.id as "id!", a.user_id as "user_id!", a.rating as "rating!", a.at as "at!",
                a.refused as "refused!"
            from unnest($1::bigint[]) with ordinality as post (id, number) cross join lateral (
                select * from (
                    select user_id, rating, created_at as at, false as refused
                    from rates where blog_id = post.id
                    union all
                    select user_id, rating, at, true from refused_ratings where blog_id = post.id
                ) as arrived
                where at >= $2 or $2 is null order by at desc limit $3
            ) as a
            order by post.number, a.at, a.refused desc"#,
            ids,
            self.from,
            self.most_of_post,
        );
        let mut posts: Vec<(PostRatings, Vec<bool>)> = Vec::new();
        let mut users: HashMap<i64, u32> = HashMap::new();
        for row in rows.fetch_all(connection).await? {
            if posts.last().is_none_or(|(post, _)| post.id != row.id) {
                users.clear();
                let excluded_days = excluded.remove(&row.id).unwrap_or_default();
                posts.push((PostRatings { id: row.id, entries: Vec::new(), excluded_days }, Vec::new()));
            }
            let Some((post, refused)) = posts.last_mut() else { continue };
            let next = u32::try_from(users.len()).unwrap_or(u32::MAX);
            post.entries.push(PastRating {
                time_ms: row.at.timestamp_millis(),
                rating: u8::try_from(row.rating).unwrap_or(0),
                brigade: false,
                user: Some(*users.entry(row.user_id).or_insert(next)),
            });
            refused.push(row.refused);
        }
        self.read += ids.len();
        let marked = posts.into_iter().map(|(mut post, refused)| {
            mark_brigades(&mut post.entries, &refused, &post.excluded_days);
            post
        });
        Ok(marked.collect())
    }
}

async fn excluded_days(connection: &mut PgConnection, posts: &[i64]) -> sqlx::Result<HashMap<i64, Vec<i64>>> {
    let mut excluded: HashMap<i64, Vec<i64>> = HashMap::new();
    let rows = sqlx::query!(
        "select blog_id, day from score_days where moderation_id is not null and blog_id = any($1)",
        posts
    );
    for row in rows.fetch_all(connection).await? {
        excluded.entry(row.blog_id).or_default().push(days_since_epoch(row.day));
    }
    Ok(excluded)
}
