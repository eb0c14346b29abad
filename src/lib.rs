//! Evenkeel: a blog whose ratings keep an even keel, and the rate limiters that keep them there.
//!
//! [`limiters`] is a library of its own: with `default-features = false` it is all there is. The rest is
//! the site. In reading order:
//!
//! - [`settings`]: everything an operator can set; [`clock`]: the one place that knows the time; [`log`]: lines that
//!   never hold anything up; [`database`]: pool, migrations and the private server
//! - [`starting`]: what is answered before the database is there; [`app`]: an instance and its middleware; `server` and
//!   `connection`: HTTP, and how long clients may take; [`address`] and [`urls`]: what an address is, and all of them
//! - [`markdown`]: what authors write, as HTML
//! - [`payload`] and [`form`]: what comes in; [`view`], [`error`] and [`middleware`]: what goes out
//! - [`rate_classes`]: what one client may do; [`metrics`]: what limiters decided; [`replay`]: what limiters would have done
//! - [`users`], [`blog_posts`], [`rate`]: the three apps, each with its models, views and urls. The heart is
//!   the writer in [`rate`], the one place where ratings are written

pub mod limiters;

#[cfg(feature = "site")]
pub mod address;
#[cfg(feature = "site")]
pub mod app;
#[cfg(feature = "site")]
pub mod blog_posts;
#[cfg(feature = "site")]
mod client;
#[cfg(feature = "site")]
pub mod clock;
#[cfg(feature = "site")]
mod connection;
#[cfg(feature = "site")]
pub mod database;
#[cfg(feature = "site")]
mod deadline;
#[cfg(feature = "site")]
pub mod error;
#[cfg(feature = "site")]
pub mod form;
#[cfg(feature = "site")]
mod health;
#[cfg(feature = "site")]
pub mod log;
#[cfg(feature = "site")]
pub mod markdown;
#[cfg(feature = "site")]
mod messages;
#[cfg(feature = "site")]
pub mod metrics;
#[cfg(feature = "site")]
pub mod middleware;
#[cfg(feature = "site")]
pub mod payload;
#[cfg(feature = "site")]
pub mod rate;
#[cfg(feature = "site")]
pub mod rate_classes;
#[cfg(feature = "site")]
pub mod replay;
#[cfg(feature = "site")]
pub mod seed_demo;
#[cfg(feature = "site")]
mod server;
#[cfg(feature = "site")]
pub mod settings;
#[cfg(feature = "site")]
pub mod starting;
#[cfg(feature = "site")]
pub mod state;
#[cfg(feature = "site")]
mod static_files;
#[cfg(feature = "site")]
pub mod urls;
#[cfg(feature = "site")]
pub mod users;
#[cfg(feature = "site")]
pub mod view;
