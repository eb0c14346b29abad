//! Admin pages of the rating limiter: active limiter, overrides, and replay of recent ratings through other limiters.

mod active_limiter;
mod context;
mod limiter_input;
mod override_form;
mod replay;

pub use self::active_limiter::{show, withdraw_override};
pub use self::limiter_input::parameters;
pub use self::override_form::{set_override, set_override_form};
pub use self::replay::{MAX_DAYS, ReplayPermit, ReplayReport, replay};
