//! Bulk actions of the admin lists: required roles, names and labels.

use crate::admin::admin_list::ActionChoice;
use crate::admin::urls;
use crate::i18n::Phrase;
use crate::web::request::current_user::CurrentUser;
use crate::web::request::role::Role;

/// Maximum number of rows per bulk action.
pub const MAX_SELECTED_ROWS: usize = 100;

/// Bulk action on the selected rows of an admin list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BulkAction {
    /// Turns posts into drafts. The authors can publish the posts again.
    Unpublish,
    /// Republishes posts that staff unpublished.
    Publish,
    EndSessions,
    /// Pauses ratings of posts by users whose attempts keep failing.
    Pause,
    /// Ends rating pauses, so that the users can rate the posts again.
    LiftPauses,
    /// Expires invitations immediately.
    EndInvitations,
    /// Schedules an immediate delivery attempt of pending emails.
    SendMails,
    /// Deletes pending emails without sending them.
    DeleteMails,
    /// Sends events to webhooks again.
    SendWebhooks,
    /// Deletes limiter states. The limiters then treat the keys of these states as new.
    DeleteLimiterStates,
    /// Deletes the rating limiter states of posts.
    ResetLimiter,
}

impl BulkAction {
    pub const ALL: [Self; 11] = [
        Self::Unpublish,
        Self::Publish,
        Self::EndSessions,
        Self::Pause,
        Self::LiftPauses,
        Self::EndInvitations,
        Self::SendMails,
        Self::DeleteMails,
        Self::SendWebhooks,
        Self::DeleteLimiterStates,
        Self::ResetLimiter,
    ];

    /// Name of the action in URLs and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Unpublish => "unpublish",
            Self::Publish => "publish",
            Self::EndSessions => "end_sessions",
            Self::Pause => "pause",
            Self::LiftPauses => "lift_pauses",
            Self::EndInvitations => "end_invitations",
            Self::SendMails => "send_mails",
            Self::DeleteMails => "drop_mails",
            Self::SendWebhooks => "send_webhooks",
            Self::DeleteLimiterStates => "forget_states",
            Self::ResetLimiter => "reset_limiter",
        }
    }

    /// Fluent message with the ID `action-{name}{part}`.
    pub fn message(self, part: &str) -> Phrase {
        Phrase::new(format!("action-{}{part}", self.name().replace('_', "-")))
    }

    pub fn label(self) -> Phrase {
        self.message("")
    }

    /// Minimum role required for the action.
    pub fn required_role(self) -> Role {
        match self {
            Self::Unpublish | Self::Publish | Self::Pause | Self::LiftPauses | Self::EndInvitations => Role::Moderator,
            Self::EndSessions
            | Self::SendMails
            | Self::DeleteMails
            | Self::SendWebhooks
            | Self::DeleteLimiterStates
            | Self::ResetLimiter => Role::Admin,
        }
    }

    /// Returns `true` for actions that cannot be undone and therefore require re-authentication.
    pub fn requires_reauthentication(self) -> bool {
        matches!(self, Self::DeleteMails | Self::DeleteLimiterStates | Self::ResetLimiter)
    }

    /// Action that undoes this action. The success message contains a link to it.
    pub fn inverse(self) -> Option<Self> {
        match self {
            Self::Unpublish => Some(Self::Publish),
            Self::Publish => Some(Self::Unpublish),
            Self::Pause => Some(Self::LiftPauses),
            _ => None,
        }
    }

    /// Path of the list that offers the action.
    pub fn list_path(self) -> &'static str {
        match self {
            Self::Unpublish | Self::Publish | Self::ResetLimiter => urls::POSTS.pattern,
            Self::EndSessions => urls::SESSIONS.pattern,
            Self::Pause | Self::LiftPauses => urls::ZOMBIE_PAUSES.pattern,
            Self::EndInvitations => urls::INVITATIONS.pattern,
            Self::SendMails | Self::DeleteMails => urls::MAILS.pattern,
            Self::SendWebhooks => urls::WEBHOOK_DELIVERIES.pattern,
            Self::DeleteLimiterStates => urls::LIMITER_STATES.pattern,
        }
    }

    /// Path of the confirmation form, and the actions that the user's role permits.
    pub fn choices_for(user: &CurrentUser, actions: &[Self]) -> (&'static str, Vec<ActionChoice>) {
        let may = actions.iter().filter(|action| user.has_role(action.required_role()));
        (urls::BULK_ACTION.pattern, may.map(|action| (action.name(), action.label())).collect())
    }
}
