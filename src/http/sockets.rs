//! A socket among the places for sockets: how far its client has come decides which one goes when all are taken.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use prometheus_client::metrics::gauge::Gauge;
use tokio::sync::Notify;
use tokio::time::Instant;

use super::limits::{Holding, Places};

/// How far a socket's client has come; the first goes first.
#[derive(Clone, Copy)]
pub enum Stage {
    /// It had its answer, and asked for nothing since.
    Idle,
    /// It has not asked for anything yet, or not to the end.
    Silent,
    /// It asked to the end of its body, and has not had its whole answer.
    Waiting,
}

pub struct Socket {
    /// When the listener began.
    begun: Instant,
    /// Stage, then the microsecond since `begun` in which it was reached: the smallest goes first.
    rank: AtomicU64,
    open: Gauge,
    pub gone: Notify,
}

pub type Sockets = Arc<Places<Socket>>;

impl Socket {
    pub fn new(begun: Instant, open: Gauge) -> Self {
        open.inc();
        let socket = Self {
            begun,
            rank: AtomicU64::default(),
            open,
            gone: Notify::new(),
        };
        socket.reach(Stage::Silent);
        socket
    }

    pub fn reach(&self, stage: Stage) {
        let since = u64::try_from(self.begun.elapsed().as_micros()).unwrap_or_default();
        self.rank.store((stage as u64) << 60 | since, Relaxed);
    }

    /// A head came. Until its body is here too, a client is as silent as it was.
    pub fn begin(&self) {
        if self.rank.load(Relaxed) >> 60 == Stage::Idle as u64 {
            self.reach(Stage::Silent);
        }
    }
}

impl Holding for Socket {
    fn rank(&self) -> u64 {
        self.rank.load(Relaxed)
    }

    fn send_away(&self) {
        self.gone.notify_one();
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        self.open.dec();
    }
}
