//! Files that reporters attach (PRODUCT.md §4): they come over lines that break, are never on the disk in the clear, and belong
//! to their report or to nobody.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};

use insta::assert_snapshot;
use mail_parser::MessageParser;
use rawzip::ZipArchive;
use serde_json::{Value, json};

use crate::support::attachments::{Files, listed, photo};
use crate::support::backups::{self, altered, back_up, packed, unpacked};
use crate::support::chat::{Chat, Person, Reply, turn};
use crate::support::disk;
use crate::support::executable::{Server, command, installation, run, text};
use crate::support::http::{Answer, Client};
use crate::support::panel::Editor;
use crate::support::program::Program;
use crate::support::receiver::Receiver;
use crate::support::smtp::{MailServer, Manner};
use crate::support::snapshot::table;
use crate::support::{HOUR, at_once, contains, wait_for};

const PIECE: usize = 64 * 1024;

/// A conversation at its last question, and its files.
fn conversation(client: &Client) -> (Chat, Files) {
    let chat = Chat::at_the_end(client, &Person::numbered(1));
    let files = Files::of(client, chat.token());
    (chat, files)
}

/// Ends a conversation; answers the id of its report.
fn finish(client: &Client, chat: &Chat) -> String {
    let reply = Reply::of(&turn(client, chat.token(), "no"));
    reply.report_id.expect("a report")
}

/// A report with one file; answers its id.
pub fn report_with(program: &Program, name: &str, bytes: &[u8]) -> String {
    report_with_files(program, &[(name, bytes)])
}

fn report_with_files(program: &Program, sent: &[(&str, &[u8])]) -> String {
    let (chat, files) = conversation(&program.client());
    for (name, bytes) in sent {
        files.attach(name, bytes);
    }
    finish(&program.client(), &chat)
}

/// The only file on the disk.
fn only_stored(program: &Program) -> PathBuf {
    let [file] = &stored(program.data())[..] else {
        panic!("one file")
    };
    file.clone()
}

fn clean_copy(editor: &Editor, id: &str, n: usize) -> Answer {
    editor.get(&format!("/reports/{id}/attachments/{n}?clean=true"))
}

/// Of what is no picture that it knows there is none.
fn no_clean_copy(editor: &Editor, id: &str, n: usize) {
    let refused = clean_copy(editor, id, n).problem(415, "tipo-non-supportato");
    let told = refused["detail"].to_string();
    contains(told, &["solo dalle foto JPEG, PNG e WebP"]);
}

/// The files on the disk.
fn stored(data: &Path) -> Vec<PathBuf> {
    let folder = data.join("allegati");
    let files = fs::read_dir(folder).into_iter().flatten();
    files.map(|entry| entry.expect("an entry").path()).collect()
}

fn opened(editor: &Editor, id: &str, n: usize) -> Vec<u8> {
    let answer = editor.get(&format!("/reports/{id}/attachments/{n}"));
    answer.expect(200).body
}

#[test]
fn files_arrive_with_their_report_and_are_handed_out_as_they_came() {
    let program = Program::start();
    let (client, editor) = (program.client(), program.set_up());
    let (chat, files) = conversation(&client);
    let (large, small) = (photo(5 * PIECE + 77), photo(300));
    let exact = photo(2 * PIECE);
    files.attach("la piazza.jpg", &large);
    files.attach("../../etc/fo\u{202E}to.exe", &small);
    files.attach("esatta.jpeg", &exact);
    let unfinished = files.begin("mai finita.jpg", 1_000);
    files.send(&unfinished, 0, &small).expect(204);
    let id = finish(&client, &chat);
    assert_snapshot!(table(&editor.report(&id)["attachments"], "n name type size"), @r"
    1 la piazza.jpg image/jpeg 327757
    2 foto.exe.jpg image/jpeg 300
    3 esatta.jpeg image/jpeg 131072
    ");
    for (n, bytes) in [(1, &large), (2, &small), (3, &exact)] {
        assert!(opened(&editor, &id, n) == *bytes, "{n}");
    }
    let path = format!("/reports/{id}/attachments/1");
    let answer = editor.get(&path).expect(200);
    answer.has_headers(&[
        ("content-type", "image/jpeg"),
        ("x-content-type-options", "nosniff"),
        (
            "content-disposition",
            "attachment; filename=\"la piazza.jpg\"; filename*=UTF-8''la%20piazza.jpg",
        ),
        ("cache-control", "no-store"),
    ]);
    let policy = answer.header("content-security-policy").unwrap();
    assert!(policy.contains("sandbox"), "{policy}");
    client.get(&path).no_session();
    for n in ["4", "9", "x"] {
        let path = format!("/reports/{id}/attachments/{n}");
        editor.get(&path).not_found();
    }
    let log = editor.get("/logs").expect(200);
    assert_eq!(log.text().matches("EXPORT_ATTACHMENT").count(), 4);
}

#[test]
fn a_report_is_taken_out_whole_with_its_record_and_its_files() {
    let (program, editor) = Program::with_editor();
    let (large, small) = (photo(33 * PIECE + 77), photo(300));
    let files: [(&str, &[u8]); 2] = [("la piazza è.jpg", &large), ("../la piazza è.jpg", &small)];
    let id = report_with_files(&program, &files);
    let path = format!("/reports/{id}/dossier.zip");
    program.client().get(&path).no_session();
    let unknown = format!("/reports/{}/dossier.zip", "0".repeat(36));
    editor.get(&unknown).not_found();
    let answer = editor.get(&path).expect(200);
    let name = format!("attachment; filename=\"segnalazione_{id}.zip\"");
    answer.has_headers(&[
        ("content-type", "application/zip"),
        ("cache-control", "no-store"),
        ("content-disposition", &name),
    ]);
    let entries = entries_of(&answer.body);
    let names: Vec<&str> = entries.iter().map(|(name, _)| &**name).collect();
    let (first, second) = ("allegati/01 la piazza è.jpg", "allegati/02 la piazza è.jpg");
    assert_eq!(names, ["segnalazione.txt", first, second]);
    assert!(entries[1].1 == large && entries[2].1 == small);
    let record = String::from_utf8(entries[0].1.clone()).expect("text");
    let report = editor.report(&id);
    let told = |field: &str| report[field].as_str().expect("a text").to_owned();
    let (first_name, surname, account) = (told("nome"), told("cognome"), told("segnalazione"));
    for expected in [
        format!("Segnalazione {id}\n\nRicevuta: "),
        format!("\nNome: {first_name}\nCognome: {surname}\n"),
        format!("\nALLEGATI\n\n{first} (2,1 MB)\n{second} (300 byte)\n\n"),
        format!("\nSEGNALAZIONE (fino alla fine del file)\n\n{account}"),
    ] {
        contains(&record, &[&expected]);
    }
    assert!(table(&report["storia"], "tipo").ends_with("\nesportata"));
    assert_eq!(editor.rows("/logs?action=EXPORT_ZIP").len(), 1);
    let file = &stored(program.data())[0];
    let mut damaged = fs::read(file).expect("a file");
    let last = damaged.len() - 1;
    damaged[last] ^= 1;
    fs::write(file, &damaged).expect("written");
    assert!(editor.api("GET", &path).try_send().is_err(), "broken off");
    fs::remove_file(file).expect("removed");
    editor.get(&path).not_found();
}

/// What is in an archive, each checked against its sum.
pub fn entries_of(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    let archive = ZipArchive::from_slice(bytes).expect("an archive");
    let entries = archive.entries().map(|entry| {
        let entry = entry.expect("an entry");
        let name = String::from_utf8(entry.file_path().as_ref().to_vec()).expect("a name");
        let content = archive.get_entry(entry.wayfinder()).expect("its place");
        let mut verified = content.verifying_reader(content.data());
        let mut bytes = Vec::new();
        verified.read_to_end(&mut bytes).expect("its sum");
        (name, bytes)
    });
    entries.collect()
}

#[test]
fn a_line_that_breaks_ten_times_loses_nothing() {
    let program = Program::start();
    let (client, editor) = (program.client(), program.set_up());
    let (chat, files) = conversation(&client);
    let bytes = photo(20 * PIECE + 12_345);
    let place = files.begin("video.jpg", bytes.len());
    for broken in 1..=10 {
        let offset = files.offset(&place);
        let part = &bytes[offset..offset + PIECE + broken * 1_001];
        // Who asks how much is there stops who sends: what had not been read by then is sent again.
        wait_for("the bytes", || {
            files.break_off(&place, offset, bytes.len(), part);
            (files.offset(&place) > offset).then_some(())
        });
    }
    let offset = files.offset(&place);
    files.send(&place, offset + 1, b"x").conflict();
    files.send(&place, offset, &bytes[offset..]).expect(204);
    assert_eq!(files.offset(&place), bytes.len());
    let id = finish(&client, &chat);
    assert!(opened(&editor, &id, 1) == bytes);
}

#[test]
fn a_killed_server_goes_on_where_it_acknowledged() {
    let folder = installation();
    let bytes = photo(9 * 1024 * 1024);
    let (conversation, place, acknowledged) = {
        let server = Server::start(folder.path());
        let (chat, files) = conversation(&server.client());
        let place = files.begin("lunga.jpg", bytes.len());
        let first = 3 * PIECE + 5;
        files.send(&place, 0, &bytes[..first]).expect(204);
        server.kill();
        (chat.token().to_owned(), place, first)
    };
    let server = Server::start(folder.path());
    let files = Files::of(&server.client(), &conversation);
    assert_eq!(files.offset(&place), acknowledged);
    files
        .send(&place, acknowledged, &bytes[acknowledged..])
        .expect(204);
    let reply = Reply::of(&turn(&server.client(), &conversation, "no"));
    server.kill();
    let server = Server::start(folder.path());
    let editor = server.log_in();
    assert!(opened(&editor, &reply.report_id.expect("a report"), 1) == bytes);
}

#[test]
fn a_file_belongs_to_its_conversation_alone() {
    let program = Program::start();
    let client = program.client();
    let (chat, files) = conversation(&client);
    let place = files.begin("foto.jpg", 1_000);
    let (_, others) = conversation(&client);
    others.ask(&place).expect(404);
    others.send(&place, 0, &photo(10)).not_found();
    others.take_back(&place).not_found();
    let forged = Files::of(&client, "nulla").announce("x.jpg", 1);
    forged.problem(400, "token-non-valido");
    let young = Chat::until(&client, &Person::numbered(2), "collect_phone");
    let early = Files::of(&client, young.token()).announce("x.jpg", 1);
    early.conflict();
    let account = Chat::until(&client, &Person::numbered(2), "investigative_questions");
    Files::of(&client, account.token()).begin("x.jpg", 1);
    let plain = client.with("x-conversation", chat.token());
    plain.post("/chat/attachments").problem(412, "versione-tus");
    files.take_back(&place).expect(204);
    files.ask(&place).expect(404);
    finish(&client, &chat);
    files.announce("tardi.jpg", 10).conflict();
}

#[test]
fn what_is_too_much_or_empty_is_refused_by_its_name_and_the_report_goes_on() {
    let program = Program::start();
    let (client, editor) = (program.client(), program.set_up());
    editor.save_system(&json!({ "attachmentMaxMb": 1, "attachmentsPerReport": 2 }));
    let (chat, files) = conversation(&client);
    let too_large = "«grande.jpg» è troppo grande: al massimo 1 MB. Dividilo o riducilo.";
    let empty = "«vuota.jpg» è vuoto: controlla il file e allegalo di nuovo.";
    for (name, size, (status, slug), told) in [
        (
            "grande.jpg",
            (1 << 20) + 1,
            (413, "troppo-grande"),
            too_large,
        ),
        ("../vuota.jpg", 0, (400, "file-vuoto"), empty),
    ] {
        let problem = files.announce(name, size).problem(status, slug);
        assert_eq!(problem["detail"], told);
        assert!(!problem.to_string().contains("JSON"), "{problem}");
    }
    let place = files.begin("corta.jpg", 100);
    let longer = files.send(&place, 0, &photo(101));
    longer.problem(413, "troppo-grande");
    files.attach("una.jpg", &photo(500));
    files.announce("terza.jpg", 100).conflict();
    editor.save_system(&json!({ "attachmentsEnabled": false }));
    let (_, others) = conversation(&client);
    let refused = others.announce("foto.jpg", 100);
    refused.problem(403, "allegati-disattivati");
    let id = finish(&client, &chat);
    assert_eq!(listed(&editor.report(&id)).len(), 1);
}

#[test]
fn any_file_is_taken_and_handed_out_as_bytes_under_its_name() {
    let (program, editor) = Program::with_editor();
    let long = format!("{}.pdf", "漢字".repeat(70));
    let pieces = [b"\x7F\x01\x02".as_slice(), &photo(2 * PIECE)].concat();
    let mail = b"From: a@example.it\r\nTo: b@example.it\r\nSubject: x\r\n\r\nciao\r\n";
    let page = b"<!DOCTYPE html><script>alert(1)</script>";
    let sent: [(&str, &[u8]); 7] = [
        ("appunti.txt", "È tutto vero.\n".as_bytes()),
        ("mail.eml", mail),
        ("pagina.html", page),
        ("foto.jpg", b"MZ\x90\0\x03\0\0\0\x04\0\0\0"),
        ("registro.xyz", &pieces),
        ("Chat.zip", &[b"PK\x05\x06".as_slice(), &[0; 18]].concat()),
        (&long, b"%PDF-1.7\n%%EOF\n"),
    ];
    let id = report_with_files(&program, &sent);
    let report = editor.report(&id);
    assert_snapshot!(table(&report["attachments"], "n name type size"), @r"
    1 appunti.txt text/plain 15
    2 mail.eml message/rfc822 58
    3 pagina.html text/plain 40
    4 foto.jpg.bin application/x-executable 12
    5 registro.xyz application/octet-stream 131075
    6 Chat.zip application/zip 22
    7 漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字.pdf application/pdf 15
    ");
    for ((name, bytes), n) in sent.into_iter().zip(1..) {
        let path = format!("/reports/{id}/attachments/{n}");
        let answer = editor.get(&path).expect(200);
        assert!(answer.body == bytes, "{name}");
        answer.has_headers(&[
            ("content-type", "application/octet-stream"),
            ("x-content-type-options", "nosniff"),
        ]);
        let header = |name: &str| answer.header(name).expect("a header").to_owned();
        assert!(header("content-disposition").starts_with("attachment; "));
        assert!(header("content-security-policy").contains("sandbox"));
        no_clean_copy(&editor, &id, n);
    }
    let archive = editor.get(&format!("/reports/{id}/dossier.zip"));
    for (name, _) in entries_of(&archive.expect(200).body) {
        let last = name.rsplit('/').next().expect("a name");
        assert!(last.len() <= 255, "{name}");
    }
}

#[test]
fn no_byte_and_no_name_is_on_the_disk_in_the_clear() {
    let mut program = Program::start();
    let client = program.client();
    let (chat, files) = conversation(&client);
    files.attach("Quaglianicognome.jpg", &photo(3 * PIECE));
    let place = files.begin("Teodoberto.jpg", 200_000);
    files.send(&place, 0, &photo(100_000)).expect(204);
    finish(&client, &chat);
    assert_eq!(stored(program.data()).len(), 2);
    for file in stored(program.data()) {
        assert_eq!(disk::mode(&file), 0o600);
    }
    program.stop();
    program.hides(&["Roccapipirozzi", "Quaglianicognome", "Teodoberto", "JFIF"]);
}

#[test]
fn what_no_report_follows_is_gone_after_a_day_and_what_is_erased_within_a_minute() {
    let program = Program::start();
    program.set_up();
    let client = program.client();
    let (chat, files) = conversation(&client);
    files.attach("resta.jpg", &photo(1_000));
    let id = finish(&client, &chat);
    let (_, abandoned) = conversation(&client);
    let place = abandoned.attach("persa.jpg", &photo(1_000));
    program.clock.advance(23 * HOUR);
    program.round();
    assert_eq!(abandoned.offset(&place), 1_000);
    assert_eq!(stored(program.data()).len(), 2);
    program.clock.advance(2 * HOUR);
    program.round();
    assert_eq!(stored(program.data()).len(), 1);
    abandoned.ask(&place).expect(404);
    let editor = program.log_in();
    assert_eq!(opened(&editor, &id, 1).len(), 1_000);
    editor.erase(&id).expect(200);
    program.round();
    assert_eq!(stored(program.data()), Vec::<PathBuf>::new());
}

#[test]
fn a_file_that_was_cut_or_mixed_up_is_not_handed_out() {
    let (program, editor) = Program::with_editor();
    let bytes = photo(3 * PIECE);
    let id = report_with(&program, "una.jpg", &bytes);
    let file = &only_stored(&program);
    let whole = fs::read(file).expect("a file");
    let sealed = whole.len() / 3;
    let path = format!("/reports/{id}/attachments/1");
    let mut swapped = whole.clone();
    swapped.copy_within(..sealed, sealed);
    let mut altered = whole.clone();
    altered[2 * sealed + 100] ^= 1;
    for damaged in [&whole[..2 * sealed], &swapped, &altered] {
        fs::write(file, damaged).expect("written");
        let answer = editor.api("GET", &path).try_send();
        // Either refused at once, or broken off before its end.
        assert!(answer.map_or(true, |answer| answer.status == 500));
    }
    fs::write(file, b"").expect("written");
    for path in [&path, &format!("{path}?clean=true")] {
        editor.get(path).problem(500, "allegato-danneggiato");
    }
    // The control: the file as it was.
    fs::write(file, &whole).expect("written");
    assert!(opened(&editor, &id, 1) == bytes);
    fs::remove_file(file).expect("removed");
    editor.get(&path).not_found();
}

#[test]
fn a_file_whose_key_is_damaged_hides_no_other_and_no_report() {
    let (mut program, editor) = Program::with_editor();
    let files = ["uno.jpg", "due.jpg"].map(|name| (name, photo(300)));
    let files = files.each_ref().map(|(name, bytes)| (*name, &bytes[..]));
    let id = report_with_files(&program, &files);
    program.stop();
    program.plant("UPDATE attachments SET key = x'00' WHERE n = 1");
    program.start_again();
    let editor = program.session(&editor);
    let names = table(&editor.report(&id)["attachments"], "name");
    assert_eq!(names, "(nome non leggibile).jpg\ndue.jpg");
    assert!(opened(&editor, &id, 2) == photo(300));
}

#[test]
fn a_backup_carries_them_and_a_restore_brings_them_back() {
    let mut program = Program::start();
    let (client, _) = (program.client(), program.set_up());
    let (chat, files) = conversation(&client);
    let bytes = photo(4 * PIECE + 9);
    files.attach("piazza.jpg", &bytes);
    let id = finish(&client, &chat);
    let (_, others) = conversation(&client);
    others.attach("di nessuno.jpg", &photo(50_000));
    let file = back_up(program.home(), &[]);
    program.stop();
    let said = backups::verify(program.home(), &file);
    assert!(said.contains("Allegati: 1.\n"), "{said}");
    for stored in stored(program.data()) {
        fs::remove_file(stored).expect("removed");
    }
    let doctor = run(command(program.home(), &["doctor"]), "");
    contains(text(&doctor.stdout), &["1 file di segnalazioni mancano"]);
    backups::restore(program.home(), &file, &["--dry-run"]);
    assert_eq!(stored(program.data()), Vec::<PathBuf>::new());
    backups::restore(program.home(), &file, &[]);
    program.start_again();
    assert!(opened(&program.log_in(), &id, 1) == bytes);
    let doctor = run(command(program.home(), &["doctor"]), "");
    contains(text(&doctor.stdout), &["1, tutti presenti"]);
}

#[test]
fn messages_tell_number_kinds_and_sizes_alone() {
    let hook = Receiver::answering("200 OK");
    let smtp = MailServer::start(Manner::default());
    let program = Program::start_with(&[("SEGNALAZIONI_OUTBOUND_ALLOW", "127.0.0.0/8")]);
    let (_client, editor) = (program.client(), program.set_up());
    editor.mail_to(smtp.port());
    editor.call(&hook.url());
    report_with(&program, "Teodoberto.jpg", &photo(1_250_000));
    hook.wait(1);
    let call: Value = serde_json::from_slice(&hook.calls()[0].body).expect("JSON");
    let told = json!([{ "type": "image/jpeg", "size": 1_250_000 }]);
    assert_eq!(call["data"]["attachments"], told);
    let mail = wait_for("a mail", || smtp.mails().first().cloned());
    let mail = MessageParser::default().parse(&mail).expect("a mail");
    for body in [mail.body_text(0), mail.body_html(0)] {
        let body = body.expect("a body");
        contains(&body, &["1 allegato: foto (1,2 MB)"]);
        assert!(!body.contains("Teodoberto"), "{body}");
    }
}

/// A photo that an iPhone 6 Plus took, with its position: of the package jpeg-exif 1.1.4 (MIT licence, beside it), the image cut short.
pub const IPHONE: &[u8] = include_bytes!("../vectors/iphone.jpg");

#[test]
fn clean_copies_of_phone_pictures_have_no_place_time_or_device() {
    let (program, editor) = Program::with_editor();
    // 40° 0' 14,71".
    let latitude = b"\0\0\0\x28\0\0\0\x01\0\0\0\0\0\0\0\x01\0\0\x05\xBF\0\0\0\x64";
    let exif = [b"MM\0*Apple iPhone 2016:03:24", &latitude[..]].concat();
    let chunk = |kind: &[u8], body: &[u8]| {
        let length = u32::try_from(body.len()).expect("short").to_be_bytes();
        [&length[..], kind, body, b"crc!"].concat()
    };
    let image = |kind: &[u8]| chunk(kind, b"immagine");
    let magic = b"\x89PNG\r\n\x1a\n";
    let png = [
        &magic[..],
        &image(b"IHDR"),
        &chunk(b"eXIf", &exif),
        &image(b"IDAT"),
        &chunk(b"iTXt", &exif),
        &image(b"IEND"),
    ];
    let part = |kind: &[u8], body: &[u8]| {
        let length = u32::try_from(body.len()).expect("short").to_le_bytes();
        [kind, &length[..], body, &vec![0; body.len() % 2]].concat()
    };
    let parts = [
        part(b"VP8X", b"\x0C\0\0\0\x01\0\0\x01\0\0"),
        part(b"VP8 ", b"immagine"),
        part(b"EXIF", &exif),
        part(b"XMP ", &exif),
    ];
    let webp = part(b"RIFF", &[b"WEBP".to_vec(), parts.concat()].concat());
    let heic = [b"\0\0\0\x18ftypheic\0\0\0\0mif1heic", &exif[..]].concat();
    let small = b"\xFF\xDB\0\x04tv\xFF\xDA\0\x08\x01scansdati\xFF\xD9";
    let placed = b"\xFF\xD8\xFF\xE1\0\x24Exif\0\0MM\0*GPSLatitude 45.07 iPhone";
    let jpeg = [&placed[..], small, b"behind GPSLatitude"].concat();
    let id = report_with_files(
        &program,
        &[
            ("a.jpg", IPHONE),
            ("b.png", &png.concat()),
            ("c.webp", &webp),
            ("d.heic", &heic),
            ("e.jpg", &jpeg),
        ],
    );
    let holds =
        |bytes: &[u8], words: &[u8]| bytes.windows(words.len()).any(|window| window == words);
    for (n, kept) in [
        (1, &IPHONE[2 + 2 + 8_190..]),
        (2, b"immagine"),
        (3, b"immagine"),
    ] {
        let clean = clean_copy(&editor, &id, n).expect(200).body;
        let whole = opened(&editor, &id, n);
        assert!(holds(&clean, kept), "{n}");
        for words in [&b"Apple"[..], b"iPhone", b"2016:03:24", latitude] {
            assert!(holds(&whole, words) && !holds(&clean, words), "{n}");
        }
    }
    // How it is turned stays, and all that makes up the image.
    let clean = clean_copy(&editor, &id, 1).body;
    assert_eq!(clean.len(), IPHONE.len() - (2 + 8_190) + 36);
    assert!(holds(&clean[..40], b"\x01\x12\0\x03\0\0\0\x01\0\x06"));
    // Nothing stays beside it, and nothing behind it.
    let clean = clean_copy(&editor, &id, 5).expect(200).body;
    assert_eq!(clean, [b"\xFF\xD8", &small[..]].concat());
    assert!(opened(&editor, &id, 5) == jpeg);
    no_clean_copy(&editor, &id, 4);
}

#[test]
fn a_demonstration_takes_no_files() {
    let program = Program::demo(&[]);
    let (chat, files) = conversation(&program.client());
    files
        .announce("foto.jpg", 100)
        .problem(409, "dimostrazione");
    finish(&program.client(), &chat);
}

#[test]
fn of_a_minor_no_file_stays() {
    let program = Program::start();
    let client = program.client();
    let (chat, files) = conversation(&client);
    let place = files.attach("foto.jpg", &photo(500));
    let asked = json!({ "conversation": chat.token(), "state": "age_check" });
    let asked = client.post_and_read("/chat/back", &asked);
    let token = asked["conversation"].as_str().expect("a token");
    let ended = turn(&client, token, "17").expect(200).json();
    assert_eq!(ended["finished"], true);
    files.ask(&place).expect(404);
    program.round();
    assert_eq!(stored(program.data()), Vec::<PathBuf>::new());
}

#[test]
fn what_the_last_turn_leaves_behind_is_not_called_arrived() {
    let program = Program::start();
    let (client, editor) = (program.client(), program.set_up());
    let (chat, files) = conversation(&client);
    let place = files.begin("a metà.jpg", 900);
    files.send(&place, 0, &photo(300)).expect(204);
    let id = finish(&client, &chat);
    files.send(&place, 300, &[0; 600]).not_found();
    assert_eq!(finish(&client, &chat), id, "sent twice");
    program.round();
    assert_eq!(stored(program.data()), Vec::<PathBuf>::new());
    assert_eq!(listed(&editor.report(&id)), []);
}

#[test]
fn who_only_announces_takes_nobodys_room() {
    let program = Program::behind_a_proxy();
    let client = program.client();
    let editor = program.set_up();
    editor.save_system(&json!({ "attachmentsTotalGb": 1 }));
    let stranger = client.with("x-forwarded-for", "192.0.2.7");
    let (_, files) = conversation(&stranger);
    for _ in 0..8 {
        files.announce("grande.jpg", 200 * 1024 * 1024).expect(201);
    }
    let (_, files) = conversation(&client.with("x-forwarded-for", "192.0.2.8"));
    files.attach("foto.jpg", &photo(500));
}

#[test]
fn a_full_folder_refuses_files_to_the_byte_and_takes_reports() {
    let (mut program, editor) = Program::with_editor();
    editor.save_system(&json!({ "attachmentsTotalGb": 1 }));
    report_with(&program, "foto.jpg", &photo(500));
    program.stop();
    let most: i64 = 1024 * 1024 * 1024;
    let full = most - 1_000_000;
    program.plant(&format!(
        "UPDATE attachments SET size = {full}, arrived = {full}"
    ));
    program.start_again();
    let client = program.client();
    let (chat, files) = conversation(&client);
    let refused = files.announce("grande.jpg", 1_000_001);
    refused.problem(507, "spazio-esaurito");
    let places: Vec<String> = (0..10).map(|_| files.begin("foto.jpg", 600_000)).collect();
    let bytes = photo(600_000);
    let said = at_once(10, |number| files.send(&places[number], 0, &bytes).status);
    let honest = said.iter().all(|status| [204, 507].contains(status));
    assert!(honest, "{said:?}");
    let arrived: usize = places.iter().map(|place| files.offset(place)).sum();
    assert!(arrived <= 1_000_000, "{arrived}");
    finish(&client, &chat);
}

/// A file of a thousand bytes of which one is sent and no more come, once it has a place or is refused one.
fn slow_upload(program: &Program, files: &Files) -> (String, TcpStream) {
    let before = stored(program.data()).len();
    let place = files.begin("lenta.jpg", 1_000);
    let sending = files.sending(&place, 0, &photo(1));
    let line = sending.header("content-length", "1000").send_only();
    line.set_nonblocking(true).expect("a line");
    wait_for("a place or a refusal", || {
        (is_answered(&line) || stored(program.data()).len() > before).then_some(())
    });
    (place, line)
}

fn is_answered(line: &TcpStream) -> bool {
    line.peek(&mut [0; 1]).is_ok()
}

fn files_from(program: &Program, host: usize) -> Files {
    let address = format!("192.0.2.{host}");
    conversation(&program.from(&address)).1
}

#[test]
fn one_client_has_eight_places_for_uploads() {
    let program = Program::behind_a_proxy();
    let files = files_from(&program, 1);
    let lines = (0..10).map(|_| slow_upload(&program, &files).1);
    let lines: Vec<TcpStream> = lines.collect();
    assert_eq!(lines.iter().filter(|line| is_answered(line)).count(), 2);
    files_from(&program, 2).attach("foto.jpg", &photo(500));
}

#[test]
fn a_newcomer_takes_the_place_of_the_slowest_upload_of_the_largest_holder() {
    let program = Program::behind_a_proxy();
    let mut slow = Vec::new();
    for host in 1..=8 {
        let files = files_from(&program, host);
        let lines = (0..8).map(|_| slow_upload(&program, &files));
        slow.push((lines.collect::<Vec<_>>(), files));
    }
    let lines = || slow.iter().flat_map(|(lines, _)| lines);
    assert!(!lines().any(|(_, line)| is_answered(line)), "64 places");
    for host in 100..103 {
        files_from(&program, host).attach("foto.jpg", &photo(500));
    }
    let sent_away = wait_for("one that is sent away", || {
        let mut all = slow
            .iter()
            .flat_map(|(lines, files)| lines.iter().zip(std::iter::repeat(files)));
        all.find(|((_, line), _)| is_answered(line))
    });
    let ((place, line), files) = sent_away;
    let (mut line, mut answer) = (line.try_clone().expect("a line"), [0; 12]);
    line.set_nonblocking(false).expect("a line");
    line.read_exact(&mut answer).expect("an answer");
    assert_eq!(&answer, b"HTTP/1.1 503");
    // Nothing is lost, and nobody else was sent away.
    assert_eq!(files.offset(place), 1);
    files.send(place, 1, &photo(1_000)[1..]).expect(204);
    assert!(lines().filter(|(_, line)| is_answered(line)).count() <= 2);
}

#[test]
fn what_a_planted_backup_names_is_deleted_in_its_folder_alone() {
    let mut program = Program::start();
    program.set_up();
    let file = back_up(program.home(), &[]);
    program.stop();
    let (manifest, database) = unpacked(&file);
    let elsewhere = program.home().join("altrui");
    fs::write(&elsewhere, "di altri").expect("written");
    let planted = format!(
        "INSERT INTO attachments_gone VALUES ('../segnalazioni.key'), ('{}'), ('..')",
        elsewhere.display()
    );
    let planted = packed(&altered(&database, &planted), &manifest, |said| {
        said["tables"]["attachments_gone"] = json!(3);
    });
    fs::write(program.home().join("x.backup"), planted).expect("written");
    backups::restore(program.home(), "x.backup", &["--force"]);
    program.start_again();
    program.round();
    assert!(elsewhere.exists() && program.data().join("segnalazioni.key").exists());
}

#[test]
fn a_sealed_archive_takes_files_that_only_an_editor_opens() {
    let program = Program::start();
    let client = program.client();
    let (editor, code) = program.set_up_with_code();
    let sealed = json!({ "recoveryCode": code });
    editor.post_json("/security/sealed", &sealed).expect(200);
    editor.delete("/session").expect(204);
    let (chat, files) = conversation(&client);
    let bytes = photo(PIECE + 9);
    let place = files.begin("foto.jpg", bytes.len());
    files.send(&place, 0, &bytes[..10]).expect(204);
    files.send(&place, 10, &bytes[10..]).expect(204);
    let id = finish(&client, &chat);
    assert!(opened(&program.log_in(), &id, 1) == bytes);
}

#[test]
fn a_file_that_grew_on_the_disk_stops_no_backup() {
    let (program, _) = Program::with_editor();
    report_with(&program, "foto.jpg", &photo(500));
    let file = fs::File::options().append(true).open(only_stored(&program));
    let mut file = file.expect("a file");
    file.write_all(b"di troppo").expect("written");
    let backup = back_up(program.home(), &[]);
    let said = backups::verify(program.home(), &backup);
    assert!(said.contains("Allegati: 1.\n"), "{said}");
}

#[test]
fn upload_under_way_follows_the_settings_as_they_are_now() {
    let (program, editor) = Program::with_editor();
    let client = program.client();
    let (chat, files) = conversation(&client);
    let bytes = photo(3 << 20);
    let off = json!({ "attachmentsEnabled": false });
    let smaller =
        json!({ "attachmentsEnabled": true, "attachmentMaxMb": 2, "attachmentsPerReport": 1 });
    for (settings, status, slug) in [
        (off, 403, "allegati-disattivati"),
        (smaller, 413, "troppo-grande"),
    ] {
        editor.save_system(&json!({ "attachmentsEnabled": true }));
        let place = files.begin("foto.jpg", bytes.len());
        files.send(&place, 0, &bytes[..PIECE]).expect(204);
        editor.save_system(&settings);
        let sent = files.send(&place, PIECE, &bytes[PIECE..]);
        sent.problem(status, slug);
        // It is dropped, and takes none of the report's places.
        files.ask(&place).expect(404);
    }
    files.attach("foto.jpg", &bytes[..PIECE]);
    let id = finish(&client, &chat);
    assert!(opened(&editor, &id, 1) == bytes[..PIECE]);
}

#[test]
fn pictures_of_an_opened_report_are_shown_and_noted_once_for_all() {
    let (program, editor) = Program::with_editor();
    let (one, two) = (photo(300), photo(70_000));
    let pdf = b"%PDF-1.7\n%%EOF\n";
    let files: [(&str, &[u8]); 3] = [("uno.jpg", &one), ("due.jpg", &two), ("atto.pdf", pdf)];
    let id = report_with_files(&program, &files);
    let preview = |n: u8| editor.get(&format!("/reports/{id}/attachments/{n}?preview=true"));
    let noted = || editor.rows("/logs?action=EXPORT_ATTACHMENT").len();
    preview(1).problem(409, "conflitto");
    assert_eq!(noted(), 0);
    let detail = editor.report(&id);
    assert_eq!(detail["attachments"].as_array().map(Vec::len), Some(3));
    let row = editor.list("")["data"][0].clone();
    has!(row, "attachments": 3);
    assert_eq!(editor.list("?files=true")["matching"], 1);
    for n in [1, 2, 1] {
        preview(n).expect(200);
    }
    preview(3).problem(415, "tipo-non-supportato");
    assert_eq!(noted(), 1);
    opened(&editor, &id, 1);
    assert_eq!(noted(), 2, "a download is noted each time");
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
