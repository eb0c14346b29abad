//! URLs of ratings, rating history, moderation and pauses.

use crate::web::routing::route::{Class, Route};

pub const RATE: Route = Route::at("/rate/").class(Class::Rate);
pub const BLOG_RATING: Route = Route::at("/rate/get_blog_rating/{id}/").always_json();
pub const USER_RATING: Route = Route::at("/rate/get_user_rating/{id}/").always_json();
pub const EDIT_RATING: Route = Route::at("/rate/edit_user_rating/{id}/").class(Class::Rate);
pub const HISTORY: Route = Route::at("/blogs/{id}/ratings/");
pub const VOID: Route = Route::at("/blogs/{id}/ratings/void/").class(Class::Write);
pub const RESTORE: Route = Route::at("/blogs/{id}/ratings/restore/").class(Class::Write);
pub const MINE: Route = Route::at("/rate/mine/");
pub const PAUSED: Route = Route::at("/rate/paused/");
pub const UNPAUSE: Route = Route::at("/unpause/").class(Class::Account).secret_query();
