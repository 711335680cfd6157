//! Tries routing out: on a text, and on the latest reports under settings that are not saved yet. Also what it remembers of
//! reports that staff moved, and forgetting that (`PRODUCT.md §11`).

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use crate::actions::desk::routing_memory::forget_moves;
use crate::domain::settings::{Email, RoutingMode};
use crate::domain::text::char_count;
use crate::http::routes::{Administrator, Answer, Json, Shared, refusal};
use crate::readings::desk::routing::{self, DryRun, RoutingResult};

/// Longest text to try, in characters: as long as an account may be.
const TEXT_CHARS: usize = 20_000;

/// A text to try.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RoutingTrial {
    /// The text.
    #[schema(max_length = 20_000)]
    text: String,
    /// How to route it; as saved when absent.
    mode: Option<RoutingMode>,
}

/// Where a text would go under the saved settings. Nothing is stored.
#[utoipa::path(post, operation_id = "preview_routing", path = "/routing/preview", tag = "impostazioni",
    request_body = RoutingTrial,
    responses((status = 200, body = RoutingResult)))]
pub async fn preview_routing(
    admin: Administrator,
    Json(trial): Json<RoutingTrial>,
) -> Answer<RoutingResult> {
    if char_count(&trial.text) > TEXT_CHARS {
        let message = format!("Testo troppo lungo: al massimo {TEXT_CHARS} caratteri.");
        return Err(refusal("text", "tooLong", message));
    }
    let revision = admin.store.revision();
    let RoutingTrial { text, mode } = trial;
    let app = Shared::clone(&admin);
    let result = admin.read(move |reading, snapshot| {
        let memory = app.memory.get(revision, snapshot, &reading.vault)?;
        routing::preview(snapshot, &memory, mode, &text)
    });
    Ok(Json(result.await?))
}

/// Tries e-mail settings on the latest reports without saving them. Absent keys keep their saved values. Nothing is
/// stored.
#[utoipa::path(post, operation_id = "dry_run_routing", path = "/routing/dry-run", tag = "impostazioni", request_body = Email,
    responses((status = 200, body = DryRun)))]
pub async fn dry_run(admin: Administrator, Json(body): Json<Map<String, Value>>) -> Answer<DryRun> {
    let revision = admin.store.revision();
    let app = Shared::clone(&admin);
    let run = admin.read(move |reading, snapshot| {
        let memory = app.memory.get(revision, snapshot, &reading.vault)?;
        routing::dry_run(reading, snapshot, &memory, body)
    });
    Ok(Json(run.await?))
}

/// The number of moves that routing has learned from.
#[derive(Debug, Serialize, ToSchema)]
pub struct RoutingMemory {
    /// The number of moved reports whose near copies go to the same department.
    pub moves: i64,
}

/// How many moved reports routing has learned from.
#[utoipa::path(get, path = "/routing/memory", tag = "impostazioni", responses((status = 200, body = RoutingMemory)))]
pub async fn routing_memory(admin: Administrator) -> Answer<RoutingMemory> {
    let moves = admin.read(|_, snapshot| snapshot.move_count()).await?;
    Ok(Json(RoutingMemory { moves }))
}

/// Deletes what routing has learned from moved reports. Reports stay in their departments.
#[utoipa::path(delete, path = "/routing/memory", tag = "impostazioni", responses((status = 200, body = RoutingMemory)))]
pub async fn forget_routing_memory(admin: Administrator) -> Answer<RoutingMemory> {
    admin.change(forget_moves).await?;
    admin.memory.forget(admin.store.revision());
    Ok(Json(RoutingMemory { moves: 0 }))
}
