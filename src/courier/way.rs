//! The way out: how long a sending may take and which private addresses may be called, and from settings and secrets to
//! a server and a hook. It must never be changed by the panel: it comes from the configuration of the process.

use std::time::Duration;

use ipnet::IpNet;
use zeroize::Zeroizing;

use super::email::{Encryption, SEND_LIMIT, Server};
use super::webhook::{CALL_LIMIT, Hook, SigningKey};
use crate::domain::settings::{Email, System};

/// What the process allows the senders.
#[derive(Debug, Clone)]
pub struct Way {
    /// Addresses that a webhook may have though they are not on the public internet (`outbound_allow`).
    pub allow: Vec<IpNet>,
    /// Limit of a whole call of a webhook.
    pub call_limit: Duration,
    /// Limit of the whole sending of a mail.
    pub send_limit: Duration,
}

impl Default for Way {
    fn default() -> Self {
        Self {
            allow: Vec::new(),
            call_limit: CALL_LIMIT,
            send_limit: SEND_LIMIT,
        }
    }
}

impl Way {
    /// The mail server of the settings.
    pub fn server(&self, email: &Email, password: Option<Zeroizing<String>>) -> Server {
        let port = email.smtp_port.try_into().unwrap_or(u16::MAX);
        Server {
            host: email.smtp_host.clone(),
            port,
            username: email.smtp_username.clone(),
            password,
            encryption: Encryption::of(email.smtp_secure, port),
            limit: self.send_limit,
        }
    }

    /// The webhook of the settings. `signing` are the keys as they were shown.
    pub fn hook(
        &self,
        system: &System,
        api_key: Option<Zeroizing<String>>,
        signing: &[Zeroizing<String>],
    ) -> Hook {
        Hook {
            url: system.webhook_url.clone(),
            api_key,
            secrets: signing
                .iter()
                .filter_map(|key| SigningKey::parse(key))
                .collect(),
            allow: self.allow.clone(),
            limit: self.call_limit,
        }
    }
}
