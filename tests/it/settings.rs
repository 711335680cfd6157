//! `GET · PUT /settings/security`, `/settings/system` and `/settings/email`: what is saved, what is refused, and that it acts at once.

use serde_json::{Value, json};

use crate::support::chat::Chat;
use crate::support::chat::Person;
use crate::support::disk::database;
use crate::support::panel::Editor;
use crate::support::program::Program;

const SECTIONS: [&str; 3] = ["/settings/security", "/settings/system", "/settings/email"];

#[test]
fn what_was_read_can_be_saved_and_changes_nothing() {
    let program = Program::start();
    let editor = program.set_up();
    let change =
        json!({ "allowedIPs": "127.0.0.0/8", "forbiddenWords": "giudice", "minWordCount": 3 });
    editor.put(SECTIONS[0], &change).expect(200);
    for section in SECTIONS {
        let before = editor.get(section).expect(200).json();
        let saved = editor.put(section, &before).expect(200).json();
        assert_eq!(saved, before);
        assert_eq!(editor.get(section).json(), before);
        // Nothing at all is no change either.
        assert_eq!(editor.put(section, &json!({})).expect(200).json(), before);
    }
}

#[test]
fn keys_that_are_absent_stay() {
    let program = Program::start();
    let editor = program.set_up();
    let before = editor.get("/settings/system").json();
    editor
        .put(
            "/settings/system",
            &json!({ "organizationName": "La Gazzetta" }),
        )
        .expect(200);
    let after = editor.get("/settings/system").json();
    for (key, value) in before.as_object().unwrap() {
        let expected = if key == "organizationName" {
            &json!("La Gazzetta")
        } else {
            value
        };
        assert_eq!(&after[key], expected, "{key}");
    }
}

/// Tries to save what must be refused at these fields; nothing of it may be saved.
fn refuses(editor: &Editor, section: &str, change: &Value, fields: &[&str]) {
    let before = editor.get(section).json();
    let problem = editor.put(section, change).problem(422, "dati-non-validi");
    let errors = problem["errors"].as_object().unwrap();
    assert_eq!(errors.keys().collect::<Vec<_>>(), fields, "{change}");
    assert!(
        errors
            .values()
            .all(|message| !message.as_str().unwrap().is_empty())
    );
    assert_eq!(editor.get(section).json(), before, "{change}");
}

#[test]
fn what_cannot_be_is_refused_field_by_field_and_nothing_of_it_is_saved() {
    let program = Program::start();
    let editor = program.set_up();
    for (section, change, fields) in [
        (
            SECTIONS[0],
            json!({ "sessionTimeout": 4 }),
            vec!["sessionTimeout"],
        ),
        (
            SECTIONS[0],
            json!({ "sessionTimeout": 721 }),
            vec!["sessionTimeout"],
        ),
        (
            SECTIONS[0],
            json!({ "sessionTimeout": -1 }),
            vec!["sessionTimeout"],
        ),
        (
            SECTIONS[0],
            json!({ "sessionTimeout": 60.5 }),
            vec!["sessionTimeout"],
        ),
        (
            SECTIONS[0],
            json!({ "sessionTimeout": "60" }),
            vec!["sessionTimeout"],
        ),
        (
            SECTIONS[0],
            json!({ "enableLogging": "sì" }),
            vec!["enableLogging"],
        ),
        (
            SECTIONS[0],
            json!({ "minReportLength": 0, "minWordCount": 301 }),
            vec!["minReportLength", "minWordCount"],
        ),
        (
            SECTIONS[0],
            json!({ "forbiddenWords": "no" }),
            vec!["forbiddenWords"],
        ),
        (
            SECTIONS[0],
            json!({ "adminPassword": "nuova" }),
            vec!["adminPassword"],
        ),
        (
            SECTIONS[0],
            json!({ "minReportLength": 50, "boh": 1, "maxReportsPerDay": null }),
            vec!["boh", "maxReportsPerDay"],
        ),
        (
            SECTIONS[1],
            json!({ "primaryColor": "red;}body{display:none" }),
            vec!["primaryColor"],
        ),
        (
            SECTIONS[1],
            json!({ "primaryColor": "#12345" }),
            vec!["primaryColor"],
        ),
        (
            SECTIONS[1],
            json!({ "organizationName": " " }),
            vec!["organizationName"],
        ),
        (
            SECTIONS[1],
            json!({ "productName": "a".repeat(61) }),
            vec!["productName"],
        ),
        (
            SECTIONS[1],
            json!({ "backupFrequency": "hourly" }),
            vec!["backupFrequency"],
        ),
        (
            SECTIONS[1],
            json!({ "privacyUrl": "javascript:alert(1)" }),
            vec!["privacyUrl"],
        ),
        (
            SECTIONS[1],
            json!({ "darkMode": 1, "assistantName": "a\nb" }),
            vec!["darkMode"],
        ),
    ] {
        refuses(&editor, section, &change, &fields);
    }
}

#[test]
fn what_cannot_be_is_refused_of_the_mail_settings_too() {
    let program = Program::start();
    let editor = program.set_up();
    for (section, change, fields) in [
        (
            SECTIONS[2],
            json!({ "emailRecipient": "redazione", "smtpPort": 70_000, "dept_scuola_keywords": "a" }),
            vec!["dept_scuola_keywords", "emailRecipient", "smtpPort"],
        ),
        (
            SECTIONS[2],
            json!({ "routingMode": "ai", "emailContent": "tutto" }),
            vec!["emailContent", "routingMode"],
        ),
    ] {
        refuses(&editor, section, &change, &fields);
    }
}

#[test]
fn blanks_around_a_single_line_are_not_part_of_it() {
    let program = Program::start();
    let editor = program.set_up();
    let change = json!({
        "smtpHost": " smtp.esempio.it\n", "smtpUsername": "\u{a0}redazione ", "smtpPassword": " segreta ",
        "emailFrom": " tip@esempio.it", "emailRecipient": "capo@esempio.it ", "emailFallback": "\talt@esempio.it",
        "dept_sanita_email": " sanita@esempio.it ",
    });
    let saved = editor.put(SECTIONS[2], &change).expect(200).json();
    for (key, value) in [
        ("smtpHost", "smtp.esempio.it"),
        ("smtpUsername", "redazione"),
        ("emailFrom", "tip@esempio.it"),
        ("emailRecipient", "capo@esempio.it"),
        ("emailFallback", "alt@esempio.it"),
        ("dept_sanita_email", "sanita@esempio.it"),
    ] {
        assert_eq!(saved[key], value, "{key}");
    }
    // The same server with blanks around it is the same one: it keeps its password.
    let same = json!({ "smtpHost": " smtp.esempio.it ", "smtpUsername": " redazione" });
    let kept = editor.put(SECTIONS[2], &same).expect(200).json();
    assert_eq!(kept["smtpPasswordSet"], true);
    let none = editor.put(SECTIONS[2], &json!({ "smtpUsername": "  " }));
    assert_eq!(none.expect(200).json()["smtpUsername"], "");

    let change = json!({
        "webhookUrl": " https://esempio.it/gancio ", "privacyUrl": "https://esempio.it/privacy\n", "logoUrl": "  ",
    });
    let saved = editor.put(SECTIONS[1], &change).expect(200).json();
    assert_eq!(saved["webhookUrl"], "https://esempio.it/gancio");
    assert_eq!(saved["privacyUrl"], "https://esempio.it/privacy");
    assert_eq!(saved["logoUrl"], "");
    // What is inside is refused as ever.
    refuses(
        &editor,
        SECTIONS[1],
        &json!({ "webhookUrl": "https://a.it/b c" }),
        &["webhookUrl"],
    );
    refuses(
        &editor,
        SECTIONS[2],
        &json!({ "smtpHost": "smtp esempio" }),
        &["smtpHost"],
    );
}

#[test]
fn the_limits_on_a_report_act_on_the_next_turn_and_the_words_follow() {
    let program = Program::start();
    let editor = program.set_up();
    let mut chat = Chat::until(
        &program.client(),
        &Person::numbered(1),
        "investigative_questions",
    );
    let account = "Il sindaco vende le licenze al giudice.";
    chat.say(account);
    assert_eq!(chat.reply.state, "investigative_questions");

    let change = json!({ "minReportLength": 20, "minWordCount": 4, "forbiddenWords": "giudice" });
    editor.put("/settings/security", &change).expect(200);
    let refused = chat.say("Poche parole.");
    let words = "Per favore, raccontami più nel dettaglio la situazione. Servono almeno 20 caratteri e 4 parole.";
    assert_eq!(refused.said, [words]);
    let forbidden = chat.say(account);
    assert_eq!(
        forbidden.said,
        ["Non posso fornire consigli legali. Torniamo ai dettagli della segnalazione."]
    );
    editor
        .put("/settings/security", &json!({ "forbiddenWords": "" }))
        .expect(200);
    chat.say(account);
    assert_eq!(chat.reply.state, "collect_report");
    // Words that were forbidden by default are not any more.
    assert!(chat.say("Lo sanno anche i carabinieri.").finished);
}

#[test]
fn names_are_said_from_the_next_turn_on() {
    let program = Program::start();
    let editor = program.set_up();
    let mut chat = Chat::at_the_end(&program.client(), &Person::numbered(1));
    let change = json!({ "organizationName": "La {name} & C.", "assistantName": "Vera" });
    editor.put("/settings/system", &change).expect(200);
    let farewell = chat.say("no").said[0].clone();
    assert!(
        farewell.contains("redazione di La {name} & C."),
        "{farewell}"
    );
    let welcome = Chat::start(&program.client()).reply.said[0].clone();
    assert!(welcome.contains("Sono Vera"), "{welcome}");
}

#[test]
fn what_another_process_saves_is_in_force_at_the_next_turn() {
    let program = Program::start();
    let welcome = || Chat::start(&program.client()).reply.said[0].clone();
    assert!(welcome().contains("Sono PelazzAI"), "the control");
    database(program.data())
        .execute(
            "INSERT INTO settings (section, body, updated) VALUES ('system', ?1, 0)",
            [json!({ "assistantName": "Vera" }).to_string()],
        )
        .expect("settings");
    assert!(welcome().contains("Sono Vera"));
    let page = program.client().request("GET", "/paibeta/").send();
    assert!(page.text().contains("Sono Vera"), "the page follows");
}

#[test]
fn settings_hold_no_secret() {
    let program = Program::start();
    let editor = program.set_up();
    for section in SECTIONS {
        let read = editor.get(section).json();
        for key in read.as_object().unwrap().keys() {
            let name = key.to_lowercase();
            let secret = ["password", "secret", "apikey"]
                .iter()
                .any(|word| name.contains(word));
            let shown = &read[key];
            assert!(!secret || shown.is_null() || shown.is_boolean(), "{key}");
        }
    }
    assert_eq!(
        editor.get(SECTIONS[0]).json()["maxReportsPerDay"],
        Value::from(100)
    );
}

#[test]
fn the_palette_of_a_colour_can_be_seen_before_it_is_saved() {
    let program = Program::start();
    let editor = program.set_up();
    let path = "/settings/palette?color=%23FACC15";
    program.client().get(path).expect(401);
    let palette = editor.get(path).expect(200).json();
    assert_eq!(palette["primary"], "#facc15");
    assert_eq!(palette["onPrimary"], "#000000");
    for theme in ["light", "dark"] {
        assert!(palette[theme]["contrast"].as_f64().unwrap() >= 4.5);
        assert_eq!(palette[theme]["surfaces"].as_array().unwrap().len(), 3);
    }
    // What it shows is what the page gets once the colour is saved.
    editor
        .put("/settings/system", &json!({ "primaryColor": "#FACC15" }))
        .expect(200);
    let text = palette["light"]["primaryText"].as_str().unwrap();
    let page = program
        .client()
        .request("GET", "/paibeta/")
        .send()
        .expect(200);
    let style = page.text().split("/paibeta/style/").nth(1).unwrap();
    let style = style.split('"').next().unwrap();
    let style = format!("/paibeta/style/{style}");
    let css = program.client().request("GET", &style).send().expect(200);
    let wanted = format!("--primary-text:{text}");
    assert!(css.text().contains(&wanted), "{wanted}");
    editor.get("/settings/palette?color=blu").expect(422);
}
