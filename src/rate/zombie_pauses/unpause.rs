//! Unpause links: signed links that lift zombie pauses, even without signing in.

use actix_web::web;
use askama::Template;
use chrono::{DateTime, TimeDelta, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sqlx::PgPool;

use super::models::{PausedPost, list_pauses};
use crate::blog_posts::{self, PostId};
use crate::db::clock::Clock;
use crate::i18n::filters;
use crate::rate::error::RateError;
use crate::rate::models::RatingKey;
use crate::rate::urls;
use crate::signing::Keys;
use crate::state::AppState;
use crate::web::error::{AppError, LinkProblem};
use crate::web::request::body::NoInput;
use crate::web::request::current_user::{CurrentUser, UserId};
use crate::web::request::query::Query;
use crate::web::response::layout::Layout;
use crate::web::response::view::{ActionResult, PageResponse};
use crate::web::state::CoreState;
use crate::{page, phrase};
use evenkeel_limiters::ZombiePause;

const LIFETIME: TimeDelta = TimeDelta::days(14);

/// Tolerance for links issued in the future, because clocks of instances differ and may be set back.
const LEEWAY: TimeDelta = TimeDelta::minutes(1);

const PURPOSE: &str = "unpause";

/// Version of the link format. Links with another version count as expired.
const VERSION: u32 = 2;

/// Maximum length of a token in bytes; issued tokens are shorter.
const MAX_BYTES: usize = 512;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnpauseLink {
    pub pair: RatingKey,
    pub paused_at_ms: i64,
}

/// Content of a link with a valid signature, before its version and time of issue are checked.
#[derive(Debug, JsonSchema, Serialize, Deserialize)]
struct UnpauseClaims {
    version: u32,
    user: UserId,
    blog: PostId,
    paused_at_ms: i64,
    /// Time of issue, in seconds since the Unix epoch.
    issued_at: i64,
}

impl UnpauseLink {
    pub fn sign(&self, keys: &Keys, now: DateTime<Utc>) -> String {
        let Self { pair: RatingKey { user, post: blog }, paused_at_ms } = *self;
        let claims = UnpauseClaims { version: VERSION, user, blog, paused_at_ms, issued_at: now.timestamp() };
        keys.sign(PURPOSE, &serde_json::to_vec(&claims).unwrap_or_default())
    }

    /// Checks the signature but not the expiry of a link.
    fn verify_signature(text: &str, keys: &Keys) -> Result<UnpauseClaims, LinkProblem> {
        let short = Some(text).filter(|text| text.len() <= MAX_BYTES);
        let claims = short.and_then(|text| keys.verify(PURPOSE, text));
        claims.and_then(|claims| serde_json::from_slice(&claims).ok()).ok_or(LinkProblem::Invalid)
    }
}

impl UnpauseClaims {
    /// Rejects links that have expired or were issued in the future.
    fn verify(self, now: DateTime<Utc>) -> Result<UnpauseLink, LinkProblem> {
        let Self { version, user, blog, paused_at_ms, issued_at } = self;
        if issued_at > (now + LEEWAY).timestamp() {
            return Err(LinkProblem::Invalid);
        }
        if version != VERSION || issued_at.saturating_add(LIFETIME.num_seconds()) <= now.timestamp() {
            return Err(LinkProblem::Expired);
        }
        Ok(UnpauseLink { pair: RatingKey { user, post: blog }, paused_at_ms })
    }
}

/// Account and post of an unpause link, for its confirmation page.
#[derive(Debug, JsonSchema, Serialize)]
pub struct UnpauseLinkDetails {
    pub username: String,
    /// Title of the post; `None` if the post is not published any more and the user is not its author.
    pub title: Option<String>,
    /// Number of active pauses of the account, all of which the link lifts.
    pub paused: i64,
    /// Paused posts, the latest pause first. If the account has many pauses, contains only the latest.
    pub posts: Vec<PausedPost>,
}

#[derive(Template)]
#[template(path = "rate/unpause.html")]
pub struct UnpausePage {
    layout: Layout,
    data: UnpauseLinkDetails,
    token: String,
}

page!(UnpausePage, data: UnpauseLinkDetails);

/// A GET request does not lift pauses, because link scanners and link previews also send GET requests.
pub async fn unpause_form(
    user: Option<CurrentUser>,
    layout: Layout,
    query: Query,
    state: web::Data<AppState>,
) -> Result<PageResponse<UnpausePage>, AppError> {
    let (link, token) = link(&query, user.as_ref(), &state).await?;
    let most = state.pauses.rules.params().page_size;
    let subject = find_unpause_link_details(&state.pool, &state.clock, &link, most).await?;
    let data = subject.ok_or(RateError::UnpauseLink(LinkProblem::Used))?;
    Ok(PageResponse::new(UnpausePage { layout, data, token }))
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct UnpausedPosts {
    /// Number of posts that the user can rate again.
    unpaused: usize,
    /// `true` if the user has more pauses, which the link can end, too.
    more: bool,
}

/// A spawned task lifts the pauses, so that a client that disconnects does not interrupt it.
pub async fn unpause(
    _: NoInput,
    user: Option<CurrentUser>,
    query: Query,
    state: web::Data<AppState>,
) -> Result<ActionResult<UnpausedPosts>, AppError> {
    let (link, _) = link(&query, user.as_ref(), &state).await?;
    let rules = state.pauses.rules;
    let (pool, clock) = (state.pool.clone(), state.clock.clone());
    let unpausing = tokio::spawn(async move { unpause_posts(&pool, &clock, &rules, link).await });
    let data = unpausing.await??;
    if data.unpaused == 0 {
        return Err(RateError::UnpauseLink(LinkProblem::Used).into());
    }
    tracing::info!(user_id = link.pair.user.0, count = data.unpaused, "rating pauses lifted");
    let message = match (data.unpaused, data.more) {
        (count, false) => phrase!("done-unpaused", count = count),
        (count, true) => phrase!("done-unpaused-partly", count = count),
    };
    let next = if user.is_some() { urls::PAUSED_POSTS.pattern } else { blog_posts::urls::FRONT_PAGE.pattern };
    Ok(ActionResult::new(data, next).with_message(message))
}

/// Verifies the link in the query. Rejects the link if another user is signed in.
async fn link(query: &Query, user: Option<&CurrentUser>, state: &CoreState) -> Result<(UnpauseLink, String), AppError> {
    let token = query.get("token")?.ok_or(RateError::UnpauseLink(LinkProblem::Invalid))?;
    // The signature is verified before the query that reads the time, so that forged links cost no query.
    let claims = UnpauseLink::verify_signature(&token, &state.keys).map_err(RateError::UnpauseLink)?;
    let now = state.now().await?;
    let link = claims.verify(now).map_err(RateError::UnpauseLink)?;
    if user.is_some_and(|user| user.id != link.pair.user) {
        return Err(RateError::UnpauseLink(LinkProblem::WrongUser).into());
    }
    Ok((link, token))
}

/// Account and paused posts of a link; `None` if the pause in the link has ended.
async fn find_unpause_link_details(
    pool: &PgPool,
    clock: &Clock,
    link: &UnpauseLink,
    most: usize,
) -> sqlx::Result<Option<UnpauseLinkDetails>> {
    let row = sqlx::query!(
        r#"select u.username, case when p.status = 'published' or p.author_id = z.user_id then p.title end as "title?"
        from zombie_pauses z join users u on u.id = z.user_id join blog_posts p on p.id = z.blog_id
        where z.user_id = $1 and z.blog_id = $2 and z.unpaused_at is null and z.paused_at = $3"#,
        link.pair.user.0,
        link.pair.post.0,
        DateTime::from_timestamp_millis(link.paused_at_ms),
    );
    let Some(row) = row.fetch_optional(pool).await? else { return Ok(None) };
    let (posts, paused, _) = list_pauses(pool, clock, link.pair.user, most).await?;
    Ok(Some(UnpauseLinkDetails { username: row.username, title: row.title, paused, posts }))
}

/// Lifts the pause in the link last: if one request cannot lift all pauses, the user can open the link again.
async fn unpause_posts(
    pool: &PgPool,
    clock: &Clock,
    limiter: &ZombiePause,
    link: UnpauseLink,
) -> sqlx::Result<UnpausedPosts> {
    let most = limiter.max_unpaused();
    let batch = limiter.params().batch_size.min(most);
    let (mut unpaused, mut more) = (0, true);
    while unpaused < most {
        let some = unpause_some(pool, clock, &link, false, batch).await?;
        unpaused += some;
        if some < batch {
            unpaused += unpause_some(pool, clock, &link, true, 1).await?;
            more = false;
            break;
        }
    }
    Ok(UnpausedPosts { unpaused, more })
}

/// Lifts the pause in the link if `named` is true, otherwise other pauses of the user. Locks the rows in order of post
/// id, to prevent deadlocks between concurrent requests of one account.
async fn unpause_some(
    pool: &PgPool,
    clock: &Clock,
    link: &UnpauseLink,
    named: bool,
    most: usize,
) -> sqlx::Result<usize> {
    let blogs = sqlx::query_scalar!(
        r#"with chosen as (
            select z.ctid from zombie_pauses z
            where z.user_id = $1 and z.paused_at is not null and z.unpaused_at is null and exists (
                select from zombie_pauses named
                where named.user_id = $1 and named.blog_id = $2 and named.paused_at = $3 and named.unpaused_at is null
            )
                and (z.blog_id = $2) = $6
            order by z.blog_id limit $4 for no key update of z
        )
        update zombie_pauses z set unpaused_at = greatest(z.paused_at, coalesce($5, clock_timestamp()))
        -- By the places of the rows, which are locked: a join was at times planned as a scan for each of them.
        where z.ctid = any(array(select ctid from chosen))
        returning z.blog_id"#,
        link.pair.user.0,
        link.pair.post.0,
        DateTime::from_timestamp_millis(link.paused_at_ms),
        i64::try_from(most).unwrap_or(i64::MAX),
        clock.now(),
        named,
    );
    Ok(blogs.fetch_all(pool).await?.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signing::SecretKey;

    const LINK: UnpauseLink =
        UnpauseLink { pair: RatingKey { user: UserId(7), post: PostId(42) }, paused_at_ms: 1_790_000_000_123 };

    fn keys(secret: &str) -> Keys {
        Keys::derive(&SecretKey::from_text(secret).unwrap())
    }

    fn now() -> DateTime<Utc> {
        DateTime::from_timestamp(1_790_000_100, 0).unwrap()
    }

    fn ours() -> Keys {
        keys("0123456789abcdef0123456789abcdef")
    }

    fn verify(text: &str, now: DateTime<Utc>) -> Result<UnpauseLink, LinkProblem> {
        UnpauseLink::verify_signature(text, &ours())?.verify(now)
    }

    #[test]
    fn a_link_is_good_for_fourteen_days_and_names_its_pause() {
        let text = LINK.sign(&ours(), now());
        assert!(text.len() < MAX_BYTES / 2);
        assert_eq!(verify(&text, now()), Ok(LINK));
        assert_eq!(verify(&text, now() + LIFETIME - TimeDelta::seconds(1)), Ok(LINK));
        assert_eq!(verify(&text, now() + LIFETIME), Err(LinkProblem::Expired));
        assert_eq!(verify(&text, now() - LEEWAY), Ok(LINK));
        assert_eq!(verify(&text, now() - LEEWAY - TimeDelta::seconds(1)), Err(LinkProblem::Invalid));
    }

    #[test]
    fn links_of_other_versions_are_expired_and_those_of_other_sites_are_none() {
        let claims = UnpauseLink::verify_signature(&LINK.sign(&ours(), now()), &ours()).unwrap();
        let other = serde_json::to_vec(&UnpauseClaims { version: 1, ..claims }).unwrap();
        assert_eq!(verify(&ours().sign(PURPOSE, &other), now()), Err(LinkProblem::Expired));
        let forged = [
            LINK.sign(&keys("another secret key, of 32 letters"), now()),
            ours().sign("cursor /blogs/", &other),
            ours().sign(PURPOSE, b"{}"),
            String::new(),
            "a".repeat(100_000),
        ];
        for forged in forged {
            assert_eq!(verify(&forged, now()), Err(LinkProblem::Invalid), "{forged:.80}");
        }
    }
}
