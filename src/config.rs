//! The configuration of the process: where it listens, where its data lies, what it may trust.
//!
//! Sources in rising priority: defaults, `config.toml`, `SEGNALAZIONI_*` variables, flags (`PRODUCT.md §2`). An unknown
//! key or a bad value stops the start with the key, the reason and where it was found, in Italian: the operator reads
//! it. This file never reads the environment by itself, never holds a secret (secrets live in files whose paths stand
//! here) and never repeats a value that may be one by mistake.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use clap::Args;
use ipnet::IpNet;
use jiff::tz::TimeZone;
use serde::Serialize;
use toml::{Table, Value};
use tracing::level_filters::LevelFilter;

mod encryption;
mod values;

pub use encryption::{Automatic, Encryption};
use values::Given;
pub use values::{LogFormat, PublicUrl};

/// Name of the configuration file that is read from the working folder when `--config` names none.
const DEFAULT_FILE: &str = "config.toml";
/// What every variable of ours begins with. One that names no key is refused: it is a mistyped one.
const VARIABLE_PREFIX: &str = "SEGNALAZIONI_";
/// Name of the key file, beside the data or in the folder of systemd's credentials.
pub const KEY_FILE_NAME: &str = "segnalazioni.key";
/// Where systemd puts the credentials of a unit (systemd.exec(5), `LoadCredential=`).
const CREDENTIALS_VARIABLE: &str = "CREDENTIALS_DIRECTORY";
/// Zone in which "today" starts at midnight, unless configured (`PRODUCT.md §1`).
const DEFAULT_TIME_ZONE: &str = "Europe/Rome";
/// Stands for a value that may be a secret in the wrong place.
const NOT_SHOWN: &str = "valore non mostrato";

/// The configuration of the process, checked. Made by [`Config::load`].
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// Address and port to listen on; port 0 lets the machine choose.
    pub listen: SocketAddr,
    /// Folder of the database, its backups and (unless told otherwise) the key file.
    pub data_dir: PathBuf,
    /// How the world reaches us, when that is not the address we listen on.
    pub public_url: Option<PublicUrl>,
    /// Networks whose `X-Forwarded-For` is believed.
    pub trusted_proxies: Vec<IpNet>,
    /// Whether and with which certificate the program speaks TLS itself.
    pub encryption: Encryption,
    /// Where plain HTTP is redirected to the public address.
    pub http_listen: Option<SocketAddr>,
    /// The least serious events that are written to stderr.
    pub log: LevelFilter,
    pub log_format: LogFormat,
    /// Where "today" starts at midnight.
    pub time_zone: TimeZone,
    pub key_file: PathBuf,
    /// Addresses that a webhook may have though they are not on the public internet.
    pub outbound_allow: Vec<IpNet>,
    /// The operator accepts that passwords and reports cross the network unencrypted.
    pub insecure_http: bool,
    /// Loopback address and port on which monitoring is answered.
    pub metrics_listen: Option<SocketAddr>,
}

/// The flags of `serve` that are keys of the configuration. The doc comments are the Italian help.
#[derive(Debug, Clone, Default, Args, Serialize)]
pub struct Flags {
    /// File di configurazione (senza: ./config.toml, se c'è)
    #[arg(long, value_name = "FILE")]
    #[serde(skip)]
    pub config: Option<PathBuf>,
    /// Cartella dei dati [predefinita: ./data]
    #[arg(long, value_name = "DIR")]
    pub data_dir: Option<PathBuf>,
    /// Indirizzo e porta su cui ascoltare [predefiniti: 127.0.0.1:8080]
    #[arg(long, value_name = "ADDR")]
    pub listen: Option<String>,
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
enum Source {
    File(PathBuf),
    Environment,
    Flags,
}

/// Why the program does not start. The text is Italian and meant for the operator; one line.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    #[error("il file di configurazione «{}» non si può leggere: {reason}", path.display())]
    Unreadable {
        path: PathBuf,
        reason: std::io::Error,
    },
    /// The reason is the parser's, in English.
    #[error("il file di configurazione «{}» non è TOML valido, riga {line}: {reason}", path.display())]
    Syntax {
        path: PathBuf,
        line: usize,
        reason: String,
    },
    #[error(
        "chiave sconosciuta «{}» {place}, {NOT_SHOWN}: le chiavi ammesse sono in config.example.toml",
        key.escape_debug()
    )]
    UnknownKey { key: String, place: String },
    #[error("valore non valido per «{key}» {place}: {value}: {reason}")]
    BadValue {
        key: String,
        value: String,
        reason: String,
        place: String,
    },
    /// The settings, each valid, do not go together.
    #[error("«{key}» = «{value}»: {reason}")]
    Conflict {
        key: &'static str,
        value: String,
        reason: &'static str,
    },
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
    ) -> Result<Self, ConfigError> {
        let environment: Vec<_> = environment.into_iter().collect();
        let mut merged = Table::new();
        for (layer, source) in [
            file(flags.config.as_deref(), working_dir)?,
            (variables(&environment)?, Source::Environment),
            (flags.table()?, Source::Flags),
        ] {
            // A bad value is refused even where a stronger source overrides it.
            read(layer.clone(), &source)?;
            merged.extend(layer);
        }
        let credentials = environment
            .iter()
            .find(|(name, _)| name == CREDENTIALS_VARIABLE);
        let credentials = credentials.map(|(_, folder)| Path::new(folder));
        read(merged, &Source::Flags)?.settle(credentials)
    }

    /// Whether browsers reach us over TLS, so that they may be told to insist on it.
    pub fn is_https(&self) -> bool {
        self.encryption != Encryption::None
            || self.public_url.as_ref().is_some_and(PublicUrl::is_https)
    }

    /// `scheme://host[:port]` by which the program is reached: the public address, or else where it listens (`listening`,
    /// which knows the port that the machine chose).
    pub fn origin(&self, listening: SocketAddr) -> String {
        self.public_origin().unwrap_or_else(|| {
            let scheme = if self.is_https() { "https" } else { "http" };
            format!("{scheme}://{listening}")
        })
    }

    /// `scheme://host[:port]` of the public address, when configured.
    pub fn public_origin(&self) -> Option<String> {
        let url = self.public_url.as_ref()?;
        Some(url.origin().to_owned())
    }
}

impl Flags {
    fn table(&self) -> Result<Table, ConfigError> {
        Table::try_from(self).map_err(|_| ConfigError::BadValue {
            key: "data_dir".to_owned(),
            value: NOT_SHOWN.to_owned(),
            reason: values::NOT_TEXT.to_owned(),
            place: Source::Flags.place("data_dir"),
        })
    }
}

impl Source {
    /// Where this key stands, in Italian.
    fn place(&self, key: &str) -> String {
        match self {
            Self::File(path) => format!("nel file «{}»", path.display()),
            Self::Environment => format!("nella variabile {}", variable(key)),
            Self::Flags if key == "domains" => "nell'opzione --domain".to_owned(),
            Self::Flags => format!("nell'opzione --{}", key.replace('_', "-")),
        }
    }
}

/// The values of the named file, or of the one in the working folder, which may be missing.
fn file(named: Option<&Path>, working_dir: &Path) -> Result<(Table, Source), ConfigError> {
    let path = named.map_or_else(|| working_dir.join(DEFAULT_FILE), Path::to_path_buf);
    let text = match std::fs::read_to_string(&path) {
        Err(error) if named.is_none() && error.kind() == std::io::ErrorKind::NotFound => {
            String::new()
        }
        Err(reason) => return Err(ConfigError::Unreadable { path, reason }),
        Ok(text) => text,
    };
    let table = text.parse::<Table>().map_err(|error| ConfigError::Syntax {
        path: path.clone(),
        line: line_of(&text, error.span().map_or(0, |span| span.start)),
        reason: error.message().replace('\n', " "),
    })?;
    Ok((table, Source::File(path)))
}

fn variables(environment: &[(OsString, OsString)]) -> Result<Table, ConfigError> {
    let mut found = Table::new();
    for (name, value) in environment {
        let Some((name, suffix)) = name
            .to_str()
            .and_then(|name| Some((name, name.strip_prefix(VARIABLE_PREFIX)?)))
        else {
            continue;
        };
        // A name that is not in capitals stays as it is, and is no key.
        let key = suffix.to_ascii_lowercase();
        let key = if variable(&key) == name {
            key
        } else {
            name.to_owned()
        };
        let value = value.to_str().ok_or_else(|| ConfigError::BadValue {
            value: NOT_SHOWN.to_owned(),
            reason: values::NOT_TEXT.to_owned(),
            place: Source::Environment.place(&key),
            key: key.clone(),
        })?;
        found.insert(key, Value::String(value.to_owned()));
    }
    Ok(found)
}

/// The variable of a key. What begins like a variable is one.
fn variable(key: &str) -> String {
    if key.starts_with(VARIABLE_PREFIX) {
        key.to_owned()
    } else {
        format!("{VARIABLE_PREFIX}{}", key.to_ascii_uppercase())
    }
}

fn read(layer: Table, source: &Source) -> Result<Given, ConfigError> {
    let values = layer.clone();
    let given: Given = serde_path_to_error::deserialize(Value::Table(layer)).map_err(|error| {
        let key = error.path().to_string();
        ConfigError::BadValue {
            value: values::shown(&key, values.get(&key)),
            reason: error.into_inner().message().to_owned(),
            place: source.place(&key),
            key,
        }
    })?;
    match given.unknown.keys().next() {
        None => Ok(given),
        Some(key) => Err(ConfigError::UnknownKey {
            key: key.clone(),
            place: source.place(key),
        }),
    }
}

/// Line, from 1, of the byte at `offset`.
fn line_of(text: &str, offset: usize) -> usize {
    let before = text.as_bytes().iter().take(offset);
    1 + before.filter(|byte| **byte == b'\n').count()
}

#[cfg(test)]
mod tests;
