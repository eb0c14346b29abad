//! Security settings of an account: password, two-factor authentication, sessions and API tokens.

pub mod change_password;
pub mod create_token;
pub mod disable_two_factor;
pub mod end_sessions;
pub mod replace_recovery_codes;
pub mod revoke_token;
pub mod set_up_two_factor;
