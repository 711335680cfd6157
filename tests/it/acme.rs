//! Certificates that the program gets by itself (PRODUCT.md §15), from the authority that Let's Encrypt tests clients with.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use rustls::ClientConfig;
use segnalazioni::testing::CertificateStatus;

use crate::support::authority::{self, shake};
use crate::support::executable::fails;
use crate::support::pebble::Place;
use crate::support::program::Program;
use crate::support::{contains, free_port, wait_for};

const NAME: &str = "segnala.example.it";
const OTHER: &str = "www.segnala.example.it";
const DOMAINS: &str = "segnala.example.it,www.segnala.example.it";

/// A program that asks this authority, which looks for it at this port.
fn start(place: &Place, port: u16) -> Program {
    let (directory, root) = (place.directory(), place.root());
    let listen = format!("127.0.0.1:{port}");
    let program = Program::start_with(&[
        ("SEGNALAZIONI_DOMAINS", DOMAINS),
        ("SEGNALAZIONI_LISTEN", &listen),
        ("SEGNALAZIONI_ACME_DIRECTORY", &directory),
        ("SEGNALAZIONI_ACME_ROOT", root.to_str().expect("a text")),
        ("SEGNALAZIONI_ACME_EMAIL", "redazione@example.it"),
        ("SEGNALAZIONI_HTTP_LISTEN", "no"),
    ]);
    program.clock.set(Timestamp::now().as_millisecond());
    program
}

fn status(program: &Program) -> CertificateStatus {
    program.running().certificate().expect("TLS")
}

fn status_until(
    what: &str,
    program: &Program,
    wanted: impl Fn(&CertificateStatus) -> bool,
) -> CertificateStatus {
    wait_for(what, || Some(status(program)).filter(&wanted))
}

/// The certificate that a visitor is shown, if the handshake succeeds.
fn shown(program: &Program, config: &Arc<ClientConfig>) -> std::io::Result<Vec<u8>> {
    let session = shake(program.client().address(), NAME, Arc::clone(config))?;
    Ok(authority::shown(&session))
}

#[test]
fn what_is_not_obtained_is_said_and_a_restart_tries_at_once() {
    let place = Place::new();
    let port = free_port();
    let mut program = start(&place, port);
    let link = program.setup_url();
    assert!(link.starts_with("https://segnala.example.it/paibeta/setup#"));
    // There is no authority yet.
    let unwell = status_until("the complaint", &program, |status| status.problem.is_some());
    assert_eq!(unwell.not_after, None);
    contains(unwell.problem.expect("a problem"), &["si riprova da soli"]);
    let _pebble = place.open(port, Duration::from_hours(24 * 90));
    assert!(shown(&program, &place.trusted()).is_err());
    program.restart();
    let obtained = |status: &CertificateStatus| status.not_after.is_some();
    status_until("the certificate", &program, obtained);
    program.clock.set(Timestamp::now().as_millisecond());
    assert_eq!(status(&program).problem, None);
    let trusted = place.trusted();
    for name in [NAME, OTHER] {
        let client = program.client().over_tls(&trusted, name);
        let answer = client.get("/status").expect(200);
        assert!(answer.header("strict-transport-security").is_some());
    }
    let mut asking = (*trusted).clone();
    asking.alpn_protocols = vec![b"acme-tls/1".to_vec()];
    let unasked = shown(&program, &Arc::new(asking));
    assert!(unasked.is_err(), "no authority asks now");
}

#[test]
fn a_certificate_is_renewed_and_kept_over_a_restart() {
    let place = Place::new();
    let port = free_port();
    // Two thirds of this pass in 8 s.
    let pebble = place.open(port, Duration::from_secs(12));
    let mut program = start(&place, port);
    let obtained = |status: &CertificateStatus| status.not_after.is_some();
    let first = status_until("the certificate", &program, obtained);
    let trusted = place.trusted();
    let before = shown(&program, &trusted).expect("shaken");
    let renewed = |status: &CertificateStatus| status.not_after > first.not_after;
    status_until("the renewal", &program, renewed);
    assert_ne!(shown(&program, &trusted).expect("shaken"), before);
    // Without the authority the one that is there serves on.
    drop(pebble);
    let kept = shown(&program, &trusted).expect("shaken");
    program.restart();
    let served = || shown(&program, &trusted).ok();
    assert_eq!(wait_for("the kept one", served), kept);
    let folder = program.data().join("acme");
    let mode = fs::metadata(folder).expect("there").permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
}

#[test]
fn what_cannot_be_asked_for_stops_the_start() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = folder.path().join("config.toml");
    fs::write(&config, "acme_root = 'altrove.pem'").expect("written");
    let arguments = ["serve", "--domain", NAME, "--listen", "127.0.0.1:0"];
    let line = fails(folder.path(), &arguments, "");
    contains(&line, &["«acme_root»", "altrove.pem"]);
    fs::remove_file(config).expect("removed");
    let line = fails(folder.path(), &[&arguments[..], &["--demo"]].concat(), "");
    contains(&line, &["--demo", "tls_cert"]);
}
