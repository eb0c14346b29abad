//! What is at which address.

use super::{log, urls, views};
use crate::web::endpoint::Endpoint;

#[must_use]
pub fn endpoints() -> Vec<Endpoint> {
    vec![Endpoint::at(urls::DESK).get(views::front), Endpoint::at(urls::LOG).get(log::list)]
}
