//! Page that warns visitors before they open a flagged URL.

use actix_web::web;
use askama::Template;

use super::flagged_urls::{self, FlaggedUrl};
use crate::i18n::{Phrase, filters};
use crate::state::AppState;
use crate::web::error::AppError;
use crate::web::response::layout::Layout;
use crate::web::response::view::PageResponse;
use crate::{page, phrase};

const MAX_URL_CHARS: usize = 300;

#[derive(Template)]
#[template(path = "safe_browsing/suspected.html")]
pub struct WarningPage {
    layout: Layout,
    data: FlaggedUrl,
}

page!(WarningPage, data: FlaggedUrl);

impl WarningPage {
    /// The wording must not present the threat as certain.
    fn threat(&self) -> Phrase {
        match self.data.threat_type.as_str() {
            "MALWARE" => phrase!("threat-malware"),
            "SOCIAL_ENGINEERING" => phrase!("threat-social-engineering"),
            "UNWANTED_SOFTWARE" => phrase!("threat-unwanted-software"),
            "POTENTIALLY_HARMFUL_APPLICATION" => phrase!("threat-harmful-application"),
            _ => phrase!("threat-other"),
        }
    }

    fn more(&self) -> Option<(Phrase, &'static str)> {
        match self.data.threat_type.as_str() {
            "MALWARE" => Some((
                phrase!("threat-more-malware"),
                "https://developers.google.com/search/docs/monitor-debug/security/malware",
            )),
            "SOCIAL_ENGINEERING" => Some((phrase!("threat-more-phishing"), "https://www.antiphishing.org/")),
            "UNWANTED_SOFTWARE" | "POTENTIALLY_HARMFUL_APPLICATION" => {
                Some((phrase!("threat-more-policy"), "https://www.google.com/about/unwanted-software-policy.html"))
            }
            _ => None,
        }
    }

    fn shown(&self) -> String {
        let spelled = self.data.normalized_url();
        match spelled.char_indices().nth(MAX_URL_CHARS) {
            Some((end, _)) => format!("{}…", &spelled[..end]),
            None => spelled,
        }
    }

    /// True for Google, which requires attribution and accepts reports of false positives.
    fn is_of_google(&self) -> bool {
        self.data.source == "googleapis.com" || self.data.source.ends_with(".googleapis.com")
    }
}

pub async fn show_warning(
    hash: web::Path<String>,
    layout: Layout,
    state: web::Data<AppState>,
) -> Result<PageResponse<WarningPage>, AppError> {
    let now = state.now().await?;
    let data = flagged_urls::find(&state.pool, &hash, now).await?.ok_or(AppError::NotFound)?;
    Ok(PageResponse::new(WarningPage { layout, data }))
}
