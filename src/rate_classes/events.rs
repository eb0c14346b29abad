//! A live stream of what happens to a client in its classes (`text/event-stream`), as OSCAR tells subscribers:
//! CHANGE, WARNING, LIMIT and CLEAR.
//!
//! A stream begins with a CHANGE for each class: its parameters, and where the client stands. After that it tells
//! transitions as this instance sees them, and CLEAR as soon as a wait is over, whether or not anything is asked.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use actix_web::web::{self, Bytes};
use futures_util::stream::{Stream, unfold};
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep_until};

use super::{Class, KeyKind, RateClasses, Who};
use crate::limiters::{RateNotice, RateStatus};
use crate::web::connection::{Link, Serving};
use crate::web::error::AppError;

/// Silence that a proxy, or whoever looks for a dead client, would take for its end.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// After that a stream ends, and the client asks again: as whoever it is by then.
const LIFETIME: Duration = Duration::from_mins(5);

/// Notices that wait for a client who is slow to take them. With more it has to begin anew.
const MOST_WAITING: usize = 16;

/// Streams that one user and one address may have, and all users and addresses together: whoever has many addresses
/// takes nothing from those who are signed in.
const MOST_STREAMS: [usize; KeyKind::ALL.len()] = [4, 16];
const MOST_STREAMS_IN_ALL: [usize; KeyKind::ALL.len()] = [192, 64];

/// Who listens.
pub struct Subscribers {
    all: Mutex<Listening>,
    closing: watch::Sender<bool>,
}

#[derive(Default)]
struct Listening {
    /// Those of a client, by their ids, the oldest first; none for one that is about to end.
    of: HashMap<Who, Vec<(u64, Listener)>>,
    counts: [usize; KeyKind::ALL.len()],
    next: u64,
}

impl Listening {
    /// Ends the oldest stream of the client that has the most of them, if that has more than one who has `has` would with
    /// one more: a few clients do not keep all others out.
    fn make_room(&mut self, kind: KeyKind, has: usize) -> bool {
        let of_kind = self.of.iter().filter(|(who, _)| who.kind() == kind);
        let most = of_kind.max_by_key(|(_, streams)| streams.len()).filter(|(_, streams)| streams.len() > has + 1);
        let Some((who, oldest)) = most.and_then(|(who, streams)| Some((*who, streams.first()?.0))) else {
            return false;
        };
        // Without its sender it ends.
        self.remove(who, oldest);
        true
    }

    fn remove(&mut self, who: Who, id: u64) {
        let Some(streams) = self.of.get_mut(&who) else { return };
        let before = streams.len();
        streams.retain(|(other, _)| *other != id);
        let (removed, is_empty) = (before - streams.len(), streams.is_empty());
        self.counts[who.kind() as usize] -= removed;
        if is_empty {
            self.of.remove(&who);
        }
    }
}

type Listener = Option<mpsc::Sender<Notice>>;

/// A client's new status in a class.
type Notice = (Class, RateStatus);

impl Default for Subscribers {
    fn default() -> Self {
        Self { all: Mutex::default(), closing: watch::channel(false).0 }
    }
}

impl Subscribers {
    fn listening(&self) -> std::sync::MutexGuard<'_, Listening> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells those who listen to this client.
    pub(super) fn tell(&self, who: Who, notice: Notice) {
        for (_, sender) in self.listening().of.get_mut(&who).into_iter().flatten() {
            // Whoever does not take notices in loses the stream, and not the order of what it tells.
            *sender = sender.take().filter(|sender| sender.try_send(notice).is_ok());
        }
    }

    /// Ends a client's streams: it has signed out.
    pub(super) fn dismiss(&self, who: Who) {
        for (_, sender) in self.listening().of.get_mut(&who).into_iter().flatten() {
            *sender = None;
        }
    }

    fn subscribe(&self, who: Who) -> Result<(u64, mpsc::Receiver<Notice>), AppError> {
        let mut listening = self.listening();
        let kind = who.kind() as usize;
        let has = listening.of.get(&who).map_or(0, Vec::len);
        if has >= MOST_STREAMS[kind] {
            return Err(AppError::TooManyStreams);
        }
        if listening.counts[kind] >= MOST_STREAMS_IN_ALL[kind] && !listening.make_room(who.kind(), has) {
            return Err(AppError::Busy);
        }
        let id = listening.next;
        let senders = listening.of.entry(who).or_default();
        let (sender, receiver) = mpsc::channel(MOST_WAITING);
        senders.push((id, Some(sender)));
        listening.counts[kind] += 1;
        listening.next = id + 1;
        Ok((id, receiver))
    }

    fn unsubscribe(&self, who: Who, id: u64) {
        self.listening().remove(who, id);
    }

    /// Ends all streams, now and from now on: the site stops.
    pub fn close(&self) {
        self.closing.send_replace(true);
    }
}

/// One client's stream.
struct Subscription {
    classes: web::Data<RateClasses>,
    who: Who,
    id: u64,
    notices: mpsc::Receiver<Notice>,
    closing: watch::Receiver<bool>,
    /// What it was told last of each class that it listens to.
    told: Vec<Notice>,
    /// When the first wait of those that it was told of is over.
    clear_at: Option<Instant>,
    ends_at: Instant,
    /// The connection, which is not idle.
    link: Option<(Rc<Link>, Serving)>,
}

impl Drop for Subscription {
    fn drop(&mut self) {
        self.classes.subscribers.unsubscribe(self.who, self.id);
    }
}

/// A client's stream of notices.
///
/// # Errors
/// `too_many_streams` or `busy`.
pub fn stream(
    classes: web::Data<RateClasses>,
    who: Who,
    wanted: Vec<Class>,
    link: Option<&Rc<Link>>,
) -> Result<impl Stream<Item = Result<Bytes, AppError>> + 'static, AppError> {
    let (id, notices) = classes.subscribers.subscribe(who)?;
    let closing = classes.subscribers.closing.subscribe();
    let mut subscription = Subscription {
        who,
        id,
        notices,
        closing,
        told: Vec::new(),
        clear_at: None,
        ends_at: Instant::now() + LIFETIME,
        link: link.map(|link| (link.clone(), link.serve())),
        classes,
    };
    let first = wanted.into_iter().map(|class| subscription.change(class)).collect::<String>();
    Ok(unfold((subscription, Some(first)), |(mut subscription, first)| async move {
        let text = match first {
            Some(first) => first,
            None => subscription.next().await?,
        };
        Some((Ok(Bytes::from(text)), (subscription, None)))
    }))
}

impl Subscription {
    /// The next event, or a sign of life; none at the end.
    async fn next(&mut self) -> Option<String> {
        let closing = *self.closing.borrow();
        if closing || Instant::now() >= self.ends_at || self.told.iter().any(|told| told.1 == RateStatus::Disconnect) {
            return None;
        }
        let heartbeat = Instant::now() + HEARTBEAT;
        let alarm = self.clear_at.map_or(heartbeat, |at| at.min(heartbeat)).min(self.ends_at);
        let hung_up = async {
            match &self.link {
                Some((link, _)) => link.hung_up().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = hung_up => None,
            notice = self.notices.recv() => {
                let (class, status) = notice?;
                Some(self.tell(class, status))
            }
            _ = self.closing.changed() => None,
            () = sleep_until(alarm) => Some(self.look_again()),
        }
    }

    fn change(&mut self, class: Class) -> String {
        let text = self.event(class, RateNotice::Change);
        self.told.push((class, self.classes.look((class, self.who)).status()));
        self.set_alarm();
        text
    }

    fn tell(&mut self, class: Class, status: RateStatus) -> String {
        let Some(told) = self.told.iter_mut().find(|told| told.0 == class).filter(|told| told.1 != status) else {
            // Not asked for, or told already; an empty part would end the body.
            return ":\n\n".to_owned();
        };
        let from = std::mem::replace(&mut told.1, status);
        self.set_alarm();
        // A disconnect has no notice of its own: it is a limit, and the end of the stream.
        let notice = RateNotice::of(from, status).unwrap_or(RateNotice::Limit);
        self.event(class, notice)
    }

    /// What has become of the classes while nothing was asked.
    fn look_again(&mut self) -> String {
        let better: Vec<Notice> = self
            .told
            .iter()
            .map(|(class, told)| (*class, self.classes.look((*class, self.who)).status().min(*told)))
            .filter(|now| !self.told.contains(now))
            .collect();
        self.set_alarm();
        let texts: String = better.into_iter().map(|(class, status)| self.tell(class, status)).collect();
        if texts.is_empty() { ":\n\n".to_owned() } else { texts }
    }

    fn set_alarm(&mut self) {
        let waits = self.told.iter().filter(|told| told.1 >= RateStatus::Limited);
        let wait = waits.map(|told| self.classes.look((told.0, self.who)).decision.retry_after_ms).min();
        self.clear_at = wait.map(|micros| Instant::now() + Duration::from_micros(micros.unsigned_abs().max(1_000)));
    }

    fn event(&self, class: Class, notice: RateNotice) -> String {
        let name = match notice {
            RateNotice::Change => "CHANGE",
            RateNotice::Warning => "WARNING",
            RateNotice::Limit => "LIMIT",
            RateNotice::Clear => "CLEAR",
        };
        let data = serde_json::to_string(&self.classes.standing(class, self.who)).unwrap_or_default();
        format!("event: {name}\ndata: {data}\n\n")
    }
}

impl RateClasses {
    /// How many streams are open.
    #[must_use]
    pub fn streams(&self) -> usize {
        self.subscribers.listening().counts.iter().sum()
    }

    /// The user's streams end: the session has.
    pub fn end_streams_of(&self, user: i64) {
        self.subscribers.dismiss(Who::User(user));
    }

    /// Streams end, and no new one begins: the site stops.
    pub fn close_streams(&self) {
        self.subscribers.close();
    }

    pub(super) fn notify(&self, (class, who): (Class, Who), status: RateStatus) {
        self.subscribers.tell(who, (class, status));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_addresses_do_not_keep_all_others_out() {
        let subscribers = Subscribers::default();
        let address = |last: u8| Who::Network([192, 0, 2, last].into());
        let mut open: Vec<_> = (0..64).map(|n| subscribers.subscribe(address(n % 4)).unwrap()).collect();
        assert!(matches!(subscribers.subscribe(address(0)), Err(AppError::TooManyStreams)));
        let (_, mut oldest) = open.remove(0);
        for other in 10..30 {
            assert!(subscribers.subscribe(address(other)).is_ok(), "{other}");
        }
        // What made room has ended.
        assert!(matches!(oldest.try_recv(), Err(mpsc::error::TryRecvError::Disconnected)));
        let listening = subscribers.listening();
        let total: usize = listening.of.values().map(Vec::len).sum();
        assert_eq!((total, listening.counts), (64, [0, 64]));
        let most = listening.of.values().map(Vec::len).max();
        assert_eq!(most, Some(11));
    }

    #[test]
    fn where_all_have_as_few_the_next_one_waits() {
        let subscribers = Subscribers::default();
        let open: Vec<_> = (0..64).map(|n| subscribers.subscribe(Who::Network([192, 0, 2, n].into()))).collect();
        assert!(open.iter().all(Result::is_ok));
        assert!(matches!(subscribers.subscribe(Who::Network([192, 0, 2, 200].into())), Err(AppError::Busy)));
    }
}
