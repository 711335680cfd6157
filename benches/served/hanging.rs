//! What people notice of it when the mail server hangs: the same conversations with two servers, one that sends no mail and
//! one whose mail server takes every connection and never says a word. Must never compare loads of different minutes, nor
//! call a server hanging that was not tried meanwhile.

use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use super::figures::{Figure, Table};
use super::load;
use super::support::http::{API, Connection};
use super::support::panel::{log_in, make_password};
use super::support::server::{Installation, Server};

/// People who talk at once: more than a newsroom ever has, and few enough that they wait for the server and not for each
/// other.
const CLIENTS: usize = 4;
/// Last turns that are prepared for a slice, per client and second.
const LAST_TURNS: u32 = 500;
/// How much worse the 99th of a hundred may fare (the goal).
const GOAL: &str = "<= 1.10";

/// A mail server that takes connections and keeps them, in silence.
struct Tarpit {
    address: SocketAddr,
    taken: Arc<AtomicUsize>,
}

impl Tarpit {
    fn open() -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let taken = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&taken);
        // Ends with the process: there is nothing to tidy up.
        std::thread::spawn(move || {
            let mut held = Vec::new();
            for stream in listener.incoming().flatten() {
                counted.fetch_add(1, Ordering::SeqCst);
                held.push(stream);
            }
        });
        Ok(Self { address, taken })
    }
}

/// Times of one kind of request with one of the servers.
#[derive(Default)]
struct Times {
    p50: Figure,
    p99: Figure,
}

impl Times {
    fn take(&mut self, outcome: &load::Outcome) {
        self.p50.push(outcome.latencies.percentile_ms(50));
        self.p99.push(outcome.latencies.percentile_ms(99));
    }
}

/// Times with one of the servers.
#[derive(Default)]
struct Told {
    whole: Times,
    last: Times,
}

impl Told {
    async fn slice(&mut self, address: SocketAddr, span: Duration) -> Result<()> {
        self.whole
            .take(&load::converse(address, CLIENTS, span).await?);
        let seconds = span.as_secs_f64().ceil();
        let enough = f64::from(LAST_TURNS) * seconds;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a few thousand"
        )]
        let turns = load::prepare(address, CLIENTS, enough as usize * CLIENTS).await?;
        self.last
            .take(&load::submit(address, CLIENTS, turns, span).await?);
        Ok(())
    }
}

/// Measures in turns, one slice with each server, the first of them another one each time.
pub async fn measure(program: &Path, folder: &Path, rounds: usize, span: Duration) -> Result<()> {
    let tarpit = Tarpit::open()?;
    let (quiet, _quiet) = serve(
        program,
        &folder.join("quiet"),
        &json!({ "emailAutoSend": false }),
    )
    .await?;
    let mail = json!({
        "emailAutoSend": true, "emailRecipient": "redazione@esempio.it", "emailFrom": "chat@esempio.it",
        "smtpHost": "127.0.0.1", "smtpPort": tarpit.address.port(), "smtpSecure": false,
    });
    let (hanging, _hanging) = serve(program, &folder.join("hanging"), &mail).await?;
    let (mut without, mut with) = (Told::default(), Told::default());
    for round in 0..rounds.max(1) * 2 {
        if round.is_multiple_of(2) {
            without.slice(quiet, span).await?;
            with.slice(hanging, span).await?;
        } else {
            with.slice(hanging, span).await?;
            without.slice(quiet, span).await?;
        }
    }
    ensure!(
        tarpit.taken.load(Ordering::SeqCst) > 0,
        "the mail server was never tried"
    );
    print(&without, &with);
    Ok(())
}

fn print(without: &Told, with: &Told) {
    let heads = ["no mail", "mail hangs", "ratio of medians", "goal"];
    let title = format!("Chat while mail hangs, c={CLIENTS}, min / median / max");
    let mut table = Table::new(&title, &heads);
    let mut row = |title: &str, goal: &str, without: &Figure, with: &Figure| {
        let ratio = format!("{:.2}", with.median() / without.median());
        let cells = [without.cell(2), with.cell(2), ratio, goal.to_owned()];
        table.row(title, cells);
    };
    row("last turn, p50, ms", "", &without.last.p50, &with.last.p50);
    row(
        "last turn, p99, ms",
        GOAL,
        &without.last.p99,
        &with.last.p99,
    );
    row(
        "whole conversation, p50, ms",
        "",
        &without.whole.p50,
        &with.whole.p50,
    );
    row(
        "whole conversation, p99, ms",
        GOAL,
        &without.whole.p99,
        &with.whole.p99,
    );
    table.print();
}

/// A server of its own with these settings of mail; it ends with its handle.
async fn serve(program: &Path, folder: &Path, settings: &Value) -> Result<(SocketAddr, Server)> {
    std::fs::create_dir(folder)?;
    let installation = Installation::new(program, folder)?;
    let password = make_password(&installation)?;
    let server = installation.start()?;
    let (cookie, _) = log_in(server.address, &password).await?;
    let body = settings.to_string();
    let request = format!(
        "PUT {API}/settings/email HTTP/1.1\r\nhost: localhost\r\nsec-fetch-site: same-origin\r\ncookie: {cookie}\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    let mut connection = Connection::open(server.address).await?;
    connection.call(request.as_bytes()).await?.json()?;
    Ok((server.address, server))
}
