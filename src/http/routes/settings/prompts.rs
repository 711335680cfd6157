//! The phrases of the chat, as the panel reads, saves and resets them.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use crate::actions;
use crate::actions::intake::converse::{self, ChatAnswer, HeldConversation};
use crate::actions::settings::in_force::InForce;
use crate::actions::settings::sections::{load, preview, reset, save};
use crate::domain::callout::{Callout, refusals};
use crate::domain::chat::{CalloutVersion, Rules};
use crate::domain::invalid::verdict;
use crate::domain::phrases::Phrases;
use crate::http::routes::intake::chat::ChatReply;
use crate::http::routes::{Administrator, Answer, Editor, Json};
use crate::readings::Reading;
use crate::store::Snapshot;

/// A turn of a rehearsal: the conversation with phrases that are not saved.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Rehearsal)]
pub struct RehearsalTurn {
    /// The phrases to try; those that are absent are the saved ones.
    #[schema(value_type = Phrases)]
    prompts: Map<String, Value>,
    /// Token of the answer before; absent at the beginning.
    conversation: Option<String>,
    /// The text of the turn; absent at the beginning.
    #[serde(default)]
    text: String,
    /// The callout to try, as it would be saved.
    callout: Option<Callout>,
}

/// The phrases, over their defaults.
#[utoipa::path(get, path = "/prompts", tag = "frasi", responses((status = 200, body = Phrases)))]
pub async fn prompts(admin: Administrator) -> Answer<Phrases> {
    let phrases = admin.read(|_, snapshot| load(snapshot));
    phrases.await.map(Json)
}

/// Saves phrases; absent phrases keep their text.
#[utoipa::path(put, operation_id = "save_prompts", path = "/prompts", tag = "frasi", request_body = Phrases,
    responses((status = 200, body = Phrases)))]
pub async fn put(admin: Administrator, Json(body): Json<Map<String, Value>>) -> Answer<Phrases> {
    let saved = admin.change(move |act| save(act, body));
    saved.await.map(Json)
}

/// Resets every phrase to its default.
#[utoipa::path(delete, path = "/prompts", tag = "frasi", responses((status = 200, body = Phrases)))]
pub async fn reset_prompts(admin: Administrator) -> Answer<Phrases> {
    admin.change(reset).await.map(Json)
}

/// Answers one turn of a trial conversation, with phrases that are not saved. Nothing is stored, and the conversation
/// cannot become a report.
#[utoipa::path(post, path = "/prompts/try", tag = "frasi", request_body = RehearsalTurn,
    responses((status = 200, body = ChatReply)))]
pub async fn rehearse(editor: Editor, Json(said): Json<RehearsalTurn>) -> Answer<ChatReply> {
    let settings = editor.settings().await?;
    let turn = editor.read(move |reading, snapshot| rehearsed(reading, snapshot, &settings, said));
    Ok(Json(ChatReply {
        report_id: None,
        ..ChatReply::new(turn.await?)
    }))
}

fn rehearsed(
    reading: Reading<'_>,
    snapshot: &Snapshot<'_>,
    settings: &InForce,
    said: RehearsalTurn,
) -> actions::Result<ChatAnswer> {
    let phrases = preview(snapshot, said.prompts)?;
    let mut rules = Rules::new(&phrases, &settings.security, &settings.system);
    rules.rehearsal = true;
    if let Some(callout) = said.callout {
        verdict(refusals(&callout).into_iter()).map_err(actions::Error::Invalid)?;
        rules = rules.of_callout(&Arc::new(CalloutVersion {
            callout,
            ..CalloutVersion::default()
        }));
    }
    let now = reading.clock.now_ms();
    match said.conversation {
        Some(token) => {
            let held = HeldConversation::open(&reading.vault, &token, now)?;
            converse::answer(&rules, &reading.vault, held, &said.text, |_| None)
        }
        None => converse::begin(&rules, &reading.vault, now, &reading.time_zone),
    }
}
