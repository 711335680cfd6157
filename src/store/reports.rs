//! Table `segnalazioni`: sealed reports in order of arrival.
//! Must never sort or search by anything but what is stored in the clear (arrival, status, dates, version).

use rusqlite::{OptionalExtension, Row, params};

use super::error::{Error, Result};
use super::list_filter::ListFilter;
use super::session::{Snapshot, Tx};
use crate::domain::report::Stato;
use crate::domain::routing::Department;

/// A report as it is first stored; `contenuto` is sealed under `epoch`.
#[derive(Debug, Clone)]
pub struct NewReport {
    /// 36-character UUID.
    pub id: String,
    /// Time of arrival, in ms.
    pub data_creazione: i64,
    /// Its department.
    pub department: Department,
    /// Whether it counts as urgent.
    pub urgente: bool,
    /// Version of the privacy notice that was shown.
    pub privacy_version: String,
    /// Keyed fingerprint of the content: tells a repeated last turn from a different one.
    pub impronta: [u8; 16],
    /// Epoch whose key seals the content.
    pub epoch: i64,
    /// Sealed content.
    pub contenuto: Vec<u8>,
}

/// A stored report.
#[derive(Debug, Clone)]
pub struct ReportRow {
    /// Arrival number.
    pub seq: i64,
    /// 36-character UUID.
    pub id: String,
    /// Its status.
    pub stato: Stato,
    /// Its department.
    pub department: Department,
    /// Whether it counts as urgent: what an editor decided, else what the program read.
    pub urgente: bool,
    /// Time of arrival, in ms.
    pub data_creazione: i64,
    /// Time of the last change, in ms.
    pub data_aggiornamento: i64,
    /// Grows by one with each change; the entity tag.
    pub versione: i64,
    /// When staff first opened it, in ms.
    pub aperta: Option<i64>,
    /// Version of the privacy notice that was shown.
    pub privacy_version: String,
    /// Keyed fingerprint of the content.
    pub impronta: Vec<u8>,
    /// Epoch whose key seals `contenuto`.
    pub epoch: i64,
    /// Sealed content.
    pub contenuto: Vec<u8>,
    /// Sealed internal note and its epoch.
    pub note: Option<SealedNote>,
}

/// An internal note as stored.
#[derive(Debug, Clone)]
pub struct SealedNote {
    /// Epoch whose key seals it.
    pub epoch: i64,
    /// Sealed text.
    pub sealed: Vec<u8>,
}

/// Where a page starts, by arrival number; newest first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Place {
    /// The newest.
    #[default]
    Top,
    /// Older than this one.
    Before(i64),
    /// The page that ends just above this one.
    After(i64),
}

/// One page, newest first.
#[derive(Debug, Clone)]
pub struct ListPage {
    /// The rows.
    pub rows: Vec<ReportRow>,
    /// Whether newer ones match above the page.
    pub newer: bool,
    /// Whether older ones match below the page.
    pub older: bool,
}

/// Reports beyond a page that are looked at before a date is sought in the index.
const NEAR: usize = 50;

const COLUMNS: &str = "seq, id, stato, data_creazione, data_aggiornamento, versione, aperta, privacy_version, impronta, \
                       epoch, contenuto, note_epoch, note, department, urgente";

fn report_row(row: &Row<'_>) -> rusqlite::Result<ReportRow> {
    let note_epoch: Option<i64> = row.get(11)?;
    let note: Option<Vec<u8>> = row.get(12)?;
    Ok(ReportRow {
        seq: row.get(0)?,
        id: row.get(1)?,
        stato: row.get(2)?,
        data_creazione: row.get(3)?,
        data_aggiornamento: row.get(4)?,
        versione: row.get(5)?,
        aperta: row.get(6)?,
        privacy_version: row.get(7)?,
        impronta: row.get(8)?,
        epoch: row.get(9)?,
        contenuto: row.get(10)?,
        department: row.get(13)?,
        urgente: row.get(14)?,
        note: note_epoch
            .zip(note)
            .map(|(epoch, sealed)| SealedNote { epoch, sealed }),
    })
}

/// Arrival number, id, epoch and sealed content, as they lie in the row.
fn sealed_row<'r>(row: &'r Row<'_>) -> Result<(i64, &'r str, i64, &'r [u8])> {
    let damaged = |error: rusqlite::types::FromSqlError| Error::Damaged(error.to_string());
    let id = row.get_ref(1)?.as_str().map_err(damaged)?;
    let blob = row.get_ref(3)?.as_blob().map_err(damaged)?;
    Ok((row.get(0)?, id, row.get(2)?, blob))
}

impl Snapshot<'_> {
    /// The report with this id.
    pub fn report(&self, id: &str) -> Result<Option<ReportRow>> {
        let mut statement = self
            .connection
            .prepare_cached(&format!("SELECT {COLUMNS} FROM segnalazioni WHERE id = ?1"))?;
        Ok(statement.query_row([id], report_row).optional()?)
    }

    /// The department that a report is in.
    pub fn department_of(&self, id: &str) -> Result<Option<Department>> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT department FROM segnalazioni WHERE id = ?1")?;
        Ok(statement.query_row([id], |row| row.get(0)).optional()?)
    }

    /// Whether a report counts as urgent.
    pub fn is_urgent(&self, id: &str) -> Result<Option<bool>> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT urgente FROM segnalazioni WHERE id = ?1")?;
        Ok(statement.query_row([id], |row| row.get(0)).optional()?)
    }

    /// One page of at most `limit` reports, newest first.
    pub fn report_page(&self, filter: &ListFilter, place: Place, limit: usize) -> Result<ListPage> {
        match place {
            Place::Top => self.page_below(filter, i64::MAX, limit),
            Place::Before(seq) => self.page_below(filter, seq, limit),
            Place::After(seq) => self.page_above(filter, seq, limit),
        }
    }

    fn page_below(&self, filter: &ListFilter, seq: i64, limit: usize) -> Result<ListPage> {
        let mut rows = self.rows(filter, "seq < ?4 ORDER BY seq DESC", seq, limit + 1)?;
        let older = rows.len() > limit;
        rows.truncate(limit);
        let newer = match rows.first() {
            Some(first) => !self
                .rows(filter, "seq > ?4 ORDER BY seq", first.seq, 1)?
                .is_empty(),
            None => {
                seq != i64::MAX
                    && !self
                        .rows(filter, "seq >= ?4 ORDER BY seq", seq, 1)?
                        .is_empty()
            }
        };
        Ok(ListPage { rows, newer, older })
    }

    fn page_above(&self, filter: &ListFilter, seq: i64, limit: usize) -> Result<ListPage> {
        let mut rows = self.rows(filter, "seq > ?4 ORDER BY seq", seq, limit + 1)?;
        if rows.len() < limit {
            // Fewer than a page above: show the whole first page rather than a short one.
            return self.page_below(filter, i64::MAX, limit);
        }
        let newer = rows.len() > limit;
        rows.truncate(limit);
        rows.reverse();
        let older = match rows.last() {
            Some(last) => !self
                .rows(filter, "seq < ?4 ORDER BY seq DESC", last.seq, 1)?
                .is_empty(),
            None => false,
        };
        Ok(ListPage { rows, newer, older })
    }

    /// The first reports in that direction. The bound of a date walks along all of its period, so that the nearest reports
    /// are looked at first: mostly they are of the period, or all there are.
    fn rows(
        &self,
        filter: &ListFilter,
        bound: &str,
        seq: i64,
        limit: usize,
    ) -> Result<Vec<ReportRow>> {
        if filter.since.is_some() {
            let of_any_date = ListFilter {
                since: None,
                ..filter.clone()
            };
            let mut near = self.bounded_rows(&of_any_date, bound, seq, limit + NEAR)?;
            let all = near.len() < limit + NEAR;
            near.retain(|row| filter.admits(row));
            near.truncate(limit);
            if all || near.len() == limit {
                return Ok(near);
            }
        }
        self.bounded_rows(filter, bound, seq, limit)
    }

    fn bounded_rows(
        &self,
        filter: &ListFilter,
        bound: &str,
        seq: i64,
        limit: usize,
    ) -> Result<Vec<ReportRow>> {
        let sql = format!(
            "SELECT {COLUMNS} FROM segnalazioni WHERE {} AND {bound} LIMIT ?5",
            filter.condition()
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let values = params![filter.stato, filter.since, filter.department, seq, limit];
        let rows = statement.query_map(values, report_row)?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// How many reports a filter lets through.
    pub fn report_count(&self, filter: &ListFilter) -> Result<i64> {
        let sql = format!(
            "SELECT count(*) FROM segnalazioni WHERE {}",
            filter.condition()
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        let values = params![filter.stato, filter.since, filter.department];
        Ok(statement.query_row(values, |row| row.get(0))?)
    }

    /// Shows every report of a filter to `visit`, newest first, until it fails.
    pub fn each_report<E: From<Error>>(
        &self,
        filter: &ListFilter,
        mut visit: impl FnMut(ReportRow) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        let sql = format!(
            "SELECT {COLUMNS} FROM segnalazioni WHERE {} ORDER BY seq DESC",
            filter.condition()
        );
        let mut statement = self.connection.prepare_cached(&sql).map_err(Error::from)?;
        let values = params![filter.stato, filter.since, filter.department];
        let rows = statement
            .query_map(values, report_row)
            .map_err(Error::from)?;
        for row in rows {
            visit(row.map_err(Error::from)?)?;
        }
        Ok(())
    }

    /// Arrival number of the newest report; 0 in an empty archive.
    pub fn newest_seq(&self) -> Result<i64> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT coalesce(max(seq), 0) FROM segnalazioni")?;
        Ok(statement.query_row([], |row| row.get(0))?)
    }

    /// The report with this arrival number.
    pub fn report_at(&self, seq: i64) -> Result<Option<ReportRow>> {
        let mut statement = self.connection.prepare_cached(&format!(
            "SELECT {COLUMNS} FROM segnalazioni WHERE seq = ?1"
        ))?;
        Ok(statement.query_row([seq], report_row).optional()?)
    }

    /// Whether there is a report with this arrival number that the filter lets through.
    pub fn admits(&self, filter: &ListFilter, seq: i64) -> Result<bool> {
        let mut statement = self.connection.prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM segnalazioni WHERE seq = ?1 AND (?2 IS NULL OR stato = ?2) \
             AND (?3 IS NULL OR data_creazione >= ?3) AND (?4 IS NULL OR department = ?4) \
             AND (?5 IS NULL OR urgente = ?5))",
        )?;
        let values = params![
            seq,
            filter.stato,
            filter.since,
            filter.department,
            filter.urgente
        ];
        Ok(statement.query_row(values, |row| row.get(0))?)
    }

    /// The lowest arrival number that a filter's date lets through, without regard to the rest of it.
    pub fn floor(&self, filter: &ListFilter) -> Result<i64> {
        let Some(since) = filter.since else {
            return Ok(i64::MIN);
        };
        // Left to itself SQLite walks the archive from its beginning to the first report of the period.
        let mut statement = self.connection.prepare_cached(
            "SELECT min(seq) FROM segnalazioni INDEXED BY segnalazioni_data WHERE data_creazione >= ?1",
        )?;
        let first: Option<i64> = statement.query_row([since], |row| row.get(0))?;
        Ok(first.unwrap_or(i64::MAX))
    }

    /// Arrival numbers of the reports of the filter's status, department and urgency between two of them, both included, without
    /// regard to its date: the `limit` oldest, in order.
    pub fn seqs_of_kind(
        &self,
        filter: &ListFilter,
        (oldest, newest): (i64, i64),
        limit: usize,
    ) -> Result<Vec<i64>> {
        let sql = format!(
            "SELECT seq FROM segnalazioni WHERE {} AND ?2 IS NULL AND seq BETWEEN ?4 AND ?5 ORDER BY seq LIMIT ?6",
            filter.kind_condition()
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let any_time = None::<i64>;
        let values = params![
            filter.stato,
            any_time,
            filter.department,
            oldest,
            newest,
            limit
        ];
        let seqs = statement.query_map(values, |row| row.get(0))?;
        Ok(seqs.collect::<rusqlite::Result<_>>()?)
    }

    /// Shows the reports of a filter between two arrival numbers, both included, to `visit`, the newest or the oldest
    /// first, until it wants no more: arrival number, id, epoch and sealed content. `true` when it was shown the last one.
    pub fn each_sealed<E: From<Error>>(
        &self,
        filter: &ListFilter,
        (oldest, newest): (i64, i64),
        newest_first: bool,
        mut visit: impl FnMut(i64, &str, i64, &[u8]) -> std::result::Result<bool, E>,
    ) -> std::result::Result<bool, E> {
        // The caller's range holds the date's bound already: to seek it again for each part would cost more than the part.
        let sql = format!(
            "SELECT seq, id, epoch, contenuto FROM segnalazioni WHERE {} AND (?2 IS NULL OR data_creazione >= ?2) \
             AND seq BETWEEN ?4 AND ?5 ORDER BY seq {}",
            filter.kind_condition(),
            if newest_first { "DESC" } else { "ASC" },
        );
        let mut statement = self.connection.prepare_cached(&sql).map_err(Error::from)?;
        let mut rows = statement
            .query(params![
                filter.stato,
                filter.since,
                filter.department,
                oldest,
                newest
            ])
            .map_err(Error::from)?;
        while let Some(row) = rows.next().map_err(Error::from)? {
            let (seq, id, epoch, blob) = sealed_row(row)?;
            if !visit(seq, id, epoch, blob)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

impl Tx<'_> {
    /// Stores a report as `Nuova`.
    pub fn insert_report(&self, report: &NewReport) -> Result<()> {
        self.connection
            .prepare_cached(
                "INSERT INTO segnalazioni (id, stato, data_creazione, data_aggiornamento, privacy_version, impronta, \
                 epoch, contenuto, department, urgente) VALUES (?1, 'Nuova', ?2, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            )?
            .execute(params![
                report.id,
                report.data_creazione,
                report.privacy_version,
                report.impronta,
                report.epoch,
                report.contenuto,
                report.department,
                report.urgente
            ])?;
        Ok(())
    }

    /// Sets status, department, urgency and note and raises the version.
    pub fn update_report(
        &self,
        id: &str,
        stato: Stato,
        department: Department,
        urgente: bool,
        note: Option<&SealedNote>,
        now: i64,
    ) -> Result<()> {
        self.connection
            .prepare_cached(
                "UPDATE segnalazioni SET stato = ?2, note_epoch = ?3, note = ?4, data_aggiornamento = ?5, \
                 department = ?6, urgente = ?7, versione = versione + 1 WHERE id = ?1",
            )?
            .execute(params![id, stato, note.map(|note| note.epoch), note.map(|note| &note.sealed), now, department, urgente])?;
        Ok(())
    }

    /// Notes when staff opened a report for the first time; later openings change nothing. `true` when this was the first.
    pub fn mark_opened(&self, id: &str, now: i64) -> Result<bool> {
        let changed = self
            .connection
            .prepare_cached("UPDATE segnalazioni SET aperta = ?2 WHERE id = ?1 AND aperta IS NULL")?
            .execute(params![id, now])?;
        Ok(changed > 0)
    }
}
