//! SQL statements of the transaction: lock posts, read the rows of a batch, write its changes.

use std::collections::{BTreeSet, HashMap};

use chrono::{DateTime, NaiveDate, Utc};
use sqlx::PgConnection;

use super::batch::{BatchChanges, BatchRows, ExistingRating, TotalsChange};
use crate::blog_posts::PostId;
use crate::custom_limits::warnings;
use crate::db::clock::Clock;
use crate::rate::limiter::overrides::OverrideVersion;
use crate::rate::models::{Rating, RatingKey, Stars};
use crate::score::rating_days::{SteadyStateValue, date_from_epoch_days, days_since_epoch};
use crate::web::request::current_user::UserId;
use evenkeel_limiters::{SteadyScore, SteadyScoreState, ZombiePauseState};

#[derive(sqlx::FromRow)]
pub struct LockedPost {
    blog_id: PostId,
    pub author_id: UserId,
    pub accepts_ratings: bool,
    pub first_published_at: DateTime<Utc>,
    /// Hour whose counts are stored in `rating_totals`; `None` before the first rating.
    pub open_hour: Option<DateTime<Utc>>,
    #[sqlx(rename = "choices")]
    pub override_version: OverrideVersion,
    steady: Option<SteadyStateValue>,
}

impl LockedPost {
    pub fn score(&self) -> SteadyScoreState {
        self.steady.clone().map(SteadyScoreState::from).unwrap_or_default()
    }
}

/// Locks published posts. A transaction that writes ratings of a post must hold the lock.
pub async fn lock_posts(
    connection: &mut PgConnection,
    posts: &BTreeSet<PostId>,
) -> sqlx::Result<HashMap<PostId, LockedPost>> {
    let rows = sqlx::query_as::<_, LockedPost>(
        "select t.blog_id, p.author_id, p.accepts_ratings, coalesce(p.first_published_at, p.published_at, p.created_at) as first_published_at, t.open_hour, (select max(id) from limiter_overrides) as choices,
            t.steady
        from rating_totals t join blog_posts p on p.id = t.blog_id
        where t.blog_id = any($1) and p.status = 'published' order by t.blog_id for no key update of t",
    );
    let rows = rows.bind(posts.iter().map(|post| post.0).collect::<Vec<_>>()).fetch_all(connection).await?;
    Ok(rows.into_iter().map(|post| (post.blog_id, post)).collect())
}

/// Reads the existing ratings and other rows of a batch. Takes the row locks on users that foreign keys of ratings
/// need, and skips rows locked by other transactions.
///
/// `limit 1` forces an index lookup for each pair: a join could use a sequential scan, and a cached plan is kept.
#[expect(clippy::too_many_lines, reason = "one statement")]
pub async fn read_batch_rows(
    connection: &mut PgConnection,
    requested_pairs: &BTreeSet<RatingKey>,
    clock: &Clock,
    has_edit_limit: bool,
) -> sqlx::Result<(BatchRows, HashMap<RatingKey, Rating>)> {
    let (users, blogs) = RatingKey::unzip_ids(requested_pairs);
    let rows = sqlx::query!(
        r#"with clock as materialized (select coalesce($3, clock_timestamp()) as now),
        locked as materialized (
            select id, erased_at from users where id = any($1) for key share skip locked
        )
        select exists (select from locked where id = pair.user_id) as "lock_taken!",
            exists (select from locked where id = pair.user_id and erased_at is not null) as "is_erased!", pair.user_id as "user!", pair.blog_id as "blog!", r.id as "id?", r.rating as "rating?",
            r.created_at as "created_at?", r.updated_at as "updated_at?", r.counted_on,
            exists (
                select from refused_ratings
                where user_id = pair.user_id and blog_id = pair.blog_id and at >= date_trunc('hour', clock.now, 'UTC')
            ) as "was_refused!",
            -- The limit on changes keeps its state, with the key of `edit_key`, at least for `CHANGE_MEMORY`.
            $4 and r.id is null and exists (
                select from limiter_states
                where limiter = 'leaky_bucket' and key = 'edit:' || pair.user_id || ':' || pair.blog_id
            ) as "was_withdrawn!",
            z.user_id is not null as "has_failed!", z.tat_ns as "tat_ns?", z.paused_at as "paused_at?", z.unpaused_at,
            clock.now as "now!"
        from clock, unnest($1::bigint[], $2::bigint[]) as pair (user_id, blog_id)
            left join lateral (
                select * from rates where user_id = pair.user_id and blog_id = pair.blog_id limit 1
            ) as r on true
            left join lateral (
                select * from zombie_pauses where user_id = pair.user_id and blog_id = pair.blog_id limit 1
            ) as z on true"#,
        &users,
        &blogs,
        clock.now(),
        has_edit_limit,
    );
    let rows = rows.fetch_all(connection).await?;
    let now = rows.first().ok_or(sqlx::Error::RowNotFound)?.now;
    let (mut batch, mut rates) = (BatchRows { now, ..BatchRows::default() }, HashMap::new());
    for row in rows {
        let pair = RatingKey { user: UserId(row.user), post: PostId(row.blog) };
        let rating = row.rating.and_then(|rating| Stars::new(i64::from(rating)));
        if let (Some(id), Some(rating), Some(created_at), Some(updated_at)) =
            (row.id, rating, row.created_at, row.updated_at)
        {
            let counted_on = row.counted_on.map(days_since_epoch);
            batch.ratings.insert(pair, ExistingRating { stars: rating, counted_on });
            rates.insert(pair, Rating { id, user: pair.user, blog: pair.post, rating, created_at, updated_at });
        }
        if !row.lock_taken {
            batch.locked_users.insert(pair.user);
        }
        if row.is_erased {
            batch.erased_users.insert(pair.user);
        }
        if row.was_withdrawn {
            batch.withdrawn.insert(pair);
        }
        if row.was_refused {
            batch.refused.insert(pair);
        }
        if row.has_failed {
            let [paused_at_ms, unpaused_at_ms] =
                [row.paused_at, row.unpaused_at].map(|time| time.map(|time| time.timestamp_millis()));
            batch.pauses.insert(pair, ZombiePauseState { tat_ns: row.tat_ns, paused_at_ms, unpaused_at_ms });
        }
    }
    Ok((batch, rates))
}

/// The statistics of past hours must have been stored before the call. Uses a single statement, because each round trip
/// would prolong the row locks on the posts.
#[expect(clippy::too_many_lines, reason = "one statement")]
pub async fn write_ratings(
    connection: &mut PgConnection,
    changes: &BatchChanges,
    now: DateTime<Utc>,
) -> sqlx::Result<HashMap<RatingKey, Rating>> {
    if changes.posts.is_empty() {
        return Ok(HashMap::new());
    }
    delete_withdrawn(connection, changes).await?;
    let (refused_users, refused_blogs) = RatingKey::unzip_ids(changes.refused.keys());
    let refused_ratings: Vec<i16> = changes.refused.values().map(|stars| stars.get()).collect();
    let totals: Vec<_> = changes.posts.iter().map(|(post, change)| TotalsChangeRow::new(*post, change)).collect();
    let ratings = changes.ratings.iter().map(|(RatingKey { user, post }, (stars, day))| NewRatingRow {
        user_id: user.0,
        blog_id: post.0,
        rating: stars.get(),
        counted_on: date_from_epoch_days(*day),
    });
    let ratings: Vec<_> = ratings.collect();
    let rows = sqlx::query!(
        r#"with totals as (
            update rating_totals t set
                stars_1 = t.stars_1 + post.stars[1], stars_2 = t.stars_2 + post.stars[2],
                stars_3 = t.stars_3 + post.stars[3], stars_4 = t.stars_4 + post.stars[4],
                stars_5 = t.stars_5 + post.stars[5],
                steady = post.steady, steady_rating = post.steady_rating, steady_weight = post.steady_weight,
                open_hour = greatest(t.open_hour, date_trunc('hour', $1::timestamptz, 'UTC')),
                open_admitted = t.open_admitted + post.admitted, open_refused = t.open_refused + post.refused,
                open_changed = t.open_changed + post.changed,
                open_refused_changes = t.open_refused_changes + post.refused_changes,
                open_refused_1 = t.open_refused_1 + post.refused_stars[1],
                open_refused_2 = t.open_refused_2 + post.refused_stars[2],
                open_refused_3 = t.open_refused_3 + post.refused_stars[3],
                open_refused_4 = t.open_refused_4 + post.refused_stars[4],
                open_refused_5 = t.open_refused_5 + post.refused_stars[5]
            from unnest($2::totals_change[]) as post where t.blog_id = post.blog_id
        ), refusals as (
            insert into refused_ratings (user_id, blog_id, rating, at)
            select user_id, blog_id, rating, $1
            from unnest($3::bigint[], $4::bigint[], $5::smallint[]) as refused (user_id, blog_id, rating)
        )
        insert into rates (user_id, blog_id, rating, created_at, updated_at, counted_on)
        select user_id, blog_id, rating, $1, $1, counted_on from unnest($6::new_rating[])
        on conflict on constraint unique_user_blog_rating
            do update set rating = excluded.rating, updated_at = excluded.updated_at, counted_on = excluded.counted_on
        returning id, user_id, blog_id, created_at, updated_at"#,
        now,
        &totals as _,
        &refused_users,
        &refused_blogs,
        &refused_ratings,
        &ratings as _,
    );
    let written = rows.fetch_all(connection).await?.into_iter().filter_map(|row| {
        let pair = RatingKey { user: UserId(row.user_id), post: PostId(row.blog_id) };
        let (rating, created_at, updated_at) = (changes.ratings.get(&pair)?.0, row.created_at, row.updated_at);
        Some((pair, Rating { id: row.id, user: pair.user, blog: pair.post, rating, created_at, updated_at }))
    });
    Ok(written.collect())
}

#[derive(Debug, sqlx::Type)]
#[sqlx(type_name = "totals_change")]
struct TotalsChangeRow {
    blog_id: i64,
    stars: Vec<i64>,
    admitted: i64,
    refused: i64,
    changed: i64,
    refused_changes: i64,
    refused_stars: Vec<i64>,
    steady_rating: Option<f64>,
    steady_weight: f64,
    steady: SteadyStateValue,
}

impl TotalsChangeRow {
    fn new(PostId(blog_id): PostId, change: &TotalsChange) -> Self {
        let shown = SteadyScore::default().score(&change.score);
        Self {
            blog_id,
            stars: change.stars.into(),
            admitted: change.admitted,
            refused: change.refused,
            changed: change.changed,
            refused_changes: change.refused_changes,
            refused_stars: change.refused_stars.into(),
            steady_rating: shown.score,
            steady_weight: shown.weight,
            steady: SteadyStateValue::from(&change.score),
        }
    }
}

#[derive(Debug, sqlx::Type)]
#[sqlx(type_name = "new_rating")]
struct NewRatingRow {
    user_id: i64,
    blog_id: i64,
    rating: i16,
    counted_on: NaiveDate,
}

async fn delete_withdrawn(connection: &mut PgConnection, changes: &BatchChanges) -> sqlx::Result<()> {
    if changes.withdrawn.is_empty() {
        return Ok(());
    }
    let (users, blogs) = RatingKey::unzip_ids(&changes.withdrawn);
    sqlx::query!(
        "delete from rates using unnest($1::bigint[], $2::bigint[]) as withdrawn (user_id, blog_id)
        where rates.user_id = withdrawn.user_id and rates.blog_id = withdrawn.blog_id",
        &users,
        &blogs,
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Writes pauses, and raises the warning level of each user with a new pause.
pub async fn write_pauses(
    connection: &mut PgConnection,
    changes: &BatchChanges,
    now: DateTime<Utc>,
) -> sqlx::Result<()> {
    if changes.pauses.is_empty() {
        return Ok(());
    }
    let (users, blogs) = RatingKey::unzip_ids(changes.pauses.keys());
    let tats: Vec<Option<i64>> = changes.pauses.values().map(|state| state.tat_ns).collect();
    let times = |time: fn(&ZombiePauseState) -> Option<i64>| -> Vec<Option<DateTime<Utc>>> {
        changes.pauses.values().map(|state| time(state).and_then(DateTime::from_timestamp_millis)).collect()
    };
    sqlx::query!(
        r#"insert into zombie_pauses (user_id, blog_id, tat_ns, paused_at, unpaused_at)
        select * from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::timestamptz[], $5::timestamptz[])
        on conflict on constraint zombie_pauses_pkey do update
            set tat_ns = excluded.tat_ns, paused_at = excluded.paused_at, unpaused_at = excluded.unpaused_at"#,
        &users,
        &blogs,
        &tats as &[Option<i64>],
        &times(|state| state.paused_at_ms) as &[Option<DateTime<Utc>>],
        &times(|state| state.unpaused_at_ms) as &[Option<DateTime<Utc>>],
    )
    .execute(&mut *connection)
    .await?;
    let paused = changes.pauses.iter().filter(|(_, state)| state.is_paused());
    let users: BTreeSet<UserId> = paused
        .map(|(pair, _)| {
            tracing::info!(user_id = pair.user.0, post_id = pair.post.0, "ratings paused for user");
            pair.user
        })
        .collect();
    if users.is_empty() {
        return Ok(());
    }
    let users: Vec<UserId> = users.into_iter().collect();
    warnings::add_points(connection, now, &users, warnings::RATINGS_PAUSED).await
}
