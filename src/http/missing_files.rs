//! Whether all files are there that a page shows with what it sends.
//! Must never tell of a file to another conversation.

use super::problem::{ApiError, ApiResult, Kind};
use super::state::Shared;
use crate::actions::intake::attachments::drop_damaged;
use crate::readings::absent_files::{AbsentFiles, absent_files};
use crate::vault::ReceiptCode;

/// Refuses what is to be sent where a file that its page shows is not there: with the names, of files that are unknown their ids.
pub async fn refuse_missing(
    app: &Shared,
    receipt: &ReceiptCode,
    shown: &[String],
) -> ApiResult<()> {
    if shown.is_empty() {
        return Ok(());
    }
    let conversation = app.vault.report_id(receipt)?;
    let (id, ids, code) = (conversation.clone(), shown.to_vec(), receipt.clone());
    let looked = app
        .read(move |app, snapshot| absent_files(snapshot, app.data.as_deref(), &id, &code, &ids));
    let AbsentFiles { mut missing, lost } = looked.await?;
    for file in &lost {
        let (conversation, file) = (conversation.clone(), file.id.clone());
        let dropped = app.change(move |act| drop_damaged(act, &conversation, &file));
        app.metrics.dropped("damaged", dropped.await?);
    }
    missing.extend(lost);
    match missing.len() {
        0 => Ok(()),
        _ => Err(ApiError::missing(missing)),
    }
}

/// Adds names to the refusal of a change that found a file missing, since the change knows no names.
pub async fn named<T>(
    app: &Shared,
    receipt: &ReceiptCode,
    shown: &[String],
    outcome: ApiResult<T>,
) -> ApiResult<T> {
    if outcome
        .as_ref()
        .is_err_and(|refused| refused.is(Kind::FILES_MISSING))
    {
        refuse_missing(app, receipt, shown).await?;
    }
    outcome
}
