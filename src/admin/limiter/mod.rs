//! Admin pages of the rating limiter: active limiter, overrides, and comparison of limiters.

mod active_limiter;
mod comparison;
mod limiter_input;
mod override_form;

pub use self::active_limiter::{show, withdraw_override};
pub use self::limiter_input::parameters;
pub use self::override_form::{set_override, set_override_form};
