//! Brings the copy of the newsroom's private key in the server's key file in line with the database: off the event loop, and never
//! beside another program that opens the folder.

use crate::http::problem::{ApiError, ApiResult};
use crate::http::state::{Shared, blocking};
use crate::store::lock_opening;
use crate::vault::{KeyFile, KeyFileError};

/// Puts the copy back, or takes it out, where the archive says other than the key file does. Without the private key at hand, or a pair in
/// the archive, nothing is done.
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
