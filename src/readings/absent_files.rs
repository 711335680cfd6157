//! Which files are not there of those that a page shows with what it sends.

use std::path::Path;

use crate::actions;
use crate::actions::intake::attachments::{missing_of, name_in};
use crate::files::{bytes, path, sealed_len};
use crate::store::Snapshot;
use crate::vault::ReceiptCode;

/// A file of a conversation; one that is unknown has no name.
pub struct NamedFile {
    pub id: String,
    pub name: Option<String>,
}

impl NamedFile {
    pub fn unnamed(id: String) -> Self {
        Self { id, name: None }
    }
}

/// Files that a page shows and that are not there.
pub struct AbsentFiles {
    /// Files that never came as a whole, or were dropped.
    pub missing: Vec<NamedFile>,
    /// Files that came and are not whole on the disk: the archive was restored or copied without them, or they were cut by other
    /// hands.
    pub lost: Vec<NamedFile>,
}

/// The files of a conversation that are not there of those `shown`. A demonstration, which has no data folder, loses none.
pub fn absent_files(
    snapshot: &Snapshot<'_>,
    data: Option<&Path>,
    conversation: &str,
    code: &ReceiptCode,
    shown: &[String],
) -> actions::Result<AbsentFiles> {
    let named = |id: String| {
        let name = name_in(snapshot, conversation, code, &id)?;
        Ok(NamedFile { id, name })
    };
    let missing = missing_of(snapshot, conversation, shown)?;
    let mut lost = Vec::new();
    for row in snapshot.whole_attachments(conversation)? {
        let is_there = |data: &Path| {
            let found = std::fs::metadata(path(data, &row.id));
            found.is_ok_and(|found| found.len() == sealed_len(bytes(row.size)))
        };
        if row.sent.is_none() && shown.contains(&row.id) && !data.is_none_or(is_there) {
            tracing::error!(
                id = row.id,
                "an attached file that waits for its report is not whole on the disk"
            );
            lost.push(named(row.id)?);
        }
    }
    let missing = missing.into_iter().map(named);
    Ok(AbsentFiles {
        missing: missing.collect::<actions::Result<_>>()?,
        lost,
    })
}
