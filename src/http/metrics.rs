//! The address that an operator's monitoring asks: `/metrics` on a loopback address of its own (PRODUCT.md §2).
//! It has a thread and a connection to the database of its own, so that it answers while everything else is taken. Must
//! never be reachable from another machine, nor by a page in a browser on this one that has its own name point here, nor
//! serve anything else: it asks for no password.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::thread::JoinHandle;
use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State as Of};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use tokio::net::TcpListener;
use tokio::sync::watch;

use super::connections::{Limits, Line, Open, serve};
use super::headers::{HeaderPolicy, security_headers};
use super::state::{App, Shared};
use crate::actions::{self, settings};
use crate::backup::keep::{Standing, standing};
use crate::backup::packed::free_bytes;
use crate::domain::delivery::{Kind, State};
use crate::domain::settings::{BackupFrequency, System};
use crate::metrics::{Backups, Deliveries, Disk, Readings, Writer};
use crate::store::Snapshot;

/// The only path.
pub const PATH: &str = "/metrics";
/// What the text is.
const PROMETHEUS: &str = "text/plain; version=0.0.4; charset=utf-8";
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
        let work = async move {
            serve(
                listener,
                Line::Plain,
                router(app),
                LIMITS,
                &[],
                &Open::default(),
                stopped,
            )
            .await;
        };
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
        Ok(text) => ([(header::CONTENT_TYPE, PROMETHEUS)], text).into_response(),
        Err(error) => {
            tracing::error!(%error, "the metrics cannot be written");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}

/// Everything that is read at the moment of asking.
fn read(app: &App) -> Readings {
    let now = app.clock.now_ms();
    let load = app.store.load();
    let archive = match app.store.read_apart(move |snapshot| archive(snapshot, now)) {
        Ok(archive) => Some(archive),
        Err(error) => {
            tracing::debug!(%error, "the metrics cannot read the archive");
            None
        }
    };
    Readings {
        connections: app.sockets.count(),
        writer: Writer {
            waiting: load.waiting,
            committed: load.committed,
            failed: load.failed,
            failing: app.store.failing(),
        },
        readable: archive.is_some(),
        backups: archive
            .as_ref()
            .and_then(|archive| backups(app, archive.frequency, now)),
        deliveries: archive
            .map(|archive| archive.deliveries)
            .unwrap_or_default(),
        disk: disk(app),
    }
}

/// What stands in the database.
struct Archive {
    deliveries: Vec<Deliveries>,
    frequency: BackupFrequency,
}

fn archive(snapshot: &Snapshot<'_>, now: i64) -> actions::Result<Archive> {
    let mut deliveries = Vec::new();
    for (state, name) in [(State::Pending, "waiting"), (State::Failed, "failed")] {
        let backlog = snapshot.backlog(state, COUNTED)?;
        for kind in [Kind::Email, Kind::Webhook] {
            let found = backlog.iter().find(|found| found.kind == kind);
            let age = found.map_or(0, |found| (now - found.oldest).max(0));
            deliveries.push(Deliveries {
                channel: kind.as_str(),
                state: name,
                n: found.map_or(0, |found| found.n),
                age: (state == State::Pending).then_some(age),
            });
        }
    }
    Ok(Archive {
        deliveries,
        frequency: settings::load::<System>(snapshot)?.backup_frequency,
    })
}

fn backups(app: &App, frequency: BackupFrequency, now: i64) -> Option<Backups> {
    let data = app.data.as_ref()?;
    match standing(data, frequency, now, &app.time_zone) {
        Ok(standing) => Some(told(&standing, now)),
        Err(error) => {
            tracing::debug!(%error, "the metrics cannot read the folder of the backups");
            None
        }
    }
}

fn told(standing: &Standing, now: i64) -> Backups {
    let good = standing.last.as_ref().filter(|last| last.verified);
    Backups {
        age: good.map(|last| now - last.at),
        overdue: standing.overdue,
        failed: standing.failure.is_some(),
        rehearsal: standing
            .rehearsal
            .as_ref()
            .map(|last| (now - last.at, last.failure.is_none())),
    }
}

fn disk(app: &App) -> Option<Disk> {
    let size = match app.store.size() {
        Ok(size) => size?,
        Err(error) => {
            tracing::debug!(%error, "the metrics cannot look at the data folder");
            return None;
        }
    };
    Some(Disk {
        database: size.database,
        log: size.log,
        free: app.data.as_ref().and_then(|data| free_bytes(data).ok()),
    })
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
            "rebound.example",
            "rebound.example:9187",
            "localhost.rebound.example",
            "127.0.0.1.rebound.example",
            "rebound.example@127.0.0.1.rebound.example",
            "192.0.2.7:9187",
            "0.0.0.0:9187",
            "[::]:9187",
            "[2001:db8::1]:9187",
            "local host",
        ] {
            assert!(!verdict(&[host]), "{host}");
        }
        assert!(!verdict(&[]));
        assert!(!verdict(&["localhost", "rebound.example"]));
    }
}
