//! A finished conversation becomes a report, and the messages that it sets in motion wait in the outbox. Sent twice, it
//! stays one report.
//! Must never answer before its transaction is durable, nor store anything in the clear.

use super::queue_deliveries::queue_deliveries;
use super::sealing::{Content, seal_report};
use super::{Act, Error, Result};
use crate::domain::care::Concern;
use crate::domain::report::Report;
use crate::domain::routing::Analysis;
use crate::store::ReportRow;

pub struct Submission {
    /// Id the conversation has carried from its start.
    pub id: String,
    pub report: Report,
    /// Keyed fingerprint of what the reporter said.
    pub impronta: [u8; 16],
    pub urgente: Option<Concern>,
    pub privacy_version: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stored {
    /// It is stored with this transaction.
    Now,
    /// It was sent again, and had been stored before.
    Before,
}

/// Stores the report and what follows from it; repeating the same submission changes nothing.
pub fn submit_report(act: &Act<'_>, submission: &Submission, routing: &Analysis) -> Result<Stored> {
    let (id, report) = (&submission.id, &submission.report);
    match act.report(id)? {
        Some(stored) if stored.impronta == submission.impronta => return Ok(Stored::Before),
        Some(_) => return Err(Error::AlreadySent),
        // Erased since: it was sent, and must not come back out of a browser that never heard so.
        None if act.was_erased(id)? => return Err(Error::AlreadySent),
        None => {}
    }
    let content = Content {
        report,
        analysis: Analysis {
            urgente: submission.urgente,
            ..routing.clone()
        },
    };
    let sealed = seal_report(act, id, &content)?;
    act.insert_report(&ReportRow {
        id: id.clone(),
        data_creazione: act.now,
        department: routing.department,
        urgente: submission.urgente.is_some(),
        privacy_version: submission.privacy_version.clone(),
        impronta: submission.impronta,
        epoch: sealed.epoch,
        contenuto: sealed.blob,
        ..ReportRow::default()
    })?;
    queue_deliveries(act, id, report, &content.analysis)?;
    Ok(Stored::Now)
}
