//! Loads: many clients at once in one thread, each of which asks as soon as it was answered, and reporters who finish at a
//! steady pace.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{self, SocketAddr};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow, bail, ensure};
use memchr::{memchr_iter, memmem};
use mio::net::TcpStream;
use mio::{Events, Interest, Poll, Token};

use super::client::Connection;
use super::figures::{Latencies, per_second};
use super::person::{finish, talk_to_the_end};

/// A server that answers none of the clients for so long has failed.
const PATIENCE: Duration = Duration::from_secs(10);
/// Room for an answer; grows with the first that is longer.
const ROOM: usize = 64 * 1024;
/// Room for the times of a second.
const A_SECOND: u64 = 200_000;
/// Connections of those who prepare conversations, and of those who finish them at a pace.
const CONNECTIONS: usize = 16;

/// Requests, and what every good answer contains.
pub struct Load {
    requests: Vec<Vec<u8>>,
    repeated: bool,
    contains: Vec<u8>,
}

impl Load {
    /// These in turn, from the first again after the last.
    pub fn repeated(requests: Vec<Vec<u8>>, contains: &[u8]) -> Self {
        Self {
            requests,
            repeated: true,
            contains: contains.to_vec(),
        }
    }

    /// Last turns, each sent once and answered when its report is on disk.
    pub fn last_turns(requests: Vec<Vec<u8>>) -> Self {
        Self {
            requests,
            repeated: false,
            contains: br#""reportId":""#.to_vec(),
        }
    }

    fn request(&self, number: usize) -> Option<&[u8]> {
        let place = if self.repeated {
            number % self.requests.len()
        } else {
            number
        };
        self.requests.get(place).map(Vec::as_slice)
    }
}

pub struct Outcome {
    /// Requests that were answered.
    pub count: usize,
    /// Requests a second.
    pub rate: f64,
    pub latencies: Latencies,
}

/// Runs for `span` or until each request was sent. A request costs the client one write, one read and its share of one wait;
/// nothing is allocated for it.
pub fn run(address: SocketAddr, clients: usize, load: &Load, span: Duration) -> Result<Outcome> {
    let (mut poll, mut events) = (Poll::new()?, Events::with_capacity(clients));
    let mut crowd = (0..clients)
        .map(|number| Client::connect(&poll, address, number))
        .collect::<Result<Vec<_>>>()?;
    let seconds = span.as_secs() + 1;
    let mut times = Vec::with_capacity(usize::try_from(seconds * A_SECOND)?);
    let (mut number, mut waiting, begun) = (0, 0, Instant::now());
    for client in &mut crowd {
        waiting += usize::from(client.send(load.request(number), begun)?);
        number += 1;
    }
    while waiting > 0 {
        poll.poll(&mut events, Some(PATIENCE))?;
        ensure!(!events.is_empty(), "no answer within {PATIENCE:?}");
        for event in &events {
            let client = &mut crowd[event.token().0];
            if !client.waits || !client.receive(&load.contains)? {
                continue;
            }
            let now = Instant::now();
            times.push(now - client.sent);
            let next = load.request(number).filter(|_| now - begun < span);
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

    /// Sends a request if there is one; answers whether there was.
    fn send(&mut self, request: Option<&[u8]>, now: Instant) -> Result<bool> {
        self.waits = request.is_some();
        if let Some(request) = request {
            (self.filled, self.sent) = (0, now);
            self.stream.write_all(request)?;
        }
        Ok(self.waits)
    }

    /// Reads what has arrived; answers whether the answer is whole.
    fn receive(&mut self, contains: &[u8]) -> Result<bool> {
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
            if is_whole(&self.received[..self.filled], contains)? {
                return Ok(true);
            }
        }
    }
}

/// Whether all of an answer is here. An answer other than the expected one is an error that shows it.
fn is_whole(answer: &[u8], contains: &[u8]) -> Result<bool> {
    let Some(end) = memmem::find(answer, b"\r\n\r\n") else {
        return Ok(false);
    };
    let (head, body) = answer.split_at(end + 4);
    let whole = match length(head) {
        Some(length) => body.len() == length,
        None => body.ends_with(b"0\r\n\r\n"),
    };
    let good =
        !whole || head.starts_with(b"HTTP/1.1 200 ") && memmem::find(body, contains).is_some();
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

/// Last turns of so many conversations that were had up to them.
pub fn prepare(address: SocketAddr, conversations: usize) -> Result<Vec<Vec<u8>>> {
    let next = AtomicUsize::new(0);
    on_connections(address, |connection| {
        let mut prepared = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= conversations {
                return Ok(prepared);
            }
            prepared.push(talk_to_the_end(connection, number)?);
        }
    })
}

/// Finishes reports, so many a second, until `ended`. A report's time counts from the moment in which it was to be sent, so
/// that one that waits for a connection waits for the server.
pub fn report_at_pace(
    address: SocketAddr,
    last_turns: &[Vec<u8>],
    a_second: u32,
    ended: &AtomicBool,
) -> Result<Latencies> {
    let (next, begun) = (AtomicUsize::new(0), Instant::now());
    let times = on_connections(address, |connection| {
        let mut times = Vec::new();
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let due = begun + Duration::from_secs(1) * u32::try_from(place)? / a_second;
            sleep(due.saturating_duration_since(Instant::now()));
            if ended.load(Ordering::Relaxed) {
                return Ok(times);
            }
            let Some(turn) = last_turns.get(place) else {
                bail!("the load ended before the work beside it");
            };
            finish(connection, turn)?;
            times.push(due.elapsed());
        }
    })?;
    Ok(Latencies::new(times))
}

/// Does the same on many connections at once; answers what all of them found.
fn on_connections<T: Send>(
    address: SocketAddr,
    work: impl Fn(&mut Connection) -> Result<Vec<T>> + Sync,
) -> Result<Vec<T>> {
    let one = || work(&mut Connection::open(address)?);
    thread::scope(|scope| {
        let threads: Vec<_> = (0..CONNECTIONS).map(|_| scope.spawn(one)).collect();
        let mut all = Vec::new();
        for thread in threads {
            all.extend(thread.join().map_err(|_| anyhow!("a client panicked"))??);
        }
        Ok(all)
    })
}
