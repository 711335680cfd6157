//! The address that monitoring asks: `/metrics` on a loopback address of its own (PRODUCT.md §15).
//! Must never be reachable from another machine, nor by DNS rebinding, nor serve anything else: it asks for no password.

use std::sync::atomic::AtomicU64;

use axum::Router;
use axum::extract::State as Of;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use jiff::Timestamp;
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::{ConstGauge, Gauge};
use prometheus_client::registry::{Metric, Registry};

use super::cookies::is_here;
use super::problem::{ApiError, ApiResult};
use super::state::{App, Shared};
use crate::actions;
use crate::actions::settings::sections;
use crate::backup::keep::backup_status;
use crate::backup::replica::replica_status;
use crate::domain::settings::{BackupFrequency, System};
use crate::metrics::{Labels, PREFIX, seconds};
use crate::readings::outbox::{ChannelBacklog, backlogs};
use crate::store::free_bytes;

pub const PATH: &str = "/metrics";
const TEXT: &str = "text/plain; version=0.0.4; charset=utf-8";

pub fn router(app: Shared) -> Router {
    Router::new()
        .route(PATH, get(scrape))
        .fallback(StatusCode::NOT_FOUND)
        .with_state(app)
}

async fn scrape(Of(app): Of<Shared>, headers: HeaderMap) -> ApiResult<Response> {
    // A page whose own name was made to point here would have its browser send that name (DNS rebinding).
    if !names_this_machine(&headers) {
        return Ok(StatusCode::MISDIRECTED_REQUEST.into_response());
    }
    let text = app.compute(|app| {
        let text = app.metrics.text(&read(app));
        text.map_err(|error| ApiError::internal(&error))
    });
    Ok(([(header::CONTENT_TYPE, TEXT)], text.await?).into_response())
}

/// Whether the one `Host` is `localhost` or a loopback address, with a port or without.
fn names_this_machine(headers: &HeaderMap) -> bool {
    let mut hosts = headers.get_all(header::HOST).iter();
    let first = hosts.next().and_then(|host| host.to_str().ok());
    first.is_some_and(is_here) && hosts.next().is_none()
}

/// Everything that is read at the moment of asking. What cannot be read, or means nothing in a demonstration, is left out.
fn read(app: &App) -> Registry {
    let mut registry = Registry::with_prefix(PREFIX);
    let to = &mut registry;
    let load = app.store.load();
    let help = "Changes queued or being committed";
    gauge(to, "writer_queue", help, load.waiting);
    let help = "Transactions that reached the disk";
    to.register("commits", help, ConstCounter::new(load.committed));
    let help = "Transactions that did not reach the disk";
    to.register("commit_failures", help, ConstCounter::new(load.failed));
    let help = "Whether the last transaction failed: nothing can be saved";
    gauge(to, "writes_failing", help, i64::from(app.store.failing()));
    let now = app.clock.now_ms();
    let archive = app.store.read_apart(|snapshot| {
        let frequency = sections::load::<System>(snapshot)?.backup_frequency;
        Ok::<_, actions::Error>((frequency, backlogs(snapshot)?))
    });
    let help = "Whether the database could be read just now";
    gauge(to, "archive_readable", help, i64::from(archive.is_ok()));
    match archive {
        Ok((frequency, channels)) => {
            deliveries(to, &channels, now);
            backups(to, app, frequency, now);
        }
        Err(error) => tracing::debug!(%error, "the metrics cannot read the archive"),
    }
    if let Some(copied) = (app.data.as_ref()).and_then(|data| replica_status(data, now)?.copied) {
        let help = "Age of the replica on another machine";
        gauge(to, "replica_age_seconds", help, age(copied, now));
    }
    disk(to, app);
    registry
}

fn gauge<N>(to: &mut Registry, name: &str, help: &str, value: N)
where
    ConstGauge<N>: Metric,
{
    to.register(name, help, ConstGauge::new(value));
}

/// A moment in the future has no age.
fn age(at: Timestamp, now: i64) -> f64 {
    seconds((now - at.as_millisecond()).max(0))
}

fn deliveries(to: &mut Registry, channels: &[ChannelBacklog], now: i64) {
    let counts = Family::<Labels<2>, Gauge>::default();
    let ages = Family::<Labels<1>, Gauge<f64, AtomicU64>>::default();
    for one in channels {
        let channel = ("channel", one.kind.as_str());
        for (state, count) in [("waiting", one.waiting), ("failed", one.failed)] {
            counts
                .get_or_create(&[channel, ("state", state)])
                .set(count);
        }
        let age = one.oldest.map_or(0, |oldest| (now - oldest).max(0));
        ages.get_or_create(&[channel]).set(seconds(age));
    }
    let help = "Messages that wait, or that were given up and not dealt with, by channel";
    to.register("deliveries", help, counts);
    let help = "For how long the oldest waiting message has waited, 0 when none does";
    to.register("delivery_oldest_waiting_seconds", help, ages);
}

fn backups(to: &mut Registry, app: &App, frequency: BackupFrequency, now: i64) {
    let Some(data) = &app.data else { return };
    let failed = app.jobs.backup_failure.lock().clone();
    let status = match backup_status(data, frequency, failed, now, &app.time_zone) {
        Ok(status) => status,
        Err(error) => {
            tracing::debug!(%error, "the metrics cannot read the folder of the backups");
            return;
        }
    };
    if let Some(last) = status.last.filter(|last| last.good == Some(true)) {
        let help = "Age of the newest good backup of the server's own";
        gauge(to, "backup_age_seconds", help, age(last.at, now));
    }
    let help = "Whether the newest good backup is older than the schedule allows";
    gauge(to, "backup_overdue", help, i64::from(status.overdue));
    let (help, failed) = (
        "Whether the last attempt at a backup failed",
        status.last_error,
    );
    gauge(to, "backup_failed", help, i64::from(failed.is_some()));
    let help = "Whether files of attachments are missing, so that backups lack them";
    gauge(
        to,
        "backup_incomplete",
        help,
        i64::from(status.incomplete.is_some()),
    );
    if let Some(last) = status.rehearsal {
        let help = "Age of the last rehearsal of a restore";
        gauge(to, "rehearsal_age_seconds", help, age(last.at, now));
        let help = "Whether the last rehearsal of a restore succeeded";
        gauge(to, "rehearsal_ok", help, i64::from(last.ok));
    }
}

fn disk(to: &mut Registry, app: &App) {
    match app.store.size() {
        Ok(Some((database, log))) => {
            let help = "Length of the database";
            gauge(to, "database_size_bytes", help, database);
            let help = "Length of the database's write-ahead log";
            gauge(to, "wal_size_bytes", help, log);
        }
        Ok(None) => {}
        Err(error) => tracing::debug!(%error, "the metrics cannot look at the data folder"),
    }
    if let Some(free) = app.data.as_ref().and_then(|data| free_bytes(data).ok()) {
        let help = "Room left on the disk of the data";
        gauge(to, "disk_free_bytes", help, free);
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
