//! Sockets that hold on without saying anything: closed in time, while everybody else is served (ASVS 15.2.2). The time
//! here is real: these limits are the machine's.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Command;

use crate::support::executable::{self, Server};
use crate::support::http::Client;
use crate::support::program::Program;
use crate::support::{PATIENCE, at_once, wait_for};

/// Says this and nothing more; what came back until the server closed.
fn say(client: &Client, words: &str) -> String {
    let mut stream = TcpStream::connect(client.address()).expect("connected");
    stream.set_read_timeout(Some(PATIENCE)).expect("set");
    stream.write_all(words.as_bytes()).expect("said");
    let mut answer = Vec::new();
    stream
        .read_to_end(&mut answer)
        .expect("closed by the server");
    String::from_utf8_lossy(&answer).into_owned()
}

#[test]
fn whoever_keeps_the_line_and_says_nothing_is_cut_off() {
    let program = Program::start();
    let client = program.client();
    let half_a_body = "POST /paibeta/api/chat HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n\
                       content-length: 100\r\n\r\n{";
    let cases = [
        ("", ""),
        ("GET /paibeta/api/sta", ""),
        (
            "GET /paibeta/api/status HTTP/1.1\r\nhost: x\r\nx-slow: ",
            "",
        ),
        // An answered connection that is kept and not used.
        (
            "GET /paibeta/api/status HTTP/1.1\r\nhost: x\r\n\r\n",
            "HTTP/1.1 200 OK",
        ),
        (half_a_body, "HTTP/1.1 408 Request Timeout"),
    ];
    let outcomes = at_once(cases.len() + 1, |number| {
        if let Some((words, _)) = cases.get(number) {
            return Some(say(&client, words));
        }
        // The others are served meanwhile.
        for _ in 0..50 {
            client.get("/status").expect(200);
        }
        None
    });
    for ((words, status), answer) in cases.iter().zip(outcomes.into_iter().flatten()) {
        assert!(answer.starts_with(status), "{words:?}: {answer}");
        assert!(
            !status.is_empty() || !answer.starts_with("HTTP/1.1 2"),
            "{words:?}: {answer}"
        );
    }
}

#[test]
fn a_header_has_a_size() {
    let program = Program::start();
    let client = program.client();
    let big = "a".repeat(20 * 1024);
    let answer = client.api("GET", "/status").header("x-big", &big).send();
    assert_eq!(answer.status, 431);
    let many = (0..70).fold(client.api("GET", "/status"), |request, number| {
        request.header(&format!("x-{number}"), "1")
    });
    assert_eq!(many.send().status, 431);
    // The control: half of either is nothing.
    let half = "a".repeat(8 * 1024);
    client
        .api("GET", "/status")
        .header("x-big", &half)
        .send()
        .expect(200);
}

#[test]
fn two_readings_of_one_request_are_never_answered_twice() {
    let program = Program::start();
    let client = program.client();
    let inner = "GET /paibeta/api/branding HTTP/1.1\r\nhost: x\r\n\r\n";
    let head = "POST /paibeta/api/chat HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json\r\n";
    for lines in [
        format!(
            "content-length: {}\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
            inner.len() + 5
        ),
        "content-length: 2\r\ncontent-length: 5\r\n\r\n{}".to_owned(),
        "transfer-encoding: chunked, identity\r\n\r\n2\r\n{}\r\n0\r\n\r\n".to_owned(),
        "content-length: +2\r\n\r\n{}".to_owned(),
        " folded: x\r\ncontent-length: 2\r\n\r\n{}".to_owned(),
    ] {
        let answer = say(&client, &format!("{head}{lines}{inner}"));
        assert!(
            answer.matches("HTTP/1.1 ").count() <= 1,
            "{lines:?}: {answer}"
        );
        assert!(!answer.contains("productName"), "{lines:?}: {answer}");
    }
}

#[test]
fn a_machine_out_of_sockets_serves_again_when_it_has_some() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = Command::new("sh");
    executable::confine(&mut command, folder.path());
    let script = format!(
        "ulimit -n 64; exec {} serve --listen 127.0.0.1:0",
        executable::PATH
    );
    command.args(["-c", &script]);
    let server = Server::spawn(command, folder.path());
    let client = server.client();
    let held: Vec<TcpStream> = (0..64)
        .map(|_| TcpStream::connect(client.address()).expect("queued at least"))
        .collect();
    wait_for("the complaint", || {
        let told = server.errors();
        told.contains("cannot accept connections").then_some(())
    });
    drop(held);
    client.get("/status").expect(200);
    let told = server.errors();
    assert_eq!(
        told.matches("cannot accept connections").count(),
        1,
        "{told}"
    );
}
