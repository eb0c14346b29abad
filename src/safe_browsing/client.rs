//! Requests to a Safe Browsing server. Prefixes of hashes are all that it is sent: never an address.

use std::time::Duration;

use futures_util::StreamExt as _;
use reqwest::header::{HeaderName, HeaderValue};
use reqwest::redirect::Policy;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::protocol::{FetchRequest, FetchResponse, FindRequest, FindResponse};
use super::settings::Settings;

const CONNECT_TIME_LIMIT: Duration = Duration::from_secs(10);

/// The most bytes of an answer, in memory until they are read. The lists of all threats together have some 20 MB.
const MAX_UPDATE: usize = 96 << 20;
const MAX_FOUND: usize = 4 << 20;

/// The key goes here and not into the address: addresses are logged on their way.
const KEY: HeaderName = HeaderName::from_static("x-goog-api-key");

/// Asks a server.
#[derive(Clone, Debug)]
pub struct Client {
    http: reqwest::Client,
    url: String,
    key: HeaderValue,
}

/// Why there is no answer. None of it names the key.
#[derive(Debug, thiserror::Error)]
pub enum RequestError {
    #[error("the client cannot be made: {0}")]
    Client(reqwest::Error),
    #[error("no answer: {0}")]
    Transport(reqwest::Error),
    #[error("the server answered {0}")]
    Status(u16),
    #[error("the answer has more than {0} bytes")]
    TooLarge(usize),
    #[error("the answer cannot be read: {0}")]
    Answer(serde_json::Error),
}

impl Client {
    /// # Errors
    /// [`RequestError::Client`] where TLS cannot be set up.
    pub fn new(settings: &Settings) -> Result<Self, RequestError> {
        // The provider of the whole process; if somebody has set one already, it is that.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let http = reqwest::Client::builder()
            .timeout(settings.time_limit)
            .connect_timeout(CONNECT_TIME_LIMIT)
            // Nobody else is to be sent what this server is asked.
            .redirect(Policy::none())
            .referer(false)
            .build()
            .map_err(RequestError::Client)?;
        Ok(Self { http, url: settings.url.clone(), key: settings.key.header() })
    }

    /// What is new of lists.
    ///
    /// # Errors
    /// [`RequestError`].
    pub async fn fetch(&self, request: &FetchRequest) -> Result<FetchResponse, RequestError> {
        self.post("v4/threatListUpdates:fetch", request, MAX_UPDATE).await
    }

    /// The whole hashes with some prefixes.
    ///
    /// # Errors
    /// [`RequestError`].
    pub async fn find(&self, request: &FindRequest) -> Result<FindResponse, RequestError> {
        self.post("v4/fullHashes:find", request, MAX_FOUND).await
    }

    async fn post<T: DeserializeOwned>(
        &self,
        method: &str,
        body: &impl Serialize,
        most: usize,
    ) -> Result<T, RequestError> {
        let transport = |error: reqwest::Error| RequestError::Transport(error.without_url());
        let request = self.http.post(format!("{}{method}", self.url)).header(KEY, self.key.clone()).json(body);
        let response = request.send().await.map_err(transport)?;
        // Nothing but 200 is an answer.
        if response.status() != reqwest::StatusCode::OK {
            return Err(RequestError::Status(response.status().as_u16()));
        }
        let (mut bytes, mut stream) = (Vec::new(), response.bytes_stream());
        while let Some(chunk) = stream.next().await {
            bytes.extend_from_slice(&chunk.map_err(transport)?);
            if bytes.len() > most {
                return Err(RequestError::TooLarge(most));
            }
        }
        serde_json::from_slice(&bytes).map_err(RequestError::Answer)
    }
}
