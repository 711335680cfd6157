//! An editor changes many reports at once, or writes to their reporters, in steps between which others can write. A change can be
//! undone, a message taken back.
//! Must never change a report by rules other than those of a single change, nor a report that has changed since it was shown.

use std::borrow::Cow;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::actions::desk::done;
use crate::actions::desk::edit_reports::{Assignee, EditedFields, OtherChanges, apply, given};
use crate::actions::desk::labels::known;
use crate::actions::desk::snooze::{self, instant};
use crate::actions::desk::stories::{leave_story, move_report, present_story};
use crate::actions::reporter::{check_key, refuse_unread, send_message};
use crate::actions::settings::department_list;
use crate::actions::{Act, Error, Result};
use crate::domain::asked::checked;
use crate::domain::label::numbers;
use crate::domain::message::{MESSAGE_CHARS, ReplyIn, parse_text};
use crate::domain::moment::rfc3339;
use crate::domain::report::Stato;
use crate::domain::routing::{DepartmentKey, Sight};
use crate::domain::text::counted;
use crate::store::{Action, BeforeRow, ListFilter, ReportRow, SentRow};
use crate::vault::VaultError;

/// The number of reports changed in one transaction, for which a new report has to wait.
pub const STEP: usize = 200;
/// How long a bulk change can be undone, in ms.
pub const UNDO_MS: i64 = 10 * 60_000;
/// Limit of the ids, the excluded reports and the recipients of one call.
pub const BULK_MAX: usize = 2_000;
/// Limit of the refused reports that an answer lists.
const LISTED_MAX: usize = 2_000;
/// Up to so many changed reports each have an entry in the access log. Beyond that one entry stands for all, so that other entries
/// are not pushed out.
const LOGGED: i64 = 50;

/// A change to many reports. Absent fields stay as they are.
#[derive(Debug, Clone, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BulkChange {
    /// New status.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stato: Option<Stato>,
    /// New department.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub department: Option<DepartmentKey>,
    /// Whether the reports count as urgent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub urgente: Option<bool>,
    /// Labels to add and to remove.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(inline)]
    pub labels: Option<BulkLabels>,
    /// The person that the reports are assigned to.
    #[serde(
        rename = "assegnataA",
        default,
        deserialize_with = "given",
        skip_serializing_if = "Option::is_none"
    )]
    #[schema(value_type = Option<String>)]
    pub assegnata: Option<Assignee>,
    /// Until when they are snoozed; RFC 3339, within a year from now.
    #[serde(rename = "snoozedUntil", skip_serializing_if = "Option::is_none")]
    pub snoozed_until: Option<Timestamp>,
    /// Whether they leave what waits for the newsroom, as by `POST /reports/{id}/done`; with `false` that is taken back, as by `DELETE`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub done: Option<bool>,
    /// Id of the story that the reports join; null takes each out of its own.
    #[serde(
        default,
        deserialize_with = "given",
        skip_serializing_if = "Option::is_none"
    )]
    #[schema(value_type = Option<String>)]
    pub story: Option<StoryGiven>,
}

/// The story that reports are given; `None` takes them out of theirs.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub struct StoryGiven(Option<String>);

/// Labels to add and to remove, by their numbers.
#[derive(Debug, Clone, Default, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BulkLabels {
    /// Labels to add to every report.
    pub add: Vec<u8>,
    /// Labels to remove from every report.
    pub remove: Vec<u8>,
}

/// A report that is to change.
#[derive(Debug, Clone)]
pub enum BulkTarget {
    /// By its id; with a version, only if the report still has that version.
    ById { id: String, version: Option<i64> },
    /// By its arrival number, if the report still matches the filter and has not changed since this time (ms).
    BySeq { seq: i64, shown: i64 },
}

/// A report that was not changed, and why.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Refused)]
pub struct RefusedChange {
    /// Its id.
    pub id: String,
    /// Why, in Italian.
    pub detail: Cow<'static, str>,
    /// The version that the change was to be made on.
    pub version: Option<i64>,
    /// Its present state; null for a report that is gone.
    pub current: Option<CurrentReport>,
    /// The reporter's name; empty for a report that is gone.
    pub name: String,
}

/// The present state of a report.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = BulkCurrent)]
pub struct CurrentReport {
    /// Status.
    pub stato: Stato,
    /// Key of its department.
    pub department: DepartmentKey,
    /// Whether it counts as urgent.
    pub urgente: bool,
    /// Its labels, by their numbers.
    pub labels: Vec<u8>,
    /// Id of the person that the report is assigned to.
    #[serde(rename = "assegnataA")]
    pub assegnata: Option<String>,
    /// Its version.
    pub versione: i64,
}

const GONE: &str = "Questa segnalazione non c'è più.";
const UNSEEN: &str = "Chi dovrebbe riceverla non vede il reparto di questa segnalazione.";
const STORY_GONE: &str = "La storia da cui è stata tolta non c'è più.";
const NOT_SENT: Error = Error::conflict("Questo messaggio non c'è più.");
const SEEN: Error =
    Error::conflict("Il messaggio non si può più ritirare: chi ha segnalato l’ha già letto.");
const FOLLOWED: Error =
    Error::conflict("Il messaggio non si può più ritirare: dopo ne è arrivato un altro.");
const STALE: &str = "Nel frattempo un'altra persona ha modificato questa segnalazione.";

impl RefusedChange {
    fn gone(id: String, version: Option<i64>) -> Self {
        Self {
            id,
            detail: GONE.into(),
            version,
            current: None,
            name: String::new(),
        }
    }

    fn stale(row: ReportRow, version: Option<i64>) -> Self {
        Self::standing(row, version, STALE)
    }

    fn standing(
        row: ReportRow,
        version: Option<i64>,
        detail: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self {
            detail: detail.into(),
            version,
            current: Some(CurrentReport {
                stato: row.stato,
                department: row.department,
                urgente: row.urgente,
                labels: numbers(row.labels),
                assegnata: row.assegnata,
                versione: row.versione,
            }),
            id: row.id,
            name: String::new(),
        }
    }
}

/// The outcome of one step of a bulk change, or of all steps.
#[derive(Debug, Default, Serialize, ToSchema)]
pub struct BulkChanged {
    /// How many reports changed.
    pub changed: usize,
    /// The first 2,000 reports that did not change, because they are gone, were changed meanwhile, or cannot be
    /// assigned to the person.
    pub refused: Vec<RefusedChange>,
    /// The number of refused reports beyond those listed.
    pub unnamed: usize,
}

impl BulkChanged {
    pub fn add(&mut self, step: Self) {
        self.changed += step.changed;
        let listed = step.refused.len().min(LISTED_MAX - self.refused.len());
        self.unnamed += step.refused.len() - listed;
        self.refused.extend(step.refused.into_iter().take(listed));
    }
}

/// Begins a bulk change of so many reports; returns the number by which it can be undone.
pub fn begin_batch(
    act: &Act<'_>,
    total: usize,
    change: &BulkChange,
    session: &[u8; 32],
) -> Result<i64> {
    label_bits(act, change)?;
    if let Some(key) = change.department {
        department_list::known(act, key, "department")?;
    }
    person(act, change)?;
    snoozed_until(act, change)?;
    if let Some(StoryGiven(Some(story))) = &change.story {
        present_story(act, story)?;
    }
    let asked = serde_json::to_string(change).map_err(|_| VaultError::Damaged)?;
    let author = act.actor.author();
    let batch = act
        .tx
        .begin_batch(act.now, total, session, author.as_deref(), &asked)?;
    log(act, i64::try_from(total).unwrap_or(i64::MAX), None)?;
    Ok(batch)
}

/// Changes the reports of a step. `None` if the change was undone meanwhile, so that nothing more may change.
pub fn change_step(
    act: &Act<'_>,
    batch: i64,
    targets: &[BulkTarget],
    filter: &ListFilter,
    change: &BulkChange,
) -> Result<Option<BulkChanged>> {
    let Some(total) = act.batch_total(batch)? else {
        return Ok(None);
    };
    let (labels, person) = (label_bits(act, change)?, person(act, change)?);
    let mut outcome = BulkChanged::default();
    for target in targets {
        let Some(row) = wanted(act, target, filter, &mut outcome)? else {
            continue;
        };
        let edited = edited(&row, change, labels, person.as_ref());
        if let Some(detail) = refusal(act, &row, &edited, change, person.as_ref())? {
            let version = Some(row.versione);
            let refused = RefusedChange::standing(row, version, detail);
            outcome.refused.push(refused);
            continue;
        }
        let (seq, id) = (row.seq, row.id.clone());
        act.tx.keep_before(batch, seq)?;
        if make(act, row, edited, change)? {
            // The change may have moved it out of sight.
            act.tx.seeing(&Sight::ALL).keep_given(batch, seq)?;
            log(act, total, Some(&id))?;
            outcome.changed += 1;
        } else {
            act.tx.forget_before(batch, seq)?;
        }
    }
    act.tx
        .advance_batch(batch, targets.len(), outcome.changed)?;
    Ok(Some(outcome))
}

/// Why a report cannot be changed so.
fn refusal(
    act: &Act<'_>,
    row: &ReportRow,
    edited: &EditedFields,
    change: &BulkChange,
    person: Option<&Assignee>,
) -> Result<Option<Cow<'static, str>>> {
    if let Some(person) = person
        && !person.sees(act, edited.department)?
    {
        return Ok(Some(UNSEEN.into()));
    }
    if change.done == Some(false) {
        return Ok(done::not_own(act, row)?.map(Cow::Owned));
    }
    Ok(None)
}

/// Changes a report; returns whether that changed anything.
fn make(act: &Act<'_>, row: ReportRow, edited: EditedFields, change: &BulkChange) -> Result<bool> {
    let mut changed = false;
    let before = act.snooze(&row.id)?.map(|before| before.until);
    if let Some(until) = snoozed_until(act, change)?.filter(|until| before != Some(*until)) {
        snooze::set(act, &row.id, until, None)?;
        changed = true;
    }
    if let Some(done) = change.done {
        changed |= done::set(act, &row, done)?;
    }
    let given = change.story.as_ref().map(|StoryGiven(story)| story);
    if let Some(story) = given.filter(|story| **story != row.storia) {
        match story {
            Some(story) => move_report(act, &row, Some(&present_story(act, story)?.id))?,
            None => leave_story(act, &row)?,
        }
        changed = true;
    }
    Ok(apply(act, row, edited, OtherChanges::default())? || changed)
}

/// The fields of a report after the change.
fn edited(
    row: &ReportRow,
    change: &BulkChange,
    labels: LabelBits,
    person: Option<&Assignee>,
) -> EditedFields {
    EditedFields {
        stato: change.stato.unwrap_or(row.stato),
        department: change.department.unwrap_or(row.department),
        urgente: change.urgente.unwrap_or(row.urgente),
        labels: (row.labels | labels.add) & !labels.remove,
        assegnata: person.map_or_else(|| row.assegnata.clone(), |Assignee(id)| id.clone()),
    }
}

/// The report of a target, unless it is refused or no longer matches the filter.
fn wanted(
    act: &Act<'_>,
    target: &BulkTarget,
    filter: &ListFilter,
    outcome: &mut BulkChanged,
) -> Result<Option<ReportRow>> {
    match target {
        BulkTarget::ById { id, version } => match (act.report(id)?, version) {
            (None, _) => outcome
                .refused
                .push(RefusedChange::gone(id.clone(), *version)),
            (Some(row), Some(seen)) if row.versione != *seen => {
                outcome.refused.push(RefusedChange::stale(row, *version));
            }
            (found, _) => return Ok(found),
        },
        BulkTarget::BySeq { seq, shown } if act.admits(filter, *seq)? => match act
            .report_at(*seq)?
        {
            // It arrived later. The caller, who does not see all departments, could not say so by arrival number.
            Some(row) if row.data_creazione > *shown && !act.visible_departments().is_all() => {}
            Some(row) if row.data_aggiornamento > *shown => {
                outcome.refused.push(RefusedChange::stale(row, None));
            }
            found => return Ok(found),
        },
        BulkTarget::BySeq { .. } => {}
    }
    Ok(None)
}

/// The labels to add and to remove, one bit per label.
#[derive(Clone, Copy)]
struct LabelBits {
    add: i64,
    remove: i64,
}

fn label_bits(act: &Act<'_>, change: &BulkChange) -> Result<LabelBits> {
    let labels = change.labels.clone().unwrap_or_default();
    let (add, remove) = (known(act, &labels.add)?, known(act, &labels.remove)?);
    Ok(LabelBits { add, remove })
}

/// Until when the reports are snoozed, in ms; `None` if that stays as it is.
fn snoozed_until(act: &Act<'_>, change: &BulkChange) -> Result<Option<i64>> {
    let asked = change.snoozed_until;
    asked
        .map(|until| instant(act, until, "snoozedUntil"))
        .transpose()
}

/// Whom the reports are assigned to; `None` if that stays as it is.
fn person(act: &Act<'_>, change: &BulkChange) -> Result<Option<Assignee>> {
    let asked = change.assegnata.as_ref();
    asked.map(|asked| asked.known(act)).transpose()
}

/// Begins to undo a bulk change, within the time allowed.
pub fn begin_undo(act: &Act<'_>, batch: i64, session: &[u8; 32]) -> Result<()> {
    let begun = act.batch(batch, session)?.filter(|begun| {
        (begun.own || act.visible_departments().is_all()) && act.now <= begun.at + UNDO_MS
    });
    let begun = begun.ok_or(Error::conflict(
        "Questa modifica non si può più annullare: è già stata annullata, o sono passati dieci minuti.",
    ))?;
    log(act, begun.total, None)
}

/// Undoes the change of the next reports; `None` if there are no more.
pub fn undo_step(act: &Act<'_>, batch: i64) -> Result<Option<BulkChanged>> {
    let Some(total) = act.batch_total(batch)? else {
        return Ok(None);
    };
    // Reports that the change moved out of the caller's sight are restored too.
    let all = act.tx.seeing(&Sight::ALL);
    let whole = Act { tx: &all, ..*act };
    let steps = whole.stood_before(batch, STEP)?;
    if steps.is_empty() {
        act.tx.delete_batch(batch)?;
        return Ok(None);
    }
    let mut outcome = BulkChanged::default();
    for before in steps {
        let undone = Undone { batch, total };
        take_back(
            &whole,
            undone,
            &before,
            act.visible_departments(),
            &mut outcome,
        )?;
        act.tx.forget_before(batch, before.seq)?;
    }
    Ok(Some(outcome))
}

/// A bulk change that is being undone.
#[derive(Clone, Copy)]
struct Undone {
    batch: i64,
    /// The number of reports that it was asked for.
    total: i64,
}

/// Undoes the change of a report that the caller saw then. A report changed since is refused if the caller sees it now, else left
/// out.
fn take_back(
    act: &Act<'_>,
    undone: Undone,
    before: &BeforeRow,
    sight: &Sight,
    outcome: &mut BulkChanged,
) -> Result<()> {
    let Some(row) = act.report_at(before.seq)? else {
        return Ok(());
    };
    if before.overtaken {
        if sight.has(row.department) {
            let version = Some(before.versione);
            outcome.refused.push(RefusedChange::stale(row, version));
        }
        return Ok(());
    }
    let department = department_list::standing(act.tx, before.department)?;
    if !sight.has(department) {
        return Ok(());
    }
    if before.moved
        && let Some(story) = &before.storia
        && act.story(story)?.is_none()
    {
        let refused = RefusedChange::standing(row, Some(before.versione), STORY_GONE);
        outcome.refused.push(refused);
        return Ok(());
    }
    let id = row.id.clone();
    if put_as_before(act, row, before, department)? {
        act.tx.put_marks_back(undone.batch, before.seq)?;
    }
    log(act, undone.total, Some(&id))?;
    outcome.changed += 1;
    Ok(())
}

/// Restores a report with its story, its snooze and what waited, in this department; returns whether other fields change.
fn put_as_before(
    act: &Act<'_>,
    row: ReportRow,
    before: &BeforeRow,
    department: DepartmentKey,
) -> Result<bool> {
    if before.moved {
        move_report(act, &row, before.storia.as_deref())?;
    }
    if before.put_off {
        snooze::set_back(act, &row.id, before.rinviata, before.rinviata_da.as_deref())?;
    }
    if before.dealt_with {
        done::note(act, &row, before.fatta)?;
    }
    let edited = EditedFields {
        stato: before.stato,
        department,
        urgente: before.urgente,
        labels: before.labels,
        assegnata: before.assegnata.clone(),
    };
    apply(act, row, edited, OtherChanges::default())
}

/// Logs the change of a report, or of all of them at once if there are too many.
fn log(act: &Act<'_>, total: i64, id: Option<&str>) -> Result<()> {
    if (total > LOGGED) == id.is_some() {
        return Ok(());
    }
    act.log(Action::ReportUpdated, id)
}

/// Deletes the records of changes that can no longer be undone; returns of how many reports.
pub fn drop_old_batches(act: &Act<'_>) -> Result<usize> {
    Ok(act
        .tx
        .delete_batches_before(act.now - UNDO_MS, crate::actions::archive::retention::STEP)?)
}

/// Begins a message to many, or refuses one that could reach no one; returns the id of its batch, the same for the same key.
pub fn begin_messages(act: &Act<'_>, said: &ReplyIn) -> Result<String> {
    refuse_unread(act)?;
    parse_text(&said.text, MESSAGE_CHARS)?;
    checked(said.questions.clone()).map_err(Error::Invalid)?;
    check_key(said.key.as_deref())?;
    let batch = said.key.as_ref().map_or_else(Uuid::new_v4, |key| {
        let bytes = act.vault.fingerprint(format!("messages {key}").as_bytes());
        uuid::Builder::from_random_bytes(bytes).into_uuid()
    });
    let batch = batch.to_string();
    if act.batch_messages(&batch)?.is_empty() {
        act.log(Action::MessageSent, None)?;
    }
    Ok(batch)
}

/// Sends the message to the reporters of a step.
pub fn message_step(
    act: &Act<'_>,
    batch: &str,
    targets: &[BulkTarget],
    filter: &ListFilter,
    said: &ReplyIn,
) -> Result<BulkChanged> {
    let mut outcome = BulkChanged::default();
    for target in targets {
        let Some(row) = wanted(act, target, filter, &mut outcome)? else {
            continue;
        };
        match send_message(act, &row, said.clone(), Some(batch)) {
            Ok(_) => outcome.changed += 1,
            Err(Error::Conflict(detail)) => {
                outcome
                    .refused
                    .push(RefusedChange::standing(row, None, detail));
            }
            Err(error) => return Err(error),
        }
    }
    Ok(outcome)
}

/// Takes a message to many back from the reporters whose reports the caller sees; returns from how many.
///
/// # Errors
/// [`Error::Conflict`] if one of the reporters has read it.
pub fn take_messages_back(act: &Act<'_>, batch: &str) -> Result<usize> {
    let sent = act.batch_messages(batch)?;
    let read = sent.iter().filter(|one| one.read).count();
    if read > 0 {
        let read = counted(read as u64, "persona l’ha", "persone l’hanno");
        let message = format!("Il messaggio non si può più ritirare: {read} già letto.");
        return Err(Error::Conflict(message.into()));
    }
    for one in &sent {
        forget(act, one)?;
    }
    if !sent.is_empty() {
        act.log(Action::MessageSent, None)?;
    }
    Ok(sent.len())
}

/// Takes the last message about a report back from its reporter.
///
/// # Errors
/// [`Error::Conflict`] where it is not there, its reporter has read it, or another message followed.
pub fn take_message_back(act: &Act<'_>, row: &ReportRow, n: i64) -> Result<()> {
    let sent = act.sent_message(&row.id, n)?.ok_or(NOT_SENT)?;
    if sent.read {
        return Err(SEEN);
    }
    if act.last_number(&row.id)? != n {
        return Err(FOLLOWED);
    }
    forget(act, &sent)?;
    act.log(Action::MessageSent, Some(&row.id))
}

/// Forgets a message with all that it did.
fn forget(act: &Act<'_>, sent: &SentRow) -> Result<()> {
    let report = &sent.report;
    act.tx.delete_message(sent.n)?;
    act.tx.restore_withdrawal(report, sent.at)?;
    act.tx.forget_written(report, sent.at)?;
    act.tx.restore_written(report)?;
    act.tx.restore_waiting(sent)?;
    let before = sent.fatta.map(rfc3339);
    act.tx
        .restore_done_before(report, &rfc3339(sent.at), before.as_deref())?;
    act.tx.cancel_notice(report, sent.at)?;
    Ok(())
}
