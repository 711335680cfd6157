//! The address that an operator's monitoring asks: `/metrics` on a loopback address of its own (PRODUCT.md §2).
//! It has a thread and a connection to the database of its own, so that it answers while everything else is taken. Must
//! never be reachable from another machine, nor by a page in a browser on this one that has its own name point here, nor
//! serve anything else: it asks for no password.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::AtomicU64;
use std::thread::JoinHandle;
use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State as Of};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::{ConstGauge, Gauge};
use prometheus_client::registry::{Registry, Unit};
use tokio::net::TcpListener;
use tokio::sync::watch;

use super::connections::{Endpoint, Limits, Open, serve};
use super::headers::{HeaderPolicy, security_headers};
use super::state::{App, Shared};
use crate::actions::{self, settings};
use crate::backup::archive::free_bytes;
use crate::backup::keep::standing;
use crate::domain::delivery::{Kind, State};
use crate::domain::settings::{BackupFrequency, System};
use crate::metrics::{Labels, PREFIX, seconds};
use crate::store::Snapshot;

/// The only path.
pub const PATH: &str = "/metrics";
/// What the text is.
const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
/// Most deliveries of a state that are counted: bounds what a look at a full outbox costs.
const COUNTED: usize = 100_000;
/// A monitor needs one connection, two of them need two.
const LIMITS: Limits = Limits {
    handshake_time: Duration::from_secs(5),
    header_time: Duration::from_secs(5),
    header_bytes: 16 * 1024,
    header_fields: 64,
    stall_time: Duration::from_secs(5),
    sockets: 16,
    sockets_per_client: 16,
    grace: Duration::from_secs(1),
};

/// The listener at work; dropping it stops it.
pub struct Metering {
    address: SocketAddr,
    stop: watch::Sender<bool>,
    thread: Option<JoinHandle<()>>,
}

impl Metering {
    /// Listens on this address, and answers from a thread of its own.
    pub fn start(address: SocketAddr, app: Shared) -> io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let listener = runtime.block_on(TcpListener::bind(address))?;
        let address = listener.local_addr()?;
        let (stop, mut stopping) = watch::channel(false);
        let stopped = async move {
            // The sender lives as long as this listener: an error means that it is being dropped.
            let _ = stopping.wait_for(|stop| *stop).await;
        };
        let endpoint = Endpoint {
            tls: None,
            router: router(app),
            limits: LIMITS,
            shared_addresses: Vec::new(),
            open: Open::default(),
        };
        let work = serve(listener, endpoint, stopped);
        let thread = std::thread::Builder::new()
            .name("metrics".to_owned())
            .spawn(move || runtime.block_on(work))?;
        Ok(Self {
            address,
            stop,
            thread: Some(thread),
        })
    }

    /// Address it listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Metering {
    fn drop(&mut self) {
        self.stop.send_replace(true);
        let thread = self.thread.take();
        if thread.is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("the metrics listener ended abnormally");
        }
    }
}

fn router(app: Shared) -> Router {
    Router::new()
        .route(PATH, get(scrape))
        .fallback(StatusCode::NOT_FOUND)
        .layer(from_fn(refuse_other_names))
        .layer(from_fn_with_state(
            HeaderPolicy { https: false },
            security_headers,
        ))
        .with_state(app)
}

/// Lets a request through that was meant for this machine. A page whose own name was made to point here would have its
/// browser send that name (DNS rebinding), and could read the answer.
async fn refuse_other_names(request: Request, next: Next) -> Response {
    if names_this_machine(request.headers()) {
        next.run(request).await
    } else {
        StatusCode::MISDIRECTED_REQUEST.into_response()
    }
}

/// Whether the one `Host` is `localhost` or a loopback address, with a port or without.
fn names_this_machine(headers: &HeaderMap) -> bool {
    let mut hosts = headers.get_all(header::HOST).iter();
    let (Some(host), None) = (hosts.next(), hosts.next()) else {
        return false;
    };
    let Ok(authority) = host.to_str().unwrap_or_default().parse::<Authority>() else {
        return false;
    };
    let name = authority.host();
    let bare = name
        .strip_prefix('[')
        .and_then(|name| name.strip_suffix(']'));
    match bare.unwrap_or(name).parse::<IpAddr>() {
        Ok(address) => address.is_loopback(),
        Err(_) => name.eq_ignore_ascii_case("localhost"),
    }
}

/// Reads where it stands: the thread has nothing else to do.
async fn scrape(Of(app): Of<Shared>) -> Response {
    match app.metrics.text(&read(&app)) {
        Ok(text) => ([(header::CONTENT_TYPE, OPEN_METRICS)], text).into_response(),
        Err(error) => {
            tracing::error!(%error, "the metrics cannot be written");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}

/// Everything that is read at the moment of asking. What cannot be read, or means nothing in a demonstration, is left out.
fn read(app: &App) -> Registry {
    let mut gauges = Gauges(Registry::with_prefix(PREFIX));
    gauges.number("connections", "Open sockets", app.sockets.count());
    gauges.writer(app);
    let now = app.clock.now_ms();
    let archive = app.store.read_apart(move |snapshot| {
        let frequency = settings::load::<System>(snapshot)?.backup_frequency;
        Ok::<_, actions::Error>((frequency, backlogs(snapshot, now)?))
    });
    let help = "Whether the database could be read just now";
    gauges.flag("archive_readable", help, archive.is_ok());
    match archive {
        Ok((frequency, backlogs)) => {
            gauges.deliveries(&backlogs);
            gauges.backups(app, frequency, now);
        }
        Err(error) => tracing::debug!(%error, "the metrics cannot read the archive"),
    }
    gauges.disk(app);
    gauges.0
}

/// Deliveries of one channel in one state.
struct Backlog {
    channel: &'static str,
    state: &'static str,
    n: i64,
    /// For how long the oldest has waited, in ms; absent for what waits no more.
    age: Option<i64>,
}

fn backlogs(snapshot: &Snapshot<'_>, now: i64) -> actions::Result<Vec<Backlog>> {
    let mut backlogs = Vec::new();
    for (state, name) in [(State::Pending, "waiting"), (State::Failed, "failed")] {
        let backlog = snapshot.backlog(state, COUNTED)?;
        for kind in Kind::ALL {
            let found = backlog.iter().find(|found| found.kind == kind);
            let age = found.map_or(0, |found| (now - found.oldest).max(0));
            backlogs.push(Backlog {
                channel: kind.as_str(),
                state: name,
                n: found.map_or(0, |found| found.n),
                age: (state == State::Pending).then_some(age),
            });
        }
    }
    Ok(backlogs)
}

/// What is about to be written.
struct Gauges(Registry);

impl Gauges {
    fn number(&mut self, name: &str, help: &str, value: usize) {
        let value = i64::try_from(value).unwrap_or(i64::MAX);
        self.0.register(name, help, ConstGauge::new(value));
    }

    fn flag(&mut self, name: &str, help: &str, value: bool) {
        self.number(name, help, usize::from(value));
    }

    fn bytes(&mut self, name: &str, help: &str, value: u64) {
        let value = ConstGauge::new(i64::try_from(value).unwrap_or(i64::MAX));
        self.0.register_with_unit(name, help, Unit::Bytes, value);
    }

    /// An age; one from the future is none.
    fn age(&mut self, name: &str, help: &str, ms: i64) {
        let value = ConstGauge::new(seconds(ms.max(0)));
        self.0.register_with_unit(name, help, Unit::Seconds, value);
    }

    fn count(&mut self, name: &str, help: &str, value: u64) {
        self.0.register(name, help, ConstCounter::new(value));
    }

    fn writer(&mut self, app: &App) {
        let load = app.store.load();
        self.number(
            "writer_queue",
            "Changes queued or being committed",
            load.waiting,
        );
        let help = "Whether the last transaction failed: nothing can be saved";
        self.flag("writes_failing", help, app.store.failing());
        let help = "Transactions that reached the disk";
        self.count("commits", help, load.committed);
        let help = "Transactions that did not reach the disk";
        self.count("commit_failures", help, load.failed);
    }

    fn deliveries(&mut self, backlogs: &[Backlog]) {
        let counts = Family::<Labels<2>, Gauge>::default();
        let ages = Family::<Labels<1>, Gauge<f64, AtomicU64>>::default();
        for found in backlogs {
            let channel = ("channel", found.channel);
            counts
                .get_or_create(&[channel, ("state", found.state)])
                .set(found.n);
            if let Some(age) = found.age {
                ages.get_or_create(&[channel]).set(seconds(age));
            }
        }
        let help = "Messages that wait, or that were given up and not dealt with, by channel";
        self.0.register("deliveries", help, counts);
        let help = "For how long the oldest waiting message has waited, 0 when none does";
        self.0
            .register_with_unit("delivery_oldest_waiting", help, Unit::Seconds, ages);
    }

    /// The server's own backups.
    fn backups(&mut self, app: &App, frequency: BackupFrequency, now: i64) {
        let Some(data) = &app.data else { return };
        let standing = match standing(data, frequency, now, &app.time_zone) {
            Ok(standing) => standing,
            Err(error) => {
                tracing::debug!(%error, "the metrics cannot read the folder of the backups");
                return;
            }
        };
        if let Some(last) = standing.last.as_ref().filter(|last| last.verified) {
            let help = "Age of the newest good backup of the server's own";
            self.age("backup_age", help, now - last.at.as_millisecond());
        }
        let help = "Whether the newest good backup is older than the schedule allows";
        self.flag("backup_overdue", help, standing.overdue);
        let help = "Whether the last try at a backup failed";
        self.flag("backup_failed", help, standing.last_error.is_some());
        if let Some(last) = &standing.rehearsal {
            let help = "Age of the last rehearsal of a restore";
            self.age("rehearsal_age", help, now - last.at.as_millisecond());
            let help = "Whether the last rehearsal of a restore succeeded";
            self.flag("rehearsal_ok", help, last.ok);
        }
    }

    fn disk(&mut self, app: &App) {
        let size = match app.store.size() {
            Ok(Some(size)) => size,
            Ok(None) => return,
            Err(error) => {
                tracing::debug!(%error, "the metrics cannot look at the data folder");
                return;
            }
        };
        self.bytes("database_size", "Length of the database", size.database);
        let help = "Length of the database's write-ahead log";
        self.bytes("wal_size", help, size.log);
        if let Some(free) = app.data.as_ref().and_then(|data| free_bytes(data).ok()) {
            self.bytes("disk_free", "Room left on the disk of the data", free);
        }
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn verdict(hosts: &[&'static str]) -> bool {
        let mut headers = HeaderMap::new();
        for host in hosts {
            headers.append(header::HOST, HeaderValue::from_static(host));
        }
        names_this_machine(&headers)
    }

    #[test]
    fn only_names_of_this_machine_are_answered() {
        for host in [
            "localhost",
            "LocalHost:9187",
            "127.0.0.1",
            "127.0.0.1:9187",
            "127.8.9.10:80",
            "[::1]",
            "[::1]:9187",
        ] {
            assert!(verdict(&[host]), "{host}");
        }
        for host in [
            "",
            ":9187",
            "localhost.rebound.example",
            "127.0.0.1.rebound.example",
            "192.0.2.7:9187",
            "[::]:9187",
            "local host",
        ] {
            assert!(!verdict(&[host]), "{host}");
        }
        assert!(!verdict(&[]));
        assert!(!verdict(&["localhost", "rebound.example"]));
    }
}
