//! Tables `segnalazioni`, sealed reports in order of arrival, and `history`, what happened to them.
//! Must never sort or search by anything but what is stored in the clear (arrival, status, department, urgency, dates), nor
//! hold the text of a note.

use rusqlite::params;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::error::{Error, Result};
use super::session::{Snapshot, Tx, columns, rows, statements};
use crate::domain::declare::names;
use crate::domain::erasure::trace;
use crate::domain::moment;
use crate::domain::report::Stato;
use crate::domain::routing::Department;

/// A stored report; `contenuto` is sealed under `epoch`, and `note` under `note_epoch`.
#[derive(Debug, Clone, Default)]
pub struct ReportRow {
    pub seq: i64,
    pub id: String,
    pub stato: Stato,
    pub department: Department,
    /// Whether it counts as urgent: what an editor decided, else what the program read.
    pub urgente: bool,
    pub data_creazione: i64,
    pub data_aggiornamento: i64,
    /// Grows by one with each change; the entity tag.
    pub versione: i64,
    pub aperta: Option<i64>,
    pub privacy_version: String,
    /// Keyed fingerprint of the content: tells a repeated last turn from a different one.
    pub impronta: [u8; 16],
    pub epoch: i64,
    pub contenuto: Vec<u8>,
    pub note_epoch: Option<i64>,
    pub note: Option<Vec<u8>>,
    /// Keyed hash of the receipt's code, and the receipt's public key; none without a receipt.
    pub ricevuta: Option<[u8; 32]>,
    pub chiave: Option<[u8; 32]>,
    /// Since when a message of the reporter waits to be read, in ms.
    pub risposta: Option<i64>,
}

/// What is needed of a report to open it, search it and list it.
#[derive(Debug, Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a mark of its own")]
pub struct SealedRow {
    pub seq: i64,
    pub id: String,
    pub stato: Stato,
    pub department: Department,
    pub urgente: bool,
    pub data_creazione: i64,
    pub aperta: bool,
    pub sospetta: bool,
    /// Whether a message of the reporter waits to be read.
    pub risposta: bool,
    pub epoch: i64,
    pub contenuto: Vec<u8>,
}

names! {
    /// What can change on a report.
    pub enum ChangeKind {
        Stato = "stato",
        Note = "note",
        /// Nothing: a copy was made.
        Esportata = "esportata",
        Reparto = "reparto",
        Urgente = "urgente",
        /// Nothing: the newsroom wrote to the reporter.
        Messaggio = "messaggio",
        /// Nothing: the reporter wrote.
        Risposta = "risposta",
    }
}

/// Something that staff changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = BackupChange)]
pub struct HistoryRow {
    /// `stato`, `note`, `esportata`, `reparto` or `urgente`.
    #[serde(rename = "tipo")]
    #[schema(value_type = String)]
    pub kind: ChangeKind,
    /// When; RFC 3339, UTC.
    #[serde(rename = "data", with = "moment")]
    #[schema(value_type = String)]
    pub at: i64,
    /// Status or department before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub da: Option<String>,
    /// Status or department after.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub a: Option<String>,
}

/// Which reports a list shows, by what is stored in the clear.
#[derive(Debug, Clone, Copy, Default)]
pub struct ListFilter {
    pub stato: Option<Stato>,
    pub department: Option<Department>,
    pub urgente: Option<bool>,
    pub sospette: Option<bool>,
    /// Only those whose reporter has written and was not read yet.
    pub answered: bool,
    /// Only those that arrived at this time (ms) or later.
    pub since: Option<i64>,
}

/// How a statement holds to the date of a filter.
#[derive(Clone, Copy)]
enum Since {
    /// By a bound on the arrival number too, so that the list never walks the whole archive.
    Sought,
    /// By each row's own date.
    Checked,
    Ignored,
}

impl ListFilter {
    /// The rows that it lets through, as a condition on `?1` (status), `?2` (department) and `?3` (time). One text for each kind
    /// of filter, so that each has its own plan; the urgency is written out, because only so is its index used.
    fn condition(&self, since: Since) -> String {
        let asked = |asked: bool, yes, no| if asked { yes } else { no };
        let urgente = self
            .urgente
            .map(|yes| asked(yes, "urgente = 1", "urgente = 0"));
        let sospette = self
            .sospette
            .map(|yes| asked(yes, "sospetta IS NOT NULL", "sospetta IS NULL"));
        let since = match (self.since, since) {
            (None, _) | (_, Since::Ignored) => "?3 IS ?3",
            (_, Since::Checked) => "data_creazione >= ?3",
            (_, Since::Sought) => {
                "data_creazione >= ?3 AND seq >= (SELECT min(seq) \
                 FROM segnalazioni INDEXED BY segnalazioni_data WHERE data_creazione >= ?3)"
            }
        };
        [
            asked(self.stato.is_some(), "stato = ?1", "?1 IS NULL"),
            asked(self.department.is_some(), "department = ?2", "?2 IS NULL"),
            urgente.unwrap_or("1"),
            sospette.unwrap_or("1"),
            asked(self.answered, "risposta IS NOT NULL", "1"),
            since,
        ]
        .join(" AND ")
    }

    /// What its condition is bound to.
    fn values(&self) -> (Option<Stato>, Option<Department>, Option<i64>) {
        (self.stato, self.department, self.since)
    }

    /// Whether it asks for a status, a department or an urgency: something in the clear, whatever the text of a report.
    pub fn has_kind(&self) -> bool {
        let marked = self.urgente.is_some() || self.sospette.is_some() || self.answered;
        self.stato.is_some() || self.department.is_some() || marked
    }

    pub fn admits(&self, row: &SealedRow) -> bool {
        self.stato.is_none_or(|stato| stato == row.stato)
            && self.department.is_none_or(|one| one == row.department)
            && self.urgente.is_none_or(|urgente| urgente == row.urgente)
            && self
                .sospette
                .is_none_or(|sospette| sospette == row.sospetta)
            && (!self.answered || row.risposta)
            && self.since.is_none_or(|since| row.data_creazione >= since)
    }
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
    pub rows: Vec<SealedRow>,
    /// Whether newer ones match above the page.
    pub newer: bool,
    /// Whether older ones match below the page.
    pub older: bool,
}

impl ListPage {
    /// Cuts a page out of what `next` gives: the first matching reports from an arrival number on, upwards or downwards.
    pub fn cut<E>(
        place: Place,
        limit: usize,
        next: impl Fn(i64, bool, usize) -> Result<Vec<SealedRow>, E>,
    ) -> Result<Self, E> {
        let (seq, up) = match place {
            Place::Top => (i64::MAX, false),
            Place::Before(seq) => (seq, false),
            Place::After(seq) => (seq, true),
        };
        let mut rows = next(seq, up, limit + 1)?;
        if up && rows.len() < limit {
            // Fewer than a page above: the whole first page rather than a short one.
            return Self::cut(Place::Top, limit, next);
        }
        let further = rows.len() > limit;
        rows.truncate(limit);
        let edge = rows.first().map_or(seq.saturating_sub(1), |row| row.seq);
        let behind = place != Place::Top && !next(edge, !up, 1)?.is_empty();
        if up {
            rows.reverse();
        }
        let (newer, older) = if up {
            (further, behind)
        } else {
            (behind, further)
        };
        Ok(Self { rows, newer, older })
    }
}

/// Reports beyond a page that are looked at before a date is sought in the index.
const NEAR: usize = 50;

const COLUMNS: &str = "seq, id, stato, department, urgente, data_creazione, data_aggiornamento, versione, aperta, \
                       privacy_version, impronta, epoch, contenuto, note_epoch, note, ricevuta, chiave, risposta";
const SEALED: &str = "seq, id, stato, department, urgente, data_creazione, aperta IS NOT NULL, sospetta IS NOT NULL, \
     risposta IS NOT NULL, epoch, contenuto";

columns! {
    ReportRow {
        seq, id, stato, department, urgente, data_creazione, data_aggiornamento, versione, aperta,
        privacy_version, impronta, epoch, contenuto, note_epoch, note, ricevuta, chiave, risposta
    }
    SealedRow {
        seq, id, stato, department, urgente, data_creazione, aperta, sospetta, risposta, epoch, contenuto
    }
    HistoryRow { at, kind, da, a }
}

impl Snapshot<'_> {
    statements! {
        find report(id: &str) -> Option<ReportRow> = &format!("SELECT {COLUMNS} FROM segnalazioni WHERE id = ?1");
        /// The fingerprint of the report that was stored under this id; an empty one where it was erased since.
        find_value sent(id: &str) -> Option<Vec<u8>> =
            "SELECT impronta FROM segnalazioni WHERE id = ?1 UNION ALL SELECT x'' FROM erased WHERE trace = ?2",
            [id, trace(id)];
        /// The report whose receipt has this hash.
        find report_of_receipt(mark: &[u8; 32]) -> Option<ReportRow> = &format!("SELECT {COLUMNS} FROM segnalazioni WHERE ricevuta = ?1");
        find report_at(seq: i64) -> Option<ReportRow> = &format!("SELECT {COLUMNS} FROM segnalazioni WHERE seq = ?1");
        find sealed_at(seq: i64) -> Option<SealedRow> = &format!("SELECT {SEALED} FROM segnalazioni WHERE seq = ?1");
        /// The department that a report is in, whether it counts as urgent, and whether it is set aside.
        find standing_of(id: &str) -> Option<(Department, bool, bool)> =
            "SELECT department, urgente, sospetta IS NOT NULL FROM segnalazioni WHERE id = ?1";
        /// Arrival number of the newest report; 0 in an empty archive.
        value newest_seq() -> i64 = "SELECT coalesce(max(seq), 0) FROM segnalazioni";
        /// At most `count` reports, more than one: the oldest, the newest, and some between.
        list spread_reports(count: i64) -> Vec<ReportRow> =
            &format!("WITH RECURSIVE step (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM step \
            WHERE n + 1 < ?1), ends AS (SELECT (SELECT min(seq) FROM segnalazioni) AS low, (SELECT max(seq) \
            FROM segnalazioni) AS high) SELECT {COLUMNS} FROM segnalazioni WHERE seq IN (SELECT (SELECT min(seq) \
            FROM segnalazioni WHERE seq >= low + (high - low) * n / (?1 - 1)) FROM step, ends)");
        list history(report: &str) -> Vec<HistoryRow> = "SELECT at, kind, da, a FROM history WHERE report = ?1 ORDER BY id";
        /// Whether there is a report with this arrival number that the filter lets through.
        value admits(filter: &ListFilter, seq: i64) -> bool =
            "SELECT EXISTS (SELECT 1 FROM segnalazioni WHERE seq = ?1 AND (?2 IS NULL OR stato = ?2) \
            AND (?3 IS NULL OR data_creazione >= ?3) AND (?4 IS NULL OR department = ?4) \
            AND (?5 IS NULL OR urgente = ?5) AND (?6 IS NULL OR (sospetta IS NOT NULL) = ?6) AND (NOT ?7 OR risposta IS NOT NULL))",
            [seq, filter.stato, filter.since, filter.department, filter.urgente, filter.sospette, filter.answered];
    }

    /// One page of at most `limit` reports, newest first.
    pub fn report_page(&self, filter: &ListFilter, place: Place, limit: usize) -> Result<ListPage> {
        ListPage::cut(place, limit, |seq, up, limit| {
            self.next_reports(filter, seq, up, limit)
        })
    }

    /// The first reports in that direction. The bound of a date walks along all of its period, so that the nearest reports
    /// are looked at first: mostly they are of the period, or all there are.
    fn next_reports(
        &self,
        filter: &ListFilter,
        seq: i64,
        up: bool,
        limit: usize,
    ) -> Result<Vec<SealedRow>> {
        let bound = if up {
            "seq > ?4 ORDER BY seq"
        } else {
            "seq < ?4 ORDER BY seq DESC"
        };
        let (stato, department, from) = filter.values();
        let read = |since: Since, limit: usize| {
            let condition = filter.condition(since);
            let sql =
                format!("SELECT {SEALED} FROM segnalazioni WHERE {condition} AND {bound} LIMIT ?5");
            self.list::<SealedRow>(&sql, params![stato, department, from, seq, rows(limit)])
        };
        if filter.since.is_some() {
            let mut near = read(Since::Ignored, limit + NEAR)?;
            let all = near.len() < limit + NEAR;
            near.retain(|row| filter.admits(row));
            near.truncate(limit);
            if all || near.len() == limit {
                return Ok(near);
            }
        }
        read(Since::Sought, limit)
    }

    /// How many reports a filter lets through.
    pub fn report_count(&self, filter: &ListFilter) -> Result<i64> {
        let sql = format!(
            "SELECT count(*) FROM segnalazioni WHERE {}",
            filter.condition(Since::Sought)
        );
        self.value(&sql, filter.values())
    }

    /// The lowest arrival number that a filter's date lets through, without regard to the rest of it.
    pub fn floor(&self, filter: &ListFilter) -> Result<i64> {
        let Some(since) = filter.since else {
            return Ok(i64::MIN);
        };
        // Left to itself SQLite walks the archive from its beginning to the first report of the period.
        let first: Option<i64> = self.value(
            "SELECT min(seq) FROM segnalazioni INDEXED BY segnalazioni_data WHERE data_creazione >= ?1",
            [since],
        )?;
        Ok(first.unwrap_or(i64::MAX))
    }

    /// Arrival numbers of the reports of the filter's status, department and urgency between two of them, both included, without
    /// regard to its date, in order.
    pub fn seqs_of_kind(
        &self,
        filter: &ListFilter,
        (oldest, newest): (i64, i64),
    ) -> Result<Vec<i64>> {
        let condition = filter.condition(Since::Ignored);
        let sql = format!(
            "SELECT seq FROM segnalazioni WHERE {condition} AND seq BETWEEN ?4 AND ?5 ORDER BY seq"
        );
        let (stato, department, from) = filter.values();
        self.values(&sql, params![stato, department, from, oldest, newest])
    }

    /// Shows the reports of a filter in ranges of arrival numbers, both ends included, to `visit`, the newest or the oldest of
    /// each range first, until it wants no more.
    pub fn each_sealed<E: From<Error>>(
        &self,
        filter: &ListFilter,
        ranges: &[(i64, i64)],
        newest_first: bool,
        mut visit: impl FnMut(SealedRow) -> Result<bool, E>,
    ) -> Result<(), E> {
        // The caller's ranges hold the date's bound already: to seek it again for each part would cost more than the part.
        let condition = filter.condition(Since::Checked);
        let order = if newest_first { "DESC" } else { "ASC" };
        let sql = format!(
            "SELECT {SEALED} FROM segnalazioni WHERE {condition} AND seq BETWEEN ?4 AND ?5 ORDER BY seq {order}"
        );
        let (stato, department, from) = filter.values();
        let mut statement = self.connection.prepare_cached(&sql).map_err(Error::from)?;
        for (oldest, newest) in ranges {
            let values = params![stato, department, from, oldest, newest];
            let mut rows = statement.query(values).map_err(Error::from)?;
            while let Some(row) = rows.next().map_err(Error::from)? {
                if !visit(SealedRow::try_from(row).map_err(Error::from)?)? {
                    return Ok(());
                }
            }
        }
        Ok(())
    }
}

impl Tx<'_> {
    statements! {
        /// Stores a report as it arrives: `Nuova`, unopened and without a note, under the next number.
        execute insert_report(report: &ReportRow) =
            "INSERT INTO segnalazioni (id, stato, data_creazione, data_aggiornamento, privacy_version, impronta, epoch, \
            contenuto, department, urgente, ricevuta, chiave) VALUES (?1, 'Nuova', ?2, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
            [report.id, report.data_creazione, report.privacy_version, report.impronta, report.epoch, report.contenuto, report.department, report.urgente, report.ricevuta, report.chiave];
        /// Sets the status, leaves everything else of the report as it is, and raises the version.
        execute set_stato(id: &str, stato: Stato, now: i64) =
            "UPDATE segnalazioni SET stato = ?2, data_aggiornamento = ?3, versione = versione + 1 WHERE id = ?1";
        /// Notes when staff opened a report for the first time; later openings change nothing.
        execute mark_opened(id: &str, now: i64) = "UPDATE segnalazioni SET aperta = ?2 WHERE id = ?1 AND aperta IS NULL";
        execute insert_history(report: &str, row: &HistoryRow) =
            "INSERT INTO history (report, at, kind, da, a) VALUES (?1, ?2, ?3, ?4, ?5)",
            [report, row.at, row.kind, row.da, row.a];
        /// Sets status, department, urgency and note to those of the row, and raises the version. What an editor has changed is set
        /// aside no more.
        execute update_report(row: &ReportRow, now: i64) =
            "UPDATE segnalazioni SET stato = ?2, note_epoch = ?3, note = ?4, data_aggiornamento = ?5, department = ?6, \
            urgente = ?7, sospetta = NULL, versione = versione + 1 WHERE id = ?1",
            [row.id, row.stato, row.note_epoch, row.note, now, row.department, row.urgente];
    }

    /// Archives a report of this status, and notes it in its history.
    pub fn archive(&self, id: &str, stato: Stato, now: i64) -> Result<()> {
        self.set_stato(id, Stato::Archiviata, now)?;
        let change = HistoryRow {
            kind: ChangeKind::Stato,
            at: now,
            da: Some(stato.as_str().to_owned()),
            a: Some(Stato::Archiviata.as_str().to_owned()),
        };
        self.insert_history(id, &change)
    }

    /// Stores a report that comes back from a file, with its past. Its statuses are gone through in order, as they were then, so
    /// that the triggers count them.
    pub fn insert_past_report(&self, past: &ReportRow, history: Vec<HistoryRow>) -> Result<()> {
        let id = &past.id;
        self.insert_report(past)?;
        self.execute(
            "UPDATE segnalazioni SET seq = ?2 WHERE id = ?1",
            params![id, past.seq],
        )?;
        for change in history {
            self.insert_history(id, &change)?;
            if let (ChangeKind::Stato, Some(stato)) = (change.kind, &change.a) {
                let unknown = || Error::Damaged("storia".to_owned());
                let stato = Stato::parse(stato).ok_or_else(unknown)?;
                self.set_stato(id, stato, change.at)?;
            }
        }
        // Of a report without a history only the status is known.
        self.set_stato(id, past.stato, past.data_aggiornamento)?;
        self.execute(
            "UPDATE segnalazioni SET data_aggiornamento = ?2, versione = ?3, aperta = ?4, note_epoch = ?5, note = ?6 \
             WHERE id = ?1",
            params![id, past.data_aggiornamento, past.versione, past.aperta, past.note_epoch, past.note],
        )
    }
}
