//! The configuration: what wins over what, and what is refused with which words.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use ipnet::IpNet;
use tempfile::TempDir;

use super::{Config, ConfigError, Flags, LogFormat, LogLevel};

mod measured;
mod secrets;

/// A working folder with a `config.toml` in it, and an environment.
struct Setup {
    folder: TempDir,
    variables: Vec<(OsString, OsString)>,
    flags: Flags,
}

impl Setup {
    fn new() -> Self {
        Self {
            folder: tempfile::tempdir().expect("a temporary folder"),
            variables: Vec::new(),
            flags: Flags::default(),
        }
    }

    fn file(self, text: &str) -> Self {
        fs::write(self.folder.path().join("config.toml"), text).expect("written");
        self
    }

    fn variable(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.variables.push((name.into(), value.into()));
        self
    }

    fn load(&self) -> Result<Config, ConfigError> {
        Config::load(&self.flags, self.variables.clone(), self.folder.path())
    }

    fn config(&self) -> Config {
        self.load().expect("a good configuration")
    }

    fn refusal(&self) -> String {
        let text = self.load().expect_err("a refusal").to_string();
        assert!(!text.contains('\n'), "one line: {text}");
        text
    }
}

fn file(text: &str) -> Setup {
    Setup::new().file(text)
}

#[test]
fn nothing_configured_gives_the_defaults() {
    let config = Setup::new()
        .variable("PATH", "/bin")
        .variable("RUST_LOG", "trace")
        .config();
    assert_eq!(config.listen.to_string(), "127.0.0.1:8080");
    assert_eq!(config.data_dir, Path::new("./data"));
    assert_eq!(config.public_url, None);
    assert!(config.trusted_proxies.is_empty());
    assert!(config.outbound_allow.is_empty());
    assert_eq!(config.log, LogLevel::Info);
    assert_eq!(config.log_format, LogFormat::Text);
    assert_eq!(config.time_zone.iana_name(), Some("Europe/Rome"));
    assert_eq!(config.key_file, Path::new("./data/segnalazioni.key"));
    assert!(!config.insecure_http);
    assert!(!config.is_https());
    assert_eq!(config.metrics_listen, None);
}

#[test]
fn the_example_documents_every_key_with_its_default() {
    let example = include_str!("../../config.example.toml");
    let setting = |line: &&str| {
        let rest = line.strip_prefix('#').unwrap_or_default();
        rest.starts_with(|first: char| first.is_ascii_lowercase()) && rest.contains(" = ")
    };
    let lines: Vec<&str> = example
        .lines()
        .filter(setting)
        .map(|line| &line[1..])
        .collect();
    let keys: Vec<&str> = lines
        .iter()
        .filter_map(|line| line.split(' ').next())
        .collect();
    assert_eq!(keys, super::KEYS.map(|(name, _)| name));
    assert_eq!(file(&lines.join("\n")).config(), Setup::new().config());
    assert_eq!(file(example).config(), Setup::new().config(), "as it comes");
}

#[test]
fn file_then_variables_then_flags() {
    let mut setup =
        file("listen = '127.0.0.1:1'\ndata_dir = 'a'\nlog = 'debug'\ntime_zone = 'UTC'")
            .variable("SEGNALAZIONI_LISTEN", "127.0.0.1:2")
            .variable("SEGNALAZIONI_DATA_DIR", "b");
    setup.flags.listen = Some("127.0.0.1:3".to_owned());
    let config = setup.config();
    assert_eq!(config.listen.port(), 3);
    assert_eq!(config.data_dir, Path::new("b"));
    assert_eq!(config.key_file, Path::new("b/segnalazioni.key"));
    assert_eq!(config.log, LogLevel::Debug);
    assert_eq!(config.time_zone.iana_name(), Some("UTC"));
    setup.flags.data_dir = Some(PathBuf::from("c"));
    assert_eq!(setup.config().data_dir, Path::new("c"));
}

#[test]
fn every_key_can_be_a_variable() {
    let config = Setup::new()
        .variable("SEGNALAZIONI_LISTEN", "[::1]:0")
        .variable("SEGNALAZIONI_DATA_DIR", "/srv/dati")
        .variable("SEGNALAZIONI_PUBLIC_URL", "https://Tips.Example.org/")
        .variable(
            "SEGNALAZIONI_TRUSTED_PROXIES",
            "127.0.0.1, 10.1.2.3/8,, ::ffff:192.168.0.0/112",
        )
        .variable("SEGNALAZIONI_LOG", "warn")
        .variable("SEGNALAZIONI_LOG_FORMAT", "json")
        .variable("SEGNALAZIONI_TIME_ZONE", "Europe/Lisbon")
        .variable("SEGNALAZIONI_KEY_FILE", "/etc/chiavi")
        .variable("SEGNALAZIONI_OUTBOUND_ALLOW", "10.0.7.20")
        .variable("SEGNALAZIONI_INSECURE_HTTP", "true")
        .config();
    let proxies: Vec<String> = config
        .trusted_proxies
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(config.listen.to_string(), "[::1]:0");
    assert_eq!(proxies, ["127.0.0.1/32", "10.0.0.0/8", "192.168.0.0/16"]);
    assert_eq!(
        config.public_url.as_ref().map(super::PublicUrl::origin),
        Some("https://tips.example.org")
    );
    assert!(config.is_https());
    assert_eq!(
        (config.log, config.log_format),
        (LogLevel::Warn, LogFormat::Json)
    );
    assert_eq!(config.time_zone.iana_name(), Some("Europe/Lisbon"));
    assert_eq!(config.key_file, Path::new("/etc/chiavi"));
    assert_eq!(
        config.outbound_allow,
        ["10.0.7.20/32".parse::<IpNet>().unwrap()]
    );
    assert!(config.insecure_http);
}

#[test]
fn the_named_file_is_read_instead_and_must_exist() {
    let mut setup = file("log = 'error'");
    setup.flags.config = Some(setup.folder.path().join("altro.toml"));
    let refusal = setup.refusal();
    assert!(refusal.contains("altro.toml"), "{refusal}");
    fs::write(
        setup.folder.path().join("altro.toml"),
        "log_format = 'json'",
    )
    .expect("written");
    let config = setup.config();
    assert_eq!(
        (config.log, config.log_format),
        (LogLevel::Info, LogFormat::Json)
    );
}

#[test]
fn a_bad_value_is_named_with_key_value_reason_and_source() {
    for (text, key, value, reason) in [
        ("listen = '8080'", "listen", "8080", "127.0.0.1:8080"),
        ("listen = 8080", "listen", "8080", "tra virgolette"),
        (
            "listen = 'localhost:8080'",
            "listen",
            "localhost:8080",
            "serve un indirizzo",
        ),
        ("data_dir = ''", "data_dir", "", "percorso"),
        ("data_dir = true", "data_dir", "true", "tra virgolette"),
        (
            "public_url = 'example.org'",
            "public_url",
            "example.org",
            "https://",
        ),
        (
            "public_url = 'https://example.org/paibeta'",
            "public_url",
            "/paibeta",
            "senza percorso",
        ),
        (
            "trusted_proxies = '10.0.0.0/33'",
            "trusted_proxies",
            "10.0.0.0/33",
            "reti",
        ),
        (
            "trusted_proxies = ['10.0.0.0/8', 7]",
            "trusted_proxies",
            "7",
            "reti",
        ),
        ("trusted_proxies = 7", "trusted_proxies", "7", "reti"),
        (
            "trusted_proxies = ['0.0.0.0/0']",
            "trusted_proxies",
            "0.0.0.0/0",
            "chiunque",
        ),
        (
            "trusted_proxies = ['::/0']",
            "trusted_proxies",
            "::/0",
            "chiunque",
        ),
        (
            "log = 'segnalazioni=debug'",
            "log",
            "segnalazioni=debug",
            "error, warn",
        ),
        ("log = 'INFO'", "log", "INFO", "error, warn"),
        ("log_format = 'xml'", "log_format", "xml", "text, json"),
        (
            "time_zone = 'Europe/Roma'",
            "time_zone",
            "Europe/Roma",
            "IANA",
        ),
        ("data_dir = []", "data_dir", "[]", "tra virgolette"),
        (
            "insecure_http = 'true'",
            "insecure_http",
            "true",
            "true, false",
        ),
    ] {
        let refusal = file(text).refusal();
        for part in [
            &format!("«{key}»"),
            value,
            reason,
            "nel file «",
            "config.toml",
        ] {
            assert!(refusal.contains(part), "{text}: {part}: {refusal}");
        }
    }
    let refusal = Setup::new()
        .variable("SEGNALAZIONI_INSECURE_HTTP", "sì")
        .refusal();
    assert!(
        refusal.contains("«insecure_http» nella variabile SEGNALAZIONI_INSECURE_HTTP: «sì»"),
        "{refusal}"
    );
    let mut setup = Setup::new();
    setup.flags.listen = Some("a\nb".to_owned());
    let refusal = setup.refusal();
    assert!(
        refusal.contains("nell'opzione --listen: «a\\nb»"),
        "{refusal}"
    );
}

#[test]
fn what_webhooks_may_reach_is_a_list_of_networks_and_never_everything() {
    let config = file("outbound_allow = ['127.0.0.1', '::ffff:10.0.0.0/104']").config();
    let allowed: Vec<String> = config
        .outbound_allow
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(allowed, ["127.0.0.1/32", "10.0.0.0/8"]);
    for (text, reason) in [
        ("outbound_allow = ['::/0']", "ogni indirizzo"),
        ("outbound_allow = ['0.0.0.0/0']", "ogni indirizzo"),
        ("outbound_allow = ['localhost']", "reti"),
    ] {
        let refusal = file(text).refusal();
        assert!(
            refusal.contains("«outbound_allow»") && refusal.contains(reason),
            "{refusal}"
        );
    }
}

#[test]
fn a_bad_value_is_refused_even_when_something_stronger_overrides_it() {
    let setup = file("listen = 'x'").variable("SEGNALAZIONI_LISTEN", "127.0.0.1:1");
    assert!(setup.refusal().contains("config.toml"));
}

#[test]
fn unknown_keys_and_variables_are_refused() {
    let refusal = file("lissen = '127.0.0.1:1'").refusal();
    assert!(refusal.contains("«lissen» nel file «"), "{refusal}");
    assert!(refusal.contains("listen, data_dir"), "{refusal}");
    let refusal = file("[server]\nlisten = '127.0.0.1:1'").refusal();
    assert!(refusal.contains("«server»"), "{refusal}");
    for name in [
        "SEGNALAZIONI_LISSEN",
        "SEGNALAZIONI_",
        "SEGNALAZIONI_listen",
        "SEGNALAZIONI_LOG_LEVEL",
    ] {
        let refusal = Setup::new().variable(name, "x").refusal();
        assert!(
            refusal.contains(&format!("» nella variabile {name}, valore non mostrato:")),
            "{refusal}"
        );
    }
}

#[test]
fn a_file_that_is_not_toml_is_refused_with_its_line() {
    let refusal = file("log = 'info'\n\nlisten = 127.0.0.1").refusal();
    assert!(
        refusal.contains("config.toml") && refusal.contains("riga 3"),
        "{refusal}"
    );
    let twice = file("log = 'info'\nlog = 'debug'").refusal();
    assert!(twice.contains("riga 2"), "{twice}");
}

#[test]
fn a_config_that_is_a_folder_is_refused() {
    let setup = Setup::new();
    fs::create_dir(setup.folder.path().join("config.toml")).expect("made");
    assert!(setup.refusal().contains("non si può leggere"));
}

#[test]
fn an_empty_text_takes_an_optional_value_back() {
    let config =
        file("public_url = 'https://example.org'\nkey_file = 'k'\ntrusted_proxies = ['10.0.0.1']")
            .variable("SEGNALAZIONI_PUBLIC_URL", "")
            .variable("SEGNALAZIONI_KEY_FILE", "")
            .variable("SEGNALAZIONI_TRUSTED_PROXIES", "")
            .config();
    assert_eq!(config, Setup::new().config());
}

#[test]
fn the_key_comes_from_systemd_unless_the_operator_says_where_it_is() {
    let credentials = tempfile::tempdir().expect("a temporary folder");
    let setup = || Setup::new().variable("CREDENTIALS_DIRECTORY", credentials.path());
    assert_eq!(
        setup().config().key_file,
        Path::new("./data/segnalazioni.key"),
        "no such credential"
    );
    let key = credentials.path().join("segnalazioni.key");
    fs::write(&key, "k").expect("written");
    assert_eq!(setup().config().key_file, key);
    assert_eq!(
        setup().file("key_file = 'altrove'").config().key_file,
        Path::new("altrove")
    );
}

#[cfg(unix)]
#[test]
fn paths_need_not_be_text_but_everything_else_does() {
    use std::os::unix::ffi::OsStringExt;
    let odd = || OsString::from_vec(b"dati-\xff".to_vec());
    let config = Setup::new()
        .variable("SEGNALAZIONI_DATA_DIR", odd())
        .config();
    assert_eq!(config.data_dir.as_os_str(), odd());
    assert!(
        Setup::new()
            .variable("SEGNALAZIONI_LOG", odd())
            .refusal()
            .contains("UTF-8")
    );
}

#[test]
fn plain_http_beyond_this_machine_needs_a_word_of_the_operator() {
    for (text, culprit) in [
        ("listen = '0.0.0.0:8080'", Some("listen")),
        ("listen = '[::]:8080'", Some("listen")),
        (
            "listen = '192.168.1.5:8080'\npublic_url = 'http://localhost:8080'",
            Some("listen"),
        ),
        ("public_url = 'http://tips.example.org'", Some("public_url")),
        (
            "public_url = 'http://localhost.example.org'",
            Some("public_url"),
        ),
        (
            "public_url = 'http://127.0.0.1.example.org'",
            Some("public_url"),
        ),
        (
            "public_url = 'http://192.168.1.5'\ntrusted_proxies = ['192.168.1.6']",
            Some("public_url"),
        ),
        ("listen = '127.0.0.9:80'", None),
        ("listen = '[::1]:80'", None),
        ("listen = '[::ffff:127.0.0.1]:80'", None),
        (
            "listen = '0.0.0.0:80'\npublic_url = 'https://tips.example.org'",
            None,
        ),
        (
            "listen = '0.0.0.0:80'\ntrusted_proxies = ['172.17.0.0/16']",
            None,
        ),
        ("public_url = 'http://localhost:9000'", None),
        ("public_url = 'http://[::1]:9000'", None),
    ] {
        let setup = file(text);
        match culprit {
            None => drop(setup.config()),
            Some(key) => {
                let refusal = setup.refusal();
                assert!(refusal.starts_with(&format!("«{key}» = «")), "{refusal}");
                assert!(refusal.contains("--insecure-http"), "{refusal}");
                let accepted = file(&format!("{text}\ninsecure_http = true")).config();
                assert!(accepted.insecure_http);
                let mut flagged = file(text);
                flagged.flags.insecure_http = true;
                assert!(flagged.config().insecure_http);
            }
        }
    }
}

#[test]
fn public_addresses_are_origins() {
    for (text, origin) in [
        ("https://example.org", "https://example.org"),
        ("HTTPS://EXAMPLE.org:443/", "https://example.org"),
        ("https://example.org:8443", "https://example.org:8443"),
        ("http://localhost:80", "http://localhost"),
        ("http://[::1]:8080/", "http://[::1]:8080"),
        (
            "https://xn--citt-eka.example",
            "https://xn--citt-eka.example",
        ),
    ] {
        let url: super::PublicUrl = text.parse().expect(text);
        assert_eq!(url.origin(), origin, "{text}");
    }
    for text in [
        "",
        "https://",
        "https:///",
        "ftp://example.org",
        "//example.org",
        "https://a b",
        "https://a_b",
        "https://user@example.org",
        "https://example.org?x",
        "https://example.org#x",
        "https://example.org//",
        "https://example.org:",
        "https://example.org:0",
        "https://example.org:99999",
        "https://example.org:+1",
        "https://[::1",
        "https://[::g]",
        "https://-a.org",
        "https://a..b",
        "https://città.example",
        "https://example.org/paibeta",
        "https://[::1]x:1",
    ] {
        assert!(text.parse::<super::PublicUrl>().is_err(), "{text}");
    }
}
