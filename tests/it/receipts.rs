//! Coming back: the code at the end of a conversation, the thread that it alone opens, and what guessing finds (PRODUCT.md §5).

use serde_json::{Value, json};

use crate::support::attachments::Files;
use crate::support::backups::back_up;
use crate::support::chat::{Chat, Person, Reply, turn};
use crate::support::disk;
use crate::support::executable::{Server, succeeds};
use crate::support::http::{Answer, Client, rows_of};
use crate::support::outbox::Newsroom;
use crate::support::panel::{Editor, cookies_of};
use crate::support::program::Program;
use crate::support::smtp::{MailServer, Manner};
use crate::support::snapshot::table;
use crate::support::{MINUTE, contains, wait_for};

const ASKED: &str = "Dove si trova il capannone dei timbri?";
const TOLD: &str = "Dietro la chiesa sconsacrata di Roccabruna.";
/// A code that nobody has.
const WRONG: &str = "00000-00000-00000-00000";

/// A report: its id and its code.
pub fn report(client: &Client, number: usize) -> (String, String) {
    let chat = Chat::at_the_end(client, &Person::numbered(number));
    let last = Reply::of(&turn(client, chat.token(), "no"));
    let [id, code] = [last.report_id, last.receipt].map(|text| text.expect("a report"));
    (id, code)
}

pub fn try_code(client: &Client, code: &str) -> Answer {
    client.post_json("/receipts", &json!({ "code": code }))
}

/// Opens a visit: its cookie, and the report as it is told.
pub fn visit(client: &Client, code: &str) -> (String, Value) {
    let answer = try_code(client, code).expect(200);
    (cookie(&answer), answer.json())
}

pub fn cookie(answer: &Answer) -> String {
    let set = cookies_of(answer);
    assert_eq!(set.len(), 1, "{set:?}");
    let (pair, rest) = set[0].split_once("; ").expect("a cookie");
    let kept = "Path=/paibeta/api/receipts; HttpOnly; SameSite=Strict";
    // Behind a proxy it is Secure.
    assert!(rest.replace(" Secure;", "").starts_with(kept), "{rest}");
    pair.to_owned()
}

pub fn look(client: &Client, cookie: &str) -> Answer {
    client.with("cookie", cookie).get("/receipts")
}

pub fn tell(client: &Client, cookie: &str, text: &str) -> Answer {
    let told = json!({ "text": text });
    client
        .with("cookie", cookie)
        .post_json("/receipts/messages", &told)
}

pub fn ask(editor: &Editor, id: &str, text: &str) -> Answer {
    editor.post_json(&format!("/reports/{id}/messages"), &json!({ "text": text }))
}

pub fn said(thread: &Value) -> Vec<(&str, &str)> {
    let messages = thread["messages"].as_array().or(thread["data"].as_array());
    let each = messages.expect("messages").iter();
    each.map(|one| {
        let [from, text] = ["from", "text"].map(|key| one[key].as_str().expect("a text"));
        (from, text)
    })
    .collect()
}

#[test]
fn newsroom_and_reporter_write_to_each_other() {
    let (mut program, editor) = Program::with_editor();
    let client = program.client();
    let (id, code) = report(&client, 1);
    let (_, other) = report(&client, 2);
    assert!(code.len() == 23 && code != other, "{code}");
    let (cookie, thread) = visit(&client, &code.to_lowercase().replace('-', " "));
    has!(thread, "opened": false, "state": "Ricevuta", "data_creazione": "2026-03-10T09:00:00Z", "messages": []);

    let asked = ask(&editor, &id, ASKED).expect(200).json();
    assert_eq!(said(&asked), [("redazione", ASKED)]);
    editor.report(&id);
    editor.change(&id, &json!({ "stato": "In lavorazione" }));
    let thread = tell(&client, &cookie, &format!(" {TOLD}\n")).expect(200);
    let thread = thread.json();
    has!(thread, "opened": true, "state": "In lavorazione");
    let both = [("redazione", ASKED), ("segnalante", TOLD)];
    assert_eq!(said(&thread), both);
    for wrong in ["", " \n", &"è".repeat(5_001)] {
        assert_eq!(tell(&client, &cookie, wrong).refused_fields(), ["text"]);
        assert_eq!(ask(&editor, &id, wrong).refused_fields(), ["text"]);
    }

    // Marked until an editor opens it; a page that refreshes itself does not count.
    let waiting = || {
        let list = editor.quiet().list("?answer=true");
        let rows = rows_of(&list).len();
        assert_eq!(list["answersWaiting"], rows);
        rows
    };
    let path = format!("/reports/{id}/messages");
    editor.quiet().get(&path).expect(200);
    assert_eq!(waiting(), 1);
    let told = editor.read(&path);
    has!(told, "receipt": true, "unread": true);
    assert_eq!(said(&told), both);
    assert_eq!(waiting(), 0);
    let kinds = table(&editor.report(&id)["storia"], "tipo");
    assert_eq!(kinds, "ricevuta\naperta\nmessaggio\nstato\nrisposta");
    let log = editor.get("/logs").expect(200);
    assert!(log.text().contains("MESSAGE_SENT") && !log.text().contains(ASKED));

    // A restart ends no visit.
    program.restart();
    let editor = program.session(&editor);
    editor.change(&id, &json!({ "stato": "Archiviata" }));
    let thread = look(&program.client(), &cookie).expect(200).json();
    assert_eq!(thread["state"], "Conclusa");
    assert_eq!(said(&thread), both);
}

#[test]
fn the_last_turn_sent_twice_hands_out_the_same_code() {
    let (mut program, editor) = Program::with_editor();
    let chat = Chat::at_the_end(&program.client(), &Person::numbered(1));
    let last = |program: &Program| Reply::of(&turn(&program.client(), chat.token(), "no")).receipt;
    let code = last(&program).expect("a code");
    program.restart();
    assert_eq!(last(&program), Some(code.clone()));
    let editor = program.session(&editor);
    let receipts = |on: bool| editor.save_system(&json!({ "receiptsEnabled": on }));

    // Switched off nobody gets one, and those that are out open nothing.
    receipts(false);
    let client = program.client();
    assert_eq!(last(&program), None);
    try_code(&client, &code).problem(404, "seguito-disattivato");
    let without = Chat::at_the_end(&client, &Person::numbered(2));
    let reply = Reply::of(&turn(&client, without.token(), "no"));
    let id = reply.report_id.expect("a report");
    assert_eq!(reply.receipt, None);
    ask(&editor, &id, ASKED).conflict();
    receipts(true);
    // Nothing is handed out that was not stored.
    assert_eq!(
        Reply::of(&turn(&client, without.token(), "no")).receipt,
        None
    );
    assert_eq!(
        editor.read(&format!("/reports/{id}/messages"))["receipt"],
        false
    );
    ask(&editor, &id, ASKED).conflict();
    visit(&client, &code);
}

#[test]
fn a_visit_ends_by_itself_and_nobody_else_makes_one() {
    let program = Program::start();
    let client = program.client();
    let (_, code) = report(&client, 1);
    let (old, _) = visit(&client, &code);
    program.clock.advance(29 * MINUTE);
    let fresh = cookie(&tell(&client, &old, TOLD).expect(200));
    program.clock.advance(2 * MINUTE);
    look(&client, &old).problem(401, "visita-scaduta");
    tell(&client, &old, TOLD).problem(401, "visita-scaduta");
    assert_eq!(said(&look(&client, &fresh).expect(200).json()).len(), 1);
    let visitor = client.with("cookie", &fresh);
    let left = visitor.delete("/receipts").expect(204);
    assert!(cookie(&left).ends_with('=') && cookies_of(&left)[0].ends_with("; Max-Age=0"));
    // What was copied before is worth nothing any more, also what the visit had before it went on.
    look(&client, &fresh).problem(401, "visita-scaduta");
    tell(&client, &fresh, TOLD).problem(401, "visita-scaduta");
    let (anew, told) = visit(&client, &code);
    let (other, _) = visit(&client, &code);
    let renewed = cookie(&tell(&client, &anew, TOLD).expect(200));
    client
        .with("cookie", &renewed)
        .delete("/receipts")
        .expect(204);
    for gone in [&anew, &renewed] {
        look(&client, gone).problem(401, "visita-scaduta");
    }
    let token = told["conversation"].as_str().expect("a token");
    Files::of(&client, token)
        .announce("a.jpg", 9)
        .problem(401, "visita-scaduta");
    look(&client, &other).expect(200);

    let (name, value) = fresh.split_once('=').expect("a cookie");
    let turned = value.chars().rev().collect::<String>();
    // One that another installation made.
    let foreign = Program::start();
    let (_, its_code) = report(&foreign.client(), 1);
    let (other, _) = visit(&foreign.client(), &its_code);
    for forged in ["", name, &format!("{name}={turned}"), &other] {
        look(&client, forged).problem(401, "visita-scaduta");
    }
}

#[test]
fn guessing_finds_nothing_and_locks_nobody_out() {
    let program = Program::behind_a_proxy();
    let from = |address: &str| program.from(address);
    let (_, code) = report(&from("203.0.113.7"), 1);
    let guess = |client: &Client, number: usize| {
        let code = format!("{number:0>20}");
        try_code(client, &code).status
    };
    let guesser = from("203.0.113.7");
    let answers: Vec<u16> = (0..300).map(|number| guess(&guesser, number)).collect();
    assert!(answers[..100].iter().all(|status| *status == 404));
    assert!(answers[100..].iter().all(|status| *status == 429));
    let refused = try_code(&guesser, WRONG);
    refused.problem(429, "troppi-codici");
    assert!(refused.header("retry-after").is_some());
    // Its neighbours in the network guess no further; others, and the right code from anywhere, are not held up.
    assert_eq!(guess(&from("203.0.113.8"), 0), 404);
    visit(&guesser, &code);
    let site = |number: usize| from(&format!("2001:db8:1:{number:x}::1"));
    let answers = (0..900).map(|number| guess(&site(number), number));
    assert_eq!(answers.filter(|status| *status == 404).count(), 800);
    visit(&site(1), &code);
    // What cannot be a code is not looked for.
    let (long, strange) = (format!("{code}0"), code.replacen('-', "è", 1));
    for typed in ["", "abc", &code[1..], &long, &strange] {
        let refused = try_code(&guesser, typed).refused_fields();
        assert_eq!(refused, ["code"], "{typed}");
    }
}

#[test]
fn a_sealed_newsroom_with_nobody_in_it_still_takes_and_shows_messages() {
    let mut program = Program::start();
    let (editor, recovery) = program.set_up_with_code();
    let (id, code) = report(&program.client(), 1);
    ask(&editor, &id, ASKED).expect(200);
    let sealed = editor.post_json("/security/sealed", &json!({ "recoveryCode": recovery }));
    sealed.expect(200);
    editor.delete("/session").expect(204);
    program.restart();
    let client = program.client();
    let (cookie, thread) = visit(&client, &code);
    assert_eq!(said(&thread), [("redazione", ASKED)]);
    tell(&client, &cookie, TOLD).expect(200);
    let (_, later) = report(&client, 2);
    assert_eq!(said(&visit(&client, &later).1), []);
    let editor = program.log_in();
    let thread = editor.read(&format!("/reports/{id}/messages"));
    assert_eq!(said(&thread), [("redazione", ASKED), ("segnalante", TOLD)]);
}

#[test]
fn neither_code_nor_message_lies_on_the_disk_and_an_erasure_takes_all() {
    let (mut program, editor) = Program::with_editor();
    let (id, code) = report(&program.client(), 1);
    ask(&editor, &id, ASKED).expect(200);
    let (cookie, _) = visit(&program.client(), &code);
    tell(&program.client(), &cookie, TOLD).expect(200);
    let value = cookie.split_once('=').expect("a cookie").1;
    let absent =
        |program: &Program| program.hides(&[ASKED, TOLD, &code, &code.replace('-', ""), value]);
    absent(&program);
    program.restart();
    absent(&program);
    let rows = |sql: &str| program.count(sql);
    assert_eq!(rows("SELECT count(*) FROM messages"), 2);
    program.session(&editor).erase(&id).expect(200);
    assert_eq!(rows("SELECT count(*) FROM messages"), 0);
    try_code(&program.client(), &code).problem(404, "codice-sconosciuto");
    look(&program.client(), &cookie).problem(404, "codice-sconosciuto");
    tell(&program.client(), &cookie, TOLD).problem(404, "codice-sconosciuto");
}

#[test]
fn a_code_opens_a_restored_archive_on_another_machine() {
    let (mut program, editor) = Program::with_editor();
    let (id, code) = report(&program.client(), 1);
    ask(&editor, &id, ASKED).expect(200);
    program.stop();
    let file = back_up(program.home(), &[]);
    let elsewhere = tempfile::tempdir().expect("a folder");
    let restore = ["restore", file.to_str().expect("a path")];
    succeeds(elsewhere.path(), &restore, "");
    let server = Server::start(elsewhere.path());
    let (_, thread) = visit(&server.client(), &code);
    assert_eq!(said(&thread), [("redazione", ASKED)]);
}

/// A mail without the breaks that its coding puts into long lines.
fn unfolded(mail: &[u8]) -> String {
    String::from_utf8_lossy(mail).replace("=\r\n", "")
}

#[test]
fn whoever_is_written_to_gets_a_mail_that_says_only_that() {
    let server = MailServer::start(Manner::default());
    let newsroom = Newsroom::posting_to(server.port());
    let (program, editor) = (&newsroom.program, &newsroom.editor);
    let client = program.client();
    let (id, code) = report(&client, 1);
    let mails = |count: usize| {
        wait_for("the mails", || {
            newsroom.nudge();
            let mails = server.mails();
            (mails.len() == count).then(|| {
                let last = mails.last().expect("a mail");
                unfolded(last)
            })
        })
    };
    let silent = |mail: &str| {
        for text in [ASKED, TOLD, "Nome1", "Cognome1", "Racconto", &code] {
            assert!(!mail.contains(text), "{text} in {mail}");
        }
    };
    mails(1);
    ask(editor, &id, ASKED).expect(200);
    let notice = mails(2);
    silent(&notice);
    contains(
        &notice,
        &["\r\nTo: persona1@esempio.it", "/paibeta/seguito"],
    );
    assert!(
        !notice.contains(&id) && !notice.contains("/admin"),
        "{notice}"
    );
    // What waits to be sent names nobody in the clear.
    let (cookie, _) = visit(&client, &code);
    tell(&client, &cookie, TOLD).expect(200);
    let notice = mails(3);
    silent(&notice);
    contains(&notice, &["\r\nTo: redazione@esempio.it", &id]);
    assert!(!notice.contains("persona1@"), "{notice}");
    assert!(disk::holding(program.data(), b"persona1@esempio.it").is_empty());
    // Twice in a minute is one mail; a minute later it is another.
    ask(editor, &id, ASKED).expect(200);
    ask(editor, &id, ASKED).expect(200);
    newsroom.advance(2 * MINUTE);
    mails(4);
    let kinds = json!({ "replyNotice": false, "confirmationMail": true });
    editor.save_email(&kinds);
    ask(editor, &id, ASKED).expect(200);
    report(&client, 2);
    newsroom.advance(2 * MINUTE);
    mails(6);
    let all: Vec<String> = server.mails().iter().map(|mail| unfolded(mail)).collect();
    let to = |address: &str| {
        all.iter()
            .filter(|mail| mail.contains(&format!("\r\nTo: {address}")))
            .count()
    };
    assert_eq!(
        (to("persona1@esempio.it"), to("persona2@esempio.it")),
        (2, 1)
    );
}
