//! Removes the rest of an erased report from memory and from the log of writes.

use super::problem::{ApiError, ApiResult};
use super::state::Shared;
use crate::actions;
use crate::backup::sweep_left_behind;

/// Lets go of what is kept in memory of erased reports.
pub async fn forget(app: &Shared, seqs: Vec<i64>) -> ApiResult<()> {
    app.compute(move |app| {
        app.forget_erased(&seqs);
        Ok::<_, ApiError>(())
    })
    .await
}

/// Sees to it that nothing of keys that opened the archive is left on the disk. What cannot be done now the timed work does.
pub async fn complete_removal(app: &Shared) -> ApiResult<()> {
    app.store.note_erasure();
    complete_erasure(app).await.map(|_| ())
}

/// Sees to it that nothing of what was erased is left on the disk; answers whether it is so already.
pub async fn complete_erasure(app: &Shared) -> ApiResult<bool> {
    let settling = app.compute(|app| {
        let outcome: actions::Result<()> = app.store.settle_erasures();
        if let Err(error) = outcome {
            // The reports are gone from the database; the timed work does the rest.
            tracing::warn!(%error, "an erasure could not be settled: tried again");
        }
        // A killed restore or backup may have left a whole archive, with what is erased now.
        let swept = app.data.as_deref().map_or(Ok(()), sweep_left_behind);
        if let Err(error) = &swept {
            tracing::warn!(%error, "what a killed program left stays behind: tried again");
        }
        Ok::<_, ApiError>(app.store.erasures_are_settled() && swept.is_ok())
    });
    settling.await
}
