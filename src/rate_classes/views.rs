//! Views of rate class limits and status.

use std::sync::LazyLock;

use actix_web::http::Method;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_ENCODING, HeaderValue};
use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use schemars::JsonSchema;
use serde::Serialize;

use super::classes::RateClasses;
use super::client_key::ClientId;
use super::events;
use super::status::ClassReport;
use crate::access::RequestClass;
use crate::i18n::filters;
use crate::phrase;
use crate::web::error::AppError;
use crate::web::request::format::ResponseFormat;
use crate::web::request::query::Query;
use crate::web::response::layout::Layout;
use crate::web::response::view::html_response;
use crate::web::routing::route::RouteTable;

#[derive(JsonSchema, Serialize)]
pub struct ClassReportWithRoutes {
    #[serde(flatten)]
    report: ClassReport,
    /// Methods and paths of the requests that belong to the class, such as `POST /rate/`.
    members: &'static [String],
    /// Number of methods and paths in `members`.
    member_count: usize,
}

#[derive(JsonSchema, Serialize)]
pub struct RateClassList {
    classes: Vec<ClassReportWithRoutes>,
}

#[derive(Template)]
#[template(path = "rate_classes/classes.html")]
struct ClassesPage {
    layout: Layout,
    reports: Vec<ClassReportWithRoutes>,
}

/// Methods and patterns of each class, such as `POST /rate/`.
static MEMBERS: LazyLock<[Vec<String>; RequestClass::ALL.len()]> =
    LazyLock::new(|| RequestClass::ALL.map(|class| class_members(RouteTable::global(), class)));

fn class_members(table: &RouteTable, class: RequestClass) -> Vec<String> {
    let counted = table.iter().filter(|route| route.has_session && route.is_counted);
    let operations = counted.flat_map(|route| route.methods.iter().map(move |method| (route, method)));
    let mine = operations.filter(|(route, method)| **method != Method::HEAD && route.rate_class_of(method) == class);
    mine.map(|(route, method)| format!("{method} {}", route.pattern)).collect()
}

pub async fn list_classes(request: HttpRequest, layout: Layout, format: ResponseFormat) -> HttpResponse {
    let client = RateClasses::for_request(&request).zip(ClientId::for_request(&request));
    let report = |class: RequestClass| {
        let (classes, who) = client.as_ref()?;
        let report = ClassReport::for_client(classes, (class, *who));
        let members = &MEMBERS[class as usize];
        Some(ClassReportWithRoutes { report, members, member_count: members.len() })
    };
    let reports: Vec<_> = RequestClass::ALL.into_iter().filter_map(report).collect();
    if format == ResponseFormat::Html {
        let mut page = html_response(&request, &mut HttpResponse::Ok(), &ClassesPage { layout, reports });
        page.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        return page;
    }
    HttpResponse::Ok().insert_header((CACHE_CONTROL, "no-store")).json(RateClassList { classes: reports })
}

pub async fn stream_status_events(request: HttpRequest, query: Query) -> Result<HttpResponse, AppError> {
    let mut requested_classes = Vec::new();
    for name in query.get_all("class")? {
        let class = RequestClass::ALL.into_iter().find(|class| class.name() == name);
        let class = class.ok_or_else(|| AppError::invalid_field("class", phrase!("invalid-class")))?;
        if !requested_classes.contains(&class) {
            requested_classes.push(class);
        }
    }
    if requested_classes.is_empty() {
        requested_classes = RequestClass::ALL.to_vec();
    }
    let classes = RateClasses::for_request(&request);
    let (classes, who) = classes.zip(ClientId::for_request(&request)).ok_or(AppError::NotFound)?;
    let mut response = HttpResponse::Ok();
    response.content_type("text/event-stream; charset=utf-8").insert_header((CACHE_CONTROL, "no-store"));
    // Disables buffering by nginx and compression, because both would delay events.
    response.insert_header(("X-Accel-Buffering", "no")).insert_header((CONTENT_ENCODING, "identity"));
    if request.method() == Method::HEAD {
        // A streaming body has no `Content-Length`, like the response to GET.
        return Ok(response.streaming(futures_util::stream::empty::<Result<web::Bytes, AppError>>()));
    }
    Ok(response.streaming(events::status_event_stream(classes, who, requested_classes)?))
}
