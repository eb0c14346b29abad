//! Query string parser; also decodes URL-encoded forms.

use std::sync::Arc;

use actix_web::HttpRequest;
use actix_web::http::Method;
use percent_encoding::percent_decode_str;

use crate::web::error::AppError;
use crate::web::routing::route::Route;

/// Maximum number of fields in a form or JSON object. The largest form of the site has fewer fields.
pub(crate) const MAX_FIELDS: usize = 32;
/// Maximum number of values of a repeated query parameter. Every list page has fewer rows.
const MAX_VALUES: usize = 128;

/// Parameters of a query string. Unused parameters are ignored, even if they are malformed.
#[derive(Debug, Default)]
pub struct Query {
    text: String,
    route: Option<Arc<Route>>,
    method: Method,
}

impl Query {
    pub fn get(&self, name: &str) -> Result<Option<String>, AppError> {
        self.check_declaration(name);
        self.get_undocumented(name)
    }

    /// Reads a parameter that only links of the site's own pages contain, and that the API does not document.
    pub fn get_undocumented(&self, name: &str) -> Result<Option<String>, AppError> {
        let mut values = split_pairs(&self.text).filter(|(key, _)| decode(key).is_ok_and(|key| key == name));
        let value = values.next().map(|(_, value)| decode(value)).transpose()?;
        if values.next().is_some() {
            return Err(AppError::Malformed("malformed-duplicate-parameter"));
        }
        if value.as_ref().is_some_and(|value| value.contains('\0')) {
            return Err(AppError::Malformed("malformed-null"));
        }
        Ok(value.filter(|value| !value.is_empty()))
    }

    pub fn get_all(&self, name: &str) -> Result<Vec<String>, AppError> {
        self.check_declaration(name);
        let values = split_pairs(&self.text).filter(|(key, _)| decode(key).is_ok_and(|key| key == name));
        let values: Vec<String> = values.map(|(_, value)| decode(value)).take(MAX_VALUES).collect::<Result<_, _>>()?;
        if values.iter().any(|value| value.contains('\0')) {
            return Err(AppError::Malformed("malformed-null"));
        }
        Ok(values)
    }

    /// Returns the query string without the parameters that the operation does not declare.
    pub fn declared_part(&self) -> String {
        let operation = self.route.as_ref().and_then(|route| route.operation(&self.method));
        let is_declared = |part: &&str| {
            let name = part.split_once('=').map_or(*part, |(name, _)| name);
            operation.is_some_and(|operation| decode(name).is_ok_and(|name| operation.accepts_parameter(&name)))
        };
        self.text.split('&').filter(is_declared).collect::<Vec<_>>().join("&")
    }

    /// Panics in debug builds if the operation does not declare the parameter, which the API description would lack.
    fn check_declaration(&self, name: &str) {
        let operation = self.route.as_ref().and_then(|route| route.operation(&self.method));
        debug_assert!(
            operation.is_none_or(|operation| operation.accepts_parameter(name)),
            "{} {:?} does not declare the query parameter {name}",
            self.method,
            self.route.as_ref().map(|route| route.pattern)
        );
    }

    pub fn for_request(request: &HttpRequest) -> Self {
        Self {
            text: request.query_string().to_owned(),
            route: Route::for_request(request),
            method: request.method().clone(),
        }
    }
}

extractor!(Query, Self::for_request);

/// Parses `application/x-www-form-urlencoded` pairs. Invalid UTF-8 is an error; most other parsers replace it.
pub(crate) fn parse_pairs(text: &str) -> Result<Vec<(String, String)>, AppError> {
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
