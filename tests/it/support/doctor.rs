//! What the doctor finds, asked on the command line or in the panel.

use std::process::Command;

use serde_json::Value;

use super::executable::{run, text};
use super::panel::Editor;

/// Every check of an installation with data, in order.
pub const NAMES: [&str; 14] = [
    "configurazione",
    "cartella dei dati",
    "archivio",
    "file delle chiavi",
    "autenticità",
    "registro degli accessi",
    "spazio su disco",
    "orologio",
    "server di posta",
    "webhook",
    "certificato TLS",
    "allegati",
    "backup",
    "consegne",
];

#[derive(Debug)]
pub struct Findings(Vec<Value>);

impl Findings {
    pub fn of(told: &Value) -> Self {
        Self(told["checks"].as_array().expect("checks").clone())
    }

    pub fn names(&self) -> Vec<&str> {
        let names = self.0.iter().map(|check| check["name"].as_str());
        names.map(|name| name.expect("a name")).collect()
    }

    /// Names and states, without what changes from one moment to the next.
    pub fn states(&self) -> Vec<(Value, Value)> {
        let checks = self.0.iter();
        checks
            .map(|check| (check["name"].clone(), check["state"].clone()))
            .collect()
    }

    /// The check of this name came out so, with these words in what it says.
    #[track_caller]
    pub fn says(&self, name: &str, state: &str, words: &str) {
        let found = self.0.iter().find(|check| check["name"] == name);
        let found = found.expect("the check");
        let message = found["message"].as_str().expect("a text");
        assert!(
            found["state"] == state && message.contains(words),
            "not {state} with «{words}»: {found}"
        );
    }
}

/// Runs `doctor --json`; its exit code, and what it found.
pub fn ask(command: Command) -> (i32, Findings) {
    let output = run(command, "");
    let told: Value = serde_json::from_str(text(&output.stdout)).expect("JSON");
    let code = output.status.code().expect("a code");
    assert_eq!(told["ok"], code == 0);
    (code, Findings::of(&told))
}

pub fn examined(editor: &Editor) -> Findings {
    Findings::of(&editor.post("/system/doctor").expect(200).json())
}
