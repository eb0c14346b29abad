//! Limits on idle time and number of connections.
//!
//! actix-web only limits the time until the first request head of a connection. Here every connection is in one of
//! three states:
//! - *Waiting* from its start, or the end of a request, until the head of the next request, for at most
//!   `WAIT_TIMEOUT`. A slow head, blank lines or the unread rest of a body do not extend the time.
//! - *Stuck* while the client does not read the data sent to it, for at most `STUCK_TIMEOUT`.
//! - *Served* otherwise. Requests have their own deadlines. A connection whose request body is still arriving is also
//!   *receiving*.
//!
//! When the maximum number of connections is reached, the connection that has been waiting longest is evicted in favor
//! of a new one, as in nginx. If no connection can be evicted, the new one gets 503 with `Retry-After`. A client may
//! have at most a quarter of all connections.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};
use std::time::Duration;

use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::web::Bytes;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep};

use super::deadline::Deadline;
use crate::web::error::AppError;
use crate::web::request::client::{TrustedProxies, network};

/// Maximum time from the end of a request to the end of the next request's head.
const WAIT_TIMEOUT: Duration = Duration::from_secs(10);

/// Maximum time for a client to read the data sent to it.
const STUCK_TIMEOUT: Duration = Duration::from_secs(20);

/// Minimum idle time before a connection can be evicted, because a request may already be on the way.
const MIN_IDLE_TIME: Duration = Duration::from_millis(250);

/// Minimum time that a connection must have been receiving a request body before it can be evicted, because the rest of
/// the body may already be on the way.
const MIN_RECEIVING_TIME: Duration = Duration::from_secs(1);

/// Divisor of the connection limit, for the limit per client: a client may have a quarter of all connections.
const CLIENT_SHARE: usize = 4;

/// Minimum interval between log messages with the number of refused connections.
const LOG_INTERVAL: Duration = Duration::from_secs(1);

/// Open connections of one server worker, with their limits.
pub struct Connections {
    max_open: usize,
    /// Maximum number of bytes buffered, over all connections, for clients that do not read them.
    max_unsent: usize,
    /// Not sorted: connections change their state with every request, but are rarely evicted.
    open: RefCell<Vec<Rc<ConnectionState>>>,
    unsent: Cell<usize>,
    /// Number of connections per client: an IPv4 address or an IPv6 /64 prefix.
    open_by_client: RefCell<HashMap<IpAddr, usize>>,
    /// Trusted proxies, exempt from the limit per client because they forward many clients.
    proxies: TrustedProxies,
    /// `true` in production: error responses then include the HSTS header.
    pub production: bool,
    refused: Rc<RefusedConnections>,
}

/// Number of refused connections since the last log message.
#[derive(Default)]
struct RefusedConnections {
    for_all: Cell<u32>,
    for_one: Cell<u32>,
}

impl RefusedConnections {
    fn count(self: &Rc<Self>, for_one: bool) {
        let is_first = self.for_all.get() + self.for_one.get() == 0;
        let count = if for_one { &self.for_one } else { &self.for_all };
        count.set(count.get() + 1);
        if is_first {
            let unserved = Rc::clone(self);
            actix_web::rt::spawn(async move {
                sleep(LOG_INTERVAL).await;
                let (too_many, of_one_client) = (unserved.for_all.take(), unserved.for_one.take());
                tracing::warn!(too_many, of_one_client, "connections rejected because of connection limits");
            });
        }
    }
}

/// State of a connection that may be evicted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum IdleState {
    Waiting,
    Stuck,
    Receiving,
}

impl IdleState {
    /// Connections in an earlier state are evicted before those in a later one.
    const EVICTION_ORDER: [Self; 3] = [Self::Waiting, Self::Stuck, Self::Receiving];

    /// Minimum time in this state before an eviction.
    fn grace(self) -> Duration {
        if self == Self::Receiving { MIN_RECEIVING_TIME } else { MIN_IDLE_TIME }
    }

    /// Maximum time in this state. `None` for `Receiving`, because the deadline of the request limits this time.
    fn time_limit(self) -> Option<Duration> {
        match self {
            Self::Waiting => Some(WAIT_TIMEOUT),
            Self::Stuck => Some(STUCK_TIMEOUT),
            Self::Receiving => None,
        }
    }
}

impl Connections {
    #[must_use]
    pub fn new(most: usize, most_unsent: usize, proxies: TrustedProxies, production: bool) -> Rc<Self> {
        Rc::new(Self {
            max_open: most,
            max_unsent: most_unsent,
            open: RefCell::default(),
            unsent: Cell::default(),
            open_by_client: RefCell::default(),
            proxies,
            production,
            refused: Rc::default(),
        })
    }

    /// Returns the client to which the connection limit per client applies. Returns `None` for trusted proxies, which
    /// are exempt, and if the peer address is unknown.
    fn client(&self, peer: Option<SocketAddr>) -> Option<IpAddr> {
        let address = peer?.ip().to_canonical();
        (!self.proxies.contains(address)).then(|| network(address))
    }

    fn is_at_client_limit(&self, client: Option<IpAddr>) -> bool {
        let most = (self.max_open / CLIENT_SHARE).max(1);
        client.and_then(|client| self.open_by_client.borrow().get(&client).copied()).is_some_and(|count| count >= most)
    }

    /// Registers a new connection. Returns `None` if a connection limit is reached.
    #[must_use]
    pub fn register_connection(self: &Rc<Self>, peer: Option<SocketAddr>) -> Option<Rc<ConnectionState>> {
        let client = self.client(peer);
        let has_its_share = self.is_at_client_limit(client);
        let has_place = !has_its_share && (self.open.borrow().len() < self.max_open || self.evict_one());
        if !has_place {
            self.refused.count(has_its_share);
        }
        has_place.then(|| ConnectionState::open(self.clone(), client))
    }

    /// Evicts the connection that has been waiting longest, otherwise the one stuck longest, otherwise the one
    /// receiving a body longest. Returns `false` if no connection has been idle long enough.
    fn evict_one(&self) -> bool {
        let longest =
            |state: IdleState| self.longest_in(state).filter(|link| link.idle_since.get().elapsed() >= state.grace());
        let first = IdleState::EVICTION_ORDER.into_iter().find_map(longest);
        first.inspect(|link| link.evict()).is_some()
    }

    /// Evicts the connections that have been stuck longest until the unsent bytes are within the limit.
    fn evict_stuck(&self) {
        while self.unsent.get() > self.max_unsent {
            let Some(link) = self.longest_in(IdleState::Stuck) else { return };
            link.evict();
        }
    }

    /// Returns the connection that has been in `state` for the longest time.
    fn longest_in(&self, state: IdleState) -> Option<Rc<ConnectionState>> {
        let open = self.open.borrow();
        let of_state = open.iter().filter(|link| link.idle_state.get() == Some(state));
        of_state.min_by_key(|link| link.idle_since.get()).cloned()
    }
}

/// State of a connection. Request handlers get it from actix-web's `conn_data`.
pub struct ConnectionState {
    all: Rc<Connections>,
    deadline: Deadline,
    evicted: Notify,
    /// Index in `Connections::open`. `None` once the connection does not count towards the limits any more. After an
    /// eviction, its task may still be running.
    position: Cell<Option<usize>>,
    client: Option<IpAddr>,
    /// `None` while a request is processed.
    idle_state: Cell<Option<IdleState>>,
    idle_since: Cell<Instant>,
    serving: Cell<usize>,
    receiving: Cell<usize>,
    unsent: Cell<usize>,
    /// `true` if bytes were received since the last response.
    has_received: Cell<bool>,
    /// `true` if the body of the last request was not read completely: bytes received after the response may be the
    /// rest of that body.
    has_unread_body: Cell<bool>,
    hung_up: Notify,
}

impl ConnectionState {
    fn open(all: Rc<Connections>, client: Option<IpAddr>) -> Rc<Self> {
        if let Some(client) = client {
            *all.open_by_client.borrow_mut().entry(client).or_default() += 1;
        }
        let position = all.open.borrow().len();
        let link = Rc::new(Self {
            all,
            deadline: Deadline::unlimited(),
            evicted: Notify::new(),
            position: Cell::new(Some(position)),
            client,
            idle_state: Cell::default(),
            idle_since: Cell::new(Instant::now()),
            serving: Cell::default(),
            receiving: Cell::default(),
            unsent: Cell::default(),
            has_received: Cell::default(),
            has_unread_body: Cell::default(),
            hung_up: Notify::new(),
        });
        link.all.open.borrow_mut().push(link.clone());
        link.update_idle_state();
        link
    }

    /// Runs `work` until it completes, the deadline passes or the connection is evicted, then unregisters the
    /// connection.
    ///
    /// # Errors
    /// `timeout` if the deadline passed, `busy` if the connection was evicted.
    pub async fn run_until_deadline<T>(&self, work: impl Future<Output = T>) -> Result<T, AppError> {
        let ended = tokio::select! {
            ended = self.deadline.run_until_deadline(work) => ended.ok_or(AppError::Timeout),
            () = self.evicted.notified() => Err(AppError::Busy),
        };
        self.unregister();
        ended
    }

    /// Marks the connection as serving a request, and therefore not idle, until the returned guard is dropped.
    #[must_use]
    pub fn begin_request(self: &Rc<Self>, has_body: bool) -> ServingGuard {
        self.serving.set(self.serving.get() + 1);
        self.has_received.set(false);
        self.has_unread_body.set(has_body);
        self.update_idle_state();
        ServingGuard(self.clone())
    }

    /// Marks the connection as receiving a request body until the returned guard is dropped.
    #[must_use]
    pub fn begin_body(self: &Rc<Self>) -> BodyReadGuard {
        self.receiving.set(self.receiving.get() + 1);
        // The request head has been received, so a client that times out gets an error response.
        self.has_received.set(true);
        self.update_idle_state();
        BodyReadGuard(self.clone())
    }

    pub fn record_input(&self) {
        if self.serving.get() > 0 || !self.has_unread_body.get() {
            self.has_received.set(true);
        }
    }

    pub fn finish_body(&self) {
        self.has_unread_body.set(false);
    }

    /// Records that part of a response was sent. Bytes received earlier belong to a request that is already complete.
    pub fn record_output(&self) {
        // While a request is processed, the only output is `100 Continue`, which asks the client to send the body.
        if self.serving.get() == 0 {
            self.has_received.set(false);
        }
    }

    #[must_use]
    pub fn has_received_bytes(&self) -> bool {
        self.has_received.get()
    }

    #[must_use]
    pub fn has_unsent_bytes(&self) -> bool {
        self.unsent.get() > 0
    }

    /// Records that the client closed its sending side.
    pub fn record_read_eof(&self) {
        self.hung_up.notify_one();
    }

    /// Waits until the client closes its sending side. A client may do so and still read an ordinary response. On an
    /// event stream, it means that the client has disconnected, which the server would otherwise notice only at the
    /// next write.
    pub async fn wait_for_input_close(&self) {
        self.hung_up.notified().await;
    }

    /// Updates the idle state and the deadline of the connection.
    fn update_idle_state(&self) {
        let state = match (self.unsent.get(), self.serving.get(), self.receiving.get()) {
            (0, 0, _) => Some(IdleState::Waiting),
            (0, _, 0) => None,
            (0, _, _) => Some(IdleState::Receiving),
            _ => Some(IdleState::Stuck),
        };
        if self.position.get().is_none() || state == self.idle_state.replace(state) {
            return;
        }
        let now = Instant::now();
        self.idle_since.set(now);
        self.deadline.set(state.and_then(IdleState::time_limit).map(|time| now + time));
    }

    /// Sets the number of response bytes that the socket has not accepted yet, and evicts stuck connections if the
    /// limit is exceeded.
    pub fn set_unsent_bytes(&self, unsent: usize) {
        let before = self.unsent.replace(unsent);
        if before == unsent || self.position.get().is_none() {
            return;
        }
        self.all.unsent.set(self.all.unsent.get() + unsent - before);
        self.update_idle_state();
        self.all.evict_stuck();
    }

    /// Evicts the connection. Its slot is free immediately, although its task only ends when it is scheduled next.
    fn evict(&self) {
        self.evicted.notify_one();
        self.unregister();
    }

    /// Unregisters the connection. Idempotent.
    fn unregister(&self) {
        let Some(position) = self.position.take() else { return };
        let mut open = self.all.open.borrow_mut();
        open.swap_remove(position);
        if let Some(moved) = open.get(position) {
            moved.position.set(Some(position));
        }
        drop(open);
        self.all.unsent.set(self.all.unsent.get() - self.unsent.get());
        let mut of_client = self.all.open_by_client.borrow_mut();
        if let Some(client) = self.client
            && let Some(count) = of_client.get_mut(&client)
        {
            *count -= 1;
            if *count == 0 {
                of_client.remove(&client);
            }
        }
    }
}

/// Guard of a request: its connection counts as served until the guard is dropped.
pub struct ServingGuard(Rc<ConnectionState>);

impl ServingGuard {
    /// Keeps the guard until a streaming body ends or is dropped. Otherwise the connection would count as waiting while
    /// the rest of the body is produced. The guard of a body that is already complete is dropped at once.
    #[must_use]
    pub fn keep_until_sent(self, body: BoxBody) -> BoxBody {
        // Otherwise an empty body would add a `Content-Length` to a response that must not have one.
        if body.size() == BodySize::None {
            return body;
        }
        match body.try_into_bytes() {
            Ok(complete) => BoxBody::new(complete),
            Err(body) => BoxBody::new(StreamingBody { body, _serving: self }),
        }
    }
}

/// Response body that is produced while it is sent, with the guard of its request.
struct StreamingBody {
    body: BoxBody,
    _serving: ServingGuard,
}

impl MessageBody for StreamingBody {
    type Error = <BoxBody as MessageBody>::Error;

    fn size(&self) -> BodySize {
        self.body.size()
    }

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, Self::Error>>> {
        Pin::new(&mut self.get_mut().body).poll_next(context)
    }
}

impl Drop for ServingGuard {
    fn drop(&mut self) {
        self.0.serving.set(self.0.serving.get() - 1);
        self.0.update_idle_state();
    }
}

/// Guard of a request body: its connection counts as receiving until the guard is dropped.
pub struct BodyReadGuard(Rc<ConnectionState>);

impl Drop for BodyReadGuard {
    fn drop(&mut self) {
        self.0.receiving.set(self.0.receiving.get() - 1);
        self.0.update_idle_state();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closed_connections_leave_the_list() {
        let all = Connections::new(8, 1 << 20, TrustedProxies::default(), false);
        let peer = |number: u8| Some(SocketAddr::from(([192, 0, 2, number], 80)));
        let links: Vec<_> = (0..4).map(|number| all.register_connection(peer(number)).unwrap()).collect();
        for (closed, rest) in [(1, 3), (3, 2), (0, 1), (2, 0)] {
            links[closed].unregister();
            links[closed].unregister();
            let positions: Vec<_> = all.open.borrow().iter().map(|link| link.position.get()).collect();
            assert_eq!(positions, (0..rest).map(Some).collect::<Vec<_>>(), "after connection {closed}");
        }
        assert!(all.open_by_client.borrow().is_empty());
    }
}
