//! The line of those who only wait in a siege: each has a place of its own, and how often anybody asks changes nothing
//! (PRODUCT.md §10).

use std::time::Duration;

use serde_json::{Value, json};

use crate::onion::Place;
use crate::siege::{besiege, challenge, person, with_proof};
use crate::support::chat::{Chat, turn};
use crate::support::http::Client;
use crate::support::program::Program;
use crate::support::{MINUTE, SECOND};

/// One who waits for the last turn of a conversation.
struct Waiting {
    client: Client,
    chat: Chat,
    salt: Value,
    /// Seconds until the turn passes, as they were told last.
    wait: u64,
}

impl Waiting {
    /// Sends the last turn for the first time.
    fn asking(client: &Client, chat: Chat) -> Self {
        let asked = challenge(&turn(client, chat.token(), "no"));
        let wait = asked["wait"].as_u64().expect("seconds");
        Self {
            client: client.clone(),
            chat,
            salt: asked["salt"].clone(),
            wait,
        }
    }

    fn begin(client: &Client, number: usize) -> Self {
        Self::asking(client, Chat::at_the_end(client, &person(number)))
    }

    /// Sends it again; whether it passed.
    fn press(&mut self) -> bool {
        let proof = json!({ "salt": self.salt });
        let answer = with_proof(&self.client, self.chat.token(), "no", &proof);
        if answer.status == 200 {
            return true;
        }
        let asked = challenge(&answer);
        self.salt = asked["salt"].clone();
        self.wait = asked["wait"].as_u64().expect("seconds");
        false
    }
}

/// A flood of 60 that only wait, ask every two seconds and begin anew once they got in; beside it 20 people who press once, when
/// they were told to.
fn beside_sixty(
    program: &Program,
    flood: impl Fn(usize) -> Client,
    people: impl Fn(usize) -> Client,
) {
    let mut flooding: Vec<Waiting> = (0..60)
        .map(|number| Waiting::begin(&flood(number), 100 + number))
        .collect();
    program.clock.advance(2 * SECOND);
    let mut honest: Vec<(u64, Waiting)> = (0..20)
        .map(|number| Waiting::begin(&people(number), 1_000 + number))
        .map(|one| (2 + one.wait, one))
        .collect();
    assert!(honest.iter().all(|(due, _)| (62..=180).contains(due)));
    let mut passed = 0;
    for second in 3..=180 {
        program.clock.advance(SECOND);
        if second % 2 == 0 {
            for (number, one) in flooding.iter_mut().enumerate() {
                if one.press() {
                    passed += 1;
                    *one = Waiting::begin(&one.client, 2_000 + 60 * passed + number);
                }
            }
        }
        honest.retain_mut(|(due, one)| {
            let in_turn = *due == second;
            assert!(!in_turn || one.press(), "told {due} s, not in");
            !in_turn
        });
    }
    assert!(honest.is_empty());
    // The flood waits too: over all of it at most one in two seconds got in.
    assert!((40..=70).contains(&passed), "{passed}");
}

#[test]
fn beside_sixty_addresses_that_only_wait_twenty_people_get_in_when_they_were_told() {
    let program = besiege(Program::behind_a_proxy());
    beside_sixty(
        &program,
        |number| program.from(&format!("10.1.{number}.1")),
        |number| program.from(&format!("10.2.{number}.1")),
    );
}

#[test]
fn beside_sixty_conversations_by_the_socket_twenty_people_get_in_when_they_were_told() {
    let place = Place::new();
    let program = besiege(place.program(&[]));
    beside_sixty(&program, |_| place.client(), |_| place.client());
}

/// Where all come by this machine, as behind a proxy that says no addresses.
#[test]
fn beside_sixty_of_one_shared_address_twenty_people_get_in_when_they_were_told() {
    let program = besiege(Program::start());
    beside_sixty(&program, |_| program.client(), |_| program.client());
}

#[test]
fn a_place_is_kept_over_a_restart_and_worth_nothing_to_others() {
    let mut program = besiege(Program::behind_a_proxy());
    let before: Vec<Waiting> = (0..5)
        .map(|number| Waiting::begin(&program.from(&format!("10.1.{number}.1")), 100 + number))
        .collect();
    let waits: Vec<u64> = before.iter().map(|one| one.wait).collect();
    assert_eq!(waits, [60, 62, 64, 66, 68]);
    program.clock.advance(30 * SECOND);
    program.restart();
    let again = |program: &Program, number: usize, from: usize| Waiting {
        client: program.from(&format!("10.1.{from}.1")),
        chat: before[number].chat.clone(),
        salt: before[number].salt.clone(),
        wait: 0,
    };
    let mut last = again(&program, 4, 4);
    assert!(!last.press());
    assert_eq!(last.wait, 38);
    // Another conversation of the same client shares its place; and it is not another's.
    assert_eq!(Waiting::begin(&last.client, 300).wait, 38);
    program.clock.advance(38 * SECOND);
    assert!(last.press());
    let mut other = again(&program, 0, 9);
    assert!(other.press() || other.wait <= 2);
}

#[test]
fn those_who_ask_and_never_come_back_make_no_line() {
    let place = Place::new();
    let program = besiege(place.program(&[]));
    for number in 0..300 {
        Waiting::begin(&place.client(), 100 + number);
    }
    let mut real = Waiting::begin(&place.client(), 1_000);
    // It is long already: a place is given to whoever comes back.
    assert_eq!(real.wait, 60);
    program.clock.advance(MINUTE);
    assert!(!real.press());
    assert!(real.wait <= 180, "{}", real.wait);
    program.clock.advance(Duration::from_secs(real.wait));
    assert!(real.press());
}

#[test]
fn by_the_socket_conversations_begun_before_the_siege_go_first() {
    let place = Place::new();
    let program = place.program(&[]);
    let early: Vec<Chat> = (0..3)
        .map(|number| Chat::at_the_end(&place.client(), &person(900 + number)))
        .collect();
    program.clock.advance(MINUTE);
    let program = besiege(program);
    let late: Vec<Waiting> = (0..60)
        .map(|number| Waiting::begin(&place.client(), 100 + number))
        .collect();
    assert!(late.last().expect("sixty").wait > 120);
    for (number, chat) in early.into_iter().enumerate() {
        let mut one = Waiting::asking(&place.client(), chat);
        assert_eq!(one.wait, 61 + 2 * number as u64);
        // Asked again it keeps its place.
        assert!(!one.press());
        assert_eq!(one.wait, 61 + 2 * number as u64);
    }
    // By an address nobody does.
    let near = Waiting::begin(&program.client(), 1_000);
    assert_eq!(near.wait, 60);
}
