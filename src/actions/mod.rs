//! Every change of state, one file each: a synchronous function over a transaction and an input.
//! Must never ask for the time, know of HTTP, or leave a change half done: what fails is rolled back by the store.

pub mod claim_delivery;
pub mod clear_logs;
pub mod converse;
pub mod count_stops;
pub mod delivery_standing;
pub mod erase_reports;
pub mod expire_reports;
pub mod ignore_delivery;
pub mod import_report;
pub mod in_force;
pub mod log_access;
pub mod note_backup;
pub mod note_export;
pub mod open_report;
pub mod queue_deliveries;
pub mod reset_settings;
pub mod retention;
pub mod retry_delivery;
pub mod route_report;
pub mod routing_memory;
pub mod save_integration;
pub mod save_settings;
pub mod seal_archive;
pub mod sealing;
pub mod secrets;
pub mod set_logo;
pub mod set_password;
pub mod settings;
pub mod settle_delivery;
pub mod sign_in;
pub mod sign_out;
pub mod submit_report;
pub mod update_report;

use crate::domain::invalid::Invalid;
use crate::store;
use crate::vault::VaultError;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Store(#[from] store::Error),
    #[error(transparent)]
    Vault(#[from] VaultError),
    /// The input breaks a rule; one entry a field.
    #[error("dati non validi")]
    Invalid(Vec<Invalid>),
    #[error("segnalazione non trovata")]
    NotFound,
    #[error("segnalazione cancellata")]
    Erased,
    /// The report was already sent, with another content.
    #[error("segnalazione già inviata")]
    AlreadySent,
    /// A conversation that this server did not seal, or a damaged one.
    #[error("conversazione non valida")]
    BadToken,
    /// A conversation in a state that the engine does not know; carries the whole message.
    #[error("{0}")]
    UnknownState(String),
    #[error("password già impostata")]
    AlreadySetUp,
    #[error("consegna non trovata")]
    DeliveryNotFound,
    /// The delivery has arrived: it is not sent twice.
    #[error("consegna già avvenuta")]
    AlreadyDelivered,
    /// The delivery was put away: that is for good.
    #[error("consegna ignorata")]
    DeliveryIgnored,
    /// The delivery is being tried, or was not tried yet: there is nothing to put away.
    #[error("consegna in corso")]
    DeliveryUnderWay,
    #[error("password non valida")]
    WrongPassword,
}

pub type Result<T> = std::result::Result<T, Error>;
