//! Request classes of rate limits.

/// All requests of one class share a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum RequestClass {
    Browse,
    Write,
    Rate,
    Account,
}

impl RequestClass {
    pub const ALL: [Self; 4] = [Self::Browse, Self::Write, Self::Rate, Self::Account];

    pub fn name(self) -> &'static str {
        self.into()
    }
}
