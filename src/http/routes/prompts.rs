//! The phrases of the chat, as the panel reads, saves and resets them.
//! Must never save a phrase with a placeholder that would stand unfilled before a reporter.

use axum::extract::State;
use serde::Deserialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;
use uuid::Uuid;

use super::chat::ChatReply;
use crate::actions::converse::{self, Script};
use crate::actions::save_settings::{preview, reset, save};
use crate::actions::settings::load;
use crate::domain::phrases::Phrases;
use crate::http::admin::Admin;
use crate::http::json::Json;
use crate::http::problem::ApiResult;
use crate::http::state::Shared;

/// A turn of a rehearsal: the conversation with phrases that are not saved.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Rehearsal {
    /// The phrases to try; those that are absent are the saved ones.
    #[schema(value_type = Phrases)]
    prompts: Map<String, Value>,
    /// Token of the answer before; absent at the beginning.
    conversation: Option<String>,
    /// What is said; nothing at the beginning.
    #[serde(default)]
    text: String,
}

/// The phrases, over their defaults.
#[utoipa::path(get, operation_id = "prompts", path = "/prompts", tag = "frasi",
    responses((status = 200, body = Phrases)))]
pub async fn get(State(app): State<Shared>, _admin: Admin) -> ApiResult<axum::Json<Phrases>> {
    Ok(axum::Json(app.read(|_, snapshot| load(snapshot)).await?))
}

/// Saves phrases; those that are absent stay.
#[utoipa::path(put, operation_id = "save_prompts", path = "/prompts", tag = "frasi", request_body = Phrases,
    responses((status = 200, body = Phrases)))]
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
#[utoipa::path(delete, operation_id = "reset_prompts", path = "/prompts", tag = "frasi",
    responses((status = 200, body = Phrases)))]
pub async fn delete(State(app): State<Shared>, admin: Admin) -> ApiResult<axum::Json<Phrases>> {
    let now = app.clock.now_ms();
    Ok(axum::Json(
        app.write(move |_, tx| reset(tx, now, &admin.visitor.actor))
            .await?,
    ))
}

/// Answers one turn with phrases that are not saved. Nothing is stored, and nothing of it can become a report.
#[utoipa::path(post, path = "/prompts/try", tag = "frasi", request_body = Rehearsal,
    responses((status = 200, body = ChatReply)))]
pub async fn rehearse(
    State(app): State<Shared>,
    _admin: Admin,
    Json(said): Json<Rehearsal>,
) -> ApiResult<axum::Json<ChatReply>> {
    let settings = app.settings()?;
    let turn = app
        .read(move |app, snapshot| {
            let phrases = preview(snapshot, said.prompts)?;
            let script = Script::rehearsal(&phrases, &settings.security, &settings.system);
            match said.conversation {
                Some(token) => converse::answer(&script, &app.vault, &token, &said.text),
                None => converse::begin(&script, &app.vault, Uuid::new_v4().to_string()),
            }
        })
        .await?;
    Ok(axum::Json(ChatReply {
        report_id: None,
        ..ChatReply::new(turn)
    }))
}
