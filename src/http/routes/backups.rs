//! How the server's own backups stand, for the panel's system page.
//! Must never be readable without a session: a failure names folders of the server.

use std::sync::PoisonError;

use axum::extract::State;

use crate::actions::settings;
use crate::backup::keep::{Standing, standing};
use crate::domain::settings::System;
use crate::http::admin::Admin;
use crate::http::problem::{ApiError, ApiResult};
use crate::http::state::Shared;

/// How the server's own backups stand.
#[utoipa::path(get, operation_id = "backups", path = "/system/backups", tag = "backup",
    responses((status = 200, body = Standing)))]
pub async fn get(State(app): State<Shared>, _admin: Admin) -> ApiResult<axum::Json<Standing>> {
    let now = app.clock.now_ms();
    let found = app.read(move |app, snapshot| {
        let frequency = settings::load::<System>(snapshot)?.backup_frequency;
        let Some(data) = &app.data else {
            // A demonstration.
            return Ok::<_, ApiError>(Standing::nothing(frequency));
        };
        let found = standing(data, frequency, now, &app.time_zone)
            .map_err(|error| ApiError::internal(&error))?;
        let unwritten = app.backup_failure.lock();
        let unwritten = unwritten.unwrap_or_else(PoisonError::into_inner).clone();
        Ok(Standing {
            last_error: unwritten.or(found.last_error),
            ..found
        })
    });
    Ok(axum::Json(found.await?))
}
