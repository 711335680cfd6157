//! `GET /reports?search=`: any part of a name, an address or a number, over the whole archive (PRODUCT.md §6).

use serde_json::{Value, json};

use crate::support::chat::{Person, submit};
use crate::support::panel::{Editor, ids};
use crate::support::program::Program;
use crate::support::{contains, wait_for};

/// A person with these answers, the rest as with everybody.
fn person(nome: &str, cognome: &str, telefono: &str, email: &str, account: &str) -> Person {
    Person {
        nome: nome.to_owned(),
        cognome: cognome.to_owned(),
        telefono: telefono.to_owned(),
        email: email.to_owned(),
        segnalazione: format!("{account} {}", Person::numbered(7).segnalazione),
        ..Person::numbered(7)
    }
}

/// A text as it travels in a query.
fn encoded(text: &str) -> String {
    text.bytes()
        .fold(String::new(), |query, byte| query + &format!("%{byte:02X}"))
}

fn found(editor: &Editor, search: &str) -> Vec<String> {
    ids(&editor.list(&format!("?search={}", encoded(search))))
}

fn found_in_text(editor: &Editor, search: &str) -> Vec<String> {
    ids(&editor.list(&format!("?inText=true&search={}", encoded(search))))
}

fn when_ready(editor: &Editor) -> Value {
    wait_for("the search index", || {
        let list = editor.list("");
        (list["search"]["ready"] == true).then_some(list)
    })
}

/// What is typed, and who is found by it: Niccolò, Anna, both or nobody.
const SEARCHES: &str = "\
    niccolò|n NICCOLÒ|n niccolo|n nicco\u{6C}o\u{300}|n colo_d'ang|n anna_maria_rossi|a __Anna___Maria_|a 4712|n \
    3471234567|n 347_123_4567|n 347.123-45|n (347)_123|n +39_347_1234567|n +39347|n 00393471234567|n \
    +41_347_1234567| 9_9|a +39| @altrove.EXAMPLE|a %|n n|an nn|a truffa| rossi_anna|a rossi_anna@_maria|a rossi_niccolò| \
    dangelo|n d’angelo_nic|n ang'elo|n VIA_PRINCIPE|n '_OR_1=1_--| '|an";

#[test]
fn any_part_of_a_name_an_address_or_a_number_finds_a_report() {
    let (program, editor) = Program::with_editor();
    let client = program.client();
    let (email, account) = ("nic_da%lo@esempio.it", "Truffa all'asilo.");
    let mut niccolo = person("Niccolò", "D'Àngelo", "3471234567", email, account);
    niccolo.indirizzo = "Via Principe Amedeo, Torino".to_owned();
    let (email, account) = ("anna@altrove.example", "Città piena di buche.");
    let anna = person("ANNA MARIA", "Rossi", "3289999999", email, account);
    let [niccolo, anna] = [niccolo, anna].map(|person| submit(&client, &person));
    let index = json!({ "ready": true, "indexed": 2, "total": 2 });
    assert_eq!(when_ready(&editor)["search"], index);
    let named = |letters: &str| -> Vec<String> {
        let of = |letter| if letter == 'n' { &niccolo } else { &anna };
        letters.chars().map(|letter| of(letter).clone()).collect()
    };
    for pair in SEARCHES.split_whitespace() {
        let (typed, who) = pair.split_once('|').expect("a pair");
        let typed = typed.replace('_', " ");
        assert_eq!(found(&editor, &typed), named(who), "{typed:?}");
    }
    assert_eq!(found(&editor, "_"), named("n"), "no wildcard");
    for (typed, who) in [
        ("TRUFFA ALL'ASILO", "n"),
        ("citta piena", "a"),
        ("niccolò", "n"),
        ("buche Anna piena", "a"),
        ("truffa dangelo", "n"),
        ("truffa rossi", ""),
    ] {
        assert_eq!(found_in_text(&editor, typed), named(who), "{typed}");
    }
    for nothing in "?search=|?search=%20%20|?search=&inText=true|?inText=false".split('|') {
        assert_eq!(ids(&editor.list(nothing)), named("an"), "{nothing}");
    }
}

#[test]
fn a_letter_with_a_stroke_is_found_by_the_one_that_keyboards_have() {
    let (program, editor) = Program::with_editor();
    let account = "Đorđe ha visto tutto.";
    let told = person("Łukasz", "Østergård", "3471234567", "l@esempio.it", account);
    let id = submit(&program.client(), &told);
    when_ready(&editor);
    for typed in ["ostergard lukasz", "ŁUKASZ", "østerg"] {
        assert_eq!(found(&editor, typed), [&*id], "{typed}");
    }
    for typed in ["dorde", "Đorđe"] {
        assert_eq!(found_in_text(&editor, typed), [&*id], "{typed}");
    }
}

#[test]
fn what_was_added_at_the_end_is_searched_with_the_account() {
    let (program, editor) = Program::with_editor();
    let mut teller = Person::numbered(1);
    teller.chiusura = "Il custode si chiama Teodoberto.".to_owned();
    let id = submit(&program.client(), &teller);
    assert_eq!(found_in_text(&editor, "teodoberto"), [id]);
    assert_eq!(found(&editor, "teodoberto"), Vec::<String>::new());
}

#[test]
fn an_id_is_found_whole_or_as_the_list_shows_it() {
    let (program, editor) = Program::with_editor();
    let all = [1, 2, 3].map(|number| program.report(number));
    when_ready(&editor);
    for id in &all {
        for typed in [id, &id[..8], &id[..13].to_uppercase(), &format!(" {id} ")] {
            assert_eq!(found(&editor, typed), [id.as_str()], "{typed}");
            assert_eq!(found_in_text(&editor, typed), [id.as_str()], "{typed}");
        }
        // Too short to name one, another's, and one that another filter keeps out.
        for nothing in [
            &id[..7],
            &id[9..],
            "%",
            "00000000-0000-4000-8000-000000000000",
        ] {
            assert_eq!(found(&editor, nothing), [""; 0], "{nothing}");
        }
        let query = format!("?search={id}&stato=Risolta");
        assert_eq!(ids(&editor.list(&query)), [""; 0]);
    }
}

#[test]
fn what_is_found_in_an_account_is_shown_as_it_stands_there() {
    let (program, editor) = Program::with_editor();
    let far = "Una lunga premessa. ".repeat(30);
    let account = format!("{far}Poi arriva\nil  D’Àngelo con tre camion");
    let teller = person("Anna", "Rossi", "3289999999", "anna@esempio.it", &account);
    submit(&program.client(), &teller);
    let shown = |query: &str| {
        let list = editor.list(&format!("?{query}"));
        assert_eq!(list["matching"], 1, "{query}");
        let excerpt = list["data"][0]["excerpt"].as_str();
        excerpt.expect("an excerpt").to_owned()
    };
    let beginning = shown("search=anna");
    assert!(beginning.starts_with("Una lunga premessa.") && beginning.ends_with('…'));
    assert_eq!(shown("search=premessa&inText=true"), beginning);
    assert_eq!(shown("search=anna&inText=true"), beginning);
    let passage = shown("search=camion%20dangelo&inText=true");
    contains(&passage, &["Poi arriva il D’Àngelo con tre camion"]);
    let short = passage.starts_with("…") && passage.chars().count() <= 242;
    assert!(short, "{passage}");
}

#[test]
fn the_heading_over_an_addition_is_not_found_as_the_reporters_words() {
    let (program, editor) = Program::with_editor();
    let teller = Person {
        chiusura: "Ho anche le fotografie del piazzale".to_owned(),
        ..Person::numbered(1)
    };
    let id = submit(&program.client(), &teller);
    when_ready(&editor);
    assert_eq!(found_in_text(&editor, "fotografie"), [id]);
    for query in ["", "?search=fotografie&inText=true"] {
        let row = editor.list(query)["data"][0].clone();
        let excerpt = row["excerpt"].as_str().expect("an excerpt");
        assert!(
            excerpt.ends_with("Ho anche le fotografie del piazzale"),
            "{excerpt}"
        );
        assert!(!excerpt.contains("AGGIUNTIVE"), "{excerpt}");
    }
    for heading in ["aggiuntive", "INFORMAZIONI AGGIUNTIVE"] {
        assert!(found_in_text(&editor, heading).is_empty(), "{heading}");
    }
}

#[test]
fn a_search_has_pages() {
    let (program, editor) = Program::with_editor();
    editor.expects_a_flood();
    let mut all = Vec::new();
    for number in 0..70 {
        let teller = Person {
            cognome: if number % 2 == 0 { "Verdi" } else { "Neri" }.to_owned(),
            ..Person::numbered(number)
        };
        all.push(submit(&program.client(), &teller));
    }
    when_ready(&editor);
    all.reverse();
    let verdi: Vec<String> = all.iter().skip(1).step_by(2).cloned().collect();
    for query in ["search=verdi&limit=30", "search=VERDI&inText=true&limit=30"] {
        let first = editor.list(&format!("?{query}"));
        let expected = (verdi[..30].to_vec(), &Value::Null);
        assert_eq!((ids(&first), &first["prevCursor"]), expected);
        let next = first["nextCursor"].as_str().expect("there is more");
        // A report that arrives meanwhile moves no page.
        program.report(999);
        let second = editor.list(&format!("?{query}&cursor={next}"));
        let expected = (verdi[30..].to_vec(), &Value::Null);
        assert_eq!((ids(&second), &second["nextCursor"]), expected);
        let back = second["prevCursor"].as_str().expect("a way back");
        assert_eq!(
            ids(&editor.list(&format!("?{query}&cursor={back}"))),
            verdi[..30]
        );
    }
}

#[test]
fn a_report_is_found_as_soon_as_it_is_acknowledged_and_after_a_restart() {
    let (mut program, editor) = Program::with_editor();
    when_ready(&editor);
    for number in 0..20 {
        let id = program.report(number);
        assert_eq!(found(&editor, &format!("persona{number}@")), [id]);
    }
    program.restart();
    let editor = program.log_in();
    let list = when_ready(&editor);
    let expected = json!({ "ready": true, "indexed": 20, "total": 20 });
    assert_eq!(list["search"], expected);
    assert_eq!(found(&editor, "persona7@").len(), 1);
}

#[test]
fn a_search_that_makes_no_sense_is_refused_at_its_parameter() {
    let (_program, editor) = Program::with_editor();
    let long = format!("search={}", encoded(&"è".repeat(201)));
    for query in [long.as_str(), "inText=forse", "testo=true"] {
        let answer = editor.get(&format!("/reports?{query}"));
        assert_eq!(answer.refused_fields(), [query.split('=').next().unwrap()]);
    }
}
