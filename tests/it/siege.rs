//! Siege mode: a flood of fakes costs its senders dearly, keeps nobody out and delays no mail (PRODUCT.md §10).

use std::ops::Range;

use mail_parser::MessageParser;
use serde_json::{Value, json};

use crate::support::attachments::Files;
use crate::support::chat::{Chat, GRAVE, Person, Reply, last_turn, letters, solve, submit, turn};
use crate::support::disk;
use crate::support::http::{Answer, Client};
use crate::support::outbox::Newsroom;
use crate::support::panel::{Editor, ids};
use crate::support::program::Program;
use crate::support::smtp::{MailServer, Manner};
use crate::support::{MINUTE, SECOND, at_once, contains, from_environment, say, wait_for};

/// A siege begins with the report after so many at once.
const BURST: usize = 50;

/// A program on which a siege has just begun, behind a proxy.
fn besieged() -> Program {
    besiege(Program::behind_a_proxy())
}

pub fn besiege(program: Program) -> Program {
    for number in 0..=BURST {
        submit(&program.client(), &person(number));
    }
    assert!(is_besieged(&program));
    program
}

/// One of many whose accounts have nothing in common.
pub fn person(number: usize) -> Person {
    let words = (0..40).map(|word| format!("parola{}", number * 100 + word));
    Person::telling(number, &words.collect::<Vec<_>>().join(" "))
}

/// What somebody real has to tell.
const REAL: &str =
    "La dirigente della mensa fa pagare due volte i pasti ai bambini, ho le ricevute.";

fn is_besieged(program: &Program) -> bool {
    let status = program.client().read("/status");
    status["siege"].as_bool().expect("a word")
}

pub fn with_proof(client: &Client, token: &str, text: &str, proof: &Value) -> Answer {
    let said = json!({ "conversation": token, "text": text, "proof": proof });
    client.post_json("/chat/turns", &said)
}

pub fn challenge(answer: &Answer) -> Value {
    answer.problem(428, "prova")["challenge"].clone()
}

#[test]
fn a_burst_asks_for_a_proof_and_whoever_brings_one_gets_in() {
    let program = Program::start();
    let client = program.client();
    for number in 0..BURST {
        submit(&client, &person(number));
        assert!(!is_besieged(&program));
    }
    submit(&client, &person(BURST));
    assert!(is_besieged(&program));
    let chat = Chat::at_the_end(&client, &person(99));
    let asked = challenge(&turn(&client, chat.token(), "no"));
    assert_eq!(asked["bits"], 18);
    assert_eq!(asked["expires"], "2026-03-10T09:30:00Z");
    let proof = json!({ "salt": asked["salt"], "n": solve(&asked) });
    let answer = with_proof(&client, chat.token(), "no", &proof);
    assert!(Reply::of(&answer).report_id.is_some());
    // The answer got lost: the same turn again is the same report.
    let again = with_proof(&client, chat.token(), "no", &proof);
    assert_eq!(again.body, answer.body);
    assert_eq!(program.set_up().all_ids().len(), BURST + 2);
}

#[test]
fn it_begins_also_when_every_sender_hangs_up() {
    let program = Program::start();
    let (client, editor) = (program.client(), program.set_up());
    let chats: Vec<Chat> = (0..60)
        .map(|number| Chat::at_the_end(&client, &person(number)))
        .collect();
    // Nothing can be written before all have hung up.
    let held = disk::database(program.data());
    held.execute_batch("BEGIN IMMEDIATE").expect("held");
    for chat in &chats {
        let said = json!({ "conversation": chat.token(), "text": "no" });
        let line = client.api("POST", "/chat/turns").json(&said).send_only();
        client.get("/status").expect(200);
        drop(line);
    }
    client.get("/status").expect(200);
    held.execute_batch("ROLLBACK").expect("let go");
    wait_for("the reports", || {
        (editor.all_ids().len() > BURST).then_some(())
    });
    wait_for("the siege", || is_besieged(&program).then_some(()));
}

#[test]
fn a_proof_is_worth_nothing_elsewhere_late_or_by_half() {
    let program = besieged();
    let client = program.client();
    let chats = [60, 61].map(|number| Chat::at_the_end(&client, &person(number)));
    let [own, other] = chats.each_ref().map(Chat::token);
    let asked = challenge(&turn(&client, own, "no"));
    let (given, n) = (asked["salt"].as_str().expect("a salt"), solve(&asked));
    let mut altered = given.to_owned();
    altered.replace_range(12..13, if &given[12..13] == "A" { "B" } else { "A" });
    let proof = json!({ "salt": given, "n": n });
    for (token, proof) in [
        (other, proof.clone()),
        (own, json!({ "salt": given, "n": n + 1 })),
        (own, json!({ "salt": given })),
        (own, json!({ "salt": altered, "n": 1 })),
        (own, json!({ "salt": "", "n": 1 })),
    ] {
        let answer = with_proof(&client, token, "no", &proof);
        assert_eq!(answer.status, 428, "{proof}");
        challenge(&answer);
    }
    // A turn that is not the last asks for nothing, and a token that does not open gets nothing.
    let early = Chat::start(&client);
    with_proof(&client, early.token(), "34", &proof).expect(200);
    with_proof(&client, "nonsense", "no", &proof).problem(400, "token-non-valido");
    program.clock.advance(30 * MINUTE + SECOND);
    challenge(&with_proof(&client, own, "no", &proof));
}

#[test]
fn whoever_cannot_compute_waits_and_gets_in_and_waiting_lets_no_flood_in() {
    let program = besieged();
    let (client, other) = (program.from("192.0.2.1"), program.from("192.0.2.2"));
    let chats: Vec<Chat> = (60..64)
        .map(|number| Chat::at_the_end(&client, &person(number)))
        .collect();
    let asked = |chat: &Chat| challenge(&turn(&client, chat.token(), "no"));
    let salts: Vec<Value> = chats.iter().map(asked).collect();
    assert!(salts.iter().all(|asked| asked["wait"] == 60));
    let waited = |client: &Client, number: usize| {
        let proof = json!({ "salt": salts[number]["salt"] });
        with_proof(client, chats[number].token(), "no", &proof)
    };
    challenge(&waited(&client, 0));
    program.clock.advance(MINUTE);
    let first = waited(&client, 0);
    assert!(Reply::of(&first).report_id.is_some());
    // Sent again because the answer got lost.
    assert_eq!(waited(&client, 0).body, first.body);
    // The next of the same client a minute later; another client at once, though not at the same moment.
    assert_eq!(challenge(&waited(&client, 1))["wait"], 60);
    // It has waited its minute.
    assert_eq!(challenge(&waited(&other, 1))["wait"], 2);
    program.clock.advance(2 * SECOND);
    assert_eq!(waited(&other, 1).status, 200);
    program.clock.advance(MINUTE);
    assert_eq!(waited(&client, 2).status, 200);
    // One customer's networks are one client.
    program.clock.advance(2 * SECOND);
    let near = ["2001:db8:0:1::1", "2001:db8:0:2::1"].map(|address| program.from(address));
    let chats = [70, 71].map(|number| Chat::at_the_end(&near[0], &person(number)));
    let salts = chats
        .each_ref()
        .map(|chat| json!({ "salt": challenge(&turn(&near[0], chat.token(), "no"))["salt"] }));
    program.clock.advance(MINUTE);
    with_proof(&near[0], chats[0].token(), "no", &salts[0]).expect(200);
    program.clock.advance(2 * SECOND);
    challenge(&with_proof(&near[1], chats[1].token(), "no", &salts[1]));
}

#[test]
fn a_clock_that_ran_ahead_keeps_nobody_waiting() {
    let program = besieged();
    let client = program.from("192.0.2.1");
    let waits = |number: usize| {
        let chat = Chat::at_the_end(&client, &person(number));
        let asked = challenge(&turn(&client, chat.token(), "no"));
        (chat, asked)
    };
    let today = program.clock.now_ms();
    program.clock.advance(7 * MINUTE);
    let (chat, asked) = waits(60);
    program.clock.advance(MINUTE);
    let proof = json!({ "salt": asked["salt"] });
    assert_eq!(with_proof(&client, chat.token(), "no", &proof).status, 200);
    program.clock.set(today);
    assert_eq!(waits(61).1["wait"], 60);
}

#[test]
fn thirty_people_behind_one_address_all_finish_and_a_flood_is_asked_for_more() {
    let program = besieged();
    let client = program.from("192.0.2.1");
    let ids = at_once(30, |number| submit(&client, &person(100 + number)));
    assert_eq!(program.set_up().all_ids().len(), BURST + 1 + ids.len());
    let bits = |client: &Client, times: usize| {
        let chat = Chat::at_the_end(client, &person(200));
        for _ in 1..times {
            challenge(&turn(client, chat.token(), "no"));
        }
        challenge(&turn(client, chat.token(), "no"))["bits"].clone()
    };
    assert_eq!(bits(&client, 1), 18);
    assert_eq!(bits(&client, 200), 21);
    assert_eq!(bits(&program.from("192.0.2.2"), 1), 18);
    // From ever-new addresses of one customer.
    for number in 0..260 {
        bits(&program.from(&format!("2001:db8:0:{number:x}::1")), 1);
    }
    assert_eq!(bits(&program.from("2001:db8:0:ffff::1"), 1), 19);
    assert_eq!(bits(&program.from("2001:db8:1::1"), 1), 18);
    program.clock.advance(10 * MINUTE);
    assert_eq!(bits(&client, 1), 18);
}

#[test]
fn it_ends_by_itself_and_outlasts_a_restart() {
    let mut program = besieged();
    program.restart();
    assert!(is_besieged(&program));
    for (waited, besieged) in [(9, true), (1, false)] {
        program.clock.advance(waited * MINUTE);
        program.round();
        assert_eq!(is_besieged(&program), besieged, "{waited} minutes later");
    }
    let client = program.client();
    let [first, second] = [90, 91].map(|number| Chat::at_the_end(&client, &person(number)));
    turn(&client, first.token(), "no").expect(200);
    // A proof that was asked for before is no hindrance.
    let late = json!({ "salt": "x", "n": 1 });
    with_proof(&client, second.token(), "no", &late).expect(200);
}

#[test]
fn a_full_day_begins_it_too_until_midnight_and_the_setting_ends_it() {
    let program = Program::start();
    program.set_up();
    for number in 0..101 {
        assert!(!is_besieged(&program), "{number}");
        submit(&program.client(), &person(number));
        program.clock.advance(MINUTE);
    }
    assert!(is_besieged(&program));
    program.clock.advance(60 * MINUTE);
    program.round();
    assert!(is_besieged(&program));
    let expect = |reports: u32| {
        let body = json!({ "maxReportsPerDay": reports });
        program.log_in().save_security(&body);
    };
    expect(200);
    assert!(!is_besieged(&program));
    expect(100);
    assert!(is_besieged(&program));
    program.clock.advance(13 * 60 * MINUTE);
    program.round();
    assert!(!is_besieged(&program));
    let chat = Chat::at_the_end(&program.client(), &person(300));
    assert_eq!(last_turn(&program.client(), chat.token(), "no").status, 200);
}

/// The text of a mail.
fn text(mail: &[u8]) -> String {
    let mail = MessageParser::default().parse(mail).expect("a mail");
    mail.body_text(0).expect("a text").into_owned()
}

#[test]
fn behind_twelve_thousand_fakes_an_urgent_report_and_a_real_one_are_in_the_next_mail() {
    let smtp = MailServer::start(Manner::default());
    let mut newsroom = Newsroom::posting_to(smtp.port());
    let send = |newsroom: &Newsroom, person| submit(&newsroom.program.client(), &person);
    send(&newsroom, Person::numbered(0));
    wait_for("the first mail", || (smtp.mails().len() == 1).then_some(()));
    let urgent = send(&newsroom, Person::telling(1, GRAVE));
    for number in 2..56 {
        send(&newsroom, Person::numbered(number));
    }
    newsroom.program.stop();
    // Copies of the last, which was set aside.
    let copied = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12000)
        INSERT INTO segnalazioni (id, stato, department, data_creazione, data_aggiornamento, privacy_version, impronta,
            epoch, contenuto, sospetta)
        SELECT 'falsa-' || i, stato, department, data_creazione, data_aggiornamento, privacy_version, impronta, epoch,
            contenuto, sospetta FROM n, segnalazioni WHERE seq = (SELECT max(seq) FROM segnalazioni);
        INSERT INTO deliveries (report, kind, destination, message_id, created, since, next_at, body)
        SELECT s.id, d.kind, d.destination, s.id, d.created, d.since, d.next_at, d.body FROM segnalazioni s, deliveries d
        WHERE s.id LIKE 'falsa-%' AND d.id = 56;";
    let fakes = disk::database(newsroom.program.data());
    fakes.execute_batch(disk::COUNTED).expect("counted");
    fakes.execute_batch(copied).expect("copies");
    drop(fakes);
    newsroom.program.start_again();
    assert!(is_besieged(&newsroom.program));
    let real = send(&newsroom, Person::telling(99, REAL));
    newsroom.advance(MINUTE);
    wait_for("the second mail", || {
        (smtp.mails().len() == 2).then_some(())
    });
    let mail = text(&smtp.mails()[1]);
    let at = |what: &str| {
        mail.find(what)
            .unwrap_or_else(|| panic!("no {what}: {mail}"))
    };
    assert!(at("\n1. ") < at(&urgent) && at(&urgent) < at("\n2. ") && at("\n2. ") < at(&real));
    contains(&mail, &["messe da parte come sospette"]);
    let two = !mail.contains("\n3. ") && mail.starts_with("1000 nuove segnalazioni, 1 urgente");
    assert!(two, "{mail}");
    newsroom.wait_counters(11_056, 0, 1_001);
    newsroom.advance(MINUTE);
    newsroom.wait_counters(10_056, 0, 2_001);
}

/// Stories that fakes are copied from.
const STORIES: [&str; 3] = [
    "Nella casa di riposo in fondo al viale gli anziani restano legati ai letti dalla sera alla mattina e nessuno li lava.",
    "Il concessionario vende automobili con il contachilometri scalato, le riceve di notte da un capannone oltre il confine.",
    "Chi vuole il posto al mercato paga ogni sabato una busta a due uomini che si presentano come incaricati del comune.",
];

/// So many near copies over HTTP from 200 addresses, five a second, each with a proof where one is asked for.
fn flood(newsroom: &Newsroom, fakes: usize) {
    const AT_ONCE: usize = 5;
    for second in 0..fakes / AT_ONCE {
        at_once(AT_ONCE, |turn| {
            let number = second * AT_ONCE + turn;
            let story = format!("{} Numero {number}.", STORIES[number % STORIES.len()]);
            let address = format!("10.7.0.{}", number % 200);
            let client = newsroom.program.from(&address);
            submit(&client, &Person::telling(number, &story));
        });
        newsroom.program.clock.advance(SECOND);
        if second % 60 == 59 {
            newsroom.nudge();
        }
    }
}

/// After the flood somebody real writes: in the second mail from then at the latest it stands first, and one call erases all fakes.
fn a_flood_delays_nobody(fakes: usize, expected_a_day: usize) {
    let smtp = MailServer::start(Manner::default());
    let mut newsroom = Newsroom::sending(&[("SEGNALAZIONI_TRUSTED_PROXIES", "127.0.0.1")]);
    newsroom.editor.mail_to(smtp.port());
    let expected = json!({ "maxReportsPerDay": expected_a_day });
    newsroom.editor.save_security(&expected);
    flood(&newsroom, fakes);
    assert!(is_besieged(&newsroom.program));
    let client = newsroom.program.from("198.51.100.1");
    let real = submit(&client, &Person::telling(0, REAL));
    let told = |mail: &Vec<u8>| text(mail).contains(&real);
    let minutes = (0..=2).find(|minute| {
        newsroom.wait_quiet();
        let arrived = smtp.mails().iter().any(told);
        if !arrived && *minute < 2 {
            newsroom.advance(MINUTE);
        }
        arrived
    });
    let minutes = minutes.expect("mailed within two minutes");
    let mails = smtp.mails();
    let mail = text(mails.iter().find(|mail| told(mail)).expect("mailed"));
    let first = mail.split("\n2. ").next().expect("a list");
    assert!(first.contains(&real), "{mail}");
    let editor = newsroom.editor();
    let shown = editor.read("/sieges");
    let cleared = json!({ "action": "erase", "upTo": shown["upTo"] });
    let done = editor.post_json("/sieges/aside", &cleared).expect(200);
    assert_eq!(done.json(), json!({ "changed": fakes, "left": 0 }));
    assert_eq!(editor.all_ids(), [real]);
    let all = mails.len();
    say(&format!(
        "{fakes} fakes: {all} mails, the real one after {minutes} min; one call erased them"
    ));
}

#[test]
fn a_real_report_behind_a_flood_is_mailed_within_two_minutes() {
    a_flood_delays_nobody(300, 100);
}

#[test]
#[ignore = "soak"]
fn a_real_report_behind_ten_thousand_fakes_is_mailed_within_two_minutes() {
    a_flood_delays_nobody(from_environment("FAKES", 10_000), 1_000);
}

#[test]
fn in_a_siege_one_report_is_a_digest_too() {
    let smtp = MailServer::start(Manner::default());
    let mut newsroom = Newsroom::posting_to(smtp.port());
    for number in 0..=BURST {
        let person = match number {
            10 => Person::telling(number, GRAVE),
            _ => person(number),
        };
        submit(&newsroom.program.client(), &person);
    }
    newsroom.advance(MINUTE);
    newsroom.wait_counters(0, 0, 51);
    newsroom.advance(MINUTE);
    submit(&newsroom.program.client(), &person(80));
    newsroom.wait_counters(0, 0, 52);
    let mails = smtp.mails();
    assert_eq!(mails.len(), 3);
    assert!(text(&mails[2]).starts_with("1 nuova segnalazione"));
    // What is urgent stands first, what came first last.
    let list = text(&mails[1]);
    let at = |number: usize| list.find(&format!("Cognome{},", letters(number)));
    let places = [10, 50, 30, 2].map(|number| at(number).expect("listed"));
    assert!(places.is_sorted(), "{list}");
}

/// Ids of the list with these parameters, newest first.
fn listed(editor: &Editor, query: &str) -> Vec<String> {
    ids(&editor.list(&format!("?limit=200{query}")))
}

/// A siege with a real report among 12 near copies, its editor, and the real one.
fn with_copies() -> (Program, Editor, String) {
    let program = besieged();
    copies(&program, 0..6, None);
    let real = submit(&program.from("198.51.100.1"), &person(70));
    copies(&program, 6..12, None);
    let editor = program.set_up();
    (program, editor, real)
}

#[test]
fn near_copies_are_set_aside_counted_and_found() {
    let (program, editor, real) = with_copies();
    let told = editor.read("/sieges");
    assert_eq!((&told["siege"], &told["aside"]), (&json!(true), &json!(12)));
    let groups = told["groups"].as_array().expect("groups");
    assert_eq!((groups.len(), &groups[0]["n"]), (1, &json!(12)));
    contains(groups[0]["excerpt"].to_string(), &["\"Racconto numero 11"]);
    let unlike = listed(&editor, "&sospette=false");
    assert_eq!((unlike.len(), &unlike[0]), (BURST + 2, &real));
    assert_eq!(listed(&editor, "&sospette=true").len(), 12);
    assert_eq!(listed(&editor, "").len(), BURST + 14);
    let rows = editor.read("/reports?sospette=true&search=Cognomebb");
    assert_eq!(rows["data"][0]["sospetta"], true);
    assert_eq!(rows["counters"]["total"], BURST + 14);
    // What an editor has worked on is set aside no more.
    let id = rows["data"][0]["id"].as_str().unwrap();
    editor.change(id, &json!({ "stato": "In lavorazione" }));
    assert_eq!(listed(&editor, "&sospette=true").len(), 11);
    // The log of sieges.
    program.clock.advance(10 * MINUTE);
    program.round();
    let siege = json!({ "began": "2026-03-10T09:00:00Z", "ended": "2026-03-10T09:10:00Z", "cause": "raffica",
        "reports": 13, "setAside": 12, "mailsSpared": 0, "restored": 0, "archived": 0, "erased": 0 });
    assert_eq!(editor.rows("/sieges"), [siege]);
    let stranger = program.client();
    stranger.get("/sieges").no_session();
    stranger.post("/sieges/aside").no_session();
}

#[test]
fn one_action_clears_a_group_or_all_of_them() {
    for (action, left, archived) in [
        ("restore", BURST + 14, 0),
        ("archive", BURST + 14, 12),
        ("erase", BURST + 2, 0),
    ] {
        let (program, editor, real) = with_copies();
        let clear = |body: Value| editor.post_and_read("/sieges/aside", &body);
        let none = clear(json!({ "action": action, "group": 1, "upTo": 99 }));
        assert_eq!(none, json!({ "changed": 0, "left": 0 }), "{action}");
        let shown = editor.read("/sieges")["upTo"].clone();
        // One that came after the list was shown.
        let late = program.report(30);
        let done = clear(json!({ "action": action, "upTo": shown }));
        assert_eq!(done, json!({ "changed": 12, "left": 0 }), "{action}");
        let log = editor.rows("/sieges").remove(0);
        let by = |one| if one == action { 12 } else { 0 };
        has!(log, "restored": by("restore"), "archived": by("archive"), "erased": by("erase"));
        assert_eq!(listed(&editor, "&sospette=true"), [&*late], "{action}");
        let all = listed(&editor, "");
        assert_eq!(all.len(), left + 1, "{action}");
        assert!(all.contains(&real), "{action}");
        let found = listed(&editor, "&stato=Archiviata").len();
        assert_eq!(found, archived, "{action}");
        // What was said to be real is set aside no more; else the next copy is.
        program.report(20);
        let aside = 1 + usize::from(action != "restore");
        assert_eq!(listed(&editor, "&sospette=true").len(), aside, "{action}");
    }
}

/// Near copies of an account, each from an address of its own: their ids.
fn copies(program: &Program, numbers: Range<usize>, account: Option<&str>) -> Vec<String> {
    let copy = |number| {
        let client = program.from(&format!("192.0.2.{number}"));
        let usual = Person::numbered(number);
        let account = account.unwrap_or(&usual.segnalazione);
        submit(&client, &Person::telling(number, account))
    };
    numbers.map(copy).collect()
}

#[test]
fn only_new_ones_that_nobody_has_looked_at_are_set_aside() {
    let program = Program::behind_a_proxy();
    program.set_up();
    let client = program.client();
    // Hours before the siege.
    submit(&client, &Person::numbered(0));
    program.clock.advance(120 * MINUTE);
    let editor = program.log_in();
    for number in 0..=BURST {
        submit(&client, &person(number));
    }
    let seen = submit(&client, &Person::numbered(1));
    editor.report(&seen);
    submit(&client, &Person::numbered(2));
    let last = submit(&client, &Person::numbered(3));
    let aside = listed(&editor, "&sospette=true");
    assert!(aside.len() == 2 && aside[0] == last, "{aside:?}");
    copies(&program, 80..83, Some(GRAVE));
    assert_eq!(listed(&editor, "&sospette=true"), aside);
}

#[test]
fn the_same_turn_again_and_again_pushes_no_account_out_of_memory() {
    let program = besieged();
    let client = program.client();
    let chat = Chat::at_the_end(&client, &person(70));
    let asked = challenge(&turn(&client, chat.token(), "no"));
    let proof = json!({ "salt": asked["salt"], "n": solve(&asked) });
    (0..2).for_each(|number| drop(submit(&client, &Person::numbered(number))));
    for _ in 0..1_100 {
        assert_eq!(with_proof(&client, chat.token(), "no", &proof).status, 200);
    }
    submit(&client, &Person::numbered(2));
    assert_eq!(program.set_up().read("/sieges")["aside"], 3);
}

#[test]
fn an_account_with_a_sentence_of_its_own_is_not_erased_with_the_fakes() {
    let program = besieged();
    let fake = format!("{} {} Inoltrate a tutti.", STORIES[0], STORIES[1]);
    let own = "Lavoro lì da due anni e ho conservato le ricevute e le registrazioni delle riunioni in cui lo decidevano.";
    let ids = [60, 61, 62, 63].map(|number: usize| {
        let account = match number {
            62 => format!("{fake} {own}"),
            _ => format!("Numero {number}: {fake}"),
        };
        let client = program.from(&format!("192.0.2.{number}"));
        submit(&client, &Person::telling(number, &account))
    });
    let editor = program.set_up();
    let shown = editor.read("/sieges");
    let groups = shown["groups"].as_array().unwrap();
    let group = &groups[0];
    assert_eq!((groups.len(), &group["n"]), (1, &json!(4)));
    assert_eq!(group["unlike"], json!({ "id": ids[2], "excerpt": own }));
    let clear = |body: Value| editor.post_and_read("/sieges/aside", &body);
    let erase = json!({ "action": "erase", "group": group["group"], "upTo": shown["upTo"] });
    assert_eq!(clear(erase), json!({ "changed": 3, "left": 1 }));
    assert_eq!(listed(&editor, "&sospette=true"), ids[2..3]);
    // Restored or archived they go together.
    let restore = json!({ "action": "restore", "upTo": shown["upTo"] });
    assert_eq!(clear(restore), json!({ "changed": 1, "left": 0 }));
}

/// Announces a file, with a proof where it is said.
fn announce(files: &Files, proof: Option<&str>) -> Answer {
    let request = files.announcing("foto.jpg", 500);
    match proof {
        Some(proof) => request.header("x-proof", proof).send(),
        None => request.send(),
    }
}

#[test]
fn in_a_siege_the_first_file_of_a_conversation_asks_for_a_proof() {
    let program = besieged();
    let client = program.from("192.0.2.1");
    let conversation = |number: usize| {
        let chat = Chat::at_the_end(&client, &person(number));
        let files = Files::of(&client, chat.token());
        (chat, files)
    };
    let (chat, files) = conversation(60);
    let asked = challenge(&announce(&files, None));
    assert_eq!((&asked["bits"], &asked["wait"]), (&json!(18), &json!(60)));
    let salt = asked["salt"].as_str().expect("a salt");
    let n = solve(&asked);
    let (other, strange) = (format!("{salt}:{}", n + 1), format!("{salt}:x"));
    for wrong in [salt, &other, &strange, "", ":1"] {
        challenge(&announce(&files, Some(wrong)));
    }
    let (_, other) = conversation(61);
    challenge(&announce(&other, Some(&format!("{salt}:{n}"))));
    announce(&files, Some(&format!("{salt}:{n}"))).expect(201);
    // Once a conversation; its last turn asks for its own.
    announce(&files, None).expect(201);
    challenge(&turn(&client, chat.token(), "no"));
    last_turn(&client, chat.token(), "no").expect(200);
    // Waiting does as well.
    let (_, files) = conversation(62);
    let asked = challenge(&announce(&files, None));
    program.clock.advance(MINUTE);
    announce(&files, asked["salt"].as_str()).expect(201);
}
