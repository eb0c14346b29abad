//! Accounts without a password that `import --create-authors` creates, and that authors claim with an invitation link.

use sqlx::{PgConnection, PgPool};

use crate::db::clock::Clock;
use crate::users::error::AccountError;
use crate::users::mail_link::{AccountClaimLink, TokenPayload as _, sign_token, verify_token};
use crate::users::models::Credentials;
use crate::users::username::{DisplayName, Username};
use crate::users::{EmailAddress, User, models, urls};
use crate::web::error::{AppError, LinkProblem};
use crate::web::request::current_user::UserId;
use crate::web::request::form_field::Field as _;
use crate::web::state::CoreState;

/// Value of `password_hash` for an unclaimed account. Values that begin with `!` match no password.
const NO_PASSWORD: &str = "!unclaimed";

/// Email address of unclaimed accounts. The domain `invalid` is reserved, so that no email is delivered.
const NO_EMAIL: &str = "unclaimed@nowhere.invalid";

pub const CLAIM_LINK_LIFETIME_DAYS: i64 = AccountClaimLink::LIFETIME.num_days();

const MAX_NAME: usize = 200;

fn imported_as(name: &str) -> String {
    name.chars().take(MAX_NAME).collect()
}

/// The display name is omitted if the profile form would reject it.
pub async fn create_unclaimed_account(
    connection: &mut PgConnection,
    clock: &Clock,
    name: &str,
    display_name: &str,
    username: &Username,
) -> Result<UserId, AppError> {
    let email = EmailAddress::parse_lenient(NO_EMAIL).ok_or(AppError::NotFound)?;
    let UserId(id) = models::create(connection, clock, username, &email, NO_PASSWORD, false).await?.user.id;
    let mut shown = DisplayName::from_text(display_name).ok();
    if let Some(name) = &shown
        && models::looks_like_username(&mut *connection, UserId(id), name).await?
    {
        shown = None;
    }
    let set = sqlx::query!(
        "update users set imported_as = $2, display_name = $3 where id = $1",
        id,
        imported_as(name),
        shown.as_ref().map(DisplayName::as_str),
    );
    set.execute(connection).await?;
    Ok(UserId(id))
}

pub async fn find_by_imported_name(pool: &PgPool, name: &str) -> sqlx::Result<Option<UserId>> {
    let id = sqlx::query_scalar!(r#"select id as "id: UserId" from users where imported_as = $1"#, imported_as(name));
    id.fetch_optional(pool).await
}

pub async fn is_username_taken(connection: &mut PgConnection, username: &Username) -> sqlx::Result<bool> {
    let is_taken = sqlx::query_scalar!(
        r#"select exists (select from users where username_key = $1 or username_skeleton = $2) as "found!""#,
        username.key(),
        username.skeleton(),
    );
    is_taken.fetch_one(connection).await
}

/// Returns the username and an invitation link, or `None` if the account was claimed. A new link does not invalidate
/// earlier links: all links become invalid when the account is claimed.
pub async fn create_claim_link(state: &CoreState, user: UserId) -> sqlx::Result<Option<(String, String)>> {
    let row = sqlx::query!(
        r#"update users set mail_link_id = coalesce(mail_link_id, $3) where id = $1 and password_hash = $2
        returning username, mail_link_id as "link!", coalesce($4, clock_timestamp()) as "now!""#,
        user.0,
        NO_PASSWORD,
        rand::random::<i64>(),
        state.clock.now(),
    );
    Ok(row.fetch_optional(&state.pool).await?.map(|row| {
        let token = sign_token(&AccountClaimLink { user, id: row.link }, &state.keys, row.now);
        (row.username, state.settings.absolute_url(&format!("{}?invitation={token}", urls::REGISTER.pattern)))
    }))
}

/// Returns `None` if the token is not an account claim.
pub async fn find_unclaimed_account(
    state: &CoreState,
    token: &str,
) -> Result<Option<(AccountClaimLink, String)>, AppError> {
    let link: AccountClaimLink = match verify_token(token, &state.keys, state.now().await?) {
        Ok(link) => link,
        Err(LinkProblem::Expired) => return Err(AccountError::Invitation(LinkProblem::Expired).into()),
        Err(_) => return Ok(None),
    };
    let username = sqlx::query_scalar!(
        "select username from users where id = $1 and mail_link_id = $2 and password_hash = $3",
        link.user.0,
        link.id,
        NO_PASSWORD,
    );
    let username = username.fetch_optional(&state.pool).await?.ok_or(AccountError::Invitation(LinkProblem::Used))?;
    Ok(Some((link, username)))
}

pub async fn claim_account(
    connection: &mut PgConnection,
    link: &AccountClaimLink,
    email: &EmailAddress,
    password_hash: &str,
) -> Result<Credentials, AppError> {
    let claimed = sqlx::query!(
        "update users set email = $4, password_hash = $5, mail_link_id = null
        where id = $1 and mail_link_id = $2 and password_hash = $3
        returning id, username, created_at, session_version",
        link.user.0,
        link.id,
        NO_PASSWORD,
        email.as_str(),
        password_hash,
    );
    let row = claimed.fetch_optional(connection).await?.ok_or(AccountError::Invitation(LinkProblem::Used))?;
    Ok(Credentials {
        user: User { id: UserId(row.id), username: row.username, created_at: row.created_at },
        password_hash: password_hash.to_owned(),
        session_version: row.session_version,
    })
}
