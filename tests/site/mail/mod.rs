//! Mail delivery to SMTP servers that fail.

mod accounts;
pub mod server;

use std::sync::Arc;
use std::time::Duration;

use chrono::TimeDelta;
use evenkeel::config::Env;
use evenkeel::mail::delivery::DeliveryTask;
use evenkeel::mail::{Mail, Settings, Transport};
use futures_util::future::join_all;
use lettre::transport::smtp::client::Certificate;
use mailparse::MailHeaderMap as _;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;

use self::server::{Fault, Server, Tls};
use crate::support::{TestSite, reachable_tempdir};

fn mail(to: &str) -> Mail {
    Mail {
        kind: "test",
        to: to.to_owned(),
        subject: "Grüße, سلام".to_owned(),
        text: ".a line that begins with a dot\nhttps://example.com/?token=x\n".to_owned(),
        html: "<p>سلام</p>".to_owned(),
        expires_in: TimeDelta::hours(1),
    }
}

async fn leave(site: &TestSite, mail: &Mail) {
    let (state, mut connection) = (&site.site().state, site.pool.acquire().await.unwrap());
    state.mail.enqueue(&mut connection, &state.clock, mail).await.unwrap();
}

async fn with_server() -> (TestSite, Server) {
    let server = Server::start(Tls::None).await;
    let url = format!("smtp://{}", server.address);
    let settings = [("SMTP_URL", url.as_str()), ("MAIL_FROM", "The Blog <blog@example.com>")];
    (TestSite::start_with(&settings, 2).await, server)
}

async fn send(site: &TestSite) {
    delivery_of(site, 0).send_due_mail().await.unwrap();
}

fn delivery_of(site: &TestSite, instance: usize) -> &DeliveryTask {
    site.site_of(instance).state.mail_delivery.as_ref().unwrap()
}

#[actix_web::test]
async fn mail_is_sent_once_by_one_instance() {
    let (site, server) = with_server().await;
    for number in 0..40 {
        leave(&site, &mail(&format!("reader{number}@example.com"))).await;
    }
    let senders = [delivery_of(&site, 0), delivery_of(&site, 1)];
    for result in join_all(senders.iter().map(|sender| sender.send_due_mail())).await {
        result.unwrap();
    }
    let mut taken = server.taken();
    taken.sort();
    taken.dedup_by_key(|mail| mail.0.clone());
    assert_eq!((taken.len(), server.taken().len(), site.count("outbox").await), (40, 40, 0));
    assert!(server.books().connections <= 2);
    let parsed = mailparse::parse_mail(taken[0].1.as_bytes()).unwrap();
    let header = |name: &str| parsed.headers.get_first_value(name).unwrap();
    assert_eq!(header("From"), "\"The Blog\" <blog@example.com>");
    assert_eq!((header("To"), header("Subject")), ("reader0@example.com".to_owned(), "Grüße, سلام".to_owned()));
    assert_eq!(header("Auto-Submitted"), "auto-generated");
    assert!(header("Message-ID").ends_with("@example.com>") && header("Date").contains("1 Jan 2026"));
    let parts: Vec<(String, String)> =
        parsed.subparts.iter().map(|part| (part.ctype.mimetype.clone(), part.get_body().unwrap())).collect();
    assert_eq!(parts[0].0, "text/plain");
    assert_eq!(parts[0].1.replace("\r\n", "\n").trim_end(), mail("").text.trim_end());
    assert_eq!((parts[1].0.as_str(), parts[1].1.trim_end()), ("text/html", "<p>سلام</p>"));
}

#[actix_web::test]
async fn temporary_failures_are_retried_and_permanent_ones_are_not() {
    let (site, server) = with_server().await;
    let faults = [Fault::NotNow, Fault::Refuse, Fault::RefuseText, Fault::NotNow, Fault::CutBefore];
    server.books().faults.extend(faults);
    for name in ["grey", "refused", "spam", "grey2", "cut", "fine"] {
        leave(&site, &mail(&format!("{name}@example.com"))).await;
        site.advance_clock(TimeDelta::milliseconds(1));
    }
    send(&site).await;
    let taken = |server: &Server| -> Vec<String> {
        server.taken().iter().map(|(to, _)| to.replace("@example.com", "")).collect()
    };
    // After a lost connection, delivery pauses for a few seconds, and longer for the message that was being sent. Then
    // the other messages are sent.
    assert_eq!((taken(&server), site.count("outbox").await), (vec![], 4));
    site.advance_clock(TimeDelta::seconds(10));
    send(&site).await;
    assert_eq!((taken(&server), site.count("outbox").await), (vec!["fine".to_owned()], 3));
    // The first retry of a message takes place one minute after the failed attempt.
    site.advance_clock(TimeDelta::seconds(49));
    send(&site).await;
    assert_eq!(taken(&server).len(), 1);
    site.advance_clock(TimeDelta::seconds(61));
    send(&site).await;
    let mut all = taken(&server);
    all.sort();
    assert_eq!((all, site.count("outbox").await), (["cut", "fine", "grey", "grey2"].map(str::to_owned).to_vec(), 0));
    // A message that is always rejected is retried less and less often, and is deleted when it is no longer useful.
    leave(&site, &mail("grey@example.com")).await;
    let mut tries = 0;
    for _ in 0..90 {
        server.books().faults.push_back(Fault::NotNow);
        send(&site).await;
        tries += usize::from(server.books().faults.pop_front().is_none());
        site.advance_clock(TimeDelta::minutes(1));
    }
    assert!((4..=6).contains(&tries), "{tries}");
    assert_eq!((taken(&server).len(), site.count("outbox").await), (4, 0));
}

#[actix_web::test]
async fn possibly_delivered_mail_is_not_sent_again() {
    let (site, server) = with_server().await;
    server.books().faults.push_back(Fault::CutAfter);
    leave(&site, &mail("ann@example.com")).await;
    send(&site).await;
    site.advance_clock(TimeDelta::minutes(30));
    send(&site).await;
    assert_eq!((server.taken().len(), site.count("outbox").await), (1, 0));
    // If an instance stopped while it was sending the text, the message may have been delivered and is not sent again.
    // If the instance stopped earlier, the message is sent again.
    for (is_handed_over, sent) in [(true, 1), (false, 2)] {
        leave(&site, &mail("bob@example.com")).await;
        sqlx::query("update outbox set handed_over = $1, leased_until = $2")
            .bind(is_handed_over)
            .bind(site.clock.now().unwrap() + TimeDelta::minutes(20))
            .execute(&site.pool)
            .await
            .unwrap();
        send(&site).await;
        assert_eq!(site.count("outbox").await, 1, "somebody may be at it");
        site.advance_clock(TimeDelta::minutes(21));
        send(&site).await;
        assert_eq!((server.taken().len(), site.count("outbox").await), (sent, 0));
    }
}

#[actix_web::test]
async fn stopping_completes_the_current_mail_and_sends_no_other() {
    let (site, server) = with_server().await;
    for name in ["ann", "bob", "cy"] {
        leave(&site, &mail(&format!("{name}@example.com"))).await;
    }
    let delivery = delivery_of(&site, 0);
    // `join!` polls the sending first, so that the stop interrupts it.
    let (sent, ()) = futures_util::join!(delivery.send_due_mail(), delivery.stop());
    sent.unwrap();
    assert_eq!((server.taken().len(), site.count("outbox where leased_until is null").await), (1, 2));
}

#[actix_web::test]
async fn unavailable_mail_server_is_retried_with_backoff() {
    let (site, server) = with_server().await;
    let other_server = Server::start(Tls::None).await;
    // The listener is dropped at once, so that connections to its port are refused.
    let nowhere = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let sender = delivery(&site, &format!("smtp://{nowhere}"), |_| ());
    leave(&site, &Mail { expires_in: TimeDelta::days(1), ..mail("ann@example.com") }).await;
    for _ in 0..100 {
        sender.send_due_mail().await.unwrap();
        site.advance_clock(TimeDelta::minutes(1));
    }
    assert_eq!(site.count("outbox").await, 1);
    // The first server does not respond within the time limit of an SMTP step. The message is then sent through the
    // other server.
    other_server.books().faults.push_back(Fault::Silence);
    let short = |server: &mut evenkeel::mail::SmtpServer| server.step_limit = Duration::from_millis(50);
    delivery(&site, &format!("smtp://{}", other_server.address), short).send_due_mail().await.unwrap();
    assert_eq!((other_server.taken().len(), site.count("outbox").await), (0, 1));
    site.advance_clock(TimeDelta::minutes(2));
    send(&site).await;
    assert_eq!((server.taken().len(), site.count("outbox").await), (1, 0));
}

fn delivery(site: &TestSite, url: &str, change: impl Fn(&mut evenkeel::mail::SmtpServer)) -> DeliveryTask {
    let env: Env = [("SMTP_URL", url), ("MAIL_FROM", "blog@example.com")].into_iter().collect();
    let mut settings = Settings::from_env(&env).unwrap().unwrap();
    if let Transport::Smtp(server) = &mut settings.transport {
        change(server);
    }
    let state = &site.site().state;
    DeliveryTask::new(settings, state.mail.clone(), state.pool.clone(), state.clock.clone())
}

fn certificate() -> (TlsAcceptor, Certificate) {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let certified = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let key = PrivateKeyDer::try_from(certified.signing_key.serialize_der()).unwrap();
    let config =
        ServerConfig::builder().with_no_client_auth().with_single_cert(vec![certified.cert.der().clone()], key);
    (TlsAcceptor::from(Arc::new(config.unwrap())), Certificate::from_pem(certified.cert.pem().as_bytes()).unwrap())
}

#[actix_web::test]
async fn mail_requires_verified_tls() {
    let (acceptor, trusted_certificate) = certificate();
    let (_, untrusted_certificate) = certificate();
    let site = TestSite::start_with(&[("SMTP_URL", "console:")], 1).await;
    for (scheme, tls) in
        [("smtps", Tls::FromTheBeginning(acceptor.clone())), ("smtp", Tls::Offered(acceptor)), ("smtp", Tls::Careless)]
    {
        let is_offered = !matches!(tls, Tls::Careless);
        let server = Server::start(tls).await;
        let send = async |trusted: Certificate| {
            let url = format!("{scheme}://blog:secret@localhost:{}", server.address.port());
            let sender = delivery(&site, &url, |server| {
                // By default, STARTTLS is used for servers on other hosts. This server is on localhost, so the test
                // enables STARTTLS explicitly.
                if scheme == "smtp" {
                    server.encryption = evenkeel::mail::Encryption::StartTls;
                }
                server.extra_root_certificate = Some(trusted.clone());
            });
            leave(&site, &mail("ann@example.com")).await;
            sender.send_due_mail().await.unwrap();
            sqlx::query("delete from outbox").execute(&site.pool).await.unwrap();
        };
        let received = || {
            let books = server.books();
            (books.taken.len(), books.credentials.clone())
        };
        send(untrusted_certificate.clone()).await;
        assert_eq!(received(), (0, vec![]), "{scheme}");
        send(trusted_certificate.clone()).await;
        let credentials = if is_offered { vec![("blog".to_owned(), "secret".to_owned(), true)] } else { vec![] };
        assert_eq!(received(), (credentials.len(), credentials), "{scheme}");
    }
}

#[actix_web::test]
async fn development_mail_is_written_to_a_folder() {
    let dir = reachable_tempdir();
    let path = dir.path().join("mail");
    let url = format!("file:{}", path.display());
    let site = TestSite::start_with(&[("SMTP_URL", &url)], 1).await;
    leave(&site, &mail("ann@example.com")).await;
    send(&site).await;
    let files: Vec<_> = std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect();
    let text = std::fs::read_to_string(&files[0]).unwrap();
    assert!(files.len() == 1 && text.contains("To: ann@example.com"), "{files:?} {text}");
    assert_eq!(site.count("outbox").await, 0);
}
