//! The panel's backup: one JSON file with the settings, the phrases, the access log and every report in the clear
//! (PRODUCT.md §9), sent while it is read.
//! Must never hold a password, a key or a secret, nor end like a whole file when a report could not be read.

use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use jiff::civil::Date;
use serde::Serialize;
use utoipa::ToSchema;

use super::logs::{self, AccessLogEntry};
use super::report_detail::ReportDetail;
use super::{report_detail, rfc3339};
use crate::VERSION;
use crate::actions::note_backup::note_backup;
use crate::actions::sealing::is_closed;
use crate::actions::settings::load;
use crate::domain::calendar::local_date;
use crate::domain::phrases::Phrases;
use crate::domain::settings::{Email, Security, System};
use crate::http::admin::Admin;
use crate::http::chunks::{Maker, chunks};
use crate::http::problem::{ApiError, ApiResult};
use crate::http::state::{App, Shared};
use crate::store::{LedgerRow, ListFilter, Place, Snapshot};

/// What the file says it is.
const FORMAT: &str = "segnalazioni-backup";
/// Its first layout.
const FORMAT_VERSION: u32 = 1;
/// Reports read at a time: about a hundred kilobytes, from a snapshot of a few milliseconds.
const PAGE: usize = 100;
/// Such pages made before the client has taken the first of them.
const PAGES_AHEAD: usize = 4;

/// The file.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PanelBackup)]
pub struct BackupFile {
    /// Always `segnalazioni-backup`.
    #[schema(example = "segnalazioni-backup")]
    pub format: &'static str,
    /// Layout of the file.
    pub format_version: u32,
    /// Version of the program that wrote it.
    pub program_version: &'static str,
    /// When it was begun; RFC 3339, UTC.
    pub timestamp: String,
    /// Settings and phrases, without any secret.
    pub settings: BackupSettings,
    /// The access log, newest first.
    pub logs: Vec<AccessLogEntry>,
    /// Reports that were erased: a restore of an older file lets none of them come back.
    pub erased: Vec<ErasedEntry>,
    /// Reports that are not in the file: they are sealed to a pair of keys that was abandoned, and nobody can read them before
    /// the recovery code of that time is found. Newest first.
    pub closed: Vec<ClosedEntry>,
    /// Every other report that had arrived by then, newest first.
    pub reports: Vec<ReportDetail>,
}

/// A report that stayed closed.
#[derive(Debug, Serialize, ToSchema)]
pub struct ClosedEntry {
    /// 36-character id.
    pub id: String,
    /// When it was received; RFC 3339, UTC.
    pub data_creazione: String,
}

/// A report that was erased.
#[derive(Debug, Serialize, ToSchema)]
pub struct ErasedEntry {
    /// SHA-256 of its id (with a prefix), in hex.
    pub trace: String,
    /// When; RFC 3339, UTC.
    pub at: String,
    /// `richiesta` (an editor asked for it) or `scadenza` (by its age).
    pub cause: &'static str,
}

/// Settings and phrases in a backup.
#[derive(Debug, Serialize, ToSchema)]
pub struct BackupSettings {
    /// The security settings.
    pub security: Security,
    /// The system settings.
    pub system: System,
    /// The e-mail settings.
    pub email: Email,
    /// The phrases of the chat.
    pub prompts: Phrases,
}

/// A part of the list of reports, as it stands in the file.
struct Page {
    json: Vec<u8>,
    /// Where the next part begins; `None` after the last.
    next: Option<Place>,
}

/// The backup file. Each report is as it stood when its turn came.
#[utoipa::path(get, operation_id = "backup", path = "/backup", tag = "backup",
    responses((status = 200, body = BackupFile, headers(("Content-Disposition" = String, description = "attachment; nome del file con la data")))))]
pub async fn get(State(app): State<Shared>, admin: Admin) -> ApiResult<Response> {
    let turn = app.turns.export()?;
    let now = app.clock.now_ms();
    // The first page is read before anything is answered, so that a locked archive is told in so many words.
    let (head, name, first) = app
        .read(move |app, snapshot| {
            let file = beginning(snapshot, now)?;
            let name = file_name(&file.settings.system, local_date(now, &app.time_zone));
            Ok::<_, ApiError>((head(&file)?, name, page(app, snapshot, Place::Top)?))
        })
        .await?;
    app.write(move |_, tx| note_backup(tx, now, &admin.visitor.actor))
        .await?;
    let (maker, body) = chunks(PAGES_AHEAD, turn);
    tokio::spawn(make(app, head, first, maker));
    let disposition = HeaderValue::from_str(&format!("attachment; filename=\"{name}\""))
        .map_err(|error| ApiError::internal(&error))?;
    let headers = [
        (
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/json"),
        ),
        (header::CONTENT_DISPOSITION, disposition),
    ];
    Ok((headers, body).into_response())
}

/// Name of the file: the product's, and the local date.
fn file_name(system: &System, date: Date) -> String {
    format!("backup_{}_{date}.json", system.slug())
}

/// The file without its reports.
fn beginning(snapshot: &Snapshot<'_>, now: i64) -> ApiResult<BackupFile> {
    let logs = snapshot.access_log(usize::MAX, None)?;
    Ok(BackupFile {
        format: FORMAT,
        format_version: FORMAT_VERSION,
        program_version: VERSION,
        timestamp: rfc3339(now)?,
        settings: BackupSettings {
            security: load(snapshot)?,
            system: load(snapshot)?,
            email: load(snapshot)?,
            prompts: load(snapshot)?,
        },
        logs: logs
            .into_iter()
            .map(logs::entry)
            .collect::<ApiResult<_>>()?,
        erased: snapshot
            .ledger()?
            .into_iter()
            .map(erased_entry)
            .collect::<ApiResult<_>>()?,
        closed: snapshot
            .closed_reports()?
            .into_iter()
            .map(|(id, at)| {
                Ok(ClosedEntry {
                    id,
                    data_creazione: rfc3339(at)?,
                })
            })
            .collect::<ApiResult<_>>()?,
        reports: Vec::new(),
    })
}

fn erased_entry(row: LedgerRow) -> ApiResult<ErasedEntry> {
    Ok(ErasedEntry {
        trace: hex::encode(row.trace),
        at: rfc3339(row.at)?,
        cause: row.cause.as_str(),
    })
}

/// The text of a file up to the place of its first report: `reports` is its last member, and empty.
fn head(file: &BackupFile) -> ApiResult<Vec<u8>> {
    let mut text = serde_json::to_vec(file).map_err(|error| ApiError::internal(&error))?;
    text.truncate(text.len() - END.len());
    Ok(text)
}

/// What follows the last report.
const END: &[u8] = b"]}";

/// Reports from a place on, separated by commas.
fn page(app: &App, snapshot: &Snapshot<'_>, place: Place) -> ApiResult<Page> {
    let found = snapshot.report_page(&ListFilter::default(), place, PAGE)?;
    let next = found.rows.last().map(|row| Place::Before(row.seq));
    let mut json = Vec::new();
    for row in found.rows {
        if is_closed(snapshot, &app.vault, &row)? {
            continue;
        }
        if !json.is_empty() {
            json.push(b',');
        }
        let report = report_detail::detail_out(app, snapshot, row)?;
        serde_json::to_writer(&mut json, &report).map_err(|error| ApiError::internal(&error))?;
    }
    Ok(Page {
        json,
        next: next.filter(|_| found.older),
    })
}

/// Sends the file part by part; a client that went away ends it. Without its end the connection breaks off.
async fn make(app: Shared, head: Vec<u8>, first: Page, maker: Maker) {
    if maker.send(Some(head.into())).await.is_err() {
        return;
    }
    let mut part = first;
    let mut begun = !part.json.is_empty();
    while let Some(place) = part.next {
        // A page may hold nothing but reports that stay closed, and an empty piece would be the end.
        if !part.json.is_empty() && maker.send(Some(part.json.into())).await.is_err() {
            return;
        }
        part = match app
            .read(move |app, snapshot| page(app, snapshot, place))
            .await
        {
            Ok(next) => next,
            // The cause is in the server's log already.
            Err(_) => return,
        };
        if !part.json.is_empty() {
            if begun {
                part.json.insert(0, b',');
            }
            begun = true;
        }
    }
    part.json.extend(END);
    if maker.send(Some(part.json.into())).await.is_ok() {
        let _ = maker.send(None).await;
    }
}
