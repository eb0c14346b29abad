//! Endpoints of user accounts.

use super::profile::{email, language};
use super::recovery::password_reset;
use super::registration::{approval, first_staff, invitations};
use super::sessions::views as sessions;
use super::tokens::views as tokens;
use super::two_factor::views as second_factor;
use super::{deletion, profile, registration, sign_in, urls, views};
use crate::web::routing::endpoint::Endpoint;

#[must_use]
pub fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::new(urls::REGISTER).get(registration::register_form).post(registration::register),
        Endpoint::new(urls::LOGIN).get(sign_in::login_form).post(sign_in::login),
        Endpoint::new(urls::LOGOUT).post(views::logout),
        Endpoint::new(urls::PASSWORD_CHANGE).get(views::password_change_form).post(views::password_change),
        Endpoint::new(urls::PASSWORD_RESET)
            .get(password_reset::password_reset_form)
            .post(password_reset::reset_password),
        Endpoint::new(urls::ACCOUNT).get(email::account_form).post(email::change_email),
        Endpoint::new(urls::PROFILE).get(profile::profile_form).post(profile::change_profile),
        Endpoint::new(urls::RESEND_CONFIRMATION).post(email::resend_confirmation),
        Endpoint::new(urls::SECOND_FACTOR).get(second_factor::show_two_factor).post(second_factor::begin_setup),
        Endpoint::new(urls::CONFIRM_SECOND_FACTOR).post(second_factor::confirm_setup),
        Endpoint::new(urls::RECOVERY_CODES).post(second_factor::replace_recovery_codes),
        Endpoint::new(urls::REMOVE_SECOND_FACTOR).post(second_factor::disable_two_factor),
        Endpoint::new(urls::SESSIONS).get(sessions::list_sessions).post(sessions::end),
        Endpoint::new(urls::TOKENS).get(tokens::list_tokens).post(tokens::create_token),
        Endpoint::new(urls::END_TOKEN).post(tokens::end_token),
        Endpoint::new(urls::CONFIRM_EMAIL).get(email::confirm_email_form).post(email::confirm_email),
        Endpoint::new(urls::DELETE_ACCOUNT).get(deletion::deletion_form).post(deletion::request_deletion),
        Endpoint::new(urls::CANCEL_DELETION).post(deletion::cancel_deletion),
        Endpoint::new(urls::INVITATIONS).get(invitations::list_invitations).post(invitations::create_invitation),
        Endpoint::new(urls::END_INVITATION).post(invitations::end_invitation),
        Endpoint::new(urls::CREATE_OWNER).get(first_staff::setup_form).post(first_staff::create_first_staff),
        Endpoint::new(urls::APPROVE_AUTHOR).post(approval::approve_author),
        Endpoint::new(urls::CURRENT_USER).get(views::show_current_user),
        Endpoint::new(urls::LANGUAGE).post(language::set_language),
    ]
}
