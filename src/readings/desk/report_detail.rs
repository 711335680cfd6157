//! A whole report as it travels to an editor.

use std::collections::HashMap;

use serde::Serialize;
use utoipa::ToSchema;

use crate::actions;
use crate::actions::archive::sealing;
use crate::actions::desk::edit_reports::forwarded_at;
use crate::actions::desk::snooze::{Snooze, snooze};
use crate::actions::reporter::consents_of;
use crate::domain::asked::AskedConsent;
use crate::domain::callout::CalloutAnswers;
use crate::domain::care::grave_words;
use crate::domain::label::numbers;
use crate::domain::message::Withdrawal;
use crate::domain::moment::{self, rfc3339};
use crate::domain::report::{ADDITION_HEADING, Origine, Report, Stato};
use crate::domain::routing::{Analysis, DepartmentKey, Departments};
use crate::readings::archive::retention::goes_at;
use crate::readings::desk::attachments::{Attachment, attachments_of};
use crate::readings::desk::stories::{StoryPlace, story_places};
use crate::readings::{PersonHead, Reading, people_heads};
use crate::store::{ChangeKind, DeliveryRow, HistoryRow, ListRow, ReportRow, Snapshot};

/// A whole report.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReportDetail {
    /// 36-character id.
    pub id: String,
    /// The reporter's data.
    #[serde(flatten)]
    pub report: Report,
    #[serde(flatten)]
    pub callout: CalloutAnswers,
    /// Status.
    pub stato: Stato,
    /// Its department with the reasons, and the concern that its wording suggests. Both are the program's reading and
    /// may be wrong.
    #[serde(flatten)]
    pub analysis: Analysis,
    /// Name of its department.
    pub department_name: String,
    /// Whether its sender is set aside.
    pub aside: bool,
    /// When the caller opened it before they opened it last: what came since is new to them; null for never. RFC 3339, UTC.
    pub last_seen: Option<String>,
    /// The words of the account that suggest the concern, as they stand there; empty where only all of it together does.
    pub urgent_words: Vec<String>,
    /// Whether it counts as urgent: what an editor decided, else whether the program read something.
    pub urgente_ora: bool,
    /// The channel through which it was received.
    pub origin: Origine,
    /// When staff forwarded it to the authorities; null where they did not, or took it back. RFC 3339, UTC.
    pub inoltrata: Option<String>,
    /// Its labels, by their numbers.
    pub labels: Vec<u8>,
    #[serde(flatten)]
    pub story_place: StoryPlace,
    /// Id of the person that the report is assigned to.
    pub assegnata_a: Option<String>,
    /// The open request of its reporter to withdraw it.
    pub withdrawal: Option<Withdrawal>,
    /// The next open promise to its reporter; null if there is none.
    pub due: Option<DuePromise>,
    /// Its snooze, which may be over.
    pub snooze: Option<SnoozeOut>,
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
    /// When it will be erased because of its age, if that is within the next 14 days; RFC 3339, UTC.
    pub scadenza: Option<String>,
    /// Its history, oldest first.
    pub storia: Vec<HistoryEntry>,
    /// The consents that its reporter was asked for. They stand in the order in which they were decided last, an undecided one by
    /// when it was asked for: the last decided one of a kind holds.
    pub consents: Vec<AskedConsent>,
    /// Files that the reporter attached.
    pub attachments: Vec<Attachment>,
    /// Mails and webhook calls that it caused.
    pub consegne: Vec<DeliveryRow>,
}

/// Something that happened to a report.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct HistoryEntry {
    /// What.
    #[serde(rename = "tipo")]
    pub kind: ChangeKind,
    /// When; RFC 3339, UTC.
    #[serde(rename = "data", with = "moment")]
    #[schema(value_type = String)]
    pub at: i64,
    /// The value before the change: a status, a department, a person's id, the number of a file, or `1` for yes and `0`
    /// for no.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, required = false)]
    pub da: Option<String>,
    /// The value after the change, in the same form as `da`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, required = false)]
    pub a: Option<String>,
    /// The name of the department in `da`, where departments changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, required = false)]
    pub from_name: Option<String>,
    /// The name of the department in `a`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, required = false)]
    pub to_name: Option<String>,
    /// Who did it; null for the shared password, a reporter and the program itself.
    pub author: Option<PersonHead>,
}

/// A promise to a reporter.
#[derive(Debug, Serialize, ToSchema)]
pub struct DuePromise {
    /// What.
    what: Promise,
    /// When it is due; RFC 3339, UTC.
    at: String,
}

/// A kind of promise to a reporter.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Promise {
    /// That the report is read.
    First,
    /// That they are told what came of it.
    Outcome,
}

impl DuePromise {
    pub fn of(row: &ListRow) -> Option<Self> {
        let what = if row.first_is_due {
            Promise::First
        } else {
            Promise::Outcome
        };
        let at = row.scade.map(rfc3339)?;
        Some(Self { what, at })
    }
}

/// The snooze of a report, which may be over.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SnoozeState)]
pub struct SnoozeOut {
    #[serde(flatten)]
    snooze: Snooze,
    /// Who snoozed it; null for the shared password.
    author: Option<PersonHead>,
}

impl SnoozeOut {
    fn of(snooze: Snooze, people: &HashMap<String, PersonHead>) -> Self {
        let author = people.get(&snooze.person).cloned();
        Self { snooze, author }
    }
}

/// A whole report, as it is shown to a person (empty for the shared password).
pub fn detail_out(
    reading: Reading<'_>,
    snapshot: &Snapshot<'_>,
    row: ReportRow,
    who: &str,
) -> actions::Result<ReportDetail> {
    let content = sealing::open_content(snapshot, &reading.vault, &row)?;
    let departments = snapshot.departments()?;
    let arrived = content.analysis.department;
    let mut analysis = content.analysis.moved_to(row.department, &departments);
    // Why it came to a department out of sight is not told: that tells of others there.
    if !snapshot.visible_departments().has(arrived) {
        analysis.reason.clear();
    }
    let mut story_places = story_places(reading, snapshot, &[(row.seq, row.storia.clone())])?;
    let listed = snapshot.listed_of(&row.id)?;
    let changes = snapshot.history(&row.id)?;
    let people = people_heads(snapshot)?;
    Ok(ReportDetail {
        inoltrata: forwarded_at(&changes).map(rfc3339),
        storia: history(&row, changes, &people, &departments),
        due: listed.as_ref().and_then(DuePromise::of),
        snooze: snooze(snapshot, &reading.vault, &row.id)?
            .map(|snooze| SnoozeOut::of(snooze, &people)),
        consents: consents_of(snapshot, &reading.vault, &row)?,
        attachments: attachments_of(reading, snapshot, &row.id)?,
        aside: row.da_parte.is_some(),
        last_seen: snapshot.looked_before(&row.id, who)?.flatten().map(rfc3339),
        urgent_words: urgent_words(&content.report.segnalazione),
        urgente_ora: row.urgente,
        origin: row.origine,
        labels: numbers(row.labels),
        callout: content.callout,
        withdrawal: row.ritiro,
        story_place: story_places.pop().unwrap_or_default(),
        assegnata_a: row.assegnata.clone(),
        report: content.report,
        department_name: departments.name(&row.department).to_owned(),
        analysis,
        note: sealing::open_note(snapshot, &reading.vault, &row)?,
        data_creazione: rfc3339(row.data_creazione),
        data_aggiornamento: rfc3339(row.data_aggiornamento),
        versione: row.versione,
        consegne: deliveries(snapshot, &row.id)?,
        scadenza: goes_at(reading, snapshot, &row.id)?.map(rfc3339),
        id: row.id,
        stato: row.stato,
        privacy_version: row.privacy_version,
    })
}

/// The words that worry, each once: the account and what was added to it are read apart, as they came.
fn urgent_words(account: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for said in account.split(ADDITION_HEADING) {
        for place in grave_words(said) {
            if !words.iter().any(|known| *known == said[place.clone()]) {
                words.push(said[place].to_owned());
            }
        }
    }
    words
}

fn deliveries(snapshot: &Snapshot<'_>, id: &str) -> actions::Result<Vec<DeliveryRow>> {
    let mut deliveries = snapshot.deliveries_of(id)?;
    if !snapshot.visible_departments().is_all() {
        // Their own numbers count those of all departments.
        for (number, delivery) in (1..).zip(&mut deliveries) {
            delivery.id = number;
        }
    }
    Ok(deliveries)
}

/// The history in order. Receipt and first opening are read from the report's own row, unless a person did them.
fn history(
    row: &ReportRow,
    changes: Vec<HistoryRow>,
    people: &HashMap<String, PersonHead>,
    departments: &Departments,
) -> Vec<HistoryEntry> {
    let own = [
        (ChangeKind::Ricevuta, Some(row.data_creazione)),
        (ChangeKind::Aperta, row.aperta),
    ];
    let told = |kind| changes.iter().any(|change| change.kind == kind);
    let own = own.into_iter().filter(|(kind, _)| !told(*kind));
    let own = own.filter_map(|(kind, at)| Some(HistoryRow::of(kind, at?)));
    let mut events: Vec<_> = own.collect();
    events.extend(changes);
    events.sort_by_key(|event| event.at);
    let name = |kind, key: &Option<String>| {
        let key = DepartmentKey::parse(key.as_deref().filter(|_| kind == ChangeKind::Reparto)?)?;
        Some(departments.name(&key).to_owned())
    };
    let entry = |event: HistoryRow| HistoryEntry {
        kind: event.kind,
        from_name: name(event.kind, &event.da),
        to_name: name(event.kind, &event.a),
        at: event.at,
        da: event.da,
        a: event.a,
        author: event.author.and_then(|id| people.get(&id).cloned()),
    };
    events.into_iter().map(entry).collect()
}
