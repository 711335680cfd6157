//! What is read at the moment of asking: the writer, the disk, the outbox, the backups.
//! Must never name a file, an address or a report.

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::{ConstGauge, Gauge};
use prometheus_client::registry::{Registry, Unit};

use super::seconds;

/// What could be read. What could not, or is of no meaning in a demonstration, is `None`, and missing in the text.
#[derive(Debug, Clone, Default)]
pub struct Readings {
    /// Open sockets.
    pub connections: usize,
    /// The writer.
    pub writer: Writer,
    /// Whether the database could be read.
    pub readable: bool,
    /// The outbox, one entry a channel and state.
    pub deliveries: Vec<Deliveries>,
    /// The backups.
    pub backups: Option<Backups>,
    /// The disk.
    pub disk: Option<Disk>,
}

/// The writer of the database.
#[derive(Debug, Clone, Copy, Default)]
pub struct Writer {
    /// Changes queued or being committed.
    pub waiting: usize,
    /// Transactions that reached the disk since the start.
    pub committed: u64,
    /// Transactions that did not.
    pub failed: u64,
    /// Whether the last one failed.
    pub failing: bool,
}

/// Deliveries of one channel in one state.
#[derive(Debug, Clone, Copy)]
pub struct Deliveries {
    /// `email` or `webhook`.
    pub channel: &'static str,
    /// `waiting` or `failed`.
    pub state: &'static str,
    /// How many.
    pub n: i64,
    /// For how long the oldest has waited, in ms; absent for what waits no more.
    pub age: Option<i64>,
}

/// The server's own backups. Ages are in ms.
#[derive(Debug, Clone, Copy)]
pub struct Backups {
    /// Age of the newest, when it was read back and found good.
    pub age: Option<i64>,
    /// Whether it is older than the schedule allows.
    pub overdue: bool,
    /// Whether the last try failed.
    pub failed: bool,
    /// Age of the last rehearsal, and whether it succeeded.
    pub rehearsal: Option<(i64, bool)>,
}

/// The disk, in bytes.
#[derive(Debug, Clone, Copy)]
pub struct Disk {
    /// The database.
    pub database: u64,
    /// Its write-ahead log.
    pub log: u64,
    /// Room left where the data lies.
    pub free: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct StateLabels {
    channel: &'static str,
    state: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ChannelLabels {
    channel: &'static str,
}

type Ages = Family<ChannelLabels, Gauge<f64, std::sync::atomic::AtomicU64>>;

impl Readings {
    /// Adds everything to what is about to be written.
    pub(super) fn register(&self, to: &mut Registry) {
        gauge(to, "connections", "Open sockets", self.connections);
        flag(
            to,
            "archive_readable",
            "Whether the database could be read just now",
            self.readable,
        );
        self.writer.register(to);
        self.register_deliveries(to);
        if let Some(backups) = &self.backups {
            backups.register(to);
        }
        if let Some(disk) = &self.disk {
            disk.register(to);
        }
    }

    fn register_deliveries(&self, to: &mut Registry) {
        let (counts, ages) = (Family::<StateLabels, Gauge>::default(), Ages::default());
        for found in &self.deliveries {
            let (channel, state) = (found.channel, found.state);
            counts
                .get_or_create(&StateLabels { channel, state })
                .set(found.n);
            if let Some(age) = found.age {
                ages.get_or_create(&ChannelLabels { channel })
                    .set(seconds(age));
            }
        }
        to.register(
            "deliveries",
            "Messages that wait, or that were given up and not dealt with, by channel",
            counts,
        );
        to.register_with_unit(
            "delivery_oldest_waiting",
            "For how long the oldest waiting message has waited, 0 when none does",
            Unit::Seconds,
            ages,
        );
    }
}

impl Writer {
    fn register(&self, to: &mut Registry) {
        gauge(
            to,
            "writer_queue",
            "Changes queued or being committed",
            self.waiting,
        );
        flag(
            to,
            "writes_failing",
            "Whether the last transaction failed: nothing can be saved",
            self.failing,
        );
        to.register(
            "commits",
            "Transactions that reached the disk",
            ConstCounter::new(self.committed),
        );
        to.register(
            "commit_failures",
            "Transactions that did not reach the disk",
            ConstCounter::new(self.failed),
        );
    }
}

impl Backups {
    fn register(&self, to: &mut Registry) {
        if let Some(age) = self.age {
            age_of(
                to,
                "backup_age",
                "Age of the newest good backup of the server's own",
                age,
            );
        }
        flag(
            to,
            "backup_overdue",
            "Whether the newest good backup is older than the schedule allows",
            self.overdue,
        );
        flag(
            to,
            "backup_failed",
            "Whether the last try at a backup failed",
            self.failed,
        );
        if let Some((age, ok)) = self.rehearsal {
            age_of(
                to,
                "rehearsal_age",
                "Age of the last rehearsal of a restore",
                age,
            );
            flag(
                to,
                "rehearsal_ok",
                "Whether the last rehearsal of a restore succeeded",
                ok,
            );
        }
    }
}

impl Disk {
    fn register(&self, to: &mut Registry) {
        bytes(to, "database_size", "Length of the database", self.database);
        bytes(
            to,
            "wal_size",
            "Length of the database's write-ahead log",
            self.log,
        );
        if let Some(free) = self.free {
            bytes(to, "disk_free", "Room left on the disk of the data", free);
        }
    }
}

fn gauge(to: &mut Registry, name: &str, help: &str, value: usize) {
    to.register(
        name,
        help,
        ConstGauge::new(i64::try_from(value).unwrap_or(i64::MAX)),
    );
}

fn flag(to: &mut Registry, name: &str, help: &str, value: bool) {
    to.register(name, help, ConstGauge::new(i64::from(value)));
}

fn bytes(to: &mut Registry, name: &str, help: &str, value: u64) {
    let value = i64::try_from(value).unwrap_or(i64::MAX);
    to.register_with_unit(name, help, Unit::Bytes, ConstGauge::new(value));
}

/// An age; one from the future is none.
fn age_of(to: &mut Registry, name: &str, help: &str, ms: i64) {
    to.register_with_unit(
        name,
        help,
        Unit::Seconds,
        ConstGauge::new(seconds(ms.max(0))),
    );
}
