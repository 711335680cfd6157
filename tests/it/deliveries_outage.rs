//! Deliveries when the other side is out of order, hangs or comes back, when the program is stopped in between, and when
//! there is more to tell than an address should get.

use serde_json::json;

use crate::support::at_once;
use crate::support::chat::{Person, submit};
use crate::support::disk::{count, database, files, holding};
use crate::support::has;
use crate::support::http::Client;
use crate::support::outbox::{ADDRESS, HOOK, Newsroom};
use crate::support::post::{Attempt, Manner};
use crate::support::{HOUR, MINUTE, SECOND};

/// People who report at a time.
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
    newsroom.post.set(ADDRESS, Manner::Fails);
    newsroom.post.set(HOOK, Manner::Fails);
    newsroom.editor.expects_a_flood();
    let client = newsroom.program.client();
    let mut reports = many(&client, people / 2, 0);
    newsroom.advance(2 * HOUR);
    // A restart in the middle of it changes nothing.
    newsroom.program.restart();
    reports.extend(many(&newsroom.program.client(), people / 2, people / 2));
    newsroom.program.clock.advance(3 * HOUR);
    let reports = sorted(reports);
    assert_eq!(newsroom.post.arrived(), Vec::<String>::new());

    newsroom.post.set(ADDRESS, Manner::Takes);
    newsroom.post.set(HOOK, Manner::Takes);
    // The webhook gets one call a report, the address one mail a minute.
    for _ in 0..3 {
        newsroom.advance(HOUR + 12 * MINUTE);
        newsroom.wait_quiet();
    }
    let both = i64::try_from(2 * people).unwrap();
    newsroom.wait_counters(0, 0, both);
    for address in [ADDRESS, HOOK] {
        let taken = newsroom
            .post
            .attempts_at(address)
            .into_iter()
            .filter(|attempt| attempt.taken);
        let arrived: Vec<String> = taken.flat_map(|attempt| attempt.reports).collect();
        assert_eq!(sorted(arrived), reports, "{address}");
    }
    let mails = newsroom
        .post
        .attempts_at(ADDRESS)
        .into_iter()
        .filter(|attempt| attempt.taken);
    assert!(mails.count() <= 3, "a digest, not a thousand mails");
}

#[test]
fn an_address_gets_one_mail_a_minute_and_then_a_digest() {
    let mut newsroom = Newsroom::mail();
    let client = newsroom.program.client();
    let first = submit(&client, &Person::numbered(1));
    newsroom.wait(&first, "consegnata", 1);
    let later: Vec<String> = (2..5)
        .map(|number| submit(&client, &Person::numbered(number)))
        .collect();
    newsroom.advance(59 * SECOND);
    let waiting = newsroom.delivery(&later[0]);
    has(&waiting, &json!({ "stato": "in attesa", "tentativi": 0 }));
    assert_eq!(waiting["prossimoTentativo"], "2026-03-10T09:01:00Z");
    newsroom.advance(SECOND);
    newsroom.wait_counters(0, 0, 4);
    let mails = newsroom.post.attempts();
    assert_eq!(mails.len(), 2);
    // The newest first.
    let newest: Vec<_> = later.iter().rev().cloned().collect();
    assert_eq!(mails[1].reports, newest);
    assert_eq!(mails[1].at - mails[0].at, 60_000);
    assert_ne!(mails[1].message_id, mails[0].message_id);
    // One that is alone again has a mail of its own.
    newsroom.advance(MINUTE);
    let last = submit(&client, &Person::numbered(9));
    newsroom.wait(&last, "consegnata", 1);
    assert_eq!(newsroom.post.attempts()[2].reports, [last]);
}

#[test]
fn whoever_is_on_two_lists_gets_one_mail_a_minute() {
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
    let general = |number| submit(&client, &Person::numbered(number));
    let of_both = |number| {
        let person = Person::numbered(number);
        let segnalazione = format!("{} Nel reparto di notte.", person.segnalazione);
        submit(
            &client,
            &Person {
                segnalazione,
                ..person
            },
        )
    };
    newsroom.wait(&general(1), "consegnata", 1);
    of_both(2);
    newsroom.wait_counters(1, 0, 2);
    for number in [3, 5, 7] {
        general(number);
        of_both(number + 1);
        newsroom.advance(MINUTE);
        newsroom.wait_quiet();
    }
    for (address, reports) in [(ADDRESS, 8), ("bruno@esempio.it", 4)] {
        let mails = newsroom.post.attempts_at(address);
        let apart = |pair: &[Attempt]| pair[1].at - pair[0].at;
        assert!(
            mails.windows(2).all(|pair| apart(pair) >= 60_000),
            "{mails:?}"
        );
        let told: usize = mails.iter().map(|mail| mail.reports.len()).sum();
        assert_eq!(told, reports, "{address}");
    }
}

#[test]
fn a_destination_that_hangs_delays_no_other_and_no_conversation() {
    let mut newsroom = Newsroom::with(true, true);
    newsroom.post.set(ADDRESS, Manner::Hangs);
    let client = newsroom.program.client();
    submit(&client, &Person::numbered(1));
    newsroom.post.wait_hanging(1);
    // The mail hangs: people are heard as ever, and the webhook takes each report.
    let reports: Vec<String> = (2..12)
        .map(|number| submit(&client, &Person::numbered(number)))
        .collect();
    let taken = newsroom.post.wait(HOOK, 11);
    assert_eq!(
        sorted(
            taken
                .into_iter()
                .skip(1)
                .flat_map(|attempt| attempt.reports)
                .collect()
        ),
        sorted(reports)
    );
    assert_eq!(newsroom.post.attempts_at(ADDRESS).len(), 1);
    newsroom.post.set(ADDRESS, Manner::Takes);
    newsroom.wait_counters(10, 0, 12);
    newsroom.advance(MINUTE);
    newsroom.wait_counters(0, 0, 22);
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
    let client = newsroom.program.client();
    let first = submit(&client, &Person::numbered(1));
    for attempts in 1..5 {
        newsroom.wait(&first, "in attesa", attempts);
        newsroom.advance(HOUR + 12 * MINUTE);
    }
    // Now it is held back for an hour. It is well again; the next report finds out.
    newsroom.wait(&first, "in attesa", 5);
    newsroom.post.set(HOOK, Manner::Takes);
    newsroom.advance(MINUTE);
    assert_eq!(newsroom.delivery(&first)["stato"], "in attesa");
    let second = submit(&client, &Person::numbered(2));
    newsroom.wait(&second, "consegnata", 1);
    newsroom.wait(&first, "consegnata", 6);
}

#[test]
fn one_message_that_cannot_be_taken_holds_up_no_other() {
    let mut newsroom = Newsroom::webhook();
    newsroom.post.set(HOOK, Manner::Fails);
    let client = newsroom.program.client();
    let ill = submit(&client, &Person::numbered(1));
    newsroom.wait(&ill, "in attesa", 1);
    newsroom.program.clock.advance(SECOND);
    let fine = many(&client, 5, 2);
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
    let id = submit(&newsroom.program.client(), &Person::numbered(1));
    let waiting = newsroom.wait(&id, "in attesa", 1);
    assert_eq!(waiting["ultimoErrore"], "Errore interno durante l'invio.");
    newsroom.post.set(HOOK, Manner::Takes);
    newsroom.advance(MINUTE);
    newsroom.wait(&id, "consegnata", 2);
}

#[test]
fn what_a_stop_cut_off_is_sent_again_under_the_same_name() {
    let mut newsroom = Newsroom::mail();
    let client = newsroom.program.client();
    let first = submit(&client, &Person::numbered(1));
    newsroom.wait(&first, "consegnata", 1);
    let mut cut: Vec<String> = (2..4)
        .map(|number| submit(&client, &Person::numbered(number)))
        .collect();
    // The newest first.
    cut.reverse();
    newsroom.post.set(ADDRESS, Manner::Hangs);
    newsroom.advance(MINUTE);
    newsroom.post.wait_hanging(1);
    newsroom.program.stop();
    // Its answer comes too late: nobody is at home.
    newsroom.post.set(ADDRESS, Manner::Takes);
    newsroom.post.wait_hanging(0);
    let pending = "SELECT count(*) FROM deliveries WHERE state = 'sending'";
    assert_eq!(count(newsroom.program.data(), pending), 2);
    newsroom.program.start_again();
    // What comes in the meantime is no part of it.
    newsroom.wait_counters(0, 0, 3);
    let mails = newsroom.post.attempts();
    assert_eq!(mails.len(), 3);
    assert_eq!(mails[1].reports, cut);
    assert_eq!(
        (&mails[2].reports, &mails[2].message_id),
        (&cut, &mails[1].message_id)
    );
    newsroom.program.restart();
    newsroom.wait_counters(0, 0, 3);
    assert_eq!(
        newsroom.post.attempts().len(),
        3,
        "the control: what was settled is not sent again"
    );
}

#[test]
fn bodies_are_sealed_while_they_wait_and_wiped_afterwards() {
    let mut newsroom = Newsroom::webhook();
    newsroom.post.set(HOOK, Manner::Fails);
    let person = Person::numbered(1);
    let id = submit(&newsroom.program.client(), &person);
    newsroom.wait(&id, "in attesa", 1);
    newsroom.program.stop();
    let data = newsroom.program.data().to_owned();
    let body: Vec<u8> = database(&data)
        .query_row("SELECT body FROM deliveries", [], |row| row.get(0))
        .expect("a body");
    assert!(body.len() > person.segnalazione.len());
    let middle = &body[body.len() / 2..body.len() / 2 + 32];
    // A backup that was made while it waited has it for good, sealed as it was.
    let holding_it = || {
        let all = holding(&data, middle).into_iter();
        let lasting = all.filter(|path| !path.starts_with(data.join("backups")));
        lasting.collect::<Vec<std::path::PathBuf>>()
    };
    assert_eq!(
        holding_it().len(),
        1,
        "the control: it is there while it waits"
    );
    for text in person.texts() {
        assert_eq!(
            holding(&data, text.as_bytes()),
            Vec::<std::path::PathBuf>::new(),
            "{text}"
        );
    }
    newsroom.post.set(HOOK, Manner::Takes);
    newsroom.program.start_again();
    newsroom.advance(MINUTE);
    newsroom.wait(&id, "consegnata", 2);
    newsroom.program.stop();
    assert_eq!(holding_it(), Vec::<std::path::PathBuf>::new());
    assert!(!files(&data).is_empty());
}

#[test]
fn bodies_of_another_operational_key_are_given_up_and_made_anew() {
    let mut newsroom = Newsroom::webhook();
    newsroom.post.set(HOOK, Manner::Fails);
    let id = submit(&newsroom.program.client(), &Person::numbered(1));
    newsroom.wait(&id, "in attesa", 1);
    newsroom.program.stop();
    // A database restored on another machine: the key file is a new one, the login brings the newsroom's key back.
    std::fs::remove_file(&newsroom.program.config().key_file).expect("removed");
    newsroom.post.set(HOOK, Manner::Takes);
    newsroom.program.clock.advance(MINUTE);
    newsroom.program.start_again();
    newsroom.editor = newsroom.program.log_in();
    newsroom.editor().post("/system/authenticity").expect(200);
    let failed = newsroom.wait_state(&id, "fallita");
    let reason = failed["ultimoErrore"].as_str().unwrap_or_default();
    assert!(
        reason.contains("chiave operativa") && reason.contains("Riprova"),
        "{reason}"
    );
    assert_eq!(newsroom.post.attempts().len(), 1);
    let retried = newsroom
        .editor()
        .post("/deliveries/retry")
        .expect(200)
        .json();
    assert_eq!(retried, json!({ "changed": 1 }));
    newsroom.wait(&id, "consegnata", 1);
    assert_eq!(newsroom.post.arrived(), [id]);
}

#[test]
fn a_report_that_is_refused_in_a_digest_does_not_keep_the_others_from_arriving() {
    let mut newsroom = Newsroom::mail();
    let client = newsroom.program.client();
    let first = submit(&client, &Person::numbered(0));
    newsroom.wait(&first, "consegnata", 1);
    let reports = many(&client, 4, 1);
    newsroom.post.set(ADDRESS, Manner::Dislikes);
    newsroom.post.dislike(&reports[1]);
    newsroom.advance(MINUTE);
    newsroom.wait_quiet();
    // Each goes by itself, one a minute, and what is new takes its turn.
    let new = submit(&client, &Person::numbered(9));
    for _ in 0..5 {
        newsroom.advance(MINUTE);
        newsroom.wait_quiet();
    }
    newsroom.wait_counters(0, 1, 5);
    let failed = newsroom.delivery(&reports[1]);
    has(
        &failed,
        &json!({ "stato": "fallita", "ultimoErrore": "Il server rifiuta il contenuto." }),
    );
    let mails = newsroom.post.attempts();
    let (mut arrived, taken): (Vec<String>, Vec<i64>) = mails
        .iter()
        .filter(|mail| mail.taken)
        .flat_map(|mail| mail.reports.iter().map(|id| (id.clone(), mail.at)))
        .unzip();
    assert!(
        taken.windows(2).all(|two| two[1] - two[0] >= 60_000),
        "{mails:?}"
    );
    arrived.sort();
    let mut expected = [reports, vec![first, new]].concat();
    expected.retain(|id| *id != failed_id(&mails));
    assert_eq!(arrived, sorted(expected));
}

#[test]
fn a_report_that_is_put_off_again_and_again_holds_up_none_that_come_after_it() {
    let mut newsroom = Newsroom::mail();
    let client = newsroom.program.client();
    let first = submit(&client, &Person::numbered(0));
    newsroom.wait(&first, "consegnata", 1);
    newsroom.post.set(ADDRESS, Manner::Postpones);
    let poison = submit(&client, &Person::numbered(1));
    newsroom.post.dislike(&poison);
    // A new report comes before each attempt, and is in the same digest.
    let mut others = Vec::new();
    for number in 2..6 {
        others.push(submit(&client, &Person::numbered(number)));
        newsroom.advance(2 * MINUTE);
        newsroom.wait_quiet();
    }
    for _ in 0..6 {
        newsroom.advance(MINUTE);
        newsroom.wait_quiet();
    }
    for other in &others {
        assert_eq!(newsroom.delivery(other)["stato"], "consegnata");
    }
    assert_eq!(newsroom.delivery(&poison)["stato"], "in attesa");
}

#[test]
fn what_goes_alone_and_is_late_takes_turns_with_what_is_new() {
    let mut newsroom = Newsroom::mail();
    let client = newsroom.program.client();
    let first = submit(&client, &Person::numbered(0));
    newsroom.wait(&first, "consegnata", 1);
    let reports = many(&client, 6, 1);
    newsroom.post.set(ADDRESS, Manner::Dislikes);
    newsroom.post.dislike(&reports[0]);
    newsroom.advance(MINUTE);
    newsroom.wait_quiet();
    // Nobody is at home for as long as all of them would have taken.
    newsroom.program.stop();
    newsroom.program.clock.advance(HOUR);
    newsroom.program.start_again();
    for number in 10..12 {
        let new = submit(&newsroom.program.client(), &Person::numbered(number));
        for _ in 0..2 {
            newsroom.advance(MINUTE);
            newsroom.wait_quiet();
        }
        assert_eq!(newsroom.delivery(&new)["stato"], "consegnata");
        let left = newsroom.summary()["counters"]["pending"].clone();
        assert!(
            left.as_i64() > Some(0),
            "the control: {left} still go alone"
        );
    }
    for _ in 0..6 {
        newsroom.advance(MINUTE);
        newsroom.wait_quiet();
    }
    newsroom.wait_counters(0, 1, 8);
}

/// The report that was refused though it was alone.
fn failed_id(mails: &[Attempt]) -> String {
    let alone = mails
        .iter()
        .find(|mail| !mail.taken && mail.reports.len() == 1);
    alone.expect("one refused alone").reports[0].clone()
}
