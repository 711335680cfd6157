//! Sockets that hold on without saying anything: closed in time, while everybody else is served (ASVS 15.2.2). The time
//! here is real: these limits are the machine's.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::Command;
use std::time::Duration;

use serde_json::json;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpSocket;

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
    let closed = stream.read_to_end(&mut answer);
    closed.expect("closed by the server");
    String::from_utf8_lossy(&answer).into_owned()
}

#[test]
fn idle_connection_is_closed() {
    let program = Program::start();
    let client = program.client();
    let half_a_body = "POST /paibeta/api/chat HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n\
                       content-length: 100\r\n\r\n{";
    let half_a_head = "GET /paibeta/api/status HTTP/1.1\r\nhost: x\r\nx-slow: ";
    let whole = "GET /paibeta/api/status HTTP/1.1\r\nhost: x\r\n\r\n";
    let cases = [
        ("", ""),
        ("GET /paibeta/api/sta", ""),
        (half_a_head, ""),
        // An answered connection that is kept and not used.
        (whole, "HTTP/1.1 200 OK"),
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
        let served = status.is_empty() && answer.starts_with("HTTP/1.1 2");
        assert!(!served, "{words:?}: {answer}");
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
    let half = client.with("x-big", &"a".repeat(8 * 1024));
    half.get("/status").expect(200);
}

#[test]
fn two_readings_of_one_request_are_never_answered_twice() {
    let program = Program::start();
    let client = program.client();
    let inner = "GET /paibeta/api/branding HTTP/1.1\r\nhost: x\r\n\r\n";
    let head = "POST /paibeta/api/chat HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json\r\n";
    let both = "transfer-encoding: chunked\r\n\r\n0\r\n\r\n";
    for lines in [
        &*format!("content-length: {}\r\n{both}", inner.len() + 5),
        "content-length: 2\r\ncontent-length: 5\r\n\r\n{}",
        "transfer-encoding: chunked, identity\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
        "content-length: +2\r\n\r\n{}",
        " folded: x\r\ncontent-length: 2\r\n\r\n{}",
    ] {
        let answer = say(&client, &format!("{head}{lines}{inner}"));
        let answers = answer.matches("HTTP/1.1 ").count();
        assert!(answers <= 1, "{lines:?}: {answer}");
        assert!(!answer.contains("productName"), "{lines:?}: {answer}");
    }
}

#[test]
fn head_without_one_host_is_refused() {
    let program = Program::start();
    let client = program.client();
    let get = "GET /paibeta/api/status HTTP/1.1";
    let end = "connection: close\r\n\r\n";
    let body = "content-type: application/json\r\ncontent-length: 4\r\n\r\n{\n\n}";
    let post = format!("POST /paibeta/api/chat HTTP/1.1\r\nhost: x\r\n{body}");
    let chunked = "POST /paibeta/api/chat HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n\
                   transfer-encoding: chunked\r\n\r\n4\r\n{\n\n}\r\n0\r\n\r\n";
    let hosted = format!("{get}\r\nhost: x\r\n");
    for (words, statuses) in [
        (format!("{get}\r\n{end}"), "400"),
        (format!("{get}\r\nhost: a\r\nhost: b\r\n{end}"), "400"),
        // Behind another request in one piece too.
        (format!("{post}{get}\r\n{end}"), "200 400"),
        // The controls: a body may hold what it likes, and old programs name no host.
        (format!("{post}\r\n{hosted}{end}"), "200 200"),
        (format!("\r\n\r\n{hosted}\r\n{hosted}{end}"), "200 200"),
        (format!("{chunked}{chunked}{hosted}{end}"), "200 200 200"),
        (format!("{get}\r\n\r\n").replace("1.1", "1.0"), "200"),
    ] {
        let answer = say(&client, &words);
        let answers = answer.split("HTTP/1.").skip(1);
        let answered: Vec<&str> = answers.map(|answer| &answer[2..5]).collect();
        assert_eq!(answered.join(" "), statuses, "{words:?}: {answer}");
    }
}

#[test]
fn an_address_has_a_length() {
    let program = Program::start();
    let ask = |length: usize| {
        let start = "/paibeta/api/status?";
        let address = format!("{start}{}", "a".repeat(length - start.len()));
        program.client().page(&address)
    };
    ask(3 * 1024 + 1).problem(414, "indirizzo-troppo-lungo");
    assert_eq!(ask(3 * 1024).status, 200);
}

/// Opens a socket from 127.0.0.`host` again and again, and drips a head into it.
async fn drip(server: SocketAddr, host: u8) {
    loop {
        let socket = TcpSocket::new_v4().expect("a socket");
        let own = SocketAddr::from(([127, 0, 0, host], 0));
        socket.bind(own).expect("an address");
        if let Ok(mut stream) = socket.connect(server).await {
            let mut next: &[u8] = b"GET /paibeta/api/status HTTP/1.1\r\nx-drip: ";
            while stream.write_all(next).await.is_ok() {
                next = b"a";
                tokio::time::sleep(Duration::from_millis(200)).await;
            }
        }
    }
}

#[test]
#[ignore = "soak"]
fn a_stranger_gets_a_chat_while_seventeen_addresses_drip_into_64_sockets_each() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::start(folder.path());
    let client = server.client();
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    for socket in 0..17 * 64 {
        let host = 2 + u8::try_from(socket % 17).expect("small");
        runtime.spawn(drip(client.address(), host));
    }
    let taken = || server.errors().contains("connections are taken");
    wait_for("a full house", || taken().then_some(()));
    let entered = (0..199).filter(|_| {
        let chat = client.api("POST", "/chat").json(&json!({}));
        chat.try_send().is_ok_and(|answer| answer.status == 200)
    });
    let entered = entered.count();
    runtime.shutdown_background();
    assert!(entered >= 190, "{entered} of 199");
}

#[test]
fn a_machine_out_of_sockets_serves_again_when_it_has_some() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = Command::new("sh");
    executable::confine(&mut command, folder.path());
    let script = "ulimit -n 64; exec \"$0\" serve --listen 127.0.0.1:0";
    command.args(["-c", script, executable::PATH]);
    let server = Server::spawn(command, folder.path());
    let client = server.client();
    let connect = |_| TcpStream::connect(client.address()).expect("queued at least");
    let held: Vec<TcpStream> = (0..64).map(connect).collect();
    wait_for("the complaint", || {
        let told = server.errors();
        told.contains("cannot accept connections").then_some(())
    });
    drop(held);
    client.get("/status").expect(200);
    let told = server.errors();
    let complaints = told.matches("cannot accept connections");
    assert_eq!(complaints.count(), 1, "{told}");
}
