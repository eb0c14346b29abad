//! Endpoints of the rating URLs: the view for each HTTP method.

use super::moderation::views as moderation;
use super::zombie_pauses::views as pauses;
use super::{history, urls, views};
use crate::web::routing::endpoint::Endpoint;

#[must_use]
pub fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::new(urls::CREATE_RATING).post(views::create),
        Endpoint::new(urls::RATING_STATS_OF_POSTS).get(views::list_rating_stats),
        Endpoint::new(urls::RATING_STATS).get(views::show_rating_stats),
        Endpoint::new(urls::USER_RATING).get(views::show_own_rating),
        Endpoint::new(urls::EDIT_RATING).post(views::change).put(views::change),
        Endpoint::new(urls::WITHDRAW_RATING).post(views::withdraw),
        Endpoint::new(urls::RATING_HISTORY).get(history::history),
        Endpoint::new(urls::EXCLUDE_RATINGS).get(moderation::moderation_form).post(moderation::decide),
        Endpoint::new(urls::RESTORE_RATINGS).get(moderation::moderation_form).post(moderation::decide),
        Endpoint::new(urls::OWN_RATINGS).get(views::list_own_ratings),
        Endpoint::new(urls::PAUSED_POSTS).get(pauses::list),
        Endpoint::new(urls::UNPAUSE).get(pauses::unpause_form).post(pauses::unpause),
    ]
}
