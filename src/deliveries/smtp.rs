//! Speaks SMTP as a client (RFC 5321). What an answer means is said by the first digit of its number, whatever other digits and
//! words follow, and in whatever bytes (§4.2, §4.3.2). It must never take for a part of an encrypted connection what was said before it,
//! nor for an answer what was said before the question.

use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use zeroize::Zeroizing;

use super::encrypted::encrypt;

/// As much of an answer as is read, in bytes (`smtp_response_limit` of Postfix).
const REPLY_MAX: u64 = 100_000;
/// How long QUIT may take; the outcome is known by then.
const GOODBYE_LIMIT: Duration = Duration::from_secs(1);
/// The status of a challenge in a login (RFC 4954 §4).
const CHALLENGE: u16 = 334;

/// Why a command did not do what it should.
pub(super) enum SmtpError {
    /// The server says something else.
    Reply(Reply),
    /// It says nothing, or nothing that is SMTP.
    Broken(io::Error),
}

impl From<io::Error> for SmtpError {
    fn from(error: io::Error) -> Self {
        Self::Broken(error)
    }
}

/// An answer of the server.
pub(super) struct Reply {
    pub(super) number: u16,
    /// The words that follow the number in each line.
    lines: Vec<String>,
}

/// The first digit of an answer's number (RFC 5321 §4.2.1).
#[derive(Clone, Copy)]
enum Wanted {
    Done = 2,
    More = 3,
}

impl Reply {
    fn when(self, wanted: Wanted) -> Result<Self, SmtpError> {
        if self.number / 100 == wanted as u16 {
            Ok(self)
        } else {
            Err(SmtpError::Reply(self))
        }
    }

    /// Its enhanced status code (RFC 3463 §2): class, subject and detail.
    pub(super) fn enhanced(&self) -> Option<&str> {
        let word = self.lines.first()?.split(' ').next()?;
        let parts: Vec<&str> = word.split('.').collect();
        let number = |part: &&str| part.len() <= 3 && part.parse::<u16>().is_ok();
        (parts.len() == 3 && parts.iter().all(number)).then_some(word)
    }

    /// Its words in small letters, each line without the status code that servers repeat there.
    pub(super) fn words(&self) -> String {
        let code = self.enhanced().unwrap_or_default();
        let lines = self.lines.iter();
        let words = lines.flat_map(|line| line.strip_prefix(code).unwrap_or(line).split(' '));
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        words.join(" ").to_lowercase()
    }
}

/// A line of an answer: number, words, and whether another line follows.
fn parse(line: &str) -> Option<(u16, &str, bool)> {
    let (digits, rest) = line.split_at_checked(3)?;
    let number = digits.parse().ok().filter(|number| *number >= 100)?;
    match rest.chars().next() {
        None => Some((number, "", false)),
        Some(sign @ (' ' | '-')) => Some((number, rest[1..].trim_end(), sign == '-')),
        Some(_) => None,
    }
}

/// A way to log in (RFC 4954; XOAUTH2:
/// <https://learn.microsoft.com/exchange/client-developer/legacy-protocols/how-to-authenticate-an-imap-pop-smtp-application-by-using-oauth>).
#[derive(Clone, Copy)]
pub(super) enum Mechanism {
    Plain,
    Login,
    /// Shows a token in place of the password.
    Xoauth2,
}

impl Mechanism {
    const fn name(self) -> &'static str {
        match self {
            Self::Plain => "PLAIN",
            Self::Login => "LOGIN",
            Self::Xoauth2 => "XOAUTH2",
        }
    }

    /// The command, and what is said to one challenge after the other. To a token that is refused Google gives the reason as a
    /// challenge, and the refusal only after an empty line.
    fn lines(self, user: &str, secret: &str) -> Vec<Zeroizing<String>> {
        let encoded = |text: String| STANDARD.encode(Zeroizing::new(text).as_bytes());
        let command = |response: &str| format!("AUTH {} {response}", self.name());
        let lines = match self {
            Self::Plain => {
                let response = encoded(format!("\0{user}\0{secret}"));
                vec![command(&response), response]
            }
            Self::Login => {
                let [user, secret] = [user, secret].map(|text| encoded(text.to_owned()));
                vec!["AUTH LOGIN".to_owned(), user, secret]
            }
            Self::Xoauth2 => {
                let response = format!("user={user}\x01auth=Bearer {secret}\x01\x01");
                vec![command(&encoded(response)), String::new()]
            }
        };
        lines.into_iter().map(Zeroizing::new).collect()
    }
}

trait Wire: Read + Write + Send {}

impl<T: Read + Write + Send> Wire for T {}

/// A session with a mail server.
pub(super) struct Smtp {
    tcp: TcpStream,
    /// The stream that carries the session, encrypted or not.
    wire: BufReader<Box<dyn Wire>>,
    /// The lines in which the server says what it knows, in capitals: case does not matter (RFC 5321 §2.4).
    offers: Vec<String>,
}

impl Smtp {
    /// Connects to the first of these addresses that answers. Each answer of the server has this limit.
    pub(super) fn connect(addresses: &[SocketAddr], limit: Duration) -> Result<Self, SmtpError> {
        let mut failed = io::Error::from(ErrorKind::AddrNotAvailable);
        for address in addresses {
            match TcpStream::connect_timeout(address, limit) {
                Ok(tcp) => return Ok(Self::over(tcp, limit)?),
                Err(error) => failed = error,
            }
        }
        Err(failed.into())
    }

    fn over(tcp: TcpStream, limit: Duration) -> io::Result<Self> {
        tcp.set_read_timeout(Some(limit))?;
        tcp.set_write_timeout(Some(limit))?;
        // The end of a mail is short, and waits for nothing.
        tcp.set_nodelay(true)?;
        let wire: Box<dyn Wire> = Box::new(tcp.try_clone()?);
        Ok(Self {
            tcp,
            wire: BufReader::new(wire),
            offers: Vec::new(),
        })
    }

    /// Encrypts what is said from here on. What the server said before and was not read yet is forgotten.
    pub(super) fn encrypt(&mut self, host: &str) -> Result<(), SmtpError> {
        let wire: Box<dyn Wire> = Box::new(encrypt(self.tcp.try_clone()?, host)?);
        self.wire = BufReader::new(wire);
        Ok(())
    }

    /// Hears the server's greeting and says our name.
    pub(super) fn greet(&mut self, own_name: &str) -> Result<(), SmtpError> {
        self.answer()?.when(Wanted::Done)?;
        self.hello(own_name)
    }

    /// Encrypts by STARTTLS (RFC 3207).
    pub(super) fn start_tls(&mut self, host: &str, own_name: &str) -> Result<(), SmtpError> {
        self.command("STARTTLS")?;
        self.encrypt(host)?;
        self.hello(own_name)
    }

    fn hello(&mut self, own_name: &str) -> Result<(), SmtpError> {
        let reply = self.command(&format!("EHLO {own_name}"))?;
        // The first line bears the server's name.
        let offers = reply.lines.iter().skip(1);
        self.offers = offers.map(|line| line.to_ascii_uppercase()).collect();
        Ok(())
    }

    /// Whether the server knows this extension.
    pub(super) fn offers(&self, keyword: &str) -> bool {
        let mut keywords = self.offers.iter().map(|line| line.split(' ').next());
        keywords.any(|own| own == Some(keyword))
    }

    /// Whether the server lets in so; some write `AUTH=` as before RFC 4954.
    pub(super) fn takes(&self, mechanism: Mechanism) -> bool {
        self.offers.iter().any(|line| {
            let mut words = line.split([' ', '=']);
            words.next() == Some("AUTH") && words.any(|word| word == mechanism.name())
        })
    }

    pub(super) fn log_in(
        &mut self,
        mechanism: Mechanism,
        user: &str,
        secret: &str,
    ) -> Result<(), SmtpError> {
        let mut lines = mechanism.lines(user, secret).into_iter();
        let mut reply = self.say(&lines.next().unwrap_or_default())?;
        for line in lines {
            if reply.number == CHALLENGE {
                reply = self.say(&line)?;
            }
        }
        reply.when(Wanted::Done).map(drop)
    }

    /// Says a command that is done with its answer.
    pub(super) fn command(&mut self, line: &str) -> Result<Reply, SmtpError> {
        self.say(line)?.when(Wanted::Done)
    }

    /// Hands over a message, whose lines end with CR LF, but for its end: without it the server takes nothing.
    pub(super) fn message(&mut self, message: &[u8]) -> Result<(), SmtpError> {
        self.say("DATA")?.when(Wanted::More)?;
        let mut stuffed = Vec::with_capacity(message.len() + 64);
        for line in message.split_inclusive(|byte| *byte == b'\n') {
            if line.starts_with(b".") {
                stuffed.push(b'.');
            }
            stuffed.extend_from_slice(line);
        }
        Ok(self.write(&stuffed)?)
    }

    /// Says that the message ends, and hears within this limit whether the server takes it.
    pub(super) fn end(&mut self, limit: Duration) -> Result<(), SmtpError> {
        self.tcp.set_read_timeout(Some(limit))?;
        self.command(".").map(drop)
    }

    /// Says QUIT. Whether and how the server answers does not matter.
    pub(super) fn leave(mut self) {
        if self.tcp.set_read_timeout(Some(GOODBYE_LIMIT)).is_ok() {
            let _ = self.say("QUIT");
        }
    }

    fn say(&mut self, line: &str) -> Result<Reply, SmtpError> {
        if self.speaks_first()? {
            return Err(SmtpError::Reply(self.answer()?));
        }
        self.write(&Zeroizing::new(format!("{line}\r\n").into_bytes()))?;
        self.answer()
    }

    /// Whether the server has said something that nothing asked for.
    fn speaks_first(&mut self) -> io::Result<bool> {
        self.tcp.set_nonblocking(true)?;
        let heard = self.wire.fill_buf().map(|said| !said.is_empty());
        self.tcp.set_nonblocking(false)?;
        match heard {
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(false),
            heard => heard,
        }
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let wire = self.wire.get_mut();
        wire.write_all(bytes)?;
        wire.flush()
    }

    /// Reads an answer. The last line's number counts; of the lines before it some servers leave out the number.
    fn answer(&mut self) -> Result<Reply, SmtpError> {
        let mut lines = Vec::new();
        let mut wire = (&mut self.wire).take(REPLY_MAX);
        loop {
            let mut line = Vec::new();
            wire.read_until(b'\n', &mut line)?;
            let Some(line) = line.strip_suffix(b"\n") else {
                return Err(io::Error::from(ErrorKind::UnexpectedEof).into());
            };
            let line = String::from_utf8_lossy(line);
            let line = line.trim_end_matches('\r');
            match parse(line) {
                Some((number, words, more)) => {
                    lines.push(words.to_owned());
                    if !more {
                        return Ok(Reply { number, lines });
                    }
                }
                None if lines.is_empty() => {
                    return Err(io::Error::from(ErrorKind::InvalidData).into());
                }
                None => lines.push(line.to_owned()),
            }
        }
    }
}
