//! Statements that write the changes of a batch.

use std::collections::{BTreeSet, HashMap};

use chrono::{DateTime, NaiveDate, Utc};
use serde_json::Value;
use sqlx::PgConnection;

use super::batch::{BatchChanges, TotalsChange};
use crate::blog_posts::PostId;
use crate::limit_overrides::warnings;
use crate::rate::models::{Rating, RatingKey};
use crate::score::periods::{ScoreStateColumns, date_from_epoch_days};
use crate::web::request::current_user::UserId;
use evenkeel_limiters::{SteadyScore, ZombiePauseState};

/// Writes admitted and refused ratings, and the totals, scores, limiter states and counts of the open hour of their
/// posts. The caller has closed hours that are over. Returns the admitted ratings. Uses a single statement, because each
/// round trip would prolong the row locks on the posts.
///
/// Limiter states of an earlier limiter override are replaced.
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
    let (users, blogs) = RatingKey::unzip_ids(changes.ratings.keys());
    let ratings: Vec<i16> = changes.ratings.values().map(|(stars, _)| stars.get()).collect();
    let counted_on: Vec<NaiveDate> = changes.ratings.values().map(|(_, day)| date_from_epoch_days(*day)).collect();
    let (refused_users, refused_blogs) = RatingKey::unzip_ids(changes.refused.keys());
    let refused_ratings: Vec<i16> = changes.refused.values().map(|stars| stars.get()).collect();
    let posts: Vec<i64> = changes.posts.keys().map(|PostId(id)| *id).collect();
    let column = |of: fn(&TotalsChange) -> i64| changes.posts.values().map(of).collect::<Vec<i64>>();
    let stars = |star: usize| changes.posts.values().map(|post| post.stars[star]).collect::<Vec<i64>>();
    let refused_stars = |star: usize| changes.posts.values().map(|post| post.refused_stars[star]).collect::<Vec<i64>>();
    let gates: Vec<Value> = changes.posts.values().map(|post| Value::Object(post.limiter_state.clone())).collect();
    let score = ScoreStateColumns::new(&SteadyScore::default(), changes.posts.values().map(|post| &post.score));
    let rows = sqlx::query!(
        r#"with post as (
            select * from unnest(
                $2::bigint[], $3::jsonb[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[],
                $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[], $13::bigint[], $14::bigint[], $15::bigint[],
                $16::bigint[], $17::bigint[], $18::float8[], $19::float8[], $20::float8[], $21::float8[], $22::float8[],
                $23::float8[], $24::float8[], $25::date[], $26::date[], $27::float8[], $28::float8[], $29::date[],
                $30::date[], $31::bigint[], $32::bigint[], $33::float8[], $34::float8[]
            ) as post (
                blog_id, gate, stars_1, stars_2, stars_3, stars_4, stars_5, admitted, refused, changed, refused_changes,
                refused_1, refused_2, refused_3, refused_4, refused_5, regular_weight, regular_stars,
                provisional_weight, provisional_stars, held_weight, held_stars, usual, since, ended_on, reference,
                known, first_day, last_day, count, stars, steady_rating, steady_weight
            )
        ), totals as (
            update rating_totals t set
                stars_1 = t.stars_1 + post.stars_1, stars_2 = t.stars_2 + post.stars_2,
                stars_3 = t.stars_3 + post.stars_3, stars_4 = t.stars_4 + post.stars_4,
                stars_5 = t.stars_5 + post.stars_5,
                gates = case
                    when post.gate = '{}' then t.gates
                    when t.gates -> 'choice' is not distinct from post.gate -> 'choice' then t.gates || post.gate
                    else post.gate
                end,
                steady_regular_weight = post.regular_weight, steady_regular_stars = post.regular_stars,
                steady_provisional_weight = post.provisional_weight, steady_provisional_stars = post.provisional_stars,
                steady_held_weight = post.held_weight, steady_held_stars = post.held_stars, steady_usual = post.usual,
                steady_since = post.since, steady_ended_on = post.ended_on, steady_reference = post.reference,
                steady_known = post.known, steady_first_day = post.first_day, steady_last_day = post.last_day,
                steady_count = post.count, steady_stars = post.stars, steady_rating = post.steady_rating,
                steady_weight = post.steady_weight,
                open_hour = greatest(t.open_hour, date_trunc('hour', $1::timestamptz, 'UTC')),
                open_admitted = t.open_admitted + post.admitted, open_refused = t.open_refused + post.refused,
                open_changed = t.open_changed + post.changed,
                open_refused_changes = t.open_refused_changes + post.refused_changes,
                open_refused_1 = t.open_refused_1 + post.refused_1,
                open_refused_2 = t.open_refused_2 + post.refused_2,
                open_refused_3 = t.open_refused_3 + post.refused_3,
                open_refused_4 = t.open_refused_4 + post.refused_4,
                open_refused_5 = t.open_refused_5 + post.refused_5
            from post where t.blog_id = post.blog_id
        ), refusals as (
            insert into refused_ratings (user_id, blog_id, rating, at)
            select user_id, blog_id, rating, $1
            from unnest($35::bigint[], $36::bigint[], $37::smallint[]) as refused (user_id, blog_id, rating)
        )
        insert into rates (user_id, blog_id, rating, created_at, updated_at, counted_on)
        select new.user_id, new.blog_id, new.rating, $1, $1, new.counted_on
        from unnest($38::bigint[], $39::bigint[], $40::smallint[], $41::date[])
            as new (user_id, blog_id, rating, counted_on)
        on conflict on constraint unique_user_blog_rating
            do update set rating = excluded.rating, updated_at = excluded.updated_at, counted_on = excluded.counted_on
        returning id, user_id, blog_id, created_at, updated_at"#,
        now,
        &posts,
        &gates,
        &stars(0),
        &stars(1),
        &stars(2),
        &stars(3),
        &stars(4),
        &column(|post| post.admitted),
        &column(|post| post.refused),
        &column(|post| post.changed),
        &column(|post| post.refused_changes),
        &refused_stars(0),
        &refused_stars(1),
        &refused_stars(2),
        &refused_stars(3),
        &refused_stars(4),
        &score.regular_weight,
        &score.regular_stars,
        &score.provisional_weight,
        &score.provisional_stars,
        &score.held_weight,
        &score.held_stars,
        &score.usual,
        &score.since as &[Option<NaiveDate>],
        &score.ended_on as &[Option<NaiveDate>],
        &score.reference,
        &score.known,
        &score.first_day as &[Option<NaiveDate>],
        &score.last_day as &[Option<NaiveDate>],
        &score.count,
        &score.stars,
        &score.rating as &[Option<f64>],
        &score.weight,
        &refused_users,
        &refused_blogs,
        &refused_ratings,
        &users,
        &blogs,
        &ratings,
        &counted_on,
    );
    let written = rows.fetch_all(connection).await?.into_iter().filter_map(|row| {
        let pair = RatingKey { user: UserId(row.user_id), post: PostId(row.blog_id) };
        let (rating, created_at, updated_at) = (changes.ratings.get(&pair)?.0, row.created_at, row.updated_at);
        Some((pair, Rating { id: row.id, user: pair.user, blog: pair.post, rating, created_at, updated_at }))
    });
    Ok(written.collect())
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

/// Writes failure counts and pauses. A new pause raises the warning level of its user.
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
