//! Rows of a file for spreadsheets.
//! Must never let a cell run as a formula.

pub const CSV: &str = "text/csv; charset=utf-8; header=present";
/// Marks the file as UTF-8: without it Excel takes it for the system's old code page.
pub const BOM: &str = "\u{FEFF}";
/// Between cells: Excel in Italian expects it, for the comma stands in its numbers.
const SEPARATOR: u8 = b';';

/// One row (RFC 4180): every cell in quotes, so that no text of a cell can end it, whatever separates cells.
pub fn put_line(line: &mut Vec<u8>, cells: &[impl AsRef<str>]) {
    for (number, cell) in cells.iter().enumerate() {
        if number > 0 {
            line.push(SEPARATOR);
        }
        put_cell(line, cell.as_ref());
    }
    line.extend_from_slice(b"\r\n");
}

/// UTF-16 units of a cell, as Excel counts: it breaks a longer one over the next row.
const CELL_MAX: usize = 32_767;
const MORE: &str = "… (continua nel pannello)";

/// As much of a cell as fits, whole words, and whether that is not all. Guards against formulas count too.
fn fitting(cell: &str) -> (&str, bool) {
    // Even with a guard before each character it fits.
    if cell.len() <= CELL_MAX / 2 {
        return (cell, false);
    }
    let budget = CELL_MAX - MORE.chars().map(char::len_utf16).sum::<usize>();
    let (mut units, mut room, mut word) = (0, 0, 0);
    for (at, character) in cell.char_indices() {
        if units <= budget {
            room = at;
            word = if character.is_whitespace() { at } else { word };
        }
        units += character.len_utf16() + usize::from(is_formula(cell, at));
        if units > CELL_MAX {
            let end = if word > 0 { word } else { room };
            return (cell[..end].trim_end(), true);
        }
    }
    (cell, false)
}

/// A cell in quotes, with a `'` before each place where a spreadsheet might begin a formula (PRODUCT.md §6; ASVS 1.2.10).
fn put_cell(line: &mut Vec<u8>, cell: &str) {
    line.push(b'"');
    let (cell, cut) = fitting(cell);
    let (bytes, mut done) = (cell.as_bytes(), 0);
    for (at, byte) in bytes.iter().copied().enumerate() {
        let before = match byte {
            b'"' => b'"',
            b'=' | b'+' | b'-' | b'@' | b'\t' | b'\r' | b'\0' | WIDE if is_formula(cell, at) => {
                b'\''
            }
            _ => continue,
        };
        line.extend_from_slice(&bytes[done..at]);
        line.push(before);
        done = at;
    }
    line.extend_from_slice(&bytes[done..]);
    if cut {
        line.extend_from_slice(MORE.as_bytes());
    }
    line.push(b'"');
}

/// The first byte of the wide forms, in UTF-8.
const WIDE: u8 = 0xEF;

/// Whether what stands there may be read as a formula: such a character at the beginning of the cell, or of what becomes
/// a cell where the file is read with another separator or line by line; spaces, quotes and invisible characters aside.
fn is_formula(cell: &str, at: usize) -> bool {
    let (before, after) = cell.split_at(at);
    let begins = |character: char| matches!(character, '\n' | '\r' | '\t' | ',' | ';');
    let skipped = |character: char| {
        character.is_whitespace()
            || matches!(
                character,
                '"' | '\u{200B}'..='\u{200F}' | '\u{2060}' | '\u{FEFF}' | '\u{AD}'
            )
    };
    let starts = ['=', '+', '-', '@', '\t', '\r', '\0', '＝', '＋', '－', '＠'];
    let last = |character: &char| begins(*character) || !skipped(*character);
    after.starts_with(starts) && before.chars().rev().find(last).is_none_or(begins)
}

#[cfg(test)]
mod tests;
