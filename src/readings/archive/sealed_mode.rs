//! Whether the archive is sealed (PRODUCT.md §12).

use serde::Serialize;
use utoipa::ToSchema;

use crate::actions;
use crate::readings::Reading;
use crate::store::Snapshot;
use crate::vault::VaultError;

/// Whether the archive is sealed.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SealedMode {
    /// Whether sealed mode is on, so that the key file holds no copy of the newsroom's private key.
    pub sealed: bool,
    /// Whether the key file is complete. If not, the next login repairs it.
    pub complete: bool,
}

/// Whether the archive is sealed, and the key file is as it should be.
pub fn sealed_mode(reading: Reading<'_>, snapshot: &Snapshot<'_>) -> actions::Result<SealedMode> {
    let pair = snapshot.active_key_pair()?.ok_or(VaultError::Damaged)?;
    Ok(SealedMode {
        sealed: pair.sealed,
        complete: pair.sealed != reading.vault.is_copy_kept(),
    })
}
