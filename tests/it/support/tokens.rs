//! A provider's two sides on 127.0.0.1 for XOAUTH2: the address at which tokens are asked for by client credentials
//! (RFC 6749 §4.4), and the list of those that its mail server takes (`support/smtp.rs`).

use std::io::Write;
use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use std::thread;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use super::receiver::{Call, read};

/// The mailbox that the application may send from.
pub const MAILBOX: &str = "segnalazioni@esempio.it";
pub const TENANT: &str = "esempio.onmicrosoft.com";
pub const CLIENT: &str = "11112222-bbbb-3333-cccc-4444dddd5555";
/// With the signs that are in Microsoft's secrets, and others that a form has to escape.
pub const SECRET: &str = "ApZ8Q~2ml.BG7-_&+=%/ x";
pub const SCOPE: &str = "https://outlook.office365.com/.default";
/// How long a token lasts, in seconds, as Microsoft says.
const LASTS: u32 = 3_599;

/// The tokens that the mail server takes; shared with it.
#[derive(Clone, Default)]
pub struct Taken(Arc<Mutex<Vec<String>>>);

impl Taken {
    /// Whether this initial response of XOAUTH2 names the mailbox and a token that is taken.
    pub fn takes(&self, response: &str) -> bool {
        let said = STANDARD.decode(response).expect("base64");
        let said = String::from_utf8(said).expect("a text");
        let tokens = self.0.lock().expect("tokens");
        let mut ways = tokens
            .iter()
            .map(|token| format!("user={MAILBOX}\x01auth=Bearer {token}\x01\x01"));
        ways.any(|way| way == said)
    }
}

struct Answers {
    /// The secret of the application as it is now.
    secret: String,
    /// Status and body in place of what is right.
    instead: Option<(u16, String)>,
    /// Whether nothing is answered at all.
    down: bool,
    calls: Vec<Call>,
    issued: usize,
}

pub struct TokenOffice {
    port: u16,
    answers: Arc<Mutex<Answers>>,
    pub taken: Taken,
}

impl TokenOffice {
    pub fn open() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let answers = Arc::new(Mutex::new(Answers {
            secret: SECRET.to_owned(),
            instead: None,
            down: false,
            calls: Vec::new(),
            issued: 0,
        }));
        let taken = Taken::default();
        let (shared, tokens) = (Arc::clone(&answers), taken.clone());
        thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.expect("a connection");
                let Some(call) = read(&mut stream) else {
                    continue;
                };
                let answer = shared.lock().expect("answers").reply(call, &tokens);
                // A client that has given up closes the connection.
                let _ = stream.write_all(answer.as_bytes());
            }
        });
        Self {
            port,
            answers,
            taken,
        }
    }

    /// As the settings name it.
    pub fn url(&self) -> String {
        format!(
            "http://127.0.0.1:{}/{{tenant}}/oauth2/v2.0/token",
            self.port
        )
    }

    /// The calls that came so far.
    pub fn calls(&self) -> Vec<Call> {
        self.answers.lock().expect("answers").calls.clone()
    }

    /// Answers in this way instead, or again as is right.
    pub fn answer(&self, instead: Option<(u16, &str)>) {
        let instead = instead.map(|(status, body)| (status, body.to_owned()));
        self.answers.lock().expect("answers").instead = instead;
    }

    pub fn down(&self, down: bool) {
        self.answers.lock().expect("answers").down = down;
    }

    /// Another secret takes the place of the present one.
    pub fn renew(&self, secret: &str) {
        secret.clone_into(&mut self.answers.lock().expect("answers").secret);
    }

    /// The mail server takes none of the tokens that were handed out.
    pub fn revoke(&self) {
        self.taken.0.lock().expect("tokens").clear();
    }
}

impl Answers {
    /// Nothing while it is down.
    fn reply(&mut self, call: Call, taken: &Taken) -> String {
        let right = self.is_right(&call);
        self.calls.push(call);
        if self.down {
            return String::new();
        }
        let (status, body) = match self.instead.clone() {
            Some(instead) => instead,
            None if right => (200, self.issue(taken)),
            None => (401, refusal()),
        };
        format!(
            "HTTP/1.1 {status} x\r\ncontent-type: application/json; charset=utf-8\r\ncontent-length: {}\r\n\
             connection: close\r\n\r\n{body}",
            body.len()
        )
    }

    fn is_right(&self, call: &Call) -> bool {
        let form: Vec<(String, String)> = form_urlencoded::parse(&call.body).into_owned().collect();
        let expected = [
            ("grant_type", "client_credentials"),
            ("client_id", CLIENT),
            ("client_secret", &self.secret),
            ("scope", SCOPE),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()));
        let kind = call.header("content-type");
        call.line == format!("POST /{TENANT}/oauth2/v2.0/token HTTP/1.1")
            && kind == Some("application/x-www-form-urlencoded")
            && form == expected
    }

    fn issue(&mut self, accepted: &Taken) -> String {
        self.issued += 1;
        // As long as a real one.
        let token = format!("eyJ0eXAi.{}.{}", "x".repeat(1_800), self.issued);
        accepted.0.lock().expect("tokens").push(token.clone());
        json!({ "token_type": "Bearer", "expires_in": LASTS, "ext_expires_in": LASTS, "access_token": token })
            .to_string()
    }
}

/// Source: OfficeDev/microsoft-365-agents-toolkit#8621.
fn refusal() -> String {
    let said = "AADSTS7000215: Invalid client secret provided. Ensure the secret being sent in the request is the client secret \
                value, not the client secret ID, for a secret added to app 'a8fdfbd0-da97-42d9-8f1a-fd6a7cb650b4'.";
    json!({ "error": "invalid_client", "error_description": said, "error_codes": [7_000_215] })
        .to_string()
}
