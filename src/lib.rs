//! The Evenkeel site: a blog whose ratings resist manipulation. Its limiters and its score are in the crate
//! [`evenkeel_limiters`].
//!
//! The modules are listed from the highest layer to the lowest. No module imports one of a higher layer, which
//! `tests/site/architecture.rs` checks:
//!
//! - [`site`]: an instance, its settings and its table of addresses: the only module that names all apps
//! - [`commands`]: what the command line does besides running the site
//! - [`desk`]: where staff see what goes on
//! - [`replay`]: what limiters and scores would have made of ratings of the past
//! - [`personal_data`]: all that an account has: its export, and its end
//! - [`rate`]: ratings. Its heart is the writer, the one place where ratings are written
//! - [`reports`]: what readers report of posts, and what staff decide
//! - [`blog_posts`]: posts; [`rate_classes`]: how fast one client may go
//! - [`users`]: accounts, passwords and sessions
//! - [`audit_log`]: who did what
//! - [`images`]: pictures of authors, made anew and kept
//! - [`web`]: what comes in and what goes out: addresses, forms, pages, errors, connections. Knows no app
//! - [`mail`]: what is to be sent, and the task that sends it
//! - [`database`]: pool, migrations, the clock, and the private server; [`markdown`]: texts as HTML;
//!   [`links`]: whether an address is on a list of suspected ones
//! - [`i18n`]: what all of them say, in the language of whom they speak to
//! - [`background`]: supervised background tasks; `decisions`: counts of what the limiters decided; `score`: which of a post's scores is shown; [`policy`]: who may come in and publish; [`image_name`]: what an image is
//!   called; `keys`: keys for
//!   signing; `env`: environment variables; [`log`]: lines of the log

#![cfg_attr(test, allow(clippy::too_many_lines, reason = "a test tells a whole story"))]

pub mod audit_log;
pub mod background;
pub mod blog_posts;
pub mod commands;
pub mod database;
pub mod decisions;
pub mod desk;
pub mod disk;
pub mod env;
pub mod i18n;
pub mod image_name;
pub mod images;
pub mod keys;
pub mod links;
pub mod log;
pub mod mail;
pub mod markdown;
pub mod personal_data;
pub mod policy;
pub mod rate;
pub mod rate_classes;
pub mod replay;
pub mod reports;
pub mod score;
pub mod site;
pub mod users;
pub mod web;
