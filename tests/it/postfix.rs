//! Mails through Postfix of Debian, set up as a strict server of the internet is: what it takes, and that it is strict.

use std::fs::{self, Permissions};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use mail_parser::MessageParser;
use serde_json::json;
use tempfile::TempDir;

use crate::support::outbox::Newsroom;
use crate::support::{contains, free_port, wait_for};

/// Everything for `esempio.it` goes into one mailbox.
const MAIN: &str = "\
compatibility_level = 3.6
queue_directory = FOLDER/queue
data_directory = FOLDER/data
maillog_file = FOLDER/log
maillog_file_prefixes = FOLDER
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
myhostname = posta.esempio.it
mydestination =
alias_maps =
virtual_mailbox_domains = esempio.it
virtual_mailbox_base = FOLDER/mail
virtual_mailbox_maps = static:box/
virtual_uid_maps = static:65534
virtual_gid_maps = static:65534
smtpd_helo_required = yes
smtpd_helo_restrictions = reject_non_fqdn_helo_hostname, reject_invalid_helo_hostname
smtpd_relay_restrictions = reject_unauth_destination
strict_rfc821_envelopes = yes
disable_vrfy_command = yes
";
const MASTER: &str = "\
127.0.0.1:PORT inet n - n - - smtpd
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
proxymap unix - - n - - proxymap
error unix - - n - - error
retry unix - - n - - error
virtual unix - n n - - virtual
anvil unix - - n - 1 anvil
postlog unix-dgram n - n - 1 postlogd
";

/// A Postfix of its own; dropping it stops it.
struct Postfix {
    folder: TempDir,
    port: u16,
}

impl Postfix {
    fn start() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let port = free_port();
        // Its processes are other users'.
        fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).expect("a mode");
        for (name, mode) in [("queue", 0o755), ("data", 0o777), ("mail", 0o777)] {
            let path = folder.path().join(name);
            fs::create_dir(&path).expect("a folder");
            fs::set_permissions(&path, Permissions::from_mode(mode)).expect("a mode");
        }
        let own = folder.path().to_str().expect("a path");
        let (main, master) = (
            MAIN.replace("FOLDER", own),
            MASTER.replace("PORT", &port.to_string()),
        );
        fs::write(folder.path().join("main.cf"), main).expect("written");
        fs::write(folder.path().join("master.cf"), master).expect("written");
        let postfix = Self { folder, port };
        postfix.order("start");
        postfix
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Its master is root's.
    fn order(&self, what: &str) {
        let root = rustix::process::geteuid().is_root();
        let mut words = if root { vec![] } else { vec!["sudo", "-n"] };
        words.extend(["/usr/sbin/postfix", "-c"]);
        let mut command = Command::new(words[0]);
        let done = command
            .args(&words[1..])
            .arg(self.path())
            .arg(what)
            .output();
        let done = done.expect("Postfix");
        assert!(
            done.status.success(),
            "{}",
            String::from_utf8_lossy(&done.stderr)
        );
    }

    /// The mails that lie in the mailbox, once there are so many.
    fn mails(&self, count: usize) -> Vec<String> {
        let folder = self.path().join("mail/box/new");
        let names = wait_for("the mails", || {
            let entries = fs::read_dir(&folder).ok()?.flatten();
            let names: Vec<_> = entries.map(|entry| entry.path()).collect();
            (names.len() == count).then_some(names)
        });
        let read = names
            .iter()
            .map(|name| fs::read_to_string(name).expect("a mail"));
        read.collect()
    }

    /// What it says to somebody who gives this name and writes to our mailbox.
    fn verdict_on(&self, name: &str) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("a connection");
        let mut lines = BufReader::new(stream.try_clone().expect("a connection"));
        let mut said = String::new();
        for command in [
            "",
            &format!("HELO {name}\r\n"),
            "MAIL FROM:<chat@esempio.it>\r\n",
            "RCPT TO:<redazione@esempio.it>\r\n",
        ] {
            stream.write_all(command.as_bytes()).expect("said");
            said.clear();
            lines.read_line(&mut said).expect("an answer");
        }
        said
    }
}

impl Drop for Postfix {
    fn drop(&mut self) {
        self.order("stop");
    }
}

#[test]
#[ignore = "soak"]
fn a_strict_postfix_takes_every_mail_with_and_without_a_public_name() {
    let postfix = Postfix::start();
    wait_for("Postfix", || {
        TcpStream::connect(("127.0.0.1", postfix.port)).ok()
    });
    let public = [("SEGNALAZIONI_PUBLIC_URL", "https://redazione.esempio.it")];
    for (number, (variables, name)) in [
        (&public[..], "from redazione.esempio.it ("),
        (&[], "from [127.0.0.1] ("),
    ]
    .into_iter()
    .enumerate()
    {
        let mut newsroom = Newsroom::sending(variables);
        newsroom.editor.mail_to(postfix.port);
        let long = format!("Perché? {}", "così è più lunga ".repeat(400));
        let entry = json!({ "nome": "Ida", "cognome": "Bruni", "segnalazione": long, "origine": "lettera" });
        let made = newsroom.editor().post_json("/reports", &entry).expect(200);
        let id = made.json()["id"].as_str().expect("an id").to_owned();
        newsroom.wait_state(&id, "consegnata");
        let mails = postfix.mails(number + 1);
        let raw = mails.iter().find(|mail| mail.contains(name));
        let raw = raw.unwrap_or_else(|| panic!("{name}: {mails:?}"));
        let mail = MessageParser::default().parse(raw).expect("a mail");
        for (header, value) in [
            ("Auto-Submitted", "auto-generated"),
            ("X-Auto-Response-Suppress", "All"),
            ("Return-Path", "<chat@esempio.it>"),
        ] {
            assert_eq!(mail.header_raw(header).map(str::trim), Some(value), "{raw}");
        }
        contains(
            mail.body_text(0).expect("a text"),
            &["Perché? così è più lunga"],
        );
    }
    // The control: it refuses a name that is none, and takes one that is.
    contains(
        postfix.verdict_on("vm"),
        &["504 5.5.2", "need fully-qualified hostname"],
    );
    contains(postfix.verdict_on("redazione.esempio.it"), &["250 2.1.5"]);
}
