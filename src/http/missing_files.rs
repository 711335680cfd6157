//! Whether all files are there that a page shows with what it sends.
//! Must never tell of a file to another conversation.

use std::path::Path;

use super::problem::{ApiError, ApiResult, Kind, NamedFile};
use super::state::Shared;
use crate::actions::intake::attachments::{drop_damaged, missing_of, name_in};
use crate::files::{bytes, path, sealed_len};
use crate::store::Snapshot;
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
    let looked = app.read(move |app, snapshot| {
        let missing = missing_of(snapshot, &id, &ids)?;
        let named = missing.into_iter().map(|file| {
            let name = name_in(snapshot, &id, &code, &file)?;
            Ok::<_, ApiError>((file, name))
        });
        let lost = lost_of(app.data.as_deref(), snapshot, (&id, &code), &ids)?;
        Ok::<_, ApiError>((named.collect::<ApiResult<Vec<_>>>()?, lost))
    });
    let (mut missing, lost) = looked.await?;
    for (file, _) in &lost {
        let (conversation, file) = (conversation.clone(), file.clone());
        let dropped = app.change(move |act| drop_damaged(act, &conversation, &file));
        app.metrics.dropped("damaged", dropped.await?);
    }
    missing.extend(lost);
    match missing.len() {
        0 => Ok(()),
        _ => Err(ApiError::missing(missing)),
    }
}

/// Which of these files wait as whole and are not so on the disk: of a restored or copied archive, or cut by other hands.
fn lost_of(
    data: Option<&Path>,
    snapshot: &Snapshot<'_>,
    (conversation, code): (&str, &ReceiptCode),
    shown: &[String],
) -> ApiResult<Vec<NamedFile>> {
    let Some(data) = data else {
        return Ok(Vec::new());
    };
    let mut lost = Vec::new();
    for row in snapshot.whole_attachments(conversation)? {
        let there = || {
            let found = std::fs::metadata(path(data, &row.id));
            found.is_ok_and(|found| found.len() == sealed_len(bytes(row.size)))
        };
        if row.sent.is_none() && shown.contains(&row.id) && !there() {
            tracing::error!(
                id = row.id,
                "an attached file that waits for its report is not whole on the disk"
            );
            let name = name_in(snapshot, conversation, code, &row.id)?;
            lost.push((row.id, name));
        }
    }
    Ok(lost)
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
