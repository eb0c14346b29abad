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
use std::collections::{BTreeMap, HashMap};
use std::net::{IpAddr, SocketAddr};
use std::rc::Rc;
use std::time::Duration;

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
    open: Cell<usize>,
    unsent: Cell<usize>,
    /// Connections that may be evicted, in eviction order.
    idle: RefCell<BTreeMap<EvictionRank, Rc<ConnectionState>>>,
    next_rank: Cell<u64>,
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

/// Eviction order of connections: first by idle state, then by a sequence number assigned when the connection entered
/// this state.
type EvictionRank = (IdleState, u64);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum IdleState {
    Waiting,
    Stuck,
    Receiving,
}

impl IdleState {
    const ALL: [Self; 3] = [Self::Waiting, Self::Stuck, Self::Receiving];

    fn grace(self) -> Duration {
        if self == Self::Receiving { MIN_RECEIVING_TIME } else { MIN_IDLE_TIME }
    }
}

impl Connections {
    #[must_use]
    pub fn new(most: usize, most_unsent: usize, proxies: TrustedProxies, production: bool) -> Rc<Self> {
        Rc::new(Self {
            max_open: most,
            max_unsent: most_unsent,
            open: Cell::default(),
            unsent: Cell::default(),
            idle: RefCell::default(),
            next_rank: Cell::default(),
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
        let has_place = !has_its_share && (self.open.get() < self.max_open || self.evict_one());
        if !has_place {
            self.refused.count(has_its_share);
        }
        has_place.then(|| ConnectionState::open(self.clone(), client))
    }

    /// Evicts the connection that has been waiting longest, otherwise the one stuck longest, otherwise the one
    /// receiving a body longest. Returns `false` if no connection has been idle long enough.
    fn evict_one(&self) -> bool {
        let idle = self.idle.borrow();
        let firsts = IdleState::ALL.map(|kind| idle.range((kind, 0)..=(kind, u64::MAX)).next());
        let patient =
            |((kind, _), link): &(&EvictionRank, &Rc<ConnectionState>)| link.idle_since.get().elapsed() >= kind.grace();
        let first = firsts.into_iter().flatten().find(patient).map(|(_, link)| link.clone());
        drop(idle);
        first.is_some_and(|link| {
            link.evict();
            true
        })
    }

    /// Evicts the connections that have been stuck longest until the unsent bytes are within the limit.
    fn evict_stuck(&self) {
        while self.unsent.get() > self.max_unsent {
            let stuck = (IdleState::Stuck, 0)..=(IdleState::Stuck, u64::MAX);
            let first = self.idle.borrow().range(stuck).next().map(|(_, link)| link.clone());
            let Some(link) = first else { return };
            link.evict();
        }
    }
}

/// State of a connection. Request handlers get it from actix-web's `conn_data`.
pub struct ConnectionState {
    all: Rc<Connections>,
    deadline: Deadline,
    evicted: Notify,
    /// `true` while the connection counts towards the connection limits. `false` after an eviction, even if its task is
    /// still running.
    is_open: Cell<bool>,
    client: Option<IpAddr>,
    eviction_rank: Cell<Option<EvictionRank>>,
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
        all.open.set(all.open.get() + 1);
        if let Some(client) = client {
            *all.open_by_client.borrow_mut().entry(client).or_default() += 1;
        }
        let link = Rc::new(Self {
            all,
            deadline: Deadline::unlimited(),
            evicted: Notify::new(),
            is_open: Cell::new(true),
            client,
            eviction_rank: Cell::default(),
            idle_since: Cell::new(Instant::now()),
            serving: Cell::default(),
            receiving: Cell::default(),
            unsent: Cell::default(),
            has_received: Cell::default(),
            has_unread_body: Cell::default(),
            hung_up: Notify::new(),
        });
        link.update_rank();
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
        self.update_rank();
        ServingGuard(self.clone())
    }

    /// Marks the connection as receiving a request body until the returned guard is dropped.
    #[must_use]
    pub fn begin_body(self: &Rc<Self>) -> BodyReadGuard {
        self.receiving.set(self.receiving.get() + 1);
        // The request head has been received, so a client that times out gets an error response.
        self.has_received.set(true);
        self.update_rank();
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

    /// Updates the eviction rank and the deadline of the connection after a state change.
    fn update_rank(self: &Rc<Self>) {
        let now = match (self.unsent.get(), self.serving.get(), self.receiving.get()) {
            (0, 0, _) => Some((IdleState::Waiting, Some(WAIT_TIMEOUT))),
            (0, _, 0) => None,
            // The request's own deadline limits the time for its body.
            (0, _, _) => Some((IdleState::Receiving, None)),
            _ => Some((IdleState::Stuck, Some(STUCK_TIMEOUT))),
        };
        if !self.is_open.get() || now.map(|(idle, _)| idle) == self.eviction_rank.get().map(|(idle, _)| idle) {
            return;
        }
        let mut idle = self.all.idle.borrow_mut();
        if let Some(place) = self.eviction_rank.take() {
            idle.remove(&place);
        }
        self.idle_since.set(Instant::now());
        self.deadline.set(now.and_then(|(_, time)| time).map(|time| Instant::now() + time));
        if let Some((kind, _)) = now {
            let place = (kind, self.all.next_rank.replace(self.all.next_rank.get() + 1));
            self.eviction_rank.set(Some(place));
            idle.insert(place, self.clone());
        }
    }

    /// Sets the number of response bytes that the socket has not accepted yet, and evicts stuck connections if the
    /// limit is exceeded.
    pub fn set_unsent_bytes(self: &Rc<Self>, unsent: usize) {
        let before = self.unsent.replace(unsent);
        if before == unsent || !self.is_open.get() {
            return;
        }
        self.all.unsent.set(self.all.unsent.get() + unsent - before);
        self.update_rank();
        self.all.evict_stuck();
    }

    /// Evicts the connection. Its slot is free immediately, although its task only ends when it is scheduled next.
    fn evict(&self) {
        self.evicted.notify_one();
        self.unregister();
    }

    /// Unregisters the connection. Idempotent.
    fn unregister(&self) {
        if self.is_open.replace(false) {
            self.all.open.set(self.all.open.get() - 1);
            if let Some(client) = self.client {
                let mut of_client = self.all.open_by_client.borrow_mut();
                if let Some(count) = of_client.get_mut(&client) {
                    *count -= 1;
                    if *count == 0 {
                        of_client.remove(&client);
                    }
                }
            }
            self.all.unsent.set(self.all.unsent.get() - self.unsent.get());
            if let Some(place) = self.eviction_rank.get() {
                self.all.idle.borrow_mut().remove(&place);
            }
        }
    }
}

/// Guard of a request: its connection counts as served until the guard is dropped.
pub struct ServingGuard(Rc<ConnectionState>);

impl Drop for ServingGuard {
    fn drop(&mut self) {
        self.0.serving.set(self.0.serving.get() - 1);
        self.0.update_rank();
    }
}

/// Guard of a request body: its connection counts as receiving until the guard is dropped.
pub struct BodyReadGuard(Rc<ConnectionState>);

impl Drop for BodyReadGuard {
    fn drop(&mut self) {
        self.0.receiving.set(self.0.receiving.get() - 1);
        self.0.update_rank();
    }
}
