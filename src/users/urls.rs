//! URLs of user accounts.

use crate::web::response::text::encode_segment;
use crate::web::routing::route::{Class, Route};

/// Prefix of account and author pages. The next path segment is the name of a page or a username.
pub const USERS: &str = "/users/";

pub const REGISTER: Route = Route::at("/users/register/").class(Class::Account).follows_next();
pub const LOGIN: Route = Route::at("/users/login/").class(Class::Account).sign_in_page().follows_next();
pub const LOGOUT: Route = Route::at("/users/logout/").class(Class::Account).ends_session();
pub const PASSWORD_CHANGE: Route = Route::at("/users/password_change/").class(Class::Account).ends_session();
pub const PASSWORD_RESET: Route = Route::at("/users/password_reset/").class(Class::Account).secret_query();
/// Language selection, also for anonymous visitors.
pub const LANGUAGE: Route = Route::at("/language/").class(Class::Account);
/// Account page of the signed-in user, with the email address.
pub const ACCOUNT: Route = Route::at("/users/account/").class(Class::Account);
pub const PROFILE: Route = Route::at("/users/profile/").class(Class::Write);
pub const SECOND_FACTOR: Route = Route::at("/users/second_factor/").class(Class::Account);
pub const CONFIRM_SECOND_FACTOR: Route = Route::at("/users/second_factor/confirm/").class(Class::Account);
pub const RECOVERY_CODES: Route = Route::at("/users/second_factor/codes/").class(Class::Account);
pub const REMOVE_SECOND_FACTOR: Route = Route::at("/users/second_factor/remove/").class(Class::Account);
pub const SESSIONS: Route = Route::at("/users/sessions/").class(Class::Account);
/// Sends another link to confirm the email address.
pub const SEND_LINK: Route = Route::at("/users/account/confirm/").class(Class::Account);
pub const CONFIRM: Route = Route::at("/users/confirm/").class(Class::Account).secret_query();
/// Requests the deletion of the account, with a grace period of 7 days.
pub const DELETE: Route = Route::at("/users/delete/").class(Class::Account).ends_session();
/// Cancels the deletion of the account.
pub const KEEP: Route = Route::at("/users/delete/cancel/").class(Class::Account);
/// Download of all personal data of the signed-in user.
pub const EXPORT: Route = Route::at("/users/export/");
pub const INVITATIONS: Route = Route::at("/users/invitations/").class(Class::Account);
pub const END_INVITATION: Route = Route::at("/users/invitations/{id}/end/").class(Class::Account);
/// Creation of the first staff account.
pub const OWNER: Route = Route::at("/users/owner/").class(Class::Account).secret_query();
pub const APPROVE: Route = Route::at("/users/{username}/approve/").class(Class::Account);
pub const ME: Route = Route::at("/users/me/");

/// Name shown for the author of a deleted account. Nobody can register it, because it contains spaces.
pub const FORMER_AUTHOR: &str = "a former author";

/// Path of an author page; `None` for the author of a deleted account.
#[must_use]
pub fn page_of(username: &str) -> Option<String> {
    (username != FORMER_AUTHOR).then(|| author(username))
}

#[must_use]
pub fn author(username: &str) -> String {
    format!("{USERS}{}/", encode_segment(username))
}
