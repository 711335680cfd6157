//! What the holder of a code is promised, sends, takes back, asks for and takes along: files that go with a message, a message
//! that is sent twice because a line broke, a request to withdraw all (PRODUCT.md §5).

use serde_json::{Value, json};

use crate::support::attachments::{listed, photo};
use crate::support::backups::{self, back_up};
use crate::support::chat::{Chat, Person, turn};
use crate::support::disk;
use crate::support::executable::Server;
use crate::support::http::{Client, rows_of};
use crate::support::panel::{Editor, cookies_of, ids};
use crate::support::program::{Program, at};
use crate::support::returning::{
    Visit, ask, cookie, messages, report, report_with_photos, said, try_code,
};
use crate::support::snapshot::{pick, table};
use crate::support::{DAY, HOUR, MINUTE, contains, wait_for};

const WHY: &str = "Ho cambiato idea: ci lavora mio fratello Ermenegildo.";
const PHOTOS: [(&str, usize); 2] = [("il cortile.jpg", 300), ("la targa.jpg", 70_000)];

/// A program, its editor, a report and its reporter's visit.
fn visited() -> (Program, Editor, String, Visit) {
    let (program, editor) = Program::with_editor();
    let (id, code) = report(&program.client(), 1);
    let visit = Visit::by(&program.client(), &code);
    (program, editor, id, visit)
}

/// Name, size and moment of each file that a reporter is told of.
fn own(thread: &Value) -> Vec<(&str, u64, &str)> {
    let each = thread["attachments"].as_array().expect("a list").iter();
    each.map(|one| {
        let [name, at] = ["name", "at"].map(|key| one[key].as_str().expect("a text"));
        (name, one["size"].as_u64().expect("a size"), at)
    })
    .collect()
}

fn stored(program: &Program) -> usize {
    disk::paths_with("/allegati/", program.data()).len()
}

fn history(editor: &Editor, id: &str) -> String {
    table(&editor.report(id)["storia"], "tipo")
}

#[test]
fn what_was_promised_at_the_arrival_is_told_and_how_it_was_kept() {
    let (program, editor) = Program::with_editor();
    let client = program.client();
    let (id, code) = report(&client, 1);
    let none = json!({ "promiseFirstDays": 0, "promiseOutcomeDays": 0 });
    editor.save_system(&none);
    let (_, unpromised) = report(&client, 2);
    let page = client.page("/paibeta/seguito");
    let words = r#""promises":{"firstDays":0,"outcomeDays":0}"#;
    contains(page.text(), &[words]);
    let told = |code: &str| {
        let names = "firstDue firstKept outcomeDue openedAt workingAt concludedAt";
        pick(&Visit::by(&client, code).read(), names)
    };
    // The newsroom's midnight in Rome, in winter and in summer time.
    let due = json!({ "firstDue": "2026-03-17T22:59:59.999Z", "outcomeDue": "2026-06-08T21:59:59.999Z",
        "firstKept": null, "openedAt": null, "workingAt": null, "concludedAt": null });
    assert_eq!(told(&code), due);
    has!(told(&unpromised), "firstDue": null, "outcomeDue": null);

    let change = |stato: &str| {
        program.clock.advance(MINUTE);
        editor.change(&id, &json!({ "stato": stato }));
    };
    program.clock.advance(MINUTE);
    editor.report(&id);
    program.clock.advance(MINUTE);
    ask(&editor, &id, "Dove?").expect(200);
    change("In lavorazione");
    has!(told(&code), "openedAt": "2026-03-10T09:01:00Z", "firstKept": "2026-03-10T09:02:00Z",
        "workingAt": "2026-03-10T09:03:00Z", "concludedAt": null);
    change("Risolta");
    change("Archiviata");
    has!(told(&code), "concludedAt": "2026-03-10T09:04:00Z");
    change("In lavorazione");
    has!(told(&code), "concludedAt": null);

    // Whoever telephones has read no promise.
    editor.save_system(&json!({ "promiseFirstDays": 7 }));
    let entry = json!({ "nome": "Ida", "cognome": "Bruni", "origine": "telefono", "key": "1",
        "segnalazione": "Nel cantiere di via Roma si lavora di notte senza protezioni e in nero da mesi." });
    editor.post_json("/reports", &entry).expect(200);
    let promised = "SELECT count(*) FROM segnalazioni WHERE prima_entro IS NOT NULL OR esito_entro IS NOT NULL";
    assert_eq!(program.count(promised), 1);
    for field in ["promiseFirstDays", "promiseOutcomeDays"] {
        let refused = editor.put("/settings/system", &json!({ field: 3_651 }));
        assert_eq!(refused.refused_fields(), [field]);
    }
}

#[test]
fn files_go_with_a_message_and_are_listed_on_both_sides() {
    let (mut program, editor) = Program::with_editor();
    let client = program.client();
    let (id, code) = report_with_photos(&client, 1, &[("Teodoberto.jpg", 300)]);
    let visit = Visit::by(&client, &code);
    let first = ("Teodoberto.jpg", 300, "2026-03-10T09:00:00Z");
    assert_eq!(own(&visit.read()), [first]);

    program.clock.advance(MINUTE);
    let late = visit.files();
    let place = late.begin("../la piazza.jpg", 70_000);
    let (begun, rest) = (&photo(70_000)[..40_000], &photo(70_000)[40_000..]);
    late.send(&place, 0, begun).expect(204);
    assert_eq!(late.offset(&place), 40_000);
    late.send(&place, 40_000, rest).expect(204);
    let taken_back = late.attach("tolta.jpg", &photo(400));
    late.take_back(&taken_back).expect(204);
    // On its way it is nobody's: neither side is shown it.
    late.begin("a metà.jpg", 900);
    assert_eq!(listed(&editor.report(&id)).len(), 1);
    assert_eq!(own(&visit.read()).len(), 1);
    let thread = visit.tell("Ecco la foto.").expect(200).json();
    let both = [first, ("la piazza.jpg", 70_000, "2026-03-10T09:01:00Z")];
    assert_eq!(own(&thread), both);
    assert_eq!(own(&editor.report(&id)), both);
    let opened = editor.get(&format!("/reports/{id}/attachments/2"));
    assert!(opened.expect(200).body == photo(70_000));
    // It belongs to the report now: nobody takes it back.
    late.take_back(&place).not_found();

    let backup = back_up(program.home(), &[]);
    let said = backups::verify(program.home(), &backup);
    contains(said, &["Allegati: 2.\n"]);
    program.hides(&["Teodoberto", "piazza.jpg", "Roccapipirozzi"]);
    program.restart();
    assert_eq!(own(&Visit::by(&program.client(), &code).read()), both);
    program.session(&editor).erase(&id).expect(200);
    program.round();
    assert_eq!(stored(&program), 0);
}

#[test]
fn only_a_visit_that_lasts_attaches_and_to_its_own_report() {
    let (program, editor, id, visit) = visited();
    let (_, other_code) = report(&program.client(), 2);
    let other = Visit::by(&program.client(), &other_code);
    let (late, others) = (visit.files(), other.files());
    let place = late.begin("foto.jpg", 1_000);
    others.ask(&place).expect(404);
    others.send(&place, 0, &photo(10)).not_found();
    others.take_back(&place).not_found();
    late.send(&place, 0, &photo(1_000)[..500]).expect(204);
    other.tell("Nulla di mio.").expect(200);
    assert_eq!(listed(&editor.report(&id)).len(), 0);
    // What was begun may end; nothing new begins.
    program.clock.advance(31 * MINUTE);
    let refused = late.announce("altra.jpg", 10);
    refused.problem(401, "visita-scaduta");
    late.send(&place, 500, &photo(1_000)[500..]).expect(204);
    // Counted with those of the conversation.
    editor.save_system(&json!({ "attachmentsPerReport": 1 }));
    let (_, code) = report_with_photos(&program.client(), 3, &PHOTOS[..1]);
    let visit = Visit::by(&program.client(), &code);
    let late = visit.files();
    late.announce("seconda.jpg", 10).conflict();
    for (settings, status, slug) in [
        (
            json!({ "attachmentsEnabled": false }),
            403,
            "allegati-disattivati",
        ),
        (
            json!({ "attachmentsEnabled": true, "attachmentsPerReport": 10, "receiptsEnabled": false }),
            404,
            "seguito-disattivato",
        ),
    ] {
        editor.save_system(&settings);
        late.announce("terza.jpg", 10).problem(status, slug);
        if status == 403 {
            assert_eq!(visit.read()["conversation"], Value::Null);
        }
    }
}

#[test]
fn a_visit_does_not_end_while_a_file_arrives() {
    let program = Program::start();
    let (_, code) = report(&program.client(), 1);
    // A page behind a proxy that nobody declared: where it reads, it does not say whence.
    let page = program.client().with("sec-fetch-site", "same-origin");
    let begun = Visit::by(&page.with("origin", "https://127.0.0.1"), &code);
    let mut kept = Visit::holding(&program.client(), &begun.cookie);
    let files = kept.files();
    let place = files.begin("lunga.jpg", 1_000_000);
    let sending = files.sending(&place, 0, b"x");
    let line = sending.header("content-length", "1000000").send_only();
    let renewed = |visit: &Visit| {
        let answer = visit.look().expect(200);
        (!cookies_of(&answer).is_empty()).then(|| cookie(&answer))
    };
    for _ in 0..3 {
        program.clock.advance(20 * MINUTE);
        let cookie = wait_for("a visit that goes on", || renewed(&kept));
        assert!(cookie.starts_with("__Secure-"), "{cookie}");
        kept = Visit::holding(&program.client(), &cookie);
    }
    drop(line);
    wait_for("the end of the line", || {
        renewed(&kept).is_none().then_some(())
    });
    program.clock.advance(31 * MINUTE);
    kept.look().problem(401, "visita-scaduta");
}

#[test]
fn what_no_message_follows_is_gone_within_a_day_or_with_its_report() {
    let (program, _, id, visit) = visited();
    let files = visit.files();
    let place = files.attach("foto.jpg", &photo(500));
    program.clock.advance(23 * HOUR);
    program.round();
    files.ask(&place).expect(200);
    // The work that sweeps comes each minute, the one that deletes a little later: both before the day is over.
    program.clock.advance(59 * MINUTE);
    program.round();
    assert_eq!(stored(&program), 0);
    let (other, code) = report(&program.client(), 2);
    let visit = Visit::by(&program.client(), &code);
    visit.files().attach("foto.jpg", &photo(500));
    assert_eq!(stored(&program), 1);
    let editor = program.log_in();
    editor.erase_all(&[&id, &other]).expect(200);
    program.round();
    assert_eq!(stored(&program), 0);
}

/// The first answer got lost on the line; what was attached before the second try goes along.
#[test]
fn a_message_that_is_sent_again_is_one_message_and_takes_new_files_along() {
    let (_program, editor, id, visit) = visited();
    // As it was typed it is not as it is kept.
    let typed = "Perche\u{301}?\r\nDa\u{a0}ieri.";
    visit.tell_as(typed, "c1").expect(200);
    messages(&editor, &id);
    visit.files().attach("piazza.jpg", &photo(500));
    let thread = visit.tell_as(typed, "c1").expect(200).json();
    assert_eq!((said(&thread).len(), own(&thread).len()), (1, 1));
    assert_eq!(listed(&editor.report(&id)).len(), 1);
    assert_eq!(messages(&editor, &id)["unread"], true);

    visit.tell_as(typed, "c2").expect(200);
    let ask_as = |text: &str, key: &str| {
        let told = json!({ "text": text, "key": key });
        editor.post_json(&format!("/reports/{id}/messages"), &told)
    };
    for _ in 0..2 {
        ask_as("Grazie.", "r1").expect(200);
    }
    let thread = visit.read();
    let who: Vec<&str> = said(&thread).iter().map(|(from, _)| *from).collect();
    assert_eq!(who, ["segnalante", "segnalante", "redazione"]);
    let long = visit.tell_as(typed, &"x".repeat(37));
    assert_eq!(long.refused_fields(), ["key"]);
    // A key that was used for another text is refused, so that no text gets lost unseen.
    visit.tell_as("Un altro testo.", "c1").conflict();
    ask_as("Un altro testo.", "r1").conflict();
}

#[test]
fn a_file_that_is_taken_back_is_gone_for_good() {
    let (mut program, editor) = Program::with_editor();
    let client = program.client();
    let (id, code) = report_with_photos(&client, 1, &PHOTOS);
    let (_, other) = report(&client, 2);
    let visit = Visit::by(&client, &code);
    let before = back_up(program.home(), &[]);
    let nobody = Visit::holding(&client, "");
    let stranger = Visit::by(&client, &other);
    for (visit, n, status) in [
        (&nobody, "1", 401),
        (&stranger, "1", 404),
        (&visit, "9", 404),
        (&visit, "x", 404),
    ] {
        assert_eq!(visit.take_back(n).status, status, "{n}");
        assert_eq!(visit.file(n).status, status, "{n}");
    }
    assert!(visit.file("2").expect(200).body == photo(70_000));

    let left = visit.take_back("2").expect(200).json();
    assert_eq!(own(&left).len(), 1);
    visit.take_back("2").not_found();
    visit.file("2").not_found();
    assert_eq!(listed(&editor.report(&id)).len(), 1);
    assert_eq!(history(&editor, &id), "ricevuta\naperta\nallegato");
    program.round();
    assert_eq!(stored(&program), 1);
    // Another file never stands under its number.
    visit.files().attach("altra.jpg", &photo(400));
    visit.tell("Ecco.").expect(200);
    let numbers = table(&editor.report(&id)["attachments"], "n");
    assert_eq!(numbers, "1\n3");

    // Nor does an older backup bring it back.
    program.stop();
    backups::restore(program.home(), &before, &["--force"]);
    let server = Server::start(program.home());
    assert_eq!(listed(&server.log_in().report(&id)).len(), 1);
    let visit = Visit::by(&server.client(), &code);
    visit.file("2").not_found();
}

#[test]
fn a_request_to_withdraw_waits_until_the_newsroom_answers_it() {
    let (program, editor, id, visit) = visited();
    report(&program.client(), 2);
    has!(visit.read(), "withdrawal": null, "withdrawalAnswered": null);
    let long = visit.withdraw("è".repeat(1_001));
    assert_eq!(long.refused_fields(), ["reason"]);
    assert_eq!(editor.list("")["withdrawalsWaiting"], 0);

    let asked = json!({ "at": "2026-03-10T09:00:00Z", "due": "2026-03-17T09:00:00Z" });
    for reason in [WHY, "Un altro motivo."] {
        let thread = visit.withdraw(reason).expect(200).json();
        assert_eq!(thread["withdrawal"], asked);
        assert_eq!(said(&thread), [("segnalante", WHY)], "asked once");
        program.clock.advance(MINUTE);
    }
    let quiet = editor.quiet();
    let list = quiet.list("?withdrawal=true");
    assert_eq!(ids(&list), std::slice::from_ref(&id));
    has!(list, "matching": 1, "withdrawalsWaiting": 1);
    assert_eq!(rows_of(&list)[0]["withdrawal"], asked);
    let others = quiet.list("?withdrawal=false");
    has!(others, "matching": 1);
    assert_eq!(rows_of(&others)[0]["withdrawal"], Value::Null);
    let csv = quiet.get("/reports/export.csv?withdrawal=true").expect(200);
    assert_eq!(csv.header("x-total-rows"), Some("1"));
    let bulk = json!({ "filter": { "withdrawal": true }, "change": { "urgente": true } });
    assert_eq!(quiet.post_and_read("/reports/bulk", &bulk)["changed"], 1);
    assert_eq!(editor.report(&id)["withdrawal"], asked);

    // A question is no answer; and what the reporter sends cannot close it.
    let answer = |closes: bool| {
        let said = json!({ "text": "La teniamo, senza il tuo nome.", "closesWithdrawal": closes });
        let path = format!("/reports/{id}/messages");
        editor.post_json(&path, &said).expect(200)
    };
    answer(false);
    let told = json!({ "text": "Allora?", "closesWithdrawal": true });
    visit.send(&told).expect(422);
    assert_eq!(ids(&quiet.list("?withdrawal=true")).len(), 1);
    answer(true);
    answer(true);
    assert_eq!(editor.list("")["withdrawalsWaiting"], 0);
    assert_eq!(editor.report(&id)["withdrawal"], Value::Null);
    has!(visit.read(), "withdrawal": asked, "withdrawalAnswered": "2026-03-10T09:02:00Z");
    let events =
        "ricevuta\nritiro\nrisposta\naperta\nurgente\nmessaggio\nmessaggio\nritiro\nmessaggio";
    assert_eq!(history(&editor, &id), events);

    // It may be asked again, and without a reason.
    for reason in [json!(" \n"), Value::Null] {
        program.clock.advance(MINUTE);
        let thread = visit.withdraw(reason).expect(200).json();
        has!(thread["withdrawal"], "at": "2026-03-10T09:03:00Z");
        assert_eq!(thread["withdrawalAnswered"], Value::Null);
    }
}

#[test]
fn ones_own_data_are_whole_and_nobody_elses() {
    let (program, editor) = Program::with_editor();
    let (id, code) = report_with_photos(&program.client(), 1, &PHOTOS);
    let visit = Visit::by(&program.client(), &code);
    let change = json!({ "note": "Nota segreta.", "stato": "In lavorazione", "urgente": true });
    editor.change(&id, &change);
    let comment = json!({ "text": "Commento segreto." });
    editor.post_and_read(&format!("/reports/{id}/comments"), &comment);
    ask(&editor, &id, "Dove?").expect(200);
    visit.tell("In cortile.").expect(200);
    let told = visit.data().expect(200);
    let all = told.json();
    let person = Person::numbered(1);
    has!(all, "nome": person.nome, "cognome": person.cognome, "telefono": person.telefono, "email": person.email,
        "indirizzo": person.indirizzo, "segnalazione": person.segnalazione, "state": "In lavorazione", "opened": false,
        "firstDue": "2026-03-17T22:59:59.999Z", "withdrawal": null);
    let thread = [("redazione", "Dove?"), ("segnalante", "In cortile.")];
    assert_eq!(said(&all), thread);
    let names = own(&all)
        .into_iter()
        .map(|(name, size, _)| (name, usize::try_from(size).unwrap()));
    assert!(names.eq(PHOTOS));
    let members = all.as_object().expect("an object");
    let keys: Vec<&str> = members.keys().map(String::as_str).collect();
    assert_eq!(
        keys.join(" "),
        "attachments cognome concludedAt data_creazione email eta firstDue firstKept indirizzo messages nome opened openedAt \
         outcomeDue privacyVersion segnalazione state telefono withdrawal withdrawalAnswered workingAt"
    );
    assert!(!told.text().contains("segret"), "{all}");
}

#[test]
fn who_comes_back_within_fourteen_days_is_counted_and_nothing_more() {
    let (program, _) = Program::with_editor();
    let client = program.client();
    let codes: Vec<String> = (1..5).map(|number| report(&client, number).1).collect();
    let visit = |number: usize| try_code(&client, &codes[number]).expect(200);
    // Logged in anew each time: days have passed.
    let rate = || {
        pick(
            &program.log_in().read("/analytics"),
            "codes codesUsed returnRate",
        )
    };
    visit(0);
    visit(0);
    program.clock.advance(13 * DAY);
    visit(1);
    let none = json!({ "codes": 0, "codesUsed": 0, "returnRate": null });
    assert_eq!(rate(), none, "none is old enough");
    program.clock.advance(DAY);
    visit(2);
    let off = json!({ "receiptsEnabled": false });
    program.log_in().save_system(&off);
    finish_without_code(&client);
    program.clock.set(at("2026-04-20T09:00:00Z"));
    assert_eq!(
        rate(),
        json!({ "codes": 4, "codesUsed": 2, "returnRate": 50.0 })
    );
}

fn finish_without_code(client: &Client) {
    let later = Chat::at_the_end(client, &Person::numbered(5));
    turn(client, later.token(), "no").expect(200);
}

#[test]
fn the_panels_backup_keeps_promises_and_what_waits_to_be_withdrawn() {
    let (mut program, editor, _, visit) = visited();
    visit.withdraw(WHY).expect(200);
    let file = backups::of_panel(&program, &editor);
    program.stop();
    backups::restore(program.home(), &file, &["--force"]);
    let server = Server::start(program.home());
    let list = server.log_in().list("?withdrawal=true");
    has!(rows_of(&list)[0]["withdrawal"], "due": "2026-03-17T09:00:00Z");
    let kept = "SELECT count(*) FROM segnalazioni WHERE prima_entro = 1773788399999 AND esito_entro = 1780955999999";
    assert_eq!(disk::count(program.data(), kept), 1);
}
