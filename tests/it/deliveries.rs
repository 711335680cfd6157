//! Mail and webhook after a report: put into the outbox with it, tried at the right times, seen and retried in the panel.

use std::time::Duration;

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::support::has;
use crate::support::outbox::{ADDRESS, HOOK, Newsroom};
use crate::support::post::Manner;
use crate::support::snapshot::table;
use crate::support::{DAY, HOUR, MINUTE, SECOND};

fn made(attempts: u32) -> usize {
    usize::try_from(attempts).expect("it fits")
}

fn ms(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).expect("it fits")
}

#[test]
fn a_report_goes_out_at_once_by_mail_and_webhook() {
    let mut newsroom = Newsroom::with(true, true);
    let id = newsroom.report(1);
    let mail = newsroom.post.wait(ADDRESS, 1).remove(0);
    let hook = newsroom.post.wait(HOOK, 1).remove(0);
    for attempt in [&mail, &hook] {
        assert_eq!(attempt.reports, [id.as_str()]);
    }
    assert!(mail.message_id.starts_with('<') && mail.message_id.ends_with("@esempio.it>"));
    assert!(hook.message_id.starts_with("msg_"));
    newsroom.wait_counters(0, 0, 2);
    let columns =
        "tipo destinatario stato tentativi creata conclusa prossimoTentativo ultimoErrore";
    assert_snapshot!(table(&json!(newsroom.of(&id)), columns), @"
    email redazione@esempio.it consegnata 1 2026-03-10T09:00:00Z 2026-03-10T09:00:00Z null null
    webhook https://gancio.esempio.it/nuova consegnata 1 2026-03-10T09:00:00Z 2026-03-10T09:00:00Z null null
    ");
}

#[test]
fn what_is_switched_off_makes_no_delivery_and_what_has_no_address_one_that_failed() {
    let mut newsroom = Newsroom::with(true, true);
    let editor = newsroom.editor.clone();
    let email = |settings: Value| editor.save("/settings/email", &settings);
    email(json!({ "emailAutoSend": false }));
    editor.save("/settings/system", &json!({ "enableWebhook": false }));
    let none = newsroom.report(1);
    assert_eq!(newsroom.of(&none), [Value::Null; 0]);
    email(json!({ "emailAutoSend": true, "emailRecipient": "" }));
    let id = newsroom.report(2);
    let words =
        "Manca l'indirizzo di chi riceve le email. Indicalo nelle impostazioni e premi «Riprova».";
    let failed = json!({ "stato": "fallita", "destinatario": "", "ultimoErrore": words });
    has(&newsroom.delivery(&id), &failed);
    // The address for what has no other.
    email(json!({ "emailFallback": "altri@esempio.it" }));
    let delivered = newsroom.wait(&id, "consegnata", 1);
    assert_eq!(delivered["destinatario"], "altri@esempio.it");
}

#[test]
fn attempts_follow_the_delays_for_three_days_and_then_fail() {
    let mut newsroom = Newsroom::webhook();
    newsroom.post.set(HOOK, Manner::Fails);
    let id = newsroom.report(1);
    let mut attempts = 1;
    for seconds in [30, 120, 600, 1_800, 3_600, 3_600] {
        newsroom.wait(&id, "in attesa", attempts);
        // Not a second too early.
        newsroom.advance((seconds - 1) * SECOND);
        assert_eq!(newsroom.post.attempts().len(), made(attempts));
        // Chance adds a fifth at most.
        newsroom.advance((seconds / 5 + 1) * SECOND);
        attempts += 1;
        newsroom.post.wait(HOOK, made(attempts));
    }
    while newsroom.wait_settled(&id, attempts)["stato"] == "in attesa" {
        assert!(attempts < 100);
        newsroom.advance(HOUR + 12 * MINUTE);
        attempts += 1;
        newsroom.post.wait(HOOK, made(attempts));
    }
    let failed = json!({ "stato": "fallita", "ultimoErrore": "Il server non risponde." });
    has(&newsroom.delivery(&id), &failed);
    let all = newsroom.post.attempts();
    let (first, last) = (&all[0], &all[all.len() - 1]);
    assert!((ms(3 * DAY)..ms(3 * DAY + 2 * HOUR)).contains(&(last.at - first.at)));
    assert!(all.iter().all(|one| one.message_id == first.message_id));
    newsroom.advance(10 * DAY);
    assert_eq!(newsroom.post.attempts().len(), all.len());
}

#[test]
fn a_refusal_for_good_fails_at_once_and_a_retry_delivers() {
    let mut newsroom = Newsroom::mail();
    newsroom.post.set(ADDRESS, Manner::Refuses);
    let (id, failed) = newsroom.reported(1, "fallita");
    let words = "Il server ha rifiutato il messaggio.";
    has(
        &failed,
        &json!({ "ultimoErrore": words, "prossimoTentativo": null }),
    );
    // The address is not held back for the next.
    newsroom.reported(2, "fallita");

    newsroom.post.set(ADDRESS, Manner::Takes);
    let retried = newsroom.ask(&failed, "retry").expect(200).json();
    has(&retried, &json!({ "stato": "in attesa", "report": id }));
    newsroom.wait(&id, "consegnata", 1);
    let attempts = newsroom.post.attempts_at(ADDRESS);
    assert_eq!(attempts[0].message_id, attempts[2].message_id);
    // What arrived is not sent again.
    let again = newsroom.ask(&failed, "retry").problem(409, "conflitto");
    let expected =
        json!({ "title": "Non è possibile.", "detail": "Questa consegna è già avvenuta." });
    has(&again, &expected);
    let log = newsroom.editor().read("/logs?action=DELIVERY_RETRIED")["data"].clone();
    assert_eq!(log.as_array().map(Vec::len), Some(1));
    assert_eq!(log[0]["reportId"], id);
}

#[test]
fn all_that_failed_can_be_retried_at_once() {
    let mut newsroom = Newsroom::webhook();
    newsroom.post.set(HOOK, Manner::Refuses);
    newsroom.editor.expects_a_flood();
    let mut reports: Vec<String> = (0..105).map(|number| newsroom.report(number)).collect();
    newsroom.wait_counters(0, 105, 0);
    newsroom.post.set(HOOK, Manner::Takes);
    assert_eq!(newsroom.retry_all(), 105);
    newsroom.wait_counters(0, 0, 105);
    let mut arrived = newsroom.post.arrived();
    arrived.sort();
    reports.sort();
    assert_eq!(arrived, reports);
    // One entry for all of them.
    let log = newsroom.editor().read("/logs?action=DELIVERY_RETRIED");
    assert_eq!(log["data"].as_array().map(Vec::len), Some(1));
}

#[test]
fn deliveries_are_listed_by_page_and_state() {
    let mut newsroom = Newsroom::webhook();
    let mut told = |number, manner, stato| {
        newsroom.post.set(HOOK, manner);
        newsroom.reported(number, stato).0
    };
    let fine = told(1, Manner::Takes, "consegnata");
    let ill = told(2, Manner::Refuses, "fallita");
    let late = told(3, Manner::Fails, "in attesa");

    let first = newsroom.deliveries("?limit=2");
    let reports = |page: &Value| -> Vec<String> {
        let data = page["data"].as_array().unwrap().iter();
        data.map(|row| row["report"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(reports(&first), [late.clone(), ill.clone()]);
    let counters =
        json!({ "pending": 1, "retrying": 1, "failed": 1, "delivered": 1, "ignored": 0 });
    has(&first, &json!({ "counters": counters, "failing": true }));
    let cursor = first["nextCursor"].as_str().unwrap();
    let second = newsroom.deliveries(&format!("?limit=2&cursor={cursor}"));
    assert_eq!(reports(&second), [fine.as_str()]);
    assert_eq!(second["nextCursor"], Value::Null);
    for (query, found) in [
        ("stato=in%20attesa", vec![&late]),
        ("stato=fallita", vec![&ill]),
        ("stato=consegnata", vec![&fine]),
        ("retrying=true", vec![&late]),
        ("retrying=false", vec![&ill, &fine]),
        ("stato=in%20attesa&retrying=false", vec![]),
    ] {
        let page = newsroom.deliveries(&format!("?{query}"));
        assert_eq!(reports(&page).iter().collect::<Vec<_>>(), found, "{query}");
    }
    for wrong in "stato=persa limit=0 limit=201 cursor=x altro=1".split(' ') {
        let answer = newsroom.editor().get(&format!("/deliveries?{wrong}"));
        assert_eq!(answer.refused_fields(), [wrong.split('=').next().unwrap()]);
    }
    for unknown in ["999", "abc", "-1"] {
        let path = format!("/deliveries/{unknown}/retry");
        let refused = newsroom.editor().post(&path).problem(404, "non-trovato");
        assert_eq!(refused["detail"], "Consegna non trovata.", "{unknown}");
    }
}

#[test]
fn concluded_deliveries_are_dropped_after_the_days_of_the_log() {
    let mut newsroom = Newsroom::webhook();
    let days = json!({ "logRetentionDays": 10 });
    newsroom.editor.save("/settings/security", &days);
    let (old, _) = newsroom.reported(1, "consegnata");
    newsroom.post.set(HOOK, Manner::Refuses);
    newsroom.advance(DAY);
    newsroom.reported(2, "fallita");
    newsroom.advance(9 * DAY);
    assert_eq!(newsroom.of(&old).len(), 1, "exactly ten days old");
    newsroom.advance(SECOND);
    assert_eq!(newsroom.of(&old), [Value::Null; 0]);
    newsroom.wait_counters(0, 1, 0);
    newsroom.advance(DAY);
    newsroom.wait_counters(0, 0, 0);
    newsroom.program.stop();
    for (table, left) in [("segnalazioni", 2), ("destinations", 0)] {
        let sql = format!("SELECT count(*) FROM {table}");
        assert_eq!(newsroom.program.count(&sql), left, "{table}");
    }
}
