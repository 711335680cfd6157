//! Hands one mail to the newsroom's mail server (PRODUCT.md §9). It must never send a password or a report
//! unencrypted where encryption is configured, nor repeat the server's words in a failure: only its codes.

use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::{Duration, UNIX_EPOCH};

use lettre::Address;
use lettre::Message;
use lettre::message::header::{HeaderName, HeaderValue};
use lettre::message::{Mailbox, MultiPart};
use zeroize::Zeroizing;

use super::INTERNAL;
use super::answers::{REFUSED, SmtpStage, explain, too_slow};
use super::policy::OutboundPolicy;
use super::smtp::{Mechanism, Smtp, SmtpError};
use super::token::Grant;
use crate::domain::delivery::Failure;
use crate::domain::fields::ascii_email;
use crate::domain::settings::Email;

const ONLY_OAUTH: &str = "Il server di posta non accetta più nome utente e password, ma solo OAuth2. Se è di Microsoft 365, in \
                          «Server di posta» scegli l'accesso «Microsoft 365»; altrimenti chiedi a chi lo gestisce.";
const ONLY_ENCRYPTED: &str = "Il server di posta accetta un accesso solo su una connessione cifrata: attivala in «Server di posta».";
const NO_TOKENS: &str = "Il server di posta non accetta un accesso con un token (XOAUTH2): controlla in «Server di posta» il nome del server.";
const NO_STARTTLS: &str =
    "Il server di posta non offre una connessione cifrata (STARTTLS): non è stato inviato nulla.";
const NO_LOGIN: &str = "Il server di posta non accetta un accesso con nome utente e password.";
const NO_UTF8: &str = "Il server di posta non accetta indirizzi con lettere accentate o di un altro alfabeto prima di @ \
                       (SMTPUTF8): l'email non può partire.";
/// Keeps autoresponders from answering the reporter (RFC 3834 §5; Exchange heeds the second one, MS-OXCMAIL §2.1.3.2).
const NO_ANSWERS: [(&str, &str); 2] = [
    ("Auto-Submitted", "auto-generated"),
    ("X-Auto-Response-Suppress", "All"),
];
/// The extension by which a connection is encrypted once it is open (RFC 3207).
const STARTTLS: &str = "STARTTLS";
/// The status of a way to log in that the server does not know, even if it offers it (RFC 4954 §4).
const OTHER_WAY: u16 = 504;
/// Port on which the connection is encrypted from its first byte (RFC 8314 §7.3).
const IMPLICIT_TLS_PORT: u16 = 465;

#[derive(Clone)]
pub struct Server {
    /// The name that we give in EHLO.
    pub own_name: String,
    pub host: String,
    pub port: u16,
    /// User name; empty if the server asks for none.
    pub username: String,
    /// The password; where there is a grant, the secret by which its tokens are asked for.
    pub password: Option<Zeroizing<String>>,
    /// Where the token comes from that is shown in place of the password.
    pub grant: Option<Grant>,
    pub encryption: SmtpEncryption,
    /// Time limit of each answer. All up to the end of the mail may take twice that.
    pub limit: Duration,
    /// Time limit of the answer to the end of the mail.
    pub end_limit: Duration,
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
    /// The encryption that the settings ask for: on port 465 from the first byte.
    pub fn of(secure: bool, port: u16) -> Self {
        match (secure, port) {
            (false, _) => Self::None,
            (true, IMPLICIT_TLS_PORT) => Self::Implicit,
            (true, _) => Self::StartTls,
        }
    }
}

impl Server {
    /// Tells why something failed in this part of a session.
    fn explained(&self, step: SmtpStage) -> impl Fn(SmtpError) -> Failure {
        self.explained_within(step, self.limit)
    }

    fn explained_within(
        &self,
        step: SmtpStage,
        limit: Duration,
    ) -> impl Fn(SmtpError) -> Failure + use<> {
        let port = self.port;
        move |error| explain(&error, step, port, limit)
    }
}

impl OutboundPolicy {
    pub fn server(&self, email: &Email, password: Option<Zeroizing<String>>) -> Server {
        let port = email.smtp_port.try_into().unwrap_or(u16::MAX);
        let grant = |request| Grant {
            request,
            policy: self.clone(),
        };
        Server {
            own_name: self.own_name.clone(),
            host: email.smtp_host.clone(),
            port,
            username: email.smtp_username.clone(),
            password,
            grant: email.token_request().map(grant),
            encryption: SmtpEncryption::of(email.smtp_secure, port),
            limit: self.send_limit,
            end_limit: self.end_limit,
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
    /// `<…@…>`, the same at every attempt, so that a duplicate can be recognised.
    pub message_id: String,
    /// When it was written; milliseconds since 1970-01-01T00:00:00Z.
    pub at_ms: i64,
}

/// Sends a mail and returns when the server has taken it. What is too slow before the mail's end never gets to that.
pub fn send(server: &Server, mail: &Mail) -> Result<(), Failure> {
    let (message, limit) = (compose(mail)?, server.end_limit);
    let explained = server.explained_within(SmtpStage::Message, limit);
    let server = server.clone();
    let mut connection = in_time(server.limit * 2, SmtpStage::Recipient, move || {
        let mut connection = open(&server)?;
        match hand_over(&mut connection, &server, &message) {
            Ok(()) => Ok(connection),
            Err(failure) => {
                connection.leave();
                Err(failure)
            }
        }
    })?;
    in_time(limit, SmtpStage::Message, move || {
        let taken = connection.end(limit).map_err(explained);
        connection.leave();
        taken
    })
}

/// Connects and logs in as for sending, but sends nothing.
pub fn try_server(server: &Server) -> Result<(), Failure> {
    let server = server.clone();
    in_time(server.limit * 2, SmtpStage::Login, move || {
        open(&server).map(Smtp::leave)
    })
}

/// Limits a whole part of an SMTP session, because a server may send each answer byte by byte just within its limit.
fn in_time<T: Send + 'static>(
    limit: Duration,
    step: SmtpStage,
    work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
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
            RecvTimeoutError::Timeout => Err(too_slow(limit, step)),
            RecvTimeoutError::Disconnected => Err(Failure::passing(INTERNAL)),
        })
}

fn compose(mail: &Mail) -> Result<Message, Failure> {
    let name = Some(one_line(&mail.from_name)).filter(|name| !name.is_empty());
    let mut builder = Message::builder()
        .from(Mailbox::new(name, address(&mail.from, "del mittente")?))
        .subject(one_line(&mail.subject))
        .message_id(Some(one_line(&mail.message_id)))
        .date(UNIX_EPOCH + Duration::from_millis(mail.at_ms.try_into().unwrap_or(0)));
    for (name, value) in NO_ANSWERS {
        let name = HeaderName::new_from_ascii_str(name);
        builder = builder.raw_header(HeaderValue::new(name, value.to_owned()));
    }
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

/// An address as it is sent, its domain in ASCII, since not every server takes others (RFC 6531 §3.2).
fn address(text: &str, whose: &str) -> Result<Address, Failure> {
    let sent = ascii_email(text).and_then(|sent| sent.parse().ok());
    sent.ok_or_else(|| Failure::permanent(format!("L'indirizzo {whose} non è valido.")))
}

/// A header is one line: whatever could begin another one, also where it is shown, becomes a space.
fn one_line(text: &str) -> String {
    let breaks = |sign: char| sign.is_control() || matches!(sign, '\u{2028}' | '\u{2029}');
    let spaced = text.replace(breaks, " ");
    spaced.trim().to_owned()
}

/// An open connection, encrypted if it must be, and logged in where there is a user name.
fn open(server: &Server) -> Result<Smtp, Failure> {
    if server.username.is_empty() {
        return connect(server);
    }
    match (&server.grant, &server.password) {
        (None, Some(password)) => enter_by_password(server, password),
        (Some(grant), Some(secret)) => enter_by_token(server, grant, secret),
        (grant, None) => {
            let lacking = if grant.is_some() {
                "il segreto dell'applicazione"
            } else {
                "la password"
            };
            Err(Failure::permanent(format!(
                "Configurazione SMTP incompleta: manca {lacking}."
            )))
        }
    }
}

fn enter_by_password(server: &Server, password: &str) -> Result<Smtp, Failure> {
    let mut connection = connect(server)?;
    let mut failure = no_login(&connection);
    for way in [Mechanism::Plain, Mechanism::Login] {
        if !connection.takes(way) {
            continue;
        }
        let Err(error) = connection.log_in(way, &server.username, password) else {
            return Ok(connection);
        };
        let unknown = matches!(&error, SmtpError::Reply(reply) if reply.number == OTHER_WAY);
        failure = server.explained(SmtpStage::Login)(error);
        if !unknown {
            break;
        }
    }
    Err(failure)
}

/// A token that was kept may be good no more, as after a change of rights or while the machine slept: then another one is asked
/// for, once.
fn enter_by_token(server: &Server, grant: &Grant, secret: &str) -> Result<Smtp, Failure> {
    if let Some(token) = grant.kept(secret) {
        let mut connection = connect_for_token(server)?;
        match connection.log_in(Mechanism::Xoauth2, &server.username, &token) {
            Ok(()) => return Ok(connection),
            Err(SmtpError::Reply(reply)) if reply.number == REFUSED => connection.leave(),
            Err(error) => return Err(server.explained(SmtpStage::Token)(error)),
        }
    }
    let token = grant.fetch(secret)?;
    let mut connection = connect_for_token(server)?;
    connection
        .log_in(Mechanism::Xoauth2, &server.username, &token)
        .map_err(server.explained(SmtpStage::Token))?;
    Ok(connection)
}

fn connect_for_token(server: &Server) -> Result<Smtp, Failure> {
    let connection = connect(server)?;
    if connection.takes(Mechanism::Xoauth2) {
        Ok(connection)
    } else {
        Err(Failure::passing(NO_TOKENS))
    }
}

/// Why none of our ways to log in is one of the server's.
fn no_login(connection: &Smtp) -> Failure {
    if connection.takes(Mechanism::Xoauth2) {
        Failure::permanent(ONLY_OAUTH)
    } else if connection.offers(STARTTLS) {
        Failure::permanent(ONLY_ENCRYPTED)
    } else {
        Failure::passing(NO_LOGIN)
    }
}

fn connect(server: &Server) -> Result<Smtp, Failure> {
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
    let in_clear = server.explained(SmtpStage::Connection);
    let in_secret = server.explained(SmtpStage::Encryption);
    let mut connection = Smtp::connect(&addresses, server.limit).map_err(&in_clear)?;
    if server.encryption == SmtpEncryption::Implicit {
        connection.encrypt(&server.host).map_err(&in_secret)?;
    }
    connection.greet(&server.own_name).map_err(&in_clear)?;
    if server.encryption == SmtpEncryption::StartTls {
        if !connection.offers(STARTTLS) {
            return Err(Failure::passing(NO_STARTTLS));
        }
        connection
            .start_tls(&server.host, &server.own_name)
            .map_err(&in_secret)?;
    }
    Ok(connection)
}

/// Hands over the message for all recipients, or for none, but for its end. A refusal before DATA is not one of the content.
fn hand_over(connection: &mut Smtp, server: &Server, message: &Message) -> Result<(), Failure> {
    let envelope = message.envelope();
    let from = envelope.from().map_or("", AsRef::as_ref);
    let sender = format!("MAIL FROM:<{from}>{}", parameters(connection, message)?);
    connection
        .command(&sender)
        .map_err(server.explained(SmtpStage::Sender))?;
    for to in envelope.to() {
        connection
            .command(&format!("RCPT TO:<{to}>"))
            .map_err(server.explained(SmtpStage::Recipient))?;
    }
    connection
        .message(&message.formatted())
        .map_err(server.explained(SmtpStage::Message))
}

/// The encoded message is ASCII, except for an address with other letters before the @, which needs a server that offers
/// SMTPUTF8 (RFC 6531 §3.2).
fn parameters(connection: &Smtp, message: &Message) -> Result<&'static str, Failure> {
    let envelope = message.envelope();
    let mut addresses = envelope.to().iter().chain(envelope.from());
    if addresses.all(|address| AsRef::<str>::as_ref(address).is_ascii()) {
        Ok("")
    } else if connection.offers("SMTPUTF8") {
        Ok(" SMTPUTF8 BODY=8BITMIME")
    } else {
        Err(Failure::permanent(NO_UTF8))
    }
}
