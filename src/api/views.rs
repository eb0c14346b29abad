//! Views of the `OpenAPI` document and its reference page.

use std::sync::LazyLock;

use actix_web::http::header;
use actix_web::{HttpRequest, HttpResponse};
use askama::Template;

use super::document::document;
use super::urls;
use crate::i18n::filters;
use crate::phrase;
use crate::web::error::AppError;
use crate::web::request::query::Query;
use crate::web::response::layout::Layout;
use crate::web::response::view::{html_response, with_etag};

static JSON: LazyLock<String> = LazyLock::new(|| document().to_string());
static YAML: LazyLock<Option<String>> = LazyLock::new(|| serde_saphyr::to_string(&document()).ok());

/// Content Security Policy of the reference page. The style sheet of Swagger UI contains icons as `data:` URLs.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
    font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

#[derive(Template)]
#[template(path = "api/docs.html")]
struct DocsPage {
    layout: Layout,
    schema: &'static str,
}

pub async fn docs(request: HttpRequest, layout: Layout) -> HttpResponse {
    let page = DocsPage { layout, schema: urls::SCHEMA.pattern };
    let mut response = HttpResponse::Ok();
    response.insert_header((header::CONTENT_SECURITY_POLICY, CONTENT_SECURITY_POLICY));
    html_response(&request, &mut response, &page)
}

pub async fn schema(request: HttpRequest, query: Query) -> Result<HttpResponse, AppError> {
    let (content_type, body) = match query.get("format")?.as_deref() {
        None | Some("json") => ("application/json", Some(JSON.clone())),
        Some("yaml") => ("application/yaml", YAML.clone()),
        Some(_) => return Err(AppError::invalid_field("format", phrase!("invalid-choice"))),
    };
    let body =
        body.ok_or_else(|| AppError::Internal("the description of the API cannot be written as YAML".to_owned()))?;
    Ok(with_etag(
        &request,
        HttpResponse::Ok().content_type(content_type).insert_header(("Cache-Control", "no-cache")),
        body,
    ))
}
