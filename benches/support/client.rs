//! A blocking HTTP/1.1 client over one kept-alive connection, and a session of the panel over it.

use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::{Value, json};

use super::server::Installation;

/// Where the API is served.
pub const API: &str = "/paibeta/api";
/// A connection that was not used for so long may have been closed by the server.
const IDLE: Duration = Duration::from_secs(1);
/// Bytes read at once.
const READ: usize = 16 * 1024;

pub struct Connection {
    stream: TcpStream,
    received: Vec<u8>,
}

pub struct Answer {
    pub status: u16,
    /// Status line and header fields.
    pub head: String,
    /// The body as it travelled: still compressed, and with its chunks.
    pub body: Vec<u8>,
}

/// The bytes of a GET; `fields` are whole lines, each with its line end.
pub fn get(path: &str, fields: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n{fields}\r\n").into_bytes()
}

/// The bytes of a request with a JSON body.
pub fn send(method: &str, path: &str, fields: &str, body: &Value) -> Vec<u8> {
    let body = body.to_string();
    let length = body.len();
    format!(
        "{method} {path} HTTP/1.1\r\nhost: localhost\r\nsec-fetch-site: same-origin\r\n{fields}\
         content-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
    )
    .into_bytes()
}

/// The bytes of a POST to a path below the API.
pub fn post(path: &str, body: &Value) -> Vec<u8> {
    send("POST", &format!("{API}{path}"), "", body)
}

impl Connection {
    pub fn open(address: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        let received = Vec::with_capacity(READ);
        Ok(Self { stream, received })
    }

    /// Sends one request and reads its whole answer.
    pub fn call(&mut self, request: &[u8]) -> Result<Answer> {
        self.stream.write_all(request)?;
        self.received.clear();
        let head_len = loop {
            let mut windows = self.received.windows(4);
            match windows.position(|window| window == b"\r\n\r\n") {
                Some(at) => break at + 4,
                None => self.read_more()?,
            }
        };
        let head = String::from_utf8(self.received[..head_len].to_vec())?;
        let Some(status) = head.split(' ').nth(1).and_then(|code| code.parse().ok()) else {
            bail!("not an HTTP answer: {head}");
        };
        match (field(&head, "content-length"), status) {
            (Some(length), _) => {
                let end = head_len + length.parse::<usize>()?;
                while self.received.len() < end {
                    self.read_more()?;
                }
            }
            (None, 204 | 304) => {}
            (None, _) => {
                let coding = field(&head, "transfer-encoding");
                ensure!(coding == Some("chunked"), "no known length: {head}");
                while !self.received[head_len..].ends_with(b"0\r\n\r\n") {
                    self.read_more()?;
                }
            }
        }
        let body = self.received[head_len..].to_vec();
        Ok(Answer { status, head, body })
    }

    fn read_more(&mut self) -> io::Result<()> {
        let mut piece = [0; READ];
        match self.stream.read(&mut piece)? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            count => {
                self.received.extend_from_slice(&piece[..count]);
                Ok(())
            }
        }
    }
}

impl Answer {
    pub fn field(&self, name: &str) -> Option<&str> {
        field(&self.head, name)
    }

    /// The JSON body of a success; any other answer is an error that shows it.
    pub fn json(&self) -> Result<Value> {
        let body = String::from_utf8_lossy(&self.body);
        ensure!(self.status == 200, "{}{body}", self.head);
        Ok(serde_json::from_str(&body)?)
    }
}

fn field<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    head.split("\r\n").find_map(|line| {
        let (key, value) = line.split_once(':')?;
        key.eq_ignore_ascii_case(name).then(|| value.trim())
    })
}

/// A session of the panel, whose cookie goes with each request.
pub struct Session {
    address: SocketAddr,
    connection: Connection,
    used: Instant,
    /// The line of a request that carries the cookie.
    pub cookie: String,
}

impl Session {
    pub fn log_in(address: SocketAddr, password: &str) -> Result<Self> {
        let mut connection = Connection::open(address)?;
        let answer = connection.call(&post("/session", &json!({ "password": password })))?;
        ensure!(
            answer.status == 204,
            "the login was refused: {}",
            answer.head
        );
        let cookie = answer.field("set-cookie").context("no cookie")?;
        let cookie = cookie.split(';').next().unwrap_or_default();
        Ok(Self {
            address,
            connection,
            used: Instant::now(),
            cookie: format!("cookie: {cookie}\r\n"),
        })
    }

    fn call(&mut self, request: &[u8]) -> Result<Answer> {
        if self.used.elapsed() > IDLE {
            self.connection = Connection::open(self.address)?;
        }
        self.used = Instant::now();
        self.connection.call(request)
    }

    /// A path below the API.
    pub fn get(&mut self, path: &str) -> Result<Answer> {
        let request = get(&format!("{API}{path}"), &self.cookie);
        self.call(&request)
    }

    /// Sends a body to a path below the API. A change is one of the first version.
    pub fn send(&mut self, method: &str, path: &str, body: &Value) -> Result<Value> {
        let version = if method == "PATCH" {
            "if-match: \"1\"\r\n"
        } else {
            ""
        };
        let fields = format!("{}{version}", self.cookie);
        let request = send(method, &format!("{API}{path}"), &fields, body);
        self.call(&request)?.json()
    }

    /// How many reports a day are no flood.
    pub fn expect_a_day(&mut self, reports: usize) -> Result<()> {
        let body = json!({ "maxReportsPerDay": reports });
        self.send("PUT", "/settings/security", &body).map(drop)
    }
}

/// Sets a password as an operator would.
pub fn make_password(installation: &Installation) -> Result<String> {
    let mut command = installation.confined(installation.program());
    command.args(["reset-password", "--generate", "--data-dir"]);
    let output = command.arg(installation.data()).output()?;
    let printed = String::from_utf8(output.stdout)?;
    let mut lines = printed.lines();
    let password = lines.find_map(|line| line.strip_prefix("Password: "));
    Ok(password.context("no password was printed")?.to_owned())
}
