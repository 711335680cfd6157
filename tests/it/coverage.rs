//! `docs/COVERAGE.md`, row by row: every rule of the original description names the tests that cover it, and every
//! sentence of its catalogue of errors stands in the program and in the test that provokes it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Heading of the tables whose rows are sentences.
const SENTENCES: &str = "Situation";
/// Heading of the tables whose rows are rules.
const RULES: &str = "Rule";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A row of a table: its cells, under the heading of the table's first column.
struct Row {
    table: String,
    cells: Vec<String>,
}

/// The rows of every table of the document, without headings.
fn rows(document: &str) -> Vec<Row> {
    let (mut rows, mut table) = (Vec::new(), None);
    for line in document.lines() {
        let Some(inner) = line.strip_prefix('|') else {
            table = None;
            continue;
        };
        let inner = inner.strip_suffix('|').expect("a row ends with a bar");
        let cells: Vec<String> = inner
            .split('|')
            .map(|cell| cell.trim().to_owned())
            .collect();
        match &table {
            None => table = Some(cells[0].clone()),
            Some(_)
                if cells
                    .iter()
                    .all(|cell| cell.chars().all(|sign| sign == '-')) => {}
            Some(table) => rows.push(Row {
                table: table.clone(),
                cells,
            }),
        }
    }
    rows
}

fn document() -> Vec<Row> {
    rows(&fs::read_to_string(root().join("docs/COVERAGE.md")).expect("the document"))
}

/// What stands between backticks.
fn quoted(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

/// A file of the tree as one text in which a sentence can be found, however it is broken over lines and escaped.
fn plain(path: &str) -> String {
    let text =
        fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    let mut joined = String::new();
    for line in text.lines() {
        if let Some(part) = line.strip_suffix('\\') {
            joined.push_str(part.trim_start());
        } else {
            joined.push_str(line.trim());
            joined.push(' ');
        }
    }
    joined.replace("\\\"", "\"").replace("\\'", "'")
}

/// Whether a test of that name stands in the file: a function in Rust, a title in TypeScript.
fn names_a_test(file: &str, text: &str, name: &str) -> bool {
    if Path::new(file).extension().is_some_and(|end| end == "rs") {
        text.contains(&format!("fn {name}("))
    } else {
        ["'", "`", "\""].iter().any(|mark| {
            [format!("test({mark}{name}"), format!("it({mark}{name}")]
                .iter()
                .chain(&[format!(")({mark}{name}")])
                .any(|title| text.contains(title.as_str()))
        })
    }
}

/// The tests that a row names, as file and name.
fn tests_of(row: &Row) -> Vec<(&str, &str)> {
    let named = quoted(row.cells.last().expect("cells"));
    named
        .into_iter()
        .map(|test| {
            test.split_once('#')
                .unwrap_or_else(|| panic!("no test: {test}"))
        })
        .collect()
}

#[test]
fn every_row_names_tests_that_exist() {
    let mut files: BTreeMap<&str, String> = BTreeMap::new();
    let document = document();
    let (mut rules, mut sentences) = (0, 0);
    for row in &document {
        match row.table.as_str() {
            RULES => rules += 1,
            SENTENCES => sentences += 1,
            _ => continue,
        }
        let tests = tests_of(row);
        assert!(!tests.is_empty(), "uncovered: {}", row.cells[0]);
        for (file, name) in tests {
            let text = files.entry(file).or_insert_with(|| plain(file));
            assert!(names_a_test(file, text, name), "{file} has no test {name}");
        }
    }
    assert!(
        rules > 80 && sentences > 40,
        "{rules} rules, {sentences} sentences"
    );
}

#[test]
fn every_sentence_stands_in_the_program_and_in_its_test() {
    for row in document().iter().filter(|row| row.table == SENTENCES) {
        let [_, sentence, said_by, _] = row.cells.as_slice() else {
            panic!("{:?}: situation, text, said by, tests", row.cells);
        };
        let files = quoted(said_by);
        assert!(!files.is_empty(), "nobody says: {sentence}");
        for file in files {
            assert!(!file.contains("test"), "{file} is no part of the program");
            assert!(has(file, sentence), "{file} does not say: {sentence}");
        }
        let provoked = tests_of(row).iter().any(|(file, _)| has(file, sentence));
        assert!(provoked, "no named test expects: {sentence}");
    }
}

/// Whether the file holds the sentence, whatever stands in the place of what is between braces.
fn has(file: &str, sentence: &str) -> bool {
    let text = plain(file);
    let mut rest = text.as_str();
    pieces(sentence).iter().all(|piece| {
        // A piece may be anything's beginning: what follows is looked for behind it.
        rest.find(piece).is_some_and(|at| {
            rest = &rest[at + piece.len()..];
            true
        }) || text.contains(piece)
    })
}

/// The fixed pieces of a sentence.
fn pieces(sentence: &str) -> Vec<String> {
    let mut pieces = vec![String::new()];
    let mut inside = false;
    for sign in sentence.chars() {
        match sign {
            '{' => {
                inside = true;
                pieces.push(String::new());
            }
            '}' => inside = false,
            _ if inside => {}
            other => pieces.last_mut().expect("a piece").push(other),
        }
    }
    pieces.retain(|piece| piece.trim().chars().count() > 1);
    pieces
}

#[test]
fn every_file_of_tests_is_a_file_and_no_row_stands_twice() {
    let mut seen = BTreeSet::new();
    for row in document() {
        assert!(
            seen.insert((
                row.table.clone(),
                row.cells[..2.min(row.cells.len())].join("|")
            )),
            "twice: {}",
            row.cells[0]
        );
        if row.table == RULES || row.table == SENTENCES {
            for (file, _) in tests_of(&row) {
                let path: PathBuf = root().join(file);
                assert!(path.is_file(), "{file}");
            }
        }
    }
}

#[test]
fn the_walk_sees_what_is_missing() {
    let broken = rows(
        "| Rule | Tests |\n|---|---|\n| a | `tests/it/coverage.rs#nowhere` |\n\nText\n\n| Other | x |\n|---|---|\n| b | c |",
    );
    assert_eq!(broken.len(), 2);
    assert_eq!(tests_of(&broken[0]), [("tests/it/coverage.rs", "nowhere")]);
    let own = plain("tests/it/coverage.rs");
    assert!(!names_a_test("tests/it/coverage.rs", &own, "elsewhere"));
    assert!(names_a_test(
        "tests/it/coverage.rs",
        &own,
        "the_walk_sees_what_is_missing"
    ));
    assert_eq!(
        pieces("Riprova tra {n} minuti."),
        ["Riprova tra ", " minuti."]
    );
}
