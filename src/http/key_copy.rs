//! Brings the copy of the private key in the key file in line with the database, alone with the folder and off the event loop.

use crate::http::problem::{ApiError, ApiResult};
use crate::http::state::{Shared, blocking};
use crate::store::lock_opening;
use crate::vault::{KeyFile, KeyFileError};

/// Puts the copy back, or takes it out, as the archive says. Nothing is done without the private key at hand.
pub(super) async fn align(app: &Shared) -> ApiResult<Result<(), KeyFileError>> {
    let app = Shared::clone(app);
    let aligning = blocking(move || {
        let (Some(path), Some(data)) = (&app.key_file, &app.data) else {
            return Ok(Ok(()));
        };
        let _alone = lock_opening(data)?;
        let pair = app.store.read(|snapshot| snapshot.active_key_pair())?;
        let (Some(pair), Ok(private)) = (pair, app.vault.private_key()) else {
            return Ok(Ok(()));
        };
        let outcome = match (pair.sealed, app.vault.is_copy_kept()) {
            (true, true) => KeyFile::remove_copy(path, data, &app.vault.public_key()),
            (false, false) => KeyFile::restore_copy(path, data, private),
            _ => return Ok(Ok(())),
        };
        if outcome.is_ok() {
            app.vault.set_copy_kept(!pair.sealed);
        }
        Ok::<_, ApiError>(outcome)
    });
    aligning.await?
}
