//! Addresses below `/users/`.

use super::views;
use crate::urls::Methods;

#[must_use]
pub fn urls() -> Vec<Methods> {
    vec![
        Methods::at("/users/register/").get(views::register_form).post(views::register),
        Methods::at("/users/login/").get(views::login_form).post(views::login),
        Methods::at("/users/logout/").post(views::logout),
        Methods::at("/users/password_change/").get(views::password_change_form).post(views::password_change),
        Methods::at("/users/me/").get(views::me),
    ]
}
