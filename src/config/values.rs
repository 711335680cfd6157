//! The keys of the configuration and their values, as one source gives them.
//!
//! A value comes as TOML, or as the text of a variable or flag; a list is separated by commas there. Nothing here knows
//! where a value came from, looks at a file, or weighs one key against another.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;
use std::str::FromStr;

use ipnet::{IpNet, Ipv4Net};
use jiff::tz::TimeZone;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use toml::Value;
use tracing::level_filters::LevelFilter;

use super::NOT_SHOWN;
use crate::clock;

pub(super) const NOT_TEXT: &str = "non è testo UTF-8";

/// Keys of files: somebody may have put the content in the place of the name.
const FILES: [&str; 4] = ["tls_cert", "tls_key", "acme_root", "key_file"];
/// Keys of addresses, which may have a login or a token in them.
const ADDRESSES: [&str; 2] = ["public_url", "acme_directory"];
/// What stands before a login ends or a token begins.
const DELICATE: [char; 3] = ['@', '?', '#'];

/// Every key. `None` where it is absent, or empty, which takes back what a weaker source says.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Given {
    #[serde(deserialize_with = "text")]
    pub(super) listen: Option<SocketAddr>,
    #[serde(deserialize_with = "text")]
    pub(super) data_dir: Option<PathBuf>,
    #[serde(deserialize_with = "text")]
    pub(super) public_url: Option<PublicUrl>,
    #[serde(deserialize_with = "list")]
    pub(super) trusted_proxies: Vec<IpNet>,
    #[serde(deserialize_with = "text")]
    pub(super) tls_cert: Option<PathBuf>,
    #[serde(deserialize_with = "text")]
    pub(super) tls_key: Option<PathBuf>,
    #[serde(deserialize_with = "list")]
    pub(super) domains: Vec<Domain>,
    #[serde(deserialize_with = "text")]
    pub(super) acme_email: Option<EmailAddress>,
    #[serde(deserialize_with = "text")]
    pub(super) acme_directory: Option<AcmeDirectory>,
    #[serde(deserialize_with = "text")]
    pub(super) acme_root: Option<PathBuf>,
    #[serde(deserialize_with = "text")]
    pub(super) http_listen: Option<HttpListen>,
    #[serde(deserialize_with = "text")]
    pub(super) log: Option<LevelFilter>,
    #[serde(deserialize_with = "text")]
    pub(super) log_format: Option<LogFormat>,
    #[serde(deserialize_with = "text")]
    pub(super) time_zone: Option<TimeZone>,
    #[serde(deserialize_with = "text")]
    pub(super) key_file: Option<PathBuf>,
    #[serde(deserialize_with = "list")]
    pub(super) outbound_allow: Vec<IpNet>,
    #[serde(deserialize_with = "flag")]
    pub(super) insecure_http: bool,
    #[serde(deserialize_with = "text")]
    pub(super) metrics_listen: Option<LoopbackAddress>,
    #[serde(flatten)]
    pub(super) unknown: BTreeMap<String, Value>,
}

/// A value of a key. The error says in Italian what would be right.
trait Setting: Sized {
    fn parse(text: &str) -> Result<Self, String>;
}

fn text<'de, D: Deserializer<'de>, T: Setting>(from: D) -> Result<Option<T>, D::Error> {
    match Value::deserialize(from)? {
        Value::String(text) if text.is_empty() => Ok(None),
        Value::String(text) => T::parse(&text).map(Some).map_err(D::Error::custom),
        _ => Err(D::Error::custom("serve un testo tra virgolette")),
    }
}

fn list<'de, D: Deserializer<'de>, T: Setting + PartialEq>(from: D) -> Result<Vec<T>, D::Error> {
    let wanted = || D::Error::custom("serve un elenco di testi, come [\"uno\", \"due\"]");
    let texts = match Value::deserialize(from)? {
        Value::String(text) => text.split(',').map(|part| part.trim().to_owned()).collect(),
        Value::Array(items) => items
            .into_iter()
            .map(|item| item.as_str().map(str::to_owned).ok_or_else(wanted))
            .collect::<Result<Vec<_>, _>>()?,
        _ => return Err(wanted()),
    };
    let mut found = Vec::new();
    for text in texts.iter().filter(|text| !text.is_empty()) {
        let value = T::parse(text).map_err(D::Error::custom)?;
        if !found.contains(&value) {
            found.push(value);
        }
    }
    Ok(found)
}

fn flag<'de, D: Deserializer<'de>>(from: D) -> Result<bool, D::Error> {
    match Value::deserialize(from)? {
        Value::Boolean(flag) => Ok(flag),
        Value::String(text) if text == "true" => Ok(true),
        Value::String(text) if text == "false" => Ok(false),
        _ => Err(D::Error::custom("sono ammessi true, false")),
    }
}

/// A value that its key does not allow, on one line; only that there is one, where it may be a secret.
pub(super) fn shown(key: &str, value: Option<&Value>) -> String {
    let text = match value {
        None => return NOT_SHOWN.to_owned(),
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
    };
    if FILES.contains(&key) || ADDRESSES.contains(&key) && text.contains(DELICATE) {
        return NOT_SHOWN.to_owned();
    }
    format!("«{}»", text.escape_debug())
}

/// Shape of the lines on stderr.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    Text,
    /// One JSON object a line, for collectors.
    Json,
}

/// Where plain HTTP is answered.
#[derive(Debug, Clone, Copy)]
pub(super) enum HttpListen {
    Never,
    At(SocketAddr),
}

/// An address that only this machine reaches.
#[derive(Debug)]
pub(super) struct LoopbackAddress(pub(super) SocketAddr);

/// A name that a certificate can be asked for.
#[derive(Debug, PartialEq)]
pub(super) struct Domain(pub(super) String);

/// One `@` with something on both sides, nothing that could end it early.
#[derive(Debug)]
pub(super) struct EmailAddress(pub(super) String);

/// The address of an authority's directory (RFC 8555 §7.1.1).
#[derive(Debug)]
pub(super) struct AcmeDirectory(pub(super) String);

/// How the world reaches us: scheme, host and port, nothing behind them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicUrl {
    origin: String,
    host: String,
    loopback: bool,
}

impl PublicUrl {
    /// The origin as browsers write it in `Origin` (RFC 6454 §6.2): small letters, no default port, no slash behind.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    pub fn host(&self) -> &str {
        &self.host
    }

    pub fn is_https(&self) -> bool {
        self.origin.starts_with("https:")
    }

    /// Whether the host can only be this machine.
    pub fn is_loopback(&self) -> bool {
        self.loopback
    }
}

impl FromStr for PublicUrl {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wanted =
            || "serve un indirizzo come https://segnalazioni.esempio.it, senza percorso".to_owned();
        let lower = text.to_ascii_lowercase();
        let (scheme, rest) = lower.split_once("://").ok_or_else(wanted)?;
        let default_port = match scheme {
            "https" => 443,
            "http" => 80,
            _ => return Err(wanted()),
        };
        let (host, port) = split_port(rest.strip_suffix('/').unwrap_or(rest)).ok_or_else(wanted)?;
        let port = port
            .filter(|port| *port != default_port)
            .map_or_else(String::new, |port| format!(":{port}"));
        Ok(Self {
            origin: format!("{scheme}://{host}{port}"),
            loopback: is_loopback_host(host).ok_or_else(wanted)?,
            host: host.to_owned(),
        })
    }
}

impl Setting for PublicUrl {
    fn parse(text: &str) -> Result<Self, String> {
        text.parse()
    }
}

impl Setting for SocketAddr {
    fn parse(text: &str) -> Result<Self, String> {
        text.parse().map_err(|_| {
            "serve un indirizzo con la porta, come 127.0.0.1:8080 o [::1]:8080".to_owned()
        })
    }
}

impl Setting for HttpListen {
    fn parse(text: &str) -> Result<Self, String> {
        if text == "no" {
            return Ok(Self::Never);
        }
        let wanted = "serve un indirizzo con la porta, come 0.0.0.0:80, oppure no";
        text.parse().map(Self::At).map_err(|_| wanted.to_owned())
    }
}

impl Setting for LoopbackAddress {
    fn parse(text: &str) -> Result<Self, String> {
        let address = SocketAddr::parse(text)?;
        if !address.ip().to_canonical().is_loopback() {
            let wanted = "serve un indirizzo di questa stessa macchina, come 127.0.0.1:9187 o [::1]:9187: \
                          qui non si chiede alcuna password";
            return Err(wanted.to_owned());
        }
        Ok(Self(address))
    }
}

impl Setting for PathBuf {
    fn parse(text: &str) -> Result<Self, String> {
        // Every later message names the path.
        if text.contains(char::is_control) {
            return Err("serve un percorso, non il contenuto del file".to_owned());
        }
        Ok(Self::from(text))
    }
}

impl Setting for TimeZone {
    fn parse(text: &str) -> Result<Self, String> {
        clock::zone(text)
            .ok_or_else(|| "serve il nome IANA di un fuso orario, come Europe/Rome".to_owned())
    }
}

impl Setting for LevelFilter {
    fn parse(text: &str) -> Result<Self, String> {
        match text {
            "error" => Ok(Self::ERROR),
            "warn" => Ok(Self::WARN),
            "info" => Ok(Self::INFO),
            "debug" => Ok(Self::DEBUG),
            "trace" => Ok(Self::TRACE),
            _ => Err("sono ammessi error, warn, info, debug, trace".to_owned()),
        }
    }
}

impl Setting for LogFormat {
    fn parse(text: &str) -> Result<Self, String> {
        match text {
            "text" => Ok(Self::Text),
            "json" => Ok(Self::Json),
            _ => Err("sono ammessi text, json".to_owned()),
        }
    }
}

impl Setting for Domain {
    fn parse(text: &str) -> Result<Self, String> {
        let name = text.to_ascii_lowercase();
        let address = name.starts_with('[') || name.parse::<Ipv4Addr>().is_ok();
        if address || is_loopback_host(&name).is_none() {
            let wanted =
                "servono nomi come segnala.esempio.it, senza https://, asterischi o indirizzi";
            return Err(wanted.to_owned());
        }
        Ok(Self(name))
    }
}

impl Setting for EmailAddress {
    fn parse(text: &str) -> Result<Self, String> {
        let plain = text
            .bytes()
            .all(|byte| byte.is_ascii_graphic() && !b",?<>".contains(&byte));
        match text.split_once('@') {
            Some((local, host))
                if plain && !local.is_empty() && !host.is_empty() && !host.contains('@') =>
            {
                Ok(Self(text.to_owned()))
            }
            _ => Err("serve un indirizzo e-mail, come redazione@esempio.it".to_owned()),
        }
    }
}

impl Setting for AcmeDirectory {
    fn parse(text: &str) -> Result<Self, String> {
        let rest = text.strip_prefix("https://").unwrap_or_default();
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        let host = split_port(authority).and_then(|(host, _)| is_loopback_host(host));
        if host.is_none() || !path.bytes().all(|byte| byte.is_ascii_graphic()) {
            let wanted =
                "serve un indirizzo https:// completo, come https://ca.esempio.it/directory";
            return Err(wanted.to_owned());
        }
        Ok(Self(text.to_owned()))
    }
}

/// An address or network in its plain form: an IPv4 network written as IPv6 would never match a client, whose address is
/// compared in its IPv4 form.
impl Setting for IpNet {
    fn parse(text: &str) -> Result<Self, String> {
        let wanted = "serve un elenco di indirizzi o reti, come [\"127.0.0.1\", \"10.0.0.0/8\"]";
        let network = match text.parse::<IpAddr>() {
            Ok(address) => Self::from(address.to_canonical()),
            Err(_) => unmapped(text.parse().map_err(|_| wanted.to_owned())?),
        };
        if network.prefix_len() == 0 {
            let wanted = "comprenderebbe ogni indirizzo: servono indirizzi o reti precisi";
            return Err(wanted.to_owned());
        }
        Ok(network.trunc())
    }
}

/// `::ffff:10.0.0.0/104` is `10.0.0.0/8`.
fn unmapped(network: IpNet) -> IpNet {
    let IpNet::V6(v6) = network else {
        return network;
    };
    let plain = v6
        .addr()
        .to_ipv4_mapped()
        .zip(v6.prefix_len().checked_sub(96));
    plain
        .and_then(|(address, prefix)| Ipv4Net::new(address, prefix).ok())
        .map_or(network, IpNet::V4)
}

/// Splits `host:port`; the brackets of an IPv6 address stay with the host.
fn split_port(authority: &str) -> Option<(&str, Option<u16>)> {
    let after_brackets = authority.rfind(']').map_or(0, |end| end + 1);
    let Some(colon) = authority[after_brackets..].find(':') else {
        return Some((authority, None));
    };
    let (host, port) = authority.split_at(after_brackets + colon);
    let digits = &port[1..];
    // `parse` would take a plus sign.
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
    let port = digits.parse::<u16>().ok()?;
    (plain && port > 0).then_some((host, Some(port)))
}

/// `Some(true)` for a host that can only be this machine, `Some(false)` for another one, `None` for what is no host.
fn is_loopback_host(host: &str) -> Option<bool> {
    if let Some(inner) = host
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
    {
        return inner
            .parse::<Ipv6Addr>()
            .ok()
            .map(|address| address.is_loopback());
    }
    if let Ok(address) = host.parse::<Ipv4Addr>() {
        return Some(address.is_loopback());
    }
    let label_ok = |label: &str| {
        let inside = label
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        inside
            && (1..=63).contains(&label.len())
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    let valid = host.len() <= 253 && host.split('.').all(label_ok);
    valid.then_some(host == "localhost" || host.ends_with(".localhost"))
}
