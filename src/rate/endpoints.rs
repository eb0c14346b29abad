//! Endpoints of the rating URLs: the view for each HTTP method.

use super::moderation::views as moderation;
use super::zombie_pauses::views as pauses;
use super::{history, urls, views};
use crate::web::routing::endpoint::Endpoint;

#[must_use]
pub fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::at(urls::RATE).post(views::create),
        Endpoint::at(urls::BLOG_RATING).get(views::blog_rating),
        Endpoint::at(urls::USER_RATING).get(views::user_rating),
        Endpoint::at(urls::EDIT_RATING).post(views::change).put(views::change),
        Endpoint::at(urls::HISTORY).get(history::history),
        Endpoint::at(urls::VOID).get(moderation::form).post(moderation::decide),
        Endpoint::at(urls::RESTORE).get(moderation::form).post(moderation::decide),
        Endpoint::at(urls::MINE).get(views::mine),
        Endpoint::at(urls::PAUSED).get(pauses::list),
        Endpoint::at(urls::UNPAUSE).get(pauses::unpause_form).post(pauses::unpause),
    ]
}
