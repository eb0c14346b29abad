//! `OpenAPI` 3.1 description of the API, and its reference for people. The route table, the types of the handlers, the
//! fields of the forms and the table of errors generate it, so that it cannot differ from what the site does.

mod document;
pub mod endpoints;
pub mod errors;
mod operations;
mod schemas;
pub mod urls;
mod views;

pub use self::document::document;
