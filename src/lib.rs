//! The Evenkeel site: a blog whose ratings resist manipulation. Rating limiters and scores are in the crate
//! [`evenkeel_limiters`], and the Markdown of posts in [`evenkeel_markdown`].
//!
//! Modules, from the highest layer to the lowest. `tests/site/architecture.rs` checks that no module imports a module
//! of a higher layer or of its own layer, except that views take [`state::AppState`]:
//!
//! - [`state`]: state of an instance, with the services of all apps
//! - [`server`]: start-up and shutdown of an instance, URLs, middleware order. The only module that imports all apps
//! - [`cli`]: commands; [`admin`]: the admin area
//! - [`rate`]: ratings, their writer and limiters; [`reports`]: reports of posts; [`personal_data`]: export and erasure
//! - [`blog_posts`]: posts; [`rate_classes`]: limits on the requests of a client
//! - [`users`]: accounts, sessions, sign-in; [`safe_browsing`]: checks of links against threat lists
//! - [`custom_limits`]: request limits that replace the normal ones for one user or network; [`api`]: API description
//! - [`images`]: uploaded images; [`audit_log`]: log of actions by staff and users; [`webhooks`]: queue and delivery
//! - [`web`]: HTTP, routing, forms, pages, errors. Imports no app
//! - [`mail`]: outbox and delivery; [`page_cache`]: pages for anonymous visitors
//! - [`db`]: pools, migrations, clock, private `PostgreSQL`; [`site`]: settings that the owner changes in the browser;
//!   [`signing`]: keys derived from `SECRET_KEY`; [`limiter_decisions`]: counters of limiter decisions
//! - [`score`]: steady score periods, hourly rating counts; [`access`]: roles, token scopes, request classes;
//!   [`chart`]: bar charts
//! - [`i18n`]: translations and formats; [`log`]: log output and traces
//! - [`config`]: environment variables; [`text`]: characters and encoding of URLs; [`permits`]: limits on expensive
//!   work; [`disk_space`]: free disk space; [`background_tasks`]: supervised background tasks

#![cfg_attr(test, allow(clippy::too_many_lines, reason = "a test may need many steps"))]

pub mod access;
pub mod admin;
pub mod api;
pub mod audit_log;
pub mod background_tasks;
pub mod blog_posts;
pub mod chart;
pub mod cli;
pub mod config;
pub mod custom_limits;
pub mod db;
pub mod disk_space;
pub mod i18n;
pub mod images;
pub mod limiter_decisions;
pub mod log;
pub mod mail;
pub mod page_cache;
pub mod permits;
pub mod personal_data;
pub mod rate;
pub mod rate_classes;
pub mod reports;
pub mod safe_browsing;
pub mod score;
pub mod server;
pub mod signing;
pub mod site;
pub mod state;
pub mod text;
pub mod users;
pub mod web;
pub mod webhooks;
