//! How the server's own backups stand, for the panel's system page.
//! Must never be readable without a session: a failure names folders of the server.

use axum::extract::State;

use crate::backup::keep::{Standing, standing};
use crate::http::admin::Admin;
use crate::http::problem::{ApiError, ApiResult};
use crate::http::state::Shared;

/// How the server's own backups stand.
#[utoipa::path(get, operation_id = "backups", path = "/system/backups", tag = "backup",
    responses((status = 200, body = Standing)))]
pub async fn get(State(app): State<Shared>, _admin: Admin) -> ApiResult<axum::Json<Standing>> {
    let now = app.clock.now_ms();
    let frequency = app.settings()?.system.backup_frequency;
    let found = app.compute(move |app| {
        let Some(data) = &app.data else {
            // A demonstration.
            return Ok::<_, ApiError>(Standing::nothing(frequency));
        };
        let found = standing(data, frequency, now, &app.time_zone)
            .map_err(|error| ApiError::internal(error.as_ref()))?;
        let unwritten = app.backup_failure.lock().clone();
        Ok(Standing {
            last_error: unwritten.or(found.last_error),
            ..found
        })
    });
    Ok(axum::Json(found.await?))
}
