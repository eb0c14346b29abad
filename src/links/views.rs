//! The page before an address that is suspected.

use actix_web::{Responder, web};
use askama::Template;

use super::suspected::{self, Suspected};
use crate::page;
use crate::web::error::AppError;
use crate::web::layout::Layout;
use crate::web::state::AppState;
use crate::web::view::View;

/// Characters of an address that are shown.
const MAX_SHOWN: usize = 300;

#[derive(Template)]
#[template(path = "links/suspected.html")]
pub struct SuspectedPage {
    layout: Layout,
    data: Suspected,
}

page!(SuspectedPage, data: Suspected);

impl SuspectedPage {
    /// What the place may do, for people: a warning must not say that it does.
    fn threat(&self) -> &'static str {
        match self.data.threat_type.as_str() {
            "MALWARE" => {
                "It may harm your computer: it seems to contain programs that could be installed without your consent."
            }
            "SOCIAL_ENGINEERING" => {
                "It may be deceptive: somebody there may try to trick you into doing something dangerous, such as telling \
                 them your password, your telephone number or your credit card number, or installing a program."
            }
            "UNWANTED_SOFTWARE" => {
                "It may offer harmful programs: they could change your browser, or show you more advertisements."
            }
            "POTENTIALLY_HARMFUL_APPLICATION" => {
                "It may offer apps that could steal or delete what is on your device, such as photos, messages or passwords."
            }
            _ => "It may be unsafe.",
        }
    }

    /// Where to learn more of such threats: what it is called, and where it is.
    fn more(&self) -> Option<(&'static str, &'static str)> {
        match self.data.threat_type.as_str() {
            "MALWARE" => Some((
                "Malware and unwanted software",
                "https://developers.google.com/search/docs/monitor-debug/security/malware",
            )),
            "SOCIAL_ENGINEERING" => Some(("The Anti-Phishing Working Group", "https://www.antiphishing.org/")),
            "UNWANTED_SOFTWARE" | "POTENTIALLY_HARMFUL_APPLICATION" => {
                Some(("The unwanted software policy", "https://www.google.com/about/unwanted-software-policy.html"))
            }
            _ => None,
        }
    }

    /// The address, or its beginning where it is long.
    fn shown(&self) -> String {
        let spelled = self.data.spelled();
        match spelled.char_indices().nth(MAX_SHOWN) {
            Some((end, _)) => format!("{}…", &spelled[..end]),
            None => spelled,
        }
    }

    /// Whether Google says so: it asks to be named, and takes reports of mistakes.
    fn is_of_google(&self) -> bool {
        self.data.source == "googleapis.com" || self.data.source.ends_with(".googleapis.com")
    }
}

/// What is known of an address, by whom, and since when; and the way there for those who want to go all the same.
pub async fn suspected(
    hash: web::Path<String>,
    layout: Layout,
    state: web::Data<AppState>,
) -> Result<impl Responder, AppError> {
    let now = state.now().await?;
    let data = suspected::find(&state.pool, &hash, now).await?.ok_or(AppError::NotFound)?;
    Ok(View::new(SuspectedPage { layout, data }))
}
