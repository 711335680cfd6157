//! docs/SECURITY.md says which test guards each promise: every row names one, and every one named is there.

use std::fs;
use std::path::Path;

/// Whether a name of the table is a file of browser or interface tests, which have titles instead of names.
fn is_interface_test(root: &Path, named: &str) -> bool {
    let ending = [".spec.ts", ".test.ts", ".test.tsx"];
    ending.iter().any(|ending| named.ends_with(ending))
        && fs::read_to_string(root.join(named))
            .is_ok_and(|text| text.contains("test(") || text.contains("it("))
}

/// Whether a file has a test of that name.
fn is_test(file: &Path, name: &str) -> bool {
    let text = fs::read_to_string(file).unwrap_or_default();
    let Some((before, _)) = text.split_once(&format!("fn {name}(")) else {
        return false;
    };
    let before = before.trim_end().trim_end_matches("async").trim_end();
    let lines = before.lines().rev().map(str::trim);
    let mut attributes = lines.take_while(|line| line.starts_with("#["));
    attributes.any(|line| line == "#[test]" || line.starts_with("#[tokio::test"))
}

#[test]
fn every_promise_names_tests_that_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut guarded = 0;
    let mut in_table = false;
    for line in include_str!("../../docs/SECURITY.md").lines() {
        let cells: Vec<&str> = line.split(" | ").collect();
        let last = cells.last().map_or("", |cell| cell.trim_end_matches(" |"));
        in_table = last == "Test" || (in_table && line.starts_with('|'));
        if !in_table || last == "Test" || line.starts_with("|---") {
            continue;
        }
        for named in last.split(", ") {
            let named = named.trim_matches('`');
            let (file, name) = named.rsplit_once("::").unwrap_or_default();
            let found = ["tests/it", "src"]
                .map(|folder| root.join(folder).join(format!("{file}.rs")))
                .iter()
                .any(|file| is_test(file, name));
            assert!(
                found || is_interface_test(root, named),
                "«{named}» in: {line}"
            );
        }
        guarded += 1;
    }
    assert!(guarded > 30, "the tables have {guarded} rows");
}

#[test]
fn a_file_without_tests_guards_nothing() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    assert!(is_interface_test(root, "ui/e2e/reading.spec.ts"));
    assert!(!is_interface_test(root, "ui/e2e/fixtures.ts"));
    assert!(!is_interface_test(root, "ui/e2e/not-there.spec.ts"));
}
