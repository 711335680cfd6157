//! The sockets: accepting them, limiting them, and letting them go.
//!
//! `axum::serve` waits for ever on a socket that sends nothing or half a header; this loop does not (ASVS 15.2.2): hyper's
//! HTTP/1 connection with a timer closes them, and a reader that stands still is closed too. Deadlines for a body and
//! for a handler belong to the router. This file never logs an address: most of them are reporters'.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use ipnet::IpNet;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Sleep, sleep, timeout};
use tower::ServiceExt as _;

mod line;

pub use line::Line;
use line::shake_hands;

use super::client_address::{Peer, is_trusted, limiter_key};

/// First pause after the machine could not hand out a socket; it doubles up to [`LONGEST_PAUSE`].
const FIRST_PAUSE: Duration = Duration::from_millis(50);
/// Longest of those pauses: a client waits no longer than this once sockets are free again.
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// What a connection, and all of them together, may take. [`Limits::default`] is what the program runs with.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Until a TLS handshake is done; the time for the header begins behind it.
    pub handshake_time: Duration,
    /// From the first moment, or the end of the previous answer, until a header is complete. Also the longest that an
    /// idle connection is kept.
    pub header_time: Duration,
    /// Size of a header; beyond it 431. hyper allows no less than 8 KiB.
    pub header_bytes: usize,
    /// Number of fields in a header; beyond it 431.
    pub header_fields: usize,
    /// How long the client may take nothing of an answer that waits for it.
    pub stall_time: Duration,
    /// Open sockets in all.
    pub sockets: usize,
    /// Open sockets of one client (IPv4 address, IPv6 /64); trusted proxies are exempt.
    pub sockets_per_client: usize,
    /// How long requests in flight may take to finish when the program stops. Closing the database comes after it, and
    /// all of it must be done within 10 s (`PRODUCT.md §2`).
    pub grace: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            handshake_time: Duration::from_secs(10),
            header_time: Duration::from_secs(5),
            header_bytes: 16 * 1024,
            header_fields: 64,
            stall_time: Duration::from_secs(30),
            sockets: 1024,
            sockets_per_client: 64,
            grace: Duration::from_secs(8),
        }
    }
}

/// How many sockets are open, for whoever watches. Clones count together.
#[derive(Debug, Clone, Default)]
pub struct Open(Arc<AtomicUsize>);

impl Open {
    /// Their number.
    pub fn count(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

/// Where connections come from: a listening socket.
pub trait Accept: Send {
    /// The next connection, and its other end. Must lose nothing when it is dropped before it is done.
    fn accept(&mut self) -> impl Future<Output = io::Result<(TcpStream, SocketAddr)>> + Send;
}

impl Accept for TcpListener {
    fn accept(&mut self) -> impl Future<Output = io::Result<(TcpStream, SocketAddr)>> + Send {
        TcpListener::accept(self)
    }
}

/// Serves `router` on `listener`, over this kind of line, until `stop` completes; then accepts no more, lets requests in
/// flight finish for [`Limits::grace`] at most, and returns when every connection is closed. `open` tells meanwhile how
/// many there are.
///
/// Each request carries its [`Peer`] as an extension. Connections beyond the limits are closed without an answer.
pub async fn serve(
    mut listener: impl Accept,
    line: Line,
    router: Router,
    limits: Limits,
    trusted_proxies: &[IpNet],
    open: &Open,
    stop: impl Future<Output = ()> + Send,
) {
    let mut house = House::new(line, router, limits, trusted_proxies, open);
    let mut pauses = Pauses::default();
    let mut stop = pin!(stop);
    loop {
        let accepted = tokio::select! {
            () = &mut stop => break,
            Some(_) = house.tasks.join_next() => continue,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, address)) => {
                pauses.end();
                house.admit(stream, Peer::new(address));
            }
            Err(error) => {
                if let Some(pause) = pauses.next(&error) {
                    tokio::select! {
                        () = &mut stop => break,
                        () = sleep(pause) => {}
                    }
                }
            }
        }
    }
    drop(listener);
    house.close().await;
}

/// All connections, and what each of them is served with.
struct House<'a> {
    line: Line,
    router: Router,
    limits: Limits,
    trusted_proxies: &'a [IpNet],
    protocol: http1::Builder,
    seats: Arc<Seats>,
    graceful: GracefulShutdown,
    /// Ends handshakes: a connection can be shut gracefully only behind its own.
    stopping: watch::Sender<bool>,
    tasks: JoinSet<()>,
}

impl<'a> House<'a> {
    fn new(
        line: Line,
        router: Router,
        limits: Limits,
        trusted_proxies: &'a [IpNet],
        open: &Open,
    ) -> Self {
        Self {
            line,
            router,
            limits,
            trusted_proxies,
            protocol: protocol(limits),
            seats: Seats::new(limits, open.clone()),
            graceful: GracefulShutdown::new(),
            stopping: watch::Sender::new(false),
            tasks: JoinSet::new(),
        }
    }

    /// Serves a connection if there is a place for it; else the stream is dropped, which closes it.
    fn admit(&mut self, stream: TcpStream, peer: Peer) {
        let exempt = is_trusted(peer.ip(), self.trusted_proxies);
        let Some(seat) = self.seats.take(peer.ip(), exempt) else {
            return;
        };
        let connection = Connection {
            stream,
            peer,
            limits: self.limits,
            protocol: self.protocol.clone(),
            router: self.router.clone(),
            watcher: self.graceful.watcher(),
            _seat: seat,
        };
        let stopping = self.stopping.subscribe();
        self.tasks
            .spawn(connection.serve(self.line.clone(), stopping));
    }

    /// Lets requests in flight finish, then drops what is left.
    async fn close(mut self) {
        self.stopping.send_replace(true);
        if timeout(self.limits.grace, self.graceful.shutdown())
            .await
            .is_err()
        {
            tracing::warn!(
                open = self.tasks.len(),
                "stopping with requests still in flight"
            );
        }
        self.tasks.shutdown().await;
    }
}

fn protocol(limits: Limits) -> http1::Builder {
    let mut protocol = http1::Builder::new();
    protocol
        .timer(TokioTimer::new())
        .header_read_timeout(limits.header_time)
        .max_buf_size(limits.header_bytes)
        .max_headers(limits.header_fields);
    protocol
}

/// One accepted connection and its place among the others, which it gives back when it ends.
struct Connection {
    stream: TcpStream,
    peer: Peer,
    limits: Limits,
    protocol: http1::Builder,
    router: Router,
    watcher: Watcher,
    _seat: Seat,
}

impl Connection {
    async fn serve(self, line: Line, stopping: watch::Receiver<bool>) {
        let Self {
            stream,
            peer,
            limits,
            protocol,
            router,
            watcher,
            _seat,
        } = self;
        let stream = Unstalled::new(stream, limits.stall_time);
        let service = service_fn(move |mut request: Request<Incoming>| {
            request.extensions_mut().insert(peer);
            router.clone().oneshot(request.map(Body::new))
        });
        let ended = match line {
            Line::Plain => {
                let connection = protocol.serve_connection(TokioIo::new(stream), service);
                watcher.watch(connection).await
            }
            Line::Tls(acceptor) => {
                let within = limits.handshake_time;
                let Some(stream) = shake_hands(&acceptor, stream, within, stopping).await else {
                    return;
                };
                let connection = protocol.serve_connection(TokioIo::new(stream), service);
                watcher.watch(connection).await
            }
        };
        // A client that goes away or speaks nonsense is not our failure.
        if let Err(error) = ended {
            tracing::debug!(%error, "connection ended early");
        }
    }
}

/// Who holds how many sockets.
#[derive(Debug)]
struct Seats {
    limits: Limits,
    open: Open,
    taken: Mutex<Taken>,
}

#[derive(Debug, Default)]
struct Taken {
    total: usize,
    by_client: HashMap<Vec<u8>, usize>,
    /// The operator has been told that all are taken.
    told: bool,
}

impl Seats {
    fn new(limits: Limits, open: Open) -> Arc<Self> {
        Arc::new(Self {
            limits,
            open,
            taken: Mutex::default(),
        })
    }

    /// A place for one more socket of this client, unless too many are open.
    fn take(self: &Arc<Self>, address: IpAddr, exempt: bool) -> Option<Seat> {
        let mut taken = self.taken();
        if taken.total >= self.limits.sockets {
            if !taken.told {
                taken.told = true;
                tracing::warn!(
                    open = taken.total,
                    "all connections are taken: refusing new ones"
                );
            }
            return None;
        }
        let client = limiter_key(address);
        let open = taken.by_client.get(&client).copied().unwrap_or(0);
        if open >= self.limits.sockets_per_client && !exempt {
            return None;
        }
        taken.total += 1;
        self.open.0.fetch_add(1, Ordering::Relaxed);
        taken.by_client.insert(client.clone(), open + 1);
        Some(Seat {
            seats: Arc::clone(self),
            client,
        })
    }

    fn give_back(&self, client: &[u8]) {
        let mut taken = self.taken();
        taken.total -= 1;
        self.open.0.fetch_sub(1, Ordering::Relaxed);
        // Told again only after a real ebb: a server at its limit would otherwise log at every change.
        if taken.total < self.limits.sockets / 2 {
            taken.told = false;
        }
        if let Some(open) = taken.by_client.get_mut(client) {
            *open -= 1;
            if *open == 0 {
                taken.by_client.remove(client);
            }
        }
    }

    /// The counters stay true even if a holder of the lock panicked: no step leaves them half changed.
    fn taken(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The place of one socket, given back when dropped.
#[derive(Debug)]
struct Seat {
    seats: Arc<Seats>,
    client: Vec<u8>,
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.seats.give_back(&self.client);
    }
}

/// Pauses after failures of the machine to hand out a socket (no file descriptors, no memory): without them the loop
/// would spin, and log, as fast as it can.
#[derive(Debug, Default)]
struct Pauses {
    failures: u32,
}

impl Pauses {
    /// How long to wait before accepting again; `None` when only the one connection is lost.
    fn next(&mut self, error: &io::Error) -> Option<Duration> {
        use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset, Interrupted};
        if matches!(
            error.kind(),
            ConnectionAborted | ConnectionRefused | ConnectionReset | Interrupted
        ) {
            return None;
        }
        if self.failures == 0 {
            tracing::error!(%error, "cannot accept connections: trying again");
        }
        let pause = FIRST_PAUSE.saturating_mul(2_u32.saturating_pow(self.failures));
        self.failures = self.failures.saturating_add(1);
        Some(pause.min(LONGEST_PAUSE))
    }

    fn end(&mut self) {
        if self.failures > 0 {
            tracing::info!(failures = self.failures, "accepting connections again");
            self.failures = 0;
        }
    }
}

/// A stream that fails when its other end takes nothing for too long: a client that asks and never reads would hold
/// the socket and the answer for ever.
#[derive(Debug)]
struct Unstalled {
    stream: TcpStream,
    limit: Duration,
    waiting: Option<Pin<Box<Sleep>>>,
}

impl Unstalled {
    fn new(stream: TcpStream, limit: Duration) -> Self {
        // Only delays are at stake: an answer goes out in one write, and a socket that is broken says so when it is used.
        let _ = stream.set_nodelay(true);
        Self {
            stream,
            limit,
            waiting: None,
        }
    }

    /// Passes on what the stream says, and watches how long it says "wait".
    fn watch<T>(
        &mut self,
        context: &mut Context<'_>,
        poll: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if poll.is_ready() {
            self.waiting = None;
            return poll;
        }
        let limit = self.limit;
        let waiting = self.waiting.get_or_insert_with(|| Box::pin(sleep(limit)));
        ready!(waiting.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for Unstalled {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl AsyncWrite for Unstalled {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let poll = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.watch(cx, poll)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let poll = Pin::new(&mut self.stream).poll_write_vectored(cx, parts);
        self.watch(cx, poll)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod secured_tests;
#[cfg(test)]
mod tests;
