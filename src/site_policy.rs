//! Registration and publishing policies.

use crate::config::{Env, InvalidSetting};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RegistrationPolicy {
    #[default]
    Open,
    /// Users with an invitation link from staff may register.
    Invite,
    Closed,
}

/// Publishing policy. All users may write drafts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PublishingPolicy {
    #[default]
    Everybody,
    /// Staff and users approved by staff may publish.
    Approved,
    Staff,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SitePolicy {
    pub registration: RegistrationPolicy,
    pub publishing: PublishingPolicy,
}

impl PublishingPolicy {
    #[must_use]
    pub fn allows(self, is_staff: bool, is_approved: bool) -> bool {
        match self {
            Self::Everybody => true,
            Self::Approved => is_staff || is_approved,
            Self::Staff => is_staff,
        }
    }
}

impl SitePolicy {
    pub fn from_env(env: &Env) -> Result<Self, InvalidSetting> {
        let registration = match env.get("REGISTRATION")? {
            None | Some("open") => RegistrationPolicy::Open,
            Some("invite") => RegistrationPolicy::Invite,
            Some("closed") => RegistrationPolicy::Closed,
            Some(_) => return Err(env.invalid_setting("REGISTRATION", "open, invite or closed")),
        };
        let publishing = match env.get("PUBLISHING")? {
            None | Some("everybody") => PublishingPolicy::Everybody,
            Some("approved") => PublishingPolicy::Approved,
            Some("staff") => PublishingPolicy::Staff,
            Some(_) => return Err(env.invalid_setting("PUBLISHING", "everybody, approved or staff")),
        };
        Ok(Self { registration, publishing })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_is_open_unless_it_says_otherwise() {
        let read = |variables: &[(&str, &str)]| SitePolicy::from_env(&variables.iter().copied().collect());
        assert_eq!(
            read(&[]),
            Ok(SitePolicy { registration: RegistrationPolicy::Open, publishing: PublishingPolicy::Everybody })
        );
        let narrow = read(&[("REGISTRATION", "invite"), ("PUBLISHING", "approved")]).unwrap();
        assert_eq!(
            narrow,
            SitePolicy { registration: RegistrationPolicy::Invite, publishing: PublishingPolicy::Approved }
        );
        let error = read(&[("REGISTRATION", "off")]).unwrap_err().to_string();
        assert_eq!(error, "REGISTRATION is \"off\" but must be open, invite or closed");
        assert!(read(&[("PUBLISHING", "open")]).unwrap_err().to_string().contains("everybody, approved or staff"));
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
