//! Error for an environment variable with an invalid value.

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{variable} {problem}")]
pub struct InvalidSetting {
    pub variable: String,
    pub problem: String,
}

impl InvalidSetting {
    pub fn new(variable: impl Into<String>, problem: impl Into<String>) -> Self {
        Self { variable: variable.into(), problem: problem.into() }
    }
}
