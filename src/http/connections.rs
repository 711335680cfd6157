//! Accepts connections, limits them, and closes them: also those that send nothing or half a header, on which `axum::serve`
//! would wait for ever, and readers that stand still (ASVS 15.2.2). Deadlines for a body belong to the router.
//! Must never log an address: most of them are reporters'.

use std::collections::HashMap;
use std::future::poll_fn;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use ipnet::IpNet;
use parking_lot::Mutex;
use prometheus_client::metrics::gauge::Gauge;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};
use tokio_io_timeout::TimeoutWriter;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;
use tower::ServiceExt as _;

use super::client_address::{Peer, is_trusted, limiter_key};
use crate::tls::is_proof;

/// Pause after the machine could not hand out a socket (no file descriptors, no memory).
const ACCEPT_PAUSE: Duration = Duration::from_secs(1);
/// How often that is logged at most.
const TOLD_EVERY: Duration = Duration::from_mins(1);

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
    pub sockets: usize,
    /// Open sockets of one client (IPv4 address, IPv6 /64).
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

/// What the connections of a listener are served with.
#[derive(Clone)]
pub struct Endpoint {
    /// Plain HTTP when absent.
    pub tls: Option<TlsAcceptor>,
    pub router: Router,
    pub limits: Limits,
    /// Addresses behind which many clients may stand: exempt from [`Limits::sockets_per_client`].
    pub shared_addresses: Arc<[IpNet]>,
    /// Open sockets, for whoever watches.
    pub open: Gauge,
}

/// Serves on `listener` until told to stop; then accepts no more, lets requests in flight finish for [`Limits::grace`] at
/// most, and returns when every connection is closed.
///
/// Each request carries its [`Peer`] as an extension. Connections beyond the limits are closed without an answer.
pub async fn serve(listener: TcpListener, endpoint: Endpoint, stopping: watch::Receiver<bool>) {
    let limiter = Arc::new(ConnectionLimiter {
        endpoint: endpoint.clone(),
        held: Mutex::default(),
    });
    let (mut tasks, mut complained) = (JoinSet::new(), None);
    loop {
        let (stream, address) = tokio::select! {
            () = told(stopping.clone()) => break,
            Some(_) = tasks.join_next() => continue,
            accepted = accept(&listener, &mut complained) => accepted,
        };
        let peer = Peer(address.ip().to_canonical());
        // Beyond the limits the stream is dropped, which closes it.
        if let Some(permit) = limiter.admit(peer.0) {
            let connection = Connection {
                peer,
                endpoint: endpoint.clone(),
                stopping: stopping.clone(),
                _permit: permit,
            };
            tasks.spawn(connection.run(stream));
        }
    }
    drop(listener);
    let all = async { while tasks.join_next().await.is_some() {} };
    if timeout(endpoint.limits.grace, all).await.is_err() {
        let open = tasks.len();
        tracing::warn!(open, "stopping with requests still in flight");
    }
    tasks.shutdown().await;
}

/// Waits until told to stop.
async fn told(mut stopping: watch::Receiver<bool>) {
    // The sender lives as long as the server: an error means that it is being dropped.
    let _ = stopping.wait_for(|stop| *stop).await;
}

/// The next connection. Waits out what the machine cannot do; loses nothing when it is dropped before it is done.
async fn accept(
    listener: &TcpListener,
    complained: &mut Option<Instant>,
) -> (TcpStream, SocketAddr) {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset, Interrupted};
    loop {
        match listener
            .accept()
            .await
            .map_err(|error| (error.kind(), error))
        {
            Ok(accepted) => return accepted,
            Err((ConnectionAborted | ConnectionRefused | ConnectionReset | Interrupted, _)) => {}
            Err((_, error)) => {
                if complained.is_none_or(|at| at.elapsed() > TOLD_EVERY) {
                    *complained = Some(Instant::now());
                    tracing::error!(%error, "cannot accept connections: trying again");
                }
                sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

/// One accepted connection and its permit, which it gives back when it ends.
struct Connection {
    peer: Peer,
    endpoint: Endpoint,
    stopping: watch::Receiver<bool>,
    _permit: Permit,
}

impl Connection {
    async fn run(self, stream: TcpStream) {
        // Only delays are at stake: a socket that is broken says so when it is used.
        let _ = stream.set_nodelay(true);
        // A client that asks and never reads would hold the socket and the answer for ever.
        let mut stream = TimeoutWriter::new(stream);
        stream.set_timeout(Some(self.endpoint.limits.stall_time));
        let stream = Box::pin(stream);
        let Some(acceptor) = self.endpoint.tls.clone() else {
            return self.serve_http(stream).await;
        };
        let handshake = timeout(
            self.endpoint.limits.handshake_time,
            shake_hands(&acceptor, stream),
        );
        // Nothing is lost with a visitor who has not yet said what for.
        let shaken = tokio::select! {
            () = told(self.stopping.clone()) => return,
            shaken = handshake => shaken,
        };
        match shaken {
            Ok(Ok(Some(stream))) => self.serve_http(stream).await,
            Ok(Err(error)) => tracing::debug!(%error, "no handshake"),
            Ok(Ok(None)) | Err(_) => {}
        }
    }

    async fn serve_http(self, stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static) {
        let (peer, router, limits) = (self.peer, self.endpoint.router, self.endpoint.limits);
        let service = service_fn(move |mut request: Request<Incoming>| {
            request.extensions_mut().insert(peer);
            router.clone().oneshot(request.map(Body::new))
        });
        let mut connection = pin!(
            http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(limits.header_time)
                .max_buf_size(limits.header_bytes)
                .max_headers(limits.header_fields)
                .serve_connection(TokioIo::new(stream), service)
        );
        let ended = tokio::select! {
            ended = connection.as_mut() => ended,
            () = told(self.stopping) => {
                connection.as_mut().graceful_shutdown();
                connection.await
            }
        };
        // A client that goes away or speaks nonsense is not our failure.
        if let Err(error) = ended {
            tracing::debug!(%error, "connection ended early");
        }
    }
}

/// The encrypted stream; `None` for an authority that asks whether this is the server of a name: it has its answer with
/// the handshake, and nothing is served to it (RFC 8737 §3).
async fn shake_hands<S: AsyncRead + AsyncWrite + Unpin>(
    acceptor: &TlsAcceptor,
    stream: S,
) -> io::Result<Option<TlsStream<S>>> {
    let mut stream = acceptor.accept(stream).await?;
    if stream.get_ref().1.alpn_protocol().is_some_and(is_proof) {
        poll_fn(|context| Pin::new(&mut stream).poll_shutdown(context)).await?;
        return Ok(None);
    }
    Ok(Some(stream))
}

/// Counts who holds how many sockets.
struct ConnectionLimiter {
    endpoint: Endpoint,
    held: Mutex<Held>,
}

#[derive(Default)]
struct Held {
    total: usize,
    by_client: HashMap<Vec<u8>, usize>,
    /// The operator has been told that all are taken.
    told: bool,
}

impl ConnectionLimiter {
    /// A permit for one more socket of this client, unless too many are open.
    fn admit(self: &Arc<Self>, address: IpAddr) -> Option<Permit> {
        let (limits, held) = (&self.endpoint.limits, &mut *self.held.lock());
        if held.total >= limits.sockets {
            if !held.told {
                held.told = true;
                let open = held.total;
                tracing::warn!(open, "all connections are taken: refusing new ones");
            }
            return None;
        }
        let client = limiter_key(address);
        let open = held.by_client.entry(client.clone()).or_default();
        if *open >= limits.sockets_per_client
            && !is_trusted(address, &self.endpoint.shared_addresses)
        {
            return None;
        }
        *open += 1;
        held.total += 1;
        self.endpoint.open.inc();
        Some(Permit {
            limiter: Arc::clone(self),
            client,
        })
    }
}

/// The right to one socket, given back when dropped.
struct Permit {
    limiter: Arc<ConnectionLimiter>,
    client: Vec<u8>,
}

impl Drop for Permit {
    fn drop(&mut self) {
        let held = &mut *self.limiter.held.lock();
        held.total -= 1;
        self.limiter.endpoint.open.dec();
        // Log again only below half load: a server at its limit would otherwise log at every change.
        if held.total < self.limiter.endpoint.limits.sockets / 2 {
            held.told = false;
        }
        if let Some(open) = held.by_client.get_mut(&self.client) {
            *open -= 1;
            if *open == 0 {
                held.by_client.remove(&self.client);
            }
        }
    }
}

#[cfg(test)]
mod tests;
