//! Account views: sign-in, sign-out and changes of the user's own account, one file per action.

pub mod cancel_deletion;
pub mod change_email;
pub mod change_profile;
pub mod choose_language;
pub mod confirm_email;
pub mod delete_account;
pub mod resend_confirmation;
pub mod reset_password;
pub mod show_account;
pub mod sign_in;
pub mod sign_out;
