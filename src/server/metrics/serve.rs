//! Metrics endpoint: serves `/metrics`, and nothing else, on `METRICS_BIND`.

use std::collections::HashMap;
use std::net::TcpListener;

use actix_web::dev::Server;
use actix_web::http::header::{ACCEPT, CACHE_CONTROL, CONTENT_TYPE, VARY};
use actix_web::{App, HttpRequest, HttpResponse, web};

use super::collect::MetricSources;
use crate::server::http_server;
use crate::server::middleware::origin_check::request_host;
use crate::web::request::host::Host;

const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
const PROMETHEUS_TEXT: &str = "text/plain; version=0.0.4; charset=utf-8";

pub fn serve(listener: TcpListener, sources: MetricSources) -> std::io::Result<Server> {
    let sources = web::Data::new(sources);
    let app = move || {
        App::new()
            .app_data(sources.clone())
            .service(web::resource("/metrics").get(metrics).route(web::head().to(metrics)))
            .default_service(web::to(async || HttpResponse::NotFound().body("The metrics are at /metrics\n")))
    };
    http_server::serve(listener, 1, app)
}

async fn metrics(request: HttpRequest, sources: web::Data<MetricSources>) -> HttpResponse {
    // Prevents DNS rebinding, in which a web page accesses this port with its own host name. IP addresses are allowed,
    // because DNS rebinding requires a host name.
    let allowed = &sources.state.settings.allowed_hosts;
    let is_allowed = |host: Host| {
        host.is_ip_address() || host.name() == "localhost" || allowed.iter().any(|allowed| allowed.allows(&host))
    };
    if !request_host(request.headers(), request.uri()).is_some_and(is_allowed) {
        return HttpResponse::BadRequest().body("The Host header is not in ALLOWED_HOSTS\n");
    }
    let mut accept = request.headers().get_all(ACCEPT).filter_map(|value| value.to_str().ok());
    let is_open = accept.any(|value| value.contains("application/openmetrics-text"));
    let text = sources.encode().await;
    let (kind, text) = if is_open { (OPEN_METRICS, text) } else { (PROMETHEUS_TEXT, to_prometheus_text(&text)) };
    let mut response = HttpResponse::Ok();
    response.insert_header((CONTENT_TYPE, kind)).insert_header((VARY, "Accept"));
    response.insert_header((CACHE_CONTROL, "no-store")).body(text)
}

/// Converts to the older Prometheus format, which declares counters with their suffix, and info metrics as gauges.
fn to_prometheus_text(text: &str) -> String {
    let kinds = text.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split_once(' '));
    let kinds: HashMap<&str, &str> = kinds.collect();
    let mut converted = String::with_capacity(text.len());
    for line in text.lines().filter(|line| !line.starts_with("# UNIT ") && *line != "# EOF") {
        let declared =
            ["# HELP ", "# TYPE "].into_iter().find_map(|mark| Some((mark, line.strip_prefix(mark)?.split_once(' ')?)));
        match declared {
            Some((mark, (name, rest))) => {
                let (suffix, rest) = match kinds.get(name) {
                    Some(&"counter") => ("_total", rest),
                    Some(&"info") => ("_info", if mark == "# TYPE " { "gauge" } else { rest }),
                    _ => ("", rest),
                };
                converted.extend([mark, name, suffix, " ", rest, "\n"]);
            }
            None => converted.extend([line, "\n"]),
        }
    }
    converted
}
