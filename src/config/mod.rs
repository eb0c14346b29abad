//! Typed settings from environment variables. Each module defines the names and defaults of its own variables.

mod dotenv;
mod error;
mod limiter_params;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::time::Duration;

pub use self::dotenv::{DotenvError, load as load_dotenv};
pub use self::error::InvalidSetting;
use self::limiter_params::ParamsDeserializer;
pub use self::limiter_params::variable_name;

/// Environment variables. Records the names of all variables that are read; an empty value counts as unset.
#[derive(Debug, Default)]
pub struct Env {
    /// Values by variable name. `None` for a value that is not UTF-8.
    values: BTreeMap<String, Option<String>>,
    read: RefCell<BTreeSet<String>>,
}

impl<N: Into<String>, V: Into<String>> FromIterator<(N, V)> for Env {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(variables: I) -> Self {
        let values = variables.into_iter().map(|(name, value)| (name.into(), Some(value.into()))).collect();
        Self { values, read: RefCell::default() }
    }
}

impl Env {
    pub fn from_process() -> Self {
        let named = std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value)));
        let values = named.map(|(name, value)| (name, value.into_string().ok())).collect();
        Self { values, read: RefCell::default() }
    }

    /// Names of all variables that have been read, including unset ones.
    pub fn accessed_variable_names(&self) -> Vec<String> {
        self.read.borrow().iter().cloned().collect()
    }

    pub fn defined_variable_names(&self) -> impl Iterator<Item = &str> {
        let is_set = |value: &Option<String>| value.as_ref().is_none_or(|value| !value.trim().is_empty());
        self.values.iter().filter(move |(_, value)| is_set(value)).map(|(name, _)| name.as_str())
    }

    /// Value of a variable without surrounding whitespace, or `None` if the variable is unset or empty.
    pub fn get(&self, variable: &str) -> Result<Option<&str>, InvalidSetting> {
        self.read.borrow_mut().insert(variable.to_owned());
        match self.values.get(variable) {
            Some(None) => Err(InvalidSetting::new(variable, "is not UTF-8")),
            Some(Some(value)) => Ok(Some(value.trim()).filter(|value| !value.is_empty())),
            None => Ok(None),
        }
    }

    /// Error for a value that is not `allowed`. Must not be used for secrets, because the message contains the value.
    pub fn invalid_setting(&self, variable: &str, allowed: &str) -> InvalidSetting {
        let value = self.values.get(variable).and_then(Option::as_deref).unwrap_or("").trim();
        InvalidSetting::new(variable, format!("is {value:?} but must be {allowed}"))
    }

    /// Reads a struct field such as `z` from the variable `{prefix}_Z`. Fields in `fixed` have constant values.
    pub fn params_deserializer<'a>(
        &'a self,
        prefix: &'a str,
        fixed: &'a [(&'static str, &'static str)],
    ) -> ParamsDeserializer<'a> {
        ParamsDeserializer { find: Box::new(|variable| self.get(variable)), prefix, fixed }
    }

    /// Parses a variable. `allowed` describes the valid values in the error message.
    pub fn parse<T: FromStr>(&self, variable: &str, allowed: &str) -> Result<Option<T>, InvalidSetting> {
        let Some(value) = self.get(variable)? else { return Ok(None) };
        value.parse().map(Some).map_err(|_| self.invalid_setting(variable, allowed))
    }

    /// Reads an integer in `range`. `units` is a plural noun for the error message, such as `seconds`.
    pub fn get_integer(
        &self,
        variable: &str,
        default: u32,
        range: RangeInclusive<u32>,
        units: &str,
    ) -> Result<u32, InvalidSetting> {
        let allowed = format!("a whole number of {units} from {} to {}", range.start(), range.end());
        let number = self.parse(variable, &allowed)?.unwrap_or(default);
        if range.contains(&number) { Ok(number) } else { Err(self.invalid_setting(variable, &allowed)) }
    }

    pub fn get_seconds(
        &self,
        variable: &str,
        default: u32,
        range: RangeInclusive<u32>,
    ) -> Result<Duration, InvalidSetting> {
        self.get_integer(variable, default, range, "seconds").map(|seconds| Duration::from_secs(seconds.into()))
    }

    pub fn get_milliseconds(
        &self,
        variable: &str,
        default: u32,
        range: RangeInclusive<u32>,
    ) -> Result<Duration, InvalidSetting> {
        self.get_integer(variable, default, range, "milliseconds").map(|number| Duration::from_millis(number.into()))
    }

    pub fn get_boolean(&self, variable: &str, default: bool) -> Result<bool, InvalidSetting> {
        match self.get(variable)? {
            None => Ok(default),
            Some("true" | "on" | "1") => Ok(true),
            Some("false" | "off" | "0") => Ok(false),
            Some(_) => Err(self.invalid_setting(variable, "true or false")),
        }
    }

    /// Parses a comma-separated list and skips empty items. `allowed` describes the valid items in the error message.
    pub fn get_list<T>(
        &self,
        variable: &str,
        parse: impl Fn(&str) -> Option<T>,
        allowed: &str,
    ) -> Result<Vec<T>, InvalidSetting> {
        let parts = self.get(variable)?.unwrap_or("").split(',').map(str::trim).filter(|part| !part.is_empty());
        let items = parts.map(parse).collect::<Option<_>>();
        items.ok_or_else(|| self.invalid_setting(variable, &format!("{allowed}, separated by commas")))
    }
}

pub fn is_loopback_host(host: &str) -> bool {
    let host = host.trim_matches(['[', ']']);
    host.eq_ignore_ascii_case("localhost") || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[test]
    fn a_bad_value_names_its_variable_and_what_is_allowed() {
        let env: Env = [("A", "x"), ("B", "11"), ("C", "maybe"), ("D", "1, x"), ("E", " ")].into_iter().collect();
        let words = |error: InvalidSetting| error.to_string();
        let number = env.parse::<u8>("A", "a number").map_err(words);
        assert_eq!(number.unwrap_err(), "A is \"x\" but must be a number");
        let out_of_range = env.get_integer("B", 3, 1..=10, "files").map_err(words);
        assert_eq!(out_of_range.unwrap_err(), "B is \"11\" but must be a whole number of files from 1 to 10");
        assert_eq!(env.get_boolean("C", true).map_err(words).unwrap_err(), "C is \"maybe\" but must be true or false");
        let list = env.get_list("D", |text| text.parse::<u8>().ok(), "numbers").map_err(words);
        assert_eq!(list.unwrap_err(), "D is \"1, x\" but must be numbers, separated by commas");
        assert_eq!((env.get("E"), env.get_integer("F", 3, 1..=10, "files")), (Ok(None), Ok(3)));
        assert_eq!(env.accessed_variable_names(), ["A", "B", "C", "D", "E", "F"]);
    }

    #[derive(Debug, Deserialize, PartialEq)]
    #[serde(default, deny_unknown_fields)]
    struct Sample {
        speed: f64,
        most: Option<i64>,
        kind: Kind,
        back: i64,
    }

    #[derive(Debug, Default, Deserialize, PartialEq)]
    #[serde(rename_all = "snake_case")]
    enum Kind {
        #[default]
        Slow,
        VeryFast,
    }

    impl Default for Sample {
        fn default() -> Self {
            Self { speed: 1.5, most: Some(7), kind: Kind::Slow, back: 1 }
        }
    }

    fn read(variables: &[(&str, &str)]) -> Result<Sample, String> {
        let env: Env = variables.iter().copied().collect();
        Sample::deserialize(env.params_deserializer("CAR", &[("back", "0")])).map_err(|error| error.to_string())
    }

    #[test]
    fn fields_are_variables_with_the_types_and_defaults_that_they_have() {
        assert_eq!(read(&[]), Ok(Sample { back: 0, ..Sample::default() }));
        let all = [("CAR_SPEED", "2"), ("CAR_MOST", "none"), ("CAR_KIND", "very_fast"), ("CAR_BACK", "9")];
        assert_eq!(read(&all), Ok(Sample { speed: 2.0, most: None, kind: Kind::VeryFast, back: 0 }));
        assert_eq!(read(&[("CAR_SPEED", "x")]).unwrap_err(), "CAR_SPEED is \"x\" but must be a number");
        assert_eq!(
            read(&[("CAR_MOST", "1.5")]).unwrap_err(),
            "CAR_MOST is \"1.5\" but must be a whole number, or none"
        );
        let kind = read(&[("CAR_KIND", "fast")]).unwrap_err();
        assert_eq!(kind, "CAR_KIND is \"fast\" but must be slow or very_fast");
        let env = Env::default();
        Sample::deserialize(env.params_deserializer("CAR", &[("back", "0")])).unwrap();
        assert_eq!(env.accessed_variable_names(), ["CAR_KIND", "CAR_MOST", "CAR_SPEED"]);
    }
}
