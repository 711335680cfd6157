//! A mail server and a webhook on 127.0.0.1 that take a message and keep their answer to themselves until the test opens
//! the door: the moment between a sending and its settling, held open.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use super::wait_for;

/// Long enough for the slowest machine.
const PATIENCE: Duration = Duration::from_mins(1);

/// What speaks to the client.
type Manners = fn(&mut BufReader<TcpStream>, &Door) -> io::Result<()>;

/// A listener and what it took.
#[derive(Clone)]
pub struct Doorstep {
    address: SocketAddr,
    door: Arc<Door>,
}

#[derive(Default)]
struct Door {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    open: bool,
    /// Names of the messages that were left here.
    left: Vec<String>,
}

impl Doorstep {
    /// A mail server without TLS, its door closed.
    pub fn mail() -> Self {
        Self::listen(smtp)
    }

    /// A webhook's other side, its door closed.
    pub fn hook() -> Self {
        Self::listen(http)
    }

    fn listen(manners: Manners) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let door = Arc::new(Door::default());
        let shared = Arc::clone(&door);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (stream, door) = (stream.expect("a connection"), Arc::clone(&shared));
                // A client that was killed ends its visit.
                thread::spawn(move || manners(&mut BufReader::new(stream), &door));
            }
        });
        Self { address, door }
    }

    pub fn port(&self) -> u16 {
        self.address.port()
    }

    pub fn url(&self) -> String {
        format!("http://{}/gancio", self.address)
    }

    /// Answers from now on, those who wait included.
    pub fn open(&self) {
        self.door.state().open = true;
        self.door.changed.notify_all();
    }

    /// Keeps every answer from now on.
    pub fn close(&self) {
        self.door.state().open = false;
    }

    /// Names of the messages that were left here, in the order they came.
    pub fn left(&self) -> Vec<String> {
        self.door.state().left.clone()
    }

    /// Waits until so many messages were left.
    pub fn wait(&self, messages: usize) -> Vec<String> {
        wait_for(&format!("message {messages}"), PATIENCE, || {
            let left = self.left();
            (left.len() >= messages).then_some(left)
        })
    }
}

impl Door {
    /// Notes a message, and returns when the door is open.
    fn leave(&self, name: String) {
        let mut state = self.state();
        state.left.push(name);
        let closed = self.changed.wait_while(state, |state| !state.open);
        drop(closed.unwrap_or_else(PoisonError::into_inner));
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn gone() -> io::Error {
    io::ErrorKind::UnexpectedEof.into()
}

/// A line without its end.
fn line(stream: &mut BufReader<TcpStream>) -> io::Result<String> {
    let mut line = String::new();
    match stream.read_line(&mut line)? {
        0 => Err(gone()),
        _ => Ok(line.trim_end().to_owned()),
    }
}

/// The value of a header, when the line is that header.
fn header<'l>(line: &'l str, name: &str) -> Option<&'l str> {
    let (own, value) = line.split_once(':')?;
    own.eq_ignore_ascii_case(name).then_some(value.trim())
}

fn smtp(stream: &mut BufReader<TcpStream>, door: &Door) -> io::Result<()> {
    stream.get_mut().write_all(b"220 prova.example ESMTP\r\n")?;
    loop {
        let said = line(stream)?.to_ascii_uppercase();
        if said.starts_with("DATA") {
            stream.get_mut().write_all(b"354 avanti\r\n")?;
            let mut name = None;
            loop {
                let row = line(stream)?;
                if row == "." {
                    break;
                }
                name = name.or_else(|| header(&row, "message-id").map(str::to_owned));
            }
            door.leave(name.ok_or_else(gone)?);
        }
        stream.get_mut().write_all(b"250 bene\r\n")?;
        if said.starts_with("QUIT") {
            return Ok(());
        }
    }
}

fn http(stream: &mut BufReader<TcpStream>, door: &Door) -> io::Result<()> {
    let (mut name, mut length) = (None, 0);
    loop {
        let row = line(stream)?;
        if row.is_empty() {
            break;
        }
        name = name.or_else(|| header(&row, "webhook-id").map(str::to_owned));
        length = header(&row, "content-length").map_or(length, |value| value.parse().unwrap_or(0));
    }
    io::copy(&mut stream.take(length), &mut io::sink())?;
    door.leave(name.ok_or_else(gone)?);
    stream
        .get_mut()
        .write_all(b"HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n")
}
