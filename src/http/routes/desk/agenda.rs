//! What the caller has to look at, reports that are put off, and who has a report open.

use axum::response::NoContent;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::actions::desk::edit_reports::present;
use crate::actions::desk::snooze::{SnoozeIn, put_off, take_up};
use crate::domain::calendar::soon;
use crate::domain::moment::rfc3339;
use crate::http::path::ReportId;
use crate::http::presence::PersonPresent;
use crate::http::routes::{
    Answer, ApiError, ApiResult, Editor, Json, List, Reader, ReportHead, list_of,
};
use crate::store::AgendaReason;

/// Reports that are named, at most.
const MOST: usize = 200;
const SHARED: &str = "Password condivisa";

/// What the caller has to look at.
#[derive(Serialize, ToSchema)]
pub struct Agenda {
    /// How many reports.
    reports: i64,
    /// What: 200 at most, first what is due, then answers, then the latest of the others. A report stands there once for each reason.
    data: Vec<AgendaEntry>,
}

/// A report to look at.
#[derive(Serialize, ToSchema)]
pub struct AgendaEntry {
    /// 36-character id.
    id: String,
    /// Why.
    why: AgendaReason,
    /// Since when; of what is due, by when. RFC 3339, UTC.
    at: String,
    /// The report.
    report: ReportHead,
}

/// Whether the caller is writing.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PresenceIn {
    /// Whether a comment, a message or the note is being written.
    pub writing: bool,
}

/// What the caller has to look at. The shared password counts as one person, to whom nothing can be given.
#[utoipa::path(get, operation_id = "agenda", path = "/desk/mine", tag = "segnalazioni", responses((status = 200, body = Agenda)))]
pub async fn mine(reader: Reader) -> Answer<Agenda> {
    let who = reader.visitor.actor.author();
    let read = reader.read(move |app, snapshot| {
        let (who, now) = (who.as_deref(), app.clock.now_ms());
        let due = soon(now, &app.time_zone);
        let mut data = Vec::new();
        for (seq, why, at) in snapshot.agenda(who, now, due, MOST)? {
            if let Some(row) = snapshot.listed_at(seq)? {
                let (id, report) = (row.id.clone(), ReportHead::open(app, snapshot, row)?);
                data.push(AgendaEntry {
                    id,
                    why,
                    at: rfc3339(at),
                    report,
                });
            }
        }
        let reports = snapshot.agenda_reports(who, now, due)?;
        Ok::<_, ApiError>(Agenda { reports, data })
    });
    read.await.map(Json)
}

/// Puts a report off, for everybody who sees it: it is out of the list until then, or until its reporter writes.
#[utoipa::path(put, operation_id = "snooze", path = "/reports/{id}/snooze", tag = "segnalazioni", params(ReportId),
    request_body = SnoozeIn, responses((status = 204, description = "Rinviata")))]
pub async fn snooze(
    editor: Editor,
    ReportId(id): ReportId,
    Json(asked): Json<SnoozeIn>,
) -> ApiResult<NoContent> {
    let put = editor.change(move |act| put_off(act, &id, asked));
    put.await.map(|()| NoContent)
}

/// Takes a report that was put off back into the list.
#[utoipa::path(delete, operation_id = "unsnooze", path = "/reports/{id}/snooze", tag = "segnalazioni", params(ReportId),
    responses((status = 204, description = "Di nuovo nell'elenco")))]
pub async fn unsnooze(editor: Editor, ReportId(id): ReportId) -> ApiResult<NoContent> {
    let taken = editor.change(move |act| take_up(act, &id));
    taken.await.map(|()| NoContent)
}

/// Says that the caller has a report open, for 15 seconds; answers who else has.
#[utoipa::path(post, operation_id = "note_presence", path = "/reports/{id}/presence", tag = "segnalazioni", params(ReportId),
    request_body = PresenceIn, responses((status = 200, body = List<PersonPresent>)))]
pub async fn note_presence(
    reader: Reader,
    ReportId(id): ReportId,
    Json(PresenceIn { writing }): Json<PresenceIn>,
) -> Answer<List<PersonPresent>> {
    let report = id.clone();
    let seen = reader.read(move |_, snapshot| present(snapshot, &report).map(drop));
    seen.await?;
    let name = reader.person().map(|person| person.name.clone());
    let name = name.unwrap_or_else(|| SHARED.to_owned());
    let now = reader.clock.now_ms();
    let person = PersonPresent { name, writing };
    // A person is one in all their browsers; the shared password is another in each.
    let who = reader.visitor.actor.author();
    let who = who.unwrap_or_else(|| hex::encode(reader.token_hash));
    reader.presence.note(&id, who.clone(), person, now);
    let others = reader.presence.others(&id, &who, now);
    Ok(Json(list_of(others)))
}
