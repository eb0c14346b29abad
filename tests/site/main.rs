//! End-to-end tests over HTTP with a real `PostgreSQL` server.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]
#![allow(clippy::too_many_lines, reason = "a test may need many steps")]
#![allow(clippy::print_stdout, reason = "output of a failed test")]

mod accounts;
mod admin;
mod architecture;
mod backup;
mod catalogues;
mod cluster;
mod coming_in;
mod commands;
mod concurrency;
mod contract;
mod devices;
mod documents;
mod faults;
mod gate;
mod import;
mod language;
mod languages;
mod leaving;
mod limiter;
mod links;
mod lists;
mod lookup;
mod mail;
mod moderation;
mod monitoring;
mod operator;
mod page_cache;
mod pages;
mod pauses;
mod pictures;
mod posts;
mod profiles;
mod rate_classes;
mod ratings;
mod reading;
mod replay;
mod reports;
mod second_factor;
mod siege;
mod staff;
mod start;
mod steady;
mod stores;
mod support;
mod transfer;
mod walk;
mod writing;
