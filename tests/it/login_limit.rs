//! The limit on guesses: five failures in fifteen minutes for each client, however fast, from wherever it says it is,
//! and whatever happens to the process meanwhile (PRODUCT.md §7).

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::time::{Duration, Instant};

use segnalazioni::testing::PasswordParams;
use serde_json::json;

use crate::support::executable::{Server, installation, succeeds};
use crate::support::http::{Answer, Client};
use crate::support::panel::{
    BROWSER, COOKIE, Editor, OTHER_PASSWORD, PASSWORD, browser_of, try_log_in,
};
use crate::support::program::Program;
use crate::support::{MINUTE, at_once, contains, say, wait_for};

const WRONG: &str = "una password sbagliata";
/// A derivation that takes a while: some 10 ms.
const COSTLY: PasswordParams = PasswordParams {
    m_kib: 8 * 1024,
    t: 1,
    p: 1,
};

fn fail(client: &Client, times: usize) {
    for _ in 0..times {
        try_log_in(client, WRONG).wrong_password();
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
    let refused = answers.iter().filter(|status| **status == 429).count();
    assert_eq!((tried, refused), (5, 55));
}

#[test]
fn one_client_does_not_lock_out_another() {
    let program = Program::behind_a_proxy();
    program.set_up();
    fail(&program.from("203.0.113.7"), 5);
    locked_out(&try_log_in(&program.from("203.0.113.7"), PASSWORD), 15);
    Editor::log_in(&program.from("203.0.113.8"), PASSWORD);
    // What stands left of the stranger's own address is the stranger's word.
    for address in ["198.51.100.1, 203.0.113.7", "::ffff:203.0.113.7"] {
        locked_out(&try_log_in(&program.from(address), PASSWORD), 15);
    }
    // A subscriber of IPv6 is one client.
    for host in 1..=5 {
        fail(&program.from(&format!("2001:db8:0:1:{host}::{host}")), 1);
    }
    let subscriber = program.from("2001:db8:0:1:ffff::1");
    locked_out(&try_log_in(&subscriber, PASSWORD), 15);
    Editor::log_in(&program.from("2001:db8:0:2::1"), PASSWORD);
}

#[test]
fn a_change_of_password_takes_from_the_same_count() {
    let (program, editor) = Program::with_editor();
    let change = |current: &str| {
        let body = json!({ "current": current, "new": OTHER_PASSWORD });
        editor.put("/password", &body)
    };
    fail(&program.client(), 2);
    for _ in 0..3 {
        change(WRONG).wrong_password();
    }
    locked_out(&change(PASSWORD), 15);
    locked_out(&try_log_in(&program.client(), PASSWORD), 15);
    assert_eq!(editor.session(), 200, "who is in stays in");
}

#[test]
fn the_limit_can_be_switched_off() {
    let (program, editor) = Program::with_editor();
    let limit = |on: bool| editor.save_security(&json!({ "enableRateLimiting": on }));
    limit(false);
    fail(&program.client(), 12);
    program.log_in();
    limit(true);
    // Failures were not counted while the limit was off.
    fail(&program.client(), 5);
    locked_out(&try_log_in(&program.client(), PASSWORD), 15);
}

#[test]
fn a_clock_that_is_set_right_loosens_nothing_and_locks_nobody_out_for_long() {
    let program = Program::behind_a_proxy();
    program.set_up();
    let right = program.clock.now_ms();
    program.clock.advance(Duration::from_hours(24 * 365));
    fail(&program.from("203.0.113.7"), 5);
    // The control: good while the clock is wrong.
    let ahead = Editor::log_in(&program.from("203.0.113.8"), PASSWORD);
    assert_eq!(ahead.session(), 200);
    program.clock.set(right);
    assert_eq!(ahead.session(), 401);
    // What was counted counts from the moment at which the clock was seen to be set back.
    program.round();
    program.clock.advance(10 * MINUTE);
    locked_out(&try_log_in(&program.from("203.0.113.7"), PASSWORD), 5);
    program.clock.advance(5 * MINUTE);
    Editor::log_in(&program.from("203.0.113.7"), PASSWORD);
}

#[test]
fn a_network_is_eight_clients() {
    let program = Program::behind_a_proxy();
    program.set_up();
    let from = |subscriber: usize, network: &str| {
        let address = format!("2001:db8:{network}:{subscriber:x}::1");
        program.from(&address)
    };
    for subscriber in 0..8 {
        fail(&from(subscriber, "7"), 5);
    }
    locked_out(&try_log_in(&from(8, "7"), PASSWORD), 15);
    Editor::log_in(&from(8, "8"), PASSWORD);
}

/// What a flood of guesses from ever-new addresses came to.
struct Flooded {
    program: Program,
    browser: String,
    /// Of forty right logins from a known browser, the statuses and how long each took.
    logins: Vec<(u16, Duration)>,
    /// Derivations that strangers got.
    tried: usize,
}

/// Sixty-four guessers meanwhile, where a derivation takes this.
fn flooded(cost: PasswordParams) -> Flooded {
    let program = Program::behind_a_proxy_at_cost(cost);
    program.set_up();
    let mut browser = browser_of(&try_log_in(&program.client(), PASSWORD));
    let (over, tried) = (AtomicBool::new(false), AtomicUsize::new(0));
    let guess = |guesser: usize| {
        for number in 0.. {
            let address = format!("10.{guesser}.{}.{}", number / 250, number % 250);
            let client = program.from(&address);
            let guess = client.api("POST", "/session");
            let guess = guess.json(&json!({ "password": WRONG }));
            // Each 401 is one derivation; who waits for too long tries again.
            if guess.try_send().is_ok_and(|answer| answer.status == 401) {
                tried.fetch_add(1, SeqCst);
            }
            if over.load(SeqCst) {
                break;
            }
        }
    };
    let enter = || {
        wait_for("the flood", || (tried.load(SeqCst) > 20).then_some(()));
        let logins = (0..40).map(|_| {
            let begun = Instant::now();
            let answer = try_log_in(&known(&program, &browser), PASSWORD);
            if answer.status == 204 {
                browser = browser_of(&answer);
            }
            (answer.status, begun.elapsed())
        });
        let logins: Vec<_> = logins.collect();
        over.store(true, SeqCst);
        logins
    };
    let logins = std::thread::scope(|scope| {
        for guesser in 0..64 {
            scope.spawn(move || guess(guesser));
        }
        scope.spawn(enter).join().expect("it ends")
    });
    let tried = tried.into_inner();
    Flooded {
        program,
        browser,
        logins,
        tried,
    }
}

/// A browser that logged in before, also over an encrypted line, where the cookie is bound.
fn known(program: &Program, browser: &str) -> Client {
    let cookie = format!("{BROWSER}={browser}; __Host-{BROWSER}={browser}");
    program.client().with("cookie", &cookie)
}

#[test]
fn a_known_browser_gets_in_while_strangers_guess_and_they_get_a_hundred_tries() {
    let mut flooded = flooded(COSTLY);
    let logins = &flooded.logins;
    let entered = logins.iter().all(|(status, _)| *status == 204);
    assert!(entered, "{logins:?}");
    assert_eq!(flooded.tried, 100);
    let program = &mut flooded.program;
    program.restart();
    let refused = try_log_in(&program.client(), PASSWORD).problem(429, "troppi-tentativi");
    let ways = "tra 15 minuti, o da un browser con cui sei già entrato";
    contains(refused["detail"].to_string(), &[ways]);
    Editor::log_in(&known(program, &flooded.browser), PASSWORD);
    program.clock.advance(15 * MINUTE);
    Editor::log_in(&program.client(), PASSWORD);
}

#[test]
#[ignore = "soak"]
fn of_forty_right_logins_during_a_flood_thirty_nine_succeed_at_the_real_cost() {
    let Flooded { logins, tried, .. } = flooded(PasswordParams::default());
    let mut times: Vec<_> = logins.iter().map(|(_, time)| *time).collect();
    times.sort_unstable();
    let right = logins.iter().filter(|(status, _)| *status == 204).count();
    let slow = times[37];
    say(&format!(
        "{right} of 40 right logins, p95 {slow:?}; strangers got {tried} tries"
    ));
    assert!(right >= 39 && tried <= 100, "{right}, {tried}");
}

#[test]
fn a_known_browser_has_five_tries_of_its_own_until_the_password_is_reset() {
    let (program, editor) = Program::with_editor();
    let known = |browser: &str| known(&program, browser);
    let [first, other] = [(); 2].map(|()| browser_of(&try_log_in(&program.client(), PASSWORD)));
    fail(&known(&first), 5);
    locked_out(&try_log_in(&known(&first), PASSWORD), 15);
    // Neither strangers at its address nor another browser pay for it. A login that nobody heard the answer of changes nothing.
    Editor::log_in(&program.client(), PASSWORD);
    try_log_in(&known(&other), PASSWORD).expect(204);
    fail(&program.client(), 5);
    let renewed = browser_of(&try_log_in(&known(&other), PASSWORD).expect(204));
    assert_eq!(renewed, other);
    // What was made up elsewhere is not taken over.
    program.clock.advance(15 * MINUTE);
    let made_up = browser_of(&try_log_in(&known("x"), PASSWORD).expect(204));
    assert_ne!(made_up, "x");
    // Where the password is changed only that browser stays known.
    let body = json!({ "current": PASSWORD, "new": OTHER_PASSWORD });
    let cookies = format!("{COOKIE}={}; {BROWSER}={renewed}", editor.cookie());
    let here = editor.with("cookie", &cookies);
    here.put("/password", &body).expect(204);
    Editor::log_in(&known(&renewed), OTHER_PASSWORD);
}

#[test]
fn a_login_link_is_a_way_back_for_a_new_browser_and_serves_once() {
    let folder = installation();
    let server = Server::start(folder.path());
    let client = server.client();
    fail(&client, 5);
    locked_out(&try_log_in(&client, PASSWORD), 15);
    let link = || {
        let printed = succeeds(folder.path(), &["login-link"], "");
        let link = printed.lines().next().expect("a link");
        let (page, token) = link.split_once('#').expect("a token");
        // The port that the server got, not the one of the configuration.
        assert_eq!(page, format!("http://{}/paibeta/login", client.address()));
        token.to_owned()
    };
    let enter = |client: &Client, password: &str, token: &str| {
        let body = json!({ "password": password, "link": token });
        client.post_json("/session", &body)
    };
    let first = link();
    enter(&client, WRONG, &first).wrong_password();
    let browser = browser_of(&enter(&client, PASSWORD, &first).expect(204));
    locked_out(&enter(&client, PASSWORD, &first), 15);
    // A link that was used takes nothing from a browser that is known, and a new one gets also that one in again.
    let known = client.with("cookie", &format!("{BROWSER}={browser}"));
    enter(&known, PASSWORD, &first).expect(204);
    fail(&known, 5);
    locked_out(&try_log_in(&known, PASSWORD), 15);
    let second = link();
    let kept = browser_of(&enter(&known, PASSWORD, &second).expect(204));
    assert_eq!(kept, browser);
    locked_out(&enter(&client, PASSWORD, &second), 15);
    // A reset forgets browsers and links, and forgives.
    let reset = ["reset-password", "--stdin"];
    succeeds(folder.path(), &reset, OTHER_PASSWORD);
    fail(&known, 5);
    locked_out(&try_log_in(&client, OTHER_PASSWORD), 15);
}

/// Azure's gateways and others write a port behind the address, IPv6 in brackets or not, quoted as in `Forwarded` (RFC 7239 §6).
#[test]
fn a_client_is_itself_whatever_its_proxy_writes_around_the_address() {
    let program = Program::behind_a_proxy();
    program.set_up();
    // (five guesses, the sixth from another port, somebody else)
    let rows = [
        (
            "203.0.113.7:51000",
            "203.0.113.7:51001",
            "198.51.100.9:40000",
        ),
        ("203.0.113.8", "203.0.113.8:443", "203.0.113.9:443"),
        (
            "[2001:db8::1]:443",
            "[2001:db8::1]",
            "[2001:db8:0:1::1]:443",
        ),
        (
            "\"[2001:db8:2::1]:4711\"",
            "\"[2001:db8:2::1]\"",
            "2001:db8:3::1",
        ),
        (
            "2001:db8:4:0:0:0:0:1:50000",
            "2001:db8:4::1",
            "2001:db8:5:0:0:0:0:1:50000",
        ),
    ];
    for (guesses, again, other) in rows {
        fail(&program.from(guesses), 5);
        locked_out(&try_log_in(&program.from(again), PASSWORD), 15);
        try_log_in(&program.from(other), PASSWORD).expect(204);
    }
}
