//! The panel on an archive at rest: pages of the list under each kind of filter, and all reports as a CSV file.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

use super::row;
use super::support::client::{API, Session, get};
use super::support::figures::{Figure, Latencies, Row, mib};
use super::support::hello;
use super::support::load::{Load, run};
use super::support::machine::{forget_high_water, high_water, resident};
use super::support::server::Server;

/// Clients of the newest fifty, and of the bare hello beside them.
const CLIENTS: usize = 8;
/// Fewest requests of a kind, however long they take.
const FEWEST: usize = 3;
/// Bytes of a file that are read at once.
const READ: usize = 256 * 1024;
/// The longest p99 of a page without a search of accounts, in ms.
const PAGE: f64 = 50.0;
/// Kinds of pages, each with its query, in which `{}` is the middle of the archive.
const KINDS: [(&str, &str); 9] = [
    ("no filter, first page", ""),
    ("no filter, in the middle", "cursor=p{}"),
    ("department and status", "department=sanita&stato=Nuova"),
    (
        "month, department, status",
        "period=month&department=lavoro&stato=Nuova",
    ),
    (
        "contact: everywhere but in that status",
        "search=anna&stato=Risolta&cursor=p1000",
    ),
    ("contact: oldest report alone", "search=persona17@"),
    ("contact: nowhere, two letters", "search=zq"),
    ("accounts: nowhere", "search=wxyz&inText=true"),
    (
        "accounts: oldest report alone",
        "search=racconto%2017:%20persona17@&inText=true",
    ),
];

/// The machine's pace: answers a second of the bare hello.
pub fn bare_hello(span: Duration) -> Result<f64> {
    let bare = hello::start()?;
    Ok(hello::measure(bare.address, CLIENTS, span)?.rate)
}

pub fn measure(
    server: &Server,
    session: &mut Session,
    reports: usize,
    span: Duration,
    pace: &mut Figure,
) -> Result<Vec<Row>> {
    let hello = bare_hello(span)?;
    pace.push(hello);
    let list = get(&format!("{API}/reports?limit=50"), &session.cookie);
    let list = Load::repeated(vec![list], br#""id":""#);
    let listed = run(server.address, CLIENTS, &list, span)?;
    let mut rows = vec![row("newest 50, c=8: share of H", listed.rate / hello, 3).least(0.06)];
    for (title, query) in KINDS {
        let times = ask_for_pages(
            session,
            &query.replace("{}", &(reports / 2).to_string()),
            span,
        )?;
        let [p50, p99] = [50, 99].map(|share| times.percentile_ms(share));
        let p50_row = row(&format!("{title}: p50, ms"), p50, 2);
        if title.starts_with("accounts") {
            rows.push(p50_row.most(300.0));
        } else {
            let p99_row = row(&format!("{title}: p99, ms"), p99, 2);
            rows.extend([p50_row, p99_row.most(PAGE)]);
        }
    }
    rows.extend(as_csv(server, session, reports)?);
    Ok(rows)
}

fn ask_for_pages(session: &mut Session, query: &str, span: Duration) -> Result<Latencies> {
    let (mut times, begun) = (Vec::new(), Instant::now());
    while times.len() < FEWEST || begun.elapsed() < span {
        let sent = Instant::now();
        let answer = session.get(&format!("/reports?limit=50&{query}"))?;
        times.push(sent.elapsed());
        answer.json()?;
    }
    Ok(Latencies::new(times))
}

/// The whole archive as a file, of which only the beginning is kept.
fn as_csv(server: &Server, session: &Session, reports: usize) -> Result<[Row; 2]> {
    let fields = format!("{}connection: close\r\n", session.cookie);
    forget_high_water(server.id())?;
    let before = resident(server.id())?;
    let begun = Instant::now();
    let mut stream = TcpStream::connect(server.address)?;
    stream.write_all(&get(&format!("{API}/reports/export.csv"), &fields))?;
    let (mut piece, mut start) = (vec![0; READ], Vec::new());
    loop {
        let count = stream.read(&mut piece)?;
        if count == 0 {
            break;
        }
        if start.len() < READ {
            start.extend_from_slice(&piece[..count]);
        }
    }
    let time = begun.elapsed().as_secs_f64();
    let start = String::from_utf8_lossy(&start);
    let whole = start.starts_with("HTTP/1.1 200 ")
        && start.contains(&format!("x-total-rows: {reports}\r\n"));
    ensure!(whole, "not the whole archive: {start:.300}");
    let grew = high_water(server.id())?.saturating_sub(before);
    Ok([
        row("all as CSV, s", time, 2).most(3.5),
        row("memory while all go out as CSV, grown by MiB", mib(grew), 1).most(8.0),
    ])
}
