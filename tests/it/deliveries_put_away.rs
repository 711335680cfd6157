//! Deliveries that need not arrive any more: put away one by one or by destination. And when the panel raises its alarm:
//! when something was given up, keeps failing or waits too long, in a channel that is switched on (PRODUCT.md §9).

use serde_json::{Value, json};

use crate::support::chat::{Person, submit};
use crate::support::disk::count;
use crate::support::has;
use crate::support::http::Answer;
use crate::support::outbox::{ADDRESS, HOOK, Newsroom};
use crate::support::post::Manner;
use crate::support::{HOUR, MINUTE, SECOND};

fn ignore(newsroom: &mut Newsroom, delivery: &Value) -> Answer {
    let path = format!("/deliveries/{}/ignore", delivery["id"]);
    newsroom.editor().post(&path)
}

fn failing(newsroom: &mut Newsroom) -> bool {
    let health = newsroom
        .program
        .client()
        .page("/paibeta/healthz?deliveries");
    let failing = newsroom.summary()["failing"].as_bool().expect("a verdict");
    assert_eq!(health.status, if failing { 503 } else { 200 });
    assert_eq!(newsroom.deliveries("")["failing"], failing);
    failing
}

#[test]
fn what_failed_is_put_away_for_good_and_alarms_no_more() {
    let mut newsroom = Newsroom::webhook();
    let client = newsroom.program.client();
    let fine = submit(&client, &Person::numbered(1));
    let arrived = newsroom.wait(&fine, "consegnata", 1);
    newsroom.post.set(HOOK, Manner::Refuses);
    let id = submit(&client, &Person::numbered(2));
    let failed = newsroom.wait(&id, "fallita", 1);
    assert!(failing(&mut newsroom));
    newsroom.program.clock.advance(SECOND);
    let ignored = ignore(&mut newsroom, &failed).expect(200).json();
    has(
        &ignored,
        &json!({ "stato": "ignorata", "report": id, "conclusa": "2026-03-10T09:00:01Z" }),
    );
    let reason = newsroom.delivery(&id)["ultimoErrore"].clone();
    assert_eq!(
        reason, "Il server ha rifiutato il messaggio.",
        "it stays, and says why"
    );
    assert!(!failing(&mut newsroom));
    let counters =
        json!({ "pending": 0, "retrying": 0, "failed": 0, "delivered": 1, "ignored": 1 });
    assert_eq!(newsroom.summary()["counters"], counters);
    let listed = newsroom.deliveries("?stato=ignorata");
    assert_eq!(listed["data"].as_array().unwrap().len(), 1);

    // For good: asked for again it is not sent, and putting it away twice is doing it once.
    newsroom.post.set(HOOK, Manner::Takes);
    ignore(&mut newsroom, &failed).expect(200);
    let editor = newsroom.editor().clone();
    let refused = editor.post(&format!("/deliveries/{}/retry", failed["id"]));
    assert_eq!(
        refused.problem(409, "conflitto")["detail"],
        "Questa consegna è stata ignorata."
    );
    assert_eq!(
        editor.post("/deliveries/retry").expect(200).json(),
        json!({ "changed": 0 })
    );
    let late = ignore(&mut newsroom, &arrived).problem(409, "conflitto");
    assert_eq!(late["detail"], "Questa consegna è già avvenuta.");
    ignore(&mut newsroom, &json!({ "id": 999 })).problem(404, "non-trovato");
    let log = editor.get("/logs?action=DELIVERY_IGNORED").json()["data"].clone();
    assert_eq!(
        (log.as_array().unwrap().len(), &log[0]["reportId"]),
        (1, &json!(id))
    );
    assert_eq!(newsroom.post.arrived(), [fine]);
}

#[test]
fn all_that_failed_for_a_destination_is_put_away_and_nothing_else() {
    let mut newsroom = Newsroom::with(true, true);
    newsroom.post.set(HOOK, Manner::Refuses);
    newsroom.post.set(ADDRESS, Manner::Refuses);
    newsroom.editor.expects_a_flood();
    let client = newsroom.program.client();
    for number in 0..105 {
        submit(&client, &Person::numbered(number));
    }
    newsroom.wait_counters(0, 210, 0);
    let editor = newsroom.editor().clone();
    let put_away = |tipo: &str, address: &str| {
        editor.post_json(
            "/deliveries/ignore",
            &json!({ "tipo": tipo, "destinatario": address }),
        )
    };
    put_away("fax", HOOK).problem(422, "dati-non-validi");
    for (tipo, address, ignored) in [("email", HOOK, 0), ("webhook", HOOK, 105)] {
        assert_eq!(
            put_away(tipo, address).expect(200).json(),
            json!({ "changed": ignored })
        );
    }
    newsroom.wait_counters(0, 105, 0);
    assert!(failing(&mut newsroom), "the mails");
    put_away("email", ADDRESS).expect(200);
    assert!(!failing(&mut newsroom));
    newsroom.program.stop();
    let bodies = "SELECT count(*) FROM deliveries WHERE body IS NOT NULL OR state <> 'ignored'";
    assert_eq!(count(newsroom.program.data(), bodies), 0);
}

#[test]
fn what_keeps_failing_is_put_away_too_but_not_what_is_being_tried() {
    let mut newsroom = Newsroom::webhook();
    newsroom.post.set(HOOK, Manner::Hangs);
    let id = submit(&newsroom.program.client(), &Person::numbered(1));
    newsroom.post.wait_hanging(1);
    let trying = newsroom.delivery(&id);
    let refused = ignore(&mut newsroom, &trying);
    assert_eq!(
        refused.problem(409, "conflitto")["detail"],
        "Questa consegna è in corso: aspetta che il tentativo finisca."
    );
    newsroom.post.set(HOOK, Manner::Takes);
    newsroom.wait(&id, "consegnata", 1);

    newsroom.post.set(HOOK, Manner::Fails);
    let id = submit(&newsroom.program.client(), &Person::numbered(2));
    let waiting = newsroom.wait(&id, "in attesa", 1);
    ignore(&mut newsroom, &waiting).expect(200);
    newsroom.post.set(HOOK, Manner::Takes);
    newsroom.advance(HOUR);
    newsroom.wait_counters(0, 0, 1);
    assert_eq!(newsroom.delivery(&id)["stato"], "ignorata");
    assert_eq!(newsroom.post.attempts().len(), 2);
}

#[test]
fn the_alarm_is_raised_by_what_keeps_failing_and_not_by_a_single_attempt() {
    let mut newsroom = Newsroom::webhook();
    newsroom.post.set(HOOK, Manner::Fails);
    let id = submit(&newsroom.program.client(), &Person::numbered(1));
    for attempts in 1..3 {
        newsroom.wait(&id, "in attesa", attempts);
        assert!(!failing(&mut newsroom), "after {attempts}");
        newsroom.advance(3 * MINUTE);
    }
    let waiting = newsroom.wait(&id, "in attesa", 3);
    assert!(failing(&mut newsroom));
    assert_eq!(newsroom.summary()["undelivered"], 0, "it may still arrive");
    // While it is tried once more it still stands as it did.
    newsroom.post.set(HOOK, Manner::Hangs);
    let retry = format!("/deliveries/{}/retry", waiting["id"]);
    newsroom.editor().post(&retry).expect(200);
    newsroom.post.wait_hanging(1);
    assert!(failing(&mut newsroom));
    newsroom.post.set(HOOK, Manner::Takes);
    newsroom.wait(&id, "consegnata", 4);
    assert!(!failing(&mut newsroom));
}

#[test]
fn the_alarm_is_raised_by_what_waits_too_long_whatever_for() {
    let mut newsroom = Newsroom::webhook();
    newsroom.post.set(HOOK, Manner::Hangs);
    submit(&newsroom.program.client(), &Person::numbered(1));
    newsroom.post.wait_hanging(1);
    newsroom
        .program
        .clock
        .advance((15 * MINUTE).saturating_sub(SECOND));
    assert!(!failing(&mut newsroom));
    newsroom.program.clock.advance(SECOND);
    assert!(failing(&mut newsroom));
    newsroom.post.set(HOOK, Manner::Takes);
    newsroom.wait_counters(0, 0, 1);
    assert!(!failing(&mut newsroom));
}

#[test]
fn what_belongs_to_a_channel_that_is_switched_off_is_no_alarm() {
    let mut newsroom = Newsroom::with(true, true);
    newsroom.post.set(HOOK, Manner::Refuses);
    submit(&newsroom.program.client(), &Person::numbered(1));
    newsroom.wait_counters(0, 1, 1);
    assert!(failing(&mut newsroom));
    let switch = |newsroom: &mut Newsroom, on: bool| {
        let body = json!({ "enableWebhook": on });
        newsroom.editor().save("/settings/system", &body);
    };
    switch(&mut newsroom, false);
    assert!(!failing(&mut newsroom));
    let summary = newsroom.summary();
    assert_eq!(
        (&summary["counters"]["failed"], &summary["undelivered"]),
        (&json!(1), &json!(0)),
        "it is there, and counts again with its channel"
    );
    // It is tried once more, and refused again.
    switch(&mut newsroom, true);
    newsroom.post.wait(HOOK, 2);
    newsroom.wait_counters(0, 1, 1);
    assert!(failing(&mut newsroom));
    assert_eq!(newsroom.summary()["undelivered"], 1);
}
