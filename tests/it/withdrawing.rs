//! What the holder of a code is promised, takes back, asks for and takes along (PRODUCT.md §5).

use serde_json::{Value, json};

use crate::receipts::{ask, cookie, look, report, said, tell, try_code, visit};
use crate::support::attachments::{Files, listed, photo};
use crate::support::backups::back_up;
use crate::support::chat::{Chat, Person, Reply, turn};
use crate::support::disk;
use crate::support::executable::{Server, succeeds};
use crate::support::http::{Answer, Client, rows_of};
use crate::support::outbox::Newsroom;
use crate::support::panel::{Editor, ids};
use crate::support::program::{Program, at};
use crate::support::smtp::{MailServer, Manner};
use crate::support::snapshot::{pick, table};
use crate::support::{DAY, MINUTE, wait_for};

const WHY: &str = "Ho cambiato idea: ci lavora mio fratello Ermenegildo.";

/// A report with two files: its id and its code.
fn report_with_files(client: &Client) -> (String, String) {
    let chat = Chat::at_the_end(client, &Person::numbered(1));
    let files = Files::of(client, chat.token());
    files.attach("il cortile.jpg", &photo(300));
    files.attach("la targa.jpg", &photo(70_000));
    let last = Reply::of(&turn(client, chat.token(), "no"));
    let [id, code] = [last.report_id, last.receipt].map(|text| text.expect("a report"));
    (id, code)
}

fn withdraw(client: &Client, cookie: &str, body: &Value) -> Answer {
    client
        .with("cookie", cookie)
        .post_json("/receipts/withdrawal", body)
}

fn take_back(client: &Client, cookie: &str, n: &str) -> Answer {
    client
        .with("cookie", cookie)
        .delete(&format!("/receipts/attachments/{n}"))
}

fn open(client: &Client, cookie: &str, n: &str) -> Answer {
    client
        .with("cookie", cookie)
        .get(&format!("/receipts/attachments/{n}"))
}

fn data(client: &Client, cookie: &str) -> Answer {
    client.with("cookie", cookie).get("/receipts/data")
}

fn answer(editor: &Editor, id: &str, closes: bool) {
    let said = json!({ "text": "La teniamo, senza il tuo nome.", "closesWithdrawal": closes });
    editor
        .post_json(&format!("/reports/{id}/messages"), &said)
        .expect(200);
}

fn history(editor: &Editor, id: &str) -> String {
    table(&editor.report(id)["storia"], "tipo")
}

#[test]
fn what_was_promised_at_the_arrival_is_told_and_how_it_was_kept() {
    let program = Program::start();
    let (client, editor) = (program.client(), program.set_up());
    let (id, code) = report(&client, 1);
    let none = json!({ "promiseFirstDays": 0, "promiseOutcomeDays": 0 });
    editor.save_system(&none);
    let (_, unpromised) = report(&client, 2);
    let page = client.page("/paibeta/seguito");
    assert!(
        page.text()
            .contains(r#""promises":{"firstDays":0,"outcomeDays":0}"#)
    );
    let told = |code: &str| {
        let (_, receipt) = visit(&client, code);
        let names = "firstDue firstKept outcomeDue openedAt workingAt concludedAt";
        pick(&receipt, names)
    };
    // The newsroom's midnight in Rome, in winter and in summer time.
    let due = json!({ "firstDue": "2026-03-17T22:59:59.999Z", "outcomeDue": "2026-06-08T21:59:59.999Z",
        "firstKept": null, "openedAt": null, "workingAt": null, "concludedAt": null });
    assert_eq!(told(&code), due);
    has!(told(&unpromised), "firstDue": null, "outcomeDue": null);

    program.clock.advance(MINUTE);
    editor.report(&id);
    program.clock.advance(MINUTE);
    ask(&editor, &id, "Dove?").expect(200);
    program.clock.advance(MINUTE);
    editor.change(&id, &json!({ "stato": "In lavorazione" }));
    has!(told(&code), "openedAt": "2026-03-10T09:01:00Z", "firstKept": "2026-03-10T09:02:00Z",
        "workingAt": "2026-03-10T09:03:00Z", "concludedAt": null);
    program.clock.advance(MINUTE);
    editor.change(&id, &json!({ "stato": "Risolta" }));
    program.clock.advance(MINUTE);
    editor.change(&id, &json!({ "stato": "Archiviata" }));
    has!(told(&code), "concludedAt": "2026-03-10T09:04:00Z");
    editor.change(&id, &json!({ "stato": "In lavorazione" }));
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
fn a_file_that_is_taken_back_is_gone_for_good() {
    let mut program = Program::start();
    let (client, editor) = (program.client(), program.set_up());
    let (id, code) = report_with_files(&client);
    let (_, other) = report(&client, 2);
    let (cookie, _) = visit(&client, &code);
    let (stranger, _) = visit(&client, &other);
    let stored = |program: &Program| disk::paths_with("/allegati/", program.data()).len();
    let before = back_up(program.home(), &[]);
    for (cookie, n, status) in [
        ("", "1", 401),
        (&*stranger, "1", 404),
        (&cookie, "9", 404),
        (&cookie, "x", 404),
    ] {
        assert_eq!(take_back(&client, cookie, n).status, status, "{cookie} {n}");
        assert_eq!(open(&client, cookie, n).status, status, "{cookie} {n}");
    }
    assert!(open(&client, &cookie, "2").expect(200).body == photo(70_000));

    let left = take_back(&client, &cookie, "2").expect(200).json();
    assert_eq!(left["attachments"].as_array().map(Vec::len), Some(1));
    take_back(&client, &cookie, "2").not_found();
    open(&client, &cookie, "2").not_found();
    assert_eq!(listed(&editor.report(&id)).len(), 1);
    assert_eq!(history(&editor, &id), "ricevuta\naperta\nallegato");
    program.round();
    assert_eq!(stored(&program), 1);
    // Another file never stands under its number.
    let thread = look(&client, &cookie).expect(200).json();
    let token = thread["conversation"].as_str().expect("a token");
    Files::of(&client, token).attach("altra.jpg", &photo(400));
    tell(&client, &cookie, "Ecco.").expect(200);
    let numbers: Vec<i64> = listed(&editor.report(&id))
        .iter()
        .map(|file| file.0)
        .collect();
    assert_eq!(numbers, [1, 3]);

    // Nor does an older backup bring it back.
    program.stop();
    let file = before.to_str().expect("a path");
    succeeds(program.home(), &["restore", file, "--force"], "");
    let server = Server::start(program.home());
    let editor = server.log_in();
    assert_eq!(listed(&editor.report(&id)).len(), 1);
    open(&server.client(), &visit(&server.client(), &code).0, "2").not_found();
}

#[test]
fn a_request_to_withdraw_waits_until_the_newsroom_answers_it() {
    let program = Program::start();
    let (client, editor) = (program.client(), program.set_up());
    let (id, code) = report(&client, 1);
    report(&client, 2);
    let (cookie, thread) = visit(&client, &code);
    has!(thread, "withdrawal": null, "withdrawalAnswered": null);
    withdraw(&client, "", &json!({})).problem(401, "visita-scaduta");
    let long = json!({ "reason": "è".repeat(1_001) });
    assert_eq!(
        withdraw(&client, &cookie, &long).refused_fields(),
        ["reason"]
    );
    assert_eq!(editor.list("")["withdrawalsWaiting"], 0);

    let asked = json!({ "at": "2026-03-10T09:00:00Z", "due": "2026-03-17T09:00:00Z" });
    for reason in [WHY, "Un altro motivo."] {
        let thread = withdraw(&client, &cookie, &json!({ "reason": reason }))
            .expect(200)
            .json();
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
    program.hides(&[WHY, "Ermenegildo"]);

    // A question is no answer; and what the reporter sends cannot close it.
    answer(&editor, &id, false);
    let told = json!({ "text": "Allora?", "closesWithdrawal": true });
    client
        .with("cookie", &cookie)
        .post_json("/receipts/messages", &told)
        .expect(422);
    assert_eq!(ids(&quiet.list("?withdrawal=true")).len(), 1);
    answer(&editor, &id, true);
    answer(&editor, &id, true);
    assert_eq!(editor.list("")["withdrawalsWaiting"], 0);
    assert_eq!(editor.report(&id)["withdrawal"], Value::Null);
    let thread = look(&client, &cookie).expect(200).json();
    has!(thread, "withdrawal": asked, "withdrawalAnswered": "2026-03-10T09:02:00Z");
    let events =
        "ricevuta\nritiro\nrisposta\naperta\nurgente\nmessaggio\nmessaggio\nritiro\nmessaggio";
    assert_eq!(history(&editor, &id), events);

    program.clock.advance(MINUTE);
    let thread = withdraw(&client, &cookie, &json!({ "reason": " \n" }))
        .expect(200)
        .json();
    has!(thread["withdrawal"], "at": "2026-03-10T09:03:00Z");
    assert_eq!(thread["withdrawalAnswered"], Value::Null);
    editor.erase(&id).expect(200);
    try_code(&client, &code).problem(404, "codice-sconosciuto");
    withdraw(&client, &cookie, &json!({})).problem(404, "codice-sconosciuto");
    take_back(&client, &cookie, "1").problem(404, "codice-sconosciuto");
}

#[test]
fn a_mail_without_words_tells_the_newsroom_that_one_waits() {
    let server = MailServer::start(Manner::default());
    let newsroom = Newsroom::posting_to(server.port());
    let client = newsroom.program.client();
    let (id, code) = report(&client, 1);
    let mails = |count: usize| {
        wait_for("the mails", || {
            newsroom.nudge();
            let mails = server.mails();
            (mails.len() == count)
                .then(|| String::from_utf8_lossy(&mails[count - 1]).replace("=\r\n", ""))
        })
    };
    mails(1);
    let (cookie, _) = visit(&client, &code);
    withdraw(&client, &cookie, &json!({ "reason": WHY })).expect(200);
    let notice = mails(2);
    assert!(
        notice.contains(&id) && !notice.contains("Ermenegildo"),
        "{notice}"
    );
}

#[test]
fn ones_own_data_are_whole_and_nobody_elses() {
    let program = Program::start();
    let (client, editor) = (program.client(), program.set_up());
    let (id, code) = report_with_files(&client);
    let (cookie, _) = visit(&client, &code);
    editor.change(
        &id,
        &json!({ "note": "Nota segreta.", "stato": "In lavorazione", "urgente": true }),
    );
    editor
        .post_json(
            &format!("/reports/{id}/comments"),
            &json!({ "text": "Commento segreto." }),
        )
        .expect(200);
    ask(&editor, &id, "Dove?").expect(200);
    tell(&client, &cookie, "In cortile.").expect(200);
    data(&client, "").problem(401, "visita-scaduta");
    let told = data(&client, &cookie).expect(200);
    let all = told.json();
    let person = Person::numbered(1);
    has!(all, "nome": person.nome, "cognome": person.cognome, "telefono": person.telefono, "email": person.email,
        "indirizzo": person.indirizzo, "segnalazione": person.segnalazione, "state": "In lavorazione", "opened": false,
        "firstDue": "2026-03-17T22:59:59.999Z", "withdrawal": null);
    assert_eq!(
        said(&all),
        [("redazione", "Dove?"), ("segnalante", "In cortile.")]
    );
    assert_eq!(
        table(&all["attachments"], "name"),
        "il cortile.jpg\nla targa.jpg"
    );
    let keys: Vec<&str> = all
        .as_object()
        .expect("an object")
        .keys()
        .map(String::as_str)
        .collect();
    assert_eq!(
        keys.join(" "),
        "attachments cognome concludedAt data_creazione email eta firstDue firstKept indirizzo messages nome opened openedAt \
         outcomeDue privacyVersion segnalazione state telefono withdrawal withdrawalAnswered workingAt"
    );
    assert!(!told.text().contains("segret"), "{all}");
}

#[test]
fn of_a_sealed_newsroom_files_open_by_the_code_and_the_account_does_not() {
    let mut program = Program::start();
    let (editor, recovery) = program.set_up_with_code();
    let (_, code) = report_with_files(&program.client());
    editor
        .post_json("/security/sealed", &json!({ "recoveryCode": recovery }))
        .expect(200);
    editor.delete("/session").expect(204);
    program.restart();
    let client = program.client();
    let (cookie, _) = visit(&client, &code);
    let refused = data(&client, &cookie).problem(503, "archivio-sigillato");
    assert!(
        refused["detail"]
            .as_str()
            .is_some_and(|said| said.contains("riprova più tardi"))
    );
    assert!(open(&client, &cookie, "1").expect(200).body == photo(300));
    take_back(&client, &cookie, "1").expect(200);
    withdraw(&client, &cookie, &json!({ "reason": WHY })).expect(200);
    let _editor = program.log_in();
    data(&client, &cookie).expect(200);
}

#[test]
fn whether_a_visit_lasts_and_receipts_are_on_counts_for_all_of_it() {
    let program = Program::start();
    let (client, editor) = (program.client(), program.set_up());
    let (_, code) = report_with_files(&client);
    let (old, thread) = visit(&client, &code);
    assert_eq!(thread["secondsLeft"], 1_800);
    program.clock.advance(29 * MINUTE);
    assert_eq!(look(&client, &old).expect(200).json()["secondsLeft"], 60);
    let fresh = cookie(&withdraw(&client, &old, &json!({})).expect(200));
    program.clock.advance(2 * MINUTE);
    let refused = |cookie: &str, status: u16, slug: &str| {
        take_back(&client, cookie, "1").problem(status, slug);
        open(&client, cookie, "1").problem(status, slug);
        data(&client, cookie).problem(status, slug);
        withdraw(&client, cookie, &json!({})).problem(status, slug);
    };
    refused(&old, 401, "visita-scaduta");
    data(&client, &fresh).expect(200);
    editor.save_system(&json!({ "receiptsEnabled": false }));
    refused(&fresh, 404, "seguito-disattivato");
}

#[test]
fn who_comes_back_within_fourteen_days_is_counted_and_nothing_more() {
    let program = Program::start();
    let client = program.client();
    program.set_up();
    let rate = |editor: &Editor| pick(&editor.read("/analytics"), "codes codesUsed returnRate");
    let none = json!({ "codes": 0, "codesUsed": 0, "returnRate": null });
    let codes: Vec<String> = (1..5).map(|number| report(&client, number).1).collect();
    visit(&client, &codes[0]);
    visit(&client, &codes[0]);
    program.clock.advance(13 * DAY);
    let editor = program.log_in();
    visit(&client, &codes[1]);
    assert_eq!(rate(&editor), none, "none is old enough");
    program.clock.advance(DAY);
    visit(&client, &codes[2]);
    let editor = program.log_in();
    editor.save_system(&json!({ "receiptsEnabled": false }));
    let later = Chat::at_the_end(&client, &Person::numbered(5));
    turn(&client, later.token(), "no");
    program.clock.set(at("2026-04-20T09:00:00Z"));
    let editor = program.log_in();
    assert_eq!(
        rate(&editor),
        json!({ "codes": 4, "codesUsed": 2, "returnRate": 50.0 })
    );
}

#[test]
fn the_panels_backup_keeps_promises_and_what_waits_to_be_withdrawn() {
    let (mut program, editor) = Program::with_editor();
    let client = program.client();
    let (_, code) = report(&client, 1);
    withdraw(&client, &visit(&client, &code).0, &json!({ "reason": WHY })).expect(200);
    let file = program.home().join("pannello.json");
    std::fs::write(&file, editor.get("/backup").expect(200).text()).expect("written");
    program.stop();
    succeeds(program.home(), &["restore", "pannello.json", "--force"], "");
    let server = Server::start(program.home());
    let editor = server.log_in();
    let list = editor.list("?withdrawal=true");
    has!(rows_of(&list)[0]["withdrawal"], "due": "2026-03-17T09:00:00Z");
    let kept = "SELECT count(*) FROM segnalazioni WHERE prima_entro = 1773788399999 AND esito_entro = 1780955999999";
    assert_eq!(disk::count(program.data(), kept), 1);
}
