//! End-to-end tests over HTTP with a real `PostgreSQL` server.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]
#![allow(clippy::too_many_lines, reason = "a test may need many steps")]
#![allow(clippy::print_stdout, reason = "output of a failed test")]

mod account_deletion;
mod accounts;
mod admin;
mod api_tokens;
mod architecture;
mod backup;
mod batched_lookup;
mod bitpin_blog;
mod catalogues;
mod co_authors;
mod commands;
mod concurrency;
mod custom_limits;
mod deleted_posts;
mod documents;
mod editor;
mod embedded_database;
mod every_url;
mod faults;
mod first_steps;
mod http;
mod idempotency;
mod images;
mod import;
mod language;
mod languages;
mod limiter_overrides;
mod limiter_stores;
mod list_costs;
mod lists;
mod mail;
mod moderation;
mod monitoring;
mod operation;
mod page_cache;
mod pages;
mod posts;
mod profiles;
mod rate_classes;
mod rating_limiter;
mod ratings;
mod registration;
mod replay;
mod replicas;
mod reports;
mod revisions;
mod safe_browsing;
mod search_and_feeds;
mod sessions;
mod site_pages;
mod site_settings;
mod slow_clients;
mod staff;
mod startup;
mod steady_score;
mod support;
mod two_factor;
mod webhooks;
mod zombie_pauses;
