//! Confirmation page and form handler of bulk actions.

use std::collections::HashSet;

use actix_session::Session;
use actix_web::{Either, web};
use askama::Template;
use schemars::{JsonSchema, Schema, json_schema};
use serde::Serialize;
use serde_json::Value;

use super::bulk_action::{BulkAction, MAX_SELECTED_ROWS};
use super::targets;
use super::targets::ActionTarget;
use crate::admin::admin_list::path_of_list;
use crate::admin::urls;
use crate::i18n::{Phrase, filters};
use crate::page;
use crate::phrase;
use crate::rate::ZombiePauses;
use crate::users::{AccountServices, Password};
use crate::web::error::AppError;
use crate::web::request::body::Payload;
use crate::web::request::current_user::CurrentUser;
use crate::web::request::form_field::{Field, Fields, FormInput, ReasonField};
use crate::web::request::format::ResponseFormat;
use crate::web::request::query::Query;
use crate::web::response::form::Form;
use crate::web::response::layout::Layout;
use crate::web::response::messages::MessageLink;
use crate::web::response::text::query_string;
use crate::web::response::view::{ActionResult, EmptyResult, FormResponse, PageResponse, handle_form};
use crate::web::state::AppState;

/// Separator of the row keys in the `picks` field. A newline cannot occur in a row key.
const KEY_SEPARATOR: char = '\n';

/// Keys of the selected rows, at most [`MAX_SELECTED_ROWS`].
#[derive(Clone, Debug)]
pub struct SelectedRowKeys(Vec<String>);

impl SelectedRowKeys {
    fn new<'a>(picks: impl Iterator<Item = &'a str>) -> Result<Self, Phrase> {
        let mut picks: Vec<String> = picks.map(str::trim).filter(|pick| !pick.is_empty()).map(str::to_owned).collect();
        let mut known = HashSet::new();
        picks.retain(|pick| known.insert(pick.clone()));
        match picks.len() {
            0 => Err(phrase!("invalid-no-rows")),
            // PostgreSQL rejects NUL in text, so no row can have such a key.
            _ if picks.iter().any(|pick| pick.contains('\0')) => Err(phrase!("invalid-no-rows")),
            1..=MAX_SELECTED_ROWS => Ok(Self(picks)),
            _ => Err(phrase!("invalid-too-many-rows", most = MAX_SELECTED_ROWS)),
        }
    }
}

impl Field for SelectedRowKeys {
    const MISSING: &'static str = "invalid-no-rows";

    fn from_text(text: &str) -> Result<Self, Phrase> {
        Self::new(text.split(KEY_SEPARATOR))
    }

    fn from_json(value: &Value) -> Result<Self, Phrase> {
        match value {
            Value::String(text) => Self::from_text(text),
            Value::Array(picks) => {
                let texts: Vec<String> =
                    picks.iter().map(|pick| pick.as_str().map_or_else(|| pick.to_string(), str::to_owned)).collect();
                Self::new(texts.iter().map(String::as_str))
            }
            _ => Err(phrase!("invalid-no-rows")),
        }
    }

    fn schema() -> Schema {
        json_schema!({
            "type": ["array", "string"], "minLength": 1, "items": { "type": ["string", "integer"] }, "minItems": 1, "maxItems": MAX_SELECTED_ROWS, "description": "Keys of the rows"
        })
    }
}

impl Field for BulkAction {
    fn from_text(text: &str) -> Result<Self, Phrase> {
        Self::ALL.into_iter().find(|action| action.name() == text).ok_or_else(|| phrase!("invalid-action"))
    }

    fn schema() -> Schema {
        json_schema!({ "type": "string", "enum": Self::ALL.map(Self::name) })
    }
}

#[derive(Debug)]
pub struct BulkActionForm {
    action: BulkAction,
    picks: SelectedRowKeys,
    reason: ReasonField,
    password: Option<Password>,
}

impl FormInput for BulkActionForm {
    const MAX_BYTES: usize = 64 * 1024;

    fn read(fields: &mut Fields) -> Option<Self> {
        let (action, picks) = (fields.take::<BulkAction>("act"), fields.take::<SelectedRowKeys>("picks"));
        let (reason, password) = (fields.take("reason"), Password::take_current_password(fields)?);
        Some(Self { action: action?, picks: picks?, reason: reason?, password })
    }
}

/// Rows that a bulk action will affect or has affected.
#[derive(Debug, JsonSchema, Serialize)]
pub struct BulkActionSummary {
    /// Name of the action.
    act: &'static str,
    /// Rows to which the action applies.
    rows: Vec<ActionTarget>,
    /// Number of selected rows to which the action cannot be applied, or which were deleted after they were selected.
    passed_over: usize,
}

impl BulkActionSummary {
    fn new(action: BulkAction, rows: Vec<ActionTarget>, picks: &SelectedRowKeys) -> Self {
        let passed_over = picks.0.len().saturating_sub(rows.len());
        Self { act: action.name(), rows, passed_over }
    }
}

#[derive(Template)]
#[template(path = "admin/act.html")]
pub struct BulkActionPage {
    layout: Layout,
    form: Form,
    data: BulkActionSummary,
    /// Path of the list, with its filters.
    list: String,
    action: BulkAction,
    needs_password: bool,
}

page!(BulkActionPage, data: BulkActionSummary);

impl BulkActionPage {
    async fn of(
        state: &AppState,
        user: &CurrentUser,
        layout: Layout,
        form: Form,
        action: BulkAction,
        picks: &SelectedRowKeys,
        list: String,
    ) -> Result<Self, AppError> {
        user.require_role(action.required_role())?;
        // No transaction is started. Therefore PostgreSQL releases the row locks of `lock_targets` as soon as the query
        // has finished.
        let rows = targets::lock_targets(&mut *state.pool.acquire().await?, state, user, action, &picks.0).await?;
        let needs_password = action.requires_reauthentication() && !user.is_confirmed;
        Ok(Self { layout, form, data: BulkActionSummary::new(action, rows, picks), list, action, needs_password })
    }

    fn picks(&self) -> String {
        let picks = self.data.rows.iter().map(|row| row.pick.as_str());
        picks.collect::<Vec<_>>().join(&KEY_SEPARATOR.to_string())
    }

    fn list_query(&self) -> String {
        query_string(&[("list", Some(&self.list))])
    }

    fn title(&self) -> Phrase {
        self.action.label()
    }

    fn what(&self) -> Phrase {
        self.action.message("-what")
    }
}

pub async fn bulk_action_form(
    user: CurrentUser,
    layout: Layout,
    format: ResponseFormat,
    query: Query,
    state: web::Data<AppState>,
) -> Result<Either<PageResponse<BulkActionPage>, EmptyResult>, AppError> {
    let action = BulkAction::from_text(&query.get("act")?.unwrap_or_default());
    let action = action.map_err(|message| AppError::invalid_field("act", message))?;
    let list = path_of_list(&query, action.list_path())?;
    let picks = query.get_all("pick")?;
    let picks = SelectedRowKeys::new(picks.iter().flat_map(|pick| pick.split(KEY_SEPARATOR)));
    let picks = match picks {
        // Without a valid selection, redirects to the list with an error message.
        Err(message) if format == ResponseFormat::Html => {
            return Ok(Either::Right(EmptyResult::no_content(&list).with_message(message)));
        }
        picks => picks.map_err(|message| AppError::invalid_field("pick", message))?,
    };
    let page = BulkActionPage::of(&state, &user, layout, Form::default(), action, &picks, list).await?;
    Ok(Either::Left(PageResponse::new(page)))
}

/// Applies the action to all selected rows in one transaction.
pub async fn apply_bulk_action(
    payload: Payload<BulkActionForm>,
    user: CurrentUser,
    layout: Layout,
    session: Session,
    query: Query,
    state: web::Data<AppState>,
    accounts: web::Data<AccountServices>,
    pauses: web::Data<ZombiePauses>,
) -> Result<FormResponse<BulkActionSummary, BulkActionPage>, AppError> {
    let again = (
        BulkAction::from_text(payload.submitted_value("act")),
        SelectedRowKeys::from_text(payload.submitted_value("picks")),
    );
    let act = async |BulkActionForm { action, picks, reason, password }: BulkActionForm| {
        user.require_role(action.required_role())?;
        let list = path_of_list(&query, action.list_path())?;
        if action == BulkAction::Pause && pauses.limiter().is_none() {
            return Err(AppError::invalid_field("act", phrase!("invalid-pauses-off")));
        }
        if action.requires_reauthentication() {
            accounts.require_recent_password(&state, &session, &user, password).await?;
        }
        let by = user.clone();
        let all = async move |connection: &mut sqlx::PgConnection, state: &AppState| {
            let rows = targets::lock_targets(connection, state, &by, action, &picks.0).await?;
            if rows.is_empty() {
                return Err(AppError::invalid_field("picks", phrase!("invalid-no-rows-left")));
            }
            targets::apply_to_targets(connection, state, &by, action, &rows, reason.as_str()).await?;
            Ok(BulkActionSummary::new(action, rows, &picks))
        };
        let refresh = move |state: &AppState, data: &BulkActionSummary| {
            refresh_memory(state, action, data.rows.len());
        };
        let data = state.transaction_then(all, refresh).await?;
        Ok(success(action, data, &list))
    };
    let page = async |form: Form, error: &AppError| {
        let (Ok(action), Ok(picks)) = again else { return None };
        let list = path_of_list(&query, action.list_path()).ok()?;
        let needs_password = matches!(error, AppError::Invalid(errors) if errors.contains_key("current_password"));
        let page = BulkActionPage::of(&state, &user, layout, form, action, &picks, list).await.ok()?;
        Some(BulkActionPage { needs_password: needs_password || page.needs_password, ..page })
    };
    handle_form(payload, act, page).await
}

/// Updates this instance after the commit: invalidates the page cache, and wakes the delivery of emails.
fn refresh_memory(state: &AppState, action: BulkAction, count: usize) {
    match action {
        BulkAction::Unpublish => {
            state.page_cache.invalidate();
            state.mail.wake_delivery();
        }
        BulkAction::Publish => state.page_cache.invalidate(),
        BulkAction::SendMails => state.mail.wake_delivery(),
        BulkAction::Pause
        | BulkAction::LiftPauses
        | BulkAction::EndSessions
        | BulkAction::EndInvitations
        | BulkAction::DeleteMails
        | BulkAction::SendWebhooks
        | BulkAction::DeleteLimiterStates
        | BulkAction::ResetLimiter => {}
    }
    tracing::info!(act = action.name(), count, "bulk action applied");
}

/// Success message, with a link to the inverse action if there is one.
fn success(action: BulkAction, data: BulkActionSummary, list: &str) -> ActionResult<BulkActionSummary> {
    let count = data.rows.len();
    let message = action.message("-done").with_argument("count", count);
    let picks: Vec<&str> = data.rows.iter().map(|row| row.pick.as_str()).collect();
    let between = KEY_SEPARATOR.to_string();
    let back = action.inverse().map(|back| MessageLink {
        path: format!(
            "{}{}",
            urls::BULK_ACTION.pattern,
            query_string(&[("act", Some(back.name())), ("pick", Some(&picks.join(&between))), ("list", Some(list))])
        ),
        text: back.label(),
    });
    ActionResult::new(data, list).with_message(message).with_link(back)
}
