//! Internal comments on a report, with the names of their authors.

use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use crate::actions;
use crate::actions::desk::comments;
use crate::actions::desk::edit_reports::present;
use crate::readings::{PersonHead, Reading, people_heads};
use crate::store::Snapshot;

/// A comment on a report.
#[derive(Serialize, ToSchema)]
#[schema(as = Comment)]
pub struct CommentOut {
    /// Its number.
    n: i64,
    /// When it was written; RFC 3339, UTC.
    at: Timestamp,
    /// The author; null for the shared password.
    author: Option<PersonHead>,
    /// When it was last changed; RFC 3339, UTC.
    edited: Option<Timestamp>,
    /// Its text.
    text: String,
    /// Whether the caller wrote it, and so can change it for a quarter of an hour.
    mine: bool,
}

/// The comments on a report, oldest first, as a person reads them; without one, the shared password.
pub fn comments(
    reading: Reading<'_>,
    snapshot: &Snapshot<'_>,
    id: &str,
    who: Option<&str>,
) -> actions::Result<Vec<CommentOut>> {
    present(snapshot, id)?;
    let comments = comments::comments(snapshot, &reading.vault, id)?.into_iter();
    let people = people_heads(snapshot)?;
    let shown = comments.map(|comment| CommentOut {
        n: comment.n,
        mine: comment.author.as_deref() == who,
        at: comment.at,
        author: comment.author.and_then(|id| people.get(&id).cloned()),
        edited: comment.edited,
        text: comment.text,
    });
    Ok(shown.collect())
}
