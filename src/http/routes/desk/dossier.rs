//! Reports as one file: a ZIP archive of their records, in words, and of their files.

use axum::response::Response;

use crate::actions::ask_back::note_answers_read;
use crate::actions::desk::edit_reports::note_export;
use crate::actions::desk::stories::present_story;
use crate::http::path::{ReportId, StoryId};
use crate::http::routes::desk::attachments::opened;
use crate::http::routes::desk::zip::{ZipEntry, answer};
use crate::http::routes::{ApiError, ApiResult, Editor, Shared};
use crate::http::state::turn_at;
use crate::readings::desk::dossier::{self, Dossier};
use crate::store::Action;

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
        entries("", dossier)
    });
    let parts = parts.await?;
    let noted = admin.change(move |act| {
        note_export(act, &id, Action::ExportZip)?;
        note_answers_read(act, &[id])
    });
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
        let members = members.map(|one| (one.seq, one.id));
        Ok::<_, ApiError>(members.unzip::<_, _, Vec<_>, Vec<_>>())
    });
    let ((seqs, ids), reader) = (seqs.await?, Editor::clone(&admin));
    let noted = admin.change(move |act| {
        act.log(Action::ExportZip, None)?;
        note_answers_read(act, &ids)
    });
    // One that goes meanwhile is left out.
    let parts = seqs.into_iter();
    let parts = parts.filter_map(move |seq| part_of_story(&reader, seq).transpose());
    answer(&name, noted.await, parts, turn)
}

/// A report as it is when its turn comes; `None` where it is gone.
fn part_of_story(reader: &Editor, seq: i64) -> ApiResult<Option<Vec<ZipEntry>>> {
    let app = Shared::clone(reader);
    reader.read_apart(move |snapshot| {
        let Some(row) = snapshot.report_at(seq)? else {
            return Ok(None);
        };
        let data = app.data.as_deref();
        let dossier = dossier::dossier(app.reading(), snapshot, data, &row.id)?;
        entries(&format!("{}/", row.id), dossier).map(Some)
    })
}

/// A dossier in a folder of the archive.
fn entries(folder: &str, dossier: Dossier) -> ApiResult<Vec<ZipEntry>> {
    let record = ZipEntry::text(format!("{folder}segnalazione.txt"), dossier.record);
    let files = dossier.files.into_iter();
    let files = files.map(|(name, file)| {
        let (_, file) = opened(file)?;
        Ok(ZipEntry::file(format!("{folder}{name}"), file))
    });
    std::iter::once(Ok(record)).chain(files).collect()
}
