//! What version 1.0 wrote, in `tests/fixtures/1.0`: each later version opens all of it. Nothing of it may ever be made anew.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use tempfile::TempDir;

use crate::support::attachments::photo;
use crate::support::backups;
use crate::support::chat::{Person, turn};
use crate::support::contains;
use crate::support::disk::copy;
use crate::support::executable::{Server, command};
use crate::support::panel::Editor;
use crate::support::returning::Visit;

/// What was handed out then.
#[derive(Deserialize)]
struct Handed {
    /// Id of the first report, which has a file and stands in a story.
    report: String,
    /// Of its receipt.
    code: String,
    /// Token of a conversation that was asked for its surname.
    conversation: String,
}

fn written() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/1.0")
}

fn handed() -> Handed {
    let text = fs::read(written().join("handed.json")).expect("a file");
    serde_json::from_slice(&text).expect("what was handed out")
}

/// The key file in a data folder, for its owner alone, as a checkout does not keep it.
fn lay_key(data: &Path) {
    let key = data.join("segnalazioni.key");
    fs::copy(written().join("data/segnalazioni.key"), &key).expect("copied");
    fs::set_permissions(key, fs::Permissions::from_mode(0o600)).expect("set");
}

/// A copy of the folder of an installation: configuration and data.
fn installation() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    copy(&written().join("data"), &data);
    lay_key(&data);
    let config = folder.path().join("config.toml");
    fs::copy(written().join("config.toml"), config).expect("copied");
    folder
}

fn start(folder: &Path) -> Server {
    let arguments = [
        "serve",
        "--config",
        "config.toml",
        "--listen",
        "127.0.0.1:0",
    ];
    Server::spawn(command(folder, &arguments), folder)
}

/// What an editor reads of it, wherever it came from; a file of the panel has no attachments.
fn reads(editor: &Editor, files: bool) {
    let report = editor.report(&handed().report);
    let person = Person::numbered(1);
    has!(report, "nome": person.nome, "stato": "In lavorazione", "note": "Nota di allora.");
    assert_eq!(report["story"]["title"], "Storia di allora");
    assert_eq!(editor.all_ids().len(), 3);
    let callouts = editor.read("/callouts");
    assert_eq!(callouts["data"][0]["title"], "Posti letto");
    assert_eq!(
        editor.read("/settings/system")["productName"],
        "Voce di allora"
    );
    let file = editor.get(&format!("/reports/{}/attachments/1", handed().report));
    if files {
        assert!(file.expect(200).body == photo(4_000));
    }
}

#[test]
fn archive_configuration_and_keys_are_served_and_what_was_handed_out_counts() {
    let folder = installation();
    let server = start(folder.path());
    let client = server.client();
    reads(&server.log_in(), true);
    let told = Visit::by(&client, &handed().code).read();
    assert_eq!(told["state"], "In lavorazione");
    // Tokens have another layout since, and none lasts longer than three days: the conversation begins anew.
    turn(&client, &handed().conversation, "Rossi").problem(400, "token-non-valido");
}

#[test]
fn a_backup_is_verified_and_restored_with_its_files() {
    let backup = written().join("segnalazioni.backup");
    let folder = tempfile::tempdir().expect("a folder");
    contains(backups::verify(folder.path(), &backup), &["3 segnalazioni"]);
    backups::restore(folder.path(), &backup, &[]);
    lay_key(&folder.path().join("data"));
    contains(
        backups::verify(folder.path(), &backup),
        &["Allegati: 1.", "Aperte per prova: 3 segnalazioni."],
    );
    reads(&Server::start(folder.path()).log_in(), true);
}

#[test]
fn a_file_of_the_panel_is_restored() {
    let folder = installation();
    let file = written().join("pannello.json");
    backups::restore(folder.path(), &file, &["--force"]);
    reads(&Server::start(folder.path()).log_in(), false);
}
