//! The limit on guesses: five failures in fifteen minutes for each client, however fast, from wherever it says it is,
//! and whatever happens to the process meanwhile (PRODUCT.md §6).

use std::time::Duration;

use serde_json::json;

use crate::support::MINUTE;
use crate::support::at_once;
use crate::support::http::{Answer, Client};
use crate::support::panel::{Editor, OTHER_PASSWORD, PASSWORD, try_log_in};
use crate::support::program::Program;

const WRONG: &str = "una password sbagliata";

fn fail(client: &Client, times: usize) {
    for _ in 0..times {
        try_log_in(client, WRONG).problem(401, "password-non-valida");
    }
}

fn locked_out(answer: &Answer, minutes: u64) {
    let problem = answer.problem(429, "troppi-tentativi");
    let detail = format!("Troppi tentativi di login. Riprova tra {minutes} minuti.");
    assert_eq!(problem["detail"], detail);
    let seconds = (minutes * 60).to_string();
    assert_eq!(answer.header("retry-after"), Some(seconds.as_str()));
}

#[test]
fn five_failures_lock_a_client_out_also_with_the_right_password() {
    let mut program = Program::start();
    program.set_up();
    let client = program.client();
    // What a stranger says of itself is not believed.
    for host in 1..=5 {
        let address = format!("203.0.113.{host}");
        fail(&client.with("x-forwarded-for", &address), 1);
    }
    locked_out(&try_log_in(&client, WRONG), 15);
    locked_out(&try_log_in(&client, PASSWORD), 15);
    // The count outlives a restart.
    program.restart();
    let client = program.client();
    program.clock.advance(10 * MINUTE + Duration::from_secs(1));
    locked_out(&try_log_in(&client, PASSWORD), 5);
    program.clock.advance(5 * MINUTE);
    Editor::log_in(&client, PASSWORD);
}

#[test]
fn the_window_slides_with_each_failure() {
    let program = Program::start();
    program.set_up();
    let client = program.client();
    for _ in 0..5 {
        fail(&client, 1);
        program.clock.advance(2 * MINUTE);
    }
    // The oldest was ten minutes ago: five more, and one place is free.
    locked_out(&try_log_in(&client, WRONG), 5);
    program.clock.advance(5 * MINUTE);
    fail(&client, 1);
    locked_out(&try_log_in(&client, WRONG), 2);
}

#[test]
fn a_success_wipes_the_failures_out() {
    let program = Program::start();
    program.set_up();
    let client = program.client();
    for _ in 0..3 {
        fail(&client, 4);
        Editor::log_in(&client, PASSWORD);
    }
}

#[test]
fn sixty_guesses_at_once_are_five_guesses() {
    let program = Program::start();
    program.set_up();
    let client = program.client();
    let answers = at_once(60, |_| try_log_in(&client, WRONG).status);
    let tried = answers.iter().filter(|status| **status == 401).count();
    // Whoever finds the queue for derivations full is refused too, and costs nobody an attempt.
    let refused = answers
        .iter()
        .filter(|status| matches!(**status, 429 | 503));
    assert_eq!((tried, refused.count()), (5, 55));
}

#[test]
fn one_client_does_not_lock_out_another() {
    let program = Program::behind_a_proxy();
    program.set_up();
    let from = |address: &str| program.client().with("x-forwarded-for", address);
    fail(&from("203.0.113.7"), 5);
    locked_out(&try_log_in(&from("203.0.113.7"), PASSWORD), 15);
    Editor::log_in(&from("203.0.113.8"), PASSWORD);
    // What stands left of the stranger's own address is the stranger's word.
    locked_out(
        &try_log_in(&from("198.51.100.1, 203.0.113.7"), PASSWORD),
        15,
    );
    locked_out(&try_log_in(&from("::ffff:203.0.113.7"), PASSWORD), 15);
    // A subscriber of IPv6 is one client.
    for host in 1..=5 {
        fail(&from(&format!("2001:db8:0:1:{host}::{host}")), 1);
    }
    locked_out(&try_log_in(&from("2001:db8:0:1:ffff::1"), PASSWORD), 15);
    Editor::log_in(&from("2001:db8:0:2::1"), PASSWORD);
}

#[test]
fn a_change_of_password_takes_from_the_same_count() {
    let program = Program::start();
    let editor = program.set_up();
    let change = |current: &str| {
        let body = json!({ "current": current, "new": OTHER_PASSWORD });
        editor.put("/password", &body)
    };
    fail(&program.client(), 2);
    for _ in 0..3 {
        change(WRONG).problem(401, "password-non-valida");
    }
    locked_out(&change(PASSWORD), 15);
    locked_out(&try_log_in(&program.client(), PASSWORD), 15);
    assert_eq!(editor.session(), 200, "who is in stays in");
}

#[test]
fn the_limit_can_be_switched_off() {
    let program = Program::start();
    let editor = program.set_up();
    let off = json!({ "enableRateLimiting": false });
    editor.save("/settings/security", &off);
    fail(&program.client(), 12);
    program.log_in();
    let on = json!({ "enableRateLimiting": true });
    editor.save("/settings/security", &on);
    // Failures were not counted while the limit was off.
    fail(&program.client(), 5);
    locked_out(&try_log_in(&program.client(), PASSWORD), 15);
}

#[test]
fn a_clock_that_ran_ahead_locks_nobody_out_once_it_is_set_right() {
    let program = Program::behind_a_proxy();
    program.set_up();
    let from = |address: &str| program.client().with("x-forwarded-for", address);
    let right = program.clock.now_ms();
    program.clock.advance(Duration::from_hours(24 * 365));
    fail(&from("203.0.113.7"), 5);
    let ahead = Editor::log_in(&from("203.0.113.8"), PASSWORD);
    assert_eq!(
        ahead.session(),
        200,
        "the control: good while the clock is wrong"
    );
    program.clock.set(right);
    assert_eq!(ahead.session(), 401);
    assert_eq!(
        Editor::log_in(&from("203.0.113.7"), PASSWORD).session(),
        200
    );
}
