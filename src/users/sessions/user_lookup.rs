//! Lookup of the users of sessions and API tokens.

use std::collections::HashMap;
use std::time::Duration;

use sqlx::PgConnection;

use crate::access::{ApiScope, Role, ScopeSet, UserBlock};
use crate::db::batched_lookup::LookupQuery;
use crate::db::clock::Clock;
use crate::users::settings::Settings;
use crate::web::request::current_user::{CurrentUser, RequestSource, UserId};

/// Minimum time between two writes of the latest use of a session or token.
const TOUCH_EVERY: Duration = Duration::from_mins(5);

/// Time after entering the password during which a session needs no re-authentication.
const REAUTHENTICATION_PERIOD: Duration = Duration::from_mins(15);

#[derive(Clone, Debug)]
pub(crate) struct AuthenticatedUser {
    pub user: CurrentUser,
    /// True if the stored time of the latest use is due for an update.
    pub is_stale: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CredentialKind {
    Session,
    Token,
}

/// Finds users of sessions or API tokens that have not ended, by the hash of the secret.
pub(crate) struct UserLookup {
    pub clock: Clock,
    pub settings: Settings,
    pub kind: CredentialKind,
}

impl LookupQuery<Vec<u8>, AuthenticatedUser> for UserLookup {
    #[expect(clippy::too_many_lines, reason = "one statement, and its rows")]
    async fn find(
        &self,
        connection: &mut PgConnection,
        hashes: Vec<Vec<u8>>,
    ) -> sqlx::Result<HashMap<Vec<u8>, AuthenticatedUser>> {
        let touch_every = TOUCH_EVERY.min(self.settings.session_idle / 4);
        let rows = sqlx::query!(
            // The query plan skips the table of the other credential kind.
            r#"select c.token_hash as "token_hash!", u.id, u.username, u.is_approved,
                u.is_staff and (not $5 or exists (
                    select from second_factors where user_id = u.id and confirmed_at is not null
                )) as "is_staff!", u.is_staff as would_be_staff,
                u.staff_role, u.blocked_at is not null and coalesce(u.blocked_until > c.now, true) as "is_blocked!",
                u.blocked_reason, u.blocked_until, c.is_confirmed as "is_confirmed!", c.signed_in_at,
                u.time_zone, u.language, u.delete_at, encode(c.token_hash, 'hex') as "session!",
                c.is_stale as "is_stale!", c.scopes
            from (
                select token_hash, user_id, clock.now, coalesce(state ->> 'session_version', '') as session_version,
                    greatest(created_at, confirmed_at) > clock.now - make_interval(secs => $6) as is_confirmed,
                    greatest(created_at, confirmed_at) as signed_in_at,
                    seen_at < clock.now - make_interval(secs => $4) as is_stale, null::text[] as scopes
                from sessions, (select coalesce($2, clock_timestamp()) as now) clock
                where $7 and token_hash = any($1)
                    and expires_at > clock.now and seen_at > clock.now - make_interval(secs => $3)
                union all
                select token_hash, user_id, clock.now, null, false, null,
                    coalesce(used_at < clock.now - make_interval(secs => $4), true), scopes
                from api_tokens, (select coalesce($2, clock_timestamp()) as now) clock
                where not $7 and token_hash = any($1) and (expires_at is null or expires_at > clock.now)
            ) c join users u on u.id = c.user_id
            -- As text: a state that is no number ends its own session, and not the query.
            where c.session_version is null or c.session_version = u.session_version::text"#,
            &hashes,
            self.clock.now(),
            self.settings.session_idle.as_secs_f64(),
            touch_every.as_secs_f64(),
            self.settings.staff_second_factor,
            REAUTHENTICATION_PERIOD.as_secs_f64(),
            self.kind == CredentialKind::Session,
        );
        let users = rows.fetch_all(connection).await?.into_iter().map(|row| {
            let scopes: Option<ScopeSet> =
                row.scopes.map(|names| names.iter().filter_map(|name| ApiScope::from_name(name)).collect());
            let may_use_role = scopes.is_none_or(|scopes| scopes.allows(ApiScope::Admin));
            let user = CurrentUser {
                id: UserId(row.id),
                username: row.username,
                // A blocked staff member has no role until the block ends.
                role: Role::from_name(&row.staff_role).filter(|_| row.is_staff && !row.is_blocked && may_use_role),
                needs_second_factor: row.would_be_staff && !row.is_staff,
                is_approved: row.is_approved,
                block: row
                    .blocked_reason
                    .filter(|_| row.is_blocked)
                    .map(|reason| UserBlock { reason, until: row.blocked_until }),
                delete_at: row.delete_at,
                zone: row.time_zone.and_then(|zone| zone.parse().ok()),
                language: row.language.and_then(|language| language.parse().ok()),
                session: row.session,
                scopes,
                is_confirmed: row.is_confirmed,
                signed_in_at: row.signed_in_at,
                from: RequestSource::default(),
            };
            (row.token_hash, AuthenticatedUser { user, is_stale: row.is_stale })
        });
        Ok(users.collect())
    }
}
