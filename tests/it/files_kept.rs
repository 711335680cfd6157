//! What a reporter sees as attached is attached, or they are told before anything is sent (PRODUCT.md §4): files that were swept,
//! that had to make room, that were cut, and those of other tabs and restarts.

use serde_json::{Value, json};

use crate::support::attachments::{Files, listed, photo};
use crate::support::chat::{Chat, Person, Reply, turn};
use crate::support::disk;
use crate::support::doctor::examined;
use crate::support::http::{Answer, Client};
use crate::support::panel::Editor;
use crate::support::program::Program;
use crate::support::returning::{Visit, report};
use crate::support::{HOUR, MINUTE};

const HONEST: usize = 20;
const TEXT: &str = "no";

/// Somebody at the last question, with a file.
struct Reporter {
    address: String,
    token: String,
    name: String,
    place: String,
}

fn id_of(place: &str) -> &str {
    place.rsplit('/').next().expect("an id")
}

/// The last turn of a page that shows these files.
fn last_turn(client: &Client, token: &str, places: &[&str]) -> Answer {
    let ids: Vec<&str> = places.iter().map(|place| id_of(place)).collect();
    let said = json!({ "conversation": token, "text": TEXT, "attachments": ids });
    client.post_json("/chat/turns", &said)
}

impl Reporter {
    fn at(program: &Program, address: &str, number: usize) -> Self {
        let client = program.from(address);
        let chat = Chat::at_the_end(&client, &Person::numbered(number));
        let token = chat.token().to_owned();
        let name = format!("prova {number}.jpg");
        Self {
            place: Files::of(&client, &token).attach(&name, &photo(500)),
            address: address.to_owned(),
            token,
            name,
        }
    }

    fn numbered(program: &Program, number: usize) -> Self {
        Self::at(program, &format!("198.51.100.{number}"), number)
    }

    fn client(&self, program: &Program) -> Client {
        program.from(&self.address)
    }

    fn files(&self, program: &Program) -> Files {
        Files::of(&self.client(program), &self.token)
    }

    fn send(&self, program: &Program) -> Answer {
        last_turn(&self.client(program), &self.token, &[&self.place])
    }

    /// The last turn of a page that says nothing of files.
    fn send_unaware(&self, program: &Program) -> Answer {
        turn(&self.client(program), &self.token, TEXT)
    }
}

/// Everybody at an address of their own.
fn people(program: &Program) -> Vec<Reporter> {
    let numbers = 1..=HONEST;
    numbers
        .map(|number| Reporter::numbered(program, number))
        .collect()
}

#[track_caller]
fn refused(answer: &Answer, missing: &[&str]) -> Value {
    let problem = answer.problem(409, "allegato-mancante");
    assert_eq!(problem["missing"], json!(missing));
    problem
}

#[track_caller]
fn sent(answer: &Answer) -> String {
    Reply::of(answer).report_id.expect("a report")
}

fn names(editor: &Editor, id: &str) -> Vec<String> {
    let files = listed(&editor.report(id)).into_iter();
    files.map(|(_, name, ..)| name).collect()
}

/// How many reports were taken without their file, and how many people were told before.
fn outcomes(
    program: &Program,
    people: &[Reporter],
    send: fn(&Reporter, &Program) -> Answer,
) -> (usize, usize) {
    let editor = program.log_in();
    let (mut lost, mut told) = (0, 0);
    for person in people {
        let answer = send(person, program);
        if answer.status == 409 {
            refused(&answer, &[&person.name]);
            told += 1;
        } else if names(&editor, &sent(&answer)).is_empty() {
            lost += 1;
        }
    }
    (lost, told)
}

/// Makes files of conversations count as so many bytes.
fn grow(program: &mut Program, places: &[&str], bytes: i64) {
    program.stop();
    for place in places {
        program.plant(&format!(
            "UPDATE attachments SET size = {bytes}, arrived = {bytes} WHERE id = '{}'",
            id_of(place)
        ));
    }
    program.start_again();
}

fn shrink(program: &mut Program) {
    program.stop();
    program.plant("UPDATE attachments SET size = 500, arrived = 500 WHERE arrived > 500");
    program.start_again();
}

/// Behind a proxy, with a folder of one gigabyte: a quarter of it is for files that wait.
fn small_room() -> Program {
    let program = Program::behind_a_proxy();
    let editor = program.set_up();
    editor.expects_a_flood();
    editor.save_system(&json!({ "attachmentsTotalGb": 1 }));
    program
}

#[test]
fn who_comes_back_after_25_hours_is_told_which_file_is_gone() {
    let program = small_room();
    let people = people(&program);
    program.clock.advance(25 * HOUR);
    program.round();
    assert_eq!(outcomes(&program, &people, Reporter::send), (0, HONEST));
    assert!(program.log_in().all_ids().is_empty(), "nothing was sent");
    let one = &people[0];
    let told = refused(&one.send(&program), &["prova 1.jpg"]);
    let detail = "prova 1.jpg non c'è più: allegalo di nuovo.";
    assert_eq!(told["detail"], detail);
    let place = one.files(&program).attach("prova 1.jpg", &photo(700));
    let id = sent(&last_turn(&one.client(&program), &one.token, &[&place]));
    assert_eq!(names(&program.log_in(), &id), ["prova 1.jpg"]);
    // A page that says nothing of files is taken as before: the loss is one that this test would see.
    let unaware = outcomes(&program, &people[1..], Reporter::send_unaware);
    assert_eq!(unaware, (HONEST - 1, 0));
}

#[test]
fn names_of_dropped_files_are_kept_no_longer_than_a_conversation() {
    let program = small_room();
    let person = Reporter::numbered(&program, 1);
    let rows = || program.count("SELECT count(*) FROM attachments");
    program.clock.advance(25 * HOUR);
    program.round();
    assert_eq!(rows(), 1);
    let kept = "SELECT sum(arrived + length(key)) FROM attachments";
    assert_eq!(program.count(kept), 0);
    person.files(&program).ask(&person.place).expect(404);
    program.clock.advance(72 * HOUR);
    program.round();
    assert_eq!(rows(), 0);
    program.hides(&["prova 1"]);
}

#[test]
fn a_stranger_with_300_megabytes_takes_nobodys_file() {
    let mut program = small_room();
    let people = people(&program);
    let stranger = Reporter::at(&program, "192.0.2.7", 99);
    grow(&mut program, &[&stranger.place], 250_000_000);
    let takes_more = |program: &Program| {
        let announced = stranger.files(program).announce("altra.jpg", 50_000_000);
        announced.problem(507, "spazio-esaurito");
    };
    takes_more(&program);
    // Nor once all have been quiet for long.
    program.clock.advance(2 * HOUR);
    takes_more(&program);
    assert_eq!(outcomes(&program, &people, Reporter::send), (0, 0));
}

#[test]
fn a_newcomer_with_little_gets_room_of_who_is_quiet_and_holds_most() {
    let mut program = small_room();
    let people = people(&program);
    let stranger = Reporter::at(&program, "192.0.2.7", 99);
    grow(&mut program, &[&stranger.place], 260_000_000);
    let late = Reporter::at(&program, "203.0.113.9", 50);
    let announce = |program: &Program| late.files(program).announce("video.jpg", 20_000_000);
    announce(&program).problem(507, "spazio-esaurito");
    program.clock.advance(61 * MINUTE);
    let dropped = || program.log_in().read("/system/alerts")["attachmentsDropped"].clone();
    let place = late.files(&program).begin("video.jpg", 20_000_000);
    assert_eq!(dropped(), false, "only announced");
    // What its reporter takes back is not lost.
    let spare = late.files(&program).attach("prova.jpg", &photo(700));
    late.files(&program).take_back(&spare).expect(204);
    examined(&program.log_in()).says("allegati", "ok", "tutti presenti");
    assert_eq!(stranger.files(&program).ask(&stranger.place).status, 200);
    let video = photo(20_000_000);
    late.files(&program).send(&place, 0, &video).expect(204);
    assert_eq!(dropped(), true);
    let lost = "nelle ultime 24 ore 1 file è stato scartato prima dell'invio";
    examined(&program.log_in()).says("allegati", "attenzione", lost);
    refused(&stranger.send(&program), &[&stranger.name]);
    assert_eq!(outcomes(&program, &people, Reporter::send), (0, 0));
    let shown = [&*late.place, &place];
    let id = sent(&last_turn(&late.client(&program), &late.token, &shown));
    assert_eq!(names(&program.log_in(), &id).len(), 2);
}

#[test]
fn nobody_gets_room_of_their_own_waiting_files() {
    let mut program = small_room();
    let one = Reporter::numbered(&program, 1);
    grow(&mut program, &[&one.place], 250_000_000);
    program.clock.advance(2 * HOUR);
    let own = one.files(&program).announce("altra.jpg", 20_000_000);
    own.problem(507, "spazio-esaurito");
    assert_eq!(one.files(&program).ask(&one.place).status, 200);
}

#[test]
fn a_turn_keeps_the_files_of_its_conversation() {
    let mut program = small_room();
    let [talking, silent] = [1, 2].map(|number| Reporter::numbered(&program, number));
    grow(&mut program, &[&silent.place], 120_000_000);
    // Who talks holds most, and would be the first to lose.
    grow(&mut program, &[&talking.place], 140_000_000);
    for _ in 0..3 {
        program.clock.advance(50 * MINUTE);
        let back = json!({ "conversation": talking.token, "state": "collect_name" });
        let asked = talking.client(&program).post_json("/chat/back", &back);
        asked.expect(200);
    }
    let late = Reporter::at(&program, "203.0.113.9", 50);
    late.files(&program).attach("video.jpg", &photo(20_000_000));
    assert_eq!(talking.files(&program).ask(&talking.place).status, 200);
    assert_eq!(silent.files(&program).ask(&silent.place).status, 404);
}

#[test]
fn a_refused_announcement_leaves_everything_as_it_was() {
    let mut program = small_room();
    let people = people(&program);
    let greedy = Reporter::at(&program, "192.0.2.7", 99);
    let places: Vec<&str> = people.iter().map(|one| &*one.place).collect();
    grow(&mut program, &places, 10_000_000);
    grow(&mut program, &[&greedy.place], 60_000_000);
    program.clock.advance(2 * HOUR);
    // Together with what it has itself it would not fit even if all others went.
    let announced = greedy.files(&program).announce("grande.jpg", 209_000_000);
    announced.problem(507, "spazio-esaurito");
    shrink(&mut program);
    assert_eq!(outcomes(&program, &people, Reporter::send), (0, 0));
}

#[test]
fn what_is_not_there_whole_is_told_by_name_and_what_was_never_there_by_id() {
    let program = small_room();
    let [one, other] = [1, 2].map(|number| Reporter::numbered(&program, number));
    let files = one.files(&program);
    let half = files.begin("a metà.jpg", 900);
    files.send(&half, 0, &photo(300)).expect(204);
    let taken_back = files.attach("tolta.jpg", &photo(300));
    // In another tab.
    files.take_back(&taken_back).expect(204);
    let unknown = "00000000-0000-4000-8000-000000000000";
    let shown = [&*one.place, &half, &taken_back, &other.place, unknown];
    let answer = last_turn(&one.client(&program), &one.token, &shown);
    let missing = ["a metà.jpg", "tolta.jpg", id_of(&other.place), unknown];
    let told = refused(&answer, &missing);
    let detail = "a metà.jpg, tolta.jpg e altri file non ci sono più: allegali di nuovo.";
    assert_eq!(told["detail"], detail);
    let id = sent(&one.send(&program));
    assert_eq!(names(&program.log_in(), &id), [&*one.name]);
}

#[test]
fn a_file_that_was_cut_on_the_disk_is_told_and_not_sent() {
    let mut program = small_room();
    let people = [1, 2].map(|number| Reporter::numbered(&program, number));
    let path = |place: &str| {
        let mut found = disk::paths_with("/allegati/", program.data()).into_iter();
        let found = found.find(|path| path.ends_with(id_of(place)));
        found.expect("a file")
    };
    let cut = std::fs::File::options()
        .write(true)
        .open(path(&people[0].place));
    cut.and_then(|file| file.set_len(100)).expect("cut");
    std::fs::remove_file(path(&people[1].place)).expect("removed");
    program.stop();
    program.start_again();
    assert_eq!(outcomes(&program, &people, Reporter::send), (0, 2));
    people[0].files(&program).ask(&people[0].place).expect(404);
}

#[test]
fn the_same_last_turn_is_the_same_report_and_one_with_other_files_is_not() {
    let program = small_room();
    let one = Reporter::numbered(&program, 1);
    // A second tab, whose file the first does not show.
    let second = one.files(&program).attach("seconda.jpg", &photo(300));
    let id = sent(&one.send(&program));
    assert_eq!(sent(&one.send(&program)), id);
    assert_eq!(sent(&one.send_unaware(&program)), id);
    assert_eq!(names(&program.log_in(), &id), [&*one.name], "what it shows");
    let shown = [&*one.place, &second];
    last_turn(&one.client(&program), &one.token, &shown).conflict();
    program.log_in().erase(&id).expect(200);
    assert_eq!(one.send(&program).status, 409);
}

#[test]
fn settings_that_changed_meanwhile_take_no_file_away() {
    let program = small_room();
    let one = Reporter::numbered(&program, 1);
    let second = one.files(&program).attach("seconda.jpg", &photo(300));
    let narrow =
        json!({ "attachmentsEnabled": false, "attachmentsPerReport": 1, "attachmentMaxMb": 1 });
    program.log_in().save_system(&narrow);
    let shown = [&*one.place, &second];
    let id = sent(&last_turn(&one.client(&program), &one.token, &shown));
    assert_eq!(names(&program.log_in(), &id).len(), 2);
}

#[test]
fn a_message_takes_the_files_that_its_page_shows_or_none_is_written() {
    let program = small_room();
    let client = program.client();
    let (_, code) = report(&client, 1);
    let visit = Visit::by(&client, &code);
    let files = visit.files();
    let [here, gone] = ["qui.jpg", "persa.jpg"].map(|name| files.attach(name, &photo(300)));
    files.take_back(&gone).expect(204);
    let write = |places: &[&str]| {
        let ids: Vec<&str> = places.iter().map(|place| id_of(place)).collect();
        visit.send(&json!({ "text": "Ecco.", "key": "uno", "attachments": ids }))
    };
    refused(&write(&[&here, &gone]), &["persa.jpg"]);
    let counts = |told: &Value| {
        ["messages", "attachments"].map(|of| told[of].as_array().map_or(0, Vec::len))
    };
    assert_eq!(counts(&visit.read()), [0, 0]);
    for _ in 0..2 {
        let told = write(&[&here]).expect(200).json();
        assert_eq!(counts(&told), [1, 1]);
    }
    visit.tell("Senza file.").expect(200);
}
