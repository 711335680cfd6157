//! A webhook's other side on 127.0.0.1: it notes what it is sent, byte by byte, and answers as and when a test wishes.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;

use super::wait_for;

/// A call as it arrived.
#[derive(Debug, Clone, Default)]
pub struct Call {
    pub line: String,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Call {
    /// A header that came once, or not at all.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut found = self.headers.iter().filter(|(own, _)| own == name);
        let value = found.next().map(|(_, value)| value.as_str());
        assert!(found.next().is_none(), "{name} came twice");
        value
    }
}

pub struct Receiver {
    address: SocketAddr,
    seen: Arc<Seen>,
}

#[derive(Default)]
struct Seen {
    answer: Mutex<Vec<u8>>,
    /// Whether the connection stays open after it.
    hangs: AtomicBool,
    calls: Mutex<Vec<Call>>,
    connections: Mutex<usize>,
    /// Whether answers are kept back.
    held: Mutex<bool>,
    released: Condvar,
}

impl Receiver {
    /// Answers every call with this; an empty answer is none: it keeps the connection open and silent.
    pub fn start(answer: impl Into<Vec<u8>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let seen = Arc::new(Seen {
            answer: Mutex::new(answer.into()),
            ..Seen::default()
        });
        let shared = Arc::clone(&seen);
        thread::spawn(move || {
            for stream in listener.incoming() {
                *shared.connections.lock().expect("a count") += 1;
                let seen = Arc::clone(&shared);
                thread::spawn(move || serve(stream.expect("a connection"), &seen));
            }
        });
        Self { address, seen }
    }

    /// Answers every call with this, and keeps the connection open.
    pub fn hanging(answer: &str) -> Self {
        let receiver = Self::start(answer);
        receiver.seen.hangs.store(true, Ordering::SeqCst);
        receiver
    }

    /// Answers every call with this status line, and nothing else.
    pub fn answering(status: &str) -> Self {
        Self::start(format!(
            "HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
        ))
    }

    /// What it answers from the next call on.
    pub fn set(&self, answer: Vec<u8>) {
        *self.seen.answer.lock().expect("an answer") = answer;
    }

    pub fn port(&self) -> u16 {
        self.address.port()
    }

    pub fn url(&self) -> String {
        format!("http://{}/gancio?x=1", self.address)
    }

    pub fn calls(&self) -> Vec<Call> {
        self.seen.calls.lock().expect("the calls").clone()
    }

    /// Waits until so many calls came; answers their names.
    pub fn wait(&self, calls: usize) -> Vec<String> {
        let came = wait_for("a call", || {
            Some(self.calls()).filter(|made| made.len() >= calls)
        });
        let names = came.iter().map(|call| call.header("webhook-id"));
        names.map(|name| name.expect("a name").to_owned()).collect()
    }

    /// Keeps its answers to itself from now on, or gives them, those that were kept included.
    pub fn hold(&self, held: bool) {
        *self.seen.held.lock().expect("a door") = held;
        self.seen.released.notify_all();
    }

    pub fn connections(&self) -> usize {
        *self.seen.connections.lock().expect("a count")
    }
}

fn serve(mut stream: TcpStream, seen: &Seen) {
    let Some(call) = read(&mut stream) else {
        return;
    };
    seen.calls.lock().expect("the calls").push(call);
    let held = seen.held.lock().expect("a door");
    drop(
        seen.released
            .wait_while(held, |held| *held)
            .expect("a door"),
    );
    let answer = seen.answer.lock().expect("an answer").clone();
    // A client that has read enough closes the connection.
    let _ = stream.write_all(&answer);
    if answer.is_empty() || seen.hangs.load(Ordering::SeqCst) {
        // Until the client gives up.
        let _ = stream.read(&mut [0]);
    }
}

/// A request with a content length.
pub fn read(stream: &mut TcpStream) -> Option<Call> {
    let mut stream = BufReader::new(stream);
    let mut next = || {
        let mut line = String::new();
        stream.read_line(&mut line).ok()?;
        Some(line.trim_end().to_owned())
    };
    let line = next().filter(|line| !line.is_empty())?;
    let mut headers = Vec::new();
    while let Some((name, value)) = next()?.split_once(": ") {
        headers.push((name.to_ascii_lowercase(), value.to_owned()));
    }
    let mut call = Call {
        line,
        headers,
        body: Vec::new(),
    };
    let length = call.header("content-length").unwrap_or("0");
    call.body.resize(length.parse().ok()?, 0);
    stream.read_exact(&mut call.body).ok()?;
    Some(call)
}
