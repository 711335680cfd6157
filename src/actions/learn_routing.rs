//! Routing learns from reports that staff moved: what is taken down, what is learnt from it, and how that is taken back
//! (`PRODUCT.md §5`).
//! Must never put a head in force whose guard did not hold, or that learnt from what has changed meanwhile.

use std::collections::BTreeMap;

use super::log_access::{Action, Actor, log_access};
use super::route_report::routing_config;
use super::sealing::{open_report, seal_head};
use super::{Error, Result};
use crate::domain::learn::ngrams::letters;
use crate::domain::routing::lessons::{Correction, Guard, Learned};
use crate::domain::routing::{Config, Department, seed};
use crate::store::{AttemptRow, HeadFacts, HeadRow, LearningRow, Lesson, Snapshot, Tx};
use crate::vault::{Vault, VaultError};

/// Corrections that are learnt from: the latest. More would take minutes to learn.
pub const CORRECTIONS: usize = 500;
/// Heads kept, the one in force among them: how many steps can be undone.
pub const VERSIONS: usize = 10;

/// Takes down that staff moved a report, in place of an earlier correction of it. Back where it arrived there is nothing
/// to learn.
pub(super) fn note_move(
    tx: &Tx<'_>,
    now: i64,
    id: &str,
    (before, after): (&str, &str),
) -> Result<()> {
    let arrived = tx.arrived_in(id)?;
    if arrived.as_deref().unwrap_or(before) == after {
        tx.drop_correction(id)?;
    } else {
        tx.put_correction(id, now)?;
    }
    Ok(())
}

/// What there is to learn.
pub struct Lessons {
    /// What the settings say.
    pub config: Config,
    /// What staff moved, with the text of each report; the same text never in two places.
    pub corrections: Vec<Correction>,
    /// Which reports these are.
    taught: Vec<Lesson>,
    /// What they were read at.
    changes: i64,
}

/// What became of something that was learnt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Settled {
    /// It is in force; the number of its version.
    InForce(i64),
    /// The guard did not hold: what was in force before stays so.
    Refused,
    /// There was nothing to learn from.
    Nothing,
    /// What it learnt from has changed meanwhile: it is forgotten, and to be learnt again.
    Overtaken,
}

/// Whether something is to be learnt.
fn is_due(learning: &LearningRow) -> bool {
    learning.changes != learning.learned || learning.basis != seed::basis()
}

/// What there is to learn; `None` when nothing has changed since it was learnt, or the reports are sealed.
pub fn lessons(snapshot: &Snapshot<'_>, vault: &Vault) -> Result<Option<Lessons>> {
    let learning = snapshot.learning()?;
    if !is_due(&learning) || !vault.is_unlocked() {
        return Ok(None);
    }
    let mut found = Lessons {
        config: routing_config(snapshot)?,
        corrections: Vec::new(),
        taught: Vec::new(),
        changes: learning.changes,
    };
    let mut placed = BTreeMap::new();
    for id in snapshot.latest_corrections(CORRECTIONS)? {
        match correction(snapshot, vault, &id) {
            Ok(Some(correction)) => {
                let department = correction.department;
                found.taught.push((id, department.key()));
                // The latest come first: where staff moved the same text elsewhere before, that counts no more.
                if *placed
                    .entry(letters(&correction.text))
                    .or_insert(department)
                    == department
                {
                    found.corrections.push(correction);
                }
            }
            // Of a pair that the newsroom has given up: there is nothing to read.
            Ok(None) | Err(Error::Vault(VaultError::WrongKey)) => {}
            Err(Error::Vault(VaultError::Locked)) => return Ok(None),
            // One that cannot be opened must not keep the others from being learnt.
            Err(Error::Vault(error)) => {
                tracing::error!(%id, %error, "a corrected report cannot be opened");
            }
            Err(error) => return Err(error),
        }
    }
    Ok(Some(found))
}

fn correction(snapshot: &Snapshot<'_>, vault: &Vault, id: &str) -> Result<Option<Correction>> {
    let Some(row) = snapshot.report(id)? else {
        return Ok(None);
    };
    let text = open_report(snapshot, vault, &row)?.segnalazione;
    let department = Department::parse(&row.department);
    Ok(department.map(|department| Correction { text, department }))
}

/// Puts what was learnt in force, if its guard holds and it is still what there is to learn.
pub fn settle(
    tx: &Tx<'_>,
    vault: &Vault,
    now: i64,
    lessons: &Lessons,
    learned: &Learned,
) -> Result<Settled> {
    if tx.learning()?.changes != lessons.changes {
        return Ok(Settled::Overtaken);
    }
    let basis = seed::basis();
    if lessons.corrections.is_empty() && tx.routing_heads()?.is_empty() {
        tx.note_learned(lessons.changes, &basis, None)?;
        return Ok(Settled::Nothing);
    }
    let kept = learned.guard.holds();
    let settled = if kept {
        let version = tx.next_head_version()?;
        let sealed = seal_head(tx, vault, now, version, &learned.model.to_bytes())?;
        let head = HeadRow {
            version,
            epoch: sealed.epoch,
            sealed: sealed.blob,
        };
        tx.insert_routing_head(&head, now, &lessons.taught, VERSIONS)?;
        Settled::InForce(version)
    } else {
        Settled::Refused
    };
    let last = attempt(now, kept, lessons.taught.len(), learned.guard);
    tx.note_learned(lessons.changes, &basis, Some(&last))?;
    Ok(settled)
}

fn attempt(at: i64, kept: bool, corrections: usize, guard: Guard) -> AttemptRow {
    AttemptRow {
        at,
        kept,
        corrections: i64::try_from(corrections).unwrap_or(i64::MAX),
        tested: guard.tested.into(),
        right: guard.right.into(),
        bundled: guard.bundled.into(),
    }
}

/// Goes back to what was in force before this version, which must be the one in force. The corrections that only it had
/// learnt count no more.
pub fn undo(tx: &Tx<'_>, now: i64, actor: &Actor, version: i64) -> Result<()> {
    let heads = tx.routing_heads()?;
    if heads.first().is_none_or(|head| head.version != version) {
        return Err(Error::LearningChanged);
    }
    let was_due = is_due(&tx.learning()?);
    let before = heads.get(1).map(|head| head.version);
    tx.drop_corrections_new_to(version, before)?;
    tx.drop_routing_head(version)?;
    tx.note_routing_change(was_due)?;
    log_access(tx, now, actor, Action::SettingsChanged, None)
}

/// Goes back to the bundled head. Corrections stay, and count again as soon as there is another, unless they are to be
/// forgotten too.
pub fn reset(tx: &Tx<'_>, now: i64, actor: &Actor, forget: bool) -> Result<()> {
    tx.drop_routing_heads()?;
    if forget {
        tx.drop_corrections()?;
    }
    tx.note_routing_change(false)?;
    log_access(tx, now, actor, Action::SettingsChanged, None)
}

/// What is told of learning.
pub struct Told {
    /// Heads that there are, the one in force first.
    pub versions: Vec<HeadFacts>,
    /// Corrections that there are.
    pub corrections: i64,
    /// Whether something is still to be learnt.
    pub due: bool,
    /// The last attempt.
    pub last: Option<AttemptRow>,
}

/// How learning stands.
pub fn tell(snapshot: &Snapshot<'_>) -> Result<Told> {
    let learning = snapshot.learning()?;
    let (versions, corrections) = (snapshot.routing_heads()?, snapshot.correction_count()?);
    let something = corrections > 0 || !versions.is_empty();
    Ok(Told {
        due: something && is_due(&learning),
        versions,
        corrections,
        last: learning.last,
    })
}
