//! Addresses below `/rate/`.

use actix_web::web::ServiceConfig;

use super::views;
use crate::urls::Methods;

pub fn configure(config: &mut ServiceConfig) {
    config
        .service(Methods::at("/rate/").post(views::create).resource())
        .service(Methods::at("/rate/get_blog_rating/{id}/").get(views::blog_rating).resource())
        .service(Methods::at("/rate/get_user_rating/{id}/").get(views::user_rating).resource())
        .service(Methods::at("/rate/edit_user_rating/{id}/").post(views::change).put(views::change).resource());
}
