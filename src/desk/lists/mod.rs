//! What is there, each kind as a list: posts, ratings, tags, sessions, paused pairs, states of limiters, mails that wait,
//! and posts with suspected links.

mod mails;
mod pauses;
mod posts;
mod ratings;
mod sessions;
mod states;
mod tags;
mod warnings;

use actix_web::{Either, HttpRequest, HttpResponse, web};

use super::list::{self, List, ListPage};
use crate::web::error::AppError;
use crate::web::format::Format;
use crate::web::layout::Layout;
use crate::web::query::Query;
use crate::web::state::AppState;
use crate::web::view::View;
use crate::web::visitor::CurrentUser;

pub use self::mails::Mails;
pub use self::pauses::Pauses;
pub use self::posts::Posts;
pub use self::ratings::Ratings;
pub use self::sessions::Sessions;
pub use self::states::States;
pub use self::tags::Tags;
pub use self::warnings::Warnings;

/// A list as its address is asked for it.
pub async fn show<L: List + Default>(
    user: CurrentUser,
    (layout, format, request): (Layout, Format, HttpRequest),
    query: Query,
    state: web::Data<AppState>,
) -> Result<Either<View<ListPage>, HttpResponse>, AppError> {
    list::answer(L::default(), (user, layout, format), (request, query), &state).await
}
