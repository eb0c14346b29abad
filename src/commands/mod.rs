//! What the command line does besides running the site.

pub mod accounts;
pub mod check;
pub mod check_ratings;
pub mod links;
pub mod migrations;
pub mod replay;
pub mod seed_demo;
pub mod transfer;
