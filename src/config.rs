//! The configuration of the process: where it listens, where its data lies, what it may trust (`PRODUCT.md §15`). Sources in
//! rising priority: defaults, `config.toml`, `SEGNALAZIONI_*` variables, flags.
//! Must never hold a secret: those live in files whose paths stand here. Nor repeat a value that may be one by mistake.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, anyhow};
use clap::Args;
use ipnet::IpNet;
use jiff::tz::TimeZone;
use serde::Serialize;
use toml::{Table, Value};
use tracing::level_filters::LevelFilter;

mod encryption;
mod values;

pub use encryption::{Automatic, Encryption};
use values::SourceValues;
pub use values::{LogFormat, PublicUrl};

const DEFAULT_FILE: &str = "config.toml";
/// The prefix of our variables. One that names no key is refused as a typing mistake.
const VARIABLE_PREFIX: &str = "SEGNALAZIONI_";
/// Name of the key file, beside the data or in the folder of systemd's credentials.
pub const KEY_FILE_NAME: &str = "segnalazioni.key";
/// Where systemd puts the credentials of a unit (systemd.exec(5), `LoadCredential=`).
const CREDENTIALS_VARIABLE: &str = "CREDENTIALS_DIRECTORY";
const DEFAULT_TIME_ZONE: &str = "Europe/Rome";
/// Stands for a value that may be a secret in the wrong place.
const NOT_SHOWN: &str = "valore non mostrato";

/// The configuration of the process, checked. Made by [`Config::load`].
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// Address and port to listen on; port 0 lets the machine choose. Without a public address links lead here.
    pub listen: SocketAddr,
    /// More of them.
    pub more_listen: Vec<SocketAddr>,
    /// Those of the addresses that were not chosen: all of the machine.
    pub everywhere: Vec<SocketAddr>,
    /// Unix sockets to which Tor brings those who call by an onion service.
    pub onion_sockets: Vec<PathBuf>,
    /// Folder of the database, its backups and (unless told otherwise) the key file.
    pub data_dir: PathBuf,
    /// How the world reaches us, when that is not the address we listen on.
    pub public_url: Option<PublicUrl>,
    /// `http://….onion`, where the onion service is reached.
    pub onion_url: Option<Arc<str>>,
    /// Networks whose `X-Forwarded-For` is believed.
    pub trusted_proxies: Vec<IpNet>,
    /// Whether and with which certificate the program speaks TLS itself.
    pub encryption: Encryption,
    /// Where plain HTTP is redirected to the public address.
    pub http_listen: Option<SocketAddr>,
    pub log: LevelFilter,
    pub log_format: LogFormat,
    pub time_zone: TimeZone,
    pub key_file: PathBuf,
    /// Addresses that a webhook may have though they are not on the public internet.
    pub outbound_allow: Vec<IpNet>,
    /// The operator accepts that passwords and reports cross the network unencrypted.
    pub insecure_http: bool,
    /// Browsers are told to insist on https for every subdomain too.
    pub hsts_subdomains: bool,
    /// Loopback address and port on which monitoring is answered.
    pub metrics_listen: Option<SocketAddr>,
}

/// The flags that every subcommand knows. The doc comments are the Italian help.
#[derive(Debug, Clone, Default, Args, Serialize)]
pub struct CommonFlags {
    /// File di configurazione (senza: ./config.toml, se c'è)
    #[arg(long, value_name = "FILE")]
    #[serde(skip)]
    pub config: Option<PathBuf>,
    /// Cartella dei dati [predefinita: ./data]
    #[arg(long, value_name = "DIR")]
    pub data_dir: Option<PathBuf>,
}

/// The flags of `serve` that are keys of the configuration.
#[derive(Debug, Clone, Default, Args, Serialize)]
pub struct Flags {
    #[command(flatten)]
    #[serde(flatten)]
    pub common: CommonFlags,
    /// Indirizzo e porta su cui ascoltare [predefiniti: 127.0.0.1:8080], o unix: e un socket per Tor; si può ripetere
    #[arg(long, value_name = "ADDR")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub listen: Vec<String>,
    /// Certificato (PEM, con la catena) con cui rispondere in https
    #[arg(long, value_name = "FILE")]
    pub tls_cert: Option<PathBuf>,
    /// Chiave privata del certificato (PEM)
    #[arg(long, value_name = "FILE")]
    pub tls_key: Option<PathBuf>,
    /// Nome per cui ottenere da soli il certificato e rispondere in https; si può ripetere
    #[arg(long = "domain", value_name = "NOME")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub domains: Vec<String>,
    /// Indirizzo e porta da cui chi arriva in chiaro è mandato all'indirizzo pubblico
    #[arg(long, value_name = "ADDR")]
    pub http_listen: Option<String>,
    /// Accetta di servire in chiaro su un indirizzo raggiungibile da altri
    #[arg(long)]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub insecure_http: bool,
    /// Indirizzo e porta di questa macchina su cui dare le misure al monitoraggio, in /metrics
    #[arg(long, value_name = "ADDR")]
    pub metrics_listen: Option<String>,
}

/// Where values were found: part of every message about them.
#[derive(Debug)]
enum ConfigSource {
    File(PathBuf),
    Environment,
    Flags,
}

impl Config {
    /// Puts the configuration together.
    ///
    /// `environment` is the environment of the process (`std::env::vars_os()`), `working_dir` the folder in which
    /// `config.toml` is looked for. Relative paths stay relative to the working folder of the process.
    pub fn load(
        flags: &Flags,
        environment: impl IntoIterator<Item = (OsString, OsString)>,
        working_dir: &Path,
    ) -> Result<Self> {
        let environment: Vec<_> = environment.into_iter().collect();
        let mut merged = Table::new();
        for (layer, source) in [
            file(flags.common.config.as_deref(), working_dir)?,
            (variables(&environment)?, ConfigSource::Environment),
            (
                Table::try_from(flags).context("un'opzione non è testo UTF-8")?,
                ConfigSource::Flags,
            ),
        ] {
            // A bad value is refused even where a stronger source overrides it.
            read(layer.clone(), &source)?;
            merged.extend(layer);
        }
        let credentials = environment
            .iter()
            .find(|(name, _)| name == CREDENTIALS_VARIABLE);
        let credentials = credentials.map(|(_, folder)| Path::new(folder));
        read(merged, &ConfigSource::Flags)?.resolve(credentials)
    }

    /// Whether browsers reach us over TLS, so that they may be told to insist on it.
    pub fn is_https(&self) -> bool {
        self.encryption != Encryption::None
            || self.public_url.as_ref().is_some_and(PublicUrl::is_https)
    }

    /// `scheme://host[:port]` of the public address, else of where it listens (`listening`, with the port that was chosen).
    pub fn origin(&self, listening: SocketAddr) -> String {
        self.public_origin().unwrap_or_else(|| {
            let scheme = if self.is_https() { "https" } else { "http" };
            format!("{scheme}://{listening}")
        })
    }

    /// Where passkeys are valid: the public address; on this machine alone, `localhost`, for browsers bind none to an address without
    /// a name.
    pub fn passkey_origin(&self, listening: SocketAddr) -> Option<String> {
        let https = match &self.public_url {
            Some(url) if !url.is_loopback() => return Some(url.origin()),
            Some(url) => url.is_https(),
            None if listening.ip().is_loopback() => self.is_https(),
            None => return None,
        };
        let scheme = if https { "https" } else { "http" };
        let port = match &self.public_url {
            Some(url) => url.port(),
            None => Some(listening.port()),
        };
        let port = port.map_or_else(String::new, |port| format!(":{port}"));
        Some(format!("{scheme}://localhost{port}"))
    }

    /// `scheme://host[:port]` of the public address, when configured.
    pub fn public_origin(&self) -> Option<String> {
        self.public_url.as_ref().map(PublicUrl::origin)
    }
}

impl ConfigSource {
    fn location(&self, key: &str) -> String {
        match self {
            Self::File(path) => format!("nel file «{}»", path.display()),
            Self::Environment => {
                format!(
                    "nella variabile {VARIABLE_PREFIX}{}",
                    key.to_ascii_uppercase()
                )
            }
            Self::Flags if key == "domains" => "nell'opzione --domain".to_owned(),
            Self::Flags => format!("nell'opzione --{}", key.replace('_', "-")),
        }
    }
}

/// The values of the named file, or of the one in the working folder, which may be missing.
fn file(named: Option<&Path>, working_dir: &Path) -> Result<(Table, ConfigSource)> {
    let path = named.map_or_else(|| working_dir.join(DEFAULT_FILE), Path::to_path_buf);
    let shown = path.display();
    let text = match std::fs::read_to_string(&path) {
        Err(error) if named.is_none() && error.kind() == std::io::ErrorKind::NotFound => {
            String::new()
        }
        read => {
            read.with_context(|| format!("il file di configurazione «{shown}» non si può leggere"))?
        }
    };
    let table = text.parse::<Table>().map_err(|error| {
        let before = error.span().and_then(|span| text.get(..span.start));
        let line = 1 + before.unwrap_or_default().matches('\n').count();
        let reason = error.message().replace('\n', " ");
        anyhow!("il file di configurazione «{shown}» non è TOML valido, riga {line}: {reason}")
    })?;
    Ok((table, ConfigSource::File(path)))
}

fn variables(environment: &[(OsString, OsString)]) -> Result<Table> {
    let mut found = Table::new();
    for (name, value) in environment {
        if let Some(key) = name
            .to_str()
            .and_then(|name| name.strip_prefix(VARIABLE_PREFIX))
        {
            let key = key.to_ascii_lowercase();
            let unreadable = || {
                format!(
                    "{} non è testo UTF-8",
                    ConfigSource::Environment.location(&key)
                )
            };
            let value = value.to_str().with_context(unreadable)?.to_owned();
            found.insert(key, Value::String(value));
        }
    }
    Ok(found)
}

fn read(layer: Table, source: &ConfigSource) -> Result<SourceValues> {
    let values = layer.clone();
    serde_path_to_error::deserialize(Value::Table(layer)).map_err(|error| {
        let key = error.path().to_string();
        let place = source.location(&key);
        if error.inner().message().starts_with("unknown field") {
            let key = key.escape_debug();
            return anyhow!(
                "chiave sconosciuta «{key}» {place}, {NOT_SHOWN}: le chiavi ammesse sono in config.example.toml"
            );
        }
        let (value, wanted) = (values::quoted(&key, values.get(&key)), values::wanted(&key));
        anyhow!("valore non valido per «{key}» {place}: {value}: {wanted}")
    })
}

#[cfg(test)]
mod tests;
