//! Typed ids. Each table has its own id type, so that ids of users and posts cannot be mixed up.

/// Parses an id: decimal digits without leading zeros, at least 1.
pub(crate) fn parse_id(text: &str) -> Option<i64> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('0');
    text.parse().ok().filter(|_| digits)
}

pub(crate) fn invalid_id() -> crate::i18n::Phrase {
    crate::phrase!("invalid-id")
}

pub(crate) fn id_schema() -> schemars::Schema {
    schemars::json_schema!({ "type": "integer", "format": "int64", "minimum": 1 })
}

/// As an extractor, parses `{id}` in the path, and fails with 404 if the text is not a valid id.
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

        impl $crate::web::request::form_field::Field for $name {
            fn from_text(text: &str) -> Result<Self, $crate::i18n::Phrase> {
                $crate::web::request::id::parse_id(&$crate::i18n::to_ascii_digits(text)).map(Self).ok_or_else($crate::web::request::id::invalid_id)
            }

            fn from_json(value: &serde_json::Value) -> Result<Self, $crate::i18n::Phrase> {
                Self::from_text(&$crate::web::request::form_field::number_text(value))
            }

            fn schema() -> schemars::Schema {
                $crate::web::request::form_field::integer_or_string_schema(&$crate::web::request::id::id_schema())
            }
        }

        impl schemars::JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                $crate::web::request::id::id_schema()
            }
        }

        impl $crate::web::routing::operation::Describe for $name {}

        impl actix_web::FromRequest for $name {
            type Error = $crate::web::error::AppError;
            type Future = std::future::Ready<Result<Self, Self::Error>>;

            fn from_request(request: &actix_web::HttpRequest, _: &mut actix_web::dev::Payload) -> Self::Future {
                let id = request.match_info().get("id").and_then($crate::web::request::id::parse_id);
                std::future::ready(id.map(Self).ok_or($crate::web::error::AppError::NotFound))
            }
        }
    };
}

pub(crate) use id;
