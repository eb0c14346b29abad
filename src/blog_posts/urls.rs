//! Addresses of posts, the front page and the authors' pages.

use actix_web::web::ServiceConfig;

use super::views;
use crate::urls::Methods;

pub fn configure(config: &mut ServiceConfig) {
    config
        .service(Methods::at("/").get(views::list).resource())
        .service(Methods::at("/blogs/").get(views::list).resource())
        .service(Methods::at("/blogs/create/").get(views::create_form).post(views::create).resource())
        .service(Methods::at("/blogs/{id}/").get(views::show).resource())
        .service(Methods::at("/blogs/{id}/edit/").get(views::edit_form).post(views::edit).resource())
        .service(Methods::at("/blogs/{id}/delete/").get(views::delete_form).post(views::delete).resource())
        // Last below `/users/`: every other address there is a reserved name.
        .service(Methods::at("/users/{username}/").get(views::by_author).resource());
}
