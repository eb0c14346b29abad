//! Keys of rate classes: requests are counted per user, or per network for anonymous visitors.

use std::net::IpAddr;

use actix_web::HttpRequest;
use actix_web::http::Method;
use schemars::JsonSchema;
use serde::Serialize;

use crate::access::RequestClass;
use crate::web::request::client::Client;
use crate::web::request::current_user::{CurrentUser, UserId};

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

    pub fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Token => "token",
            Self::Network => "address",
        }
    }
}

/// `Token` stands for all API tokens of a user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ClientId {
    User(UserId),
    Token(UserId),
    /// IPv4 address, or the first 64 bits of an IPv6 address.
    Network(IpAddr),
}

pub type ClassKey = (RequestClass, ClientId);

impl ClientId {
    /// Pages that a browser opens because of another site count for the network: otherwise that site could use up the
    /// limits of a user, and sign the user out. Other requests of other sites are rejected or sent without cookies.
    pub fn for_request(request: &HttpRequest) -> Option<Self> {
        let is_cross_site = *request.method() == Method::GET
            && request.headers().get("sec-fetch-site").is_some_and(|site| site == "cross-site");
        let network = || Client::for_request(request).map(|client| Self::Network(client.network()));
        let of_user = |user: CurrentUser| match user.scopes {
            None => Self::User(user.id),
            Some(_) => Self::Token(user.id),
        };
        let user = CurrentUser::for_request(request).filter(|user| user.scopes.is_some() || !is_cross_site);
        user.map(of_user).or_else(network)
    }

    pub fn kind(self) -> ClientKind {
        match self {
            Self::User(_) => ClientKind::User,
            Self::Token(_) => ClientKind::Token,
            Self::Network(_) => ClientKind::Network,
        }
    }
}

/// Text such as `rate:user:7` or `rate:address:192.0.2.1`, which identifies the state in the database and the shared
/// store.
pub(super) fn to_text((class, who): ClassKey) -> String {
    match who {
        ClientId::User(id) => format!("{}:user:{id}", class.name()),
        ClientId::Token(id) => format!("{}:token:{id}", class.name()),
        ClientId::Network(address) => format!("{}:address:{address}", class.name()),
    }
}

pub(super) fn from_text(text: &str) -> Option<ClassKey> {
    let mut parts = text.splitn(3, ':');
    let name = parts.next()?;
    let class = RequestClass::ALL.into_iter().find(|class| class.name() == name)?;
    let who = match (parts.next()?, parts.next()?) {
        ("user", id) => ClientId::User(UserId(id.parse().ok()?)),
        ("token", id) => ClientId::Token(UserId(id.parse().ok()?)),
        ("address", address) => ClientId::Network(address.parse::<IpAddr>().ok()?),
        _ => return None,
    };
    Some((class, who))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_survive_their_way_through_the_database() {
        for who in [
            ClientId::User(UserId(7)),
            ClientId::Token(UserId(7)),
            ClientId::Network([192, 0, 2, 1].into()),
            ClientId::Network("2001:db8::".parse().unwrap()),
        ] {
            for class in RequestClass::ALL {
                assert_eq!(from_text(&to_text((class, who))), Some((class, who)));
            }
        }
        for text in ["", "rate", "rate:user", "rate:user:x", "rate:address:x", "sieve:user:1", "rate:cow:1"] {
            assert_eq!(from_text(text), None, "{text}");
        }
    }
}
