//! Behind the proxies of the operators' guide: nginx and Caddy as Debian has them, with the blocks that stand there. Files arrive
//! whole, nothing is written to the proxy's disk, and each caller counts for itself.

use std::fs;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::SystemTime;

use serde_json::json;

use crate::support::attachments::{Files, filled, listed};
use crate::support::authority::Authority;
use crate::support::chat::{Chat, Person, Reply, turn};
use crate::support::http::Client;
use crate::support::panel::{Editor, PASSWORD};
use crate::support::program::Program;
use crate::support::wait_for;
use crate::without_script::Browser;

const GUIDE: &str = include_str!("../../docs/GESTIONE.md");
const NAME: &str = "segnalazioni.example.org";
const HTTPS: [(&str, &str); 2] = [
    (
        "SEGNALAZIONI_PUBLIC_URL",
        "https://segnalazioni.example.org",
    ),
    ("SEGNALAZIONI_TRUSTED_PROXIES", "127.0.0.1"),
];
const MB: usize = 1024 * 1024;

/// The guide's blocks in this language, in order.
fn blocks(language: &str) -> Vec<String> {
    let fence = format!("\n```{language}\n");
    let blocks = GUIDE.split(&fence).skip(1);
    let blocks = blocks.map(|rest| rest.split_once("\n```").expect("its end").0.to_owned());
    blocks.collect()
}

fn block(language: &str) -> String {
    blocks(language).remove(0)
}

fn address_of(program: &Program) -> String {
    program.client().address().to_string()
}

/// As operators replace it: every occurrence, of which there must be one.
fn replaced(text: &str, from: &str, to: &str) -> String {
    assert!(text.contains(from), "no {from} in {text}");
    text.replace(from, to)
}

/// A proxy on a free port; stopped when it goes out of scope.
struct Proxy {
    process: Child,
    folder: tempfile::TempDir,
    authority: Authority,
    port: u16,
    /// Where it would write what it does not want to hold in memory.
    spool: &'static [&'static str],
    idle: Vec<SystemTime>,
}

impl Proxy {
    fn nginx(program: &Program) -> Self {
        let block = block("nginx");
        Self::nginx_with(&replaced(&block, "127.0.0.1:8080", &address_of(program)))
    }

    fn nginx_with(block: &str) -> Self {
        Self::start(&["bodies", "answers"], |folder, listen| {
            let papers = "ssl_certificate fullchain.pem; ssl_certificate_key privkey.pem;";
            let server = replaced(block, "listen 443 ssl", &format!("listen {listen} ssl"));
            let server = replaced(&server, "# ssl_certificate, ssl_certificate_key", papers);
            let user = if rustix::process::geteuid().is_root() {
                "user root;"
            } else {
                ""
            };
            let config = format!(
                "daemon off; master_process off; pid pid; error_log error.log warn; {user}\nevents {{}}\nhttp {{\n\
                 client_body_temp_path bodies; proxy_temp_path answers;\n\
                 fastcgi_temp_path answers; uwsgi_temp_path answers; scgi_temp_path answers;\n{server}\n}}\n"
            );
            fs::write(folder.join("nginx.conf"), config).expect("written");
            let mut nginx = Command::new("nginx");
            nginx
                .arg("-p")
                .arg(folder)
                .args(["-c", "nginx.conf", "-e", "error.log"]);
            nginx
        })
    }

    fn caddy(program: &Program) -> Self {
        Self::start(&["tmp"], |folder, listen| {
            let (address, port) = listen.split_once(':').expect("a port");
            let papers =
                format!("{NAME}:{port} {{\n    bind {address}\n    tls fullchain.pem privkey.pem");
            let site = replaced(&block("caddy"), &format!("{NAME} {{"), &papers);
            let site = replaced(&site, "127.0.0.1:8080", &address_of(program));
            let options = "{\n    admin off\n    auto_https off\n    log {";
            let config = replaced(&site, "{\n    log {", options);
            fs::write(folder.join("Caddyfile"), config).expect("written");
            let mut caddy = Command::new("caddy");
            caddy.args(["run", "--config", "Caddyfile"]);
            caddy.env("TMPDIR", folder.join("tmp")).env("HOME", folder);
            caddy
        })
    }

    fn start(spool: &'static [&'static str], prepare: impl FnOnce(&Path, &str) -> Command) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        for name in spool {
            fs::create_dir(folder.path().join(name)).expect("made");
        }
        let authority = Authority::new();
        let (certificate, key) = authority.issue(NAME, 2090);
        fs::write(folder.path().join("fullchain.pem"), certificate).expect("written");
        fs::write(folder.path().join("privkey.pem"), key).expect("written");
        let free = TcpListener::bind("127.0.0.1:0").expect("a port");
        let listen = free.local_addr().expect("an address");
        drop(free);
        let mut command = prepare(folder.path(), &listen.to_string());
        let log = fs::File::create(folder.path().join("log")).expect("a file");
        let process = command
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .unwrap_or_else(|error| {
                panic!("{command:?}: {error}: `make test` installs Debian's package")
            });
        let mut proxy = Self {
            process,
            folder,
            authority,
            port: listen.port(),
            spool,
            idle: Vec::new(),
        };
        wait_for("the proxy", || {
            let ended = proxy.process.try_wait().expect("a state");
            assert!(ended.is_none(), "{}", proxy.said());
            TcpStream::connect(listen).ok()
        });
        proxy.idle = proxy.written();
        proxy
    }

    fn said(&self) -> String {
        let read = |name| fs::read_to_string(self.folder.path().join(name)).unwrap_or_default();
        read("log") + &read("error.log")
    }

    /// When each folder last had a file made or removed in it: also one that has no name any more.
    fn written(&self) -> Vec<SystemTime> {
        let when = |name: &&str| {
            let found = self.folder.path().join(name).metadata().expect("a folder");
            found.modified().expect("a moment")
        };
        self.spool.iter().map(when).collect()
    }

    fn spooled(&self) -> bool {
        self.written() != self.idle || self.said().contains("temporary file")
    }

    fn client(&self) -> Client {
        self.asked_for(NAME)
    }

    fn asked_for(&self, name: &str) -> Client {
        let client = Client::new(SocketAddr::from(([127, 0, 0, 1], self.port)));
        let client = client.over_tls(&self.authority.trusted(), NAME);
        client
            .with("host", name)
            .with("origin", &format!("https://{name}"))
    }

    /// The status of a login with a wrong password from this address of the machine, which says it comes from elsewhere.
    fn wrong_login(&self, from: &str, says: &str) -> String {
        let wrong = json!({ "password": "una password sbagliata" }).to_string();
        let url = format!("https://{NAME}:{}/paibeta/api/session", self.port);
        let output = Command::new("curl")
            .args(["--silent", "--insecure", "--interface", from])
            .args(["--resolve", &format!("{NAME}:{}:127.0.0.1", self.port)])
            .args(["--header", "content-type: application/json"])
            .args(["--header", &format!("x-forwarded-for: {says}")])
            .args(["--output", "answer", "--write-out", "%{http_code}"])
            .args(["--data", &wrong, &url])
            .current_dir(self.folder.path())
            .output()
            .unwrap_or_else(|error| panic!("curl: {error}: `make test` installs it"));
        String::from_utf8(output.stdout).expect("a text")
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.process.kill().expect("it can be killed");
        self.process.wait().expect("it ends");
    }
}

fn video(size: usize) -> Vec<u8> {
    filled(b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom", size)
}

/// A whole conversation by forms, with a file of this size in one request; then a message with another one.
fn send_by_forms(proxy: &Proxy, size: usize) {
    let video = video(size);
    let browser = Browser::of(&proxy.client());
    let page = browser.at_the_end();
    let page = page.send_files(&[("text", "")], &[("lunga.mp4", &video)]);
    let told = browser.enter(&page.has(&["È arrivata in redazione."]).code());
    let told = told.send_files(&[("text", "Il seguito.")], &[("seguito.mp4", &video)]);
    told.status(200).has(&["seguito.mp4"]);
    let editor = Editor::log_in(&proxy.client(), PASSWORD);
    let id = editor.all_ids().remove(0);
    let sizes: Vec<u64> = listed(&editor.report(&id))
        .iter()
        .map(|file| file.3)
        .collect();
    assert_eq!(sizes, [size as u64; 2]);
    for n in [1, 2] {
        let opened = editor.get(&format!("/reports/{id}/attachments/{n}"));
        assert!(opened.expect(200).body == video, "{n}");
    }
}

fn large_files_by_forms(size: usize) {
    for start in [Proxy::nginx, Proxy::caddy] {
        let program = Program::start_with(&HTTPS);
        program.set_up();
        let proxy = start(&program);
        send_by_forms(&proxy, size);
        assert!(!proxy.spooled(), "{}", proxy.said());
    }
}

#[test]
fn a_form_with_a_large_file_passes_and_nothing_is_spooled() {
    large_files_by_forms(20 * MB);
}

#[test]
#[ignore = "soak"]
fn a_form_with_the_largest_file_passes_and_nothing_is_spooled() {
    large_files_by_forms(199 * MB);
}

#[test]
fn a_file_by_the_chat_passes_in_one_piece_and_in_many() {
    for start in [Proxy::nginx, Proxy::caddy] {
        let program = Program::start_with(&HTTPS);
        let editor = program.set_up();
        let proxy = start(&program);
        let client = proxy.client();
        let chat = Chat::at_the_end(&client, &Person::numbered(1));
        let files = Files::of(&client, chat.token());
        let video = video(50 * MB);
        files.attach("intera.mp4", &video);
        let place = files.begin("a pezzi.mp4", video.len());
        for (n, piece) in video.chunks(MB).enumerate() {
            files.send(&place, n * MB, piece).expect(204);
        }
        assert!(
            Reply::of(&turn(&client, chat.token(), "no"))
                .receipt
                .is_some()
        );
        assert_eq!(listed(&editor.report(&editor.all_ids()[0])).len(), 2);
        assert!(!proxy.spooled(), "{}", proxy.said());
    }
}

/// What the tests above would see.
#[test]
fn a_proxy_that_buffers_is_found_out() {
    let program = Program::start_with(&HTTPS);
    program.set_up();
    let buffering = replaced(&block("nginx"), "proxy_request_buffering off;", "");
    let buffering = replaced(&buffering, "127.0.0.1:8080", &address_of(&program));
    let proxy = Proxy::nginx_with(&buffering);
    send_by_forms(&proxy, 3 * MB);
    assert!(proxy.spooled());
}

/// What five wrong passwords of one address, which pretends to be others, leave to another.
fn after_a_siege(trusted: bool, start: fn(&Program) -> Proxy) -> [String; 2] {
    let variables = if trusted { &HTTPS[..] } else { &HTTPS[..1] };
    let program = Program::start_with(variables);
    program.set_up();
    let proxy = start(&program);
    for host in 1..=5 {
        let says = format!("203.0.113.{host}");
        assert_eq!(proxy.wrong_login("127.0.0.2", &says), "401");
    }
    let besieger = proxy.wrong_login("127.0.0.2", "127.0.0.3");
    [besieger, proxy.wrong_login("127.0.0.3", "127.0.0.2")]
}

#[test]
fn each_caller_counts_for_itself_where_the_proxy_is_trusted() {
    for start in [Proxy::nginx, Proxy::caddy] {
        assert_eq!(after_a_siege(true, start), ["429", "401"]);
        // Without the setting everybody is the proxy.
        assert_eq!(after_a_siege(false, start), ["429", "429"]);
    }
}

#[test]
fn each_name_leads_to_its_newsroom() {
    let names = ["cronaca.example.org", "sport.example.org"];
    let programs = names.map(|name| {
        let address = format!("https://{name}");
        Program::start_with(&[("SEGNALAZIONI_PUBLIC_URL", &address), HTTPS[1]])
    });
    let mut map = blocks("nginx").remove(1);
    for (program, port) in programs.iter().zip(["8081", "8082"]) {
        let own = program.client().address().port().to_string();
        map = replaced(&map, &format!(" {port};"), &format!(" {own};"));
    }
    let server = replaced(&block("nginx"), "127.0.0.1:8080", "127.0.0.1:$porta");
    let server = replaced(
        &server,
        "server_name segnalazioni.example.org",
        &format!("server_name {}", names.join(" ")),
    );
    let proxy = Proxy::nginx_with(&format!("{map}\n{server}"));
    for name in names {
        let client = proxy.asked_for(name);
        client.post_json("/chat", &json!({})).expect(200);
        // Another newsroom does not answer to this one's pages.
        for other in names.iter().filter(|other| **other != name) {
            let elsewhere = proxy.asked_for(other).with("host", name);
            let elsewhere = elsewhere.post_json("/chat", &json!({}));
            assert_ne!(elsewhere.status, 200);
        }
    }
}
