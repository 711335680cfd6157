//! One message to the reporters of many reports, in steps as a change of many, and taking it back while none of them has seen it.

use crate::actions::access::log_access::Action;
use crate::actions::desk::bulk::{BulkChanged, BulkTarget, RefusedChange, wanted};
use crate::actions::reporter::{refuse_unread, send_message};
use crate::actions::{Act, Error, Result};
use crate::domain::message::{MESSAGE_CHARS, ReplyIn, parse_text};
use crate::domain::text::counted;
use crate::store::ListFilter;

/// Refuses what could go to none.
pub fn begin_messages(act: &Act<'_>, text: &str) -> Result<()> {
    refuse_unread(act)?;
    parse_text(text, MESSAGE_CHARS)?;
    act.log(Action::MessageSent, None)
}

/// Writes to the reporters of a step.
pub fn message_step(
    act: &Act<'_>,
    batch: &str,
    (targets, filter): (&[BulkTarget], &ListFilter),
    text: &str,
) -> Result<BulkChanged> {
    let mut outcome = BulkChanged::default();
    for target in targets {
        let Some(row) = wanted(act, target, filter, &mut outcome)? else {
            continue;
        };
        let typed = ReplyIn {
            text: text.to_owned(),
            ..ReplyIn::default()
        };
        match send_message(act, &row, typed, Some(batch)) {
            Ok(_) => outcome.changed += 1,
            Err(Error::Conflict(detail)) => {
                outcome
                    .refused
                    .push(RefusedChange::standing(row, None, detail));
            }
            Err(error) => return Err(error),
        }
    }
    Ok(outcome)
}

/// Takes back what went to many, as far as the caller sees; answers how many messages that were.
///
/// # Errors
/// [`Error::Occupied`] where one of the reporters has seen it.
pub fn take_messages_back(act: &Act<'_>, batch: &str) -> Result<usize> {
    let sent = act.batch_messages(batch)?;
    let read = sent.iter().filter(|one| one.read).count();
    if read > 0 {
        let read = counted(read as u64, "persona l’ha", "persone l’hanno");
        let message = format!("Non si può più ritirare: {read} già letto.");
        return Err(Error::Occupied(message));
    }
    for one in &sent {
        act.tx.delete_message(one.n)?;
        act.tx.forget_written(&one.report, one.at)?;
        act.tx.restore_written(&one.report)?;
        act.tx.cancel_notice(&one.report, one.at)?;
    }
    if !sent.is_empty() {
        act.log(Action::MessageSent, None)?;
    }
    Ok(sent.len())
}
