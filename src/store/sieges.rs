//! Table `sieges`, when siege mode was on and what was done, and the groups of near copies that were set aside.
//! Must never hold anything about who sent a report.

use rusqlite::params;

use super::error::Result;
use super::session::{Snapshot, Tx, rows};
use crate::domain::siege::Cause;

/// Sieges that are remembered.
const KEPT: i64 = 100;

impl Snapshot<'_> {
    /// Why a siege lasts, if one does.
    pub fn siege(&self) -> Result<Option<Cause>> {
        self.find_value("SELECT cause FROM sieges WHERE ended IS NULL", [])
    }
}

impl Tx<'_> {
    /// Notes that a siege begins, or ends where there is no cause; nothing where that is noted already.
    pub fn put_siege(&self, cause: Option<Cause>, now: i64) -> Result<()> {
        let Some(cause) = cause else {
            return self.execute("UPDATE sieges SET ended = ?1 WHERE ended IS NULL", [now]);
        };
        self.execute(
            "INSERT INTO sieges (began, cause) \
             SELECT ?1, ?2 WHERE NOT EXISTS (SELECT 1 FROM sieges WHERE ended IS NULL)",
            params![now, cause],
        )?;
        self.execute(
            "DELETE FROM sieges WHERE id <= (SELECT max(id) FROM sieges) - ?1",
            [KEPT],
        )
    }

    /// Counts what was done in the siege that lasts; nothing where none does.
    pub fn count_in_siege(
        &self,
        reports: usize,
        set_aside: usize,
        mails_spared: usize,
    ) -> Result<()> {
        self.execute(
            "UPDATE sieges SET reports = reports + ?1, set_aside = set_aside + ?2, mails_spared = mails_spared + ?3 \
             WHERE ended IS NULL",
            [reports, set_aside, mails_spared].map(rows),
        )
    }

    /// Sets reports aside that are not yet; answers how many.
    pub fn set_aside(&self, group: i64, ids: &[String]) -> Result<usize> {
        let sql = "UPDATE segnalazioni SET sospetta = ?2 WHERE id = ?1 AND sospetta IS NULL";
        let mut changed = 0;
        for id in ids {
            changed += self.changed(sql, params![id, group])?;
        }
        Ok(changed)
    }
}
