//! Table of all bulk actions.

use super::action::{ActionProperties, RowAction};
use super::decide_reports::DecideReports;
use super::delete_limiter_states::DeleteLimiterStates;
use super::delete_mails::DeleteMails;
use super::end_invitations::EndInvitations;
use super::end_sessions::EndSessions;
use super::lift_pauses::LiftPauses;
use super::pause::Pause;
use super::publish::Publish;
use super::reset_limiter::ResetLimiter;
use super::return_posts::ReturnPosts;
use super::send_mails::SendMails;
use super::send_webhooks::SendWebhooks;
use super::unpublish::Unpublish;
use crate::admin::users::block::Block;
use crate::admin::users::change_role::ChangeRole;
use crate::admin::users::delete_drafts::DeleteDrafts;
use crate::admin::users::reset_password::ResetPassword;
use crate::admin::users::reset_warning::ResetWarning;
use crate::admin::users::sign_out::SignOut;
use crate::admin::users::unblock::Unblock;
use crate::i18n::Phrase;
use crate::web::request::current_user::CurrentUser;
use crate::web::routing::route::Route;

/// Bulk actions, in the order in which admin lists offer them.
pub static ACTIONS: &[&dyn RowAction] = &[
    &DecideReports { takes_down: false },
    &DecideReports { takes_down: true },
    &Unpublish,
    &Publish,
    &ReturnPosts,
    &ResetLimiter,
    &EndSessions,
    &Pause,
    &LiftPauses,
    &EndInvitations,
    &SendMails,
    &DeleteMails,
    &SendWebhooks,
    &DeleteLimiterStates,
    &Block,
    &Unblock,
    &DeleteDrafts,
    &ResetWarning,
    &SignOut,
    &ResetPassword,
    &ChangeRole,
];

/// Name and label of an action.
pub type ActionChoice = (&'static str, Phrase);

pub fn action_names() -> Vec<&'static str> {
    ACTIONS.iter().map(|action| action.name()).collect()
}

pub fn find_action(name: &str) -> Option<&'static dyn RowAction> {
    ACTIONS.iter().copied().find(|action| action.name() == name)
}

pub fn choices_for(user: &CurrentUser, list: &Route) -> Vec<ActionChoice> {
    let may = |action: &&dyn RowAction| {
        let ActionProperties { lists, role, .. } = action.properties();
        lists.iter().any(|offering| offering.pattern == list.pattern) && user.has_role(role)
    };
    ACTIONS.iter().copied().filter(may).map(|action| (action.name(), action.label())).collect()
}
