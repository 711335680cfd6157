//! `make serve` in a fresh clone, as README begins: the data folder that it leaves there is private and no part of the repository.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use crate::support::doctor::ask;
use crate::support::executable::{PATH, Server, command, confine, run, text};

/// What a program prints that must succeed, run in this folder.
fn prints(folder: &Path, program: &str, arguments: &[&str]) -> String {
    let mut command = Command::new(program);
    confine(&mut command, folder);
    let output = run(
        {
            command.args(arguments);
            command
        },
        "",
    );
    assert!(output.status.success(), "{program}: {output:?}");
    text(&output.stdout).to_owned()
}

/// The files that a clone would have, in a repository of their own.
fn clone_into(folder: &Path) {
    let source = Path::new(env!("CARGO_MANIFEST_DIR"));
    let tracked = prints(source, "git", &["ls-files", "-z"]);
    for file in tracked.split_terminator('\0') {
        let copy = folder.join(file);
        fs::create_dir_all(copy.parent().expect("a folder")).expect("made");
        fs::copy(source.join(file), copy).expect(file);
    }
    prints(folder, "git", &["init", "--quiet"]);
    prints(folder, "git", &["add", "--all"]);
}

#[test]
fn make_serve_leaves_a_private_data_folder_that_git_ignores() {
    let (clone, logs) = (tempfile::tempdir(), tempfile::tempdir());
    let (clone, logs) = (clone.expect("a folder"), logs.expect("a folder"));
    clone_into(clone.path());
    let data = clone.path().join("data");
    assert!(!data.exists(), "a clone brings no data folder");

    // The line that make would run once it has built.
    let [program, arguments] = [
        format!("PROGRAM={PATH}"),
        "ARGS=--listen 127.0.0.1:0".to_owned(),
    ];
    let line = prints(
        clone.path(),
        "make",
        &[
            "serve",
            "--dry-run",
            "--old-file=build",
            &program,
            &arguments,
        ],
    );
    let mut serve = Command::new("bash");
    confine(&mut serve, clone.path());
    serve.args(["-c", &line]);
    let server = Server::spawn(serve, logs.path());

    let mode = fs::metadata(&data)
        .expect("a data folder")
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o700);
    assert!(data.join("segnalazioni.db").exists());
    let (code, found) = ask(command(clone.path(), &["doctor", "--json"]));
    assert_eq!(code, 0, "{found:?}");
    found.says("cartella dei dati", "ok", "riservata");
    server.stop();
    let seen = ["ls-files", "--others", "--exclude-standard"];
    assert_eq!(prints(clone.path(), "git", &seen), "");
}
