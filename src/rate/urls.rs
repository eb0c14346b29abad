//! URLs for ratings, rating history, moderation of scores, and pauses.

use crate::access::{ApiScope, RequestClass};
use crate::web::routing::route::Route;

pub const CREATE_RATING: Route = Route::new("/rate/").rate_class(RequestClass::Rate);
pub const RATING_STATS_OF_POSTS: Route = Route::new("/rate/get_blog_rating/").always_json();
pub const RATING_STATS: Route = Route::new("/rate/get_blog_rating/{id}/").always_json();
pub const USER_RATING: Route = Route::new("/rate/get_user_rating/{id}/").always_json();
pub const EDIT_RATING: Route = Route::new("/rate/edit_user_rating/{id}/").rate_class(RequestClass::Rate);
pub const WITHDRAW_RATING: Route = Route::new("/rate/withdraw/{id}/").rate_class(RequestClass::Rate);
pub const RATING_HISTORY: Route = Route::new("/blogs/{id}/ratings/");
pub const EXCLUDE_RATINGS: Route =
    Route::new("/blogs/{id}/ratings/exclude/").rate_class(RequestClass::Write).token_scope(ApiScope::Admin);
pub const RESTORE_RATINGS: Route =
    Route::new("/blogs/{id}/ratings/restore/").rate_class(RequestClass::Write).token_scope(ApiScope::Admin);
pub const OWN_RATINGS: Route = Route::new("/rate/mine/");
pub const PAUSED_POSTS: Route = Route::new("/rate/paused/");
pub const UNPAUSE: Route =
    Route::new("/unpause/").rate_class(RequestClass::Account).token_scope(ApiScope::Rate).secret_query();
