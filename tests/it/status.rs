//! `GET /status` and `/healthz`: whether reports can be taken, and nothing more.

use serde_json::json;

use crate::support::program::Program;

#[test]
fn a_working_archive_is_online() {
    let program = Program::start();
    let status = program.client().get("/status").expect(200).json();
    assert_eq!(
        status,
        json!({ "database": "online", "version": env!("CARGO_PKG_VERSION") })
    );
}

#[test]
fn supervisors_learn_that_it_lives_and_nothing_else() {
    let program = Program::start();
    let answer = program
        .client()
        .request("GET", "/paibeta/healthz")
        .send()
        .expect(200);
    assert_eq!(answer.text(), "ok\n");
    assert_eq!(answer.header("cache-control"), Some("no-store"));
}
