//! Many clients at once, each on a connection of its own, all in one thread. Must never count an answer that it did not
//! look at.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{self, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Result, bail, ensure};
use memchr::{memchr_iter, memmem};
use mio::net::TcpStream;
use mio::{Events, Interest, Poll, Token};
use tokio::task::JoinSet;

use super::figures::{Latencies, per_second};
use super::support::http::Connection;
use super::support::person::{LastTurn, SHORT, finish, talk};

/// Whoever does not answer for so long answers no more.
const PATIENCE: Duration = Duration::from_secs(10);
/// Room for an answer; grows with the first that is longer.
const ROOM: usize = 64 * 1024;
/// Room for the times of a second.
const A_SECOND: u64 = 200_000;

/// What is asked, and what every good answer holds.
pub struct Asked {
    requests: Vec<Vec<u8>>,
    again: bool,
    holds: Vec<u8>,
}

impl Asked {
    /// These in turn, from the first again after the last.
    pub fn again(requests: Vec<Vec<u8>>, holds: &[u8]) -> Self {
        Self {
            requests,
            again: true,
            holds: holds.to_vec(),
        }
    }

    /// Prepared last turns, each of which is sent once and answered when its report is on disk.
    pub fn submissions(turns: Vec<LastTurn>) -> Self {
        Self {
            requests: turns.into_iter().map(|turn| turn.0).collect(),
            again: false,
            holds: br#""reportId":""#.to_vec(),
        }
    }

    fn request(&self, number: usize) -> Option<&[u8]> {
        let place = if self.again {
            number % self.requests.len()
        } else {
            number
        };
        self.requests.get(place).map(Vec::as_slice)
    }
}

/// What a load came to.
pub struct Outcome {
    /// Requests that were answered.
    pub count: usize,
    /// Requests a second.
    pub rate: f64,
    /// Time of each request.
    pub latencies: Latencies,
}

/// Every client asks as soon as it was answered, for `span` or until there is nothing more to ask. A request costs the
/// client one write, one read and its share of one wait; nothing is allocated for it.
pub fn ask(address: SocketAddr, clients: usize, asked: &Asked, span: Duration) -> Result<Outcome> {
    let (mut poll, mut events) = (Poll::new()?, Events::with_capacity(clients));
    let mut crowd = (0..clients)
        .map(|number| Client::connect(&poll, address, number))
        .collect::<Result<Vec<_>>>()?;
    let seconds = span.as_secs() + 1;
    let mut times = Vec::with_capacity(usize::try_from(seconds * A_SECOND)?);
    let (mut number, mut waiting, begun) = (0, 0, Instant::now());
    for client in &mut crowd {
        waiting += usize::from(client.send(asked.request(number), begun)?);
        number += 1;
    }
    while waiting > 0 {
        poll.poll(&mut events, Some(PATIENCE))?;
        ensure!(!events.is_empty(), "no answer within {PATIENCE:?}");
        for event in &events {
            let client = &mut crowd[event.token().0];
            if !client.waits || !client.receive(&asked.holds)? {
                continue;
            }
            let now = Instant::now();
            times.push(now - client.sent);
            let next = asked.request(number).filter(|_| now - begun < span);
            waiting -= usize::from(!client.send(next, now)?);
            number += 1;
        }
    }
    Ok(Outcome {
        count: times.len(),
        rate: per_second(times.len(), begun.elapsed()),
        latencies: Latencies::new(times),
    })
}

/// One client on its connection.
struct Client {
    stream: TcpStream,
    received: Vec<u8>,
    filled: usize,
    sent: Instant,
    waits: bool,
}

impl Client {
    fn connect(poll: &Poll, address: SocketAddr, number: usize) -> Result<Self> {
        let stream = net::TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_nonblocking(true)?;
        let mut stream = TcpStream::from_std(stream);
        let registry = poll.registry();
        registry.register(&mut stream, Token(number), Interest::READABLE)?;
        Ok(Self {
            stream,
            received: vec![0; ROOM],
            filled: 0,
            sent: Instant::now(),
            waits: false,
        })
    }

    /// Sends a request if there is one, and says whether an answer is to come.
    fn send(&mut self, request: Option<&[u8]>, now: Instant) -> Result<bool> {
        self.waits = request.is_some();
        if let Some(request) = request {
            (self.filled, self.sent) = (0, now);
            self.stream.write_all(request)?;
        }
        Ok(self.waits)
    }

    /// Takes what has come; says whether the answer is whole.
    fn receive(&mut self, holds: &[u8]) -> Result<bool> {
        loop {
            if self.filled == self.received.len() {
                self.received.resize(2 * self.filled, 0);
            }
            match self.stream.read(&mut self.received[self.filled..]) {
                Ok(0) => bail!("the connection was closed"),
                Ok(count) => self.filled += count,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(false),
                Err(error) => return Err(error.into()),
            }
            if is_whole(&self.received[..self.filled], holds)? {
                return Ok(true);
            }
        }
    }
}

/// Whether all of an answer is here; one that is not what it should be is an error that shows it.
fn is_whole(answer: &[u8], holds: &[u8]) -> Result<bool> {
    let Some(end) = memmem::find(answer, b"\r\n\r\n") else {
        return Ok(false);
    };
    let (head, body) = answer.split_at(end + 4);
    let whole = match length(head) {
        Some(length) => body.len() == length,
        None => body.ends_with(b"0\r\n\r\n"),
    };
    let good = !whole || head.starts_with(b"HTTP/1.1 200 ") && memmem::find(body, holds).is_some();
    ensure!(good, "{}", String::from_utf8_lossy(answer));
    Ok(whole)
}

/// The length of the body, where the head names it.
fn length(head: &[u8]) -> Option<usize> {
    const FIELD: &[u8] = b"content-length:";
    let mut from = 0;
    let mut lines = memchr_iter(b'\n', head).map(|at| {
        let line = &head[from..at];
        from = at + 1;
        line
    });
    let line = lines.find(|line| {
        let name = line.get(..FIELD.len());
        name.is_some_and(|name| name.eq_ignore_ascii_case(FIELD))
    })?;
    std::str::from_utf8(&line[FIELD.len()..])
        .ok()?
        .trim()
        .parse()
        .ok()
}

async fn connect(address: SocketAddr, clients: usize) -> Result<Vec<Connection>> {
    let mut connections = Vec::with_capacity(clients);
    for _ in 0..clients {
        connections.push(Connection::open(address).await?);
    }
    Ok(connections)
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
