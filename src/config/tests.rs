//! The configuration: what wins over what, and what is refused with which words.

use std::path::Path;

use super::*;

fn load(file: &str, variables: &[(&str, &str)], flags: &Flags) -> Result<Config> {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("config.toml"), file).expect("written");
    let variables = variables
        .iter()
        .map(|(name, value)| (OsString::from(*name), OsString::from(*value)));
    Config::load(flags, variables, folder.path())
}

fn config(file: &str, variables: &[(&str, &str)]) -> Config {
    load(file, variables, &Flags::default()).expect(file)
}

fn refusal(file: &str, variables: &[(&str, &str)]) -> String {
    let error = load(file, variables, &Flags::default()).expect_err(file);
    let text = error.to_string();
    assert!(!text.contains('\n'), "one line: {text}");
    text
}

fn texts(values: &[impl ToString]) -> Vec<String> {
    values.iter().map(ToString::to_string).collect()
}

#[test]
fn the_example_documents_every_key_with_its_default() {
    let example = include_str!("../../config.example.toml");
    let lines: Vec<&str> = example
        .lines()
        .filter_map(|line| line.strip_prefix('#'))
        .filter(|line| line.starts_with(|first: char| first.is_ascii_lowercase()))
        .filter(|line| line.contains(" = "))
        .collect();
    let documented: Vec<&str> = lines
        .iter()
        .filter_map(|line| line.split(' ').next())
        .collect();
    let fields = format!("{:#?}", SourceValues::default());
    let known: Vec<&str> = fields
        .lines()
        .filter_map(|line| line.strip_prefix("    ")?.split_once(": "))
        .map(|(name, _)| name)
        .collect();
    assert_eq!(documented, known);
    let defaults = config("", &[("PATH", "/bin"), ("RUST_LOG", "trace")]);
    assert_eq!(config(&lines.join("\n"), &[]), defaults);
    assert_eq!(config(example, &[]), defaults, "as it comes");
    assert_eq!(defaults.listen.to_string(), "127.0.0.1:8080");
    assert_eq!(defaults.key_file, Path::new("./data/segnalazioni.key"));
    assert!(!defaults.is_https() && !defaults.insecure_http);
}

#[test]
fn file_then_variables_then_flags() {
    let file = "listen = '127.0.0.1:1'\ndata_dir = 'a'\nlog = 'debug'\npublic_url = 'https://a.it'\ninsecure_http = true";
    let variables = [
        ("SEGNALAZIONI_LISTEN", "127.0.0.1:2"),
        ("SEGNALAZIONI_DATA_DIR", "b"),
        ("SEGNALAZIONI_PUBLIC_URL", ""),
    ];
    let flags = Flags {
        listen: vec!["127.0.0.1:3".to_owned()],
        ..Flags::default()
    };
    let config = load(file, &variables, &flags).expect("good");
    assert_eq!(config.listen.port(), 3);
    assert_eq!(config.key_file, Path::new("b/segnalazioni.key"));
    assert_eq!(config.log, LevelFilter::DEBUG);
    assert_eq!(config.public_url, None, "an empty text takes it back");
    assert!(config.insecure_http);
    let refused = load("listen = 'x'", &variables, &flags).expect_err("even when overridden");
    assert!(refused.to_string().contains("config.toml"), "{refused}");
}

#[test]
fn lists_are_arrays_in_the_file_and_commas_in_a_variable() {
    let file = "trusted_proxies = ['127.0.0.1', '10.1.2.3/8', '::ffff:192.168.0.1']";
    let plain = ["127.0.0.1/32", "10.0.0.0/8", "192.168.0.1/32"];
    assert_eq!(texts(&config(file, &[]).trusted_proxies), plain);
    let variable = [(
        "SEGNALAZIONI_OUTBOUND_ALLOW",
        "127.0.0.1, 10.1.2.3/8,, ::ffff:192.168.0.1",
    )];
    assert_eq!(texts(&config("", &variable).outbound_allow), plain);
}

const ONION: &str = "http://2gzyxa5ihm7nsggfxnu52rck2vv4rvmdlkiu3zzui5du4xyclen53wid.onion";

#[test]
fn it_listens_on_addresses_and_on_sockets_for_tor() {
    let socket = "unix:/run/segnalazioni/onion.sock";
    for (text, addresses) in [
        (format!("listen = '{socket}'"), &["127.0.0.1:8080"][..]),
        (format!("listen = ['{socket}', '[::1]:1']"), &["[::1]:1"]),
        (
            format!("listen = '127.0.0.1:1, {socket},127.0.0.1:2'"),
            &["127.0.0.1:1", "127.0.0.1:2"],
        ),
    ] {
        let found = config(&text, &[]);
        let all = [vec![found.listen], found.more_listen].concat();
        assert_eq!(texts(&all), addresses, "{text}");
        let sockets = [Path::new("/run/segnalazioni/onion.sock")];
        assert_eq!(found.onion_sockets, sockets, "{text}");
    }
    let flags = Flags {
        listen: vec![socket.to_owned(), "127.0.0.1:3".to_owned()],
        ..Flags::default()
    };
    let found = load("listen = '127.0.0.1:1'", &[], &flags).expect("good");
    assert_eq!((found.listen.port(), found.onion_sockets.len()), (3, 1));
    let found = config(&format!("domains = 'a.example'\nlisten = '{socket}'"), &[]);
    assert_eq!(found.listen.port(), 443);
    let open = refusal("listen = ['127.0.0.1:1', '0.0.0.0:2']", &[]);
    assert!(open.contains("«listen» = «0.0.0.0:2»"), "{open}");
    let onion = format!("onion_url = '{}/'", ONION.to_uppercase());
    assert_eq!(config(&onion, &[]).onion_url.as_deref(), Some(ONION));
}

#[test]
fn sockets_and_onion_services_that_cannot_be_are_refused() {
    let long = format!("unix:/{}", "a".repeat(107));
    for socket in [
        "unix:",
        "unix:/",
        "unix:onion.sock",
        "unix:./onion.sock",
        "unix:/run/",
        "unix:/run/.",
        "unix:/run/..",
        "unix://",
        "unix",
        "/run/onion.sock",
        &long,
    ] {
        let told = refusal(&format!("listen = ['127.0.0.1:1', '{socket}']"), &[]);
        assert!(
            told.contains("«listen» nel file") && told.contains("come unix:/run/"),
            "{told}"
        );
    }
    let host = &ONION[7..];
    for url in [
        &format!("https://{host}"),
        &format!("{ONION}/paibeta"),
        &format!("{ONION}/?x"),
        &format!("http://x@{host}"),
        host,
        "http://segnala.example",
        "http://corto.onion",
        "http://.onion",
        &ONION.replace("2gzy", "1gzy"),
        &ONION.replace("2gzy", "gzy"),
        "http://expyuzz4wqqyqhjn.onion",
    ] {
        let told = refusal(&format!("onion_url = '{url}'"), &[]);
        contains_all(
            &told,
            &[
                "«onion_url» nel file",
                "come http://….onion, senza percorso",
            ],
        );
    }
}

fn contains_all(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn a_bad_value_is_named_with_key_value_reason_and_place() {
    for (text, value, reason) in [
        ("listen = '8080'", "«8080»", "127.0.0.1:8080"),
        ("listen = 8080", "«8080»", "127.0.0.1:8080"),
        (
            "listen = 'localhost:8080'",
            "«localhost:8080»",
            "serve un indirizzo",
        ),
        ("data_dir = []", "«[]»", "tra virgolette"),
        ("public_url = 'example.org'", "«example.org»", "https://"),
        ("trusted_proxies = '10.0.0.0/33'", "«10.0.0.0/33»", "reti"),
        ("trusted_proxies = ['10.0.0.0/8', 7]", "7", "elenco"),
        (
            "trusted_proxies = '[\"127.0.0.1\"]'",
            "127.0.0.1",
            "divisi da virgole, come 127.0.0.1, 10.0.0.0/8",
        ),
        (
            "trusted_proxies = ['0.0.0.0/0']",
            "0.0.0.0/0",
            "ogni indirizzo",
        ),
        ("outbound_allow = ['::/0']", "::/0", "ogni indirizzo"),
        ("outbound_allow = '::ffff:10.0.0.0/104'", "::ffff", "reti"),
        ("log = 'INFO'", "«INFO»", "error, warn"),
        ("log = 'off'", "«off»", "error, warn"),
        ("log_format = 'xml'", "«xml»", "text, json"),
        ("time_zone = 'Europe/Roma'", "«Europe/Roma»", "IANA"),
        ("insecure_http = 'sì'", "«sì»", "true, false"),
        ("http_listen = '80'", "«80»", "0.0.0.0:80, oppure no"),
        (
            "metrics_listen = '0.0.0.0:9187'",
            "«0.0.0.0:9187»",
            "di questa stessa macchina",
        ),
        (
            "metrics_listen = '[fe80::1]:9187'",
            "«[fe80::1]:9187»",
            "di questa stessa macchina",
        ),
        (
            "domains = 'https://segnala.example.it'",
            "https://",
            "servono nomi",
        ),
        ("domains = ['*.example.it']", "*", "servono nomi"),
        ("domains = '192.0.2.7'", "192", "servono nomi"),
        (
            "acme_email = 'a@b,c@d'",
            "«a@b,c@d»",
            "serve un indirizzo email",
        ),
        (
            "acme_directory = 'http://ca.example/dir'",
            "http:",
            "serve un indirizzo https://",
        ),
    ] {
        let (key, _) = text.split_once(' ').expect("a key");
        let told = refusal(text, &[]);
        for part in [&format!("«{key}» nel file «"), value, reason, "config.toml"] {
            assert!(told.contains(part), "{text}: {part}: {told}");
        }
    }
    let told = refusal("", &[("SEGNALAZIONI_INSECURE_HTTP", "sì")]);
    let place = "«insecure_http» nella variabile SEGNALAZIONI_INSECURE_HTTP: «sì»";
    assert!(told.contains(place), "{told}");
    let flags = Flags {
        listen: vec!["a\nb".to_owned()],
        ..Flags::default()
    };
    let told = load("", &[], &flags).expect_err("refused").to_string();
    assert!(told.contains("nell'opzione --listen: «a\\nb»"), "{told}");
}

#[test]
fn unknown_keys_and_variables_and_files_that_are_no_toml_are_refused() {
    let told = refusal("lissen = '127.0.0.1:1'", &[]);
    assert!(told.contains("«lissen» nel file «"), "{told}");
    assert!(refusal("[server]\nlisten = '127.0.0.1:1'", &[]).contains("«server»"));
    for name in ["LISSEN", "", "LOG_LEVEL"] {
        let name = format!("{VARIABLE_PREFIX}{name}");
        let told = refusal("", &[(&name, "x")]);
        let place = format!("» nella variabile {name}, valore non mostrato:");
        assert!(told.contains(&place), "{told}");
    }
    assert!(refusal("log = 'info'\n\nlisten = 127.0.0.1", &[]).contains("riga 3"));
    assert!(refusal("log = 'info'\nlog = 'debug'", &[]).contains("riga 2"));
    let flags = Flags {
        common: CommonFlags {
            config: Some("altrove.toml".into()),
            ..CommonFlags::default()
        },
        ..Flags::default()
    };
    let told = load("", &[], &flags).expect_err("must exist").to_string();
    assert!(told.contains("«altrove.toml» non si può leggere"), "{told}");
}

#[test]
fn what_may_be_a_secret_is_never_repeated() {
    let secret = "hunter2";
    for text in [
        "password = 'hunter2'",
        "'a\\nb' = 'hunter2'",
        "[smtp]\npassword = 'hunter2'",
        "token = ['hunter2', 2]",
        "public_url = 'https://redazione:hunter2@example.org'",
        "public_url = 'https://example.org/?token=hunter2'",
        "acme_directory = 'https://redazione:hunter2@ca.example/directory'",
        "key_file = ['hunter2']",
        "key_file = \"\"\"newsroom\nhunter2\"\"\"",
        "tls_key = \"-----BEGIN PRIVATE KEY-----\\nhunter2\"",
        "acme_root = ['hunter2']",
        "data_dir = true\npassword = hunter2",
        "password = 'hunter2",
        "password = 'x' hunter2",
    ] {
        let told = refusal(text, &[]);
        assert!(!told.contains(secret), "{text}: {told}");
    }
    for name in ["PASSWORD", "SMTP_PASSWORD", "TLS_KEY", "ACME_DIRECTORY"] {
        let name = format!("{VARIABLE_PREFIX}{name}");
        let told = refusal("", &[(&name, "https://a:hunter2@b?\nhunter2")]);
        assert!(!told.contains(secret) && told.contains(&name), "{told}");
    }
    // The control: what cannot be one is said.
    assert!(refusal("listen = 'hunter2'", &[]).contains("«hunter2»"));
}

#[test]
fn the_key_comes_from_systemd_unless_the_operator_says_where_it_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().to_str().expect("text");
    let variables = [(CREDENTIALS_VARIABLE, path)];
    let missing = config("", &variables).key_file;
    assert_eq!(missing, Path::new("./data/segnalazioni.key"));
    let key = folder.path().join(KEY_FILE_NAME);
    std::fs::write(&key, "k").expect("written");
    assert_eq!(config("", &variables).key_file, key);
    let named = config("key_file = 'altrove'", &variables).key_file;
    assert_eq!(named, Path::new("altrove"));
}

#[test]
fn plain_http_beyond_this_machine_needs_a_word_of_the_operator() {
    for text in [
        "listen = '0.0.0.0:8080'",
        "listen = '[::]:8080'",
        "listen = '192.168.1.5:8080'\npublic_url = 'http://localhost:8080'",
        "public_url = 'http://tips.example.org'",
        "public_url = 'http://localhost.example.org'",
        "public_url = 'http://127.0.0.1.example.org'",
        "public_url = 'http://192.168.1.5'\ntrusted_proxies = ['192.168.1.6']",
    ] {
        let told = refusal(text, &[]);
        assert!(
            told.starts_with('«') && told.contains("--insecure-http"),
            "{told}"
        );
        assert!(config(&format!("{text}\ninsecure_http = true"), &[]).insecure_http);
    }
    for text in [
        "listen = '127.0.0.9:80'",
        "listen = '[::ffff:127.0.0.1]:80'",
        "listen = '0.0.0.0:80'\npublic_url = 'https://tips.example.org'",
        "listen = '0.0.0.0:80'\ntrusted_proxies = ['172.17.0.0/16']",
        "public_url = 'http://[::1]:9000'",
    ] {
        config(text, &[]);
    }
}

#[test]
fn public_addresses_are_origins() {
    for (text, origin) in [
        ("HTTPS://EXAMPLE.org:443/", "https://example.org"),
        ("https://example.org:8443", "https://example.org:8443"),
        ("http://localhost:80", "http://localhost"),
        ("http://[::1]:8080/", "http://[::1]:8080"),
        ("https://città.example", "https://xn--citt-3na.example"),
    ] {
        let url: PublicUrl = text.parse().expect(text);
        assert_eq!(url.origin(), origin, "{text}");
    }
    for text in [
        "",
        "https://",
        "ftp://example.org",
        "//example.org",
        "https://a b",
        "https://user@example.org",
        "https://example.org?x",
        "https://example.org/paibeta",
        "https://example.org:+1",
        "https://[::g]",
        "https://[::1]x:1",
    ] {
        assert!(text.parse::<PublicUrl>().is_err(), "{text}");
    }
}

const FILES: &str = "tls_cert = '/c.pem'\ntls_key = '/k.pem'\n";

#[test]
fn two_files_are_encryption_and_need_no_proxy() {
    let files = config(&format!("{FILES}listen = '0.0.0.0:8443'"), &[]);
    let wanted = Encryption::Files {
        certificate: "/c.pem".into(),
        key: "/k.pem".into(),
    };
    assert_eq!((&files.encryption, files.http_listen), (&wanted, None));
    assert_eq!(files.origin(files.listen), "https://0.0.0.0:8443");
    let named = config(&format!("{FILES}public_url = 'https://s.example'"), &[]);
    assert_eq!(named.origin(named.listen), "https://s.example");
}

#[test]
fn a_domain_is_all_that_a_public_server_needs() {
    let given = "domains = 'Segnala.example.it, www.example.it,segnala.example.it'";
    let found = config(given, &[]);
    let wanted = Automatic {
        domains: vec!["segnala.example.it".to_owned(), "www.example.it".to_owned()],
        directory: "https://acme-v02.api.letsencrypt.org/directory".to_owned(),
        root: None,
        email: None,
    };
    assert_eq!(found.encryption, Encryption::Automatic(wanted));
    assert_eq!(found.listen.to_string(), "[::]:443");
    assert_eq!(found.http_listen.map(|address| address.port()), Some(80));
    assert_eq!(found.origin(found.listen), "https://segnala.example.it");
    let more =
        "http_listen = 'no'\npublic_url = 'https://www.example.it:8443'\nlisten = '127.0.0.1:8443'";
    let found = config(&format!("{given}\n{more}"), &[]);
    assert_eq!((found.listen.port(), found.http_listen), (8443, None));
    assert_eq!(found.origin(found.listen), "https://www.example.it:8443");
}

#[test]
fn what_does_not_go_together_is_refused() {
    for (text, parts) in [
        (
            "tls_cert = '/c.pem'",
            ["«tls_cert» = «/c.pem»", "manca tls_key"],
        ),
        (
            "tls_key = '/k.pem'",
            ["«tls_key» = «/k.pem»", "manca tls_cert"],
        ),
        (
            "tls_cert = '/c.pem'\ntls_key = '/k.pem'\npublic_url = 'http://127.0.0.1:8080'",
            ["«public_url» = «http://127.0.0.1:8080»", "https://"],
        ),
        (
            "http_listen = '127.0.0.1:80'",
            ["«http_listen» = «127.0.0.1:80»", "public_url"],
        ),
        (
            "tls_cert = '/c.pem'\ndomains = 'a.example'",
            ["«tls_cert»", "domains"],
        ),
        (
            "domains = 'a.example'\npublic_url = 'https://b.example'",
            ["«public_url» = «https://b.example»", "domains"],
        ),
        (
            "domains = 'a.example'\npublic_url = 'http://a.example'",
            ["«public_url» = «http://a.example»", "https://"],
        ),
    ] {
        let told = refusal(text, &[]);
        for part in parts {
            assert!(told.contains(part), "{part}: {told}");
        }
    }
    // Behind somebody else's TLS the way there can be shown too.
    let proxied = "public_url = 'https://s.example'\nhttp_listen = '[::]:80'";
    assert!(config(proxied, &[]).http_listen.is_some());
}
