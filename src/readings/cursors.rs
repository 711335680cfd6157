//! Cursors of pages. Must never tell a caller who does not see all departments an arrival number: gaps would count the others.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use super::Reading;
use crate::actions;
use crate::domain::invalid::Invalid;
use crate::store::{Place, Position, Snapshot};

/// The purpose that a number is sealed for in a cursor.
const CURSOR: &str = "cursor";
/// How a cursor of the list begins: `p` and `s` for a page behind and before a position, then the group of that position.
const AFTER: char = 'p';
const BEFORE: char = 's';
const PRESSING: char = 'u';
const OTHER: char = 'a';

/// The cursor of a place in the list; the top has none.
pub fn place_cursor(
    reading: Reading<'_>,
    snapshot: &Snapshot<'_>,
    place: Place,
) -> actions::Result<Option<String>> {
    let (side, position) = match place {
        Place::Top => return Ok(None),
        Place::After(position) => (AFTER, position),
        Place::Before(position) => (BEFORE, position),
    };
    let group = if position.pressing { PRESSING } else { OTHER };
    let seq = seq_cursor(reading, snapshot, position.seq)?;
    Ok(Some(format!("{side}{group}{seq}")))
}

/// The place of such a cursor; without one, the top.
pub fn place_of(
    reading: Reading<'_>,
    snapshot: &Snapshot<'_>,
    cursor: Option<&str>,
) -> actions::Result<Place> {
    let Some(cursor) = cursor else {
        return Ok(Place::Top);
    };
    let mut rest = cursor.chars();
    let (side, group) = (rest.next(), rest.next());
    let pressing = match group {
        Some(PRESSING) => true,
        Some(OTHER) => false,
        _ => return Err(no_page()),
    };
    let seq = || seq_of(reading, snapshot, rest.as_str());
    match side {
        Some(AFTER) => Ok(Place::After(Position {
            pressing,
            seq: seq()?,
        })),
        Some(BEFORE) => Ok(Place::Before(Position {
            pressing,
            seq: seq()?,
        })),
        _ => Err(no_page()),
    }
}

/// An arrival number as a cursor, sealed for a caller who does not see all departments.
pub fn seq_cursor(
    reading: Reading<'_>,
    snapshot: &Snapshot<'_>,
    seq: i64,
) -> actions::Result<String> {
    if snapshot.visible_departments().is_all() {
        return Ok(seq.to_string());
    }
    // All have one length, since the length would tell about the number.
    let number = format!("{seq:020}");
    // Equal for equal numbers: a page that asks again sees that nothing has changed.
    let sealed = reading
        .vault
        .seal_operational_equal(CURSOR, "", number.as_bytes())?;
    Ok(URL_SAFE_NO_PAD.encode(sealed))
}

/// The arrival number of such a cursor.
pub fn seq_of(reading: Reading<'_>, snapshot: &Snapshot<'_>, cursor: &str) -> actions::Result<i64> {
    if snapshot.visible_departments().is_all() {
        return plain_number(cursor);
    }
    let sealed = URL_SAFE_NO_PAD.decode(cursor).map_err(|_| no_page())?;
    let opened = reading.vault.open_operational(CURSOR, "", &sealed);
    let opened = opened.map_err(|_| no_page())?;
    plain_number(str::from_utf8(&opened).unwrap_or_default())
}

/// The number of a cursor that tells nothing by it.
pub fn plain_number(cursor: &str) -> actions::Result<i64> {
    let number = cursor.parse().ok().filter(|number: &i64| *number >= 0);
    number.ok_or_else(no_page)
}

fn no_page() -> actions::Error {
    Invalid::new("cursor", "format", "Pagina non valida.").into()
}
