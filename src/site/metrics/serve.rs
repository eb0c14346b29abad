//! The address where monitoring fetches the figures: `/metrics` on `METRICS_BIND`, and nothing else there.

use std::net::TcpListener;

use actix_web::dev::Server;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use actix_web::{App, HttpResponse, Responder, web};

use super::figures::Figures;
use crate::web::client::Proxies;
use crate::web::server;

/// The media type of `OpenMetrics`, which Prometheus and others ask for.
const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// The server. It runs when awaited, and stops by its handle.
///
/// # Errors
/// When `listener` cannot be used.
pub fn serve(listener: TcpListener, figures: Figures) -> std::io::Result<Server> {
    let figures = web::Data::new(figures);
    let app = move || {
        App::new()
            .app_data(figures.clone())
            .service(web::resource("/metrics").get(metrics).route(web::head().to(metrics)))
            .default_service(web::to(async || HttpResponse::NotFound().body("The figures are at /metrics\n")))
    };
    server::serve(listener, 1, (&Proxies::default(), false), app)
}

async fn metrics(figures: web::Data<Figures>) -> impl Responder {
    let mut answer = HttpResponse::Ok();
    answer.insert_header((CONTENT_TYPE, OPEN_METRICS)).insert_header((CACHE_CONTROL, "no-store"));
    answer.body(figures.text().await)
}
