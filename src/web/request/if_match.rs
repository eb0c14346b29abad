//! Header `If-Match`, with which a program changes only the version of an object that it has read (RFC 9110).

use actix_web::http::header::{self, EntityTag, Header as _};

use crate::web::error::AppError;
use crate::web::routing::operation::{Describe, HeaderParameter, Operation};

/// Pattern of the header in the description of the API: `*` or one tag. Requests may also have a list of tags.
const PATTERN: &str = r#"^(\*|(W/)?"[!#-~]*")$"#;

/// `None` without the header `If-Match`. As an extractor, fails with `malformed` for a header that cannot be parsed.
#[derive(Debug)]
pub struct IfMatch(Option<header::IfMatch>);

impl IfMatch {
    pub fn is_present(&self) -> bool {
        self.0.is_some()
    }

    pub fn translate_conflict(&self, error: AppError) -> AppError {
        match error {
            AppError::Conflict if self.is_present() => AppError::PreconditionFailed,
            error => error,
        }
    }

    /// Returns the version that the object must still have when it is changed; `None` if any version is allowed.
    pub fn required_version(&self, version: i32) -> Result<Option<i32>, AppError> {
        let current = version_tag(version);
        match &self.0 {
            None | Some(header::IfMatch::Any) => Ok(None),
            Some(header::IfMatch::Items(tags)) if tags.iter().any(|tag| tag.strong_eq(&current)) => Ok(Some(version)),
            Some(header::IfMatch::Items(_)) => Err(AppError::PreconditionFailed),
        }
    }
}

pub fn version_tag(version: i32) -> EntityTag {
    EntityTag::new_strong(version.to_string())
}

impl Describe for IfMatch {
    fn describe(operation: &mut Operation) {
        let description = "Value of `ETag` that the client has read. If the object has changed since then, the response is \
            412 `precondition_failed`.";
        operation.headers.push(HeaderParameter { name: "If-Match", description, pattern: PATTERN });
        operation.errors.push("precondition_failed");
    }
}

extractor!(IfMatch, AppError, |request| {
    if !request.headers().contains_key(header::IF_MATCH) {
        return Ok(Self(None));
    }
    match header::IfMatch::parse(request) {
        // The parser skips tags without quotation marks, so that the list of a malformed header is empty.
        Ok(header::IfMatch::Items(tags)) if tags.is_empty() => Err(AppError::Malformed("malformed-if-match")),
        Ok(tags) => Ok(Self(Some(tags))),
        Err(_) => Err(AppError::Malformed("malformed-if-match")),
    }
});
