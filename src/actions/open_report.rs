//! An editor opens a report: it is marked as opened, and the opening is logged.
//! Must never be called by a page that only refreshes itself.

use super::log_access::{Action, Actor, log_access};
use super::{Error, Result};
use crate::store::Tx;

/// Notes the opening.
///
/// # Errors
/// [`Error::NotFound`] when there is no such report.
pub fn open_report(tx: &Tx<'_>, now: i64, actor: &Actor, id: &str) -> Result<()> {
    tx.report(id)?.ok_or(Error::NotFound)?;
    tx.mark_opened(id, now)?;
    log_access(tx, now, actor, Action::ReportViewed, Some(id))
}
