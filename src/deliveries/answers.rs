//! Why a mail server did not take a mail, in Italian, for the newsroom. Of what the server answered it passes on the codes
//! alone, since the words could hold anything. Answers that many servers give have a meaning here, by which a person can act.

use std::error::Error as _;
use std::io::{self, ErrorKind};
use std::iter::successors;
use std::time::Duration;

use lettre::transport::smtp::Error;

use super::certificate_fault;
use crate::domain::delivery::Failure;

/// Why the mail may arrive twice: the server may have taken it, but its answer is missing.
const MAYBE_TAKEN: &str =
    " Potrebbe averlo accettato lo stesso: viene inviato di nuovo e può arrivare due volte.";
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
    /// The grammatical object of the refusal.
    const fn object(self) -> &'static str {
        match self {
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
}

/// The first match counts.
const MEANINGS: [KnownAnswer; 20] = [
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
    ),
    KnownAnswer::of(
        &["did not meet the criteria", "security defaults"],
        "Le regole di sicurezza di Microsoft 365 impediscono questo accesso",
        "In «Server di posta» scegli l'accesso «Microsoft 365», o chiedi a chi amministra Microsoft 365.",
    ),
    KnownAnswer::of(
        &["application-specific password", "invalidsecondfactor", "username and password not accepted"],
        "Google rifiuta nome utente o password",
        "Vuole una «password per le app», che si crea nell'account Google con la verifica in due passaggi attiva.",
    ),
    KnownAnswer::of(
        &["starttls command first"],
        "Il server di posta vuole una connessione cifrata",
        "Attivala in «Server di posta».",
    ),
    KnownAnswer::of(
        &[
            "authentication required",
            "authentication is required",
            "client not authenticated",
            "client was not authenticated",
            "rejected: not logged in",
        ],
        "Il server di posta vuole un accesso",
        "In «Server di posta» scrivi nome utente e password, o come si accede.",
    )
    .or_code(&["5.7.57"]),
    KnownAnswer::of(
        &["not owned by user", "not owned by auth user", "sendasdenied", "send as this sender"],
        "Il server di posta non permette a questo account di inviare dall'indirizzo del mittente",
        "In «Server di posta» scrivi come mittente l'indirizzo dell'account, o fallo autorizzare.",
    )
    .or_code(&["5.2.252"]),
    KnownAnswer::of(
        &["relay access denied", "relaying denied", "relay not permitted", "unable to relay"],
        "Il server di posta non inoltra email verso altri domini",
        "In «Server di posta» controlla nome utente e password: senza accesso molti server non inoltrano.",
    ),
    KnownAnswer::of(
        &["helo command rejected", "invalid helo", "helo/ehlo"],
        "Il server di posta rifiuta il nome con cui questo server si presenta",
        "È quello di public_url nel file di configurazione, se manca [127.0.0.1]: chi gestisce il server può cambiarlo.",
    ),
    KnownAnswer::of(
        &["greylist", "graylist"],
        "Il server di posta rimanda la prima consegna (greylisting)",
        "Il prossimo tentativo è automatico.",
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
            "too many emails",
            "unusual rate",
            "at a rate that",
        ],
        "Il server di posta ha raggiunto un limite di invii",
        "Il prossimo tentativo è automatico.",
    )
    .or_code(&["5.4.5", "5.1.90"])
    .passing(),
    KnownAnswer::of(
        &["mailbox full", "over quota", "quota exceeded"],
        "La casella del destinatario è piena",
        "Il prossimo tentativo è automatico; va fatto spazio.",
    )
    .or_code(&["4.2.2", "5.2.2"])
    .passing(),
    KnownAnswer::of(
        &["user unknown", "no such user"],
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
        &["dmarc", "unauthenticated email"],
        "Il dominio del mittente non autorizza questo server di posta (SPF, DKIM, DMARC)",
        "Chi gestisce il dominio deve autorizzarlo.",
    )
    .or_code(&["5.7.23", "5.7.26", "5.7.515"]),
    KnownAnswer::of(
        &["blocked using", "block list", "spamhaus"],
        "L'indirizzo di questo server è in una lista di blocco",
        "Usa il server di posta del tuo fornitore con nome utente e password, o chiedi di toglierlo dalla lista.",
    ),
    KnownAnswer::of(
        &["spam", "unsolicited"],
        "Il server di posta prende l'email per posta indesiderata",
        "Chi lo gestisce deve ammettere il mittente.",
    )
    .of_content(),
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
        "Chi amministra Exchange esegue Set-CASMailbox -Identity CASELLA -SmtpClientAuthenticationDisabled $false; poi premi «Test \
         Email».",
    ),
    KnownAnswer::of(
        &["did not meet the criteria", "security defaults"],
        "Le regole di accesso di Microsoft 365 vietano l'invio via SMTP",
        "Chi amministra Entra controlli le impostazioni predefinite di sicurezza e l'accesso condizionale.",
    ),
    KnownAnswer::of(
        &[],
        "Il token c'è, ma Microsoft 365 non lo accetta per la casella scritta in «Utente»",
        "Controlla l'indirizzo, il consenso a SMTP.SendAsApp e in Exchange New-ServicePrincipal e Add-MailboxPermission (l'ID oggetto \
         è quello di «Applicazioni aziendali»). Un permesso nuovo vale dopo un'ora; poi premi «Test Email».",
    )
    .or_code(&["5.7.3"]),
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
pub(super) fn explain(error: &Error, step: SmtpStage, port: u16, limit: Duration) -> Failure {
    match error.status().map(u16::from) {
        Some(number) => refusal(number, &words_of(error), step),
        None => fault(error, step, port, limit),
    }
}

/// The text of the answer, without its number.
fn words_of(error: &Error) -> String {
    error.source().map(ToString::to_string).unwrap_or_default()
}

fn refusal(number: u16, said: &str, step: SmtpStage) -> Failure {
    let code = said.split(' ').next().filter(|word| is_enhanced(word));
    let codes = match code {
        Some(code) => format!("(codice {number}, {code})"),
        None => format!("(codice {number})"),
    };
    let permanent = number >= 500;
    let Some(meaning) = meaning(number, code, said, step) else {
        let verb = if permanent {
            "rifiuta"
        } else {
            "per ora non accetta"
        };
        return Failure {
            permanent,
            content: step == SmtpStage::Message && !NOT_ABOUT_CONTENT.contains(&number),
            message: format!("Il server di posta {verb} {} {codes}.", step.object()),
        };
    };
    let message = format!("{} {codes}. {}", meaning.cause, meaning.advice);
    Failure {
        permanent: permanent && !meaning.passes,
        content: step == SmtpStage::Message && meaning.content,
        message: message.trim_end().to_owned(),
    }
}

fn meaning(
    number: u16,
    code: Option<&str>,
    said: &str,
    step: SmtpStage,
) -> Option<&'static KnownAnswer> {
    if step == SmtpStage::Connection && matches!(number, 500 | 502) {
        return Some(&NO_EHLO);
    }
    let said = said.to_lowercase();
    let first: &[KnownAnswer] = match step {
        SmtpStage::Token => &OF_TOKENS,
        _ => &[],
    };
    first.iter().chain(&MEANINGS).find(|meaning| {
        let by_code = code.is_some_and(|code| meaning.codes.contains(&code));
        by_code || meaning.words.iter().any(|words| said.contains(words))
    })
}

/// Class, subject and detail (RFC 3463 §2).
fn is_enhanced(word: &str) -> bool {
    let parts: Vec<&str> = word.split('.').collect();
    let number = |part: &&str| part.len() <= 3 && part.parse::<u16>().is_ok();
    parts.len() == 3 && parts.iter().all(number)
}

/// Something that went wrong without an answer.
fn fault(error: &Error, step: SmtpStage, port: u16, limit: Duration) -> Failure {
    if let Some(fault) = certificate_fault(error) {
        return Failure::passing(format!(
            "Il server di posta non è sicuro ({fault}): non è stato inviato nulla."
        ));
    }
    let io = successors(error.source(), |&cause| cause.source())
        .find_map(|cause| cause.downcast_ref::<io::Error>())
        .map(io::Error::kind);
    if error.is_timeout() || io == Some(ErrorKind::WouldBlock) {
        return too_slow(limit, step);
    }
    if io == Some(ErrorKind::ConnectionRefused) {
        return Failure::passing(format!(
            "Errore di connessione: il server di posta rifiuta la connessione sulla porta {port}, controlla il numero."
        ));
    }
    if error.is_tls() || step == SmtpStage::Encryption {
        return Failure::passing(
            "La connessione cifrata con il server di posta non è riuscita: controlla la porta (465 oppure 587). \
             Non è stato inviato nulla.",
        );
    }
    Failure::passing(format!(
        "Errore di connessione: il server di posta non è raggiungibile, o ha interrotto la connessione prima di \
         confermare il messaggio.{}",
        step.doubt()
    ))
}

pub(super) fn too_slow(limit: Duration, step: SmtpStage) -> Failure {
    Failure::passing(format!(
        "Errore di connessione: il server di posta non ha risposto entro {} secondi.{}",
        limit.as_secs().max(1),
        step.doubt()
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
