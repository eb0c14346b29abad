//! Reading query strings, and the encoding that they share with forms.

use actix_web::{FromRequest, HttpRequest, dev};
use percent_encoding::percent_decode_str;

use crate::web::error::AppError;

/// The greatest number of fields in a query or body. None of ours has as many.
pub(crate) const MAX_FIELDS: usize = 32;

/// The greatest number of values of a parameter that is there more than once: a page of a list has fewer.
const MAX_VALUES: usize = 128;

/// The parameters of a query string. Those that nobody asks for are ignored, even if they are malformed.
#[derive(Debug, Default)]
pub struct Query(String);

impl Query {
    /// # Errors
    /// `malformed` where it is there twice, or cannot be read.
    pub fn get(&self, name: &str) -> Result<Option<String>, AppError> {
        let mut values = split_pairs(&self.0).filter(|(key, _)| decode(key).is_ok_and(|key| key == name));
        let value = values.next().map(|(_, value)| decode(value)).transpose()?;
        if values.next().is_some() {
            return Err(AppError::Malformed("malformed-parameter-twice"));
        }
        if value.as_ref().is_some_and(|value| value.contains('\0')) {
            return Err(AppError::Malformed("malformed-null"));
        }
        Ok(value.filter(|value| !value.is_empty()))
    }

    /// All values of a parameter that may be there more than once.
    ///
    /// # Errors
    /// `malformed` where one cannot be read.
    pub fn all(&self, name: &str) -> Result<Vec<String>, AppError> {
        let values = split_pairs(&self.0).filter(|(key, _)| decode(key).is_ok_and(|key| key == name));
        let values: Vec<String> = values.map(|(_, value)| decode(value)).take(MAX_VALUES).collect::<Result<_, _>>()?;
        if values.iter().any(|value| value.contains('\0')) {
            return Err(AppError::Malformed("malformed-null"));
        }
        Ok(values)
    }

    #[must_use]
    pub fn of(request: &HttpRequest) -> Self {
        Self(request.query_string().to_owned())
    }
}

impl FromRequest for Query {
    type Error = std::convert::Infallible;
    type Future = std::future::Ready<Result<Self, Self::Error>>;

    fn from_request(request: &HttpRequest, _: &mut dev::Payload) -> Self::Future {
        std::future::ready(Ok(Self::of(request)))
    }
}

/// Reads the pairs of `application/x-www-form-urlencoded`. Other parsers replace what is not UTF-8; this one refuses
/// it.
pub(crate) fn pairs(text: &str) -> Result<Vec<(String, String)>, AppError> {
    split_pairs(text).take(MAX_FIELDS + 1).map(|(name, value)| Ok((decode(name)?, decode(value)?))).collect()
}

fn split_pairs(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.split('&').filter(|part| !part.is_empty()).map(|part| part.split_once('=').unwrap_or((part, "")))
}

fn decode(part: &str) -> Result<String, AppError> {
    let spaced = part.replace('+', " ");
    let decoded = percent_decode_str(&spaced).decode_utf8().map(std::borrow::Cow::into_owned);
    decoded.map_err(|_| AppError::Malformed("malformed-percent"))
}
