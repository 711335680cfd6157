//! What a fake costs in a siege: the server's processor time for a whole conversation with its proof, beside what its sender
//! pays for the proof alone. It is the time that the kernel counts for each process, not that of a clock. Must never count
//! the work of one side as that of the other, nor a fake that was not stored.

#[expect(dead_code, reason = "the other benches use the rest of it")]
#[path = "../support/mod.rs"]
mod support;

use std::path::PathBuf;

use anyhow::{Context as _, Result, ensure};
use clap::Parser;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use support::http::{Connection, post};
use support::memory::ticks;
use support::panel::{log_in, make_password, save};
use support::person::{LastTurn, SHORT, finish, talk};
use support::server::{Installation, Server};

/// Above half of it within ten minutes a siege begins.
const EXPECTED_A_DAY: usize = 1_000;
/// Fakes that are measured, each from an address of its own.
const FAKES: usize = 300;
/// What is asked for at least: here no client and no load asks for more.
const BITS: u64 = 18;
/// How many times more a fake shall cost its sender.
const GOAL: f64 = 10.0;
/// Ticks in a second of processor time.
const TICKS: f64 = 100.0;

/// Measures the executable.
#[derive(Parser)]
struct Arguments {
    /// Executable to measure
    #[arg(long, default_value = env!("CARGO_BIN_EXE_segnalazioni"))]
    program: PathBuf,
    /// What `cargo bench` says to every bench
    #[arg(long, hide = true)]
    bench: bool,
}

/// Ticks of all fakes.
#[derive(Default)]
struct Cost {
    /// Of the server, until it has asked for each proof.
    talking: u64,
    /// Of the server, from then on.
    storing: u64,
    /// Of the sender, for the proofs alone.
    proving: u64,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
    let installation = Installation::new(&arguments.program, folder.path())?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let cost = runtime.block_on(measure(&installation));
    tell(&cost.with_context(|| format!("the program said: {}", installation.errors()))?);
    Ok(())
}

#[expect(clippy::print_stdout, reason = "this is the bench's output")]
#[expect(clippy::cast_precision_loss, reason = "counts of a bench are small")]
fn tell(cost: &Cost) {
    let each = |ticks: u64| ticks as f64 * 1_000.0 / TICKS / FAKES as f64;
    let (talking, storing, proving) = (each(cost.talking), each(cost.storing), each(cost.proving));
    let ratio = proving / (talking + storing);
    let verdict = if ratio >= GOAL { "met" } else { "falls short" };
    println!(
        "\na fake in a siege, processor time: its sender {proving:.1} ms for a proof of {BITS} bits, the server {talking:.2} ms \
         for the conversation and {storing:.2} ms for proof and report; {ratio:.1} : 1 (goal {GOAL} : 1: {verdict})"
    );
}

async fn measure(installation: &Installation) -> Result<Cost> {
    let server = besieged(installation).await?;
    let (mut cost, mut asked) = (Cost::default(), Vec::new());
    let begun = ticks(server.id())?;
    let mut connection = Connection::open(server.address).await?;
    for number in 0..FAKES {
        let LastTurn(last) = talk(&mut connection, number, SHORT).await?;
        let answer = connection.call(&sent_by(number, &last)).await?;
        ensure!(answer.status == 428, "{}", answer.head);
        let problem: Value = serde_json::from_slice(&answer.body)?;
        asked.push((last, problem["challenge"].clone()));
    }
    cost.talking = ticks(server.id())? - begun;
    let begun = ticks(std::process::id())?;
    let proved = asked
        .iter()
        .map(|(last, challenge)| with_proof(last, challenge));
    let proved = proved.collect::<Result<Vec<_>>>()?;
    cost.proving = ticks(std::process::id())? - begun;
    let begun = ticks(server.id())?;
    let mut connection = Connection::open(server.address).await?;
    for (number, request) in proved.iter().enumerate() {
        finish(&mut connection, &LastTurn(sent_by(number, request))).await?;
    }
    cost.storing = ticks(server.id())? - begun;
    Ok(cost)
}

/// A server behind a proxy, on which a siege has begun.
async fn besieged(installation: &Installation) -> Result<Server> {
    let password = make_password(installation)?;
    let mut command = installation.confined(installation.program());
    command.env("SEGNALAZIONI_TRUSTED_PROXIES", "127.0.0.1");
    let server = installation.serve(command)?;
    let (cookie, _) = log_in(server.address, &password).await?;
    let expected = json!({ "maxReportsPerDay": EXPECTED_A_DAY });
    save(server.address, &cookie, "security", &expected).await?;
    let mut connection = Connection::open(server.address).await?;
    for number in 0..=EXPECTED_A_DAY / 2 {
        let LastTurn(last) = talk(&mut connection, number, SHORT).await?;
        finish(&mut connection, &LastTurn(sent_by(number, &last))).await?;
    }
    Ok(server)
}

/// The request as the proxy passes it on from one of many addresses.
fn sent_by(number: usize, request: &[u8]) -> Vec<u8> {
    let address = format!(
        "\r\nx-forwarded-for: 10.0.{}.{}\r\n",
        number / 250,
        number % 250
    );
    let request = String::from_utf8_lossy(request);
    request.replacen("\r\n", &address, 1).into_bytes()
}

/// The same turn, with the proof that was asked for.
fn with_proof(last: &[u8], challenge: &Value) -> Result<Vec<u8>> {
    ensure!(challenge["bits"] == BITS, "{challenge}");
    let salt = challenge["salt"].as_str().context("no salt")?;
    let body = last.split(|byte| *byte == b'\n').next_back();
    let mut said: Value = serde_json::from_slice(body.context("no body")?)?;
    said["proof"] = json!({ "salt": salt, "n": solve(salt)? });
    Ok(post("/chat/turns", &said))
}

/// The number that proves the work, found as cheaply as this processor can: one block of SHA-256 for each that is tried.
fn solve(salt: &str) -> Result<u64> {
    let begun = Sha256::new_with_prefix(format!("{salt}:"));
    let mut digits = vec![b'0'];
    loop {
        let hash = begun.clone().chain_update(&digits).finalize();
        let [a, b, c, d, ..] = hash.as_slice() else {
            unreachable!("32 bytes")
        };
        if u64::from(u32::from_be_bytes([*a, *b, *c, *d]).leading_zeros()) >= BITS {
            return Ok(std::str::from_utf8(&digits)?.parse()?);
        }
        count_on(&mut digits);
    }
}

/// The next number, in decimal digits.
fn count_on(digits: &mut Vec<u8>) {
    for digit in digits.iter_mut().rev() {
        if *digit < b'9' {
            *digit += 1;
            return;
        }
        *digit = b'0';
    }
    digits.insert(0, b'1');
}
