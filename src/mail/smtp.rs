//! SMTP client that separates the commands before the message content from the content itself, so that an error tells
//! if the mail may have been delivered.

use std::time::Duration;

use lettre::Message;
use lettre::transport::smtp::authentication::DEFAULT_MECHANISMS;
use lettre::transport::smtp::client::{AsyncSmtpConnection, TlsParameters};
use lettre::transport::smtp::commands::{Data, Mail, Rcpt, Rset};
use lettre::transport::smtp::extension::{ClientId, Extension, MailBodyParameter, MailParameter};
use tokio::time::timeout;

use super::settings::{Encryption, Server};

/// Timeout for the message content, as a multiple of the step timeout. Servers scan the content, and after a timeout it
/// is unknown if the mail was delivered.
const STEPS_FOR_A_TEXT: u32 = 5;

#[derive(Debug, thiserror::Error)]
pub enum SendError {
    /// Permanent rejection of the mail (SMTP reply 5xx).
    #[error("refused for good: {0}")]
    Refused(String),
    /// Transient rejection of the mail (SMTP reply 4xx). The mail may be retried.
    #[error("not taken now: {0}")]
    NotNow(String),
    /// The connection failed before the content was sent, or the server rejects the sender. The mail may be retried.
    #[error("the server takes nothing: {0}")]
    Gone(String),
    /// The connection failed after the content was sent, so the mail may have been delivered.
    #[error("the server did not say whether it has taken it: {0}")]
    Unknown(String),
}

pub struct Connection {
    connection: AsyncSmtpConnection,
    step_limit: Duration,
}

impl Connection {
    /// Connects and authenticates. If STARTTLS is required but not offered, fails before credentials are sent.
    ///
    /// # Errors
    /// Always [`SendError::Gone`].
    pub async fn open(server: &Server) -> Result<Self, SendError> {
        let all = timeout(server.step_limit * 3, Self::connect(server)).await;
        all.unwrap_or_else(|_| Err(SendError::Gone("it takes too long".to_owned())))
    }

    async fn connect(server: &Server) -> Result<Self, SendError> {
        let gone = |error: lettre::transport::smtp::Error| SendError::Gone(error.to_string());
        let mut parameters = TlsParameters::builder(server.host.clone());
        if let Some(trusted) = &server.trusted {
            parameters = parameters.add_root_certificate(trusted.clone());
        }
        let parameters = parameters.build().map_err(gone)?;
        let hello = ClientId::default();
        let tls = (server.encryption == Encryption::Tls).then(|| parameters.clone());
        let (address, limit) = ((server.host.as_str(), server.port), Some(server.step_limit));
        let connecting = AsyncSmtpConnection::connect_tokio1(address, limit, &hello, tls, None);
        let mut connection = connecting.await.map_err(gone)?;
        if server.encryption == Encryption::StartTls {
            connection.starttls(parameters, &hello).await.map_err(gone)?;
        }
        if let Some(credentials) = &server.credentials {
            connection.auth(DEFAULT_MECHANISMS, credentials).await.map_err(gone)?;
        }
        Ok(Self { connection, step_limit: server.step_limit })
    }

    /// Sends the SMTP commands before the content: `MAIL FROM`, `RCPT TO` and `DATA`.
    ///
    /// # Errors
    /// [`SendError::Refused`], [`SendError::NotNow`] or [`SendError::Gone`]: the mail was certainly not delivered.
    pub async fn announce(&mut self, message: &Message) -> Result<(), SendError> {
        let (envelope, info) = (message.envelope(), self.connection.server_info());
        let mut options = Vec::new();
        if info.supports_feature(Extension::EightBitMime) {
            options.push(MailParameter::Body(MailBodyParameter::EightBitMime));
        }
        let mut addresses = envelope.to().iter().chain(envelope.from()).map(ToString::to_string);
        if !addresses.all(|address| address.is_ascii()) {
            if !info.supports_feature(Extension::SmtpUtfEight) {
                return Err(SendError::Refused("it takes no addresses with such letters".to_owned()));
            }
            options.push(MailParameter::SmtpUtfEight);
        }
        // A rejected `MAIL FROM` concerns the sender, not the recipient of this mail, so the mail is retried later.
        let begun = self.step(Mail::new(envelope.from().cloned(), options)).await;
        begun.map_err(|error| SendError::Gone(error.to_string()))?;
        for recipient in envelope.to() {
            self.step(Rcpt::new(recipient.clone(), Vec::new())).await?;
        }
        self.step(Data).await
    }

    async fn step(&mut self, command: impl std::fmt::Display) -> Result<(), SendError> {
        match timeout(self.step_limit, self.connection.command(command)).await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(error)) => Err(said(&error).unwrap_or_else(|| SendError::Gone(error.to_string()))),
            Err(_) => Err(SendError::Gone("it takes too long".to_owned())),
        }
    }

    /// Sends the content of a mail started with [`announce`](Self::announce).
    ///
    /// # Errors
    /// [`SendError::Unknown`] if the server may have accepted the mail; [`SendError::Refused`] or [`SendError::NotNow`]
    /// if it replied with a rejection.
    pub async fn hand_over(&mut self, message: &Message) -> Result<(), SendError> {
        match timeout(self.step_limit * STEPS_FOR_A_TEXT, self.connection.message(&message.formatted())).await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(error)) => Err(said(&error).unwrap_or_else(|| SendError::Unknown(error.to_string()))),
            Err(_) => Err(SendError::Unknown("it takes too long".to_owned())),
        }
    }

    /// Aborts the current mail (`RSET`). Returns false if the connection is no longer usable.
    pub async fn reset(&mut self) -> bool {
        matches!(timeout(self.step_limit, self.connection.command(Rset)).await, Ok(Ok(_)))
    }

    pub async fn close(mut self) {
        let _ = timeout(self.step_limit, self.connection.quit()).await;
    }
}

/// Classifies an SMTP error reply. `None` if the server sent no reply.
fn said(error: &lettre::transport::smtp::Error) -> Option<SendError> {
    if error.is_permanent() {
        return Some(SendError::Refused(error.to_string()));
    }
    error.is_transient().then(|| SendError::NotNow(error.to_string()))
}
