//! Hands one mail to the newsroom's mail server (PRODUCT.md §9). It must never send a password or a report over a
//! connection that was to be encrypted and is not, nor say in a failure more than a status of what the server answered.

use std::error::Error as _;
use std::io::ErrorKind;
use std::iter::successors;
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::{Duration, UNIX_EPOCH};

use lettre::Address;
use lettre::Message;
use lettre::message::header::{HeaderName, HeaderValue};
use lettre::message::{Mailbox, MultiPart};
use lettre::transport::smtp::Error;
use lettre::transport::smtp::authentication::{Credentials, DEFAULT_MECHANISMS};
use lettre::transport::smtp::client::{SmtpConnection, TlsParameters};
use lettre::transport::smtp::commands::{Data, Mail as MailFrom, Rcpt};
use lettre::transport::smtp::extension::ClientId;
use zeroize::Zeroizing;

use super::{INTERNAL, certificate_fault};
use crate::domain::delivery::Failure;
use crate::domain::fields::ascii_email;

/// How long the goodbye may take: what counts is settled by then.
const GOODBYE_LIMIT: Duration = Duration::from_secs(1);
/// Step in which the message itself is handed over.
const MESSAGE: &str = "il messaggio";
/// Why a repetition may come twice: the answer, not the message, is what is missing.
const MAYBE_TAKEN: &str =
    " Potrebbe averlo accettato lo stesso: viene inviato di nuovo e può arrivare due volte.";
/// Port on which the connection is encrypted from its first byte (RFC 8314 §7.3).
const IMPLICIT_TLS_PORT: u16 = 465;
/// Answers that say nothing of the message: the server is going away, or has no room (RFC 5321 §4.2.3).
const NOT_ABOUT_CONTENT: [u16; 2] = [421, 452];

#[derive(Clone)]
pub struct Server {
    pub host: String,
    pub port: u16,
    /// User name; empty when the server asks for none.
    pub username: String,
    pub password: Option<Zeroizing<String>>,
    pub encryption: SmtpEncryption,
    /// Limit of each answer; the whole may take twice as long.
    pub limit: Duration,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SmtpEncryption {
    /// Not at all.
    None,
    /// By STARTTLS, before anything else is said.
    StartTls,
    /// From the first byte.
    Implicit,
}

impl SmtpEncryption {
    /// What the settings mean: on port 465 a secure connection is encrypted from the start.
    pub fn of(secure: bool, port: u16) -> Self {
        match (secure, port) {
            (false, _) => Self::None,
            (true, IMPLICIT_TLS_PORT) => Self::Implicit,
            (true, _) => Self::StartTls,
        }
    }
}

/// One mail. It has no `Debug`, which would put a person's words into a log.
#[derive(Clone, PartialEq, Eq)]
pub struct Mail {
    pub from_name: String,
    pub from: String,
    pub to: Vec<String>,
    /// Address that answers go to, when not to the sender.
    pub reply_to: Option<String>,
    pub subject: String,
    pub text: String,
    pub html: String,
    /// `<…@…>`, the same at every repetition, so that a mail that came twice can be told.
    pub message_id: String,
    /// When it was written; milliseconds since 1970-01-01T00:00:00Z.
    pub at_ms: i64,
}

/// Sends a mail and returns when the server has taken it.
pub fn send(server: &Server, mail: &Mail) -> Result<(), Failure> {
    let (message, server) = (compose(mail)?, server.clone());
    in_time(server.limit * 2, MESSAGE, move || {
        let mut connection = open(&server)?;
        let sent = hand_over(&mut connection, &server, &message);
        leave(connection);
        sent
    })
}

/// Goes as far as the login, as a sending would: connection, greeting, encryption as configured. Nothing is sent.
pub fn try_server(server: &Server) -> Result<(), Failure> {
    let server = server.clone();
    in_time(server.limit * 2, "l'accesso", move || {
        open(&server).map(leave)
    })
}

/// Bounds the whole of a conversation, because each answer has a limit of its own and may come byte by byte.
fn in_time(
    limit: Duration,
    what: &str,
    work: impl FnOnce() -> Result<(), Failure> + Send + 'static,
) -> Result<(), Failure> {
    let (report, outcome) = sync_channel(1);
    let started = std::thread::Builder::new()
        .name("mail".to_owned())
        .spawn(move || {
            // The receiver is gone after the limit.
            let _ = report.send(work());
        });
    if started.is_err() {
        let busy = "Il server è troppo occupato per inviare email.";
        return Err(Failure::passing(busy));
    }
    outcome
        .recv_timeout(limit)
        .unwrap_or_else(|error| match error {
            RecvTimeoutError::Timeout => Err(too_slow(limit, what)),
            RecvTimeoutError::Disconnected => Err(Failure::passing(INTERNAL)),
        })
}

fn compose(mail: &Mail) -> Result<Message, Failure> {
    let name = Some(one_line(&mail.from_name)).filter(|name| !name.is_empty());
    let mut builder = Message::builder()
        .from(Mailbox::new(name, address(&mail.from, "del mittente")?))
        .subject(one_line(&mail.subject))
        .message_id(Some(one_line(&mail.message_id)))
        .date(UNIX_EPOCH + Duration::from_millis(mail.at_ms.try_into().unwrap_or(0)))
        // A program that answers mails by itself would answer the reporter (RFC 3834 §5).
        .raw_header(HeaderValue::new(
            HeaderName::new_from_ascii_str("Auto-Submitted"),
            "auto-generated".to_owned(),
        ));
    for to in &mail.to {
        builder = builder.to(Mailbox::new(None, address(to, "del destinatario")?));
    }
    if let Some(reply_to) = &mail.reply_to {
        builder = builder.reply_to(Mailbox::new(None, address(reply_to, "di chi segnala")?));
    }
    let parts = MultiPart::alternative_plain_html(mail.text.clone(), mail.html.clone());
    builder
        .multipart(parts)
        .map_err(|_| Failure::permanent("L'email non si può comporre."))
}

/// As it is sent: its domain in ASCII, for not every server takes another (RFC 6531 §3.2).
fn address(text: &str, whose: &str) -> Result<Address, Failure> {
    let sent = ascii_email(text).and_then(|sent| sent.parse().ok());
    sent.ok_or_else(|| Failure::permanent(format!("L'indirizzo {whose} non è valido.")))
}

/// A header is one line: whatever could begin another one becomes a space.
fn one_line(text: &str) -> String {
    let spaced = text.replace(|character: char| character.is_control(), " ");
    spaced.trim().to_owned()
}

/// An open connection, encrypted if it must be, and logged in where there is a user name.
fn open(server: &Server) -> Result<SmtpConnection, Failure> {
    let login = match (&server.password, server.username.is_empty()) {
        (_, true) => None,
        (Some(password), false) => Some(Credentials::new(
            server.username.clone(),
            password.as_str().to_owned(),
        )),
        (None, false) => {
            return Err(Failure::permanent(
                "Configurazione SMTP incompleta: manca la password.",
            ));
        }
    };
    let mut connection = connect(server)?;
    if let Some(login) = login {
        connection
            .auth(DEFAULT_MECHANISMS, &login)
            .map_err(|error| match error.status() {
                Some(_) => explain(server, &error, "nome utente o password"),
                None if error.is_client() => Failure::passing(
                    "Il server di posta non accetta un accesso con nome utente e password.",
                ),
                None => explain(server, &error, "l'accesso"),
            })?;
    }
    Ok(connection)
}

fn connect(server: &Server) -> Result<SmtpConnection, Failure> {
    let addresses: Vec<SocketAddr> = (server.host.as_str(), server.port)
        .to_socket_addrs()
        .map(Iterator::collect)
        .unwrap_or_default();
    if addresses.is_empty() {
        return Err(Failure::passing(format!(
            "Errore di connessione: il nome del server di posta «{}» non è stato trovato, controlla come è scritto.",
            server.host
        )));
    }
    let tls = (server.encryption != SmtpEncryption::None)
        .then(|| TlsParameters::new(server.host.clone()))
        .transpose()
        .map_err(|error| explain(server, &error, "la connessione cifrata"))?;
    let (own_name, limit) = (ClientId::default(), Some(server.limit));
    let implicit = tls
        .as_ref()
        .filter(|_| server.encryption == SmtpEncryption::Implicit);
    let mut connection =
        SmtpConnection::connect(addresses.as_slice(), limit, &own_name, implicit, None)
            .map_err(|error| explain(server, &error, "il collegamento"))?;
    let Some(tls) = tls.filter(|_| !connection.is_encrypted()) else {
        return Ok(connection);
    };
    if !connection.can_starttls() {
        return Err(Failure::passing(
            "Il server di posta non offre una connessione cifrata (STARTTLS): non è stato inviato nulla.",
        ));
    }
    connection
        .starttls(&tls, &own_name)
        .map_err(|error| explain(server, &error, "la connessione cifrata"))?;
    Ok(connection)
}

/// Sends the message to all recipients, or to none. A refusal before DATA is not about the content: greylisting defers at RCPT
/// (RFC 6647 §4.1).
fn hand_over(
    connection: &mut SmtpConnection,
    server: &Server,
    message: &Message,
) -> Result<(), Failure> {
    let envelope = message.envelope();
    // No parameter (SMTPUTF8, 8BITMIME) is needed: addresses in the settings and the encoded message are ASCII.
    let from = MailFrom::new(envelope.from().cloned(), Vec::new());
    let taken = connection.command(from);
    taken.map_err(|error| explain(server, &error, "mittente o destinatario"))?;
    for to in envelope.to() {
        let taken = connection.command(Rcpt::new(to.clone(), Vec::new()));
        taken.map_err(|error| explain(server, &error, "mittente o destinatario"))?;
    }
    let sent = connection
        .command(Data)
        .and_then(|_| connection.message(&message.formatted()));
    sent.map(drop).map_err(|error| {
        let failure = explain(server, &error, MESSAGE);
        match error.status().map(u16::from) {
            Some(status) if !NOT_ABOUT_CONTENT.contains(&status) => failure.of_content(),
            _ => failure,
        }
    })
}

/// Says goodbye: how the server answers changes nothing, not even whether.
fn leave(mut connection: SmtpConnection) {
    if connection.set_timeout(Some(GOODBYE_LIMIT)).is_ok() {
        connection.abort();
    }
}

/// What went wrong, for the newsroom: of what the server answered only its status, for its words could be anything.
fn explain(server: &Server, error: &Error, what: &str) -> Failure {
    if let Some(code) = error.status().map(u16::from) {
        let said = |verb| format!("Il server di posta {verb} {what} (codice {code}).");
        return if error.is_permanent() {
            Failure::permanent(said("rifiuta"))
        } else {
            Failure::passing(said("per ora non accetta"))
        };
    }
    if let Some(fault) = certificate_fault(error) {
        return Failure::passing(format!(
            "Il server di posta non è sicuro ({fault}): non è stato inviato nulla."
        ));
    }
    let io = successors(error.source(), |&cause| cause.source())
        .find_map(|cause| cause.downcast_ref::<std::io::Error>())
        .map(std::io::Error::kind);
    if error.is_timeout() || io == Some(ErrorKind::WouldBlock) {
        return too_slow(server.limit, what);
    }
    if io == Some(ErrorKind::ConnectionRefused) {
        return Failure::passing(format!(
            "Errore di connessione: il server di posta rifiuta la connessione sulla porta {}, controlla il numero.",
            server.port
        ));
    }
    if error.is_tls() || what == "la connessione cifrata" {
        return Failure::passing(
            "La connessione cifrata con il server di posta non è riuscita: controlla la porta (465 oppure 587). \
             Non è stato inviato nulla.",
        );
    }
    Failure::passing(format!(
        "Errore di connessione: il server di posta non è raggiungibile, o ha interrotto la connessione prima di \
         confermare il messaggio.{}",
        maybe_taken_notice(what)
    ))
}

/// What is added where the message may have been taken all the same.
fn maybe_taken_notice(what: &str) -> &'static str {
    if what == MESSAGE { MAYBE_TAKEN } else { "" }
}

fn too_slow(limit: Duration, what: &str) -> Failure {
    Failure::passing(format!(
        "Errore di connessione: il server di posta non ha risposto entro {} secondi.{}",
        limit.as_secs().max(1),
        maybe_taken_notice(what)
    ))
}
