//! Secrets of mail server and webhook: written, never read, kept through a save of what was read, dropped when they would
//! go to another server, sealed on disk, and usable again after a restore on another machine (PRODUCT.md §12, §9, §8).

use std::time::Duration;

use rusqlite::params;
use serde_json::{Value, json};

use crate::support::disk;
use crate::support::panel::Editor;
use crate::support::program::Program;

const EMAIL: &str = "/settings/email";
const SYSTEM: &str = "/settings/system";
const PASSWORD: &str = "Parola-di-posta-93";
const API_KEY: &str = "chiave-del-gancio-57";

/// Settings with both secrets.
fn filled(editor: &Editor) {
    let email = json!({
        "smtpHost": "smtp.esempio.it", "smtpUsername": "redazione", "emailFrom": "tip@esempio.it",
        "smtpPassword": PASSWORD,
    });
    editor.save(EMAIL, &email);
    let system = json!({ "webhookUrl": "https://esempio.it/gancio", "enableWebhook": true, "webhookApiKey": API_KEY });
    editor.save(SYSTEM, &system);
}

fn email_set(editor: &Editor) -> Value {
    editor.read(EMAIL)["smtpPasswordSet"].clone()
}

fn renew(editor: &Editor) -> String {
    let made = editor.post("/settings/webhook/secret");
    let made = made.expect(200).json();
    made["secret"].as_str().unwrap().to_owned()
}

/// The sealed columns of a secret.
fn sealed(program: &Program, name: &str) -> Option<(Vec<u8>, Vec<u8>)> {
    let sql = "SELECT operational, newsroom FROM secrets WHERE name = ?1";
    let database = disk::database(program.data());
    database
        .query_row(sql, params![name], |row| Ok((row.get(0)?, row.get(1)?)))
        .ok()
}

#[test]
fn what_was_read_can_be_saved_and_keeps_the_secrets() {
    let (_program, editor) = Program::with_editor();
    assert_eq!(email_set(&editor), false);
    filled(&editor);
    editor.save_security(
        &json!({ "allowedIPs": "127.0.0.0/8", "forbiddenWords": "giudice", "minWordCount": 3 }),
    );
    for section in ["/settings/security", SYSTEM, EMAIL] {
        let before = editor.get(section).expect(200);
        assert!(!before.text().contains(PASSWORD) && !before.text().contains(API_KEY));
        let before = before.json();
        // Nothing at all is no change either.
        for change in [&before, &json!({})] {
            assert_eq!(editor.save(section, change), before, "{section}");
            assert_eq!(editor.read(section), before, "{section}");
        }
    }
    has!(editor.read(EMAIL), "smtpPassword": null, "smtpPasswordSet": true);
    has!(editor.read(SYSTEM), "webhookApiKey": null, "webhookApiKeySet": true);
}

#[test]
fn an_empty_text_clears_and_another_one_replaces() {
    let (mut program, editor) = Program::with_editor();
    filled(&editor);
    let first = sealed(&program, "smtp_password").expect("kept");
    let answer = editor.save(EMAIL, &json!({ "smtpPassword": "altra" }));
    assert!(!answer.to_string().contains("altra"));
    assert_ne!(sealed(&program, "smtp_password").expect("kept"), first);
    let cleared = editor.save(EMAIL, &json!({ "smtpPassword": "" }));
    assert_eq!(cleared["smtpPasswordSet"], false);
    program.restart();
    let editor = program.log_in();
    assert_eq!(email_set(&editor), false);
    assert_eq!(editor.read(SYSTEM)["webhookApiKeySet"], true);
}

#[test]
fn another_server_does_not_get_the_secret() {
    let (program, editor) = Program::with_editor();
    for change in [
        json!({ "smtpHost": "smtp.altrove.example" }),
        json!({ "smtpPort": 2525 }),
        json!({ "smtpUsername": "altri" }),
        json!({ "smtpHost": "" }),
    ] {
        filled(&editor);
        assert_eq!(email_set(&editor), true);
        let saved = editor.save(EMAIL, &change);
        assert_eq!(saved["smtpPasswordSet"], false, "{change}");
        assert_eq!(sealed(&program, "smtp_password"), None, "{change}");
        // Back to where it was is too late.
        let back =
            json!({ "smtpHost": "smtp.esempio.it", "smtpPort": 587, "smtpUsername": "redazione" });
        editor.save(EMAIL, &back);
        assert_eq!(email_set(&editor), false, "{change}");
    }
    // Anything else keeps it, and a new one in the same call is taken.
    filled(&editor);
    let other = json!({ "emailRecipient": "altri@esempio.it", "smtpSecure": false });
    assert_eq!(editor.put(EMAIL, &other).json()["smtpPasswordSet"], true);
    let both = json!({ "smtpHost": "mx.esempio.it", "smtpPassword": "nuova" });
    assert_eq!(editor.put(EMAIL, &both).json()["smtpPasswordSet"], true);

    renew(&editor);
    let moved = json!({ "webhookUrl": "https://altrove.example/" });
    let saved = editor.save(SYSTEM, &moved);
    assert_eq!(saved["webhookApiKeySet"], false);
    assert_eq!(saved["webhookSecretSet"], false);
}

#[test]
fn a_secret_that_cannot_be_one_is_refused_at_its_field_with_the_others() {
    let (_program, editor) = Program::with_editor();
    filled(&editor);
    let long = json!({ "smtpPassword": "x".repeat(1_001), "smtpPort": 0 }).to_string();
    for (section, change, fields) in [
        (EMAIL, r#"{"smtpPassword": 7}"#, "smtpPassword"),
        (EMAIL, r#"{"smtpPassword": "a\r\nb"}"#, "smtpPassword"),
        (EMAIL, &long, "smtpPassword smtpPort"),
        (EMAIL, r#"{"smtpPasswordSet": "sì"}"#, "smtpPasswordSet"),
        (
            EMAIL,
            r#"{"emailSubject": "{nome}", "webhookApiKey": "x"}"#,
            "webhookApiKey",
        ),
        (SYSTEM, r#"{"webhookApiKey": "chiave è"}"#, "webhookApiKey"),
        (SYSTEM, r#"{"webhookApiKey": "con spazi"}"#, "webhookApiKey"),
        (SYSTEM, r#"{"webhookApiKey": "a\nb"}"#, "webhookApiKey"),
        (SYSTEM, r#"{"webhookSecret": "whsec_x"}"#, "webhookSecret"),
    ] {
        let refused = editor.put(section, &serde_json::from_str(change).expect("JSON"));
        assert_eq!(refused.refused_fields().join(" "), fields, "{change}");
    }
    assert_eq!(email_set(&editor), true);
    // Every visible sign is a key; a password travels in another way.
    let visible: String = ('!'..='~').collect();
    editor.save(SYSTEM, &json!({ "webhookApiKey": visible }));
    editor.save(EMAIL, &json!({ "smtpPassword": " parola è🔑 " }));
}

#[test]
fn a_webhook_is_not_switched_on_without_an_address() {
    let (_program, editor) = Program::with_editor();
    let refused = |change: &Value| {
        let before = editor.read(SYSTEM);
        let problem = editor.put(SYSTEM, change).invalid();
        assert_eq!(
            problem["errors"],
            json!({ "webhookUrl": "Webhook non configurato" }),
            "{change}"
        );
        assert_eq!(editor.read(SYSTEM), before);
    };
    refused(&json!({ "enableWebhook": true }));
    refused(&json!({ "enableWebhook": true, "webhookUrl": "" }));
    // It may be tried out before: then it is the address alone that is missing.
    let (_, said) = editor.try_out("/settings/webhook/test", &json!({ "enableWebhook": true }));
    assert_eq!(said, "URL webhook non configurato");
    filled(&editor);
    refused(&json!({ "webhookUrl": "" }));
    let off = json!({ "enableWebhook": false, "webhookUrl": "" });
    editor.save(SYSTEM, &off);
}

#[test]
fn a_signing_key_is_shown_once_and_the_one_before_lasts_a_day() {
    let (program, editor) = Program::with_editor();
    let first = renew(&editor);
    // It was made before the address was entered, and is meant for it.
    filled(&editor);
    assert_eq!(editor.read(SYSTEM)["webhookSecretSet"], true);
    let second = renew(&editor);
    assert!(first.starts_with("whsec_") && second.starts_with("whsec_") && first != second);
    for call in [SYSTEM, EMAIL, "/backup", "/logs"] {
        let text = editor.get(call).text().to_owned();
        for secret in [&first, &second, PASSWORD, API_KEY] {
            assert!(!text.contains(secret), "{call}");
        }
    }
    assert!(sealed(&program, "webhook_secret_before").is_some());
    program.clock.advance(Duration::from_hours(23));
    program.round();
    assert!(sealed(&program, "webhook_secret_before").is_some());
    program.clock.advance(Duration::from_hours(1));
    program.round();
    assert!(sealed(&program, "webhook_secret_before").is_none());
    assert!(sealed(&program, "webhook_secret").is_some());

    let editor = program.log_in();
    editor.delete("/settings/webhook/secret").expect(204);
    assert_eq!(editor.read(SYSTEM)["webhookSecretSet"], false);
    let entries = editor.read("/logs");
    assert_eq!(entries["data"][0]["action"], "SETTINGS_CHANGED");
}

#[test]
fn nothing_of_them_lies_on_the_disk_in_the_clear() {
    let (mut program, editor) = Program::with_editor();
    filled(&editor);
    let signing = renew(&editor);
    program.stop();
    program.hides(&[PASSWORD, API_KEY, &signing, &signing["whsec_".len()..]]);
    // The search finds what is there in the clear.
    assert!(!disk::holding(program.data(), b"smtp.esempio.it").is_empty());
}

#[test]
fn after_a_restore_on_another_machine_the_first_login_brings_them_back() {
    let (mut program, editor) = Program::with_editor();
    filled(&editor);
    program.stop();
    let before = sealed(&program, "smtp_password").expect("kept");
    // Another machine has a key file of its own, and no copy of the newsroom's key.
    std::fs::remove_file(&program.config().key_file).expect("removed");
    program.start_again();
    assert_eq!(sealed(&program, "smtp_password").expect("kept"), before);
    let editor = program.log_in();
    let after = sealed(&program, "smtp_password").expect("kept");
    assert_ne!(after.0, before.0);
    assert_eq!(email_set(&editor), true);
    // From here on the machine's own key opens it: nothing is sealed anew.
    program.log_in();
    assert_eq!(sealed(&program, "smtp_password").expect("kept"), after);
}
