//! Deliveries that need not arrive any more: put away one by one or by destination. And when the panel raises its alarm:
//! when something was given up, keeps failing or waits too long, in a channel that is switched on (PRODUCT.md §9).

use serde_json::json;

use crate::support::has;
use crate::support::http::Answer;
use crate::support::outbox::{ADDRESS, HOOK, Newsroom};
use crate::support::post::Manner;
use crate::support::snapshot::table;
use crate::support::{HOUR, MINUTE, SECOND};

fn failing(newsroom: &mut Newsroom) -> bool {
    let client = newsroom.program.client();
    let health = client.page("/paibeta/healthz?deliveries").status;
    let failing = newsroom.summary()["failing"].as_bool().expect("a verdict");
    assert_eq!(health, if failing { 503 } else { 200 });
    assert_eq!(newsroom.deliveries("")["failing"], failing);
    failing
}

fn conflict(answer: &Answer) -> String {
    let problem = answer.problem(409, "conflitto");
    problem["detail"].as_str().expect("a reason").to_owned()
}

#[test]
fn what_failed_is_put_away_for_good_and_alarms_no_more() {
    let mut newsroom = Newsroom::webhook();
    let (fine, arrived) = newsroom.reported(1, "consegnata");
    newsroom.post.set(HOOK, Manner::Refuses);
    let (id, failed) = newsroom.reported(2, "fallita");
    assert!(failing(&mut newsroom));
    newsroom.program.clock.advance(SECOND);
    let ignored = newsroom.ask(&failed, "ignore").expect(200).json();
    let moment = "2026-03-10T09:00:01Z";
    has(
        &ignored,
        &json!({ "stato": "ignorata", "report": id, "conclusa": moment }),
    );
    // It stays, and says why.
    let reason = newsroom.delivery(&id)["ultimoErrore"].clone();
    assert_eq!(reason, "Il server ha rifiutato il messaggio.");
    assert!(!failing(&mut newsroom));
    let counters =
        json!({ "pending": 0, "retrying": 0, "failed": 0, "delivered": 1, "ignored": 1 });
    assert_eq!(newsroom.summary()["counters"], counters);
    let listed = newsroom.deliveries("?stato=ignorata");
    assert_eq!(listed["data"].as_array().unwrap().len(), 1);

    // For good: asked for again it is not sent, and putting it away twice is doing it once.
    newsroom.post.set(HOOK, Manner::Takes);
    newsroom.ask(&failed, "ignore").expect(200);
    for (delivery, what, words) in [
        (&failed, "retry", "Questa consegna è stata ignorata."),
        (&arrived, "ignore", "Questa consegna è già avvenuta."),
    ] {
        assert_eq!(conflict(&newsroom.ask(delivery, what)), words);
    }
    assert_eq!(newsroom.retry_all(), 0);
    let unknown = newsroom.ask(&json!({ "id": 999 }), "ignore");
    unknown.problem(404, "non-trovato");
    let log = newsroom.editor().read("/logs?action=DELIVERY_IGNORED")["data"].clone();
    assert_eq!(table(&log, "action reportId"), "DELIVERY_IGNORED id1");
    assert_eq!(log[0]["reportId"], id);
    assert_eq!(newsroom.post.arrived(), [fine]);
}

#[test]
fn all_that_failed_for_a_destination_is_put_away_and_nothing_else() {
    let mut newsroom = Newsroom::with(true, true);
    newsroom.post.set(HOOK, Manner::Refuses);
    newsroom.post.set(ADDRESS, Manner::Refuses);
    newsroom.editor.expects_a_flood();
    for number in 0..105 {
        newsroom.report(number);
    }
    newsroom.wait_counters(0, 210, 0);
    let editor = newsroom.editor().clone();
    let put_away = |tipo: &str, address: &str| {
        let which = json!({ "tipo": tipo, "destinatario": address });
        editor.post_json("/deliveries/ignore", &which)
    };
    put_away("fax", HOOK).problem(422, "dati-non-validi");
    for (tipo, address, ignored) in [("email", HOOK, 0), ("webhook", HOOK, 105)] {
        let changed = put_away(tipo, address).expect(200).json();
        assert_eq!(changed, json!({ "changed": ignored }), "{tipo}");
    }
    newsroom.wait_counters(0, 105, 0);
    assert!(failing(&mut newsroom), "the mails");
    put_away("email", ADDRESS).expect(200);
    assert!(!failing(&mut newsroom));
    let bodies = "SELECT count(*) FROM deliveries WHERE body IS NOT NULL OR state <> 'ignored'";
    assert_eq!(newsroom.program.count(bodies), 0);
}

#[test]
fn what_keeps_failing_is_put_away_too_but_not_what_is_being_tried() {
    let mut newsroom = Newsroom::webhook();
    newsroom.post.set(HOOK, Manner::Hangs);
    let id = newsroom.report(1);
    newsroom.post.wait_hanging(1);
    let trying = newsroom.delivery(&id);
    let refused = conflict(&newsroom.ask(&trying, "ignore"));
    let words = "Questa consegna è in corso: aspetta che il tentativo finisca.";
    assert_eq!(refused, words);
    newsroom.post.set(HOOK, Manner::Takes);
    newsroom.wait(&id, "consegnata", 1);

    newsroom.post.set(HOOK, Manner::Fails);
    let (id, waiting) = newsroom.reported(2, "in attesa");
    newsroom.ask(&waiting, "ignore").expect(200);
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
    let id = newsroom.report(1);
    newsroom.wait(&id, "in attesa", 1);
    assert!(!failing(&mut newsroom));
    newsroom.advance(MINUTE);
    let waiting = newsroom.wait(&id, "in attesa", 2);
    assert!(failing(&mut newsroom));
    assert_eq!(newsroom.summary()["undelivered"], 0, "it may still arrive");
    // While it is tried once more it still stands as it did.
    newsroom.post.set(HOOK, Manner::Hangs);
    newsroom.ask(&waiting, "retry").expect(200);
    newsroom.post.wait_hanging(1);
    assert!(failing(&mut newsroom));
    newsroom.post.set(HOOK, Manner::Takes);
    newsroom.wait(&id, "consegnata", 3);
    assert!(!failing(&mut newsroom));
}

#[test]
fn the_alarm_is_raised_by_what_waits_too_long_whatever_for() {
    let mut newsroom = Newsroom::webhook();
    newsroom.post.set(HOOK, Manner::Hangs);
    newsroom.report(1);
    newsroom.post.wait_hanging(1);
    let clock = newsroom.program.clock.clone();
    clock.advance((15 * MINUTE).saturating_sub(SECOND));
    assert!(!failing(&mut newsroom));
    clock.advance(SECOND);
    assert!(failing(&mut newsroom));
    newsroom.post.set(HOOK, Manner::Takes);
    newsroom.wait_counters(0, 0, 1);
    assert!(!failing(&mut newsroom));
}

#[test]
fn what_belongs_to_a_channel_that_is_switched_off_is_no_alarm() {
    let mut newsroom = Newsroom::with(true, true);
    newsroom.post.set(HOOK, Manner::Refuses);
    newsroom.report(1);
    newsroom.wait_counters(0, 1, 1);
    assert!(failing(&mut newsroom));
    let switch = |newsroom: &mut Newsroom, on: bool| {
        let body = json!({ "enableWebhook": on });
        newsroom.editor().save("/settings/system", &body);
    };
    switch(&mut newsroom, false);
    assert!(!failing(&mut newsroom));
    // It is there, and counts again with its channel.
    let summary = newsroom.summary();
    assert_eq!(summary["counters"]["failed"], 1);
    assert_eq!(summary["undelivered"], 0);
    // It is tried once more, and refused again.
    switch(&mut newsroom, true);
    newsroom.post.wait(HOOK, 2);
    newsroom.wait_counters(0, 1, 1);
    assert!(failing(&mut newsroom));
    assert_eq!(newsroom.summary()["undelivered"], 1);
}
