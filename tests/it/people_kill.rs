//! `kill -9` while people, slots and roles change, in a sealed archive: those who could open it still can, and no others.

use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::thread;

use serde_json::{Value, json};

use crate::support::chat::{Person, submit};
use crate::support::disk::database;
use crate::support::executable::{Server, command, run, serve, text};
use crate::support::http::{Client, Request};
use crate::support::panel::{Editor, OTHER_PASSWORD, PASSWORD};
use crate::support::people::{WORD, id_of, join, token_of, try_log_in_as};
use crate::support::{Dice, from_environment, wait_for};

/// Kills; `make soak` has more, as many as `KILLS` in the environment says.
const KILLS: usize = 3;

/// What somebody may be: one thing, or either of two where no answer came.
struct Known {
    /// Luca's.
    roles: Vec<&'static str>,
    /// Rita's.
    words: Vec<&'static str>,
    /// Whether Zeno is in.
    zeno: Vec<bool>,
}

/// Sends a change, after which the first of two holds; without an answer, either.
fn sent<T: Copy>(request: Request, may_be: &mut Vec<T>, after: T) -> Option<Value> {
    may_be.insert(0, after);
    let answer = request.try_send().ok()?;
    assert!((200..300).contains(&answer.status), "{}", answer.text());
    may_be.truncate(1);
    Some(serde_json::from_slice(&answer.body).unwrap_or_default())
}

/// One change that the dice choose; `None` once the server is gone.
fn change(editor: &Editor, client: &Client, known: &mut Known, dice: &mut Dice) -> Option<()> {
    let people = editor.api("GET", "/people").try_send().ok()?.json();
    let person = |user: &str| {
        let mut all = people["data"].as_array().expect("people").iter();
        all.find(|person| person["user"] == user)
    };
    let path = |user: &str| {
        let id = person(user).map(|person| person["id"].as_str().expect("an id"));
        format!("/people/{}", id.unwrap_or_default())
    };
    match dice.within(0..3) {
        0 => {
            let to = ["lettore", "redattore", "amministratore"][dice.within(0..3)];
            let request = editor
                .api("PATCH", &path("luca"))
                .json(&json!({ "role": to }));
            sent(request, &mut known.roles, to)?;
        }
        1 => {
            let to = [WORD, OTHER_PASSWORD][usize::from(known.words[0] == WORD)];
            let invitation = format!("{}/invitation", path("rita"));
            let token = token_of(&editor.api("POST", &invitation).try_send().ok()?.json());
            let answer = json!({ "token": token, "password": to });
            let request = client.api("POST", "/invitations").json(&answer);
            sent(request, &mut known.words, to)?;
        }
        _ if person("zeno").is_some() => {
            let request = editor.api("DELETE", &path("zeno"));
            sent(request, &mut known.zeno, false)?;
        }
        _ => {
            let new = json!({ "name": "Zeno", "user": "zeno", "role": "lettore" });
            let added = editor.api("POST", "/people").json(&new).try_send().ok()?;
            let answer = json!({ "token": token_of(&added.json()), "password": WORD });
            let request = client.api("POST", "/invitations").json(&answer);
            sent(request, &mut known.zeno, true)?;
        }
    }
    Some(())
}

/// Whether somebody gets in with a password, and reads then.
fn opens(client: &Client, (user, word): (&str, &str), report: &str) -> Option<Editor> {
    let answer = try_log_in_as(client, user, word, None);
    if answer.status != 204 {
        answer.problem(401, "password-non-valida");
        return None;
    }
    let editor = Editor::of(client, &answer);
    assert_eq!(editor.report(report)["nome"], "Nomeb", "{user}");
    Some(editor)
}

/// What may be is, and nothing else; afterwards it is known.
fn settle(client: &Client, known: &mut Known, report: &str) {
    let luca = opens(client, ("luca", WORD), report).expect("Luca");
    let role = luca.get("/session").expect(200).json()["role"].clone();
    known.roles.retain(|may_be| role == *may_be);
    let words = [WORD, OTHER_PASSWORD];
    let open = words.map(|word| opens(client, ("rita", word), report).is_some());
    known.words.retain(|may_be| {
        let place = words.iter().position(|word| word == may_be);
        place.is_some_and(|place| open[place])
    });
    assert_eq!(open.iter().filter(|open| **open).count(), 1, "one password");
    let zeno = opens(client, ("zeno", WORD), report).is_some();
    known.zeno.retain(|may_be| *may_be == zeno);
    known.zeno.dedup();
    known.words.dedup();
    known.roles.dedup();
    let counts = [known.roles.len(), known.words.len(), known.zeno.len()];
    assert_eq!(counts, [1; 3], "role {role}, words {open:?}, Zeno {zeno}");
}

#[test]
fn over_some_kills_everybody_who_could_open_the_archive_still_can() {
    killed(KILLS);
}

#[test]
#[ignore = "soak"]
fn over_many_kills_everybody_who_could_open_the_archive_still_can() {
    killed(from_environment("KILLS", 100));
}

fn killed(kills: usize) {
    let folder = tempfile::tempdir().expect("a folder");
    let reset = command(folder.path(), &["reset-password", "--stdin"]);
    let printed = run(reset, PASSWORD).stdout;
    let code = text(&printed).lines().next().expect("a line");
    let code = code.strip_prefix("Codice di recupero: ").expect("a code");
    let server = Server::start(folder.path());
    let (client, editor) = (server.client(), server.log_in());
    let unlimited = json!({ "enableRateLimiting": false });
    editor.save("/settings/security", &unlimited);
    let report = submit(&client, &Person::numbered(1));
    join(&editor, &client, "capo", "amministratore", &[]);
    join(&editor, &client, "luca", "lettore", &[]);
    let rita = join(&editor, &client, "rita", "redattore", &[]);
    let rita = id_of(&rita);
    let seal = json!({ "recoveryCode": code });
    editor.post_json("/security/sealed", &seal).expect(200);
    let mut known = Known {
        roles: vec!["lettore"],
        words: vec![WORD],
        zeno: vec![false],
    };
    let mut dice = Dice::thrown();
    server.kill();
    for _ in 0..kills {
        let server = Server::start(folder.path());
        let client = server.client();
        settle(&client, &mut known, &report);
        let editor = opens(&client, ("capo", WORD), &report).expect("Capo");
        let (enough, done) = (dice.within(0..4), AtomicUsize::new(0));
        thread::scope(|scope| {
            scope.spawn(|| {
                while change(&editor, &client, &mut known, &mut dice).is_some() {
                    done.fetch_add(1, SeqCst);
                }
            });
            wait_for("changes", || (done.load(SeqCst) >= enough).then_some(()));
            server.cut_off();
        });
    }
    let server = Server::start(folder.path());
    settle(&server.client(), &mut known, &report);
    // The control: somebody who lost a slot is seen, before anybody logs in.
    drop(server);
    let lost = "UPDATE key_slots SET blob = randomblob(length(blob)) WHERE owner = ?1 AND kind = 'password'";
    let data = database(&folder.path().join("data"));
    assert_eq!(data.execute(lost, [&rita]), Ok(1));
    drop(data);
    let refused = Server::try_spawn(serve(folder.path()), folder.path()).err();
    assert!(refused.expect("it does not start").contains("modificato"));
}
