//! URLs below `/users/`.

use crate::web::response::text::encode_segment;
use crate::web::routing::route::{Class, Route};

/// The beginning of all these addresses. After it comes the name of a page, or of a user.
pub const USERS: &str = "/users/";

pub const REGISTER: Route = Route::at("/users/register/").class(Class::Account).follows_next();
pub const LOGIN: Route = Route::at("/users/login/").class(Class::Account).sign_in_page().follows_next();
pub const LOGOUT: Route = Route::at("/users/logout/").class(Class::Account).ends_session();
pub const PASSWORD_CHANGE: Route = Route::at("/users/password_change/").class(Class::Account).ends_session();
pub const PASSWORD_RESET: Route = Route::at("/users/password_reset/").class(Class::Account).secret_query();
/// What is spoken, to whoever asks.
pub const LANGUAGE: Route = Route::at("/language/").class(Class::Account);
/// One's own account.
pub const ACCOUNT: Route = Route::at("/users/account/").class(Class::Account);
/// What one says of oneself.
pub const PROFILE: Route = Route::at("/users/profile/").class(Class::Write);
pub const SECOND_FACTOR: Route = Route::at("/users/second_factor/").class(Class::Account);
pub const CONFIRM_SECOND_FACTOR: Route = Route::at("/users/second_factor/confirm/").class(Class::Account);
pub const RECOVERY_CODES: Route = Route::at("/users/second_factor/codes/").class(Class::Account);
pub const REMOVE_SECOND_FACTOR: Route = Route::at("/users/second_factor/remove/").class(Class::Account);
/// Where one is signed in.
pub const SESSIONS: Route = Route::at("/users/sessions/").class(Class::Account);
/// Sends the link to confirm its e-mail address.
pub const SEND_LINK: Route = Route::at("/users/account/confirm/").class(Class::Account);
pub const CONFIRM: Route = Route::at("/users/confirm/").class(Class::Account).secret_query();
/// Deletes one's account, after a week to come back.
pub const DELETE: Route = Route::at("/users/delete/").class(Class::Account).ends_session();
/// Comes back.
pub const KEEP: Route = Route::at("/users/delete/cancel/").class(Class::Account);
/// All data of one's account, as a file.
pub const EXPORT: Route = Route::at("/users/export/");
/// Invitations of staff.
pub const INVITATIONS: Route = Route::at("/users/invitations/").class(Class::Account);
/// Ends one.
pub const END_INVITATION: Route = Route::at("/users/invitations/{id}/end/").class(Class::Account);
/// Makes the first account of staff.
pub const OWNER: Route = Route::at("/users/owner/").class(Class::Account).secret_query();
/// Lets somebody publish, or not.
pub const APPROVE: Route = Route::at("/users/{username}/approve/").class(Class::Account);
pub const ME: Route = Route::at("/users/me/");

/// What stands in place of the name of an author whose account was deleted. Nobody can register it: it has spaces.
pub const FORMER_AUTHOR: &str = "a former author";

/// The page of an author, if they have one.
#[must_use]
pub fn page_of(username: &str) -> Option<String> {
    (username != FORMER_AUTHOR).then(|| author(username))
}

/// The page of an author.
#[must_use]
pub fn author(username: &str) -> String {
    format!("{USERS}{}/", encode_segment(username))
}
