//! Response that streams the progress of a replay as HTML.

use std::time::Duration;

use actix_web::web::Bytes;
use askama::Template;
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::report::{ErrorPlot, ReplayReport};
use crate::i18n::{Locale, Phrase, filters};
use crate::phrase;
use crate::web::response::layout::Layout;
use crate::web::response::view::render;

/// Interval of keep-alive output while there is no progress.
const KEEP_ALIVE_INTERVAL: Duration = Duration::from_secs(2);

/// Stream of the remaining chunks of a replay page.
pub struct ProgressStream {
    pub(super) layout: Layout,
    pub(super) choose: Option<String>,
    pub(super) after: String,
    pub(super) updates: mpsc::Receiver<Progress>,
}

impl ProgressStream {
    /// Returns the next chunk of the response, and the stream of further chunks; `None` after the last chunk.
    pub(super) async fn next(mut self) -> (Bytes, Option<Self>) {
        let locale = self.layout.locale;
        let Ok(updates) = timeout(KEEP_ALIVE_INTERVAL, self.updates.recv()).await else {
            // Sends an HTML comment, so that proxies do not close the idle connection.
            return (Bytes::from_static(b"<!-- -->\n"), Some(self));
        };
        match updates {
            Some(Progress::Waiting) => (progress_html(&phrase!("replay-waiting"), locale), Some(self)),
            Some(Progress::Read { read, posts }) => {
                (progress_html(&phrase!("replay-progress", read = read, posts = posts), locale), Some(self))
            }
            Some(Progress::Done(report)) => {
                let page = ReplayResults { report: &report, choose: self.choose.take() };
                let text = render(&page, locale).unwrap_or_else(|_| failure_html(locale));
                (self.end(&text), None)
            }
            Some(Progress::Failed) | None => (self.end(&failure_html(locale)), None),
        }
    }

    fn end(&self, text: &str) -> Bytes {
        Bytes::from(format!("</div>\n{text}{}", self.after))
    }
}

fn progress_html(progress: &Phrase, locale: Locale) -> Bytes {
    Bytes::from(format!("<p>{}</p>\n", progress.translate_to_html(locale)))
}

fn failure_html(locale: Locale) -> String {
    format!("<p class=\"notice failed\" role=\"alert\">{}</p>", phrase!("replay-failed").translate_to_text(locale))
}

/// Results at the end of the streamed page.
#[derive(Template)]
#[template(path = "admin/replayed.html")]
pub struct ReplayResults<'a> {
    report: &'a ReplayReport,
    /// URL of the override form with the limiter from the query.
    choose: Option<String>,
}

/// Message from the replay to the streamed page: progress, results or failure.
pub enum Progress {
    /// Another replay is running.
    Waiting,
    Read {
        read: usize,
        posts: usize,
    },
    Done(Box<ReplayReport>),
    Failed,
}
