//! Sealed mode (PRODUCT.md §12).
//! Must never take the key out of the key file before the recovery code was seen to open the archive.

use serde::Deserialize;
use utoipa::ToSchema;

use crate::actions::archive::seal_archive::{read_code, seal, set_sealed, unseal};
use crate::http::key_copy::align;
use crate::http::request_id::request_id;
use crate::http::routes::{Administrator, Answer, ApiResult, Json, Kind, Shared};
use crate::http::state::Mode;
use crate::readings::archive::sealed_mode::{self, SealedMode};

/// A recovery code, as it was typed.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct TypedCode {
    /// Letters in groups, with or without dashes.
    pub recovery_code: String,
}

/// Whether the archive is sealed.
#[utoipa::path(get, path = "/security/sealed", tag = "impostazioni", responses((status = 200, body = SealedMode)))]
pub async fn sealed_mode(admin: Administrator) -> Answer<SealedMode> {
    sealed_state(&admin).await
}

/// Seals the archive: its recovery code is checked, then the newsroom's private key leaves the key file. Reports can be read
/// only while a person is logged in.
#[utoipa::path(post, operation_id = "seal_archive", path = "/security/sealed", tag = "impostazioni", request_body = TypedCode,
    responses((status = 200, body = SealedMode)))]
pub async fn post(admin: Administrator, Json(typed): Json<TypedCode>) -> Answer<SealedMode> {
    refuse_demo(&admin)?;
    let sealed = admin.change(move |act| seal(act, &read_code(&typed.recovery_code)?));
    sealed.await?;
    // Intention first: cut off here, the next login takes the key out.
    align_key_file(&admin, false).await
}

/// Leaves sealed mode: the newsroom's private key comes back into the key file.
#[utoipa::path(delete, operation_id = "unseal_archive", path = "/security/sealed", tag = "impostazioni",
    responses((status = 200, body = SealedMode)))]
pub async fn delete(admin: Administrator) -> Answer<SealedMode> {
    refuse_demo(&admin)?;
    admin.change(unseal).await?;
    align_key_file(&admin, true).await
}

fn refuse_demo(app: &Shared) -> ApiResult<()> {
    match app.mode {
        Mode::Live => Ok(()),
        Mode::Demo => Err(Kind::DEMO.into()),
    }
}

/// Changes the key file. Where that fails, the archive goes on as before.
async fn align_key_file(app: &Shared, before: bool) -> Answer<SealedMode> {
    let Err(error) = align(app).await? else {
        return sealed_state(app).await;
    };
    tracing::error!(request = request_id(), %error, "the key file could not be changed");
    app.change(move |act| set_sealed(act, before)).await?;
    Err(Kind::KEY_FILE.saying(
        "Il file delle chiavi non si può modificare: non è cambiato nulla. Chi gestisce il server trova il motivo nel log.",
    ))
}

async fn sealed_state(app: &Shared) -> Answer<SealedMode> {
    let found = app.read(|app, snapshot| sealed_mode::sealed_mode(app.reading(), snapshot));
    found.await.map(Json)
}
