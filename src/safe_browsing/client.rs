//! HTTP client of a Safe Browsing server. Requests contain hash prefixes only, never URLs.

use std::time::Duration;

use futures_util::StreamExt as _;
use reqwest::header::{HeaderName, HeaderValue};
use reqwest::redirect::Policy;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::settings::Settings;
use evenkeel_safe_browsing::protocol::{
    FetchThreatListUpdatesRequest, FetchThreatListUpdatesResponse, FindFullHashesRequest, FindFullHashesResponse,
};

const CONNECT_TIME_LIMIT: Duration = Duration::from_secs(10);

/// Maximum size of an update of threat lists in bytes, buffered in memory. All threat lists together have about 20 MB.
const MAX_FETCH_RESPONSE: usize = 96 << 20;
const MAX_FIND_RESPONSE: usize = 4 << 20;

/// Header with the API key, because proxies would log an API key in the URL.
const API_KEY_HEADER: HeaderName = HeaderName::from_static("x-goog-api-key");

#[derive(Clone, Debug)]
pub struct Client {
    http: reqwest::Client,
    url: String,
    key: HeaderValue,
}

/// Error messages do not contain the API key.
#[derive(Debug, thiserror::Error)]
pub enum RequestError {
    #[error("cannot create the HTTP client: {0}")]
    Client(reqwest::Error),
    #[error("no response from the Safe Browsing server: {0}")]
    Transport(reqwest::Error),
    #[error("the Safe Browsing server responded with status {0}")]
    Status(u16),
    #[error("the response of the Safe Browsing server has more than {0} bytes")]
    TooLarge(usize),
    #[error("the response of the Safe Browsing server cannot be parsed: {0}")]
    InvalidResponse(serde_json::Error),
}

impl Client {
    pub fn new(settings: &Settings) -> Result<Self, RequestError> {
        // `install_default` fails if the process already has a crypto provider, which is then used.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let http = reqwest::Client::builder()
            .timeout(settings.request_timeout)
            .connect_timeout(CONNECT_TIME_LIMIT)
            // Redirects could send the request to another server.
            .redirect(Policy::none())
            .referer(false)
            .build()
            .map_err(RequestError::Client)?;
        Ok(Self { http, url: settings.url.clone(), key: settings.key.header_value() })
    }

    pub async fn fetch_list_updates(
        &self,
        request: &FetchThreatListUpdatesRequest,
    ) -> Result<FetchThreatListUpdatesResponse, RequestError> {
        self.post("v4/threatListUpdates:fetch", request, MAX_FETCH_RESPONSE).await
    }

    pub async fn find_full_hashes(
        &self,
        request: &FindFullHashesRequest,
    ) -> Result<FindFullHashesResponse, RequestError> {
        self.post("v4/fullHashes:find", request, MAX_FIND_RESPONSE).await
    }

    async fn post<T: DeserializeOwned>(
        &self,
        method: &str,
        body: &impl Serialize,
        most: usize,
    ) -> Result<T, RequestError> {
        let transport = |error: reqwest::Error| RequestError::Transport(error.without_url());
        let request =
            self.http.post(format!("{}{method}", self.url)).header(API_KEY_HEADER, self.key.clone()).json(body);
        let response = request.send().await.map_err(transport)?;
        // Any status except 200 is an error, including other 2xx statuses.
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
        serde_json::from_slice(&bytes).map_err(RequestError::InvalidResponse)
    }
}
