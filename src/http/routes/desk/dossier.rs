//! Reports as one file: a ZIP archive of their records, in words, and of their files, made while it travels.

use std::io::{self, BufWriter, Write};
use std::time::Duration;

use axum::body::Body;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use rawzip::ZipArchiveWriter;
use tokio::sync::OwnedSemaphorePermit;

use crate::actions::desk::edit_reports::note_export;
use crate::actions::desk::stories::present_story;
use crate::files::Opened;
use crate::http::chunks::{Outlet, chunks};
use crate::http::path::{ReportId, StoryId};
use crate::http::routes::desk::attachments::opened;
use crate::http::routes::{ApiError, ApiResult, Editor, Shared, as_file};
use crate::http::state::turn_at;
use crate::readings::desk::dossier::{self, Dossier};
use crate::store::Action;
use crate::vault::PIECE_LEN;

/// Pieces made before the client has taken the first of them.
const PIECES_AHEAD: usize = 4;
/// An archive that takes longer is broken off: a slow client would keep others from theirs.
const LONGEST: Duration = Duration::from_hours(1);

/// A report with its record and all its files, as a ZIP archive.
#[utoipa::path(get, operation_id = "dossier", path = "/reports/{id}/dossier.zip", tag = "segnalazioni", params(ReportId),
    responses((status = 200, description = "The record (`segnalazione.txt`) and the attachments", content_type = "application/zip",
        headers(("Content-Disposition" = String, description = "The file name")))))]
pub async fn dossier(admin: Editor, ReportId(id): ReportId) -> ApiResult<Response> {
    let turn = turn_at(&admin.turns.dossiers)?;
    let (report, name) = (id.clone(), format!("segnalazione_{id}.zip"));
    let data = admin.data.clone();
    let parts = admin.read(move |reading, snapshot| {
        let dossier = dossier::dossier(reading, snapshot, data.as_deref(), &report)?;
        DossierParts::of(String::new(), dossier)
    });
    let parts = parts.await?;
    let noted = admin.change(move |act| note_export(act, &id, Action::ExportZip));
    answer(&name, noted.await, std::iter::once(Ok(parts)), turn)
}

/// All reports of a story, each in a folder of its own, as a ZIP archive.
#[utoipa::path(get, operation_id = "story_dossier", path = "/stories/{id}/dossier.zip", tag = "storie", params(StoryId),
    responses((status = 200, description = "The record and the attachments of each report", content_type = "application/zip",
        headers(("Content-Disposition" = String, description = "The file name")))))]
pub async fn story_dossier(admin: Editor, StoryId(id): StoryId) -> ApiResult<Response> {
    let turn = turn_at(&admin.turns.dossiers)?;
    let name = format!("storia_{id}.zip");
    let seqs = admin.read(move |_, snapshot| {
        present_story(snapshot, &id)?;
        let members = snapshot.story_members(&id)?.into_iter();
        Ok::<_, ApiError>(members.map(|one| one.seq).collect::<Vec<_>>())
    });
    let (seqs, reader) = (seqs.await?, Editor::clone(&admin));
    let noted = admin.change(|act| act.log(Action::ExportZip, None));
    // One that goes meanwhile is left out.
    let parts = seqs.into_iter();
    let parts = parts.filter_map(move |seq| part_of_story(&reader, seq).transpose());
    answer(&name, noted.await, parts, turn)
}

/// A report as it is when its turn comes; `None` where it is gone.
fn part_of_story(reader: &Editor, seq: i64) -> ApiResult<Option<DossierParts>> {
    let app = Shared::clone(reader);
    reader.read_apart(move |snapshot| {
        let Some(row) = snapshot.report_at(seq)? else {
            return Ok(None);
        };
        let data = app.data.as_deref();
        let dossier = dossier::dossier(app.reading(), snapshot, data, &row.id)?;
        DossierParts::of(format!("{}/", row.id), dossier).map(Some)
    })
}

fn answer(
    name: &str,
    noted: ApiResult<()>,
    parts: impl Iterator<Item = ApiResult<DossierParts>> + Send + 'static,
    turn: OwnedSemaphorePermit,
) -> ApiResult<Response> {
    noted.or_else(|error| error.tolerated_while_reading("an export was not logged"))?;
    // Else it would be compressed, which most files are already.
    let plain = [(header::CONTENT_ENCODING, "identity")];
    Ok((as_file("application/zip", name), plain, stream(parts, turn)).into_response())
}

/// A dossier and its folder in the archive: all of it is at hand, or known to be missing, before any of it is sent.
struct DossierParts {
    folder: String,
    record: String,
    files: Vec<(String, Opened)>,
}

impl DossierParts {
    fn of(folder: String, dossier: Dossier) -> ApiResult<Self> {
        let files = dossier.files.into_iter();
        let files = files.map(|(name, file)| Ok((name, opened(file)?.1)));
        Ok(Self {
            folder,
            record: dossier.record,
            files: files.collect::<ApiResult<_>>()?,
        })
    }
}

fn write(
    parts: impl Iterator<Item = ApiResult<DossierParts>>,
    outlet: &mut Outlet,
) -> Result<(), rawzip::Error> {
    let mut archive = ZipArchiveWriter::new(BufWriter::with_capacity(PIECE_LEN, outlet));
    for part in parts {
        let part = part.map_err(|_| io::Error::other("a report or a file cannot be read"))?;
        let (folder, mut record) = (part.folder, Some(part.record.into_bytes()));
        put(&mut archive, &format!("{folder}segnalazione.txt"), || {
            Ok(record.take())
        })?;
        for (name, mut file) in part.files {
            put(&mut archive, &format!("{folder}{name}"), || file.piece())?;
        }
    }
    Ok(archive.finish()?.flush()?)
}

fn put(
    archive: &mut ZipArchiveWriter<impl Write>,
    name: &str,
    mut next: impl FnMut() -> io::Result<Option<Vec<u8>>>,
) -> Result<(), rawzip::Error> {
    let (mut entry, config) = archive.new_file(name).start()?;
    let mut content = config.wrap(&mut entry);
    while let Some(piece) = next()? {
        content.write_all(&piece)?;
    }
    let (_, end) = content.finish()?;
    entry.finish(end).map(|_| ())
}

/// Makes the archive on a thread of its own, a few pieces ahead of the client; the turn lasts as long.
fn stream(
    parts: impl Iterator<Item = ApiResult<DossierParts>> + Send + 'static,
    turn: OwnedSemaphorePermit,
) -> Body {
    let (maker, body) = chunks(PIECES_AHEAD, ());
    let mut outlet = Outlet::open_for(LONGEST, maker);
    tokio::task::spawn_blocking(move || {
        let _turn = turn;
        match write(parts, &mut outlet) {
            // A client that is gone does not miss the end.
            Ok(()) => drop(outlet.send(None)),
            Err(_) if outlet.is_closed() => {}
            Err(cause) => tracing::error!(%cause, "an archive of a report broke off"),
        }
    });
    body
}
