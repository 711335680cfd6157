//! The onion socket: what is served there, and that whoever comes by it has no address (PRODUCT.md §15).

use std::fs;
use std::os::unix::net::UnixListener;
use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::siege::{besiege, challenge, person, with_proof};
use crate::support::attachments::{Files, photo};
use crate::support::chat::{Chat, Person, Reply, recognisable, turn};
use crate::support::doctor::{Findings, NAMES, ask};
use crate::support::executable::{Server, command, refusal, serve};
use crate::support::http::Client;
use crate::support::panel::{Editor, cookies_of};
use crate::support::program::Program;
use crate::support::returning::{Visit, try_code};
use crate::support::{MINUTE, SECOND, contains, disk};

const ONION: &str = "http://2gzyxa5ihm7nsggfxnu52rck2vv4rvmdlkiu3zzui5du4xyclen53wid.onion";
/// What [`recognisable`] says of the caller in `X-Forwarded-For`.
const CANARY: &[u8] = b"203.0.113.77";
const CHECK: &str = "servizio onion";

/// A socket that is to be.
pub struct Place(TempDir);

impl Place {
    pub fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    fn path(&self) -> PathBuf {
        self.0.path().join("onion.sock")
    }

    fn listen(&self) -> String {
        format!("unix:{}", self.path().display())
    }

    pub fn client(&self) -> Client {
        Client::by_socket(&self.path())
    }

    /// A program that listens here too, and believes proxies on this machine.
    pub fn program(&self, more: &[(&str, &str)]) -> Program {
        let listen = format!("127.0.0.1:0,{}", self.listen());
        let own = [
            ("SEGNALAZIONI_LISTEN", listen.as_str()),
            ("SEGNALAZIONI_TRUSTED_PROXIES", "127.0.0.1"),
        ];
        Program::start_with(&[&own, more].concat())
    }
}

/// The executable, whose log and data are in this folder.
fn executable(folder: &TempDir, place: &Place) -> Command {
    let mut command = serve(folder.path());
    command
        .args(["--listen", &place.listen()])
        .env("SEGNALAZIONI_LOG", "trace")
        .env("SEGNALAZIONI_TRUSTED_PROXIES", "127.0.0.1");
    command
}

#[test]
fn a_conversation_by_the_socket_leaves_no_address_in_any_file_or_log() {
    let (folder, place) = (tempfile::tempdir().expect("a folder"), Place::new());
    let server = Server::spawn(executable(&folder, &place), folder.path());
    let client = recognisable(&place.client());
    for path in ["/paibeta/", "/paibeta/seguito"] {
        client.page(path).expect(200);
    }
    let chat = Chat::at_the_end(&client, &Person::numbered(1));
    Files::of(&client, chat.token()).attach("foto.jpg", &photo(2_000));
    let last = Reply::of(&turn(&client, chat.token(), "no"));
    let opened = try_code(&client, &last.receipt.expect("a code")).expect(200);
    let set = cookies_of(&opened)[0];
    let in_the_clear = set.starts_with("segnalazioni-seguito=") && !set.contains("Secure");
    assert!(in_the_clear, "{set}");
    let visit = Visit::of(&client, &opened);
    visit.tell("Ho trovato anche le ricevute.").expect(200);
    let told = visit.read();
    assert_eq!(told["messages"].as_array().map(Vec::len), Some(1), "{told}");
    visit.files().attach("altra.jpg", &photo(1_000));
    visit.leave().expect(204);

    assert!(server.errors().contains("answered"), "the log says nothing");
    server.stop();
    assert!(!place.path().exists());
    let found = disk::holding(folder.path(), CANARY);
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn nothing_of_the_panel_is_there() {
    let place = Place::new();
    let program = place.program(&[]);
    let editor = program.set_up();
    let by_socket = Editor::with_cookie(&place.client(), editor.cookie().to_owned());
    let document = include_str!("../../ui/openapi.json");
    let document: Value = serde_json::from_str(document).expect("JSON");
    for (path, methods) in document["paths"].as_object().expect("paths") {
        let filled = ["{n}", "{id}", "{batch}"].into_iter();
        let path = filled.fold(path.clone(), |path, name| path.replace(name, "1"));
        for (method, operation) in methods.as_object().expect("operations") {
            let whole = by_socket.request(&method.to_uppercase(), &path);
            let answer = whole.json(&json!({})).send();
            let told = String::from_utf8(answer.body).expect("a text");
            let absent = told.contains("Questo indirizzo non esiste.");
            let of_panel = operation["tags"][0] != "pubblico" && method != "head";
            assert_eq!(absent, of_panel, "{method} {path}: {told}");
        }
    }
    for (path, status) in [
        ("/", 307),
        ("/robots.txt", 200),
        ("/paibeta", 200),
        ("/paibeta/", 200),
        ("/paibeta/?embed", 200),
        ("/paibeta/seguito", 200),
        ("/paibeta/manifest.webmanifest", 200),
        ("/paibeta/healthz", 200),
        ("/paibeta/login", 404),
        ("/paibeta/setup", 404),
        ("/paibeta/invito", 404),
        ("/paibeta/admin", 404),
        ("/paibeta/admin/", 404),
        ("/paibeta/admin/list", 404),
        ("/paibeta//admin", 404),
        ("/paibeta/api/openapi.json", 404),
        ("/metrics", 404),
        ("/altro", 404),
    ] {
        let answer = by_socket.page(path);
        assert_eq!(answer.status, status, "{path}");
        assert!(cookies_of(&answer).is_empty(), "{path}");
    }
    let page = by_socket.page("/paibeta/");
    let mut texts = page.text().split('"');
    let asset = texts.find(|text| text.starts_with("/paibeta/assets/"));
    by_socket.page(asset.expect("an asset")).expect(200);
}

#[test]
fn in_a_siege_one_that_waited_gets_in_every_two_seconds_apart_from_all_others() {
    let place = Place::new();
    let program = besiege(place.program(&[]));
    let (onion, near) = (place.client(), program.from("192.0.2.1"));
    let chats: Vec<Chat> = [&onion, &onion, &onion, &near, &near]
        .iter()
        .enumerate()
        .map(|(number, client)| Chat::at_the_end(client, &person(60 + number)))
        .collect();
    let salts = chats.iter().enumerate().map(|(number, chat)| {
        let client = if number < 3 { &onion } else { &near };
        let asked = challenge(&turn(client, chat.token(), "no"));
        // One address has one place, by the socket each conversation.
        let wait = if number < 3 { 60 + 2 * number } else { 60 };
        assert_eq!((&asked["wait"], &asked["bits"]), (&json!(wait), &json!(18)));
        json!({ "salt": asked["salt"] })
    });
    let salts: Vec<Value> = salts.collect();
    let waited = |client: &Client, number: usize| {
        with_proof(client, chats[number].token(), "no", &salts[number])
    };
    challenge(&waited(&onion, 0));
    program.clock.advance(MINUTE);
    let first = waited(&onion, 0).expect(200);
    // Sent again because the answer got lost.
    assert_eq!(waited(&onion, 0).body, first.body);
    for number in [1, 2] {
        assert_eq!(challenge(&waited(&onion, number))["wait"], 2 * number);
    }
    // Who has an address neither waits for them, nor lets them wait.
    waited(&near, 3).expect(200);
    program.clock.advance(2 * SECOND);
    waited(&onion, 1).expect(200);
    assert_eq!(challenge(&waited(&onion, 2))["wait"], 2);
    // Those of one address wait a minute for each other.
    assert_eq!(challenge(&waited(&near, 4))["wait"], 58);
    // A proof gets in at once.
    let chat = Chat::at_the_end(&onion, &person(70));
    let asked = challenge(&turn(&onion, chat.token(), "no"));
    let proof = json!({ "salt": asked["salt"], "n": crate::support::chat::solve(&asked) });
    with_proof(&onion, chat.token(), "no", &proof).expect(200);
}

#[test]
fn wrong_codes_by_the_socket_use_up_nothing_of_others() {
    let place = Place::new();
    let program = place.program(&[]);
    let guess = |client: &Client| try_code(client, "00000-00000-00000-00000").status;
    let near = program.from("192.0.2.1");
    // Those who come by it are many.
    let mut tries = (0..101).map(|_| guess(&place.client()));
    assert!(tries.all(|status| status == 404));
    let tries: Vec<u16> = (0..101).map(|_| guess(&near)).collect();
    assert_eq!((tries[99], tries[100]), (404, 429));
    assert_eq!(guess(&place.client()), 404);
}

#[test]
fn files_that_wait_by_the_socket_take_no_room_from_others_nor_make_any() {
    let place = Place::new();
    let mut program = place.program(&[]);
    let settings = json!({ "attachmentsTotalGb": 1 });
    program.set_up().save("/settings/system", &settings);
    let conversation = |client: &Client, number| {
        let chat = Chat::at_the_end(client, &Person::numbered(number));
        (Files::of(client, chat.token()), chat)
    };
    let (files, of_address) = conversation(&program.client(), 1);
    let kept = files.attach("foto.jpg", &photo(500));
    let (files, _) = conversation(&place.client(), 2);
    files.attach("foto.jpg", &photo(500));
    // Both have used up what they may: 250 MB and 130.
    program.stop();
    let grown = "UPDATE attachments SET size = 130000000, arrived = 130000000 WHERE onion; \
                 UPDATE attachments SET size = 250000000, arrived = 250000000 WHERE NOT onion";
    program.plant(grown);
    program.start_again();
    let (newer, _) = conversation(&place.client(), 3);
    program.clock.advance(61 * MINUTE);
    let newest = newer.begin("altra.jpg", 20_000_000);
    newer.send(&newest, 0, &photo(20_000_000)).expect(204);
    let left = || {
        let sql = "SELECT count(*), total(onion) FROM attachments WHERE arrived > 0";
        let found = disk::database(program.data()).query_row(sql, [], |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, f64>(1)?))
        });
        found.expect("counts")
    };
    // The older one of the socket went, and no other.
    assert_eq!(left(), (2, 1.0));
    let files = Files::of(&program.client(), of_address.token());
    assert_eq!(files.ask(&kept).status, 200);
    // Once it is a report's, nothing says how it came.
    let (files, own) = conversation(&place.client(), 4);
    files.attach("foto.jpg", &photo(500));
    turn(&place.client(), own.token(), "no");
    assert_eq!(left(), (3, 1.0));
}

#[test]
fn pages_over_https_name_the_onion_service() {
    let place = Place::new();
    let https = ("SEGNALAZIONI_PUBLIC_URL", "https://segnala.example");
    let onion = ("SEGNALAZIONI_ONION_URL", ONION);
    for (variables, says) in [
        (vec![https, onion], true),
        (vec![onion], false),
        (vec![https], false),
    ] {
        let program = place.program(&variables);
        let promise = |client: &Client| {
            let page = client.page("/paibeta/").expect(200);
            let policy = page.header("content-security-policy").expect("a policy");
            assert!(!policy.contains("upgrade-insecure"), "{policy}");
            page.header("strict-transport-security").is_some()
        };
        assert_eq!(promise(&program.client()), variables.contains(&https));
        assert!(!promise(&place.client()));
        let named = |client: &Client, path: &str| {
            let answer = client.page(path);
            answer.header("onion-location").map(str::to_owned)
        };
        for path in "/paibeta /paibeta/ /paibeta/?embed /paibeta/seguito".split(' ') {
            let expected = says.then(|| ONION.to_owned() + path.trim_end_matches("?embed"));
            assert_eq!(named(&program.client(), path), expected, "{path}");
            assert_eq!(named(&place.client(), path), None, "{path}");
        }
        for path in "/paibeta/login /paibeta/admin /paibeta/api/status /robots.txt /".split(' ') {
            assert_eq!(named(&program.client(), path), None, "{path}");
        }
    }
}

#[test]
fn a_socket_of_the_dead_is_replaced_and_one_of_the_living_is_not() {
    let [folder, other] = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
    let place = Place::new();
    let start = |folder: &TempDir| {
        let mut command = serve(folder.path());
        command.args(["--listen", &place.listen()]);
        command
    };
    let server = Server::spawn(start(&folder), folder.path());
    assert_eq!(disk::mode(&place.path()), 0o660);
    let told = refusal(start(&other));
    let taken = [
        "impossibile ascoltare su unix:/",
        "un altro processo vi risponde",
    ];
    contains(&told, &taken);
    place.client().get("/status").expect(200);
    server.kill();
    assert!(place.path().exists(), "nobody removed it");
    let server = Server::spawn(start(&folder), folder.path());
    place.client().get("/status").expect(200);
    server.stop();
    assert!(!place.path().exists());

    fs::write(place.path(), "una lettera").expect("written");
    let told = refusal(start(&other));
    contains(told, &["c'è già un file che non è un socket"]);
    let letter = fs::read_to_string(place.path());
    assert_eq!(letter.expect("still there"), "una lettera");
}

#[test]
fn the_doctor_looks_whether_the_socket_answers() {
    let place = Place::new();
    let mut program = place.program(&[]);
    let look = |program: &Program| {
        let lines = format!("listen = ['127.0.0.1:0', '{}']", place.listen());
        fs::write(program.home().join("config.toml"), lines).expect("written");
        ask(command(program.home(), &["doctor", "--json"])).1
    };
    let says = |found: &Findings, state: &str, words: &str| found.says(CHECK, state, words);
    let found = look(&program);
    says(&found, "ok", "onion.sock risponde");
    assert_eq!(found.names(), [&NAMES[..], &[CHECK]].concat());
    program.stop();
    says(&look(&program), "errore", "riavviare il server");
    // One that answers nothing.
    let mute = UnixListener::bind(place.path()).expect("bound");
    let hanging_up = std::thread::spawn(move || drop(mute.accept()));
    says(&look(&program), "errore", "non risponde");
    hanging_up.join().expect("it ends");
}

#[test]
fn the_lines_for_tor_in_the_operators_guide_are_valid() {
    let guide = include_str!("../../docs/GESTIONE.md");
    let mut blocks = guide.split("```");
    let block = blocks.find(|block| block.contains("HiddenServicePort"));
    let lines = block.expect("the lines").lines();
    let lines: Vec<&str> = lines.filter(|line| line.starts_with("Hidden")).collect();
    assert_eq!(lines.len(), 6);
    let folder = tempfile::tempdir().expect("a folder");
    let home = folder.path().to_str().expect("a text");
    let torrc = lines.join("\n").replace("/var/lib/tor", home);
    fs::write(folder.path().join("torrc"), torrc).expect("written");
    fs::write(folder.path().join("defaults"), "").expect("written");
    let mut tor = Command::new("tor");
    tor.args(["--verify-config", "--DataDirectory", home])
        .args(["--defaults-torrc", "defaults", "-f", "torrc"])
        .current_dir(home);
    let output = tor
        .output()
        .unwrap_or_else(|error| panic!("tor: {error}: `make test` installs Debian's package tor"));
    let said = String::from_utf8_lossy(&output.stdout);
    let valid = output.status.success() && said.contains("Configuration was valid");
    assert!(valid, "{said}");
}
