//! The rows that a batch of ratings locks, reads and writes.

use std::collections::{BTreeSet, HashMap, HashSet};

use chrono::{DateTime, NaiveDate, Utc};
use serde_json::Value;
use sqlx::{Connection as _, PgConnection};

use super::batch::Writes;
use crate::blog_posts::PostId;
use crate::db::clock::Clock;
use crate::db::commit;
use crate::db::is_migrated;
use crate::rate::limiter::overrides::Version;
use crate::rate::models::{Pair, Rate, Stars};
use crate::score::periods::{StateColumns, date_of, number_of, steady_state};
use crate::web::request::visitor::UserId;
use evenkeel_limiters::{ScorePeriod, SteadyScore, SteadyScoreState, ZombiePauseState};

/// Whether the database has this program's migrations and ratings could be written: locks the tables that a batch of ratings
/// writes, as the batch would, and commits a row of about this many bytes that is deleted again.
pub async fn try_to_write(connection: &mut PgConnection, bytes: i32) -> sqlx::Result<bool> {
    if !is_migrated(connection).await? {
        return Ok(false);
    }
    let key = format!("{:016x}", rand::random::<u64>());
    let mut transaction = connection.begin().await?;
    sqlx::query!(
        "lock table rating_totals, rates, rating_history, score_periods, refused_ratings, zombie_pauses,
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

/// A post whose totals are locked.
pub struct LockedPost {
    pub author: UserId,
    /// States of the post's rating limiters by limiter name, and under `choice` the limiter choice they belong to.
    pub gates: Value,
    pub score: SteadyScoreState,
}

pub struct LockedPosts {
    pub posts: HashMap<PostId, LockedPost>,
    /// Of gates, when the statement began that locked them.
    pub choices: Version,
}

/// Locks the totals of these posts. What is written about a post's ratings is written under this lock.
pub async fn lock_posts(connection: &mut PgConnection, posts: &BTreeSet<PostId>) -> sqlx::Result<LockedPosts> {
    let rows = sqlx::query!(
        r#"select t.blog_id, p.author_id, t.gates, (select max(id) from gate_choices) as choices,
            t.steady_regular_weight, t.steady_regular_stars, t.steady_provisional_weight, t.steady_provisional_stars,
            t.steady_held_weight, t.steady_held_stars, t.steady_usual, t.steady_since, t.steady_ended_on, t.steady_reference, t.steady_known,
            t.steady_first_day, t.steady_last_day, t.steady_count, t.steady_stars
        from rating_totals t join blog_posts p on p.id = t.blog_id
        where t.blog_id = any($1) and p.status = 'published' order by t.blog_id for no key update of t"#,
        &ids(posts),
    );
    let mut locked = LockedPosts { posts: HashMap::new(), choices: None };
    for row in rows.fetch_all(connection).await? {
        locked.choices = row.choices;
        let (author, score) = (UserId(row.author_id), steady_state!(row));
        locked.posts.insert(PostId(row.blog_id), LockedPost { author, gates: row.gates, score });
    }
    Ok(locked)
}

/// What is known of the pairs of a batch.
pub struct Pairs {
    /// When this was read.
    pub now: DateTime<Utc>,
    /// The ratings that exist.
    pub rates: HashMap<Pair, Rate>,
    /// Days on which the scores count these ratings.
    pub counted_on: HashMap<Pair, i64>,
    /// Ended periods of the scores that have these days.
    pub periods: Vec<(PostId, ScorePeriod)>,
    /// What is remembered of failures.
    pub pauses: HashMap<Pair, ZombiePauseState>,
    /// The pairs with a rating that the post's limiter refused in the current clock hour.
    pub refused: HashSet<Pair>,
    /// Users whose rows other transactions have locked. Waiting for them would hold up the whole batch.
    pub locked_users: HashSet<UserId>,
    /// Users whose accounts were erased.
    pub erased_users: HashSet<UserId>,
}

/// Reads the clock, the ratings that exist, and what is remembered of failures. (`limit 1` has each pair looked up by its
/// index. A join may be planned as a scan of the table, and the plan is kept while the table grows.)
///
/// The rows of the users are locked as the foreign keys of their ratings will lock them, except for rows that other
/// transactions hold.
#[expect(clippy::too_many_lines, reason = "one statement")]
pub async fn read_pairs(connection: &mut PgConnection, wanted: &BTreeSet<Pair>, clock: &Clock) -> sqlx::Result<Pairs> {
    let (users, blogs) = Pair::columns(wanted);
    let rows = sqlx::query!(
        r#"with clock as materialized (select coalesce($3, clock_timestamp()) as now),
        locked as materialized (
            select id, erased_at from users where id = any($1) for key share skip locked
        )
        select exists (select from locked where id = pair.user_id) as "is_locked!",
            exists (select from locked where id = pair.user_id and erased_at is not null) as "is_erased!", pair.user_id as "user!", pair.blog_id as "blog!", r.id as "id?", r.rating as "rating?",
            r.created_at as "created_at?", r.updated_at as "updated_at?", r.counted_on,
            s.first_day as "first_day?", s.last_day as "last_day?", s.count as "count?", s.stars as "stars?",
            s.regular as "regular?", s.provisional as "provisional?", s.held as "held?", s.dropped as "dropped?",
            s.excluded as "excluded?",
            exists (
                select from refused_ratings
                where user_id = pair.user_id and blog_id = pair.blog_id and at >= date_trunc('hour', clock.now, 'UTC')
            ) as "was_refused!",
            z.user_id is not null as "has_failed!", z.tat_ns as "tat_ns?", z.paused_at as "paused_at?", z.unpaused_at,
            clock.now as "now!"
        from clock, unnest($1::bigint[], $2::bigint[]) as pair (user_id, blog_id)
            left join lateral (
                select * from rates where user_id = pair.user_id and blog_id = pair.blog_id limit 1
            ) as r on true
            left join lateral (
                select * from score_periods where blog_id = pair.blog_id and first_day <= r.counted_on
                order by first_day desc limit 1
            ) as s on s.last_day >= r.counted_on
            left join lateral (
                select * from zombie_pauses where user_id = pair.user_id and blog_id = pair.blog_id limit 1
            ) as z on true"#,
        &users,
        &blogs,
        clock.now(),
    );
    let rows = rows.fetch_all(connection).await?;
    let now = rows.first().ok_or(sqlx::Error::RowNotFound)?.now;
    let (rates, counted_on, periods, pauses, refused, locked_users, erased_users) = Default::default();
    let mut pairs = Pairs { now, rates, counted_on, periods, pauses, refused, locked_users, erased_users };
    for row in rows {
        let pair = Pair { user: UserId(row.user), post: PostId(row.blog) };
        let rating = row.rating.and_then(|rating| Stars::new(i64::from(rating)));
        if let (Some(id), Some(rating), Some(created_at), Some(updated_at)) =
            (row.id, rating, row.created_at, row.updated_at)
        {
            pairs.rates.insert(pair, Rate { id, user: pair.user, blog: pair.post, rating, created_at, updated_at });
        }
        pairs.counted_on.extend(row.counted_on.map(|day| (pair, number_of(day))));
        if let (Some(first_day), Some(last_day)) = (row.first_day, row.last_day) {
            let period = ScorePeriod {
                first_day: number_of(first_day),
                last_day: number_of(last_day),
                count: row.count.unwrap_or_default(),
                stars: row.stars.unwrap_or_default(),
                regular: row.regular.unwrap_or_default(),
                provisional: row.provisional.unwrap_or_default(),
                held: row.held.unwrap_or_default(),
                dropped: row.dropped.unwrap_or_default(),
                excluded: row.excluded.unwrap_or_default(),
            };
            pairs.periods.push((pair.post, period));
        }
        if !row.is_locked {
            pairs.locked_users.insert(pair.user);
        }
        if row.is_erased {
            pairs.erased_users.insert(pair.user);
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

/// Writes admitted and refused ratings, and the totals, scores, limiter states and hourly history of their posts. Returns
/// the admitted ratings. This is one statement, because each round trip prolongs the time that the posts are locked.
///
/// Limiter states that belong to an earlier limiter choice are replaced.
#[expect(clippy::too_many_lines, reason = "one statement")]
pub async fn write_ratings(
    connection: &mut PgConnection,
    writes: &Writes,
    now: DateTime<Utc>,
) -> sqlx::Result<HashMap<Pair, Rate>> {
    if writes.posts.is_empty() {
        return Ok(HashMap::new());
    }
    let (users, blogs) = Pair::columns(writes.ratings.keys());
    let ratings: Vec<i16> = writes.ratings.values().map(|(stars, _)| stars.get()).collect();
    let counted_on: Vec<NaiveDate> = writes.ratings.values().map(|(_, day)| date_of(*day)).collect();
    let (refused_users, refused_blogs) = Pair::columns(writes.refused.keys());
    let posts = ids(writes.posts.keys());
    let stars = |star: usize| writes.posts.values().map(|post| post.stars[star]).collect::<Vec<i64>>();
    let admitted: Vec<i64> = writes.posts.values().map(|post| post.admitted).collect();
    let refused: Vec<i64> = writes.posts.values().map(|post| post.refused).collect();
    let changed: Vec<i64> = writes.posts.values().map(|post| post.changed).collect();
    let refused_changes: Vec<i64> = writes.posts.values().map(|post| post.refused_changes).collect();
    let refused_stars = |star: usize| writes.posts.values().map(|post| post.refused_stars[star]).collect::<Vec<i64>>();
    let gates: Vec<Value> = writes.posts.values().map(|post| Value::Object(post.gate.clone())).collect();
    let score = StateColumns::new(&SteadyScore::default(), writes.posts.values().map(|post| &post.score));
    let rows = sqlx::query!(
        r#"with written as (
            update rating_totals t set
                stars_1 = t.stars_1 + by.s1, stars_2 = t.stars_2 + by.s2, stars_3 = t.stars_3 + by.s3,
                stars_4 = t.stars_4 + by.s4, stars_5 = t.stars_5 + by.s5,
                gates = case
                    when by.gate = '{}' then t.gates
                    when t.gates -> 'choice' is not distinct from by.gate -> 'choice' then t.gates || by.gate
                    else by.gate
                end,
                steady_regular_weight = by.regular_weight, steady_regular_stars = by.regular_stars,
                steady_provisional_weight = by.provisional_weight, steady_provisional_stars = by.provisional_stars,
                steady_held_weight = by.held_weight, steady_held_stars = by.held_stars, steady_usual = by.usual,
                steady_since = by.since, steady_reference = by.reference, steady_known = by.known,
                steady_first_day = by.first_day, steady_last_day = by.last_day, steady_count = by.count,
                steady_stars = by.stars, steady_rating = by.steady_rating, steady_weight = by.steady_weight,
                steady_ended_on = by.ended_on
            from unnest($5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[],
                    $11::bigint[], $12::bigint[], $13::jsonb[], $14::float8[], $15::float8[], $16::float8[],
                    $17::float8[], $18::float8[], $19::float8[], $20::float8[], $21::date[], $22::float8[],
                    $23::float8[], $24::date[], $25::date[], $26::bigint[], $27::bigint[], $28::float8[], $29::float8[],
                    $30::bigint[], $31::bigint[], $32::bigint[], $33::bigint[], $34::bigint[], $35::bigint[],
                    $36::bigint[], $41::date[])
                as by (blog_id, s1, s2, s3, s4, s5, admitted, refused, gate, regular_weight, regular_stars,
                    provisional_weight, provisional_stars, held_weight, held_stars, usual, since, reference, known,
                    first_day, last_day, count, stars, steady_rating, steady_weight, changed, refused_changes,
                    r1, r2, r3, r4, r5, ended_on)
            where t.blog_id = by.blog_id
            returning by.*, t.rating_count, t.rating_sum
        ), recorded as (
            insert into rating_history as h (blog_id, hour, admitted, refused, changed, refused_changes,
                refused_1, refused_2, refused_3, refused_4, refused_5, rating_count, rating_sum, steady_rating)
            select blog_id, date_trunc('hour', $4::timestamptz, 'UTC'), admitted, refused, changed, refused_changes,
                r1, r2, r3, r4, r5, rating_count, rating_sum, steady_rating
            from written where admitted + refused > 0
            on conflict on constraint rating_history_pkey do update
                set admitted = h.admitted + excluded.admitted, refused = h.refused + excluded.refused,
                    changed = h.changed + excluded.changed,
                    refused_changes = h.refused_changes + excluded.refused_changes,
                    refused_1 = h.refused_1 + excluded.refused_1, refused_2 = h.refused_2 + excluded.refused_2,
                    refused_3 = h.refused_3 + excluded.refused_3, refused_4 = h.refused_4 + excluded.refused_4,
                    refused_5 = h.refused_5 + excluded.refused_5, steady_rating = excluded.steady_rating,
                    rating_count = excluded.rating_count, rating_sum = excluded.rating_sum
        ), kept as (
            insert into refused_ratings (user_id, blog_id, rating, at)
            select user_id, blog_id, rating, $4
            from unnest($38::bigint[], $39::bigint[], $40::smallint[]) as refused (user_id, blog_id, rating)
        )
        insert into rates (user_id, blog_id, rating, created_at, updated_at, counted_on)
        select new.user_id, new.blog_id, new.rating, $4, $4, new.counted_on
        from unnest($1::bigint[], $2::bigint[], $3::smallint[], $37::date[])
            as new (user_id, blog_id, rating, counted_on)
        on conflict on constraint unique_user_blog_rating
            do update set rating = excluded.rating, updated_at = excluded.updated_at, counted_on = excluded.counted_on
        returning id, user_id, blog_id, created_at, updated_at"#,
        &users,
        &blogs,
        &ratings,
        now,
        &posts,
        &stars(0),
        &stars(1),
        &stars(2),
        &stars(3),
        &stars(4),
        &admitted,
        &refused,
        &gates,
        &score.regular_weight,
        &score.regular_stars,
        &score.provisional_weight,
        &score.provisional_stars,
        &score.held_weight,
        &score.held_stars,
        &score.usual,
        &score.since as &[Option<NaiveDate>],
        &score.reference,
        &score.known,
        &score.first_day as &[Option<NaiveDate>],
        &score.last_day as &[Option<NaiveDate>],
        &score.count,
        &score.stars,
        &score.rating as &[Option<f64>],
        &score.weight,
        &changed,
        &refused_changes,
        &refused_stars(0),
        &refused_stars(1),
        &refused_stars(2),
        &refused_stars(3),
        &refused_stars(4),
        &counted_on,
        &refused_users,
        &refused_blogs,
        &writes.refused.values().map(|stars| stars.get()).collect::<Vec<i16>>(),
        &score.ended_on as &[Option<NaiveDate>],
    );
    let written = rows.fetch_all(connection).await?.into_iter().filter_map(|row| {
        let pair = Pair { user: UserId(row.user_id), post: PostId(row.blog_id) };
        let (rating, created_at, updated_at) = (writes.ratings.get(&pair)?.0, row.created_at, row.updated_at);
        Some((pair, Rate { id: row.id, user: pair.user, blog: pair.post, rating, created_at, updated_at }))
    });
    Ok(written.collect())
}

pub async fn write_pauses(connection: &mut PgConnection, writes: &Writes) -> sqlx::Result<()> {
    if writes.pauses.is_empty() {
        return Ok(());
    }
    let (users, blogs) = Pair::columns(writes.pauses.keys());
    let tats: Vec<Option<i64>> = writes.pauses.values().map(|state| state.tat_ns).collect();
    let times = |time: fn(&ZombiePauseState) -> Option<i64>| -> Vec<Option<DateTime<Utc>>> {
        writes.pauses.values().map(|state| time(state).and_then(DateTime::from_timestamp_millis)).collect()
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
    .execute(connection)
    .await?;
    for (pair, _) in writes.pauses.iter().filter(|(_, state)| state.is_paused()) {
        tracing::info!(user_id = pair.user.0, post_id = pair.post.0, "paused");
    }
    Ok(())
}

fn ids<'a>(posts: impl IntoIterator<Item = &'a PostId>) -> Vec<i64> {
    posts.into_iter().map(|post| post.0).collect()
}
