//! HTTP server with limits on connections. The reverse proxy limits slow clients and the connections of each client.

use std::net::TcpListener;
use std::time::Duration;

use actix_web::body::MessageBody;
use actix_web::dev::{Server, ServiceFactory, ServiceRequest, ServiceResponse};
use actix_web::{App, HttpServer};
use nix::sys::resource::{Resource, getrlimit, setrlimit};

const MAX_CONNECTIONS: u64 = 2_048;
const HEAD_TIMEOUT: Duration = Duration::from_secs(10);
/// Idle timeout, as in nginx. With a shorter timeout, more requests would reach a connection that is being closed.
const KEEP_ALIVE: Duration = Duration::from_secs(75);
const SHUTDOWN_TIMEOUT_S: u64 = 15;

pub fn serve<F, T, B>(listener: TcpListener, workers: usize, app: F) -> std::io::Result<Server>
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
    let server = HttpServer::new(app)
        .workers(workers)
        .max_connections(max_connections() / workers.max(1))
        .client_request_timeout(HEAD_TIMEOUT)
        .keep_alive(KEEP_ALIVE)
        .client_disconnect_timeout(Duration::from_secs(1))
        // Ends event streams as soon as their client disconnects.
        .h1_allow_half_closed(false)
        .tcp_nodelay(true)
        .shutdown_timeout(SHUTDOWN_TIMEOUT_S)
        .disable_signals();
    Ok(server.listen(listener)?.run())
}

/// Maximum number of client connections: the limit of open files minus the descriptors that the server needs itself.
fn max_connections() -> usize {
    const OWN_FILES: u64 = 96;
    // Raises the soft limit of open files if possible. Otherwise the current soft limit is used.
    let (soft, hard) = getrlimit(Resource::RLIMIT_NOFILE).unwrap_or((256, 256));
    let new_soft = hard.min(MAX_CONNECTIONS + OWN_FILES);
    let files =
        if soft < new_soft && setrlimit(Resource::RLIMIT_NOFILE, new_soft, hard).is_ok() { new_soft } else { soft };
    usize::try_from(files.saturating_sub(OWN_FILES).clamp(16, MAX_CONNECTIONS)).unwrap_or(16)
}
