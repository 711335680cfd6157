//! The doctor in the panel: the same checks, begun by whoever asks for them and by nobody else (PRODUCT.md §2).

use serde_json::{Value, json};

use crate::support::backups::home;
use crate::support::doctor::{NAMES, examined, outcome};
use crate::support::executable::command;
use crate::support::program::{Program, at};

const CALL: &str = "/system/doctor";

/// Names and states, without what changes from one moment to the next.
fn states(findings: &Value) -> Vec<(Value, Value)> {
    let checks = findings["checks"].as_array().expect("checks").iter();
    checks
        .map(|check| (check["name"].clone(), check["state"].clone()))
        .collect()
}

#[test]
fn the_panel_finds_what_the_command_finds_once_somebody_asks() {
    let program = Program::start();
    program.set_up();
    program.clock.set(jiff::Timestamp::now().as_millisecond());
    let editor = program.log_in();
    let nothing = json!({ "running": false, "at": null, "worst": null, "checks": [] });
    assert_eq!(editor.get(CALL).expect(200).json(), nothing);
    // Looking starts nothing.
    assert_eq!(editor.get(CALL).expect(200).json(), nothing);
    assert_eq!(examined(&editor).names(), NAMES);
    let told = outcome(&editor);
    assert_eq!(told["at"].as_str().map(at), Some(program.clock.now_ms()));
    assert_eq!(told["worst"], "attenzione");
    let output = command(home(&program), &["doctor", "--json"]).output();
    let output: Value = serde_json::from_slice(&output.expect("it runs").stdout).expect("JSON");
    assert_eq!(states(&told), states(&output));

    std::fs::remove_file(program.data().join("segnalazioni.key")).expect("removed");
    examined(&editor).says("file delle chiavi", "errore", "non esiste");
    assert_eq!(outcome(&editor)["worst"], "errore");
}
