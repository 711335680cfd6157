//! Encryption of our own, as configured: what the keys ask for together, and what does not go together.
//! Must never read a certificate or a key: it knows their names only.

use std::net::{Ipv6Addr, SocketAddr};
use std::path::PathBuf;

use super::values::PublicUrl;
use super::{Config, ConfigError};

/// Whose certificates are asked for unless told otherwise.
const LETS_ENCRYPT: &str = "https://acme-v02.api.letsencrypt.org/directory";
/// Where TLS is awaited by visitors, and by the authority (RFC 8737 §3).
const HTTPS_PORT: u16 = 443;
/// Where browsers look for an address typed without `https://`.
const HTTP_PORT: u16 = 80;

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
    /// A certificate that the program asks for and renews by itself.
    Automatic(Automatic),
}

/// Whom to ask for which certificate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Automatic {
    /// The names, the public one first.
    pub domains: Vec<String>,
    /// Where the authority's directory is (RFC 8555 §7.1.1).
    pub directory: String,
    /// By which certificates the authority's own server is known, if not by those of the web.
    pub root: Option<PathBuf>,
    /// Where the authority can reach the operator.
    pub email: Option<String>,
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
    pub(super) domains: Vec<String>,
    pub(super) directory: Option<String>,
    pub(super) root: Option<PathBuf>,
    pub(super) email: Option<String>,
    pub(super) http_listen: Option<HttpListen>,
}

impl Wishes {
    /// Puts into the configuration what they mean together. `listen` is what was asked for, if anything was.
    pub(super) fn settle(
        mut self,
        listen: Option<SocketAddr>,
        config: &mut Config,
    ) -> Result<(), ConfigError> {
        let http_listen = self.http_listen;
        config.encryption = self.encryption()?;
        if let Encryption::Automatic(Automatic { domains, .. }) = &config.encryption {
            // All addresses of both families, where the machine has both.
            let everywhere = |port| SocketAddr::from((Ipv6Addr::UNSPECIFIED, port));
            config.listen = listen.unwrap_or_else(|| everywhere(HTTPS_PORT));
            config.http_listen = Some(everywhere(HTTP_PORT));
            let named = config.public_url.clone();
            let first = || {
                domains
                    .first()
                    .and_then(|name| format!("https://{name}").parse().ok())
            };
            config.public_url = named.or_else(first);
            refuse_other_name(domains, config)?;
        } else if let Some(address) = listen {
            config.listen = address;
        }
        refuse_plain_address(config)?;
        match http_listen {
            None => {}
            Some(HttpListen::Never) => config.http_listen = None,
            Some(HttpListen::At(address)) => {
                let https = config.public_url.as_ref().is_some_and(PublicUrl::is_https);
                if !https {
                    let reason =
                        "serve public_url con https://, a cui mandare chi arriva in chiaro";
                    return Err(conflict("http_listen", address.to_string(), reason));
                }
                config.http_listen = Some(address);
            }
        }
        Ok(())
    }

    fn encryption(&mut self) -> Result<Encryption, ConfigError> {
        let domains = std::mem::take(&mut self.domains);
        match (self.certificate.take(), self.key.take()) {
            (Some(certificate), _) if !domains.is_empty() => {
                let value = certificate.display().to_string();
                let reason =
                    "con domains il certificato si ottiene da solo: togliere una delle due";
                Err(conflict("tls_cert", value, reason))
            }
            (Some(certificate), Some(key)) => Ok(Encryption::Files { certificate, key }),
            (Some(certificate), None) => {
                let value = certificate.display().to_string();
                let reason = "manca tls_key, la sua chiave privata";
                Err(conflict("tls_cert", value, reason))
            }
            (None, Some(key)) => {
                let value = key.display().to_string();
                let reason = "manca tls_cert, il suo certificato";
                Err(conflict("tls_key", value, reason))
            }
            (None, None) if domains.is_empty() => Ok(Encryption::None),
            (None, None) => Ok(Encryption::Automatic(Automatic {
                domains,
                directory: self
                    .directory
                    .take()
                    .unwrap_or_else(|| LETS_ENCRYPT.to_owned()),
                root: self.root.take(),
                email: self.email.take(),
            })),
        }
    }
}

/// A certificate that does not hold for the public address would be refused by every browser.
fn refuse_other_name(domains: &[String], config: &Config) -> Result<(), ConfigError> {
    match &config.public_url {
        Some(url) if !domains.iter().any(|name| name == url.host()) => Err(conflict(
            "public_url",
            url.origin().to_owned(),
            "il suo nome non è tra quelli di domains",
        )),
        _ => Ok(()),
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
