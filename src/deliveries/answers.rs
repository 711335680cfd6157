//! Why a mail server did not take a mail, in Italian, for the newsroom. Of what the server answered it passes on the codes
//! alone, since the words could hold anything. Answers that many servers give have a meaning here, by which a person can act.

use std::io::{self, ErrorKind};
use std::time::Duration;

use super::certificate_fault;
use super::smtp::{Reply, SmtpError};
use crate::domain::delivery::Failure;

/// Why the mail may arrive twice: the server may have taken it, but its answer is missing.
const MAYBE_TAKEN: &str =
    " Potrebbe averlo accettato lo stesso: se viene inviato di nuovo, può arrivare due volte.";
/// The advice that starts mails that were given up, once something was mended outside the panel.
const THEN_TEST: &str = " Poi premi «Test Email».";
/// Where a server waits for the first byte of an encrypted connection, it says nothing.
const MAYBE_ENCRYPTED: &str =
    " Controlla in «Server di posta» la porta e se la connessione è cifrata.";
/// The status of a login that is refused (RFC 4954 §6).
pub(super) const REFUSED: u16 = 535;
/// How Microsoft refuses a token; some of its servers leave out the code.
const TOKEN_REFUSED: &str = "5.7.3";
/// Status codes that do not concern the message: the server is closing, or is out of space (RFC 5321 §4.2.3).
const NOT_ABOUT_CONTENT: [u16; 2] = [421, 452];

/// The part of an SMTP session in which something went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SmtpStage {
    /// Greeting and EHLO.
    Connection,
    /// STARTTLS, the handshake, and EHLO once more.
    Encryption,
    Login,
    /// A login with a token.
    Token,
    Sender,
    /// Greylisting and refusals of the sender or of our own name often come only here (RFC 6647 §4.1).
    Recipient,
    Message,
}

impl SmtpStage {
    /// The grammatical object of a refusal by this number: of a login, 502 to 504 concern the command, not what it says (RFC 5321
    /// §4.2.3).
    const fn object(self, number: u16) -> &'static str {
        match self {
            Self::Login | Self::Token if matches!(number, 502..=504) => "questo modo di accedere",
            Self::Connection => "il collegamento",
            Self::Encryption => "la connessione cifrata",
            Self::Login => "nome utente o password",
            Self::Token => "il token",
            Self::Sender => "il mittente",
            Self::Recipient => "mittente o destinatario",
            Self::Message => "il messaggio",
        }
    }

    /// The addition if the message may have been taken all the same.
    fn doubt(self) -> &'static str {
        if self == Self::Message {
            MAYBE_TAKEN
        } else {
            ""
        }
    }
}

/// An answer that is known from many servers.
struct KnownAnswer {
    /// Enhanced status codes (RFC 3463) by which it is recognised.
    codes: &'static [&'static str],
    /// Words by which it is recognised, in small letters.
    words: &'static [&'static str],
    /// Whether it is temporary, even if its code says otherwise.
    passes: bool,
    /// Whether it concerns only the message, if it answers the message.
    content: bool,
    /// Whether it may be mended outside of the panel, which then does not notice.
    outside: bool,
    cause: &'static str,
    /// Advice; empty if nothing need be done.
    advice: &'static str,
}

impl KnownAnswer {
    const fn of(words: &'static [&'static str], cause: &'static str, advice: &'static str) -> Self {
        Self {
            codes: &[],
            words,
            passes: false,
            content: false,
            outside: false,
            cause,
            advice,
        }
    }

    const fn or_code(self, codes: &'static [&'static str]) -> Self {
        Self { codes, ..self }
    }

    const fn passing(self) -> Self {
        Self {
            passes: true,
            ..self
        }
    }

    const fn of_content(self) -> Self {
        Self {
            content: true,
            ..self
        }
    }

    const fn outside(self) -> Self {
        Self {
            outside: true,
            ..self
        }
    }
}

/// The first match counts.
const MEANINGS: [KnownAnswer; 22] = [
    KnownAnswer::of(
        &["basic authentication is disabled", "basic authentication is not supported"],
        "Microsoft 365 non accetta più nome utente e password per inviare email",
        "In «Server di posta» scegli l'accesso «Microsoft 365».",
    )
    .or_code(&["5.7.30"]),
    KnownAnswer::of(
        &["smtpclientauthentication is disabled"],
        "Microsoft 365 non permette a questa casella di inviare email da un programma (SMTP AUTH è disattivato)",
        "Chi amministra Microsoft 365 può attivarlo. Se l'accesso è con nome utente e password, in «Server di posta» \
         scegli anche «Microsoft 365».",
    )
    .outside(),
    KnownAnswer::of(
        &["did not meet the criteria", "security defaults"],
        "Le regole di sicurezza di Microsoft 365 impediscono questo accesso",
        "In «Server di posta» scegli l'accesso «Microsoft 365», o chiedi a chi amministra Microsoft 365.",
    )
    .outside(),
    KnownAnswer::of(
        &[
            "application-specific password",
            "invalidsecondfactor",
            "username and password not accepted",
            "log in via your web browser",
        ],
        "Google rifiuta nome utente o password",
        "Vuole una «password per le app», che si crea nell'account Google con la verifica in due passaggi attiva.",
    ),
    KnownAnswer::of(
        &["starttls command first"],
        "Il server di posta vuole una connessione cifrata",
        "Attivala in «Server di posta».",
    )
    .or_code(&["5.7.11"]),
    KnownAnswer::of(
        &[
            "authentication required",
            "authentication is required",
            "client not authenticated",
            "client was not authenticated",
            "authenticate first",
            "auth first",
            "unauthenticated senders not allowed",
            "rejected: not logged in",
        ],
        "Il server di posta vuole un accesso",
        "In «Server di posta» scrivi nome utente e password, o come si accede.",
    )
    .or_code(&["5.7.57"]),
    KnownAnswer::of(
        &[
            "not owned by user",
            "not owned by auth user",
            "sendasdenied",
            "send as this sender",
            "verified sender identity",
            "relaying disallowed",
        ],
        "Il server di posta non permette a questo account di inviare dall'indirizzo del mittente",
        "In «Server di posta» scrivi come mittente l'indirizzo dell'account, o fallo autorizzare.",
    )
    .or_code(&["5.2.252"])
    .outside(),
    KnownAnswer::of(
        &["email address is not verified"],
        "Amazon SES non ha verificato il mittente o, se l'account è in prova (sandbox), il destinatario",
        "Chi amministra Amazon SES lo verifichi, o faccia uscire l'account dalla prova.",
    )
    .outside(),
    KnownAnswer::of(
        &[
            "bad outbound sender",
            "spam abuse detected",
            "tenant has exceeded threshold",
            "has been suspended",
            "is not allowed to send:",
            "not yet activated",
        ],
        "Il fornitore di posta non lascia inviare questo account",
        "Chi lo amministra deve sbloccarlo; in Microsoft 365 sta in «Entità con restrizioni».",
    )
    .or_code(&["5.7.501", "5.7.705", "5.7.708"])
    .outside(),
    KnownAnswer::of(
        &[
            "relay access denied",
            "relaying denied",
            "relay not permitted",
            "unable to relay",
            "relay disabled",
            "allowed rcpthosts",
        ],
        "Il server di posta non inoltra email verso altri domini",
        "In «Server di posta» controlla nome utente e password: senza accesso molti server non inoltrano.",
    ),
    KnownAnswer::of(
        &[
            "helo command rejected",
            "invalid helo",
            "invalid ehlo",
            "helo/ehlo",
            "helo or ehlo",
            "ehlo/helo",
            "helo first",
            "hello first",
        ],
        "Il server di posta rifiuta il nome con cui questo server si presenta",
        "È quello di public_url nel file di configurazione o, se non è un nome di Internet, [127.0.0.1]: chi gestisce il server \
         può cambiarlo.",
    )
    .outside(),
    KnownAnswer::of(
        &["greylist", "graylist"],
        "Il server di posta rimanda la prima consegna (greylisting)",
        "",
    )
    .passing(),
    KnownAnswer::of(
        &[
            "rate limit",
            "ratelimit",
            "sending quota",
            "sending limit",
            "daily limit",
            "relay quota",
            "submissionquotaexceeded",
            "messages per day",
            "messages per hour",
            "emails per hour",
            "hour limit",
            "per session",
            "allowed outgoing messages",
            "too many emails",
            "unusual rate",
            "at a rate that",
            "throttling failure",
            "daily message quota",
            "temporarily deferred due to",
            "too many concurrent",
        ],
        "Il server di posta ha raggiunto un limite di invii",
        "",
    )
    .or_code(&["5.4.5", "5.1.90"])
    .passing(),
    KnownAnswer::of(
        &["mailbox full", "over quota", "quota exceeded"],
        "La casella del destinatario è piena",
        "Va fatto spazio.",
    )
    .or_code(&["4.2.2", "5.2.2"])
    .passing(),
    KnownAnswer::of(
        &["user unknown", "no such user", "recipient address rejected: access denied"],
        "La casella del destinatario non esiste",
        "Controlla l'indirizzo.",
    )
    .or_code(&["5.1.1", "5.1.10"]),
    KnownAnswer::of(
        &["sender address rejected: domain not found"],
        "Il dominio del mittente non esiste",
        "Controlla l'indirizzo in «Server di posta».",
    )
    .or_code(&["4.1.8", "5.1.8"]),
    KnownAnswer::of(
        &["recipient address rejected: domain not found"],
        "Il dominio del destinatario non esiste",
        "Controlla l'indirizzo.",
    )
    .or_code(&["5.1.2"]),
    KnownAnswer::of(
        &["dmarc", "unauthenticated email", "does not have authentication information"],
        "Il dominio del mittente non autorizza questo server di posta (SPF, DKIM, DMARC)",
        "Chi gestisce il dominio deve autorizzarlo.",
    )
    .or_code(&["5.7.23", "5.7.26", "5.7.515"])
    .outside(),
    KnownAnswer::of(
        &[
            "blocked using",
            "blocked - see",
            "block list",
            "spamhaus",
            "banned sending ip",
            "poor reputation",
        ],
        "L'indirizzo di questo server è in una lista di blocco",
        "Usa il server di posta del tuo fornitore con nome utente e password, o chiedi di toglierlo dalla lista.",
    )
    .outside(),
    KnownAnswer::of(
        &["spam", "unsolicited"],
        "Il server di posta prende l'email per posta indesiderata",
        "Chi lo gestisce deve ammettere il mittente.",
    )
    .of_content()
    .outside(),
    KnownAnswer::of(
        &["message size exceeds"],
        "L'email è troppo grande per il server di posta",
        "",
    )
    .or_code(&["5.3.4"])
    .of_content(),
    KnownAnswer::of(
        &[],
        "Il server di posta non accetta indirizzi con lettere accentate o di un altro alfabeto prima di @",
        "",
    )
    .or_code(&["5.6.7"]),
];

/// Answers to a token of Microsoft 365, which come before the others: what they mean of a password does not help here.
const OF_TOKENS: [KnownAnswer; 5] = [
    KnownAnswer::of(
        &["smtpclientauthentication is disabled"],
        "In Microsoft 365 l'invio via SMTP è spento per questa casella",
        "Chi amministra Exchange esegue Set-CASMailbox -Identity CASELLA -SmtpClientAuthenticationDisabled $false.",
    )
    .outside(),
    KnownAnswer::of(
        &["did not meet the criteria", "security defaults"],
        "Le regole di accesso di Microsoft 365 vietano l'invio via SMTP",
        "Chi amministra Entra controlli le impostazioni predefinite di sicurezza e l'accesso condizionale.",
    )
    .outside(),
    KnownAnswer::of(
        &[],
        "Il token c'è, ma Microsoft 365 non lo accetta per la casella scritta in «Utente»",
        "Controlla l'indirizzo, il consenso a SMTP.SendAsApp e in Exchange New-ServicePrincipal e Add-MailboxPermission (l'ID oggetto \
         è quello di «Applicazioni aziendali»). Un permesso nuovo vale dopo un'ora.",
    )
    .or_code(&[TOKEN_REFUSED])
    .outside(),
    KnownAnswer::of(
        &[],
        "Microsoft 365 non riconosce «Utente»",
        "Scrivi l'indirizzo intero della casella da cui partono le email.",
    )
    .or_code(&["5.5.124"]),
    KnownAnswer::of(
        &["username and password not accepted"],
        "Il server di posta rifiuta il token",
        "In «Server di posta» controlla utente, ID della directory e ID applicazione.",
    )
    .or_code(&["5.7.8"]),
];

/// A server that knows SMTP as it was before 1995 answers EHLO so (RFC 5321 §3.2).
const NO_EHLO: KnownAnswer = KnownAnswer::of(
    &[],
    "Il server di posta è troppo vecchio: non conosce EHLO",
    "Ne serve un altro.",
);

/// The reason for the newsroom. Each answer of the server at this port has this limit.
pub(super) fn explain(error: &SmtpError, step: SmtpStage, port: u16, limit: Duration) -> Failure {
    match error {
        SmtpError::Reply(reply) if matches!(reply.number, 400..600) => refusal(reply, step),
        SmtpError::Reply(reply) => Failure::passing(format!(
            "Il server di posta dà una risposta che qui non è prevista (codice {}).{}",
            reply.number,
            step.doubt()
        )),
        SmtpError::Broken(error) => fault(error, step, port, limit),
    }
}

fn refusal(reply: &Reply, step: SmtpStage) -> Failure {
    let number = reply.number;
    let codes = match reply.enhanced() {
        Some(code) => format!("(codice {number}, {code})"),
        None => format!("(codice {number})"),
    };
    let permanent = number >= 500;
    let Some(meaning) = meaning(reply, step) else {
        let verb = if permanent {
            "rifiuta"
        } else {
            "per ora non accetta"
        };
        return Failure {
            permanent,
            content: step == SmtpStage::Message && !NOT_ABOUT_CONTENT.contains(&number),
            message: format!("Il server di posta {verb} {} {codes}.", step.object(number)),
        };
    };
    let permanent = permanent && !meaning.passes;
    let then = if permanent && meaning.outside {
        THEN_TEST
    } else {
        ""
    };
    let message = format!("{} {codes}. {}{then}", meaning.cause, meaning.advice);
    Failure {
        permanent,
        content: step == SmtpStage::Message && meaning.content,
        message: message.trim_end().to_owned(),
    }
}

fn meaning(reply: &Reply, step: SmtpStage) -> Option<&'static KnownAnswer> {
    if step == SmtpStage::Connection && matches!(reply.number, 500 | 502) {
        return Some(&NO_EHLO);
    }
    let first: &[KnownAnswer] = match step {
        SmtpStage::Token => &OF_TOKENS,
        _ => &[],
    };
    let unsaid = (step == SmtpStage::Token && reply.number == REFUSED).then_some(TOKEN_REFUSED);
    let (code, said) = (reply.enhanced().or(unsaid), reply.words());
    first.iter().chain(&MEANINGS).find(|meaning| {
        let by_code = code.is_some_and(|code| meaning.codes.contains(&code));
        by_code || meaning.words.iter().any(|words| said.contains(words))
    })
}

/// Something that went wrong without an answer.
fn fault(error: &io::Error, step: SmtpStage, port: u16, limit: Duration) -> Failure {
    if let Some(fault) = certificate_fault(error) {
        return Failure::passing(format!(
            "Il server di posta non è sicuro ({fault}): non è stato inviato nulla."
        ));
    }
    match error.kind() {
        ErrorKind::TimedOut | ErrorKind::WouldBlock => too_slow(limit, step),
        ErrorKind::ConnectionRefused => Failure::passing(format!(
            "Errore di connessione: il server di posta rifiuta la connessione sulla porta {port}, controlla il numero."
        )),
        _ if step == SmtpStage::Encryption => Failure::passing(
            "La connessione cifrata con il server di posta non è riuscita: controlla la porta (465 oppure 587). \
             Non è stato inviato nulla.",
        ),
        _ => Failure::passing(format!(
            "Errore di connessione: il server di posta non è raggiungibile, o ha interrotto la connessione prima di \
             confermare il messaggio.{}",
            step.doubt()
        )),
    }
}

pub(super) fn too_slow(limit: Duration, step: SmtpStage) -> Failure {
    let addition = match step {
        SmtpStage::Connection => MAYBE_ENCRYPTED,
        _ => step.doubt(),
    };
    Failure::passing(format!(
        "Errore di connessione: il server di posta non ha risposto entro {} secondi.{addition}",
        limit.as_secs().max(1)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sign_is_taken_from_an_answer_that_a_server_gave() {
        let rows = include_str!("../../tests/vectors/other_sides.json").to_lowercase();
        for meaning in &MEANINGS {
            assert!(
                rows.contains(&meaning.cause.to_lowercase()),
                "{}",
                meaning.cause
            );
            for sign in meaning.words.iter().chain(meaning.codes) {
                assert!(rows.contains(sign), "{sign}");
            }
        }
    }
}
