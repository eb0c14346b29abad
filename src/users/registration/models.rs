//! Invitations in the database.

use chrono::{DateTime, TimeDelta, Utc};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use sqlx::PgConnection;

use crate::audit_log::{AuditAction, NewEntry};
use crate::db::commit;
use crate::site::policy::RegistrationPolicy;
use crate::users::error::AccountError;
use crate::users::urls;
use crate::web::error::{AppError, LinkProblem};
use crate::web::request::current_user::CurrentUser;
use crate::web::request::id::id;
use crate::web::state::CoreState;

id! {
    InvitationId
}

const PURPOSE: &str = "invitation";

/// Number of newest invitations that the list shows.
const LISTED: i64 = 100;

const NAMED: i64 = 20;

#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct Invitation {
    pub id: InvitationId,
    /// Username of the moderator who created the invitation.
    pub made_by: String,
    pub created_at: DateTime<Utc>,
    /// Time from which the invitation is invalid.
    pub expires_at: DateTime<Utc>,
    /// Maximum number of registrations with this invitation.
    pub max_uses: i32,
    /// Number of registrations with this invitation so far.
    pub uses: i32,
    /// Usernames of the first accounts registered with this invitation. Erased accounts are omitted.
    pub names: Vec<String>,
    /// `true` if the invitation has expired or all registrations are used.
    pub is_over: bool,
    /// URL for registering with the invitation.
    pub link: String,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct InvitationList {
    pub results: Vec<Invitation>,
}

fn link(state: &CoreState, InvitationId(id): InvitationId) -> String {
    let token = state.keys.sign(PURPOSE, &id.to_be_bytes());
    state.settings.absolute_url(&format!("{}?invitation={token}", urls::REGISTER.pattern))
}

pub async fn latest(state: &CoreState) -> sqlx::Result<InvitationList> {
    let rows = sqlx::query!(
        r#"select i.id, u.username as made_by, i.created_at, i.expires_at, i.max_uses, i.uses,
            i.expires_at <= coalesce($1, clock_timestamp()) or i.uses = i.max_uses as "is_over!",
            array(
                select username from users where invitation_id = i.id and erased_at is null order by id limit $3
            ) as "names!"
        from invitations i join users u on u.id = i.made_by order by i.id desc limit $2"#,
        state.clock.now(),
        LISTED,
        NAMED,
    );
    let results = rows.fetch_all(&state.pool).await?.into_iter().map(|row| Invitation {
        id: InvitationId(row.id),
        made_by: row.made_by,
        created_at: row.created_at,
        expires_at: row.expires_at,
        max_uses: row.max_uses,
        uses: row.uses,
        names: row.names,
        is_over: row.is_over,
        link: link(state, InvitationId(row.id)),
    });
    Ok(InvitationList { results: results.collect() })
}

pub async fn create(state: &CoreState, user: &CurrentUser, max_uses: i32, days: i32) -> Result<Invitation, AppError> {
    let row = sqlx::query!(
        r#"insert into invitations (made_by, created_at, expires_at, max_uses)
        select $1, clock.now, clock.now + make_interval(secs => $2), $3
        from (select coalesce($4, clock_timestamp()) as now) clock
        returning id, created_at, expires_at"#,
        user.id.0,
        TimeDelta::days(days.into()).as_seconds_f64(),
        max_uses,
        state.clock.now(),
    );
    let mut transaction = state.pool.begin().await?;
    let row = row.fetch_one(&mut *transaction).await?;
    let details = json!({ "invitation": row.id, "max_uses": max_uses, "days": days });
    let entry = NewEntry::new(AuditAction::MakeInvitation).with_details(details);
    entry.insert(user, &mut transaction, &state.clock).await?;
    commit(transaction).await?;
    let id = InvitationId(row.id);
    Ok(Invitation {
        id,
        made_by: user.username.clone(),
        created_at: row.created_at,
        expires_at: row.expires_at,
        max_uses,
        uses: 0,
        names: Vec::new(),
        is_over: false,
        link: link(state, id),
    })
}

/// Returns the invitation id in the token, even if the invitation has ended; `None` if registration is open.
fn invitation_id(state: &CoreState, token: Option<&str>) -> Result<Option<i64>, AppError> {
    match state.site().policy.registration {
        RegistrationPolicy::Open => Ok(None),
        RegistrationPolicy::Closed => Err(AccountError::RegistrationClosed.into()),
        RegistrationPolicy::Invite => {
            let id = state.keys.verify(PURPOSE, token.ok_or(AccountError::InvitationNeeded)?);
            let id = id.and_then(|id| id.try_into().ok()).map(i64::from_be_bytes);
            Ok(Some(id.ok_or(AccountError::Invitation(LinkProblem::Invalid))?))
        }
    }
}

pub async fn check_may_register(state: &CoreState, token: Option<&str>) -> Result<(), AppError> {
    let Some(id) = invitation_id(state, token)? else { return Ok(()) };
    match problem(&mut *state.pool.acquire().await?, state, id).await? {
        None => Ok(()),
        Some(problem) => Err(AccountError::Invitation(problem).into()),
    }
}

async fn problem(connection: &mut PgConnection, state: &CoreState, id: i64) -> sqlx::Result<Option<LinkProblem>> {
    let row = sqlx::query!(
        r#"select expires_at <= coalesce($2, clock_timestamp()) as "is_old!", uses >= max_uses as "is_full!"
        from invitations where id = $1"#,
        id,
        state.clock.now(),
    );
    Ok(match row.fetch_optional(connection).await? {
        None => Some(LinkProblem::Invalid),
        Some(row) if row.is_full => Some(LinkProblem::Used),
        Some(row) if row.is_old => Some(LinkProblem::Expired),
        Some(_) => None,
    })
}

/// Counts one use of the invitation. Returns the invitation id, or `None` if registration is open.
pub async fn redeem_invitation(
    connection: &mut PgConnection,
    state: &CoreState,
    token: Option<&str>,
) -> Result<Option<i64>, AppError> {
    let Some(id) = invitation_id(state, token)? else { return Ok(None) };
    let seat = sqlx::query!(
        "update invitations set uses = uses + 1
        where id = $1 and uses < max_uses and expires_at > coalesce($2, clock_timestamp())",
        id,
        state.clock.now(),
    );
    if seat.execute(&mut *connection).await?.rows_affected() == 1 {
        return Ok(Some(id));
    }
    let problem = problem(connection, state, id).await?.unwrap_or(LinkProblem::Used);
    Err(AccountError::Invitation(problem).into())
}
