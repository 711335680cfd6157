//! What systemd is told (`sd_notify(3)`), heard on a socket that stands for it.

use std::fs::File;
use std::io::Write;
use std::os::fd::OwnedFd;
use std::os::unix::net::{UnixDatagram, UnixStream};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use rustix::process::{Pid, Signal, kill_process};

use crate::support::executable::{self, Server};
use crate::support::http::Client;
use crate::support::{PATIENCE, wait_for};

struct Manager {
    socket: UnixDatagram,
    path: PathBuf,
}

impl Manager {
    fn in_folder(folder: &Path) -> Self {
        let path = folder.join("notify");
        let socket = UnixDatagram::bind(&path).expect("bound");
        socket.set_read_timeout(Some(PATIENCE)).expect("a limit");
        Self { socket, path }
    }

    fn hears(&self) -> String {
        let mut message = [0; 512];
        let len = self.socket.recv(&mut message).expect("a message in time");
        executable::text(&message[..len]).to_owned()
    }

    /// A server that is told of it, and of its watchdog by these variables.
    fn starts(&self, folder: &Path, watchdog: &[(&str, &str)]) -> Server {
        let mut command = executable::serve(folder);
        command.env("NOTIFY_SOCKET", &self.path);
        command.envs(watchdog.iter().copied());
        Server::spawn(command, folder)
    }
}

const STOPPING: &str = "STOPPING=1\nSTATUS=Si sta fermando\n";

fn stops(mut server: Server) {
    server.terminate();
    assert_eq!(server.ended().code(), Some(0));
    assert_eq!(server.errors(), "");
}

#[test]
fn the_service_manager_hears_of_the_start_and_of_the_stop() {
    let folder = tempfile::tempdir().expect("a folder");
    let manager = Manager::in_folder(folder.path());
    // A watchdog of another process, as a child of a service inherits it: no sign of life is due.
    let other = [("WATCHDOG_USEC", "2000"), ("WATCHDOG_PID", "1")];
    let server = manager.starts(folder.path(), &other);
    let address = server.client().address();
    // The whole message: the set-up link that standard output got is not in it.
    let ready = format!("READY=1\nSTATUS=In ascolto: http://{address}/paibeta\n");
    assert_eq!(manager.hears(), ready);
    assert!(server.output().contains("/setup#"), "there is a link");
    assert_eq!(server.client().get("/status").status, 200);
    stops(server);
    assert_eq!(manager.hears(), STOPPING);
}

#[test]
fn a_watchdog_gets_signs_of_life_until_the_stop() {
    let folder = tempfile::tempdir().expect("a folder");
    let manager = Manager::in_folder(folder.path());
    let server = manager.starts(folder.path(), &[("WATCHDOG_USEC", "200000")]);
    assert!(manager.hears().starts_with("READY=1\n"));
    for _ in 0..3 {
        assert_eq!(manager.hears(), "WATCHDOG=1\n");
    }
    let last = std::thread::scope(|scope| {
        // Beside the stop, so that no sign of life waits for room in the socket's queue.
        let listening = scope.spawn(|| {
            std::iter::repeat_with(|| manager.hears()).find(|message| message != "WATCHDOG=1\n")
        });
        stops(server);
        listening.join().expect("heard")
    });
    assert_eq!(last.as_deref(), Some(STOPPING));
}

/// Standard output that takes nothing more, and the end where it would be read.
fn unread() -> (Stdio, UnixStream) {
    let (mut out, reader) = UnixStream::pair().expect("a pair");
    out.set_nonblocking(true).expect("set");
    while out.write(&[0; 4_096]).is_ok() {}
    out.set_nonblocking(false).expect("set");
    (OwnedFd::from(out).into(), reader)
}

/// What it says at its start, the set-up link too, is said to none here.
fn serves_and_stops_with(out: Stdio) {
    let folder = tempfile::tempdir().expect("a folder");
    let manager = Manager::in_folder(folder.path());
    let mut command = executable::serve(folder.path());
    command.env("NOTIFY_SOCKET", &manager.path).stdout(out);
    let mut child = command.spawn().expect("it starts");
    let ready = manager.hears();
    let address = ready.split_once("http://").expect("an address").1;
    let address = address.split('/').next().and_then(|text| text.parse().ok());
    let client = Client::new(address.expect("an address"));
    assert_eq!(client.get("/status").status, 200);
    kill_process(Pid::from_child(&child), Signal::TERM).expect("it can be told");
    let ended = wait_for("the end", || child.try_wait().expect("a state"));
    assert!(ended.success());
}

#[test]
fn output_that_nothing_takes_keeps_no_server_from_serving_nor_from_ending() {
    let (out, _reader) = unread();
    serves_and_stops_with(out);
    let full = File::options().write(true).open("/dev/full");
    serves_and_stops_with(full.expect("a device").into());
    let (closed, reader) = unread();
    drop(reader);
    serves_and_stops_with(closed);
}
