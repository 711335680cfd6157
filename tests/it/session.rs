//! `POST · GET · DELETE /session` and `PUT /password`: logging in, the cookie, and the ends a session has (PRODUCT.md §7).

use serde_json::json;

use crate::support::disk;
use crate::support::panel::{
    BROWSER, COOKIE, Editor, OTHER_PASSWORD, PASSWORD, browser_of, cookie_of, cookies_of,
    try_log_in,
};
use crate::support::program::Program;
use crate::support::{HOUR, MINUTE};

#[test]
fn the_right_password_begins_a_session_and_a_wrong_one_does_not() {
    let program = Program::start();
    program.set_up();
    let client = program.client();
    let wrong = try_log_in(&client, "un'altra password qualunque");
    assert_eq!(wrong.wrong_password()["detail"], "Password non valida");
    assert_eq!(wrong.header("set-cookie"), None);
    // Nothing is trimmed or folded.
    let (before, behind) = (format!(" {PASSWORD}"), format!("{PASSWORD}\n"));
    for near in [before, behind, PASSWORD.to_uppercase()] {
        try_log_in(&client, &near).wrong_password();
    }
    let editor = Editor::log_in(&client, PASSWORD);
    let expected = json!({ "expiresAt": "2026-03-10T10:00:00Z", "idleTimeoutMinutes": 60, "id": null, "name": null,
        "user": null, "role": null, "departments": null, "secondFactor": null, "locked": false });
    assert_eq!(editor.read("/session"), expected);
}

/// Keyboards and browsers write accents as one sign or as two (RFC 8265 §4.2: NFC, and every blank is a space); more is not made
/// equal.
#[test]
fn a_password_is_the_one_that_was_set_in_whatever_form_it_is_typed() {
    let rows = [
        // As it is set, as it is typed, whether it is that password.
        (
            "caffè-perché-magnolia-19",
            "caffe\u{300}-perche\u{301}-magnolia-19",
            true,
        ),
        (
            "caffe\u{300}-perche\u{301}-magnolia-20",
            "caffè-perché-magnolia-20",
            true,
        ),
        (
            "A\u{30a}ngström-nuvola-19",
            "\u{212b}ngstro\u{308}m-nuvola-19",
            true,
        ),
        (
            "각하-magnolia-treno-19",
            "\u{1100}\u{1161}\u{11a8}\u{1112}\u{1161}-magnolia-treno-19",
            true,
        ),
        (
            "gatto lampada nuvola treno",
            "gatto\u{a0}lampada\u{3000}nuvola\u{202f}treno",
            true,
        ),
        (
            "caffè-perché-magnolia-21",
            "caffe-perche-magnolia-21",
            false,
        ),
        (
            "ufficio-lampada-nuvola",
            "u\u{fb03}cio-lampada-nuvola",
            false,
        ),
        (
            "gatto-lampada-nuvola-19",
            "gatto-lampada-nuvola-\u{ff11}\u{ff19}",
            false,
        ),
    ];
    let program = Program::start();
    let mut editor = program.set_up();
    let mut present = PASSWORD.to_owned();
    for (set, typed, same) in rows {
        // The change names the present one as it is typed last.
        editor = editor.change_password(&program.client(), &present, set);
        let answer = try_log_in(&program.client(), typed);
        assert_eq!(answer.status, if same { 204 } else { 401 }, "{typed:?}");
        try_log_in(&program.client(), set).expect(204);
        if same { typed } else { set }.clone_into(&mut present);
    }
}

/// The cookies of a login, which carried one that somebody had planted: session, browser.
fn cookies_at_login(program: &Program, planted: &str) -> [String; 2] {
    let planted = format!("{planted}={}", "A".repeat(43));
    let answer = try_log_in(&program.client().with("cookie", &planted), PASSWORD).expect(204);
    for value in [cookie_of(&answer), browser_of(&answer)] {
        let sign = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        let random = value.bytes().all(sign);
        assert!(value.len() == 43 && random, "256 random bits in base64url");
        assert_ne!(value, "A".repeat(43));
    }
    let [session, browser] = cookies_of(&answer)[..] else {
        panic!("two cookies");
    };
    let (own, known) = (cookie_of(&answer), browser_of(&answer));
    [session.replace(&own, "…"), browser.replace(&known, "…")]
}

#[test]
fn the_cookie_is_bound_to_host_and_site_and_is_new_at_each_login() {
    let program = Program::start_with(&[("SEGNALAZIONI_PUBLIC_URL", "https://s.example")]);
    let editor = program.set_up();
    let bound = "Path=/; Secure; HttpOnly; SameSite=Strict";
    let expected = [
        format!("__Host-{COOKIE}=…; {bound}"),
        format!("__Host-{BROWSER}=…; {bound}; Max-Age=31536000"),
    ];
    let planted = format!("__Host-{COOKIE}");
    assert_eq!(cookies_at_login(&program, &planted), expected);
    assert_ne!(program.log_in().cookie(), editor.cookie());
    let unbound = Editor::with_cookie(&program.client(), editor.cookie().to_owned());
    assert_eq!(unbound.session(), 401, "another site could have set it");
}

/// Safari's engine keeps no `Secure` cookie of `http://127.0.0.1`: nobody would get in.
#[test]
fn in_the_clear_on_this_machine_the_cookie_is_one_that_every_browser_keeps() {
    let program = Program::start();
    program.set_up();
    let expected = [
        format!("{COOKIE}=…; Path=/; HttpOnly; SameSite=Strict"),
        format!("{BROWSER}=…; Path=/; HttpOnly; SameSite=Strict; Max-Age=31536000"),
    ];
    assert_eq!(cookies_at_login(&program, COOKIE), expected);
    let page = program.client().with("sec-fetch-site", "same-origin");
    let at = |name: &str, value: &str| {
        let answer = try_log_in(&page.with(name, value), PASSWORD).expect(204);
        cookies_of(&answer)[0].contains("; Secure;")
    };
    assert!(!at("host", "localhost:8080") && !at("host", "[::1]:8080"));
    assert!(at("host", "192.168.1.7:8080") && at("host", "127.0.0.1.example.org"));
    assert!(at("origin", "https://127.0.0.1"), "a proxy stands between");
    for proxied in ["forwarded", "via", "x-forwarded-for", "x-forwarded-proto"] {
        assert!(at(proxied, "1.1 tunnel"), "{proxied}");
    }
}

/// Browsers keep one jar for all ports of this machine: a tunnel may lead to a server elsewhere.
#[test]
fn a_bound_cookie_of_another_server_shuts_nobody_out_of_this_one() {
    let (program, editor) = Program::with_editor();
    let (other, own) = ("A".repeat(43), editor.cookie());
    let both = format!("__Host-{COOKIE}={other}; {COOKIE}={own}");
    let both = program.client().with("cookie", &both);
    both.get("/session").expect(200);
}

#[test]
fn an_idle_session_ends_and_an_active_one_goes_on() {
    let (program, editor) = Program::with_editor();
    for _ in 0..5 {
        program.clock.advance(59 * MINUTE);
        assert_eq!(editor.session(), 200);
    }
    program.clock.advance(60 * MINUTE);
    editor.get("/session").no_session();
    program.clock.advance(MINUTE);
    assert_eq!(editor.session(), 401, "an ended session does not come back");
}

#[test]
fn a_damaged_session_is_none() {
    let mut program = Program::start();
    program.set_up();
    let editor = program.log_in();
    program.stop();
    program.plant("PRAGMA ignore_check_constraints = ON; UPDATE sessions SET proof = x'00'");
    program.start_again();
    assert_eq!(program.session(&editor).session(), 401);
    let again = program.log_in();
    assert_eq!(again.rows("/account/sessions").len(), 1);
}

#[test]
fn the_idle_time_is_a_setting_that_acts_at_once() {
    let (program, editor) = Program::with_editor();
    let saved = editor.put("/settings/security", &json!({ "sessionTimeout": 5 }));
    saved.expect(200);
    assert_eq!(editor.read("/session")["idleTimeoutMinutes"], 5);
    program.clock.advance(4 * MINUTE);
    assert_eq!(editor.session(), 200);
    program.clock.advance(5 * MINUTE);
    assert_eq!(editor.session(), 401);
}

#[test]
fn twelve_hours_are_the_end_also_of_an_active_session() {
    let (program, editor) = Program::with_editor();
    for _ in 0..23 {
        program.clock.advance(30 * MINUTE);
        assert_eq!(editor.session(), 200);
    }
    let session = editor.read("/session");
    assert_eq!(session["expiresAt"], "2026-03-10T21:00:00Z");
    program.clock.advance(30 * MINUTE);
    assert_eq!(editor.session(), 401);
}

#[test]
fn a_page_that_refreshes_itself_does_not_keep_a_session_alive() {
    let (program, editor) = Program::with_editor();
    let first = editor.read("/session")["expiresAt"].clone();
    for _ in 0..59 {
        program.clock.advance(MINUTE);
        assert_eq!(editor.quiet().session(), 200);
        editor.quiet().list("");
    }
    let polled = editor.quiet().read("/session");
    assert_eq!(polled["expiresAt"], first);
    program.clock.advance(MINUTE);
    assert_eq!(editor.quiet().session(), 401);
}

#[test]
fn a_logout_ends_the_session_on_the_server_and_takes_the_cookie_away() {
    let program = Program::start();
    let (here, there) = (program.set_up(), program.log_in());
    let answer = here.delete("/session").expect(204);
    let expected = format!("{COOKIE}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0");
    assert_eq!(answer.header("set-cookie"), Some(expected.as_str()));
    // Storage stays: a report that waits to be sent may lie in it; and cookies: this browser is known.
    assert_eq!(answer.header("clear-site-data"), Some("\"cache\""));
    assert_eq!(here.session(), 401);
    assert_eq!(there.session(), 200, "the other one goes on");
    here.delete("/session").no_session();
}

#[test]
fn the_timed_work_forgets_sessions_past_their_end() {
    let mut program = Program::start();
    program.set_up();
    program.clock.advance(30 * MINUTE);
    program.log_in();
    program.clock.advance(30 * MINUTE);
    program.round();
    program.stop();
    let sessions = program.count("SELECT count(*) FROM sessions");
    assert_eq!(sessions, 1);
}

#[test]
fn a_change_keeps_to_the_rules_and_ends_every_other_session_at_once() {
    let program = Program::start();
    let here = program.set_up();
    let body = json!({ "current": PASSWORD, "new": "corta" });
    assert_eq!(here.put("/password", &body).refused_fields(), ["new"]);
    let there = program.log_in();
    let changed = here.change_password(&program.client(), PASSWORD, OTHER_PASSWORD);
    assert_eq!((changed.session(), there.session()), (200, 401));
    assert_eq!(here.session(), 401, "the cookie is another one too");
    let client = program.client();
    try_log_in(&client, PASSWORD).wrong_password();
    Editor::log_in(&client, OTHER_PASSWORD);
}

#[test]
fn of_more_than_twenty_sessions_the_one_idle_for_longest_ends() {
    let program = Program::start();
    let first = program.set_up();
    program.clock.advance(MINUTE);
    let second = program.log_in();
    program.clock.advance(MINUTE);
    assert_eq!(first.session(), 200, "it is at work");
    let others: Vec<_> = (0..19).map(|_| program.log_in()).collect();
    assert_eq!((first.session(), second.session()), (200, 401));
    assert!(others.iter().all(|other| other.session() == 200));
}

#[test]
fn a_login_from_a_new_browser_is_told_to_the_others_until_they_have_seen_it() {
    let program = Program::start();
    let told = |editor: &Editor| {
        let alerts = editor.quiet().get("/system/alerts").expect(200);
        alerts.json()["newBrowser"].clone()
    };
    let here = program.set_up();
    assert_eq!(told(&here), json!(null));
    program.clock.advance(MINUTE);
    let answer = try_log_in(&program.client(), PASSWORD).expect(204);
    let there = Editor::with_cookie(&program.client(), cookie_of(&answer));
    there.delete("/session").expect(204);
    // Also once it is gone.
    assert_eq!(told(&here), "2026-03-10T09:01:00Z");
    here.delete("/system/alerts/new-browser").expect(204);
    assert_eq!(told(&here), json!(null));
    // The same browser again is nothing new.
    let known = format!("{BROWSER}={}", browser_of(&answer));
    let again = Editor::log_in(&program.client().with("cookie", &known), PASSWORD);
    assert_eq!((told(&here), told(&again)), (json!(null), json!(null)));
}

#[test]
fn sessions_end_where_another_clean_up_fails() {
    let (program, _editor) = Program::with_editor();
    let sessions = || disk::count(program.data(), "SELECT count(*) FROM sessions");
    assert_eq!(sessions(), 1);
    program.plant("ALTER TABLE people RENAME TO elsewhere");
    program.clock.advance(13 * HOUR);
    program.running().tidy().expect_err("no people");
    assert_eq!(sessions(), 0);
}
