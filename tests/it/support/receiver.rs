//! A webhook's other side on 127.0.0.1: it notes what it is sent, byte by byte, and answers as a test wishes.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

/// A call as it arrived.
#[derive(Debug, Clone, Default)]
pub struct Call {
    /// Request line.
    pub line: String,
    /// Headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// Body.
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

/// The other side.
pub struct Receiver {
    address: SocketAddr,
    calls: Arc<Mutex<Vec<Call>>>,
    connections: Arc<Mutex<usize>>,
}

impl Receiver {
    /// Answers every call with this; an empty answer is none: it keeps the connection open and silent.
    pub fn start(answer: impl Into<Vec<u8>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let (calls, connections): (Arc<Mutex<Vec<Call>>>, Arc<Mutex<usize>>) =
            (Arc::default(), Arc::default());
        let (noted, counted, answer) =
            (Arc::clone(&calls), Arc::clone(&connections), answer.into());
        thread::spawn(move || {
            for stream in listener.incoming() {
                *counted.lock().expect("a count") += 1;
                let (noted, answer) = (Arc::clone(&noted), answer.clone());
                thread::spawn(move || serve(stream.expect("a connection"), &answer, &noted));
            }
        });
        Self {
            address,
            calls,
            connections,
        }
    }

    /// Answers every call with this status line, and nothing else.
    pub fn answering(status: &str) -> Self {
        Self::start(format!(
            "HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
        ))
    }

    pub fn port(&self) -> u16 {
        self.address.port()
    }

    pub fn url(&self) -> String {
        format!("http://{}/gancio?x=1", self.address)
    }

    pub fn calls(&self) -> Vec<Call> {
        self.calls.lock().expect("the calls").clone()
    }

    /// Connections that were opened to it, calls or not.
    pub fn connections(&self) -> usize {
        *self.connections.lock().expect("a count")
    }
}

fn serve(mut stream: TcpStream, answer: &[u8], noted: &Mutex<Vec<Call>>) {
    let Some(call) = read(&mut stream) else {
        return;
    };
    noted.lock().expect("the calls").push(call);
    if answer.is_empty() {
        // Until the client gives up.
        let _ = stream.read(&mut [0]);
        return;
    }
    // A client that has read enough closes the connection.
    let _ = stream.write_all(answer);
}

/// A request with a content length.
fn read(stream: &mut TcpStream) -> Option<Call> {
    let mut received = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let end = received.windows(4).position(|part| part == b"\r\n\r\n");
        if let Some(end) = end {
            let head = String::from_utf8(received[..end].to_vec()).ok()?;
            let mut lines = head.split("\r\n");
            let line = lines.next()?.to_owned();
            let headers: Vec<(String, String)> = lines
                .filter_map(|line| line.split_once(": "))
                .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
                .collect();
            let length = headers.iter().find(|(name, _)| name == "content-length");
            let length: usize = length.map_or(Some(0), |(_, value)| value.parse().ok())?;
            if received.len() - end - 4 >= length {
                let body = received[end + 4..end + 4 + length].to_vec();
                return Some(Call {
                    line,
                    headers,
                    body,
                });
            }
        }
        let count = stream.read(&mut buffer).ok().filter(|count| *count > 0)?;
        received.extend_from_slice(&buffer[..count]);
    }
}
