//! The accept loop against raw sockets, plain and encrypted: slow, greedy and honest clients. The limits are shortened so
//! that the tests are quick; a generous outer deadline turns a socket that stays open into a failure. What the real
//! limits are is tested from the outside.

use std::net::SocketAddr;

use axum::body::Bytes;
use axum::routing::{get, post};
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::{Notify, mpsc};
use tokio::task::JoinHandle;
use tokio_rustls::TlsConnector;

use super::*;
use crate::tls::Certificate;

/// Longer than anything here takes, even on a machine with other work.
const OUTER: Duration = Duration::from_secs(20);
const SHORT: Duration = Duration::from_millis(150);
const NAME: &str = "segnala.example";
const REQUEST: &[u8] = b"GET /hello HTTP/1.1\r\nhost: x\r\n\r\n";

struct Server {
    address: SocketAddr,
    stop: watch::Sender<bool>,
    task: JoinHandle<()>,
}

impl Server {
    async fn start(router: Router, limits: Limits) -> Self {
        Self::with(None, router, limits, &[]).await
    }

    async fn with(
        tls: Option<TlsAcceptor>,
        router: Router,
        limits: Limits,
        shared: &[&str],
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("bound");
        let address = listener.local_addr().expect("an address");
        let networks = shared.iter().map(|text| text.parse().expect("a network"));
        let endpoint = Endpoint {
            tls,
            routes: routes(move || router),
            promise: None,
            limits,
            shared_addresses: networks.collect(),
            open: Gauge::default(),
        };
        let (stop, stopping) = watch::channel(false);
        let task = tokio::spawn(serve(Listener::Address(listener), endpoint, stopping));
        Self {
            address,
            stop,
            task,
        }
    }

    async fn connect(&self) -> TcpStream {
        self.connect_from(1).await
    }

    /// From 127.0.0.`host`.
    async fn connect_from(&self, host: u8) -> TcpStream {
        let socket = TcpSocket::new_v4().expect("a socket");
        let own = SocketAddr::from(([127, 0, 0, host], 0));
        socket.bind(own).expect("an address of its own");
        socket.connect(self.address).await.expect("connected")
    }

    async fn stop(self) {
        self.stop.send(true).expect("still running");
        within(self.task).await.expect("ended well");
    }
}

fn hello() -> Router {
    Router::new().route("/hello", get(async || "ciao"))
}

/// A handler that says when it was entered, and answers when told to.
fn waiting(entered: &Arc<Notify>, go_on: &Arc<Notify>) -> Router {
    let (entered, go_on) = (Arc::clone(entered), Arc::clone(go_on));
    let handler = async move || {
        entered.notify_one();
        go_on.notified().await;
        "ciao"
    };
    Router::new().route("/hello", get(handler))
}

/// A certificate of its own making for a server, and what trusts it.
fn encryption() -> (TlsAcceptor, TlsConnector) {
    let pair = rcgen::generate_simple_self_signed(vec![NAME.to_owned()]).expect("a certificate");
    let folder = tempfile::tempdir().expect("a folder");
    let (certificate, key) = (folder.path().join("c.pem"), folder.path().join("k.pem"));
    std::fs::write(&certificate, pair.cert.pem()).expect("written");
    std::fs::write(&key, pair.signing_key.serialize_pem()).expect("written");
    let within_its_time = 1_800_000_000_000;
    let shown = Certificate::from_files(&certificate, &key, within_its_time).expect("a pair");
    let mut roots = RootCertStore::empty();
    roots.add(pair.cert.der().clone()).expect("a certificate");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let client = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_root_certificates(roots)
        .with_no_client_auth();
    (
        TlsAcceptor::from(shown.server_config().expect("a configuration")),
        TlsConnector::from(Arc::new(client)),
    )
}

async fn within<T>(future: impl Future<Output = T>) -> T {
    timeout(OUTER, future).await.expect("in time")
}

/// All that the server sends until it closes. A reset, and TLS without a goodbye, count as closed.
async fn until_closed(stream: &mut (impl AsyncRead + Unpin)) -> String {
    let mut answer = Vec::new();
    if let Err(error) = within(stream.read_to_end(&mut answer)).await {
        let kinds = [io::ErrorKind::ConnectionReset, io::ErrorKind::UnexpectedEof];
        assert!(kinds.contains(&error.kind()), "{error}");
    }
    String::from_utf8(answer).expect("text")
}

/// Asks, and reads one answer on a connection that stays open.
async fn ask(stream: &mut (impl AsyncRead + AsyncWrite + Unpin)) {
    stream.write_all(REQUEST).await.expect("sent");
    let mut answer = Vec::new();
    while !answer.ends_with(b"\r\n\r\nciao") {
        let read = within(stream.read_buf(&mut answer)).await;
        assert_ne!(read.expect("readable"), 0, "closed after {answer:?}");
    }
    assert!(answer.starts_with(b"HTTP/1.1 200 OK\r\n"));
}

#[tokio::test]
async fn a_header_that_drips_is_closed_although_it_never_pauses() {
    let limits = Limits {
        header_time: SHORT,
        ..Limits::default()
    };
    let server = Server::start(hello(), limits).await;
    let (mut read, mut write) = server.connect().await.into_split();
    let drip = tokio::spawn(async move {
        let begun = write.write_all(b"GET /hello HTTP/1.1\r\nx-drip: ").await;
        begun.expect("sent");
        while write.write_all(b"a").await.is_ok() {
            sleep(Duration::from_millis(10)).await;
        }
    });
    assert!(!until_closed(&mut read).await.contains("200 OK"));
    within(drip).await.expect("it ends with the socket");
    // The control: who asks in time is answered again and again.
    let mut stream = server.connect().await;
    for _ in 0..3 {
        ask(&mut stream).await;
    }
    server.stop().await;
}

/// Requests in a row, each with a body, and the bodies.
fn in_a_row(mut dice: impl FnMut(usize) -> usize) -> (Vec<u8>, Vec<u8>) {
    let (mut sent, mut bodies) = (Vec::new(), Vec::new());
    for left in (0..6).rev() {
        let body: Vec<u8> = (0..dice(60)).map(|_| b"\n\r\0a"[dice(4)]).collect();
        let (length, end) = (body.len(), ["connection: close\r\n", ""][left.min(1)]);
        let head =
            format!("POST /echo HTTP/1.1\r\nhost: x\r\ncontent-length: {length}\r\n{end}\r\n");
        sent.extend([head.as_bytes(), &body].concat());
        bodies.extend(body);
    }
    (sent, bodies)
}

#[tokio::test]
async fn bodies_come_through_whole_however_they_are_cut() {
    let echo = Router::new().route("/echo", post(async |body: Bytes| body));
    let server = Server::start(echo, Limits::default()).await;
    let mut seed = 1_usize;
    for _ in 0..40 {
        let mut dice = |faces: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) % faces
        };
        let (sent, bodies) = in_a_row(&mut dice);
        let (mut read, mut write) = server.connect().await.into_split();
        let mut rest = &sent[..];
        while !rest.is_empty() {
            let (piece, behind) = rest.split_at((1 + dice(90)).min(rest.len()));
            write.write_all(piece).await.expect("sent");
            sleep(Duration::from_micros(200)).await;
            rest = behind;
        }
        let answers = until_closed(&mut read).await;
        assert_eq!(
            answers.matches("HTTP/1.1 200 OK\r\n").count(),
            6,
            "{answers:?}"
        );
        let mut echoed = String::new();
        let mut answers = &answers[..];
        while let Some((head, behind)) = answers.split_once("\r\n\r\n") {
            let length = head.split_once("content-length: ").expect("a length").1;
            let length: usize = length
                .lines()
                .next()
                .and_then(|text| text.parse().ok())
                .expect("a length");
            echoed.push_str(&behind[..length]);
            answers = &behind[length..];
        }
        assert_eq!(echoed.as_bytes(), bodies);
    }
    server.stop().await;
}

#[tokio::test]
async fn a_client_that_hardly_reads_its_answer_is_closed() {
    /// Tells when the connection has let go of the answer.
    struct Held(Vec<u8>, mpsc::UnboundedSender<()>);
    impl AsRef<[u8]> for Held {
        fn as_ref(&self) -> &[u8] {
            &self.0
        }
    }
    impl Drop for Held {
        fn drop(&mut self) {
            self.1.send(()).expect("the test still listens");
        }
    }
    let (dropped, mut when_dropped) = mpsc::unbounded_channel();
    // Far more than the two socket buffers hold.
    let big = async move || Bytes::from_owner(Held(vec![b'x'; 64 << 20], dropped));
    let limits = Limits {
        stall_time: SHORT,
        least_taken: usize::MAX,
        ..Limits::default()
    };
    let server = Server::start(Router::new().route("/big", get(big)), limits).await;
    let (mut read, mut write) = server.connect().await.into_split();
    let request = b"GET /big HTTP/1.1\r\nhost: x\r\n\r\n";
    write.write_all(request).await.expect("sent");
    // It reads on and on, and makes the server wait for it.
    let sip = tokio::spawn(async move {
        let mut sip = vec![0; 64 << 10];
        while matches!(read.read(&mut sip).await, Ok(1..)) {
            sleep(Duration::from_millis(5)).await;
        }
    });
    within(when_dropped.recv()).await.expect("let go");
    sip.abort();
    server.stop().await;
}

#[tokio::test]
async fn one_client_holds_no_more_than_its_share() {
    let limits = Limits {
        sockets_per_client: 2,
        ..Limits::default()
    };
    let server = Server::start(hello(), limits).await;
    let (mut first, mut second) = (server.connect().await, server.connect().await);
    ask(&mut first).await;
    ask(&mut second).await;
    let refused = until_closed(&mut server.connect().await).await;
    assert_eq!(refused, "", "one too many");
    drop(first);
    // The place is free once the server has seen the close: until then it refuses.
    within(async {
        loop {
            let mut again = server.connect().await;
            if again.write_all(REQUEST).await.is_ok() && again.read_u8().await.is_ok() {
                break;
            }
        }
    })
    .await;
    ask(&mut second).await;
    server.stop().await;
}

/// Holds sockets from 127.0.0.`host` on which half a header waits.
async fn hold(server: &Server, host: u8, sockets: usize) -> Vec<TcpStream> {
    let mut held = Vec::new();
    for _ in 0..sockets {
        let mut stream = server.connect_from(host).await;
        // What is refused or sent away cannot be written to.
        let _ = stream.write_all(b"GET /hello HTTP/1.1\r\nx-drip: ").await;
        held.push(stream);
    }
    held
}

#[tokio::test]
async fn a_stranger_gets_in_while_others_hold_every_socket() {
    let limits = Limits {
        sockets: 64,
        sockets_per_client: 8,
        header_time: OUTER,
        ..Limits::default()
    };
    let server = Server::start(hello(), limits).await;
    let mut held = Vec::new();
    for host in 2..11 {
        held.extend(hold(&server, host, 8).await);
    }
    let mut strangers = Vec::new();
    for host in 100..120 {
        let mut stream = server.connect_from(host).await;
        ask(&mut stream).await;
        strangers.push(stream);
        held.extend(hold(&server, 2 + host % 9, 8).await);
    }
    // Whoever holds one socket keeps it while others hold more.
    for stream in &mut strangers {
        ask(stream).await;
    }
    server.stop().await;
}

#[tokio::test]
async fn the_idle_go_before_those_who_ask_and_an_answer_under_way_last() {
    let (entered, go_on) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let limits = Limits {
        sockets: 3,
        header_time: OUTER,
        ..Limits::default()
    };
    let router = hello().merge(Router::new().route("/wait", {
        let (entered, go_on) = (Arc::clone(&entered), Arc::clone(&go_on));
        get(async move || {
            entered.notify_one();
            go_on.notified().await;
            "ciao"
        })
    }));
    let server = Server::with(None, router, limits, &["127.0.0.0/8"]).await;
    let mut asking = server.connect().await;
    asking
        .write_all(b"GET /wait HTTP/1.1\r\nhost: x\r\n\r\n")
        .await
        .expect("sent");
    within(entered.notified()).await;
    let mut silent = server.connect().await;
    let mut idle = server.connect().await;
    ask(&mut idle).await;
    let mut newcomers = [server.connect().await, server.connect().await];
    assert_eq!(until_closed(&mut idle).await, "", "first");
    assert_eq!(until_closed(&mut silent).await, "", "then");
    go_on.notify_one();
    server.stop.send(true).expect("running");
    assert!(until_closed(&mut asking).await.ends_with("ciao"));
    for newcomer in &mut newcomers {
        assert_eq!(until_closed(newcomer).await, "", "closed by the stop");
    }
    within(server.task).await.expect("ended well");
}

#[tokio::test]
async fn a_body_that_drips_goes_before_newcomers_and_a_whole_one_after_them() {
    let (reached, mut when_reached) = mpsc::unbounded_channel();
    let (tell, go_on) = watch::channel(false);
    let wait = post(async move |body: Body| {
        reached.send("head").expect("the test listens");
        let body = axum::body::to_bytes(body, 10).await;
        reached.send("body").expect("the test listens");
        stop_requested(go_on).await;
        body.expect("a body")
    });
    let limits = Limits {
        sockets: 3,
        header_time: OUTER,
        ..Limits::default()
    };
    let router = Router::new().route("/wait", wait);
    let server = Server::with(None, router, limits, &["127.0.0.0/8"]).await;
    let head = "POST /wait HTTP/1.1\r\nhost: x\r\ncontent-length: 4\r\n\r\n";
    let mut streams = Vec::new();
    for (body, until) in [("ciao", "body"), ("ci", "head")] {
        let mut stream = server.connect().await;
        let sent = stream.write_all(format!("{head}{body}").as_bytes()).await;
        sent.expect("sent");
        while within(when_reached.recv()).await != Some(until) {}
        streams.push(stream);
    }
    let [mut whole, mut drip] = <[TcpStream; 2]>::try_from(streams).expect("two");
    let mut newcomers = Vec::new();
    for _ in 0..3 {
        newcomers.push(server.connect().await);
    }
    assert_eq!(until_closed(&mut drip).await, "", "first");
    assert_eq!(until_closed(&mut newcomers[0]).await, "", "then");
    server.stop.send(true).expect("running");
    tell.send(true).expect("it waits");
    assert!(until_closed(&mut whole).await.ends_with("ciao"));
    within(server.task).await.expect("ended well");
}

#[tokio::test]
async fn stopping_lets_requests_in_flight_finish_and_takes_no_more() {
    let (entered, go_on) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let server = Server::start(waiting(&entered, &go_on), Limits::default()).await;
    let mut silent = server.connect().await;
    let mut stream = server.connect().await;
    stream.write_all(REQUEST).await.expect("sent");
    within(entered.notified()).await;
    server.stop.send(true).expect("running");
    assert_eq!(until_closed(&mut silent).await, "", "closed at once");
    within(async { while TcpStream::connect(server.address).await.is_ok() {} }).await;
    assert!(!server.task.is_finished(), "a request is in flight");
    go_on.notify_one();
    assert!(until_closed(&mut stream).await.ends_with("ciao"));
    within(server.task).await.expect("ended well");
}

#[tokio::test]
async fn stopping_does_not_wait_for_ever() {
    let (entered, never) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let limits = Limits {
        grace: SHORT,
        ..Limits::default()
    };
    let server = Server::start(waiting(&entered, &never), limits).await;
    let mut stream = server.connect().await;
    stream.write_all(REQUEST).await.expect("sent");
    within(entered.notified()).await;
    server.stop().await;
    assert_eq!(until_closed(&mut stream).await, "");
}

#[tokio::test]
async fn a_handshake_that_does_not_come_is_not_waited_for() {
    let (acceptor, connector) = encryption();
    let limits = Limits {
        handshake_time: SHORT,
        header_time: SHORT,
        sockets_per_client: 1,
        ..Limits::default()
    };
    let server = Server::with(Some(acceptor), hello(), limits, &[]).await;
    let mut silent = server.connect().await;
    let refused = until_closed(&mut server.connect().await).await;
    assert_eq!(refused, "", "a handshake under way has a permit");
    assert_eq!(until_closed(&mut silent).await, "");
    let mut half = server.connect().await;
    half.write_all(&[0x16, 0x03, 0x01, 0x02])
        .await
        .expect("sent");
    assert_eq!(until_closed(&mut half).await, "");
    // Behind the handshake the time for a header begins.
    let name = || ServerName::try_from(NAME).expect("a name");
    let shake = async || connector.connect(name(), server.connect().await).await;
    assert_eq!(
        until_closed(&mut within(shake()).await.expect("shaken")).await,
        ""
    );
    ask(&mut within(shake()).await.expect("shaken")).await;
    server.stop().await;
}

#[tokio::test]
async fn stopping_ends_handshakes_and_lets_encrypted_requests_finish() {
    let (entered, go_on) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (acceptor, connector) = encryption();
    let limits = Limits {
        handshake_time: Duration::from_hours(1),
        ..Limits::default()
    };
    let server = Server::with(Some(acceptor), waiting(&entered, &go_on), limits, &[]).await;
    let mut silent = server.connect().await;
    let name = ServerName::try_from(NAME).expect("a name");
    let mut stream = within(connector.connect(name, server.connect().await))
        .await
        .expect("shaken");
    stream.write_all(REQUEST).await.expect("sent");
    within(entered.notified()).await;
    server.stop.send(true).expect("running");
    assert_eq!(until_closed(&mut silent).await, "");
    assert!(!server.task.is_finished(), "a request is in flight");
    go_on.notify_one();
    assert!(until_closed(&mut stream).await.ends_with("ciao"));
    within(server.task).await.expect("ended well");
}
