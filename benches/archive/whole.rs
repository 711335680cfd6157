//! The whole archive as a CSV file: how long it takes, and whether the server's memory stays flat. Must never keep the file.

use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::figures::{Table, ms, number};
use super::support::http::{API, get};
use super::support::memory::{forget_high_water, high_water, resident};
use super::support::server::Server;
use super::{mib, seconds};

/// Room for what is read at once.
const READ: usize = 256 * 1024;

/// Loads it once; answers the seconds it took, and by how many MiB memory grew.
pub async fn measure(server: &Server, cookie: &str, reports: usize) -> Result<(f64, f64)> {
    let fields = format!("cookie: {cookie}\r\nconnection: close\r\n");
    let request = get(&format!("{API}/reports/export.csv"), &fields);
    forget_high_water(server.id())?;
    let before = resident(server.id())?;
    let begun = Instant::now();
    let mut stream = TcpStream::connect(server.address).await?;
    stream.write_all(&request).await?;
    let (mut piece, mut start, mut first, mut bytes) = (vec![0; READ], Vec::new(), None, 0);
    loop {
        let count = stream.read(&mut piece).await?;
        if count == 0 {
            break;
        }
        first.get_or_insert_with(|| begun.elapsed());
        if start.len() < READ {
            start.extend_from_slice(&piece[..count]);
        }
        bytes += u64::try_from(count)?;
    }
    let time = begun.elapsed();
    let start = String::from_utf8_lossy(&start);
    let rows = format!("x-total-rows: {reports}\r\n");
    ensure!(
        start.starts_with("HTTP/1.1 200 ") && start.contains(&rows),
        "not the whole archive: {start:.300}"
    );
    let grew = high_water(server.id())?.saturating_sub(before);
    let heads = ["first byte, ms", "time, s", "MiB", "memory grew by, MiB"];
    let mut table = Table::new("The archive as CSV", &heads);
    let cells = [
        format!("{:.1}", ms(first.context("no answer")?)),
        seconds(time),
        mib(bytes),
        mib(grew),
    ];
    table.row(&format!("{reports} reports"), cells);
    table.print();
    Ok((time.as_secs_f64(), number(grew) / 1024.0 / 1024.0))
}
