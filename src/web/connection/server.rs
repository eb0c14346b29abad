//! HTTP server: actix's HTTP/1 service with connection limits and deadlines.

use std::net::TcpListener;
use std::time::Duration;

use actix_http::{HttpService, KeepAlive};
use actix_service::{
    IntoServiceFactory as _, Service as _, ServiceFactory, ServiceFactoryExt as _, apply_fn_factory, map_config,
};
use actix_web::App;
use actix_web::body::MessageBody;
use actix_web::dev::{AppConfig, Server, ServiceRequest, ServiceResponse};
use futures_util::FutureExt as _;
use nix::sys::resource::{Resource, getrlimit, setrlimit};

use super::lifecycle;
use super::lifecycle::TrackedStream;
use super::limits::Connections;
use crate::web::request::client::TrustedProxies;

/// Maximum number of open connections. A connection may buffer up to 300 KB of pipelined requests: 16 request heads and
/// the beginning of a body.
const MAX_CONNECTIONS: u64 = 2_048;

/// Maximum number of bytes buffered, over all connections, for clients that do not read them. The memory used can be
/// four times as much: buffers grow by doubling, and the response to a pipelined request may already be rendered.
const MAX_UNSENT: usize = 16 << 20;

/// Maximum time in seconds to complete the requests in progress at shutdown.
const SHUTDOWN_TIMEOUT_S: u64 = 15;

/// Creates a server for `app` on `listener`. `proxies` are exempt from the connection limit per client. In
/// `production`, error responses to refused or timed-out connections include the HTTPS security headers.
///
/// # Errors
/// Fails if `listener` cannot be used.
pub fn serve<F, T, B>(
    listener: TcpListener,
    workers: usize,
    proxies: &TrustedProxies,
    production: bool,
    app: F,
) -> std::io::Result<Server>
where
    F: Fn() -> App<T> + Clone + Send + 'static,
    T: ServiceFactory<
            ServiceRequest,
            Config = (),
            Response = ServiceResponse<B>,
            Error = actix_web::Error,
            InitError = (),
        > + 'static,
    B: MessageBody + 'static,
{
    let builder = Server::build().workers(workers).shutdown_timeout(SHUTDOWN_TIMEOUT_S).disable_signals();
    let stopping = builder.graceful_shutdown_signal();
    let share = max_connections() / workers.max(1);
    let unsent = MAX_UNSENT / workers.max(1);
    let proxies = proxies.clone();
    let serve = move || {
        // One eighth of the connections is reserved for answering excess clients with an error response.
        let connections = Connections::new(share - share / 8, unsent, proxies.clone(), production);
        let stopping = stopping.clone();
        let http = HttpService::build()
            .graceful_shutdown_signal(move || {
                let stopping = stopping.clone();
                async move { stopping.notified().await }
            })
            // The timeouts of actix for idle connections and for slow request headers are disabled: the modules `limits`
            // and `deadline` have their own.
            .keep_alive(KeepAlive::Os)
            .client_request_timeout(Duration::ZERO)
            .client_disconnect_timeout(Duration::from_secs(1))
            .on_connect_ext(|connection: &TrackedStream, data| drop(data.insert(connection.connection_state())))
            .h1(map_config(app().into_factory().map_err(|error| error.error_response()), |()| AppConfig::default()));
        apply_fn_factory(http, move |stream, http| {
            lifecycle::serve(&connections, stream, |connection, client| http.call((connection, client))).map(Ok)
        })
    };
    Ok(builder.max_concurrent_connections(share).listen("http", listener, serve)?.run())
}

/// Maximum number of client connections: the limit of open files minus the descriptors that the server needs itself.
fn max_connections() -> usize {
    const OWN_FILES: u64 = 96;
    // Raises the soft limit of open files if possible. Otherwise the current soft limit is used.
    let (soft, hard) = getrlimit(Resource::RLIMIT_NOFILE).unwrap_or((256, 256));
    let wanted = hard.min(MAX_CONNECTIONS + OWN_FILES);
    let files = if soft < wanted && setrlimit(Resource::RLIMIT_NOFILE, wanted, hard).is_ok() { wanted } else { soft };
    usize::try_from(files.saturating_sub(OWN_FILES).clamp(16, MAX_CONNECTIONS)).unwrap_or(16)
}
