//! Deserializer of limiter parameters from environment variables, such as `SURGE_Z` for the field `z` of `SurgeParams`.

use std::fmt::Display;

use serde::de::value::{MapDeserializer, StrDeserializer};
use serde::de::{self, Deserializer, Error as _, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;

use super::error::InvalidSetting;

type Find<'a> = Box<dyn Fn(&str) -> Result<Option<&'a str>, InvalidSetting> + 'a>;

pub fn variable_name(prefix: &str, field: &str) -> String {
    format!("{prefix}_{}", field.to_ascii_uppercase())
}

pub struct ParamsDeserializer<'a> {
    pub(super) find: Find<'a>,
    pub(super) prefix: &'a str,
    pub(super) fixed: &'a [(&'static str, &'static str)],
}

impl<'de> Deserializer<'de> for ParamsDeserializer<'de> {
    type Error = Error;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let mut set = Vec::new();
        for &field in fields {
            let name = variable_name(self.prefix, field);
            let fixed = self.fixed.iter().find(|(fixed, _)| *fixed == field).map(|(_, value)| *value);
            let text = if fixed.is_some() { fixed } else { (self.find)(&name)? };
            set.extend(text.map(|text| (field, FieldDeserializer { variable: name, value: text, optional: false })));
        }
        visitor.visit_map(MapDeserializer::new(set.into_iter()))
    }

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(Error::custom("must be the parameters of a struct"))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

struct FieldDeserializer<'a> {
    variable: String,
    value: &'a str,
    /// True for a field of type `Option`, for which `none` is a valid value.
    optional: bool,
}

impl FieldDeserializer<'_> {
    /// Adds the name and value of the variable to an error that the type of the field has returned without them.
    fn name(&self, error: Error) -> Error {
        match error {
            Error::WithoutVariable(allowed) => self.invalid(&allowed),
            Error::WithVariable(_) => error,
        }
    }

    fn invalid(&self, allowed: &str) -> Error {
        let or_none = if self.optional { ", or none" } else { "" };
        let problem = format!("is {:?} but must be {allowed}{or_none}", self.value);
        InvalidSetting::new(self.variable.clone(), problem).into()
    }
}

impl<'de> IntoDeserializer<'de, Error> for FieldDeserializer<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

macro_rules! numbers {
    ($($method:ident $visit:ident $allowed:literal)+) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            match self.value.parse() {
                Ok(number) => visitor.$visit(number).map_err(|error| self.name(error)),
                Err(_) => Err(self.invalid($allowed)),
            }
        })+
    };
}

impl<'de> Deserializer<'de> for FieldDeserializer<'de> {
    type Error = Error;

    numbers! {
        deserialize_f64 visit_f64 "a number"
        deserialize_i64 visit_i64 "a whole number"
        deserialize_u32 visit_u32 "a whole number of at least 0"
        deserialize_u64 visit_u64 "a whole number of at least 0"
        deserialize_bool visit_bool "true or false"
    }

    /// An unset variable is not deserialized: serde uses the default of the field.
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.value == "none" { visitor.visit_none() } else { visitor.visit_some(Self { optional: true, ..self }) }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        if !variants.contains(&self.value) {
            return Err(self.invalid(&variants.join(" or ")));
        }
        StrDeserializer::new(self.value).deserialize_enum(name, variants, visitor)
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_borrowed_str(self.value)
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i128 u8 u16 u128 f32 char str string bytes byte_buf unit unit_struct newtype_struct seq tuple
        tuple_struct map struct identifier ignored_any
    }
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    WithVariable(#[from] InvalidSetting),
    /// Error message from the type of a field, which does not contain the name of the environment variable.
    #[error("{0}")]
    WithoutVariable(String),
}

impl Error {
    /// If the name of the variable is unknown, the error contains the prefix instead.
    pub fn into_invalid_setting(self, prefix: &str) -> InvalidSetting {
        match self {
            Self::WithVariable(invalid) => invalid,
            Self::WithoutVariable(problem) => InvalidSetting::new(format!("{prefix}_…"), problem),
        }
    }
}

impl de::Error for Error {
    fn custom<T: Display>(message: T) -> Self {
        Self::WithoutVariable(message.to_string())
    }

    fn invalid_value(_: de::Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        Self::custom(expected)
    }
}
