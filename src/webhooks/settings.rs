//! Settings of webhooks.

use ipnet::IpNet;

use crate::config::{Env, InvalidSetting};

#[derive(Clone, Debug)]
pub struct Settings {
    /// Networks that webhooks can reach although they are not public.
    pub private_networks: Vec<IpNet>,
}

impl Settings {
    pub fn from_env(env: &Env) -> Result<Self, InvalidSetting> {
        let parse = |text: &str| text.parse().ok();
        let private_networks =
            env.get_list("WEBHOOK_PRIVATE_NETWORKS", parse, "networks such as 10.0.0.0/8 and fd00::/8")?;
        Ok(Self { private_networks })
    }
}
