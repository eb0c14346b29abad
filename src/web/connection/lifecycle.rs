//! Lifecycle of a TCP connection: it is served until it is closed, times out or is evicted in favor of a new
//! connection.

use std::cell::RefCell;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};
use std::time::Duration;

use actix_http::error::DispatchError;
use actix_web::ResponseError as _;
use actix_web::rt::net::TcpStream;
use futures_util::future::LocalBoxFuture;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, ReadBuf};
use tokio::time::timeout;

use super::limits::{ConnectionState, Connections};
use crate::i18n::Locale;
use crate::web::error::AppError;
use crate::web::middleware::security_headers::security_headers;

/// Maximum time to send an error response and wait for the client to close the connection. If the server closed a
/// socket with unread input first, the client would get a TCP reset and lose the response.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

/// Serves a connection with the HTTP handler `http` until the client or the server closes the connection, its deadline
/// passes or it is evicted.
pub fn serve<F>(
    connections: &Rc<Connections>,
    stream: TcpStream,
    http: impl FnOnce(TrackedStream, Option<SocketAddr>) -> F,
) -> LocalBoxFuture<'static, ()>
where
    F: Future<Output = Result<(), DispatchError>> + 'static,
{
    let client = stream.peer_addr().ok();
    // Disables Nagle's algorithm: responses are written in one piece, so delaying small packets only adds latency.
    let _ = stream.set_nodelay(true);
    let link = connections.register_connection(client);
    let stream = Rc::new(RefCell::new(stream));
    let work = link.map(|link| {
        let connection = TrackedStream { stream: stream.clone(), state: link.clone() };
        (link, http(connection, client))
    });
    let production = connections.production;
    Box::pin(async move {
        match work {
            Some((link, work)) => serve_admitted(stream, production, link, work, client).await,
            None => send_error_and_close(stream, production, &AppError::Busy, false).await,
        }
    })
}

async fn serve_admitted(
    stream: Rc<RefCell<TcpStream>>,
    production: bool,
    link: Rc<ConnectionState>,
    work: impl Future<Output = Result<(), DispatchError>>,
    client: Option<SocketAddr>,
) {
    let ended = link.run_until_deadline(work).await;
    match ended {
        // I/O errors are routine disconnects. All other dispatch errors are malformed HTTP requests.
        Ok(Err(DispatchError::Io(error))) => tracing::debug!(?client, %error, "connection aborted"),
        Ok(Err(error)) => {
            tracing::info!(
                client = client.map(tracing::field::display),
                %error,
                "client sent an invalid HTTP request or none"
            );
        }
        Err(_) if link.has_unsent_bytes() => drop(stream.borrow().set_zero_linger()),
        Err(error) if link.has_received_bytes() => send_error_and_close(stream, production, &error, true).await,
        Ok(Ok(())) | Err(_) => (),
    }
}

/// TCP stream that reports received bytes and unsent bytes to its [`ConnectionState`].
pub struct TrackedStream {
    stream: Rc<RefCell<TcpStream>>,
    state: Rc<ConnectionState>,
}

impl TrackedStream {
    #[must_use]
    pub fn connection_state(&self) -> Rc<ConnectionState> {
        self.state.clone()
    }
}

impl AsyncRead for TrackedStream {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let (before, room) = (buffer.filled().len(), buffer.remaining() > 0);
        let read = Pin::new(&mut *self.stream.borrow_mut()).poll_read(context, buffer);
        if buffer.filled().len() > before {
            self.state.record_input();
        } else if room && matches!(read, Poll::Ready(Ok(()))) {
            self.state.record_read_eof();
        }
        read
    }
}

impl AsyncWrite for TrackedStream {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut *self.stream.borrow_mut()).poll_write(context, bytes);
        let sent = if let Poll::Ready(Ok(sent)) = written { sent } else { 0 };
        self.state.set_unsent_bytes(bytes.len() - sent);
        if sent > 0 {
            self.state.record_output();
        }
        written
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.stream.borrow_mut()).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.stream.borrow_mut()).poll_shutdown(context)
    }
}

/// Sends an error to a client whose request is missing or incomplete, and closes the connection. The response is JSON
/// in the default language.
async fn send_error_and_close(stream: Rc<RefCell<TcpStream>>, production: bool, error: &AppError, has_asked: bool) {
    let Some(mut stream) = Rc::into_inner(stream).map(RefCell::into_inner) else { return };
    let body = serde_json::to_string(&error.problem_details(Locale::default())).unwrap_or_default();
    let security: Vec<_> = security_headers(production).map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let head = format!(
        "HTTP/1.1 {}\r\ncontent-type: application/problem+json\r\ncontent-length: {}\r\nretry-after: {}\r\n\
         cache-control: no-store\r\n{}connection: close\r\n\r\n",
        error.status_code(),
        body.len(),
        error.retry_after().unwrap_or(1),
        security.concat(),
    );
    let goodbye = async {
        // Clients treat a response that precedes their request as a protocol error.
        if !has_asked {
            stream.readable().await?;
        }
        stream.write_all((head + &body).as_bytes()).await?;
        stream.shutdown().await?;
        let mut ignored = [0; 1_024];
        while stream.read(&mut ignored).await? > 0 {}
        io::Result::Ok(())
    };
    let _ = timeout(CLOSE_TIMEOUT, goodbye).await;
}
