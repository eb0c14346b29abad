//! Invitations in the database.

use chrono::{DateTime, TimeDelta, Utc};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use sqlx::PgConnection;

use crate::access::Role;
use crate::audit_log::{AuditAction, NewEntry};
use crate::db::commit;
use crate::i18n::{Phrase, PhraseValue};
use crate::phrase;
use crate::site::policy::RegistrationPolicy;
use crate::users::error::AccountError;
use crate::users::{emails, urls};
use crate::web::error::{AppError, LinkProblem};
use crate::web::request::current_user::CurrentUser;
use crate::web::request::id::id;
use crate::web::state::CoreState;

id! {
    InvitationId
}

/// Role of the accounts that are registered with an invitation.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, JsonSchema, Serialize, strum::EnumString, strum::IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum InvitedRole {
    #[default]
    Reader,
    /// May publish even if the site requires an approval by staff.
    Author,
    /// Staff. Only owners can invite moderators.
    Moderator,
}

impl InvitedRole {
    pub const ALL: [Self; 3] = [Self::Reader, Self::Author, Self::Moderator];

    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Selector of a variant of a message.
    pub fn variant(self) -> PhraseValue {
        PhraseValue::Choice(self.name().into())
    }

    pub fn label(self) -> Phrase {
        Phrase::new(format!("role-{}", self.name()))
    }
}

#[derive(Clone, Debug)]
pub struct NewInvitation {
    pub max_uses: i32,
    pub days: i32,
    pub role: InvitedRole,
    /// Recipient of the link; `None` if staff pass the link on themselves.
    pub email: Option<String>,
}

/// Terms of a valid invitation, for the invited person.
#[derive(Clone, Debug)]
pub struct InvitationTerms {
    pub made_by: String,
    pub role: InvitedRole,
    pub expires_at: DateTime<Utc>,
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
    pub role: InvitedRole,
    /// Email address that the link was sent to. Visible to admins and owners, and to the creator of the invitation.
    pub email: Option<String>,
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

fn path(state: &CoreState, InvitationId(id): InvitationId) -> String {
    format!("{}?invitation={}", urls::REGISTER.pattern, state.keys.sign(PURPOSE, &id.to_be_bytes()))
}

fn link(state: &CoreState, id: InvitationId) -> String {
    state.settings.absolute_url(&path(state, id))
}

pub async fn latest(state: &CoreState, reader: &CurrentUser) -> sqlx::Result<InvitationList> {
    let rows = sqlx::query!(
        r#"select i.id, u.username as made_by, i.created_at, i.expires_at, i.max_uses, i.uses, i.role,
            case when i.made_by = $4 or $5 then i.email end as email, i.expires_at <= coalesce($1, clock_timestamp()) or i.uses = i.max_uses as "is_over!",
            array(
                select username from users where invitation_id = i.id and erased_at is null order by id limit $3
            ) as "names!"
        from invitations i join users u on u.id = i.made_by order by i.id desc limit $2"#,
        state.clock.now(),
        LISTED,
        NAMED,
        reader.id.0,
        reader.has_role(Role::Admin),
    );
    let results = rows.fetch_all(&state.pool).await?.into_iter().map(|row| Invitation {
        id: InvitationId(row.id),
        made_by: row.made_by,
        created_at: row.created_at,
        expires_at: row.expires_at,
        max_uses: row.max_uses,
        uses: row.uses,
        role: row.role.parse().unwrap_or_default(),
        email: row.email,
        names: row.names,
        is_over: row.is_over,
        link: link(state, InvitationId(row.id)),
    });
    Ok(InvitationList { results: results.collect() })
}

pub async fn create(state: &CoreState, user: &CurrentUser, new: NewInvitation) -> Result<Invitation, AppError> {
    let NewInvitation { max_uses, days, role, email } = new;
    let row = sqlx::query!(
        r#"insert into invitations (made_by, created_at, expires_at, max_uses, role, email)
        select $1, clock.now, clock.now + make_interval(secs => $2), $3, $5, $6
        from (select coalesce($4, clock_timestamp()) as now) clock
        returning id, created_at, expires_at"#,
        user.id.0,
        TimeDelta::days(days.into()).as_seconds_f64(),
        max_uses,
        state.clock.now(),
        role.name(),
        email,
    );
    let mut transaction = state.pool.begin().await?;
    let row = row.fetch_one(&mut *transaction).await?;
    let details = json!({ "invitation": row.id, "max_uses": max_uses, "days": days, "role": role.name() });
    let entry = NewEntry::new(AuditAction::MakeInvitation).with_details(details);
    entry.insert(user, &mut transaction, &state.clock).await?;
    let id = InvitationId(row.id);
    if let Some(email) = &email {
        let terms = InvitationTerms { made_by: user.username.clone(), role, expires_at: row.expires_at };
        enqueue_mail(&mut transaction, state, email, id, terms, TimeDelta::days(days.into())).await?;
    }
    commit(transaction).await?;
    state.mail.wake_delivery();
    Ok(Invitation {
        id,
        made_by: user.username.clone(),
        created_at: row.created_at,
        expires_at: row.expires_at,
        max_uses,
        uses: 0,
        role,
        email,
        names: Vec::new(),
        is_over: false,
        link: link(state, id),
    })
}

async fn enqueue_mail(
    connection: &mut PgConnection,
    state: &CoreState,
    email: &str,
    id: InvitationId,
    InvitationTerms { made_by, role, expires_at }: InvitationTerms,
    lifetime: TimeDelta,
) -> Result<(), AppError> {
    let phrase = phrase!("mail-invitation", name = made_by, site = &*state.site().name, role = role.variant())
        .with_argument("time", PhraseValue::Minute(expires_at));
    emails::enqueue_invitation(connection, state, email, phrase, &path(state, id), lifetime).await
}

/// Returns the invitation id in the token, even if the invitation has ended; `None` if registration is open and there is
/// no token.
fn invitation_id(state: &CoreState, token: Option<&str>) -> Result<Option<i64>, AppError> {
    match (state.site().policy.registration, token) {
        (RegistrationPolicy::Open, None) => Ok(None),
        (RegistrationPolicy::Closed, _) => Err(AccountError::RegistrationClosed.into()),
        (RegistrationPolicy::Open | RegistrationPolicy::Invite, token) => {
            let id = state.keys.verify(PURPOSE, token.ok_or(AccountError::InvitationNeeded)?);
            let id = id.and_then(|id| id.try_into().ok()).map(i64::from_be_bytes);
            Ok(Some(id.ok_or(AccountError::Invitation(LinkProblem::Invalid))?))
        }
    }
}

/// Returns the terms of the invitation, or `None` if registration is open and there is no token.
pub async fn check_may_register(state: &CoreState, token: Option<&str>) -> Result<Option<InvitationTerms>, AppError> {
    let Some(id) = invitation_id(state, token)? else { return Ok(None) };
    let terms = find_terms(&mut *state.pool.acquire().await?, state, id).await?;
    terms.map(Some).map_err(|problem| AccountError::Invitation(problem).into())
}

async fn find_terms(
    connection: &mut PgConnection,
    state: &CoreState,
    id: i64,
) -> sqlx::Result<Result<InvitationTerms, LinkProblem>> {
    let row = sqlx::query!(
        r#"select u.username as made_by, i.role, i.expires_at, i.expires_at <= coalesce($2, clock_timestamp()) as "is_old!",
            i.uses >= i.max_uses as "is_full!"
        from invitations i join users u on u.id = i.made_by where i.id = $1"#,
        id,
        state.clock.now(),
    );
    Ok(match row.fetch_optional(connection).await? {
        None => Err(LinkProblem::Invalid),
        Some(row) if row.is_full => Err(LinkProblem::Used),
        Some(row) if row.is_old => Err(LinkProblem::Expired),
        Some(row) => Ok(InvitationTerms {
            made_by: row.made_by,
            role: row.role.parse().unwrap_or_default(),
            expires_at: row.expires_at,
        }),
    })
}

/// Counts one use of the invitation. Returns the invitation id and the role of the new account, or `None` without an
/// invitation.
pub async fn redeem_invitation(
    connection: &mut PgConnection,
    state: &CoreState,
    token: Option<&str>,
) -> Result<Option<(i64, InvitedRole)>, AppError> {
    let Some(id) = invitation_id(state, token)? else { return Ok(None) };
    let role = sqlx::query_scalar!(
        "update invitations set uses = uses + 1
        where id = $1 and uses < max_uses and expires_at > coalesce($2, clock_timestamp())
        returning role",
        id,
        state.clock.now(),
    );
    if let Some(role) = role.fetch_optional(&mut *connection).await? {
        return Ok(Some((id, role.parse().unwrap_or_default())));
    }
    let problem = find_terms(connection, state, id).await?.err().unwrap_or(LinkProblem::Used);
    Err(AccountError::Invitation(problem).into())
}
