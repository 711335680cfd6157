//! Encryption in the configuration: what the keys mean together, and which do not go together.

use std::path::Path;

use crate::config::{Automatic, Config, ConfigError, Encryption, Flags};

fn load(variables: &[(&str, &str)]) -> Result<Config, ConfigError> {
    let folder = tempfile::tempdir().expect("a folder");
    let variables = variables
        .iter()
        .map(|(name, value)| (format!("SEGNALAZIONI_{name}").into(), value.into()));
    Config::load(&Flags::default(), variables, folder.path())
}

const FILES: [(&str, &str); 2] = [("TLS_CERT", "/c.pem"), ("TLS_KEY", "/k.pem")];

fn with_files(more: &[(&str, &str)]) -> Result<Config, ConfigError> {
    load(&[&FILES[..], more].concat())
}

#[test]
fn two_files_are_encryption_and_need_no_proxy() {
    let config = with_files(&[("LISTEN", "0.0.0.0:8443")]).expect("a good configuration");
    let wanted = Encryption::Files {
        certificate: "/c.pem".into(),
        key: "/k.pem".into(),
    };
    assert_eq!(config.encryption, wanted);
    assert!(config.is_https() && !config.insecure_http);
    assert_eq!(config.http_listen, None);
    let listening = "0.0.0.0:8443".parse().expect("an address");
    assert_eq!(config.origin(listening), "https://0.0.0.0:8443");
    let config = with_files(&[("PUBLIC_URL", "https://s.example")]).expect("good");
    assert_eq!(config.origin(listening), "https://s.example");
    let plain = load(&[]).expect("good");
    assert_eq!(plain.origin(listening), "http://0.0.0.0:8443");
}

#[test]
fn flags_name_the_files_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let flags = Flags {
        tls_cert: Some("c".into()),
        tls_key: Some("k".into()),
        http_listen: Some("127.0.0.1:80".to_owned()),
        ..Flags::default()
    };
    let variables =
        FILES.map(|(name, value)| (format!("SEGNALAZIONI_{name}").into(), value.into()));
    let public = ("SEGNALAZIONI_PUBLIC_URL".into(), "https://s.example".into());
    let variables = variables.into_iter().chain([public]);
    let config = Config::load(&flags, variables, folder.path()).expect("good");
    let Encryption::Files { certificate, key } = config.encryption else {
        panic!("no encryption");
    };
    assert_eq!(
        (certificate.as_path(), key.as_path()),
        (Path::new("c"), Path::new("k"))
    );
    assert_eq!(config.http_listen.map(|address| address.port()), Some(80));
}

#[test]
fn what_does_not_go_together_is_refused() {
    for (variables, parts) in [
        (vec![FILES[0]], ["«tls_cert» = «/c.pem»", "manca tls_key"]),
        (vec![FILES[1]], ["«tls_key» = «/k.pem»", "manca tls_cert"]),
        (
            vec![FILES[0], FILES[1], ("PUBLIC_URL", "http://127.0.0.1:8080")],
            ["«public_url» = «http://127.0.0.1:8080»", "https://"],
        ),
        (
            vec![("HTTP_LISTEN", "127.0.0.1:80")],
            ["«http_listen» = «127.0.0.1:80»", "public_url"],
        ),
        (
            vec![FILES[0], FILES[1], ("HTTP_LISTEN", "127.0.0.1:80")],
            ["«http_listen» = «127.0.0.1:80»", "public_url"],
        ),
        (
            vec![("HTTP_LISTEN", "80")],
            ["«http_listen»", "0.0.0.0:80, oppure no"],
        ),
    ] {
        let refusal = load(&variables).expect_err("a refusal").to_string();
        for part in parts {
            assert!(refusal.contains(part), "{part}: {refusal}");
        }
    }
    let none = load(&[("HTTP_LISTEN", "no")]).expect("good");
    assert_eq!(none.http_listen, None);
    // Behind somebody else's TLS the way there can be shown too.
    let proxied = load(&[
        ("PUBLIC_URL", "https://s.example"),
        ("HTTP_LISTEN", "[::]:80"),
    ]);
    assert!(proxied.expect("good").http_listen.is_some());
}

#[test]
fn without_encryption_the_word_of_the_operator_is_still_needed() {
    let refusal = load(&[("LISTEN", "0.0.0.0:8080")]).expect_err("a refusal");
    let text = refusal.to_string();
    assert!(
        text.contains("tls_cert") && text.contains("--insecure-http"),
        "{text}"
    );
    let told = load(&[("LISTEN", "0.0.0.0:8080"), ("INSECURE_HTTP", "true")]);
    assert_eq!(told.expect("good").encryption, Encryption::None);
}

#[test]
fn a_domain_is_all_that_a_public_server_needs() {
    let config = load(&[(
        "DOMAINS",
        "Segnala.example.it, www.example.it,segnala.example.it",
    )]);
    let config = config.expect("a good configuration");
    let wanted = Automatic {
        domains: vec!["segnala.example.it".to_owned(), "www.example.it".to_owned()],
        directory: "https://acme-v02.api.letsencrypt.org/directory".to_owned(),
        root: None,
        email: None,
    };
    assert_eq!(config.encryption, Encryption::Automatic(wanted));
    assert_eq!(config.listen.to_string(), "[::]:443");
    assert_eq!(
        config
            .http_listen
            .map(|address| address.to_string())
            .as_deref(),
        Some("[::]:80")
    );
    assert_eq!(config.origin(config.listen), "https://segnala.example.it");
    assert!(config.is_https() && !config.insecure_http);
    let config = load(&[
        ("DOMAINS", "segnala.example.it"),
        ("LISTEN", "127.0.0.1:8443"),
        ("HTTP_LISTEN", "no"),
        ("PUBLIC_URL", "https://segnala.example.it:8443"),
        ("ACME_EMAIL", "redazione@example.it"),
        ("ACME_DIRECTORY", "https://127.0.0.1:14000/dir"),
        ("ACME_ROOT", "/r.pem"),
    ])
    .expect("a good configuration");
    let Encryption::Automatic(automatic) = &config.encryption else {
        panic!("not automatic");
    };
    assert_eq!(automatic.email.as_deref(), Some("redazione@example.it"));
    assert_eq!(automatic.directory, "https://127.0.0.1:14000/dir");
    assert_eq!(automatic.root.as_deref(), Some(Path::new("/r.pem")));
    assert_eq!((config.listen.port(), config.http_listen), (8443, None));
    assert_eq!(
        config.origin(config.listen),
        "https://segnala.example.it:8443"
    );
}

#[test]
fn domains_are_a_list_in_the_file_and_repeated_flags() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(
        folder.path().join("config.toml"),
        "domains = ['a.example', 'b.example']",
    )
    .expect("written");
    let names = |flags: &Flags| {
        let config = Config::load(flags, [], folder.path()).expect("a good configuration");
        match config.encryption {
            Encryption::Automatic(automatic) => automatic.domains,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(names(&Flags::default()), ["a.example", "b.example"]);
    let flags = Flags {
        domains: vec!["c.example".to_owned(), "d.example".to_owned()],
        ..Flags::default()
    };
    assert_eq!(names(&flags), ["c.example", "d.example"]);
}

#[test]
fn what_no_authority_would_take_is_refused() {
    for (key, value) in [
        ("DOMAINS", "https://segnala.example.it"),
        ("DOMAINS", "*.example.it"),
        ("DOMAINS", "192.0.2.7"),
        ("DOMAINS", "[2001:db8::7]"),
        ("DOMAINS", "segnala.example.it:443"),
        ("DOMAINS", "segnalà.example.it"),
        ("ACME_EMAIL", "redazione"),
        ("ACME_EMAIL", "a@b,c@d"),
        ("ACME_EMAIL", "Redazione <a@b.example>"),
        ("ACME_DIRECTORY", "http://ca.example/dir"),
        ("ACME_DIRECTORY", "https:///dir"),
        ("ACME_DIRECTORY", "https://ca.example/una dir"),
    ] {
        let refusal = load(&[(key, value)]).expect_err(value).to_string();
        let named = format!("«{}»", key.to_ascii_lowercase());
        assert!(
            refusal.contains(&named) && refusal.contains("serv"),
            "{refusal}"
        );
    }
    let domain = ("DOMAINS", "segnala.example.it");
    for (variables, parts) in [
        (
            vec![FILES[0], FILES[1], domain],
            ["«tls_cert» = «/c.pem»", "domains"],
        ),
        (
            vec![domain, ("PUBLIC_URL", "https://altro.example.it")],
            ["«public_url» = «https://altro.example.it»", "domains"],
        ),
        (
            vec![domain, ("PUBLIC_URL", "http://segnala.example.it")],
            ["«public_url» = «http://segnala.example.it»", "https://"],
        ),
    ] {
        let refusal = load(&variables).expect_err("a refusal").to_string();
        for part in parts {
            assert!(refusal.contains(part), "{part}: {refusal}");
        }
    }
}
