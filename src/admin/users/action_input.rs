//! Fields of the form that applies an action to users.

use std::time::Duration;

use schemars::{Schema, json_schema};
use serde_json::Value;

use crate::admin::admin_list::ActionChoice;
use crate::i18n::Phrase;
use crate::phrase;
use crate::users::staff_actions::{MAX_ACCOUNTS_PER_ACTION, UserAction};
use crate::users::{Password, Username};
use crate::web::request::current_user::CurrentUser;
use crate::web::request::form_field::{Field, Fields, FormInput, ReasonField};
use crate::web::request::role::Role;

/// Maximum length of a temporary block, in days.
const MAX_BLOCK_DAYS: u32 = 3_650;

/// Normalized usernames (see [`Username::key`]).
#[derive(Clone, Debug)]
pub struct Usernames(pub(super) Vec<String>);

impl Usernames {
    pub(super) fn of<'a>(names: impl Iterator<Item = &'a str>) -> Result<Self, Phrase> {
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

    pub(super) fn label(self) -> Phrase {
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
    pub(super) fn description(self) -> Phrase {
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
    pub(super) fn action(self) -> UserAction {
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
    pub(super) names: Usernames,
    pub(super) action: UserAction,
    pub(super) password: Option<Password>,
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
