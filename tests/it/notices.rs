//! Notices by mail to people: an address that its person confirms, hours, urgent ones at once; counts and nothing else.

use std::time::Duration;

use mail_parser::MessageParser;
use serde_json::{Value, json};

use crate::support::chat::{GRAVE, Person, submit};
use crate::support::contains;
use crate::support::http::Answer;
use crate::support::panel::Editor;
use crate::support::people::{id_of, join, log_in_as};
use crate::support::program::{Program, at};
use crate::support::smtp::{MailServer, Manner};

const ANNA: &str = "anna@redazione.it";

/// To whom, subject and text of every mail so far.
fn letters(smtp: &MailServer) -> Vec<[String; 3]> {
    let mails = smtp.mails();
    let read = mails.iter().map(|mail| {
        let mail = MessageParser::default().parse(mail).expect("a mail");
        let to = mail.to().and_then(|to| to.first()?.address());
        let (subject, text) = (mail.subject(), mail.body_text(0));
        [
            to.expect("an address").to_owned(),
            subject.expect("a subject").to_owned(),
            text.expect("a text").replace("\r\n", "\n"),
        ]
    });
    read.collect()
}

/// What stands above the link of a notice.
fn words(letter: &[String; 3]) -> &str {
    letter[2].split("\n\nhttp").next().expect("words")
}

/// Saves what is given over what was saved.
fn put(editor: &Editor, change: &Value) -> Answer {
    let mut account = editor.read("/account");
    for (key, value) in change.as_object().expect("a change") {
        account[key] = value.clone();
    }
    editor.put("/account", &account)
}

fn settle(editor: &Editor, change: &Value) {
    put(editor, change).expect(204);
}

fn ask_for(editor: &Editor, hours: &[&str], urgent: bool) {
    let notices = json!({ "hours": hours, "urgent": urgent });
    settle(editor, &json!({ "notices": notices }));
}

/// The token of the link in a letter.
fn token_in(letter: &[String; 3]) -> Option<&str> {
    let (_, token) = letter[2].split_once("/paibeta/admin/account?email=")?;
    token.split_whitespace().next()
}

fn follow(editor: &Editor, token: Option<&str>) -> Answer {
    editor.post_json("/account/email", &json!({ "token": token }))
}

/// Saves an address and follows the link that goes to it.
fn confirm(editor: &Editor, smtp: &MailServer, address: &str) {
    settle(editor, &json!({ "email": address }));
    let letter = letters(smtp).pop().expect("a link");
    assert_eq!(letter[0], address);
    follow(editor, token_in(&letter)).expect(204);
}

/// A program with mail, the shared password and Anna, who sees the desk of health.
fn newsroom() -> (Program, MailServer, Editor, Editor) {
    let (program, shared) = Program::with_editor();
    let smtp = MailServer::start(Manner::default());
    shared.mail_to(smtp.port());
    shared.save_email(&json!({ "emailAutoSend": false, "routingMode": "manual" }));
    let client = program.client();
    let anna = join(&shared, &client, "anna", "redattore", &["generale"]);
    (program, smtp, shared, anna)
}

#[test]
fn links_are_bounded_by_person_and_by_mailbox() {
    let (program, smtp, shared, anna) = newsroom();
    let ask = |editor: &Editor, address: &str| put(editor, &json!({ "email": address }));
    // What was not sent does not count.
    smtp.set(Manner::answering("RCPT", "550 5.1.1 no such user"));
    for _ in 0..6 {
        ask(&anna, "a@esempio.it").problem(422, "dati-non-validi");
    }
    smtp.set(Manner::default());
    for number in 0..5 {
        ask(&anna, &format!("a{number}@esempio.it")).expect(204);
    }
    let refused = ask(&anna, "b@esempio.it").problem(429, "troppi-collegamenti");
    let words = "Oggi sono già partite molte email di conferma. Riprova tra 5 ore.";
    assert_eq!(refused["detail"], words);

    // Another person's are their own, but one mailbox has three, however it is written.
    let bruno = join(&shared, &program.client(), "bruno", "redattore", &[]);
    for address in [
        "vittima@esempio.it",
        "Vittima@esempio.it",
        "vittima@ESEMPIO.it",
    ] {
        ask(&bruno, address).expect(204);
    }
    ask(&bruno, "vittima@esempio.it").problem(429, "troppi-collegamenti");
    ask(&bruno, "b@esempio.it").expect(204);
    assert_eq!(letters(&smtp).len(), 9);
    // They come back over the day.
    program.clock.advance(Duration::from_hours(8));
    ask(&log_in_as(&program.client(), "bruno"), "vittima@esempio.it").expect(204);
}

#[test]
fn an_address_counts_once_its_person_has_followed_the_link() {
    let (program, smtp, shared, anna) = newsroom();
    let bruno = join(&shared, &program.client(), "bruno", "redattore", &[]);
    let none = json!({ "email": "", "notices": { "hours": [], "urgent": false } });
    assert_eq!(anna.read("/account"), none);
    let notices = json!({ "hours": ["14:00", "08:00"], "urgent": true });
    settle(&anna, &json!({ "email": ANNA, "notices": notices }));
    has!(anna.read("/account"), "email": "", "notices": { "hours": ["08:00", "14:00"], "urgent": true });
    let letter = letters(&smtp).remove(0);
    assert_eq!(letter[1], "PelazzAI: conferma il tuo indirizzo");
    let token = token_in(&letter);
    // Nobody else's, nor an invented one.
    follow(&bruno, token).conflict();
    follow(&anna, Some("AAAA")).conflict();
    follow(&anna, token).expect(204);
    has!(anna.read("/account"), "email": ANNA);
    has!(bruno.read("/account"), "email": "");
    // The same again asks nothing; an empty one takes it away; the link is good for three days.
    settle(&anna, &json!({ "email": ANNA }));
    assert_eq!(letters(&smtp).len(), 1);
    settle(&anna, &json!({ "email": "" }));
    has!(anna.read("/account"), "email": "");
    program.clock.advance(Duration::from_hours(73));
    let (anna, shared) = (log_in_as(&program.client(), "anna"), program.log_in());
    follow(&anna, token).conflict();

    let no_hour = json!({ "hours": ["8"], "urgent": false });
    for (field, value) in [("email", json!("anna")), ("notices", no_hour)] {
        let refused = put(&anna, &json!({ field: value }));
        assert_eq!(refused.refused_fields(), [field]);
    }
    shared.get("/account").conflict();
    // Without a server that takes it, the field says why.
    shared.save_email(&json!({ "smtpHost": "" }));
    let refused = put(&anna, &json!({ "email": ANNA }));
    assert_eq!(refused.refused_fields(), ["email"]);
}

#[test]
fn at_its_hours_a_mail_counts_what_is_theirs_and_says_no_more() {
    let (program, smtp, _shared, anna) = newsroom();
    confirm(&anna, &smtp, ANNA);
    ask_for(&anna, &["08:00", "14:00"], false);
    let person = Person::numbered(1);
    let ids = [(); 3].map(|()| submit(&program.client(), &person));
    let hers = json!({ "assegnataA": id_of(&anna), "stato": "In lavorazione" });
    anna.change(&ids[0], &hers);
    program.round();
    assert_eq!(letters(&smtp).len(), 1, "it is ten in the morning");
    program.clock.set(at("2026-03-10T13:00:00Z"));
    program.round();
    program.round();
    let told = letters(&smtp);
    assert_eq!(told.len(), 2, "once");
    assert_eq!(told[1][..2], [ANNA, "PelazzAI: che cosa ti aspetta"]);
    let counts = "1 segnalazione assegnata a te\n2 segnalazioni nuove";
    assert_eq!(words(&told[1]), counts);
    let whole = String::from_utf8_lossy(&smtp.mails()[1]).into_owned();
    for hidden in ids.iter().chain(&person.texts()) {
        assert!(!whole.contains(hidden.as_str()), "{whole}");
    }
    contains(&told[1][2], &["/paibeta/admin/reports\n"]);
    // The same counts, the same words; nothing to tell, no mail.
    program.clock.set(at("2026-03-11T07:10:00Z"));
    program.round();
    assert_eq!(letters(&smtp)[2][1..], told[1][1..]);
    let anna = log_in_as(&program.client(), "anna");
    for id in &ids {
        anna.change(id, &json!({ "stato": "Risolta" }));
    }
    program.clock.set(at("2026-03-11T13:00:00Z"));
    program.round();
    // Switched off for longer than an hour: not at another time.
    submit(&program.client(), &person);
    program.clock.set(at("2026-03-12T08:30:00Z"));
    program.round();
    assert_eq!(letters(&smtp).len(), 3);
}

#[test]
fn an_urgent_report_in_their_sight_is_told_at_once() {
    let (program, smtp, shared, anna) = newsroom();
    confirm(&anna, &smtp, ANNA);
    let grave = Person::telling(1, GRAVE);
    submit(&program.client(), &grave);
    // What was there before she asked is no news.
    ask_for(&anna, &[], true);
    program.round();
    assert_eq!(letters(&smtp).len(), 1);
    program.report(2);
    let other = submit(&program.client(), &grave);
    shared.change(&other, &json!({ "department": "sanita" }));
    program.round();
    assert_eq!(letters(&smtp).len(), 1, "not on her desk");
    submit(&program.client(), &grave);
    program.round();
    program.round();
    let told = letters(&smtp);
    assert_eq!(told.len(), 2);
    assert_eq!(told[1][1], "[Urgente] PelazzAI: che cosa ti aspetta");
    let counts = "1 segnalazione urgente appena arrivata\n3 segnalazioni nuove";
    assert_eq!(words(&told[1]), counts);
}

#[test]
fn a_server_that_is_down_is_asked_again_and_who_went_is_told_nothing() {
    let (program, smtp, _shared, anna) = newsroom();
    confirm(&anna, &smtp, ANNA);
    ask_for(&anna, &["14:00"], false);
    let id = id_of(&anna);
    program.report(1);
    smtp.set(Manner::answering("RCPT", "450 4.2.1 casella occupata"));
    program.clock.set(at("2026-03-10T13:00:00Z"));
    program.running().tidy().expect_err("it is said");
    smtp.set(Manner::default());
    program.clock.advance(Duration::from_mins(5));
    program.round();
    assert_eq!(letters(&smtp).len(), 2);
    let shared = program.log_in();
    shared.delete(&format!("/people/{id}")).expect(204);
    program.clock.set(at("2026-03-11T13:00:00Z"));
    program.round();
    assert_eq!(letters(&smtp).len(), 2);
}

#[test]
fn where_nobody_has_a_name_the_newsroom_is_told_in_the_morning_if_it_wants() {
    let (program, shared) = Program::with_editor();
    let smtp = MailServer::start(Manner::default());
    shared.mail_to(smtp.port());
    shared.save_email(&json!({ "emailAutoSend": false }));
    program.report(1);
    program.clock.set(at("2026-03-11T07:00:00Z"));
    program.round();
    assert!(letters(&smtp).is_empty(), "off by default");
    let shared = program.log_in();
    has!(shared.save_email(&json!({ "deskDigest": true })), "deskDigest": true);
    program.round();
    let told = letters(&smtp);
    assert_eq!((told.len(), &*told[0][0]), (1, "redazione@esempio.it"));
    assert_eq!(words(&told[0]), "1 segnalazione nuova");
    // Somebody has a name now: it is theirs to say.
    join(&shared, &program.client(), "anna", "redattore", &[]);
    program.clock.set(at("2026-03-12T07:00:00Z"));
    program.round();
    assert_eq!(letters(&smtp).len(), 1);
}

#[test]
fn a_story_that_grows_in_their_sight_is_counted_once() {
    let (program, smtp, shared, anna) = newsroom();
    confirm(&anna, &smtp, ANNA);
    ask_for(&anna, &["08:00", "14:00"], false);
    let ids = [1, 2, 3, 4].map(|number| program.report(number));
    shared.change(&ids[3], &json!({ "department": "lavoro" }));
    for (title, reports) in [("Porto", &ids[..2]), ("Cantiere", &ids[2..])] {
        let new = json!({ "title": title, "reports": reports });
        shared.post_json("/stories", &new).expect(200);
    }
    let counted = |moment: &str| {
        program.clock.set(at(moment));
        program.round();
        let last = letters(&smtp).pop().expect("a mail");
        words(&last).to_owned()
    };
    assert_eq!(counted("2026-03-10T13:00:00Z"), "3 segnalazioni nuove");
    let story = program.log_in().rows("/stories")[1]["id"].clone();
    let story = story.as_str().expect("an id").to_owned();
    for number in 5..8 {
        let path = format!("/stories/{story}/reports/{}", program.report(number));
        program.log_in().put(&path, &json!({})).expect(204);
    }
    let grown = "6 segnalazioni nuove\n1 storia che cresce";
    assert_eq!(counted("2026-03-11T07:00:00Z"), grown);
    assert_eq!(counted("2026-03-11T13:00:00Z"), "6 segnalazioni nuove");
}
