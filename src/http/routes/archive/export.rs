//! What leaves the panel as a file, streamed with flat memory: reports as CSV, and the panel's backup as JSON (PRODUCT.md §13).
//! Must never let a file that failed half way look like a whole one.

use std::collections::HashMap;
use std::time::Duration;

use axum::body::Body;
use axum::http::HeaderName;
use axum::response::{IntoResponse, Response};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use tokio::sync::{OwnedSemaphorePermit, oneshot};

use crate::actions::archive::import_report::BackupReport;
use crate::actions::archive::sealing::{open_note, read_or_stand_in};
use crate::actions::callouts;
use crate::backup::panel::{END, PanelBackup};
use crate::domain::calendar::{local_date, shown};
use crate::domain::callout::CalloutQuestion;
use crate::domain::report::BorrowedReport;
use crate::http::chunks::{Maker, Outlet, chunks};
use crate::http::query::{Columns, StrictPair};
use crate::http::routes::{Administrator, ApiError, ApiResult, App, Editor, Shared, as_file};
use crate::http::selection::{CancelOnDrop, ReportQuery, Selection};
use crate::http::state::{Mode, turn_at};
use crate::readings::csv::{BOM, CSV, put_line};
use crate::search::{
    CancelToken, Order, ReportReader, Request, RowWithKey, open_each, parallel_in_order,
};
use crate::store::{Action, ListFilter, Place, SealedRow, Snapshot};

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
/// Pieces made before the client has taken the first of them.
const PIECES_AHEAD: usize = 4;
/// The same in demonstration mode, whose one connection must wait for no client: room for some 60 GB.
const PIECES_AHEAD_DEMO: usize = 1_000_000;
/// An export that takes longer is broken off: its snapshot keeps the database's log of changes from being cut back.
const LONGEST: Duration = Duration::from_mins(15);
const TOTAL_ROWS: HeaderName = HeaderName::from_static("x-total-rows");

/// All reports that match a filter as CSV, in the order of the filter.
#[utoipa::path(get, operation_id = "export_reports", path = "/reports/export.csv", tag = "segnalazioni", params(ReportQuery, Columns),
    responses((status = 200, description = "Le segnalazioni del filtro, nel suo ordine", body = String, content_type = "text/csv",
            headers(("X-Total-Rows" = u64, description = "Righe del file, intestazione esclusa"),
                ("Content-Disposition" = String, description = "Nome del file")))))]
pub async fn export(
    admin: Editor,
    StrictPair(query, columns): StrictPair<ReportQuery, Columns>,
) -> ApiResult<Response> {
    let selection = query.selection(&admin)?.of(admin.person())?;
    let turn = turn_at(&admin.turns.exports)?;
    let noted = admin.change(|act| act.log(Action::ExportCsv, None)).await;
    noted.or_else(|error| error.tolerated_while_reading("an export was not logged"))?;
    let (rows, total) = start(&admin, selection, columns.extra, turn).await?;
    let name = format!("segnalazioni_{}.csv", admin.settings().await?.system.slug());
    let headers = as_file(CSV, &name);
    Ok((headers, [(TOTAL_ROWS, total.to_string())], rows).into_response())
}

/// Starts reading on a thread of its own; answers once it is known how many rows there are.
async fn start(
    editor: &Editor,
    selection: Selection,
    extra: bool,
    turn: OwnedSemaphorePermit,
) -> ApiResult<(Body, u64)> {
    let ahead = match editor.mode {
        Mode::Live => PIECES_AHEAD,
        Mode::Demo => PIECES_AHEAD_DEMO,
    };
    let waiting = CancelOnDrop::default();
    let cancel = waiting.token();
    let (maker, body) = chunks(ahead, waiting);
    let (counted, count) = oneshot::channel();
    let writer = CsvWriter {
        editor: Editor::clone(editor),
        selection,
        extra,
        questions: Vec::new(),
        counted: Some(counted),
        cancel,
        outlet: Outlet::open_for(LONGEST, maker),
    };
    drop(tokio::task::spawn_blocking(move || {
        let _turn = turn;
        writer.run();
    }));
    let total = count.await.map_err(|error| ApiError::internal(&error))??;
    Ok((body, total))
}

struct CsvWriter {
    editor: Editor,
    selection: Selection,
    /// Whether the further columns are wanted.
    extra: bool,
    /// Those that have a column: all of a callout, where one is asked for.
    questions: Vec<CalloutQuestion>,
    counted: Option<oneshot::Sender<ApiResult<u64>>>,
    cancel: CancelToken,
    outlet: Outlet,
}

impl CsvWriter {
    fn run(mut self) {
        let editor = self.editor.clone();
        let written = editor.read_apart(move |snapshot| {
            let written = self.write(snapshot);
            // Who waits for the count is told the reason; afterwards the connection is broken off, and the log has it.
            match (written, self.counted.take()) {
                (Err(error), Some(counted)) => {
                    counted.send(Err(error)).map_err(|_| ApiError::busy())
                }
                (written, _) => written,
            }
        });
        if written.is_err() {
            tracing::warn!("an export ended before its last row");
        }
    }

    fn write(&mut self, snapshot: &Snapshot<'_>) -> ApiResult<()> {
        let (app, selection) = (Shared::clone(&self.editor), self.selection.clone());
        let filter = &selection.filter;
        if let Some(callout) = filter.callout {
            self.questions = callouts::questions_of(snapshot, &callout.to_string())?;
        }
        let (range, order) = (snapshot.ends(filter)?, Order::of(filter.oldest_first));
        let mut reader = ReportReader::new(snapshot, &app.vault, filter, range, order)?;
        let Some(terms) = &selection.terms else {
            self.begin(snapshot.report_count(filter)?)?;
            return self.put(snapshot, || Ok(reader.next(TOGETHER.0, TOGETHER.1)?));
        };
        let cancel = &self.cancel;
        let request = Request {
            terms,
            filter,
            cancel,
        };
        let found = app.search.all(snapshot, &request)?;
        self.begin(i64::try_from(found.len()).unwrap_or(i64::MAX))?;
        let mut found = found.chunks(TOGETHER.0);
        self.put(snapshot, || {
            Ok(reader.these(found.next().unwrap_or_default())?)
        })
    }

    fn begin(&mut self, total: i64) -> ApiResult<()> {
        let total = u64::try_from(total).unwrap_or_default();
        if let Some(counted) = self.counted.take() {
            counted.send(Ok(total)).map_err(|_| ApiError::busy())?;
        }
        let mut first = BOM.as_bytes().to_vec();
        let extra: &[&str] = if self.extra { &EXTRA } else { &[] };
        let questions = self.questions.iter().map(|one| one.text.as_str());
        let columns = COLUMNS.iter().chain(extra).copied().chain(questions);
        put_line(&mut first, &columns.collect::<Vec<_>>());
        self.outlet.send(Some(first.into()))
    }

    /// Opens and formats on several threads what `next` reads.
    fn put(
        &mut self,
        snapshot: &Snapshot<'_>,
        mut next: impl FnMut() -> ApiResult<Vec<RowWithKey>>,
    ) -> ApiResult<()> {
        let (app, extra, questions) = (&self.editor, self.extra, &self.questions);
        let (outlet, zone) = (&mut self.outlet, &app.time_zone);
        let names: HashMap<_, _> = snapshot.named_people()?.into_iter().collect();
        let piece = || {
            let reports = next()?;
            let besides = reports.iter().filter(|_| extra);
            let besides = besides.map(|(row, _)| further_columns(app, snapshot, row, &names));
            let besides = besides.collect::<ApiResult<Vec<_>>>()?;
            Ok((!reports.is_empty()).then_some((reports, besides)))
        };
        parallel_in_order(
            piece,
            |(reports, besides)| lines(reports, besides, questions, zone),
            |lines| outlet.send(Some(lines?.into())).map(|()| true),
        )?;
        self.outlet.send(None)
    }
}

/// What only the further columns have of a report: its note, and the name of the person that it is given to.
fn further_columns(
    app: &App,
    snapshot: &Snapshot<'_>,
    row: &SealedRow,
    names: &HashMap<String, String>,
) -> ApiResult<[String; 2]> {
    let Some(row) = snapshot.report_at(row.seq)? else {
        return Ok(Default::default());
    };
    let person = row.assegnata.as_ref().and_then(|person| names.get(person));
    let note = open_note(snapshot, &app.vault, &row)?;
    Ok([note, person.cloned().unwrap_or_default()])
}

/// The rows of a piece; where there is something beside its reports, in the same order, also the further columns.
fn lines(
    reports: &[RowWithKey],
    besides: &[[String; 2]],
    questions: &[CalloutQuestion],
    zone: &TimeZone,
) -> ApiResult<Vec<u8>> {
    let (mut lines, mut done, mut minute) = (Vec::new(), Ok(()), Minute::default());
    let mut besides = besides.iter();
    open_each(reports, |row, content| {
        let report = read_or_stand_in(&row.id, content);
        let further = besides.next();
        if done.is_ok() {
            done = minute.of(row.data_creazione, zone).map(|received| {
                put_report(&mut lines, row, &report, received, (further, questions));
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
    fn of(&mut self, ms: i64, zone: &TimeZone) -> ApiResult<&str> {
        let number = ms.div_euclid(60_000);
        if self.number != Some(number) {
            let moment = Timestamp::from_millisecond(ms);
            let moment = moment.map_err(|error| ApiError::internal(&error))?;
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
    (further, questions): (Option<&[String; 2]>, &[CalloutQuestion]),
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
    let answer = |question: &CalloutQuestion| {
        let answer = report.risposte.iter().find(|one| one.key == question.key);
        answer.map_or("", |one| &one.text)
    };
    let answers: Vec<&str> = questions.iter().map(answer).collect();
    let Some([note, person]) = further else {
        return put_line(line, &[&cells[..], &answers].concat());
    };
    // 0 where a report that staff took down says nothing of it.
    let age = (report.eta > 0).then(|| report.eta.to_string());
    let age = age.unwrap_or_default();
    let urgent = if row.urgente { "sì" } else { "no" };
    let extra = [row.department.name(), urgent, &age, note, person];
    put_line(line, &[&cells[..], &extra, &answers].concat());
}

/// Reports read at a time: about a hundred kilobytes, from a snapshot of a few milliseconds.
const PAGE: usize = 100;
/// Such pages made before the client has taken the first of them.
const PAGES_AHEAD: usize = 4;

struct JsonPage {
    json: Vec<u8>,
    next: Option<Place>,
}

/// The backup file. Each report is in the state that it had when it was written to the file.
#[utoipa::path(get, path = "/backup", tag = "backup",
    responses((status = 200, body = PanelBackup, headers(("Content-Disposition" = String, description = "attachment; nome del file con la data")))))]
pub async fn backup(admin: Administrator) -> ApiResult<Response> {
    let turn = turn_at(&admin.turns.exports)?;
    // The first page is read before anything is answered.
    let begun = admin.read(move |app, snapshot| {
        let internal = |error: anyhow::Error| ApiError::internal(error.as_ref());
        let now = app.clock.now_ms();
        // First, so that a locked archive is told in so many words.
        let mut first = page(app, snapshot, Place::Top)?;
        let file = PanelBackup::begin(snapshot, &app.vault, now).map_err(internal)?;
        let (slug, date) = (file.settings.system.slug(), local_date(now, &app.time_zone));
        first.json = [file.head().map_err(internal)?, first.json].concat();
        Ok::<_, ApiError>((format!("backup_{slug}_{date}.json"), first))
    });
    let (name, first) = begun.await?;
    admin.change(|act| act.log(Action::Backup, None)).await?;
    let (maker, body) = chunks(PAGES_AHEAD, turn);
    tokio::spawn(make(admin, first, maker));
    Ok((as_file("application/json", &name), body).into_response())
}

/// Reports from a place on, with a comma before each but the newest of all.
fn page(app: &App, snapshot: &Snapshot<'_>, place: Place) -> ApiResult<JsonPage> {
    let found = snapshot.report_page(&ListFilter::default(), place, PAGE)?;
    let next = found.rows.last().map(|row| Place::After(row.seq));
    let mut json = Vec::new();
    for row in found.rows {
        let Some(row) = snapshot.report_at(row.seq)? else {
            continue;
        };
        if !(json.is_empty() && place == Place::Top) {
            json.push(b',');
        }
        let record = BackupReport::of(snapshot, &app.vault, row)?;
        serde_json::to_writer(&mut json, &record).map_err(|error| ApiError::internal(&error))?;
    }
    Ok(JsonPage {
        json,
        next: next.filter(|_| found.after),
    })
}

/// Sends the file part by part; a client that went away ends it. Without its end the connection breaks off.
async fn make(admin: Administrator, mut part: JsonPage, maker: Maker) {
    while let Some(place) = part.next {
        if maker.send(Some(part.json.into())).await.is_err() {
            return;
        }
        let read = admin.read(move |app, snapshot| page(app, snapshot, place));
        // The cause of a failure is in the server's log already.
        let Ok(next) = read.await else {
            return;
        };
        part = next;
    }
    part.json.extend(END);
    if maker.send(Some(part.json.into())).await.is_ok() {
        let _ = maker.send(None).await;
    }
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
        put_report(&mut line, &row, &report, received, (None, &[]));
        assert_eq!(
            String::from_utf8(line).unwrap(),
            "\"0000\";\"Anna De \"\"Luca\"\"\";\"3123456789\";\"anna@esempio.it\";\"Via Roma 1; Milano\";\
             \"02/07/2026 00:05\";\"In lavorazione\";\"Racconto\n\nINFORMAZIONI AGGIUNTIVE\nAltro\"\r\n"
        );
    }
}
