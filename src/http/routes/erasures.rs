//! Erasing reports: one, or those of a person, named one by one so that what was shown is what goes.
//! Must never erase by a search of its own, nor answer before the erasure is on disk.

use axum::extract::State;
use axum::http::{HeaderMap, header};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::report_query::Waiting;
use super::reports::{read_detail, version};
use super::rfc3339;
use crate::actions;
use crate::actions::erase_reports::{Outcome, erase_report, erase_reports, present};
use crate::actions::sealing::{open_or_stand_in, open_report};
use crate::backup::sweep_left_behind;
use crate::domain::invalid::Invalid;
use crate::domain::report::{Report, Stato};
use crate::http::admin::Admin;
use crate::http::json::Json;
use crate::http::path::ReportId;
use crate::http::problem::{ApiError, ApiResult};
use crate::http::state::{App, Shared};
use crate::search::{Request, Terms};
use crate::store::{ListFilter, ReportRow, Snapshot, Tx};

/// Reports erased by one call, and most that are listed as one person's.
const MOST: usize = 200;

/// What was erased.
#[derive(Debug, Serialize, ToSchema)]
pub struct Erasure {
    /// How many reports; those that were gone already are not among them.
    pub erased: usize,
    /// Whether every byte of them is gone from the data folder, its backups apart. Else they go as soon as the readings
    /// that are under way end, within a minute.
    pub settled: bool,
}

/// Reports to erase.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ErasureList {
    /// Their ids, 1 to 200.
    #[schema(min_items = 1, max_items = 200)]
    ids: Vec<String>,
}

/// The reports of one person.
#[derive(Debug, Serialize, ToSchema)]
pub struct SamePerson {
    /// Those with the same e-mail address or phone number, newest first, the one that was asked about included; 200 at
    /// most.
    pub data: Vec<SamePersonRow>,
    /// Whether there are more.
    pub more: bool,
}

/// A report of the same person.
#[derive(Debug, Serialize, ToSchema)]
pub struct SamePersonRow {
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
    /// Whether the e-mail address is the same.
    pub email: bool,
    /// Whether the phone number is the same.
    pub telefono: bool,
}

/// Erases a report for good, with its note, history and deliveries; with `If-Match` only on that version.
#[utoipa::path(delete, operation_id = "erase_report", path = "/reports/{id}", tag = "segnalazioni",
    params(("id" = String, Path, description = "36-character id"), ("If-Match" = Option<String>, Header, description = "Version that may be erased, in quotes")),
    responses((status = 200, body = Erasure)))]
pub async fn erase(
    State(app): State<Shared>,
    admin: Admin,
    ReportId(id): ReportId,
    headers: HeaderMap,
) -> ApiResult<axum::Json<Erasure>> {
    let version = headers
        .contains_key(header::IF_MATCH)
        .then(|| version(&headers))
        .transpose()?;
    let (now, target) = (app.clock.now_ms(), id.clone());
    let done = erased(&app, move |tx| {
        erase_report(tx, now, &admin.visitor.actor, &target, version)
    });
    match done.await? {
        Some(erasure) => Ok(axum::Json(erasure)),
        None => Err(ApiError::stale(&read_detail(&app, id).await?)),
    }
}

/// Erases the reports of these ids for good, all or none.
#[utoipa::path(post, operation_id = "erase_reports", path = "/reports/erasures", tag = "segnalazioni", request_body = ErasureList,
    responses((status = 200, body = Erasure)))]
pub async fn erase_many(
    State(app): State<Shared>,
    admin: Admin,
    Json(list): Json<ErasureList>,
) -> ApiResult<axum::Json<Erasure>> {
    if !(1..=MOST).contains(&list.ids.len()) {
        let message = format!("Indica da 1 a {MOST} segnalazioni.");
        return Err(ApiError::invalid(vec![Invalid::new(
            "ids", "range", message,
        )]));
    }
    let now = app.clock.now_ms();
    let done = erased(&app, move |tx| {
        erase_reports(tx, now, &admin.visitor.actor, &list.ids)
    });
    let erasure = done.await?;
    erasure
        .map(axum::Json)
        .ok_or_else(|| ApiError::defect("an erasure by ids names no version"))
}

/// The reports with the same e-mail address or phone number as this one.
#[utoipa::path(get, operation_id = "same_person", path = "/reports/{id}/same-person", tag = "segnalazioni",
    params(("id" = String, Path, description = "36-character id")),
    responses((status = 200, body = SamePerson)))]
pub async fn same_person(
    State(app): State<Shared>,
    _admin: Admin,
    ReportId(id): ReportId,
) -> ApiResult<axum::Json<SamePerson>> {
    let waiting = Waiting::default();
    let cancel = waiting.token();
    let found = app.read(move |app, snapshot| {
        let row = present(snapshot, &id)?;
        let person = open_report(snapshot, &app.vault, &row)?;
        let (all, filter) = (ListFilter::default(), [&person.email, &person.telefono]);
        let mut seqs = vec![row.seq];
        for terms in filter
            .into_iter()
            .filter_map(|text| Terms::new(text, false))
        {
            let request = Request {
                terms: &terms,
                filter: &all,
                cancel: &cancel,
            };
            seqs.extend(app.search.all(snapshot, &request)?);
        }
        seqs.sort_unstable();
        seqs.dedup();
        rows_of(app, snapshot, &person, &seqs)
    });
    Ok(axum::Json(found.await?))
}

/// Those of the arrival numbers whose report is of this person, newest first.
fn rows_of(
    app: &App,
    snapshot: &Snapshot<'_>,
    person: &Report,
    seqs: &[i64],
) -> ApiResult<SamePerson> {
    let mut found = SamePerson {
        data: Vec::new(),
        more: false,
    };
    for seq in seqs.iter().rev() {
        let Some(row) = snapshot.report_at(*seq)? else {
            continue;
        };
        let report = open_or_stand_in(snapshot, &app.vault, &row)?;
        let same = |one: &str, other: &str| !one.is_empty() && one.eq_ignore_ascii_case(other);
        let email = same(&person.email, &report.email);
        let telefono = same(&person.telefono, &report.telefono);
        if !email && !telefono {
            continue;
        }
        if found.data.len() == MOST {
            found.more = true;
            break;
        }
        found.data.push(row_out(row, report, email, telefono)?);
    }
    Ok(found)
}

fn row_out(
    row: ReportRow,
    report: Report,
    email: bool,
    telefono: bool,
) -> ApiResult<SamePersonRow> {
    Ok(SamePersonRow {
        nome: report.nome,
        cognome: report.cognome,
        data_creazione: rfc3339(row.data_creazione)?,
        id: row.id,
        stato: row.stato,
        email,
        telefono,
    })
}

/// Erases, and sees to it that nothing is left in memory and in the log of writes; `None` when the version was another. It
/// goes on to its end also when whoever asked hangs up.
async fn erased(
    app: &Shared,
    work: impl FnOnce(&Tx<'_>) -> actions::Result<Outcome> + Send + 'static,
) -> ApiResult<Option<Erasure>> {
    let app = Shared::clone(app);
    let whole = tokio::spawn(async move {
        let Outcome::Erased(seqs) = app.write(move |_, tx| work(tx)).await? else {
            return Ok(None);
        };
        app.store.note_erasure();
        app.search.forget(&seqs);
        let (store, data) = (std::sync::Arc::clone(&app.store), app.data.clone());
        let settled = tokio::task::spawn_blocking(move || {
            let outcome: actions::Result<()> = store.settle_erasures();
            if let Err(error) = outcome {
                // The reports are gone from the database; the timed work does the rest.
                tracing::warn!(%error, "an erasure could not be settled: tried again");
            }
            // A killed restore or backup may have left a whole archive, with what is erased now.
            let swept = data.as_deref().map_or(Ok(()), sweep_left_behind);
            if let Err(error) = &swept {
                tracing::warn!(%error, "what a killed program left stays behind: tried again");
            }
            store.erasures_are_settled() && swept.is_ok()
        });
        let settled = settled.await.map_err(|error| ApiError::internal(&error))?;
        Ok(Some(Erasure {
            erased: seqs.len(),
            settled,
        }))
    });
    whole.await.map_err(|error| ApiError::internal(&error))?
}
