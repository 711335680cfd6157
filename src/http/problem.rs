//! Every refusal of the API as RFC 9457 `application/problem+json`, with a stable `type` and an Italian `detail`.
//! Must never repeat an internal error to the caller: it is logged once, here, and answered as a generic fault.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::net::IpAddr;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::request_id::request_id;
use crate::actions;
use crate::domain::invalid::Invalid;
use crate::readings::absent_files::NamedFile;
use crate::store;
use crate::vault::VaultError;

const OLD_TOKEN: &str = "Sono passati più di tre giorni dall'ultima risposta: la conversazione non può continuare. Premi «Ricomincia».";

pub const PROBLEM: &str = "application/problem+json";

/// The proof of work that the server asks for before it accepts a turn or a file.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Challenge {
    /// The salt, to be sent back with the proof. It is valid for this conversation only.
    pub salt: String,
    /// Zero bits with which SHA-256(salt + ":" + n) has to begin; n in decimal digits.
    pub bits: u32,
    /// Until when it can be answered; RFC 3339, UTC.
    pub expires: Timestamp,
    /// Seconds after which the same call succeeds with the salt alone. When many clients wait, the value reflects the
    /// place in the queue.
    pub wait: u32,
}

/// A refusal as it travels (RFC 9457).
#[derive(Debug, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Problem {
    /// Stable name of the kind of problem.
    #[serde(rename = "type")]
    #[schema(example = "urn:segnalazioni:problem:dati-non-validi")]
    pub kind: String,
    /// What this kind of problem means, in Italian.
    pub title: &'static str,
    /// HTTP status.
    pub status: u16,
    /// An explanation for people, in Italian.
    pub detail: Cow<'static, str>,
    /// Error messages by field.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub errors: BTreeMap<String, String>,
    /// Id of the request, as in the server's log.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, required = false)]
    pub request_id: Option<String>,
    /// The stored state, when a change was made on an outdated version (412).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Object, required = false)]
    pub current: Option<Value>,
    /// The proof of work that the last turn needs in siege mode (428).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Challenge, required = false)]
    pub challenge: Option<Challenge>,
    /// The caller's own address, which a new allow-list would shut out (409).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, required = false)]
    pub address: Option<IpAddr>,
    /// Names of the files that no longer exist; for an unknown file its id (409).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub missing: Vec<String>,
    /// The notice of a callout that is not open (409).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, required = false)]
    pub closed_text: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kind {
    status: u16,
    slug: &'static str,
    /// The text for people, unless the place of the refusal has a better one.
    text: &'static str,
}

#[rustfmt::skip]
impl Kind {
    pub const BAD_REQUEST: Self = Self::new(400, "richiesta-non-valida", "La richiesta non è valida.");
    pub const EMPTY_FILE: Self = Self::new(400, "file-vuoto", "Il file è vuoto.");
    pub const BAD_TOKEN: Self = Self::new(400, "token-non-valido",
        "La conversazione non è valida o è stata interrotta. Premi «Ricomincia».");
    pub const UNKNOWN_STATE: Self = Self::new(400, "stato-non-valido", "Stato non valido");
    pub const UNAUTHENTICATED: Self = Self::new(401, "non-autenticato", "Accesso richiesto.");
    pub const VISIT_OVER: Self = Self::new(401, "visita-scaduta", "Inserisci di nuovo il codice: per sicurezza la pagina si chiude dopo mezz'ora.");
    pub const WRONG_PASSWORD: Self = Self::new(401, "password-non-valida", "Password non valida");
    pub const PASSKEY: Self = Self::new(401, "passkey-non-valida",
        "Questa passkey non è valida qui: riprova, o accedi con la password.");
    pub const SECOND_FACTOR: Self = Self::new(401, "secondo-fattore",
        "Scrivi il codice dell'app di autenticazione, o un codice di riserva.");
    pub const PASSKEY_FIRST: Self = Self::new(401, "passkey-richiesta",
        "La redazione richiede il secondo fattore, e il tuo è una passkey: accedi con quella. Se l'hai persa, un amministratore può toglierla.");
    pub const BAD_LINK: Self = Self::new(401, "link-non-valido",
        "Il link di configurazione non è valido o è scaduto. Riavvia il programma per ottenerne uno nuovo.");
    pub const ADDRESS_REFUSED: Self = Self::new(403, "accesso-negato", "Accesso negato: IP non autorizzato");
    pub const ROLE: Self = Self::new(403, "ruolo", "Il tuo ruolo non lo permette.");
    pub const SECOND_FACTOR_FIRST: Self = Self::new(403, "secondo-fattore-richiesto",
        "Prima attiva il secondo fattore: la redazione lo richiede a tutti.");
    pub const ATTACHMENTS_OFF: Self = Self::new(403, "allegati-disattivati",
        "Al momento non si possono allegare file. La segnalazione può continuare.");
    pub const CROSS_SITE: Self = Self::new(403, "origine-non-valida", "La richiesta proviene da un altro sito.");
    pub const NOT_FOUND: Self = Self::new(404, "non-trovato", "Segnalazione non trovata");
    pub const ATTACHMENT_GONE: Self = Self::new(404, "non-trovato", "Questo allegato non c'è.");
    pub const BAD_INVITATION: Self = Self::new(404, "invito-non-valido",
        "L'invito è già stato usato o è scaduto. Chiedine uno nuovo a un amministratore.");
    pub const UNKNOWN_CODE: Self = Self::new(404, "codice-sconosciuto",
        "Nessuna segnalazione ha questo codice: controlla le lettere. Se è stata cancellata, il codice non vale più.");
    pub const RECEIPTS_OFF: Self = Self::new(404, "seguito-disattivato",
        "Qui in questo momento non si può seguire una segnalazione.");
    pub const METHOD_NOT_ALLOWED: Self = Self::new(405, "metodo-non-consentito",
        "Metodo non consentito per questo indirizzo.");
    pub const TOO_SLOW: Self = Self::new(408, "richiesta-lenta", "La richiesta non è arrivata in tempo.");
    pub const ALREADY_SET_UP: Self = Self::new(409, "gia-configurato", "La password è già stata impostata.");
    pub const CONFLICT: Self = Self::new(409, "conflitto", "Non è possibile.");
    pub const WOULD_LOCK_OUT: Self = Self::new(409, "esclusione", "Salvando perderesti l'accesso al pannello.");
    pub const FILES_MISSING: Self = Self::new(409, "allegato-mancante", "Un file non c'è più: allegalo di nuovo.");
    pub const COMMENT_CLOSED: Self = Self::new(409, "commento-chiuso",
        "Si modificano solo i propri commenti, ed entro 15 minuti.");
    pub const DEMO: Self = Self::new(409, "dimostrazione", "In modalità demo non c'è un file delle chiavi.");
    pub const PAGE_GONE: Self = Self::new(410, "pagina-scaduta", "Questa pagina non si può più mostrare.");
    pub const ERASED: Self = Self::new(410, "cancellata", "Questa segnalazione è stata cancellata.");
    pub const STALE: Self = Self::new(412, "versione-superata",
        "Nel frattempo un'altra persona ha salvato una modifica.");
    pub const TUS_VERSION: Self = Self::new(412, "versione-tus", "Serve l'intestazione Tus-Resumable: 1.0.0.");
    pub const TOO_LARGE: Self = Self::new(413, "troppo-grande", "Il contenuto inviato è troppo grande.");
    pub const ADDRESS_TOO_LONG: Self = Self::new(414, "indirizzo-troppo-lungo", "L'indirizzo è troppo lungo.");
    pub const UNSUPPORTED_TYPE: Self = Self::new(415, "tipo-non-supportato", "Questo tipo di contenuto non è supportato.");
    pub const INVALID: Self = Self::new(422, "dati-non-validi", "Alcuni campi non sono validi.");
    pub const UPLOAD_BUSY: Self = Self::new(423, "invio-in-corso", "Lo stesso file sta arrivando da un'altra connessione.");
    pub const VERSION_REQUIRED: Self = Self::new(428, "versione-richiesta",
        "Manca l'intestazione If-Match con la versione che si sta modificando.");
    pub const PROOF_REQUIRED: Self = Self::new(428, "prova",
        "Stanno arrivando moltissime segnalazioni: prima di inviare la tua serve una breve verifica automatica.");
    pub const TOO_MANY_ATTEMPTS: Self = Self::new(429, "troppi-tentativi", "Troppi tentativi di login.");
    pub const TOO_MANY_CODES: Self = Self::new(429, "troppi-codici",
        "Da questa connessione sono arrivati troppi codici sbagliati.");
    pub const TOO_MUCH: Self = Self::new(429, "troppe-segnalazioni",
        "Da questa connessione sono arrivate molte segnalazioni.");
    pub const TOO_MANY_FILES: Self = Self::new(429, "troppe-segnalazioni",
        "Da questa connessione sono arrivati molti file. La segnalazione può continuare senza.");
    pub const TOO_MANY_LINKS: Self = Self::new(429, "troppi-collegamenti",
        "Oggi sono già partite molte email di conferma.");
    pub const INTERNAL: Self = Self::new(500, "errore-interno", "Si è verificato un errore. Riprova.");
    pub const ATTACHMENT_DAMAGED: Self = Self::new(500, "allegato-danneggiato",
        "L'allegato è danneggiato: il file sul server non è più quello che è arrivato. Avvisa chi gestisce il server.");
    pub const NOT_SET_UP: Self = Self::new(503, "non-configurato",
        "La password non è ancora stata impostata: apri il link di configurazione mostrato all'avvio del programma.");
    pub const BUSY: Self = Self::new(503, "occupato", "Il server è molto occupato. Riprova tra qualche secondo.");
    pub const DISK_FAILS: Self = Self::new(503, "disco-guasto",
        "Il server non riesce a usare il file dell'allegato. Riprova più tardi.");
    pub const ARCHIVE_UNAVAILABLE: Self = Self::new(503, "archivio-non-disponibile",
        "L'archivio non è disponibile in questo momento. Riprova più tardi.");
    pub const LOCKED: Self = Self::new(503, "archivio-sigillato",
        "Le segnalazioni sono sigillate: esci e accedi di nuovo con la password.");
    pub const KEY_FILE: Self = Self::new(503, "file-delle-chiavi", "Il file delle chiavi non è utilizzabile.");
    pub const ALTERED: Self = Self::new(503, "archivio-alterato",
        "Password, chiavi o impostazioni sono state modificate fuori dal programma, o la password non apre l'archivio. \
         Chi gestisce il server esegue «segnalazioni reset-password».");
    pub const DISK_FULL: Self = Self::new(507, "spazio-esaurito",
        "Lo spazio su disco del server è esaurito: non è stato possibile salvare. Riprova più tardi.");

    const fn new(status: u16, slug: &'static str, text: &'static str) -> Self {
        Self { status, slug, text }
    }
}

#[derive(Debug)]
pub struct ApiError {
    kind: Kind,
    retry_after: Option<u64>,
    problem: Box<Problem>,
}

pub type ApiResult<T> = Result<T, ApiError>;

impl From<Kind> for ApiError {
    fn from(kind: Kind) -> Self {
        let problem = Problem {
            kind: format!("urn:segnalazioni:problem:{}", kind.slug),
            title: kind.text,
            status: kind.status,
            detail: Cow::Borrowed(kind.text),
            ..Problem::default()
        };
        Self {
            kind,
            retry_after: (kind == Kind::BUSY).then_some(2),
            problem: Box::new(problem),
        }
    }
}

impl Kind {
    /// With the time after which it is worth another try.
    pub fn again_in(self, seconds: i64) -> ApiError {
        let wait = match (seconds + 59) / 60 {
            1 => "un minuto".to_owned(),
            minutes @ ..=120 => format!("{minutes} minuti"),
            minutes => format!("{} ore", (minutes + 59) / 60),
        };
        let text = format!("{} Riprova tra {wait}.", self.text);
        ApiError {
            retry_after: u64::try_from(seconds).ok(),
            ..self.saying(text)
        }
    }

    pub fn saying(self, detail: impl Into<Cow<'static, str>>) -> ApiError {
        let mut error = ApiError::from(self);
        error.problem.detail = detail.into();
        error
    }
}

impl ApiError {
    /// A refusal that names what was not found. [`Kind::NOT_FOUND`] by itself speaks of a report.
    pub fn not_there(what: &'static str) -> Self {
        let mut error = Kind::NOT_FOUND.saying(what);
        error.problem.title = what;
        error
    }

    pub fn status(&self) -> StatusCode {
        StatusCode::from_u16(self.kind.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }

    pub fn is(&self, kind: Kind) -> bool {
        self.kind == kind
    }

    /// The text for people: about the field, if one was wrong.
    pub fn told(&self) -> &str {
        let of_field = self.problem.errors.values().next();
        of_field.map_or(&*self.problem.detail, String::as_str)
    }

    /// The text for people about each field that was wrong.
    pub const fn fields(&self) -> &BTreeMap<String, String> {
        &self.problem.errors
    }

    /// The challenge that must be answered first.
    pub fn challenge(&self) -> Option<&Challenge> {
        self.problem.challenge.as_ref()
    }

    /// A callout takes no answers, and says this.
    pub fn closed(words: String) -> Self {
        let mut refusal = Kind::CONFLICT.saying(words.clone());
        refusal.problem.closed_text = Some(words);
        refusal
    }

    /// Files that are to go with what was sent and are not there.
    pub fn missing(files: Vec<NamedFile>) -> Self {
        let names: Vec<&str> = files
            .iter()
            .filter_map(|file| file.name.as_deref())
            .collect();
        let told = match (&*names, files.len()) {
            ([], 1) => "Un file non c'è più: allegalo di nuovo.".to_owned(),
            ([], _) => "Alcuni file non ci sono più: allegali di nuovo.".to_owned(),
            ([name], 1) => format!("{name} non c'è più: allegalo di nuovo."),
            (names, all) => {
                let others = if names.len() < all {
                    " e altri file"
                } else {
                    ""
                };
                let names = names.join(", ");
                format!("{names}{others} non ci sono più: allegali di nuovo.")
            }
        };
        let mut refusal = Kind::FILES_MISSING.saying(told);
        let missing = files.into_iter().map(|file| file.name.unwrap_or(file.id));
        refusal.problem.missing = missing.collect();
        refusal
    }

    pub fn is_closed(&self) -> bool {
        self.problem.closed_text.is_some()
    }

    /// Turns a refusal of fields into a conflict with the present state.
    pub fn into_conflict(self, detail: &'static str) -> Self {
        if !self.is(Kind::INVALID) {
            return self;
        }
        let mut conflict = Kind::CONFLICT.saying(detail);
        conflict.problem.errors = self.problem.errors;
        conflict
    }

    pub fn with_current(mut self, current: &impl Serialize) -> Self {
        match serde_json::to_value(current) {
            Ok(current) => self.problem.current = Some(current),
            Err(error) => return Self::internal(&error),
        }
        self
    }

    pub fn proof_required(challenge: Challenge) -> Self {
        let mut error = Self::from(Kind::PROOF_REQUIRED);
        error.problem.challenge = Some(challenge);
        error
    }

    pub fn invalid(fields: Vec<Invalid>) -> Self {
        let messages = fields.into_iter().map(|one| (one.field, one.message));
        let mut error = Self::from(Kind::INVALID);
        error.problem.errors = messages.collect();
        error
    }

    /// `crowd`: it was others who failed too often.
    pub fn too_many_attempts(minutes: i64, crowd: bool) -> Self {
        let text = if crowd {
            format!(
                "Troppi tentativi di login da browser sconosciuti. Riprova tra {minutes} minuti, o da un browser con cui sei \
                 già entrato. Chi gestisce il server può darti un link di accesso."
            )
        } else {
            format!("Troppi tentativi di login. Riprova tra {minutes} minuti.")
        };
        Self {
            retry_after: u64::try_from(minutes * 60).ok(),
            ..Kind::TOO_MANY_ATTEMPTS.saying(text)
        }
    }

    pub fn busy() -> Self {
        Kind::BUSY.into()
    }

    /// A fault of ours, logged with its cause; the text of a panic, which may quote a report, is not.
    pub fn internal(cause: &(dyn std::error::Error + 'static)) -> Self {
        if cause.is::<tokio::task::JoinError>() {
            tracing::error!(
                request = request_id(),
                "request failed: its work ended abnormally"
            );
        } else {
            tracing::error!(request = request_id(), %cause, "request failed");
        }
        Kind::INTERNAL.into()
    }

    pub fn defect(what: &'static str) -> Self {
        tracing::error!(request = request_id(), cause = what, "request failed");
        Kind::INTERNAL.into()
    }

    /// Lets a reading go on when only its note could not be written: a full disk must not hide the reports.
    pub fn tolerated_while_reading(self, lost: &str) -> ApiResult<()> {
        let tolerated = [Kind::DISK_FULL, Kind::ARCHIVE_UNAVAILABLE, Kind::BUSY];
        if !tolerated.contains(&self.kind) {
            return Err(self);
        }
        tracing::warn!(request = request_id(), cause = self.kind.slug, "{lost}");
        Ok(())
    }
}

impl From<store::Error> for ApiError {
    fn from(error: store::Error) -> Self {
        match error {
            store::Error::DiskFull => Kind::DISK_FULL.into(),
            store::Error::QueueFull => Kind::BUSY.into(),
            store::Error::Disk(_) | store::Error::Closed => {
                tracing::warn!(request = request_id(), cause = %error, "the archive refused a request");
                Kind::ARCHIVE_UNAVAILABLE.into()
            }
            other => Self::internal(&other),
        }
    }
}

impl From<VaultError> for ApiError {
    fn from(error: VaultError) -> Self {
        match error {
            VaultError::Locked => Kind::LOCKED.into(),
            other => Self::internal(&other),
        }
    }
}

impl From<actions::Error> for ApiError {
    fn from(error: actions::Error) -> Self {
        use actions::Error;
        match error {
            Error::Store(error) => error.into(),
            Error::Vault(error) => error.into(),
            Error::Invalid(fields) => Self::invalid(fields),
            Error::NotFound => Kind::NOT_FOUND.into(),
            Error::FilesMissing(ids) => {
                Self::missing(ids.into_iter().map(NamedFile::unnamed).collect())
            }
            Error::Erased => Kind::ERASED.into(),
            Error::AttachmentNotFound => Kind::ATTACHMENT_GONE.into(),
            Error::CommentClosed => Kind::COMMENT_CLOSED.into(),
            Error::CommentNotFound => ApiError::not_there("Questo commento non c'è più."),
            Error::Stale => Kind::STALE.into(),
            Error::DeliveryNotFound => ApiError::not_there("Consegna non trovata."),
            Error::DepartmentNotFound => ApiError::not_there("Questo reparto non c'è più."),
            Error::PersonNotFound => ApiError::not_there("Persona non trovata."),
            Error::PasskeyNotFound => ApiError::not_there("Questa passkey non c'è più."),
            Error::BadInvitation => Kind::BAD_INVITATION.into(),
            Error::CalloutNotFound => Self::not_there("Inchiesta non trovata."),
            Error::StoryNotFound => ApiError::not_there("Storia non trovata."),
            Error::Conflict(text) => Kind::CONFLICT.saying(text),
            Error::Forbidden(text) => Kind::ROLE.saying(text),
            Error::WouldLockOut(address) => {
                let mut refusal = Kind::WOULD_LOCK_OUT.saying(error.to_string());
                refusal.problem.address = Some(address);
                refusal
            }
            Error::BadToken => Kind::BAD_TOKEN.into(),
            Error::OldToken => Kind::BAD_TOKEN.saying(OLD_TOKEN),
            Error::UnknownState(detail) => Kind::UNKNOWN_STATE.saying(detail),
            Error::AlreadySetUp => Kind::ALREADY_SET_UP.into(),
            Error::WrongPassword => Kind::WRONG_PASSWORD.into(),
            Error::Altered => Kind::ALTERED.into(),
            Error::Defect(what) => Self::defect(what),
        }
    }
}

impl IntoResponse for ApiError {
    fn into_response(mut self) -> Response {
        self.problem.request_id = request_id();
        let mut response = (self.status(), axum::Json(self.problem)).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(PROBLEM));
        if let Some(seconds) = self.retry_after {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

impl IntoResponse for Kind {
    fn into_response(self) -> Response {
        ApiError::from(self).into_response()
    }
}
