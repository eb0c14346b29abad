//! Ids of rows, a type for each table: the id of a user is none of a post.

/// Whether this is how an id is written: plain decimal digits, 1 or more.
pub(crate) fn parse(text: &str) -> Option<i64> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('0');
    text.parse().ok().filter(|_| digits)
}

pub(crate) const NO_ID: &str = "This has to be the id of something: a whole number, 1 or more.";

/// Makes the type of a table's ids. In a path it is `{id}`; anything that cannot be one is not found.
macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize, sqlx::Type,
        )]
        #[serde(transparent)]
        #[sqlx(transparent)]
        pub struct $name(pub i64);

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }

        impl $crate::web::field::Field for $name {
            fn from_text(text: &str) -> Result<Self, String> {
                $crate::web::id::parse(text).map(Self).ok_or_else(|| $crate::web::id::NO_ID.to_owned())
            }

            fn from_json(value: &serde_json::Value) -> Result<Self, String> {
                let id = value.as_i64().filter(|id| *id >= 1);
                id.map(Self).ok_or_else(|| $crate::web::id::NO_ID.to_owned())
            }
        }

        impl actix_web::FromRequest for $name {
            type Error = $crate::web::error::AppError;
            type Future = std::future::Ready<Result<Self, Self::Error>>;

            fn from_request(request: &actix_web::HttpRequest, _: &mut actix_web::dev::Payload) -> Self::Future {
                let id = request.match_info().get("id").and_then($crate::web::id::parse);
                std::future::ready(id.map(Self).ok_or($crate::web::error::AppError::NotFound))
            }
        }
    };
}

pub(crate) use id;
