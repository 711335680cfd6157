//! A finished conversation becomes a report, and the messages that it sets in motion wait in the outbox. Sent twice, it
//! stays one report.
//! Must never answer before its transaction is durable, nor store anything in the clear.

use super::erase_reports::was_erased;
use super::queue_deliveries::queue_deliveries;
use super::sealing::{Content, seal_report};
use super::{Error, Result};
use crate::domain::care::Concern;
use crate::domain::report::Report;
use crate::domain::routing::{Analysis, Routing};
use crate::store::{NewReport, Tx};
use crate::vault::Vault;

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
pub fn submit_report(
    tx: &Tx<'_>,
    vault: &Vault,
    now: i64,
    submission: &Submission,
    routing: &Routing,
) -> Result<Stored> {
    if let Some(stored) = tx.report(&submission.id)? {
        let same = stored.impronta == submission.impronta;
        return if same {
            Ok(Stored::Before)
        } else {
            Err(Error::AlreadySent)
        };
    }
    // Erased since: it was sent, and must not come back out of a browser that never heard so.
    if was_erased(tx, &submission.id)? {
        return Err(Error::AlreadySent);
    }
    let content = Content {
        report: &submission.report,
        analysis: Analysis::new(routing, submission.urgente),
    };
    let sealed = seal_report(tx, vault, now, &submission.id, &content)?;
    tx.insert_report(&NewReport {
        id: submission.id.clone(),
        data_creazione: now,
        department: routing.department,
        urgente: submission.urgente.is_some(),
        privacy_version: submission.privacy_version.clone(),
        impronta: submission.impronta,
        epoch: sealed.epoch,
        contenuto: sealed.blob,
    })?;
    let (id, report) = (&submission.id, &submission.report);
    queue_deliveries(tx, vault, now, id, report, &content.analysis)?;
    Ok(Stored::Now)
}
