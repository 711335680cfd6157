//! `PocketBase` as it comes, in a process of its own. It stores the fields of a report in the clear, without classifying them.

use std::fs;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

use super::support::client::{Connection, get, send};
use super::support::load::Load;
use super::support::person::account;
use super::support::server::Server;

const SUPERUSER: [&str; 2] = ["banco@esempio.it", "una-password-lunga"];
/// The text columns of its collection of reports.
const COLUMNS: [&str; 8] = [
    "nome",
    "cognome",
    "telefono",
    "email",
    "indirizzo",
    "segnalazione",
    "stato",
    "department",
];

pub struct PocketBase {
    program: PathBuf,
    folder: PathBuf,
}

impl PocketBase {
    /// `page` is what it serves as a file.
    pub fn new(program: &Path, folder: PathBuf, page: &[u8]) -> Result<Self> {
        let program = program.canonicalize().context("PocketBase")?;
        fs::create_dir_all(folder.join("public"))?;
        fs::write(folder.join("public/index.html"), page)?;
        Ok(Self { program, folder })
    }

    fn command(&self, verb: &str) -> Command {
        let mut command = Command::new(&self.program);
        command.env_clear().current_dir(&self.folder);
        command.stdin(Stdio::null()).stdout(Stdio::null());
        command.arg(verb).args(["--dir", "data"]);
        command
    }

    /// Starts it on a port that was free a moment ago, because it does not choose one by itself.
    pub fn start(&self) -> Result<Server> {
        let address = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?;
        let mut command = self.command("serve");
        command.args(["--publicDir", "public", "--http", &address.to_string()]);
        Server::listening(&mut command)
    }

    /// Removes its data.
    pub fn forget(&self) -> Result<()> {
        let data = self.folder.join("data");
        if data.exists() {
            fs::remove_dir_all(data)?;
        }
        Ok(())
    }

    /// Starts it with a collection of reports that is open to everyone, so that it checks no rule.
    pub fn serve(&self) -> Result<Server> {
        let mut command = self.command("superuser");
        let status = command.arg("upsert").args(SUPERUSER).status()?;
        ensure!(status.success(), "PocketBase takes no superuser");
        let server = self.start()?;
        let mut connection = Connection::open(server.address)?;
        let [identity, password] = SUPERUSER;
        let login = json!({ "identity": identity, "password": password });
        let path = "/api/collections/_superusers/auth-with-password";
        let answer = connection.call(&post(path, "", &login))?.json()?;
        let token = answer["token"].as_str().context("no token")?;
        let authorized = format!("authorization: {token}\r\n");
        let request = post("/api/collections", &authorized, &collection());
        let answer = connection.call(&request)?;
        ensure!(answer.status == 200, "{}", answer.head);
        Ok(server)
    }
}

fn collection() -> Value {
    let text = COLUMNS.map(|name| json!({ "name": name, "type": "text" }));
    let mut fields = text.to_vec();
    fields.push(json!({ "name": "eta", "type": "number" }));
    fields.push(json!({ "name": "created", "type": "autodate", "onCreate": true }));
    json!({ "name": "segnalazioni", "type": "base", "listRule": "", "createRule": "", "fields": fields })
}

/// Stores what the program stores of a report.
pub fn creation() -> Load {
    let report = json!({
        "eta": 34, "nome": "Anna Maria", "cognome": "Prova", "telefono": "3331234567", "email": "persona1@esempio.it",
        "indirizzo": "Via della Prova 1, Milano", "segnalazione": account(1), "stato": "Nuova", "department": "generale",
    });
    let request = post("/api/collections/segnalazioni/records", "", &report);
    Load::repeated(vec![request], br#""id":""#)
}

/// The newest fifty as it lists them fastest: by the table's own key, and not counted.
pub fn newest() -> Load {
    let query = "perPage=50&sort=-@rowid&skipTotal=1";
    let path = format!("/api/collections/segnalazioni/records?{query}");
    Load::repeated(vec![get(&path, "")], br#""id":""#)
}

fn post(path: &str, fields: &str, body: &Value) -> Vec<u8> {
    send("POST", path, fields, body)
}
