//! Mails that a server refuses for what they say, or drops: one report must not keep others from arriving, and what may have
//! arrived keeps its name, whatever the server says later (PRODUCT.md §5). Over the wire, to a server that misbehaves.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use mail_parser::MessageParser;
use serde_json::json;

use crate::support::chat::{Person, submit};
use crate::support::outbox::Newsroom;
use crate::support::program::{START, at};
use crate::support::smtp::{MailServer, Manner};

const SECOND: Duration = Duration::from_secs(1);
pub const MINUTE: Duration = Duration::from_mins(1);
pub const HOUR: Duration = Duration::from_hours(1);
/// Reports that become one list.
const LIST: usize = 9;
/// A server that will never take the mail, and one that may later.
pub const NEVER: &str = "554 5.7.1 contenuto rifiutato";
pub const LATER: &str = "451 4.7.1 riprova";

/// What a server makes of mails that tell of these people.
pub fn taking_offence(people: &[usize], answer: &'static str) -> Manner {
    Manner {
        // The end matters: 1 is not 12.
        poison: people.iter().map(|n| format!("numero {n}:")).collect(),
        poisoned: answer,
        ..Manner::default()
    }
}

/// A newsroom in which a first report arrived, and so many more wait for the minute to be over.
pub fn about_to_list(server: &MailServer, many: usize) -> (Newsroom, Vec<String>) {
    let mut newsroom = Newsroom::posting_to(server.port());
    let client = newsroom.program.client();
    let first = submit(&client, &Person::numbered(100));
    newsroom.wait(&first, "consegnata", 1);
    let people = (0..many).map(Person::numbered);
    let reports = people.map(|person| submit(&client, &person)).collect();
    (newsroom, reports)
}

/// Lets minute after minute go by until no more than so many deliveries wait.
pub fn until_pending(newsroom: &mut Newsroom, pending: i64) {
    for _ in 0..90 {
        newsroom.advance(MINUTE);
        newsroom.wait_quiet();
        if newsroom.summary()["counters"]["pending"] == json!(pending) {
            return;
        }
    }
    panic!("still waiting: {}", newsroom.summary());
}

/// Reports of each mail that the server was offered, and whether it took it, by Message-ID.
pub fn offered(server: &MailServer, reports: &[String]) -> Vec<(String, BTreeSet<String>, bool)> {
    let visits = server.visits().into_iter();
    let mails = visits.filter_map(|visit| Some((visit.offered?, visit.mail.is_some())));
    mails
        .map(|(mail, taken)| {
            let mail = MessageParser::default().parse(&mail).expect("a mail");
            let name = mail.message_id().expect("a name").to_owned();
            let text = mail.body_text(0).expect("a text").into_owned();
            let told = reports.iter().filter(|id| text.contains(id.as_str()));
            (name, told.cloned().collect(), taken)
        })
        .collect()
}

/// A name stands for the same reports however often it comes, and every report arrived as often as wanted.
pub fn assert_told(server: &MailServer, reports: &[String], times: impl Fn(&str) -> usize) {
    let mut named: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut told: BTreeMap<&str, usize> = BTreeMap::new();
    let all = offered(server, reports);
    for (name, list, taken) in &all {
        let before = named.entry(name.clone()).or_insert_with(|| list.clone());
        assert_eq!(before, list, "{name}");
        for report in list.iter().filter(|_| *taken) {
            *told.entry(report).or_default() += 1;
        }
    }
    for report in reports {
        let told = told.get(report.as_str()).copied().unwrap_or_default();
        assert_eq!(told, times(report), "{report}: {all:?}");
    }
}

/// What the server refuses for good ends alone as given up, everything else arrives, within so many minutes.
fn refused_for_good(poisoned: &[usize], minutes: i64) {
    let server = MailServer::start(taking_offence(poisoned, NEVER));
    let (mut newsroom, reports) = about_to_list(&server, LIST);
    until_pending(&mut newsroom, 0);
    let took = newsroom.program.clock.now_ms() - at(START);
    assert!(took <= minutes * 60_000, "{took} ms");
    let ill: BTreeSet<&String> = poisoned.iter().map(|n| &reports[*n]).collect();
    for report in &reports {
        let stato = newsroom.delivery(report)["stato"].clone();
        let wanted = if ill.contains(report) {
            "fallita"
        } else {
            "consegnata"
        };
        assert_eq!(stato, wanted, "{report}");
    }
    assert_told(&server, &reports, |report| {
        usize::from(!ill.iter().any(|id| *id == report))
    });
    let shown = newsroom.delivery(&reports[poisoned[0]]);
    assert_eq!(
        shown["ultimoErrore"],
        "Il server di posta rifiuta il messaggio (codice 554)."
    );

    // 'Riprova tutte' asks for each of them alone: once the server takes them they arrive, and no list is built anew.
    server.set(Manner::default());
    let retried = newsroom.editor().api("POST", "/deliveries/retry").send();
    assert_eq!(
        retried.expect(200).json(),
        json!({ "retried": poisoned.len() })
    );
    until_pending(&mut newsroom, 0);
    assert_told(&server, &reports, |_| 1);
}

/// What the server may take later waits alone, everything else arrives, and so does what is new.
fn refused_for_now(poisoned: &[usize], minutes: i64) {
    let server = MailServer::start(taking_offence(poisoned, LATER));
    let (mut newsroom, mut reports) = about_to_list(&server, LIST);
    let waiting = i64::try_from(poisoned.len()).unwrap();
    until_pending(&mut newsroom, waiting);
    let took = newsroom.program.clock.now_ms() - at(START);
    assert!(took <= minutes * 60_000, "{took} ms");
    let ill: BTreeSet<String> = poisoned.iter().map(|n| reports[*n].clone()).collect();
    // They go on being refused for hours, and hold up nothing.
    for _ in 0..4 {
        newsroom.advance(HOUR + 12 * MINUTE);
        newsroom.wait_quiet();
    }
    newsroom.program.clock.advance(SECOND);
    let fresh = submit(&newsroom.program.client(), &Person::numbered(200));
    newsroom.advance(MINUTE);
    newsroom.wait_state(&fresh, "consegnata");
    reports.push(fresh);
    assert_told(&server, &reports, |report| {
        usize::from(!ill.contains(report))
    });
    for report in &ill {
        assert_eq!(newsroom.delivery(report)["stato"], "in attesa");
    }

    server.set(Manner::default());
    for _ in 0..2 + poisoned.len() {
        newsroom.advance(HOUR + 12 * MINUTE);
        newsroom.wait_quiet();
    }
    newsroom.wait_counters(0, 0, i64::try_from(reports.len() + 1).unwrap());
    assert_told(&server, &reports, |_| 1);
}

#[test]
fn one_report_that_is_refused_for_good_fails_alone() {
    refused_for_good(&[0], 8);
}

#[test]
fn four_reports_that_are_refused_for_good_fail_alone() {
    refused_for_good(&[1, 3, 4, 8], 8);
}

#[test]
fn one_report_that_is_refused_for_now_waits_alone() {
    refused_for_now(&[8], 10);
}

#[test]
fn four_reports_that_are_refused_for_now_wait_alone() {
    refused_for_now(&[0, 2, 4, 6], 10);
}

#[test]
fn a_list_that_nobody_minds_is_one_mail() {
    // The control of those above, and of what is not about a report: then the list stays whole.
    for answers in [
        vec![],
        vec![(".", "452 4.3.1 disco pieno")],
        vec![("RCPT", "451 4.2.1 casella occupata")],
        vec![("DATA", "451 4.3.0 riprova")],
    ] {
        let server = MailServer::start(Manner::default());
        let (mut newsroom, reports) = about_to_list(&server, LIST);
        server.set(Manner {
            answers,
            ..Manner::default()
        });
        for _ in 0..3 {
            newsroom.advance(12 * MINUTE);
            newsroom.wait_quiet();
        }
        server.set(Manner::default());
        newsroom.advance(2 * HOUR);
        newsroom.wait_quiet();
        newsroom.wait_counters(0, 0, 10);
        assert_told(&server, &reports, |_| 1);
        assert_eq!(server.mails().len(), 2);
    }
}

#[test]
fn a_list_that_is_put_off_once_stays_whole() {
    let server = MailServer::start(Manner::default());
    let (mut newsroom, reports) = about_to_list(&server, LIST);
    server.set(taking_offence(&[3], LATER));
    newsroom.advance(MINUTE);
    newsroom.wait_quiet();
    server.set(Manner::default());
    newsroom.advance(MINUTE);
    newsroom.wait_counters(0, 0, 10);
    assert_told(&server, &reports, |_| 1);
    assert_eq!(server.mails().len(), 2);
}

#[test]
fn a_list_that_is_put_off_once_after_an_outage_stays_whole() {
    let server = MailServer::start(Manner::default());
    let (mut newsroom, reports) = about_to_list(&server, LIST);
    server.set(Manner {
        answers: vec![("CONNECT", "421 4.3.2 chiuso")],
        ..Manner::default()
    });
    for _ in 0..3 {
        newsroom.advance(12 * MINUTE);
        newsroom.wait_quiet();
    }
    server.set(taking_offence(&[3], LATER));
    newsroom.advance(2 * HOUR);
    newsroom.wait_quiet();
    server.set(Manner::default());
    newsroom.advance(2 * HOUR);
    newsroom.wait_counters(0, 0, 10);
    assert_told(&server, &reports, |_| 1);
    assert_eq!(server.mails().len(), 2);
}

#[test]
fn a_server_that_takes_nothing_is_not_asked_about_every_report_at_once() {
    const MANY: usize = 40;
    let server = MailServer::start(Manner::default());
    let (mut newsroom, reports) = about_to_list(&server, MANY);
    server.set(Manner {
        answers: vec![(".", LATER)],
        ..Manner::default()
    });
    for _ in 0..3 {
        newsroom.advance(MINUTE);
        newsroom.wait_quiet();
    }
    let asked = offered(&server, &reports).len();
    assert!((5..30).contains(&asked), "{asked}");
    server.set(Manner::default());
    until_pending(&mut newsroom, 0);
    assert_told(&server, &reports, |_| 1);
    let mails = server.mails().len();
    assert!(mails < 2 + MANY, "{mails} mails");
}

/// A server that drops the line once it has the mail.
fn dropping() -> Manner {
    Manner {
        answers: vec![(".", "")],
        ..Manner::default()
    }
}

/// A newsroom whose list of three was dropped by the server, once.
fn list_in_doubt() -> (MailServer, Newsroom, Vec<String>) {
    let server = MailServer::start(Manner::default());
    let (mut newsroom, reports) = about_to_list(&server, 3);
    server.set(dropping());
    newsroom.advance(MINUTE);
    newsroom.wait(&reports[0], "in attesa", 1);
    (server, newsroom, reports)
}

fn retry(newsroom: &mut Newsroom, report: &str) {
    let id = newsroom.delivery(report)["id"].clone();
    let retry = newsroom
        .editor()
        .api("POST", &format!("/deliveries/{id}/retry"));
    retry.send().expect(200);
}

#[test]
fn a_mail_in_doubt_that_is_refused_later_goes_out_again_under_its_name() {
    let server = MailServer::start(dropping());
    let mut newsroom = Newsroom::posting_to(server.port());
    let client = newsroom.program.client();
    let mut reports = vec![submit(&client, &Person::numbered(1))];
    newsroom.wait(&reports[0], "in attesa", 1);
    server.set(Manner {
        answers: vec![("RCPT", "550 5.1.1 chi?")],
        ..Manner::default()
    });
    newsroom.advance(MINUTE);
    newsroom.wait(&reports[0], "fallita", 2);
    reports.extend([2, 3].map(|number| submit(&client, &Person::numbered(number))));
    newsroom.wait_counters(0, 3, 0);
    server.set(Manner::default());
    let all = newsroom.editor().api("POST", "/deliveries/retry").send();
    assert_eq!(all.expect(200).json(), json!({ "retried": 3 }));
    until_pending(&mut newsroom, 0);
    assert_told(&server, &reports, |_| 1);
    let offered = offered(&server, &reports);
    let names = |report: &String| {
        let told = offered.iter().filter(|(_, list, _)| list.contains(report));
        told.map(|(name, ..)| name).collect::<BTreeSet<_>>()
    };
    assert_eq!(names(&reports[0]).len(), 1, "{offered:?}");
    // The control: what never was in doubt came together.
    assert_eq!(names(&reports[1]), names(&reports[2]));
}

#[test]
fn another_try_of_one_in_doubt_is_one_of_its_whole_list() {
    let (server, mut newsroom, reports) = list_in_doubt();
    server.set(taking_offence(&[0, 1, 2], NEVER));
    newsroom.advance(MINUTE);
    newsroom.wait_counters(0, 3, 1);
    server.set(Manner::default());
    retry(&mut newsroom, &reports[1]);
    newsroom.wait_counters(0, 0, 4);
    assert_told(&server, &reports, |_| 1);
    let names: Vec<String> = offered(&server, &reports)
        .into_iter()
        .filter(|(_, list, _)| !list.is_empty())
        .map(|(name, ..)| name)
        .collect();
    assert_eq!(names.len(), 3);
    assert!(names.iter().all(|name| *name == names[0]), "{names:?}");
}

#[test]
fn a_list_in_doubt_is_divided_when_it_is_refused_after_another_try() {
    let (server, mut newsroom, reports) = list_in_doubt();
    server.set(taking_offence(&[1], NEVER));
    newsroom.advance(MINUTE);
    newsroom.wait_counters(0, 3, 1);
    retry(&mut newsroom, &reports[0]);
    until_pending(&mut newsroom, 0);
    newsroom.wait_counters(0, 1, 3);
    assert_told(&server, &reports, |report| {
        usize::from(report != reports[1])
    });
}

#[test]
fn a_list_in_doubt_that_waits_is_divided_when_it_is_refused_after_another_try() {
    let (server, mut newsroom, reports) = list_in_doubt();
    server.set(taking_offence(&[1], LATER));
    newsroom.advance(MINUTE);
    newsroom.wait(&reports[0], "in attesa", 2);
    retry(&mut newsroom, &reports[0]);
    until_pending(&mut newsroom, 1);
    assert_told(&server, &reports, |report| {
        usize::from(report != reports[1])
    });
}

/// Lets minute after minute go by, each with a new report, until these have all arrived.
fn arrive_among_new(newsroom: &mut Newsroom, reports: &[&String], minutes: usize) {
    for minute in 0..minutes {
        let client = newsroom.program.client();
        submit(&client, &Person::numbered(300 + minute));
        newsroom.advance(MINUTE);
        newsroom.wait_quiet();
    }
    for report in reports {
        assert_eq!(newsroom.delivery(report)["stato"], "consegnata", "{report}");
    }
}

#[test]
fn new_reports_every_minute_do_not_hold_up_the_parts_of_a_list() {
    let ill = [0, 8];
    let server = MailServer::start(taking_offence(&ill, NEVER));
    let (mut newsroom, reports) = about_to_list(&server, LIST);
    let well = reports.iter().enumerate();
    let well: Vec<&String> = well
        .filter(|(number, _)| !ill.contains(number))
        .map(|(_, report)| report)
        .collect();
    arrive_among_new(&mut newsroom, &well, 12);
    assert_told(&server, &reports, |report| {
        usize::from(well.iter().any(|id| *id == report))
    });
}

#[test]
fn new_reports_every_minute_do_not_hold_up_a_list_in_doubt() {
    let (server, mut newsroom, reports) = list_in_doubt();
    server.set(Manner::default());
    arrive_among_new(&mut newsroom, &reports.iter().collect::<Vec<_>>(), 5);
    assert_told(&server, &reports, |_| 1);
}

#[test]
fn a_mail_that_arrives_does_not_set_off_what_is_refused_alone() {
    let ill: Vec<usize> = (0..LIST - 1).collect();
    let server = MailServer::start(taking_offence(&ill, LATER));
    let (mut newsroom, mut reports) = about_to_list(&server, LIST);
    until_pending(&mut newsroom, i64::try_from(ill.len()).unwrap());
    let refused = |server: &MailServer, reports: &[String]| {
        let offers = offered(server, reports).into_iter();
        offers.filter(|(.., taken)| !taken).count()
    };
    let mut before = refused(&server, &reports);
    for round in 0..5 {
        newsroom.advance(HOUR + 12 * MINUTE);
        newsroom.wait_quiet();
        // The control of what follows: they go on being tried, if seldom.
        let tried = refused(&server, &reports);
        assert!(tried > before, "{tried}");
        before = tried;
        // What is new fails once, and then the destination answers again.
        server.set(Manner {
            answers: vec![("RCPT", "451 4.2.1 casella occupata")],
            ..Manner::default()
        });
        newsroom.program.clock.advance(SECOND);
        let client = newsroom.program.client();
        reports.push(submit(&client, &Person::numbered(400 + round)));
        newsroom.advance(MINUTE);
        newsroom.wait_quiet();
        server.set(taking_offence(&ill, LATER));
        // It may have failed twice: at once, and after the minute.
        newsroom.advance(3 * MINUTE);
        newsroom.wait_state(&reports[LIST + round], "consegnata");
        newsroom.advance(MINUTE);
        newsroom.wait_quiet();
    }
    assert_eq!(refused(&server, &reports), before);
}

#[test]
fn three_mails_that_the_server_always_drops_do_not_hold_up_what_is_new() {
    let server = MailServer::start(taking_offence(&[0, 1, 2], ""));
    let mut newsroom = Newsroom::posting_to(server.port());
    let client = newsroom.program.client();
    let mut reports = Vec::new();
    for number in 0..3 {
        reports.push(submit(&client, &Person::numbered(number)));
        newsroom.advance(MINUTE);
        newsroom.wait_quiet();
    }
    for _ in 0..9 {
        newsroom.advance(HOUR + 12 * MINUTE);
        newsroom.wait_quiet();
    }
    newsroom.program.clock.advance(SECOND);
    let fresh = submit(&client, &Person::numbered(3));
    newsroom.advance(MINUTE);
    newsroom.wait_state(&fresh, "consegnata");
    reports.push(fresh.clone());
    assert_told(&server, &reports, |report| usize::from(report == fresh));
    // Each of them was dropped under one name, as often as it was tried.
    let names: BTreeSet<String> = offered(&server, &reports)
        .into_iter()
        .map(|(name, ..)| name)
        .collect();
    assert_eq!(names.len(), 4);
}
