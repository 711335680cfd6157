//! Tables `corrections`, `routing_heads`, `routing_lessons`, `learning`: what routing learns from, and what it learnt.
//! Must never hold a head in the clear, nor keep one whose reports are gone (a trigger sees to that).

use rusqlite::{OptionalExtension, Row, params};

use super::error::Result;
use super::{Snapshot, Tx};

/// How far learning has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LearningRow {
    /// Grows with each change of what there is to learn from, and of what is in force.
    pub changes: i64,
    /// [`LearningRow::changes`] when it was last learnt.
    pub learned: i64,
    /// Name of the bundled data when it was last learnt.
    pub basis: String,
    /// The last attempt.
    pub last: Option<AttemptRow>,
}

/// An attempt at learning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AttemptRow {
    /// When, in ms.
    pub at: i64,
    /// Whether what was learnt is used.
    pub kept: bool,
    /// Corrections that it learnt from.
    pub corrections: i64,
    /// Bundled reports that it was tested on.
    pub tested: i64,
    /// Of these, put where they belong with what was learnt.
    pub right: i64,
    /// Of these, put where they belong without it.
    pub bundled: i64,
}

/// What is told of a head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeadFacts {
    /// Its number; later ones have higher numbers.
    pub version: i64,
    /// When it was made, in ms.
    pub made: i64,
    /// Corrections that it learnt from.
    pub corrections: i64,
}

/// A sealed head.
#[derive(Debug, Clone)]
pub struct HeadRow {
    /// Its number, to which it is sealed.
    pub version: i64,
    /// Epoch whose key seals it.
    pub epoch: i64,
    /// Sealed weights.
    pub sealed: Vec<u8>,
}

/// A report that a head learns from, and the key of the department that it learns.
pub type Lesson = (String, &'static str);

fn attempt(row: &Row<'_>) -> rusqlite::Result<Option<AttemptRow>> {
    let Some(at) = row.get(3)? else {
        return Ok(None);
    };
    Ok(Some(AttemptRow {
        at,
        kept: row.get(4)?,
        corrections: row.get(5)?,
        tested: row.get(6)?,
        right: row.get(7)?,
        bundled: row.get(8)?,
    }))
}

impl Snapshot<'_> {
    /// How far learning has come.
    pub fn learning(&self) -> Result<LearningRow> {
        let mut statement = self.connection.prepare_cached(
            "SELECT changes, learned, basis, at, kept, corrections, tested, answered, bundled FROM learning",
        )?;
        let row = statement.query_row([], |row| {
            Ok(LearningRow {
                changes: row.get(0)?,
                learned: row.get(1)?,
                basis: row.get(2)?,
                last: attempt(row)?,
            })
        });
        Ok(row?)
    }

    /// How many corrections there are.
    pub fn correction_count(&self) -> Result<i64> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT count(*) FROM corrections")?;
        Ok(statement.query_row([], |row| row.get(0))?)
    }

    /// Ids of the reports that were corrected last, at most `limit`.
    pub fn latest_corrections(&self, limit: usize) -> Result<Vec<String>> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT report FROM corrections ORDER BY at DESC, report LIMIT ?1")?;
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let ids = statement.query_map([limit], |row| row.get(0))?;
        Ok(ids.collect::<rusqlite::Result<_>>()?)
    }

    /// Key of the department in which a report arrived, if it was ever moved.
    pub fn arrived_in(&self, report: &str) -> Result<Option<String>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT da FROM history WHERE report = ?1 AND kind = 'reparto' ORDER BY id LIMIT 1",
        )?;
        let found = statement.query_row([report], |row| row.get(0));
        Ok(found.optional()?.flatten())
    }

    /// The heads that there are, the one in force first.
    pub fn routing_heads(&self) -> Result<Vec<HeadFacts>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT version, made, corrections FROM routing_heads ORDER BY version DESC",
        )?;
        let heads = statement.query_map([], |row| {
            Ok(HeadFacts {
                version: row.get(0)?,
                made: row.get(1)?,
                corrections: row.get(2)?,
            })
        })?;
        Ok(heads.collect::<rusqlite::Result<_>>()?)
    }

    /// The head in force; `None` while that is the bundled one.
    pub fn routing_head(&self) -> Result<Option<HeadRow>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT version, epoch, head FROM routing_heads ORDER BY version DESC LIMIT 1",
        )?;
        let head = statement.query_row([], |row| {
            Ok(HeadRow {
                version: row.get(0)?,
                epoch: row.get(1)?,
                sealed: row.get(2)?,
            })
        });
        Ok(head.optional()?)
    }
}

impl Tx<'_> {
    /// Takes a report down as corrected, in place of an earlier correction of it.
    pub fn put_correction(&self, report: &str, now: i64) -> Result<()> {
        self.connection
            .prepare_cached(
                "INSERT INTO corrections (report, at) VALUES (?1, ?2) ON CONFLICT (report) DO UPDATE SET at = excluded.at",
            )?
            .execute(params![report, now])?;
        Ok(())
    }

    /// Strikes the correction of a report, if there is one.
    pub fn drop_correction(&self, report: &str) -> Result<()> {
        self.connection
            .prepare_cached("DELETE FROM corrections WHERE report = ?1")?
            .execute([report])?;
        Ok(())
    }

    /// Strikes all corrections.
    pub fn drop_corrections(&self) -> Result<()> {
        self.connection.execute("DELETE FROM corrections", [])?;
        Ok(())
    }

    /// Strikes the corrections that one head learnt and the one before it, if there is one, did not.
    pub fn drop_corrections_new_to(&self, version: i64, before: Option<i64>) -> Result<()> {
        self.connection.execute(
            "DELETE FROM corrections WHERE report IN (SELECT lesson.report FROM routing_lessons AS lesson \
             JOIN segnalazioni ON segnalazioni.id = lesson.report AND segnalazioni.department = lesson.department \
             WHERE lesson.version = ?1 AND NOT EXISTS (SELECT 1 FROM routing_lessons AS earlier \
             WHERE earlier.version = ?2 AND earlier.report = lesson.report AND earlier.department = lesson.department))",
            params![version, before],
        )?;
        Ok(())
    }

    /// The number of the next head, which no other has had or will have.
    pub fn next_head_version(&self) -> Result<i64> {
        let mut statement = self
            .connection
            .prepare_cached("UPDATE learning SET versions = versions + 1 RETURNING versions")?;
        Ok(statement.query_row([], |row| row.get(0))?)
    }

    /// Puts a head in force, with what it learnt, and drops those beyond the latest `keep`.
    pub fn insert_routing_head(
        &self,
        head: &HeadRow,
        made: i64,
        lessons: &[Lesson],
        keep: usize,
    ) -> Result<()> {
        let (version, count) = (
            head.version,
            i64::try_from(lessons.len()).unwrap_or(i64::MAX),
        );
        self.connection.execute(
            "INSERT INTO routing_heads (version, made, corrections, epoch, head) VALUES (?1, ?2, ?3, ?4, ?5)",
            params![version, made, count, head.epoch, head.sealed],
        )?;
        let mut statement = self.connection.prepare_cached(
            "INSERT INTO routing_lessons (version, report, department) VALUES (?1, ?2, ?3)",
        )?;
        for (report, department) in lessons {
            statement.execute(params![version, report, department])?;
        }
        self.connection.execute(
            "DELETE FROM routing_heads WHERE version NOT IN \
             (SELECT version FROM routing_heads ORDER BY version DESC LIMIT ?1)",
            [i64::try_from(keep).unwrap_or(i64::MAX)],
        )?;
        Ok(())
    }

    /// Takes a head away: the one before it, or the bundled one, is in force then.
    pub fn drop_routing_head(&self, version: i64) -> Result<()> {
        self.connection
            .execute("DELETE FROM routing_heads WHERE version = ?1", [version])?;
        Ok(())
    }

    /// Takes every head away, and what is told of the last attempt.
    pub fn drop_routing_heads(&self) -> Result<()> {
        self.connection.execute("DELETE FROM routing_heads", [])?;
        self.connection
            .execute("UPDATE learning SET at = NULL", [])?;
        Ok(())
    }

    /// Notes that what is in force was changed by hand. Nothing is due for it; what was due before stays so.
    pub fn note_routing_change(&self, was_due: bool) -> Result<()> {
        self.connection.execute(
            "UPDATE learning SET changes = changes + 1, learned = CASE WHEN ?1 THEN learned ELSE changes + 1 END",
            [was_due],
        )?;
        Ok(())
    }

    /// Notes what was learnt from: the corrections as they were at `changes`, and the bundled data of this name.
    pub fn note_learned(&self, changes: i64, basis: &str, last: Option<&AttemptRow>) -> Result<()> {
        self.connection.execute(
            "UPDATE learning SET learned = ?1, basis = ?2",
            params![changes, basis],
        )?;
        if let Some(last) = last {
            self.connection.execute(
                "UPDATE learning SET at = ?1, kept = ?2, corrections = ?3, tested = ?4, answered = ?5, bundled = ?6",
                params![
                    last.at,
                    last.kept,
                    last.corrections,
                    last.tested,
                    last.right,
                    last.bundled
                ],
            )?;
        }
        Ok(())
    }
}
