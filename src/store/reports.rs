//! Tables `segnalazioni`, sealed reports in order of arrival, and `history`, what happened to them.
//! Must never sort or search by anything but what is stored in the clear (arrival, status, department, urgency, dates), nor
//! hold the text of a note.

use rusqlite::params;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::error::{Error, Result};
use super::session::{FromRow, Snapshot, Tx, columns, rows, statements};
use crate::domain::declare::names;
use crate::domain::erasure::trace;
use crate::domain::moment;
use crate::domain::report::{Origine, Stato};
use crate::domain::routing::Department;

/// A stored report; `riga` and `contenuto` are sealed under `epoch`, and `note` under `note_epoch`.
#[derive(Debug, Clone, Default)]
pub struct ReportRow {
    pub seq: i64,
    pub id: String,
    pub stato: Stato,
    pub department: Department,
    /// Whether it counts as urgent: what an editor decided, else what the program read.
    pub urgente: bool,
    pub origine: Origine,
    pub data_creazione: i64,
    pub data_aggiornamento: i64,
    /// Grows by one with each change; the entity tag.
    pub versione: i64,
    pub aperta: Option<i64>,
    pub privacy_version: String,
    /// Keyed fingerprint of the content: tells a repeated last turn from a different one.
    pub impronta: [u8; 16],
    pub epoch: i64,
    /// What a list shows of the content.
    pub riga: Vec<u8>,
    pub contenuto: Vec<u8>,
    pub note_epoch: Option<i64>,
    pub note: Option<Vec<u8>>,
    /// Key of the receipt, sealed; none without a receipt.
    pub chiave: Option<Vec<u8>>,
    /// Since when a message of the reporter waits to be read, in ms.
    pub risposta: Option<i64>,
    /// Its labels, a bit each.
    pub labels: i64,
    /// The person that it is given to.
    pub assegnata: Option<String>,
}

/// What is needed of a report to open it, search it and export it.
#[derive(Debug, Clone, Default)]
pub struct SealedRow {
    pub seq: i64,
    pub id: String,
    pub stato: Stato,
    pub department: Department,
    pub urgente: bool,
    pub data_creazione: i64,
    pub epoch: i64,
    pub contenuto: Vec<u8>,
}

/// What is needed of a report to list it.
#[derive(Debug, Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a mark of its own")]
pub struct ListRow {
    pub seq: i64,
    pub id: String,
    pub stato: Stato,
    pub department: Department,
    pub urgente: bool,
    pub origine: Origine,
    pub data_creazione: i64,
    pub aperta: bool,
    pub sospetta: bool,
    /// Whether a message of the reporter waits to be read.
    pub risposta: bool,
    /// Its labels, a bit each.
    pub labels: i64,
    /// The person that it is given to.
    pub assegnata: Option<String>,
    pub versione: i64,
    pub epoch: i64,
    pub riga: Vec<u8>,
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
        /// Whether it was forwarded to the authorities.
        Inoltrata = "inoltrata",
        /// Which ones is not said: labels go, and their names are sealed.
        Etichette = "etichette",
        /// Nothing: the newsroom wrote to the reporter.
        Messaggio = "messaggio",
        /// Nothing: the reporter wrote.
        Risposta = "risposta",
        /// Whom it is given to.
        Assegnata = "assegnata",
    }
}

/// Something that staff changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = BackupChange)]
pub struct HistoryRow {
    /// `stato`, `note`, `esportata`, `reparto`, `urgente`, `etichette`, …
    #[serde(rename = "tipo")]
    #[schema(value_type = String)]
    pub kind: ChangeKind,
    /// When; RFC 3339, UTC.
    #[serde(rename = "data", with = "moment")]
    #[schema(value_type = String)]
    pub at: i64,
    /// Status, department or person before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub da: Option<String>,
    /// Status, department or person after.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub a: Option<String>,
    /// Whose doing it was, by id; none for the shared password, a reporter and the program itself.
    #[serde(rename = "autore", default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
}

/// Whom a report is given to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Assigned {
    Nobody,
    Anybody,
    To(Uuid),
}

impl Assigned {
    fn condition(self) -> String {
        match self {
            Self::Nobody => "assegnata IS NULL".to_owned(),
            Self::Anybody => "assegnata IS NOT NULL".to_owned(),
            Self::To(person) => format!("assegnata = '{person}'"),
        }
    }
}

/// Which reports a list shows, by what is stored in the clear, and in which order.
#[derive(Debug, Clone, Copy, Default)]
pub struct ListFilter {
    pub stato: Option<Stato>,
    pub department: Option<Department>,
    pub urgente: Option<bool>,
    pub origine: Option<Origine>,
    pub sospette: Option<bool>,
    /// Only those whose reporter has written and was not read yet.
    pub answered: bool,
    /// Only those with one of these labels, a bit each; 0 for all.
    pub labels: i64,
    pub assigned: Option<Assigned>,
    /// Only those that arrived at this time (ms) or later.
    pub since: Option<i64>,
    /// Only those that arrived before this time (ms).
    pub until: Option<i64>,
    pub oldest_first: bool,
}

/// How a statement holds to the dates of a filter.
#[derive(Clone, Copy)]
enum Dates {
    /// By bounds on the arrival number too, so that the list never walks the whole archive.
    Sought,
    /// By each row's own date.
    Checked,
    Ignored,
}

impl ListFilter {
    /// Its dates, as a condition on `?3` and `?4`; empty where it has none.
    fn dates(&self) -> String {
        let since = self.since.map(|_| "data_creazione >= ?3");
        let until = self.until.map(|_| "data_creazione < ?4");
        let both: Vec<_> = since.into_iter().chain(until).collect();
        both.join(" AND ")
    }

    /// The rows that it lets through, as a condition on `?1` (status), `?2` (department), `?3` and `?4` (times). One text for each
    /// kind of filter, so that each has its own plan; what has an index of its own is written out, because only so is it used.
    fn condition(&self, dates: Dates) -> String {
        let asked = |asked: bool, yes, no| if asked { yes } else { no };
        let either = |asked: Option<bool>, yes, no| match asked {
            Some(true) => yes,
            Some(false) => no,
            None => "1",
        };
        // In so many words: only so is the index of what is labelled used.
        let labels = match self.labels {
            0 => "1".to_owned(),
            bits => format!("labels <> 0 AND labels & {bits} <> 0"),
        };
        let assigned = self.assigned.map_or("1".to_owned(), Assigned::condition);
        let origine = self.origine.map_or("1".to_owned(), |origine| {
            format!("origine = '{}'", origine.as_str())
        });
        let kind = [
            asked(self.stato.is_some(), "stato = ?1", "?1 IS NULL"),
            asked(self.department.is_some(), "department = ?2", "?2 IS NULL"),
            either(self.urgente, "urgente = 1", "urgente = 0"),
            &origine,
            either(self.sospette, "sospetta IS NOT NULL", "sospetta IS NULL"),
            asked(self.answered, "risposta IS NOT NULL", "1"),
            &labels,
            &assigned,
            // Every value stands in the text, whatever the filter asks for.
            "?3 IS ?3 AND ?4 IS ?4",
        ]
        .join(" AND ");
        let period = self.dates();
        match dates {
            _ if period.is_empty() => kind,
            Dates::Ignored => kind,
            Dates::Checked => format!("{kind} AND {period}"),
            Dates::Sought => format!("{kind} AND {period}{}", self.seqs(&period)),
        }
    }

    /// The ends of a period among the arrival numbers, of all reports. Left to itself SQLite walks the archive to the first report of it.
    fn seqs(&self, period: &str) -> String {
        let end = |way: &str, of: &str| {
            format!(
                " AND seq {way} (SELECT {of}(seq) FROM main.segnalazioni INDEXED BY segnalazioni_data WHERE {period})"
            )
        };
        let since = self.since.map(|_| end(">=", "min"));
        let until = self.until.map(|_| end("<=", "max"));
        since.into_iter().chain(until).collect()
    }

    /// What its condition is bound to.
    fn values(&self) -> (Option<Stato>, Option<Department>, Option<i64>, Option<i64>) {
        (self.stato, self.department, self.since, self.until)
    }

    /// Whether it asks for a status, a department or a mark: something in the clear, whatever the text of a report.
    pub fn has_kind(&self) -> bool {
        let marked = self.urgente.is_some() || self.sospette.is_some() || self.answered;
        let marked = marked || self.labels != 0 || self.assigned.is_some();
        self.stato.is_some() || self.department.is_some() || self.origine.is_some() || marked
    }

    /// Whether it asks for a mark that few reports have, and whose index holds only those.
    fn has_rare_mark(&self) -> bool {
        let origine = self.origine.is_some_and(|one| one != Origine::Chat);
        let given = self.assigned.is_some_and(|one| one != Assigned::Nobody);
        let marked = self.urgente == Some(true) || self.sospette == Some(true);
        marked || origine || given || self.answered || self.labels != 0
    }

    pub fn has_dates(&self) -> bool {
        self.since.is_some() || self.until.is_some()
    }

    fn has_date(&self, at: i64) -> bool {
        self.since.is_none_or(|since| at >= since) && self.until.is_none_or(|until| at < until)
    }
}

/// Where a page starts, by arrival number, in the order of the list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Place {
    /// At the beginning.
    #[default]
    Top,
    /// Behind this one.
    After(i64),
    /// The page that ends just before this one.
    Before(i64),
}

/// One page, in the order of the list.
#[derive(Debug, Clone)]
pub struct ListPage {
    pub rows: Vec<ListRow>,
    /// Whether others match before the page.
    pub before: bool,
    /// Whether others match behind it.
    pub after: bool,
}

impl ListPage {
    /// Cuts a page out of what `next` gives: the first matching reports from an arrival number on, upwards or downwards.
    pub fn cut<E>(
        place: Place,
        limit: usize,
        oldest_first: bool,
        next: impl Fn(i64, bool, usize) -> Result<Vec<ListRow>, E>,
    ) -> Result<Self, E> {
        let (seq, back) = match place {
            Place::Top if oldest_first => (i64::MIN, false),
            Place::Top => (i64::MAX, false),
            Place::After(seq) => (seq, false),
            Place::Before(seq) => (seq, true),
        };
        let up = oldest_first != back;
        let mut rows = next(seq, up, limit + 1)?;
        if back && rows.len() < limit {
            // Fewer than a page before: the whole first page rather than a short one.
            return Self::cut(Place::Top, limit, oldest_first, next);
        }
        let further = rows.len() > limit;
        rows.truncate(limit);
        let beside = if up {
            seq.saturating_add(1)
        } else {
            seq.saturating_sub(1)
        };
        let edge = rows.first().map_or(beside, |row| row.seq);
        let behind = place != Place::Top && !next(edge, !up, 1)?.is_empty();
        if back {
            rows.reverse();
        }
        let (before, after) = if back {
            (further, behind)
        } else {
            (behind, further)
        };
        Ok(Self {
            rows,
            before,
            after,
        })
    }
}

/// Reports before a page that are counted, at most.
const FAR: i64 = 10_000;
/// Reports beyond a page that are looked at before a date is sought in the index.
const NEAR: usize = 50;

const COLUMNS: &str = "seq, id, stato, department, urgente, origine, data_creazione, data_aggiornamento, versione, aperta, \
                       privacy_version, impronta, epoch, riga, contenuto, note_epoch, note, chiave, risposta, labels, assegnata";
const SEALED: &str = "seq, id, stato, department, urgente, data_creazione, epoch, contenuto";
const LISTED: &str = "seq, id, stato, department, urgente, origine, data_creazione, aperta IS NOT NULL, sospetta IS NOT NULL, \
     risposta IS NOT NULL, labels, assegnata, versione, epoch, riga";

columns! {
    ReportRow {
        seq, id, stato, department, urgente, origine, data_creazione, data_aggiornamento, versione, aperta,
        privacy_version, impronta, epoch, riga, contenuto, note_epoch, note, chiave, risposta, labels, assegnata
    }
    SealedRow { seq, id, stato, department, urgente, data_creazione, epoch, contenuto }
    ListRow {
        seq, id, stato, department, urgente, origine, data_creazione, aperta, sospetta, risposta, labels, assegnata, versione,
        epoch, riga
    }
    HistoryRow { at, kind, da, a, author }
}

impl Snapshot<'_> {
    statements! {
        find report(id: &str) -> Option<ReportRow> = &format!("SELECT {COLUMNS} FROM segnalazioni WHERE id = ?1");
        /// The fingerprint of the report that was stored under this id; an empty one where it was erased since.
        find_value sent(id: &str) -> Option<Vec<u8>> =
            "SELECT impronta FROM segnalazioni WHERE id = ?1 UNION ALL SELECT x'' FROM erased WHERE trace = ?2",
            [id, trace(id)];
        find report_at(seq: i64) -> Option<ReportRow> = &format!("SELECT {COLUMNS} FROM segnalazioni WHERE seq = ?1");
        find listed_at(seq: i64) -> Option<ListRow> = &format!("SELECT {LISTED} FROM segnalazioni WHERE seq = ?1");
        find listed_of(id: &str) -> Option<ListRow> = &format!("SELECT {LISTED} FROM segnalazioni WHERE id = ?1");
        /// The department that a report is in, whether it counts as urgent, and whether it is set aside.
        find standing_of(id: &str) -> Option<(Department, bool, bool)> =
            "SELECT department, urgente, sospetta IS NOT NULL FROM segnalazioni WHERE id = ?1";
        /// Arrival numbers of the reports whose id begins so, oldest first.
        values seqs_of_id(start: &str) -> Vec<i64> =
            "SELECT seq FROM segnalazioni WHERE id >= ?1 AND id < ?1 || '~' ORDER BY +seq LIMIT 200";
        /// At most `count` reports, more than one: the oldest, the newest, and some between.
        list spread_reports(count: i64) -> Vec<ReportRow> =
            &format!("WITH RECURSIVE step (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM step \
            WHERE n + 1 < ?1), ends AS (SELECT (SELECT min(seq) FROM segnalazioni) AS low, (SELECT max(seq) \
            FROM segnalazioni) AS high) SELECT {COLUMNS} FROM segnalazioni WHERE seq IN (SELECT (SELECT min(seq) \
            FROM segnalazioni WHERE seq >= low + (high - low) * n / (?1 - 1)) FROM step, ends)");
        list history(report: &str) -> Vec<HistoryRow> = "SELECT at, kind, da, a, author FROM history WHERE report = ?1 ORDER BY id";
    }

    /// Selects of the reports that meet a condition. Where not all departments are in sight, those of each are found by themselves:
    /// left to itself SQLite would walk along the whole archive for a page of a small department.
    fn selection(&self, filter: &ListFilter, what: &str, condition: &str) -> String {
        let all = format!("SELECT {what} FROM segnalazioni WHERE {condition}");
        if self.sight().is_all() || filter.department.is_some() || filter.has_rare_mark() {
            return all;
        }
        let desks = self.sight().iter();
        let desks = desks.map(|one| format!("{all} AND department = '{}'", one.as_str()));
        desks.collect::<Vec<_>>().join(" UNION ALL ")
    }

    /// Arrival number of the newest report; 0 in an empty archive.
    pub fn newest_seq(&self) -> Result<i64> {
        let reports = self.selection(&ListFilter::default(), "seq", "1");
        let newest = self.find_value(&format!("{reports} ORDER BY seq DESC LIMIT 1"), [])?;
        Ok(newest.unwrap_or(0))
    }

    /// One page of at most `limit` reports.
    pub fn report_page(&self, filter: &ListFilter, place: Place, limit: usize) -> Result<ListPage> {
        ListPage::cut(place, limit, filter.oldest_first, |seq, up, limit| {
            self.next_reports(filter, seq, up, limit)
        })
    }

    /// The first reports in that direction. The bounds of dates walk along all of their period, so that the nearest reports
    /// are looked at first: mostly they are of the period, or all there are.
    fn next_reports(
        &self,
        filter: &ListFilter,
        seq: i64,
        up: bool,
        limit: usize,
    ) -> Result<Vec<ListRow>> {
        let (way, order) = if up { (">", "ASC") } else { ("<", "DESC") };
        let (stato, department, since, until) = filter.values();
        let read = |dates: Dates, limit: usize| {
            let condition = format!("{} AND seq {way} ?5", filter.condition(dates));
            let reports = self.selection(filter, LISTED, &condition);
            let sql = format!("{reports} ORDER BY seq {order} LIMIT ?6");
            let values = params![stato, department, since, until, seq, rows(limit)];
            self.list::<ListRow>(&sql, values)
        };
        if filter.has_dates() {
            let mut near = read(Dates::Ignored, limit + NEAR)?;
            let all = near.len() < limit + NEAR;
            near.retain(|row| filter.has_date(row.data_creazione));
            near.truncate(limit);
            if all || near.len() == limit {
                return Ok(near);
            }
        }
        read(Dates::Sought, limit)
    }

    /// How many reports a filter lets through, by walking along them in an index.
    pub fn report_count(&self, filter: &ListFilter) -> Result<i64> {
        let dates = if filter.has_kind() || !self.sight().is_all() {
            Dates::Sought
        } else {
            Dates::Checked
        };
        let mut condition = filter.condition(dates);
        if filter.has_rare_mark() {
            // A `+` keeps SQLite from the index of a column: those with the mark are fewer.
            condition = condition.replace("stato = ", "+stato = ");
            condition = condition.replace("department = ", "+department = ");
        }
        let counts = self.selection(filter, "count(*)", &condition);
        let counts: Vec<i64> = self.values(&counts, filter.values())?;
        Ok(counts.iter().sum())
    }

    /// How many of them stand before this one in the list; nothing where they are more than anybody turns pages. Costs one step a report.
    pub fn ahead(&self, filter: &ListFilter, seq: i64) -> Result<Option<i64>> {
        let way = if filter.oldest_first { "<" } else { ">" };
        let condition = format!("{} AND seq {way} ?5", filter.condition(Dates::Checked));
        let reports = self.selection(filter, "1", &condition);
        let sql = format!("SELECT count(*) FROM ({reports} LIMIT {})", FAR + 1);
        let (stato, department, since, until) = filter.values();
        let found: i64 = self.value(&sql, params![stato, department, since, until, seq])?;
        Ok((found <= FAR).then_some(found))
    }

    /// The same by counters where there are some. What most reports have is counted as all but the others.
    pub fn matching(&self, filter: &ListFilter) -> Result<i64> {
        let but = |some: ListFilter, others: ListFilter| {
            Ok(self.matching(&some)? - self.matching(&others)?)
        };
        let any = *filter;
        if filter.urgente == Some(false) {
            let [all, others] = [None, Some(true)].map(|urgente| ListFilter { urgente, ..any });
            return but(all, others);
        }
        if filter.sospette == Some(false) {
            let [all, others] = [None, Some(true)].map(|sospette| ListFilter { sospette, ..any });
            return but(all, others);
        }
        if filter.assigned == Some(Assigned::Nobody) {
            let [all, others] =
                [None, Some(Assigned::Anybody)].map(|assigned| ListFilter { assigned, ..any });
            return but(all, others);
        }
        if filter.origine == Some(Origine::Chat) {
            let mut left = self.matching(&ListFilter {
                origine: None,
                ..any
            })?;
            for origine in Origine::ALL.into_iter().filter(|one| *one != Origine::Chat) {
                let origine = Some(origine);
                left -= self.matching(&ListFilter { origine, ..any })?;
            }
            return Ok(left);
        }
        if filter.has_rare_mark() {
            return self.report_count(filter);
        }
        if filter.has_dates() {
            return self.report_count(filter);
        }
        self.counted(filter.stato, filter.department)
    }

    /// The lowest and the highest arrival number that a filter's dates let through, without regard to the rest of it.
    pub fn ends(&self, filter: &ListFilter) -> Result<(i64, i64)> {
        let period = filter.dates();
        if period.is_empty() {
            return Ok((i64::MIN, i64::MAX));
        }
        // Left to itself SQLite walks the archive from its beginning to the first report of the period.
        let sql = format!(
            "SELECT min(seq), max(seq) FROM main.segnalazioni INDEXED BY segnalazioni_data \
             WHERE ?1 IS ?1 AND ?2 IS ?2 AND ?3 IS ?3 AND ?4 IS ?4 AND {period}"
        );
        let found: Option<(Option<i64>, Option<i64>)> = self.find(&sql, filter.values())?;
        let (first, last) = found.unwrap_or_default();
        Ok((first.unwrap_or(i64::MAX), last.unwrap_or(i64::MIN)))
    }

    /// Arrival numbers of the reports of the filter's status, department and marks between two of them, both included, without
    /// regard to its dates, in order.
    pub fn seqs_of_kind(
        &self,
        filter: &ListFilter,
        (oldest, newest): (i64, i64),
    ) -> Result<Vec<i64>> {
        let condition = filter.condition(Dates::Ignored) + " AND seq BETWEEN ?5 AND ?6";
        let sql = self.selection(filter, "seq", &condition) + " ORDER BY seq";
        let (stato, department, since, until) = filter.values();
        let values = params![stato, department, since, until, oldest, newest];
        self.values(&sql, values)
    }

    /// The report with this arrival number, if the filter lets it through.
    pub fn listed_among(&self, filter: &ListFilter, seq: i64) -> Result<Option<ListRow>> {
        self.among(LISTED, filter, seq)
    }

    /// Whether there is a report with this arrival number that the filter lets through.
    pub fn admits(&self, filter: &ListFilter, seq: i64) -> Result<bool> {
        Ok(self.among::<(i64,)>("1", filter, seq)?.is_some())
    }

    fn among<T: FromRow>(&self, columns: &str, filter: &ListFilter, seq: i64) -> Result<Option<T>> {
        let condition = filter.condition(Dates::Checked);
        let sql = format!("SELECT {columns} FROM segnalazioni WHERE seq = ?5 AND {condition}");
        let (stato, department, since, until) = filter.values();
        self.find(&sql, params![stato, department, since, until, seq])
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
        // The caller's ranges hold the dates' bounds already: to seek them again for each part would cost more than the part.
        let condition = filter.condition(Dates::Checked) + " AND seq BETWEEN ?5 AND ?6";
        let order = if newest_first { "DESC" } else { "ASC" };
        let reports = self.selection(filter, SEALED, &condition);
        let sql = format!("{reports} ORDER BY seq {order}");
        let (stato, department, since, until) = filter.values();
        let mut statement = self.prepare(&sql)?;
        for (oldest, newest) in ranges {
            let values = params![stato, department, since, until, oldest, newest];
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
            contenuto, department, urgente, chiave, riga, origine) \
            VALUES (?1, 'Nuova', ?2, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
            [report.id, report.data_creazione, report.privacy_version, report.impronta, report.epoch, report.contenuto,
            report.department, report.urgente, report.chiave, report.riga, report.origine];
        /// Sets the status, leaves everything else of the report as it is, and raises the version.
        execute set_stato(id: &str, stato: Stato, now: i64) =
            "UPDATE segnalazioni SET stato = ?2, data_aggiornamento = ?3, versione = versione + 1 WHERE id = ?1";
        /// Notes when staff opened a report for the first time; later openings change nothing.
        execute mark_opened(id: &str, now: i64) = "UPDATE segnalazioni SET aperta = ?2 WHERE id = ?1 AND aperta IS NULL";
        execute insert_history(report: &str, row: &HistoryRow) =
            "INSERT INTO history (report, at, kind, da, a, author) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            [report, row.at, row.kind, row.da, row.a, row.author];
        /// Sets status, department, urgency, labels, person and note to those of the row, and raises the version. What an editor has changed is set
        /// aside no more.
        execute update_report(row: &ReportRow, now: i64) =
            "UPDATE segnalazioni SET stato = ?2, note_epoch = ?3, note = ?4, data_aggiornamento = ?5, department = ?6, \
            urgente = ?7, labels = ?8, assegnata = ?9, sospetta = NULL, versione = versione + 1 WHERE id = ?1",
            [row.id, row.stato, row.note_epoch, row.note, now, row.department, row.urgente, row.labels, row.assegnata];
    }

    /// Archives a report of this status, and notes it in its history.
    pub fn archive(&self, id: &str, stato: Stato, now: i64) -> Result<()> {
        self.set_stato(id, Stato::Archiviata, now)?;
        let change = HistoryRow {
            kind: ChangeKind::Stato,
            at: now,
            da: Some(stato.as_str().to_owned()),
            a: Some(Stato::Archiviata.as_str().to_owned()),
            author: None,
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
            "UPDATE segnalazioni SET data_aggiornamento = ?2, versione = ?3, aperta = ?4, note_epoch = ?5, note = ?6, \
             labels = ?7, assegnata = ?8 WHERE id = ?1",
            params![
                id, past.data_aggiornamento, past.versione, past.aperta, past.note_epoch, past.note, past.labels,
                past.assegnata
            ],
        )
    }
}
