//! What one client may have stored: a flood ends, and a crowd behind one address does not notice (PRODUCT.md §16).

use std::time::Duration;

use crate::support::HOUR;
use crate::support::attachments::{Files, photo};
use crate::support::chat::{Chat, Person, submit, turn};
use crate::support::http::{Answer, Client};
use crate::support::program::Program;

/// More reports of the longest kind than a client may send in a day.
const FLOOD: usize = 150;
const MIB: u64 = 1024 * 1024;

/// A report of 130 kB.
fn longest(client: &Client, number: usize) -> (Chat, Answer) {
    let account = format!("una due tre {}", "😀 ".repeat(9_990));
    let chat = Chat::at_the_end(client, &Person::telling(number, &account));
    let answer = turn(client, chat.token(), &"😀".repeat(20_000));
    (chat, answer)
}

fn refused(answer: &Answer) -> u64 {
    let problem = answer.problem(429, "troppe-segnalazioni");
    let detail = problem["detail"].as_str().expect("a text");
    assert!(detail.contains("Riprova tra"), "{detail}");
    let wait = answer
        .header("retry-after")
        .and_then(|wait| wait.parse().ok());
    wait.expect("seconds")
}

fn stored(program: &Program) -> u64 {
    let sizes = ["", "-wal"].map(|end| {
        let path = program.data().join(format!("segnalazioni.db{end}"));
        path.metadata().map_or(0, |file| file.len())
    });
    sizes.iter().sum()
}

#[test]
fn a_client_that_writes_all_day_gets_a_hundred_megabytes_at_most() {
    let program = Program::behind_a_proxy();
    // Outside of a siege, which is stricter.
    program.set_up().expects_a_flood();
    let from = |address: &str| program.from(address);
    let client = from("203.0.113.7");
    let accepted = |client: &Client, at_most: usize| {
        let answers = (0..at_most).map(|number| longest(client, number).1.status);
        answers.take_while(|status| *status == 200).count()
    };
    let first = accepted(&client, FLOOD);
    // It fills up again by and by: half of it in half a day.
    program.clock.advance(12 * HOUR);
    let later = accepted(&client, FLOOD - first);
    assert!(first + later < FLOOD, "nothing ends it: {first}, {later}");
    assert!(stored(&program) < 50 * MIB);
    assert!(
        (60..=90).contains(&first) && later <= first,
        "{first}, {later}"
    );

    let (chat, answer) = longest(&client, FLOOD);
    program.clock.advance(Duration::from_secs(refused(&answer)));
    let again = turn(&client, chat.token(), &"😀".repeat(20_000)).expect(200);
    // Sent twice, it is one report, also where there is no budget for another.
    assert_eq!(
        turn(&client, chat.token(), &"😀".repeat(20_000)).body,
        again.body
    );
    refused(&longest(&client, FLOOD).1);
    // Nobody else waits.
    submit(&from("203.0.113.8"), &Person::numbered(1));
}

#[test]
fn a_town_hall_behind_one_address_gets_in() {
    let program = Program::behind_a_proxy();
    program.set_up().expects_a_flood();
    let hall = program.from("2001:db8:1:2::3");
    for number in 0..120 {
        submit(&hall, &Person::numbered(number));
    }
}

#[test]
fn a_clock_that_ran_ahead_and_was_set_right_refuses_no_report() {
    let program = Program::behind_a_proxy();
    let from = |host: usize| {
        let address = format!("203.0.113.{host}");
        program.from(&address)
    };
    let report = |host: usize| {
        let client = from(host);
        let chat = Chat::at_the_end(&client, &Person::numbered(host));
        Files::of(&client, chat.token()).attach("foto.jpg", &photo(500));
        turn(&client, chat.token(), "no").expect(200);
    };
    let right = program.clock.now_ms();
    program.clock.set(right + 30 * 24 * 60 * 60 * 1_000);
    report(1);
    program.clock.set(right);
    // The same client, and others.
    (1..=10).for_each(report);
    assert_eq!(program.client().page("/paibeta/healthz").text(), "ok\n");
}
