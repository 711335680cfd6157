//! An editor takes back that a report is urgent, or says that it is: sealed with the report, beside what the program read in
//! it. Must never say so in the clear, not even which way it went, nor send anything because of it.

use super::Result;
use super::queue_deliveries::{open_body, seal_body};
use super::sealing::{Content, Sealed, open_content, seal_report};
use crate::domain::payload::Payload;
use crate::store::{ReportRow, Tx};
use crate::vault::Vault;

/// The report's content with what the editor decided, sealed anew; `None` where it says so already. What waits to be sent
/// learns of it.
pub(super) fn turn_urgency(
    tx: &Tx<'_>,
    vault: &Vault,
    now: i64,
    row: &ReportRow,
    urgent: bool,
) -> Result<Option<Sealed>> {
    let Content {
        report,
        mut analysis,
    } = open_content(tx, vault, row)?;
    if analysis.is_urgent() == urgent {
        return Ok(None);
    }
    analysis.turn(now);
    tell_what_waits(tx, vault, &row.id, urgent)?;
    let content = Content {
        report: &report,
        analysis,
    };
    seal_report(tx, vault, now, &row.id, &content).map(Some)
}

fn tell_what_waits(tx: &Tx<'_>, vault: &Vault, report: &str, urgent: bool) -> Result<()> {
    for (id, message_id, body) in tx.waiting_bodies(report)? {
        // One that cannot be opened is given up when its turn comes.
        if let Some(payload) = open_body(vault, &message_id, &body)? {
            let decided = Some(urgent);
            let payload = Payload { decided, ..payload };
            tx.put_body(id, &seal_body(vault, &message_id, &payload)?)?;
        }
    }
    Ok(())
}
