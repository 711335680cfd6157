//! The phrases of the chat, as the panel reads, saves and resets them.
//! Must never save a phrase with a placeholder that would stand unfilled before a reporter.

use axum::extract::State;
use serde_json::{Map, Value};

use crate::actions::save_settings::{reset, save};
use crate::actions::settings::load;
use crate::domain::phrases::Phrases;
use crate::http::admin::Admin;
use crate::http::json::Json;
use crate::http::problem::{ApiResult, Problem};
use crate::http::state::Shared;

/// The phrases, over their defaults.
#[utoipa::path(get, path = "/prompts", tag = "frasi",
    responses((status = 200, body = Phrases), (status = "default", body = Problem)), security(("sessione" = [])))]
pub async fn get(State(app): State<Shared>, _admin: Admin) -> ApiResult<axum::Json<Phrases>> {
    Ok(axum::Json(app.read(|_, snapshot| load(snapshot)).await?))
}

/// Saves phrases; those that are absent stay.
#[utoipa::path(put, path = "/prompts", tag = "frasi", request_body = Phrases,
    responses((status = 200, body = Phrases), (status = "default", body = Problem)), security(("sessione" = [])))]
pub async fn put(
    State(app): State<Shared>,
    admin: Admin,
    Json(body): Json<Map<String, Value>>,
) -> ApiResult<axum::Json<Phrases>> {
    let now = app.clock.now_ms();
    Ok(axum::Json(
        app.write(move |_, tx| save(tx, now, &admin.visitor.actor, body))
            .await?,
    ))
}

/// Puts every phrase back to its default.
#[utoipa::path(delete, path = "/prompts", tag = "frasi",
    responses((status = 200, body = Phrases), (status = "default", body = Problem)), security(("sessione" = [])))]
pub async fn delete(State(app): State<Shared>, admin: Admin) -> ApiResult<axum::Json<Phrases>> {
    let now = app.clock.now_ms();
    Ok(axum::Json(
        app.write(move |_, tx| reset(tx, now, &admin.visitor.actor))
            .await?,
    ))
}
