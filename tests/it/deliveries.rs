//! Mail and webhook after a report: put into the outbox with it, tried at the right times, seen and retried in the panel.

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::chat::{Chat, Person, submit, turn};
use crate::support::disk::count;
use crate::support::outbox::{ADDRESS, HOOK, Newsroom};
use crate::support::post::Manner;

const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_mins(1);
const HOUR: Duration = Duration::from_hours(1);
const DAY: Duration = Duration::from_hours(24);

fn made(attempts: u32) -> usize {
    usize::try_from(attempts).expect("it fits")
}

fn ms(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).expect("it fits")
}

#[test]
fn a_report_goes_out_at_once_by_mail_and_webhook() {
    let mut newsroom = Newsroom::with(true, true);
    let id = submit(&newsroom.program.client(), &Person::numbered(1));
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
    let put = |newsroom: &Newsroom, path: &str, body: Value| {
        newsroom.editor.put(path, &body).expect(200);
    };
    put(
        &newsroom,
        "/settings/email",
        json!({ "emailAutoSend": false }),
    );
    put(
        &newsroom,
        "/settings/system",
        json!({ "enableWebhook": false }),
    );
    let none = submit(&newsroom.program.client(), &Person::numbered(1));
    assert_eq!(newsroom.of(&none), Vec::<Value>::new());
    put(
        &newsroom,
        "/settings/email",
        json!({ "emailAutoSend": true, "emailRecipient": "" }),
    );
    let nobody = submit(&newsroom.program.client(), &Person::numbered(2));
    let failed = newsroom.delivery(&nobody);
    assert_eq!(
        (&failed["stato"], &failed["destinatario"]),
        (&json!("fallita"), &json!(""))
    );
    assert_eq!(
        failed["ultimoErrore"],
        "Manca l'indirizzo di chi riceve le e-mail. Indicalo nelle impostazioni e premi «Riprova»."
    );
    // The address for what has no other.
    put(
        &newsroom,
        "/settings/email",
        json!({ "emailFallback": "altri@esempio.it" }),
    );
    let id = submit(&newsroom.program.client(), &Person::numbered(3));
    assert_eq!(
        newsroom.wait(&id, "consegnata", 1)["destinatario"],
        "altri@esempio.it"
    );
}

#[test]
fn a_last_turn_sent_twice_is_delivered_once() {
    let mut newsroom = Newsroom::with(true, true);
    let client = newsroom.program.client();
    let chat = Chat::at_the_end(&client, &Person::numbered(1));
    let first = turn(&client, chat.token(), "no").expect(200).json();
    let second = turn(&client, chat.token(), "no").expect(200).json();
    assert_eq!(first, second);
    newsroom.wait_counters(0, 0, 2);
    assert_eq!(newsroom.post.attempts().len(), 2);
}

#[test]
fn attempts_follow_the_delays_for_three_days_and_then_somebody_is_told() {
    let mut newsroom = Newsroom::webhook();
    newsroom.post.set(HOOK, Manner::Fails);
    let id = submit(&newsroom.program.client(), &Person::numbered(1));
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
    let waiting = newsroom.wait(&id, "in attesa", attempts);
    assert_eq!(waiting["ultimoErrore"], "Il server non risponde.");
    while newsroom.delivery(&id)["stato"] == "in attesa" {
        assert!(attempts < 100);
        newsroom.wait(&id, "in attesa", attempts);
        newsroom.advance(HOUR + 12 * MINUTE);
        attempts += 1;
        newsroom.post.wait(HOOK, made(attempts));
        newsroom.wait_settled(&id, attempts);
    }
    let failed = newsroom.delivery(&id);
    assert_eq!(failed["stato"], "fallita");
    assert_eq!(failed["ultimoErrore"], "Il server non risponde.");
    let all = newsroom.post.attempts();
    let (first, last) = (all[0].at, all[all.len() - 1].at);
    assert!((ms(3 * DAY)..ms(3 * DAY + 2 * HOUR)).contains(&(last - first)));
    for (pair, delay) in all.windows(2).zip(delays) {
        assert!(pair[1].at - pair[0].at >= ms(delay), "{pair:?}");
    }
    assert!(
        all.iter()
            .all(|attempt| attempt.message_id == all[0].message_id)
    );
    newsroom.advance(10 * DAY);
    newsroom.nudge();
    assert_eq!(newsroom.post.attempts().len(), all.len());
}

#[test]
fn a_refusal_for_good_fails_at_once_and_a_retry_delivers() {
    let mut newsroom = Newsroom::mail();
    newsroom.post.set(ADDRESS, Manner::Refuses);
    let id = submit(&newsroom.program.client(), &Person::numbered(1));
    let failed = newsroom.wait(&id, "fallita", 1);
    assert_eq!(
        failed["ultimoErrore"],
        "Il server ha rifiutato il messaggio."
    );
    assert_eq!(failed["prossimoTentativo"], Value::Null);
    // It had no mercy with the first, and none is held back for the next.
    let other = submit(&newsroom.program.client(), &Person::numbered(2));
    newsroom.wait(&other, "fallita", 1);

    // The address was wrong: a retry goes to the one that is set now.
    newsroom
        .editor()
        .put(
            "/settings/email",
            &json!({ "emailRecipient": "nuova@esempio.it" }),
        )
        .expect(200);
    let number = failed["id"].clone();
    let retried = newsroom
        .editor()
        .api("POST", &format!("/deliveries/{number}/retry"))
        .send()
        .expect(200)
        .json();
    assert_eq!(retried["stato"], "in attesa");
    assert_eq!(retried["report"], id);
    let delivered = newsroom.wait(&id, "consegnata", 1);
    assert_eq!(delivered["destinatario"], "nuova@esempio.it");
    assert_eq!(
        newsroom.post.attempts_at(ADDRESS)[0].message_id,
        newsroom.post.attempts_at("nuova@esempio.it")[0].message_id
    );
    // What arrived is not sent again.
    let again = newsroom
        .editor()
        .api("POST", &format!("/deliveries/{number}/retry"))
        .send();
    assert_eq!(
        again.problem(409, "conflitto")["detail"],
        "Questa consegna è già avvenuta."
    );
    let log = newsroom
        .editor()
        .get("/logs?action=DELIVERY_RETRIED")
        .json();
    assert_eq!(log["data"].as_array().unwrap().len(), 1);
    assert_eq!(log["data"][0]["reportId"], id);
}

#[test]
fn a_retry_of_one_that_waits_does_not_wait_for_its_turn() {
    let mut newsroom = Newsroom::webhook();
    newsroom.post.set(HOOK, Manner::Fails);
    let id = submit(&newsroom.program.client(), &Person::numbered(1));
    let waiting = newsroom.wait(&id, "in attesa", 1);
    newsroom.post.set(HOOK, Manner::Takes);
    let retry = format!("/deliveries/{}/retry", waiting["id"]);
    newsroom.editor().api("POST", &retry).send().expect(200);
    newsroom.wait(&id, "consegnata", 2);
}

#[test]
fn all_that_failed_can_be_retried_at_once() {
    let mut newsroom = Newsroom::webhook();
    newsroom.post.set(HOOK, Manner::Refuses);
    let reports: Vec<String> = (0..105)
        .map(|number| submit(&newsroom.program.client(), &Person::numbered(number)))
        .collect();
    newsroom.wait_counters(0, 105, 0);
    newsroom.post.set(HOOK, Manner::Takes);
    let answer = newsroom
        .editor()
        .api("POST", "/deliveries/retry")
        .send()
        .expect(200)
        .json();
    assert_eq!(answer, json!({ "retried": 105 }));
    newsroom.wait_counters(0, 0, 105);
    let mut arrived = newsroom.post.arrived();
    arrived.sort();
    let mut expected = reports;
    expected.sort();
    assert_eq!(arrived, expected);
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
    let client = newsroom.program.client();
    let fine = submit(&client, &Person::numbered(1));
    newsroom.wait(&fine, "consegnata", 1);
    newsroom.post.set(HOOK, Manner::Refuses);
    let ill = submit(&client, &Person::numbered(2));
    newsroom.wait(&ill, "fallita", 1);
    newsroom.post.set(HOOK, Manner::Fails);
    let late = submit(&client, &Person::numbered(3));
    newsroom.wait(&late, "in attesa", 1);

    let first = newsroom.deliveries("?limit=2");
    let reports = |page: &Value| -> Vec<Value> {
        let data = page["data"].as_array().unwrap().iter();
        data.map(|row| row["report"].clone()).collect()
    };
    assert_eq!(reports(&first), [json!(late), json!(ill)]);
    assert_eq!(
        first["counters"],
        json!({ "pending": 1, "failed": 1, "delivered": 1, "ignored": 0 })
    );
    assert_eq!(first["failing"], true);
    let cursor = first["nextCursor"].as_str().unwrap();
    let second = newsroom.deliveries(&format!("?limit=2&cursor={cursor}"));
    assert_eq!(
        (reports(&second), &second["nextCursor"]),
        (vec![json!(fine)], &Value::Null)
    );
    for (stato, report) in [
        ("in%20attesa", &late),
        ("fallita", &ill),
        ("consegnata", &fine),
    ] {
        assert_eq!(
            reports(&newsroom.deliveries(&format!("?stato={stato}"))),
            [json!(report)]
        );
    }
    for wrong in [
        "?stato=persa",
        "?limit=0",
        "?limit=201",
        "?cursor=x",
        "?cursor=p-1",
        "?altro=1",
    ] {
        let answer = newsroom.editor().get(&format!("/deliveries{wrong}"));
        answer.problem(422, "dati-non-validi");
    }
    for unknown in ["999", "abc", "-1"] {
        let answer = newsroom
            .editor()
            .api("POST", &format!("/deliveries/{unknown}/retry"))
            .send();
        assert_eq!(
            answer.problem(404, "non-trovato")["detail"],
            "Consegna non trovata."
        );
    }
    for (method, path) in [
        ("GET", "/deliveries"),
        ("GET", "/deliveries/summary"),
        ("POST", "/deliveries/retry"),
        ("POST", "/deliveries/1/retry"),
    ] {
        client
            .api(method, path)
            .send()
            .problem(401, "non-autenticato");
    }
}

#[test]
fn health_tells_whether_deliveries_arrive() {
    let mut newsroom = Newsroom::webhook();
    let client = newsroom.program.client();
    let ask = || client.request("GET", "/paibeta/healthz?deliveries").send();
    assert_eq!(ask().expect(200).json(), json!({ "deliveries": "ok" }));
    newsroom.post.set(HOOK, Manner::Fails);
    let id = submit(&client, &Person::numbered(1));
    for attempts in 1..3 {
        newsroom.wait(&id, "in attesa", attempts);
        ask().expect(200);
        newsroom.advance(3 * MINUTE);
    }
    newsroom.wait(&id, "in attesa", 3);
    assert_eq!(ask().expect(503).json(), json!({ "deliveries": "ko" }));
    assert_eq!(
        client
            .request("GET", "/paibeta/healthz")
            .send()
            .expect(200)
            .text(),
        "ok\n"
    );
    newsroom.post.set(HOOK, Manner::Takes);
    newsroom.advance(12 * MINUTE);
    newsroom.wait(&id, "consegnata", 4);
    ask().expect(200);
    newsroom.post.set(HOOK, Manner::Refuses);
    let id = submit(&client, &Person::numbered(2));
    newsroom.wait(&id, "fallita", 1);
    assert_eq!(ask().expect(503).json(), json!({ "deliveries": "ko" }));
}

#[test]
fn concluded_deliveries_are_dropped_after_the_days_of_the_log() {
    let mut newsroom = Newsroom::webhook();
    newsroom
        .editor
        .put("/settings/security", &json!({ "logRetentionDays": 10 }))
        .expect(200);
    let old = submit(&newsroom.program.client(), &Person::numbered(1));
    newsroom.wait(&old, "consegnata", 1);
    newsroom.post.set(HOOK, Manner::Refuses);
    newsroom.advance(DAY);
    let newer = submit(&newsroom.program.client(), &Person::numbered(2));
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
        count(newsroom.program.data(), "SELECT count(*) FROM segnalazioni"),
        2
    );
    assert_eq!(
        count(newsroom.program.data(), "SELECT count(*) FROM destinations"),
        0
    );
}
