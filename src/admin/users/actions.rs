//! Bulk actions on user accounts: confirmation page and form handler.

use actix_session::Session;
use actix_web::{Either, web};
use askama::Template;
use schemars::JsonSchema;
use serde::Serialize;

use super::action_input::{UserActionForm, UserActionKind, Usernames};
use crate::admin::admin_list::path_of_list;
use crate::admin::urls;
use crate::i18n::{self, Phrase, filters};
use crate::page;
use crate::phrase;
use crate::users::AccountServices;
use crate::users::staff_actions::{self, SkipReason, UserAction, UserTarget};
use crate::web::error::AppError;
use crate::web::request::body::Payload;
use crate::web::request::current_user::CurrentUser;
use crate::web::request::form_field::Field;
use crate::web::request::format::ResponseFormat;
use crate::web::request::query::Query;
use crate::web::request::role::Role;
use crate::web::response::form::Form;
use crate::web::response::layout::Layout;
use crate::web::response::messages::MessageLink;
use crate::web::response::text::query_string;
use crate::web::response::view::{ActionResult, EmptyResult, FormResponse, PageResponse, handle_form};
use crate::web::state::AppState;

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
            staff_actions::recheck_role(connection, &state.clock, &by, &action).await?;
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
        let users = state.transaction_then(all, |state, _| state.mail.wake_delivery()).await?;
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
