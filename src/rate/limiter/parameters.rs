//! Limiter parameters: display, form fields and validation.

use std::collections::BTreeMap;

use indexmap::IndexMap;
use schemars::{Schema, json_schema};
use serde_json::{Map, Value};

use crate::db::clock::{FIXED_MAX_BACKWARD_PARAMS, MAX_BACKWARD_STEP_MS};
use crate::i18n::{Phrase, to_ascii_digits};
use crate::phrase;
use crate::rate::limiter::RatingLimiter;
use crate::web::error::AppError;
use crate::web::request::form_field::Field;
use evenkeel_limiters::{AnyLimiter, Limiter as _, ParamsError};

/// Value of an optional parameter without a value.
const NONE: &str = "none";

#[derive(Clone, Debug)]
pub struct Parameter {
    pub name: String,
    /// Value in the format of an environment variable.
    pub value: String,
    /// Readable name, with the attribute `what` for the effect and the allowed range.
    pub label: Phrase,
    /// Allowed values of an enumeration or boolean; empty for other parameters.
    pub choices: &'static [&'static str],
}

impl Parameter {
    pub fn json_value(&self) -> Value {
        ParameterValue::from_text(&self.value).map_or(Value::Null, |ParameterValue(value)| value)
    }

    pub fn what(&self) -> Phrase {
        self.label.attribute("what")
    }

    /// `None` for enumerations and booleans, and for `sigma_floor`, a standard deviation of logarithms.
    fn unit_name(&self) -> Option<&'static str> {
        match self.name.as_str() {
            "clear" | "alert" | "limit" | "disconnect" | "max" | "reconnect_penalty" => Some("milliseconds"),
            "capacity" | "leak_amount" | "floor" | "day_floor" | "launch" | "calm_min" | "value_evidence" => {
                Some("ratings")
            }
            "warmup" | "window" => Some("gaps"),
            "alpha" | "alpha_fast" | "cv_floor" | "clip" => Some("share"),
            "threshold" | "z" => Some("deviations"),
            "gap_cap" | "sustain" | "calm_factor" => Some("times"),
            "calm_shift" | "calm_noise" | "site_mean" => Some("stars"),
            name if name.ends_with("_ms") => Some("milliseconds"),
            name if name.ends_with("_s") => Some("seconds"),
            _ => None,
        }
    }

    pub fn unit(&self) -> Option<Phrase> {
        self.unit_name().map(|unit| Phrase::new(format!("unit-{unit}")))
    }

    /// A time in its largest whole unit, such as 14 days for 1209600 seconds; `None` for other values.
    pub fn duration(&self, value: &str) -> Option<Phrase> {
        let value: i64 = value.parse().ok().filter(|value| *value > 0)?;
        let seconds = match self.unit_name()? {
            "seconds" => value,
            "milliseconds" if value % 1_000 == 0 => value / 1_000,
            _ => return None,
        };
        Some(match seconds {
            _ if seconds % 86_400 == 0 => phrase!("days", count = seconds / 86_400),
            _ if seconds % 3_600 == 0 => phrase!("hours", count = seconds / 3_600),
            _ if seconds % 60 == 0 => phrase!("minutes", count = seconds / 60),
            _ => phrase!("seconds", count = seconds),
        })
    }

    /// Conversion of a time to another unit, for display beside the value.
    pub fn conversion(&self, value: &str) -> Option<Phrase> {
        let is_in_seconds = self.unit_name() == Some("seconds");
        let same = value.parse::<i64>().ok().filter(|_| is_in_seconds).map(|count| phrase!("seconds", count = count));
        self.duration(value).filter(|duration| Some(duration) != same.as_ref())
    }

    /// Readable name of an allowed value of an enumeration or boolean, or of `none`; `None` for other values.
    pub fn choice(&self, value: &str) -> Option<Phrase> {
        let is_choice = value == NONE || self.choices.contains(&value);
        is_choice.then(|| Phrase::new(format!("choice-{value}").replace('_', "-")))
    }
}

pub fn configurable_parameters(rating_limiter: &RatingLimiter) -> Result<Vec<Parameter>, AppError> {
    let parameters: Result<Vec<_>, _> = rating_limiter.limiters().iter().map(parameters_of).collect();
    Ok(parameters?.into_iter().flatten().collect())
}

fn parameters_of(limiter: &AnyLimiter) -> Result<Vec<Parameter>, AppError> {
    // Parses the JSON text into an `IndexMap`, because `serde_json::Map` would sort the keys alphabetically.
    let text = serde_json::to_string(&limiter.params()).map_err(|error| AppError::Internal(error.to_string()))?;
    let values: IndexMap<String, Value> =
        serde_json::from_str(&text).map_err(|error| AppError::Internal(error.to_string()))?;
    let parameter = |(name, value): (String, Value)| Parameter {
        value: format_value(&value),
        label: parameter_label(limiter.name(), &name),
        choices: allowed_values(&name, &value),
        name,
    };
    Ok(values.into_iter().filter(|(name, _)| is_editable_param(name)).map(parameter).collect())
}

fn parameter_label(limiter: &str, parameter: &str) -> Phrase {
    Phrase::new(format!("param-{limiter}-{parameter}").replace('_', "-"))
}

pub fn format_value(value: &Value) -> String {
    match value {
        Value::Null => NONE.to_owned(),
        Value::String(text) => text.clone(),
        // Formats whole numbers without a decimal point.
        other => other.to_string().trim_end_matches(".0").to_owned(),
    }
}

fn allowed_values(name: &str, value: &Value) -> &'static [&'static str] {
    match (name, value) {
        (_, Value::Bool(_)) => &["true", "false"],
        ("signal", _) => &["log_interval", "interval"],
        ("refused_weight", _) => &["wall_clock", "full"],
        _ => &[],
    }
}

#[derive(Clone, Debug)]
pub struct ParameterValue(pub Value);

impl Field for ParameterValue {
    fn from_text(text: &str) -> Result<Self, Phrase> {
        let text = &*to_ascii_digits(text.trim());
        Ok(Self(match text {
            "" => return Err(phrase!(Self::MISSING)),
            NONE => Value::Null,
            _ => serde_json::from_str(text)
                .ok()
                .filter(|value: &Value| value.is_number() || value.is_boolean())
                .unwrap_or_else(|| Value::String(text.to_owned())),
        }))
    }

    fn from_json(value: &Value) -> Result<Self, Phrase> {
        value.as_str().map_or_else(|| Ok(Self(value.clone())), Self::from_text)
    }

    fn schema() -> Schema {
        json_schema!({ "type": ["number", "boolean", "string", "null"] })
    }
}

/// Replaces parameters of a limiter. Parameters that are not in `values` keep their values.
pub fn with_params(base: &RatingLimiter, values: &BTreeMap<String, Value>) -> Result<RatingLimiter, AppError> {
    let (mut limiters, mut errors, mut values) = (Vec::new(), IndexMap::new(), values.clone());
    for (index, limiter) in base.limiters().iter().enumerate().rev() {
        let params = editable_params(&(*limiter).into())?;
        // The first limiter reports the parameters that no limiter knows.
        let own = values.extract_if(.., |name, _| index == 0 || params.contains_key(name)).collect();
        match limiter_with_params(limiter, &own) {
            Ok(limiter) => limiters.push(limiter),
            Err(AppError::Invalid(wrong)) => errors.extend(wrong),
            Err(error) => return Err(error),
        }
    }
    limiters.reverse();
    if errors.is_empty() { Ok(RatingLimiter { limiters }) } else { Err(AppError::Invalid(errors)) }
}

fn limiter_with_params(limiter: &AnyLimiter, values: &BTreeMap<String, Value>) -> Result<AnyLimiter, AppError> {
    let all = editable_params(&(*limiter).into())?;
    let build = |values: &mut dyn Iterator<Item = (&String, &Value)>| {
        let mut params = all.clone();
        params.extend(values.map(|(name, value)| (name.clone(), value.clone())));
        params.extend(non_editable_param(limiter));
        let result = AnyLimiter::by_name(limiter.name(), Value::Object(params));
        result.map(|result| result.and_then(|limiter| Ok(limiter.require_bounded_wait().map(|()| limiter)?)))
    };
    let wrong = |name: &str| {
        let label = parameter_label(limiter.name(), name);
        let what = label.attribute("what");
        (name.to_owned(), vec![phrase!("invalid-parameter", label = label, what = what)])
    };
    let unreadable = |(name, value): &(&String, &Value)| match build(&mut [(*name, *value)].into_iter()) {
        Some(Err(ParamsError::Deserialize(_))) => true,
        // Rejects `null`, which some parameters deserialize to their default value.
        Some(Ok(limiter)) if value.is_null() => {
            editable_params(&limiter.into()).is_ok_and(|params| params.get(*name) != Some(*value))
        }
        _ => !all.contains_key(*name),
    };
    let errors: IndexMap<_, _> = values.iter().filter(unreadable).map(|(name, _)| wrong(name)).collect();
    if !errors.is_empty() {
        return Err(AppError::Invalid(errors));
    }
    match build(&mut values.iter()) {
        Some(Ok(limiter)) => Ok(limiter),
        Some(Err(ParamsError::OutOfRange(error))) => Err(AppError::Invalid([wrong(error.name)].into_iter().collect())),
        Some(Err(ParamsError::Deserialize(error))) => Err(AppError::Internal(error.to_string())),
        None => Err(AppError::NotFound),
    }
}

pub fn editable_params(rating_limiter: &RatingLimiter) -> Result<Map<String, Value>, AppError> {
    let mut all = Map::new();
    for limiter in rating_limiter.limiters() {
        match serde_json::to_value(limiter.params()) {
            Ok(Value::Object(params)) => all.extend(params),
            Ok(_) => return Err(AppError::Internal("limiter parameters are not a JSON object".to_owned())),
            Err(error) => return Err(AppError::Internal(error.to_string())),
        }
    }
    all.retain(|name, _| is_editable_param(name));
    Ok(all)
}

/// False for the tolerance for a clock that runs backwards, which is fixed.
pub fn is_editable_param(parameter: &str) -> bool {
    !FIXED_MAX_BACKWARD_PARAMS.iter().any(|(name, _)| *name == parameter)
}

pub fn non_editable_param(limiter: &AnyLimiter) -> Option<(String, Value)> {
    let Ok(Value::Object(params)) = serde_json::to_value(limiter.params()) else { return None };
    params.into_iter().find(|(name, _)| !is_editable_param(name)).map(|(name, _)| (name, MAX_BACKWARD_STEP_MS.into()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn rating_limiter(name: &str) -> RatingLimiter {
        RatingLimiter::with_default_params(name).unwrap()
    }

    #[test]
    fn parameters_have_descriptions_and_round_trip() {
        for limiter in RatingLimiter::names().filter(|name| *name != RatingLimiter::OFF_NAME).map(rating_limiter) {
            let parameters = configurable_parameters(&limiter).unwrap();
            assert!(!parameters.is_empty(), "{}", limiter.name());
            let values = parameters.iter().map(|one| {
                assert!(one.label.is_in_catalogue() && one.what().is_in_catalogue(), "{:?}", one.label);
                assert!(one.choices.iter().all(|choice| one.choice(choice).is_some_and(|name| name.is_in_catalogue())));
                assert!(one.unit().is_none_or(|unit| unit.is_in_catalogue()), "{one:?}");
                assert!(one.choices.is_empty() || one.choices.contains(&one.value.as_str()), "{one:?}");
                (one.name.clone(), ParameterValue::from_text(&one.value).unwrap().0)
            });
            let same = with_params(&limiter, &values.collect()).unwrap();
            assert_eq!(configurable_parameters(&same).unwrap().len(), parameters.len());
            for one in &parameters {
                for choice in one.choices {
                    let values = BTreeMap::from([(one.name.clone(), ParameterValue::from_text(choice).unwrap().0)]);
                    assert!(with_params(&limiter, &values).is_ok(), "{} {choice}", one.name);
                }
                // No parameter accepts `heron`, which is neither a number nor an allowed value.
                let values = BTreeMap::from([(one.name.clone(), json!("heron"))]);
                let Err(AppError::Invalid(errors)) = with_params(&limiter, &values) else { panic!("{}", one.name) };
                assert_eq!(errors.keys().collect::<Vec<_>>(), [&one.name]);
            }
        }
    }

    #[test]
    fn times_are_shown_in_the_largest_whole_unit() {
        let limiters = ["leaky_bucket", "surge"].map(rating_limiter);
        let parameters: Vec<_> =
            limiters.iter().flat_map(|limiter| configurable_parameters(limiter).unwrap()).collect();
        let duration = |name: &str, value: &str| {
            let parameter = parameters.iter().find(|parameter| parameter.name == name).unwrap();
            parameter.duration(value).map(|phrase| phrase.to_string())
        };
        for (value, text) in [("1000", "1 second"), ("90000", "90 seconds"), ("5400000", "90 minutes")] {
            assert_eq!(duration("leak_period_ms", value).as_deref(), Some(text));
        }
        assert_eq!(duration("memory_s", "1209600").as_deref(), Some("14 days"));
        for (name, value) in [("leak_period_ms", "1500"), ("leak_period_ms", "0"), ("capacity", "1000")] {
            assert_eq!(duration(name, value), None);
        }
    }

    #[test]
    fn a_value_out_of_range_names_its_parameter() {
        let surge = rating_limiter("surge");
        let error = with_params(&surge, &BTreeMap::from([("z".to_owned(), json!(0))])).unwrap_err();
        let AppError::Invalid(errors) = error else { panic!("{error}") };
        assert_eq!(
            errors["z"][0].to_string(),
            "This value isn’t allowed for “Tolerance”. Ratings are blocked once their number is this far above the usual number. A higher value blocks fewer ratings. Above 0."
        );
        // `max_backward_ms` cannot be configured.
        let error = with_params(&surge, &BTreeMap::from([("max_backward_ms".to_owned(), json!(9_999))])).unwrap_err();
        assert!(matches!(error, AppError::Invalid(errors) if errors.contains_key("max_backward_ms")));
        let same = with_params(&surge, &BTreeMap::new()).unwrap();
        let [AnyLimiter::Surge(same)] = same.limiters() else { panic!("{same:?}") };
        assert_eq!(same.params().max_backward_ms, 0);
        // The parameters of a pair go to the limiter that has them, and errors of both are reported.
        let pair = rating_limiter("leaky_bucket,ema");
        let values = |capacity, alpha| {
            BTreeMap::from([("capacity".to_owned(), json!(capacity)), ("alpha".to_owned(), json!(alpha))])
        };
        let limiter = with_params(&pair, &values(7, 0.5)).unwrap();
        let params = editable_params(&limiter).unwrap();
        assert_eq!((&params["capacity"], &params["alpha"]), (&json!(7), &json!(0.5)));
        let error = with_params(&pair, &values(0, 2.0)).unwrap_err();
        let AppError::Invalid(errors) = error else { panic!("{error}") };
        assert_eq!(errors.keys().collect::<std::collections::BTreeSet<_>>().len(), 2);
    }
}
