//! What every app needs to be asked and to answer: addresses, forms, pages, errors, connections. Knows no app.

pub mod address;
pub mod client;
pub mod connection;
pub mod deadline;
pub mod error;
pub mod finish;
pub mod form;
pub mod messages;
pub mod payload;
pub mod server;
pub mod state;
pub mod static_files;
pub mod view;
