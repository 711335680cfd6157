//! The accept loop over TLS: handshakes that do not come, and the limits of a plain line behind one that did.

use std::sync::Arc;

use rustls::pki_types::ServerName;
use rustls::{ClientConfig, RootCertStore};
use tempfile::TempDir;
use tokio::io::AsyncWriteExt;
use tokio::sync::Notify;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use super::tests::{Server, hello, until_closed, waiting, within};
use super::*;
use crate::tls::files::Files;

const NAME: &str = "segnala.example";

/// A server with a certificate of its own making, and what trusts it.
struct Secured {
    server: Server,
    client: TlsConnector,
    _folder: TempDir,
}

async fn secured(router: Router, limits: Limits) -> Secured {
    let pair = rcgen::generate_simple_self_signed(vec![NAME.to_owned()]).expect("a certificate");
    let folder = tempfile::tempdir().expect("a folder");
    let (certificate, key) = (folder.path().join("c.pem"), folder.path().join("k.pem"));
    std::fs::write(&certificate, pair.cert.pem()).expect("written");
    std::fs::write(&key, pair.signing_key.serialize_pem()).expect("written");
    let within_its_time = 1_800_000_000_000;
    let files = Files::open(&certificate, &key, within_its_time).expect("a pair");
    let line = Line::secured(files.shown()).expect("a line");
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("bound");
    let address = listener.local_addr().expect("an address");
    let mut roots = RootCertStore::empty();
    roots.add(pair.cert.der().clone()).expect("a certificate");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_root_certificates(roots)
        .with_no_client_auth();
    Secured {
        server: Server::on(listener, address, line, router, limits, &[]),
        client: TlsConnector::from(Arc::new(config)),
        _folder: folder,
    }
}

impl Secured {
    async fn connect(&self) -> TlsStream<TcpStream> {
        let name = ServerName::try_from(NAME).expect("a name");
        let stream = self.server.connect().await;
        within(self.client.connect(name, stream))
            .await
            .expect("shaken")
    }
}

/// All that the server sends until it closes; `None` where the other end of TLS never said goodbye.
async fn answered(stream: &mut TlsStream<TcpStream>) -> Option<String> {
    use tokio::io::AsyncReadExt;
    let mut answer = Vec::new();
    let ended = within(stream.read_to_end(&mut answer)).await;
    ended.ok()?;
    Some(String::from_utf8(answer).expect("text"))
}

fn quick() -> Limits {
    Limits {
        handshake_time: Duration::from_millis(150),
        ..Limits::default()
    }
}

#[tokio::test]
async fn a_handshake_that_does_not_come_is_not_waited_for() {
    let secured = secured(hello(), quick()).await;
    let mut silent = secured.server.connect().await;
    assert_eq!(until_closed(&mut silent).await, "");
    let mut half = secured.server.connect().await;
    half.write_all(&[0x16, 0x03, 0x01, 0x02])
        .await
        .expect("sent");
    assert_eq!(until_closed(&mut half).await, "");
    secured.server.stop().await;
}

#[tokio::test]
async fn behind_the_handshake_the_time_for_a_header_begins() {
    let limits = Limits {
        header_time: Duration::from_millis(150),
        ..Limits::default()
    };
    let secured = secured(hello(), limits).await;
    let mut stream = secured.connect().await;
    // Whoever said nothing is dropped without a goodbye.
    assert_eq!(answered(&mut stream).await, None);
    let mut stream = secured.connect().await;
    let request = b"GET /hello HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
    stream.write_all(request).await.expect("sent");
    let answer = answered(&mut stream).await.expect("a whole answer");
    assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");
    assert!(answer.ends_with("ciao"), "{answer}");
    secured.server.stop().await;
}

#[tokio::test]
async fn a_handshake_under_way_takes_a_place() {
    let limits = Limits {
        sockets_per_client: 1,
        ..Limits::default()
    };
    let secured = secured(hello(), limits).await;
    let first = secured.server.connect().await;
    let mut second = secured.server.connect().await;
    assert_eq!(until_closed(&mut second).await, "", "one too many");
    drop(first);
    secured.server.stop().await;
}

#[tokio::test]
async fn stopping_ends_handshakes_and_lets_requests_finish() {
    let (entered, go_on) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let router = waiting(Arc::clone(&entered), Arc::clone(&go_on));
    let limits = Limits {
        handshake_time: Duration::from_hours(1),
        ..Limits::default()
    };
    let secured = secured(router, limits).await;
    let mut silent = secured.server.connect().await;
    let mut stream = secured.connect().await;
    let request = b"GET /hello HTTP/1.1\r\nhost: x\r\n\r\n";
    stream.write_all(request).await.expect("sent");
    within(entered.notified()).await;
    secured.server.stop.send(()).expect("running");
    assert_eq!(until_closed(&mut silent).await, "");
    assert!(!secured.server.task.is_finished(), "a request is in flight");
    go_on.notify_one();
    let answer = answered(&mut stream).await.expect("a whole answer");
    assert!(answer.ends_with("ciao"), "{answer}");
    within(secured.server.task).await.expect("ended well");
}
