//! Accounts: register, sign in, sign out, change the password.

pub mod models;
pub mod password;
pub mod session;
pub mod throttle;
pub mod urls;
mod views;

pub use self::models::{Email, User, Username};
pub use self::password::{Hasher, Password};
pub use self::session::{CurrentUser, PostgresSessionStore};
pub use self::throttle::Throttle;
