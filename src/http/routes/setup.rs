//! First set-up from the one-time link: a password, and the recovery code shown once and typed back.
//! Must never keep anything before the code was typed back, nor work once a password is set.

use axum::extract::State;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::session::{check_new, client_key, derive_new, open_session};
use super::{Answer, refusal};
use crate::actions::set_password::set_up;
use crate::http::admin::{Visitor, refuse_address};
use crate::http::json::Json;
use crate::http::problem::{ApiResult, Kind};
use crate::http::state::Shared;
use crate::vault::RecoveryCode;

/// Asks for a recovery code.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SetupCodeRequest {
    /// Token of the set-up link.
    pub token: String,
    /// The password to be set.
    pub password: String,
}

/// The recovery code, shown once.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SetupCode {
    /// Letters in groups.
    #[schema(example = "BCDF-GHJK-LMNP-RSTV-BCDF-GHJK-LMNP-RSTV")]
    pub recovery_code: String,
}

/// Sets the first password.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct SetupRequest {
    /// Token of the set-up link.
    pub token: String,
    /// The password to be set.
    pub password: String,
    /// The recovery code, typed back.
    pub recovery_code: String,
}

/// Checks the password and shows a recovery code.
#[utoipa::path(post, path = "/setup/recovery-code", tag = "accesso", request_body = SetupCodeRequest,
    responses((status = 200, body = SetupCode)))]
pub async fn recovery_code(
    State(app): State<Shared>,
    visitor: Visitor,
    Json(asked): Json<SetupCodeRequest>,
) -> Answer<SetupCode> {
    admit(&app, &visitor, &asked.token, &asked.password).await?;
    let code = RecoveryCode::generate()?;
    let recovery_code = code.to_string();
    if !app.setup.offer(&asked.token, app.clock.now_ms(), code) {
        return Err(Kind::BAD_LINK.into());
    }
    Ok(axum::Json(SetupCode { recovery_code }))
}

/// Sets the first password and logs in.
#[utoipa::path(post, path = "/setup", tag = "accesso", request_body = SetupRequest,
    responses((status = 204, description = "Password impostata; imposta il cookie di sessione")))]
pub async fn setup(
    State(app): State<Shared>,
    visitor: Visitor,
    Json(asked): Json<SetupRequest>,
) -> ApiResult<Response> {
    admit(&app, &visitor, &asked.token, &asked.password).await?;
    let typed = RecoveryCode::parse(&asked.recovery_code).ok();
    let right = typed.filter(|code| app.setup.typed_back(&asked.token, app.clock.now_ms(), code));
    let code = right.ok_or_else(|| {
        let message = "Il codice non corrisponde a quello mostrato: ricontrolla le lettere.";
        refusal("recoveryCode", "mismatch", message)
    })?;
    let password = derive_new(&app, asked.password).await?;
    let proven = password.proven(client_key(&app, &visitor));
    let set = app.change_by(&visitor.actor, move |act| set_up(act, &password, &code));
    set.await?;
    app.setup.spend();
    open_session(&app, &visitor.actor, proven).await
}

/// Who may set up: the holder of the valid link, from an allowed address, while no password is set, with a good password.
async fn admit(app: &Shared, visitor: &Visitor, token: &str, password: &str) -> ApiResult<()> {
    let settings = app.settings()?;
    let credential = app.read(|_, snapshot| snapshot.credential()).await?;
    refuse_address(&settings.security, visitor.address)?;
    if credential.is_some() {
        return Err(Kind::ALREADY_SET_UP.into());
    }
    if !app.setup.admits(token, app.clock.now_ms()) {
        return Err(Kind::BAD_LINK.into());
    }
    check_new("password", password, &settings.system)
}
