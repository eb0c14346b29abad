//! Endpoints of user accounts.

use super::account::choose_language::ChosenLanguage;
use super::account::show_account::OwnAccount;
use super::account::{
    cancel_deletion, change_email, change_profile, choose_language, confirm_email, delete_account, resend_confirmation,
    reset_password, show_account, sign_in, sign_out,
};
use super::registration::{approve_author, create_invitation, create_owner, end_invitation, register};
use super::security::create_token::CreatedToken;
use super::security::{
    change_password, create_token, disable_two_factor, end_sessions, replace_recovery_codes, revoke_token,
    set_up_two_factor,
};
use super::urls;
use crate::web::routing::endpoint::Endpoint;
use crate::web::routing::operation::{LINK_ERRORS, QueryParameter};

#[expect(clippy::too_many_lines, reason = "a table is read row by row")]
pub fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::new(urls::REGISTER)
            .get("Read the registration form", register::register_form).form()
            .errors(&["registration_closed", "invitation_needed"]).errors(LINK_ERRORS)
            .query([QueryParameter::text("invitation", "Token of an invitation link")])
            .post("Create an account", register::register).note("Also creates a session, whose cookie is in the response.")
            .errors(&["registration_closed", "invitation_needed", "sign_in_limited"]).errors(LINK_ERRORS)
            .query([QueryParameter::text("invitation", "Token of an invitation link")]),
        Endpoint::new(urls::LOGIN)
            .get("Read the sign-in form", sign_in::login_form).form()
            .post("Sign in", sign_in::login).note("Creates a session, whose cookie is in the response. `username` can also be the confirmed email address. With two-factor authentication, `code` is needed, too.")
            .errors(&["wrong_credentials", "second_factor_needed", "wrong_code", "sign_in_again", "sign_in_limited"]),
        Endpoint::new(urls::LOGOUT).post("Sign out", sign_out::sign_out),
        Endpoint::new(urls::PASSWORD_CHANGE)
            .get("Read the password form", change_password::password_change_form).form()
            .post("Change your password", change_password::password_change),
        Endpoint::new(urls::WELL_KNOWN_CHANGE_PASSWORD)
            .get("Redirect password managers to the password form", change_password::redirect_to_password_change).for_browsers(),
        Endpoint::new(urls::PASSWORD_RESET)
            .get("Read the password reset form", reset_password::password_reset_form).form()
            .errors(LINK_ERRORS)
            .query([QueryParameter::text(
                "token",
                "Token of the mailed link; without it, the operation is about requesting such a mail",
            )])
            .post("Reset a password", reset_password::reset_password).note("With `username` or `email`, requests a mail with a link: 202 whether or not the account exists. With `new_password` and the token of the link, sets the password.")
            .errors(&["no_mail", "sign_in_limited"]).errors(LINK_ERRORS)
            .query([QueryParameter::text(
                "token",
                "Token of the mailed link, to set the new password; without it, a mail with such a link is requested",
            )]),
        Endpoint::new(urls::ACCOUNT)
            .get("Read your email address", change_email::account_form)
            .post("Change your email address", change_email::change_email).note("The user confirms the new address by a mailed link."),
        Endpoint::new(urls::PROFILE)
            .get("Read the profile form", change_profile::profile_form).form()
            .post("Change your profile", change_profile::change_profile).note("Fields that the request omits keep their values. JSON is accepted, too, but cannot contain a file."),
        Endpoint::new(urls::RESEND_CONFIRMATION)
            .post("Send the confirmation mail again", resend_confirmation::resend_confirmation)
            .errors(&["no_mail", "sign_in_limited"]),
        Endpoint::new(urls::SECOND_FACTOR)
            .get("Read the two-factor status", set_up_two_factor::show_two_factor)
            .post("Set up two-factor authentication", set_up_two_factor::begin_setup).note("Returns the secret for the authenticator app."),
        Endpoint::new(urls::CONFIRM_SECOND_FACTOR)
            .post("Enable two-factor authentication", set_up_two_factor::confirm_setup).note("Returns ten recovery codes.")
            .errors(&["sign_in_limited"]),
        Endpoint::new(urls::RECOVERY_CODES).post("Replace the recovery codes", replace_recovery_codes::replace_recovery_codes),
        Endpoint::new(urls::REMOVE_SECOND_FACTOR)
            .post("Disable two-factor authentication", disable_two_factor::disable_two_factor),
        Endpoint::new(urls::SESSIONS).get("List your sessions", end_sessions::list_sessions).post("End sessions", end_sessions::end_sessions).note("Without `session`, ends all sessions except this one."),
        Endpoint::new(urls::TOKENS)
            .get("List your API tokens", create_token::list_tokens)
            .post("Create an API token", create_token::create_token).note("The token is in the field `token` of this response only. With two-factor authentication, `code` is needed, too.")
            .json::<CreatedToken>(201)
            .errors(&["sign_in_limited"]),
        Endpoint::new(urls::REVOKE_TOKEN).post("Revoke an API token", revoke_token::revoke_token),
        Endpoint::new(urls::CONFIRM_EMAIL)
            .get("Read a confirmation link", confirm_email::confirm_email_form)
            .errors(LINK_ERRORS)
            .query([QueryParameter::text("token", "Token of the mailed link").required()])
            .post("Confirm the email address", confirm_email::confirm_email)
            .errors(LINK_ERRORS)
            .errors(&["email_in_use"])
            .query([QueryParameter::text("token", "Token of the mailed link").required()]),
        Endpoint::new(urls::DELETE_ACCOUNT)
            .get("Read the deletion form", delete_account::deletion_form).form()
            .post("Delete your account", delete_account::request_deletion).note("Schedules the deletion in a week. `posts` says whether the posts are kept.")
            .errors(&["last_of_staff"]),
        Endpoint::new(urls::CANCEL_DELETION)
            .post("Keep your account", cancel_deletion::cancel_deletion)
            .errors(&["week_is_over"]),
        Endpoint::new(urls::INVITATIONS)
            .get("List invitations", create_invitation::list_invitations)
            .errors(&["staff_only"])
            .post("Create an invitation", create_invitation::create_invitation)
            .errors(&["staff_only"]),
        Endpoint::new(urls::END_INVITATION)
            .post("End an invitation", end_invitation::end_invitation)
            .errors(&["staff_only"]),
        Endpoint::new(urls::CREATE_OWNER)
            .get("Read the owner form", create_owner::owner_form).form()
            .errors(&["has_owner"])
            .query([QueryParameter::text("code", "Setup code from the log of the site")])
            .post("Create the owner account", create_owner::create_owner).note("Only on a site without staff, with the setup code from its log.")
            .errors(&["has_owner", "sign_in_limited"]),
        Endpoint::new(urls::APPROVE_AUTHOR).post("Approve an author", approve_author::approve_author).errors(&["staff_only"]),
        Endpoint::new(urls::CURRENT_USER)
            .get("Read your account", show_account::show_current_user).note("API tokens without the scope `account` get no email address.")
            .json::<OwnAccount>(200),
        Endpoint::new(urls::LANGUAGE).post("Choose a language", choose_language::set_language).json::<ChosenLanguage>(200),
    ]
}
