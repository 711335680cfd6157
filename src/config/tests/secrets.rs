//! The configuration: what its refusals must not repeat.

use super::{Setup, file};

#[test]
fn what_may_be_a_secret_is_never_repeated() {
    let secret = "hunter2";
    for text in [
        "password = 'hunter2'",
        "listenn = 'hunter2'",
        "'a\\nb' = 'hunter2'",
        "[smtp]\npassword = 'hunter2'",
        "token = ['hunter2', 2]",
        "public_url = 'https://redazione:hunter2@example.org'",
        "public_url = 'https://example.org/?token=hunter2'",
        "acme_directory = 'https://redazione:hunter2@ca.example/directory'",
        "key_file = ['hunter2']",
        "key_file = \"\"\"newsroom\nhunter2\"\"\"",
        "tls_key = \"-----BEGIN PRIVATE KEY-----\\nhunter2\"",
        "tls_cert = \"-----BEGIN CERTIFICATE-----\\nhunter2\"",
        "acme_root = ['hunter2']",
        "data_dir = true\npassword = hunter2",
        "password = 'hunter2",
        "password = 'x' hunter2",
    ] {
        let refusal = file(text).refusal();
        assert!(!refusal.contains(secret), "{text}: {refusal}");
    }
    for name in ["PASSWORD", "SMTP_PASSWORD", "TLS_KEY", "ACME_DIRECTORY"] {
        let value = "https://a:hunter2@b?\nhunter2";
        let name = format!("SEGNALAZIONI_{name}");
        let refusal = Setup::new().variable(&name, value).refusal();
        assert!(
            !refusal.contains(secret) && refusal.contains(&name),
            "{refusal}"
        );
    }
    // The control: what cannot be one is said.
    let refusal = file("listen = 'hunter2'").refusal();
    assert!(refusal.contains("«hunter2»"), "{refusal}");
}
