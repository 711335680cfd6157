//! Deliveries when the other side is out of order, hangs or comes back, when the program is stopped in between, and when
//! there is more to tell than an address should get.

use serde_json::json;

use crate::support::at_once;
use crate::support::chat::{Person, submit};
use crate::support::disk::{database, holding};
use crate::support::http::Client;
use crate::support::outbox::{ADDRESS, HOOK, Newsroom};
use crate::support::post::{Attempt, Manner};
use crate::support::{HOUR, MINUTE, SECOND, contains, has};

const CLIENTS: usize = 8;

fn sorted(mut ids: Vec<String>) -> Vec<String> {
    ids.sort();
    ids
}

/// So many people report; answers the ids, sorted.
fn many(client: &Client, people: usize, first: usize) -> Vec<String> {
    let told = at_once(CLIENTS, |thread| {
        (thread..people)
            .step_by(CLIENTS)
            .map(|number| submit(client, &Person::numbered(first + number)))
            .collect::<Vec<_>>()
    });
    sorted(told.concat())
}

#[test]
fn reports_of_an_outage_arrive_afterwards_each_once() {
    outage_of(60);
}

#[test]
#[ignore = "soak"]
fn a_thousand_reports_of_an_outage_arrive_afterwards_each_once() {
    outage_of(1_000);
}

/// So many people report while nothing can be delivered for five hours, and the program is restarted in the middle.
fn outage_of(people: usize) {
    let mut newsroom = Newsroom::with(true, true);
    let set = |newsroom: &Newsroom, manner| {
        newsroom.post.set(ADDRESS, manner);
        newsroom.post.set(HOOK, manner);
    };
    set(&newsroom, Manner::Fails);
    newsroom.editor.expects_a_flood();
    let mut reports = many(&newsroom.program.client(), people / 2, 0);
    newsroom.advance(2 * HOUR);
    newsroom.program.restart();
    reports.extend(many(&newsroom.program.client(), people / 2, people / 2));
    newsroom.program.clock.advance(3 * HOUR);
    let reports = sorted(reports);
    assert_eq!(newsroom.post.arrived(), [""; 0]);

    set(&newsroom, Manner::Takes);
    // The webhook gets one call a report, the address one mail a minute.
    for _ in 0..3 {
        newsroom.advance(HOUR + 12 * MINUTE);
        newsroom.wait_quiet();
    }
    newsroom.wait_counters(0, 0, i64::try_from(2 * people).unwrap());
    for address in [ADDRESS, HOOK] {
        let mut taken = newsroom.post.attempts_at(address);
        taken.retain(|attempt| attempt.taken);
        assert!(address == HOOK || taken.len() <= 3, "digests, not mails");
        let arrived = taken.into_iter().flat_map(|attempt| attempt.reports);
        assert_eq!(sorted(arrived.collect()), reports, "{address}");
    }
}

#[test]
fn an_address_gets_one_mail_a_minute_and_then_a_digest() {
    let mut newsroom = Newsroom::mail();
    newsroom.reported(1, "consegnata");
    let mut later = [2, 3, 4].map(|number| newsroom.report(number));
    newsroom.advance(59 * SECOND);
    let next = "2026-03-10T09:01:00Z";
    let waiting = json!({ "stato": "in attesa", "tentativi": 0, "prossimoTentativo": next });
    has(&newsroom.delivery(&later[0]), &waiting);
    newsroom.advance(SECOND);
    newsroom.wait_counters(0, 0, 4);
    let mails = newsroom.post.attempts();
    assert_eq!(mails.len(), 2);
    // The newest first.
    later.reverse();
    assert_eq!(mails[1].reports, later);
    assert_eq!(mails[1].at - mails[0].at, 60_000);
    assert_ne!(mails[1].message_id, mails[0].message_id);
    // One that is alone again has a mail of its own.
    newsroom.advance(MINUTE);
    let (last, _) = newsroom.reported(9, "consegnata");
    assert_eq!(newsroom.post.attempts()[2].reports, [last]);
}

#[test]
fn address_on_two_lists_gets_one_mail_a_minute() {
    let mut newsroom = Newsroom::mail();
    let both = format!("bruno@esempio.it, {}", ADDRESS.to_uppercase());
    let lists = json!({
        "enableDepartmentRouting": true, "routingMode": "keywords",
        "dept_sanita_email": both, "dept_sanita_keywords": "reparto di notte",
        "dept_ambiente_keywords": "xyz", "dept_corruzione_keywords": "xyz", "dept_lavoro_keywords": "xyz",
        "dept_scuola_keywords": "xyz", "dept_criminalita_keywords": "xyz",
    });
    newsroom.editor.save("/settings/email", &lists);
    let client = newsroom.program.client();
    let of_both = |number| {
        let account = Person::numbered(number).segnalazione + " Nel reparto di notte.";
        submit(&client, &Person::telling(number, &account))
    };
    newsroom.reported(1, "consegnata");
    of_both(2);
    newsroom.wait_counters(1, 0, 2);
    for number in [3, 5, 7] {
        newsroom.report(number);
        of_both(number + 1);
        newsroom.minutes(1);
    }
    for (address, reports) in [(ADDRESS, 8), ("bruno@esempio.it", 4)] {
        let mails = newsroom.post.attempts_at(address);
        assert!(a_minute_apart(&mails), "{mails:?}");
        let told: usize = mails.iter().map(|mail| mail.reports.len()).sum();
        assert_eq!(told, reports, "{address}");
    }
}

fn a_minute_apart(mails: &[Attempt]) -> bool {
    let apart = |pair: &[Attempt]| pair[1].at - pair[0].at;
    mails.windows(2).all(|pair| apart(pair) >= 60_000)
}

#[test]
fn a_destination_that_hangs_delays_no_other_and_no_conversation() {
    let mut newsroom = Newsroom::with(true, true);
    newsroom.post.set(ADDRESS, Manner::Hangs);
    newsroom.report(1);
    newsroom.post.wait_hanging(1);
    // The mail hangs: people are heard as ever, and the webhook takes each report.
    let reports: Vec<String> = (2..12).map(|number| newsroom.report(number)).collect();
    let taken = newsroom.post.wait(HOOK, 11).into_iter().skip(1);
    let taken = taken.flat_map(|attempt| attempt.reports).collect();
    assert_eq!(sorted(taken), sorted(reports));
    assert_eq!(newsroom.post.attempts_at(ADDRESS).len(), 1);
    newsroom.post.set(ADDRESS, Manner::Takes);
    newsroom.wait_counters(10, 0, 12);
    newsroom.advance(MINUTE);
    newsroom.wait_counters(0, 0, 22);
}

#[test]
fn a_mail_server_that_hangs_for_every_address_delays_no_call() {
    let newsroom = Newsroom::with(true, false);
    let all: Vec<String> = (0..20)
        .map(|number| format!("r{number}@esempio.it"))
        .collect();
    let recipients = json!({ "emailRecipient": all.join(", ") });
    newsroom.editor.save("/settings/email", &recipients);
    let every = |manner| {
        for address in &all {
            newsroom.post.set(address, manner);
        }
    };
    every(Manner::Hangs);
    newsroom.report(1);
    newsroom.post.wait_hanging(16);
    newsroom.editor.call(HOOK);
    let id = newsroom.report(2);
    assert_eq!(newsroom.post.wait(HOOK, 1)[0].reports, [id]);
    every(Manner::Takes);
}

/// Mails to reporters are for one address each: behind a server that hangs they are one that hangs.
#[test]
fn mails_to_reporters_that_hang_delay_nothing_to_the_newsroom() {
    let newsroom = Newsroom::with(true, false);
    let confirmed = json!({ "confirmationMail": true });
    newsroom.editor.save("/settings/email", &confirmed);
    newsroom.post.hang_for_reporters(true);
    let client = newsroom.program.client();
    let people = many(&client, 40, 1);
    newsroom.post.wait_hanging(1);
    newsroom.editor.call(HOOK);
    let id = submit(&client, &Person::numbered(50));
    assert_eq!(newsroom.post.wait(HOOK, 1)[0].reports, [id]);
    let tried = |id: &String| newsroom.post.attempts_at(id).len();
    assert_eq!(people.iter().map(tried).sum::<usize>(), 1);
    newsroom.post.hang_for_reporters(false);
}

#[test]
fn something_new_is_tried_though_the_destination_is_held_back_and_brings_the_rest_along() {
    let mut newsroom = Newsroom::webhook();
    newsroom.post.set(HOOK, Manner::Fails);
    let first = newsroom.report(1);
    for attempts in 1..5 {
        newsroom.wait(&first, "in attesa", attempts);
        newsroom.advance(HOUR + 12 * MINUTE);
    }
    // Now it is held back for an hour. It is well again; the next report finds out.
    newsroom.wait(&first, "in attesa", 5);
    newsroom.post.set(HOOK, Manner::Takes);
    newsroom.advance(MINUTE);
    assert_eq!(newsroom.delivery(&first)["stato"], "in attesa");
    newsroom.reported(2, "consegnata");
    newsroom.wait(&first, "consegnata", 6);
}

#[test]
fn one_message_that_cannot_be_taken_holds_up_no_other() {
    let mut newsroom = Newsroom::webhook();
    newsroom.post.set(HOOK, Manner::Fails);
    let (ill, _) = newsroom.reported(1, "in attesa");
    newsroom.program.clock.advance(SECOND);
    let fine = many(&newsroom.program.client(), 5, 2);
    newsroom.post.set(HOOK, Manner::Takes);
    newsroom.advance(30 * SECOND);
    for report in &fine {
        newsroom.wait(report, "consegnata", 1);
    }
    newsroom.wait(&ill, "consegnata", 2);
    let order = newsroom.post.attempts();
    assert_ne!(order[1].reports, [ill], "what was tried least goes first");
}

#[test]
fn a_fault_of_our_own_while_sending_counts_as_a_failed_attempt() {
    let mut newsroom = Newsroom::webhook();
    newsroom.post.set(HOOK, Manner::Panics);
    let (id, waiting) = newsroom.reported(1, "in attesa");
    assert_eq!(waiting["ultimoErrore"], "Errore interno durante l'invio.");
    newsroom.post.set(HOOK, Manner::Takes);
    newsroom.advance(MINUTE);
    newsroom.wait(&id, "consegnata", 2);
}

#[test]
fn what_a_stop_cut_off_is_sent_again_under_the_same_name() {
    let mut newsroom = Newsroom::mail();
    newsroom.reported(1, "consegnata");
    let mut cut = [2, 3].map(|number| newsroom.report(number));
    // The newest first.
    cut.reverse();
    newsroom.post.set(ADDRESS, Manner::Hangs);
    newsroom.advance(MINUTE);
    newsroom.post.wait_hanging(1);
    newsroom.program.stop();
    // The answer comes too late, while the program stands.
    newsroom.post.set(ADDRESS, Manner::Takes);
    newsroom.post.wait_hanging(0);
    let sending = "SELECT count(*) FROM deliveries WHERE state = 'sending'";
    assert_eq!(newsroom.program.count(sending), 2);
    newsroom.program.start_again();
    newsroom.wait_counters(0, 0, 3);
    // The control: what was settled is not sent again.
    newsroom.program.restart();
    newsroom.wait_counters(0, 0, 3);
    let mails = newsroom.post.attempts();
    assert_eq!(mails.len(), 3);
    assert_eq!(mails[1].reports, cut);
    let named = |mail: &Attempt| (mail.reports.clone(), mail.message_id.clone());
    assert_eq!(named(&mails[2]), named(&mails[1]));
}

#[test]
fn bodies_are_sealed_while_they_wait_and_wiped_afterwards() {
    let mut newsroom = Newsroom::webhook();
    newsroom.post.set(HOOK, Manner::Fails);
    let person = Person::numbered(1);
    let (id, _) = newsroom.reported(1, "in attesa");
    newsroom.program.stop();
    let data = newsroom.program.data().to_owned();
    let body: Vec<u8> = database(&data)
        .query_row("SELECT body FROM deliveries", [], |row| row.get(0))
        .expect("a body");
    assert!(body.len() > person.segnalazione.len());
    let middle = &body[body.len() / 2..body.len() / 2 + 32];
    // A backup that was made while it waited has it for good, sealed as it was.
    let kept = || {
        let mut all = holding(&data, middle);
        all.retain(|path| !path.starts_with(data.join("backups")));
        all.len()
    };
    assert_eq!(kept(), 1, "the control: it is there while it waits");
    for text in person.texts() {
        assert_eq!(holding(&data, text.as_bytes()).len(), 0, "{text}");
    }
    newsroom.post.set(HOOK, Manner::Takes);
    newsroom.program.start_again();
    newsroom.advance(MINUTE);
    newsroom.wait(&id, "consegnata", 2);
    newsroom.program.stop();
    assert_eq!(kept(), 0);
}

#[test]
fn bodies_of_another_operational_key_are_given_up_and_made_anew() {
    let mut newsroom = Newsroom::webhook();
    newsroom.post.set(HOOK, Manner::Fails);
    let (id, _) = newsroom.reported(1, "in attesa");
    newsroom.program.stop();
    // A database restored on another machine: the key file is a new one, the login brings the newsroom's key back.
    std::fs::remove_file(&newsroom.program.config().key_file).expect("removed");
    newsroom.post.set(HOOK, Manner::Takes);
    newsroom.program.clock.advance(MINUTE);
    newsroom.program.start_again();
    newsroom.editor = newsroom.program.log_in();
    newsroom.editor().post("/system/authenticity").expect(200);
    let failed = newsroom.wait_state(&id, "fallita");
    contains(
        failed["ultimoErrore"].to_string(),
        &["chiave operativa", "Riprova"],
    );
    assert_eq!(newsroom.post.attempts().len(), 1);
    assert_eq!(newsroom.retry_all(), 1);
    newsroom.wait(&id, "consegnata", 1);
    assert_eq!(newsroom.post.arrived(), [id]);
}

/// A newsroom with one mail that arrived and so many reports after it, the first of which the server dislikes.
fn with_one_disliked(manner: Manner, reports: usize) -> (Newsroom, String, Vec<String>) {
    let mut newsroom = Newsroom::mail();
    newsroom.reported(0, "consegnata");
    newsroom.post.set(ADDRESS, manner);
    let disliked = newsroom.report(1);
    newsroom.post.dislike(&disliked);
    let others = (2..=reports)
        .map(|number| newsroom.report(number))
        .collect();
    (newsroom, disliked, others)
}

#[test]
fn a_report_that_is_refused_in_a_digest_does_not_keep_the_others_from_arriving() {
    let (mut newsroom, disliked, others) = with_one_disliked(Manner::Dislikes, 4);
    newsroom.minutes(1);
    // Each goes by itself, one a minute, and what is new takes its turn.
    let new = newsroom.report(9);
    newsroom.minutes(5);
    newsroom.wait_counters(0, 1, 5);
    let failed = json!({ "stato": "fallita", "ultimoErrore": "Il server rifiuta il contenuto." });
    has(&newsroom.delivery(&disliked), &failed);
    let mut mails = newsroom.post.attempts();
    mails.retain(|mail| mail.taken);
    assert!(a_minute_apart(&mails), "{mails:?}");
    assert!(mails.iter().all(|mail| mail.reports.len() == 1));
    let arrived = newsroom.post.arrived().into_iter().skip(1).collect();
    assert_eq!(sorted(arrived), sorted([others, vec![new]].concat()));
}

#[test]
fn a_report_that_is_put_off_again_and_again_holds_up_none_that_come_after_it() {
    let (mut newsroom, poison, mut others) = with_one_disliked(Manner::Postpones, 1);
    // A new report comes before each attempt, and is in the same digest.
    for number in 2..6 {
        others.push(newsroom.report(number));
        newsroom.advance(2 * MINUTE);
        newsroom.wait_quiet();
    }
    newsroom.minutes(6);
    for other in &others {
        assert_eq!(newsroom.delivery(other)["stato"], "consegnata");
    }
    assert_eq!(newsroom.delivery(&poison)["stato"], "in attesa");
}

#[test]
fn what_goes_alone_and_is_late_takes_turns_with_what_is_new() {
    let (mut newsroom, ..) = with_one_disliked(Manner::Dislikes, 6);
    newsroom.minutes(1);
    // The program stands for as long as all of them would have taken.
    newsroom.program.stop();
    newsroom.program.clock.advance(HOUR);
    newsroom.program.start_again();
    for number in 10..12 {
        let new = newsroom.report(number);
        newsroom.minutes(2);
        assert_eq!(newsroom.delivery(&new)["stato"], "consegnata");
        let left = newsroom.summary()["counters"]["pending"].as_i64();
        assert!(left > Some(0), "the control: some still go alone");
    }
    newsroom.minutes(6);
    newsroom.wait_counters(0, 1, 8);
}
