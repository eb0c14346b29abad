//! Form fields of bulk actions: selected rows, reason, length of a block, and role.

use std::collections::HashSet;
use std::time::Duration;

use schemars::{Schema, json_schema};
use serde_json::Value;

use super::action::{ActionInput, ExtraField, RowAction};
use super::registry::{action_names, find_action};
use crate::access::Role;
use crate::audit_log::ReasonField;
use crate::i18n::Phrase;
use crate::phrase;
use crate::users::Password;
use crate::web::request::form_field::{Field, Fields, FormInput, IntegerUpTo, OptionalField};

const MAX_SELECTED_ROWS: usize = 100;
const MAX_BLOCK_DAYS: i32 = 3_650;

/// Separator between row keys, none of which contains a newline.
pub(super) const KEY_SEPARATOR: char = '\n';

#[derive(Clone, Debug)]
pub(super) struct SelectedRowKeys(pub(super) Vec<String>);

impl SelectedRowKeys {
    pub(super) fn new<'a>(selected: impl Iterator<Item = &'a str>) -> Result<Self, Phrase> {
        let mut selected: Vec<String> =
            selected.map(str::trim).filter(|key| !key.is_empty()).map(str::to_owned).collect();
        let mut unique_keys = HashSet::new();
        selected.retain(|key| unique_keys.insert(key.clone()));
        match selected.len() {
            0 => Err(phrase!("invalid-no-rows")),
            // `PostgreSQL` rejects NUL in text, so no row key contains NUL.
            _ if selected.iter().any(|key| key.contains('\0')) => Err(phrase!("invalid-no-rows")),
            1..=MAX_SELECTED_ROWS => Ok(Self(selected)),
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
            Value::Array(selected) => {
                let texts: Vec<String> =
                    selected.iter().map(|key| key.as_str().map_or_else(|| key.to_string(), str::to_owned)).collect();
                Self::new(texts.iter().map(String::as_str))
            }
            _ => Err(phrase!("invalid-no-rows")),
        }
    }

    fn schema() -> Schema {
        json_schema!({
            "type": ["array", "string"], "minLength": 1, "items": { "type": ["string", "integer"] }, "minItems": 1, "maxItems": MAX_SELECTED_ROWS, "description": "Keys of the rows; usernames for actions on users"
        })
    }
}

impl Field for &'static dyn RowAction {
    fn from_text(text: &str) -> Result<Self, Phrase> {
        find_action(text).ok_or_else(|| phrase!("invalid-action"))
    }

    fn schema() -> Schema {
        json_schema!({ "type": "string", "enum": action_names() })
    }
}

/// Length of a block in days; empty for a permanent block.
type BlockDays = OptionalField<IntegerUpTo<MAX_BLOCK_DAYS>>;

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

pub struct BulkActionForm {
    pub(super) action: &'static dyn RowAction,
    pub(super) selected: SelectedRowKeys,
    pub(super) input: ActionInput,
    pub(super) password: Option<Password>,
}

impl FormInput for BulkActionForm {
    const MAX_BYTES: usize = 64 * 1024;

    fn read(fields: &mut Fields) -> Option<Self> {
        let (action, selected) =
            (fields.take::<&'static dyn RowAction>("act"), fields.take::<SelectedRowKeys>("selected"));
        let password = Password::take_current_password(fields)?;
        let action = action?;
        let reason = match action.properties().reason_hint {
            Some(_) => fields.take::<ReasonField>("reason").map(|reason| reason.as_str().to_owned()),
            None => Some(String::new()),
        };
        let mut input = ActionInput::default();
        match action.properties().extra_field {
            Some(ExtraField::Days) => {
                let days = fields.take_optional::<BlockDays>("days")?.and_then(|days| days.0);
                input.block_length =
                    days.map(|IntegerUpTo(days)| Duration::from_hours(24 * u64::from(days.unsigned_abs())));
            }
            Some(ExtraField::Role) => input.role = fields.take::<RoleOrNone>("role")?.0,
            None => {}
        }
        Some(Self { action, selected: selected?, input: ActionInput { reason: reason?, ..input }, password })
    }

    fn describe(fields: &mut Fields) {
        fields.take::<&'static dyn RowAction>("act");
        fields.take::<SelectedRowKeys>("selected");
        let _ = Password::take_current_password(fields);
        fields.take_optional::<ReasonField>("reason");
        fields.take_optional::<BlockDays>("days");
        fields.take_optional::<RoleOrNone>("role");
    }
}
