//! Bulk actions on user accounts: confirmation page and form handler.

use std::time::Duration;

use actix_session::Session;
use actix_web::{Either, web};
use askama::Template;
use schemars::{JsonSchema, Schema, json_schema};
use serde::Serialize;
use serde_json::Value;

use crate::admin::admin_list::{ActionChoice, path_of_list};
use crate::admin::urls;
use crate::i18n::{self, Phrase, filters};
use crate::page;
use crate::phrase;
use crate::users::staff_actions::{self, MAX_ACCOUNTS_PER_ACTION, SkipReason, UserAction, UserTarget};
use crate::users::{AccountServices, Password, Username};
use crate::web::error::AppError;
use crate::web::request::body::Payload;
use crate::web::request::current_user::CurrentUser;
use crate::web::request::form_field::{Field, Fields, FormInput, ReasonField};
use crate::web::request::format::ResponseFormat;
use crate::web::request::query::Query;
use crate::web::request::role::Role;
use crate::web::response::form::Form;
use crate::web::response::layout::Layout;
use crate::web::response::messages::MessageLink;
use crate::web::response::text::query_string;
use crate::web::response::view::{ActionResult, EmptyResult, FormResponse, PageResponse, handle_form};
use crate::web::state::AppState;

/// Maximum length of a temporary block, in days.
const MAX_BLOCK_DAYS: u32 = 3_650;

/// Normalized usernames (see [`Username::key`]).
#[derive(Clone, Debug)]
pub struct Usernames(Vec<String>);

impl Usernames {
    fn of<'a>(names: impl Iterator<Item = &'a str>) -> Result<Self, Phrase> {
        let keys = names.map(str::trim).filter(|name| !name.is_empty());
        let keys = keys.map(|name| Username::parse_lenient(name).map(|name| name.key().to_owned()));
        let keys = keys.collect::<Result<Vec<_>, _>>()?;
        match keys.len() {
            0 => Err(phrase!("invalid-no-users")),
            1..=MAX_ACCOUNTS_PER_ACTION => Ok(Self(keys)),
            count => Err(phrase!("invalid-too-many-users", most = MAX_ACCOUNTS_PER_ACTION, count = count)),
        }
    }
}

impl Field for Usernames {
    const MISSING: &'static str = "invalid-no-users";

    fn from_text(text: &str) -> Result<Self, Phrase> {
        Self::of(text.split(','))
    }

    fn from_json(value: &Value) -> Result<Self, Phrase> {
        match value {
            Value::String(text) => Self::from_text(text),
            Value::Array(names) => Self::of(names.iter().map(|name| name.as_str().unwrap_or_default())),
            _ => Err(phrase!("invalid-no-users")),
        }
    }

    fn schema() -> Schema {
        json_schema!({ "type": ["array", "string"], "minLength": 1, "items": { "type": "string" }, "minItems": 1, "maxItems": MAX_ACCOUNTS_PER_ACTION, "description": "Usernames" })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UserActionKind {
    Block,
    Unblock,
    ResetWarning,
    SignOut,
    ResetPassword,
    Role,
}

impl UserActionKind {
    pub const ALL: [Self; 6] =
        [Self::Block, Self::Unblock, Self::ResetWarning, Self::SignOut, Self::ResetPassword, Self::Role];

    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Block => "block",
            Self::Unblock => "unblock",
            Self::ResetWarning => "reset_warning",
            Self::SignOut => "sign_out",
            Self::ResetPassword => "reset_password",
            Self::Role => "role",
        }
    }

    fn label(self) -> Phrase {
        match self {
            Self::Block => phrase!("users-block"),
            Self::Unblock => phrase!("users-unblock"),
            Self::ResetWarning => phrase!("users-reset-warning"),
            Self::SignOut => phrase!("users-sign-out"),
            Self::ResetPassword => phrase!("users-reset-password"),
            Self::Role => phrase!("users-role"),
        }
    }

    /// Names and labels of the actions that the user's role permits.
    pub fn choices_for(user: &CurrentUser) -> Vec<ActionChoice> {
        let may = Self::ALL.into_iter().filter(|kind| user.has_role(kind.action().required_role()));
        may.map(|kind| (kind.name(), kind.label())).collect()
    }

    /// Description of the consequences of the action.
    fn description(self) -> Phrase {
        match self {
            Self::Block => phrase!("users-block-description"),
            Self::Unblock => phrase!("users-unblock-description"),
            Self::ResetWarning => phrase!("users-reset-warning-description"),
            Self::SignOut => phrase!("users-sign-out-description"),
            Self::ResetPassword => phrase!("users-reset-password-description"),
            Self::Role => phrase!("users-role-description"),
        }
    }

    /// Action with empty values, for permission checks before the form is filled in.
    fn action(self) -> UserAction {
        match self {
            Self::Block => UserAction::Block { reason: String::new(), length: None },
            Self::Unblock => UserAction::Unblock,
            Self::ResetWarning => UserAction::ResetWarning,
            Self::SignOut => UserAction::SignOut,
            Self::ResetPassword => UserAction::ResetPassword,
            Self::Role => UserAction::Role { role: None, reason: String::new() },
        }
    }
}

impl Field for UserActionKind {
    fn from_text(text: &str) -> Result<Self, Phrase> {
        Self::ALL.into_iter().find(|kind| kind.name() == text).ok_or_else(|| phrase!("invalid-action"))
    }

    fn schema() -> Schema {
        json_schema!({ "type": "string", "enum": Self::ALL.map(Self::name) })
    }
}

/// Length of a block in days; `None` for a permanent block.
#[derive(Clone, Copy, Debug)]
struct BlockDays(Option<u32>);

impl Field for BlockDays {
    fn from_text(text: &str) -> Result<Self, Phrase> {
        if text.trim().is_empty() {
            return Ok(Self(None));
        }
        let days = text.trim().parse().ok().filter(|days| (1..=MAX_BLOCK_DAYS).contains(days));
        days.map(|days| Self(Some(days))).ok_or_else(|| phrase!("invalid-block-days", most = MAX_BLOCK_DAYS))
    }

    fn from_json(value: &Value) -> Result<Self, Phrase> {
        match value {
            Value::Null => Ok(Self(None)),
            value => Self::from_text(&value.to_string()),
        }
    }

    fn schema() -> Schema {
        json_schema!({ "type": ["integer", "null"], "minimum": 1, "maximum": MAX_BLOCK_DAYS })
    }
}

/// Staff role to assign; `None` removes the user from staff.
#[derive(Clone, Copy, Debug)]
struct RoleOrNone(Option<Role>);

impl Field for RoleOrNone {
    fn from_text(text: &str) -> Result<Self, Phrase> {
        match text {
            "none" => Ok(Self(None)),
            name => Role::from_name(name).map(|role| Self(Some(role))).ok_or_else(|| phrase!("invalid-staff-role")),
        }
    }

    fn schema() -> Schema {
        json_schema!({ "type": "string", "enum": ["none", "moderator", "admin", "owner"] })
    }
}

#[derive(Debug)]
pub struct UserActionForm {
    names: Usernames,
    action: UserAction,
    password: Option<Password>,
}

impl FormInput for UserActionForm {
    fn read(fields: &mut Fields) -> Option<Self> {
        let (names, kind) = (fields.take::<Usernames>("users"), fields.take::<UserActionKind>("act"));
        let password = Password::take_current_password(fields)?;
        let action = match kind? {
            UserActionKind::Block => {
                let (reason, days) = (fields.take::<ReasonField>("reason"), fields.take_optional::<BlockDays>("days"));
                let days = days?.and_then(|days| days.0);
                let length = days.map(|days| Duration::from_hours(24 * u64::from(days)));
                UserAction::Block { reason: reason?.as_str().to_owned(), length }
            }
            UserActionKind::Role => {
                let (role, reason) = (fields.take::<RoleOrNone>("role"), fields.take::<ReasonField>("reason"));
                UserAction::Role { role: role?.0, reason: reason?.as_str().to_owned() }
            }
            kind => kind.action(),
        };
        Some(Self { names: names?, action, password })
    }

    fn describe(fields: &mut Fields) {
        fields.take::<Usernames>("users");
        fields.take::<UserActionKind>("act");
        let _ = Password::take_current_password(fields);
        fields.take_optional::<ReasonField>("reason");
        fields.take_optional::<BlockDays>("days");
        fields.take_optional::<RoleOrNone>("role");
    }
}

/// User account selected for an action, with the reason if the action skips the account.
#[derive(Debug, JsonSchema, Serialize)]
pub struct SelectedUser {
    username: String,
    /// Staff role; `None` if the user is not staff.
    role: Option<Role>,
    /// Reason why the action skips the user: `own`, `staff`, `already`, `unreachable` or `unknown`. `None` if the
    /// action applies.
    passed_over: Option<&'static str>,
    #[serde(skip)]
    why: Option<Phrase>,
}

impl SelectedUser {
    fn of(by: &CurrentUser, action: &UserAction, subject: &UserTarget) -> Self {
        let passed_over = action.check(by, subject).err();
        let (name, why) = match passed_over {
            None => (None, None),
            Some(SkipReason::OwnAccount) => (Some("own"), Some(phrase!("users-skipped-own"))),
            Some(SkipReason::NotOutranked) => (Some("staff"), Some(phrase!("users-skipped-staff"))),
            Some(SkipReason::NoMail) => (Some("unreachable"), Some(phrase!("users-skipped-unreachable"))),
            Some(SkipReason::AlreadyDone) => (Some("already"), Some(phrase!("users-skipped-unchanged"))),
        };
        Self { username: subject.username.clone(), role: subject.role, passed_over: name, why }
    }

    fn path(&self) -> String {
        urls::user_path(&self.username)
    }
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct UserActionSummary {
    act: &'static str,
    users: Vec<SelectedUser>,
    /// Number of users that the action applies to.
    count: usize,
}

#[derive(Template)]
#[template(path = "admin/users_act.html")]
pub struct UserActionPage {
    layout: Layout,
    form: Form,
    data: UserActionSummary,
    /// Path of the list, with its filters.
    list: String,
    kind: UserActionKind,
    needs_password: bool,
}

page!(UserActionPage, data: UserActionSummary);

impl UserActionPage {
    async fn of(
        state: &AppState,
        user: &CurrentUser,
        layout: Layout,
        form: Form,
        kind: UserActionKind,
        names: &Usernames,
        list: String,
    ) -> Result<Self, AppError> {
        user.require_role(kind.action().required_role())?;
        let subjects = staff_actions::lock_targets(&mut *state.pool.acquire().await?, state, &names.0, None).await?;
        let action = kind.action();
        // The new role has not been selected yet, so users are not skipped for already having the role.
        let considered = |subject: &UserTarget| match (kind, SelectedUser::of(user, &action, subject)) {
            (UserActionKind::Role, one) if one.passed_over == Some("already") => {
                SelectedUser { passed_over: None, why: None, ..one }
            }
            (_, one) => one,
        };
        let mut users: Vec<_> = subjects.iter().map(considered).collect();
        users.extend(unknown_users(names, &subjects));
        let count = users.iter().filter(|one| one.passed_over.is_none()).count();
        let data = UserActionSummary { act: kind.name(), users, count };
        Ok(Self { layout, form, data, list, kind, needs_password: needs_password(user, kind) })
    }

    /// Comma-separated names of the users that the action applies to, for a hidden field.
    fn names(&self) -> String {
        let names = self.data.users.iter().filter(|one| one.passed_over.is_none()).map(|one| one.username.as_str());
        names.collect::<Vec<_>>().join(",")
    }

    fn list_query(&self) -> String {
        query_string(&[("list", Some(&self.list))])
    }

    fn is_block(&self) -> bool {
        self.kind == UserActionKind::Block
    }

    fn is_role(&self) -> bool {
        self.kind == UserActionKind::Role
    }
}

/// Returns the submitted usernames that do not belong to an account, as skipped users.
fn unknown_users(names: &Usernames, subjects: &[UserTarget]) -> Vec<SelectedUser> {
    let is_known = |name: &&String| subjects.iter().any(|subject| subject.key == **name);
    let unknown = names.0.iter().filter(|name| !is_known(name));
    let considered = |name: &String| SelectedUser {
        username: name.clone(),
        role: None,
        passed_over: Some("unknown"),
        why: Some(phrase!("users-skipped-unknown")),
    };
    unknown.map(considered).collect()
}

/// Returns `true` if the acting user must enter the password again: the action changes a role or resets a password, and
/// the user has not confirmed the password recently.
fn needs_password(user: &CurrentUser, kind: UserActionKind) -> bool {
    matches!(kind, UserActionKind::Role | UserActionKind::ResetPassword) && !user.is_confirmed
}

pub async fn user_action_form(
    user: CurrentUser,
    layout: Layout,
    format: ResponseFormat,
    query: Query,
    state: web::Data<AppState>,
) -> Result<Either<PageResponse<UserActionPage>, EmptyResult>, AppError> {
    let kind = query.get("act")?.unwrap_or_default();
    let kind = UserActionKind::from_text(&kind).map_err(|message| AppError::invalid_field("act", message))?;
    let list = path_of_list(&query, urls::USERS.pattern)?;
    let names = query.get_all("pick")?;
    let names = match Usernames::of(names.iter().flat_map(|name| name.split(','))) {
        // Without a valid selection, redirects to the list with an error message.
        Err(message) if format == ResponseFormat::Html => {
            return Ok(Either::Right(EmptyResult::no_content(&list).with_message(message)));
        }
        names => names.map_err(|message| AppError::invalid_field("pick", message))?,
    };
    let page = UserActionPage::of(&state, &user, layout, Form::default(), kind, &names, list).await?;
    Ok(Either::Left(PageResponse::new(page)))
}

fn kind_of(action: &UserAction) -> UserActionKind {
    match action {
        UserAction::Block { .. } => UserActionKind::Block,
        UserAction::Unblock => UserActionKind::Unblock,
        UserAction::ResetWarning => UserActionKind::ResetWarning,
        UserAction::SignOut => UserActionKind::SignOut,
        UserAction::ResetPassword => UserActionKind::ResetPassword,
        UserAction::Role { .. } => UserActionKind::Role,
    }
}

/// Applies the action to all selected users in one transaction.
pub async fn apply_user_action(
    payload: Payload<UserActionForm>,
    user: CurrentUser,
    layout: Layout,
    session: Session,
    query: Query,
    state: web::Data<AppState>,
    accounts: web::Data<AccountServices>,
) -> Result<FormResponse<UserActionSummary, UserActionPage>, AppError> {
    let list = path_of_list(&query, urls::USERS.pattern)?;
    let again = (
        UserActionKind::from_text(payload.submitted_value("act")),
        Usernames::from_text(payload.submitted_value("users")),
    );
    let act = async |UserActionForm { names, action, password }: UserActionForm| {
        user.require_role(action.required_role())?;
        if let UserAction::Role { .. } | UserAction::ResetPassword = action {
            accounts.require_recent_password(&state, &session, &user, password).await?;
        }
        let kind = kind_of(&action);
        let by = user.clone();
        let all = async move |connection: &mut sqlx::PgConnection, state: &AppState| {
            let subjects = staff_actions::lock_targets(connection, state, &names.0, Some(&action)).await?;
            staff_actions::recheck_role(connection, &by, &action).await?;
            let mut users = unknown_users(&names, &subjects);
            for subject in &subjects {
                let considered = SelectedUser::of(&by, &action, subject);
                if considered.passed_over.is_none() {
                    staff_actions::apply_action(connection, state, &by, subject, &action).await?;
                }
                users.push(considered);
            }
            Ok(users)
        };
        let users = state.transaction(all).await?;
        state.mail.wake_delivery();
        Ok(success(kind, users, &list))
    };
    let page = async |form: Form, error: &AppError| {
        let (Ok(kind), Ok(names)) = again else { return None };
        let needs_password = matches!(error, AppError::Invalid(errors) if errors.contains_key("current_password"));
        let page = UserActionPage::of(&state, &user, layout, form, kind, &names, list.clone()).await.ok()?;
        Some(UserActionPage { needs_password: needs_password || page.needs_password, ..page })
    };
    handle_form(payload, act, page).await
}

/// Success message, with a link to the inverse action if there is one.
fn success(kind: UserActionKind, users: Vec<SelectedUser>, list: &str) -> ActionResult<UserActionSummary> {
    let names: Vec<&str> =
        users.iter().filter(|one| one.passed_over.is_none()).map(|one| one.username.as_str()).collect();
    let (count, first) = (names.len(), names.first().copied().unwrap_or_default());
    tracing::info!(act = kind.name(), count, "bulk action on users applied");
    let words = i18n::PhraseValue::Choice(kind.name().into());
    let message = match count {
        1 => phrase!("done-users-one", act = words, name = first),
        count => phrase!("done-users", act = words, count = count),
    };
    let back = match kind {
        UserActionKind::Block => Some(UserActionKind::Unblock),
        UserActionKind::Unblock => Some(UserActionKind::Block),
        UserActionKind::ResetWarning
        | UserActionKind::SignOut
        | UserActionKind::ResetPassword
        | UserActionKind::Role => None,
    };
    let back = back.filter(|_| count > 0).map(|back| MessageLink {
        path: format!(
            "{}{}",
            urls::USER_ACTION.pattern,
            query_string(&[("act", Some(back.name())), ("pick", Some(&names.join(","))), ("list", Some(list))])
        ),
        text: back.label(),
    });
    let data = UserActionSummary { act: kind.name(), count, users };
    ActionResult::new(data, list).with_message(message).with_link(back)
}
