//! What a visitor, a program and an operator can and cannot do, told as stories against the real thing: a
//! real `PostgreSQL`, real HTTP, and for some a real browser.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]
#![allow(clippy::print_stdout, reason = "what a test has seen")]

mod accessibility;
mod accounts;
mod architecture;
mod browser;
mod cluster;
mod concurrency;
mod contract;
mod faults;
mod gate;
mod operator;
mod pages;
mod pauses;
mod posts;
mod rate_classes;
mod ratings;
mod reading;
mod replay;
mod siege;
mod start;
mod stores;
mod support;
mod walk;
mod writing;
