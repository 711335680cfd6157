//! Tables `segnalazioni`, sealed reports in order of arrival, and `history`, what happened to them.
//! Must never sort or search by anything but what is stored in the clear (arrival, status, department, urgency, dates), nor
//! hold the text of a note.

use rusqlite::{params, params_from_iter};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::domain::declare::names;
use crate::domain::erasure::trace;
use crate::domain::message::Withdrawal;
use crate::domain::moment;
use crate::domain::report::{Origine, Stato};
use crate::domain::retention::DAY_MS;
use crate::domain::routing::DepartmentKey;
use crate::store::desk::filter::{BoundStatement, ListFilter, Plan};
use crate::store::desk::pages::{ListPage, ListRow, Place, Position, Stretch};
use crate::store::desk::seq_range::SeqRange;
use crate::store::error::{Error, Result};
use crate::store::session::{FromRow, Snapshot, Tx, columns, statements};

/// A stored report; `riga` and `contenuto` are sealed under `epoch`, and `note` under `note_epoch`.
#[derive(Debug, Clone, Default)]
pub struct ReportRow {
    pub seq: i64,
    pub id: String,
    pub stato: Stato,
    pub department: DepartmentKey,
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
    /// The part of the content that lists show.
    pub riga: Vec<u8>,
    pub contenuto: Vec<u8>,
    pub note_epoch: Option<i64>,
    pub note: Option<Vec<u8>>,
    /// Key of the receipt, sealed; none without a receipt.
    pub chiave: Option<Vec<u8>>,
    /// Since when its reporter waits for an answer, in ms.
    pub attende: Option<i64>,
    /// When staff dealt with what waited, in ms.
    pub fatta: Option<i64>,
    /// From when on there is something to do about it, in ms.
    pub da_fare: Option<i64>,
    /// The entry by which its sender is set aside.
    pub da_parte: Option<String>,
    /// Its labels, a bit each.
    pub labels: i64,
    /// The person that it is given to.
    pub assegnata: Option<String>,
    /// Last instants (ms) by which its reporter was promised that it is read, and to be told what came of it.
    pub prima_entro: Option<i64>,
    pub esito_entro: Option<i64>,
    /// The open request of its reporter to withdraw it.
    pub ritiro: Option<Withdrawal>,
    /// Whether its code was used in the first days.
    pub tornata: bool,
    /// Id of the callout that it answers.
    pub inchiesta: Option<String>,
    /// Id of the story that it belongs to.
    pub storia: Option<String>,
}

/// The columns that are needed to open, search and export a report.
#[derive(Debug, Clone, Default)]
pub struct SealedRow {
    pub seq: i64,
    pub id: String,
    pub stato: Stato,
    pub department: DepartmentKey,
    pub urgente: bool,
    pub data_creazione: i64,
    pub epoch: i64,
    pub contenuto: Vec<u8>,
}

names! {
    /// A kind of change to a report.
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
        /// Whether its sender was set aside, or taken back.
        Mittente = "mittente",
        /// Whether nothing is left to do about it.
        Fatta = "fatta",
        /// Nothing: the newsroom wrote to the reporter.
        Messaggio = "messaggio",
        /// Nothing: the reporter wrote.
        Risposta = "risposta",
        /// Whom it is given to.
        Assegnata = "assegnata",
        /// It arrived. Stored only where a named person entered it; the time of arrival is `data_creazione`.
        Ricevuta = "ricevuta",
        /// Staff opened it for the first time. Stored only for a named person; the time is `aperta`.
        Aperta = "aperta",
        /// Whether its reporter waits for it to be withdrawn.
        Ritiro = "ritiro",
        /// Whether it was put off, or taken back into the list.
        Rinviata = "rinviata",
        /// Whether it belongs to a story; which one is not said: stories go, and their titles are sealed.
        Storia = "storia",
        /// Whether the reporter agrees; before stands what to.
        Consenso = "consenso",
        /// The reporter took back the file with the number before.
        Allegato = "allegato",
    }
}

/// Something that happened to a report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = BackupHistoryEntry)]
pub struct HistoryRow {
    /// What.
    #[serde(rename = "tipo")]
    pub kind: ChangeKind,
    /// When; RFC 3339, UTC.
    #[serde(rename = "data", with = "moment")]
    #[schema(value_type = String)]
    pub at: i64,
    /// The value before the change: a status, a department, a person's id, the number of a file, or `1` for yes and `0`
    /// for no.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, required = false)]
    pub da: Option<String>,
    /// The value after the change, in the same form as `da`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, required = false)]
    pub a: Option<String>,
    /// Id of the person who did it; null for the shared password, a reporter and the program itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, required = false)]
    pub author: Option<String>,
}

impl HistoryRow {
    /// An entry without author and values.
    pub const fn of(kind: ChangeKind, at: i64) -> Self {
        Self {
            kind,
            at,
            da: None,
            a: None,
            author: None,
        }
    }
}

/// Reports before a page that are counted, at most.
const MAX_COUNTED: i64 = 10_000;
/// Reports with a mark that are counted, at most.
pub const MANY: i64 = 1_000;
const COLUMNS: &str = "seq, id, stato, department, urgente, origine, data_creazione, data_aggiornamento, versione, aperta, \
                       privacy_version, impronta, epoch, riga, contenuto, note_epoch, note, chiave, attende, fatta, da_fare, da_parte, labels, assegnata, \
                       prima_entro, esito_entro, ritiro, tornata, inchiesta, storia";
const SEALED: &str = "seq, id, stato, department, urgente, data_creazione, epoch, contenuto";
const LISTED: &str = "seq, preme IS NOT NULL, id, stato, department, urgente, origine, data_creazione, aperta IS NULL, sospetta IS NOT NULL, \
     da_parte IS NOT NULL, chiave IS NOT NULL, attende IS NOT NULL, iif(attende IS NULL, 0, (SELECT count(*) FROM main.messages WHERE report = segnalazioni.id \
     AND author = 'segnalante' AND at >= attende)), rientra, impegno, da_fare, allegati, scade, \
     coalesce(stato = 'Nuova' AND scritta IS NULL AND scade = prima_entro, 0), rinviata, storia, ritiro, labels, assegnata, versione, epoch, riga";

columns! {
    ReportRow {
        seq, id, stato, department, urgente, origine, data_creazione, data_aggiornamento, versione, aperta,
        privacy_version, impronta, epoch, riga, contenuto, note_epoch, note, chiave, attende, fatta, da_fare, da_parte, labels, assegnata,
        prima_entro, esito_entro, ritiro, tornata, inchiesta, storia
    }
    SealedRow { seq, id, stato, department, urgente, data_creazione, epoch, contenuto }
    ListRow {
        seq, pressing, id, stato, department, urgente, origine, data_creazione, unread, sospetta, aside, code, attende, messages, rientra, impegno, da_fare,
        allegati, scade,
        first_is_due, rinviata, storia, ritiro, labels, assegnata, versione, epoch, riga
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
        /// Ids of the reports that came since, each with when.
        list stored_since(since: i64) -> Vec<(String, i64)> =
            "SELECT id, data_creazione FROM segnalazioni WHERE data_creazione > ?1";
        find report_at(seq: i64) -> Option<ReportRow> = &format!("SELECT {COLUMNS} FROM segnalazioni WHERE seq = ?1");
        find listed_at(seq: i64) -> Option<ListRow> = &format!("SELECT {LISTED} FROM segnalazioni WHERE seq = ?1");
        find listed_of(id: &str) -> Option<ListRow> = &format!("SELECT {LISTED} FROM segnalazioni WHERE id = ?1");
        /// Arrival numbers of the reports whose id begins so, oldest first.
        values seqs_of_id(start: &str) -> Vec<i64> =
            "SELECT seq FROM segnalazioni WHERE id >= ?1 AND id < ?1 || '~' ORDER BY +seq LIMIT 200";
        /// At most `count` reports, more than one: the oldest, the newest, and some between.
        list spread_reports(count: i64) -> Vec<ReportRow> =
            &format!("WITH RECURSIVE step (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM step \
            WHERE n + 1 < ?1), ends AS (SELECT (SELECT min(seq) FROM segnalazioni) AS low, (SELECT max(seq) \
            FROM segnalazioni) AS high) SELECT {COLUMNS} FROM segnalazioni WHERE seq IN (SELECT (SELECT min(seq) \
            FROM segnalazioni WHERE seq >= low + (high - low) * n / (?1 - 1)) FROM step, ends)");
        /// The reports that a person is given: id, department, status.
        list assigned_to(person: &str) -> Vec<(String, DepartmentKey, Stato)> =
            "SELECT id, department, stato FROM segnalazioni WHERE assegnata = ?1";
        list history(report: &str) -> Vec<HistoryRow> = "SELECT at, kind, da, a, author FROM history WHERE report = ?1 ORDER BY id";
    }

    /// Selects of the reports of a filter between two arrival numbers. Where not all departments are in sight, those of each are
    /// found by themselves: left to itself SQLite would walk along the whole archive for a page of a small department.
    fn selection(&self, filter: &ListFilter, what: &str, plan: Plan) -> BoundStatement {
        let mut conditions = filter.conditions();
        conditions.range(plan);
        let (all, values) = (conditions.texts.join(" AND "), conditions.values);
        let all = format!("SELECT {what} FROM segnalazioni WHERE {all}");
        if self.visible_departments().is_all()
            || filter.department.is_some()
            || filter.has_rare_mark()
        {
            return BoundStatement { sql: all, values };
        }
        let departments = self.visible_departments().keys().iter();
        let each = departments.map(|one| format!("{all} AND department = '{one}'"));
        let sql = each.collect::<Vec<_>>().join(" UNION ALL ");
        BoundStatement { sql, values }
    }

    /// Arrival number of the newest report; 0 in an empty archive.
    pub fn newest_seq(&self) -> Result<i64> {
        let reports = self.selection(&ListFilter::default(), "seq", Plan::Arrival);
        let newest = reports.followed_by(" ORDER BY seq DESC LIMIT 1");
        let found = self.find_value(&newest.sql, newest.between(SeqRange::ALL))?;
        Ok(found.unwrap_or(0))
    }

    /// One page of at most `limit` reports.
    pub fn report_page(&self, filter: &ListFilter, place: Place, limit: usize) -> Result<ListPage> {
        let ends = self.ends(filter)?;
        filter.page(place, limit, |stretch, count| {
            let rows = self.first_rows(stretch, count);
            self.list(&rows.sql, rows.between(stretch.range.within(ends)))
        })
    }

    /// Selects the first reports of a stretch, as lists show them.
    pub(in crate::store) fn first_rows(&self, stretch: &Stretch, count: usize) -> BoundStatement {
        let order = if stretch.upwards { "ASC" } else { "DESC" };
        let reports = self.selection(&stretch.filter, LISTED, Plan::Arrival);
        reports.followed_by(&format!(" ORDER BY seq {order} LIMIT {count}"))
    }

    /// How many reports a filter lets through, by walking along them in an index.
    pub fn report_count(&self, filter: &ListFilter) -> Result<i64> {
        let dates_alone = !filter.has_kind() && self.visible_departments().is_all();
        let plan = if filter.has_rare_mark() || dates_alone {
            Plan::Mark
        } else {
            Plan::Arrival
        };
        let counts = self.selection(filter, "count(*)", plan);
        let range = self.ends(filter)?;
        let counts: Vec<i64> = self.values(&counts.sql, counts.between(range))?;
        Ok(counts.iter().sum())
    }

    /// Counts the reports of the filter before a position in the list; `None` above [`MAX_COUNTED`].
    pub fn count_before(&self, filter: &ListFilter, position: Position) -> Result<Option<i64>> {
        let mut found = 0;
        for stretch in filter.stretches(Some(position), true) {
            let reports = self.selection(&stretch.filter, "1", Plan::Arrival);
            let sql = format!(
                "SELECT count(*) FROM ({} LIMIT {})",
                reports.sql,
                MAX_COUNTED + 1
            );
            found += self.value::<i64>(&sql, reports.between(stretch.range))?;
        }
        Ok((found <= MAX_COUNTED).then_some(found))
    }

    /// How many reports a filter with a mark lets through, [`MANY`] at most: a page of the list asks for several such counts.
    pub fn count_marked(&self, filter: &ListFilter) -> Result<i64> {
        let reports = self.selection(filter, "1", Plan::Mark);
        let sql = format!("SELECT count(*) FROM ({} LIMIT {MANY})", reports.sql);
        self.value(&sql, reports.between(self.ends(filter)?))
    }

    /// Gives what [`Snapshot::report_count`] gives, by counters where there are some. A condition that most reports
    /// meet is counted as all reports minus the others.
    pub fn matching(&self, filter: &ListFilter) -> Result<i64> {
        if let Some([all, others]) = filter.all_but() {
            return Ok(self.matching(&all)? - self.matching(&others)?);
        }
        if filter.origine == Some(Origine::Chat) {
            let of = |origine| self.matching(&ListFilter { origine, ..*filter });
            let others = Origine::ALL.into_iter().filter(|one| *one != Origine::Chat);
            return others
                .map(Some)
                .try_fold(of(None)?, |left, other| Ok(left - of(other)?));
        }
        let narrowed = filter.archived.is_some() || filter.since.or(filter.until).is_some();
        if narrowed || filter.has_rare_mark() {
            return self.report_count(filter);
        }
        self.counted(filter.stato, filter.department)
    }

    /// The range in which all reports lie that a filter's dates let through, unless the clock was wrong by more than half a day.
    pub fn ends(&self, filter: &ListFilter) -> Result<SeqRange> {
        let beside = |at: i64, way: &str, order: &str| {
            let sql = format!(
                "SELECT seq FROM main.segnalazioni INDEXED BY segnalazioni_data WHERE data_creazione {way} ?1 \
                 ORDER BY data_creazione {order}, seq {order} LIMIT 1"
            );
            self.find_value(&sql, [at])
        };
        let (since, until) = (filter.since, filter.until);
        let before = since.map(|at| beside(at.saturating_sub(DAY_MS), "<", "DESC"));
        let behind = until.map(|at| beside(at.saturating_add(DAY_MS), ">=", "ASC"));
        let (before, behind) = (before.transpose()?.flatten(), behind.transpose()?.flatten());
        let (oldest, newest) = (before.unwrap_or(i64::MIN), behind.unwrap_or(i64::MAX));
        Ok(SeqRange { oldest, newest })
    }

    /// Arrival numbers of the reports of a filter in a range, in order.
    pub fn seqs(&self, filter: &ListFilter, range: SeqRange) -> Result<Vec<i64>> {
        let reports = self.selection(filter, "seq", Plan::Arrival);
        let seqs = reports.followed_by(" ORDER BY seq");
        self.values(&seqs.sql, seqs.between(range))
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
        let mut conditions = filter.conditions();
        conditions.compare("seq =", seq);
        let all = conditions.texts.join(" AND ");
        let sql = format!("SELECT {columns} FROM segnalazioni WHERE {all}");
        self.find(&sql, params_from_iter(conditions.values))
    }

    /// Shows the reports of a filter in these ranges to `visit`, the newest or the oldest of each range first, until it wants no
    /// more.
    pub fn each_sealed<E: From<Error>>(
        &self,
        filter: &ListFilter,
        ranges: &[SeqRange],
        newest_first: bool,
        mut visit: impl FnMut(SealedRow) -> Result<bool, E>,
    ) -> Result<(), E> {
        let order = if newest_first { "DESC" } else { "ASC" };
        let reports = self.selection(filter, SEALED, Plan::Arrival);
        let reports = reports.followed_by(&format!(" ORDER BY seq {order}"));
        let mut statement = self.prepare(&reports.sql)?;
        for range in ranges {
            let values = reports.between(*range);
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

/// Sets the status to `?2` at `?3`, with since when it is that, and when it was resolved.
macro_rules! put_stato {
    () => {
        "stato = ?2, data_aggiornamento = ?3, stato_dal = iif(stato = ?2, stato_dal, ?3), risolta = CASE \
        WHEN stato = ?2 THEN risolta WHEN ?2 = 'Risolta' THEN coalesce(risolta, ?3) WHEN ?2 = 'Archiviata' THEN risolta END"
    };
}

impl Tx<'_> {
    statements! {
        execute insert_row(report: &ReportRow) =
            "INSERT INTO segnalazioni (id, stato, data_creazione, data_aggiornamento, privacy_version, impronta, epoch, \
            contenuto, department, urgente, chiave, riga, origine, prima_entro, esito_entro, labels, inchiesta, da_parte) \
            VALUES (?1, 'Nuova', ?2, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)",
            [report.id, report.data_creazione, report.privacy_version, report.impronta, report.epoch, report.contenuto,
            report.department, report.urgente, report.chiave, report.riga, report.origine, report.prima_entro,
            report.esito_entro, report.labels, report.inchiesta, report.da_parte];
        execute count_new(department: DepartmentKey) =
            "UPDATE counts SET n = n + 1 WHERE kind = 'stato' AND key = 'Nuova' AND department = ?1";
        execute count_quarter_hour(created: i64, department: DepartmentKey) =
            "INSERT INTO counts (kind, key, department, n) VALUES ('quarter', ?1 / 900000, ?2, 1) \
            ON CONFLICT (kind, key, department) DO UPDATE SET n = n + 1";
        /// Sets the status, leaves everything else of the report as it is, and raises the version.
        execute set_stato(id: &str, stato: Stato, now: i64) =
            concat!("UPDATE segnalazioni SET ", put_stato!(), ", versione = versione + 1 WHERE id = ?1");
        /// Notes when staff opened a report for the first time; later openings change nothing.
        execute mark_opened(id: &str, now: i64) = "UPDATE segnalazioni SET aperta = ?2 WHERE id = ?1 AND aperta IS NULL";
        /// Gives a report to no person, and raises the version.
        execute end_assignment(id: &str, now: i64) =
            "UPDATE segnalazioni SET assegnata = NULL, data_aggiornamento = ?2, versione = versione + 1 WHERE id = ?1";
        execute insert_history(report: &str, row: &HistoryRow) =
            "INSERT INTO history (report, at, kind, da, a, author) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            [report, row.at, row.kind, row.da, row.a, row.author];
        /// Sets status, department, urgency, labels, person and note to those of the row, and raises the version. What an editor has changed is set
        /// aside no more.
        execute update_report(row: &ReportRow, now: i64) =
            concat!(
                "UPDATE segnalazioni SET ", put_stato!(), ", note_epoch = ?4, note = ?5, department = ?6, urgente = ?7, \
                labels = ?8, assegnata = ?9, sospetta = NULL, versione = versione + 1 WHERE id = ?1"
            ),
            [row.id, row.stato, now, row.note_epoch, row.note, row.department, row.urgente, row.labels, row.assegnata];
    }

    /// Stores a report as it arrives: `Nuova`, unopened and without a note, under the next number. It is counted here: beside a
    /// trigger SQLite would copy each page that it touches, and look for rows that refer to it.
    pub fn insert_report(&self, report: &ReportRow) -> Result<()> {
        self.insert_row(report)?;
        if report.da_parte.is_some() {
            return Ok(());
        }
        self.count_new(report.department)?;
        self.count_quarter_hour(report.data_creazione, report.department)
    }

    /// Archives a report of this status, and notes it in its history.
    pub fn archive(&self, id: &str, stato: Stato, now: i64) -> Result<()> {
        self.set_stato(id, Stato::Archiviata, now)?;
        let change = HistoryRow {
            da: Some(stato.as_str().to_owned()),
            a: Some(Stato::Archiviata.as_str().to_owned()),
            ..HistoryRow::of(ChangeKind::Stato, now)
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
        // For a report without a history only the status is known.
        self.set_stato(id, past.stato, past.data_aggiornamento)?;
        self.execute(
            "UPDATE segnalazioni SET data_aggiornamento = ?2, versione = ?3, aperta = ?4, note_epoch = ?5, note = ?6, \
             labels = ?7, assegnata = ?8, ritiro = ?9, storia = ?10, fatta = ?11 WHERE id = ?1",
            params![
                id, past.data_aggiornamento, past.versione, past.aperta, past.note_epoch, past.note, past.labels,
                past.assegnata, past.ritiro.map(|asked| asked.at), past.storia, past.fatta
            ],
        )
    }
}
