//! What a fake costs in a siege: the server's processor time for a conversation and its proof of work, beside what its sender
//! pays for the proof alone.

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::support::client::{Connection, Session, make_password, post};
use super::support::figures::{Figure, Row, number};
use super::support::machine::ticks;
use super::support::person::{finish, talk_to_the_end};
use super::support::server::{Installation, Server};

/// Above half of it within ten minutes a siege begins.
const EXPECTED_A_DAY: usize = 1_000;
/// Fakes that are measured, each from an address of its own.
const FAKES: usize = 300;
/// The least that is ever asked for.
const BITS: u64 = 18;

pub fn measure(installation: &Installation) -> Result<Vec<Row>> {
    let server = besieged(installation)?;
    let begun = ticks(server.id())?;
    let mut connection = Connection::open(server.address)?;
    let mut asked = Vec::new();
    for sender in 0..FAKES {
        let last_turn = talk_to_the_end(&mut connection, sender)?;
        let answer = connection.call(&sent_by(sender, &last_turn))?;
        ensure!(answer.status == 428, "{}", answer.head);
        let problem: Value = serde_json::from_slice(&answer.body)?;
        asked.push((last_turn, problem["challenge"].clone()));
    }
    let talking = ticks(server.id())? - begun;
    let begun = ticks(std::process::id())?;
    let proved = asked
        .iter()
        .map(|(turn, challenge)| with_proof(turn, challenge));
    let proved = proved.collect::<Result<Vec<_>>>()?;
    let proving = ticks(std::process::id())? - begun;
    let begun = ticks(server.id())?;
    let mut connection = Connection::open(server.address)?;
    for (sender, turn) in proved.iter().enumerate() {
        finish(&mut connection, &sent_by(sender, turn))?;
    }
    let storing = ticks(server.id())? - begun;
    let ratio = Figure::of(number(proving) / number(talking + storing));
    let title = format!("fake in a siege: its proof of {BITS} bits against the server's work");
    Ok(vec![Row::new(&title, &ratio, 1).least(10.0)])
}

/// A server behind a proxy, on which a siege has begun.
fn besieged(installation: &Installation) -> Result<Server> {
    let password = make_password(installation)?;
    let mut command = installation.confined(installation.program());
    command.env("SEGNALAZIONI_TRUSTED_PROXIES", "127.0.0.1");
    let server = installation.serve(command)?;
    Session::log_in(server.address, &password)?.expect_a_day(EXPECTED_A_DAY)?;
    let mut connection = Connection::open(server.address)?;
    for sender in 0..=EXPECTED_A_DAY / 2 {
        let last_turn = talk_to_the_end(&mut connection, sender)?;
        finish(&mut connection, &sent_by(sender, &last_turn))?;
    }
    Ok(server)
}

/// The request as the proxy passes it on from one of many addresses.
fn sent_by(sender: usize, request: &[u8]) -> Vec<u8> {
    let (high, low) = (sender / 250, sender % 250);
    let address = format!("\r\nx-forwarded-for: 10.0.{high}.{low}\r\n");
    let request = String::from_utf8_lossy(request);
    request.replacen("\r\n", &address, 1).into_bytes()
}

/// The same turn with the proof that was asked for.
fn with_proof(last_turn: &[u8], challenge: &Value) -> Result<Vec<u8>> {
    ensure!(challenge["bits"] == BITS, "{challenge}");
    let salt = challenge["salt"].as_str().context("no salt")?;
    let body = last_turn.split(|byte| *byte == b'\n').next_back();
    let mut said: Value = serde_json::from_slice(body.context("no body")?)?;
    let begun = Sha256::new_with_prefix(format!("{salt}:"));
    let proves = |n: &u64| {
        let hash = begun.clone().chain_update(n.to_string()).finalize();
        let head = hash
            .as_slice()
            .first_chunk()
            .copied()
            .unwrap_or([u8::MAX; 8]);
        u64::from(u64::from_be_bytes(head).leading_zeros()) >= BITS
    };
    let n = (0..u64::MAX).find(proves).context("no proof")?;
    said["proof"] = json!({ "salt": salt, "n": n });
    Ok(post("/chat/turns", &said))
}
