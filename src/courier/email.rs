//! Hands one mail to the newsroom's mail server (PRODUCT.md §5). It must never send a password or a report over a
//! connection that was to be encrypted and is not, nor say in a failure more than a status of what the server answered.

use std::fmt;
use std::io::ErrorKind;
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use jiff::Timestamp;
use lettre::Address;
use lettre::message::header::{ContentType, Date, Header, HeaderName, HeaderValue};
use lettre::message::{Mailbox, MultiPart};
use lettre::transport::smtp::Error;
use lettre::transport::smtp::authentication::{Credentials, DEFAULT_MECHANISMS};
use lettre::transport::smtp::client::{SmtpConnection, TlsParameters};
use lettre::transport::smtp::commands::{Data, Mail as MailFrom, Rcpt};
use lettre::transport::smtp::extension::ClientId;
use zeroize::Zeroizing;

use super::failure::{Failure, certificate_fault};
use super::in_time::{Missed, in_time};

/// Limit of a whole sending. Mail servers may take their time: RFC 5321 §4.5.3.2 allows minutes, but a newsroom's own
/// server answers in seconds.
pub const SEND_LIMIT: Duration = Duration::from_secs(30);
/// How long the goodbye may take: what counts is settled by then.
const GOODBYE_LIMIT: Duration = Duration::from_secs(1);
/// Port on which the connection is encrypted from its first byte (RFC 8314 §7.3).
const IMPLICIT_TLS_PORT: u16 = 465;
/// Answers to a message that say nothing of it: the server is going away, or has no room (RFC 5321 §4.2.3).
const NOT_ABOUT_CONTENT: [u16; 2] = [421, 452];

/// The newsroom's mail server.
pub struct Server {
    /// Name or address.
    pub host: String,
    /// Port.
    pub port: u16,
    /// User name; empty when the server asks for none.
    pub username: String,
    /// Password of that user.
    pub password: Option<Zeroizing<String>>,
    /// How the connection is protected.
    pub encryption: Encryption,
    /// Limit of the whole sending, usually [`SEND_LIMIT`].
    pub limit: Duration,
}

/// How a connection is protected. Encrypted means that nothing is sent otherwise, and that the certificate is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encryption {
    /// Not at all.
    None,
    /// By STARTTLS, before anything else is said.
    StartTls,
    /// From the first byte.
    Implicit,
}

impl Encryption {
    /// What the settings mean: on port 465 a secure connection is encrypted from the start.
    pub fn of(secure: bool, port: u16) -> Self {
        match (secure, port) {
            (false, _) => Self::None,
            (true, IMPLICIT_TLS_PORT) => Self::Implicit,
            (true, _) => Self::StartTls,
        }
    }
}

/// One mail.
#[derive(Clone, PartialEq, Eq)]
pub struct Mail {
    /// Name of the sender, as shown.
    pub from_name: String,
    /// Address of the sender.
    pub from: String,
    /// Address of the recipient.
    pub to: String,
    /// Address that answers go to, when not to the sender.
    pub reply_to: Option<String>,
    /// Subject.
    pub subject: String,
    /// The text.
    pub text: String,
    /// The same as HTML.
    pub html: String,
    /// `<…@…>`, the same at every repetition, so that a mail that came twice can be told.
    pub message_id: String,
    /// When it was written; milliseconds since 1970-01-01T00:00:00Z.
    pub at_ms: i64,
}

impl fmt::Debug for Mail {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Mail")
            .field("message_id", &self.message_id)
            .finish_non_exhaustive()
    }
}

/// What the conversation with the server had come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Greeting,
    Encryption,
    Login,
    Sender,
    Recipient,
    Message,
}

/// Says that no program reads this mail and answers it by itself: the answer would go to the reporter (RFC 3834 §5).
#[derive(Debug, Clone)]
struct AutoSubmitted;

impl Header for AutoSubmitted {
    fn name() -> HeaderName {
        HeaderName::new_from_ascii_str("Auto-Submitted")
    }

    fn parse(_: &str) -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
        Ok(Self)
    }

    fn display(&self) -> HeaderValue {
        HeaderValue::new(Self::name(), "auto-generated".to_owned())
    }
}

/// Sends a mail and returns when the server has taken it.
pub fn send(server: &Server, mail: &Mail) -> Result<(), Failure> {
    let parcel = Parcel::pack(mail)?;
    converse(server, move |talk| talk.deliver(&parcel))
}

/// Goes as far as a sending would go before it names a sender: connection, greeting, encryption as configured, and the
/// login where there is a user name. Nothing is sent.
pub fn try_server(server: &Server) -> Result<(), Failure> {
    converse(server, |talk| {
        talk.leave(talk.enter()?);
        Ok(())
    })
}

/// Talks to the server within its limit.
fn converse(
    server: &Server,
    work: impl FnOnce(&Talk) -> Result<(), Failure> + Send + 'static,
) -> Result<(), Failure> {
    if !server.username.is_empty() && server.password.is_none() {
        return Err(Failure::permanent(
            "Configurazione SMTP incompleta: manca la password.",
        ));
    }
    let talk = Talk {
        host: server.host.clone(),
        port: server.port,
        login: server.password.as_ref().and_then(|password| {
            (!server.username.is_empty())
                .then(|| Credentials::new(server.username.clone(), password.as_str().to_owned()))
        }),
        encryption: server.encryption,
        limit: server.limit,
        given_up: Arc::default(),
        handed_over: Arc::default(),
        done: Arc::default(),
    };
    let (given_up, handed_over) = (Arc::clone(&talk.given_up), Arc::clone(&talk.handed_over));
    let done = Arc::clone(&talk.done);
    in_time("mail", server.limit, &given_up, move || work(&talk)).unwrap_or_else(|missed| {
        if done.load(Ordering::SeqCst) {
            return Ok(());
        }
        let failure = match missed {
            Missed::Busy => Failure::passing("Il server è troppo occupato per inviare e-mail."),
            Missed::Late => too_slow(server.limit),
            Missed::Broken => Failure::passing("L'invio si è interrotto per un errore interno."),
        };
        // Once the message itself was on the line, the server may have it.
        Err(if handed_over.load(Ordering::SeqCst) {
            failure.in_doubt()
        } else {
            failure
        })
    })
}

/// A mail as it goes over the line.
struct Parcel {
    from: Address,
    to: Address,
    bytes: Vec<u8>,
}

impl Parcel {
    fn pack(mail: &Mail) -> Result<Self, Failure> {
        let from = address(&mail.from, "del mittente")?;
        let to = address(&mail.to, "del destinatario")?;
        let name = Some(one_line(&mail.from_name)).filter(|name| !name.is_empty());
        let mut builder = lettre::Message::builder()
            .from(Mailbox::new(name, from.clone()))
            .to(Mailbox::new(None, to.clone()))
            .subject(one_line(&mail.subject))
            .message_id(Some(one_line(&mail.message_id)))
            .header(date(mail.at_ms)?)
            .header(AutoSubmitted);
        if let Some(reply_to) = &mail.reply_to {
            builder = builder.reply_to(Mailbox::new(None, address(reply_to, "di chi segnala")?));
        }
        let parts = MultiPart::alternative()
            .singlepart(part(ContentType::TEXT_PLAIN, &mail.text))
            .singlepart(part(ContentType::TEXT_HTML, &mail.html));
        let message = builder
            .multipart(parts)
            .map_err(|_| Failure::permanent("L'e-mail non si può comporre."))?;
        Ok(Self {
            from,
            to,
            bytes: message.formatted(),
        })
    }
}

fn part(kind: ContentType, text: &str) -> lettre::message::SinglePart {
    lettre::message::SinglePart::builder()
        .header(kind)
        .body(text.to_owned())
}

fn address(text: &str, whose: &str) -> Result<Address, Failure> {
    text.parse()
        .map_err(|_| Failure::permanent(format!("L'indirizzo {whose} non è valido.")))
}

/// A header is one line: whatever could begin another one becomes a space.
fn one_line(text: &str) -> String {
    let spaced = text.replace(|character: char| character.is_control(), " ");
    spaced.trim().to_owned()
}

fn date(at_ms: i64) -> Result<Date, Failure> {
    let fault = || Failure::permanent("La data dell'e-mail non si può scrivere.");
    let time = Timestamp::from_millisecond(at_ms).map_err(|_| fault())?;
    Date::parse(&time.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string()).map_err(|_| fault())
}

/// One conversation with the server.
struct Talk {
    host: String,
    port: u16,
    login: Option<Credentials>,
    encryption: Encryption,
    limit: Duration,
    /// Set when nobody waits for the outcome any more: then nothing more may be sent, or the mail would arrive twice.
    given_up: Arc<AtomicBool>,
    /// Set before the message itself goes over the line. Together with `given_up`, each set before the other is looked at,
    /// it leaves no message that was sent and is thought not to have been.
    handed_over: Arc<AtomicBool>,
    /// Set once the server has granted everything that was asked: only the goodbye is left.
    done: Arc<AtomicBool>,
}

impl Talk {
    fn deliver(&self, parcel: &Parcel) -> Result<(), Failure> {
        let mut connection = self.enter()?;
        self.go_on()?;
        connection
            .command(MailFrom::new(Some(parcel.from.clone()), Vec::new()))
            .map_err(|error| self.explain(Step::Sender, &error))?;
        connection
            .command(Rcpt::new(parcel.to.clone(), Vec::new()))
            .map_err(|error| self.explain(Step::Recipient, &error))?;
        self.go_on()?;
        connection
            .command(Data)
            .map_err(|error| self.explain(Step::Message, &error))?;
        self.handed_over.store(true, Ordering::SeqCst);
        self.go_on()?;
        connection.message(&parcel.bytes).map_err(|error| {
            let failure = self.explain(Step::Message, &error);
            // What has a status was answered: the server did not take it.
            match error.status().map(u16::from) {
                Some(status) if NOT_ABOUT_CONTENT.contains(&status) => failure,
                Some(_) => failure.of_content(),
                None => failure.in_doubt(),
            }
        })?;
        self.leave(connection);
        Ok(())
    }

    /// Says goodbye to a server that has granted everything: how it answers changes nothing, not even whether.
    fn leave(&self, mut connection: SmtpConnection) {
        self.done.store(true, Ordering::SeqCst);
        let _ = connection
            .set_timeout(Some(GOODBYE_LIMIT))
            .and_then(|()| connection.quit().map_err(std::io::Error::other));
    }

    /// An open connection, logged in where there is a user name.
    fn enter(&self) -> Result<SmtpConnection, Failure> {
        let mut connection = self.connect()?;
        if let Some(login) = &self.login {
            self.go_on()?;
            connection
                .auth(DEFAULT_MECHANISMS, login)
                .map_err(|error| self.explain(Step::Login, &error))?;
        }
        Ok(connection)
    }

    /// An open connection, encrypted if it must be.
    fn connect(&self) -> Result<SmtpConnection, Failure> {
        let addresses: Vec<SocketAddr> = (self.host.as_str(), self.port)
            .to_socket_addrs()
            .map_err(|_| self.name_not_found())?
            .collect();
        if addresses.is_empty() {
            return Err(self.name_not_found());
        }
        self.go_on()?;
        let tls = (self.encryption != Encryption::None)
            .then(|| TlsParameters::new(self.host.clone()))
            .transpose()
            .map_err(|error| self.explain(Step::Encryption, &error))?;
        let (own_name, limit) = (ClientId::default(), Some(self.limit));
        let implicit = tls
            .as_ref()
            .filter(|_| self.encryption == Encryption::Implicit);
        let step = if implicit.is_some() {
            Step::Encryption
        } else {
            Step::Greeting
        };
        let mut connection =
            SmtpConnection::connect(addresses.as_slice(), limit, &own_name, implicit, None)
                .map_err(|error| self.explain(step, &error))?;
        let Some(tls) = tls.filter(|_| !connection.is_encrypted()) else {
            return Ok(connection);
        };
        if !connection.can_starttls() {
            return Err(Failure::passing(
                "Il server di posta non offre una connessione cifrata (STARTTLS): non è stato inviato nulla.",
            ));
        }
        self.go_on()?;
        connection
            .starttls(&tls, &own_name)
            .map_err(|error| self.explain(Step::Encryption, &error))?;
        Ok(connection)
    }

    fn go_on(&self) -> Result<(), Failure> {
        if self.given_up.load(Ordering::SeqCst) {
            return Err(too_slow(self.limit));
        }
        Ok(())
    }

    fn name_not_found(&self) -> Failure {
        Failure::passing(format!(
            "Errore di connessione: il nome del server di posta «{}» non è stato trovato, controlla come è scritto.",
            self.host
        ))
    }

    /// What went wrong, for the newsroom.
    fn explain(&self, step: Step, error: &Error) -> Failure {
        if let Some(code) = error.status() {
            return refused(step, u16::from(code), error.is_permanent());
        }
        if let Some(fault) = certificate_fault(error) {
            return Failure::passing(format!(
                "Il server di posta non è sicuro ({fault}): non è stato inviato nulla."
            ));
        }
        if error.is_timeout() || io_kind(error) == Some(ErrorKind::WouldBlock) {
            return too_slow(self.limit);
        }
        if io_kind(error) == Some(ErrorKind::ConnectionRefused) {
            return Failure::passing(format!(
                "Errore di connessione: il server di posta rifiuta la connessione sulla porta {}, controlla il numero.",
                self.port
            ));
        }
        Failure::passing(match step {
            Step::Greeting => {
                "Errore di connessione: il server di posta non è raggiungibile o non risponde come un server di posta."
            }
            Step::Encryption => {
                "La connessione cifrata con il server di posta non è riuscita: controlla la porta (465 oppure 587). \
                 Non è stato inviato nulla."
            }
            Step::Login if error.is_client() => {
                "Il server di posta non accetta un accesso con nome utente e password."
            }
            _ => {
                "Il server di posta ha interrotto la connessione prima di confermare il messaggio."
            }
        })
    }
}

fn too_slow(limit: Duration) -> Failure {
    Failure::passing(format!(
        "Errore di connessione: il server di posta non ha risposto entro {} secondi.",
        limit.as_secs().max(1)
    ))
}

/// What the server answered, by its status alone: its words could be anything.
fn refused(step: Step, code: u16, permanent: bool) -> Failure {
    let what = match step {
        Step::Greeting => "il collegamento",
        Step::Encryption => "la connessione cifrata",
        Step::Login => "nome utente o password",
        Step::Sender => "il mittente",
        Step::Recipient => "il destinatario",
        Step::Message => "il messaggio",
    };
    let message = if permanent {
        format!("Il server di posta rifiuta {what} (codice {code}).")
    } else {
        format!("Il server di posta per ora non accetta {what} (codice {code}).")
    };
    if permanent {
        Failure::permanent(message)
    } else {
        Failure::passing(message)
    }
}

/// The kind of the I/O error at the bottom of an error.
fn io_kind(error: &Error) -> Option<ErrorKind> {
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        if let Some(io) = cause.downcast_ref::<std::io::Error>() {
            return Some(io.kind());
        }
        source = cause.source();
    }
    None
}
