//! What the age of reports erases: how many soon, which ones, how many so far.
//! Must never name a report that stays.

use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;

use super::rfc3339;
use crate::actions::expire_reports::{outlook, soon_to_go};
use crate::actions::sealing::open_or_stand_in;
use crate::domain::report::Stato;
use crate::domain::retention::{DAY_MS, WARNING_MS};
use crate::http::admin::Admin;
use crate::http::problem::{ApiError, ApiResult};
use crate::http::state::Shared;

/// Reports that are listed.
const MOST: usize = 200;

/// How long reports are kept, and what that erases.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Retention {
    /// Days for which closed reports are kept; 0: without limit.
    pub days: u32,
    /// Days for which the panel warns.
    pub warning_days: i64,
    /// Reports that will be erased within those days.
    pub warned: i64,
    /// When the first of them goes; RFC 3339, UTC.
    #[schema(required)]
    pub next: Option<String>,
    /// Reports that are old enough and stay, because nobody has opened them or they are not closed.
    pub spared: i64,
    /// Reports erased by their age so far.
    pub expired: i64,
    /// Reports erased because an editor asked for it so far.
    pub erased: i64,
}

/// How long reports are kept, and what that erases.
#[utoipa::path(get, operation_id = "retention", path = "/retention", tag = "impostazioni",
    responses((status = 200, body = Retention)))]
pub async fn get(State(app): State<Shared>, _admin: Admin) -> ApiResult<axum::Json<Retention>> {
    let now = app.clock.now_ms();
    let retention = app.read(move |_, snapshot| {
        let (days, outlook) = outlook(snapshot, now)?;
        let erasures = snapshot.erasures()?;
        Ok::<_, ApiError>(Retention {
            days,
            warning_days: WARNING_MS / DAY_MS,
            warned: outlook.warned,
            next: outlook.next.map(rfc3339).transpose()?,
            spared: outlook.spared,
            expired: erasures.by_age,
            erased: erasures.on_request,
        })
    });
    Ok(axum::Json(retention.await?))
}

/// Reports that will be erased soon.
#[derive(Debug, Serialize, ToSchema)]
pub struct Expiring {
    /// The first to go first; 200 at most.
    pub data: Vec<ExpiringRow>,
}

/// A report that will be erased soon.
#[derive(Debug, Serialize, ToSchema)]
pub struct ExpiringRow {
    /// 36-character id.
    pub id: String,
    /// First name.
    pub nome: String,
    /// Surname.
    pub cognome: String,
    /// When it was received; RFC 3339, UTC.
    pub data_creazione: String,
    /// Status.
    pub stato: Stato,
    /// When it goes; RFC 3339, UTC.
    pub scadenza: String,
}

/// The reports that their age erases within the time of the warning.
#[utoipa::path(get, operation_id = "expiring_reports", path = "/retention/reports", tag = "segnalazioni",
    responses((status = 200, body = Expiring)))]
pub async fn reports(State(app): State<Shared>, _admin: Admin) -> ApiResult<axum::Json<Expiring>> {
    let now = app.clock.now_ms();
    let list = app.read(move |app, snapshot| {
        let mut data = Vec::new();
        for (id, goes_at) in soon_to_go(snapshot, now, MOST)? {
            let Some(row) = snapshot.report(&id)? else {
                continue;
            };
            let report = open_or_stand_in(snapshot, &app.vault, &row)?;
            data.push(ExpiringRow {
                id,
                nome: report.nome,
                cognome: report.cognome,
                data_creazione: rfc3339(row.data_creazione)?,
                stato: row.stato,
                scadenza: rfc3339(goes_at)?,
            });
        }
        Ok::<_, ApiError>(Expiring { data })
    });
    Ok(axum::Json(list.await?))
}
