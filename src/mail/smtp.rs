//! A server that takes mail, step by step: what has failed is known to have been before the text was handed over or not.

use std::time::Duration;

use lettre::Message;
use lettre::transport::smtp::authentication::DEFAULT_MECHANISMS;
use lettre::transport::smtp::client::{AsyncSmtpConnection, TlsParameters};
use lettre::transport::smtp::commands::{Data, Mail, Rcpt, Rset};
use lettre::transport::smtp::extension::{ClientId, Extension, MailBodyParameter, MailParameter};
use tokio::time::timeout;

use super::settings::{Encryption, Server};

/// How long a server may think about a text, in steps: scanning takes time, and nobody knows afterwards whether it was
/// delivered.
const STEPS_FOR_A_TEXT: u32 = 5;

/// What a server has said of a mail, or has not.
#[derive(Debug, thiserror::Error)]
pub enum SendError {
    /// It will never take it.
    #[error("refused for good: {0}")]
    Refused(String),
    /// It did not take it now.
    #[error("not taken now: {0}")]
    NotNow(String),
    /// It takes nothing, or the connection is of no use any more.
    #[error("the server takes nothing: {0}")]
    Gone(String),
    /// The server was gone when it had the text.
    #[error("the server did not say whether it has taken it: {0}")]
    Unknown(String),
}

/// An open connection.
pub struct Connection {
    connection: AsyncSmtpConnection,
    step_limit: Duration,
}

impl Connection {
    /// Connects, and proves who we are. Without the encryption that is asked for, nothing is said.
    ///
    /// # Errors
    /// [`SendError::Gone`].
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

    /// Asks the server to take a mail, up to the text.
    ///
    /// # Errors
    /// [`SendError::Refused`], [`SendError::NotNow`], [`SendError::Gone`].
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
        // What is wrong with the sender, or with us, is not this mail's fault.
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

    /// Hands over the text of the mail that was announced.
    ///
    /// # Errors
    /// [`SendError::Refused`], [`SendError::NotNow`], [`SendError::Unknown`].
    pub async fn hand_over(&mut self, message: &Message) -> Result<(), SendError> {
        match timeout(self.step_limit * STEPS_FOR_A_TEXT, self.connection.message(&message.formatted())).await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(error)) => Err(said(&error).unwrap_or_else(|| SendError::Unknown(error.to_string()))),
            Err(_) => Err(SendError::Unknown("it takes too long".to_owned())),
        }
    }

    /// Forgets a mail that was announced and not taken. False where the connection is of no use any more.
    pub async fn reset(&mut self) -> bool {
        matches!(timeout(self.step_limit, self.connection.command(Rset)).await, Ok(Ok(_)))
    }

    pub async fn close(mut self) {
        let _ = timeout(self.step_limit, self.connection.quit()).await;
    }
}

/// What a server has answered; none where it has not.
fn said(error: &lettre::transport::smtp::Error) -> Option<SendError> {
    if error.is_permanent() {
        return Some(SendError::Refused(error.to_string()));
    }
    error.is_transient().then(|| SendError::NotNow(error.to_string()))
}
