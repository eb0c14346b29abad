//! Invitation links, each for a limited number of registrations and a limited time.

use actix_web::web;
use askama::Template;
use chrono::{DateTime, TimeDelta, Utc};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use sqlx::PgConnection;

use crate::audit_log::{AuditAction, NewEntry};
use crate::db::commit;
use crate::i18n::{PhraseValue, filters};
use crate::signing::Keys;
use crate::site_policy::RegistrationPolicy;
use crate::state::AppState;
use crate::users::error::AccountError;
use crate::users::urls;
use crate::web::error::{AppError, LinkProblem};
use crate::web::request::body::{NoInput, Payload};
use crate::web::request::current_user::CurrentUser;
use crate::web::request::form_field::{Fields, FormInput, UpTo};
use crate::web::request::id::id;
use crate::web::response::form::Form;
use crate::web::response::layout::Layout;
use crate::web::response::view::{ActionResult, EmptyResult, FormResponse, PageResponse, handle_form};
use crate::web::state::CoreState;
use crate::{page, phrase};

id! {
    InvitationId
}

const PURPOSE: &str = "invitation";

/// The list shows the newest invitations.
const LISTED: i64 = 100;

const NAMED: i64 = 20;

#[derive(Clone, Copy, Debug)]
pub struct NewInvitation {
    people: i32,
    days: i32,
}

impl FormInput for NewInvitation {
    fn read(fields: &mut Fields) -> Option<Self> {
        let (people, days) = (fields.take("people"), fields.take("days"));
        let (UpTo::<1_000>(people), UpTo::<365>(days)) = (people?, days?);
        Some(Self { people, days })
    }
}

#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct Invitation {
    id: InvitationId,
    /// Username of the moderator who created the invitation.
    made_by: String,
    created_at: DateTime<Utc>,
    /// Time from which the invitation is invalid.
    expires_at: DateTime<Utc>,
    /// Maximum number of registrations with this invitation.
    people: i32,
    /// Number of registrations so far.
    came: i32,
    /// Usernames of the first accounts registered with this invitation. Erased accounts are omitted.
    names: Vec<String>,
    /// `true` if the invitation has expired or all registrations are used.
    is_over: bool,
    /// URL for registering with the invitation.
    link: String,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct InvitationList {
    results: Vec<Invitation>,
}

#[derive(Template)]
#[template(path = "users/invitations.html")]
pub struct InvitationsPage {
    layout: Layout,
    form: Form,
    data: InvitationList,
    registration: RegistrationPolicy,
}

page!(InvitationsPage, data: InvitationList);

fn link(state: &CoreState, InvitationId(id): InvitationId) -> String {
    let token = state.keys.sign(PURPOSE, &id.to_be_bytes());
    state.settings.absolute_url(&format!("{}?invitation={token}", urls::REGISTER.pattern))
}

fn open(keys: &Keys, token: &str) -> Result<i64, AppError> {
    let id = keys.verify(PURPOSE, token).and_then(|id| id.try_into().ok()).map(i64::from_be_bytes);
    Ok(id.ok_or(AccountError::Invitation(LinkProblem::Invalid))?)
}

async fn latest(state: &CoreState) -> sqlx::Result<InvitationList> {
    let rows = sqlx::query!(
        r#"select i.id, u.username as made_by, i.created_at, i.expires_at, i.seats, i.taken,
            i.expires_at <= coalesce($1, clock_timestamp()) or i.taken = i.seats as "is_over!",
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
        people: row.seats,
        came: row.taken,
        names: row.names,
        is_over: row.is_over,
        link: link(state, InvitationId(row.id)),
    });
    Ok(InvitationList { results: results.collect() })
}

async fn page(state: &CoreState, layout: Layout, form: Form) -> sqlx::Result<InvitationsPage> {
    let data = latest(state).await?;
    Ok(InvitationsPage { layout, form, data, registration: state.policy.registration })
}

pub async fn list_invitations(
    user: CurrentUser,
    layout: Layout,
    state: web::Data<AppState>,
) -> Result<PageResponse<InvitationsPage>, AppError> {
    user.require_staff()?;
    let form = Form::prefilled(&[("people", "1"), ("days", "7")]);
    Ok(PageResponse::new(page(&state, layout, form).await?))
}

pub async fn create_invitation(
    payload: Payload<NewInvitation>,
    user: CurrentUser,
    layout: Layout,
    state: web::Data<AppState>,
) -> Result<FormResponse<Invitation, InvitationsPage, 201>, AppError> {
    let act = async |NewInvitation { people, days }| {
        user.require_staff()?;
        let invitation = make(&state, &user, people, days).await?;
        tracing::info!(user_id = user.id.0, invitation_id = invitation.id.0, people, days, "invitation created");
        let message = phrase!("done-invitation-created", time = PhraseValue::Minute(invitation.expires_at));
        Ok(ActionResult::new(invitation, urls::INVITATIONS.pattern).with_message(message))
    };
    let shown = async |form: Form, _: &AppError| {
        if !user.is_staff() {
            return None;
        }
        page(&state, layout, form).await.ok()
    };
    handle_form(payload, act, shown).await
}

async fn make(state: &CoreState, user: &CurrentUser, people: i32, days: i32) -> Result<Invitation, AppError> {
    let row = sqlx::query!(
        r#"insert into invitations (made_by, created_at, expires_at, seats)
        select $1, clock.now, clock.now + make_interval(secs => $2), $3
        from (select coalesce($4, clock_timestamp()) as now) clock
        returning id, created_at, expires_at"#,
        user.id.0,
        TimeDelta::days(days.into()).as_seconds_f64(),
        people,
        state.clock.now(),
    );
    let mut transaction = state.pool.begin().await?;
    let row = row.fetch_one(&mut *transaction).await?;
    let details = json!({ "invitation": row.id, "people": people, "days": days });
    let entry = NewEntry::new(AuditAction::MakeInvitation).with_details(details);
    entry.insert(user, &mut transaction, &state.clock).await?;
    commit(transaction).await?;
    let id = InvitationId(row.id);
    Ok(Invitation {
        id,
        made_by: user.username.clone(),
        created_at: row.created_at,
        expires_at: row.expires_at,
        people,
        came: 0,
        names: Vec::new(),
        is_over: false,
        link: link(state, id),
    })
}

/// Accounts that were created with the invitation are not affected.
pub async fn end_invitation(
    _: NoInput,
    user: CurrentUser,
    InvitationId(id): InvitationId,
    state: web::Data<AppState>,
) -> Result<EmptyResult, AppError> {
    user.require_staff()?;
    let ended = sqlx::query!(
        "update invitations set expires_at = least(expires_at, coalesce($2, clock_timestamp())) where id = $1",
        id,
        state.clock.now(),
    );
    let mut transaction = state.pool.begin().await?;
    if ended.execute(&mut *transaction).await?.rows_affected() == 0 {
        return Err(AppError::NotFound);
    }
    let entry = NewEntry::new(AuditAction::EndInvitation).with_details(json!({ "invitation": id }));
    entry.insert(&user, &mut transaction, &state.clock).await?;
    commit(transaction).await?;
    tracing::info!(user_id = user.id.0, invitation_id = id, "invitation revoked");
    Ok(EmptyResult::no_content(urls::INVITATIONS.pattern).with_message(phrase!("done-invitation-revoked")))
}

pub async fn check_may_register(state: &CoreState, token: Option<&str>) -> Result<(), AppError> {
    match state.policy.registration {
        RegistrationPolicy::Open => Ok(()),
        RegistrationPolicy::Closed => Err(AccountError::RegistrationClosed.into()),
        RegistrationPolicy::Invite => {
            let id = open(&state.keys, token.ok_or(AccountError::InvitationNeeded)?)?;
            let mut connection = state.pool.acquire().await?;
            problem(&mut connection, state, id)
                .await?
                .map_or(Ok(()), |problem| Err(AccountError::Invitation(problem).into()))
        }
    }
}

async fn problem(connection: &mut PgConnection, state: &CoreState, id: i64) -> sqlx::Result<Option<LinkProblem>> {
    let row = sqlx::query!(
        r#"select expires_at <= coalesce($2, clock_timestamp()) as "is_old!", taken >= seats as "is_full!"
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

/// Returns the id of the invitation, or `None` if registration is open.
pub async fn redeem_invitation(
    connection: &mut PgConnection,
    state: &CoreState,
    token: Option<&str>,
) -> Result<Option<i64>, AppError> {
    match state.policy.registration {
        RegistrationPolicy::Open => return Ok(None),
        RegistrationPolicy::Closed => return Err(AccountError::RegistrationClosed.into()),
        RegistrationPolicy::Invite => {}
    }
    let id = open(&state.keys, token.ok_or(AccountError::InvitationNeeded)?)?;
    let seat = sqlx::query!(
        "update invitations set taken = taken + 1
        where id = $1 and taken < seats and expires_at > coalesce($2, clock_timestamp())",
        id,
        state.clock.now(),
    );
    if seat.execute(&mut *connection).await?.rows_affected() == 1 {
        return Ok(Some(id));
    }
    let problem = problem(connection, state, id).await?.unwrap_or(LinkProblem::Used);
    Err(AccountError::Invitation(problem).into())
}
