//! Certificates that the program gets by itself (PRODUCT.md §2), from the authority that Let's Encrypt tests clients with.

use std::fs;
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection};
use segnalazioni::config::Encryption;
use segnalazioni::tls::acme::stored;
use segnalazioni::tls::{Kind, Status};

use crate::support::executable::fails;
use crate::support::pebble::Place;
use crate::support::program::Program;
use crate::support::wait_for;

const NAME: &str = "segnala.example.it";
const OTHER: &str = "www.segnala.example.it";
const DAY: i64 = 24 * 60 * 60 * 1_000;
/// Longest wait for what takes a few seconds on an idle machine.
const PATIENCE: Duration = Duration::from_mins(1);

fn start(place: &Place) -> Program {
    let (directory, root) = (place.directory(), place.root());
    Program::start_with(&[
        (
            "SEGNALAZIONI_DOMAINS",
            "segnala.example.it,www.segnala.example.it",
        ),
        ("SEGNALAZIONI_ACME_DIRECTORY", &directory),
        ("SEGNALAZIONI_ACME_ROOT", root.to_str().expect("a text")),
        ("SEGNALAZIONI_ACME_EMAIL", "redazione@example.it"),
        ("SEGNALAZIONI_HTTP_LISTEN", "no"),
    ])
}

/// Sets the clock to the present, where the authority lives.
fn to_the_present(program: &Program) {
    program.clock.set(Timestamp::now().as_millisecond());
}

/// The end of the certificate that lies in the data folder, as another process reads it.
fn stored_end(program: &Program) -> Option<i64> {
    let Encryption::Automatic(wanted) = &program.config().encryption else {
        panic!("not automatic");
    };
    let facts = stored(wanted, program.data()).expect("readable");
    facts.map(|facts| facts.not_after)
}

fn status(program: &Program) -> Status {
    program.running().certificate().expect("TLS")
}

/// Has the certificate looked after until the status is as wanted.
fn look_until(what: &str, program: &Program, wanted: impl Fn(&Status) -> bool) -> Status {
    wait_for(what, PATIENCE, || {
        program.running().look_at_certificate();
        Some(status(program)).filter(&wanted)
    })
}

/// The certificate that a visitor is shown, if the handshake succeeds.
fn shown(program: &Program, config: &Arc<ClientConfig>) -> std::io::Result<Vec<u8>> {
    let name = ServerName::try_from(NAME).expect("a name");
    let mut session = ClientConnection::new(Arc::clone(config), name).expect("a session");
    let mut stream = TcpStream::connect(program.client().address())?;
    stream.set_read_timeout(Some(PATIENCE))?;
    while session.is_handshaking() {
        session.complete_io(&mut stream)?;
    }
    let chain = session.peer_certificates().expect("certificates");
    Ok(chain[0].as_ref().to_vec())
}

#[test]
fn a_certificate_is_obtained_renewed_and_kept() {
    let place = Place::new();
    let mut program = start(&place);
    let port = program.client().address().port();
    assert!(
        program
            .setup_url()
            .starts_with("https://segnala.example.it/paibeta/setup#")
    );

    // There is no authority yet; then one that looks in the wrong place.
    let unwell = look_until("the complaint", &program, |status| status.problem.is_some());
    assert_eq!((unwell.kind, unwell.not_after), (Kind::Automatic, None));
    let problem = unwell.problem.expect("a problem");
    assert!(problem.contains("l'autorità non risponde"), "{problem}");
    assert_eq!(stored_end(&program), None);
    let elsewhere = place.open(1);
    look_until("the other complaint", &program, |status| {
        let problem = status.problem.as_deref().unwrap_or_default();
        problem.contains("non ha ritrovato questo programma a")
    });
    assert!(
        shown(&program, &place.trusted()).is_err(),
        "nothing to show"
    );
    drop(elsewhere);

    let pebble = place.open(port);
    let well = look_until("the certificate", &program, |status| {
        status.not_after.is_some()
    });
    to_the_present(&program);
    assert_eq!(status(&program).problem, None);
    assert_eq!(well.names, [NAME, OTHER]);
    let trusted = place.trusted();
    let client = program.client().over_tls(&trusted, NAME);
    let answer = client.get("/status").expect(200);
    assert!(answer.header("strict-transport-security").is_some());
    let first = shown(&program, &trusted).expect("shaken");
    let mut asking = (*trusted).clone();
    asking.alpn_protocols = vec![b"acme-tls/1".to_vec()];
    assert!(
        shown(&program, &Arc::new(asking)).is_err(),
        "nobody asks now"
    );

    // Near its end another one comes; the visitor of the meantime noticed nothing.
    program.clock.set(well.not_after.expect("an end") - DAY);
    wait_for("the renewal", PATIENCE, || {
        program.running().look_at_certificate();
        let leaf = shown(&program, &trusted).expect("shaken");
        (leaf != first).then_some(())
    });
    to_the_present(&program);

    // Without the authority the one that is there serves on, over a restart too.
    drop(pebble);
    let end = status(&program).not_after.expect("an end");
    assert_eq!(stored_end(&program), Some(end));
    program.clock.set(end - DAY);
    look_until("the complaint", &program, |status| status.problem.is_some());
    let present = shown(&program, &trusted).expect("shaken");
    to_the_present(&program);
    program.restart();
    assert_eq!(shown(&program, &trusted).expect("shaken"), present);
    assert_eq!(status(&program).problem, None);
    private(&program);
}

/// Certificate, key and account lie where only their owner reads.
fn private(program: &Program) {
    let folder = program.data().join("acme");
    let mode =
        |path: &std::path::Path| fs::metadata(path).expect("there").permissions().mode() & 0o777;
    assert_eq!(mode(&folder), 0o700);
    let files: Vec<_> = fs::read_dir(&folder)
        .expect("readable")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    assert_eq!(files.len(), 2, "{files:?}");
    assert!(files.iter().all(|file| mode(file) == 0o600));
}

#[test]
fn what_cannot_be_asked_for_stops_the_start() {
    let folder = tempfile::tempdir().expect("a folder");
    let missing = folder.path().join("altrove.pem");
    let missing = missing.to_str().expect("a text");
    fs::write(
        folder.path().join("config.toml"),
        format!("acme_root = '{missing}'"),
    )
    .expect("written");
    let arguments = ["serve", "--domain", NAME, "--listen", "127.0.0.1:0"];
    let line = fails(folder.path(), &arguments, "");
    assert!(
        line.contains("«acme_root»") && line.contains("altrove.pem"),
        "{line}"
    );
    fs::remove_file(folder.path().join("config.toml")).expect("removed");
    let arguments = [
        "serve",
        "--demo",
        "--domain",
        NAME,
        "--listen",
        "127.0.0.1:0",
    ];
    let line = fails(folder.path(), &arguments, "");
    assert!(
        line.contains("--demo") && line.contains("tls_cert"),
        "{line}"
    );
}
