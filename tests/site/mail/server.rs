//! SMTP server for tests, based on the crate `mailin`, that fails on demand.

use std::collections::VecDeque;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard};

use mailin::{Action, AuthMechanism, Handler, Response, Session, SessionBuilder, response};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

/// Fault that the server injects when it receives the next message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Rejects the recipient permanently, as unknown.
    Refuse,
    /// Rejects the recipient temporarily (greylisting).
    NotNow,
    /// Rejects the message after receiving the whole text.
    RefuseText,
    /// Closes the connection before receiving the text.
    CutBefore,
    /// Accepts the message, and closes the connection before responding.
    CutAfter,
    /// Never responds.
    Silence,
}

#[derive(Debug, Default)]
pub struct Books {
    pub faults: VecDeque<Fault>,
    /// Recipients and texts of accepted messages.
    pub taken: Vec<(String, String)>,
    pub connections: usize,
    /// Received usernames and passwords. The third value is `true` if the connection was encrypted.
    pub credentials: Vec<(String, String, bool)>,
}

#[derive(Clone, Default)]
pub enum Tls {
    /// No encryption and no authentication.
    #[default]
    None,
    /// Insecure: offers authentication without encryption.
    Careless,
    /// Offers STARTTLS.
    Offered(TlsAcceptor),
    FromTheBeginning(TlsAcceptor),
}

pub struct Server {
    pub address: SocketAddr,
    books: Arc<Mutex<Books>>,
}

/// State of one SMTP session, with the callbacks of `mailin`.
#[derive(Clone)]
struct Reception {
    books: Arc<Mutex<Books>>,
    to: String,
    text: Vec<u8>,
    fault: Option<Fault>,
    is_encrypted: bool,
}

trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

impl Server {
    pub async fn start(tls: Tls) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let (address, books) = (listener.local_addr().unwrap(), Arc::<Mutex<Books>>::default());
        let shared = books.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                shared.lock().unwrap().connections += 1;
                let (tls, books) = (tls.clone(), shared.clone());
                tokio::spawn(async move { drop(receive(stream, tls, books).await) });
            }
        });
        Self { address, books }
    }

    pub fn taken(&self) -> Vec<(String, String)> {
        self.books().taken.clone()
    }

    pub fn books(&self) -> MutexGuard<'_, Books> {
        self.books.lock().unwrap()
    }
}

async fn receive(stream: TcpStream, tls: Tls, books: Arc<Mutex<Books>>) -> io::Result<()> {
    let is_encrypted = matches!(tls, Tls::FromTheBeginning(_));
    let reception = Reception { books, to: String::new(), text: Vec::new(), fault: None, is_encrypted };
    let mut builder = SessionBuilder::new("mail.test");
    if !matches!(tls, Tls::None) {
        // Accepts plaintext passwords, so that the tests notice clients that send them.
        builder.insecure_enable_plaintext_auth().enable_auth(AuthMechanism::Plain);
    }
    if matches!(tls, Tls::Offered(_)) {
        builder.enable_start_tls();
    }
    let mut session = builder.build(IpAddr::V4(Ipv4Addr::LOCALHOST), reception.clone());
    let mut stream: Box<dyn Stream> = match &tls {
        Tls::FromTheBeginning(acceptor) => Box::new(acceptor.accept(stream).await?),
        _ => Box::new(stream),
    };
    stream.write_all(&session.greeting().buffer()?).await?;
    while let Some(acceptor) = converse(&mut stream, &mut session, &reception.books, &tls).await? {
        stream = Box::new(acceptor.accept(stream).await?);
        session = builder.build(IpAddr::V4(Ipv4Addr::LOCALHOST), Reception { is_encrypted: true, ..reception.clone() });
        session.tls_active();
    }
    Ok(())
}

/// Serves a session until the connection closes or the client requests STARTTLS.
async fn converse(
    stream: &mut Box<dyn Stream>,
    session: &mut Session<Reception>,
    books: &Mutex<Books>,
    tls: &Tls,
) -> io::Result<Option<TlsAcceptor>> {
    let mut reader = BufReader::new(stream);
    let mut line = Vec::new();
    while reader.read_until(b'\n', &mut line).await? > 0 {
        let response = session.process(&line);
        let fault = books.lock().unwrap().faults.front().copied();
        match (fault, response.code) {
            (Some(Fault::Silence), 250) if line.starts_with(b"MAIL") => std::future::pending().await,
            (Some(Fault::CutBefore), 354) | (Some(Fault::CutAfter), 250)
                if line == b".\r\n" || response.code == 354 =>
            {
                books.lock().unwrap().faults.pop_front();
                return Ok(None);
            }
            _ => {}
        }
        if response.action != Action::NoReply {
            reader.write_all(&response.buffer()?).await?;
            reader.flush().await?;
        }
        // After rejecting the text of a message, `mailin` would treat the next commands as a part of the text.
        if line == b".\r\n" && response.is_error {
            return Ok(None);
        }
        line.clear();
        match (response.action, tls) {
            (Action::Close, _) => return Ok(None),
            (Action::UpgradeTls, Tls::Offered(acceptor)) => return Ok(Some(acceptor.clone())),
            _ => {}
        }
    }
    Ok(None)
}

impl Handler for Reception {
    fn rcpt(&mut self, to: &str) -> Response {
        to.clone_into(&mut self.to);
        let faults = &mut self.books.lock().unwrap().faults;
        self.fault = faults.front().copied();
        match self.fault {
            Some(Fault::Refuse) => {
                faults.pop_front();
                response::NO_MAILBOX
            }
            Some(Fault::NotNow) => {
                faults.pop_front();
                response::INTERNAL_ERROR
            }
            _ => response::OK,
        }
    }

    fn data(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.text.extend_from_slice(bytes);
        Ok(())
    }

    fn data_end(&mut self) -> Response {
        let text = String::from_utf8(std::mem::take(&mut self.text)).unwrap();
        let mut books = self.books.lock().unwrap();
        if self.fault == Some(Fault::RefuseText) {
            books.faults.pop_front();
            return response::TRANSACTION_FAILED;
        }
        books.taken.push((self.to.clone(), text));
        response::OK
    }

    fn auth_plain(&mut self, _: &str, name: &str, password: &str) -> Response {
        self.books.lock().unwrap().credentials.push((name.to_owned(), password.to_owned(), self.is_encrypted));
        response::AUTH_OK
    }
}
