//! An editor opens a report: it is marked as opened, and the opening is logged.
//! Must never be called by a page that only refreshes itself.

use super::Result;
use super::erase_reports::present;
use super::log_access::{Action, Actor, log_access};
use crate::store::Tx;

pub fn open_report(tx: &Tx<'_>, now: i64, actor: &Actor, id: &str) -> Result<()> {
    present(tx, id)?;
    tx.mark_opened(id, now)?;
    log_access(tx, now, actor, Action::ReportViewed, Some(id))
}
