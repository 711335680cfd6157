//! Many clients at once, each on a connection of its own, all in one thread. Must never count an answer that it did not
//! look at.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use tokio::task::JoinSet;

use super::figures::{Latencies, per_second};
use super::support::http::Connection;
use super::support::person::{LastTurn, SHORT, TURNS, finish, talk};

/// What a load came to.
pub struct Outcome {
    /// Requests a second.
    pub rate: f64,
    /// Time of each request.
    pub latencies: Latencies,
}

impl Outcome {
    fn new(times: Vec<Duration>, elapsed: Duration) -> Self {
        Self {
            rate: per_second(times.len(), elapsed),
            latencies: Latencies::new(times),
        }
    }
}

async fn connect(address: SocketAddr, clients: usize) -> Result<Vec<Connection>> {
    let mut connections = Vec::with_capacity(clients);
    for _ in 0..clients {
        connections.push(Connection::open(address).await?);
    }
    Ok(connections)
}

/// The same request from every client, again and again for `span`.
pub async fn repeat(
    address: SocketAddr,
    clients: usize,
    request: &Arc<[u8]>,
    span: Duration,
) -> Result<Outcome> {
    let mut running = JoinSet::new();
    let connections = connect(address, clients).await?;
    let begun = Instant::now();
    for mut connection in connections {
        let request = Arc::clone(request);
        running.spawn(async move {
            let mut times = Vec::new();
            while begun.elapsed() < span {
                let sent = Instant::now();
                let answer = connection.call(&request).await?;
                times.push(sent.elapsed());
                ensure!(answer.status == 200, "{}", answer.head);
            }
            anyhow::Ok(times)
        });
    }
    let times = collect(running).await?;
    Ok(Outcome::new(times, begun.elapsed()))
}

/// Conversations up to their last turn, which is not sent.
pub async fn prepare(
    address: SocketAddr,
    clients: usize,
    conversations: usize,
) -> Result<Vec<LastTurn>> {
    let taken = Arc::new(AtomicUsize::new(0));
    let mut running = JoinSet::new();
    for mut connection in connect(address, clients).await? {
        let taken = Arc::clone(&taken);
        running.spawn(async move {
            let mut prepared = Vec::new();
            loop {
                let number = taken.fetch_add(1, Ordering::Relaxed);
                if number >= conversations {
                    return anyhow::Ok(prepared);
                }
                prepared.push(talk(&mut connection, number, SHORT).await?);
            }
        });
    }
    collect(running).await
}

/// Sends prepared last turns; each is answered once its report is on disk. Ends with `span` or with the turns.
pub async fn submit(
    address: SocketAddr,
    clients: usize,
    turns: Vec<LastTurn>,
    span: Duration,
) -> Result<Outcome> {
    let (turns, taken) = (Arc::new(turns), Arc::new(AtomicUsize::new(0)));
    let mut running = JoinSet::new();
    let connections = connect(address, clients).await?;
    let begun = Instant::now();
    for mut connection in connections {
        let (turns, taken) = (Arc::clone(&turns), Arc::clone(&taken));
        running.spawn(async move {
            let mut times = Vec::new();
            while begun.elapsed() < span {
                let Some(turn) = turns.get(taken.fetch_add(1, Ordering::Relaxed)) else {
                    break;
                };
                let sent = Instant::now();
                finish(&mut connection, turn).await?;
                times.push(sent.elapsed());
            }
            anyhow::Ok(times)
        });
    }
    let times = collect(running).await?;
    Ok(Outcome::new(times, begun.elapsed()))
}

/// Whole conversations for `span`, each with its report saved: requests a second, and the time of each conversation.
pub async fn converse(address: SocketAddr, clients: usize, span: Duration) -> Result<Outcome> {
    let begun = Instant::now();
    let told = tell(address, clients, span).await?;
    let rate = per_second(told.len() * TURNS, begun.elapsed());
    let whole = told.into_iter().map(|one| one.whole).collect();
    Ok(Outcome {
        rate,
        latencies: Latencies::new(whole),
    })
}

/// How long somebody took to tell a story.
#[derive(Debug, Clone, Copy)]
pub struct Told {
    /// The whole conversation.
    pub whole: Duration,
    /// Its last turn, which is answered once the report is on disk.
    pub last: Duration,
}

/// Whole conversations for `span`, each with its report saved.
pub async fn tell(address: SocketAddr, clients: usize, span: Duration) -> Result<Vec<Told>> {
    let mut running = JoinSet::new();
    let connections = connect(address, clients).await?;
    let begun = Instant::now();
    for (client, mut connection) in connections.into_iter().enumerate() {
        running.spawn(async move {
            let mut all = Vec::new();
            while begun.elapsed() < span {
                let sent = Instant::now();
                let turn = talk(&mut connection, client + all.len() * clients, SHORT).await?;
                let ending = Instant::now();
                finish(&mut connection, &turn).await?;
                all.push(Told {
                    whole: sent.elapsed(),
                    last: ending.elapsed(),
                });
            }
            anyhow::Ok(all)
        });
    }
    collect(running).await
}

async fn collect<T: 'static>(mut running: JoinSet<Result<Vec<T>>>) -> Result<Vec<T>> {
    let mut all = Vec::new();
    while let Some(client) = running.join_next().await {
        all.extend(client??);
    }
    Ok(all)
}
