//! A mail server of our own on 127.0.0.1: it takes mail as a strict one does, with or without TLS, or misbehaves in one way
//! that a test names. It notes every line it was sent, so that a test can say what never crossed the network. Always it refuses
//! a name in EHLO that is none of the internet, lines that are too long, and what is not ASCII and was not announced. Its own words
//! are in Latin-1.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use super::tokens::Taken;
use super::wait_for;

pub const USER: &str = "redazione";
pub const PASSWORD: &str = "Parola-di-posta-93";

#[derive(Clone, Default)]
pub struct Manner {
    /// Certificate for STARTTLS, or for a connection encrypted from the start.
    pub tls: Option<Arc<ServerConfig>>,
    pub implicit: bool,
    /// Commands, by their verb or with the beginning of what follows it (`MAIL FROM:<a`, `AUTH PLAIN`), answered with a line of their own; a line that is empty
    /// closes the connection instead.
    pub answers: Vec<(&'static str, &'static str)>,
    /// Tokens that are taken by XOAUTH2, in place of user name and password.
    pub tokens: Option<Taken>,
    /// Whether a token is refused as Google does: why, in JSON as a challenge, and the refusal after an empty line.
    pub challenges: bool,
    /// Says nothing to this command, and keeps the connection open.
    pub silent_at: Option<&'static str>,
    pub pace: Pace,
    /// How long it looks through a mail before it answers.
    pub looks_through: Duration,
}

/// How a server speaks.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub enum Pace {
    #[default]
    Usual,
    /// Byte by byte.
    Slow,
    /// Not at all, and keeps the connection open.
    Mute,
    /// Greets for ever, a byte now and then.
    Endless,
}

impl Manner {
    /// Well-behaved but for this answer to this command.
    pub fn answering(command: &'static str, answer: &'static str) -> Self {
        Self {
            answers: vec![(command, answer)],
            ..Self::default()
        }
    }

    /// What it answers to a command, where a well-behaved server would say `usual`.
    fn reply<'a>(&self, verb: &str, usual: &'a str) -> &'a str {
        let own = self.answers.iter().find(|(own, _)| *own == verb);
        own.map_or(usual, |(_, said)| said)
    }
}

#[derive(Debug, Clone, Default)]
pub struct Visit {
    pub commands: Vec<String>,
    /// How many of them came before the connection was encrypted.
    pub in_the_clear: usize,
    /// The mail that it took, if any, dots unstuffed.
    pub mail: Option<Vec<u8>>,
    /// The mail that it was offered, whether or not it took it.
    pub offered: Option<Vec<u8>>,
}

pub struct MailServer {
    address: SocketAddr,
    manner: Arc<Mutex<Manner>>,
    visits: Arc<Mutex<Vec<Visit>>>,
    /// Connections that have not come to their end.
    open: Arc<AtomicUsize>,
}

impl MailServer {
    pub fn start(manner: Manner) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let (visits, open): (Arc<Mutex<Vec<Visit>>>, Arc<AtomicUsize>) = Default::default();
        let (noted, counted) = (Arc::clone(&visits), Arc::clone(&open));
        let manner = Arc::new(Mutex::new(manner));
        let present = Arc::clone(&manner);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let manner = present.lock().expect("a manner").clone();
                let noted = Arc::clone(&noted);
                let counted = Arc::clone(&counted);
                counted.fetch_add(1, Ordering::SeqCst);
                thread::spawn(move || {
                    receive(stream.expect("a connection"), &manner, &noted);
                    counted.fetch_sub(1, Ordering::SeqCst);
                });
            }
        });
        Self {
            address,
            manner,
            visits,
            open,
        }
    }

    /// How it behaves from the next connection on.
    pub fn set(&self, manner: Manner) {
        *self.manner.lock().expect("a manner") = manner;
    }

    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// Waits until a client is there.
    pub fn wait_visited(&self) {
        wait_for("a visit", || {
            (self.open.load(Ordering::SeqCst) > 0).then_some(())
        });
    }

    /// What came so far, once every connection has ended: a client may be done before the server knows.
    pub fn visits(&self) -> Vec<Visit> {
        wait_for("the end of the visits", || {
            (self.open.load(Ordering::SeqCst) == 0).then_some(())
        });
        self.visits.lock().expect("the visits").clone()
    }

    pub fn mails(&self) -> Vec<Vec<u8>> {
        self.visits()
            .into_iter()
            .filter_map(|visit| visit.mail)
            .collect()
    }
}

trait Stream: Read + Write {}

impl<T: Read + Write> Stream for T {}

/// A connection, encrypted or not.
struct Line {
    tcp: TcpStream,
    stream: Box<dyn Stream>,
    encrypted: bool,
}

impl Read for Line {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.stream.read(buffer)
    }
}

impl Line {
    fn plain(tcp: TcpStream) -> io::Result<Self> {
        let stream = Box::new(tcp.try_clone()?);
        Ok(Self {
            tcp,
            stream,
            encrypted: false,
        })
    }

    fn encrypt(&mut self, config: &Arc<ServerConfig>) -> io::Result<()> {
        let session = ServerConnection::new(Arc::clone(config)).expect("a session");
        self.stream = Box::new(StreamOwned::new(session, self.tcp.try_clone()?));
        self.encrypted = true;
        Ok(())
    }
}

/// Takes one connection to its end, and notes it then.
fn receive(stream: TcpStream, manner: &Manner, noted: &Mutex<Vec<Visit>>) {
    let mut visit = Visit::default();
    // A client that goes away ends the visit like one that says goodbye.
    let _ = converse(stream, manner, &mut visit);
    noted.lock().expect("the visits").push(visit);
}

fn converse(stream: TcpStream, manner: &Manner, visit: &mut Visit) -> io::Result<()> {
    if manner.pace == Pace::Mute {
        // Until the client gives up.
        return io::copy(&mut &stream, &mut io::sink()).map(drop);
    }
    if manner.pace == Pace::Endless {
        loop {
            (&stream).write_all(b"2")?;
            thread::sleep(Duration::from_millis(20));
        }
    }
    let mut line = Line::plain(stream)?;
    if let (Some(tls), true) = (&manner.tls, manner.implicit) {
        line.encrypt(tls)?;
    }
    let mut line = BufReader::new(line);
    if !say(
        &mut line,
        manner,
        manner.reply("CONNECT", "220 prova.example ESMTP"),
    )? {
        return Ok(());
    }
    let mut command = String::new();
    while line.read_line(&mut command)? > 0 {
        let said = command.trim_end().to_owned();
        command.clear();
        visit.commands.push(said.clone());
        let encrypted = line.get_ref().encrypted;
        visit.in_the_clear += usize::from(!encrypted);
        let verb = said.split([' ', ':']).next().unwrap_or_default();
        let verb = verb.to_uppercase();
        let mut longer = manner.answers.iter().map(|(own, _)| own);
        let longer = longer.find(|own| own.contains([':', ' ']) && said.starts_with(**own));
        let verb = longer.map_or(verb, |own| (*own).to_owned());
        if manner.silent_at == Some(verb.as_str()) {
            return io::copy(&mut line, &mut io::sink()).map(drop);
        }
        let usual = match said.as_str() {
            "AUTH LOGIN" => login(&mut line, manner)?.to_owned(),
            _ => usual_answer(&verb, visit, manner, encrypted),
        };
        let reply = manner.reply(&verb, &usual);
        if !say(&mut line, manner, reply)? || verb == "QUIT" {
            return Ok(());
        }
        match (verb.as_str(), &manner.tls) {
            ("STARTTLS", Some(tls)) if reply.starts_with('2') => line.get_mut().encrypt(tls)?,
            ("DATA", _) if reply.starts_with('3') => {
                let mail = body(&mut line)?;
                thread::sleep(manner.looks_through);
                let reply = manner.reply(".", refusal_of(&mail, visit));
                visit.offered = Some(mail.clone());
                visit.mail = reply.starts_with('2').then_some(mail);
                if !say(&mut line, manner, reply)? {
                    return Ok(());
                }
            }
            _ => {}
        }
    }
    Ok(())
}

fn usual_answer(verb: &str, visit: &Visit, manner: &Manner, encrypted: bool) -> String {
    let said = visit.commands.last().map_or("", String::as_str);
    match verb {
        "EHLO" if manner.tls.is_some() && !encrypted => {
            "250-prova.example\r\n250-8BITMIME\r\n250 STARTTLS"
        }
        "EHLO" if manner.tokens.is_some() => {
            "250-prova.example\r\n250-8BITMIME\r\n250 AUTH LOGIN XOAUTH2"
        }
        "EHLO" => "250-prova.example\r\n250-8BITMIME\r\n250 AUTH PLAIN LOGIN",
        "STARTTLS" => "220 avanti",
        "AUTH" if manner.tokens.is_some() => return by_token(said, manner),
        // The empty line that a challenge after a token waits for.
        "" => "535 5.7.8 Username and Password not accepted.",
        "AUTH" => verdict(said.ends_with(&STANDARD.encode(format!("\0{USER}\0{PASSWORD}")))),
        "MAIL" | "RCPT" if !said.is_ascii() && !visit.announced("SMTPUTF8") => {
            "553 5.6.7 SMTPUTF8 is required"
        }
        "RCPT" if !visit.has_name() => {
            "504 5.5.2 Helo command rejected: need fully-qualified hostname"
        }
        "DATA" => "354 avanti",
        "QUIT" => "221 ciao",
        _ => "250 2.0.0 bene",
    }
    .to_owned()
}

/// What it says to a mail.
fn refusal_of(mail: &[u8], visit: &Visit) -> &'static str {
    // RFC 5321 §4.5.3.1.6: 1,000 octets with the end of the line.
    if mail
        .split_inclusive(|byte| *byte == b'\n')
        .any(|line| line.len() > 1_000)
    {
        "500 5.0.0 Line too long"
    } else if !mail.is_ascii() && !visit.announced("BODY=8BITMIME") {
        "554 5.6.1 Body type not supported"
    } else {
        "250 2.0.0 preso"
    }
}

impl Visit {
    /// Whether the sender was named with this parameter.
    fn announced(&self, parameter: &str) -> bool {
        let mut senders = self.commands.iter().filter(|said| said.starts_with("MAIL"));
        senders.any(|said| said.split(' ').any(|word| word == parameter))
    }

    /// Whether the client said a name of the internet, or an address in its place, as Postfix's `reject_non_fqdn_helo_hostname`
    /// wants it.
    fn has_name(&self) -> bool {
        let mut greetings = self
            .commands
            .iter()
            .filter_map(|said| said.split_once("LO "));
        greetings.all(|(_, name)| name.contains('.') || name.starts_with('['))
    }
}

/// Sources: geoffsmith82/GmailAuthSMTP#15; Google's protocol of XOAUTH2, "Error response".
fn by_token(said: &str, manner: &Manner) -> String {
    let response = said.strip_prefix("AUTH XOAUTH2 ").unwrap_or_default();
    let tokens = manner.tokens.as_ref();
    let taken = tokens.is_some_and(|tokens| tokens.takes(response));
    let unsuccessful =
        "535 5.7.3 Authentication unsuccessful [ROAP284CA0191.BRAP284.PROD.OUTLOOK.COM]";
    match (taken, manner.challenges) {
        (true, _) => "235 2.7.0 Authentication successful".to_owned(),
        (false, false) => unsuccessful.to_owned(),
        (false, true) => {
            let why = r#"{"status":"400","schemes":"Bearer","scope":"https://mail.google.com/"}"#;
            format!("334 {}", STANDARD.encode(why))
        }
    }
}

fn verdict(known: bool) -> &'static str {
    if known {
        "235 2.7.0 bene"
    } else {
        "535 5.7.8 no"
    }
}

/// The dialogue of `AUTH LOGIN`.
fn login(line: &mut BufReader<Line>, manner: &Manner) -> io::Result<&'static str> {
    let mut known = true;
    for (asked, right) in [("Username:", USER), ("Password:", PASSWORD)] {
        say(line, manner, &format!("334 {}", STANDARD.encode(asked)))?;
        let mut given = String::new();
        line.read_line(&mut given)?;
        known &= given.trim_end() == STANDARD.encode(right);
    }
    Ok(verdict(known))
}

/// Sends an answer; whether the connection goes on.
fn say(line: &mut BufReader<Line>, manner: &Manner, said: &str) -> io::Result<bool> {
    if said.is_empty() {
        return Ok(false);
    }
    let stream = &mut line.get_mut().stream;
    // Letters as in Latin-1: not every server speaks UTF-8.
    let bytes: Vec<u8> = format!("{said}\r\n")
        .chars()
        .map(|letter| u8::try_from(letter).expect("a byte"))
        .collect();
    let pieces = bytes.chunks(if manner.pace == Pace::Slow {
        1
    } else {
        bytes.len()
    });
    for piece in pieces {
        stream.write_all(piece)?;
        stream.flush()?;
    }
    Ok(!said.starts_with("421"))
}

fn body(line: &mut BufReader<Line>) -> io::Result<Vec<u8>> {
    let mut mail = Vec::new();
    loop {
        let mut row = Vec::new();
        if line.read_until(b'\n', &mut row)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if row == b".\r\n" {
            return Ok(mail);
        }
        mail.extend_from_slice(row.strip_prefix(b".").unwrap_or(&row));
    }
}
