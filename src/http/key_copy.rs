//! Changes the copy of the newsroom's private key in the server's key file: off the event loop, and never beside another
//! program that opens the folder.
//! Must never decide whether the copy is to be there: the database says so.

use std::path::Path;

use crate::http::problem::{ApiError, ApiResult};
use crate::http::state::{Shared, blocking};
use crate::store::lock_opening;
use crate::vault::{KeyFile, KeyFileError, PrivateKey};

pub(super) async fn put_copy(
    app: &Shared,
    private: PrivateKey,
) -> ApiResult<Result<(), KeyFileError>> {
    let put = move |path: &Path, data: &Path| KeyFile::restore_copy(path, data, private);
    change(app, true, put).await
}

pub(super) async fn remove_copy(app: &Shared) -> ApiResult<Result<(), KeyFileError>> {
    let pair = app.vault.public_key();
    let remove = move |path: &Path, data: &Path| KeyFile::remove_copy(path, data, &pair);
    change(app, false, remove).await
}

/// `kept` is what the database must say for the change to be made: it may have changed since.
async fn change(
    app: &Shared,
    kept: bool,
    work: impl FnOnce(&Path, &Path) -> Result<(), KeyFileError> + Send + 'static,
) -> ApiResult<Result<(), KeyFileError>> {
    let app = Shared::clone(app);
    let changing = blocking(move || {
        let (Some(path), Some(data)) = (&app.key_file, &app.data) else {
            return Ok(Ok(()));
        };
        let _alone = lock_opening(data)?;
        let pair = app.store.read(|snapshot| snapshot.active_key_pair())?;
        if pair.is_none_or(|pair| pair.sealed == kept) {
            return Ok(Ok(()));
        }
        let outcome = work(path, data);
        if outcome.is_ok() {
            app.vault.set_copy_kept(kept);
        }
        Ok::<_, ApiError>(outcome)
    });
    changing.await?
}
