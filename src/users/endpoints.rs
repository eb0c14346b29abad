//! Endpoints of user accounts.

use super::profile::{email, language};
use super::recovery::password_reset;
use super::registration::{approval, first_staff, invitations};
use super::sessions::views as sessions;
use super::two_factor::views as second_factor;
use super::{deletion, profile, registration, sign_in, urls, views};
use crate::web::routing::endpoint::Endpoint;

#[must_use]
pub fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::at(urls::REGISTER).get(registration::register_form).post(registration::register),
        Endpoint::at(urls::LOGIN).get(sign_in::login_form).post(sign_in::login),
        Endpoint::at(urls::LOGOUT).post(views::logout),
        Endpoint::at(urls::PASSWORD_CHANGE).get(views::password_change_form).post(views::password_change),
        Endpoint::at(urls::PASSWORD_RESET).get(password_reset::form).post(password_reset::reset),
        Endpoint::at(urls::ACCOUNT).get(email::form).post(email::change_email),
        Endpoint::at(urls::PROFILE).get(profile::form).post(profile::change),
        Endpoint::at(urls::SEND_LINK).post(email::send_link),
        Endpoint::at(urls::SECOND_FACTOR).get(second_factor::show).post(second_factor::begin),
        Endpoint::at(urls::CONFIRM_SECOND_FACTOR).post(second_factor::confirm),
        Endpoint::at(urls::RECOVERY_CODES).post(second_factor::renew_codes),
        Endpoint::at(urls::REMOVE_SECOND_FACTOR).post(second_factor::remove),
        Endpoint::at(urls::SESSIONS).get(sessions::list).post(sessions::end),
        Endpoint::at(urls::CONFIRM).get(email::confirm_form).post(email::confirm),
        Endpoint::at(urls::DELETE).get(deletion::form).post(deletion::ask),
        Endpoint::at(urls::KEEP).post(deletion::cancel),
        Endpoint::at(urls::INVITATIONS).get(invitations::list).post(invitations::create),
        Endpoint::at(urls::END_INVITATION).post(invitations::end),
        Endpoint::at(urls::OWNER).get(first_staff::form).post(first_staff::create),
        Endpoint::at(urls::APPROVE).post(approval::approve),
        Endpoint::at(urls::ME).get(views::me),
        Endpoint::at(urls::LANGUAGE).post(language::choose),
    ]
}
