//! Sealed mode (PRODUCT.md §4).
//! Must never take the key out of the key file before the recovery code was seen to open the archive.

use axum::extract::State;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::actions::Error;
use crate::actions::seal_archive::{read_code, seal, take_back, unseal};
use crate::http::admin::Admin;
use crate::http::json::Json;
use crate::http::key_copy::{put_copy, remove_copy};
use crate::http::problem::{ApiResult, Kind};
use crate::http::state::{Mode, Shared};
use crate::vault::{KeyFileError, VaultError};

/// Whether the archive is sealed.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SealedMode {
    /// Sealed mode is on: the key file is to hold no copy of the newsroom's private key.
    pub sealed: bool,
    /// The key file is as it should be. Where it is not, the next login mends it.
    pub complete: bool,
}

/// A recovery code, as it was typed.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct TypedCode {
    /// Letters in groups, with or without dashes.
    pub recovery_code: String,
}

/// Whether the archive is sealed.
#[utoipa::path(get, operation_id = "sealed_mode", path = "/security/sealed", tag = "impostazioni",
    responses((status = 200, body = SealedMode)))]
pub async fn get(State(app): State<Shared>, _admin: Admin) -> ApiResult<axum::Json<SealedMode>> {
    standing(&app).await
}

/// Seals the archive: its recovery code is checked, then the newsroom's private key leaves the key file. Reports can be read
/// only while somebody is logged in.
#[utoipa::path(post, operation_id = "seal_archive", path = "/security/sealed", tag = "impostazioni", request_body = TypedCode,
    responses((status = 200, body = SealedMode)))]
pub async fn post(
    State(app): State<Shared>,
    admin: Admin,
    Json(typed): Json<TypedCode>,
) -> ApiResult<axum::Json<SealedMode>> {
    refuse_demo(&app)?;
    let now = app.clock.now_ms();
    app.write(move |app, tx| {
        let code = read_code(&typed.recovery_code)?;
        seal(tx, &app.vault, now, &admin.visitor.actor, &code)
    })
    .await?;
    // Intention first: cut off here, the next login takes the key out.
    match remove_copy(&app).await? {
        Ok(()) => standing(&app).await,
        Err(error) => refused(&app, false, &error).await,
    }
}

/// Leaves sealed mode: the newsroom's private key comes back into the key file.
#[utoipa::path(delete, operation_id = "unseal_archive", path = "/security/sealed", tag = "impostazioni",
    responses((status = 200, body = SealedMode)))]
pub async fn delete(State(app): State<Shared>, admin: Admin) -> ApiResult<axum::Json<SealedMode>> {
    refuse_demo(&app)?;
    let now = app.clock.now_ms();
    let copy = app
        .write(move |app, tx| unseal(tx, &app.vault, now, &admin.visitor.actor))
        .await?;
    match put_copy(&app, copy).await? {
        Ok(()) => standing(&app).await,
        Err(error) => refused(&app, true, &error).await,
    }
}

fn refuse_demo(app: &Shared) -> ApiResult<()> {
    match app.mode {
        Mode::Live => Ok(()),
        Mode::Demo => Err(Kind::KeyFile.saying("In modalità demo non c'è un file delle chiavi.")),
    }
}

/// The key file could not be changed: the archive goes on as before.
async fn refused(
    app: &Shared,
    sealed_before: bool,
    error: &KeyFileError,
) -> ApiResult<axum::Json<SealedMode>> {
    tracing::error!(%error, "the key file could not be changed");
    app.write(move |app, tx| take_back(tx, &app.vault, sealed_before))
        .await?;
    Err(Kind::KeyFile.saying(
        "Il file delle chiavi non si può modificare: non è cambiato nulla. Chi gestisce il server trova il motivo nel log.",
    ))
}

async fn standing(app: &Shared) -> ApiResult<axum::Json<SealedMode>> {
    let found = app.read(move |app, snapshot| {
        let pair = snapshot.active_key_pair()?.ok_or(VaultError::Damaged)?;
        Ok::<_, Error>(SealedMode {
            sealed: pair.sealed,
            complete: pair.sealed != app.vault.is_copy_kept(),
        })
    });
    Ok(axum::Json(found.await?))
}
