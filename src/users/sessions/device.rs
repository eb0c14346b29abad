//! Device and network of a session, for the user's list of sessions.

use actix_web::http::header::USER_AGENT;

use crate::i18n::Phrase;
use crate::phrase;
use crate::web::error::AppError;
use crate::web::request::client::Client;
use crate::web::request::extractor;
use crate::web::routing::operation::Describe;

/// Browser names by substring of `User-Agent`. The first match is used, because browsers also name other browsers.
const PROGRAMS: [(&str, &str); 9] = [
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("CriOS/", "Chrome"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
    ("curl/", "curl"),
];

/// Operating systems by substring of `User-Agent`, of which the first match is used.
const SYSTEMS: [(&str, &str); 7] = [
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
];

/// Separator of browser and operating system in the column `sessions.device`.
const SEPARATOR: &str = " on ";
const UNKNOWN_BROWSER: &str = "a program";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Device {
    pub client: Client,
    pub network: String,
    /// Browser and operating system, such as `Firefox on Linux`. The client can forge `User-Agent`.
    pub name: String,
}

/// Guesses the browser and system, accurately enough for users to recognize their own devices.
fn name(agent: &str) -> String {
    let match_name =
        |table: &[(&str, &'static str)]| table.iter().find(|(mark, _)| agent.contains(mark)).map(|(_, name)| *name);
    match (match_name(&PROGRAMS), match_name(&SYSTEMS)) {
        (Some(program), Some(system)) => format!("{program}{SEPARATOR}{system}"),
        (Some(program), None) => program.to_owned(),
        (None, Some(system)) => format!("{UNKNOWN_BROWSER}{SEPARATOR}{system}"),
        (None, None) => UNKNOWN_BROWSER.to_owned(),
    }
}

impl Device {
    /// Translates a value of the column `sessions.device`.
    pub fn localized_name(name: &str) -> Phrase {
        match name.split_once(SEPARATOR).unwrap_or((name, "")) {
            (UNKNOWN_BROWSER, "") => phrase!("device-unknown"),
            (UNKNOWN_BROWSER, system) => phrase!("device-unknown-on", system = system),
            (program, "") => phrase!("device", program = program),
            (program, system) => phrase!("device-on", program = program, system = system),
        }
    }
}

impl Describe for Device {}

extractor!(Device, AppError, |request| {
    let agent = request.headers().get(USER_AGENT).and_then(|agent| agent.to_str().ok()).unwrap_or_default();
    let client = Client::require(request)?;
    Ok(Self { network: client.network().to_string(), name: name(agent), client })
});

#[cfg(test)]
mod tests {
    use super::name;

    #[test]
    fn recognizes_common_devices() {
        for (agent, expected) in [
            ("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox on Linux"),
            (
                "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile \
                 Safari/537.36",
                "Chrome on Android",
            ),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) \
                 Version/18.0 Mobile/15E148 Safari/604.1",
                "Safari on iPhone",
            ),
            (
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 \
                 Safari/537.36 Edg/140.0.0.0",
                "Edge on Windows",
            ),
            ("curl/8.5.0", "curl"),
            ("", "a program"),
            ("<script>alert(1)</script>", "a program"),
        ] {
            assert_eq!(name(agent), expected, "{agent}");
        }
    }
}
