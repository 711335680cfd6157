//! Coming back: the code at the end of a conversation, the thread that it alone opens, and what guessing finds (PRODUCT.md §5).

use serde_json::json;

use crate::support::attachments::photo;
use crate::support::backups::{self, back_up};
use crate::support::chat::{Chat, Person, Reply, submit, turn};
use crate::support::disk;
use crate::support::executable::{Server, installation};
use crate::support::http::{Client, rows_of};
use crate::support::outbox::Newsroom;
use crate::support::panel::cookies_of;
use crate::support::program::Program;
use crate::support::returning::{
    Visit, ask, cookie, messages, report, report_with_photos, said, try_code,
};
use crate::support::smtp::{MailServer, Manner};
use crate::support::snapshot::table;
use crate::support::{DAY, MINUTE, contains, free_port, wait_for};

const ASKED: &str = "Dove si trova il capannone dei timbri?";
const TOLD: &str = "Dietro la chiesa sconsacrata di Roccabruna.";
const THANKS: &str = "Grazie, basta così.";
const WHY: &str = "Ho cambiato idea: ci lavora mio fratello Ermenegildo.";
/// A code that nobody has.
const WRONG: &str = "00000-00000-00000-00000";

/// Every call of a visit is refused for this reason.
fn all_refused(visit: &Visit, status: u16, slug: &str) {
    for answer in [
        visit.look(),
        visit.tell(TOLD),
        visit.file("1"),
        visit.take_back("1"),
        visit.data(),
        visit.withdraw(WHY),
    ] {
        answer.problem(status, slug);
    }
}

#[test]
fn newsroom_and_reporter_write_to_each_other() {
    let (mut program, editor) = Program::with_editor();
    let client = program.client();
    let (id, code) = report(&client, 1);
    let (_, other) = report(&client, 2);
    assert!(code.len() == 23 && code != other, "{code}");
    let visit = Visit::by(&client, &code.to_lowercase().replace('-', " "));
    has!(visit.read(), "opened": false, "state": "Ricevuta", "data_creazione": "2026-03-10T09:00:00Z", "messages": []);

    let asked = ask(&editor, &id, ASKED).expect(200).json();
    assert_eq!(said(&asked), [("redazione", ASKED)]);
    editor.report(&id);
    editor.change(&id, &json!({ "stato": "In lavorazione" }));
    let thread = visit.tell(&format!(" {TOLD}\n")).expect(200).json();
    has!(thread, "opened": true, "state": "In lavorazione");
    let both = [("redazione", ASKED), ("segnalante", TOLD)];
    assert_eq!(said(&thread), both);
    for wrong in ["", " \n", &"è".repeat(5_001)] {
        assert_eq!(visit.tell(wrong).refused_fields(), ["text"]);
        assert_eq!(ask(&editor, &id, wrong).refused_fields(), ["text"]);
    }

    // It waits until it is answered; reading it changes nothing.
    let waiting = || {
        let list = editor.quiet().list("?answer=true");
        let rows = rows_of(&list).len();
        assert_eq!(list["answersWaiting"], rows);
        rows
    };
    let told = messages(&editor, &id);
    has!(told, "receipt": true, "unread": true);
    assert_eq!(said(&told), both);
    assert_eq!(waiting(), 1);
    ask(&editor, &id, THANKS).expect(200);
    assert_eq!(waiting(), 0);
    let kinds = table(&editor.report(&id)["storia"], "tipo");
    assert_eq!(
        kinds,
        "ricevuta\naperta\nmessaggio\nstato\nrisposta\nmessaggio"
    );
    let log = editor.get("/logs").expect(200);
    assert!(log.text().contains("MESSAGE_SENT") && !log.text().contains(ASKED));

    // A restart ends no visit.
    program.restart();
    let editor = program.session(&editor);
    editor.change(&id, &json!({ "stato": "Archiviata" }));
    let thread = Visit::holding(&program.client(), &visit.cookie).read();
    assert_eq!(thread["state"], "Conclusa");
    assert_eq!(said(&thread), [both[0], both[1], ("redazione", THANKS)]);
}

#[test]
fn the_last_turn_sent_twice_is_one_report_and_hands_out_the_same_code() {
    let (mut program, editor) = Program::with_editor();
    let chat = Chat::at_the_end(&program.client(), &Person::numbered(1));
    let last =
        |program: &Program, chat: &Chat| Reply::of(&turn(&program.client(), chat.token(), "no"));
    let first = last(&program, &chat);
    let code = first.receipt.clone().expect("a code");
    program.restart();
    assert_eq!(last(&program, &chat), first);
    // Another spelling of "nothing to add" makes the same report.
    let again = turn(&program.client(), chat.token(), "Basta");
    assert_eq!(Reply::of(&again).report_id, first.report_id);
    assert_eq!(program.count("SELECT count(*) FROM segnalazioni"), 1);
    let editor = program.session(&editor);
    let receipts = |on: bool| editor.save_system(&json!({ "receiptsEnabled": on }));

    // Switched off nobody gets one, and those that are out open nothing.
    receipts(false);
    let client = program.client();
    assert_eq!(last(&program, &chat).receipt, None);
    try_code(&client, &code).problem(404, "seguito-disattivato");
    let without = Chat::at_the_end(&client, &Person::numbered(2));
    let reply = last(&program, &without);
    let id = reply.report_id.expect("a report");
    assert_eq!(reply.receipt, None);
    ask(&editor, &id, ASKED).conflict();
    receipts(true);
    // Nothing is handed out that was not stored.
    assert_eq!(last(&program, &without).receipt, None);
    assert_eq!(messages(&editor, &id)["receipt"], false);
    ask(&editor, &id, ASKED).conflict();
    Visit::by(&client, &code);
}

#[test]
fn a_visit_ends_for_every_call_and_nobody_else_makes_one() {
    let (program, editor) = Program::with_editor();
    let client = program.client();
    let (_, code) = report_with_photos(&client, 1, &[("a.jpg", 300)]);
    let old = Visit::by(&client, &code);
    assert_eq!(old.read()["secondsLeft"], 1_800);
    program.clock.advance(29 * MINUTE);
    assert_eq!(old.read()["secondsLeft"], 60);
    let prolonged = [old.tell(TOLD), old.withdraw(WHY)];
    let [told, withdrawn] = prolonged.map(|answer| Visit::of(&client, &answer.expect(200)));
    program.clock.advance(2 * MINUTE);
    all_refused(&old, 401, "visita-scaduta");
    let thread = told.read();
    assert_eq!(said(&thread), [("segnalante", TOLD), ("segnalante", WHY)]);
    withdrawn.data().expect(200);
    // What was copied before is worth nothing any more, also what the visit had before it went on.
    let other = Visit::by(&client, &code);
    let renewed = Visit::of(&client, &told.tell(TOLD).expect(200));
    let files = told.files();
    let left = renewed.leave().expect(204);
    assert!(cookie(&left).ends_with('=') && cookies_of(&left)[0].ends_with("; Max-Age=0"));
    for gone in [&told, &renewed] {
        all_refused(gone, 401, "visita-scaduta");
    }
    files.announce("a.jpg", 9).problem(401, "visita-scaduta");
    other.look().expect(200);

    let (name, value) = other.cookie.split_once('=').expect("a cookie");
    let turned = value.chars().rev().collect::<String>();
    // One that another installation made.
    let foreign = Program::start();
    let (_, its_code) = report(&foreign.client(), 1);
    let its_visit = Visit::by(&foreign.client(), &its_code);
    for forged in ["", name, &format!("{name}={turned}"), &its_visit.cookie] {
        all_refused(&Visit::holding(&client, forged), 401, "visita-scaduta");
    }
    editor.save_system(&json!({ "receiptsEnabled": false }));
    all_refused(&other, 404, "seguito-disattivato");
    editor.save_system(&json!({ "receiptsEnabled": true }));
    // A copy is none either where the clock is set back.
    program.clock.set(program.clock.now_ms() - 86_400_000);
    all_refused(&other, 401, "visita-scaduta");
    Visit::by(&client, &code).look().expect(200);
}

#[test]
fn guessing_finds_nothing_and_locks_nobody_out() {
    let program = Program::behind_a_proxy();
    let from = |address: &str| program.from(address);
    let (_, code) = report(&from("203.0.113.7"), 1);
    let guess = |client: &Client, number: usize| try_code(client, &format!("{number:0>20}")).status;
    let guesser = from("203.0.113.7");
    let answers: Vec<u16> = (0..300).map(|number| guess(&guesser, number)).collect();
    assert!(answers[..100].iter().all(|status| *status == 404));
    assert!(answers[100..].iter().all(|status| *status == 429));
    let refused = try_code(&guesser, WRONG);
    refused.problem(429, "troppi-codici");
    assert!(refused.header("retry-after").is_some());
    // Its neighbours in the network guess no further; others, and the right code from anywhere, are not held up.
    assert_eq!(guess(&from("203.0.113.8"), 0), 404);
    Visit::by(&guesser, &code);
    let site = |number: usize| from(&format!("2001:db8:1:{number:x}::1"));
    let answers = (0..900).map(|number| guess(&site(number), number));
    assert_eq!(answers.filter(|status| *status == 404).count(), 800);
    Visit::by(&site(1), &code);
    // What cannot be a code is not looked for.
    let (long, strange) = (format!("{code}0"), code.replacen('-', "è", 1));
    for typed in ["", "abc", &code[1..], &long, &strange] {
        let refused = try_code(&guesser, typed).refused_fields();
        assert_eq!(refused, ["code"], "{typed}");
    }
}

/// Words beside a code may consist of its letters: 'Salve' reads as 5A1VE.
#[test]
fn a_code_is_found_beside_words_that_look_like_groups_of_it() {
    let program = Program::start();
    let client = program.client();
    let [one, other] = [1, 2].map(|number| report(&client, number).1);
    let spaced = one.replace('-', " ");
    for text in ["Salve {}", "salve {} sempre", "Ecco {} Anche Paola"] {
        try_code(&client, &text.replace("{}", &spaced)).expect(200);
        try_code(&client, &text.replace("{}", &spaced.to_lowercase())).expect(200);
    }
    let wrong = WRONG.replace('-', " ");
    try_code(&client, &format!("Salve {wrong}")).expect(404);
    // Which of two reports is meant, the text does not say.
    let both = format!("{one} {other}");
    assert_eq!(try_code(&client, &both).refused_fields(), ["code"]);
}

#[test]
fn a_sealed_newsroom_with_nobody_in_it_takes_and_shows_all_but_the_account() {
    let mut program = Program::start();
    let (editor, recovery) = program.set_up_with_code();
    let (id, code) = report_with_photos(&program.client(), 1, &[("il cortile.jpg", 300)]);
    ask(&editor, &id, ASKED).expect(200);
    let sealed = editor.post_json("/security/sealed", &json!({ "recoveryCode": recovery }));
    sealed.expect(200);
    editor.delete("/session").expect(204);
    program.restart();
    let client = program.client();
    let visit = Visit::by(&client, &code);
    assert_eq!(said(&visit.read()), [("redazione", ASKED)]);
    visit.tell(TOLD).expect(200);
    assert!(visit.file("1").expect(200).body == photo(300));
    visit.take_back("1").expect(200);
    visit.withdraw(WHY).expect(200);
    let refused = visit.data().problem(503, "archivio-sigillato");
    contains(refused["detail"].to_string(), &["riprova più tardi"]);
    let (_, later) = report(&client, 2);
    assert_eq!(said(&Visit::by(&client, &later).read()), []);
    let editor = program.log_in();
    visit.data().expect(200);
    let all = [
        ("redazione", ASKED),
        ("segnalante", TOLD),
        ("segnalante", WHY),
    ];
    assert_eq!(said(&messages(&editor, &id)), all);
}

#[test]
fn neither_code_nor_message_lies_on_the_disk_and_an_erasure_takes_all() {
    let (mut program, editor) = Program::with_editor();
    let (id, code) = report(&program.client(), 1);
    ask(&editor, &id, ASKED).expect(200);
    let visit = Visit::by(&program.client(), &code);
    visit.tell(TOLD).expect(200);
    visit.withdraw(WHY).expect(200);
    let value = visit.cookie.split_once('=').expect("a cookie").1;
    let bare = code.replace('-', "");
    let absent = |program: &Program| program.hides(&[ASKED, TOLD, WHY, &code, &bare, value]);
    absent(&program);
    program.restart();
    absent(&program);
    let rows = |program: &Program| program.count("SELECT count(*) FROM messages");
    assert_eq!(rows(&program), 3);
    program.session(&editor).erase(&id).expect(200);
    assert_eq!(rows(&program), 0);
    try_code(&program.client(), &code).problem(404, "codice-sconosciuto");
    let visit = Visit::holding(&program.client(), &visit.cookie);
    all_refused(&visit, 404, "codice-sconosciuto");
}

#[test]
fn a_code_opens_a_restored_archive_on_another_machine() {
    let (mut program, editor) = Program::with_editor();
    let (id, code) = report(&program.client(), 1);
    ask(&editor, &id, ASKED).expect(200);
    program.stop();
    let file = back_up(program.home(), &[]);
    let elsewhere = tempfile::tempdir().expect("a folder");
    backups::restore(elsewhere.path(), &file, &[]);
    let server = Server::start(elsewhere.path());
    let thread = Visit::by(&server.client(), &code).read();
    assert_eq!(said(&thread), [("redazione", ASKED)]);
}

#[test]
fn neither_side_writes_without_end() {
    let (program, editor) = Program::with_editor();
    let (id, _) = report(&program.client(), 1);
    for _ in 0..200 {
        ask(&editor, &id, "Un'altra domanda.").expect(200);
    }
    ask(&editor, &id, "Una di troppo.").conflict();
}

#[test]
fn one_damaged_message_hides_no_other() {
    let (mut program, editor) = Program::with_editor();
    let (id, code) = report(&program.client(), 1);
    let visit = Visit::by(&program.client(), &code);
    for text in ["Uno.", "Due.", "Tre."] {
        visit.tell(text).expect(200);
        program.clock.advance(MINUTE);
    }
    let unreadable = "(messaggio non leggibile)";
    let told = ["Uno.", unreadable, "Tre."];
    // Without the receipt's key the newsroom reads none, and all else of the report.
    for (damage, read) in [
        ("UPDATE messages SET text = x'00' WHERE n = 2", told),
        ("UPDATE segnalazioni SET chiave = x'00'", [unreadable; 3]),
    ] {
        program.stop();
        program.plant(damage);
        program.start_again();
        let thread = Visit::by(&program.client(), &code).read();
        let texts = table(&thread["messages"], "text");
        assert_eq!(texts, told.join("\n"), "{damage}");
        let editor = program.session(&editor);
        let texts = table(&messages(&editor, &id)["data"], "text");
        assert_eq!(texts, read.join("\n"), "{damage}");
        let record = editor.get(&format!("/reports/{id}/dossier.zip"));
        record.expect(200);
    }
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
        let all = wait_for("the mails", || {
            newsroom.nudge();
            let mails = server.mails();
            (mails.len() == count).then_some(mails)
        });
        all.iter().map(|mail| unfolded(mail)).collect::<Vec<_>>()
    };
    // The last of so many names the one to whom it goes and these words, and nothing of the report's.
    let notice = |count: usize, words: &[&str]| {
        let mail = mails(count).pop().expect("a mail");
        contains(&mail, words);
        let hidden = [
            ASKED,
            TOLD,
            "Ermenegildo",
            "Nome1",
            "Cognome1",
            "Racconto",
            &code,
        ];
        for text in hidden {
            assert!(!mail.contains(text), "{text} in {mail}");
        }
        mail
    };
    mails(1);
    ask(editor, &id, ASKED).expect(200);
    let told = notice(2, &["\r\nTo: persona1@esempio.it", "/paibeta/seguito"]);
    assert!(!told.contains(&id) && !told.contains("/admin"), "{told}");
    let visit = Visit::by(&client, &code);
    visit.tell(TOLD).expect(200);
    let to_newsroom = ["\r\nTo: redazione@esempio.it", &id];
    let told = notice(3, &to_newsroom);
    assert!(!told.contains("persona1@"), "{told}");
    // What waits to be sent names nobody in the clear.
    assert!(disk::holding(program.data(), b"persona1@esempio.it").is_empty());
    // Twice in a minute is one mail; a minute later it is another.
    ask(editor, &id, ASKED).expect(200);
    ask(editor, &id, ASKED).expect(200);
    newsroom.advance(2 * MINUTE);
    mails(4);
    visit.withdraw(WHY).expect(200);
    notice(5, &to_newsroom);
    let kinds = json!({ "replyNotice": false, "confirmationMail": true });
    editor.save_email(&kinds);
    ask(editor, &id, ASKED).expect(200);
    report(&client, 2);
    newsroom.advance(2 * MINUTE);
    let all = mails(7);
    for (address, count) in [("persona1@esempio.it", 2), ("persona2@esempio.it", 1)] {
        let to = format!("\r\nTo: {address}");
        let found = all.iter().filter(|mail| mail.contains(&to)).count();
        assert_eq!(found, count, "{address}");
    }
}

#[test]
fn nothing_of_a_report_stays_among_the_destinations() {
    let mut newsroom = Newsroom::mail();
    let (id, _) = report(&newsroom.program.client(), 1);
    ask(newsroom.editor(), &id, "Quando?").expect(200);
    newsroom.post.wait(&id, 1);
    let named = format!("SELECT count(*) FROM destinations WHERE address = '{id}'");
    let data = newsroom.program.data().to_owned();
    let count = || disk::count(&data, &named);
    wait_for("the outcome", || (count() == 1).then_some(()));
    newsroom.editor().erase(&id).expect(200);
    assert_eq!(count(), 0);
}

#[test]
fn nobody_is_mailed_without_end_by_who_names_another_address() {
    let mut newsroom = Newsroom::mail();
    let confirmation = json!({ "confirmationMail": true });
    newsroom.editor.save_email(&confirmation);
    let client = newsroom.program.client();
    let tell = |number: usize, email: &str| {
        let mut person = Person::numbered(number);
        email.clone_into(&mut person.email);
        let chat = Chat::at_the_end(&client, &person);
        Reply::of(&turn(&client, chat.token(), "no"));
        chat
    };
    let confirmed = |newsroom: &Newsroom| {
        let sql = "SELECT count(*) FROM deliveries WHERE kind = 'conferma'";
        newsroom.program.count(sql)
    };
    // A last turn that is sent again is not counted again.
    let first = tell(0, "vittima@esempio.it");
    for _ in 0..5 {
        Reply::of(&turn(&client, first.token(), "no"));
    }
    for number in 1..=8 {
        let spellings = ["vittima@esempio.it", "Vittima@Esempio.it"];
        tell(number, spellings[number % 2]);
    }
    assert_eq!(confirmed(&newsroom), 3);
    tell(9, "altra@esempio.it");
    assert_eq!(confirmed(&newsroom), 4);
    newsroom.program.clock.advance(DAY);
    newsroom.editor();
    tell(10, "vittima@esempio.it");
    assert_eq!(confirmed(&newsroom), 5);
}

#[test]
fn reporters_who_are_not_reached_are_one_line_of_the_log() {
    let folder = installation();
    let server = Server::start(folder.path());
    let editor = server.log_in();
    editor.mail_to(free_port());
    editor.save_email(&json!({ "confirmationMail": true }));
    for number in 1..=3 {
        submit(&server.client(), &Person::numbered(number));
    }
    let tried = "SELECT count(*) FROM destinations WHERE kind = 'conferma' AND failures > 0";
    let data = folder.path().join("data");
    wait_for("the attempts", || {
        (disk::count(&data, tried) == 3).then_some(())
    });
    drop(server.log_in());
    let said = wait_for("the log", || {
        let said = server.errors();
        said.contains("conferma").then_some(said)
    });
    let lines = said.lines().filter(|line| line.contains("conferma"));
    assert_eq!(lines.count(), 1, "{said}");
}
