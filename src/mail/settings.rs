//! Mail settings: `SMTP_URL` and `MAIL_FROM`.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use lettre::message::Mailbox;
use lettre::transport::smtp::authentication::Credentials;
use lettre::transport::smtp::client::Certificate;
use percent_encoding::percent_decode_str;
use url::Url;

use super::message::with_ascii_domain;
use crate::config::{Env, InvalidSetting, is_loopback_host};

const ALLOWED: &str = "smtp://USER:PASSWORD@HOST:PORT (STARTTLS is required, except on this machine), \
                       smtps://USER:PASSWORD@HOST:PORT, console: or file:FOLDER";

/// Timeout of one step of an SMTP session, such as connecting.
const STEP_LIMIT: Duration = Duration::from_mins(1);

#[derive(Clone, Debug)]
pub struct Settings {
    pub transport: Transport,
    pub from: Mailbox,
}

#[derive(Clone, Debug)]
pub enum Transport {
    Smtp(SmtpServer),
    /// Standard output, for development.
    Console,
    /// `.eml` files in a folder, for development.
    Folder(PathBuf),
}

#[derive(Clone)]
pub struct SmtpServer {
    pub host: String,
    pub port: u16,
    pub encryption: Encryption,
    pub credentials: Option<Credentials>,
    pub step_limit: Duration,
    /// Host name of the site, which the client sends with EHLO; `None` for the name of the machine.
    pub client_name: Option<String>,
    pub extra_root_certificate: Option<Certificate>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encryption {
    /// Implicit TLS (`smtps`).
    Tls,
    /// STARTTLS. If the server does not offer STARTTLS, no emails are sent.
    StartTls,
    /// No encryption. Only allowed for a server on the loopback interface.
    None,
}

/// `Debug` output without the credentials, which must not be logged.
impl fmt::Debug for SmtpServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Server({}:{}, {:?})", self.host, self.port, self.encryption)
    }
}

impl Settings {
    /// Returns `None` if `SMTP_URL` is not set; the site then sends no emails.
    pub fn from_env(env: &Env) -> Result<Option<Self>, InvalidSetting> {
        let from = env.get("MAIL_FROM")?.map(str::parse::<Mailbox>).transpose();
        let from =
            from.map_err(|_| env.invalid_setting("MAIL_FROM", "an email address such as Evenkeel <blog@example.com>"))?;
        let Some(url) = env.get("SMTP_URL")? else { return Ok(None) };
        // The error omits the value, because the URL may contain a password.
        let invalid = |allowed: &str| InvalidSetting::new("SMTP_URL", format!("must be {allowed}"));
        let mut transport = transport(url).ok_or_else(|| invalid(ALLOWED))?;
        if let Transport::Smtp(server) = &mut transport {
            let site = env.get("PUBLIC_URL")?.and_then(|url| Url::parse(url).ok());
            server.client_name = site.and_then(|url| url.domain().map(str::to_owned));
        }
        let from = match (from, &transport) {
            (Some(Mailbox { name, email }), _) => {
                let email = with_ascii_domain(email.as_ref()).parse();
                Mailbox::new(name, email.map_err(|_| invalid(ALLOWED))?)
            }
            (None, Transport::Smtp(_)) => {
                return Err(InvalidSetting::new("MAIL_FROM", "is required if SMTP_URL is a mail server"));
            }
            (None, _) => Mailbox::new(None, "evenkeel@localhost".parse().map_err(|_| invalid(ALLOWED))?),
        };
        Ok(Some(Self { transport, from }))
    }
}

fn transport(text: &str) -> Option<Transport> {
    if text == "console:" {
        return Some(Transport::Console);
    }
    if let Some(folder) = text.strip_prefix("file:") {
        return (!folder.is_empty()).then(|| Transport::Folder(PathBuf::from(folder)));
    }
    let url = Url::parse(text).ok()?;
    let host = url.host_str().filter(|host| !host.is_empty())?.trim_matches(['[', ']']).to_owned();
    let is_here = is_loopback_host(&host);
    let (encryption, port) = match url.scheme() {
        "smtps" => (Encryption::Tls, 465),
        "smtp" if is_here => (Encryption::None, 25),
        "smtp" => (Encryption::StartTls, 587),
        _ => return None,
    };
    if !["", "/"].contains(&url.path()) || url.query().is_some() || url.fragment().is_some() {
        return None;
    }
    let decoded = |text: &str| percent_decode_str(text).decode_utf8().ok().map(std::borrow::Cow::into_owned);
    let credentials = match (url.username(), url.password()) {
        ("", None) => None,
        (user, password) => Some(Credentials::new(decoded(user)?, decoded(password.unwrap_or_default())?)),
    };
    let port = url.port().unwrap_or(port);
    Some(Transport::Smtp(SmtpServer {
        host,
        port,
        encryption,
        credentials,
        step_limit: STEP_LIMIT,
        client_name: None,
        extra_root_certificate: None,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(url: &str, from: Option<&str>) -> Result<Option<Settings>, String> {
        let env: Env = [("SMTP_URL", Some(url)), ("MAIL_FROM", from)]
            .into_iter()
            .filter_map(|(name, value)| Some((name, value?)))
            .collect();
        Settings::from_env(&env).map_err(|error| error.to_string())
    }

    #[test]
    fn requires_encryption_except_on_loopback() {
        let encryption = |url: &str| match read(url, Some("a@example.com")).unwrap().unwrap().transport {
            Transport::Smtp(server) => (server.encryption, server.port),
            other => panic!("{other:?}"),
        };
        assert_eq!(encryption("smtp://user:pa%40ss@mail.example.com"), (Encryption::StartTls, 587));
        assert_eq!(encryption("smtps://mail.example.com"), (Encryption::Tls, 465));
        assert_eq!(encryption("smtp://127.0.0.1:2525"), (Encryption::None, 2525));
        assert!(matches!(read("console:", None).unwrap().unwrap().transport, Transport::Console));
        assert!(matches!(read("file:/tmp/mail", None).unwrap().unwrap().transport, Transport::Folder(_)));
        for bad in ["http://mail.example.com", "smtp://", "file:", "console", "smtp://h/path", "smtp://u:secret@h?x=1"]
        {
            let error = read(bad, Some("a@example.com")).unwrap_err();
            assert!(error.contains("SMTP_URL") && !error.contains("secret"), "{error}");
        }
        assert!(read("smtp://mail.example.com", None).unwrap_err().contains("MAIL_FROM"));
        assert!(read("console:", Some("nobody")).unwrap_err().contains("MAIL_FROM"));
        assert!(!format!("{:?}", read("smtp://user:secret@h", Some("a@example.com"))).contains("secret"));
    }
}
