//! What people, phones and programs really send, as public bug reports tell it: each row of `tests/vectors/real.json` is an
//! input with its source, and holds on the running program (PRODUCT.md §2 to §6). A bug report from outside is first a row.
//! The files of `tests/vectors/real` were made by hand: only their first bytes, their entry names or their directory matter.

use std::fs;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::attachments::entries_of;
use crate::callouts::{open, paid};
use crate::support::attachments::{Files, listed};
use crate::support::chat::{Chat, Person, Reply, submit, turn};
use crate::support::http::Client;
use crate::support::panel::{Editor, ids};
use crate::support::program::Program;
use crate::support::returning::{report, try_code};

#[derive(Deserialize)]
struct Row {
    source: String,
    #[serde(flatten)]
    input: Input,
}

#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
enum Input {
    Turn(Told),
    /// A file of `tests/vectors/real`, the name that it comes with and keeps, and its type where that matters.
    File {
        file: String,
        name: String,
        r#type: Option<String>,
    },
    /// A name that must fit a file system when everything of a report is unpacked.
    FileName {
        name: String,
    },
    /// A surname, and what is typed to find it.
    Search {
        surname: String,
        search: String,
    },
    /// Account and addition of so many characters each, and how many a cell of the CSV may have.
    Cell {
        characters: usize,
        most: usize,
    },
    /// The shared link of a callout.
    Preview,
    /// An address that another site has lengthened.
    Address {
        path: String,
    },
    Code(Code),
}

/// `{code}` in what was pasted, with another sign between its groups where there is one.
#[derive(Deserialize)]
struct Code {
    pasted: String,
    between: Option<String>,
    #[serde(default)]
    lower: bool,
}

/// Answers at one question, what is kept at the end, and whether it is asked back before that.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Told {
    state: String,
    said: Vec<String>,
    stored: String,
    asked_back: AskedBack,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
enum AskedBack {
    Never,
    May,
    Must,
}

fn rows() -> Vec<Row> {
    serde_json::from_str(include_str!("../vectors/real.json")).expect("the rows")
}

/// Everything that is wrong, so that one run shows it all.
#[derive(Default)]
struct Wrong(Vec<String>);

impl Wrong {
    fn unless(&mut self, holds: bool, row: &Row, found: impl FnOnce() -> String) {
        if !holds {
            let found: String = found().chars().take(400).collect();
            self.0.push(format!("{}: {found}", row.source));
        }
    }
}

impl Drop for Wrong {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            assert!(self.0.is_empty(), "{}", self.0.join("\n"));
        }
    }
}

fn say(client: &Client, reply: &Value, text: &str) -> Value {
    let token = reply["conversation"].as_str().expect("a token");
    turn(client, token, text).expect(200).json()
}

/// The question that is open, in the words of `Person`.
fn answer_of(person: &Person, state: &str) -> String {
    let mut answers = person.answers().into_iter();
    let found = answers.find(|(asked, _)| *asked == state);
    found.expect("a question").1.to_owned()
}

/// What is kept for a question after these answers to it, and whether they were asked back.
fn kept(client: &Client, state: &str, said: &[String]) -> (Option<String>, bool) {
    let person = Person::numbered(1);
    let chat = Chat::until(client, &person, state);
    let mut reply = json!({ "conversation": chat.token() });
    for text in said {
        reply = say(client, &reply, text);
    }
    let asked = reply["question"]["options"].is_array();
    if asked {
        let yes = reply["question"]["options"][0]["text"].clone();
        reply = say(client, &reply, yes.as_str().expect("a button"));
    }
    while reply["state"] != "collect_report" {
        let open = reply["state"].as_str().expect("a state").to_owned();
        if open == state {
            return (None, asked);
        }
        reply = say(client, &reply, &answer_of(&person, &open));
    }
    let mut lines = reply["summary"].as_array().expect("what is sent").iter();
    let line = lines.find(|line| line["state"] == state);
    let line = line.expect("its line");
    (line["text"].as_str().map(str::to_owned), asked)
}

#[test]
fn what_people_answer_is_kept_or_asked_back() {
    let program = Program::start();
    let mut wrong = Wrong::default();
    for row in &rows() {
        let Input::Turn(told) = &row.input else {
            continue;
        };
        let (found, asked) = kept(&program.client(), &told.state, &told.said);
        let as_wanted = match told.asked_back {
            AskedBack::Never => !asked,
            AskedBack::May => true,
            AskedBack::Must => asked,
        };
        let right = as_wanted && found.as_ref() == Some(&told.stored);
        let said = &told.said;
        wrong.unless(right, row, || {
            format!("{said:?} became {found:?}, asked back: {asked}")
        });
    }
}

/// A report with one file, as the panel lists it.
fn attached(program: &Program, editor: &Editor, name: &str, bytes: &[u8]) -> (String, Value) {
    let chat = Chat::at_the_end(&program.client(), &Person::numbered(1));
    Files::of(&program.client(), chat.token()).attach(name, bytes);
    let reply = Reply::of(&turn(&program.client(), chat.token(), "no"));
    let id = reply.report_id.expect("a report");
    let report = editor.report(&id);
    (id, report)
}

#[test]
fn any_file_is_taken_keeps_its_name_and_is_handed_out_as_a_download() {
    let (program, editor) = Program::with_editor();
    let mut wrong = Wrong::default();
    for row in &rows() {
        let Input::File { file, name, r#type } = &row.input else {
            continue;
        };
        let path = format!("{}/tests/vectors/real/{file}", env!("CARGO_MANIFEST_DIR"));
        let bytes = fs::read(path).expect("the file");
        let (id, report) = attached(&program, &editor, name, &bytes);
        let (n, listed_name, listed_type, size) = listed(&report).remove(0);
        let right = listed_name == *name
            && size == bytes.len() as u64
            && r#type.as_ref().is_none_or(|wanted| *wanted == listed_type);
        wrong.unless(right, row, || {
            format!("{name} became {listed_name}, {listed_type}")
        });
        let answer = editor.get(&format!("/reports/{id}/attachments/{n}"));
        let answer = answer.expect(200);
        let header = |of| answer.header(of).unwrap_or_default().to_owned();
        let safe = header("content-disposition").starts_with("attachment")
            && header("x-content-type-options") == "nosniff"
            && header("content-security-policy").contains("sandbox");
        let whole = safe && answer.body == bytes;
        wrong.unless(whole, row, || format!("{name} is handed out otherwise"));
    }
}

#[test]
fn names_of_files_fit_a_file_system() {
    let (program, editor) = Program::with_editor();
    let mut wrong = Wrong::default();
    for row in &rows() {
        let Input::FileName { name } = &row.input else {
            continue;
        };
        let (id, _) = attached(&program, &editor, name, b"%PDF-1.7\n1 0 obj\n");
        let answer = editor.get(&format!("/reports/{id}/dossier.zip"));
        for (path, _) in entries_of(&answer.expect(200).body) {
            let longest = path.split('/').map(str::len).max().unwrap_or_default();
            wrong.unless(longest <= 255, row, || format!("{longest} bytes"));
        }
    }
}

#[test]
fn surnames_are_found_by_the_letters_that_keyboards_have() {
    let (program, editor) = Program::with_editor();
    let mut wrong = Wrong::default();
    for (number, row) in rows().iter().enumerate() {
        let Input::Search { surname, search } = &row.input else {
            continue;
        };
        let mut person = Person::numbered(number);
        person.cognome.clone_from(surname);
        let id = submit(&program.client(), &person);
        editor.wait_for_search();
        let found = ids(&editor.list(&format!("?search={search}")));
        let count = found.len();
        wrong.unless(found == [id], row, || {
            format!("{surname} by {search}: {count} found")
        });
    }
}

#[test]
fn no_cell_is_longer_than_a_spreadsheet_takes() {
    let (program, editor) = Program::with_editor();
    let mut wrong = Wrong::default();
    for row in &rows() {
        let Input::Cell { characters, most } = &row.input else {
            continue;
        };
        let long: String = "parole lunghe ".chars().cycle().take(*characters).collect();
        let person = Person {
            segnalazione: long.clone(),
            chiusura: long,
            ..Person::numbered(1)
        };
        submit(&program.client(), &person);
        let file = editor.get("/reports/export.csv").expect(200);
        let text = file.text().trim_start_matches('\u{FEFF}').to_owned();
        let mut reader = csv::ReaderBuilder::new();
        let mut reader = reader.delimiter(b';').from_reader(text.as_bytes());
        let rows = reader.records().map(|record| {
            let record = record.expect("a row");
            let cells = record.iter().map(|cell| cell.encode_utf16().count());
            cells.max().unwrap_or_default()
        });
        let longest = rows.max().unwrap_or_default();
        wrong.unless(longest <= *most, row, || format!("a cell of {longest}"));
        let told = text.contains("… (continua nel pannello)");
        wrong.unless(told, row, || "it is not said".to_owned());
    }
}

#[test]
fn links_that_others_share_lead_to_the_page_and_say_what_it_is() {
    let (program, editor) = Program::with_editor();
    open(&editor, &paid());
    let mut wrong = Wrong::default();
    for row in &rows() {
        match &row.input {
            Input::Address { path } => {
                let status = program.client().page(&format!("/paibeta{path}")).status;
                wrong.unless(status == 200, row, || format!("{path}: {status}"));
            }
            Input::Preview => {
                let page = program.client().page("/paibeta/i/posti-letto").expect(200);
                for part in [
                    "property=\"og:title\" content=\"Posti letto",
                    "og:description\" content=\"Avete pagato?",
                    "og:image",
                ] {
                    let there = page.text().contains(part);
                    wrong.unless(there, row, || format!("no {part}"));
                }
            }
            _ => {}
        }
    }
}

#[test]
fn a_code_is_found_in_whatever_was_pasted() {
    let (program, _editor) = Program::with_editor();
    let client = program.client();
    let (_, code) = report(&client, 1);
    let mut wrong = Wrong::default();
    for row in &rows() {
        let Input::Code(typed) = &row.input else {
            continue;
        };
        let lower = typed.lower.then(|| code.to_lowercase());
        let code = lower.as_ref().unwrap_or(&code);
        let code = code.replace('-', typed.between.as_deref().unwrap_or("-"));
        let pasted = typed.pasted.replace("{code}", &code);
        let status = try_code(&client, &pasted).status;
        wrong.unless(status == 200, row, || {
            format!("{:?}: {status}", typed.pasted)
        });
    }
}
