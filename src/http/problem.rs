//! Every refusal of the API as RFC 9457 `application/problem+json`, with a stable `type` and an Italian `detail`.
//! Must never repeat an internal error to the caller: it is logged once, here, and answered as a generic fault.

use std::collections::BTreeMap;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use utoipa::ToSchema;

use super::routes::report_detail::ReportDetail;
use super::trace::request_id;
use crate::actions;
use crate::domain::invalid::Invalid;
use crate::store;
use crate::vault::VaultError;

/// A refusal as it travels (RFC 9457).
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Problem {
    /// Stable name of the kind of problem.
    #[serde(rename = "type")]
    #[schema(example = "urn:segnalazioni:problem:dati-non-validi")]
    pub kind: String,
    /// Short title of the kind, in Italian.
    pub title: String,
    /// HTTP status.
    pub status: u16,
    /// What happened, for a person.
    pub detail: String,
    /// Messages by field, where fields were wrong.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub errors: BTreeMap<String, String>,
    /// Id of the request, as in the server's log.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, required = false)]
    pub request_id: Option<String>,
    /// What is stored now, when a change came too late (412).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = ReportDetail, required = false)]
    pub current: Option<Box<ReportDetail>>,
}

/// A refusal on its way to becoming a [`Problem`].
#[derive(Debug)]
pub struct ApiError {
    status: StatusCode,
    slug: &'static str,
    detail: String,
    errors: BTreeMap<String, String>,
    current: Option<Box<ReportDetail>>,
    retry_after: Option<u64>,
}

/// Result of a handler.
pub type ApiResult<T> = Result<T, ApiError>;

impl ApiError {
    fn new(status: StatusCode, slug: &'static str, detail: impl Into<String>) -> Self {
        Self {
            status,
            slug,
            detail: detail.into(),
            errors: BTreeMap::new(),
            current: None,
            retry_after: None,
        }
    }

    /// HTTP status.
    pub fn status(&self) -> StatusCode {
        self.status
    }

    /// 400: the body is not the JSON it should be.
    pub fn bad_request(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "richiesta-non-valida", detail)
    }

    /// 400: a conversation that this server did not seal.
    pub fn bad_token() -> Self {
        Self::new(
            StatusCode::BAD_REQUEST,
            "token-non-valido",
            "La conversazione non è valida o è stata interrotta. Ricarica la pagina per ricominciare.",
        )
    }

    /// 400: a conversation in a state that the engine does not know.
    pub fn unknown_state(detail: String) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "stato-non-valido", detail)
    }

    /// 401: no session.
    pub fn unauthenticated() -> Self {
        Self::new(
            StatusCode::UNAUTHORIZED,
            "non-autenticato",
            "Accesso richiesto.",
        )
    }

    /// 401: wrong password.
    pub fn wrong_password() -> Self {
        Self::new(
            StatusCode::UNAUTHORIZED,
            "password-non-valida",
            "Password non valida",
        )
    }

    /// 401: a set-up link that is wrong or past its time.
    pub fn bad_link() -> Self {
        Self::new(
            StatusCode::UNAUTHORIZED,
            "link-non-valido",
            "Il link di configurazione non è valido o è scaduto. Riavvia il programma per ottenerne uno nuovo.",
        )
    }

    /// 403: the address is not on the allow-list.
    pub fn address_refused() -> Self {
        Self::new(
            StatusCode::FORBIDDEN,
            "accesso-negato",
            "Accesso negato: IP non autorizzato",
        )
    }

    /// 403: a change asked for by another site's page.
    pub fn cross_site() -> Self {
        Self::new(
            StatusCode::FORBIDDEN,
            "origine-non-valida",
            "La richiesta proviene da un altro sito.",
        )
    }

    /// 404.
    pub fn not_found(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, "non-trovato", detail)
    }

    /// 405.
    pub fn method_not_allowed() -> Self {
        Self::new(
            StatusCode::METHOD_NOT_ALLOWED,
            "metodo-non-consentito",
            "Metodo non consentito per questo indirizzo.",
        )
    }

    /// 409: the password was set already.
    pub fn already_set_up() -> Self {
        Self::new(
            StatusCode::CONFLICT,
            "gia-configurato",
            "La password è già stata impostata.",
        )
    }

    /// 409: the conversation was already finished with another answer.
    pub fn conflict() -> Self {
        Self::new(
            StatusCode::CONFLICT,
            "conflitto",
            "Questa segnalazione è già stata inviata.",
        )
    }

    /// 409: an allow-list that would shut its own author out.
    pub fn would_lock_out(address: std::net::IpAddr) -> Self {
        Self::new(
            StatusCode::CONFLICT,
            "esclusione",
            format!(
                "Il tuo indirizzo {address} non è nell'elenco: salvando perderesti l'accesso al pannello."
            ),
        )
    }

    /// 412: somebody else saved first; carries what is stored now.
    pub fn stale(current: ReportDetail) -> Self {
        let mut error = Self::new(
            StatusCode::PRECONDITION_FAILED,
            "versione-superata",
            "Nel frattempo un'altra persona ha modificato questa segnalazione.",
        );
        error.current = Some(Box::new(current));
        error
    }

    /// 413.
    pub fn too_large() -> Self {
        Self::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "troppo-grande",
            "Il contenuto inviato è troppo grande.",
        )
    }

    /// 415.
    pub fn unsupported_type() -> Self {
        Self::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "tipo-non-supportato",
            "Il corpo deve essere application/json.",
        )
    }

    /// 422: wrong fields, each with its message.
    pub fn invalid(fields: Vec<Invalid>) -> Self {
        let mut error = Self::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            "dati-non-validi",
            "Alcuni campi non sono validi.",
        );
        error.errors = fields
            .into_iter()
            .map(|invalid| (invalid.field, invalid.message))
            .collect();
        error
    }

    /// 428: a change that does not say which version it was made on.
    pub fn version_required() -> Self {
        Self::new(
            StatusCode::PRECONDITION_REQUIRED,
            "versione-richiesta",
            "Manca l'intestazione If-Match con la versione che si sta modificando.",
        )
    }

    /// 429: too many failed logins.
    pub fn too_many_attempts(minutes: i64) -> Self {
        let mut error = Self::new(
            StatusCode::TOO_MANY_REQUESTS,
            "troppi-tentativi",
            format!("Troppi tentativi di login. Riprova tra {minutes} minuti."),
        );
        error.retry_after = u64::try_from(minutes * 60).ok();
        error
    }

    /// 503: no password has been set yet.
    pub fn not_set_up() -> Self {
        Self::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "non-configurato",
            "La password non è ancora stata impostata: apri il link di configurazione mostrato all'avvio del programma.",
        )
    }

    /// 503: more work waits than can be done soon.
    pub fn busy() -> Self {
        let mut error = Self::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "occupato",
            "Il server è molto occupato. Riprova tra qualche secondo.",
        );
        error.retry_after = Some(2);
        error
    }

    /// 408: the body did not arrive in time.
    pub fn too_slow() -> Self {
        Self::new(
            StatusCode::REQUEST_TIMEOUT,
            "richiesta-lenta",
            "La richiesta non è arrivata in tempo.",
        )
    }

    /// 503: the reports are sealed and nobody has opened them.
    fn locked() -> Self {
        Self::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "archivio-sigillato",
            "Le segnalazioni sono sigillate: esci e accedi di nuovo con la password.",
        )
    }

    /// 503: the server's key file is not there or cannot be changed.
    pub fn key_file(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "file-delle-chiavi", detail)
    }

    /// 500, logged with its cause.
    pub fn internal(cause: &dyn std::fmt::Display) -> Self {
        tracing::error!(%cause, "request failed");
        Self::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "errore-interno",
            "Si è verificato un errore. Riprova.",
        )
    }

    /// Lets a reading go on when only its note could not be written: a full disk must not hide the reports.
    pub fn tolerated_while_reading(self, lost: &str) -> ApiResult<()> {
        let faults = ["spazio-esaurito", "archivio-non-disponibile", "occupato"];
        if !faults.contains(&self.slug) {
            return Err(self);
        }
        tracing::warn!(cause = self.slug, "{lost}");
        Ok(())
    }

    fn title(&self) -> &'static str {
        match self.status {
            StatusCode::BAD_REQUEST => "Richiesta non valida",
            StatusCode::UNAUTHORIZED => "Accesso richiesto",
            StatusCode::FORBIDDEN => "Accesso negato",
            StatusCode::NOT_FOUND => "Non trovato",
            StatusCode::METHOD_NOT_ALLOWED => "Metodo non consentito",
            StatusCode::REQUEST_TIMEOUT => "Tempo scaduto",
            StatusCode::GONE => "Cancellata",
            StatusCode::CONFLICT => "Conflitto",
            StatusCode::PRECONDITION_FAILED => "Versione superata",
            StatusCode::PAYLOAD_TOO_LARGE => "Contenuto troppo grande",
            StatusCode::UNSUPPORTED_MEDIA_TYPE => "Tipo non supportato",
            StatusCode::UNPROCESSABLE_ENTITY => "Dati non validi",
            StatusCode::PRECONDITION_REQUIRED => "Versione richiesta",
            StatusCode::TOO_MANY_REQUESTS => "Troppi tentativi",
            StatusCode::SERVICE_UNAVAILABLE => "Non disponibile",
            StatusCode::INSUFFICIENT_STORAGE => "Spazio esaurito",
            _ => "Errore interno",
        }
    }
}

impl From<store::Error> for ApiError {
    fn from(error: store::Error) -> Self {
        match error {
            store::Error::DiskFull => Self::new(
                StatusCode::INSUFFICIENT_STORAGE,
                "spazio-esaurito",
                "Lo spazio su disco del server è esaurito: non è stato possibile salvare. Riprova più tardi.",
            ),
            store::Error::QueueFull => Self::busy(),
            store::Error::Disk(_) | store::Error::Closed => {
                tracing::warn!(cause = %error, "the archive refused a request");
                Self::new(
                    StatusCode::SERVICE_UNAVAILABLE,
                    "archivio-non-disponibile",
                    "L'archivio non è disponibile in questo momento. Riprova più tardi.",
                )
            }
            other => Self::internal(&other),
        }
    }
}

impl From<VaultError> for ApiError {
    fn from(error: VaultError) -> Self {
        match error {
            VaultError::Locked => Self::locked(),
            other => Self::internal(&other),
        }
    }
}

impl From<actions::Error> for ApiError {
    fn from(error: actions::Error) -> Self {
        match error {
            actions::Error::Store(error) => error.into(),
            actions::Error::Vault(error) => error.into(),
            actions::Error::Invalid(fields) => Self::invalid(fields),
            actions::Error::NotFound => Self::not_found("Segnalazione non trovata"),
            actions::Error::Erased => Self::new(
                StatusCode::GONE,
                "cancellata",
                "Questa segnalazione è stata cancellata.",
            ),
            actions::Error::DeliveryNotFound => Self::not_found("Consegna non trovata."),
            actions::Error::AlreadyDelivered => Self::new(
                StatusCode::CONFLICT,
                "conflitto",
                "Questa consegna è già avvenuta.",
            ),
            actions::Error::LearningChanged => Self::new(
                StatusCode::CONFLICT,
                "conflitto",
                "Nel frattempo quello che lo smistamento ha imparato è cambiato: guarda di nuovo e riprova.",
            ),
            actions::Error::DeliveryIgnored => Self::new(
                StatusCode::CONFLICT,
                "conflitto",
                "Questa consegna è stata ignorata.",
            ),
            actions::Error::DeliveryUnderWay => Self::new(
                StatusCode::CONFLICT,
                "conflitto",
                "Questa consegna è in corso: aspetta che il tentativo finisca.",
            ),
            actions::Error::AlreadySent => Self::conflict(),
            actions::Error::BadToken => Self::bad_token(),
            actions::Error::UnknownState(detail) => Self::unknown_state(detail),
            actions::Error::AlreadySetUp => Self::already_set_up(),
            actions::Error::WrongPassword => Self::wrong_password(),
        }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let problem = Problem {
            kind: format!("urn:segnalazioni:problem:{}", self.slug),
            title: self.title().to_owned(),
            status: self.status.as_u16(),
            detail: self.detail,
            errors: self.errors,
            request_id: request_id(),
            current: self.current,
        };
        let mut response = (self.status, axum::Json(problem)).into_response();
        let headers = response.headers_mut();
        headers.insert(
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/problem+json"),
        );
        if let Some(seconds) = self.retry_after {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}
