//! What reporters' files endure: kills at every step, a full disk, and files that mean harm (PRODUCT.md §5).

use std::fs;
use std::path::Path;
use std::thread;

use serde_json::{Value, json};

use crate::receipts::{tell, visit};
use crate::support::MINUTE;
use crate::support::attachments::{Files, listed, photo};
use crate::support::chat::{Chat, Person, Reply, turn};
use crate::support::disk;
use crate::support::executable::{Server, installation};
use crate::support::from_environment;
use crate::support::http::{Answer, Client, Request};
use crate::support::panel::Editor;
use crate::support::program::Program;
use crate::support::small_disk::SmallDisk;
use crate::support::wait_for;

const PIECE: usize = 64 * 1024;
/// Kills; `make soak` has more, as many as `REPEAT` in the environment says.
const ROUNDS: usize = 12;

fn stored(data: &Path) -> usize {
    disk::paths_with("/allegati/", data).len()
}

/// The content of a report's only file.
fn only_file(editor: &Editor, id: &str) -> Vec<u8> {
    assert_eq!(listed(&editor.report(id)).len(), 1, "{id}");
    let answer = editor.get(&format!("/reports/{id}/attachments/1"));
    answer.expect(200).body
}

#[test]
fn a_kill_at_some_steps_leaves_a_report_with_its_file_or_neither() {
    killed(ROUNDS);
}

#[test]
#[ignore = "soak"]
fn a_kill_at_many_steps_leaves_a_report_with_its_file_or_neither() {
    killed(from_environment("REPEAT", 120));
}

/// Where the kill comes: the request of this step and the kill are under way together.
const STEPS: usize = 4;

/// Sends a request while the server is killed; what it answered, where it could.
fn amid(server: Server, request: Request) -> Option<Answer> {
    thread::scope(|scope| {
        let asked = scope.spawn(|| request.try_send().ok());
        server.kill();
        asked.join().expect("an answer or none")
    })
}

fn last_turn(client: &Client, chat: &Chat) -> Request {
    let said = json!({ "conversation": chat.token(), "text": "no" });
    client.api("POST", "/chat/turns").json(&said)
}

fn killed(rounds: usize) {
    let folder = installation();
    let data = folder.path().join("data");
    let bytes = photo(9 * PIECE + 77);
    Server::start(folder.path()).log_in().expects_a_flood();
    let (mut told, mut left) = (Vec::new(), 0);
    for round in 0..rounds {
        let server = Server::start(folder.path());
        let client = server.client();
        let chat = Chat::at_the_end(&client, &Person::numbered(round));
        let files = Files::of(&client, chat.token());
        let step = round % STEPS;
        let begun = (step > 0).then(|| files.begin("foto.jpg", bytes.len()));
        // Not always at the same place of the file.
        let first = PIECE * (round % 5) + round;
        let place = begun.as_deref();
        if step > 1 {
            let place = place.expect("a place");
            files.send(place, 0, &bytes[..first]).expect(204);
        }
        if step > 2 {
            let place = place.expect("a place");
            files.send(place, first, &bytes[first..]).expect(204);
        }
        let request = match (step, place) {
            (1, Some(place)) => files.sending(place, 0, &bytes),
            (2, Some(place)) => files.sending(place, first, &bytes[first..]),
            (3, _) => last_turn(&client, &chat),
            _ => files.announcing("foto.jpg", bytes.len()),
        };
        let answer = amid(server, request);
        let acknowledged = answer.filter(|answer| answer.status < 300);
        let server = Server::start(folder.path());
        let (client, editor) = (server.client(), server.log_in());
        let files = Files::of(&client, chat.token());
        let before = editor.all_ids().len();
        if step == 3 {
            // It is there, with its file, or is not, and the same turn brings both.
            assert!(acknowledged.is_none() || before == told.len() + 1);
        } else if round / STEPS % 3 == 2 {
            // Nobody goes on with this one.
            left += 1;
            continue;
        } else if let Some(place) = begun {
            let offset = files.offset(&place);
            assert!(
                step < 2 || offset >= first,
                "what was acknowledged is there"
            );
            files.send(&place, offset, &bytes[offset..]).expect(204);
        } else {
            files.attach("foto.jpg", &bytes);
        }
        let reply = Reply::of(&turn(&client, chat.token(), "no"));
        let id = reply.report_id.expect("a report");
        assert!(only_file(&editor, &id) == bytes, "round {round}");
        told.push(id);
        assert_eq!(editor.all_ids().len(), told.len());
    }
    assert!(left > 0 && told.len() + left == rounds);
    swept(folder.path(), &data, &told);
}

/// A day later there are the files of reports, and nothing else.
fn swept(folder: &Path, data: &Path, told: &[String]) {
    let (mut program, _) = Program::start_at(folder);
    let now = jiff::Timestamp::now().as_millisecond();
    program.clock.set(now + 86_400_000);
    program.running().tidy().expect("tidied");
    assert_eq!(stored(data), told.len());
    program.stop();
    let waiting = "SELECT count(*) FROM attachments WHERE report IS NULL";
    assert_eq!(disk::count(data, waiting), 0);
}

#[test]
fn a_kill_amid_a_message_leaves_it_once_with_its_file_or_not_at_all() {
    message_killed(4);
}

#[test]
#[ignore = "soak"]
fn many_kills_amid_messages_leave_each_once_with_its_file_or_not_at_all() {
    message_killed(from_environment("REPEAT", 120) / 3);
}

fn message_killed(rounds: usize) {
    let folder = installation();
    let mut server = Server::start(folder.path());
    server.log_in().expects_a_flood();
    let chat = |server: &Server, number| {
        let chat = Chat::at_the_end(&server.client(), &Person::numbered(number));
        let last = Reply::of(&turn(&server.client(), chat.token(), "no"));
        [last.report_id, last.receipt].map(|text| text.expect("a report"))
    };
    for round in 0..rounds {
        let [id, code] = chat(&server, round);
        let (cookie, thread) = visit(&server.client(), &code);
        let token = thread["conversation"].as_str().expect("a token");
        Files::of(&server.client(), token).attach("foto.jpg", &photo(500 + round));
        let said = json!({ "text": "Ecco.", "key": "k" });
        let message = |server: &Server| {
            let client = server.client().with("cookie", &cookie);
            client.api("POST", "/receipts/messages").json(&said)
        };
        let asked = message(&server);
        let acknowledged = amid(server, asked).is_some_and(|answer| answer.status == 200);
        server = Server::start(folder.path());
        let read = server.client().with("cookie", &cookie).get("/receipts");
        let read = read.expect(200).json();
        let counts = ["messages", "attachments"].map(|key| read[key].as_array().map(Vec::len));
        assert!(counts[0] == counts[1], "both or neither: {counts:?}");
        assert!(
            !acknowledged || counts[0] == Some(1),
            "acknowledged and lost"
        );
        let thread = message(&server).send().expect(200).json();
        assert_eq!(thread["messages"].as_array().map(Vec::len), Some(1));
        assert!(only_file(&server.log_in(), &id) == photo(500 + round));
    }
}

#[test]
fn on_a_full_disk_a_file_says_so_and_goes_on_where_it_was() {
    let Some(small) = SmallDisk::mount("1g") else {
        return;
    };
    let (program, _) = Program::start_at(small.path());
    let (client, editor) = (program.client(), program.set_up());
    let bytes = photo(30 * PIECE);
    let chat = Chat::at_the_end(&client, &Person::numbered(1));
    let files = Files::of(&client, chat.token());
    // The control: there is room.
    files.attach("intera.jpg", &bytes);
    let place = files.begin("a metà.jpg", bytes.len());
    files.send(&place, 0, &bytes[..10 * PIECE]).expect(204);

    let filler = small.fill();
    let rest = &bytes[10 * PIECE..];
    files
        .send(&place, 10 * PIECE, rest)
        .problem(507, "spazio-esaurito");
    files
        .announce("altra.jpg", 10)
        .problem(507, "spazio-esaurito");
    assert_eq!(files.offset(&place), 10 * PIECE);
    let other = Chat::at_the_end(&client, &Person::numbered(2));
    assert_eq!(other.reply.state, "collect_report");

    fs::remove_file(filler).expect("removed");
    wait_for("room", || {
        let status = client.get("/status").json();
        (status["database"] == "online").then_some(())
    });
    files.send(&place, 10 * PIECE, rest).expect(204);
    let reply = Reply::of(&turn(&client, chat.token(), "no"));
    let id = reply.report_id.expect("a report");
    for n in 1..=2 {
        let answer = editor.get(&format!("/reports/{id}/attachments/{n}"));
        assert!(answer.expect(200).body == bytes, "{n}");
    }

    // Where room is short, files are refused and the report goes on; of what was begun nothing stays.
    let others = Files::of(&client, other.token());
    let place = others.begin("a metà.jpg", bytes.len());
    others.send(&place, 0, &bytes[..PIECE]).expect(204);
    let short = small.path().join("short");
    fs::write(&short, vec![1; 450 * 1024 * 1024]).expect("written");
    others
        .send(&place, PIECE, &bytes[PIECE..])
        .problem(507, "spazio-esaurito");
    let reply = Reply::of(&turn(&client, other.token(), "no"));
    let id = reply.report_id.expect("a report");
    assert_eq!(listed(&editor.report(&id)), []);
    program.running().tidy().expect("tidied");
    assert_eq!(stored(program.data()), 2);
}

/// Names that mean harm: paths, words that run the other way, what no file system or header takes.
const NAMES: [&str; 6] = [
    "../../../etc/passwd",
    "foto\u{202E}gpj.exe",
    "a\0b.jpg",
    "x\r\nSet-Cookie: a=b.jpg",
    "\"; filename=\"x.html",
    "<img src=x onerror=alert(1)>.jpg",
];

fn png(side: u32) -> Vec<u8> {
    let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
    png.extend([side.to_be_bytes(), side.to_be_bytes()].concat());
    png.extend(b"\x08\x06\0\0\0AAAA");
    png
}

/// The beginning of an archive whose first part claims to be so long.
fn zip(name: &str, claims: u32) -> Vec<u8> {
    let mut zip = b"PK\x03\x04\x14\0\0\0\x08\0\0\0\0\0AAAA\x10\0\0\0".to_vec();
    zip.extend(claims.to_le_bytes());
    zip.extend(u16::try_from(name.len()).expect("short").to_le_bytes());
    zip.extend([0, 0]);
    zip.extend(name.as_bytes());
    zip.extend([0; 64]);
    zip
}

/// A script behind other bytes.
fn behind(head: &[u8]) -> Vec<u8> {
    [head, b"<script>alert(1)</script>"].concat()
}

/// A file, and what it is.
type Named = (&'static str, Vec<u8>);

/// What means harm and is nothing that may be attached.
fn refused() -> Vec<Named> {
    vec![
        (
            "SVG with a script",
            behind(b"<svg xmlns='http://www.w3.org/2000/svg'>"),
        ),
        (
            "SVG behind a prolog",
            behind(b"<?xml version=\"1.0\"?><svg onload='alert(1)'>"),
        ),
        ("SVG with a byte order mark", behind(b"\xEF\xBB\xBF<svg>")),
        ("HTML", behind(b"<!DOCTYPE html>")),
        ("HTML behind blanks", behind(b" \n\t<html>")),
        ("HTML behind a comment", behind(b"<!-- \x89PNG --><html>")),
        (
            "HTML in UTF-16",
            b"\xFF\xFE<\0s\0c\0r\0i\0p\0t\0>\0".to_vec(),
        ),
        (
            "MHTML",
            b"MIME-Version: 1.0\r\nContent-Type: text/html\r\n\r\n<script>".to_vec(),
        ),
        (
            "program of Windows",
            b"MZ\x90\0\x03\0\0\0\x04\0\0\0\xFF\xFF\0\0".to_vec(),
        ),
        (
            "program of Linux",
            b"\x7FELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x02\0>\0".to_vec(),
        ),
        (
            "program of a Mac",
            b"\xCF\xFA\xED\xFE\x07\0\0\x01\x03\0\0\0".to_vec(),
        ),
        ("shell script", b"#!/bin/sh\nrm -rf /\n".to_vec()),
        ("batch file", b"@echo off\r\ndel /s *\r\n".to_vec()),
        ("class of Java", b"\xCA\xFE\xBA\xBE\0\0\0\x34".to_vec()),
        ("module of WebAssembly", b"\0asm\x01\0\0\0".to_vec()),
        ("Flash", b"CWS\x0A\0\0\0\0x\x9C".to_vec()),
        (
            "shortcut of Windows",
            b"L\0\0\0\x01\x14\x02\0\0\0\0\0\xC0\0\0\0".to_vec(),
        ),
        ("nothing but NUL", vec![0; 5_000]),
        ("zip that claims four gigabytes", zip("bomba.bin", u32::MAX)),
        ("zip with a way out", zip("../../etc/cron.d/x", 10)),
        ("package of Java", zip("META-INF/MANIFEST.MF", 10)),
        ("gzip", b"\x1F\x8B\x08\0\0\0\0\0\0\x03\x4B\x04\0".to_vec()),
    ]
}

/// What means harm and passes for what may be attached.
fn taken() -> Vec<Named> {
    vec![
        ("picture of 10,000 by 10,000", png(10_000)),
        ("picture of four thousand million a side", png(u32::MAX)),
        (
            "picture with a page behind it",
            behind(b"\xFF\xD8\xFF\xE0\0\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0\xFF\xD9"),
        ),
        (
            "picture whose parts are longer than it",
            b"\xFF\xD8\xFF\xE1\xFF\xFFExif\0\0".to_vec(),
        ),
        ("animation with a script", behind(b"GIF89a/*")),
        (
            "PDF that runs something",
            b"%PDF-1.7\n1 0 obj<</OpenAction<</S/JavaScript/JS(app.alert(1))>>>>".to_vec(),
        ),
        (
            "office file that claims four gigabytes",
            zip("[Content_Types].xml", u32::MAX),
        ),
        (
            "film whose parts are longer than it",
            b"\xFF\xFF\xFF\xFFftypisom\0\0\x02\0isomiso2".to_vec(),
        ),
    ]
}

#[test]
fn thirty_files_that_mean_harm_run_nothing_and_break_nothing() {
    let program = Program::start();
    let (client, editor) = (program.client(), program.set_up());
    editor.save("/settings/system", &json!({ "attachmentsPerReport": 50 }));
    let chat = Chat::at_the_end(&client, &Person::numbered(1));
    let files = Files::of(&client, chat.token());
    let (refused, taken) = (refused(), taken());
    assert_eq!(refused.len() + taken.len(), 30);
    for (number, (what, bytes)) in refused.iter().chain(&taken).enumerate() {
        let place = files.begin(NAMES[number % NAMES.len()], bytes.len());
        let answer = files.send(&place, 0, bytes);
        if number < refused.len() {
            answer.problem(415, "tipo-non-supportato");
            files.ask(&place).expect(404);
        } else {
            assert_eq!(answer.status, 204, "{what}");
        }
    }
    let reply = Reply::of(&turn(&client, chat.token(), "no"));
    let (id, code) = (
        reply.report_id.expect("a report"),
        reply.receipt.expect("a code"),
    );
    let report = editor.report(&id);
    for (at, (_, bytes)) in taken.iter().enumerate() {
        let n = report["attachments"][at]["n"].as_i64().expect("a number");
        harmless(&report["attachments"][at], &editor, (&id, n), bytes);
    }
    let archive = editor
        .get(&format!("/reports/{id}/dossier.zip"))
        .expect(200);
    assert!(
        !archive.body.windows(3).any(|three| three == b"../"),
        "a way out"
    );
    let (cookie, thread) = visit(&client, &code);
    assert_eq!(
        thread["attachments"].as_array().expect("files").len(),
        taken.len()
    );
    tell(&client, &cookie, "Tutto qui.").expect(200);
    program.clock.advance(MINUTE);
    program.running().tidy().expect("tidied");
    assert_eq!(stored(program.data()), taken.len());
}

/// A file is handed out as what a browser only keeps, under a name that says what it is.
fn harmless(told: &Value, editor: &Editor, (id, n): (&str, i64), bytes: &[u8]) {
    let name = told["name"].as_str().expect("a name");
    assert!(
        !name.contains(['/', '\\', '<', '>', '"', '\r', '\n', '\0', '\u{202E}']),
        "{name}"
    );
    let path = format!("/reports/{id}/attachments/{n}");
    let answer = editor.get(&path).expect(200);
    assert!(answer.body == bytes, "{name}");
    let header = |name: &str| answer.header(name).expect("a header").to_owned();
    let kind = header("content-type");
    let ending = name.rsplit_once('.').expect("an ending").1;
    let known = ["image/", "video/", "application/octet-stream"];
    assert!(known.iter().any(|known| kind.starts_with(known)), "{kind}");
    assert!(
        !kind.contains("svg") && !["svg", "html", "exe"].contains(&ending),
        "{kind} {name}"
    );
    assert!(header("content-disposition").starts_with("attachment; filename=\""));
    assert_eq!(header("x-content-type-options"), "nosniff");
    let policy = header("content-security-policy");
    assert!(
        policy.contains("default-src 'none'") && policy.contains("sandbox"),
        "{policy}"
    );
    assert!(answer.header("set-cookie").is_none());
    // A copy without place, or the word that there is none.
    let clean = editor.get(&format!("{path}?clean=true"));
    assert!([200, 413, 415].contains(&clean.status), "{name}");
}
