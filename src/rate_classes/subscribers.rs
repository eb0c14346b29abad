//! Subscribers to the event streams of rate classes.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use tokio::sync::{mpsc, watch};

use super::client_key::{ClientId, ClientKind};
use super::error::StreamError;
use crate::access::RequestClass;
use crate::web::error::AppError;
use evenkeel_limiters::RateClassStatus;

/// Maximum number of queued notices per stream. A full queue ends the stream of a client that reads too slowly.
const MAX_QUEUED_NOTICES: usize = 16;

/// Maximum number of streams of one user, of the API tokens of one user, and of one network.
const MAX_STREAMS: [usize; ClientKind::ALL.len()] = [4, 4, 16];

/// Maximum number of streams by kind of client, so that anonymous clients take no capacity from signed-in users.
const MAX_TOTAL_STREAMS: [usize; ClientKind::ALL.len()] = [192, 32, 64];

pub struct StatusSubscribers {
    all: Mutex<Streams>,
    closing: watch::Sender<bool>,
}

#[derive(Default)]
struct Streams {
    /// Streams of each client, the oldest first. `None` marks a stream that is about to end.
    by_client: HashMap<ClientId, Vec<(u64, Listener)>>,
    counts: [usize; ClientKind::ALL.len()],
    next: u64,
}

impl Streams {
    /// Ends the oldest stream of the client with the most streams, if that client would still have at least as many
    /// streams as the new stream's client. Returns true if there is room.
    fn make_room(&mut self, kind: ClientKind, has: usize) -> bool {
        let of_kind = self.by_client.iter().filter(|(who, _)| who.kind() == kind);
        let most = of_kind.max_by_key(|(_, streams)| streams.len()).filter(|(_, streams)| streams.len() > has + 1);
        let Some((who, oldest)) = most.and_then(|(who, streams)| Some((*who, streams.first()?.0))) else {
            return false;
        };
        // Dropping the sender ends the stream.
        self.remove(who, oldest);
        true
    }

    fn remove(&mut self, who: ClientId, id: u64) {
        let Some(streams) = self.by_client.get_mut(&who) else { return };
        let before = streams.len();
        streams.retain(|(other, _)| *other != id);
        let (removed, is_empty) = (before - streams.len(), streams.is_empty());
        self.counts[who.kind() as usize] -= removed;
        if is_empty {
            self.by_client.remove(&who);
        }
    }
}

type Listener = Option<mpsc::Sender<Notice>>;

pub type Notice = (RequestClass, RateClassStatus);

impl Default for StatusSubscribers {
    fn default() -> Self {
        Self { all: Mutex::default(), closing: watch::channel(false).0 }
    }
}

impl StatusSubscribers {
    fn streams(&self) -> std::sync::MutexGuard<'_, Streams> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn notify_subscribers(&self, who: ClientId, notice: Notice) {
        for (_, sender) in self.streams().by_client.get_mut(&who).into_iter().flatten() {
            // The stream of a slow client ends, so that the client notices that it has missed a notice.
            *sender = sender.take().filter(|sender| sender.try_send(notice).is_ok());
        }
    }

    pub fn end_streams(&self, who: ClientId) {
        for (_, sender) in self.streams().by_client.get_mut(&who).into_iter().flatten() {
            *sender = None;
        }
    }

    pub fn subscribe(&self, who: ClientId) -> Result<(u64, mpsc::Receiver<Notice>), AppError> {
        let mut listening = self.streams();
        let kind = who.kind() as usize;
        let has = listening.by_client.get(&who).map_or(0, Vec::len);
        if has >= MAX_STREAMS[kind] {
            return Err(StreamError::TooManyStreams.into());
        }
        if listening.counts[kind] >= MAX_TOTAL_STREAMS[kind] && !listening.make_room(who.kind(), has) {
            return Err(AppError::Busy);
        }
        let id = listening.next;
        let senders = listening.by_client.entry(who).or_default();
        let (sender, receiver) = mpsc::channel(MAX_QUEUED_NOTICES);
        senders.push((id, Some(sender)));
        listening.counts[kind] += 1;
        listening.next = id + 1;
        Ok((id, receiver))
    }

    pub fn unsubscribe(&self, who: ClientId, id: u64) {
        self.streams().remove(who, id);
    }

    /// Ends all streams, including streams that are opened later.
    pub fn close_all_streams(&self) {
        self.closing.send_replace(true);
    }

    /// The value becomes `true` when all streams must end.
    pub fn closing_receiver(&self) -> watch::Receiver<bool> {
        self.closing.subscribe()
    }

    pub fn stream_count(&self) -> usize {
        self.streams().counts.iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_addresses_do_not_keep_all_others_out() {
        let subscribers = StatusSubscribers::default();
        let address = |last: u8| ClientId::Network([192, 0, 2, last].into());
        let mut open: Vec<_> = (0..64).map(|n| subscribers.subscribe(address(n % 4)).unwrap()).collect();
        assert!(subscribers.subscribe(address(0)).is_err_and(|error| error.downcast_ref::<StreamError>().is_some()));
        let (_, mut oldest) = open.remove(0);
        for other in 10..30 {
            assert!(subscribers.subscribe(address(other)).is_ok(), "{other}");
        }
        assert!(matches!(oldest.try_recv(), Err(mpsc::error::TryRecvError::Disconnected)));
        let listening = subscribers.streams();
        let total: usize = listening.by_client.values().map(Vec::len).sum();
        assert_eq!((total, listening.counts), (64, [0, 0, 64]));
        let most = listening.by_client.values().map(Vec::len).max();
        assert_eq!(most, Some(11));
    }

    #[test]
    fn new_stream_is_rejected_when_all_clients_have_one() {
        let subscribers = StatusSubscribers::default();
        let open: Vec<_> = (0..64).map(|n| subscribers.subscribe(ClientId::Network([192, 0, 2, n].into()))).collect();
        assert!(open.iter().all(Result::is_ok));
        assert!(matches!(subscribers.subscribe(ClientId::Network([192, 0, 2, 200].into())), Err(AppError::Busy)));
    }
}
