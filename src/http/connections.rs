//! Accepts connections, limits them, and closes those that send or read almost nothing (ASVS 15.2.2).
//! Must never log an address: most of them are reporters'.

use std::convert::Infallible;
use std::future::poll_fn;
use std::io;
use std::pin::{Pin, pin};
use std::sync::{Arc, LazyLock};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes, HttpBody};
use axum::http::{HeaderValue, Request};
use axum::response::Response;
use http_body_util::BodyExt as _;
use hyper::body::{Frame, Incoming, SizeHint};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use ipnet::IpNet;
use prometheus_client::metrics::gauge::Gauge;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;
use tower::ServiceExt as _;

use super::client_address::Client;
use super::headers::{complete, is_unlisted};
use super::limits::{Most, Permit, Places};
use super::listener::{Listener, Stream};
use super::pace::{Pace, Paced};
use super::sockets::{Socket, Sockets, Stage};
use crate::tls::is_proof;

/// Pause after the machine could not hand out a socket (no file descriptors, no memory).
const ACCEPT_PAUSE: Duration = Duration::from_secs(1);
const TOLD_EVERY: Duration = Duration::from_mins(1);
/// Bytes that wait to be encrypted: less than [`Limits::least_taken`], so that the end of an answer has its time too.
const TLS_BUFFER: usize = 16 * 1024;

/// Limits of one connection, and of all together. [`Limits::default`] is what the program runs with.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Until a TLS handshake is done; the time for the header begins behind it.
    pub handshake_time: Duration,
    /// Until a header is complete, from the first moment or the end of the answer before. Also bounds an idle connection.
    pub header_time: Duration,
    /// Size of a header; beyond it 431. hyper allows no less than 8 KiB.
    pub header_bytes: usize,
    pub header_fields: usize,
    /// How long an answer may wait for the client until so many bytes of it were taken.
    pub stall_time: Duration,
    pub least_taken: usize,
    /// Open sockets; beyond it the client with most of them loses its slowest.
    pub sockets: usize,
    pub sockets_per_client: usize,
    /// How long requests in flight may take when the program stops; all is done within 10 s (`PRODUCT.md §15`).
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
            least_taken: 30 * 1024,
            sockets: 1024,
            sockets_per_client: 64,
            grace: Duration::from_secs(8),
        }
    }
}

/// Routes that the first connection makes: until then neither their code nor their tables are in memory.
pub type Routes = Arc<LazyLock<Router, Box<dyn FnOnce() -> Router + Send>>>;

pub fn routes(make: impl FnOnce() -> Router + Send + 'static) -> Routes {
    Arc::new(LazyLock::new(Box::new(make)))
}

#[derive(Clone)]
pub struct Endpoint {
    pub tls: Option<TlsAcceptor>,
    pub routes: Routes,
    /// The header by which browsers insist on https.
    pub promise: Option<HeaderValue>,
    pub limits: Limits,
    /// Addresses behind which many clients may stand: see [`Places`].
    pub shared_addresses: Arc<[IpNet]>,
    pub open: Gauge,
}

impl Endpoint {
    fn sockets(&self) -> Sockets {
        let most = Most {
            in_all: self.limits.sockets,
            of_client: self.limits.sockets_per_client,
            of_network: usize::MAX,
        };
        Places::new("connections", most, Arc::clone(&self.shared_addresses))
    }
}

/// Serves on `listener` until told to stop, then lets requests in flight finish for [`Limits::grace`] at most. Each request carries
/// its [`Client`] as an extension.
pub async fn serve(listener: Listener, endpoint: Endpoint, stopping: watch::Receiver<bool>) {
    let (sockets, begun) = (endpoint.sockets(), Instant::now());
    let (mut tasks, mut complained) = (JoinSet::new(), None);
    loop {
        let (stream, peer) = tokio::select! {
            () = stop_requested(stopping.clone()) => break,
            Some(_) = tasks.join_next() => continue,
            accepted = accept(&listener, &mut complained) => accepted,
        };
        // Beyond its client's share the stream is dropped, which closes it.
        let socket = Socket::new(begun, endpoint.open.clone());
        if let Some(permit) = sockets.admit(peer, socket) {
            let connection = Connection {
                peer,
                endpoint: endpoint.clone(),
                stopping: stopping.clone(),
                permit,
            };
            tasks.spawn(connection.run_until_sent_away(stream));
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

async fn stop_requested(mut stopping: watch::Receiver<bool>) {
    // The sender lives as long as the server: an error means that it is being dropped.
    let _ = stopping.wait_for(|stop| *stop).await;
}

/// The next connection. Waits out what the machine cannot do; loses nothing when it is dropped before it is done.
async fn accept(listener: &Listener, complained: &mut Option<Instant>) -> (Stream, Client) {
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

struct Connection {
    peer: Client,
    endpoint: Endpoint,
    stopping: watch::Receiver<bool>,
    permit: Permit<Socket>,
}

impl Connection {
    async fn run_until_sent_away(self, stream: Stream) {
        let socket = Arc::clone(&self.permit.holding);
        tokio::select! {
            () = socket.gone.notified() => {}
            () = self.run(stream) => {}
        }
    }

    async fn run(self, stream: Stream) {
        let Some(acceptor) = self.endpoint.tls.clone() else {
            return self.serve_http(stream).await;
        };
        let handshake = timeout(
            self.endpoint.limits.handshake_time,
            shake_hands(&acceptor, stream),
        );
        // A visitor before the handshake has asked for nothing yet.
        let shaken = tokio::select! {
            () = stop_requested(self.stopping.clone()) => return,
            shaken = handshake => shaken,
        };
        match shaken {
            Ok(Ok(Some(stream))) => self.serve_http(stream).await,
            Ok(Err(error)) => tracing::debug!(%error, "no handshake"),
            Ok(Ok(None)) | Err(_) => {}
        }
    }

    async fn serve_http(self, stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static) {
        let (peer, limits) = (self.peer, self.endpoint.limits);
        let router = Router::clone(&self.endpoint.routes);
        let promise = self.endpoint.promise;
        let socket = Arc::clone(&self.permit.holding);
        let pace = Pace::new(limits.stall_time, limits.least_taken);
        let stream = Paced::new(stream, pace);
        let service = service_fn(move |request: Request<Incoming>| {
            let (mut request, exchange) = Exchange::begin(request, &socket);
            request.extensions_mut().insert(peer);
            let unlisted = is_unlisted(request.uri().path());
            let answer = router.clone().oneshot(request);
            exchange.answer(answer, promise.clone(), unlisted)
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
            () = stop_requested(self.stopping) => {
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
    stream.get_mut().1.set_buffer_limit(Some(TLS_BUFFER));
    if stream.get_ref().1.alpn_protocol().is_some_and(is_proof) {
        poll_fn(|context| Pin::new(&mut stream).poll_shutdown(context)).await?;
        return Ok(None);
    }
    Ok(Some(stream))
}

/// A request and its answer: says of the socket how far its client has come, until the answer is out.
struct Exchange(Arc<Socket>);

impl Exchange {
    fn begin(request: Request<Incoming>, socket: &Arc<Socket>) -> (Request<Body>, Self) {
        socket.begin();
        let request = request.map(|body| {
            let socket = Arc::clone(socket);
            Body::new(RequestBody::new(body, socket))
        });
        (request, Self(Arc::clone(socket)))
    }

    async fn answer(
        self,
        answer: impl Future<Output = Result<Response, Infallible>>,
        promise: Option<HeaderValue>,
        unlisted: bool,
    ) -> Result<Response<impl HttpBody<Data = Bytes, Error = axum::Error>>, Infallible> {
        let mut answer = answer.await?;
        complete(promise, unlisted, answer.headers_mut());
        // It lives as long as the body.
        let held = move |error| {
            let _exchange = &self;
            error
        };
        Ok(answer.map(|body| body.map_err(held)))
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        self.0.reach(Stage::Idle);
    }
}

/// A request's body; at its end the client waits for the answer.
struct RequestBody {
    body: Incoming,
    socket: Arc<Socket>,
}

impl RequestBody {
    fn new(body: Incoming, socket: Arc<Socket>) -> Self {
        let body = Self { body, socket };
        body.note_end();
        body
    }

    fn note_end(&self) {
        if self.body.is_end_stream() {
            self.socket.reach(Stage::Waiting);
        }
    }
}

impl HttpBody for RequestBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<hyper::Result<Frame<Bytes>>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
        self.note_end();
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests;
