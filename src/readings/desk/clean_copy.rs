//! The clean copy of a report: what leaves of it, with bars in place of what its mask covers.

use std::path::Path;

use serde::Serialize;
use utoipa::ToSchema;

use crate::actions::archive::sealing::ReportContent;
use crate::actions::desk::clean_copy::{FIELDS, Mask, answer_field, mask_of};
use crate::actions::desk::edit_reports::{ExpectedVersion, present};
use crate::actions::{self, Error};
use crate::domain::calendar::shown;
use crate::domain::invalid::Invalid;
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

const NOT_CLEANABLE: &str = "Questa foto non si può ripulire di luogo, data e dispositivo: convertila in JPEG e mandala a parte.";

/// A clean copy in words. Must never hold a character that its mask covers.
#[derive(Debug, Serialize, ToSchema)]
pub struct RedactedText {
    /// What is known of the report, in the order in which it is shown.
    pub facts: Vec<RedactedFact>,
    /// The account.
    pub account: String,
    /// All of it as one text.
    pub text: String,
}

/// A line of a clean copy: a field or an answer.
#[derive(Debug, Serialize, ToSchema)]
pub struct RedactedFact {
    /// The field, or the question.
    pub name: String,
    /// What stands there, or a bar.
    pub value: String,
}

/// A clean copy in words, and the files that go with it.
pub struct CleanCopy {
    pub text: String,
    pub files: Vec<CopiedFile>,
}

/// A file of a clean copy.
pub struct CopiedFile {
    pub n: i64,
    /// Its number: the name that the reporter gave it may name somebody.
    pub name: String,
    pub file: AttachedFile,
    /// A picture once more: it is read for what it consists of before it is copied without place, time and device.
    pub picture: Option<AttachedFile>,
}

/// The clean copy of a report in words, as its saved mask covers it in this version.
pub fn redacted_text(
    reading: Reading<'_>,
    snapshot: &Snapshot<'_>,
    id: &str,
    expected: &ExpectedVersion,
) -> actions::Result<RedactedText> {
    let row = present(snapshot, id)?;
    let (mask, content) = mask_of(snapshot, &reading.vault, &row)?;
    expected.check(mask.version)?;
    if !mask.saved {
        return Err(NOT_PREPARED);
    }
    let received = shown(timestamp(row.data_creazione), &reading.time_zone);
    Ok(redacted(received, &content, &mask))
}

/// The clean copy of a report with these of its files.
pub fn clean_copy(
    reading: Reading<'_>,
    snapshot: &Snapshot<'_>,
    data: Option<&Path>,
    id: &str,
    expected: &ExpectedVersion,
    wanted: &[i64],
) -> actions::Result<CleanCopy> {
    let copy = redacted_text(reading, snapshot, id, expected)?;
    let found = |n| {
        let data = data.ok_or(Error::AttachmentNotFound)?;
        find(reading, snapshot, data, id, n)
    };
    let file = |n: &i64| {
        let file = found(*n)?;
        let kind = &file.about.media_type;
        let is_clean = can_strip(kind);
        if kind.starts_with("image/") && !is_clean {
            return Err(Invalid::new(file_field(*n), "uncleanable", NOT_CLEANABLE).into());
        }
        Ok(CopiedFile {
            n: *n,
            name: format!("allegati/{}", name_of(&format!("{n:02}"), kind)),
            picture: is_clean.then(|| found(*n)).transpose()?,
            file,
        })
    };
    let files = wanted
        .iter()
        .map(|n| file(n).map_err(|error| at_file(*n, error)));
    Ok(CleanCopy {
        text: copy.text,
        files: files.collect::<actions::Result<_>>()?,
    })
}

fn at_file(n: i64, error: Error) -> Error {
    match error {
        Error::AttachmentNotFound => {
            let message = format!("Il file {n} non c'è, o non c'è più.");
            Invalid::new(file_field(n), "unknown", message).into()
        }
        other => other,
    }
}

/// The field of a refusal that concerns one file.
pub fn file_field(n: i64) -> String {
    format!("attachments.{n}")
}

/// The account stands last: nothing in it can pass for what stands behind it.
fn redacted(received: String, content: &ReportContent<Report>, mask: &Mask) -> RedactedText {
    let fact = |field: &str, name: &str, value: String| {
        let is_covered = mask.fields.iter().any(|one| one == field);
        let value = if is_covered { BAR.to_owned() } else { value };
        let name = name.to_owned();
        RedactedFact { name, value }
    };
    let fields = FIELDS.into_iter().zip(content.report.fields());
    let fields = fields.filter(|(_, (_, value))| !value.is_empty());
    let answers = content.callout.risposte.iter();
    let facts = std::iter::once(fact("", "Ricevuta", received))
        .chain(fields.map(|(field, (name, value))| fact(field, name, value.to_string())))
        .chain(answers.map(|one| fact(&answer_field(&one.key), &one.question, one.text.clone())))
        .collect::<Vec<_>>();
    let account = covered(&content.report.segnalazione, &mask.spans);
    RedactedText {
        text: in_words(&facts, &account),
        facts,
        account,
    }
}

fn in_words(facts: &[RedactedFact], account: &str) -> String {
    let mut lines = vec![
        "COPIA OSCURATA".to_owned(),
        format!("{BAR}: parte coperta da chi ha preparato la copia"),
        String::new(),
    ];
    let fact = |RedactedFact { name, value }: &RedactedFact| format!("{name}: {value}");
    lines.extend(facts.iter().map(fact));
    lines.extend(["", "SEGNALAZIONE (fino alla fine del file)", "", account].map(str::to_owned));
    lines.join("\n") + "\n"
}
