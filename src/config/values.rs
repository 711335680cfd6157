//! The keys of the configuration and their values, as one source gives them. In a text, commas separate a list.

use std::net::{IpAddr, SocketAddr};
use std::os::unix;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use ipnet::IpNet;
use jiff::tz::TimeZone;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use toml::Value;
use tracing::level_filters::LevelFilter;
use url::{Host, Url};

use super::NOT_SHOWN;
use crate::clock;
use crate::domain::declare::names;

/// Keys of files: the content may stand in the place of the name by mistake.
const FILES: [&str; 4] = ["tls_cert", "tls_key", "acme_root", "key_file"];
/// Keys of addresses, which may have a login or a token in them.
const ADDRESSES: [&str; 3] = ["public_url", "onion_url", "acme_directory"];
/// Characters after which a login or a token may stand.
const DELICATE: [char; 3] = ['@', '?', '#'];

/// Every key. `None` where it is absent, or empty, which takes back what a weaker source says.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct SourceValues {
    #[serde(deserialize_with = "list")]
    pub(super) listen: Vec<Listen>,
    #[serde(deserialize_with = "text")]
    pub(super) data_dir: Option<PathBuf>,
    #[serde(deserialize_with = "text")]
    pub(super) public_url: Option<PublicUrl>,
    #[serde(deserialize_with = "text")]
    pub(super) onion_url: Option<OnionUrl>,
    #[serde(deserialize_with = "list")]
    pub(super) trusted_proxies: Vec<Network>,
    #[serde(deserialize_with = "text")]
    pub(super) tls_cert: Option<PathBuf>,
    #[serde(deserialize_with = "text")]
    pub(super) tls_key: Option<PathBuf>,
    #[serde(deserialize_with = "list")]
    pub(super) domains: Vec<Domain>,
    #[serde(deserialize_with = "text")]
    pub(super) acme_email: Option<lettre::Address>,
    #[serde(deserialize_with = "text")]
    pub(super) acme_directory: Option<AcmeDirectory>,
    #[serde(deserialize_with = "text")]
    pub(super) acme_root: Option<PathBuf>,
    #[serde(deserialize_with = "text")]
    pub(super) http_listen: Option<HttpListen>,
    #[serde(deserialize_with = "text")]
    pub(super) log: Option<Level>,
    #[serde(deserialize_with = "text")]
    pub(super) log_format: Option<Shape>,
    #[serde(deserialize_with = "text")]
    pub(super) time_zone: Option<Zone>,
    #[serde(deserialize_with = "text")]
    pub(super) key_file: Option<PathBuf>,
    #[serde(deserialize_with = "list")]
    pub(super) outbound_allow: Vec<Network>,
    #[serde(deserialize_with = "flag")]
    pub(super) insecure_http: bool,
    #[serde(deserialize_with = "flag")]
    pub(super) hsts_subdomains: bool,
    #[serde(deserialize_with = "text")]
    pub(super) metrics_listen: Option<LoopbackAddress>,
}

/// A description of the valid values of a key, in Italian.
pub(super) fn wanted(key: &str) -> &'static str {
    match key {
        "listen" => {
            "serve un indirizzo con la porta, come 127.0.0.1:8080 o [::1]:8080, oppure un socket per Tor con il percorso intero, come unix:/run/segnalazioni/onion.sock"
        }
        "public_url" => "serve un indirizzo come https://segnalazioni.esempio.it, senza percorso",
        "onion_url" => {
            "serve un indirizzo come http://….onion, senza percorso, con le 56 lettere e cifre del file hostname di Tor"
        }
        "trusted_proxies" | "outbound_allow" => {
            "serve un elenco di indirizzi o reti divisi da virgole, come 127.0.0.1, 10.0.0.0/8 (nel file tra virgolette), che non \
             comprenda ogni indirizzo"
        }
        "domains" => "servono nomi come segnala.esempio.it, senza https://, asterischi o indirizzi",
        "acme_email" => "serve un indirizzo email, come redazione@esempio.it",
        "acme_directory" => {
            "serve un indirizzo https:// completo, come https://ca.esempio.it/directory"
        }
        "http_listen" => "serve un indirizzo con la porta, come 0.0.0.0:80, oppure no",
        "log" => "sono ammessi error, warn, info, debug, trace",
        "log_format" => "sono ammessi text, json",
        "time_zone" => "serve il nome IANA di un fuso orario, come Europe/Rome",
        "insecure_http" | "hsts_subdomains" => "sono ammessi true, false",
        "metrics_listen" => {
            "serve un indirizzo di questa stessa macchina, come 127.0.0.1:9187 o [::1]:9187: qui non si chiede alcuna password"
        }
        _ => "serve un percorso tra virgolette, non il contenuto del file",
    }
}

fn text<'de, D: Deserializer<'de>, T: FromStr>(from: D) -> Result<Option<T>, D::Error> {
    match Value::deserialize(from)? {
        Value::String(text) if text.is_empty() => Ok(None),
        Value::String(text) => parsed(&text).map(Some),
        _ => Err(D::Error::custom("no text")),
    }
}

fn list<'de, D: Deserializer<'de>, T: FromStr + PartialEq>(from: D) -> Result<Vec<T>, D::Error> {
    let texts = match Value::deserialize(from)? {
        Value::String(text) => text.split(',').map(|part| part.trim().to_owned()).collect(),
        other => Vec::<String>::deserialize(other).map_err(D::Error::custom)?,
    };
    let mut found = Vec::new();
    for text in texts.iter().filter(|text| !text.is_empty()) {
        let value = parsed(text)?;
        if !found.contains(&value) {
            found.push(value);
        }
    }
    Ok(found)
}

/// A value of one line: later messages repeat it.
fn parsed<T: FromStr, E: serde::de::Error>(text: &str) -> Result<T, E> {
    let line = Some(text).filter(|text| !text.contains(char::is_control));
    let value = line.and_then(|text| text.parse().ok());
    value.ok_or_else(|| E::custom("not allowed"))
}

fn flag<'de, D: Deserializer<'de>>(from: D) -> Result<bool, D::Error> {
    match Value::deserialize(from)? {
        Value::String(text) => parsed(&text),
        other => bool::deserialize(other).map_err(D::Error::custom),
    }
}

/// A value that its key does not allow, on one line; only that there is one, where it may be a secret.
pub(super) fn quoted(key: &str, value: Option<&Value>) -> String {
    let list = value.and_then(Value::as_array);
    let alone = list.filter(|list| list.len() == 1);
    let text = match alone.and_then(|list| list.first()).or(value) {
        None => return NOT_SHOWN.to_owned(),
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
    };
    if FILES.contains(&key) || ADDRESSES.contains(&key) && text.contains(DELICATE) {
        return NOT_SHOWN.to_owned();
    }
    format!("«{}»", text.escape_debug())
}

names! {
    /// Shape of the lines on stderr.
    pub enum LogFormat {
        Text = "text",
        /// One JSON object a line, for collectors.
        Json = "json",
    }
}

/// Kinds of values, each with how its text is read.
macro_rules! kinds {
    ($($(#[$about:meta])* $name:ident($value:ty) = $read:expr;)+) => {$(
        $(#[$about])*
        #[derive(Debug, Clone, PartialEq)]
        pub(super) struct $name(pub(super) $value);

        impl FromStr for $name {
            type Err = ();

            fn from_str(text: &str) -> Result<Self, ()> {
                let read: fn(&str) -> Option<$value> = $read;
                read(text).map(Self).ok_or(())
            }
        }
    )+};
}

kinds! {
    /// From which level on is logged: never nothing.
    Level(LevelFilter) = |text| {
        let known = ["error", "warn", "info", "debug", "trace"].contains(&text);
        text.parse().ok().filter(|_| known)
    };
    /// An address; else the path of a Unix socket: whole, and no longer than the machine takes (unix(7)).
    Listen(Result<SocketAddr, PathBuf>) = |text| match text.strip_prefix("unix:") {
        None => text.parse().ok().map(Ok),
        Some(path) => {
            let fits = unix::net::SocketAddr::from_pathname(path).is_ok();
            let whole = path.starts_with('/') && !path.ends_with(['/', '.']);
            (fits && whole).then(|| Err(path.into()))
        }
    };
    /// Where an onion service is reached: key and checksum in base 32 are its name (rend-spec-v3 §6).
    OnionUrl(Arc<str>) = |text| {
        let url: PublicUrl = text.parse().ok()?;
        let name = url.host().strip_suffix(".onion")?.rsplit('.').next()?;
        let key = |byte| matches!(byte, b'a'..=b'z' | b'2'..=b'7');
        (!url.is_https() && name.len() == 56 && name.bytes().all(key)).then(|| url.origin().into())
    };
    /// Where plain HTTP is answered; nowhere for `no`.
    HttpListen(Option<SocketAddr>) = |text| match text {
        "no" => Some(None),
        _ => text.parse().ok().map(Some),
    };
    /// An address that only this machine reaches.
    LoopbackAddress(SocketAddr) = |text| {
        let address: Option<SocketAddr> = text.parse().ok();
        address.filter(|address| address.ip().to_canonical().is_loopback())
    };
    Shape(LogFormat) = LogFormat::parse;
    Zone(TimeZone) = clock::zone;
    /// An address or network, IPv4 in its own form, in which clients are compared; never a whole address family.
    Network(IpNet) = |text| {
        let network = match text.parse::<IpAddr>() {
            Ok(address) => IpNet::from(address.to_canonical()),
            Err(_) => text.parse().ok()?,
        };
        let mapped = network.addr() != network.addr().to_canonical();
        (!mapped && network.prefix_len() > 0).then(|| network.trunc())
    };
    /// A name that a certificate can be asked for.
    Domain(String) = |text| match Host::parse(text) {
        Ok(Host::Domain(name)) if !name.contains('*') => Some(name),
        _ => None,
    };
    /// The address of an authority's directory (RFC 8555 §7.1.1).
    AcmeDirectory(String) = |text| {
        let url = Url::parse(text).ok();
        let plain = url.filter(|url| url.scheme() == "https" && !url.authority().contains('@'));
        plain.map(Url::into)
    };
}

/// How the world reaches us: scheme, host and port, nothing behind them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicUrl(Url);

impl PublicUrl {
    /// The origin as browsers write it in `Origin` (RFC 6454 §6.2): small letters, no default port, no slash behind.
    pub fn origin(&self) -> String {
        self.0.origin().ascii_serialization()
    }

    pub fn host(&self) -> &str {
        self.0.host_str().unwrap_or_default()
    }

    pub fn is_https(&self) -> bool {
        self.0.scheme() == "https"
    }

    /// `None` for the usual one.
    pub fn port(&self) -> Option<u16> {
        self.0.port()
    }

    /// Whether the host can only be this machine.
    pub fn is_loopback(&self) -> bool {
        match self.0.host() {
            Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
            Some(Host::Ipv4(address)) => address.is_loopback(),
            Some(Host::Ipv6(address)) => address.is_loopback(),
            None => false,
        }
    }
}

impl FromStr for PublicUrl {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let url = Url::parse(text).map_err(|_| ())?;
        // Anything but scheme, host and port would make the text of the address another one than that of its origin.
        let bare = url.as_str() == format!("{}/", url.origin().ascii_serialization());
        let web = matches!(url.scheme(), "http" | "https");
        if bare && web { Ok(Self(url)) } else { Err(()) }
    }
}
