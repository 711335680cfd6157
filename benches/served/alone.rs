//! The executable by itself: how big it is, how soon it answers, and what it holds at rest. Must never warm anything up: each
//! start in a fresh folder is the first of that folder.

use std::fs;
use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

use super::pocketbase::PocketBase;
use super::support::client::{API, Connection, get};
use super::support::figures::{Figure, Row, mib, ms, number};
use super::support::machine::resident;
use super::support::server::{Installation, Server};

/// Starts in each round.
const STARTS: usize = 3;
/// How long a program rests before its memory is read: each timed job has begun by then.
const REST: Duration = Duration::from_secs(6);

/// The executable in an empty folder and on an archive, and what is measured beside it, turn by turn.
pub struct Subjects<'a> {
    pub fresh: &'a Installation,
    pub archive: &'a Installation,
    pub before: Option<&'a Installation>,
    pub pocketbase: Option<&'a PocketBase>,
}

pub fn measure(subjects: &Subjects<'_>, rounds: usize) -> Result<Vec<Row>> {
    let [
        mut bare,
        mut cold,
        mut warm,
        mut cold_before,
        mut other_cold,
        mut other_warm,
    ] = <[Figure; 6]>::default();
    for _ in 0..rounds * STARTS {
        bare.push(run_bare(subjects.fresh)?);
        cold.push(start_in_fresh_folder(subjects.fresh)?);
        warm.push(start(subjects.archive)?);
        if let Some(before) = subjects.before {
            cold_before.push(start_in_fresh_folder(before)?);
        }
        if let Some(pocketbase) = subjects.pocketbase {
            pocketbase.forget()?;
            other_cold.push(start_pocketbase(pocketbase)?);
            other_warm.push(start_pocketbase(pocketbase)?);
        }
    }
    let idle = at_rest(&subjects.fresh.start()?)?;
    let mut rows = vec![
        Row::new("start with 10,000 reports, ms", &warm, 1).most(6.0),
        Row::new("start in a fresh folder, ms", &cold, 1).most(10.0),
        Row::new("`--version` to its end, ms", &bare, 1),
        Row::new("PocketBase: second start, ms", &other_warm, 1),
        Row::new("PocketBase: start in a fresh folder, ms", &other_cold, 1),
        Row::new("idle memory, MiB", &Figure::of(idle), 1).most(16.0),
        Row::new("executable, MB", &size(subjects.fresh)?, 1).most(15.0),
    ];
    if let Some(before) = subjects.before {
        let start = cold_before.median() / cold.median();
        let memory = at_rest(&before.start()?)? / idle;
        for (title, ratio) in [("start", start), ("idle memory", memory)] {
            let title = format!("before against now: {title} in a fresh folder");
            rows.push(Row::new(&title, &Figure::of(ratio), 3).least(0.95));
        }
    }
    if let Some(pocketbase) = subjects.pocketbase {
        let idle = Figure::of(at_rest(&pocketbase.start()?)?);
        rows.push(Row::new("PocketBase: idle memory, MiB", &idle, 1));
    }
    Ok(rows)
}

fn size(installation: &Installation) -> Result<Figure> {
    let bytes = fs::metadata(installation.program())?.len();
    Ok(Figure::of(number(bytes) / 1e6))
}

/// Resident memory in MiB.
fn at_rest(server: &Server) -> Result<f64> {
    sleep(REST);
    Ok(mib(resident(server.id())?))
}

/// The uncompressed public page, of a folder that is then removed.
pub fn page(installation: &Installation) -> Result<Vec<u8>> {
    let server = installation.start()?;
    let page = Connection::open(server.address)?.call(&get("/paibeta/", ""))?;
    ensure!(page.status == 200, "{}", page.head);
    server.stop()?;
    fs::remove_dir_all(installation.data())?;
    Ok(page.body)
}

/// What starting any process of this size costs, in milliseconds.
fn run_bare(installation: &Installation) -> Result<f64> {
    let begun = Instant::now();
    let mut command = installation.confined(installation.program());
    let status = command.arg("--version").stdout(Stdio::null()).status()?;
    ensure!(status.success(), "--version failed");
    Ok(ms(begun.elapsed()))
}

/// From the start to the first good answer, in milliseconds.
fn start(installation: &Installation) -> Result<f64> {
    let begun = Instant::now();
    let server = installation.start()?;
    let elapsed = first_answer(&server, &format!("{API}/status"), begun)?;
    server.stop()?;
    Ok(elapsed)
}

fn start_in_fresh_folder(installation: &Installation) -> Result<f64> {
    let elapsed = start(installation)?;
    fs::remove_dir_all(installation.data())?;
    Ok(elapsed)
}

fn start_pocketbase(pocketbase: &PocketBase) -> Result<f64> {
    let begun = Instant::now();
    first_answer(&pocketbase.start()?, "/api/health", begun)
}

fn first_answer(server: &Server, path: &str, begun: Instant) -> Result<f64> {
    let answer = Connection::open(server.address)?.call(&get(path, ""))?;
    let elapsed = begun.elapsed();
    ensure!(answer.status == 200, "{}", answer.head);
    Ok(ms(elapsed))
}
