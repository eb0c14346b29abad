//! Limits how long a client may keep a connection without using it, and how many connections there are.
//!
//! actix has a deadline for the first request head of a connection only. Here every connection is in one of three
//! states:
//! - It *waits* from its start, or the end of a request, until the next request. A slow head, blank lines and the rest
//!   of a body that nobody reads do not end the wait. That may take up to `WAIT_TIMEOUT`.
//! - It is *stuck* while the client does not take in what we send. That may last up to `STUCK_TIMEOUT`.
//! - It is *served* otherwise. Requests have deadlines of their own. While a body is awaited, it is also *receiving*.
//!
//! When there are too many connections, the one that has waited for longest is ended to make room for a new one, as in
//! nginx. When all of them are at work, the new one is told when to come back. One client may have a quarter of them.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap};
use std::net::{IpAddr, SocketAddr};
use std::rc::Rc;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, sleep};

use super::deadline::Deadline;
use crate::web::error::AppError;
use crate::web::request::client::{Proxies, network};

/// How long a connection may wait: from the end of a request to the end of the next request's head.
const WAIT_TIMEOUT: Duration = Duration::from_secs(10);

/// How long a client may take to take in what we have sent.
const STUCK_TIMEOUT: Duration = Duration::from_secs(20);

/// A connection that has waited for less is not made to make room: its request may be on the way.
const GRACE: Duration = Duration::from_millis(250);

/// The same for a connection that is receiving a body: the body may be on the way.
const GRACE_FOR_BODIES: Duration = Duration::from_secs(1);

/// One client may have one in this many of all connections: a quarter.
const SHARE_OF_ONE: usize = 4;

/// Refused connections are counted for this long and then logged in one line.
const TELL_EVERY: Duration = Duration::from_secs(1);

/// The connections of one worker.
pub struct Connections {
    /// The greatest number of open connections.
    most: usize,
    /// The greatest number of bytes that are kept, over all connections, for clients that do not take them in.
    most_unsent: usize,
    open: Cell<usize>,
    unsent: Cell<usize>,
    /// Connections that could be ended to make room, in the order in which they would be.
    idle: RefCell<BTreeMap<IdleRank, Rc<ConnectionState>>>,
    next: Cell<u64>,
    /// Connections of each client: an address, or of IPv6 the first 64 bits.
    of_client: RefCell<HashMap<IpAddr, usize>>,
    /// Proxies speak for many clients.
    proxies: Proxies,
    /// Whether the site is on the internet, encrypted.
    pub production: bool,
    unserved: Rc<Unserved>,
}

/// Connections that were refused since the log was told.
#[derive(Default)]
struct Unserved {
    for_all: Cell<u32>,
    for_one: Cell<u32>,
}

impl Unserved {
    fn count(self: &Rc<Self>, for_one: bool) {
        let is_first = self.for_all.get() + self.for_one.get() == 0;
        let count = if for_one { &self.for_one } else { &self.for_all };
        count.set(count.get() + 1);
        if is_first {
            let unserved = Rc::clone(self);
            actix_web::rt::spawn(async move {
                sleep(TELL_EVERY).await;
                let (too_many, of_one_client) = (unserved.for_all.take(), unserved.for_one.take());
                tracing::warn!(too_many, of_one_client, "connections refused");
            });
        }
    }
}

/// The order in which connections make room: first by kind, and within a kind the one that came to it first.
type IdleRank = (Idle, u64);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Idle {
    Waiting,
    Stuck,
    Receiving,
}

impl Idle {
    const ALL: [Self; 3] = [Self::Waiting, Self::Stuck, Self::Receiving];

    fn grace(self) -> Duration {
        if self == Self::Receiving { GRACE_FOR_BODIES } else { GRACE }
    }
}

impl Connections {
    #[must_use]
    pub fn new(most: usize, most_unsent: usize, proxies: Proxies, production: bool) -> Rc<Self> {
        Rc::new(Self {
            most,
            most_unsent,
            open: Cell::default(),
            unsent: Cell::default(),
            idle: RefCell::default(),
            next: Cell::default(),
            of_client: RefCell::default(),
            proxies,
            production,
            unserved: Rc::default(),
        })
    }

    /// The client whose share a connection counts in. `None` for a proxy, and for an unknown peer.
    fn client(&self, peer: Option<SocketAddr>) -> Option<IpAddr> {
        let address = peer?.ip().to_canonical();
        (!self.proxies.contains(address)).then(|| network(address))
    }

    fn has_its_share(&self, client: Option<IpAddr>) -> bool {
        let most = (self.most / SHARE_OF_ONE).max(1);
        client.and_then(|client| self.of_client.borrow().get(&client).copied()).is_some_and(|count| count >= most)
    }

    /// A place for a new connection, which counts from now on; `None` where there is none for it.
    #[must_use]
    pub fn admit(self: &Rc<Self>, peer: Option<SocketAddr>) -> Option<Rc<ConnectionState>> {
        let client = self.client(peer);
        let has_its_share = self.has_its_share(client);
        let has_place = !has_its_share && (self.open.get() < self.most || self.make_room());
        if !has_place {
            self.unserved.count(has_its_share);
        }
        has_place.then(|| ConnectionState::open(self.clone(), client))
    }

    /// Ends one connection: the one that has waited for longest, else the one that has been stuck for longest, else the
    /// one whose body has been awaited for longest. Returns `false` if none has been idle for long enough.
    fn make_room(&self) -> bool {
        let idle = self.idle.borrow();
        let firsts = Idle::ALL.map(|kind| idle.range((kind, 0)..=(kind, u64::MAX)).next());
        let patient =
            |((kind, _), link): &(&IdleRank, &Rc<ConnectionState>)| link.idle_since.get().elapsed() >= kind.grace();
        let first = firsts.into_iter().flatten().find(patient).map(|(_, link)| link.clone());
        drop(idle);
        first.is_some_and(|link| {
            link.end();
            true
        })
    }

    /// Ends connections that have been stuck for longest until what is kept for the others is little enough.
    fn drop_unsent(&self) {
        while self.unsent.get() > self.most_unsent {
            let stuck = (Idle::Stuck, 0)..=(Idle::Stuck, u64::MAX);
            let first = self.idle.borrow().range(stuck).next().map(|(_, link)| link.clone());
            let Some(link) = first else { return };
            link.end();
        }
    }
}

/// What is known of one connection. Requests find theirs by `conn_data`.
pub struct ConnectionState {
    all: Rc<Connections>,
    deadline: Deadline,
    told_to_end: Notify,
    /// Whether the connection still counts as open. It does not after it was ended, even if its task still runs.
    counts: Cell<bool>,
    client: Option<IpAddr>,
    place: Cell<Option<IdleRank>>,
    idle_since: Cell<Instant>,
    serving: Cell<usize>,
    receiving: Cell<usize>,
    unsent: Cell<usize>,
    /// Whether anything came since the last answer.
    heard: Cell<bool>,
    /// Whether the last request has a body that was not read to its end: what comes after the answer may be the rest of it.
    has_unread_body: Cell<bool>,
    hung_up: Notify,
}

impl ConnectionState {
    fn open(all: Rc<Connections>, client: Option<IpAddr>) -> Rc<Self> {
        all.open.set(all.open.get() + 1);
        if let Some(client) = client {
            *all.of_client.borrow_mut().entry(client).or_default() += 1;
        }
        let link = Rc::new(Self {
            all,
            deadline: Deadline::none(),
            told_to_end: Notify::new(),
            counts: Cell::new(true),
            client,
            place: Cell::default(),
            idle_since: Cell::new(Instant::now()),
            serving: Cell::default(),
            receiving: Cell::default(),
            unsent: Cell::default(),
            heard: Cell::default(),
            has_unread_body: Cell::default(),
            hung_up: Notify::new(),
        });
        link.settle();
        link
    }

    /// Does `work` until it is done, its time is over, or the connection has to make room. Then it counts no longer.
    ///
    /// # Errors
    /// `timeout` or `busy`.
    pub async fn limit<T>(&self, work: impl Future<Output = T>) -> Result<T, AppError> {
        let ended = tokio::select! {
            ended = self.deadline.limit(work) => ended.ok_or(AppError::Timeout),
            () = self.told_to_end.notified() => Err(AppError::Busy),
        };
        self.leave();
        ended
    }

    /// The connection is not idle while the value is held.
    #[must_use]
    pub fn serve(self: &Rc<Self>, has_body: bool) -> Serving {
        self.serving.set(self.serving.get() + 1);
        self.heard.set(false);
        self.has_unread_body.set(has_body);
        self.settle();
        Serving(self.clone())
    }

    /// A body is awaited while the value is held.
    #[must_use]
    pub fn receive(self: &Rc<Self>) -> Receiving {
        self.receiving.set(self.receiving.get() + 1);
        // The head of the request has come, so a client that is cut off gets an answer.
        self.heard.set(true);
        self.settle();
        Receiving(self.clone())
    }

    /// Notes that bytes came.
    pub fn hear(&self) {
        if self.serving.get() > 0 || !self.has_unread_body.get() {
            self.heard.set(true);
        }
    }

    /// Notes that the body of the request was read to its end.
    pub fn body_was_read(&self) {
        self.has_unread_body.set(false);
    }

    /// Notes that a part of an answer was sent: what came before belongs to a request that is over.
    pub fn answer_was_sent(&self) {
        // While a request is served, `100 Continue` is sent, which asks for the body.
        if self.serving.get() == 0 {
            self.heard.set(false);
        }
    }

    /// Whether anything came since the last answer.
    #[must_use]
    pub fn was_heard(&self) -> bool {
        self.heard.get()
    }

    /// Whether the client has not taken in all that was said.
    #[must_use]
    pub fn has_unsent(&self) -> bool {
        self.unsent.get() > 0
    }

    /// The client says no more.
    pub fn hang_up(&self) {
        self.hung_up.notify_one();
    }

    /// Waits until the client closes its sending side. A client that waits for a plain answer may do that and still
    /// read. A client that listens to a stream and does that is gone; otherwise we would notice only at the next write.
    pub async fn hung_up(&self) {
        self.hung_up.notified().await;
    }

    /// Finds the connection's place, and its deadline, after something has changed.
    fn settle(self: &Rc<Self>) {
        let now = match (self.unsent.get(), self.serving.get(), self.receiving.get()) {
            (0, 0, _) => Some((Idle::Waiting, Some(WAIT_TIMEOUT))),
            (0, _, 0) => None,
            // Requests have a deadline of their own for their body.
            (0, _, _) => Some((Idle::Receiving, None)),
            _ => Some((Idle::Stuck, Some(STUCK_TIMEOUT))),
        };
        if !self.counts.get() || now.map(|(idle, _)| idle) == self.place.get().map(|(idle, _)| idle) {
            return;
        }
        let mut idle = self.all.idle.borrow_mut();
        if let Some(place) = self.place.take() {
            idle.remove(&place);
        }
        self.idle_since.set(Instant::now());
        self.deadline.set(now.and_then(|(_, time)| time).map(|time| Instant::now() + time));
        if let Some((kind, _)) = now {
            let place = (kind, self.all.next.replace(self.all.next.get() + 1));
            self.place.set(Some(place));
            idle.insert(place, self.clone());
        }
    }

    /// So many bytes of what was said could not be sent yet.
    pub fn set_unsent(self: &Rc<Self>, unsent: usize) {
        let before = self.unsent.replace(unsent);
        if before == unsent || !self.counts.get() {
            return;
        }
        self.all.unsent.set(self.all.unsent.get() + unsent - before);
        self.settle();
        self.all.drop_unsent();
    }

    /// Tells the connection's task to end it, and frees its place at once: the task ends when it runs next.
    fn end(&self) {
        self.told_to_end.notify_one();
        self.leave();
    }

    /// Takes the connection out of all counts. It may be called more than once.
    fn leave(&self) {
        if self.counts.replace(false) {
            self.all.open.set(self.all.open.get() - 1);
            if let Some(client) = self.client {
                let mut of_client = self.all.of_client.borrow_mut();
                if let Some(count) = of_client.get_mut(&client) {
                    *count -= 1;
                    if *count == 0 {
                        of_client.remove(&client);
                    }
                }
            }
            self.all.unsent.set(self.all.unsent.get() - self.unsent.get());
            if let Some(place) = self.place.get() {
                self.all.idle.borrow_mut().remove(&place);
            }
        }
    }
}

/// Keeps a connection from being idle.
pub struct Serving(Rc<ConnectionState>);

impl Drop for Serving {
    fn drop(&mut self) {
        self.0.serving.set(self.0.serving.get() - 1);
        self.0.settle();
    }
}

/// Says that a body is awaited.
pub struct Receiving(Rc<ConnectionState>);

impl Drop for Receiving {
    fn drop(&mut self) {
        self.0.receiving.set(self.0.receiving.get() - 1);
        self.0.settle();
    }
}
