//! Certificates from files: what is refused with which words, and when a change is judged.

use rcgen::{CertificateParams, KeyPair};
use tempfile::TempDir;

use super::*;
use crate::tls::Status;

/// A moment within the validity of everything here, in ms.
const NOW: i64 = 1_800_000_000_000;
const DAY: i64 = 24 * 60 * 60 * 1_000;

struct Papers {
    folder: TempDir,
}

impl Papers {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let papers = Self { folder };
        papers.write(&pair("uno.example"));
        papers
    }

    fn certificate(&self) -> PathBuf {
        self.folder.path().join("c.pem")
    }

    fn key(&self) -> PathBuf {
        self.folder.path().join("k.pem")
    }

    fn write(&self, (certificate, key): &(String, String)) {
        fs::write(self.certificate(), certificate).expect("written");
        fs::write(self.key(), key).expect("written");
    }

    fn open(&self) -> Result<Files, FileFault> {
        Files::open(&self.certificate(), &self.key(), NOW)
    }
}

fn pair(name: &str) -> (String, String) {
    pair_between(name, (1975, 2090))
}

fn pair_between(name: &str, (first, last): (i32, i32)) -> (String, String) {
    let key = KeyPair::generate().expect("a key");
    let mut params = CertificateParams::new(vec![name.to_owned()]).expect("parameters");
    params.not_before = rcgen::date_time_ymd(first, 1, 1);
    params.not_after = rcgen::date_time_ymd(last, 1, 1);
    let certificate = params.self_signed(&key).expect("a certificate");
    (certificate.pem(), key.serialize_pem())
}

fn status(files: &Files) -> Status {
    files.shown().status(NOW)
}

#[test]
fn what_a_certificate_says_is_read() {
    let papers = Papers::new();
    let key = KeyPair::generate().expect("a key");
    let names = ["uno.example", "due.example", "192.0.2.7", "2001:db8::7"];
    let params = CertificateParams::new(names.map(str::to_owned)).expect("parameters");
    let certificate = params.self_signed(&key).expect("a certificate");
    // One file for both is as good as two.
    let both = certificate.pem() + &key.serialize_pem();
    papers.write(&(both.clone(), both));
    let status = status(&papers.open().expect("a pair"));
    assert_eq!(status.names, names);
    assert_eq!(status.kind, Kind::Files);
    assert_eq!(status.problem, None);
}

#[test]
fn what_cannot_be_used_is_named() {
    let good = pair("uno.example");
    let cut = good.0.replace("-----END", "");
    let garbled = good.0.replace('M', "N");
    for ((certificate, key), wanted) in [
        (("", good.1.as_str()), "«tls_cert»"),
        ((good.0.as_str(), ""), "«tls_key»"),
        ((&cut, &good.1), "«tls_cert»"),
        ((&garbled, &good.1), "«tls_cert»"),
        ((&good.0, &pair("uno.example").1), "«tls_key»"),
    ] {
        let papers = Papers::new();
        papers.write(&(certificate.to_owned(), key.to_owned()));
        let refusal = papers.open().expect_err("a refusal").to_string();
        assert!(refusal.starts_with(wanted), "{refusal}");
        assert!(
            !refusal.contains('\n') && !refusal.contains("BEGIN"),
            "{refusal}"
        );
    }
    for (years, reason) in [((1975, 2020), "scaduto"), ((2080, 2090), "non vale ancora")] {
        let papers = Papers::new();
        papers.write(&pair_between("uno.example", years));
        let refusal = papers.open().expect_err("a refusal").to_string();
        assert!(refusal.contains(reason), "{refusal}");
    }
    let papers = Papers::new();
    fs::write(papers.key(), vec![b'x'; 2 * 1024 * 1024]).expect("written");
    assert!(papers.open().is_err(), "too large for a key");
}

#[test]
fn a_change_is_taken_when_it_has_settled() {
    let papers = Papers::new();
    let files = papers.open().expect("a pair");
    let names = || status(&files).names;
    // Written one after the other, with a look in between.
    let (certificate, key) = pair("due.example");
    fs::write(papers.certificate(), &certificate).expect("written");
    files.look(NOW);
    fs::write(papers.key(), key).expect("written");
    files.look(NOW);
    assert_eq!(
        (names(), status(&files).problem),
        (vec!["uno.example".to_owned()], None)
    );
    files.look(NOW);
    assert_eq!(names(), ["due.example"]);
}

#[test]
fn a_broken_change_is_told_once_and_keeps_the_old_one() {
    let papers = Papers::new();
    let files = papers.open().expect("a pair");
    let (certificate, key) = pair("due.example");
    fs::write(papers.certificate(), &certificate).expect("written");
    for _ in 0..3 {
        files.look(NOW);
    }
    let found = status(&files);
    assert_eq!(found.names, ["uno.example"]);
    let problem = found.problem.expect("a problem");
    assert!(problem.contains("«tls_key»"), "{problem}");
    fs::write(papers.key(), key).expect("written");
    for _ in 0..2 {
        files.look(NOW);
    }
    let found = status(&files);
    assert_eq!(
        (found.names, found.problem),
        (vec!["due.example".to_owned()], None)
    );
}

#[test]
fn files_that_come_back_are_well_again() {
    let papers = Papers::new();
    let files = papers.open().expect("a pair");
    let good = fs::read(papers.certificate()).expect("readable");
    fs::remove_file(papers.certificate()).expect("removed");
    for _ in 0..2 {
        files.look(NOW);
    }
    assert!(status(&files).problem.is_some());
    fs::write(papers.certificate(), good).expect("written");
    for _ in 0..2 {
        files.look(NOW);
    }
    assert_eq!(status(&files).problem, None);
}

#[test]
fn the_end_of_the_certificate_in_use_is_a_problem() {
    let papers = Papers::new();
    let files = papers.open().expect("a pair");
    let end = status(&files).not_after.expect("an end");
    assert_eq!(files.shown().status(end).problem, None);
    let problem = files.shown().status(end + DAY).problem;
    assert_eq!(problem.as_deref(), Some("Il certificato in uso è scaduto."));
}
