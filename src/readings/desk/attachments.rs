//! The files of a report: what is told of each, and the file itself, opened.

use std::io;
use std::path::Path;

use serde::Serialize;
use utoipa::ToSchema;

use crate::actions;
use crate::actions::desk::edit_reports::present;
use crate::actions::intake::attachments::{key_of, name_of};
use crate::domain::media::attachment;
use crate::domain::moment::rfc3339;
use crate::files::{Opened, bytes};
use crate::readings::Reading;
use crate::store::{AttachmentRow, Snapshot};
use crate::vault::FileKey;

/// A file that the reporter attached.
#[derive(Debug, Serialize, ToSchema)]
pub struct Attachment {
    /// Its number in the report.
    pub n: i64,
    /// The file name under which it is downloaded.
    pub name: String,
    /// Media type, told from its bytes.
    #[serde(rename = "type")]
    pub media_type: String,
    /// Bytes.
    pub size: u64,
    /// When it came: with the report, or with a message of its reporter; RFC 3339, UTC.
    pub at: String,
}

impl Attachment {
    pub fn of(row: AttachmentRow, name: &str) -> Self {
        let media_type = row.media_type.unwrap_or_default();
        Self {
            n: row.n,
            name: attachment::name_of(name, &media_type),
            size: bytes(row.size),
            at: rfc3339(row.sent.unwrap_or_default()),
            media_type,
        }
    }
}

/// The files of a report.
pub fn attachments_of(
    reading: Reading<'_>,
    snapshot: &Snapshot<'_>,
    report: &str,
) -> actions::Result<Vec<Attachment>> {
    let rows = snapshot.attachments_of(report)?.into_iter();
    let described = rows.map(|row| {
        let name = name_of(key_of(snapshot, &reading.vault, &row), &row)?;
        Ok(Attachment::of(row, &name))
    });
    described.collect()
}

/// A file, and what is told of it. The disk may refuse to open it.
pub struct AttachedFile {
    pub about: Attachment,
    pub file: io::Result<Opened>,
}

impl AttachedFile {
    /// With the key that opens both.
    pub fn of(
        data: &Path,
        row: AttachmentRow,
        key: impl Fn(&AttachmentRow) -> actions::Result<FileKey>,
    ) -> actions::Result<Self> {
        let name = name_of(key(&row), &row)?;
        Ok(Self {
            file: Opened::of(data, &row, key(&row)?),
            about: Attachment::of(row, &name),
        })
    }
}

/// A file of a report, by its number, in the folder of the data.
pub fn find(
    reading: Reading<'_>,
    snapshot: &Snapshot<'_>,
    data: &Path,
    report: &str,
    n: i64,
) -> actions::Result<AttachedFile> {
    present(snapshot, report)?;
    let row = snapshot.attachment(report, n)?;
    let row = row.ok_or(actions::Error::AttachmentNotFound)?;
    AttachedFile::of(data, row, |row| key_of(snapshot, &reading.vault, row))
}
