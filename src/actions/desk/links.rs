//! Links between reports.

use crate::actions::desk::edit_reports::present;
use crate::actions::{Act, Error, Result};
use crate::store::Action;

/// Links of one report, at most.
const MOST_LINKS: usize = 100;

/// Links two reports, or takes their link away.
pub fn set_link(act: &Act<'_>, id: &str, other: &str, linked: bool) -> Result<()> {
    let (a, b) = (present(act, id)?.seq, present(act, other)?.seq);
    if a == b {
        return Err(Error::Conflict(
            "Una segnalazione non si può collegare a sé stessa.",
        ));
    }
    let before = act.linked(a)?;
    if before.contains(&b) == linked {
        return Ok(());
    }
    if !linked {
        act.tx.unlink(a, b)?;
    } else if before.len() >= MOST_LINKS || act.linked(b)?.len() >= MOST_LINKS {
        return Err(Error::Conflict(
            "Una segnalazione può avere al massimo 100 collegamenti.",
        ));
    } else {
        act.tx.link(a, b)?;
    }
    act.log(Action::ReportUpdated, Some(id))?;
    act.log(Action::ReportUpdated, Some(other))
}
