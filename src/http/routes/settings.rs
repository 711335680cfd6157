//! The sections of the settings, as the panel reads and saves them.
//! Must never answer with a secret, nor save an allow-list that shuts its author out without asking.

use axum::extract::State;
use axum::http::StatusCode;
use serde::Deserialize;
use serde_json::{Map, Value};
use utoipa::IntoParams;

use crate::actions::reset_settings::reset_settings;
use crate::actions::save_settings::{preview, save};
use crate::actions::settings::load;
use crate::domain::settings::{Security, System};
use crate::http::admin::Admin;
use crate::http::json::Json;
use crate::http::problem::{ApiError, ApiResult, Problem};
use crate::http::query::Strict;
use crate::http::state::Shared;

/// How to save.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct SaveQuery {
    /// Save even an allow-list that shuts the caller out.
    #[serde(default)]
    confirm: bool,
}

/// The security settings.
#[utoipa::path(get, path = "/settings/security", tag = "impostazioni",
    responses((status = 200, body = Security), (status = "default", body = Problem)), security(("sessione" = [])))]
pub async fn get_security(
    State(app): State<Shared>,
    _admin: Admin,
) -> ApiResult<axum::Json<Security>> {
    Ok(axum::Json(app.read(|_, snapshot| load(snapshot)).await?))
}

/// Saves the security settings; keys that are absent stay.
#[utoipa::path(put, path = "/settings/security", tag = "impostazioni", params(SaveQuery), request_body = Security,
    responses((status = 200, body = Security), (status = "default", body = Problem)), security(("sessione" = [])))]
pub async fn put_security(
    State(app): State<Shared>,
    admin: Admin,
    Strict(query): Strict<SaveQuery>,
    Json(body): Json<Map<String, Value>>,
) -> ApiResult<axum::Json<Security>> {
    let (now, address) = (app.clock.now_ms(), admin.visitor.address);
    let saved = app
        .write(move |_, tx| {
            if !query.confirm && !preview::<Security>(tx, body.clone())?.allows(address) {
                return Err(ApiError::would_lock_out(address));
            }
            Ok(save::<Security>(tx, now, &admin.visitor.actor, body)?)
        })
        .await?;
    Ok(axum::Json(saved))
}

/// The system settings.
#[utoipa::path(get, path = "/settings/system", tag = "impostazioni",
    responses((status = 200, body = System), (status = "default", body = Problem)), security(("sessione" = [])))]
pub async fn get_system(State(app): State<Shared>, _admin: Admin) -> ApiResult<axum::Json<System>> {
    Ok(axum::Json(app.read(|_, snapshot| load(snapshot)).await?))
}

/// Saves the system settings; keys that are absent stay.
#[utoipa::path(put, path = "/settings/system", tag = "impostazioni", request_body = System,
    responses((status = 200, body = System), (status = "default", body = Problem)), security(("sessione" = [])))]
pub async fn put_system(
    State(app): State<Shared>,
    admin: Admin,
    Json(body): Json<Map<String, Value>>,
) -> ApiResult<axum::Json<System>> {
    let now = app.clock.now_ms();
    Ok(axum::Json(
        app.write(move |_, tx| save(tx, now, &admin.visitor.actor, body))
            .await?,
    ))
}

/// Puts the settings back to their defaults. Password, access log, login attempts and phrases stay.
#[utoipa::path(delete, operation_id = "reset_settings", path = "/settings", tag = "impostazioni",
    responses((status = 204, description = "Impostazioni ripristinate"), (status = "default", body = Problem)), security(("sessione" = [])))]
pub async fn delete(State(app): State<Shared>, admin: Admin) -> ApiResult<StatusCode> {
    let now = app.clock.now_ms();
    app.write(move |_, tx| reset_settings(tx, now, &admin.visitor.actor))
        .await?;
    Ok(StatusCode::NO_CONTENT)
}
