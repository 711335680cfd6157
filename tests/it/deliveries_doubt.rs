//! Mails that may have arrived though nobody confirmed them: they are sent again under the name they had, with the reports
//! they had, so that a repetition can be told (PRODUCT.md §5).

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use crate::support::chat::{Person, submit};
use crate::support::outbox::{ADDRESS, Newsroom};
use crate::support::post::{Attempt, Manner};

const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_mins(1);
const HOUR: Duration = Duration::from_hours(1);

fn submit_some(newsroom: &Newsroom, numbers: impl IntoIterator<Item = usize>) -> Vec<String> {
    let client = newsroom.program.client();
    let people = numbers.into_iter().map(Person::numbered);
    people.map(|person| submit(&client, &person)).collect()
}

/// Under how many names each report was taken by the other side.
fn names(attempts: &[Attempt]) -> BTreeMap<String, BTreeSet<String>> {
    let mut names: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for attempt in attempts.iter().filter(|attempt| attempt.taken) {
        for report in &attempt.reports {
            let name = attempt.message_id.clone();
            names.entry(report.clone()).or_default().insert(name);
        }
    }
    names
}

fn assert_one_name_each(attempts: &[Attempt], reports: &[String]) {
    let names = names(attempts);
    let told: BTreeSet<&String> = reports.iter().collect();
    assert!(names.keys().eq(told));
    for (report, names) in names {
        assert_eq!(names.len(), 1, "{report} came as {names:?}");
    }
}

#[test]
fn a_mail_that_may_have_arrived_goes_out_again_by_itself_and_under_its_name() {
    let mut newsroom = Newsroom::mail();
    newsroom.post.set(ADDRESS, Manner::Loses);
    let mut reports = submit_some(&newsroom, [1]);
    newsroom.wait(&reports[0], "in attesa", 1);
    reports.extend(submit_some(&newsroom, 2..4));
    newsroom.post.set(ADDRESS, Manner::Takes);
    for _ in 0..2 {
        newsroom.advance(MINUTE);
        newsroom.wait_quiet();
    }
    newsroom.wait_counters(0, 0, 3);
    let mails = newsroom.post.attempts();
    assert_eq!(mails.len(), 3);
    assert_eq!(
        mails[1].reports,
        reports[1..],
        "what was not tried goes first"
    );
    assert_eq!(mails[2].reports, reports[..1]);
    assert_one_name_each(&mails, &reports);
}

#[test]
fn a_list_that_may_have_arrived_stays_the_same_list() {
    let mut newsroom = Newsroom::mail();
    let mut reports = submit_some(&newsroom, [1]);
    newsroom.wait(&reports[0], "consegnata", 1);
    reports.extend(submit_some(&newsroom, 2..5));
    newsroom.post.set(ADDRESS, Manner::Loses);
    newsroom.advance(MINUTE);
    newsroom.wait(&reports[1], "in attesa", 1);
    // Then the server is down for certain, while more people report: it does not make the first doubt go away.
    newsroom.post.set(ADDRESS, Manner::Fails);
    newsroom.program.clock.advance(SECOND);
    reports.extend(submit_some(&newsroom, 5..7));
    for _ in 0..4 {
        newsroom.advance(HOUR + 12 * MINUTE);
        newsroom.wait_quiet();
    }
    newsroom.post.set(ADDRESS, Manner::Takes);
    for _ in 0..3 {
        newsroom.advance(HOUR + 12 * MINUTE);
        newsroom.wait_quiet();
    }
    newsroom.wait_counters(0, 0, 6);
    let mails = newsroom.post.attempts();
    assert_one_name_each(&mails, &reports);
    let lists: Vec<&[String]> = mails.iter().map(|mail| mail.reports.as_slice()).collect();
    assert!(lists.contains(&&reports[1..4]) && lists.contains(&&reports[4..]));
}

#[test]
fn what_certainly_did_not_arrive_is_put_together_anew() {
    // The control of the two above.
    let mut newsroom = Newsroom::mail();
    newsroom.post.set(ADDRESS, Manner::Fails);
    let mut reports = submit_some(&newsroom, [1]);
    newsroom.wait(&reports[0], "in attesa", 1);
    reports.extend(submit_some(&newsroom, 2..4));
    newsroom.post.set(ADDRESS, Manner::Takes);
    newsroom.advance(MINUTE);
    newsroom.wait_counters(0, 0, 3);
    let mails = newsroom.post.attempts();
    assert_eq!((mails.len(), &mails[1].reports), (2, &reports));
    assert_ne!(mails[0].message_id, mails[1].message_id);
}

#[test]
fn a_mail_that_was_cut_off_and_then_failed_keeps_its_name() {
    let mut newsroom = Newsroom::mail();
    newsroom.post.set(ADDRESS, Manner::Hangs);
    let mut reports = submit_some(&newsroom, [1]);
    newsroom.post.wait_hanging(1);
    newsroom.program.stop();
    newsroom.post.set(ADDRESS, Manner::Fails);
    newsroom.post.wait_hanging(0);
    newsroom.program.start_again();
    newsroom.renew();
    newsroom.wait(&reports[0], "in attesa", 2);
    reports.extend(submit_some(&newsroom, 2..4));
    newsroom.post.set(ADDRESS, Manner::Takes);
    for _ in 0..3 {
        newsroom.advance(3 * MINUTE);
        newsroom.wait_quiet();
    }
    newsroom.wait_counters(0, 0, 3);
    assert_one_name_each(&newsroom.post.attempts(), &reports);
}

#[test]
fn a_server_that_always_drops_the_line_gets_few_mails_and_then_the_rest_at_once() {
    let mut newsroom = Newsroom::mail();
    newsroom.post.set(ADDRESS, Manner::Loses);
    let mut reports = Vec::new();
    for number in 0..3 {
        reports.extend(submit_some(&newsroom, [number]));
        // Tried once before the next one comes, or they would be one list.
        while newsroom.delivery(&reports[number])["tentativi"] == 0 {
            newsroom.advance(31 * SECOND);
            newsroom.wait_quiet();
        }
    }
    for number in 3..6 {
        newsroom.advance(31 * SECOND);
        newsroom.wait_quiet();
        reports.extend(submit_some(&newsroom, [number]));
    }
    newsroom.advance(31 * SECOND);
    newsroom.wait_quiet();
    let lost = newsroom.post.attempts();
    let different: BTreeSet<&String> = lost.iter().map(|mail| &mail.message_id).collect();
    assert_eq!(different.len(), 3, "{lost:?}");
    assert!(lost.len() > 3, "the control: more attempts than mails");
    newsroom.post.set(ADDRESS, Manner::Takes);
    for _ in 0..5 {
        newsroom.advance(12 * MINUTE);
        newsroom.wait_quiet();
    }
    newsroom.wait_counters(0, 0, 6);
    let mails = newsroom.post.attempts();
    assert_one_name_each(&mails, &reports);
    let behind = mails.iter().filter(|mail| mail.reports == reports[3..]);
    assert_eq!(behind.count(), 1, "one list of all that waited behind");
}
