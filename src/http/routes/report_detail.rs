//! A whole report as it travels to an editor.
//! Must never travel to anybody else.

use serde::Serialize;
use utoipa::ToSchema;

use super::attachments::{Attachment, attachments_of};
use super::deliveries::{Delivery, delivery_out};
use crate::actions::comments::{Reminder, reminder};
use crate::actions::edit_reports::forwarded_at;
use crate::actions::retention::notice;
use crate::actions::sealing;
use crate::domain::care::Concern;
use crate::domain::label::numbers;
use crate::domain::moment::rfc3339;
use crate::domain::report::{Origine, Report, Stato};
use crate::domain::routing::{Department, Score};
use crate::http::problem::ApiResult;
use crate::http::state::App;
use crate::store::{ChangeKind, HistoryRow, ReportRow, Snapshot};

/// A whole report.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReportDetail {
    /// 36-character id.
    pub id: String,
    /// What the reporter left.
    #[serde(flatten)]
    pub report: Report,
    /// Status.
    pub stato: Stato,
    /// Key of its department.
    pub department: Department,
    /// Name of its department.
    pub department_name: &'static str,
    /// Why it is there, in Italian; empty for reports received before there was routing.
    pub routing_reason: String,
    /// The words that spoke most for the department that the analysis chose.
    pub matched_keywords: Vec<String>,
    /// How likely each department was, the likeliest first; empty when the text was not analysed.
    pub scores: Vec<Score>,
    /// The other department that it touches.
    #[schema(required)]
    pub secondary: Option<Department>,
    /// What its wording suggests, by the program's reading, which may be wrong; it stays when an editor decides otherwise.
    #[schema(required)]
    pub urgente: Option<Concern>,
    /// Whether it counts as urgent: what an editor decided, else whether the program read something.
    pub urgente_ora: bool,
    /// The way by which it came.
    pub origin: Origine,
    /// When staff forwarded it to the authorities; null where they did not, or took it back. RFC 3339, UTC.
    #[schema(required)]
    pub inoltrata: Option<String>,
    /// Its labels, by their numbers.
    pub labels: Vec<u8>,
    /// Id of the person that it is given to.
    #[schema(required)]
    pub assegnata_a: Option<String>,
    /// One's own reminder.
    #[schema(required)]
    pub reminder: Option<Reminder>,
    /// Internal note; empty when there is none.
    pub note: String,
    /// When it was received; RFC 3339, UTC.
    #[serde(rename = "data_creazione")]
    pub data_creazione: String,
    /// When it was last changed; RFC 3339, UTC.
    #[serde(rename = "data_aggiornamento")]
    pub data_aggiornamento: String,
    /// Grows with each change; the `ETag` in quotes.
    pub versione: i64,
    /// Version of the privacy notice that was shown.
    pub privacy_version: String,
    /// When its age erases it, if that is within the next 14 days; RFC 3339, UTC.
    #[schema(required)]
    pub scadenza: Option<String>,
    /// What happened to it, oldest first.
    pub storia: Vec<HistoryEntry>,
    /// Files that the reporter attached.
    pub attachments: Vec<Attachment>,
    /// Mail and webhook that it set in motion.
    pub consegne: Vec<Delivery>,
}

/// What can happen to a report.
#[derive(Debug, Clone, Copy, Default, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Event {
    /// It was received.
    #[default]
    Ricevuta,
    /// Staff opened it for the first time.
    Aperta,
    /// Its status changed.
    Stato,
    /// Its internal note changed.
    Note,
    /// A copy of it was made.
    Esportata,
    /// It was moved to another department.
    Reparto,
    /// Labels came or went.
    Etichette,
    /// An editor took back that it is urgent, or said that it is.
    Urgente,
    /// An editor noted that it was forwarded to the authorities, or took that back.
    Inoltrata,
    /// The newsroom wrote to the reporter.
    Messaggio,
    /// The reporter wrote.
    Risposta,
    /// It was given to a person, or to nobody any more.
    Assegnata,
}

/// Something that happened to a report.
#[derive(Debug, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct HistoryEntry {
    /// What.
    pub tipo: Event,
    /// When; RFC 3339, UTC.
    pub data: String,
    /// Status before, for a change of status.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Stato, required = false)]
    pub da: Option<Stato>,
    /// Status after, for a change of status.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Stato, required = false)]
    pub a: Option<Stato>,
    /// Department before, for a move.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false)]
    pub da_reparto: Option<Department>,
    /// Department after, for a move.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false)]
    pub a_reparto: Option<Department>,
    /// Whether it was urgent before, where an editor decided that.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false)]
    pub da_urgente: Option<bool>,
    /// Whether it was urgent from then on.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false)]
    pub a_urgente: Option<bool>,
    /// Whether it was forwarded to the authorities from then on.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false)]
    pub a_inoltrata: Option<bool>,
    /// Id of the person that it was given to before.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, required = false)]
    pub da_persona: Option<String>,
    /// Id of the person that it is given to from then on.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, required = false)]
    pub a_persona: Option<String>,
    /// Whose doing it was, by id; absent for the shared password, a reporter and the program itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, required = false)]
    pub author: Option<String>,
}

pub(super) fn detail_out(
    app: &App,
    snapshot: &Snapshot<'_>,
    row: ReportRow,
    asker: &str,
) -> ApiResult<ReportDetail> {
    let sealing::Content { report, analysis } = sealing::open_content(snapshot, &app.vault, &row)?;
    let arrived = analysis.department;
    let mut analysis = analysis.moved_to(row.department);
    if !snapshot.sight().has(arrived) {
        // It tells of what came to a desk out of sight.
        analysis.reason.clear();
    }
    let changes = snapshot.history(&row.id)?;
    Ok(ReportDetail {
        inoltrata: forwarded_at(&changes).map(rfc3339),
        storia: history(&row, changes),
        attachments: attachments_of(app, snapshot, &row.id)?,
        urgente_ora: row.urgente,
        origin: row.origine,
        labels: numbers(row.labels),
        reminder: reminder(snapshot, &app.vault, (&row.id, asker))?,
        assegnata_a: row.assegnata.clone(),
        report,
        department: analysis.department,
        department_name: analysis.department.name(),
        routing_reason: analysis.reason,
        matched_keywords: analysis.words,
        scores: analysis.scores,
        secondary: analysis.secondary,
        urgente: analysis.urgente,
        note: sealing::open_note(snapshot, &app.vault, &row)?,
        data_creazione: rfc3339(row.data_creazione),
        data_aggiornamento: rfc3339(row.data_aggiornamento),
        versione: row.versione,
        consegne: deliveries(snapshot, &row.id)?,
        scadenza: goes_at(snapshot, &row.id, app.clock.now_ms())?.map(rfc3339),
        id: row.id,
        stato: row.stato,
        privacy_version: row.privacy_version,
    })
}

fn goes_at(snapshot: &Snapshot<'_>, id: &str, now: i64) -> ApiResult<Option<i64>> {
    let Some(notice) = notice(snapshot, now)? else {
        return Ok(None);
    };
    Ok(snapshot.goes_at(&notice, id, now)?)
}

fn deliveries(snapshot: &Snapshot<'_>, id: &str) -> ApiResult<Vec<Delivery>> {
    let deliveries = snapshot.deliveries_of(id)?.into_iter();
    let mut deliveries: Vec<_> = deliveries.map(delivery_out).collect();
    if !snapshot.sight().is_all() {
        // Their own numbers count those of all departments.
        for (number, delivery) in (1..).zip(&mut deliveries) {
            delivery.id = number;
        }
    }
    Ok(deliveries)
}

/// What happened, in order: receipt and first opening stand in the report's own row.
fn history(row: &ReportRow, changes: Vec<HistoryRow>) -> Vec<HistoryEntry> {
    let mut events = vec![(row.data_creazione, plain(Event::Ricevuta))];
    events.extend(row.aperta.map(|at| (at, plain(Event::Aperta))));
    events.extend(changes.into_iter().map(|change| (change.at, entry(change))));
    events.sort_by_key(|(at, _)| *at);
    let dated = |(at, entry)| HistoryEntry {
        data: rfc3339(at),
        ..entry
    };
    events.into_iter().map(dated).collect()
}

fn plain(tipo: Event) -> HistoryEntry {
    HistoryEntry {
        tipo,
        ..HistoryEntry::default()
    }
}

fn entry(mut change: HistoryRow) -> HistoryEntry {
    HistoryEntry {
        author: change.author.take(),
        ..turned(change)
    }
}

fn turned(change: HistoryRow) -> HistoryEntry {
    let stato = |name: Option<String>| Stato::parse(&name?);
    let department = |key: Option<String>| Department::parse(&key?);
    let yes = |flag: Option<String>| flag.map(|flag| flag == "1");
    match change.kind {
        ChangeKind::Stato => HistoryEntry {
            da: stato(change.da),
            a: stato(change.a),
            ..plain(Event::Stato)
        },
        ChangeKind::Reparto => HistoryEntry {
            da_reparto: department(change.da),
            a_reparto: department(change.a),
            ..plain(Event::Reparto)
        },
        ChangeKind::Urgente => HistoryEntry {
            da_urgente: yes(change.da),
            a_urgente: yes(change.a),
            ..plain(Event::Urgente)
        },
        ChangeKind::Etichette => plain(Event::Etichette),
        ChangeKind::Inoltrata => HistoryEntry {
            a_inoltrata: yes(change.a),
            ..plain(Event::Inoltrata)
        },
        ChangeKind::Assegnata => HistoryEntry {
            da_persona: change.da,
            a_persona: change.a,
            ..plain(Event::Assegnata)
        },
        ChangeKind::Note => plain(Event::Note),
        ChangeKind::Esportata => plain(Event::Esportata),
        ChangeKind::Messaggio => plain(Event::Messaggio),
        ChangeKind::Risposta => plain(Event::Risposta),
    }
}
