//! `OpenAPI` 3.1 description of the API, generated from routes, handler types, form fields and the table of errors.

mod document;
pub mod endpoints;
pub mod errors;
mod operations;
mod schemas;
pub mod urls;
mod views;

pub use self::document::document;
