//! Addresses of ratings, and where pauses are lifted.

use crate::web::routing::route::{Address, Class};

pub const RATE: Address = Address::at("/rate/").class(Class::Rate);
pub const BLOG_RATING: Address = Address::at("/rate/get_blog_rating/{id}/").always_json();
pub const USER_RATING: Address = Address::at("/rate/get_user_rating/{id}/").always_json();
pub const EDIT_RATING: Address = Address::at("/rate/edit_user_rating/{id}/").class(Class::Rate);
pub const HISTORY: Address = Address::at("/blogs/{id}/ratings/");
pub const VOID: Address = Address::at("/blogs/{id}/ratings/void/").class(Class::Write);
pub const RESTORE: Address = Address::at("/blogs/{id}/ratings/restore/").class(Class::Write);
pub const MINE: Address = Address::at("/rate/mine/");
pub const PAUSED: Address = Address::at("/rate/paused/");
pub const UNPAUSE: Address = Address::at("/unpause/").class(Class::Account).secret_query();
