//! A whole report as it travels to an editor.
//! Must never travel to anybody else.

use serde::Serialize;
use utoipa::ToSchema;

use super::deliveries::Delivery;
use crate::domain::report::Stato;

/// A whole report.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReportDetail {
    /// 36-character id.
    pub id: String,
    /// First name.
    pub nome: String,
    /// Surname.
    pub cognome: String,
    /// Mobile number, 10 digits.
    pub telefono: String,
    /// E-mail address.
    pub email: String,
    /// Postal address.
    pub indirizzo: String,
    /// The account, with what was added at the end.
    pub segnalazione: String,
    /// Age in years.
    pub eta: u8,
    /// Status.
    #[schema(value_type = Stato)]
    pub stato: String,
    /// Internal note; empty when there is none.
    pub note: String,
    /// When it was received; RFC 3339, UTC.
    #[serde(rename = "data_creazione")]
    pub data_creazione: String,
    /// When it was last changed; RFC 3339, UTC.
    #[serde(rename = "data_aggiornamento")]
    pub data_aggiornamento: String,
    /// Grows with each change; the `ETag` in quotes.
    pub versione: i64,
    /// Version of the privacy notice that was shown.
    pub privacy_version: String,
    /// What happened to it, oldest first.
    pub storia: Vec<HistoryEntry>,
    /// Mail and webhook that it set in motion.
    pub consegne: Vec<Delivery>,
}

/// What can happen to a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Event {
    /// It was received.
    Ricevuta,
    /// Staff opened it for the first time.
    Aperta,
    /// Its status changed.
    Stato,
    /// Its internal note changed.
    Note,
    /// A copy of it was made.
    Esportata,
}

/// Something that happened to a report.
#[derive(Debug, Serialize, ToSchema)]
pub struct HistoryEntry {
    /// What.
    pub tipo: Event,
    /// When; RFC 3339, UTC.
    pub data: String,
    /// Status before, for a change of status.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Stato, required = false)]
    pub da: Option<String>,
    /// Status after, for a change of status.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Stato, required = false)]
    pub a: Option<String>,
}
