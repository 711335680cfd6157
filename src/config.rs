//! The configuration of the process: where it listens, where its data lies, what it may trust.
//!
//! Sources in rising priority: defaults, `config.toml`, `SEGNALAZIONI_*` variables, flags (`PRODUCT.md §2`). An unknown
//! key or a bad value stops the start with the key, the reason and where it was found, in Italian: the operator reads
//! it. This file never reads the environment by itself, never holds a secret (secrets live in files whose paths stand
//! here) and never repeats a value that may be one by mistake. Its values live in [`values`](mod@values).

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use ipnet::IpNet;
use jiff::tz::TimeZone;

mod encryption;
mod values;

use encryption::Wishes;
pub use encryption::{Automatic, Encryption};
use values::Raw;
pub use values::{LogFormat, LogLevel, PublicUrl};

/// Name of the configuration file that is read from the working folder when `--config` names none.
pub const DEFAULT_FILE: &str = "config.toml";

/// What every variable of ours begins with. One that names no key is refused: it is a mistyped one.
pub const VARIABLE_PREFIX: &str = "SEGNALAZIONI_";

/// Name of the key file, beside the data or in the folder of systemd's credentials.
pub const KEY_FILE_NAME: &str = "segnalazioni.key";

/// Where systemd puts the credentials of a unit (systemd.exec(5), `LoadCredential=`).
const CREDENTIALS_VARIABLE: &str = "CREDENTIALS_DIRECTORY";

/// Zone in which "today" starts at midnight, unless configured (`PRODUCT.md §1`).
const DEFAULT_TIME_ZONE: &str = "Europe/Rome";

/// Why no proxy can stand everywhere.
const EVERYBODY: &str = "fidarsi di tutti gli indirizzi lascerebbe a chiunque scegliere il proprio";

/// Why not every address can be allowed.
const EVERYWHERE: &str =
    "serve un elenco di indirizzi o reti precisi: così sarebbe permesso ogni indirizzo";

/// Takes one value into the draft, or says in Italian what would be right.
type Setter = fn(&mut Draft, &Raw) -> Result<(), String>;

/// Every key, as it is written in the file; in capitals behind [`VARIABLE_PREFIX`] it is the variable's name.
const KEYS: [(&str, Setter); 18] = [
    ("listen", |draft, raw| {
        raw.address().map(|address| draft.listen = Some(address))
    }),
    ("data_dir", |draft, raw| {
        raw.path().map(|path| draft.config.data_dir = path)
    }),
    ("public_url", |draft, raw| {
        raw.optional(Raw::url)
            .map(|url| draft.config.public_url = url)
    }),
    ("trusted_proxies", |draft, raw| {
        raw.networks(EVERYBODY)
            .map(|list| draft.config.trusted_proxies = list)
    }),
    ("tls_cert", |draft, raw| {
        raw.optional(Raw::path)
            .map(|path| draft.wishes.certificate = path)
    }),
    ("tls_key", |draft, raw| {
        raw.optional(Raw::path).map(|path| draft.wishes.key = path)
    }),
    ("domains", |draft, raw| {
        raw.domains().map(|names| draft.wishes.domains = names)
    }),
    ("acme_email", |draft, raw| {
        raw.optional(Raw::email)
            .map(|email| draft.wishes.email = email)
    }),
    ("acme_directory", |draft, raw| {
        raw.optional(Raw::directory)
            .map(|address| draft.wishes.directory = address)
    }),
    ("acme_root", |draft, raw| {
        raw.optional(Raw::path).map(|path| draft.wishes.root = path)
    }),
    ("http_listen", |draft, raw| {
        raw.optional(Raw::http_listen)
            .map(|listen| draft.wishes.http_listen = listen)
    }),
    ("log", |draft, raw| {
        raw.level().map(|level| draft.config.log = level)
    }),
    ("log_format", |draft, raw| {
        raw.format().map(|format| draft.config.log_format = format)
    }),
    ("time_zone", |draft, raw| {
        raw.time_zone().map(|zone| draft.config.time_zone = zone)
    }),
    ("key_file", |draft, raw| {
        raw.optional(Raw::path).map(|path| draft.key_file = path)
    }),
    ("outbound_allow", |draft, raw| {
        raw.networks(EVERYWHERE)
            .map(|list| draft.config.outbound_allow = list)
    }),
    ("insecure_http", |draft, raw| {
        raw.flag().map(|flag| draft.config.insecure_http = flag)
    }),
    ("metrics_listen", |draft, raw| {
        raw.optional(Raw::loopback_address)
            .map(|address| draft.config.metrics_listen = address)
    }),
];

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
    /// Where plain HTTP is answered with the way to the public address.
    pub http_listen: Option<SocketAddr>,
    /// The least serious events that are written to stderr.
    pub log: LogLevel,
    /// Shape of those lines.
    pub log_format: LogFormat,
    /// Where "today" starts at midnight.
    pub time_zone: TimeZone,
    /// File of the server's keys.
    pub key_file: PathBuf,
    /// Addresses that a webhook may have though they are not on the public internet.
    pub outbound_allow: Vec<IpNet>,
    /// The operator accepts that passwords and reports cross the network unencrypted.
    pub insecure_http: bool,
    /// Address and port of this machine on which monitoring is answered; nobody is when absent.
    pub metrics_listen: Option<SocketAddr>,
}

/// What the command line says about the configuration. A flag that was not given is `None` (or `false`).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Flags {
    /// `--config FILE`: read this file instead of [`DEFAULT_FILE`]; it must exist.
    pub config: Option<PathBuf>,
    /// `--data-dir DIR`
    pub data_dir: Option<PathBuf>,
    /// `--listen ADDR`
    pub listen: Option<String>,
    /// `--tls-cert FILE`
    pub tls_cert: Option<PathBuf>,
    /// `--tls-key FILE`
    pub tls_key: Option<PathBuf>,
    /// `--domain NAME`, as often as there are names
    pub domains: Vec<String>,
    /// `--http-listen ADDR`
    pub http_listen: Option<String>,
    /// `--insecure-http`
    pub insecure_http: bool,
    /// `--metrics-listen ADDR`
    pub metrics_listen: Option<String>,
}

/// Where a value was found: part of every message about it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Source {
    /// The defaults of the program.
    #[error("tra i valori predefiniti")]
    Default,
    /// A configuration file.
    #[error("nel file «{}»", .0.display())]
    File(PathBuf),
    /// A variable of the environment, by its full name.
    #[error("nella variabile {0}")]
    Variable(String),
    /// A flag, with its dashes.
    #[error("nell'opzione {0}")]
    Flag(&'static str),
}

/// Why the program does not start. The text is Italian and meant for the operator; one line.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file that was named, or the one in the working folder, cannot be read.
    #[error("il file di configurazione «{}» non si può leggere: {reason}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the operating system says.
        reason: std::io::Error,
    },
    /// The file is not TOML.
    #[error("il file di configurazione «{}» non è TOML valido, riga {line}: {reason}", path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// Line of the mistake, from 1.
        line: usize,
        /// What the parser says (in English).
        reason: String,
    },
    /// A key that does not exist.
    #[error(
        "chiave sconosciuta «{}» {origin}, valore non mostrato: le chiavi ammesse sono {}",
        key.escape_debug(),
        key_names()
    )]
    UnknownKey {
        /// The key as written. What it is set to may be a secret.
        key: String,
        /// Where it stands.
        origin: Source,
    },
    /// A value which its key does not allow.
    #[error("valore non valido per «{key}» {origin}: {value}: {reason}")]
    BadValue {
        /// The key.
        key: &'static str,
        /// The value as written, or that it is not shown.
        value: String,
        /// What is wrong with it, and what would be right.
        reason: String,
        /// Where it stands.
        origin: Source,
    },
    /// The settings, each valid, do not go together.
    #[error("«{key}» = «{value}»: {reason}")]
    Conflict {
        /// The key that does not fit.
        key: &'static str,
        /// Its value.
        value: String,
        /// With what it does not fit, and what would.
        reason: &'static str,
    },
    /// The settings, each valid, would together send passwords in the clear over a network (ASVS 12.2.1).
    #[error(
        "«{key}» = «{value}»: {reason}; se è proprio quello che si vuole, insecure_http = true (o --insecure-http)"
    )]
    InsecureHttp {
        /// The key that opens the door.
        key: &'static str,
        /// Its value.
        value: String,
        /// What would happen.
        reason: &'static str,
    },
}

impl Config {
    /// Puts the configuration together.
    ///
    /// `environment` is the environment of the process (`std::env::vars_os()`), `working_dir` the folder in which
    /// [`DEFAULT_FILE`] is looked for. Relative paths stay relative to the working folder of the process.
    pub fn load(
        flags: &Flags,
        environment: impl IntoIterator<Item = (OsString, OsString)>,
        working_dir: &Path,
    ) -> Result<Self, ConfigError> {
        let mut draft = Draft::default();
        draft.set(
            "time_zone",
            &Raw::Text(DEFAULT_TIME_ZONE.into()),
            Source::Default,
        )?;
        draft.read_file(flags.config.as_deref(), working_dir)?;
        let credentials = draft.read_environment(environment)?;
        draft.read_flags(flags)?;
        draft.finish(credentials.as_deref())
    }

    /// Whether browsers reach us over TLS, so that they may be told to insist on it.
    pub fn is_https(&self) -> bool {
        self.encryption != Encryption::None
            || self.public_url.as_ref().is_some_and(PublicUrl::is_https)
    }

    /// `scheme://host[:port]` by which the program is reached: the public address, or else where it listens (`listening`,
    /// which knows the port that the machine chose).
    pub fn origin(&self, listening: SocketAddr) -> String {
        let scheme = if self.is_https() { "https" } else { "http" };
        self.public_url.as_ref().map_or_else(
            || format!("{scheme}://{listening}"),
            |url| url.origin().to_owned(),
        )
    }
}

/// The configuration while the sources are laid over each other. What is missing in it is settled at the end.
struct Draft {
    config: Config,
    listen: Option<SocketAddr>,
    key_file: Option<PathBuf>,
    wishes: Wishes,
}

impl Default for Draft {
    fn default() -> Self {
        Self {
            config: Config {
                listen: SocketAddr::from(([127, 0, 0, 1], 8080)),
                data_dir: PathBuf::from("./data"),
                public_url: None,
                trusted_proxies: Vec::new(),
                encryption: Encryption::None,
                http_listen: None,
                log: LogLevel::Info,
                log_format: LogFormat::Text,
                time_zone: TimeZone::UTC,
                key_file: PathBuf::new(),
                outbound_allow: Vec::new(),
                insecure_http: false,
                metrics_listen: None,
            },
            listen: None,
            key_file: None,
            wishes: Wishes::default(),
        }
    }
}

impl Draft {
    fn read_file(&mut self, named: Option<&Path>, working_dir: &Path) -> Result<(), ConfigError> {
        let path = named.map_or_else(|| working_dir.join(DEFAULT_FILE), Path::to_path_buf);
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if named.is_none() && error.kind() == std::io::ErrorKind::NotFound => {
                return Ok(());
            }
            Err(reason) => return Err(ConfigError::Unreadable { path, reason }),
        };
        let table = text
            .parse::<toml::Table>()
            .map_err(|error| ConfigError::Syntax {
                path: path.clone(),
                line: line_of(&text, error.span().map_or(0, |span| span.start)),
                reason: error.message().replace('\n', " "),
            })?;
        for (key, value) in table {
            self.set(&key, &Raw::Toml(value), Source::File(path.clone()))?;
        }
        Ok(())
    }

    /// Answers the folder of systemd's credentials, if there is one.
    fn read_environment(
        &mut self,
        environment: impl IntoIterator<Item = (OsString, OsString)>,
    ) -> Result<Option<PathBuf>, ConfigError> {
        let mut credentials = None;
        for (name, value) in environment {
            let Some(name) = name.to_str() else { continue };
            if name == CREDENTIALS_VARIABLE {
                credentials = Some(PathBuf::from(value));
            } else if let Some(key) = name.strip_prefix(VARIABLE_PREFIX) {
                // A key in small letters would be taken for ours and never be found by someone who looks for it.
                let key = if key.bytes().any(|byte| byte.is_ascii_lowercase()) {
                    name.to_owned()
                } else {
                    key.to_ascii_lowercase()
                };
                self.set(&key, &Raw::Text(value), Source::Variable(name.to_owned()))?;
            }
        }
        Ok(credentials)
    }

    fn read_flags(&mut self, flags: &Flags) -> Result<(), ConfigError> {
        let path = |path: &Option<PathBuf>| path.clone().map(PathBuf::into_os_string);
        let text = |text: &Option<String>| text.clone().map(OsString::from);
        let names = (!flags.domains.is_empty()).then(|| flags.domains.join(",").into());
        let given = [
            ("data_dir", "--data-dir", path(&flags.data_dir)),
            ("listen", "--listen", text(&flags.listen)),
            ("tls_cert", "--tls-cert", path(&flags.tls_cert)),
            ("tls_key", "--tls-key", path(&flags.tls_key)),
            ("domains", "--domain", names),
            ("http_listen", "--http-listen", text(&flags.http_listen)),
            (
                "metrics_listen",
                "--metrics-listen",
                text(&flags.metrics_listen),
            ),
        ];
        for (key, flag, value) in given {
            if let Some(value) = value {
                self.set(key, &Raw::Text(value), Source::Flag(flag))?;
            }
        }
        if flags.insecure_http {
            self.config.insecure_http = true;
        }
        Ok(())
    }

    fn set(&mut self, key: &str, raw: &Raw, origin: Source) -> Result<(), ConfigError> {
        let Some((known, setter)) = KEYS.into_iter().find(|(known, _)| *known == key) else {
            return Err(ConfigError::UnknownKey {
                key: key.to_owned(),
                origin,
            });
        };
        setter(self, raw).map_err(|reason| ConfigError::BadValue {
            key: known,
            value: raw.shown_for(known),
            reason,
            origin,
        })
    }

    /// Settles what depends on several keys.
    fn finish(self, credentials: Option<&Path>) -> Result<Config, ConfigError> {
        let credential = credentials
            .map(|folder| folder.join(KEY_FILE_NAME))
            .filter(|file| file.exists());
        let key_file = self
            .key_file
            .or(credential)
            .unwrap_or_else(|| self.config.data_dir.join(KEY_FILE_NAME));
        let mut config = Config {
            key_file,
            ..self.config
        };
        self.wishes.settle(self.listen, &mut config)?;
        refuse_insecure_http(&config)?;
        Ok(config)
    }
}

/// Refuses an installation whose passwords and reports would cross a network unencrypted, unless the operator says so.
fn refuse_insecure_http(config: &Config) -> Result<(), ConfigError> {
    if config.insecure_http || config.encryption != Encryption::None {
        return Ok(());
    }
    match &config.public_url {
        Some(url) if url.is_https() => Ok(()),
        Some(url) if !url.is_loopback() => Err(ConfigError::InsecureHttp {
            key: "public_url",
            value: url.origin().to_owned(),
            reason: "password e segnalazioni viaggerebbero in chiaro; serve un indirizzo https://",
        }),
        _ if config.listen.ip().to_canonical().is_loopback() => Ok(()),
        _ if !config.trusted_proxies.is_empty() => Ok(()),
        _ => Err(ConfigError::InsecureHttp {
            key: "listen",
            value: config.listen.to_string(),
            reason: "fuori da questa macchina password e segnalazioni viaggerebbero in chiaro; serve un \
                     certificato (domains, o tls_cert e tls_key), o davanti un proxy con TLS, dichiarato con public_url = \
                     \"https://…\" o con trusted_proxies",
        }),
    }
}

fn key_names() -> String {
    KEYS.map(|(name, _)| name).join(", ")
}

/// Line, from 1, of the byte at `offset`.
fn line_of(text: &str, offset: usize) -> usize {
    let before = text.as_bytes().iter().take(offset);
    1 + before.filter(|byte| **byte == b'\n').count()
}

#[cfg(test)]
mod tests;
