//! Files that the panel exports, streamed with constant memory: reports as CSV, and the panel's backup as JSON
//! (PRODUCT.md §13). Must never let a file that failed half way look like a whole one.

use std::time::Duration;

use axum::body::Body;
use axum::http::HeaderName;
use axum::response::{IntoResponse, Response};
use tokio::sync::{OwnedSemaphorePermit, oneshot};

use crate::actions;
use crate::backup::panel::{END, PanelBackup};
use crate::domain::calendar::local_date;
use crate::http::chunks::{Maker, Outlet, chunks};
use crate::http::hang_up::CancelOnDrop;
use crate::http::query::{Columns, StrictPair};
use crate::http::routes::desk::bulk::read_answers;
use crate::http::routes::{Administrator, ApiError, ApiResult, Editor, Shared, as_file};
use crate::http::state::{Mode, turn_at};
use crate::readings::archive::export::{JsonPage, ReportCsv, Taker, page};
use crate::readings::csv::CSV;
use crate::readings::desk::selection::ReportQuery;
use crate::store::{Action, Place};

/// Pieces made before the client has taken the first of them.
const PIECES_AHEAD: usize = 4;
/// Pieces ahead in demonstration mode, whose only connection must not wait for a client: room for some 60 GB.
const PIECES_AHEAD_DEMO: usize = 1_000_000;
/// An export that takes longer is broken off: its snapshot keeps the database's log of changes from being cut back.
const LONGEST: Duration = Duration::from_mins(15);
const TOTAL_ROWS: HeaderName = HeaderName::from_static("x-total-rows");

/// All reports that match a filter as CSV, in the order of the filter.
#[utoipa::path(get, operation_id = "export_reports", path = "/reports/export.csv", tag = "segnalazioni", params(ReportQuery, Columns),
    responses((status = 200, description = "The reports of the filter, in its order", body = String, content_type = "text/csv",
            headers(("X-Total-Rows" = u64, description = "The number of rows in the file, without the header"),
                ("Content-Disposition" = String, description = "The file name")))))]
pub async fn export(
    admin: Editor,
    StrictPair(query, columns): StrictPair<ReportQuery, Columns>,
) -> ApiResult<Response> {
    let selection = query.selection(admin.reading())?.of(admin.person())?;
    let turn = turn_at(&admin.turns.exports)?;
    let batch = match columns.batch {
        Some(batch) => Some(read_answers(&admin, batch).await?),
        None => None,
    };
    let noted = admin.change(|act| act.log(Action::ExportCsv, None)).await;
    noted.or_else(|error| error.tolerated_while_reading("an export was not logged"))?;
    let waiting = CancelOnDrop::default();
    let file = ReportCsv {
        selection,
        extra: columns.extra,
        batch,
        cancel: waiting.token(),
    };
    let (rows, total) = start(&admin, file, waiting, turn).await?;
    let name = format!("segnalazioni_{}.csv", admin.settings().await?.system.slug());
    let headers = as_file(CSV, &name);
    Ok((headers, [(TOTAL_ROWS, total.to_string())], rows).into_response())
}

/// Starts reading on a thread of its own; answers once it is known how many rows there are.
async fn start(
    editor: &Editor,
    file: ReportCsv,
    waiting: CancelOnDrop,
    turn: OwnedSemaphorePermit,
) -> ApiResult<(Body, u64)> {
    let ahead = match editor.mode {
        Mode::Live => PIECES_AHEAD,
        Mode::Demo => PIECES_AHEAD_DEMO,
    };
    let (maker, body) = chunks(ahead, waiting);
    let (counted, count) = oneshot::channel();
    let sender = CsvSender {
        counted: Some(counted),
        outlet: Outlet::open_for(LONGEST, maker),
    };
    let editor = Editor::clone(editor);
    drop(tokio::task::spawn_blocking(move || {
        let _turn = turn;
        sender.send(&editor, file);
    }));
    let total = count.await.map_err(|error| ApiError::internal(&error))??;
    Ok((body, total))
}

/// Sends a file to a client, who is told the count of its rows first.
struct CsvSender {
    counted: Option<oneshot::Sender<ApiResult<u64>>>,
    outlet: Outlet,
}

impl Taker for CsvSender {
    fn begin(&mut self, rows: u64) -> bool {
        let counted = self.counted.take();
        counted.is_some_and(|counted| counted.send(Ok(rows)).is_ok())
    }

    fn take(&mut self, piece: Vec<u8>) -> bool {
        self.outlet.send(Some(piece.into())).is_ok()
    }
}

impl CsvSender {
    fn send(mut self, editor: &Editor, file: ReportCsv) {
        let app = Shared::clone(editor);
        let sent = editor.read_apart(move |snapshot| {
            let written = file.put(app.reading(), snapshot, &mut self);
            Ok::<_, ApiError>(self.end(written))
        });
        if !sent.unwrap_or(false) {
            tracing::warn!("an export ended before its last row");
        }
    }

    /// Answers whether the client has got the whole file, or the reason why there is none.
    fn end(&mut self, written: actions::Result<bool>) -> bool {
        match (written, self.counted.take()) {
            (Err(error), Some(counted)) => counted.send(Err(error.into())).is_ok(),
            (Ok(true), _) => self.outlet.send(None).is_ok(),
            // The connection is broken off, and the log has the reason.
            (Err(cause), None) => {
                tracing::error!(%cause, "an export failed");
                false
            }
            (Ok(false), _) => false,
        }
    }
}

/// Pages of the backup made before the client has taken the first of them.
const PAGES_AHEAD: usize = 4;

/// The backup file. Each report is in the state that it had when it was written to the file.
#[utoipa::path(get, path = "/backup", tag = "backup",
    responses((status = 200, body = PanelBackup, headers(("Content-Disposition" = String, description = "`attachment`, with a file name that contains the date")))))]
pub async fn backup(admin: Administrator) -> ApiResult<Response> {
    let turn = turn_at(&admin.turns.exports)?;
    // The first page is read before anything is answered.
    let begun = admin.read(move |reading, snapshot| {
        let internal = |error: anyhow::Error| ApiError::internal(error.as_ref());
        let now = reading.clock.now_ms();
        // First, so that a locked archive is told in so many words.
        let mut first = page(reading, snapshot, Place::Top)?;
        let file = PanelBackup::begin(snapshot, &reading.vault, now).map_err(internal)?;
        let (system, date) = (&file.settings.system, local_date(now, &reading.time_zone));
        let name = format!("backup_{}_{date}.json", system.slug());
        first.json = [file.head().map_err(internal)?, first.json].concat();
        Ok::<_, ApiError>((name, first))
    });
    let (name, first) = begun.await?;
    admin.change(|act| act.log(Action::Backup, None)).await?;
    let (maker, body) = chunks(PAGES_AHEAD, turn);
    tokio::spawn(make(admin, first, maker));
    Ok((as_file("application/json", &name), body).into_response())
}

/// Sends the file part by part; a client that went away ends it. Without its end the connection breaks off.
async fn make(admin: Administrator, mut part: JsonPage, maker: Maker) {
    while let Some(place) = part.next {
        if maker.send(Some(part.json.into())).await.is_err() {
            return;
        }
        let read = admin.read(move |reading, snapshot| page(reading, snapshot, place));
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
