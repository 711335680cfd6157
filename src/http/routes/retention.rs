//! What the age of reports erases: how many soon, which ones, how many so far.
//! Must never name a report that stays.

use serde::Serialize;
use utoipa::ToSchema;

use super::{Answer, ReportHead, rfc3339};
use crate::actions::retention::{outlook, soon_to_go};
use crate::actions::sealing::open_or_stand_in;
use crate::domain::retention::{DAY_MS, WARNING_MS};
use crate::http::admin::Admin;
use crate::http::problem::ApiError;

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
pub async fn get(admin: Admin) -> Answer<Retention> {
    let retention = admin.read(|app, snapshot| {
        let (days, outlook) = outlook(snapshot, app.clock.now_ms())?;
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
    retention.await.map(axum::Json)
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
    #[serde(flatten)]
    head: ReportHead,
    /// When it goes; RFC 3339, UTC.
    pub scadenza: String,
}

/// The reports that their age erases within the time of the warning.
#[utoipa::path(get, operation_id = "expiring_reports", path = "/retention/reports", tag = "segnalazioni",
    responses((status = 200, body = Expiring)))]
pub async fn reports(admin: Admin) -> Answer<Expiring> {
    let list = admin.read(|app, snapshot| {
        let mut data = Vec::new();
        for (id, goes_at) in soon_to_go(snapshot, app.clock.now_ms(), MOST)? {
            let Some(row) = snapshot.report(&id)? else {
                continue;
            };
            let report = open_or_stand_in(snapshot, &app.vault, &row)?;
            data.push(ExpiringRow {
                head: ReportHead::of(&row, &report)?,
                scadenza: rfc3339(goes_at)?,
            });
        }
        Ok::<_, ApiError>(Expiring { data })
    });
    list.await.map(axum::Json)
}
