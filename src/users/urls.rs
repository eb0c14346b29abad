//! Addresses below `/users/`.

use super::views;
use crate::site::urls::Methods;
use crate::web::address::Class;

#[must_use]
pub fn urls() -> Vec<Methods> {
    vec![
        Methods::at("/users/register/")
            .class(Class::Account)
            .leads_on()
            .get(views::register_form)
            .post(views::register),
        Methods::at("/users/login/").class(Class::Account).leads_on().get(views::login_form).post(views::login),
        Methods::at("/users/logout/").class(Class::Account).ends_session().post(views::logout),
        Methods::at("/users/password_change/")
            .class(Class::Account)
            .ends_session()
            .get(views::password_change_form)
            .post(views::password_change),
        Methods::at("/users/me/").always_json().get(views::me),
    ]
}
