//! A keep-alive HTTP/1.1 client that costs next to nothing, so that what is measured is the server. Must never retry,
//! follow a redirect, or take an answer that was cut short for a whole one.

use std::io;
use std::net::SocketAddr;

use anyhow::{Result, bail, ensure};
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// Where the API is served.
pub const API: &str = "/paibeta/api";
/// Room for what is read at once.
const READ: usize = 16 * 1024;

/// One open connection.
pub struct Connection {
    stream: TcpStream,
    received: Vec<u8>,
}

/// What came back.
pub struct Answer {
    /// Status code.
    pub status: u16,
    /// Status line and fields, as they came.
    pub head: String,
    /// Body as it travelled: still compressed.
    pub body: Vec<u8>,
}

/// The bytes of a GET; `fields` are whole lines, each with its line end.
pub fn get(path: &str, fields: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n{fields}\r\n").into_bytes()
}

/// The bytes of a POST of JSON to a path below the API.
pub fn post(path: &str, body: &Value) -> Vec<u8> {
    let body = body.to_string();
    let length = body.len();
    format!(
        "POST {API}{path} HTTP/1.1\r\nhost: localhost\r\nsec-fetch-site: same-origin\r\n\
         content-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
    )
    .into_bytes()
}

impl Connection {
    /// Connects.
    pub async fn open(address: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self {
            stream,
            received: Vec::with_capacity(READ),
        })
    }

    /// Sends one request and reads its whole answer.
    pub async fn call(&mut self, request: &[u8]) -> Result<Answer> {
        self.stream.write_all(request).await?;
        self.received.clear();
        let head_len = loop {
            if let Some(at) = find(&self.received, b"\r\n\r\n") {
                break at + 4;
            }
            self.read_more().await?;
        };
        let head = String::from_utf8(self.received[..head_len].to_vec())?;
        let Some(status) = head.split(' ').nth(1).and_then(|code| code.parse().ok()) else {
            bail!("not an HTTP answer: {head}");
        };
        let length = match (field(&head, "content-length"), status) {
            (Some(length), _) => length.parse()?,
            (None, 204 | 304) => 0,
            (None, _) => return self.read_chunks(head, status, head_len).await,
        };
        while self.received.len() < head_len + length {
            self.read_more().await?;
        }
        Ok(Answer {
            status,
            head,
            body: self.received[head_len..head_len + length].to_vec(),
        })
    }

    /// Reads a chunked body, and keeps it with its framing: those bytes travelled too.
    async fn read_chunks(&mut self, head: String, status: u16, from: usize) -> Result<Answer> {
        ensure!(
            field(&head, "transfer-encoding") == Some("chunked"),
            "an answer of no known length: {head}"
        );
        while !self.received[from..].ends_with(b"0\r\n\r\n") {
            self.read_more().await?;
        }
        Ok(Answer {
            status,
            head,
            body: self.received[from..].to_vec(),
        })
    }

    async fn read_more(&mut self) -> io::Result<()> {
        self.received.reserve(READ);
        match self.stream.read_buf(&mut self.received).await? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            _ => Ok(()),
        }
    }
}

impl Answer {
    /// The value of a field of the head.
    pub fn field(&self, name: &str) -> Option<&str> {
        field(&self.head, name)
    }

    /// The JSON body of a success; anything else is an error that shows what came.
    pub fn json(&self) -> Result<Value> {
        ensure!(
            self.status == 200,
            "{}{}",
            self.head,
            String::from_utf8_lossy(&self.body)
        );
        Ok(serde_json::from_slice(&self.body)?)
    }
}

fn field<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    head.split("\r\n").find_map(|line| {
        let (key, value) = line.split_once(':')?;
        key.eq_ignore_ascii_case(name).then(|| value.trim())
    })
}

fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).position(|window| window == what)
}
