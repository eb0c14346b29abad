//! What is done at the addresses of accounts.

use super::{urls, views};
use crate::web::endpoint::Endpoint;

#[must_use]
pub fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::at(urls::REGISTER).get(views::register_form).post(views::register),
        Endpoint::at(urls::LOGIN).get(views::login_form).post(views::login),
        Endpoint::at(urls::LOGOUT).post(views::logout),
        Endpoint::at(urls::PASSWORD_CHANGE).get(views::password_change_form).post(views::password_change),
        Endpoint::at(urls::ME).get(views::me),
    ]
}
