//! The panel's backup: one JSON file with the settings, the phrases, the access log and every report in the clear
//! (PRODUCT.md §9), sent while it is read.
//! Must never end like a whole file when a report could not be read.

use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};

use crate::actions::import_report::Record;
use crate::actions::log_access::Action;
use crate::backup::panel::{END, PanelBackup};
use crate::domain::calendar::local_date;
use crate::http::admin::Admin;
use crate::http::chunks::{Maker, chunks};
use crate::http::problem::{ApiError, ApiResult};
use crate::http::state::{App, Shared};
use crate::store::{ListFilter, Place, Snapshot};

/// Reports read at a time: about a hundred kilobytes, from a snapshot of a few milliseconds.
const PAGE: usize = 100;
/// Such pages made before the client has taken the first of them.
const PAGES_AHEAD: usize = 4;

/// A part of the list of reports, as it stands in the file.
struct Page {
    json: Vec<u8>,
    /// Where the next part begins; `None` after the last.
    next: Option<Place>,
}

/// The backup file. Each report is as it stood when its turn came.
#[utoipa::path(get, operation_id = "backup", path = "/backup", tag = "backup",
    responses((status = 200, body = PanelBackup, headers(("Content-Disposition" = String, description = "attachment; nome del file con la data")))))]
pub async fn get(admin: Admin) -> ApiResult<Response> {
    let turn = admin.turns.export()?;
    // The first page is read before anything is answered, so that a locked archive is told in so many words.
    let begun = admin.read(move |app, snapshot| {
        let internal = |error: anyhow::Error| ApiError::internal(error.as_ref());
        let now = app.clock.now_ms();
        let file = PanelBackup::begin(snapshot, now).map_err(internal)?;
        let (slug, date) = (file.settings.system.slug(), local_date(now, &app.time_zone));
        let mut first = page(app, snapshot, Place::Top)?;
        first.json = [file.head().map_err(internal)?, first.json].concat();
        Ok::<_, ApiError>((format!("backup_{slug}_{date}.json"), first))
    });
    let (name, first) = begun.await?;
    admin.change(|act| act.log(Action::Backup, None)).await?;
    let (maker, body) = chunks(PAGES_AHEAD, turn);
    tokio::spawn(make(Shared::clone(&admin), first, maker));
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

/// Reports from a place on, with a comma before each but the newest of all.
fn page(app: &App, snapshot: &Snapshot<'_>, place: Place) -> ApiResult<Page> {
    let found = snapshot.report_page(&ListFilter::default(), place, PAGE)?;
    let next = found.rows.last().map(|row| Place::Before(row.seq));
    let mut json = Vec::new();
    for row in found.rows {
        if !(json.is_empty() && place == Place::Top) {
            json.push(b',');
        }
        let record = Record::of(snapshot, &app.vault, row)?;
        serde_json::to_writer(&mut json, &record).map_err(|error| ApiError::internal(&error))?;
    }
    Ok(Page {
        json,
        next: next.filter(|_| found.older),
    })
}

/// Sends the file part by part; a client that went away ends it. Without its end the connection breaks off.
async fn make(app: Shared, mut part: Page, maker: Maker) {
    while let Some(place) = part.next {
        if maker.send(Some(part.json.into())).await.is_err() {
            return;
        }
        let read = app.read(move |app, snapshot| page(app, snapshot, place));
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
