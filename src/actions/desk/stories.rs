//! Stories: which reports are about the same matter. All but title and note follows from the reports, of which each caller sees
//! their own.
//! Must never tell of a story by what the caller does not see of it.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::actions::archive::sealing::{open_as, open_report, or_stand_in, seal};
use crate::actions::desk::edit_reports::{ExpectedVersion, NO, YES, check_note, present, record};
use crate::actions::{Act, Error, Result};
use crate::domain::invalid::Invalid;
use crate::domain::report::Report;
use crate::domain::text::{char_count, clean_line, is_blank};
use crate::store::{Action, ChangeKind, ReportRow, Snapshot, StoryRow};
use crate::vault::{Vault, VaultError};

const TABLE: &str = "stories";
const TITLE_CHARS: usize = 120;
const NOT_WHOLE: Error =
    Error::Forbidden("Titolo e nota li cambia chi vede tutte le segnalazioni della storia.");
/// Reports that a story is made of in one go, at most.
const MOST: usize = 2_000;

/// A new story.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewStory {
    /// Its title.
    #[schema(max_length = 120)]
    pub title: String,
    /// Ids of its reports, 1 to 2,000, none of another story.
    pub reports: Vec<String>,
}

/// A change to a story. Absent fields stay as they are.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct StoryPatch {
    /// Its title.
    #[schema(max_length = 120)]
    pub title: Option<String>,
    /// New note; empty removes it.
    #[schema(max_length = 20000)]
    pub note: Option<String>,
}

/// Two reports that do not belong together.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ReportPair {
    /// Id of one report.
    pub a: String,
    /// Id of the other report.
    pub b: String,
}

/// The sealed part of a story.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct StoryText {
    pub title: String,
    pub note: String,
}

/// A story in the panel's backup.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BackupStory {
    /// 36-character id.
    id: String,
    /// Its title.
    title: String,
    /// Its note; empty for none.
    note: String,
}

/// Title and note; those of a damaged one say so.
fn open_story(snapshot: &Snapshot<'_>, vault: &Vault, row: &StoryRow) -> Result<StoryText> {
    let text = open_as(snapshot, vault, row.epoch, TABLE, &row.id, &row.sealed);
    or_stand_in(text, &row.id, || StoryText {
        title: "(storia non leggibile)".to_owned(),
        note: String::new(),
    })
}

/// As above, for callers that see all its reports: title and note tell of each of them.
pub fn whole_story(
    snapshot: &Snapshot<'_>,
    vault: &Vault,
    row: &StoryRow,
) -> Result<Option<StoryText>> {
    let whole = snapshot.sees_all_of_story(&row.id)?;
    whole.then(|| open_story(snapshot, vault, row)).transpose()
}

pub fn present_story(snapshot: &Snapshot<'_>, id: &str) -> Result<StoryRow> {
    snapshot.story(id)?.ok_or(Error::StoryNotFound)
}

fn put(act: &Act<'_>, id: &str, version: i64, mut text: StoryText) -> Result<()> {
    text.title = clean_line(&text.title);
    let refused = |code, message: &str| Err(Invalid::new("title", code, message).into());
    if is_blank(&text.title) {
        return refused("empty", "Dai un titolo alla storia.");
    }
    if char_count(&text.title) > TITLE_CHARS {
        return refused("tooLong", "Il titolo può avere al massimo 120 caratteri.");
    }
    text.note = check_note(&text.note)?;
    let bytes = serde_json::to_vec(&text).map_err(|_| VaultError::Damaged)?;
    let (epoch, sealed) = seal(act, TABLE, id, &bytes)?;
    Ok(act.tx.put_story(&StoryRow {
        id: id.to_owned(),
        version,
        epoch,
        sealed,
    })?)
}

/// Makes a story of reports that belong to none; answers its id.
pub fn create_story(act: &Act<'_>, new: NewStory) -> Result<String> {
    if !(1..=MOST).contains(&new.reports.len()) {
        let message = format!("Indica da 1 a {MOST} segnalazioni.");
        return Err(Invalid::new("reports", "range", message).into());
    }
    let (id, note) = (Uuid::new_v4().to_string(), String::new());
    let title = new.title;
    put(act, &id, 1, StoryText { title, note })?;
    add_to_story(act, &id, &new.reports)?;
    Ok(id)
}

/// Adds reports to a story, none of which belongs to another one.
pub fn add_to_story(act: &Act<'_>, story: &str, reports: &[String]) -> Result<()> {
    for report in reports {
        let row = present(act, report)?;
        if let Some(other) = row.storia.as_deref().filter(|other| *other != story) {
            let Report { nome, cognome, .. } = open_report(act, act.vault, &row)?;
            let story = whole_story(act, act.vault, &present_story(act, other)?)?;
            let named = story.map_or_else(
                || "in un'altra storia".to_owned(),
                |story| format!("nella storia «{}»", story.title),
            );
            let message = format!("«{nome} {cognome}» è già {named}.");
            return Err(Error::Conflict(message.into()));
        }
        move_report(act, &row, Some(story))?;
    }
    act.log(Action::ReportUpdated, None)
}

/// Gives a report another story, or none.
pub(super) fn move_report(act: &Act<'_>, row: &ReportRow, story: Option<&str>) -> Result<()> {
    if row.storia.as_deref() == story {
        return Ok(());
    }
    act.tx.set_story(row.seq, story)?;
    if let Some(story) = story {
        act.tx.unset_apart(row.seq, story)?;
    }
    let [before, after] =
        [row.storia.is_some(), story.is_some()].map(|is| if is { YES } else { NO });
    record(
        act,
        &row.id,
        [(ChangeKind::Storia, Some(before), Some(after))],
    )
}

pub fn change_story(
    act: &Act<'_>,
    id: &str,
    expected: &ExpectedVersion,
    patch: StoryPatch,
) -> Result<()> {
    let row = present_story(act, id)?;
    expected.check(row.version)?;
    let before = whole_story(act, act.vault, &row)?.ok_or(NOT_WHOLE)?;
    let (title, note) = (
        patch.title.unwrap_or(before.title),
        patch.note.unwrap_or(before.note),
    );
    put(act, id, row.version + 1, StoryText { title, note })?;
    act.log(Action::ReportUpdated, None)
}

/// Frees the reports of a story that the caller sees; with the last one it goes.
pub fn delete_story(act: &Act<'_>, id: &str) -> Result<()> {
    present_story(act, id)?;
    for seq in act.story_seqs(id)? {
        let row = act.report_at(seq)?.ok_or(Error::NotFound)?;
        move_report(act, &row, None)?;
    }
    act.log(Action::ReportUpdated, None)
}

/// Adds a report to a story, and removes it from any other.
pub fn put_into_story(act: &Act<'_>, story: &str, report: &str) -> Result<()> {
    present_story(act, story)?;
    move_report(act, &present(act, report)?, Some(story))?;
    act.log(Action::ReportUpdated, Some(report))
}

/// Takes a report out of its story: it does not belong with those that stay.
pub(super) fn leave_story(act: &Act<'_>, row: &ReportRow) -> Result<()> {
    if let Some(story) = &row.storia {
        act.tx.set_apart(&[row.seq], &act.story_seqs(story)?)?;
    }
    move_report(act, row, None)
}

/// Takes a report out of a story, if it is in that.
pub fn take_out_of_story(act: &Act<'_>, story: &str, report: &str) -> Result<()> {
    present_story(act, story)?;
    let row = present(act, report)?;
    if row.storia.as_deref() != Some(story) {
        return Ok(());
    }
    leave_story(act, &row)?;
    act.log(Action::ReportUpdated, Some(report))
}

/// Says that two reports do not belong together.
pub fn set_apart(act: &Act<'_>, ReportPair { a, b }: &ReportPair) -> Result<()> {
    let (one, other) = (present(act, a)?.seq, present(act, b)?.seq);
    act.tx.set_apart(&[one], &[other])?;
    act.log(Action::ReportUpdated, Some(a))
}

/// All of them.
pub fn backups(snapshot: &Snapshot<'_>, vault: &Vault) -> Result<Vec<BackupStory>> {
    let of = |row: StoryRow| {
        let StoryText { title, note } = open_story(snapshot, vault, &row)?;
        let id = row.id;
        Ok(BackupStory { id, title, note })
    };
    snapshot.stories()?.into_iter().map(of).collect()
}

impl BackupStory {
    pub fn store(&self, act: &Act<'_>) -> Result<()> {
        let (title, note) = (self.title.clone(), self.note.clone());
        put(act, &self.id, 1, StoryText { title, note })
    }
}

/// Drops what no report of a file belongs to.
pub fn drop_stray(act: &Act<'_>) -> Result<()> {
    Ok(act.tx.drop_stray_stories()?)
}
