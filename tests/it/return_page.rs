//! What a reporter who comes back does: files that go with a message, a message that is sent twice because a line broke, and what
//! is bounded of both (PRODUCT.md §5).

use std::io::{Read, Write};
use std::net::TcpStream;

use serde_json::{Value, json};

use crate::attachments::report_with;
use crate::receipts::{ask, cookie, look, report, said, tell, try_code, visit};
use crate::support::attachments::{Files, listed, photo};
use crate::support::backups::back_up;
use crate::support::chat::{Chat, Person, Reply, submit, turn};
use crate::support::disk;
use crate::support::executable::{Server, installation, succeeds};
use crate::support::http::{Answer, Client};
use crate::support::outbox::Newsroom;
use crate::support::panel::cookies_of;
use crate::support::program::Program;
use crate::support::snapshot::table;
use crate::support::{DAY, HOUR, MINUTE, free_port, wait_for};

/// The files of a visit.
fn files(client: &Client, thread: &Value) -> Files {
    Files::of(client, thread["conversation"].as_str().expect("a token"))
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

/// Writes a message that the page may send again.
fn tell_as(client: &Client, cookie: &str, text: &str, key: &str) -> Answer {
    let told = json!({ "text": text, "key": key });
    let client = client.with("cookie", cookie);
    client.post_json("/receipts/messages", &told)
}

fn stored(program: &Program) -> usize {
    disk::paths_with("/allegati/", program.data()).len()
}

#[test]
fn files_go_with_a_message_and_are_listed_on_both_sides() {
    let mut program = Program::start();
    let (client, editor) = (program.client(), program.set_up());
    let chat = Chat::at_the_end(&client, &Person::numbered(1));
    Files::of(&client, chat.token()).attach("Teodoberto.jpg", &photo(300));
    let last = Reply::of(&turn(&client, chat.token(), "no"));
    let [id, code] = [last.report_id, last.receipt].map(|text| text.expect("a report"));
    let (cookie, thread) = visit(&client, &code);
    let expected = [("Teodoberto.jpg", 300, "2026-03-10T09:00:00Z")];
    assert_eq!(own(&thread), expected);

    program.clock.advance(MINUTE);
    let late = files(&client, &thread);
    let place = late.begin("../la piazza.jpg", 70_000);
    late.send(&place, 0, &photo(70_000)[..40_000]).expect(204);
    assert_eq!(late.offset(&place), 40_000);
    late.send(&place, 40_000, &photo(70_000)[40_000..])
        .expect(204);
    let taken_back = late.attach("tolta.jpg", &photo(400));
    late.take_back(&taken_back).expect(204);
    // On its way it is nobody's: neither side is shown it.
    late.begin("a metà.jpg", 900);
    assert_eq!(listed(&editor.report(&id)).len(), 1);
    assert_eq!(own(&look(&client, &cookie).expect(200).json()).len(), 1);
    let thread = tell(&client, &cookie, "Ecco la foto.").expect(200).json();
    let both = [
        ("Teodoberto.jpg", 300, "2026-03-10T09:00:00Z"),
        ("la piazza.jpg", 70_000, "2026-03-10T09:01:00Z"),
    ];
    assert_eq!(own(&thread), both);
    let told = editor.report(&id);
    assert_eq!(own(&told), both);
    let opened = editor.get(&format!("/reports/{id}/attachments/2"));
    assert!(opened.expect(200).body == photo(70_000));
    // It belongs to the report now: nobody takes it back.
    late.take_back(&place).not_found();

    let backup = back_up(program.home(), &[]);
    let said = succeeds(program.home(), &["verify", backup.to_str().unwrap()], "");
    assert!(said.contains("Allegati: 2.\n"), "{said}");
    program.hides(&["Teodoberto", "piazza.jpg", "Roccapipirozzi"]);
    program.restart();
    assert_eq!(own(&visit(&program.client(), &code).1), both);
    let editor = program.session(&editor);
    editor.erase(&id).expect(200);
    program.round();
    assert_eq!(stored(&program), 0);
}

#[test]
fn only_a_visit_that_lasts_attaches_and_to_its_own_report() {
    let program = Program::start();
    let (client, editor) = (program.client(), program.set_up());
    let (id, code) = report(&client, 1);
    let (_, other_code) = report(&client, 2);
    let (_, thread) = visit(&client, &code);
    let (other_cookie, other) = visit(&client, &other_code);
    let (late, others) = (files(&client, &thread), files(&client, &other));
    let place = late.begin("foto.jpg", 1_000);
    others.ask(&place).expect(404);
    others.send(&place, 0, &photo(10)).not_found();
    others.take_back(&place).not_found();
    late.send(&place, 0, &photo(1_000)[..500]).expect(204);
    tell(&client, &other_cookie, "Nulla di mio.").expect(200);
    assert_eq!(listed(&editor.report(&id)).len(), 0);
    // What was begun may end; nothing new begins.
    program.clock.advance(31 * MINUTE);
    late.announce("altra.jpg", 10)
        .problem(401, "visita-scaduta");
    late.send(&place, 500, &photo(1_000)[500..]).expect(204);
    // Counted with those of the conversation.
    editor.save_system(&json!({ "attachmentsPerReport": 1 }));
    let (cookie, thread) = visit(&client, &code);
    let late = files(&client, &thread);
    late.announce("seconda.jpg", 10).conflict();
    editor.save_system(&json!({ "attachmentsEnabled": false }));
    let seen = look(&client, &cookie).expect(200).json();
    assert_eq!(seen["conversation"], Value::Null);
    late.announce("terza.jpg", 10)
        .problem(403, "allegati-disattivati");
    let on =
        json!({ "attachmentsEnabled": true, "receiptsEnabled": false, "attachmentsPerReport": 10 });
    editor.save_system(&on);
    late.announce("quarta.jpg", 10)
        .problem(404, "seguito-disattivato");
}

#[test]
fn a_visit_does_not_end_while_a_file_arrives() {
    let program = Program::start();
    let client = program.client();
    let (_, code) = report(&client, 1);
    // A page behind a proxy that nobody declared: where it reads, it does not say whence.
    let page = client.with("sec-fetch-site", "same-origin");
    let (mut kept, thread) = visit(&page.with("origin", "https://127.0.0.1"), &code);
    let place = files(&client, &thread).begin("lunga.jpg", 1_000_000);
    let mut line = TcpStream::connect(client.address()).expect("a line");
    let head = format!(
        "PATCH {place} HTTP/1.1\r\nhost: {}\r\ntus-resumable: 1.0.0\r\nx-conversation: {}\r\nupload-offset: 0\r\n\
         content-type: application/offset+octet-stream\r\ncontent-length: 1000000\r\n\r\nx",
        client.address(),
        thread["conversation"].as_str().expect("a token")
    );
    line.write_all(head.as_bytes()).expect("sent");
    for _ in 0..3 {
        program.clock.advance(20 * MINUTE);
        kept = wait_for("a visit that goes on", || {
            let answer = look(&client, &kept).expect(200);
            (!cookies_of(&answer).is_empty()).then(|| cookie(&answer))
        });
        assert!(kept.starts_with("__Secure-"), "{kept}");
    }
    drop(line);
    wait_for("the end of the line", || {
        cookies_of(&look(&client, &kept).expect(200))
            .is_empty()
            .then_some(())
    });
    program.clock.advance(31 * MINUTE);
    look(&client, &kept).problem(401, "visita-scaduta");
}

#[test]
fn what_no_message_follows_is_gone_within_a_day_or_with_its_report() {
    let program = Program::start();
    let (client, editor) = (program.client(), program.set_up());
    let (id, code) = report(&client, 1);
    let (_, thread) = visit(&client, &code);
    let place = files(&client, &thread).attach("foto.jpg", &photo(500));
    let tidy = || program.round();
    program.clock.advance(23 * HOUR);
    tidy();
    files(&client, &thread).ask(&place).expect(200);
    // The work that sweeps comes each minute, the one that deletes a little later: both before the day is over.
    program.clock.advance(59 * MINUTE);
    tidy();
    assert_eq!(stored(&program), 0);
    let (_, thread) = visit(&client, &code);
    files(&client, &thread).attach("foto.jpg", &photo(500));
    assert_eq!(stored(&program), 1);
    drop(editor);
    program.log_in().erase(&id).expect(200);
    tidy();
    assert_eq!(stored(&program), 0);
}

#[test]
fn a_message_that_is_sent_again_is_one_message() {
    let program = Program::start();
    let (client, editor) = (program.client(), program.set_up());
    let (id, code) = report(&client, 1);
    let (cookie, _) = visit(&client, &code);
    // As it was typed it is not as it is kept.
    let typed = "Perche\u{301}?\r\nDa\u{a0}ieri.";
    for _ in 0..2 {
        let thread = tell_as(&client, &cookie, typed, "c1").expect(200).json();
        assert_eq!(said(&thread).len(), 1);
    }
    tell_as(&client, &cookie, typed, "c2").expect(200);
    let path = format!("/reports/{id}/messages");
    for _ in 0..2 {
        let told = json!({ "text": "Grazie.", "key": "r1" });
        editor.post_json(&path, &told).expect(200);
    }
    let thread = look(&client, &cookie).expect(200).json();
    let who: Vec<&str> = said(&thread).iter().map(|(from, _)| *from).collect();
    assert_eq!(who, ["segnalante", "segnalante", "redazione"]);
    let long = tell_as(&client, &cookie, typed, &"x".repeat(37));
    assert_eq!(long.refused_fields(), ["key"]);
    // A key that was used for another text is refused, so that no text gets lost unseen.
    tell_as(&client, &cookie, "Un altro testo.", "c1").problem(409, "conflitto");
    let other = json!({ "text": "Un altro testo.", "key": "r1" });
    editor.post_json(&path, &other).problem(409, "conflitto");
}

/// The first answer got lost on the line; what was attached before the second try goes along.
#[test]
fn a_file_that_comes_before_a_message_is_sent_again_goes_with_it() {
    let program = Program::start();
    let (client, editor) = (program.client(), program.set_up());
    let (id, code) = report(&client, 1);
    let (cookie, thread) = visit(&client, &code);
    tell_as(&client, &cookie, "Ho le foto.", "c1").expect(200);
    editor.get(&format!("/reports/{id}/messages")).expect(200);
    files(&client, &thread).attach("piazza.jpg", &photo(500));
    let thread = tell_as(&client, &cookie, "Ho le foto.", "c1").expect(200);
    let thread = thread.json();
    assert_eq!(said(&thread).len(), 1);
    assert_eq!(own(&thread).len(), 1, "{thread}");
    assert_eq!(listed(&editor.report(&id)).len(), 1);
    let read = editor.get(&format!("/reports/{id}/messages")).expect(200);
    assert_eq!(read.json()["unread"], true);
}

#[test]
fn neither_side_writes_without_end() {
    let program = Program::start();
    let (client, editor) = (program.client(), program.set_up());
    let (id, _) = report(&client, 1);
    for _ in 0..200 {
        ask(&editor, &id, "Un'altra domanda.").expect(200);
    }
    ask(&editor, &id, "Una di troppo.").conflict();
}

#[test]
fn one_damaged_message_hides_no_other() {
    let (mut program, editor) = Program::with_editor();
    let client = program.client();
    let (id, code) = report(&client, 1);
    let (cookie, _) = visit(&client, &code);
    for text in ["Uno.", "Due.", "Tre."] {
        tell(&client, &cookie, text).expect(200);
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
        let (_, thread) = visit(&program.client(), &code);
        assert_eq!(
            table(&thread["messages"], "text"),
            told.join("\n"),
            "{damage}"
        );
        let editor = program.session(&editor);
        let thread = editor.read(&format!("/reports/{id}/messages"));
        assert_eq!(table(&thread["data"], "text"), read.join("\n"), "{damage}");
        editor
            .get(&format!("/reports/{id}/dossier.zip"))
            .expect(200);
    }
}

#[test]
fn a_copied_visit_ends_also_where_the_clock_is_set_back() {
    let program = Program::start();
    let client = program.client();
    let (_, code) = report(&client, 1);
    let (copied, _) = visit(&client, &code);
    program.clock.set(program.clock.now_ms() - 86_400_000);
    look(&client, &copied).problem(401, "visita-scaduta");
    let answer = try_code(&client, &code).expect(200);
    look(&client, &cookie(&answer)).expect(200);
}

#[test]
fn nothing_of_a_report_stays_among_the_destinations() {
    let mut newsroom = Newsroom::mail();
    let client = newsroom.program.client();
    let (id, _) = report(&client, 1);
    ask(newsroom.editor(), &id, "Quando?").expect(200);
    newsroom.post.wait(&id, 1);
    let named = format!("SELECT count(*) FROM destinations WHERE address = '{id}'");
    let data = newsroom.program.data().to_owned();
    wait_for("the outcome", || {
        (disk::count(&data, &named) == 1).then_some(())
    });
    newsroom.editor().erase(&id).expect(200);
    assert_eq!(disk::count(&data, &named), 0);
}

#[test]
fn nobody_is_mailed_without_end_by_who_names_another_address() {
    let mut newsroom = Newsroom::mail();
    newsroom
        .editor
        .save_email(&json!({ "confirmationMail": true }));
    let client = newsroom.program.client();
    let confirmed = |newsroom: &Newsroom| {
        let sql = "SELECT count(*) FROM deliveries WHERE kind = 'conferma'";
        disk::count(newsroom.program.data(), sql)
    };
    let tell = |number: usize, email: &str| {
        let person = Person {
            email: email.to_owned(),
            ..Person::numbered(number)
        };
        let chat = Chat::at_the_end(&client, &person);
        Reply::of(&turn(&client, chat.token(), "no"));
        chat
    };
    // A last turn that is sent again is not counted again.
    let first = tell(0, "vittima@esempio.it");
    for _ in 0..5 {
        Reply::of(&turn(&client, first.token(), "no"));
    }
    for number in 1..=8 {
        tell(
            number,
            ["vittima@esempio.it", "Vittima@Esempio.it"][number % 2],
        );
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
fn downloads_that_nobody_takes_hold_no_threads() {
    let (program, editor) = Program::with_editor();
    let id = report_with(&program, "lunga.jpg", &photo(24 * 1024 * 1024));
    let threads = || {
        let tasks = std::fs::read_dir("/proc/self/task").expect("threads");
        let names = tasks.map(|task| {
            let name = task.expect("a thread").path().join("comm");
            std::fs::read_to_string(name).unwrap_or_default()
        });
        names.filter(|name| name.starts_with("tokio")).count()
    };
    // Forty requests of which only the beginning of each answer is read.
    let stalled = |path: &str| -> Vec<(TcpStream, [u8; 12])> {
        let stalled = (0..40).map(|_| {
            let mut line = editor.api("GET", path).send_only();
            let mut begin = [0; 12];
            line.read_exact(&mut begin).expect("an answer");
            (line, begin)
        });
        stalled.collect()
    };
    let before = threads();
    let lines = stalled(&format!("/reports/{id}/attachments/1"));
    assert!(lines.iter().all(|(_, begin)| begin == b"HTTP/1.1 200"));
    let path = format!("/reports/{id}/dossier.zip");
    let archives = stalled(&path);
    let mut begun = archives.iter().map(|(_, begin)| begin);
    assert!(begun.any(|begin| begin == b"HTTP/1.1 503"), "all at once");
    // Those that only filled the lines end by themselves.
    wait_for("the threads to go", || {
        (threads() < before + 20).then_some(())
    });
    // The turn comes back with the client that goes.
    drop((lines, archives));
    wait_for("a turn", || (editor.get(&path).status == 200).then_some(()));
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
