//! Bodies of the requests, and the data of each event.

use chrono::{DateTime, Utc};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;

use super::event::WebhookEvent;

/// Post that an event is about.
#[derive(Debug, JsonSchema, Serialize)]
pub struct EventPost {
    pub id: i64,
    pub title: String,
    pub url: String,
}

/// Data of `post.published`.
#[derive(Debug, JsonSchema, Serialize)]
pub struct PublishedPost {
    #[serde(flatten)]
    pub post: EventPost,
    /// Username of the author.
    pub author: String,
    /// Language tag such as `fa`; `None` if the language is unknown.
    pub language: Option<String>,
    pub tags: Vec<String>,
    /// Time of publication.
    pub published_at: Option<DateTime<Utc>>,
}

/// Data of `rating_surge.began` and `rating_surge.ended`.
#[derive(Debug, JsonSchema, Serialize)]
pub struct RatingSurge {
    pub post: EventPost,
    /// Start of the hour in which the surge began.
    pub began_at: DateTime<Utc>,
    /// Number of rating attempts that were blocked since `began_at`.
    pub refused: i64,
}

/// Data of `report.filed`.
#[derive(Debug, JsonSchema, Serialize)]
pub struct FiledReport {
    /// Id of the case, which contains all reports of the post.
    pub case: i64,
    /// Category of the report, such as `spam`.
    pub category: &'static str,
    /// URL of the case for staff.
    pub url: String,
    pub post: EventPost,
}

/// Data of `test`.
#[derive(Debug, JsonSchema, Serialize)]
pub struct TestData {
    /// Username of the admin who sent the event.
    pub sent_by: String,
    /// URL of the webhook in the admin area.
    pub url: String,
}

impl WebhookEvent {
    pub fn data_schema(self, schemas: &mut SchemaGenerator) -> Schema {
        match self {
            Self::PostPublished => schemas.subschema_for::<PublishedPost>(),
            Self::SurgeBegan | Self::SurgeEnded => schemas.subschema_for::<RatingSurge>(),
            Self::ReportFiled => schemas.subschema_for::<FiledReport>(),
            Self::Test => schemas.subschema_for::<TestData>(),
        }
    }
}
