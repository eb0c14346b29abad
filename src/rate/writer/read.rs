//! Queries that lock and read the rows of a batch of ratings.

use std::collections::{BTreeSet, HashMap, HashSet};

use chrono::{DateTime, Utc};
use sqlx::{Connection as _, PgConnection};

use crate::blog_posts::PostId;
use crate::db::clock::Clock;
use crate::db::{commit, has_required_migrations};
use crate::rate::limiter::overrides::OverrideVersion;
use crate::rate::models::{Rating, RatingKey, Stars};
use crate::score::rating_days::{SteadyStateValue, days_since_epoch};
use crate::web::request::current_user::UserId;
use evenkeel_limiters::{SteadyScoreState, ZombiePauseState};

/// Takes the table locks of a batch, inserts and deletes a row of about `bytes` bytes, and commits. Returns `false` if
/// a migration of this program is not applied.
pub async fn probe_write(connection: &mut PgConnection, bytes: i32) -> sqlx::Result<bool> {
    if !has_required_migrations(connection).await? {
        return Ok(false);
    }
    let key = format!("{:016x}", rand::random::<u64>());
    let mut transaction = connection.begin().await?;
    sqlx::query!(
        "lock table rating_totals, rates, rating_history, score_days, refused_ratings, zombie_pauses,
            limiter_states in row exclusive mode"
    )
    .execute(&mut *transaction)
    .await?;
    sqlx::query!(
        "insert into limiter_states (limiter, key, state, updated_at, expires_at)
        select 'probe', $1, to_jsonb(string_agg(md5(random()::text), '')), 'epoch', 'epoch'
        from generate_series(1, $2::int / 32)",
        key,
        bytes,
    )
    .execute(&mut *transaction)
    .await?;
    sqlx::query!("delete from limiter_states where limiter = 'probe' and key = $1", key)
        .execute(&mut *transaction)
        .await?;
    commit(transaction).await?;
    Ok(true)
}

pub struct LockedPost {
    pub author: UserId,
    pub first_published_at: DateTime<Utc>,
    pub score: SteadyScoreState,
    /// `None` before the first rating.
    pub open_hour: Option<DateTime<Utc>>,
}

pub struct LockedPosts {
    pub posts: HashMap<PostId, LockedPost>,
    pub override_version: OverrideVersion,
}

#[derive(sqlx::FromRow)]
struct LockedRow {
    blog_id: PostId,
    author_id: UserId,
    first_published_at: DateTime<Utc>,
    open_hour: Option<DateTime<Utc>>,
    choices: OverrideVersion,
    steady: Option<SteadyStateValue>,
}

/// A transaction that writes ratings of a post must hold this lock.
pub async fn lock_posts(connection: &mut PgConnection, posts: &BTreeSet<PostId>) -> sqlx::Result<LockedPosts> {
    let rows = sqlx::query_as::<_, LockedRow>(
        "select t.blog_id, p.author_id, coalesce(p.first_published_at, p.published_at, p.created_at) as first_published_at, t.open_hour, (select max(id) from limiter_overrides) as choices,
            t.steady
        from rating_totals t join blog_posts p on p.id = t.blog_id
        where t.blog_id = any($1) and p.status = 'published' order by t.blog_id for no key update of t",
    );
    let mut locked = LockedPosts { posts: HashMap::new(), override_version: None };
    for row in rows.bind(posts.iter().map(|post| post.0).collect::<Vec<_>>()).fetch_all(connection).await? {
        locked.override_version = row.choices;
        let (author, score) = (row.author_id, row.steady.map(SteadyScoreState::from).unwrap_or_default());
        let LockedRow { first_published_at, open_hour, .. } = row;
        locked.posts.insert(row.blog_id, LockedPost { author, first_published_at, score, open_hour });
    }
    Ok(locked)
}

pub struct BatchRows {
    /// Time of the database server.
    pub now: DateTime<Utc>,
    pub rates: HashMap<RatingKey, Rating>,
    /// In days since 1970-01-01.
    pub counted_on: HashMap<RatingKey, i64>,
    pub pauses: HashMap<RatingKey, ZombiePauseState>,
    /// Refused by the post's limiter in the current clock hour.
    pub refused: HashSet<RatingKey>,
    /// Without a rating, but withdrawn within `CHANGE_MEMORY`.
    pub withdrawn: HashSet<RatingKey>,
    /// Locked by other transactions. Waiting for these locks would delay the whole batch.
    pub locked_users: HashSet<UserId>,
    pub erased_users: HashSet<UserId>,
}

/// `limit 1` forces an index lookup for each pair: the plan of a join could be a sequential scan, and a cached plan is
/// kept while the table grows.
///
/// Takes the row locks on users that foreign keys of ratings need, and skips rows locked by other transactions.
#[expect(clippy::too_many_lines, reason = "one statement")]
pub async fn read_batch_rows(
    connection: &mut PgConnection,
    requested_pairs: &BTreeSet<RatingKey>,
    clock: &Clock,
    has_edit_limit: bool,
) -> sqlx::Result<BatchRows> {
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
    let (rates, counted_on, pauses, refused, withdrawn, locked_users, erased_users) = Default::default();
    let mut pairs = BatchRows { now, rates, counted_on, pauses, refused, withdrawn, locked_users, erased_users };
    for row in rows {
        let pair = RatingKey { user: UserId(row.user), post: PostId(row.blog) };
        let rating = row.rating.and_then(|rating| Stars::new(i64::from(rating)));
        if let (Some(id), Some(rating), Some(created_at), Some(updated_at)) =
            (row.id, rating, row.created_at, row.updated_at)
        {
            pairs.rates.insert(pair, Rating { id, user: pair.user, blog: pair.post, rating, created_at, updated_at });
        }
        pairs.counted_on.extend(row.counted_on.map(|day| (pair, days_since_epoch(day))));
        if !row.lock_taken {
            pairs.locked_users.insert(pair.user);
        }
        if row.is_erased {
            pairs.erased_users.insert(pair.user);
        }
        if row.was_withdrawn {
            pairs.withdrawn.insert(pair);
        }
        if row.was_refused {
            pairs.refused.insert(pair);
        }
        if row.has_failed {
            let [paused_at_ms, unpaused_at_ms] =
                [row.paused_at, row.unpaused_at].map(|time| time.map(|time| time.timestamp_millis()));
            pairs.pauses.insert(pair, ZombiePauseState { tat_ns: row.tat_ns, paused_at_ms, unpaused_at_ms });
        }
    }
    Ok(pairs)
}
