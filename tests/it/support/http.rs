//! A small HTTP/1.1 client over a plain socket, so that a test sees every byte that travels and can send what a
//! well-behaved library would not. One connection a request. Must never follow a redirect or hide a status.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::PATIENCE;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, StreamOwned};
use serde_json::Value;

/// Where the API is served.
pub const API: &str = "/paibeta/api";

/// The rows of an answer that is a list.
pub fn rows_of(list: &Value) -> Vec<Value> {
    list["data"].as_array().expect("rows").clone()
}

/// Sends requests to one server; clones may add headers that go with every request.
#[derive(Debug, Clone)]
pub struct Client {
    address: SocketAddr,
    headers: Vec<(String, String)>,
    secured: Option<Secured>,
    socket: Option<PathBuf>,
}

/// How a client speaks TLS: with what it trusts, and to which name.
#[derive(Debug, Clone)]
struct Secured {
    config: Arc<ClientConfig>,
    name: ServerName<'static>,
}

/// A request being put together.
#[derive(Debug, Clone)]
pub struct Request {
    client: Client,
    method: String,
    path: String,
    body: Vec<u8>,
}

/// What came back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    pub status: u16,
    /// Names in lower case, in the order they came.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Client {
    pub fn new(address: SocketAddr) -> Self {
        Self {
            address,
            headers: Vec::new(),
            secured: None,
            socket: None,
        }
    }

    /// One that calls by a Unix socket, as Tor does for a browser.
    pub fn by_socket(path: &Path) -> Self {
        let nowhere = Self::new(SocketAddr::from(([0, 0, 0, 0], 0)));
        Self {
            socket: Some(path.to_path_buf()),
            ..nowhere.with("host", "segnala.onion")
        }
    }

    /// The same client over TLS, to a server of this name.
    pub fn over_tls(&self, config: &Arc<ClientConfig>, name: &str) -> Self {
        let name = ServerName::try_from(name.to_owned()).expect("a name");
        let config = Arc::clone(config);
        Self {
            secured: Some(Secured { config, name }),
            ..self.clone()
        }
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The same client with one more header on every request.
    pub fn with(&self, name: &str, value: &str) -> Self {
        let mut client = self.clone();
        client.headers.push((name.to_owned(), value.to_owned()));
        client
    }

    /// A request for a whole path.
    pub fn request(&self, method: &str, path: &str) -> Request {
        Request {
            client: self.clone(),
            method: method.to_owned(),
            path: path.to_owned(),
            body: Vec::new(),
        }
    }

    /// A request for a path below the API.
    pub fn api(&self, method: &str, path: &str) -> Request {
        self.request(method, &format!("{API}{path}"))
    }

    pub fn get(&self, path: &str) -> Answer {
        self.api("GET", path).send()
    }

    pub fn post(&self, path: &str) -> Answer {
        self.api("POST", path).send()
    }

    pub fn post_json(&self, path: &str, body: &Value) -> Answer {
        self.api("POST", path).json(body).send()
    }

    /// The JSON of a success.
    pub fn read(&self, path: &str) -> Value {
        self.get(path).expect(200).json()
    }

    /// The rows of a list.
    pub fn rows(&self, path: &str) -> Vec<Value> {
        rows_of(&self.read(path))
    }

    /// The JSON of a success.
    pub fn post_and_read(&self, path: &str, body: &Value) -> Value {
        self.post_json(path, body).expect(200).json()
    }

    pub fn put(&self, path: &str, body: &Value) -> Answer {
        self.api("PUT", path).json(body).send()
    }

    /// Changes some members of what is there.
    pub fn modify(&self, path: &str, change: &Value) -> Answer {
        self.api("PATCH", path).json(change).send()
    }

    pub fn delete(&self, path: &str) -> Answer {
        self.api("DELETE", path).send()
    }

    /// Asks for a whole path.
    pub fn page(&self, path: &str) -> Answer {
        self.request("GET", path).send()
    }
}

impl Request {
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.client = self.client.with(name, value);
        self
    }

    pub fn body(mut self, content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self.header("content-type", content_type)
    }

    pub fn json(self, body: &Value) -> Self {
        self.body("application/json", body.to_string())
    }

    pub fn send(self) -> Answer {
        let what = format!("{} {}", self.method, self.path);
        self.try_send()
            .unwrap_or_else(|error| panic!("{what}: {error}"))
    }

    /// As [`Request::send`], for a server that may go away: an answer that was cut short is an error.
    pub fn try_send(self) -> io::Result<Answer> {
        if let Some(path) = &self.client.socket {
            let mut stream = UnixStream::connect(path)?;
            stream.set_read_timeout(Some(PATIENCE))?;
            let received = exchange(&mut stream, &self.to_bytes())?;
            return Answer::parse(&received, self.method == "HEAD");
        }
        let mut stream = TcpStream::connect(self.client.address)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_nodelay(true)?;
        let received = match &self.client.secured {
            None => exchange(&mut stream, &self.to_bytes())?,
            Some(Secured { config, name }) => {
                let session = ClientConnection::new(Arc::clone(config), name.clone());
                let session = session.map_err(io::Error::other)?;
                exchange(&mut StreamOwned::new(session, stream), &self.to_bytes())?
            }
        };
        Answer::parse(&received, self.method == "HEAD")
    }

    /// Sends it, as far as somebody takes it, and hears no answer.
    pub fn send_and_hang_up(self) {
        drop(self.send_only());
    }

    /// The same, and stays on the line as long as what this answers.
    pub fn send_only(self) -> TcpStream {
        let mut stream = TcpStream::connect(self.client.address).expect("a line");
        let _ = stream.write_all(&self.to_bytes());
        stream
    }

    /// Sends the head, and waits until the program asks for the body: by then it knows who sends it.
    pub fn begin(self) -> Begun {
        let whole = self.clone().header("expect", "100-continue").to_bytes();
        let (head, body) = whole.split_at(whole.len() - self.body.len());
        let mut stream = TcpStream::connect(self.client.address).expect("a line");
        stream.set_read_timeout(Some(PATIENCE)).expect("set");
        stream.write_all(head).expect("sent");
        let mut asked = [0; 25];
        stream.read_exact(&mut asked).expect("an answer");
        assert_eq!(&asked, b"HTTP/1.1 100 Continue\r\n\r\n");
        Begun(stream, body.to_vec())
    }

    fn to_bytes(&self) -> Vec<u8> {
        let headers = &self.client.headers;
        let given = |name: &str| {
            headers
                .iter()
                .any(|(own, _)| own.eq_ignore_ascii_case(name))
        };
        let mut lines = vec![
            format!("{} {} HTTP/1.1", self.method, self.path),
            "connection: close".to_owned(),
        ];
        if !given("host") {
            lines.push(format!("host: {}", self.client.address));
        }
        if !given("content-length") && !given("transfer-encoding") && !self.body.is_empty() {
            lines.push(format!("content-length: {}", self.body.len()));
        }
        lines.extend(
            headers
                .iter()
                .map(|(name, value)| format!("{name}: {value}")),
        );
        let head = lines.join("\r\n") + "\r\n\r\n";
        [head.as_bytes(), &self.body].concat()
    }
}

/// A request whose body is still to come.
pub struct Begun(TcpStream, Vec<u8>);

impl Begun {
    pub fn finish(mut self) -> Answer {
        let received = exchange(&mut self.0, &self.1).expect("an answer");
        Answer::parse(&received, false).expect("an answer")
    }
}

fn exchange(stream: &mut (impl Read + Write), sent: &[u8]) -> io::Result<Vec<u8>> {
    stream.write_all(sent)?;
    let mut received = Vec::new();
    stream.read_to_end(&mut received)?;
    Ok(received)
}

impl Answer {
    fn parse(received: &[u8], headless: bool) -> io::Result<Self> {
        let cut = || io::Error::new(io::ErrorKind::UnexpectedEof, "the answer was cut short");
        let end = received
            .windows(4)
            .position(|window| window == b"\r\n\r\n")
            .ok_or_else(cut)?;
        let head = std::str::from_utf8(&received[..end]).map_err(io::Error::other)?;
        let mut lines = head.split("\r\n");
        let status = lines
            .next()
            .and_then(|line| line.split(' ').nth(1)?.parse().ok())
            .ok_or_else(cut)?;
        let headers = lines
            .filter_map(|line| line.split_once(':'))
            .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
            .collect();
        let mut answer = Self {
            status,
            headers,
            body: received[end + 4..].to_vec(),
        };
        if answer.header("transfer-encoding") == Some("chunked") {
            answer.body = dechunk(&answer.body).ok_or_else(cut)?;
        }
        let announced = answer.header("content-length").map(str::parse::<usize>);
        match announced {
            Some(Ok(length)) if !headless && status != 304 && length != answer.body.len() => {
                Err(cut())
            }
            _ => Ok(answer),
        }
    }

    /// The value of a header that came once, or not at all.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut values = self.headers.iter().filter(|(own, _)| own == name);
        let value = values.next().map(|(_, value)| value.as_str());
        assert!(values.next().is_none(), "{name} came twice");
        value
    }

    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).expect("a text")
    }

    /// The JSON body of a success.
    pub fn json(&self) -> Value {
        let kind = self.header("content-type");
        assert_eq!(kind, Some("application/json"), "{}", self.text());
        serde_json::from_slice(&self.body).expect("JSON")
    }

    /// Fails the test unless the status is this one.
    pub fn expect(self, status: u16) -> Self {
        let body = String::from_utf8_lossy(&self.body);
        assert_eq!(self.status, status, "{body}");
        self
    }

    /// A refusal of that kind, checked for everything that every refusal has (RFC 9457).
    pub fn problem(&self, status: u16, slug: &str) -> Value {
        let body = String::from_utf8_lossy(&self.body);
        assert_eq!(self.status, status, "{body}");
        let kind = self.header("content-type");
        assert_eq!(kind, Some("application/problem+json"));
        let problem: Value = serde_json::from_slice(&self.body).expect("JSON");
        assert_eq!(problem["type"], format!("urn:segnalazioni:problem:{slug}"));
        assert_eq!(problem["status"], status);
        assert_eq!(problem["requestId"].as_str(), self.header("x-request-id"));
        for member in ["title", "detail"] {
            let text = problem[member].as_str().unwrap_or_default();
            assert!(!text.is_empty(), "no {member}: {problem}");
        }
        problem
    }

    pub fn not_found(&self) -> Value {
        self.problem(404, "non-trovato")
    }

    pub fn conflict(&self) -> Value {
        self.problem(409, "conflitto")
    }

    pub fn wrong_password(&self) -> Value {
        self.problem(401, "password-non-valida")
    }

    pub fn no_session(&self) -> Value {
        self.problem(401, "non-autenticato")
    }

    pub fn invalid(&self) -> Value {
        self.problem(422, "dati-non-validi")
    }

    /// Checks these headers.
    pub fn has_headers(&self, expected: &[(&str, &str)]) {
        for (name, value) in expected {
            assert_eq!(self.header(name), Some(*value), "{name}");
        }
    }

    /// The fields that a refusal of what was sent names, in order.
    pub fn refused_fields(&self) -> Vec<String> {
        let problem = self.invalid();
        let errors = problem["errors"].as_object().expect("errors");
        assert!(errors.values().all(|message| message.as_str() != Some("")));
        errors.keys().cloned().collect()
    }
}

fn dechunk(mut body: &[u8]) -> Option<Vec<u8>> {
    let mut whole = Vec::new();
    loop {
        let line = body.windows(2).position(|window| window == b"\r\n")?;
        let size = usize::from_str_radix(std::str::from_utf8(&body[..line]).ok()?, 16).ok()?;
        body = &body[line + 2..];
        if size == 0 {
            return Some(whole);
        }
        whole.extend_from_slice(body.get(..size)?);
        body = body.get(size + 2..)?;
    }
}
