//! TLS of our own with a certificate from files (PRODUCT.md §15): served, replaced while it runs, refused at the start, and
//! what is answered in the clear beside it.

use std::fs;
use std::net::{SocketAddr, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use rustls::ProtocolVersion;
use rustls::version::{TLS12, TLS13};
use segnalazioni::testing::CertificateStatus;

use crate::support::authority::{self, Authority, shake};
use crate::support::chat::{Person, submit};
use crate::support::doctor::examined;
use crate::support::executable::{self, Server};
use crate::support::http::Client;
use crate::support::panel::{Editor, PASSWORD};
use crate::support::program::{Program, at};
use crate::support::{contains, wait_for};

const NAME: &str = "segnala.example.it";
const HSTS: &str = "strict-transport-security";

/// A certificate and its key in files, and the authority behind them.
struct Papers {
    authority: Authority,
    folder: tempfile::TempDir,
}

impl Papers {
    fn new() -> Self {
        let papers = Self {
            authority: Authority::new(),
            folder: tempfile::tempdir().expect("a folder"),
        };
        papers.renew(2090);
        papers
    }

    fn certificate(&self) -> PathBuf {
        self.folder.path().join("fullchain.pem")
    }

    fn key(&self) -> PathBuf {
        self.folder.path().join("privkey.pem")
    }

    /// Another pair in their place, valid until the end of that year.
    fn renew(&self, until: i32) {
        let (certificate, key) = self.authority.issue(NAME, until);
        fs::write(self.certificate(), certificate).expect("written");
        fs::write(self.key(), key).expect("written");
        let private = fs::Permissions::from_mode(0o600);
        fs::set_permissions(self.key(), private).expect("set");
    }

    fn program(&self, variables: &[(&str, &str)]) -> Program {
        let (certificate, key) = (self.certificate(), self.key());
        let mut all = vec![
            ("SEGNALAZIONI_TLS_CERT", path(&certificate)),
            ("SEGNALAZIONI_TLS_KEY", path(&key)),
        ];
        all.extend_from_slice(variables);
        Program::start_with(&all)
    }

    fn client(&self, program: &Program) -> Client {
        let client = program.client();
        client.over_tls(&self.authority.trusted(), NAME)
    }
}

fn path(path: &Path) -> &str {
    path.to_str().expect("a text")
}

/// `segnalazioni serve` with these papers, at this address.
fn served(address: &str, papers: &Papers) -> Command {
    let mut serve = executable::command(papers.folder.path(), &["serve", "--listen", address]);
    serve.arg("--tls-cert").arg(papers.certificate());
    serve.arg("--tls-key").arg(papers.key());
    serve
}

fn shown(papers: &Papers, program: &Program) -> Vec<u8> {
    let session = shake(program.client().address(), NAME, papers.authority.trusted());
    authority::shown(&session.expect("shaken"))
}

fn status(program: &Program) -> CertificateStatus {
    program.running().certificate().expect("TLS")
}

/// Has the files looked at until the status is as wanted.
fn look_until(
    what: &str,
    program: &Program,
    wanted: impl Fn(&CertificateStatus) -> bool,
) -> CertificateStatus {
    wait_for(what, || {
        program.running().look_at_certificate();
        Some(status(program)).filter(&wanted)
    })
}

#[test]
fn a_whole_story_over_tls() {
    let papers = Papers::new();
    let program = papers.program(&[]);
    let client = papers.client(&program);
    let link = program.setup_url();
    let address = program.client().address();
    let expected = format!("https://{address}/paibeta/setup#");
    assert!(link.starts_with(&expected), "{link}");
    let (editor, _) = Editor::set_up(&client, &link, PASSWORD);
    let id = submit(&client, &Person::numbered(1));
    assert_eq!(editor.all_ids(), [id]);
    let answer = client.get("/status").expect(200);
    assert_eq!(answer.header(HSTS), Some("max-age=31536000"));
    let found = status(&program);
    assert_eq!(found.problem, None);
    assert_eq!(found.not_after, Some(at("2090-12-31T00:00:00Z")));
    // In the clear nothing is said at the same address, and without TLS nothing is promised.
    let plain = program.client().api("GET", "/status").try_send();
    assert!(plain.is_err(), "{plain:?}");
    let without = Program::start().client().get("/status").expect(200);
    assert_eq!(without.header(HSTS), None);
}

#[test]
fn tls_1_2_and_1_3_are_spoken_and_http_1_1_is_what_is_agreed_on() {
    let papers = Papers::new();
    let program = papers.program(&[]);
    let address = program.client().address();
    for (version, spoken) in [
        (&TLS12, ProtocolVersion::TLSv1_2),
        (&TLS13, ProtocolVersion::TLSv1_3),
    ] {
        let config = papers.authority.trusted_by(&[version]);
        let session = shake(address, NAME, config).expect("shaken");
        assert_eq!(session.protocol_version(), Some(spoken));
    }
    let offering = |protocols: &[&[u8]]| {
        let mut config = (*papers.authority.trusted()).clone();
        config.alpn_protocols = protocols.iter().map(|name| name.to_vec()).collect();
        shake(address, NAME, Arc::new(config))
    };
    let both = offering(&[b"h2", b"http/1.1"]).expect("shaken");
    assert_eq!(both.alpn_protocol(), Some(&b"http/1.1"[..]));
    assert!(offering(&[b"h2"]).is_err() && offering(&[b"acme-tls/1"]).is_err());
}

#[test]
fn new_files_are_taken_while_it_runs_and_broken_ones_are_not() {
    let papers = Papers::new();
    let program = papers.program(&[]);
    let first = shown(&papers, &program);
    assert_eq!(shown(&papers, &program), first);

    papers.renew(2091);
    let until = Some(at("2091-12-31T00:00:00Z"));
    let renewed = |status: &CertificateStatus| status.not_after == until;
    look_until("the new certificate", &program, renewed);
    let second = shown(&papers, &program);
    assert_ne!(second, first);

    let (_, foreign) = papers.authority.issue(NAME, 2092);
    fs::write(papers.key(), foreign).expect("written");
    let broken = look_until("the complaint", &program, |status| status.problem.is_some());
    let problem = broken.problem.expect("a problem");
    assert!(problem.contains("«tls_key»"), "{problem}");
    assert_eq!(broken.not_after, until);
    assert_eq!(shown(&papers, &program), second);
    let (editor, _) = Editor::set_up(&papers.client(&program), &program.setup_url(), PASSWORD);
    examined(&editor).says("certificato TLS", "attenzione", "«tls_key»");
    papers.renew(2093);
    let well = |status: &CertificateStatus| status.problem.is_none();
    look_until("the end of the complaint", &program, well);
}

#[test]
fn a_signal_has_the_files_looked_at_and_ends_nothing() {
    let papers = Papers::new();
    let server = Server::spawn(served("127.0.0.1:0", &papers), papers.folder.path());
    let shown = || {
        let session = shake(server.client().address(), NAME, papers.authority.trusted());
        authority::shown(&session.expect("shaken"))
    };
    let first = shown();
    papers.renew(2091);
    server.hang_up();
    wait_for("the new certificate", || (shown() != first).then_some(()));
    server.stop();
}

#[test]
fn files_that_cannot_be_used_stop_the_start_with_key_file_and_reason() {
    let papers = Papers::new();
    fs::write(papers.key(), "").expect("written");
    let line = executable::refusal(served("127.0.0.1:0", &papers));
    let named = format!("«tls_key» = «{}»", papers.key().display());
    contains(&line, &[&named, "non contiene una chiave privata"]);
}

#[test]
fn the_program_on_every_address_says_where_it_is_and_stops_at_once() {
    let papers = Papers::new();
    let folder = papers.folder.path();
    let mut server = Server::spawn(served("0.0.0.0:0", &papers), folder);
    let port = server.client().address().port();
    let address = SocketAddr::from(([127, 0, 0, 1], port));
    let client = Client::new(address).over_tls(&papers.authority.trusted(), NAME);
    client.get("/status").expect(200);
    let said = format!("Segnalazioni è in ascolto: https://0.0.0.0:{port}/paibeta\n");
    assert!(server.output().starts_with(&said));
    // Neither a handshake that never comes nor a line that is kept holds it up.
    let silent = TcpStream::connect(address).expect("connected");
    client.get("/status").expect(200);
    server.terminate();
    assert_eq!(server.ended().code(), Some(0));
    drop(silent);
    assert_eq!(server.errors(), "", "silent on success");
    let open = fs::Permissions::from_mode(0o644);
    fs::set_permissions(papers.key(), open).expect("set");
    let server = Server::spawn(served("127.0.0.1:0", &papers), folder);
    let line = "every user of this machine can read the file of tls_key";
    assert!(server.errors().contains(line), "{}", server.errors());
}

#[test]
fn in_the_clear_there_is_only_the_way_to_the_public_address() {
    let papers = Papers::new();
    let program = papers.program(&[
        ("SEGNALAZIONI_PUBLIC_URL", "https://segnala.example.it"),
        ("SEGNALAZIONI_HTTP_LISTEN", "127.0.0.1:0"),
    ]);
    let link = "https://segnala.example.it/paibeta/setup#";
    assert!(program.setup_url().starts_with(link));
    let plain = Client::new(program.running().plain_address().expect("a listener"));
    for (method, asked, page) in [
        ("GET", "/", "/"),
        ("HEAD", "/paibeta/?a=b", "/paibeta/?a=b"),
        ("GET", "http://male.example/paibeta/admin", "/paibeta/admin"),
        ("GET", "//male.example/x", "//male.example/x"),
        ("GET", "/paibeta/api/status", "/paibeta/api/status"),
    ] {
        let request = plain.request(method, asked).header("host", "male.example");
        let answer = request.send().expect(308);
        let target = format!("https://segnala.example.it{page}");
        assert_eq!(answer.header("location"), Some(target.as_str()), "{asked}");
        assert_eq!(answer.header(HSTS), None);
        assert_eq!(answer.header("cache-control"), Some("no-store"));
    }
    for call in [
        "POST /paibeta/api/session",
        "PUT /paibeta/",
        "DELETE /",
        "OPTIONS *",
    ] {
        let (method, asked) = call.split_once(' ').expect("a path");
        let request = plain.request(method, asked);
        let answer = request.body("application/json", "{}").send().expect(403);
        assert_eq!(answer.header("location"), None, "{method}");
        assert_eq!(answer.body, b"");
    }
    papers.client(&program).get("/status").expect(200);
}
