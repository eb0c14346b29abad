//! URLs of user accounts.

use crate::web::response::text::encode_segment;
use crate::web::routing::route::{RequestClass, Route};

/// Prefix of account and author pages. The next path segment is the name of a page or a username.
pub const USERS_PREFIX: &str = "/users/";

pub const REGISTER: Route = Route::new("/users/register/").class(RequestClass::Account).follows_next();
pub const LOGIN: Route = Route::new("/users/login/").class(RequestClass::Account).sign_in_page().follows_next();
pub const LOGOUT: Route = Route::new("/users/logout/").class(RequestClass::Account).ends_session();
pub const PASSWORD_CHANGE: Route = Route::new("/users/password_change/").class(RequestClass::Account).ends_session();
pub const PASSWORD_RESET: Route = Route::new("/users/password_reset/").class(RequestClass::Account).secret_query();
/// Language selection, also for anonymous visitors.
pub const LANGUAGE: Route = Route::new("/language/").class(RequestClass::Account);
/// Account page of the signed-in user, with the email address.
pub const ACCOUNT: Route = Route::new("/users/account/").class(RequestClass::Account);
pub const PROFILE: Route = Route::new("/users/profile/").class(RequestClass::Write);
pub const SECOND_FACTOR: Route = Route::new("/users/second_factor/").class(RequestClass::Account);
pub const CONFIRM_SECOND_FACTOR: Route = Route::new("/users/second_factor/confirm/").class(RequestClass::Account);
pub const RECOVERY_CODES: Route = Route::new("/users/second_factor/codes/").class(RequestClass::Account);
pub const REMOVE_SECOND_FACTOR: Route = Route::new("/users/second_factor/remove/").class(RequestClass::Account);
pub const SESSIONS: Route = Route::new("/users/sessions/").class(RequestClass::Account);
/// Sends another link to confirm the email address.
pub const RESEND_CONFIRMATION: Route = Route::new("/users/account/confirm/").class(RequestClass::Account);
pub const CONFIRM_EMAIL: Route = Route::new("/users/confirm/").class(RequestClass::Account).secret_query();
/// Requests the deletion of the account, with a grace period of 7 days.
pub const DELETE_ACCOUNT: Route = Route::new("/users/delete/").class(RequestClass::Account).ends_session();
/// Cancels the deletion of the account.
pub const CANCEL_DELETION: Route = Route::new("/users/delete/cancel/").class(RequestClass::Account);
/// Download of all personal data of the signed-in user.
pub const EXPORT_PERSONAL_DATA: Route = Route::new("/users/export/");
pub const INVITATIONS: Route = Route::new("/users/invitations/").class(RequestClass::Account);
pub const END_INVITATION: Route = Route::new("/users/invitations/{id}/end/").class(RequestClass::Account);
/// Creation of the first staff account.
pub const CREATE_OWNER: Route = Route::new("/users/owner/").class(RequestClass::Account).secret_query();
pub const APPROVE_AUTHOR: Route = Route::new("/users/{username}/approve/").class(RequestClass::Account);
pub const CURRENT_USER: Route = Route::new("/users/me/");

/// Name shown for the author of a deleted account. Nobody can register it, because it contains spaces.
pub const DELETED_AUTHOR_NAME: &str = "a former author";

/// Path of an author page; `None` for the author of a deleted account.
#[must_use]
pub fn author_page(username: &str) -> Option<String> {
    (username != DELETED_AUTHOR_NAME).then(|| author_path(username))
}

#[must_use]
pub fn author_path(username: &str) -> String {
    format!("{USERS_PREFIX}{}/", encode_segment(username))
}
