//! An editor works on reports: opens one, changes status, department, urgency, labels or note, notes that it was forwarded,
//! makes a copy, erases (only a digest of the id stays, PRODUCT.md §14).
//! Must never overwrite what another editor saved meanwhile, nor erase what was not named.

use serde::{Deserialize, Deserializer, Serialize};
use utoipa::ToSchema;

use crate::actions::archive::sealing::{NOTE, open_note, seal_text};
use crate::actions::desk::labels::known;
use crate::actions::desk::routing_memory::note_move;
use crate::actions::settings::department_list;
use crate::actions::{Act, Error, Result};
use crate::domain::invalid::Invalid;
use crate::domain::person::Role;
use crate::domain::report::Stato;
use crate::domain::routing::DepartmentKey;
use crate::domain::text;
use crate::store::{Action, Cause, ChangeKind, HistoryRow, PersonRow, ReportRow, Snapshot};

pub const NOTE_CHARS: usize = 20_000;

/// A change to a report. Absent fields stay as they are.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ReportPatch {
    /// New status.
    pub stato: Option<Stato>,
    /// New department.
    pub department: Option<DepartmentKey>,
    /// Whether the report counts as urgent.
    pub urgente: Option<bool>,
    /// Whether it was forwarded to the authorities; the moment of the change is noted.
    pub inoltrata: Option<bool>,
    /// Its labels from now on, by their numbers.
    pub labels: Option<Vec<u8>>,
    /// New internal note; empty removes it.
    pub note: Option<String>,
    /// The person that the report is assigned to.
    #[serde(rename = "assegnataA", default, deserialize_with = "given")]
    #[schema(value_type = Option<String>)]
    pub assegnata: Option<Assignee>,
}

/// A person's id, or null for a report that is given to no person.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(transparent)]
pub struct Assignee(pub(in crate::actions) Option<String>);

/// Keeps a null apart from what is absent.
pub(in crate::actions) fn given<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    asked: D,
) -> std::result::Result<Option<T>, D::Error> {
    T::deserialize(asked).map(Some)
}

impl Assignee {
    /// The same; refused where there is no such person any more, and for one who only reads (`PRODUCT.md §6`).
    pub(in crate::actions) fn known(&self, act: &Act<'_>) -> Result<Self> {
        let gone = "Questa persona non c'è più: ricarica la pagina.";
        let reads = "Questa persona può solo leggere: scegline un'altra, o chiedi a un amministratore di cambiarle il ruolo.";
        let Some(id) = &self.0 else {
            return Ok(self.clone());
        };
        let (code, message) = match act.person(id)?.filter(|person| person.gone.is_none()) {
            None => ("unknown", gone),
            Some(person) if person.role == Role::Lettore => ("reader", reads),
            Some(_) => return Ok(self.clone()),
        };
        Err(Invalid::new("assegnataA", code, message).into())
    }

    /// Whether the person sees a department.
    pub(in crate::actions) fn sees(
        &self,
        act: &Act<'_>,
        department: DepartmentKey,
    ) -> Result<bool> {
        let person = self.0.as_ref().map(|id| act.person(id)).transpose()?;
        let unseen = |person: PersonRow| !person.departments.has(department);
        Ok(!person.flatten().is_some_and(unseen))
    }

    fn refuse_unseen(&self, act: &Act<'_>, department: DepartmentKey) -> Result<()> {
        if self.sees(act, department)? {
            return Ok(());
        }
        let message = format!(
            "Questa persona non vede il reparto {}: sposta la segnalazione in un reparto che vede, o chiedi a un amministratore \
             di aggiungerle il reparto.",
            act.departments()?.name(&department)
        );
        Err(Invalid::new("assegnataA", "unseen", message).into())
    }
}

/// The version of a report that a request may change.
#[derive(Debug)]
pub enum ExpectedVersion {
    Any,
    OneOf(Vec<i64>),
}

impl ExpectedVersion {
    pub fn check(&self, version: i64) -> Result<()> {
        match self {
            Self::OneOf(versions) if !versions.contains(&version) => Err(Error::Stale),
            _ => Ok(()),
        }
    }
}

/// The values that editors change on a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditedFields {
    pub stato: Stato,
    pub department: DepartmentKey,
    pub urgente: bool,
    /// A bit each.
    pub labels: i64,
    /// Id of the person that the report is assigned to.
    pub assegnata: Option<String>,
}

/// Logs the opening of a report, which is no more new to whoever opens it, and marks it as opened unless a reader opens it.
pub fn open_report(act: &Act<'_>, id: &str) -> Result<()> {
    let row = present(act, id)?;
    let person = act.actor.author().unwrap_or_default();
    act.tx.delete_mention(&person, id)?;
    act.tx.note_look(id, &person, act.now)?;
    if act.actor.may(Role::Redattore) {
        act.tx.mark_answers_read(id)?;
    }
    if act.actor.may(Role::Redattore) && row.aperta.is_none() {
        mark_opened(act, id)?;
        record_author(act, id, ChangeKind::Aperta)?;
    }
    act.log(Action::ReportViewed, Some(id))
}

/// Notes when an editor first opened a report.
pub fn mark_opened(act: &Act<'_>, id: &str) -> Result<()> {
    Ok(act.tx.mark_opened(id, act.now)?)
}

/// Notes who entered a report that came by telephone, by letter or in person.
pub fn note_entered(act: &Act<'_>, id: &str) -> Result<()> {
    record_author(act, id, ChangeKind::Ricevuta)?;
    act.log(Action::ReportUpdated, Some(id))
}

/// Adds to the history who opened or entered the report; its own row has only the time. The shared password adds nothing.
fn record_author(act: &Act<'_>, id: &str, kind: ChangeKind) -> Result<()> {
    let person = act.actor.author().map(|_| (kind, None, None));
    record(act, id, person)
}

/// A copy of it was made.
pub fn note_export(act: &Act<'_>, id: &str, action: Action) -> Result<()> {
    present(act, id)?;
    record(act, id, [(ChangeKind::Esportata, None, None)])?;
    act.log(action, Some(id))
}

pub fn update_report(
    act: &Act<'_>,
    id: &str,
    expected: &ExpectedVersion,
    change: &ReportPatch,
) -> Result<()> {
    let row = present(act, id)?;
    expected.check(row.versione)?;
    let note = change.note.as_deref().map(check_note).transpose()?;
    let before = match note {
        Some(_) => open_note(act, act.vault, &row)?,
        None => String::new(),
    };
    let labels = change.labels.as_deref().map(|asked| known(act, asked));
    let asked = change.department;
    let asked = asked.map(|key| department_list::known(act, key, "department"));
    asked.transpose()?;
    let department = change.department.unwrap_or(row.department);
    let assegnata = change.assegnata.as_ref().map(|asked| {
        let asked = asked.known(act)?;
        asked.refuse_unseen(act, department).map(|()| asked)
    });
    let edited = EditedFields {
        stato: change.stato.unwrap_or(row.stato),
        department,
        urgente: change.urgente.unwrap_or(row.urgente),
        labels: labels.transpose()?.unwrap_or(row.labels),
        assegnata: assegnata
            .transpose()?
            .map_or_else(|| row.assegnata.clone(), |Assignee(person)| person),
    };
    let others = OtherChanges {
        note: note.filter(|note| *note != before),
        forwarding: forwarding(act, id, change.inoltrata)?,
    };
    if apply(act, row, edited, others)? {
        act.log(Action::ReportUpdated, Some(id))?;
    }
    Ok(())
}

/// Further changes by an editor, which cannot be made in bulk.
#[derive(Default)]
pub(in crate::actions) struct OtherChanges {
    note: Option<String>,
    forwarding: Option<HistoryChange<'static>>,
}

/// Applies what an editor has changed; answers whether anything changes by it. Every change of
/// a report by an editor is made here.
pub(in crate::actions) fn apply(
    act: &Act<'_>,
    row: ReportRow,
    mut edited: EditedFields,
    OtherChanges { note, forwarding }: OtherChanges,
) -> Result<bool> {
    // Where person and report do not meet any more, it is given to no person.
    let assignee = Assignee(edited.assegnata.clone());
    let chosen = edited.department != row.department;
    // No report stays in a department that was removed, nor comes back to one.
    edited.department = act.heir(edited.department)?.unwrap_or(edited.department);
    let moved = edited.department != row.department || edited.assegnata != row.assegnata;
    if moved && !assignee.sees(act, edited.department)? {
        edited.assegnata = None;
    }
    let mut changes = changes(&row, &edited);
    changes.extend(forwarding);
    changes.extend(note.as_ref().map(|_| (ChangeKind::Note, None, None)));
    if changes.is_empty() {
        return Ok(false);
    }
    record(act, &row.id, changes)?;
    // From a removal routing learns nothing.
    if chosen && edited.department != row.department {
        note_move(act, &row, edited.department)?;
    }
    let (note_epoch, note) = match note {
        Some(note) => seal_text(act, NOTE, &row.id, &note)?,
        None => (row.note_epoch, row.note),
    };
    let saved = ReportRow {
        stato: edited.stato,
        department: edited.department,
        urgente: edited.urgente,
        labels: edited.labels,
        assegnata: edited.assegnata,
        note_epoch,
        note,
        ..row
    };
    act.tx.update_report(&saved, act.now)?;
    Ok(true)
}

/// Moves a report out of a department that was removed.
pub(in crate::actions) fn move_from_removed(act: &Act<'_>, id: &str) -> Result<()> {
    let row = present(act, id)?;
    let edited = EditedFields {
        stato: row.stato,
        department: row.department,
        urgente: row.urgente,
        labels: row.labels,
        assegnata: row.assegnata.clone(),
    };
    apply(act, row, edited, OtherChanges::default()).map(drop)
}

pub(in crate::actions) fn check_note(note: &str) -> Result<String> {
    let note = text::clean(note);
    if text::char_count(&note) > NOTE_CHARS {
        let message = format!("Le note possono avere al massimo {NOTE_CHARS} caratteri.");
        return Err(Invalid::new("note", "tooLong", message).into());
    }
    Ok(note)
}

/// A kind of change, with what was and what is.
type HistoryChange<'a> = (ChangeKind, Option<&'a str>, Option<&'a str>);

/// A yes and a no in the history.
pub const YES: &str = "1";
pub const NO: &str = "0";
/// In the place of [`NO`], of a consent that had been given.
pub const WITHDRAWN: &str = "ritirato";

const fn flag(yes: bool) -> &'static str {
    if yes { YES } else { NO }
}

fn changes<'a>(row: &'a ReportRow, to: &'a EditedFields) -> Vec<HistoryChange<'a>> {
    let turns = [
        (ChangeKind::Stato, row.stato.as_str(), to.stato.as_str()),
        (
            ChangeKind::Reparto,
            row.department.as_str(),
            to.department.as_str(),
        ),
        (ChangeKind::Urgente, flag(row.urgente), flag(to.urgente)),
    ];
    let changed = turns.into_iter().filter(|(_, da, a)| da != a);
    let changed = changed.map(|(kind, da, a)| (kind, Some(da), Some(a)));
    let labels = (row.labels != to.labels).then_some((ChangeKind::Etichette, None, None));
    let (da, a) = (row.assegnata.as_deref(), to.assegnata.as_deref());
    let person = (da != a).then_some((ChangeKind::Assegnata, da, a));
    changed.chain(labels).chain(person).collect()
}

/// When it was forwarded to the authorities, by its history; nothing where that was never said, or taken back.
pub fn forwarded_at(history: &[HistoryRow]) -> Option<i64> {
    let said = |row: &&HistoryRow| row.kind == ChangeKind::Inoltrata;
    let last = history.iter().rfind(said)?;
    (last.a.as_deref() == Some(YES)).then_some(last.at)
}

fn forwarding(
    act: &Act<'_>,
    id: &str,
    wanted: Option<bool>,
) -> Result<Option<HistoryChange<'static>>> {
    let Some(wanted) = wanted else {
        return Ok(None);
    };
    let now = forwarded_at(&act.history(id)?).is_some();
    let turn = (ChangeKind::Inoltrata, Some(flag(now)), Some(flag(wanted)));
    Ok((now != wanted).then_some(turn))
}

/// Notes what happened to a report in its history.
pub(in crate::actions) fn record<'a>(
    act: &Act<'_>,
    id: &str,
    changes: impl IntoIterator<Item = HistoryChange<'a>>,
) -> Result<()> {
    for (kind, da, a) in changes {
        let change = HistoryRow {
            da: da.map(str::to_owned),
            a: a.map(str::to_owned),
            author: act.actor.author(),
            ..HistoryRow::of(kind, act.now)
        };
        act.tx.insert_history(id, &change)?;
    }
    Ok(())
}

/// Erases one report. Answers its arrival number.
pub fn erase_report(act: &Act<'_>, id: &str, expected: &ExpectedVersion) -> Result<Vec<i64>> {
    let row = present(act, id)?;
    expected.check(row.versione)?;
    erase_reports(act, &[row.id])
}

/// Erases the reports of these ids, all or none. Those that are gone already are no obstacle. Answers the arrival numbers of
/// those that were there.
pub fn erase_reports(act: &Act<'_>, ids: &[String]) -> Result<Vec<i64>> {
    let mut erased = Vec::new();
    for id in ids {
        match act.tx.erase_report(id, act.now, Cause::Request)? {
            Some(seq) => {
                erased.push(seq);
                act.log(Action::ReportErased, Some(id))?;
            }
            None if act.was_erased(id)? => {}
            None => return Err(Error::NotFound),
        }
    }
    Ok(erased)
}

pub fn present(snapshot: &Snapshot<'_>, id: &str) -> Result<ReportRow> {
    match snapshot.report(id)? {
        Some(row) => Ok(row),
        None if snapshot.was_erased(id)? => Err(Error::Erased),
        None => Err(Error::NotFound),
    }
}
