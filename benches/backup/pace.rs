//! People who finish their reports at a steady pace, whatever the server does meanwhile. Must never count from the moment of
//! sending: whoever waits for a connection waits for the server.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::Result;
use tokio::sync::watch::Receiver;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};

use super::figures::Latencies;
use super::load;
use super::support::http::Connection;
use super::support::person::{LastTurn, finish};

/// Longest load.
pub const LONGEST: Duration = Duration::from_mins(3);
/// Connections over which they speak.
const CONNECTIONS: usize = 16;

/// The people.
pub struct Reporters {
    address: SocketAddr,
    a_second: u32,
    ready: Vec<LastTurn>,
}

impl Reporters {
    /// So many a second.
    pub fn new(address: SocketAddr, a_second: u32) -> Self {
        Self {
            address,
            a_second,
            ready: Vec::new(),
        }
    }

    /// Has enough conversations for a span, up to their last turn.
    pub async fn prepare(&mut self, span: Duration) -> Result<()> {
        let wanted = usize::try_from(span.as_secs())? * usize::try_from(self.a_second)?;
        let missing = wanted.saturating_sub(self.ready.len());
        let ready = load::prepare(self.address, CONNECTIONS, missing).await?;
        self.ready.extend(ready);
        Ok(())
    }

    /// Finishes reports at the pace until `ended` says so, or for a span; answers how long each took from the moment in which
    /// it was to be sent.
    pub async fn report(&mut self, span: Duration, ended: Receiver<bool>) -> Result<Latencies> {
        let turns = Arc::new(std::mem::take(&mut self.ready));
        let next = Arc::new(AtomicUsize::new(0));
        let (begun, a_second) = (Instant::now(), self.a_second);
        let mut running = JoinSet::new();
        for _ in 0..CONNECTIONS {
            let (turns, next, ended) = (Arc::clone(&turns), Arc::clone(&next), ended.clone());
            let mut connection = Connection::open(self.address).await?;
            running.spawn(async move {
                let mut times = Vec::new();
                loop {
                    let place = next.fetch_add(1, Ordering::Relaxed);
                    let due = begun + Duration::from_secs(1) * u32::try_from(place)? / a_second;
                    sleep_until(due).await;
                    let over = *ended.borrow() || begun.elapsed() >= span;
                    let Some(turn) = turns.get(place).filter(|_| !over) else {
                        return anyhow::Ok(times);
                    };
                    finish(&mut connection, turn).await?;
                    times.push(due.elapsed());
                }
            });
        }
        let mut times = Vec::new();
        while let Some(found) = running.join_next().await {
            times.extend(found??);
        }
        // Those that were taken up at the end and not sent are let go.
        let sent = next.load(Ordering::Relaxed).min(turns.len());
        self.ready = turns[sent..].to_vec();
        Ok(Latencies::new(times))
    }
}
