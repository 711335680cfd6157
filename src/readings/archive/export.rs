//! The reports that leave the panel as a file: those of a selection as CSV, and pages of all of them in the panel's backup.

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::actions::archive::import_report::BackupReport;
use crate::actions::archive::sealing::{open_note, read_or_stand_in};
use crate::actions::{self, Error, callouts};
use crate::domain::calendar::shown;
use crate::domain::callout::CalloutQuestion;
use crate::domain::report::BorrowedReport;
use crate::readings::Reading;
use crate::readings::csv::{BOM, put_line};
use crate::readings::desk::batch_answers::BatchAnswers;
use crate::readings::desk::selection::Selection;
use crate::search::{CancelToken, Order, ReportReader, RowWithKey, open_each, parallel_in_order};
use crate::store::{ListFilter, Place, SealedRow, Snapshot};

/// Columns, in their order (PRODUCT.md §6); first and last name share one.
const COLUMNS: [&str; 8] = [
    "ID",
    "Nome",
    "Telefono",
    "Email",
    "Indirizzo",
    "Data",
    "Stato",
    "Segnalazione",
];
/// Columns that stand behind them where they are asked for.
const EXTRA: [&str; 5] = ["Reparto", "Urgente", "Età", "Note", "Assegnata a"];
/// Rows that are sent in one piece, at most, and how many sealed bytes they have.
const TOGETHER: (usize, usize) = (512, 256 * 1024);

/// The reports of a selection as CSV.
pub struct ReportCsv {
    pub selection: Selection,
    /// Whether the further columns are wanted.
    pub extra: bool,
    /// A message to many, whose reports alone are wanted, with what they answered.
    pub batch: Option<BatchAnswers>,
    pub cancel: CancelToken,
}

/// Where a file goes; each answers whether it is still wanted.
pub trait Taker {
    /// So many rows will follow.
    fn begin(&mut self, rows: u64) -> bool;
    /// The next bytes.
    fn take(&mut self, piece: Vec<u8>) -> bool;
}

impl ReportCsv {
    /// Writes the file piece by piece, with flat memory; answers whether it was wanted to its end.
    pub fn put(
        &self,
        reading: Reading<'_>,
        snapshot: &Snapshot<'_>,
        taker: &mut impl Taker,
    ) -> actions::Result<bool> {
        self.selection.check(snapshot)?;
        let filter = &self.selection.filter;
        // All of a callout have a column, where one is asked for.
        let callout = filter.callout.map(|callout| callout.to_string());
        let questions = callout.map(|callout| callouts::questions_of(snapshot, &callout));
        let questions = questions.transpose()?.unwrap_or_default();
        let (range, order) = (snapshot.ends(filter)?, Order::of(filter.oldest_first));
        let mut reader = ReportReader::new(snapshot, &reading.vault, filter, range, order)?;
        let rows = Rows {
            reading,
            snapshot,
            extra: self.extra,
            columns: Questions {
                callout: &questions,
                batch: self.batch.as_ref(),
            },
        };
        if self.selection.terms.is_none() && self.batch.is_none() {
            let total = snapshot.report_count(filter)?;
            return rows.put(total, taker, || reader.next(TOGETHER.0, TOGETHER.1));
        }
        let mut found = self.selection.all(reading, snapshot, &self.cancel)?;
        if let Some(batch) = &self.batch {
            let went_to = went_to(snapshot, batch)?;
            found.retain(|seq| went_to.contains(seq));
        }
        let total = i64::try_from(found.len()).unwrap_or(i64::MAX);
        let mut found = found.chunks(TOGETHER.0);
        rows.put(total, taker, || {
            reader.these(found.next().unwrap_or_default())
        })
    }
}

/// Arrival numbers of the reports that a message to many went to.
fn went_to(snapshot: &Snapshot<'_>, batch: &BatchAnswers) -> actions::Result<HashSet<i64>> {
    let mut seqs = HashSet::new();
    for report in batch.reports() {
        seqs.extend(snapshot.listed_of(report)?.map(|row| row.seq));
    }
    Ok(seqs)
}

/// The rows of the file, and their columns.
struct Rows<'a> {
    reading: Reading<'a>,
    snapshot: &'a Snapshot<'a>,
    extra: bool,
    columns: Questions<'a>,
}

/// The questions that have a column each.
#[derive(Clone, Copy, Default)]
struct Questions<'a> {
    callout: &'a [CalloutQuestion],
    batch: Option<&'a BatchAnswers>,
}

impl<'a> Questions<'a> {
    fn asked_back(self) -> &'a [CalloutQuestion] {
        self.batch.map_or(&[], BatchAnswers::questions)
    }

    fn head(self) -> impl Iterator<Item = &'a str> {
        let all = self.callout.iter().chain(self.asked_back());
        all.map(|one| one.text.as_str())
    }

    /// What a report has in these columns.
    fn cells<'c>(self, id: &str, report: &'c BorrowedReport<'_>) -> Vec<&'c str>
    where
        'a: 'c,
    {
        let own = self.callout.iter().map(|question| {
            let answer = report.risposte.iter().find(|one| one.key == question.key);
            answer.map_or("", |one| &*one.text)
        });
        let given = self.batch.and_then(|batch| batch.of(id));
        let asked_back = self.asked_back().iter().map(|question| {
            let answer = given.and_then(|given| given.get(&question.key));
            answer.map_or("", String::as_str)
        });
        own.chain(asked_back).collect()
    }
}

impl Rows<'_> {
    fn head(&self) -> Vec<u8> {
        let mut head = BOM.as_bytes().to_vec();
        let extra: &[&str] = if self.extra { &EXTRA } else { &[] };
        let columns = COLUMNS.iter().chain(extra).copied();
        let columns = columns.chain(self.columns.head());
        put_line(&mut head, &columns.collect::<Vec<_>>());
        head
    }

    /// Opens and formats on several threads what `next` reads.
    fn put(
        &self,
        total: i64,
        taker: &mut impl Taker,
        mut next: impl FnMut() -> actions::Result<Vec<RowWithKey>>,
    ) -> actions::Result<bool> {
        if !taker.begin(u64::try_from(total).unwrap_or_default()) || !taker.take(self.head()) {
            return Ok(false);
        }
        let (snapshot, columns) = (self.snapshot, self.columns);
        let zone = &self.reading.time_zone;
        let names: HashMap<_, _> = snapshot.named_people()?.into_iter().collect();
        let departments = snapshot.departments()?;
        let piece = || {
            let reports = next()?;
            let besides = reports.iter().filter(|_| self.extra);
            let besides = besides.map(|(row, _)| {
                let further = further_columns(self.reading, snapshot, row, &names)?;
                let department = departments.name(&row.department).to_owned();
                Ok(FurtherColumns {
                    department,
                    ..further
                })
            });
            let besides = besides.collect::<actions::Result<Vec<_>>>()?;
            Ok((!reports.is_empty()).then_some((reports, besides)))
        };
        let mut wanted = true;
        parallel_in_order(
            piece,
            |(reports, besides)| lines(reports, besides, columns, zone),
            |lines| {
                wanted = taker.take(lines?);
                actions::Result::Ok(wanted)
            },
        )?;
        Ok(wanted)
    }
}

/// The values of the further columns that are not in the report itself.
#[derive(Default)]
struct FurtherColumns {
    /// The department's name.
    department: String,
    note: String,
    /// The name of the person that the report is assigned to.
    person: String,
}

fn further_columns(
    reading: Reading<'_>,
    snapshot: &Snapshot<'_>,
    row: &SealedRow,
    names: &HashMap<String, String>,
) -> actions::Result<FurtherColumns> {
    let Some(row) = snapshot.report_at(row.seq)? else {
        return Ok(FurtherColumns::default());
    };
    let person = row.assegnata.as_ref().and_then(|person| names.get(person));
    Ok(FurtherColumns {
        note: open_note(snapshot, &reading.vault, &row)?,
        person: person.cloned().unwrap_or_default(),
        ..FurtherColumns::default()
    })
}

/// The rows of a piece; where there is something beside its reports, in the same order, also the further columns.
fn lines(
    reports: &[RowWithKey],
    besides: &[FurtherColumns],
    questions: Questions<'_>,
    zone: &TimeZone,
) -> actions::Result<Vec<u8>> {
    let (mut lines, mut done, mut minute) = (Vec::new(), Ok(()), Minute::default());
    let mut besides = besides.iter();
    open_each(reports, |row, content| {
        let report = read_or_stand_in(&row.id, content);
        let further = besides.next();
        if done.is_ok() {
            done = minute.of(row.data_creazione, zone).map(|received| {
                put_report(&mut lines, row, &report, received, questions, further);
            });
        }
    });
    done.map(|()| lines)
}

/// The minute that was written last: the text is made once for the reports of a minute.
#[derive(Default)]
struct Minute {
    number: Option<i64>,
    text: String,
}

impl Minute {
    /// The minute of a moment (ms) as it stands in the file.
    fn of(&mut self, ms: i64, zone: &TimeZone) -> actions::Result<&str> {
        let number = ms.div_euclid(60_000);
        if self.number != Some(number) {
            let moment = Timestamp::from_millisecond(ms);
            let moment =
                moment.map_err(|_| Error::Defect("a report came outside of the calendar"))?;
            self.text = shown(moment, zone);
            self.number = Some(number);
        }
        Ok(&self.text)
    }
}

fn put_report(
    line: &mut Vec<u8>,
    row: &SealedRow,
    report: &BorrowedReport<'_>,
    received: &str,
    questions: Questions<'_>,
    further: Option<&FurtherColumns>,
) {
    let name = format!("{} {}", report.nome, report.cognome);
    let cells = [
        &row.id,
        name.trim_end(),
        &report.telefono,
        &report.email,
        &report.indirizzo,
        received,
        row.stato.as_str(),
        &report.segnalazione,
    ];
    let answers = questions.cells(&row.id, report);
    let Some(further) = further else {
        return put_line(line, &[&cells[..], &answers].concat());
    };
    // 0 where a report that staff took down says nothing of it.
    let age = (report.eta > 0).then(|| report.eta.to_string());
    let age = age.unwrap_or_default();
    let urgent = if row.urgente { "sì" } else { "no" };
    let FurtherColumns {
        department,
        note,
        person,
    } = further;
    let extra = [department, urgent, &age, note, person];
    put_line(line, &[&cells[..], &extra, &answers].concat());
}

/// Reports read at a time: about a hundred kilobytes, from a snapshot of a few milliseconds.
const PAGE: usize = 100;
/// Reports of the panel's backup, and where the next ones begin.
pub struct JsonPage {
    pub json: Vec<u8>,
    pub next: Option<Place>,
}

/// Reports from a place on, with a comma before each but the newest of all.
pub fn page(
    reading: Reading<'_>,
    snapshot: &Snapshot<'_>,
    place: Place,
) -> actions::Result<JsonPage> {
    let found = snapshot.report_page(&ListFilter::default(), place, PAGE)?;
    let next = found.after.then(|| found.next());
    let mut json = Vec::new();
    for row in found.rows {
        let Some(row) = snapshot.report_at(row.seq)? else {
            continue;
        };
        if !(json.is_empty() && place == Place::Top) {
            json.push(b',');
        }
        let record = BackupReport::of(snapshot, &reading.vault, row)?;
        let written = serde_json::to_writer(&mut json, &record);
        written.map_err(|_| Error::Defect("a report cannot be written as JSON"))?;
    }
    Ok(JsonPage { json, next })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::report::Stato;

    #[test]
    fn a_row_has_its_columns_in_order_and_the_time_of_the_newsroom() {
        let received: Timestamp = "2026-07-01T22:05:00Z".parse().unwrap();
        let row = SealedRow {
            seq: 1,
            id: "0000".to_owned(),
            stato: Stato::InLavorazione,
            data_creazione: received.as_millisecond(),
            ..SealedRow::default()
        };
        let report = BorrowedReport {
            nome: "Anna".into(),
            cognome: "De \"Luca\"".into(),
            telefono: "3123456789".into(),
            email: "anna@esempio.it".into(),
            indirizzo: "Via Roma 1; Milano".into(),
            segnalazione: "Racconto\n\nINFORMAZIONI AGGIUNTIVE\nAltro".into(),
            ..BorrowedReport::default()
        };
        let mut line = Vec::new();
        let rome = crate::clock::zone("Europe/Rome").unwrap();
        let mut minute = Minute::default();
        for another in [90_000, 59_999, -1] {
            minute.of(row.data_creazione + another, &rome).unwrap();
        }
        let received = minute.of(row.data_creazione, &rome).unwrap();
        put_report(
            &mut line,
            &row,
            &report,
            received,
            Questions::default(),
            None,
        );
        assert_eq!(
            String::from_utf8(line).unwrap(),
            "\"0000\";\"Anna De \"\"Luca\"\"\";\"3123456789\";\"anna@esempio.it\";\"Via Roma 1; Milano\";\
             \"02/07/2026 00:05\";\"In lavorazione\";\"Racconto\n\nINFORMAZIONI AGGIUNTIVE\nAltro\"\r\n"
        );
    }
}
