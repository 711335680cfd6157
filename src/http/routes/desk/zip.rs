//! Texts and files as one ZIP archive, which is made while it travels.

use std::io::{self, BufWriter, Write};
use std::time::Duration;

use axum::body::Body;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use rawzip::ZipArchiveWriter;
use tokio::sync::OwnedSemaphorePermit;

use crate::files::Opened;
use crate::http::chunks::{Outlet, chunks};
use crate::http::routes::{ApiResult, as_file};
use crate::vault::PIECE_LEN;

/// Pieces made before the client has taken the first of them.
const PIECES_AHEAD: usize = 4;
/// An archive that takes longer is broken off: a slow client would keep others from theirs.
const LONGEST: Duration = Duration::from_hours(1);

/// The bytes of an entry, a piece a call; `None` behind the last.
pub type Pieces = Box<dyn FnMut() -> io::Result<Option<Vec<u8>>> + Send>;

/// What is put into an archive under a name: all of it is at hand, or known to be missing, before any of it is sent.
pub struct ZipEntry {
    name: String,
    pieces: Pieces,
}

impl ZipEntry {
    pub fn text(name: String, text: String) -> Self {
        let mut bytes = Some(text.into_bytes());
        Self::pieces(name, Box::new(move || Ok(bytes.take())))
    }

    pub fn file(name: String, mut file: Opened) -> Self {
        Self::pieces(name, Box::new(move || file.piece()))
    }

    pub fn pieces(name: String, pieces: Pieces) -> Self {
        Self { name, pieces }
    }
}

/// The archive of these groups of entries, each made when its turn comes, once it was noted that it leaves.
pub fn answer(
    name: &str,
    noted: ApiResult<()>,
    groups: impl Iterator<Item = ApiResult<Vec<ZipEntry>>> + Send + 'static,
    turn: OwnedSemaphorePermit,
) -> ApiResult<Response> {
    noted.or_else(|error| error.tolerated_while_reading("an export was not logged"))?;
    // Else it would be compressed, which most files are already.
    let plain = [(header::CONTENT_ENCODING, "identity")];
    Ok((
        as_file("application/zip", name),
        plain,
        stream(groups, turn),
    )
        .into_response())
}

fn write(
    groups: impl Iterator<Item = ApiResult<Vec<ZipEntry>>>,
    outlet: &mut Outlet,
) -> Result<(), rawzip::Error> {
    let mut archive = ZipArchiveWriter::new(BufWriter::with_capacity(PIECE_LEN, outlet));
    for group in groups {
        let group = group.map_err(|_| io::Error::other("a report or a file cannot be read"))?;
        for entry in group {
            put(&mut archive, entry)?;
        }
    }
    Ok(archive.finish()?.flush()?)
}

fn put(
    archive: &mut ZipArchiveWriter<impl Write>,
    ZipEntry { name, mut pieces }: ZipEntry,
) -> Result<(), rawzip::Error> {
    let (mut entry, config) = archive.new_file(&name).start()?;
    let mut content = config.wrap(&mut entry);
    while let Some(piece) = pieces()? {
        content.write_all(&piece)?;
    }
    let (_, end) = content.finish()?;
    entry.finish(end).map(|_| ())
}

/// Makes the archive on a thread of its own, a few pieces ahead of the client; the turn lasts as long.
fn stream(
    groups: impl Iterator<Item = ApiResult<Vec<ZipEntry>>> + Send + 'static,
    turn: OwnedSemaphorePermit,
) -> Body {
    let (maker, body) = chunks(PIECES_AHEAD, ());
    let mut outlet = Outlet::open_for(LONGEST, maker);
    tokio::task::spawn_blocking(move || {
        let _turn = turn;
        match write(groups, &mut outlet) {
            // A client that is gone does not miss the end.
            Ok(()) => drop(outlet.send(None)),
            Err(_) if outlet.is_closed() => {}
            Err(cause) => tracing::error!(%cause, "an archive of a report broke off"),
        }
    });
    body
}
