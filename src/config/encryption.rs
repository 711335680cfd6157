//! The joint meaning of the keys of the configuration, above all for encryption, and combinations that are refused.

use std::iter::once;
use std::net::{Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};

use anyhow::{Error, Result, anyhow};
use ipnet::IpNet;
use jiff::tz::TimeZone;
use tracing::level_filters::LevelFilter;

use super::values::{HttpListen, LogFormat, Network, PublicUrl, SourceValues};
use super::{Config, DEFAULT_TIME_ZONE, KEY_FILE_NAME};
use crate::clock;

const LETS_ENCRYPT: &str = "https://acme-v02.api.letsencrypt.org/directory";
/// Where TLS is awaited by visitors, and by the authority (RFC 8737 §3).
const HTTPS_PORT: u16 = 443;
/// Where browsers look for an address typed without `https://`.
const HTTP_PORT: u16 = 80;
const DEFAULT_LISTEN: SocketAddr =
    SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 8080);

/// Whether the program speaks TLS, and where its certificate comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Encryption {
    /// Plain HTTP: for this machine, or behind a proxy.
    None,
    /// PEM files that another program renews: the chain, own certificate first, and its private key.
    Files { certificate: PathBuf, key: PathBuf },
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

/// All addresses of both families, where the machine has both.
fn everywhere(port: u16) -> SocketAddr {
    SocketAddr::from((Ipv6Addr::UNSPECIFIED, port))
}

fn networks(given: Vec<Network>) -> Vec<IpNet> {
    given.into_iter().map(|network| network.0).collect()
}

impl SourceValues {
    /// Settles what depends on several keys. `credentials` is systemd's folder of credentials.
    pub(super) fn resolve(mut self, credentials: Option<&Path>) -> Result<Config> {
        let encryption = self.encryption()?;
        let (listen, http_listen) = self.listeners(&encryption)?;
        let everywhere = self.everywhere(&encryption);
        let more_listen = self.addresses().skip(1).collect();
        let sockets = self.listen.iter().cloned();
        let onion_sockets = sockets.filter_map(|listen| listen.0.err()).collect();
        let data_dir = self.data_dir.unwrap_or_else(|| PathBuf::from("./data"));
        let credential = credentials
            .map(|folder| folder.join(KEY_FILE_NAME))
            .filter(|file| file.exists());
        let key_file = self.key_file.or(credential);
        let config = Config {
            listen,
            more_listen,
            everywhere,
            onion_sockets,
            onion_url: self.onion_url.map(|url| url.0),
            key_file: key_file.unwrap_or_else(|| data_dir.join(KEY_FILE_NAME)),
            data_dir,
            public_url: self.public_url,
            trusted_proxies: networks(self.trusted_proxies),
            encryption,
            http_listen,
            log: self.log.map_or(LevelFilter::INFO, |level| level.0),
            log_format: self.log_format.map_or(LogFormat::Text, |shape| shape.0),
            time_zone: self
                .time_zone
                .map(|zone| zone.0)
                .or_else(|| clock::zone(DEFAULT_TIME_ZONE))
                .unwrap_or(TimeZone::UTC),
            outbound_allow: networks(self.outbound_allow),
            insecure_http: self.insecure_http,
            hsts_subdomains: self.hsts_subdomains,
            metrics_listen: self.metrics_listen.map(|address| address.0),
        };
        refuse_insecure_http(&config)?;
        Ok(config)
    }

    fn addresses(&self) -> impl Iterator<Item = SocketAddr> {
        let listed = self.listen.iter().cloned();
        listed.filter_map(|listen| listen.0.ok())
    }

    fn encryption(&mut self) -> Result<Encryption> {
        let domains: Vec<String> = self.domains.drain(..).map(|name| name.0).collect();
        match (self.tls_cert.take(), self.tls_key.take()) {
            (Some(certificate), _) if !domains.is_empty() => Err(conflict(
                "tls_cert",
                &certificate.display(),
                "con domains il certificato si ottiene da solo: togliere una delle due",
            )),
            (Some(certificate), Some(key)) => Ok(Encryption::Files { certificate, key }),
            (Some(certificate), None) => Err(conflict(
                "tls_cert",
                &certificate.display(),
                "manca tls_key, la sua chiave privata",
            )),
            (None, Some(key)) => Err(conflict(
                "tls_key",
                &key.display(),
                "manca tls_cert, il suo certificato",
            )),
            (None, None) if domains.is_empty() => Ok(Encryption::None),
            (None, None) => self.automatic(domains).map(Encryption::Automatic),
        }
    }

    fn automatic(&mut self, domains: Vec<String>) -> Result<Automatic> {
        let first = domains.first().map(|name| format!("https://{name}"));
        let public = self
            .public_url
            .take()
            .or_else(|| first.and_then(|url| url.parse().ok()));
        // A certificate that does not hold for the public address would be refused by every browser.
        if let Some(url) = &public
            && !domains.iter().any(|name| name == url.host())
        {
            let reason = "il suo nome non è tra quelli di domains";
            return Err(conflict("public_url", &url.origin(), reason));
        }
        self.public_url = public;
        Ok(Automatic {
            domains,
            directory: self
                .acme_directory
                .take()
                .map_or_else(|| LETS_ENCRYPT.to_owned(), |directory| directory.0),
            root: self.acme_root.take(),
            email: self.acme_email.take().map(|email| email.to_string()),
        })
    }

    /// Addresses that are not chosen where the program speaks for itself on the net.
    fn everywhere(&self, encryption: &Encryption) -> Vec<SocketAddr> {
        let is_automatic = matches!(encryption, Encryption::Automatic(_));
        let main = self.addresses().next().is_none().then_some(HTTPS_PORT);
        let plain = self.http_listen.is_none().then_some(HTTP_PORT);
        let ports = main.into_iter().chain(plain).filter(|_| is_automatic);
        ports.map(everywhere).collect()
    }

    fn listeners(&self, encryption: &Encryption) -> Result<(SocketAddr, Option<SocketAddr>)> {
        let (listen, plain) = match encryption {
            Encryption::Automatic(_) => (everywhere(HTTPS_PORT), Some(everywhere(HTTP_PORT))),
            Encryption::Files { .. } | Encryption::None => (DEFAULT_LISTEN, None),
        };
        let https = self.public_url.as_ref().map(PublicUrl::is_https);
        if let Some(url) = &self.public_url
            && *encryption != Encryption::None
            && https == Some(false)
        {
            let reason = "con un certificato il programma risponde solo in https://";
            return Err(conflict("public_url", &url.origin(), reason));
        }
        let plain = match self.http_listen {
            None => plain,
            Some(HttpListen(None)) => None,
            Some(HttpListen(Some(address))) if https == Some(true) => Some(address),
            Some(HttpListen(Some(address))) => {
                let reason = "serve public_url con https://, a cui mandare chi arriva in chiaro";
                return Err(conflict("http_listen", &address, reason));
            }
        };
        Ok((self.addresses().next().unwrap_or(listen), plain))
    }
}

/// Refuses an installation whose passwords and reports would cross a network unencrypted (ASVS 12.2.1), unless it is allowed.
fn refuse_insecure_http(config: &Config) -> Result<()> {
    if config.insecure_http || config.encryption != Encryption::None {
        return Ok(());
    }
    let mut listens = once(&config.listen).chain(&config.more_listen);
    let reachable = listens.find(|address| !address.ip().to_canonical().is_loopback());
    match (&config.public_url, reachable) {
        (Some(url), _) if url.is_https() => Ok(()),
        (Some(url), _) if !url.is_loopback() => Err(conflict(
            "public_url",
            &url.origin(),
            "password e segnalazioni viaggerebbero in chiaro; serve un indirizzo https://; se è proprio quello che si \
             vuole, insecure_http = true (o --insecure-http)",
        )),
        (_, Some(address)) if config.trusted_proxies.is_empty() => Err(conflict(
            "listen",
            address,
            "fuori da questa macchina password e segnalazioni viaggerebbero in chiaro; serve un certificato (domains, o \
             tls_cert e tls_key), o davanti un proxy con TLS, dichiarato con public_url = \"https://…\" o con \
             trusted_proxies; se è proprio quello che si vuole, insecure_http = true (o --insecure-http)",
        )),
        _ => Ok(()),
    }
}

/// The settings, each valid, do not go together.
fn conflict(key: &str, value: &dyn std::fmt::Display, reason: &str) -> Error {
    anyhow!("«{key}» = «{value}»: {reason}")
}
