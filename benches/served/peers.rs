//! Who the executable is compared with, each in a process of its own: a bare axum that says hello, and `PocketBase` as it comes.
//! Must never share a thread, a layer or a line with the product, nor configure `PocketBase` to be slower than it is.

use std::fs;
use std::io::{self, Read as _};
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};
use axum::routing::get as on_get;
use axum::{Json, Router};
use hyper::server::conn::http1;
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use serde_json::{Value, json};

use super::figures::say;
use super::limits;
use super::load::Asked;
use super::support::http::{Connection, get};
use super::support::server::Server;

/// The flag with which a bench says hello instead of measuring.
pub const HELLO: &str = "--hello";
/// Who sets `PocketBase` up.
const SUPERUSER: [&str; 2] = ["banco@esempio.it", "una-password-lunga"];
/// What `PocketBase` keeps of a report, next to its own columns.
const FIELDS: [&str; 8] = [
    "nome",
    "cognome",
    "telefono",
    "email",
    "indirizzo",
    "segnalazione",
    "stato",
    "department",
];

/// The bare hello, in another process of this bench.
pub fn hello() -> Result<Server> {
    let mut command = Command::new(std::env::current_exe()?);
    Server::listening(command.arg(HELLO).stdin(Stdio::piped()))
}

/// What is asked of the bare hello.
pub fn greeting() -> Asked {
    Asked::again(vec![get("/hello", "")], br#"{"hello":"world"}"#)
}

/// Says hello until standard input ends, and with it the bench that asked for it.
pub fn say_hello() -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    std::thread::spawn(|| {
        let _ = io::stdin().read_to_end(&mut Vec::new());
        std::process::exit(0);
    });
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let hello = on_get(async || Json(json!({ "hello": "world" })));
        let router = Router::new().route("/hello", hello);
        say(&format!("http://{}/", listener.local_addr()?));
        loop {
            let (stream, _) = listener.accept().await?;
            stream.set_nodelay(true)?;
            let service = TowerToHyperService::new(router.clone());
            // A client that goes away is no failure.
            tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
        }
    })
}

/// `PocketBase` on a folder of its own.
pub struct PocketBase {
    program: PathBuf,
    folder: PathBuf,
}

impl PocketBase {
    /// Not yet started; `page` is what it serves as a file.
    pub fn new(program: &Path, folder: PathBuf, page: &[u8]) -> Result<Self> {
        let program = program.canonicalize().context("PocketBase")?;
        fs::create_dir_all(folder.join("public"))?;
        fs::write(folder.join("public/index.html"), page)?;
        Ok(Self { program, folder })
    }

    fn command(&self, what: &str) -> Command {
        let mut command = Command::new(&self.program);
        command
            .env_clear()
            .current_dir(&self.folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .arg(what)
            .args(["--dir", "data"]);
        command
    }

    /// Starts it on a port that was free a moment ago: it takes none of the machine's choice.
    pub fn start(&self) -> Result<Server> {
        let address = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?;
        let mut command = self.command("serve");
        command.args(["--publicDir", "public", "--http", &address.to_string()]);
        Server::listening(&mut command)
    }

    /// Forgets everything, if there is anything.
    pub fn forget(&self) -> io::Result<()> {
        let data = self.folder.join("data");
        if data.exists() {
            fs::remove_dir_all(data)?;
        }
        Ok(())
    }

    /// Starts it with a collection of reports, which anybody may add to and read: no rule has to be weighed.
    pub async fn serve(&self) -> Result<Server> {
        let mut command = self.command("superuser");
        let status = command.arg("upsert").args(SUPERUSER).status()?;
        ensure!(status.success(), "PocketBase takes no superuser");
        let server = self.start()?;
        set_up(&server).await?;
        Ok(server)
    }
}

async fn set_up(server: &Server) -> Result<()> {
    let mut connection = Connection::open(server.address).await?;
    let [identity, password] = SUPERUSER;
    let login = json!({ "identity": identity, "password": password });
    let path = "/api/collections/_superusers/auth-with-password";
    let answer = connection.call(&post(path, "", &login)).await?.json()?;
    let token = answer["token"].as_str().context("no token")?;
    let text = FIELDS.map(|name| json!({ "name": name, "type": "text" }));
    let mut fields = text.to_vec();
    fields.push(json!({ "name": "eta", "type": "number" }));
    fields.push(json!({ "name": "created", "type": "autodate", "onCreate": true }));
    let collection = json!({
        "name": "segnalazioni", "type": "base", "listRule": "", "createRule": "", "fields": fields,
    });
    let authorized = format!("authorization: {token}\r\n");
    let request = post("/api/collections", &authorized, &collection);
    let answer = connection.call(&request).await?;
    ensure!(answer.status == 200, "{}", answer.head);
    Ok(())
}

/// What `PocketBase` is asked to store: what the product stores, in the clear.
pub fn creation() -> Result<Asked> {
    let mut report = serde_json::to_value(limits::report())?;
    report["stato"] = json!("Nuova");
    report["department"] = json!("generale");
    let request = post("/api/collections/segnalazioni/records", "", &report);
    Ok(Asked::again(vec![request], br#""id":""#))
}

/// Its newest fifty as it gives them soonest: by the table's own key, and not counted.
pub fn newest() -> Asked {
    let query = "perPage=50&sort=-@rowid&skipTotal=1";
    let path = format!("/api/collections/segnalazioni/records?{query}");
    Asked::again(vec![get(&path, "")], br#""id":""#)
}

fn post(path: &str, fields: &str, body: &Value) -> Vec<u8> {
    let body = body.to_string();
    let length = body.len();
    format!(
        "POST {path} HTTP/1.1\r\nhost: localhost\r\n{fields}content-type: application/json\r\n\
         content-length: {length}\r\n\r\n{body}"
    )
    .into_bytes()
}
