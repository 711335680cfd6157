//! An authority for automatic certificates that lives for one test: Let's Encrypt's own test server, `pebble`, with a
//! name server that sends every name to this machine. `make test` installs Debian's package.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use rustls::ClientConfig;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use serde_json::json;

use super::authority::{Authority, trusting};
use super::http::Client;
use super::wait_for;

const DIRECTORY_PORT: u16 = 14_000;
const MANAGEMENT_PORT: u16 = 15_000;
const NAMES_PORT: u16 = 8_053;
const NAMES_MANAGEMENT_PORT: u16 = 8_055;

/// Where an authority will be, known before it runs. Each test has an address of its own within this machine, so that
/// the ports can be fixed ones.
pub struct Place {
    ip: Ipv4Addr,
    web: Authority,
    folder: tempfile::TempDir,
}

pub struct Pebble {
    processes: [Child; 2],
}

impl Place {
    pub fn new() -> Self {
        let [a, b, c, ..] = uuid::Uuid::new_v4().into_bytes();
        let ip = Ipv4Addr::new(127, a.max(1), b, c.clamp(1, 254));
        Self {
            ip,
            web: Authority::new(),
            folder: tempfile::tempdir().expect("a folder"),
        }
    }

    pub fn directory(&self) -> String {
        format!("https://{}:{DIRECTORY_PORT}/dir", self.ip)
    }

    /// What its own server is known by, in a file.
    pub fn root(&self) -> PathBuf {
        self.web.file(self.folder.path())
    }

    /// Starts an authority that checks applicants at this port and whose certificates are valid this long.
    pub fn open(&self, tls_port: u16, validity: Duration) -> Pebble {
        let at = |port| SocketAddr::from((self.ip, port)).to_string();
        let (asked, managed) = (at(NAMES_PORT), at(NAMES_MANAGEMENT_PORT));
        let arguments = [
            ("-dns01", asked.as_str()),
            ("-management", &managed),
            ("-defaultIPv4", "127.0.0.1"),
            ("-defaultIPv6", ""),
            ("-http01", ""),
            ("-https01", ""),
            ("-tlsalpn01", ""),
        ];
        let names = self.command(
            "pebble-challtestsrv",
            &arguments.map(|(flag, value)| [flag, value]).concat(),
        );
        let names = start(names);
        let config = self.config(tls_port, validity);
        let mut pebble = self.command("pebble", &["-config", text(&config), "-dnsserver", &asked]);
        pebble
            .env("PEBBLE_VA_NOSLEEP", "1")
            .env("PEBBLE_WFE_NONCEREJECT", "0")
            .env("PEBBLE_AUTHZREUSE", "0");
        let pebble = Pebble {
            processes: [names, start(pebble)],
        };
        let client = self.client(MANAGEMENT_PORT);
        wait_for("the authority", || {
            let answer = client.request("GET", "/roots/0").try_send().ok();
            answer.filter(|answer| answer.status == 200)
        });
        pebble
    }

    /// What trusts the certificates that it issues while it runs.
    pub fn trusted(&self) -> Arc<ClientConfig> {
        let answer = self.client(MANAGEMENT_PORT).page("/roots/0");
        let root = CertificateDer::from_pem_slice(&answer.expect(200).body).expect("PEM");
        trusting(root, rustls::DEFAULT_VERSIONS)
    }

    fn client(&self, port: u16) -> Client {
        let client = Client::new(SocketAddr::from((self.ip, port)));
        client.over_tls(&self.web.trusted(), &self.ip.to_string())
    }

    fn config(&self, tls_port: u16, validity: Duration) -> PathBuf {
        let folder = self.folder.path();
        let (certificate, key) = self.web.issue(&self.ip.to_string(), 2090);
        let write = |name: &str, content: &str| {
            std::fs::write(folder.join(name), content).expect("written");
            folder.join(name)
        };
        let config = json!({ "pebble": {
            "listenAddress": SocketAddr::from((self.ip, DIRECTORY_PORT)),
            "managementListenAddress": SocketAddr::from((self.ip, MANAGEMENT_PORT)),
            "certificate": write("web.pem", &certificate),
            "privateKey": write("web-key.pem", &key),
            "httpPort": 1,
            "tlsPort": tls_port,
            "ocspResponderURL": "",
            "externalAccountBindingRequired": false,
            "certificateValidityPeriod": validity.as_secs(),
        }});
        write("pebble.json", &config.to_string())
    }

    fn command(&self, program: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command
            .args(arguments)
            .current_dir(self.folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command
    }
}

fn start(mut command: Command) -> Child {
    command.spawn().unwrap_or_else(|error| {
        panic!("{command:?}: {error}: `make test` installs Debian's package pebble")
    })
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a text")
}

impl Drop for Pebble {
    fn drop(&mut self) {
        for process in &mut self.processes {
            process.kill().expect("it can be killed");
            process.wait().expect("it ends");
        }
    }
}
