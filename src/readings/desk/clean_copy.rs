//! The clean copy of a report: what leaves of it, with bars in place of what its mask covers.

use std::path::Path;

use crate::actions::archive::sealing::ReportContent;
use crate::actions::desk::clean_copy::{FIELDS, MaskIn, answer_field, mask_of};
use crate::actions::desk::edit_reports::present;
use crate::actions::{self, Error};
use crate::domain::calendar::shown;
use crate::domain::media::attachment::name_of;
use crate::domain::media::strip::can_strip;
use crate::domain::moment::timestamp;
use crate::domain::redaction::{BAR, covered};
use crate::domain::report::Report;
use crate::readings::Reading;
use crate::readings::desk::attachments::{AttachedFile, find};
use crate::store::Snapshot;

const NOT_PREPARED: Error =
    Error::conflict("La copia oscurata non è ancora pronta: prima salva che cosa coprire.");

/// A clean copy in words, and the files that go with it.
pub struct CleanCopy {
    pub text: String,
    pub files: Vec<CopiedFile>,
}

/// A file of a clean copy.
pub struct CopiedFile {
    /// Its number: the name that the reporter gave it may name somebody.
    pub name: String,
    pub file: AttachedFile,
    /// A picture once more: it is read for what it consists of before it is copied without place, time and device.
    pub picture: Option<AttachedFile>,
}

/// The clean copy of a report with these of its files.
pub fn clean_copy(
    reading: Reading<'_>,
    snapshot: &Snapshot<'_>,
    data: Option<&Path>,
    id: &str,
    wanted: &[i64],
) -> actions::Result<CleanCopy> {
    let row = present(snapshot, id)?;
    let (mask, content) = mask_of(snapshot, &reading.vault, &row)?;
    if !mask.saved {
        return Err(NOT_PREPARED);
    }
    let received = shown(timestamp(row.data_creazione), &reading.time_zone);
    let file = |n: &i64| {
        let data = data.ok_or(Error::AttachmentNotFound)?;
        let file = find(reading, snapshot, data, id, *n)?;
        let kind = &file.about.media_type;
        let again = can_strip(kind).then(|| find(reading, snapshot, data, id, *n));
        Ok(CopiedFile {
            name: format!("allegati/{}", name_of(&format!("{n:02}"), kind)),
            picture: again.transpose()?,
            file,
        })
    };
    Ok(CleanCopy {
        text: redacted(&received, &content, &mask.covered),
        files: wanted.iter().map(file).collect::<actions::Result<_>>()?,
    })
}

/// The account stands last: nothing in it can pass for what stands behind it.
fn redacted(received: &str, content: &ReportContent<Report>, mask: &MaskIn) -> String {
    let shown = |field: &str, value: &str| {
        let is_covered = mask.fields.iter().any(|one| one == field);
        if is_covered { BAR } else { value }.to_owned()
    };
    let mut lines = vec![
        "COPIA OSCURATA".to_owned(),
        format!("{BAR}: parte coperta da chi ha preparato la copia"),
        String::new(),
        format!("Ricevuta: {received}"),
    ];
    for (field, (label, value)) in FIELDS.into_iter().zip(content.report.fields()) {
        if !value.is_empty() {
            lines.push(format!("{label}: {}", shown(field, &value)));
        }
    }
    for answer in &content.callout.risposte {
        let text = shown(&answer_field(&answer.key), &answer.text);
        lines.push(format!("{}: {text}", answer.question));
    }
    lines.push(String::new());
    lines.push("SEGNALAZIONE (fino alla fine del file)".to_owned());
    lines.push(String::new());
    lines.push(covered(&content.report.segnalazione, &mask.spans));
    lines.join("\n") + "\n"
}
