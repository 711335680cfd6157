//! The mask of a clean copy: which fields, answers and places of the account are covered (`PRODUCT.md §19`). Must never store a
//! place in the clear, nor take a mask for another text than that it was made for.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use utoipa::ToSchema;

use crate::actions::archive::sealing::{ReportContent, open_as, open_content, seal};
use crate::actions::desk::edit_reports::{ExpectedVersion, present};
use crate::actions::{Act, Error, Result};
use crate::domain::invalid::Invalid;
use crate::domain::redaction::{Proposal, Span, proposals};
use crate::domain::report::Report;
use crate::domain::text::char_count;
use crate::store::{Action, MaskRow, ReportRow, Snapshot};
use crate::vault::Vault;

const MASK: &str = "masks";
/// Personal fields in the order of [`Report::fields`], by their names: covered from the start.
pub const FIELDS: [&str; 6] = ["nome", "cognome", "eta", "telefono", "email", "indirizzo"];
/// Before the name of a question of a callout.
const ANSWER: &str = "risposte.";
/// Places of one mask, at most.
const SPANS: usize = 2_000;
/// Bytes of the digest that tells one account from another.
const VERSION_BYTES: usize = 8;

/// What is covered in a clean copy.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MaskIn {
    /// Covered fields: `nome`, `cognome`, `eta`, `telefono`, `email`, `indirizzo`, and `risposte.` with the key of a question.
    pub fields: Vec<String>,
    /// Covered places of `segnalazione`, in characters.
    pub spans: Vec<Span>,
    /// Proposals that were looked at and left, in characters; a proposal in neither list is not looked at yet.
    #[serde(default)]
    #[schema(required = false)]
    pub left: Vec<Span>,
    /// Version of the text that the places were chosen in.
    pub text_version: String,
}

/// A mask, and what else names somebody.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Mask {
    /// Covered fields.
    pub fields: Vec<String>,
    /// Covered places.
    pub spans: Vec<Span>,
    /// Proposals that were looked at and left.
    pub left: Vec<Span>,
    /// Version of the text that the places were chosen in.
    pub text_version: String,
    /// What else seems to name somebody in the account.
    pub proposals: Vec<Proposal>,
    /// Whether it was saved: a clean copy is made of a saved one alone.
    pub saved: bool,
    /// Its version, for `If-Match`; 0 before it is saved first. One that is not saved, though it has a version, was made for
    /// another text.
    pub version: i64,
}

/// The mask of a report; before one is saved the one that it begins with.
pub fn mask_of(
    snapshot: &Snapshot<'_>,
    vault: &Vault,
    row: &ReportRow,
) -> Result<(Mask, ReportContent<Report>)> {
    let content = open_content(snapshot, vault, row)?;
    let stored = snapshot.mask(&row.id)?;
    let version = stored.as_ref().map_or(0, |stored| stored.versione);
    let open = |stored: MaskRow| -> Result<MaskIn> {
        open_as(snapshot, vault, stored.epoch, MASK, &row.id, &stored.body)
    };
    let covered = stored.map(open).transpose()?;
    // Places in another text would cover anything but what they were chosen for.
    let present = text_version(&content.report);
    let covered = covered.filter(|mask| mask.text_version == present);
    let saved = covered.is_some();
    let covered = covered.unwrap_or_else(|| first_mask(&content));
    let mask = Mask {
        fields: covered.fields,
        spans: covered.spans,
        left: covered.left,
        text_version: covered.text_version,
        saved,
        proposals: proposals(&content.report),
        version,
    };
    Ok((mask, content))
}

/// Personal data, and what was answered in own words, are covered until a person uncovers them.
fn first_mask(content: &ReportContent<Report>) -> MaskIn {
    let own = content.callout.risposte.iter();
    let own = own.filter(|answer| !answer.kind.has_choices());
    let answers = own.map(|answer| answer_field(&answer.key));
    MaskIn {
        fields: FIELDS
            .map(str::to_owned)
            .into_iter()
            .chain(answers)
            .collect(),
        spans: Vec::new(),
        left: Vec::new(),
        text_version: text_version(&content.report),
    }
}

/// The name by which a mask knows an answer.
pub fn answer_field(key: &str) -> String {
    format!("{ANSWER}{key}")
}

/// Tells an account from any other.
fn text_version(report: &Report) -> String {
    let digest = Sha256::digest(&report.segnalazione);
    hex::encode(&digest[..VERSION_BYTES])
}

/// Saves a mask on the version that was seen, and the text that it was made for.
pub fn save_mask(
    act: &Act<'_>,
    id: &str,
    expected: &ExpectedVersion,
    asked: &MaskIn,
) -> Result<()> {
    let row = present(act, id)?;
    let (before, content) = mask_of(act, act.vault, &row)?;
    expected.check(before.version)?;
    if asked.text_version != text_version(&content.report) {
        return Err(Error::Stale);
    }
    check(asked, &content)?;
    let body = serde_json::to_vec(asked).map_err(|_| Error::Defect("a mask cannot be written"))?;
    let (epoch, body) = seal(act, MASK, id, &body)?;
    let row = MaskRow {
        versione: before.version + 1,
        epoch,
        body,
    };
    act.tx.put_mask(id, &row)?;
    act.log(Action::ReportUpdated, Some(id))
}

fn check(asked: &MaskIn, content: &ReportContent<Report>) -> Result<()> {
    let answers = &content.callout.risposte;
    let known = |field: &&String| {
        let answer = |key: &str| answers.iter().any(|one| one.key == key);
        FIELDS.contains(&&***field) || field.strip_prefix(ANSWER).is_some_and(answer)
    };
    if let Some(unknown) = asked.fields.iter().find(|field| !known(field)) {
        let message = format!("«{unknown}» non è un campo di questa segnalazione.");
        return Err(Invalid::new("fields", "unknown", message).into());
    }
    let length = char_count(&content.report.segnalazione);
    let within = |span: &Span| span.start < span.end && span.end <= length;
    for (field, places) in [("spans", &asked.spans), ("left", &asked.left)] {
        if !places.iter().all(within) {
            let message = "Una parte sta fuori dal testo: ricarica la pagina.";
            return Err(Invalid::new(field, "outOfRange", message).into());
        }
        if places.len() > SPANS {
            let message = format!("Si possono coprire al massimo {SPANS} parti.");
            return Err(Invalid::new(field, "tooMany", message).into());
        }
    }
    Ok(())
}
