//! SMTP client that sends commands and content in separate steps, so that an error shows if the email may be delivered.

use std::time::Duration;

use lettre::transport::smtp::authentication::DEFAULT_MECHANISMS;
use lettre::transport::smtp::client::{AsyncSmtpConnection, TlsParameters};
use lettre::transport::smtp::commands::{Data, Mail, Rcpt, Rset};
use lettre::transport::smtp::extension::{ClientId, Extension, MailBodyParameter, MailParameter};
use lettre::{Address, Message};
use tokio::time::error::Elapsed;
use tokio::time::timeout;

use super::settings::{Encryption, SmtpServer};

/// Timeout for sending the content, as a multiple of the timeout of other steps: mail servers scan the content before
/// they reply, and a timeout leaves the delivery uncertain.
const CONTENT_TIMEOUT_STEPS: u32 = 5;

#[derive(Debug, thiserror::Error)]
pub enum SendError {
    /// SMTP reply 5xx.
    #[error("the mail server rejected the mail permanently: {0}")]
    Permanent(String),
    /// SMTP reply 4xx.
    #[error("the mail server rejected the mail temporarily: {0}")]
    Transient(String),
    /// The connection failed before the content was sent, or the server rejects the sender.
    #[error("the mail server is unavailable or rejects the sender: {0}")]
    ServerUnavailable(String),
    #[error("the mail may have been delivered, because the mail server did not confirm it: {0}")]
    OutcomeUnknown(String),
}

pub struct Connection {
    connection: AsyncSmtpConnection,
    step_limit: Duration,
}

impl Connection {
    /// If STARTTLS is required but not offered, fails before credentials are sent.
    pub async fn open(server: &SmtpServer) -> Result<Self, SendError> {
        let all = timeout(server.step_limit * 3, Self::connect(server)).await;
        all.unwrap_or_else(|_| Err(SendError::ServerUnavailable("timeout while connecting".to_owned())))
    }

    async fn connect(server: &SmtpServer) -> Result<Self, SendError> {
        let gone = |error: lettre::transport::smtp::Error| SendError::ServerUnavailable(error.to_string());
        let mut parameters = TlsParameters::builder(server.host.clone());
        if let Some(trusted) = &server.extra_root_certificate {
            parameters = parameters.add_root_certificate(trusted.clone());
        }
        let parameters = parameters.build().map_err(gone)?;
        let hello = server.client_name.clone().map_or_else(ClientId::default, ClientId::Domain);
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

    pub async fn check_sender(&mut self, from: &Address) -> Result<(), SendError> {
        self.step(Mail::new(Some(from.clone()), Vec::new())).await?;
        self.step(Rset).await
    }

    /// Sends `MAIL FROM`, `RCPT TO` and `DATA`. After an error, the email was certainly not delivered.
    pub async fn start_message(&mut self, message: &Message) -> Result<(), SendError> {
        let (envelope, info) = (message.envelope(), self.connection.server_info());
        let mut options = Vec::new();
        if info.supports_feature(Extension::EightBitMime) {
            options.push(MailParameter::Body(MailBodyParameter::EightBitMime));
        }
        let mut addresses = envelope.to().iter().chain(envelope.from()).map(ToString::to_string);
        if !addresses.all(|address| address.is_ascii()) {
            if !info.supports_feature(Extension::SmtpUtfEight) {
                return Err(SendError::Permanent("it does not support non-ASCII addresses (SMTPUTF8)".to_owned()));
            }
            options.push(MailParameter::SmtpUtfEight);
        }
        // A rejected `MAIL FROM` concerns the sender, not the recipient of this email, so the email is retried later.
        let begun = self.step(Mail::new(envelope.from().cloned(), options)).await;
        begun.map_err(|error| SendError::ServerUnavailable(error.to_string()))?;
        for recipient in envelope.to() {
            self.step(Rcpt::new(recipient.clone(), Vec::new())).await?;
        }
        self.step(Data).await
    }

    async fn step(&mut self, command: impl std::fmt::Display) -> Result<(), SendError> {
        let reply = timeout(self.step_limit, self.connection.command(command)).await;
        check_reply(reply, SendError::ServerUnavailable)
    }

    /// After [`SendError::OutcomeUnknown`], the server may have accepted the email.
    pub async fn send_content(&mut self, message: &Message) -> Result<(), SendError> {
        let content = message.formatted();
        let reply = timeout(self.step_limit * CONTENT_TIMEOUT_STEPS, self.connection.message(&content)).await;
        check_reply(reply, SendError::OutcomeUnknown)
    }

    /// Aborts the current email (`RSET`). Returns false if the connection is no longer usable.
    pub async fn reset(&mut self) -> bool {
        matches!(timeout(self.step_limit, self.connection.command(Rset)).await, Ok(Ok(_)))
    }

    pub async fn close(mut self) {
        let _ = timeout(self.step_limit, self.connection.quit()).await;
    }
}

/// `no_reply` is the error if the server sent no reply.
fn check_reply<T>(
    reply: Result<Result<T, lettre::transport::smtp::Error>, Elapsed>,
    no_reply: fn(String) -> SendError,
) -> Result<(), SendError> {
    match reply {
        Ok(Ok(_)) => Ok(()),
        Ok(Err(error)) if error.is_permanent() => Err(SendError::Permanent(error.to_string())),
        Ok(Err(error)) if error.is_transient() => Err(SendError::Transient(error.to_string())),
        Ok(Err(error)) => Err(no_reply(error.to_string())),
        Err(_) => Err(no_reply("timeout while waiting for a reply".to_owned())),
    }
}
