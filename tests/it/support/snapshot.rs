//! An answer of the program as text for `insta::assert_snapshot!`.

use serde_json::Value;
use uuid::Uuid;

/// The longest line.
const WIDTH: usize = 120;
/// From this length on a word is a token or a cursor.
const TOKEN: usize = 40;

/// An answer as text that is the same in every run. Ids become `id1`, `id2` and so on in the order in which they appear, so
/// that equal ids stay equal. Tokens and cursors become `[token]`. Times stay, because a test moves the clock by hand.
pub fn snapshot(answer: &Value) -> String {
    let redacted = redact(&answer.to_string());
    layout(&serde_json::from_str(&redacted).expect("JSON"), 0)
}

/// These members of an object, whose names a space separates, for an answer of which not all is worth showing.
pub fn pick(object: &Value, names: &str) -> Value {
    let members = names.split(' ').map(|name| (name, object[name].clone()));
    members.collect()
}

/// A row a line: the values of these members, which a space separates.
pub fn table(rows: &Value, columns: &str) -> String {
    let rows = rows.as_array().expect("rows").iter().map(|row| {
        let values = columns.split(' ').map(|column| match &row[column] {
            Value::String(text) => text.clone(),
            other => on_one_line(other),
        });
        values.collect::<Vec<_>>().join(" ")
    });
    redact(&rows.collect::<Vec<_>>().join("\n"))
}

fn redact(text: &str) -> String {
    let mut ids = Vec::new();
    let ends_word = |sign: char| !sign.is_ascii_alphanumeric() && sign != '-' && sign != '_';
    let pieces = text.split_inclusive(ends_word).map(|piece| {
        let word = piece.trim_end_matches(ends_word);
        let end = &piece[word.len()..];
        if Uuid::parse_str(word).is_ok() {
            let known = ids.iter().position(|id| *id == word);
            let place = known.unwrap_or(ids.len());
            if known.is_none() {
                ids.push(word);
            }
            format!("id{}{end}", place + 1)
        } else if word.len() >= TOKEN {
            format!("[token]{end}")
        } else {
            piece.to_owned()
        }
    });
    pieces.collect()
}

/// One line where there is room; else lines that are as full as they can be.
fn layout(value: &Value, column: usize) -> String {
    let line = on_one_line(value);
    if column + line.chars().count() <= WIDTH {
        return line;
    }
    let inner = |value| layout(value, column + 2);
    let (open, close, parts): (_, _, Vec<String>) = match value {
        Value::Object(members) => {
            let members = members.iter();
            let members = members.map(|(name, value)| format!("\"{name}\": {}", inner(value)));
            ('{', '}', members.collect())
        }
        Value::Array(items) => ('[', ']', items.iter().map(inner).collect()),
        _ => return line,
    };
    let mut lines: Vec<String> = Vec::new();
    for part in parts {
        match lines.last_mut() {
            Some(last) if column + last.chars().count() + part.chars().count() < WIDTH - 4 => {
                *last = format!("{last}, {part}");
            }
            _ => lines.push(part),
        }
    }
    let lines = lines.join(",\n").replace('\n', "\n  ");
    format!("{open}\n  {lines}\n{close}")
}

fn on_one_line(value: &Value) -> String {
    match value {
        Value::Object(members) if !members.is_empty() => {
            let members = members.iter();
            let members =
                members.map(|(name, value)| format!("\"{name}\": {}", on_one_line(value)));
            format!("{{ {} }}", members.collect::<Vec<_>>().join(", "))
        }
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(on_one_line).collect();
            format!("[{}]", items.join(", "))
        }
        other => other.to_string(),
    }
}
