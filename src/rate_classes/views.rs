//! What happens at the address of the classes.

use actix_web::http::header::CACHE_CONTROL;
use actix_web::{HttpRequest, HttpResponse, web};
use serde_json::json;

use super::{Class, RateClasses, Who};

/// The classes' parameters, where the client stands in each, and what belongs to them. Always JSON.
pub async fn classes(request: HttpRequest) -> HttpResponse {
    let classes = request.app_data::<web::Data<RateClasses>>();
    let reports = match (classes, Who::of(&request)) {
        (Some(classes), Some(who)) => Class::ALL.map(|class| classes.report(class, who)).into(),
        // They are switched off.
        _ => Vec::new(),
    };
    HttpResponse::Ok().insert_header((CACHE_CONTROL, "no-store")).json(json!({ "classes": reports }))
}
