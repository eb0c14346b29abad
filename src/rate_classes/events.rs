//! Event stream of a client's rate class status, with the rate notices of the OSCAR protocol.
//!
//! A stream begins with a CHANGE event for each class. A CLEAR event is sent as soon as a limit ends, even if the
//! client sends no request.

use std::sync::Arc;
use std::time::Duration;

use actix_web::web::Bytes;
use futures_util::stream::{Stream, unfold};
use serde::Serialize;
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep_until};

use super::classes::RateClasses;
use super::client_key::ClientId;
use super::status::ClassReport;
use super::subscribers::Notice;
use crate::access::RequestClass;
use crate::web::error::AppError;
use evenkeel_limiters::{RateClass, RateClassNotice, RateClassStatus};

/// Interval between heartbeats, because proxies and checks for dead clients close silent connections.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// Maximum duration of a stream. The client must then reconnect, which authenticates the client again.
const LIFETIME: Duration = Duration::from_mins(5);

#[derive(Serialize)]
struct EventData {
    /// Number of the event in the OSCAR protocol.
    code: u8,
    #[serde(flatten)]
    report: ClassReport,
}

struct Subscription {
    classes: Arc<RateClasses>,
    who: ClientId,
    id: u64,
    notices: mpsc::Receiver<Notice>,
    closing: watch::Receiver<bool>,
    limiter_changes: watch::Receiver<u64>,
    sent_limiters: Vec<RateClass>,
    /// Last status sent for each subscribed class.
    sent: Vec<Notice>,
    /// End of the earliest limit that was reported to the client.
    clear_at: Option<Instant>,
    ends_at: Instant,
}

impl Drop for Subscription {
    fn drop(&mut self) {
        self.classes.subscribers.unsubscribe(self.who, self.id);
    }
}

pub fn status_event_stream(
    classes: Arc<RateClasses>,
    who: ClientId,
    requested_classes: Vec<RequestClass>,
) -> Result<impl Stream<Item = Result<Bytes, AppError>> + 'static, AppError> {
    let (id, notices) = classes.subscribers.subscribe(who)?;
    let closing = classes.subscribers.closing_receiver();
    let limiter_changes = classes.limiter_changes();
    let mut subscription = Subscription {
        who,
        id,
        notices,
        closing,
        limiter_changes,
        sent_limiters: Vec::new(),
        sent: Vec::new(),
        clear_at: None,
        ends_at: Instant::now() + LIFETIME,
        classes,
    };
    let first = requested_classes.into_iter().map(|class| subscription.change_event(class)).collect::<String>();
    Ok(unfold((subscription, Some(first)), |(mut subscription, first)| async move {
        let text = match first {
            Some(first) => first,
            None => subscription.next().await?,
        };
        Some((Ok(Bytes::from(text)), (subscription, None)))
    }))
}

impl Subscription {
    /// Returns the next event or a heartbeat, or `None` at the end of the stream.
    async fn next(&mut self) -> Option<String> {
        let closing = *self.closing.borrow();
        if closing
            || Instant::now() >= self.ends_at
            || self.sent.iter().any(|sent_status| sent_status.1 == RateClassStatus::Disconnect)
        {
            return None;
        }
        let heartbeat = Instant::now() + HEARTBEAT;
        let alarm = self.clear_at.map_or(heartbeat, |at| at.min(heartbeat)).min(self.ends_at);
        tokio::select! {
            notice = self.notices.recv() => {
                let (class, status) = notice?;
                Some(self.status_event(class, status))
            }
            _ = self.closing.changed() => None,
            Ok(()) = self.limiter_changes.changed() => Some(self.change_events()),
            () = sleep_until(alarm) => Some(self.recovery_events()),
        }
    }

    fn change_event(&mut self, class: RequestClass) -> String {
        let text = self.event(class, RateClassNotice::Change);
        self.sent.push((class, self.classes.current_status((class, self.who)).status));
        self.sent_limiters.push(self.classes.limiter((class, self.who)));
        self.set_alarm();
        text
    }

    /// Events for changed limiters, or a heartbeat if no limiter has changed.
    fn change_events(&mut self) -> String {
        let mut texts = String::new();
        for index in 0..self.sent.len() {
            let class = self.sent[index].0;
            let limiter = self.classes.limiter((class, self.who));
            if std::mem::replace(&mut self.sent_limiters[index], limiter) != limiter {
                texts.push_str(&self.event(class, RateClassNotice::Change));
            }
        }
        self.set_alarm();
        if texts.is_empty() { ":\n\n".to_owned() } else { texts }
    }

    fn status_event(&mut self, class: RequestClass, status: RateClassStatus) -> String {
        let Some(sent_status) = self
            .sent
            .iter_mut()
            .find(|sent_status| sent_status.0 == class)
            .filter(|sent_status| sent_status.1 != status)
        else {
            // The client has not subscribed to this class or already knows the status. An empty chunk would end the
            // response.
            return ":\n\n".to_owned();
        };
        let from = std::mem::replace(&mut sent_status.1, status);
        self.set_alarm();
        // Reports a disconnect as LIMIT, because the protocol has no event for a disconnect.
        let notice = RateClassNotice::for_status_change(from, status).unwrap_or(RateClassNotice::Limit);
        self.event(class, notice)
    }

    /// Events for limits that have ended, or a heartbeat if no limit has ended.
    fn recovery_events(&mut self) -> String {
        let better: Vec<Notice> = self
            .sent
            .iter()
            .map(|(class, sent_status)| {
                (*class, self.classes.current_status((*class, self.who)).status.min(*sent_status))
            })
            .filter(|now| !self.sent.contains(now))
            .collect();
        self.set_alarm();
        let texts: String = better.into_iter().map(|(class, status)| self.status_event(class, status)).collect();
        if texts.is_empty() { ":\n\n".to_owned() } else { texts }
    }

    fn set_alarm(&mut self) {
        let waits = self.sent.iter().filter(|sent_status| sent_status.1 >= RateClassStatus::Limited);
        let wait = waits.map(|sent_status| self.classes.current_status((sent_status.0, self.who)).retry_after_us).min();
        self.clear_at = wait.map(|micros| Instant::now() + Duration::from_micros(micros.unsigned_abs().max(1_000)));
    }

    fn event(&self, class: RequestClass, notice: RateClassNotice) -> String {
        let (name, code) = match notice {
            RateClassNotice::Change => ("CHANGE", 1),
            RateClassNotice::Warning => ("WARNING", 2),
            RateClassNotice::Limit => ("LIMIT", 3),
            RateClassNotice::Clear => ("CLEAR", 4),
        };
        let key = (class, self.who);
        let report = match notice {
            RateClassNotice::Clear => ClassReport::for_recovered_client(&self.classes, key),
            _ => ClassReport::for_client(&self.classes, key),
        };
        let data = serde_json::to_string(&EventData { code, report }).unwrap_or_default();
        format!("event: {name}\ndata: {data}\n\n")
    }
}
