//! Encryption of our own, as configured: what the keys ask for together, and what does not go together.
//! Must never read a certificate or a key: it knows their names only.

use std::net::SocketAddr;
use std::path::PathBuf;

use super::values::PublicUrl;
use super::{Config, ConfigError};

/// Whether the program speaks TLS, and where its certificate comes from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Encryption {
    /// Plain HTTP: for this machine, or behind a proxy.
    #[default]
    None,
    /// A certificate from files that somebody else renews.
    Files {
        /// The chain, the server's own certificate first; PEM.
        certificate: PathBuf,
        /// Its private key; PEM.
        key: PathBuf,
    },
}

/// Where plain HTTP is answered, as written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HttpListen {
    /// Nowhere.
    Never,
    /// There.
    At(SocketAddr),
}

/// What the sources ask for, before it is weighed.
#[derive(Debug, Default)]
pub(super) struct Wishes {
    pub(super) certificate: Option<PathBuf>,
    pub(super) key: Option<PathBuf>,
    pub(super) http_listen: Option<HttpListen>,
}

impl Wishes {
    /// Puts into the configuration what they mean together.
    pub(super) fn settle(self, config: &mut Config) -> Result<(), ConfigError> {
        config.encryption = match (self.certificate, self.key) {
            (None, None) => Encryption::None,
            (Some(certificate), Some(key)) => Encryption::Files { certificate, key },
            (Some(certificate), None) => {
                let value = certificate.display().to_string();
                return Err(conflict(
                    "tls_cert",
                    value,
                    "manca tls_key, la sua chiave privata",
                ));
            }
            (None, Some(key)) => {
                let value = key.display().to_string();
                return Err(conflict(
                    "tls_key",
                    value,
                    "manca tls_cert, il suo certificato",
                ));
            }
        };
        refuse_plain_address(config)?;
        if let Some(HttpListen::At(address)) = self.http_listen {
            let https = config.public_url.as_ref().is_some_and(PublicUrl::is_https);
            if !https {
                let reason = "serve public_url con https://, a cui mandare chi arriva in chiaro";
                return Err(conflict("http_listen", address.to_string(), reason));
            }
            config.http_listen = Some(address);
        }
        Ok(())
    }
}

/// Links with `http://` would lead nowhere where only TLS is spoken.
fn refuse_plain_address(config: &Config) -> Result<(), ConfigError> {
    match &config.public_url {
        Some(url) if config.encryption != Encryption::None && !url.is_https() => Err(conflict(
            "public_url",
            url.origin().to_owned(),
            "con un certificato il programma risponde solo in https://",
        )),
        _ => Ok(()),
    }
}

fn conflict(key: &'static str, value: String, reason: &'static str) -> ConfigError {
    ConfigError::Conflict { key, value, reason }
}

#[cfg(test)]
mod tests;
