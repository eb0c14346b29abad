//! Confirmation page and form handler of bulk actions.

use actix_session::Session;
use actix_web::{Either, web};
use askama::Template;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use sqlx::PgConnection;

use super::action::{ActionContext, ActionTarget, ExtraField, RowAction, SkipReason};
use super::input::{BulkActionForm, KEY_SEPARATOR, SelectedRowKeys};
use super::registry::find_action;
use crate::access::Role;
use crate::admin::admin_list::list_path_from_query;
use crate::admin::urls;
use crate::audit_log::NewEntry;
use crate::i18n::{Phrase, filters};
use crate::state::AppState;
use crate::text::query_string;
use crate::users::models::{current_role, lock_account, lock_staff};
use crate::web::error::AppError;
use crate::web::request::body::Payload;
use crate::web::request::current_user::{CurrentUser, UserId};
use crate::web::request::form_field::Field as _;
use crate::web::request::format::ResponseFormat;
use crate::web::request::query::Query;
use crate::web::response::form::Form;
use crate::web::response::layout::Layout;
use crate::web::response::messages::MessageLink;
use crate::web::response::view::{ActionResult, EmptyResult, FormResponse, PageResponse, handle_form};
use crate::web::state::CoreState;
use crate::{page, phrase};

/// Rows that an action will affect or has affected.
#[derive(Debug, JsonSchema, Serialize)]
pub struct BulkActionSummary {
    /// Name of the action.
    act: &'static str,
    /// Rows to which the action applies, and accounts that it skips.
    rows: Vec<ActionTarget>,
    /// Number of rows to which the action applies.
    count: usize,
    /// Number of selected rows to which the action cannot be applied, or which were deleted after they were selected.
    skipped_count: usize,
}

impl BulkActionSummary {
    fn new(action: &dyn RowAction, rows: Vec<ActionTarget>, selected: &SelectedRowKeys) -> Self {
        let count = rows.iter().filter(|row| row.is_affected()).count();
        Self { act: action.name(), rows, count, skipped_count: selected.0.len().saturating_sub(count) }
    }

    fn affected(&self) -> impl Iterator<Item = &ActionTarget> {
        self.rows.iter().filter(|row| row.is_affected())
    }

    fn selected(&self) -> String {
        self.affected().map(|row| row.key.as_str()).collect::<Vec<_>>().join(&KEY_SEPARATOR.to_string())
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
    action: &'static dyn RowAction,
    needs_password: bool,
}

page!(BulkActionPage, data: BulkActionSummary);

impl BulkActionPage {
    async fn load(
        mut context: ActionContext<'_>,
        layout: Layout,
        form: Form,
        action: &'static dyn RowAction,
        selected: &SelectedRowKeys,
        list: String,
    ) -> Result<Self, AppError> {
        context.by.require_role(action.properties().role)?;
        // The confirmation page keeps no locks: without a transaction, `PostgreSQL` releases row locks after each
        // query.
        let rows = find_rows(&mut context, action, selected).await?;
        let needs_password = action.properties().requires_reauthentication && !context.by.is_confirmed;
        Ok(Self { layout, form, data: BulkActionSummary::new(action, rows, selected), list, action, needs_password })
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

fn list_path(query: &Query, action: &dyn RowAction) -> Result<String, AppError> {
    list_path_from_query(query, action.properties().lists.first().map_or(urls::ADMIN.pattern, |list| list.pattern))
}

pub async fn bulk_action_form(
    user: CurrentUser,
    layout: Layout,
    format: ResponseFormat,
    query: Query,
    state: web::Data<AppState>,
) -> Result<Either<PageResponse<BulkActionPage>, EmptyResult>, AppError> {
    let action = <&'static dyn RowAction>::from_text(&query.get("act")?.unwrap_or_default());
    let action = action.map_err(|message| AppError::invalid_field("act", message))?;
    let list = list_path(&query, action)?;
    let selected = query.get_all("selected")?;
    let selected = SelectedRowKeys::new(selected.iter().flat_map(|key| key.split(KEY_SEPARATOR)));
    let selected = match selected {
        Err(message) if format == ResponseFormat::Html => {
            return Ok(Either::Right(EmptyResult::no_content(&list).with_message(message)));
        }
        selected => selected.map_err(|message| AppError::invalid_field("selected", message))?,
    };
    let connection = &mut *state.pool.acquire().await?;
    let context = ActionContext { connection, state: &state, by: &user, input: None };
    let page = BulkActionPage::load(context, layout, Form::default(), action, &selected, list).await?;
    Ok(Either::Left(PageResponse::new(page)))
}

pub async fn apply_bulk_action(
    payload: Payload<BulkActionForm>,
    user: CurrentUser,
    layout: Layout,
    session: Session,
    query: Query,
    state: web::Data<AppState>,
) -> Result<FormResponse<BulkActionSummary, BulkActionPage>, AppError> {
    let again =
        (find_action(payload.submitted_value("act")), SelectedRowKeys::from_text(payload.submitted_value("selected")));
    let act = async |BulkActionForm { action, selected, input, password }: BulkActionForm| {
        user.require_role(action.properties().role)?;
        let list = list_path(&query, action)?;
        if action.properties().requires_reauthentication {
            state.accounts.require_recent_password(&state, &session, &user, password).await?;
        }
        let (by, app) = (user.clone(), state.clone());
        let apply = async move |connection: &mut PgConnection, _: &CoreState| {
            let context = ActionContext { connection, state: &app, by: &by, input: Some(&input) };
            apply_action(context, action, &selected).await
        };
        let data = state.transaction_then(apply, move |state, _| action.after_commit(state)).await?;
        tracing::info!(act = action.name(), count = data.count, "bulk action applied");
        Ok(success(action, data, &list))
    };
    let page = async |form: Form, error: &AppError| {
        let (Some(action), Ok(selected)) = again else { return None };
        let list = list_path(&query, action).ok()?;
        let needs_password = matches!(error, AppError::Invalid(errors) if errors.contains_key("current_password"));
        let connection = &mut *state.pool.acquire().await.ok()?;
        let context = ActionContext { connection, state: &state, by: &user, input: None };
        let page = BulkActionPage::load(context, layout, form, action, &selected, list).await.ok()?;
        Some(BulkActionPage { needs_password: needs_password || page.needs_password, ..page })
    };
    handle_form(payload, act, page).await
}

async fn apply_action(
    mut context: ActionContext<'_>,
    action: &dyn RowAction,
    selected: &SelectedRowKeys,
) -> Result<BulkActionSummary, AppError> {
    let ActionContext { state, by, .. } = context;
    let properties = action.properties();
    // The acting account, which audit log entries reference, is locked before the rows to avoid deadlocks.
    if properties.locks_staff {
        lock_staff(context.connection).await?;
    } else {
        lock_account(context.connection, by.id, None).await?;
    }
    let rows = find_rows(&mut context, action, selected).await?;
    if rows.is_empty() {
        return Err(AppError::invalid_field("selected", phrase!("invalid-no-rows-left")));
    }
    // The role is checked again after locking, because an owner may have changed it meanwhile.
    if current_role(context.connection, &state.clock, by.id).await? < Some(properties.role) {
        return Err(AppError::RoleNeeded { role: properties.role });
    }
    let order: Vec<String> = rows.iter().map(|row| row.key.clone()).collect();
    let (mut affected, mut rows): (Vec<_>, Vec<_>) = rows.into_iter().partition(ActionTarget::is_affected);
    if !affected.is_empty() {
        action.apply(&mut context, &mut affected).await?;
    }
    for row in &affected {
        let mut details = row.details.clone();
        if properties.reason_hint.is_some() {
            details["reason"] = json!(context.reason());
        }
        let entry = NewEntry::new(properties.audit_action).with_details(details);
        let entry = row.user.into_iter().fold(entry, NewEntry::for_user);
        let entry = row.post.into_iter().fold(entry, NewEntry::for_post);
        entry.insert(by, context.connection, &state.clock).await?;
    }
    rows.append(&mut affected);
    rows.sort_by_key(|row| order.iter().position(|key| *key == row.key));
    Ok(BulkActionSummary::new(action, rows, selected))
}

/// Finds the selected rows. Skips rows of users whom the acting user does not outrank, except rows of the acting user.
async fn find_rows(
    context: &mut ActionContext<'_>,
    action: &dyn RowAction,
    selected: &SelectedRowKeys,
) -> Result<Vec<ActionTarget>, AppError> {
    let mut rows = action.find_rows(context, &selected.0).await?;
    let users: Vec<i64> = rows.iter().filter_map(|row| row.user).map(|UserId(id)| id).collect();
    let staff = sqlx::query!(
        r#"select id as "id: UserId", staff_role from users where id = any($1) and is_staff and id <> $2"#,
        &users,
        context.by.id.0,
    );
    let staff = staff.fetch_all(&mut *context.connection).await?;
    let is_higher = |id| {
        let role = staff.iter().find(|staff| staff.id == id).and_then(|staff| Role::from_name(&staff.staff_role));
        !context.by.outranks(role)
    };
    for row in &mut rows {
        row.skipped = row.skipped.or_else(|| row.user.filter(|id| is_higher(*id)).map(|_| SkipReason::Staff));
    }
    Ok(rows)
}

fn success(action: &dyn RowAction, data: BulkActionSummary, list: &str) -> ActionResult<BulkActionSummary> {
    let first = data.affected().next().map(|row| row.label.clone());
    let Some(first) = first else {
        return ActionResult::new(data, list).with_message(phrase!("action-affected-none"));
    };
    let message = action.message("-done").with_argument("count", data.count).with_argument("name", first);
    let inverse = action.properties().inverse.and_then(find_action).map(|inverse| MessageLink {
        path: format!(
            "{}{}",
            urls::BULK_ACTION.pattern,
            query_string(&[("act", Some(inverse.name())), ("selected", Some(&data.selected())), ("list", Some(list))])
        ),
        text: inverse.label(),
    });
    ActionResult::new(data, list).with_message(message).with_link(inverse)
}
