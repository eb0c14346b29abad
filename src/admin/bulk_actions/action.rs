//! Trait of the bulk actions that staff apply to selected rows of an admin list.

use std::time::Duration;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use sqlx::PgConnection;

use crate::access::Role;
use crate::audit_log::AuditAction;
use crate::i18n::Phrase;
use crate::phrase;
use crate::state::AppState;
use crate::web::error::AppError;
use crate::web::request::current_user::{CurrentUser, UserId};
use crate::web::routing::route::Route;
use crate::web::state::CoreState;

#[async_trait(?Send)]
pub trait RowAction: Sync {
    fn properties(&self) -> ActionProperties;

    /// Locks the selected rows. Omits rows that the action cannot affect, or sets their `skipped` reason.
    async fn find_rows(&self, context: &mut ActionContext<'_>, keys: &[String]) -> Result<Vec<ActionTarget>, AppError>;

    /// Applies the action to the locked rows, whose `details` it may set for their audit log entries.
    async fn apply(&self, context: &mut ActionContext<'_>, rows: &mut [ActionTarget]) -> Result<(), AppError>;

    /// Runs after the commit, for example to invalidate the page cache of this instance.
    fn after_commit(&self, _: &CoreState) {}
}

pub struct ActionProperties {
    /// Name in URLs and JSON, and in message IDs: `action-{name}` for the button, `action-{name}-what` for the
    /// consequences, and `action-{name}-done` with the number of rows and the name of the first one.
    pub name: &'static str,
    /// Lists that offer the action. Browsers return to the first list if the request does not name another list.
    pub lists: Vec<Route>,
    pub role: Role,
    pub audit_action: AuditAction,
    /// Name of the action that undoes this action, for a link in the success message.
    pub inverse: Option<&'static str>,
    /// `true` for actions that cannot be undone or that grant access.
    pub requires_reauthentication: bool,
    /// Message ID of the hint for the reason; `None` if the action needs no reason.
    pub reason_hint: Option<&'static str>,
    pub extra_field: Option<ExtraField>,
    /// True if the action can remove the last owner. Actions that can do so are serialized with `lock_staff`.
    pub locks_staff: bool,
}

impl ActionProperties {
    pub fn new(name: &'static str, audit_action: AuditAction) -> Self {
        Self {
            name,
            lists: Vec::new(),
            role: Role::Moderator,
            audit_action,
            inverse: None,
            requires_reauthentication: false,
            reason_hint: Some("admin-reason-hint"),
            extra_field: None,
            locks_staff: false,
        }
    }
}

impl dyn RowAction + '_ {
    pub fn name(&self) -> &'static str {
        self.properties().name
    }

    pub fn message(&self, part: &str) -> Phrase {
        Phrase::new(format!("action-{}{part}", self.name().replace('_', "-")))
    }

    pub fn label(&self) -> Phrase {
        self.message("")
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExtraField {
    /// Length of a block in days.
    Days,
    Role,
}

#[derive(Clone, Debug, Default)]
pub struct ActionInput {
    pub reason: String,
    /// Length of a block; `None` for a permanent block.
    pub block_length: Option<Duration>,
    /// New staff role; `None` removes the user from staff.
    pub role: Option<Role>,
}

pub struct ActionContext<'a> {
    pub connection: &'a mut PgConnection,
    pub state: &'a AppState,
    pub by: &'a CurrentUser,
    /// Submitted form; `None` on the confirmation page.
    pub input: Option<&'a ActionInput>,
}

impl<'a> ActionContext<'a> {
    pub fn reason(&self) -> &'a str {
        self.input.map_or("", |input| &input.reason)
    }
}

/// Selected row of an admin list, including rows that the action skips.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct ActionTarget {
    /// Key of the row, as submitted in the form.
    pub key: String,
    /// Readable name, such as a title or username.
    pub label: String,
    /// Reason why the action skips the row: `own`, `staff`, `already`, `unreachable`, `unknown`, `grace`, `involved`,
    /// `changed` or `notblocked`. `None` if the action applies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skipped: Option<SkipReason>,
    #[serde(skip)]
    pub user: Option<UserId>,
    #[serde(skip)]
    pub post: Option<i64>,
    /// Additional details of the audit log entry.
    #[serde(skip)]
    pub details: Value,
    /// URL path of the page about the selected object.
    #[serde(skip)]
    pub path: Option<String>,
    /// Staff role of the user.
    #[serde(skip)]
    pub role: Option<Role>,
    /// State that staff should know before they act, such as a block.
    #[serde(skip)]
    pub note: Option<Phrase>,
}

impl ActionTarget {
    pub fn new(key: String, label: String) -> Self {
        Self {
            key,
            label,
            skipped: None,
            user: None,
            post: None,
            details: json!({}),
            path: None,
            role: None,
            note: None,
        }
    }

    pub fn is_affected(&self) -> bool {
        self.skipped.is_none()
    }

    pub fn with_details(self, details: Value) -> Self {
        Self { details, ..self }
    }
}

/// Reason why an action skips a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SkipReason {
    /// The account belongs to the acting user.
    Own,
    /// The account has the same or a higher role than the acting user, who is not an owner.
    Staff,
    /// The account is already in the requested state.
    Already,
    /// The account has no confirmed email address, or the site sends no email.
    Unreachable,
    /// There is no such account.
    Unknown,
    /// The ratings of the user were unpaused less than two weeks ago.
    Grace,
    /// The acting user wrote or reported the post, or its author has the same or a higher role.
    Involved,
    /// The post was changed after the first report.
    Changed,
    /// The account is not blocked.
    NotBlocked,
}

impl SkipReason {
    pub fn message(self) -> Phrase {
        match self {
            Self::Own => phrase!("users-skipped-own"),
            Self::Staff => phrase!("users-skipped-staff"),
            Self::Already => phrase!("users-skipped-unchanged"),
            Self::Unreachable => phrase!("users-skipped-unreachable"),
            Self::Unknown => phrase!("users-skipped-unknown"),
            Self::Grace => phrase!("pauses-skipped-grace"),
            Self::Involved => phrase!("cases-skipped-involved"),
            Self::Changed => phrase!("cases-skipped-changed"),
            Self::NotBlocked => phrase!("users-skipped-not-blocked"),
        }
    }
}

/// Omits keys that are not numbers, because row ids are numbers.
pub fn parse_ids(keys: &[String]) -> Vec<i64> {
    keys.iter().filter_map(|key| key.parse().ok()).collect()
}

pub fn row_ids(rows: &[ActionTarget]) -> Vec<i64> {
    rows.iter().filter_map(|row| row.key.parse().ok()).collect()
}

pub fn row_keys(rows: &[ActionTarget]) -> Vec<String> {
    rows.iter().map(|row| row.key.clone()).collect()
}
