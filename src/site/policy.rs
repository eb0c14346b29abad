//! Policies of the site: who may register, publish and rate.

use std::fmt::{self, Display};

use crate::config::{Env, InvalidSetting};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum RegistrationPolicy {
    #[default]
    Open,
    Invite,
    Closed,
}

/// Users who may publish posts. All users may write drafts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum PublishingPolicy {
    #[default]
    Everybody,
    /// Posts of users who are not approved wait for a review by staff.
    Reviewed,
    Approved,
    Staff,
}

/// Requirements for adding a rating. All users may change and remove their ratings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RatingEligibility {
    pub min_account_age_hours: u32,
    pub confirmed_email: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SitePolicy {
    pub registration: RegistrationPolicy,
    pub publishing: PublishingPolicy,
    pub rating_eligibility: RatingEligibility,
}

impl RatingEligibility {
    pub const MAX_HOURS: u32 = 365 * 24;

    pub fn is_everybody(self) -> bool {
        self == Self::default()
    }

    /// Parses `off`, or a list of requirements such as `24h,confirmed_email`.
    fn parse(text: &str) -> Option<Self> {
        let mut eligibility = Self::default();
        if text == "off" {
            return Some(eligibility);
        }
        for requirement in text.split(',').map(str::trim) {
            if requirement == "confirmed_email" {
                eligibility.confirmed_email = true;
            } else {
                let hours = requirement.strip_suffix('h')?.parse().ok()?;
                eligibility.min_account_age_hours =
                    Some(hours).filter(|hours| (1..=Self::MAX_HOURS).contains(hours))?;
            }
        }
        Some(eligibility)
    }
}

/// Formats the requirements as in the environment variable.
impl Display for RatingEligibility {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.min_account_age_hours, self.confirmed_email) {
            (0, false) => f.write_str("off"),
            (0, true) => f.write_str("confirmed_email"),
            (hours, false) => write!(f, "{hours}h"),
            (hours, true) => write!(f, "{hours}h,confirmed_email"),
        }
    }
}

impl PublishingPolicy {
    /// True if staff can allow single users to publish.
    pub fn has_authors(self) -> bool {
        matches!(self, Self::Reviewed | Self::Approved)
    }

    pub fn allows(self, is_staff: bool, is_approved: bool) -> bool {
        match self {
            Self::Everybody => true,
            Self::Reviewed | Self::Approved => is_staff || is_approved,
            Self::Staff => is_staff,
        }
    }
}

impl SitePolicy {
    pub fn from_env(env: &Env) -> Result<Self, InvalidSetting> {
        let registration = env.parse("REGISTRATION", "open, invite or closed")?.unwrap_or_default();
        let publishing = env.parse("PUBLISHING", "everybody, reviewed, approved or staff")?.unwrap_or_default();
        let rating_eligibility = RatingEligibility::parse(env.get("RATING_ELIGIBILITY")?.unwrap_or("off"));
        let rating_eligibility = rating_eligibility.ok_or_else(|| {
            let allowed =
                "off, or one or both of an account age from 1h to 8760h and confirmed_email, separated by a comma";
            env.invalid_setting("RATING_ELIGIBILITY", allowed)
        })?;
        Ok(Self { registration, publishing, rating_eligibility })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_is_open_unless_it_says_otherwise() {
        let read = |variables: &[(&str, &str)]| SitePolicy::from_env(&variables.iter().copied().collect());
        assert_eq!(read(&[]), Ok(SitePolicy::default()));
        let narrow = read(&[("REGISTRATION", "invite"), ("PUBLISHING", "approved")]).unwrap();
        assert_eq!(
            narrow,
            SitePolicy {
                registration: RegistrationPolicy::Invite,
                publishing: PublishingPolicy::Approved,
                ..SitePolicy::default()
            }
        );
        let error = read(&[("REGISTRATION", "off")]).unwrap_err().to_string();
        assert_eq!(error, "REGISTRATION is \"off\" but must be open, invite or closed");
        assert!(
            read(&[("PUBLISHING", "open")]).unwrap_err().to_string().contains("everybody, reviewed, approved or staff")
        );
    }

    #[test]
    fn rating_eligibility_is_a_list_of_requirements() {
        let parse = |text| RatingEligibility::parse(text).map(|it| (it.min_account_age_hours, it.confirmed_email));
        assert_eq!(parse("off"), Some((0, false)));
        assert_eq!(parse("24h"), Some((24, false)));
        assert_eq!(parse("confirmed_email"), Some((0, true)));
        assert_eq!(parse("confirmed_email, 8760h"), Some((8_760, true)));
        for invalid in ["", "on", "24", "0h", "8761h", "-1h", "24h,", "24h,off"] {
            assert_eq!(parse(invalid), None, "{invalid}");
        }
        let env = [("RATING_ELIGIBILITY", "24")].into_iter().collect();
        let error = SitePolicy::from_env(&env).unwrap_err().to_string();
        assert!(error.starts_with("RATING_ELIGIBILITY is \"24\" but must be off, or "), "{error}");
    }

    #[test]
    fn staff_may_always_publish() {
        for publishing in [PublishingPolicy::Everybody, PublishingPolicy::Approved, PublishingPolicy::Staff] {
            assert!(publishing.allows(true, false));
        }
        assert!(PublishingPolicy::Approved.allows(false, true) && !PublishingPolicy::Approved.allows(false, false));
        assert!(!PublishingPolicy::Staff.allows(false, true));
    }
}
