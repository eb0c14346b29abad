//! The HTTP server: actix' own parts, with connections that we watch.

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
use super::lifecycle::Connection;
use super::limits::Connections;
use crate::web::request::client::Proxies;

/// How many clients may be connected at once. For each we may have to keep 300 KB that it has sent ahead: 16 request
/// heads, and the beginning of a body.
const MAX_CONNECTIONS: u64 = 2_048;

/// How many bytes are kept, over all connections, for clients that do not take them in. (They may use four times as
/// much memory: buffers grow by doubling, and the answer to a client's next request may be ready, too.)
const MAX_UNSENT: usize = 16 << 20;

/// How many seconds requests in flight get to finish when the site stops.
const STOP_SECONDS: u64 = 15;

/// Makes a server for `app` on `listener`. It runs when awaited, and its handle stops it. `proxies` speak for many
/// clients, so they are not limited to the share of one. In `production` all answers ask for encryption.
///
/// # Errors
/// When `listener` cannot be used.
pub fn serve<F, T, B>(
    listener: TcpListener,
    workers: usize,
    proxies: &Proxies,
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
    let builder = Server::build().workers(workers).shutdown_timeout(STOP_SECONDS).disable_signals();
    let stopping = builder.graceful_shutdown_signal();
    let share = max_connections() / workers.max(1);
    let unsent = MAX_UNSENT / workers.max(1);
    let proxies = proxies.clone();
    let serve = move || {
        // An eighth is left for connections that are being refused while others come.
        let connections = Connections::new(share - share / 8, unsent, proxies.clone(), production);
        let stopping = stopping.clone();
        let http = HttpService::build()
            .graceful_shutdown_signal(move || {
                let stopping = stopping.clone();
                async move { stopping.notified().await }
            })
            // `limits` and `deadline` have time limits for these cases, and for more.
            .keep_alive(KeepAlive::Os)
            .client_request_timeout(Duration::ZERO)
            .client_disconnect_timeout(Duration::from_secs(1))
            .on_connect_ext(|connection: &Connection, data| drop(data.insert(connection.link())))
            .h1(map_config(app().into_factory().map_err(|error| error.error_response()), |()| AppConfig::default()));
        apply_fn_factory(http, move |stream, http| {
            lifecycle::serve(&connections, stream, |connection, client| http.call((connection, client))).map(Ok)
        })
    };
    Ok(builder.max_concurrent_connections(share).listen("http", listener, serve)?.run())
}

/// How many clients may be connected: what the system lets us open, less what we need ourselves.
fn max_connections() -> usize {
    const OWN_FILES: u64 = 96;
    // Raises our limit of open files if we may. Otherwise the present limit has to do.
    let (soft, hard) = getrlimit(Resource::RLIMIT_NOFILE).unwrap_or((256, 256));
    let wanted = hard.min(MAX_CONNECTIONS + OWN_FILES);
    let files = if soft < wanted && setrlimit(Resource::RLIMIT_NOFILE, wanted, hard).is_ok() { wanted } else { soft };
    usize::try_from(files.saturating_sub(OWN_FILES).clamp(16, MAX_CONNECTIONS)).unwrap_or(16)
}
