//! Mail by Microsoft 365 without a password (PRODUCT.md §9): tokens asked for by client credentials and shown by XOAUTH2, every
//! way in which either can be refused, and outages in between. Both sides are stand-ins that speak the real protocols.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use segnalazioni::testing::deliveries::OutboundPolicy;
use serde_json::{Value, json};

use crate::support::authority::Authority;
use crate::support::disk::holding;
use crate::support::doctor::examined;
use crate::support::outbox::{ADDRESS, Newsroom};
use crate::support::panel::Editor;
use crate::support::program::Program;
use crate::support::receiver::Receiver;
use crate::support::smtp::{MailServer, Manner};
use crate::support::tokens::{CLIENT, MAILBOX, SECRET, TENANT, TokenOffice};
use crate::support::{HOUR, MINUTE, SECOND, contains, free_port, has};

const EMAIL: &str = "/settings/email";
const TEST: &str = "/settings/email/test";
const ALLOWED: (&str, &str) = ("SEGNALAZIONI_OUTBOUND_ALLOW", "127.0.0.0/8");
/// Answers at the address of tokens, each with its source, whether it stays, and what is said.
const ANSWERS: &str = include_str!("../vectors/tokens.json");

/// The settings for these two.
fn settings(office: &TokenOffice, port: u16) -> Value {
    json!({
        "emailRecipient": ADDRESS, "emailFrom": MAILBOX, "enableDepartmentRouting": false, "smtpAccess": "microsoft365",
        "smtpHost": "127.0.0.1", "smtpPort": port, "smtpSecure": false, "smtpUsername": MAILBOX, "smtpTenant": TENANT,
        "smtpClientId": CLIENT, "smtpTokenUrl": office.url(), "smtpPassword": SECRET,
    })
}

fn manner(office: &TokenOffice) -> Manner {
    Manner {
        tokens: Some(office.taken.clone()),
        ..Manner::default()
    }
}

/// A newsroom whose mail goes out by tokens.
struct Scene {
    office: TokenOffice,
    smtp: MailServer,
    newsroom: Newsroom,
}

impl Scene {
    fn new() -> Self {
        Self::of(Newsroom::sending(&[ALLOWED]))
    }

    fn of(newsroom: Newsroom) -> Self {
        let office = TokenOffice::open();
        let smtp = MailServer::start(manner(&office));
        newsroom.editor.save(EMAIL, &settings(&office, smtp.port()));
        Self {
            office,
            smtp,
            newsroom,
        }
    }

    /// Lets a minute pass, so that the next mail goes by itself, and sends a report.
    fn report(&mut self, number: usize) -> String {
        self.newsroom.advance(MINUTE);
        self.newsroom.report(number)
    }

    fn try_out(&mut self) -> (bool, String) {
        self.newsroom.editor().try_out(TEST, &json!({}))
    }

    /// A report fails with this reason, for good or not, and 'Test Email' gives the same; then what was wrong is mended, and the
    /// test brings the mail along.
    #[track_caller]
    fn fails(&mut self, number: usize, stays: bool, reason: &str, mend: impl FnOnce(&Self)) {
        // A token that is kept has ended by then.
        self.newsroom.advance(HOUR);
        let id = self.newsroom.report(number);
        let stato = if stays { "fallita" } else { "in attesa" };
        let delivery = self.newsroom.wait_state(&id, stato);
        let told = delivery["ultimoErrore"].as_str().expect("a reason");
        contains(told, &[reason]);
        let (success, message) = self.try_out();
        assert!(!success);
        assert_eq!(message, told);
        mend(self);
        assert!(self.try_out().0, "the control");
        self.newsroom.wait_state(&id, "consegnata");
    }
}

#[test]
fn a_mail_goes_out_by_a_token_that_serves_for_many() {
    let mut scene = Scene::new();
    for number in 1..=3 {
        let id = scene.report(number);
        scene.newsroom.wait(&id, "consegnata", 1);
    }
    assert_eq!(scene.smtp.mails().len(), 3);
    assert_eq!(scene.office.calls().len(), 1);
    let said = scene.smtp.visits()[0].commands.concat();
    assert!(said.contains("AUTH XOAUTH2 ") && !said.contains("LOGIN"));
    // A test tries the secret, not what is in memory.
    assert!(scene.try_out().0);
    assert_eq!(scene.office.calls().len(), 2);
}

#[test]
fn every_refusal_of_a_token_says_what_to_do_and_whether_it_passes() {
    let mut scene = Scene::new();
    let rows: Vec<Value> = serde_json::from_str(ANSWERS).expect("rows");
    for (number, row) in rows.iter().enumerate() {
        let status = row["status"].as_u64().expect("a status");
        let status = u16::try_from(status).expect("a status");
        let body = row["body"].as_str().expect("a body");
        scene.office.answer(Some((status, body)));
        let stays = row["stays"] == true;
        let reason = row["says"].as_str().expect("a text");
        scene.fails(number, stays, reason, |scene| scene.office.answer(None));
    }
    assert!(rows.len() >= 20, "{}", rows.len());
}

/// Source, answer of the mail server to a token, whether it stays, what is said.
const UNWELCOME: &str = "\
    geoffsmith82/GmailAuthSMTP#15|535 5.7.3 Authentication unsuccessful [ROAP284CA0191.BRAP284.PROD.OUTLOOK.COM]|stays|Il token c'è, ma Microsoft 365 non lo accetta per la casella scritta in «Utente» (codice 535, 5.7.3). Controlla
    RFC 5321 §4.2 (a number alone)|535|stays|Il token c'è, ma Microsoft 365 non lo accetta per la casella scritta in «Utente» (codice 535). Controlla
    RFC 4954 §4|504 5.5.4 Unrecognized authentication type|stays|rifiuta questo modo di accedere (codice 504, 5.5.4)
    simonrob/email-oauth2-proxy#193|535 5.7.139 Authentication unsuccessful, SmtpClientAuthentication is disabled for the Tenant. Visit https://aka.ms/smtp_auth_disabled for more information.|stays|(codice 535, 5.7.139). Chi amministra Exchange esegue Set-CASMailbox
    learn.microsoft.com, smtp_auth_disabled|535 5.7.139 Authentication unsuccessful, SmtpClientAuthentication is disabled for the Mailbox. Visit https://aka.ms/smtp_auth_disabled for more information.|stays|è spento per questa casella (codice 535, 5.7.139)
    jstedfast/MailKit#1733|535 5.7.139 Authentication unsuccessful, the request did not meet the criteria to be authenticated successfully. Contact your administrator.|stays|accesso condizionale
    tarickb/sasl-xoauth2#110|501 5.5.124 Invalid XOAUTH2 auth data - User address provided is not valid.|stays|(codice 501, 5.5.124). Scrivi l'indirizzo intero della casella
    RFC 4954 §6|454 4.7.0 Temporary authentication failure|passes|per ora non accetta il token (codice 454, 4.7.0)
    RFC 4954 §6|535 5.7.8 Error: authentication failed|stays|rifiuta il token (codice 535, 5.7.8)";

#[test]
fn every_refusal_by_the_mail_server_is_told_from_one_of_the_token() {
    let mut scene = Scene::new();
    for (number, line) in UNWELCOME.lines().enumerate() {
        let row: Vec<&'static str> = line.trim().split('|').collect();
        scene.smtp.set(Manner {
            answers: vec![("AUTH", row[1])],
            ..manner(&scene.office)
        });
        let mend = |scene: &Scene| scene.smtp.set(manner(&scene.office));
        scene.fails(number, row[2] == "stays", row[3], mend);
    }
}

#[test]
fn a_refusal_by_challenge_is_answered_with_an_empty_line() {
    let mut scene = Scene::new();
    scene.smtp.set(Manner {
        tokens: Some(TokenOffice::open().taken),
        challenges: true,
        ..Manner::default()
    });
    let says = "Il server di posta rifiuta il token (codice 535, 5.7.8)";
    scene.fails(1, true, says, |scene| scene.smtp.set(manner(&scene.office)));
    let commands = scene.smtp.visits()[0].commands.clone();
    let auth = commands.iter().position(|said| said.starts_with("AUTH"));
    let auth = auth.expect("a token was shown");
    assert_eq!(commands[auth + 1], "");
}

#[test]
fn a_mail_server_that_takes_no_tokens_gets_none() {
    let mut scene = Scene::new();
    scene.smtp.set(Manner::default());
    let says = "non accetta un accesso con un token (XOAUTH2)";
    scene.fails(1, false, says, |scene| {
        scene.smtp.set(manner(&scene.office));
    });
    let said = scene.smtp.visits()[0].commands.concat();
    assert!(!said.contains("AUTH"), "{said}");
}

#[test]
fn what_keeps_the_address_of_tokens_from_being_reached_is_named() {
    let office = TokenOffice::open();
    let smtp = MailServer::start(manner(&office));
    let encrypted = MailServer::start(Manner {
        tls: Some(Authority::new().server("127.0.0.1")),
        implicit: true,
        ..Manner::default()
    });
    let moved = Receiver::start(
        "HTTP/1.1 302 Found\r\nlocation: /\r\ncontent-length: 0\r\nconnection: close\r\n\r\n",
    );
    let huge = Receiver::start(format!(
        "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n{{\"access_token\":\"{}",
        "x".repeat(100_000)
    ));
    let mute = Receiver::start("");
    let hasty = OutboundPolicy {
        call_limit: Duration::from_millis(300),
        ..OutboundPolicy::default()
    };
    let program = Program::start_within(&[ALLOWED], hasty);
    let editor = program.set_up();
    let name = format!("https://{}.invalid/token", "x".repeat(64));
    for (url, says) in [
        (
            format!("http://127.0.0.1:{}/", free_port()),
            "Il server dei token rifiuta la connessione",
        ),
        (name, "Il server dei token non è stato trovato"),
        (
            format!("https://127.0.0.1:{}/", encrypted.port()),
            "autorità sconosciuta",
        ),
        (format!("http://localhost:{}/", free_port()), "token"),
        (moved.url(), "risponde qualcosa che non ne dà (HTTP 302)"),
        (huge.url(), "risponde qualcosa che non ne dà (HTTP 200)"),
        (mute.url(), "Il server dei token non ha risposto in tempo"),
        // A network of its own, which the operator does not name.
        ("https://10.0.0.1/token".to_owned(), "outbound_allow"),
    ] {
        let mut form = settings(&office, smtp.port());
        form["smtpTokenUrl"] = json!(url);
        let (success, message) = editor.try_out(TEST, &form);
        assert!(!success && message.contains(says), "{url}: {message}");
    }
    let form = settings(&office, smtp.port());
    assert!(editor.try_out(TEST, &form).0, "the control");
}

#[test]
fn token_that_ends_in_the_middle_of_a_day_is_replaced_without_a_failure() {
    let mut scene = Scene::new();
    let delivered = |scene: &mut Scene, number: usize, calls: usize| {
        let id = scene.report(number);
        scene.newsroom.wait(&id, "consegnata", 1);
        assert_eq!(scene.office.calls().len(), calls);
    };
    delivered(&mut scene, 1, 1);
    // Still good for more than five minutes.
    scene.newsroom.program.clock.advance(53 * MINUTE);
    delivered(&mut scene, 2, 1);
    scene.newsroom.program.clock.advance(MINUTE);
    delivered(&mut scene, 3, 2);
    // The server takes it no more, before its time.
    scene.office.revoke();
    delivered(&mut scene, 4, 3);
    let refused = scene.smtp.visits().len() - scene.smtp.mails().len();
    assert_eq!(refused, 1);
    has(
        &scene.newsroom.summary(),
        &json!({ "failing": false, "undelivered": 0 }),
    );
}

#[test]
fn clock_ten_minutes_off_changes_nothing() {
    let mut scene = Scene::new();
    let first = scene.report(1);
    scene.newsroom.wait(&first, "consegnata", 1);
    let clock = scene.newsroom.program.clock.clone();
    for (number, shift) in [(2, 600_000), (3, -600_000), (4, -600_000)] {
        clock.set(clock.now_ms() + shift);
        let id = scene.newsroom.report(number);
        scene.newsroom.advance(12 * MINUTE);
        scene.newsroom.wait_state(&id, "consegnata");
    }
    // Only time that passed counts, not what the clock says.
    assert_eq!(scene.office.calls().len(), 1);
    assert_eq!(scene.smtp.mails().len(), 4);
}

#[test]
fn mails_behind_a_revoked_secret_go_by_themselves_once_there_is_another() {
    let mut scene = Scene::new();
    let first = scene.report(0);
    scene.newsroom.wait(&first, "consegnata", 1);
    scene.office.renew("un-altro~segreto");
    // While the token lasts nothing is wrong.
    let second = scene.report(1);
    scene.newsroom.wait(&second, "consegnata", 1);
    scene.newsroom.advance(HOUR);
    let held: Vec<String> = (2..5).map(|number| scene.report(number)).collect();
    for id in &held {
        let failed = scene.newsroom.wait_state(id, "fallita");
        contains(
            failed["ultimoErrore"].to_string(),
            &["AADSTS7000215", "«Valore»"],
        );
    }
    has(
        &scene.newsroom.summary(),
        &json!({ "failing": true, "undelivered": 3 }),
    );
    let editor = scene.newsroom.editor().clone();
    editor.save(EMAIL, &json!({ "smtpPassword": "un-altro~segreto" }));
    for id in &held {
        scene.newsroom.wait_state(id, "consegnata");
        scene.newsroom.advance(MINUTE);
    }
    has(
        &scene.newsroom.summary(),
        &json!({ "failing": false, "undelivered": 0 }),
    );
    let told: Vec<Value> = held.iter().flat_map(|id| scene.newsroom.of(id)).collect();
    assert_eq!(told.len(), held.len(), "each once");
}

#[test]
fn provider_down_for_an_hour_is_told_within_two_minutes_and_loses_nothing() {
    let mut scene = Scene::new();
    scene.office.down(true);
    let mut reports = vec![scene.newsroom.report(0)];
    scene.newsroom.wait_state(&reports[0], "in attesa");
    for _ in 0..12 {
        scene.newsroom.advance(10 * SECOND);
        scene.newsroom.wait_quiet();
    }
    has(
        &scene.newsroom.summary(),
        &json!({ "failing": true, "undelivered": 0 }),
    );
    for number in 1..12 {
        reports.push(scene.report(number));
        scene.newsroom.advance(4 * MINUTE);
        scene.newsroom.wait_quiet();
    }
    assert_eq!(
        scene.smtp.visits().len(),
        0,
        "without a token there is nothing to say"
    );
    scene.office.down(false);
    for _ in 0..3 {
        scene.newsroom.advance(HOUR + 12 * MINUTE);
        scene.newsroom.wait_quiet();
    }
    let all = i64::try_from(reports.len()).expect("few");
    scene.newsroom.wait_counters(0, 0, all);
    has(
        &scene.newsroom.summary(),
        &json!({ "failing": false, "undelivered": 0 }),
    );
    assert!(scene.smtp.mails().len() <= 3, "digests");
}

/// The settings that say who gets the secret, or the tokens.
#[test]
fn another_place_gets_neither_secret_nor_token() {
    let (program, editor) = Program::with_editor();
    let office = TokenOffice::open();
    for change in [
        json!({ "smtpHost": "smtp.altrove.example" }),
        json!({ "smtpUsername": "altra@esempio.it" }),
        json!({ "smtpTenant": "altrove.example" }),
        json!({ "smtpClientId": "altro" }),
        json!({ "smtpTokenUrl": "https://altrove.example/token" }),
        json!({ "smtpScope": "https://altrove.example/.default" }),
        // A secret is no password, and a password no secret.
        json!({ "smtpAccess": "password" }),
    ] {
        let whole = settings(&office, 587);
        assert_eq!(editor.save(EMAIL, &whole)["smtpPasswordSet"], true);
        let (success, message) = editor.try_out(TEST, &change);
        assert!(
            !success && message.contains("incompleta"),
            "{change}: {message}"
        );
        let saved = editor.save(EMAIL, &change);
        assert_eq!(saved["smtpPasswordSet"], false, "{change}");
    }
    assert_eq!(office.calls().len(), 0);
    let whole = settings(&office, 587);
    editor.save(EMAIL, &whole);
    let kept = json!({ "smtpSecretExpires": "2026-12-31", "smtpSecure": true });
    assert_eq!(editor.save(EMAIL, &kept)["smtpPasswordSet"], true);
    assert!(holding(program.data(), SECRET.as_bytes()).is_empty());
    assert!(!editor.get(EMAIL).text().contains(SECRET));
}

#[test]
fn with_a_password_what_a_token_needs_plays_no_part() {
    let (_program, editor) = Program::with_editor();
    let office = TokenOffice::open();
    let mut whole = settings(&office, 587);
    whole["smtpAccess"] = json!("password");
    editor.save(EMAIL, &whole);
    let change = json!({ "smtpTenant": "altrove.example", "smtpClientId": "", "smtpScope": "x" });
    assert_eq!(editor.save(EMAIL, &change)["smtpPasswordSet"], true);
}

#[test]
fn microsoft_365_needs_no_more_than_mailbox_tenant_application_and_secret() {
    let (_program, editor) = Program::with_editor();
    let few = json!({
        "smtpAccess": "microsoft365", "smtpUsername": MAILBOX, "smtpTenant": TENANT, "smtpClientId": CLIENT,
        "smtpPassword": SECRET, "emailFrom": MAILBOX, "emailRecipient": ADDRESS,
    });
    let saved = editor.save(EMAIL, &few);
    has(
        &saved,
        &json!({ "smtpHost": "smtp.office365.com", "smtpPort": 587, "smtpSecure": true, "smtpPasswordSet": true }),
    );
    let lacking = json!({ "smtpTenant": "", "smtpClientId": "", "smtpUsername": "" });
    let refused = editor.put(EMAIL, &lacking);
    assert_eq!(
        refused.refused_fields(),
        ["smtpClientId", "smtpTenant", "smtpUsername"]
    );
}

#[test]
fn the_name_of_a_secret_is_not_taken_for_its_value() {
    let (_program, editor) = Program::with_editor();
    let office = TokenOffice::open();
    let form = |token_url: &str, access: &str| {
        let mut form = settings(&office, 587);
        form["smtpPassword"] = json!("a8fdfbd0-da97-42d9-8f1a-fd6a7cb650b4 ");
        (form["smtpTokenUrl"], form["smtpAccess"]) = (json!(token_url), json!(access));
        form
    };
    let wrong = form("", "microsoft365");
    for refused in [editor.put(EMAIL, &wrong), editor.post_json(TEST, &wrong)] {
        assert_eq!(refused.refused_fields(), ["smtpPassword"]);
        contains(refused.text(), &["ID segreto", "«Valore»"]);
    }
    assert_eq!(editor.read(EMAIL)["smtpPasswordSet"], false);
    // Others make secrets of this form, and people passwords.
    editor.save(EMAIL, &form(&office.url(), "microsoft365"));
    editor.save(EMAIL, &form("", "password"));
}

fn alert(editor: &Editor) -> Value {
    editor.read("/system/alerts")["mailSecret"].clone()
}

#[test]
fn the_end_of_the_secret_is_told_in_panel_and_doctor_before_and_after() {
    let mut scene = Scene::new();
    let says = |scene: &mut Scene, state: &str, words: &str| {
        examined(scene.newsroom.editor()).says("server di posta", state, words);
    };
    for (day, told, words) in [
        ("", Value::Null, "la connessione non è cifrata"),
        ("2026-03-25", Value::Null, "la connessione non è cifrata"),
        (
            "2026-03-24",
            json!({ "on": "2026-03-24", "past": false }),
            "scade il 24/03/2026",
        ),
        (
            "2026-03-09",
            json!({ "on": "2026-03-09", "past": true }),
            "è scaduto il 09/03/2026",
        ),
    ] {
        let editor = scene.newsroom.editor().clone();
        editor.save(EMAIL, &json!({ "smtpSecretExpires": day }));
        assert_eq!(alert(&editor), told, "{day}");
        says(&mut scene, "attenzione", words);
    }
    // A secret that is refused is an error, whatever its date.
    scene.office.renew("un-altro");
    says(&mut scene, "errore", "AADSTS7000215");
}

#[test]
fn neither_secret_nor_token_is_in_a_failure_or_on_the_disk() {
    let mut scene = Scene::new();
    let first = scene.report(1);
    scene.newsroom.wait(&first, "consegnata", 1);
    let shown = scene.smtp.visits()[0].commands.clone();
    let shown = shown
        .iter()
        .find_map(|said| said.strip_prefix("AUTH XOAUTH2 "));
    let shown = STANDARD.decode(shown.expect("a token")).expect("base64");
    let shown = String::from_utf8(shown).expect("a text");
    let token = shown.split("Bearer ").nth(1).expect("a token");
    let token = token.trim_end_matches('\x01');
    scene.office.answer(Some((
        400,
        &format!("{{\"error\":\"{SECRET}\",\"error_description\":\"{token}\"}}"),
    )));
    let (_, message) = scene.try_out();
    assert!(
        !message.contains(SECRET) && !message.contains(token),
        "{message}"
    );
    scene.newsroom.program.stop();
    scene.newsroom.program.hides(&[token, SECRET]);
}
