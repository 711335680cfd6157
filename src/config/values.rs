//! The values of the configuration: how each is read from a line of TOML, a variable or a flag.
//!
//! Each reader answers the value, or in Italian what would be right. Nothing here knows where a value came from, looks
//! at a file, or weighs one key against another.

use std::ffi::OsString;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::str::FromStr;

use ipnet::{IpNet, Ipv4Net};
use jiff::tz::TimeZone;

use super::encryption::HttpListen;
use crate::clock;

const NETWORKS_WANTED: &str =
    "serve un elenco di indirizzi o reti, come [\"127.0.0.1\", \"10.0.0.0/8\"]";

/// Keys of files: somebody may have put the content in the place of the name.
const FILES: [&str; 4] = ["tls_cert", "tls_key", "acme_root", "key_file"];
/// Keys of addresses, which may have a login or a token in them.
const ADDRESSES: [&str; 2] = ["public_url", "acme_directory"];
/// What stands before a login ends or a token begins.
const DELICATE: [char; 3] = ['@', '?', '#'];

/// How serious an event must be to be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogLevel {
    /// Something failed that somebody must look at.
    Error,
    /// Something is odd, and the program went on.
    Warn,
    /// Starting, stopping, what the operator wants to see.
    Info,
    /// What a developer wants to see.
    Debug,
    /// Everything.
    Trace,
}

/// Shape of the lines on stderr.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object a line, for collectors.
    Json,
}

/// How the world reaches us: scheme, host and port, nothing behind them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicUrl {
    origin: String,
    https: bool,
    loopback: bool,
}

impl PublicUrl {
    /// The origin as browsers write it in `Origin` (RFC 6454 §6.2): small letters, no default port, no slash behind.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// The host, without scheme and port.
    pub fn host(&self) -> &str {
        let (_, authority) = self.origin.split_once("://").unwrap_or_default();
        split_port(authority).map_or(authority, |(host, _)| host)
    }

    /// Whether the scheme is https.
    pub fn is_https(&self) -> bool {
        self.https
    }

    /// Whether the host can only be this machine.
    pub fn is_loopback(&self) -> bool {
        self.loopback
    }
}

impl FromStr for PublicUrl {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        const WANTED: &str =
            "serve un indirizzo come https://segnalazioni.esempio.it, senza percorso";
        let lower = text.to_ascii_lowercase();
        let (https, rest) = match lower.split_once("://") {
            Some(("https", rest)) => (true, rest),
            Some(("http", rest)) => (false, rest),
            _ => return Err(WANTED.to_owned()),
        };
        let authority = rest.strip_suffix('/').unwrap_or(rest);
        let (host, port) = split_port(authority).ok_or(WANTED)?;
        let loopback = host_kind(host).ok_or(WANTED)?;
        let port = port.filter(|port| *port != if https { 443 } else { 80 });
        let scheme = if https { "https" } else { "http" };
        let origin = match port {
            Some(port) => format!("{scheme}://{host}:{port}"),
            None => format!("{scheme}://{host}"),
        };
        Ok(Self {
            origin,
            https,
            loopback,
        })
    }
}

/// A value as it was written: in TOML, or as the text of a variable or flag.
#[derive(Debug)]
pub(super) enum Raw {
    /// A value of the file.
    Toml(toml::Value),
    /// The text of a variable or flag.
    Text(OsString),
}

impl Raw {
    /// A value that its key does not allow, for the operator; only that there is one, where it may be a secret.
    pub(super) fn shown_for(&self, key: &str) -> String {
        let text = self.shown();
        if FILES.contains(&key) || ADDRESSES.contains(&key) && text.contains(DELICATE) {
            "valore non mostrato".to_owned()
        } else {
            format!("«{text}»")
        }
    }

    /// The value as it was written, on one line.
    fn shown(&self) -> String {
        let text = match self {
            Self::Toml(toml::Value::String(text)) => text.clone(),
            Self::Toml(value) => value.to_string(),
            Self::Text(text) => text.to_string_lossy().into_owned(),
        };
        text.escape_debug().to_string()
    }

    pub(super) fn address(&self) -> Result<SocketAddr, String> {
        self.text()?.parse().map_err(|_| {
            "serve un indirizzo con la porta, come 127.0.0.1:8080 o [::1]:8080".to_owned()
        })
    }

    /// Names that a certificate can be asked for: a text or a list in TOML, separated by commas elsewhere.
    pub(super) fn domains(&self) -> Result<Vec<String>, String> {
        let wanted = "servono nomi come segnala.esempio.it, senza https://, asterischi o indirizzi";
        let given: Vec<&str> = match self {
            Self::Toml(toml::Value::Array(items)) => {
                let texts = items.iter().map(|item| item.as_str().ok_or(wanted));
                texts.collect::<Result<_, _>>()?
            }
            _ => self.text()?.split(',').map(str::trim).collect(),
        };
        let mut names = Vec::new();
        for name in given.into_iter().filter(|name| !name.is_empty()) {
            let name = name.to_ascii_lowercase();
            let address = name.starts_with('[') || name.parse::<Ipv4Addr>().is_ok();
            if address || host_kind(&name).is_none() {
                return Err(wanted.to_owned());
            }
            if !names.contains(&name) {
                names.push(name);
            }
        }
        Ok(names)
    }

    /// The address of an authority's directory.
    pub(super) fn directory(&self) -> Result<String, String> {
        let text = self.text()?;
        let rest = text.strip_prefix("https://").unwrap_or_default();
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        let host = split_port(authority).and_then(|(host, _)| host_kind(host));
        let visible = path.bytes().all(|byte| byte.is_ascii_graphic());
        if host.is_none() || !visible {
            return Err(
                "serve un indirizzo https:// completo, come https://ca.esempio.it/directory"
                    .to_owned(),
            );
        }
        Ok(text.to_owned())
    }

    /// An address of mail: one `@` with something on both sides, nothing that could end it early.
    pub(super) fn email(&self) -> Result<String, String> {
        let text = self.text()?;
        let plain = text
            .bytes()
            .all(|byte| byte.is_ascii_graphic() && !b",?<>".contains(&byte));
        let parts: Vec<&str> = text.split('@').collect();
        if !plain || parts.len() != 2 || parts.contains(&"") {
            return Err("serve un indirizzo e-mail, come redazione@esempio.it".to_owned());
        }
        Ok(text.to_owned())
    }

    /// An address with its port, or that there shall be none.
    pub(super) fn http_listen(&self) -> Result<HttpListen, String> {
        if self.text()? == "no" {
            return Ok(HttpListen::Never);
        }
        let wanted = "serve un indirizzo con la porta, come 0.0.0.0:80, oppure no";
        let address = self.text()?.parse();
        address.map(HttpListen::At).map_err(|_| wanted.to_owned())
    }

    /// An address that only this machine reaches.
    pub(super) fn loopback_address(&self) -> Result<SocketAddr, String> {
        let address = self.address()?;
        if !address.ip().to_canonical().is_loopback() {
            return Err(
                "serve un indirizzo di questa stessa macchina, come 127.0.0.1:9187 o [::1]:9187: \
                 qui non si chiede alcuna password"
                    .to_owned(),
            );
        }
        Ok(address)
    }

    pub(super) fn path(&self) -> Result<PathBuf, String> {
        let path = match self {
            Self::Text(text) => PathBuf::from(text),
            Self::Toml(_) => PathBuf::from(self.text()?),
        };
        if path.as_os_str().is_empty() {
            return Err("serve un percorso".to_owned());
        }
        // Every later message names the path.
        if path.to_string_lossy().contains(char::is_control) {
            return Err("serve un percorso, non il contenuto del file".to_owned());
        }
        Ok(path)
    }

    pub(super) fn url(&self) -> Result<PublicUrl, String> {
        self.text()?.parse()
    }

    pub(super) fn level(&self) -> Result<LogLevel, String> {
        match self.text()? {
            "error" => Ok(LogLevel::Error),
            "warn" => Ok(LogLevel::Warn),
            "info" => Ok(LogLevel::Info),
            "debug" => Ok(LogLevel::Debug),
            "trace" => Ok(LogLevel::Trace),
            _ => Err("sono ammessi error, warn, info, debug, trace".to_owned()),
        }
    }

    pub(super) fn format(&self) -> Result<LogFormat, String> {
        match self.text()? {
            "text" => Ok(LogFormat::Text),
            "json" => Ok(LogFormat::Json),
            _ => Err("sono ammessi text, json".to_owned()),
        }
    }

    pub(super) fn time_zone(&self) -> Result<TimeZone, String> {
        clock::zone(self.text()?)
            .ok_or_else(|| "serve il nome IANA di un fuso orario, come Europe/Rome".to_owned())
    }

    pub(super) fn flag(&self) -> Result<bool, String> {
        match self {
            Self::Toml(toml::Value::Boolean(flag)) => Ok(*flag),
            Self::Text(text) if text == "true" => Ok(true),
            Self::Text(text) if text == "false" => Ok(false),
            _ => Err("sono ammessi true, false".to_owned()),
        }
    }

    /// A list of texts in TOML; separated by commas elsewhere. A whole address family is refused as `too_wide`.
    pub(super) fn networks(&self, too_wide: &str) -> Result<Vec<IpNet>, String> {
        if let Self::Toml(toml::Value::Array(items)) = self {
            let texts = items.iter().map(toml::Value::as_str);
            return texts
                .map(|text| network(text.ok_or(NETWORKS_WANTED)?, too_wide))
                .collect();
        }
        if matches!(self, Self::Toml(_)) {
            return Err(NETWORKS_WANTED.to_owned());
        }
        let texts = self.text()?.split(',').map(str::trim);
        texts
            .filter(|text| !text.is_empty())
            .map(|text| network(text, too_wide))
            .collect()
    }

    /// An empty text takes back what a weaker source says.
    pub(super) fn optional<T>(
        &self,
        read: impl FnOnce(&Self) -> Result<T, String>,
    ) -> Result<Option<T>, String> {
        let empty = match self {
            Self::Toml(value) => value.as_str() == Some(""),
            Self::Text(text) => text.is_empty(),
        };
        if empty {
            Ok(None)
        } else {
            read(self).map(Some)
        }
    }

    fn text(&self) -> Result<&str, String> {
        match self {
            Self::Toml(value) => value
                .as_str()
                .ok_or_else(|| "serve un testo tra virgolette".to_owned()),
            Self::Text(text) => text.to_str().ok_or_else(|| "non è testo UTF-8".to_owned()),
        }
    }
}

/// One address or CIDR range, in its plain form: an IPv4 network written as IPv6 would never match a client, whose
/// address is compared in its IPv4 form.
fn network(text: &str, too_wide: &str) -> Result<IpNet, String> {
    let network = match text.parse::<IpAddr>() {
        Ok(address) => IpNet::from(address.to_canonical()),
        Err(_) => unmapped(text.parse::<IpNet>().map_err(|_| NETWORKS_WANTED)?),
    };
    if network.prefix_len() == 0 {
        return Err(too_wide.to_owned());
    }
    Ok(network.trunc())
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
        .and_then(|(address, prefix): (Ipv4Addr, u8)| Ipv4Net::new(address, prefix).ok())
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
    let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let port = digits
        .parse::<u16>()
        .ok()
        .filter(|port| plain && *port > 0)?;
    Some((host, Some(port)))
}

/// `Some(true)` for a host that can only be this machine, `Some(false)` for another one, `None` for what is no host.
fn host_kind(host: &str) -> Option<bool> {
    if let Some(inner) = host
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
    {
        let address = inner.parse::<std::net::Ipv6Addr>().ok()?;
        return Some(address.is_loopback());
    }
    if let Ok(address) = host.parse::<Ipv4Addr>() {
        return Some(address.is_loopback());
    }
    let label_ok = |label: &str| {
        let inside = label
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        !label.is_empty()
            && label.len() <= 63
            && inside
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    let valid = host.len() <= 253 && host.split('.').all(label_ok);
    valid.then_some(host == "localhost" || host.ends_with(".localhost"))
}
