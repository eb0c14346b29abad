//! Views that list, create, change, test and delete webhooks.

use actix_web::web;
use askama::Template;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use sqlx::PgConnection;

use super::deliveries::{self, DeliveryList};
use super::input::{WebhookChangeInput, WebhookInput};
use crate::admin::admin_list::{AdminTable, BadgeKind, DisplayPart, first_rows};
use crate::admin::urls;
use crate::audit_log::{AuditAction, NewEntry};
use crate::i18n::filters;
use crate::state::AppState;
use crate::web::error::AppError;
use crate::web::request::body::{NoInput, Payload};
use crate::web::request::current_user::CurrentUser;
use crate::web::response::form::Form;
use crate::web::response::layout::Layout;
use crate::web::response::view::{ActionResult, EmptyResult, FormResponse, PageResponse, handle_form};
use crate::web::state::CoreState;
use crate::webhooks::models::{self, Webhook, WebhookChange, WebhookId, format_secret};
use crate::webhooks::payload::TestData;
use crate::webhooks::{WebhookEvent, queue};
use crate::{page, phrase};

const SHOWN_DELIVERIES: usize = 10;

#[derive(Debug, JsonSchema, Serialize)]
pub struct WebhookListData {
    results: Vec<Webhook>,
}

#[derive(Template)]
#[template(path = "admin/webhooks.html")]
pub struct WebhookListPage {
    layout: Layout,
    form: Form,
    data: WebhookListData,
}

page!(WebhookListPage, data: WebhookListData);

impl WebhookListPage {
    async fn load(state: &CoreState, layout: Layout, form: Form) -> sqlx::Result<Self> {
        Ok(Self { layout, form, data: WebhookListData { results: models::list_webhooks(&state.pool).await? } })
    }
}

fn status(webhook: &Webhook) -> [DisplayPart; 1] {
    [match (webhook.disabled_reason.as_deref(), webhook.disabled_at) {
        (Some("gone"), _) => DisplayPart::Badge(BadgeKind::Danger, phrase!("webhooks-gone")),
        (Some(_), _) => DisplayPart::Badge(BadgeKind::Danger, phrase!("webhooks-disabled-failing")),
        (None, Some(_)) => DisplayPart::Badge(BadgeKind::Neutral, phrase!("webhooks-disabled")),
        (None, None) if webhook.failing > 0 => DisplayPart::Badge(BadgeKind::Warning, phrase!("webhooks-failing")),
        (None, None) => DisplayPart::Badge(BadgeKind::Success, phrase!("webhooks-enabled")),
    }]
}

/// Webhook with its secret.
#[derive(Debug, JsonSchema, Serialize)]
pub struct WebhookDetail {
    #[serde(flatten)]
    webhook: Webhook,
    /// Key with which the receiving server verifies the signatures of requests.
    secret: String,
}

#[derive(Template)]
#[template(path = "admin/webhook.html")]
pub struct WebhookPage {
    layout: Layout,
    form: Form,
    data: WebhookDetail,
    deliveries: AdminTable,
    all_deliveries: String,
}

page!(WebhookPage, data: WebhookDetail);

impl WebhookPage {
    async fn load(state: &CoreState, layout: Layout, id: WebhookId, rejected: Option<Form>) -> Result<Self, AppError> {
        let webhook = models::find_webhook(&mut *state.pool.acquire().await?, id).await?.ok_or(AppError::NotFound)?;
        let secret = models::find_secret(&state.pool, id).await?.ok_or(AppError::NotFound)?;
        let id = id.to_string();
        let rows = first_rows(&DeliveryList, state, "webhook", &id, SHOWN_DELIVERIES).await?;
        let checked = webhook.events.iter().filter_map(|name| WebhookEvent::subscribable_from_name(name));
        let stored = checked.map(|event| (event.checkbox(), "true".to_owned())).chain([
            ("url".to_owned(), webhook.url.clone()),
            ("is_enabled".to_owned(), webhook.disabled_at.is_none().to_string()),
        ]);
        Ok(Self {
            form: rejected.unwrap_or_else(|| Form::with_values(stored.collect())),
            data: WebhookDetail { webhook, secret: format_secret(&secret) },
            deliveries: deliveries::table(&rows, layout.now),
            all_deliveries: format!("{}?webhook={id}", urls::WEBHOOK_DELIVERIES.pattern),
            layout,
        })
    }
}

pub async fn list(layout: Layout, state: web::Data<AppState>) -> Result<PageResponse<WebhookListPage>, AppError> {
    Ok(PageResponse::new(WebhookListPage::load(&state, layout, Form::default()).await?))
}

pub async fn show(
    id: WebhookId,
    layout: Layout,
    state: web::Data<AppState>,
) -> Result<PageResponse<WebhookPage>, AppError> {
    Ok(PageResponse::new(WebhookPage::load(&state, layout, id, None).await?))
}

pub async fn create(
    payload: Payload<WebhookInput>,
    user: CurrentUser,
    layout: Layout,
    state: web::Data<AppState>,
) -> Result<FormResponse<Webhook, WebhookListPage, 201>, AppError> {
    let act = async |WebhookInput { url, events }: WebhookInput| {
        url.check(state.webhooks.policy()).map_err(|problem| AppError::invalid_field("url", problem))?;
        let by = user.clone();
        let create = async move |connection: &mut PgConnection, state: &CoreState| {
            let id = models::create_webhook(connection, &state.clock, url.0.as_str(), &events).await?;
            let id = id.ok_or_else(|| {
                AppError::invalid_field("url", phrase!("invalid-too-many-webhooks", most = models::MAX_WEBHOOKS))
            })?;
            let log = json!({ "webhook": url.0.as_str(), "event": events.join(", ") });
            NewEntry::new(AuditAction::CreateWebhook).with_details(log).insert(&by, connection, &state.clock).await?;
            models::find_webhook(connection, id).await?.ok_or(AppError::NotFound)
        };
        let created = state.transaction(create).await?;
        let path = urls::WEBHOOK.path_for(created.id);
        tracing::info!(user_id = user.id.0, webhook = created.id.0, "webhook created");
        Ok(ActionResult::new(created, path).with_message(phrase!("done-webhook-created")))
    };
    let page = async |form: Form, _: &AppError| WebhookListPage::load(&state, layout, form).await.ok();
    handle_form(payload, act, page).await
}

pub async fn change(
    payload: Payload<WebhookChangeInput>,
    id: WebhookId,
    user: CurrentUser,
    layout: Layout,
    state: web::Data<AppState>,
) -> Result<FormResponse<Webhook, WebhookPage>, AppError> {
    let act = async |WebhookChangeInput { webhook: WebhookInput { url, events }, is_enabled }: WebhookChangeInput| {
        url.check(state.webhooks.policy()).map_err(|problem| AppError::invalid_field("url", problem))?;
        let by = user.clone();
        let change = async move |connection: &mut PgConnection, state: &CoreState| {
            let change = WebhookChange { url: url.0.to_string(), events, is_enabled };
            if !models::change_webhook(connection, &state.clock, id, &change).await? {
                return Err(AppError::NotFound);
            }
            let log = json!({ "webhook": change.url, "event": change.events.join(", "), "enabled": is_enabled });
            NewEntry::new(AuditAction::ChangeWebhook).with_details(log).insert(&by, connection, &state.clock).await?;
            models::find_webhook(connection, id).await?.ok_or(AppError::NotFound)
        };
        let changed = state.transaction(change).await?;
        tracing::info!(user_id = user.id.0, webhook = id.0, "webhook changed");
        let message = phrase!("done-webhook-changed");
        Ok(ActionResult::new(changed, urls::WEBHOOK.path_for(id)).with_message(message))
    };
    let page = async |form: Form, _: &AppError| WebhookPage::load(&state, layout, id, Some(form)).await.ok();
    handle_form(payload, act, page).await
}

/// Queues a test event. The event is sent within seconds, even if the webhook is disabled.
pub async fn send_test(
    _: NoInput,
    id: WebhookId,
    user: CurrentUser,
    state: web::Data<AppState>,
) -> Result<EmptyResult, AppError> {
    let by = user.username.clone();
    let queue = async move |connection: &mut PgConnection, state: &CoreState| {
        models::find_webhook(connection, id).await?.ok_or(AppError::NotFound)?;
        let data = TestData { sent_by: by, url: state.settings.absolute_url(&urls::WEBHOOK.path_for(id)) };
        Ok(queue::enqueue_test(connection, &state.clock, id, &data).await?)
    };
    state.transaction(queue).await?;
    tracing::info!(user_id = user.id.0, webhook = id.0, "test event queued");
    let location = format!("{}#deliveries", urls::WEBHOOK.path_for(id));
    Ok(EmptyResult::no_content(location).with_message(phrase!("done-webhook-tested")))
}

pub async fn delete(
    _: NoInput,
    id: WebhookId,
    user: CurrentUser,
    state: web::Data<AppState>,
) -> Result<EmptyResult, AppError> {
    let by = user.clone();
    let delete = async move |connection: &mut PgConnection, state: &CoreState| {
        let url = models::delete_webhook(connection, id).await?.ok_or(AppError::NotFound)?;
        let log = json!({ "webhook": url });
        let entry = NewEntry::new(AuditAction::DeleteWebhook).with_details(log);
        Ok(entry.insert(&by, connection, &state.clock).await?)
    };
    state.transaction(delete).await?;
    tracing::info!(user_id = user.id.0, webhook = id.0, "webhook deleted");
    Ok(EmptyResult::no_content(urls::WEBHOOKS.pattern).with_message(phrase!("done-webhook-deleted")))
}
