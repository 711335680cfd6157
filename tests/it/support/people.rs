//! People with a password of their own: invited over the API, and logged in.

use serde_json::{Value, json};

use super::http::{Answer, Client};
use super::panel::Editor;
use super::program::Program;

/// The password of everybody who joins by [`join`].
pub const WORD: &str = "corda-limone-vulcano-tasto";

/// A person who was invited.
#[derive(Debug, Clone)]
pub struct Invited {
    pub id: String,
    pub token: String,
}

/// Invites a person, of all departments where none is named.
pub fn invite(editor: &Editor, user: &str, role: &str, departments: &[&str]) -> Invited {
    let new = json!({ "name": format!("Nome di {user}"), "user": user, "role": role, "departments": departments });
    let added = editor.post_json("/people", &new).expect(200).json();
    let id = added["id"].as_str().expect("an id").to_owned();
    Invited {
        id,
        token: token_of(&added),
    }
}

/// Invites somebody anew.
pub fn invite_again(editor: &Editor, id: &str) -> String {
    let path = format!("/people/{id}/invitation");
    token_of(&editor.post(&path).expect(200).json())
}

/// What stands behind `#` in the link of an answer.
pub fn token_of(answer: &Value) -> String {
    let link = answer["invitation"].as_str().expect("a link");
    link.split_once("/paibeta/invito#")
        .expect("a token")
        .1
        .to_owned()
}

/// Chooses a password.
pub fn answer(client: &Client, token: &str, password: &str) -> Answer {
    let body = json!({ "token": token, "password": password });
    client.post_json("/invitations", &body)
}

/// Invites a person, who chooses [`WORD`] and is logged in.
pub fn join(editor: &Editor, client: &Client, user: &str, role: &str, desks: &[&str]) -> Editor {
    let invited = invite(editor, user, role, desks);
    Editor::of(client, &answer(client, &invited.token, WORD).expect(204))
}

pub fn try_log_in_as(client: &Client, user: &str, password: &str, code: Option<&str>) -> Answer {
    let mut login = json!({ "user": user, "password": password });
    if let Some(code) = code {
        login["code"] = json!(code);
    }
    client.post_json("/session", &login)
}

/// Logs somebody in who joined.
pub fn log_in_as(client: &Client, user: &str) -> Editor {
    Editor::of(client, &try_log_in_as(client, user, WORD, None).expect(204))
}

/// The id of whoever is logged in.
pub fn id_of(editor: &Editor) -> String {
    let session = editor.get("/session").expect(200).json();
    session["id"].as_str().expect("a person").to_owned()
}

/// A program with so many reports, oldest first; the shared password, Anna and Bruno.
pub fn desk(reports: usize) -> (Program, Vec<String>, [Editor; 3]) {
    let (program, shared, ids) = Program::with_reports(reports);
    let [anna, bruno] =
        ["anna", "bruno"].map(|user| join(&shared, &program.client(), user, "redattore", &[]));
    (program, ids, [shared, anna, bruno])
}
