//! The executable by itself: how big it is, how soon it answers, and what it holds while nobody asks. Must never warm
//! anything up: each start in a fresh folder is the first of that folder.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

use super::figures::{Figure, ms, number};
use super::gate::{Goal, Row};
use super::peers::PocketBase;
use super::support::http::{API, Connection, get};
use super::support::memory::resident;
use super::support::server::{Installation, Server};

/// Starts in each round.
const STARTS: usize = 3;
/// How long a program rests before its memory is read.
const REST: Duration = Duration::from_secs(1);

/// Measures all of it; `PocketBase`, where it could be had, turn by turn with the executable.
pub async fn measure(
    installation: &Installation,
    archive: &Installation,
    pocketbase: Option<&PocketBase>,
    rounds: usize,
) -> Result<Vec<Row>> {
    let mut starts: [Figure; 5] = Default::default();
    let [bare, cold, warm, other_cold, other_warm] = &mut starts;
    for _ in 0..rounds * STARTS {
        bare.push(ms(run_bare(installation)?));
        cold.push(start(installation).await?);
        fs::remove_dir_all(installation.data())?;
        warm.push(start(archive).await?);
        if let Some(pocketbase) = pocketbase {
            pocketbase.forget()?;
            other_cold.push(start_other(pocketbase).await?);
            other_warm.push(start_other(pocketbase).await?);
        }
    }
    let [mut size, mut idle, mut other] = <[Figure; 3]>::default();
    size.push(number(fs::metadata(installation.program())?.len()) / 1e6);
    let server = installation.start()?;
    idle.push(at_rest(&server).await?);
    server.stop()?;
    if let Some(pocketbase) = pocketbase {
        other.push(at_rest(&pocketbase.start()?).await?);
    }
    let [bare, cold, warm, other_cold, other_warm] = starts;
    Ok(vec![
        Row::new("start with 10,000 reports, ms", &warm, 1).shall(Goal::AtMost(6.0)),
        Row::new("start in a fresh folder, ms", &cold, 1).shall(Goal::AtMost(10.0)),
        Row::new("`--version` to its end, ms", &bare, 1),
        Row::new("PocketBase: second start, ms", &other_warm, 1),
        Row::new("PocketBase: start in a fresh folder, ms", &other_cold, 1),
        Row::new("idle memory, MiB", &idle, 1).shall(Goal::AtMost(16.0)),
        Row::new("PocketBase: idle memory, MiB", &other, 1),
        Row::new("executable, MB", &size, 1).shall(Goal::AtMost(15.0)),
    ])
}

/// Resident memory in MiB while nobody asks.
async fn at_rest(server: &Server) -> Result<f64> {
    tokio::time::sleep(REST).await;
    Ok(number(resident(server.id())?) / 1024.0 / 1024.0)
}

/// What the executable says of its version and commit.
pub fn version(program: &Path) -> Result<String> {
    let output = Command::new(program).arg("--version").output()?;
    Ok(String::from_utf8(output.stdout)?.trim().to_owned())
}

/// The public page, uncompressed, of a folder that is then forgotten.
pub async fn page(installation: &Installation) -> Result<Vec<u8>> {
    let server = installation.start()?;
    let mut connection = Connection::open(server.address).await?;
    let page = connection.call(&get("/paibeta/", "")).await?;
    ensure!(page.status == 200, "{}", page.head);
    server.stop()?;
    fs::remove_dir_all(installation.data())?;
    Ok(page.body)
}

/// What starting any process of this size costs.
fn run_bare(installation: &Installation) -> Result<Duration> {
    let begun = Instant::now();
    let mut command = installation.confined(installation.program());
    let status = command.arg("--version").stdout(Stdio::null()).status()?;
    ensure!(status.success(), "--version failed");
    Ok(begun.elapsed())
}

/// From the start to the first good answer, in milliseconds.
async fn start(installation: &Installation) -> Result<f64> {
    let begun = Instant::now();
    let server = installation.start()?;
    let elapsed = answered(&server, &format!("{API}/status"), begun).await?;
    server.stop()?;
    Ok(elapsed)
}

async fn start_other(pocketbase: &PocketBase) -> Result<f64> {
    let begun = Instant::now();
    answered(&pocketbase.start()?, "/api/health", begun).await
}

async fn answered(server: &Server, path: &str, begun: Instant) -> Result<f64> {
    let mut connection = Connection::open(server.address).await?;
    let answer = connection.call(&get(path, "")).await?;
    let elapsed = begun.elapsed();
    ensure!(answer.status == 200, "{}", answer.head);
    Ok(ms(elapsed))
}
