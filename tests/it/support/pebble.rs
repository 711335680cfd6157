//! An authority for automatic certificates that lives for one test: Let's Encrypt's own test server, `pebble`, with a
//! name server that sends every name to this machine. `make test` installs Debian's package.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use serde_json::json;

use super::authority::Authority;
use super::http::Client;
use super::wait_for;

/// Longest time until it answers.
const STARTING: Duration = Duration::from_secs(30);
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

/// A running authority; gone when it goes out of scope.
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

    /// Its directory.
    pub fn directory(&self) -> String {
        format!("https://{}:{DIRECTORY_PORT}/dir", self.ip)
    }

    /// What its own server is known by, in a file.
    pub fn root(&self) -> PathBuf {
        self.web.file(self.folder.path())
    }

    /// Starts it; it looks for who asks at this port.
    pub fn open(&self, tls_port: u16) -> Pebble {
        self.open_for(tls_port, Duration::from_hours(24 * 90))
    }

    /// Starts one whose certificates hold this long.
    pub fn open_for(&self, tls_port: u16, validity: Duration) -> Pebble {
        let names = self.command("pebble-challtestsrv", &self.names_arguments());
        let names = start(names);
        let config = self.config(tls_port, validity);
        let server = SocketAddr::from((self.ip, NAMES_PORT)).to_string();
        let mut pebble = self.command("pebble", &["-config", text(&config), "-dnsserver", &server]);
        pebble
            .env("PEBBLE_VA_NOSLEEP", "1")
            .env("PEBBLE_WFE_NONCEREJECT", "0")
            .env("PEBBLE_AUTHZREUSE", "0");
        let pebble = Pebble {
            processes: [names, start(pebble)],
        };
        let client = self.client(MANAGEMENT_PORT);
        wait_for("the authority", STARTING, || {
            let answer = client.request("GET", "/roots/0").try_send().ok();
            answer.filter(|answer| answer.status == 200)
        });
        pebble
    }

    /// What trusts the certificates that it issues while it runs.
    pub fn trusted(&self) -> Arc<ClientConfig> {
        let answer = self.client(MANAGEMENT_PORT).page("/roots/0");
        let root = CertificateDer::from_pem_slice(&answer.expect(200).body).expect("PEM");
        let mut roots = RootCertStore::empty();
        roots.add(root).expect("a certificate");
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("versions")
            .with_root_certificates(roots)
            .with_no_client_auth();
        Arc::new(config)
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

    fn names_arguments(&self) -> Vec<String> {
        let at = |port| SocketAddr::from((self.ip, port)).to_string();
        let pairs = [
            ("-dns01", at(NAMES_PORT)),
            ("-management", at(NAMES_MANAGEMENT_PORT)),
            ("-defaultIPv4", "127.0.0.1".to_owned()),
            ("-defaultIPv6", String::new()),
            ("-http01", String::new()),
            ("-https01", String::new()),
            ("-tlsalpn01", String::new()),
        ];
        let pairs = pairs.into_iter();
        pairs
            .flat_map(|(flag, value)| [flag.to_owned(), value])
            .collect()
    }

    fn command(&self, program: &str, arguments: &[impl AsRef<str>]) -> Command {
        let mut command = Command::new(program);
        command.args(arguments.iter().map(AsRef::as_ref));
        command.current_dir(self.folder.path());
        command
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
