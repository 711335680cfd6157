//! How the server's own backups stand, for the panel's system page.
//! Must never be readable without a session: a failure names folders of the server.

use std::sync::PoisonError;

use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;

use super::rfc3339;
use crate::actions::settings;
use crate::backup::keep::{Failure, Filed, Last, Rehearsal, Standing, standing};
use crate::domain::settings::{BackupFrequency, System};
use crate::http::admin::Admin;
use crate::http::problem::{ApiError, ApiResult};
use crate::http::state::Shared;

/// The server's own backups.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Backups {
    /// How often one is made.
    pub frequency: BackupFrequency,
    /// The newest; null when there is none.
    #[schema(required)]
    pub last: Option<LastBackup>,
    /// The last try that failed; null when none has since the newest.
    #[schema(required)]
    pub last_error: Option<BackupError>,
    /// Whether the newest good one is older than the schedule allows.
    pub overdue: bool,
    /// The last rehearsal of a restore; null before the first.
    #[schema(required)]
    pub rehearsal: Option<BackupRehearsal>,
    /// Whether somebody must do something: `overdue`, or a rehearsal that failed.
    pub alarming: bool,
    /// Every backup of the folder `backups`, newest first.
    pub files: Vec<BackupFile>,
}

/// A backup that lies on the server.
#[derive(Debug, Serialize, ToSchema)]
pub struct BackupFile {
    /// Its name.
    pub name: String,
    /// When it was begun; RFC 3339, UTC.
    pub at: String,
    /// Its length.
    pub bytes: u64,
    /// Whether it was read back to its end and found good; null when it was not read yet.
    #[schema(required)]
    pub good: Option<bool>,
}

/// The newest backup.
#[derive(Debug, Serialize, ToSchema)]
pub struct LastBackup {
    /// When it was begun; RFC 3339, UTC.
    pub at: String,
    /// Its length.
    pub bytes: u64,
    /// Whether it was read back to its end and found good.
    pub verified: bool,
}

/// A try that failed.
#[derive(Debug, Serialize, ToSchema)]
pub struct BackupError {
    /// When; RFC 3339, UTC.
    pub at: String,
    /// Why.
    pub message: String,
}

/// A restore that was tried in a folder of its own.
#[derive(Debug, Serialize, ToSchema)]
pub struct BackupRehearsal {
    /// When; RFC 3339, UTC.
    pub at: String,
    /// Whether the backup could be gone back to.
    pub ok: bool,
    /// Why not; null when it could.
    #[schema(required)]
    pub message: Option<String>,
    /// Whether a report was opened; false where the archive was locked (sealed mode, nobody logged in): then only its
    /// structure was verified. Null where it failed, or there was none to open.
    #[schema(required)]
    pub opened: Option<bool>,
}

/// How the server's own backups stand.
#[utoipa::path(get, operation_id = "backups", path = "/system/backups", tag = "backup",
    responses((status = 200, body = Backups)))]
pub async fn get(State(app): State<Shared>, _admin: Admin) -> ApiResult<axum::Json<Backups>> {
    let now = app.clock.now_ms();
    let found = app
        .read(move |app, snapshot| {
            let frequency = settings::load::<System>(snapshot)?.backup_frequency;
            let Some(data) = &app.data else {
                return Ok::<_, ApiError>(nothing(frequency));
            };
            let found = standing(data, frequency, now, &app.time_zone)
                .map_err(|error| ApiError::internal(&error))?;
            let unwritten = app.backup_failure.lock();
            let unwritten = unwritten.unwrap_or_else(PoisonError::into_inner).clone();
            Ok(Standing {
                failure: unwritten.or(found.failure),
                ..found
            })
        })
        .await?;
    Ok(axum::Json(travelling(found)?))
}

/// A demonstration has no folder.
fn nothing(frequency: BackupFrequency) -> Standing {
    Standing {
        ahead: 0,
        frequency,
        last: None,
        failure: None,
        overdue: false,
        rehearsal: None,
        files: Vec::new(),
    }
}

fn travelling(standing: Standing) -> ApiResult<Backups> {
    let last = |last: Last| {
        Ok::<_, ApiError>(LastBackup {
            at: rfc3339(last.at)?,
            bytes: last.bytes,
            verified: last.verified,
        })
    };
    let error = |failure: Failure| {
        Ok::<_, ApiError>(BackupError {
            at: rfc3339(failure.at)?,
            message: failure.message,
        })
    };
    let rehearsal = |rehearsal: Rehearsal| {
        Ok::<_, ApiError>(BackupRehearsal {
            at: rfc3339(rehearsal.at)?,
            ok: rehearsal.failure.is_none(),
            message: rehearsal.failure,
            opened: rehearsal.opened,
        })
    };
    let file = |file: Filed| {
        Ok::<_, ApiError>(BackupFile {
            at: rfc3339(file.at)?,
            name: file.name,
            bytes: file.bytes,
            good: file.good,
        })
    };
    Ok(Backups {
        alarming: standing.alarming(),
        files: standing
            .files
            .into_iter()
            .map(file)
            .collect::<ApiResult<_>>()?,
        frequency: standing.frequency,
        last: standing.last.map(last).transpose()?,
        last_error: standing.failure.map(error).transpose()?,
        overdue: standing.overdue,
        rehearsal: standing.rehearsal.map(rehearsal).transpose()?,
    })
}
