//! What routing remembers of reports that staff moved: how many moves, and forgetting them (`PRODUCT.md §5`).
//! Must never tell which reports these are.

use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;

use crate::actions::routing_memory::forget_moves;
use crate::http::admin::Admin;
use crate::http::problem::ApiResult;
use crate::http::state::Shared;

/// What routing remembers.
#[derive(Debug, Serialize, ToSchema)]
pub struct RoutingMemory {
    /// Reports that staff moved, and that near copies follow.
    pub moves: i64,
}

/// What routing remembers of reports that staff moved.
#[utoipa::path(get, operation_id = "routing_memory", path = "/routing/memory", tag = "impostazioni",
    responses((status = 200, body = RoutingMemory)))]
pub async fn get(State(app): State<Shared>, _admin: Admin) -> ApiResult<axum::Json<RoutingMemory>> {
    let moves = app.read(|_, snapshot| snapshot.move_count()).await?;
    Ok(axum::Json(RoutingMemory { moves }))
}

/// Forgets every move. Reports stay where they are.
#[utoipa::path(delete, operation_id = "forget_routing_memory", path = "/routing/memory", tag = "impostazioni",
    responses((status = 200, body = RoutingMemory)))]
pub async fn delete(
    State(app): State<Shared>,
    admin: Admin,
) -> ApiResult<axum::Json<RoutingMemory>> {
    let now = app.clock.now_ms();
    app.write(move |_, tx| forget_moves(tx, now, &admin.visitor.actor))
        .await?;
    Ok(axum::Json(RoutingMemory { moves: 0 }))
}
