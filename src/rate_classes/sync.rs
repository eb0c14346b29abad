//! Rate classes in `PostgreSQL`: written behind about once a second, and taken from there by other instances and after
//! a restart. A client that goes from instance to instance gains one burst at each at the most.

use std::collections::HashSet;
use std::net::IpAddr;
use std::time::Duration;

use actix_web::web;
use chrono::{DateTime, TimeDelta, Utc};
use sqlx::PgPool;

use super::{Class, Key, RateClasses, Who};
use crate::limiters::{Limiter as _, RateClassState};

const LIMITER: &str = "rate_class";

/// How often.
const EVERY: Duration = Duration::from_secs(1);

/// Rows that were written this long before the last look are looked at again: they may have been committed late.
const OVERLAP: TimeDelta = TimeDelta::seconds(5);

/// States live for as long as the longest penalty, and some.
const KEPT_FOR: TimeDelta = TimeDelta::hours(1);

/// Rows at once.
const MOST: usize = 1_000;

/// Writes behind and picks up until it is dropped.
pub async fn run(classes: web::Data<RateClasses>, pool: PgPool) {
    let mut since = None;
    loop {
        if let Err(error) = once(&classes, &pool, &mut since).await {
            tracing::warn!(%error, "rate classes not written behind");
        }
        tokio::time::sleep(EVERY).await;
    }
}

/// Writes what has changed, then takes what others have written since the last time.
///
/// # Errors
/// When the database cannot be asked; what could not be written is kept for the next time.
pub async fn once(classes: &RateClasses, pool: &PgPool, since: &mut Option<DateTime<Utc>>) -> sqlx::Result<()> {
    let changed = std::mem::take(&mut *classes.changed());
    let written = write(classes, pool, &changed).await;
    if written.is_err() {
        classes.changed().extend(changed);
    }
    written?;
    pick_up(classes, pool, since).await
}

async fn write(classes: &RateClasses, pool: &PgPool, changed: &HashSet<Key>) -> sqlx::Result<()> {
    // In the order of their keys, so that two instances never wait for each other.
    let mut rows: Vec<(String, Key)> = changed.iter().map(|key| (to_text(*key), *key)).collect();
    rows.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
    for chunk in rows.chunks(MOST) {
        let (mut keys, mut states) = (Vec::new(), Vec::new());
        for (text, key) in chunk {
            let Some(state) = classes.states.get(key) else { continue };
            keys.push(text.clone());
            states.push(serde_json::to_value(state).map_err(|error| sqlx::Error::Encode(error.into()))?);
        }
        // Whichever instance saw the client last knows best.
        sqlx::query!(
            r#"insert into limiter_states as old (limiter, key, state, updated_at, expires_at)
            select $1, new.key, new.state, clock.now, clock.now + make_interval(secs => $4)
            from (select clock_timestamp() as now) clock, unnest($2::text[], $3::jsonb[]) as new (key, state)
            order by new.key
            on conflict on constraint limiter_states_pkey do update
                set state = excluded.state, updated_at = excluded.updated_at, expires_at = excluded.expires_at
                where coalesce((old.state ->> 'last_ms')::bigint, 0) < (excluded.state ->> 'last_ms')::bigint"#,
            LIMITER,
            &keys,
            &states,
            KEPT_FOR.as_seconds_f64(),
        )
        .execute(pool)
        .await?;
    }
    Ok(())
}

async fn pick_up(classes: &RateClasses, pool: &PgPool, since: &mut Option<DateTime<Utc>>) -> sqlx::Result<()> {
    let rows = sqlx::query!(
        r#"select key, state, clock_timestamp() as "now!" from limiter_states
        where limiter = $1 and updated_at > coalesce($2, clock_timestamp() - make_interval(secs => $3))
        order by updated_at desc limit 100000"#,
        LIMITER,
        since.map(|since| since - OVERLAP),
        KEPT_FOR.as_seconds_f64(),
    );
    for row in rows.fetch_all(pool).await? {
        *since = Some(since.map_or(row.now, |since| since.max(row.now)));
        let Some(key) = from_text(&row.key) else { continue };
        let Ok(theirs) = classes.limiter(key).restore(row.state) else { continue };
        classes.states.with(key, |ours: &mut RateClassState| {
            if theirs.last_ms > ours.last_ms {
                *ours = theirs;
            }
        });
    }
    Ok(())
}

/// `rate:user:7`, `rate:address:192.0.2.1`.
fn to_text((class, who): Key) -> String {
    match who {
        Who::User(id) => format!("{}:user:{id}", class.name()),
        Who::Network(address) => format!("{}:address:{address}", class.name()),
    }
}

fn from_text(text: &str) -> Option<Key> {
    let mut parts = text.splitn(3, ':');
    let name = parts.next()?;
    let class = Class::ALL.into_iter().find(|class| class.name() == name)?;
    let who = match (parts.next()?, parts.next()?) {
        ("user", id) => Who::User(id.parse().ok()?),
        ("address", address) => Who::Network(address.parse::<IpAddr>().ok()?),
        _ => return None,
    };
    Some((class, who))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_survive_their_way_through_the_database() {
        for who in [Who::User(7), Who::Network([192, 0, 2, 1].into()), Who::Network("2001:db8::".parse().unwrap())] {
            for class in Class::ALL {
                assert_eq!(from_text(&to_text((class, who))), Some((class, who)));
            }
        }
        for text in ["", "rate", "rate:user", "rate:user:x", "rate:address:x", "sieve:user:1", "rate:cow:1"] {
            assert_eq!(from_text(text), None, "{text}");
        }
    }
}
