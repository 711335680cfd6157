//! `GET · PUT /settings/security`, `/settings/system` and `/settings/email`, `DELETE /settings`: what is saved, what is
//! refused, that it acts at once, and what goes back to its default.

use serde_json::{Value, json};

use crate::people::set_up_totp;
use crate::support::SECOND;
use crate::support::chat::Chat;
use crate::support::chat::Person;
use crate::support::disk::count;
use crate::support::panel::{Editor, PASSWORD, try_log_in};
use crate::support::people::join;
use crate::support::program::Program;
use crate::support::snapshot::table;

const SECTIONS: [&str; 3] = ["/settings/security", "/settings/system", "/settings/email"];

/// Tries to save what must be refused at these fields; nothing of it may be saved.
fn refuses(editor: &Editor, section: &str, change: &Value, fields: &[&str]) {
    let before = editor.read(section);
    assert_eq!(
        editor.put(section, change).refused_fields(),
        fields,
        "{change}"
    );
    assert_eq!(editor.read(section), before, "{change}");
}

/// What is refused in each section, and at which fields.
const REFUSED: &str = r#"
    security | {"sessionTimeout": 721} | sessionTimeout
    security | {"sessionTimeout": 60.5} | sessionTimeout
    security | {"sessionTimeout": "60"} | sessionTimeout
    security | {"minReportLength": 0, "minWordCount": 301} | minReportLength minWordCount
    security | {"allowedIPs": "192.0.2.10, 10.0.0.0/33"} | allowedIPs
    security | {"adminPassword": "nuova"} | adminPassword
    security | {"minReportLength": 50, "boh": 1, "maxReportsPerDay": null} | boh maxReportsPerDay
    system | {"primaryColor": "red;}body{display:none"} | primaryColor
    system | {"organizationName": " "} | organizationName
    system | {"backupFrequency": "hourly"} | backupFrequency
    system | {"privacyUrl": "javascript:alert(1)"} | privacyUrl
    system | {"darkMode": 1, "assistantName": "a\nb"} | darkMode
    system | {"webhookUrl": "https://a.it/b c"} | webhookUrl
    email | {"emailRecipient": "redazione", "smtpPort": 70000, "dept_scuola_keywords": "a"} | dept_scuola_keywords emailRecipient smtpPort
    email | {"routingMode": "ai", "emailContent": "tutto"} | emailContent routingMode
    email | {"smtpHost": "smtp esempio"} | smtpHost"#;

#[test]
fn what_cannot_be_is_refused_field_by_field_and_nothing_of_it_is_saved() {
    let (_program, editor) = Program::with_editor();
    for line in REFUSED.trim().lines() {
        let row: Vec<&str> = line.trim().split(" | ").collect();
        let change = serde_json::from_str(row[1]).expect("JSON");
        let fields: Vec<&str> = row[2].split(' ').collect();
        refuses(&editor, &format!("/settings/{}", row[0]), &change, &fields);
    }
}

#[test]
fn blanks_around_a_single_line_are_not_part_of_it() {
    let (_program, editor) = Program::with_editor();
    let email = json!({
        "smtpHost": "smtp.esempio.it", "smtpUsername": "redazione", "emailFrom": "tip@esempio.it",
        "emailRecipient": "capo@esempio.it", "dept_sanita_email": "sanita@esempio.it",
    });
    let system = json!({ "webhookUrl": "https://esempio.it/gancio", "privacyUrl": "https://esempio.it/privacy", "logoUrl": "" });
    for (section, clean) in [(SECTIONS[2], email), (SECTIONS[1], system)] {
        let clean = clean.as_object().unwrap();
        let blank = |value: &Value| json!(format!("\u{a0}{} \n", value.as_str().unwrap()));
        let typed = clean.iter().map(|(key, value)| (key.clone(), blank(value)));
        let typed: Value = typed.collect();
        let saved = editor.save(section, &typed);
        for (key, value) in clean {
            assert_eq!(saved[key], *value, "{key}");
        }
    }
    // The same server with blanks around it is the same one: it keeps its password.
    editor.save(SECTIONS[2], &json!({ "smtpPassword": " segreta " }));
    let same = json!({ "smtpHost": " smtp.esempio.it ", "smtpUsername": " redazione" });
    assert_eq!(editor.save(SECTIONS[2], &same)["smtpPasswordSet"], true);
}

#[test]
fn the_limits_on_a_report_act_on_the_next_turn_and_the_words_follow() {
    let (program, editor) = Program::with_editor();
    let person = Person::numbered(1);
    let mut chat = Chat::until(&program.client(), &person, "investigative_questions");
    let account = "Il sindaco vende le licenze al giudice.";
    chat.say(account);
    assert_eq!(chat.reply.state, "investigative_questions");

    let change = json!({ "minReportLength": 20, "minWordCount": 4, "forbiddenWords": "giudice" });
    editor.save_security(&change);
    let refused = chat.say("Poche parole.");
    let words = "Per favore, raccontami più nel dettaglio la situazione. Servono almeno 20 caratteri e 4 parole.";
    assert_eq!(refused.said, [words]);
    let forbidden = chat.say(account);
    let expected = ["Non posso fornire consigli legali. Torniamo ai dettagli della segnalazione."];
    assert_eq!(forbidden.said, expected);
    editor.save_security(&json!({ "forbiddenWords": "" }));
    chat.say(account);
    assert_eq!(chat.reply.state, "collect_report");
    // Words that were forbidden by default are not any more.
    assert!(chat.say("Lo sanno anche i carabinieri.").finished);
}

#[test]
fn what_another_process_saves_is_in_force_after_the_next_transaction() {
    let program = Program::start();
    let welcome = || Chat::start(&program.client()).reply.said[0].clone();
    assert!(welcome().contains("Sono PelazzAI"), "the control");
    program.plant(r#"INSERT INTO settings (section, body, updated) VALUES ('system', '{"assistantName": "Vera"}', 0)"#);
    program.round();
    assert!(welcome().contains("Sono Vera"));
    let page = program.client().page("/paibeta/");
    assert!(page.text().contains("Sono Vera"), "the page follows");
}

#[test]
fn pages_carry_the_saved_colour_and_text_that_reads_on_it() {
    let program = Program::start();
    let yellow = json!({ "primaryColor": "#FACC15" });
    program.set_up().save_system(&yellow);
    let page = program.client().page("/paibeta/").expect(200);
    let mut parts = page.text().split('"');
    let style = parts.find(|part| part.starts_with("/paibeta/style/"));
    let css = program.client().page(style.expect("a style")).expect(200);
    let wanted = ":root{--primary:#facc15;--on-primary:#000000}";
    assert!(css.text().ends_with(&format!("{wanted}\n")));
}

#[test]
fn settings_go_back_to_their_defaults() {
    let (program, editor) = Program::with_editor();
    let defaults = SECTIONS.map(|section| editor.read(section));
    let changes = [
        json!({ "minWordCount": 3, "autoArchiveDays": 7, "sessionTimeout": 480, "enableLogging": false,
            "enableRateLimiting": false }),
        json!({ "organizationName": "La Gazzetta", "primaryColor": "#aa0000", "webhookApiKey": "segreta" }),
        json!({ "emailRecipient": "tip@esempio.it", "routingMode": "manual", "smtpPassword": "segreta" }),
    ];
    for (section, change) in SECTIONS.iter().zip(&changes) {
        editor.save(section, change);
    }
    editor.delete("/settings").expect(204);
    assert_eq!(SECTIONS.map(|section| editor.read(section)), defaults);
    let secrets = "SELECT count(*) FROM secrets";
    assert_eq!(count(program.data(), secrets), 0);
}

#[test]
fn reset_of_settings_lets_in_nobody_else() {
    let (program, editor) = Program::with_editor();
    let anna = join(&editor, &program.client(), "anna", "amministratore", &[]);
    let strict = json!({
        "sharedPassword": false, "requireSecondFactor": true, "allowedIPs": "127.0.0.0/8", "sessionTimeout": 5,
    });
    set_up_totp(&program, &anna);
    let changed = anna.save(SECTIONS[0], &strict);
    anna.save(SECTIONS[0], &json!({ "minWordCount": 3 }));
    anna.delete("/settings").expect(204);
    assert_eq!(anna.read(SECTIONS[0]), changed);
    try_log_in(&program.client(), PASSWORD).wrong_password();
}

#[test]
fn password_sessions_phrases_log_and_login_attempts_stay() {
    let (program, editor) = Program::with_editor();
    let welcome = "Benvenuti. Quanti anni hai?";
    editor.save("/prompts", &json!({ "welcome": welcome }));
    for _ in 0..4 {
        try_log_in(&program.client(), "sbagliata").expect(401);
    }
    let log = || editor.rows("/logs");
    let before = log();
    program.clock.advance(SECOND);
    editor.delete("/settings").expect(204);
    let after = log();
    assert_eq!(after[0]["action"], "SETTINGS_CHANGED");
    assert_eq!(after[1..], before);
    assert_eq!(editor.session(), 200);
    assert_eq!(editor.read("/prompts")["welcome"], welcome);
    // The fifth failure is still the last that is allowed.
    try_log_in(&program.client(), "sbagliata").expect(401);
    try_log_in(&program.client(), PASSWORD).problem(429, "troppi-tentativi");
}

#[test]
fn the_log_names_what_changed_and_never_a_value() {
    let (_program, editor) = Program::with_editor();
    editor.save_security(&json!({ "minWordCount": 12, "forbiddenWords": "segreto" }));
    let mail = json!({ "smtpHost": "posta.esempio.it", "smtpPassword": "parola-riservata" });
    editor.save_email(&mail);
    editor.delete("/settings").expect(204);
    let named = table(
        &editor.read("/logs?kind=impostazioni&limit=3")["data"],
        "about",
    );
    let expected = "valori predefiniti\nsmtpHost, smtpPassword\nforbiddenWords, minWordCount";
    assert_eq!(named, expected);
}

#[test]
fn what_is_open_before_the_public_comes_shrinks_until_nothing_is() {
    let (program, editor) = Program::with_editor();
    let open = |editor: &Editor| editor.read("/system/alerts")["opening"].clone();
    let all = [
        "posta",
        "reparti",
        "domande",
        "recapiti",
        "promesse",
        "amministratore",
    ];
    assert_eq!(open(&editor), json!(all));
    editor.mail_to(2_525);
    editor.save_system(&json!({ "openingSettled": "domande, promesse" }));
    assert_eq!(open(&editor), json!(["recapiti", "amministratore"]));
    let unable = "Chiama lo 055 1234567 o scrivi a redazione@esempio.it.";
    editor.save("/prompts", &json!({ "guide": { "unable": unable } }));
    assert_eq!(open(&editor), json!(["amministratore"]));
    for user in ["anna", "bruno"] {
        join(&editor, &program.client(), user, "amministratore", &[]);
    }
    assert_eq!(open(&editor), json!([]));
    let reader = join(&editor, &program.client(), "carla", "lettore", &[]);
    editor.save_system(&json!({ "openingSettled": "" }));
    assert_eq!(open(&editor), json!(["domande", "promesse"]));
    assert_eq!(open(&reader), json!([]));
}
