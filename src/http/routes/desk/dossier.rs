//! Reports as one file: a ZIP archive of their records, in words, and of their files, made while it travels.

use std::collections::HashMap;
use std::io::{self, BufWriter, Write};
use std::time::Duration;

use askama::Template;
use axum::body::Body;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use rawzip::ZipArchiveWriter;
use tokio::sync::OwnedSemaphorePermit;

use crate::actions::desk::comments::{Comment, comments};
use crate::actions::desk::edit_reports::{YES, note_export, present};
use crate::actions::desk::stories::present_story;
use crate::actions::reporter::messages_of;
use crate::domain::calendar::shown;
use crate::domain::media::attachment::size;
use crate::domain::message::Message;
use crate::domain::moment::timestamp;
use crate::domain::routing::Department;
use crate::files::Opened;
use crate::http::chunks::{Outlet, chunks};
use crate::http::path::{ReportId, StoryId};
use crate::http::routes::desk::attachments::opened;
use crate::http::routes::{ApiError, ApiResult, App, Editor, Shared, as_file};
use crate::http::state::turn_at;
use crate::readings::desk::attachments::{Attachment, find};
use crate::readings::desk::report_detail::{HistoryEntry, ReportDetail, detail_out};
use crate::store::{Action, ChangeKind, Snapshot};
use crate::vault::PIECE_LEN;

/// Pieces made before the client has taken the first of them.
const PIECES_AHEAD: usize = 4;
/// An archive that takes longer is broken off: a slow client would keep others from theirs.
const LONGEST: Duration = Duration::from_hours(1);

/// A report with its record and all its files, as a ZIP archive.
#[utoipa::path(get, operation_id = "dossier", path = "/reports/{id}/dossier.zip", tag = "segnalazioni", params(ReportId),
    responses((status = 200, description = "La scheda (`segnalazione.txt`) e gli allegati", content_type = "application/zip",
        headers(("Content-Disposition" = String, description = "Nome del file")))))]
pub async fn dossier(admin: Editor, ReportId(id): ReportId) -> ApiResult<Response> {
    let turn = turn_at(&admin.turns.dossiers)?;
    let (report, name) = (id.clone(), format!("segnalazione_{id}.zip"));
    let parts = admin.read(move |app, snapshot| DossierParts::of(app, snapshot, &report, ""));
    let parts = parts.await?;
    let noted = admin.change(move |act| note_export(act, &id, Action::ExportZip));
    answer(&name, noted.await, std::iter::once(Ok(parts)), turn)
}

/// All reports of a story, each in a folder of its own, as a ZIP archive.
#[utoipa::path(get, operation_id = "story_dossier", path = "/stories/{id}/dossier.zip", tag = "storie", params(StoryId),
    responses((status = 200, description = "Di ogni segnalazione la scheda e gli allegati", content_type = "application/zip",
        headers(("Content-Disposition" = String, description = "Nome del file")))))]
pub async fn story_dossier(admin: Editor, StoryId(id): StoryId) -> ApiResult<Response> {
    let turn = turn_at(&admin.turns.dossiers)?;
    let name = format!("storia_{id}.zip");
    let seqs = admin.read(move |_, snapshot| {
        present_story(snapshot, &id)?;
        Ok::<_, ApiError>(snapshot.story_seqs(&id)?)
    });
    let (seqs, reader) = (seqs.await?, Editor::clone(&admin));
    let noted = admin.change(|act| act.log(Action::ExportZip, None));
    // One that goes meanwhile is left out.
    let parts = seqs.into_iter().filter_map(move |seq| {
        let app = Shared::clone(&reader);
        let read = reader.read_apart(move |snapshot| {
            let row = snapshot.report_at(seq)?;
            let parts =
                row.map(|row| DossierParts::of(&app, snapshot, &row.id, &format!("{}/", row.id)));
            parts.transpose()
        });
        read.transpose()
    });
    answer(&name, noted.await, parts, turn)
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

/// What goes into the archive of a report: all of it is at hand, or known to be missing, before any of it is sent.
struct DossierParts {
    folder: String,
    record: String,
    files: Vec<(String, Opened)>,
}

impl DossierParts {
    fn of(app: &App, snapshot: &Snapshot<'_>, id: &str, folder: &str) -> ApiResult<Self> {
        let row = present(snapshot, id)?;
        let messages = messages_of(snapshot, &app.vault, &row)?;
        let report = detail_out(app.reading(), snapshot, row)?;
        let said = Correspondence {
            messages,
            comments: comments(snapshot, &app.vault, id)?,
            names: snapshot.named_people()?.into_iter().collect(),
        };
        let mut files = Vec::new();
        // A demonstration has neither files nor a folder.
        if let Some(data) = &app.data {
            for about in &report.attachments {
                let (_, file) = opened(find(app.reading(), snapshot, data, id, about.n)?)?;
                files.push((entry_name(about), file));
            }
        }
        let record = DossierText::of(&report, &said, &app.time_zone).render();
        Ok(Self {
            folder: folder.to_owned(),
            record: record.map_err(|error| ApiError::internal(&error))?,
            files,
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

/// The name of a file in the archive: its number keeps those of one name apart.
fn entry_name(file: &Attachment) -> String {
    format!("allegati/{:02} {}", file.n, file.name)
}

/// What people said of a report, and their names by id.
struct Correspondence {
    messages: Vec<Message>,
    comments: Vec<Comment>,
    names: HashMap<String, String>,
}

impl Correspondence {
    fn name<'a>(&'a self, id: Option<&String>, otherwise: &'a str) -> &'a str {
        id.and_then(|id| self.names.get(id))
            .map_or(otherwise, String::as_str)
    }

    fn messages(&self, zone: &TimeZone) -> Vec<String> {
        let said = self.messages.iter();
        said.map(|one| speech(timestamp(one.at), one.author.as_str(), &one.text, zone))
            .collect()
    }

    fn comments(&self, zone: &TimeZone) -> Vec<String> {
        let said = self.comments.iter();
        said.map(|one| {
            let who = self.name(one.author.as_ref(), "redazione");
            speech(one.at, who, &one.text, zone)
        })
        .collect()
    }

    fn event(&self, event: &HistoryEntry) -> String {
        let what = describe_event(event, self.name(event.a.as_ref(), ""));
        match &event.author {
            None => what,
            Some(who) => format!("{what} ({})", who.name),
        }
    }
}

/// A speech, further in than what stands in the record: none can pass for another.
fn speech(at: Timestamp, who: &str, text: &str, zone: &TimeZone) -> String {
    let text = text.replace('\n', "\n    ");
    format!("{}, {who}:\n    {text}", shown(at, zone))
}

/// The record in words. The account stands last: nothing in it can pass for what the newsroom wrote behind it.
#[derive(Template)]
#[template(path = "dossier.txt")]
struct DossierText<'a> {
    report: &'a ReportDetail,
    received: String,
    forwarded: Option<String>,
    lists: [(&'static str, Vec<String>); 4],
}

impl<'a> DossierText<'a> {
    fn of(report: &'a ReportDetail, said: &Correspondence, zone: &TimeZone) -> Self {
        let at = |moment: &str| {
            moment
                .parse()
                .map_or_else(|_| moment.to_owned(), |at| shown(at, zone))
        };
        let file = |about: &Attachment| format!("{} ({})", entry_name(about), size(about.size));
        let event = |event: &HistoryEntry| {
            format!(
                "{}: {}",
                shown(timestamp(event.at), zone),
                said.event(event)
            )
        };
        let lists = [
            ("ALLEGATI", report.attachments.iter().map(file).collect()),
            ("MESSAGGI", said.messages(zone)),
            ("COMMENTI", said.comments(zone)),
            ("CRONOLOGIA", report.storia.iter().map(event).collect()),
        ];
        Self {
            report,
            received: at(&report.data_creazione),
            forwarded: report.inoltrata.as_deref().map(at),
            lists,
        }
    }
}

fn describe_event(event: &HistoryEntry, person: &str) -> String {
    let (before, after) = (event.da.as_deref(), event.a.as_deref());
    let yes = after == Some(YES);
    let text = match event.kind {
        ChangeKind::Stato => {
            let [da, a] = [before, after].map(Option::unwrap_or_default);
            return format!("stato da «{da}» a «{a}»");
        }
        ChangeKind::Reparto => {
            let department = after.and_then(Department::parse);
            let name = department.map_or("", Department::name);
            return format!("spostata al reparto {name}");
        }
        ChangeKind::Assegnata if after.is_some() => return format!("assegnata a {person}"),
        ChangeKind::Assegnata => "non più assegnata",
        ChangeKind::Ricevuta => "ricevuta",
        ChangeKind::Aperta => "aperta la prima volta",
        ChangeKind::Note => "note interne modificate",
        ChangeKind::Esportata => "esportata",
        ChangeKind::Urgente if yes => "segnata come urgente",
        ChangeKind::Urgente => "non più urgente",
        ChangeKind::Inoltrata if yes => "inoltrata alle autorità",
        ChangeKind::Inoltrata => "non più segnata come inoltrata alle autorità",
        ChangeKind::Messaggio => "messaggio della redazione",
        ChangeKind::Etichette => "etichette cambiate",
        ChangeKind::Risposta => "messaggio di chi ha segnalato",
        ChangeKind::Rinviata if yes => "rinviata",
        ChangeKind::Rinviata => "rimessa nell'elenco",
        ChangeKind::Ritiro if yes => "chi ha segnalato chiede di ritirarla",
        ChangeKind::Ritiro => "risposto alla richiesta di ritiro",
        ChangeKind::Storia if yes => "aggiunta a una storia",
        ChangeKind::Storia => "tolta dalla storia",
        ChangeKind::Allegato => "chi ha segnalato ha ritirato un file",
    };
    text.to_owned()
}
