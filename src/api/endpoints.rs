//! Endpoints of the `OpenAPI` document and its reference page.

use super::{urls, views};
use crate::web::routing::endpoint::Endpoint;
use crate::web::routing::operation::QueryParameter;

pub fn endpoints() -> Vec<Endpoint> {
    let format = QueryParameter::choice("format", "Format of the description", &["json", "yaml"]);
    vec![
        Endpoint::new(urls::SCHEMA)
            .get("Read the OpenAPI document", views::schema)
            .query([format])
            .json::<serde_json::Map<String, serde_json::Value>>(200)
            .file("application/yaml"),
        Endpoint::new(urls::DOCS).get("Read the reference of the API", views::docs).for_browsers(),
    ]
}
