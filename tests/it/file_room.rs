//! The room for attachments: what no report follows has a share of its own, and those who can make room are told.

use serde_json::json;

use crate::support::attachments::{Files, photo};
use crate::support::chat::{Chat, Person, turn};
use crate::support::disk;
use crate::support::program::Program;

/// Makes every file of the archive count as so many bytes.
fn grow_files(program: &mut Program, bytes: i64) {
    program.stop();
    let grown = format!("UPDATE attachments SET size = {bytes}, arrived = {bytes}");
    let database = disk::database(program.data());
    database.execute_batch(&grown).expect("changed");
    program.start_again();
}

#[test]
fn nearly_full_room_for_files_is_told() {
    let (mut program, editor) = Program::with_editor();
    editor.save("/settings/system", &json!({ "attachmentsTotalGb": 1 }));
    let chat = Chat::at_the_end(&program.client(), &Person::numbered(1));
    Files::of(&program.client(), chat.token()).attach("foto.jpg", &photo(500));
    turn(&program.client(), chat.token(), "no");
    for (bytes, nearly_full, status) in [(900_000_000, false, 200), (970_000_000, true, 503)] {
        grow_files(&mut program, bytes);
        let editor = program.log_in();
        let alerts = editor.get("/system/alerts").expect(200).json();
        assert_eq!(alerts["attachmentsNearlyFull"], nearly_full, "{alerts}");
        let health = program.client().page("/paibeta/healthz?disk");
        assert_eq!(health.status, status);
    }
}
