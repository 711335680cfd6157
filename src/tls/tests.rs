//! Certificates from files: what is refused with which words, and when a change is taken.

use std::fs;

use rcgen::{CertificateParams, KeyPair};
use tempfile::TempDir;

use super::*;

/// A moment within the validity of everything here, in ms.
const NOW: i64 = 1_800_000_000_000;

fn issue(name: &str, (first, last): (i32, i32)) -> (String, String) {
    let key = KeyPair::generate().expect("a key");
    let mut params = CertificateParams::new(vec![name.to_owned()]).expect("parameters");
    params.not_before = rcgen::date_time_ymd(first, 1, 1);
    params.not_after = rcgen::date_time_ymd(last, 1, 1);
    let certificate = params.self_signed(&key).expect("a certificate");
    (certificate.pem(), key.serialize_pem())
}

/// Two files with this in them.
struct Files(TempDir);

impl Files {
    fn with(pair: &(String, String)) -> Self {
        let files = Self(tempfile::tempdir().expect("a folder"));
        fs::write(files.certificate(), &pair.0).expect("written");
        fs::write(files.key(), &pair.1).expect("written");
        files
    }

    fn certificate(&self) -> PathBuf {
        self.0.path().join("c.pem")
    }

    fn key(&self) -> PathBuf {
        self.0.path().join("k.pem")
    }

    fn open(&self) -> Result<Arc<Certificate>> {
        Certificate::from_files(&self.certificate(), &self.key(), NOW)
    }
}

#[test]
fn what_cannot_be_used_is_named() {
    let good = issue("uno.example", (1975, 2090));
    let cut = good.0.replace("-----END", "");
    let foreign = issue("uno.example", (1975, 2090)).1;
    let (old, its_key) = issue("uno.example", (1975, 2020));
    let (early, early_key) = issue("uno.example", (2080, 2090));
    let large = "x".repeat(2 * 1024 * 1024);
    for ((certificate, key), named, reason) in [
        (
            ("", good.1.as_str()),
            "«tls_cert»",
            "non contiene un certificato PEM",
        ),
        (
            (&good.0, ""),
            "«tls_key»",
            "non contiene una chiave privata PEM",
        ),
        ((&cut, &good.1), "«tls_cert»", "PEM"),
        (
            (&good.0, &foreign),
            "«tls_key»",
            "non è la chiave di questo certificato",
        ),
        ((&old, &its_key), "«tls_cert»", "è scaduto"),
        ((&early, &early_key), "«tls_cert»", "non vale ancora"),
        ((&good.0, &large), "«tls_key»", "non si può leggere"),
    ] {
        let files = Files::with(&(certificate.to_owned(), key.to_owned()));
        let refusal = files.open().expect_err("a refusal").to_string();
        assert!(
            refusal.starts_with(named) && refusal.contains(reason),
            "{refusal}"
        );
        assert!(
            !refusal.contains('\n') && !refusal.contains("BEGIN"),
            "{refusal}"
        );
    }
}

#[test]
fn a_change_is_taken_and_a_broken_one_is_told() {
    let files = Files::with(&issue("uno.example", (1975, 2090)));
    let shown = files.open().expect("a pair");
    let looked = || {
        shown.refresh(NOW);
        let status = shown.status(NOW);
        (status.not_after, status.problem)
    };
    let (first, _) = looked();
    let (certificate, key) = issue("due.example", (1975, 2080));
    fs::write(files.certificate(), &certificate).expect("written");
    // The key is about to be written.
    let (same, problem) = looked();
    assert_eq!(same, first);
    assert!(problem.expect("a problem").contains("«tls_key»"));
    fs::write(files.key(), key).expect("written");
    let (second, problem) = looked();
    assert!(second < first && problem.is_none());
    fs::remove_file(files.certificate()).expect("removed");
    let (same, problem) = looked();
    assert_eq!(same, second);
    assert!(problem.expect("a problem").contains("«tls_cert»"));
}

#[test]
fn the_end_of_the_certificate_in_use_is_a_problem() {
    let shown = Files::with(&issue("uno.example", (1975, 2090))).open();
    let shown = shown.expect("a pair");
    let end = shown.status(NOW).not_after.expect("an end");
    assert_eq!(shown.status(end).problem, None);
    let problem = shown.status(end + DAY_MS).problem;
    assert_eq!(problem.as_deref(), Some("Il certificato in uso è scaduto."));
}
