//! Mail and webhook after a report: put into the outbox with it, tried at the right times, seen and retried in the panel.

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::chat::{Person, submit};
use crate::support::has;
use crate::support::outbox::{ADDRESS, HOOK, Newsroom};
use crate::support::post::Manner;
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
    let mail = newsroom.post.wait(ADDRESS, 1);
    let hook = newsroom.post.wait(HOOK, 1);
    for attempt in [&mail[0], &hook[0]] {
        assert_eq!(attempt.reports, std::slice::from_ref(&id));
    }
    assert!(mail[0].message_id.starts_with('<') && mail[0].message_id.ends_with("@esempio.it>"));
    assert!(hook[0].message_id.starts_with("msg_"));
    newsroom.wait_counters(0, 0, 2);
    let shown: Vec<[Value; 4]> = newsroom
        .of(&id)
        .iter()
        .map(|one| ["tipo", "destinatario", "stato", "tentativi"].map(|key| one[key].clone()))
        .collect();
    assert_eq!(
        json!(shown),
        json!([
            ["email", ADDRESS, "consegnata", 1],
            ["webhook", HOOK, "consegnata", 1]
        ])
    );
    let one = &newsroom.of(&id)[0];
    assert_eq!(one["creata"], "2026-03-10T09:00:00Z");
    assert_eq!(one["conclusa"], "2026-03-10T09:00:00Z");
    assert_eq!(one["prossimoTentativo"], Value::Null);
    assert_eq!(one["ultimoErrore"], Value::Null);
}

#[test]
fn what_is_switched_off_makes_no_delivery_and_what_has_no_address_one_that_failed() {
    let mut newsroom = Newsroom::with(true, true);
    let editor = newsroom.editor.clone();
    editor.save("/settings/email", &json!({ "emailAutoSend": false }));
    editor.save("/settings/system", &json!({ "enableWebhook": false }));
    let none = newsroom.report(1);
    assert_eq!(newsroom.of(&none), Vec::<Value>::new());
    editor.save(
        "/settings/email",
        &json!({ "emailAutoSend": true, "emailRecipient": "" }),
    );
    let nobody = newsroom.report(2);
    let failed = newsroom.delivery(&nobody);
    let shown = ["stato", "destinatario", "ultimoErrore"].map(|key| &failed[key]);
    let words =
        "Manca l'indirizzo di chi riceve le e-mail. Indicalo nelle impostazioni e premi «Riprova».";
    assert_eq!(json!(shown), json!(["fallita", "", words]));
    // The address for what has no other.
    editor.save(
        "/settings/email",
        &json!({ "emailFallback": "altri@esempio.it" }),
    );
    assert_eq!(
        newsroom.wait(&nobody, "consegnata", 1)["destinatario"],
        "altri@esempio.it"
    );
}

#[test]
fn attempts_follow_the_delays_for_three_days_and_then_somebody_is_told() {
    let mut newsroom = Newsroom::webhook();
    newsroom.post.set(HOOK, Manner::Fails);
    let id = newsroom.report(1);
    let delays = [
        30 * SECOND,
        2 * MINUTE,
        10 * MINUTE,
        30 * MINUTE,
        HOUR,
        HOUR,
    ];
    let mut attempts = 1;
    for delay in delays {
        newsroom.wait(&id, "in attesa", attempts);
        // Not a second too early.
        newsroom.advance(delay.saturating_sub(SECOND));
        assert_eq!(newsroom.post.attempts().len(), made(attempts));
        // Chance adds a fifth at most.
        newsroom.advance(delay / 5 + SECOND);
        attempts += 1;
        newsroom.post.wait(HOOK, made(attempts));
    }
    while newsroom.wait_settled(&id, attempts)["stato"] == "in attesa" {
        assert!(attempts < 100);
        newsroom.advance(HOUR + 12 * MINUTE);
        attempts += 1;
        newsroom.post.wait(HOOK, made(attempts));
    }
    let failed = newsroom.delivery(&id);
    has(
        &failed,
        &json!({ "stato": "fallita", "ultimoErrore": "Il server non risponde." }),
    );
    let all = newsroom.post.attempts();
    let (first, last) = (&all[0], &all[all.len() - 1]);
    assert!((ms(3 * DAY)..ms(3 * DAY + 2 * HOUR)).contains(&(last.at - first.at)));
    assert!(
        all.iter()
            .all(|attempt| attempt.message_id == first.message_id)
    );
    newsroom.advance(10 * DAY);
    assert_eq!(newsroom.post.attempts().len(), all.len());
}

#[test]
fn a_refusal_for_good_fails_at_once_and_a_retry_delivers() {
    let mut newsroom = Newsroom::mail();
    newsroom.post.set(ADDRESS, Manner::Refuses);
    let id = newsroom.report(1);
    let failed = newsroom.wait(&id, "fallita", 1);
    assert_eq!(
        failed["ultimoErrore"],
        "Il server ha rifiutato il messaggio."
    );
    assert_eq!(failed["prossimoTentativo"], Value::Null);
    // It had no mercy with the first, and none is held back for the next.
    let other = newsroom.report(2);
    newsroom.wait(&other, "fallita", 1);

    newsroom.post.set(ADDRESS, Manner::Takes);
    let editor = newsroom.editor().clone();
    let retry = format!("/deliveries/{}/retry", failed["id"]);
    let retried = editor.post(&retry).expect(200).json();
    has(&retried, &json!({ "stato": "in attesa", "report": id }));
    newsroom.wait(&id, "consegnata", 1);
    let attempts = newsroom.post.attempts_at(ADDRESS);
    assert_eq!(attempts[0].message_id, attempts[2].message_id);
    // What arrived is not sent again.
    let again = editor.post(&retry).problem(409, "conflitto");
    assert_eq!(again["detail"], "Questa consegna è già avvenuta.");
    assert_eq!(again["title"], "Non è possibile.");
    let log = editor.get("/logs?action=DELIVERY_RETRIED").json()["data"].clone();
    assert_eq!(
        (log.as_array().unwrap().len(), &log[0]["reportId"]),
        (1, &json!(id))
    );
}

#[test]
fn all_that_failed_can_be_retried_at_once() {
    let mut newsroom = Newsroom::webhook();
    newsroom.post.set(HOOK, Manner::Refuses);
    newsroom.editor.expects_a_flood();
    let client = newsroom.program.client();
    let mut reports: Vec<String> = (0..105)
        .map(|number| submit(&client, &Person::numbered(number)))
        .collect();
    newsroom.wait_counters(0, 105, 0);
    newsroom.post.set(HOOK, Manner::Takes);
    let answer = newsroom
        .editor()
        .post("/deliveries/retry")
        .expect(200)
        .json();
    assert_eq!(answer, json!({ "changed": 105 }));
    newsroom.wait_counters(0, 0, 105);
    let mut arrived = newsroom.post.arrived();
    arrived.sort();
    reports.sort();
    assert_eq!(arrived, reports);
    let log = newsroom
        .editor()
        .get("/logs?action=DELIVERY_RETRIED")
        .json();
    assert_eq!(
        log["data"].as_array().unwrap().len(),
        1,
        "one entry for all of them"
    );
}

#[test]
fn deliveries_are_listed_by_page_and_state() {
    let mut newsroom = Newsroom::webhook();
    let mut told = |number, manner, stato| {
        newsroom.post.set(HOOK, manner);
        let id = newsroom.report(number);
        newsroom.wait(&id, stato, 1);
        json!(id)
    };
    let fine = told(1, Manner::Takes, "consegnata");
    let ill = told(2, Manner::Refuses, "fallita");
    let late = told(3, Manner::Fails, "in attesa");

    let first = newsroom.deliveries("?limit=2");
    let reports = |page: &Value| -> Vec<Value> {
        let data = page["data"].as_array().unwrap().iter();
        data.map(|row| row["report"].clone()).collect()
    };
    assert_eq!(reports(&first), [late.clone(), ill.clone()]);
    let counters =
        json!({ "pending": 1, "retrying": 1, "failed": 1, "delivered": 1, "ignored": 0 });
    has(&first, &json!({ "counters": counters, "failing": true }));
    let cursor = first["nextCursor"].as_str().unwrap();
    let second = newsroom.deliveries(&format!("?limit=2&cursor={cursor}"));
    assert_eq!(
        (reports(&second), &second["nextCursor"]),
        (vec![fine.clone()], &Value::Null)
    );
    for (query, found) in [
        ("stato=in%20attesa", vec![late.clone()]),
        ("stato=fallita", vec![ill.clone()]),
        ("stato=consegnata", vec![fine.clone()]),
        ("retrying=true", vec![late]),
        ("retrying=false", vec![ill, fine]),
        ("stato=in%20attesa&retrying=false", vec![]),
    ] {
        assert_eq!(reports(&newsroom.deliveries(&format!("?{query}"))), found);
    }
    for wrong in "stato=persa limit=0 limit=201 cursor=x altro=1".split(' ') {
        let answer = newsroom.editor().get(&format!("/deliveries?{wrong}"));
        assert_eq!(answer.refused_fields(), [wrong.split('=').next().unwrap()]);
    }
    for unknown in ["999", "abc", "-1"] {
        let answer = newsroom
            .editor()
            .post(&format!("/deliveries/{unknown}/retry"));
        assert_eq!(
            answer.problem(404, "non-trovato")["detail"],
            "Consegna non trovata."
        );
    }
}

#[test]
fn concluded_deliveries_are_dropped_after_the_days_of_the_log() {
    let mut newsroom = Newsroom::webhook();
    newsroom
        .editor
        .save("/settings/security", &json!({ "logRetentionDays": 10 }));
    let old = newsroom.report(1);
    newsroom.wait(&old, "consegnata", 1);
    newsroom.post.set(HOOK, Manner::Refuses);
    newsroom.advance(DAY);
    let newer = newsroom.report(2);
    newsroom.wait(&newer, "fallita", 1);
    newsroom.advance(9 * DAY);
    assert_eq!(newsroom.of(&old).len(), 1, "exactly ten days old");
    newsroom.advance(SECOND);
    assert_eq!(newsroom.of(&old), Vec::<Value>::new());
    newsroom.wait_counters(0, 1, 0);
    newsroom.advance(DAY);
    newsroom.wait_counters(0, 0, 0);
    newsroom.program.stop();
    assert_eq!(
        newsroom.program.count("SELECT count(*) FROM segnalazioni"),
        2
    );
    assert_eq!(
        newsroom.program.count("SELECT count(*) FROM destinations"),
        0
    );
}
