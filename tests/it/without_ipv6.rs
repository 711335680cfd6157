//! A host without IPv6, by a library before the system's that knows no such sockets: what would listen on all addresses of both
//! families listens on those of one. An address that was chosen is another matter.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::executable::{Server, command, refusal};
use crate::support::{contains, free_port, wait_for};

/// Beside that it moves the two ports that only a privileged program may take.
const SHIM: &str = r#"
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>

int socket(int domain, int type, int protocol) {
    if (domain == AF_INET6) { errno = EAFNOSUPPORT; return -1; }
    int (*real)(int, int, int) = dlsym(RTLD_NEXT, "socket");
    return real(domain, type, protocol);
}

int bind(int fd, const struct sockaddr *address, socklen_t length) {
    int (*real)(int, const struct sockaddr *, socklen_t) = dlsym(RTLD_NEXT, "bind");
    if (address->sa_family != AF_INET) return real(fd, address, length);
    struct sockaddr_in moved = *(const struct sockaddr_in *)address;
    if (ntohs(moved.sin_port) == 443) moved.sin_port = htons(atoi(getenv("PORT_443")));
    if (ntohs(moved.sin_port) == 80) moved.sin_port = htons(atoi(getenv("PORT_80")));
    return real(fd, (const struct sockaddr *)&moved, sizeof moved);
}
"#;

fn shim(folder: &Path) -> PathBuf {
    let (source, library) = (folder.join("shim.c"), folder.join("shim.so"));
    fs::write(&source, SHIM).expect("written");
    let mut cc = Command::new("cc");
    cc.args(["-shared", "-fPIC", "-o"])
        .arg(&library)
        .arg(&source);
    assert!(cc.status().expect("a compiler").success());
    library
}

/// `serve` for a name, with an authority that does not answer.
fn serve(folder: &Path, more: &[&str]) -> (Command, [u16; 2]) {
    let ports = [free_port(), free_port()];
    let mut serve = command(folder, &["serve", "--domain", "segnala.example.org"]);
    serve
        .args(more)
        .env("LD_PRELOAD", shim(folder))
        .env("PORT_443", ports[0].to_string())
        .env("PORT_80", ports[1].to_string())
        .env("SEGNALAZIONI_ACME_DIRECTORY", "https://127.0.0.1:9/dir");
    (serve, ports)
}

#[test]
fn a_name_alone_is_enough_on_a_host_without_ipv6() {
    let folder = tempfile::tempdir().expect("a folder");
    let (serve, [https, http]) = serve(folder.path(), &["--metrics-listen", "127.0.0.1:0"]);
    let server = Server::spawn(serve, folder.path());
    TcpStream::connect(("127.0.0.1", https)).expect("it listens");
    let mut plain = TcpStream::connect(("127.0.0.1", http)).expect("it listens");
    plain
        .write_all(b"GET / HTTP/1.1\r\nHost: segnala.example.org\r\nConnection: close\r\n\r\n")
        .expect("asked");
    let mut answer = String::new();
    plain.read_to_string(&mut answer).expect("answered");
    assert!(answer.contains("https://segnala.example.org/"), "{answer}");
    let told = wait_for("both lines", || {
        let log = server.errors();
        (log.matches("IPv6").count() == 2).then_some(log)
    });
    contains(told, &["0.0.0.0:443", "0.0.0.0:80"]);
}

#[test]
fn an_address_that_was_chosen_is_not_exchanged_for_another() {
    let folder = tempfile::tempdir().expect("a folder");
    let rows: [(&[&str], &str, &str); 3] = [
        (&["--listen", "[::]:443"], "[::]:443", "0.0.0.0:443"),
        (
            &["--http-listen", "[::]:80", "--listen", "127.0.0.1:0"],
            "[::]:80",
            "0.0.0.0:80",
        ),
        (&["--listen", "[::1]:8443"], "[::1]:8443", "0.0.0.0:8443"),
    ];
    for (flags, chosen, instead) in rows {
        let refused = refusal(serve(folder.path(), flags).0);
        contains(&refused, &["questa macchina non ha IPv6", chosen, instead]);
    }
}
