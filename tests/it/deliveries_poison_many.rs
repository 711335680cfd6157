//! Lists in which many mails are refused for what they say: however they lie among the others, those arrive within minutes
//! and not hours (PRODUCT.md §5). Over the wire, to a server that misbehaves.

use std::collections::BTreeSet;

use serde_json::json;

use crate::deliveries_poison::{
    HOUR, LATER, MINUTE, NEVER, about_to_list, assert_told, offered, taking_offence,
};
use crate::support::outbox::Newsroom;
use crate::support::program::{START, at};
use crate::support::smtp::{MailServer, Manner};

/// Reports that become one list.
const LIST: usize = 40;

/// Lets minute after minute go by until so many have arrived, which may take so many.
fn until_arrived(newsroom: &mut Newsroom, reports: usize, minutes: i64) {
    loop {
        newsroom.advance(MINUTE);
        newsroom.wait_quiet();
        let arrived = newsroom.summary()["counters"]["delivered"].clone();
        if arrived == json!(reports) {
            return;
        }
        let took = (newsroom.program.clock.now_ms() - at(START)) / 60_000;
        assert!(took < minutes, "{arrived} arrived after {took} minutes");
    }
}

/// Lets hour after hour go by until nothing waits.
fn until_over(newsroom: &mut Newsroom) {
    for _ in 0..2 * LIST {
        newsroom.advance(HOUR + 12 * MINUTE);
        newsroom.wait_quiet();
        if newsroom.summary()["counters"]["pending"] == json!(0) {
            return;
        }
    }
    panic!("still waiting: {}", newsroom.summary());
}

/// A newsroom whose list holds some that are ill: what is well arrives within so many minutes, once.
fn told_apart(
    ill: impl Fn(usize) -> bool,
    answer: &'static str,
    minutes: i64,
) -> (MailServer, Newsroom, Vec<String>, BTreeSet<String>) {
    let numbers: Vec<usize> = (0..LIST).filter(|number| ill(*number)).collect();
    let server = MailServer::start(taking_offence(&numbers, answer));
    let (mut newsroom, reports) = about_to_list(&server, LIST);
    let ill: BTreeSet<String> = numbers.iter().map(|n| reports[*n].clone()).collect();
    // One more is the report before the list.
    until_arrived(&mut newsroom, 1 + LIST - ill.len(), minutes);
    assert_told(&server, &reports, |report| {
        usize::from(!ill.contains(report))
    });
    (server, newsroom, reports, ill)
}

/// What is ill is given up, each of it once it was refused alone, and nothing was asked about twice.
fn refused_for_good(ill: impl Fn(usize) -> bool, minutes: i64) {
    let (server, mut newsroom, reports, ill) = told_apart(ill, NEVER, minutes);
    until_over(&mut newsroom);
    let offers = offered(&server, &reports);
    for report in &ill {
        let delivery = newsroom.delivery(report);
        assert_eq!(delivery["stato"], "fallita");
        assert_eq!(
            delivery["ultimoErrore"],
            "Il server di posta rifiuta il messaggio (codice 554)."
        );
        let alone = offers
            .iter()
            .filter(|(_, told, _)| told.iter().eq([report]));
        assert_eq!(alone.count(), 1, "{report}");
    }
    assert_told(&server, &reports, |report| {
        usize::from(!ill.contains(report))
    });
    // Halves of halves: 40, 20, 10, 5, 3, 2, 1.
    for report in &reports {
        let asked = offers.iter().filter(|(_, told, _)| told.contains(report));
        assert!(asked.count() <= 7, "{report}");
    }
}

#[test]
fn two_of_five_that_are_refused_for_good_hold_up_no_other() {
    refused_for_good(|number| number * 2 % 5 < 2, 30);
}

#[test]
fn nine_of_ten_that_are_refused_for_good_hold_up_no_other() {
    refused_for_good(|number| number % 10 != 7, 40);
}

#[test]
fn a_run_of_thirty_that_are_refused_for_good_holds_up_no_other() {
    refused_for_good(|number| number < 30, 15);
}

#[test]
fn a_run_of_a_hundred_and_ten_that_are_refused_for_good_holds_up_the_ten_behind_it_for_no_hour() {
    const MANY: usize = 120;
    const ILL: usize = 110;
    let server = MailServer::start(Manner::default());
    let (mut newsroom, reports) = about_to_list(&server, MANY);
    server.set(taking_offence(&(0..ILL).collect::<Vec<_>>(), NEVER));
    until_arrived(&mut newsroom, 1 + MANY - ILL, 60);
    let well: BTreeSet<&str> = reports[ILL..].iter().map(String::as_str).collect();
    assert_told(&server, &reports, |report| {
        usize::from(well.contains(report))
    });
}

#[test]
fn nine_of_ten_that_are_refused_for_now_hold_up_no_other_and_arrive_later() {
    let (server, mut newsroom, reports, ill) = told_apart(|number| number % 10 != 7, LATER, 40);
    for report in &ill {
        assert_eq!(newsroom.delivery(report)["stato"], "in attesa");
    }
    server.set(Manner::default());
    until_over(&mut newsroom);
    assert_told(&server, &reports, |_| 1);
}
