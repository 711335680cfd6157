//! The command line as an operator meets it: help, refusals, the greeting (PRODUCT.md §15).

use std::os::unix::fs::{MetadataExt, chown};
use std::os::unix::process::CommandExt;
use std::path::Path;

use crate::support::executable::{self, Server, command, fails, succeeds, text};
use crate::support::panel::{Editor, PASSWORD};
use crate::support::{contains, wait_for};

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder")
}

/// The words of each option are those of the manual pages, which are compared with the command line.
#[test]
fn every_subcommand_explains_itself_in_italian() {
    let folder = folder();
    let squeezed = |arguments: &[&str]| {
        let help = succeeds(folder.path(), arguments, "");
        help.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let top = squeezed(&["--help"]);
    let serve = "serve Avvia il server: la chat per il pubblico e il pannello per la redazione";
    contains(&top, &[serve, "vedi config.example.toml"]);
    for command in "serve reset-password backup restore verify doctor".split(' ') {
        let help = squeezed(&[command, "--help"]);
        let usage = format!("Uso: segnalazioni {command} [OPZIONI]");
        assert!(help.contains(&usage), "{help}");
    }
    assert_eq!(squeezed(&["help"]), top);
    assert_eq!(
        squeezed(&["help", "backup"]),
        squeezed(&["backup", "--help"])
    );
    let version = succeeds(folder.path(), &["--version"], "");
    let expected = concat!("segnalazioni ", env!("CARGO_PKG_VERSION"), " (");
    assert!(version.starts_with(expected), "{version}");
    assert!(!folder.path().join("data").exists(), "nothing is made");
}

#[test]
fn what_the_system_says_is_told_in_italian() {
    let folder = folder();
    std::fs::write(folder.path().join("occupata"), "").expect("written");
    for (arguments, said) in [
        (&["verify", "nessuno.backup"][..], "non esiste"),
        (&["serve", "--config", "nessuno.toml"], "non esiste"),
        (&["verify", "."], "non è un file"),
        (
            &[
                "reset-password",
                "--generate",
                "--data-dir",
                "occupata/dati",
            ],
            "non è una cartella",
        ),
    ] {
        let line = fails(folder.path(), arguments, "");
        contains(&line, &[said]);
        assert!(!line.contains("os error"), "{line}");
    }
}

#[test]
fn a_working_folder_that_is_gone_matters_to_relative_paths_alone() {
    let home = executable::installation();
    let gone = |arguments: &str| {
        let script = format!(
            "mkdir gone && cd gone && rmdir ../gone && exec {} {arguments}",
            executable::PATH
        );
        let mut shell = std::process::Command::new("sh");
        executable::confine(&mut shell, home.path());
        shell.args(["-c", &script, "sh"]).arg(home.path());
        executable::run(shell, "")
    };
    let output = gone("backup --data-dir \"$1/data\" --output \"$1/intero.backup\"");
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
    assert!(home.path().join("intero.backup").is_file());
    let output = gone("backup --data-dir data --output intero.backup");
    assert_eq!(output.status.code(), Some(1));
    contains(text(&output.stderr), &["non esiste"]);
}

/// A command line, and what is wrong with it.
const WRONG: &str = "\
    avvia: comando sconosciuto «avvia»
    restor x: comando sconosciuto «restor»
    serve --porta 80: opzione sconosciuta «--porta»
    reset-password --password=segretissima: opzione sconosciuta «--password»
    reset-password segretissima: un argomento in più
    reset-password --stdin --generate: non si può usare insieme a «--generate»
    backup --json --json: «--json» si può dare una volta sola
    backup --keep: manca il valore di «--keep <N>»
    backup --keep molti: valore non valido per «--keep <N>»: un numero da 1 in su
    backup --keep 0: con 0 non resterebbe nemmeno il backup appena fatto
    restore: manca «<FILE>»";

#[test]
fn what_is_wrong_with_a_command_line_is_said_in_italian() {
    let folder = folder();
    for line in WRONG.lines() {
        let (typed, said) = line.trim().split_once(": ").expect("a line");
        let arguments: Vec<&str> = typed.split(' ').collect();
        let output = executable::run(command(folder.path(), &arguments), "");
        assert_eq!(output.status.code(), Some(2), "{typed}");
        assert_eq!(text(&output.stdout), "", "{typed}");
        let told = text(&output.stderr);
        let lines: Vec<&str> = told.lines().collect();
        assert_eq!(lines.len(), 2, "{told}");
        contains(lines[0], &["segnalazioni: ", said]);
        contains(lines[1], &["--help"]);
        assert!(!told.contains("segretissima"), "{told}");
    }
    assert!(!folder.path().join("data").exists());
}

#[test]
fn a_bad_configuration_is_one_line_with_key_value_reason_and_place() {
    let folder = folder();
    let mut reset = command(folder.path(), &["reset-password", "--generate"]);
    reset.env("SEGNALAZIONI_LOG", "urla");
    let insecure = command(folder.path(), &["serve", "--listen", "0.0.0.0:0"]);
    for (command, parts) in [
        (reset, "«log»|«urla»|sono ammessi|SEGNALAZIONI_LOG"),
        (insecure, "«listen»|«0.0.0.0:0»|in chiaro|insecure_http"),
    ] {
        let line = executable::refusal(command);
        contains(line, &parts.split('|').collect::<Vec<_>>());
    }
    assert!(!folder.path().join("data").exists());
}

/// A password in the wrong variable must reach neither the journal nor the report that somebody sends of `doctor`.
#[test]
fn what_a_wrong_variable_is_set_to_is_never_repeated() {
    let folder = folder();
    for arguments in [&["serve"][..], &["doctor"], &["doctor", "--json"]] {
        for name in ["PASSWORD", "PUBLIC_URL", "TLS_KEY"] {
            let name = format!("SEGNALAZIONI_{name}");
            let mut command = command(folder.path(), arguments);
            command.env(&name, "https://redazione:segretissima@x\nsegretissima");
            let output = executable::run(command, "");
            assert_eq!(output.status.code(), Some(1), "{output:?}");
            let said = [text(&output.stdout), text(&output.stderr)].concat();
            contains(&said, &[&name]);
            assert!(!said.contains("segretissima"), "{said}");
        }
    }
}

#[test]
fn an_address_that_is_taken_is_one_clear_line() {
    let folder = folder();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("bound");
    let address = taken.local_addr().expect("an address").to_string();
    let line = fails(folder.path(), &["serve", "--listen", &address], "");
    contains(
        &line,
        &[&format!("è già in uso ({address})"), "serve --listen"],
    );
    assert!(!line.contains("os error"), "{line}");
}

#[test]
fn the_first_start_prints_address_and_link_and_the_next_ones_the_address() {
    let folder = folder();
    let server = Server::start(folder.path());
    let last = "segnalazioni reset-password";
    let greeting = wait_for("the greeting", || {
        Some(server.output()).filter(|output| output.contains(last))
    });
    let address = format!("http://{}/paibeta", server.client().address());
    let lines: Vec<&str> = greeting.lines().collect();
    assert_eq!(lines.len(), 4);
    assert_eq!(lines[0], format!("Segnalazioni è in ascolto: {address}"));
    let said = "Per impostare la password del pannello apri questo link entro 30 minuti:";
    assert_eq!(lines[1], said);
    let link = lines[2].trim();
    assert!(link.starts_with(&format!("{address}/setup#")), "{link}");
    assert!(link.len() >= address.len() + 7 + 22, "128 random bits");
    let (editor, _) = Editor::set_up(&server.client(), link, PASSWORD);
    assert_eq!((editor.session(), server.errors()), (200, String::new()));
    drop(server);

    let mut server = Server::start(folder.path());
    server.terminate();
    assert_eq!(server.ended().code(), Some(0));
    let address = format!("http://{}/paibeta", server.client().address());
    let said = format!("Segnalazioni è in ascolto: {address}\n");
    assert_eq!((server.output(), server.errors()), (said, String::new()));
}

#[test]
fn no_other_process_reads_the_memory_and_no_core_is_dumped() {
    let folder = folder();
    let mut command = executable::serve(folder.path());
    // The files of a process that can be read are its user's; of one that cannot, root's: so it must not run as root.
    if rustix::process::geteuid().is_root() {
        chown(folder.path(), Some(65_534), None).expect("given away");
        command.uid(65_534);
    }
    let server = Server::spawn(command, folder.path());
    let process = Path::new("/proc").join(server.pid().as_raw_nonzero().to_string());
    let owner = process.join("environ").metadata().expect("a file").uid();
    assert_eq!(owner, 0);
    let limits = std::fs::read_to_string(process.join("limits")).expect("limits");
    let core = limits
        .lines()
        .find(|line| line.starts_with("Max core file size"));
    let core: Vec<_> = core.expect("a limit").split_whitespace().skip(4).collect();
    assert_eq!(core, ["0", "0", "bytes"]);
}
