//! What can be done to rows of lists, by whom, and how it is called.

use crate::admin::list::ActionChoice;
use crate::admin::urls;
use crate::i18n::Phrase;
use crate::web::request::role::Role;
use crate::web::request::visitor::CurrentUser;

/// The most rows at once.
pub const MOST: usize = 100;

/// What is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BulkAction {
    /// Posts become drafts, which their authors can publish again.
    Unpublish,
    /// What was published once is published again.
    Publish,
    EndSessions,
    /// Readers may try again.
    LiftPauses,
    /// Nobody comes by these any more.
    EndInvitations,
    /// Mails are sent at once.
    SendMails,
    /// Mails are not sent.
    DropMails,
    /// Deletes limiter states: their keys start again with fresh ones.
    ForgetStates,
    /// Deletes the states of the posts' rating limiters.
    ResetLimiter,
}

impl BulkAction {
    pub const ALL: [Self; 9] = [
        Self::Unpublish,
        Self::Publish,
        Self::EndSessions,
        Self::LiftPauses,
        Self::EndInvitations,
        Self::SendMails,
        Self::DropMails,
        Self::ForgetStates,
        Self::ResetLimiter,
    ];

    /// As addresses and JSON have it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Unpublish => "unpublish",
            Self::Publish => "publish",
            Self::EndSessions => "end_sessions",
            Self::LiftPauses => "lift_pauses",
            Self::EndInvitations => "end_invitations",
            Self::SendMails => "send_mails",
            Self::DropMails => "drop_mails",
            Self::ForgetStates => "forget_states",
            Self::ResetLimiter => "reset_limiter",
        }
    }

    /// The message with this name, or another one of it.
    #[must_use]
    pub fn message(self, part: &str) -> Phrase {
        Phrase::new(format!("action-{}{part}", self.name().replace('_', "-")))
    }

    /// What it is called.
    #[must_use]
    pub fn words(self) -> Phrase {
        self.message("")
    }

    /// The least role that may do it.
    #[must_use]
    pub fn role(self) -> Role {
        match self {
            Self::Unpublish | Self::Publish | Self::LiftPauses | Self::EndInvitations => Role::Moderator,
            Self::EndSessions | Self::SendMails | Self::DropMails | Self::ForgetStates | Self::ResetLimiter => {
                Role::Admin
            }
        }
    }

    /// Whether the password is asked for: nothing brings back what it takes away.
    #[must_use]
    pub fn is_grave(self) -> bool {
        matches!(self, Self::DropMails | Self::ForgetStates | Self::ResetLimiter)
    }

    /// The way back.
    #[must_use]
    pub fn contrary(self) -> Option<Self> {
        match self {
            Self::Unpublish => Some(Self::Publish),
            Self::Publish => Some(Self::Unpublish),
            _ => None,
        }
    }

    /// The list that it is done in.
    #[must_use]
    pub fn list(self) -> &'static str {
        match self {
            Self::Unpublish | Self::Publish | Self::ResetLimiter => urls::POSTS.pattern,
            Self::EndSessions => urls::SESSIONS.pattern,
            Self::LiftPauses => urls::PAUSES.pattern,
            Self::EndInvitations => urls::INVITATIONS.pattern,
            Self::SendMails | Self::DropMails => urls::MAILS.pattern,
            Self::ForgetStates => urls::STATES.pattern,
        }
    }

    /// What a list offers to this user.
    #[must_use]
    pub fn acts(user: &CurrentUser, actions: &[Self]) -> (&'static str, Vec<ActionChoice>) {
        let may = actions.iter().filter(|action| user.is(action.role()));
        (urls::ACT.pattern, may.map(|action| (action.name(), action.words())).collect())
    }
}
