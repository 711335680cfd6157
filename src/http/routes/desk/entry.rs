//! A report that staff take down, by telephone, out of a letter or in person: it goes the way of every report.

use serde::Deserialize;
use utoipa::ToSchema;

use crate::actions::desk::edit_reports::note_entered;
use crate::actions::intake::converse::enter;
use crate::domain::report::{Origine, Report};
use crate::http::intake::queue_report;
use crate::http::routes::{Answer, ApiResult, Created, Editor, Json, refusal};

const KEY_BYTES: usize = 36;

/// A report that staff enter.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ReportEntry {
    /// First name.
    nome: String,
    /// Surname.
    #[serde(default)]
    #[schema(required = false)]
    cognome: String,
    /// The account, in any wording.
    segnalazione: String,
    /// The channel through which it was received; not the chat.
    origine: Origine,
    /// Phone.
    telefono: Option<String>,
    /// Email address.
    email: Option<String>,
    /// Postal address.
    indirizzo: Option<String>,
    /// Age in years.
    eta: Option<u8>,
    /// A key chosen by the page, by which a repeated call is recognised; 36 characters at most.
    #[schema(max_length = 36)]
    key: Option<String>,
}

/// Enters a report that was received by telephone, by letter or in person.
#[utoipa::path(post, operation_id = "enter_report", path = "/reports", tag = "segnalazioni", request_body = ReportEntry,
    responses((status = 200, body = Created<String>)))]
pub async fn enter_report(
    admin: Editor,
    Json(entry): Json<ReportEntry>,
) -> Answer<Created<String>> {
    let (origine, (given, key)) = (entry.origine, entry.read()?);
    let bytes = given.segnalazione.len();
    let taken = admin.weigh(bytes, move |app| {
        enter(&app.vault, &given, origine, key.as_deref())
    });
    let (submission, new) = queue_report(&admin, Box::new(taken.await?), false).await?;
    let id = submission.id;
    if new {
        admin.metrics.reports.inc();
        let entered = id.clone();
        let noted = admin.change(move |act| note_entered(act, &entered)).await;
        let lost = "who took a report down was not noted";
        noted.or_else(|error| error.tolerated_while_reading(lost))?;
    }
    Ok(Json(Created { id }))
}

impl ReportEntry {
    /// The report, and what the page calls it.
    fn read(self) -> ApiResult<(Report, Option<String>)> {
        if self.origine == Origine::Chat {
            let message = "Scegli telefono, lettera o di persona.";
            return Err(refusal("origine", "invalid", message));
        }
        let key = self.key.filter(|key| !key.is_empty());
        if key.as_ref().is_some_and(|key| key.len() > KEY_BYTES) {
            return Err(refusal("key", "tooLong", "Al massimo 36 caratteri."));
        }
        let given = Report {
            eta: self.eta.unwrap_or_default(),
            nome: self.nome,
            cognome: self.cognome,
            telefono: self.telefono.unwrap_or_default(),
            email: self.email.unwrap_or_default(),
            indirizzo: self.indirizzo.unwrap_or_default(),
            segnalazione: self.segnalazione,
        };
        Ok((given, key))
    }
}
