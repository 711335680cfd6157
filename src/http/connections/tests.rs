//! The accept loop against raw sockets: slow, greedy and honest clients. The limits are shortened so that the tests are
//! quick; a generous outer deadline turns a socket that stays open into a failure.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use axum::body::Bytes;
use axum::extract::Extension;
use axum::routing::get;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::{Notify, mpsc, oneshot};
use tokio::task::JoinHandle;

use super::*;

/// Longer than anything here takes, even on a machine with other work.
const OUTER: Duration = Duration::from_secs(20);
const REQUEST: &[u8] = b"GET /hello HTTP/1.1\r\nhost: x\r\n\r\n";

pub(super) struct Server {
    pub(super) address: SocketAddr,
    pub(super) stop: oneshot::Sender<()>,
    pub(super) task: JoinHandle<()>,
}

impl Server {
    async fn start(router: Router, limits: Limits, trusted: &[&str]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("bound");
        let address = listener.local_addr().expect("an address");
        Self::on(listener, address, Line::Plain, router, limits, trusted)
    }

    pub(super) fn on(
        listener: impl Accept + 'static,
        address: SocketAddr,
        line: Line,
        router: Router,
        limits: Limits,
        trusted: &[&str],
    ) -> Self {
        let trusted: Vec<IpNet> = trusted
            .iter()
            .map(|text| text.parse().expect("a network"))
            .collect();
        let (stop, stopped) = oneshot::channel::<()>();
        let task = tokio::spawn(async move {
            let stopped = async {
                stopped.await.expect("told to stop");
            };
            let open = Open::default();
            serve(listener, line, router, limits, &trusted, &open, stopped).await;
        });
        Self {
            address,
            stop,
            task,
        }
    }

    pub(super) async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.expect("connected")
    }

    pub(super) async fn stop(self) {
        self.stop.send(()).expect("still running");
        within(self.task).await.expect("ended well");
    }
}

pub(super) fn hello() -> Router {
    Router::new().route("/hello", get(async || "ciao"))
}

fn quick() -> Limits {
    Limits {
        header_time: Duration::from_millis(150),
        ..Limits::default()
    }
}

pub(super) async fn within<T>(future: impl Future<Output = T>) -> T {
    timeout(OUTER, future).await.expect("in time")
}

/// All that the server sends until it closes. A reset counts as closed.
pub(super) async fn until_closed(stream: &mut TcpStream) -> String {
    let mut answer = Vec::new();
    if let Err(error) = within(stream.read_to_end(&mut answer)).await {
        assert_eq!(error.kind(), io::ErrorKind::ConnectionReset);
    }
    String::from_utf8(answer).expect("text")
}

/// One answer on a connection that stays open.
async fn one_answer(stream: &mut TcpStream) -> String {
    let mut answer = Vec::new();
    while !answer.ends_with(b"\r\n\r\nciao") {
        let read = within(stream.read_buf(&mut answer))
            .await
            .expect("readable");
        assert_ne!(
            read,
            0,
            "closed after {:?}",
            String::from_utf8_lossy(&answer)
        );
    }
    String::from_utf8(answer).expect("text")
}

#[tokio::test]
async fn an_honest_client_is_served_again_and_again() {
    let server = Server::start(hello(), Limits::default(), &[]).await;
    let mut stream = server.connect().await;
    for _ in 0..3 {
        stream.write_all(REQUEST).await.expect("sent");
        let answer = one_answer(&mut stream).await;
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
        assert!(
            !answer.to_ascii_lowercase().contains("\r\nserver:"),
            "{answer}"
        );
    }
    server.stop().await;
}

#[tokio::test]
async fn a_silent_socket_is_closed() {
    let server = Server::start(hello(), quick(), &[]).await;
    let mut stream = server.connect().await;
    let start = Instant::now();
    assert_eq!(until_closed(&mut stream).await, "");
    assert!(start.elapsed() >= Duration::from_millis(100));
    server.stop().await;
}

#[tokio::test]
async fn half_a_header_is_closed() {
    let server = Server::start(hello(), quick(), &[]).await;
    let mut stream = server.connect().await;
    stream
        .write_all(b"GET /hello HTTP/1.1\r\nhost: x")
        .await
        .expect("sent");
    assert!(!until_closed(&mut stream).await.contains("200 OK"));
    server.stop().await;
}

#[tokio::test]
async fn a_header_that_drips_is_closed_although_it_never_pauses() {
    let server = Server::start(hello(), quick(), &[]).await;
    let (mut read, mut write) = server.connect().await.into_split();
    let drip = tokio::spawn(async move {
        if write
            .write_all(b"GET /hello HTTP/1.1\r\nx-drip: ")
            .await
            .is_err()
        {
            return;
        }
        while write.write_all(b"a").await.is_ok() {
            sleep(Duration::from_millis(10)).await;
        }
    });
    let mut answer = Vec::new();
    let ended = within(read.read_to_end(&mut answer)).await;
    assert!(
        ended.is_ok() || ended.is_err_and(|error| error.kind() == io::ErrorKind::ConnectionReset)
    );
    assert!(!String::from_utf8_lossy(&answer).contains("200 OK"));
    within(drip)
        .await
        .expect("the drip ends when the socket is closed");
    server.stop().await;
}

#[tokio::test]
async fn an_idle_connection_is_closed_after_its_answer() {
    let server = Server::start(hello(), quick(), &[]).await;
    let mut stream = server.connect().await;
    stream.write_all(REQUEST).await.expect("sent");
    let answer = until_closed(&mut stream).await;
    assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");
    server.stop().await;
}

#[tokio::test]
async fn a_header_of_twenty_kilobytes_is_refused() {
    let server = Server::start(hello(), Limits::default(), &[]).await;
    for (size, status) in [(8 * 1024, "200"), (20 * 1024, "431")] {
        let mut stream = server.connect().await;
        let padding = "a".repeat(size);
        let request = format!(
            "GET /hello HTTP/1.1\r\nhost: x\r\nconnection: close\r\nx-pad: {padding}\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).await.expect("sent");
        let answer = until_closed(&mut stream).await;
        assert!(
            answer.starts_with(&format!("HTTP/1.1 {status} ")),
            "{size}: {answer}"
        );
    }
    server.stop().await;
}

#[tokio::test]
async fn a_header_of_too_many_fields_is_refused() {
    let server = Server::start(hello(), Limits::default(), &[]).await;
    for (fields, status) in [(64, "200"), (65, "431")] {
        let mut stream = server.connect().await;
        let padding = "x-n: 1\r\n".repeat(fields - 2);
        let request =
            format!("GET /hello HTTP/1.1\r\nhost: x\r\nconnection: close\r\n{padding}\r\n");
        stream.write_all(request.as_bytes()).await.expect("sent");
        let answer = until_closed(&mut stream).await;
        assert!(
            answer.starts_with(&format!("HTTP/1.1 {status} ")),
            "{fields}: {answer}"
        );
    }
    server.stop().await;
}

#[tokio::test]
async fn a_client_that_never_reads_its_answer_is_closed() {
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
        stall_time: Duration::from_millis(150),
        ..Limits::default()
    };
    let server = Server::start(Router::new().route("/big", get(big)), limits, &[]).await;
    let mut stream = server.connect().await;
    stream
        .write_all(b"GET /big HTTP/1.1\r\nhost: x\r\n\r\n")
        .await
        .expect("sent");
    within(when_dropped.recv()).await.expect("let go");
    server.stop().await;
}

#[tokio::test]
async fn one_client_holds_no_more_than_its_share() {
    let limits = Limits {
        sockets_per_client: 2,
        ..Limits::default()
    };
    let server = Server::start(hello(), limits, &[]).await;
    let mut kept = [server.connect().await, server.connect().await];
    for stream in &mut kept {
        stream.write_all(REQUEST).await.expect("sent");
        one_answer(stream).await;
    }
    assert_eq!(
        until_closed(&mut server.connect().await).await,
        "",
        "one too many"
    );
    let [first, mut second] = kept;
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
    second.write_all(REQUEST).await.expect("sent");
    one_answer(&mut second).await;
    server.stop().await;
}

#[tokio::test]
async fn a_trusted_proxy_is_held_to_the_total_only() {
    let limits = Limits {
        sockets_per_client: 1,
        sockets: 3,
        ..Limits::default()
    };
    let server = Server::start(hello(), limits, &["127.0.0.0/8"]).await;
    let mut kept = Vec::new();
    for _ in 0..3 {
        let mut stream = server.connect().await;
        stream.write_all(REQUEST).await.expect("sent");
        one_answer(&mut stream).await;
        kept.push(stream);
    }
    assert_eq!(
        until_closed(&mut server.connect().await).await,
        "",
        "one too many"
    );
    server.stop().await;
}

#[test]
fn seats_are_counted_by_subscriber_and_given_back() {
    let limits = Limits {
        sockets_per_client: 1,
        sockets: 3,
        ..Limits::default()
    };
    let open = Open::default();
    let seats = Seats::new(limits, open.clone());
    let ip = |text: &str| text.parse::<IpAddr>().expect("an address");
    let first = seats.take(ip("2001:db8::1"), false).expect("a place");
    assert!(
        seats.take(ip("2001:db8::2"), false).is_none(),
        "the same /64"
    );
    let second = seats.take(ip("2001:db8:0:1::1"), false).expect("a place");
    let third = seats.take(ip("192.0.2.1"), false).expect("a place");
    assert!(seats.take(ip("192.0.2.2"), true).is_none(), "all taken");
    assert!(seats.taken().told);
    assert_eq!(open.count(), 3);
    drop((first, second, third));
    assert_eq!(open.count(), 0);
    let taken = seats.taken();
    assert_eq!(
        (taken.total, taken.by_client.len(), taken.told),
        (0, 0, false)
    );
}

#[tokio::test]
async fn a_request_knows_its_peer() {
    let whoami = async |Extension(peer): Extension<Peer>| format!("{}\r\n\r\nciao", peer.ip());
    let server = Server::start(
        Router::new().route("/hello", get(whoami)),
        Limits::default(),
        &[],
    )
    .await;
    let mut stream = server.connect().await;
    stream.write_all(REQUEST).await.expect("sent");
    assert!(
        one_answer(&mut stream)
            .await
            .contains("\r\n\r\n127.0.0.1\r\n")
    );
    server.stop().await;
    let mapped = Peer::new("[::ffff:192.0.2.1]:7".parse().expect("an address"));
    assert_eq!(
        mapped,
        Peer::new("192.0.2.1:7".parse().expect("an address"))
    );
}

/// A handler that says when it was entered, and answers when told to.
pub(super) fn waiting(entered: Arc<Notify>, go_on: Arc<Notify>) -> Router {
    let handler = async move || {
        entered.notify_one();
        go_on.notified().await;
        "ciao"
    };
    Router::new().route("/hello", get(handler))
}

#[tokio::test]
async fn stopping_lets_requests_in_flight_finish_and_takes_no_more() {
    let (entered, go_on) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let router = waiting(Arc::clone(&entered), Arc::clone(&go_on));
    let server = Server::start(router, Limits::default(), &[]).await;
    let mut silent = server.connect().await;
    let mut stream = server.connect().await;
    stream.write_all(REQUEST).await.expect("sent");
    within(entered.notified()).await;
    let Server {
        address,
        stop,
        task,
    } = server;
    stop.send(()).expect("running");
    assert_eq!(
        until_closed(&mut silent).await,
        "",
        "nothing in flight: closed at once"
    );
    within(async { while TcpStream::connect(address).await.is_ok() {} }).await;
    assert!(!task.is_finished(), "a request is in flight");
    go_on.notify_one();
    let answer = until_closed(&mut stream).await;
    assert!(
        answer.starts_with("HTTP/1.1 200 OK") && answer.ends_with("ciao"),
        "{answer}"
    );
    within(task).await.expect("ended well");
}

#[tokio::test]
async fn stopping_does_not_wait_for_ever() {
    let (entered, never) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let limits = Limits {
        grace: Duration::from_millis(100),
        ..Limits::default()
    };
    let server = Server::start(waiting(Arc::clone(&entered), never), limits, &[]).await;
    let mut stream = server.connect().await;
    stream.write_all(REQUEST).await.expect("sent");
    within(entered.notified()).await;
    server.stop().await;
    assert_eq!(until_closed(&mut stream).await, "");
}

/// A listener whose first calls fail as those of a machine without file descriptors.
struct Exhausted {
    listener: TcpListener,
    failures: usize,
    calls: Arc<AtomicUsize>,
}

impl Accept for Exhausted {
    async fn accept(&mut self) -> io::Result<(TcpStream, SocketAddr)> {
        /// `EMFILE` of Linux and the BSDs.
        const TOO_MANY_OPEN_FILES: i32 = 24;
        if self.calls.fetch_add(1, Ordering::SeqCst) < self.failures {
            return Err(io::Error::from_raw_os_error(TOO_MANY_OPEN_FILES));
        }
        self.listener.accept().await
    }
}

async fn exhausted(failures: usize) -> (Server, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("bound");
    let address = listener.local_addr().expect("an address");
    let calls = Arc::new(AtomicUsize::new(0));
    let listener = Exhausted {
        listener,
        failures,
        calls: Arc::clone(&calls),
    };
    (
        Server::on(
            listener,
            address,
            Line::Plain,
            hello(),
            Limits::default(),
            &[],
        ),
        calls,
    )
}

#[tokio::test]
async fn a_machine_out_of_sockets_serves_again_when_it_has_some() {
    let start = Instant::now();
    let (server, calls) = exhausted(3).await;
    let mut stream = server.connect().await;
    stream.write_all(REQUEST).await.expect("sent");
    one_answer(&mut stream).await;
    assert!(
        start.elapsed() >= Duration::from_millis(350),
        "50 + 100 + 200 ms of pauses"
    );
    assert!(calls.load(Ordering::SeqCst) < 10, "no spinning");
    server.stop().await;
}

#[tokio::test]
async fn a_machine_out_of_sockets_can_be_stopped() {
    let (server, _) = exhausted(usize::MAX).await;
    server.stop().await;
}

#[test]
fn pauses_double_up_to_a_second_and_start_over() {
    let error = |kind: io::ErrorKind| io::Error::from(kind);
    let mut pauses = Pauses::default();
    assert_eq!(pauses.next(&error(io::ErrorKind::ConnectionAborted)), None);
    let taken: Vec<u128> = (0..40)
        .filter_map(|_| pauses.next(&error(io::ErrorKind::OutOfMemory)))
        .map(|pause| pause.as_millis())
        .collect();
    assert_eq!(taken[..7], [50, 100, 200, 400, 800, 1000, 1000]);
    assert_eq!(taken[39], 1000);
    pauses.end();
    assert_eq!(
        pauses.next(&error(io::ErrorKind::OutOfMemory)),
        Some(FIRST_PAUSE)
    );
}
