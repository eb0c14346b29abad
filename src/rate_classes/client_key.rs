//! Keys of rate classes: requests are counted per user, or per network for anonymous visitors.

use std::net::IpAddr;

use actix_web::HttpRequest;
use schemars::JsonSchema;
use serde::Serialize;

use crate::web::request::client::Client;
use crate::web::request::current_user::{CurrentUser, UserId};
use crate::web::routing::route::RequestClass;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ClientKind {
    User,
    /// Programs of a user, with API tokens.
    Token,
    /// The API and the settings use the name `address` for networks.
    #[serde(rename = "address")]
    Network,
}

impl ClientKind {
    pub const ALL: [Self; 3] = [Self::User, Self::Token, Self::Network];

    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Token => "token",
            Self::Network => "address",
        }
    }
}

/// Client whose requests a rate class counts: the signed-in user, all API tokens of a user, or the network of an
/// anonymous visitor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ClientId {
    User(UserId),
    Token(UserId),
    /// IPv4 address, or the first 64 bits of an IPv6 address.
    Network(IpAddr),
}

pub type ClassKey = (RequestClass, ClientId);

impl ClientId {
    #[must_use]
    pub fn for_request(request: &HttpRequest) -> Option<Self> {
        let network = || Client::for_request(request).map(|client| Self::Network(client.network()));
        let of_user = |user: CurrentUser| match user.scopes {
            None => Self::User(user.id),
            Some(_) => Self::Token(user.id),
        };
        CurrentUser::for_request(request).map(of_user).or_else(network)
    }

    #[must_use]
    pub fn kind(self) -> ClientKind {
        match self {
            Self::User(_) => ClientKind::User,
            Self::Token(_) => ClientKind::Token,
            Self::Network(_) => ClientKind::Network,
        }
    }
}
