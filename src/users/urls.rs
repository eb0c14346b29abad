//! Addresses below `/users/`.

use actix_web::web::ServiceConfig;

use super::views;
use crate::urls::Methods;

pub fn configure(config: &mut ServiceConfig) {
    config
        .service(Methods::at("/users/register/").get(views::register_form).post(views::register).resource())
        .service(Methods::at("/users/login/").get(views::login_form).post(views::login).resource())
        .service(Methods::at("/users/logout/").post(views::logout).resource())
        .service(
            Methods::at("/users/password_change/")
                .get(views::password_change_form)
                .post(views::password_change)
                .resource(),
        )
        .service(Methods::at("/users/me/").get(views::me).resource());
}
