//! URLs of user accounts.

use crate::access::{ApiScope, RequestClass};
use crate::text::encode_path_segment;
use crate::web::routing::route::Route;

/// Prefix of account and author pages. The next path segment is the name of a page or a username.
pub const USERS_PREFIX: &str = "/users/";

/// Prefix of the pages of users in the admin area.
pub const STAFF_PREFIX: &str = "/admin/users/";

pub const REGISTER: Route =
    Route::new("/users/register/").rate_class(RequestClass::Account).changes_credentials().follows_next();
pub const LOGIN: Route = Route::new("/users/login/").rate_class(RequestClass::Account).sign_in_page().follows_next();
pub const LOGOUT: Route = Route::new("/users/logout/").rate_class(RequestClass::Account).ends_session();
pub const PASSWORD_CHANGE: Route =
    Route::new("/users/password_change/").rate_class(RequestClass::Account).ends_session();
/// URL at which password managers find the password form, see `w3.org/TR/change-password-url`.
pub const WELL_KNOWN_CHANGE_PASSWORD: Route = Route::new("/.well-known/change-password");
pub const PASSWORD_RESET: Route =
    Route::new("/users/password_reset/").rate_class(RequestClass::Account).changes_credentials().secret_query();
pub const LANGUAGE: Route = Route::new("/language/").rate_class(RequestClass::Account);
pub const ACCOUNT: Route = Route::new("/users/account/").rate_class(RequestClass::Account).changes_credentials();
pub const PROFILE: Route = Route::new("/users/profile/").rate_class(RequestClass::Write);
pub const SECOND_FACTOR: Route =
    Route::new("/users/second_factor/").rate_class(RequestClass::Account).changes_credentials();
pub const CONFIRM_SECOND_FACTOR: Route =
    Route::new("/users/second_factor/confirm/").rate_class(RequestClass::Account).changes_credentials();
pub const RECOVERY_CODES: Route =
    Route::new("/users/second_factor/codes/").rate_class(RequestClass::Account).changes_credentials();
pub const REMOVE_SECOND_FACTOR: Route =
    Route::new("/users/second_factor/remove/").rate_class(RequestClass::Account).changes_credentials();
pub const SESSIONS: Route = Route::new("/users/sessions/").rate_class(RequestClass::Account).changes_credentials();
pub const TOKENS: Route = Route::new("/users/tokens/").rate_class(RequestClass::Account).changes_credentials();
pub const REVOKE_TOKEN: Route =
    Route::new("/users/tokens/{id}/end/").rate_class(RequestClass::Account).changes_credentials();
pub const RESEND_CONFIRMATION: Route = Route::new("/users/account/confirm/").rate_class(RequestClass::Account);
pub const CONFIRM_EMAIL: Route = Route::new("/users/confirm/").rate_class(RequestClass::Account).secret_query();
pub const DELETE_ACCOUNT: Route = Route::new("/users/delete/").rate_class(RequestClass::Account).ends_session();
pub const CANCEL_DELETION: Route = Route::new("/users/delete/cancel/").rate_class(RequestClass::Account);
pub const EXPORT_PERSONAL_DATA: Route = Route::new("/users/export/").rate_class(RequestClass::Account);
pub const INVITATIONS: Route =
    Route::new("/users/invitations/").rate_class(RequestClass::Account).token_scope(ApiScope::Admin).returns_secret();
pub const END_INVITATION: Route =
    Route::new("/users/invitations/{id}/end/").rate_class(RequestClass::Account).token_scope(ApiScope::Admin);
pub const CREATE_OWNER: Route =
    Route::new("/users/owner/").rate_class(RequestClass::Account).changes_credentials().secret_query();
pub const APPROVE_AUTHOR: Route =
    Route::new("/users/{username}/approve/").rate_class(RequestClass::Account).token_scope(ApiScope::Admin);
pub const CURRENT_USER: Route = Route::new("/users/me/");

/// Name displayed for erased authors. Nobody can register this name, because it contains spaces.
pub const DELETED_AUTHOR_NAME: &str = "a former author";

pub fn existing_author_path(username: &str) -> Option<String> {
    (username != DELETED_AUTHOR_NAME).then(|| author_path(username))
}

pub fn author_path(username: &str) -> String {
    format!("{USERS_PREFIX}{}/", encode_path_segment(username))
}
