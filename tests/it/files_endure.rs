//! What reporters' files endure: kills at every step, a full disk, and files that mean harm (PRODUCT.md §4).

use std::path::Path;
use std::{fs, io, thread};

use serde_json::{Value, json};

use crate::attachments::entries_of;
use crate::support::attachments::{Files, filled, listed, photo};
use crate::support::chat::{Chat, Person, Reply, turn};
use crate::support::disk;
use crate::support::executable::{Server, installation};
use crate::support::http::{Answer, Client, Request};
use crate::support::panel::Editor;
use crate::support::program::Program;
use crate::support::returning::{Visit, report};
use crate::support::small_disk::SmallDisk;
use crate::support::steps::Steps;
use crate::support::{MINUTE, contains, from_environment, say, wait_for};

const PIECE: usize = 64 * 1024;
/// Kills; `make soak` has more, as many as `KILLS` in the environment says.
const ROUNDS: usize = 8;

fn stored(data: &Path) -> usize {
    disk::paths_with("/allegati/", data).len()
}

/// The content of a report's only file, whose number a file without an acknowledged place may have taken.
fn only_file(editor: &Editor, id: &str) -> Vec<u8> {
    let files = listed(&editor.report(id));
    assert_eq!(files.len(), 1, "{id}");
    let answer = editor.get(&format!("/reports/{id}/attachments/{}", files[0].0));
    answer.expect(200).body
}

#[test]
fn a_kill_at_some_steps_leaves_a_report_with_its_file_or_neither() {
    killed(ROUNDS);
}

#[test]
#[ignore = "soak"]
fn a_kill_at_many_steps_leaves_a_report_with_its_file_or_neither() {
    killed(from_environment("KILLS", 100));
}

fn last_turn(client: &Client, token: &str) -> Request {
    let said = json!({ "conversation": token, "text": "no" });
    client.api("POST", "/chat/turns").json(&said)
}

/// What a reporter heard before the server went away.
#[derive(Default)]
struct Heard {
    answers: usize,
    place: Option<String>,
    arrived: usize,
    last: Option<Answer>,
}

impl Heard {
    fn take(&mut self, answer: io::Result<Answer>, status: u16) -> Option<Answer> {
        let answer = answer.ok()?.expect(status);
        self.answers += 1;
        Some(answer)
    }

    /// Announces a file and sends it in two parts.
    fn attach(&mut self, files: &Files, bytes: &[u8]) -> Option<()> {
        let begun = files.announcing("foto.jpg", bytes.len()).try_send();
        let place = self.take(begun, 201)?.header("location")?.to_owned();
        self.place = Some(place.clone());
        let half = bytes.len() / 2;
        for (from, to) in [(0, half), (half, bytes.len())] {
            let sent = files.sending(&place, from, &bytes[from..to]).try_send();
            self.take(sent, 204)?;
            self.arrived = to;
        }
        Some(())
    }

    /// Sends what the server had not acknowledged before it went away.
    fn go_on(&self, files: &Files, bytes: &[u8]) {
        let Some(place) = &self.place else {
            files.attach("foto.jpg", bytes);
            return;
        };
        let offset = files.offset(place);
        let kept = offset + PIECE > self.arrived;
        assert!(kept, "of what was acknowledged one piece may be sent again");
        files.send(place, offset, &bytes[offset..]).expect(204);
    }

    /// The whole way of a report with a file, or as far as the server lives.
    fn of_report(server: &Server, token: &str, bytes: &[u8]) -> Self {
        let (mut heard, client) = (Self::default(), server.client());
        if heard.attach(&Files::of(&client, token), bytes).is_some() {
            let said = last_turn(&client, token).try_send();
            heard.last = heard.take(said, 200);
        }
        heard
    }
}

fn killed(rounds: usize) {
    let folder = installation();
    let bytes = photo(9 * PIECE + 77);
    let server = Server::start(folder.path());
    let editor = server.log_in();
    editor.expects_a_flood();
    let tokens: Vec<String> = (0..=rounds)
        .map(|number| Chat::at_the_end(&server.client(), &Person::numbered(number)))
        .map(|chat| chat.token().to_owned())
        .collect();
    server.stop();
    let mut steps = Steps::of(folder.path(), 4, |server| {
        Heard::of_report(server, &tokens[rounds], &bytes).answers
    });
    let (mut told, mut left) = (1, 0);
    for (round, token) in tokens[..rounds].iter().enumerate() {
        let server = steps.doomed(folder.path(), round);
        let heard = Heard::of_report(&server, token, &bytes);
        steps.count(server, heard.answers);
        let server = Server::start(folder.path());
        let (client, editor) = (server.client(), server.session(&editor));
        let there = editor.all_ids().len() - told;
        let kept = there == 1 || there == 0 && heard.last.is_none();
        assert!(kept, "lost or doubled");
        if there == 0 && round % 3 == 2 {
            // This one is not gone on with.
            left += 1;
            server.stop();
            continue;
        }
        // The report is there with its file, or the reporter goes on with what was acknowledged.
        if there == 0 {
            heard.go_on(&Files::of(&client, token), &bytes);
        }
        let reply = Reply::of(&last_turn(&client, token).send());
        assert!(only_file(&editor, &reply.report_id.expect("a report")) == bytes);
        told += 1;
        assert_eq!(editor.all_ids().len(), told);
        server.stop();
    }
    steps.control(rounds);
    assert_eq!(told + left, rounds + 1);
    swept(folder.path(), told);
}

/// A day later there are the files of reports, and nothing else.
fn swept(folder: &Path, told: usize) {
    let (program, _) = Program::start_at(folder);
    let now = jiff::Timestamp::now().as_millisecond();
    program.clock.set(now + 86_400_000);
    program.round();
    assert_eq!(stored(program.data()), told);
    let waiting =
        "SELECT count(*) FROM attachments WHERE report IS NULL AND arrived + length(key) > 0";
    assert_eq!(program.count(waiting), 0);
}

#[test]
fn a_kill_amid_a_message_leaves_it_once_with_its_file_or_not_at_all() {
    message_killed(ROUNDS / 2);
}

#[test]
#[ignore = "soak"]
fn many_kills_amid_messages_leave_each_once_with_its_file_or_not_at_all() {
    message_killed(from_environment("KILLS", 100) * 2 / 5);
}

fn message_killed(rounds: usize) {
    let folder = installation();
    let bytes = photo(5 * PIECE + 77);
    let server = Server::start(folder.path());
    let editor = server.log_in();
    editor.expects_a_flood();
    let visits: Vec<_> = (0..=rounds)
        .map(|number| {
            let (id, code) = report(&server.client(), number);
            let visit = Visit::by(&server.client(), &code);
            let token = visit.read()["conversation"].clone();
            (
                id,
                visit.cookie,
                token.as_str().expect("a token").to_owned(),
            )
        })
        .collect();
    server.stop();
    let said = json!({ "text": "Ecco.", "key": "k" });
    let message = |server: &Server, cookie: &str| {
        let client = server.client().with("cookie", cookie);
        client.api("POST", "/receipts/messages").json(&said)
    };
    let tell = |server: &Server, (_, cookie, token): &(String, String, String)| {
        let mut heard = Heard::default();
        let files = Files::of(&server.client(), token);
        if heard.attach(&files, &bytes).is_some() {
            heard.last = heard.take(message(server, cookie).try_send(), 200);
        }
        heard
    };
    let mut steps = Steps::of(folder.path(), 4, |server| {
        tell(server, &visits[rounds]).answers
    });
    for (round, visit) in visits[..rounds].iter().enumerate() {
        let server = steps.doomed(folder.path(), round);
        let heard = tell(&server, visit);
        steps.count(server, heard.answers);
        let (id, cookie, token) = visit;
        let server = Server::start(folder.path());
        let read = Visit::holding(&server.client(), cookie).read();
        let [messages, files] =
            ["messages", "attachments"].map(|key| read[key].as_array().map_or(0, Vec::len));
        assert!(messages == files && files <= 1, "both or neither: {read}");
        assert!(files == 1 || heard.last.is_none(), "acknowledged and lost");
        if files == 0 {
            heard.go_on(&Files::of(&server.client(), token), &bytes);
        }
        let thread = message(&server, cookie).send().expect(200).json();
        assert_eq!(thread["messages"].as_array().map(Vec::len), Some(1));
        assert!(only_file(&server.session(&editor), id) == bytes);
        server.stop();
    }
    steps.control(rounds);
}

/// Bytes that a process has in memory now, and had at most.
fn memory(process: &str) -> [usize; 2] {
    let status = fs::read_to_string(format!("/proc/{process}/status")).expect("a status");
    ["VmRSS:", "VmHWM:"].map(|name| {
        let mut lines = status.lines();
        let kib = lines.find_map(|line| line.strip_prefix(name)?.strip_suffix(" kB"));
        1024 * kib.expect(name).trim().parse::<usize>().expect("a number")
    })
}

#[test]
#[ignore = "soak"]
fn two_hundred_megabytes_over_a_line_that_breaks_ten_times_arrive_whole_in_little_memory() {
    const MB: usize = 1024 * 1024;
    let folder = installation();
    let [before, _] = memory("self");
    let bytes = filled(b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom", 200 * MB);
    // The control of the figure: what holds the film shows it.
    assert!(memory("self")[1] - before > 200 * MB);
    let server = Server::start(folder.path());
    let editor = server.log_in();
    let [chat, other] =
        [1, 2].map(|number| Chat::at_the_end(&server.client(), &Person::numbered(number)));
    drop(server);

    // What a first file needs of the program itself is there before the figure is taken.
    let begin = || {
        let server = Server::start(folder.path());
        Files::of(&server.client(), other.token()).attach("foto.jpg", &photo(500));
        let at_first = memory(&server.pid().as_raw_nonzero().to_string())[0];
        (server, at_first)
    };
    let grown = |(server, at_first): &(Server, usize)| {
        memory(&server.pid().as_raw_nonzero().to_string())[1] - at_first
    };
    let mut server = begin();
    let mut files = Files::of(&server.0.client(), chat.token());
    let place = files.begin("video.mp4", bytes.len());
    let (mut offset, mut most) = (0, 0);
    for broken in 1..=10 {
        let part = &bytes[offset..offset + 15 * MB + broken * 100_003];
        let former = offset;
        if broken == 5 {
            // This time the server goes away; what is known to be on the disk stays.
            thread::scope(|scope| {
                let sending = scope.spawn(|| files.break_off(&place, offset, bytes.len(), part));
                let sealed = || disk::longest(&folder.path().join("data/allegati"));
                let enough = sealed() + 10 * MB as u64;
                wait_for("ten megabytes", || (sealed() > enough).then_some(()));
                most = most.max(grown(&server));
                server.0.cut_off();
                drop(sending.join());
            });
            server = begin();
            files = Files::of(&server.0.client(), chat.token());
            offset = files.offset(&place);
            assert!(offset >= former + 5 * MB, "{offset} after {former}");
            continue;
        }
        files.break_off(&place, offset, bytes.len(), part);
        offset = wait_for("some of it", || {
            Some(files.offset(&place)).filter(|now| *now > former)
        });
    }
    files.send(&place, offset, &bytes[offset..]).expect(204);
    let reply = Reply::of(&last_turn(&server.0.client(), chat.token()).send());
    most = most.max(grown(&server));
    let id = reply.report_id.expect("a report");
    assert!(only_file(&server.0.session(&editor), &id) == bytes);
    let handed_out = most.max(grown(&server));
    say(&format!(
        "200 MB: memory grew by {most} bytes, {handed_out} with their way back"
    ));
    assert!(handed_out <= 16 * MB, "{most}, {handed_out}");

    let found = |folder: &Path| disk::holding(folder, b"Roccapipirozzi").len();
    assert_eq!(found(&folder.path().join("data")), 0);
    fs::write(folder.path().join("in chiaro"), &bytes[..PIECE]).expect("written");
    assert_eq!(found(folder.path()), 1, "the control");
}

#[test]
fn on_a_full_disk_a_file_says_so_and_goes_on_where_it_was() {
    let Some(small) = SmallDisk::mount("1g") else {
        return;
    };
    let (program, _) = Program::start_at(small.path());
    let (client, editor) = (program.client(), program.set_up());
    let full = |answer: Answer| answer.problem(507, "spazio-esaurito");
    let bytes = photo(30 * PIECE);
    let chat = Chat::at_the_end(&client, &Person::numbered(1));
    let files = Files::of(&client, chat.token());
    // The control: there is room.
    files.attach("intera.jpg", &bytes);
    let place = files.begin("a metà.jpg", bytes.len());
    files.send(&place, 0, &bytes[..10 * PIECE]).expect(204);

    let filler = small.fill();
    let rest = &bytes[10 * PIECE..];
    full(files.send(&place, 10 * PIECE, rest));
    full(files.announce("altra.jpg", 10));
    assert_eq!(files.offset(&place), 10 * PIECE);
    let other = Chat::at_the_end(&client, &Person::numbered(2));

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
    full(others.send(&place, PIECE, &bytes[PIECE..]));
    let reply = Reply::of(&turn(&client, other.token(), "no"));
    let id = reply.report_id.expect("a report");
    assert_eq!(listed(&editor.report(&id)), []);
    program.round();
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

type Named = (&'static str, Vec<u8>);

/// What means harm and is nothing that the panel shows; every sign is a byte.
const OPAQUE: [&str; 18] = [
    "SVG with a script|<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script>",
    "SVG behind a prolog|<?xml version=\"1.0\"?><svg onload='alert(1)'>",
    "SVG with a byte order mark|\u{EF}\u{BB}\u{BF}<svg><script>alert(1)</script>",
    "HTML|<!DOCTYPE html><script>alert(1)</script>",
    "HTML behind blanks| \n\t<html><script>alert(1)</script>",
    "HTML behind a comment|<!-- \u{89}PNG --><html><script>alert(1)</script>",
    "HTML in UTF-16|\u{FF}\u{FE}<\0s\0c\0r\0i\0p\0t\0>\0",
    "MHTML|MIME-Version: 1.0\r\nContent-Type: text/html\r\n\r\n<script>",
    "program of Windows|MZ\u{90}\0\x03\0\0\0\x04\0\0\0\u{FF}\u{FF}\0\0",
    "program of Linux|\x7FELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x02\0>\0",
    "program of a Mac|\u{CF}\u{FA}\u{ED}\u{FE}\x07\0\0\x01\x03\0\0\0",
    "shell script|#!/bin/sh\nrm -rf /\n",
    "batch file|@echo off\r\ndel /s *\r\n",
    "class of Java|\u{CA}\u{FE}\u{BA}\u{BE}\0\0\0\x34",
    "module of WebAssembly|\0asm\x01\0\0\0",
    "Flash|CWS\x0A\0\0\0\0x\u{9C}",
    "shortcut of Windows|L\0\0\0\x01\x14\x02\0\0\0\0\0\u{C0}\0\0\0",
    "gzip|\x1F\u{8B}\x08\0\0\0\0\0\0\x03\x4B\x04\0",
];
/// What means harm and passes for what the panel shows.
const SHOWN: [&str; 5] = [
    "picture with a page behind it|\u{FF}\u{D8}\u{FF}\u{E0}\0\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0\u{FF}\u{D9}<script>alert(1)",
    "picture whose parts are longer than it|\u{FF}\u{D8}\u{FF}\u{E1}\u{FF}\u{FF}Exif\0\0",
    "animation with a script|GIF89a/*<script>alert(1)</script>",
    "PDF that runs something|%PDF-1.7\n1 0 obj<</OpenAction<</S/JavaScript/JS(app.alert(1))>>>>",
    "film whose parts are longer than it|\u{FF}\u{FF}\u{FF}\u{FF}ftypisom\0\0\x02\0isomiso2",
];

/// The rows of a table, and what is too long for it.
fn named(table: &[&'static str], more: Vec<Named>) -> Vec<Named> {
    let rows = table.iter().map(|row| {
        let (what, signs) = row.split_once('|').expect("a name");
        let bytes = signs
            .chars()
            .map(|sign| u8::try_from(sign).expect("a byte"));
        (what, bytes.collect())
    });
    rows.chain(more).collect()
}

fn opaque() -> Vec<Named> {
    let more = vec![
        ("nothing but NUL", vec![0; 5_000]),
        ("zip that claims four gigabytes", zip("bomba.bin", u32::MAX)),
        ("zip with a way out", zip("../../etc/cron.d/x", 10)),
        ("package of Java", zip("META-INF/MANIFEST.MF", 10)),
    ];
    named(&OPAQUE, more)
}

fn shown() -> Vec<Named> {
    let more = vec![
        ("picture of 10,000 by 10,000", png(10_000)),
        ("picture of four thousand million a side", png(u32::MAX)),
        (
            "office file that claims four gigabytes",
            zip("[Content_Types].xml", u32::MAX),
        ),
    ];
    named(&SHOWN, more)
}

#[test]
fn thirty_files_that_mean_harm_run_nothing_and_break_nothing() {
    let (program, editor) = Program::with_editor();
    let client = program.client();
    editor.save("/settings/system", &json!({ "attachmentsPerReport": 50 }));
    let chat = Chat::at_the_end(&client, &Person::numbered(1));
    let files = Files::of(&client, chat.token());
    let sent = [opaque(), shown()].concat();
    assert_eq!(sent.len(), 30);
    for (number, (_, bytes)) in sent.iter().enumerate() {
        files.attach(NAMES[number % NAMES.len()], bytes);
    }
    let reply = Reply::of(&turn(&client, chat.token(), "no"));
    let id = reply.report_id.expect("a report");
    let report = editor.report(&id);
    for (at, (_, bytes)) in sent.iter().enumerate() {
        harmless(&report["attachments"][at], &editor, &id, bytes);
    }
    let archive = editor.get(&format!("/reports/{id}/dossier.zip"));
    let archive = archive.expect(200).body;
    for (name, _) in entries_of(&archive) {
        assert!(!name.contains("..") && !name.contains('\\'), "{name}");
    }
    let visit = Visit::by(&client, &reply.receipt.expect("a code"));
    let thread = visit.read();
    let listed = thread["attachments"].as_array().expect("files");
    assert_eq!(listed.len(), sent.len());
    visit.tell("Tutto qui.").expect(200);
    program.clock.advance(MINUTE);
    program.round();
    assert_eq!(stored(program.data()), sent.len());
}

/// A file is handed out as what a browser only keeps, under a name that says what it is.
fn harmless(told: &Value, editor: &Editor, id: &str, bytes: &[u8]) {
    let name = told["name"].as_str().expect("a name");
    let harmful = ['/', '\\', '<', '>', '"', '\r', '\n', '\0', '\u{202E}'];
    assert!(!name.contains(harmful), "{name}");
    let path = format!("/reports/{id}/attachments/{}", told["n"]);
    let answer = editor.get(&path).expect(200);
    assert!(answer.body == bytes, "{name}");
    let header = |name: &str| answer.header(name).expect("a header").to_owned();
    let kind = header("content-type");
    let known = ["image/", "video/", "application/octet-stream"];
    assert!(known.iter().any(|known| kind.starts_with(known)), "{kind}");
    assert!(!kind.contains("svg"), "{name}");
    // What a browser shows by itself does not bear the name of what a computer runs.
    if kind != "application/octet-stream" {
        let ending = name.rsplit_once('.').expect("an ending").1;
        assert!(!["svg", "html", "exe"].contains(&ending), "{name}");
    }
    assert!(header("content-disposition").starts_with("attachment; filename=\""));
    assert_eq!(header("x-content-type-options"), "nosniff");
    let policy = header("content-security-policy");
    contains(policy, &["default-src 'none'", "sandbox"]);
    assert!(answer.header("set-cookie").is_none());
    // A copy without place, or a refusal that says there is none.
    let clean = editor.get(&format!("{path}?clean=true"));
    assert!([200, 413, 415].contains(&clean.status), "{name}");
}
