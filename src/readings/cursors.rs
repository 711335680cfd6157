//! Cursors of pages. Each names the number at the edge of a page: `p12` for what comes behind it, `s12` for what stands before it.
//! Must never tell a caller who does not see all departments an arrival number: gaps would count the others.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use super::Reading;
use crate::actions;
use crate::domain::invalid::Invalid;
use crate::store::{Place, Snapshot};

/// The purpose that a number is sealed for in a cursor.
const CURSOR: &str = "cursor";

/// The cursor at an arrival number, sealed for a caller who does not see all departments.
pub fn cursor(
    reading: Reading<'_>,
    snapshot: &Snapshot<'_>,
    mark: char,
    seq: i64,
) -> actions::Result<String> {
    if snapshot.visible_departments().is_all() {
        return Ok(format!("{mark}{seq}"));
    }
    // All have one length, since the length would tell about the number.
    let number = format!("{seq:020}");
    // Equal for equal numbers: a page that asks again sees that nothing has changed.
    let sealed = reading
        .vault
        .seal_operational_equal(CURSOR, "", number.as_bytes())?;
    Ok(format!("{mark}{}", URL_SAFE_NO_PAD.encode(sealed)))
}

/// The place of such a cursor; without one, the first.
pub fn place(
    reading: Reading<'_>,
    snapshot: &Snapshot<'_>,
    cursor: Option<&str>,
) -> actions::Result<Place> {
    place_by(cursor, |edge| number_of(reading, snapshot, edge))
}

/// The place of a cursor whose number tells nothing; without one, the first.
pub fn plain_place(cursor: Option<&str>) -> actions::Result<Place> {
    place_by(cursor, plain_number)
}

fn place_by(cursor: Option<&str>, number: impl Fn(&str) -> Option<i64>) -> actions::Result<Place> {
    let Some(cursor) = cursor else {
        return Ok(Place::Top);
    };
    let place = match cursor.split_at_checked(1) {
        Some(("p", digits)) => number(digits).map(Place::After),
        Some(("s", digits)) => number(digits).map(Place::Before),
        _ => None,
    };
    place.ok_or_else(no_page)
}

fn number_of(reading: Reading<'_>, snapshot: &Snapshot<'_>, edge: &str) -> Option<i64> {
    if snapshot.visible_departments().is_all() {
        return plain_number(edge);
    }
    let sealed = URL_SAFE_NO_PAD.decode(edge).ok()?;
    let opened = reading.vault.open_operational(CURSOR, "", &sealed).ok()?;
    plain_number(str::from_utf8(&opened).ok()?)
}

pub fn plain_number(digits: &str) -> Option<i64> {
    digits.parse().ok().filter(|number: &i64| *number >= 0)
}

pub fn no_page() -> actions::Error {
    Invalid::new("cursor", "format", "Pagina non valida.").into()
}
