//! Form that creates or changes a webhook.

use schemars::{Schema, json_schema};
use serde_json::Value;

use crate::i18n::Phrase;
use crate::phrase;
use crate::web::request::form_field::{Field, Fields, FormInput, YesOrNo};
use crate::webhooks::WebhookEvent;
use crate::webhooks::url::WebhookUrl;

fn invalid_events() -> Phrase {
    phrase!("invalid-webhook-events", names = WebhookEvent::SUBSCRIBABLE.map(WebhookEvent::name).join(", "))
}

/// Names of one or more distinct events.
#[derive(Clone, Debug)]
struct Events(Vec<String>);

impl Events {
    fn from_names<'a>(names: impl Iterator<Item = &'a str>) -> Result<Self, Phrase> {
        let events: Option<Vec<WebhookEvent>> = names.map(WebhookEvent::subscribable_from_name).collect();
        let events = events.filter(|events| !events.is_empty()).ok_or_else(invalid_events)?;
        let chosen = WebhookEvent::SUBSCRIBABLE.into_iter().filter(|event| events.contains(event));
        Ok(Self(chosen.map(|event| event.name().to_owned()).collect()))
    }
}

impl Field for Events {
    const MISSING: &'static str = "invalid-webhook-no-events";

    fn from_text(text: &str) -> Result<Self, Phrase> {
        Self::from_names(text.split_whitespace())
    }

    fn from_json(value: &Value) -> Result<Self, Phrase> {
        let names = value.as_array().ok_or_else(invalid_events)?;
        Self::from_names(names.iter().map(|name| name.as_str().unwrap_or_default()))
    }

    fn schema() -> Schema {
        let names = WebhookEvent::SUBSCRIBABLE.map(WebhookEvent::name);
        json_schema!({ "type": "array", "items": { "type": "string", "enum": names }, "minItems": 1 })
    }
}

#[derive(Debug)]
pub struct WebhookInput {
    pub url: WebhookUrl,
    pub events: Vec<String>,
}

impl FormInput for WebhookInput {
    fn read(fields: &mut Fields) -> Option<Self> {
        let url = fields.take("url");
        // HTML forms have a checkbox for each event instead of the field `events`.
        let checked: Vec<&str> = WebhookEvent::SUBSCRIBABLE
            .into_iter()
            .filter(|event| matches!(fields.take_undocumented(&event.checkbox()), Some(Some(YesOrNo(true)))))
            .map(WebhookEvent::name)
            .collect();
        let events =
            if checked.is_empty() { fields.take("events") } else { Events::from_names(checked.into_iter()).ok() };
        let Events(events) = events?;
        Some(Self { url: url?, events })
    }
}

#[derive(Debug)]
pub struct WebhookChangeInput {
    pub webhook: WebhookInput,
    /// New state; `None` leaves the webhook enabled or disabled.
    pub is_enabled: Option<bool>,
}

impl FormInput for WebhookChangeInput {
    fn read(fields: &mut Fields) -> Option<Self> {
        let webhook = WebhookInput::read(fields);
        let is_enabled = fields.take_optional("is_enabled");
        Some(Self { webhook: webhook?, is_enabled: is_enabled?.map(|YesOrNo(is_enabled)| is_enabled) })
    }
}
