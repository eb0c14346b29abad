//! Parts of a request: client, user, format, body, query.

/// Implements `FromRequest` for a type that is read from a request without waiting. Without an error type, reading
/// never fails, and the type adds nothing to the API description.
macro_rules! extractor {
    ($type:ty, $error:ty, $read:expr) => {
        impl actix_web::FromRequest for $type {
            type Error = $error;
            type Future = std::future::Ready<Result<Self, $error>>;

            fn from_request(request: &actix_web::HttpRequest, _: &mut actix_web::dev::Payload) -> Self::Future {
                let read: fn(&actix_web::HttpRequest) -> Result<Self, $error> = $read;
                std::future::ready(read(request))
            }
        }
    };
    ($type:ty, $read:expr) => {
        impl $crate::web::routing::operation::Describe for $type {}

        $crate::web::request::extractor!($type, std::convert::Infallible, |request| Ok($read(request)));
    };
}
pub(crate) use extractor;

pub mod body;
pub mod client;
pub mod context;
pub mod cookies;
pub mod credentials;
pub mod current_user;
pub mod form_field;
pub mod format;
pub mod host;
pub(crate) mod id;
pub mod if_match;
pub mod locale;
pub mod query;
pub mod upload;
