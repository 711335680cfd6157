//! The whole archive as a CSV file: how long it takes, and whether the server's memory stays flat. Must never keep the file.

use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::figures::{Table, ms};
use super::support::http::{API, get};
use super::support::memory::{forget_high_water, high_water, resident};
use super::support::server::Server;
use super::{mib, seconds};

/// Room for what is read at once.
const READ: usize = 256 * 1024;

/// Loads it once.
pub async fn measure(server: &Server, cookie: &str, reports: usize) -> Result<()> {
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
    let peak = high_water(server.id())?;
    let heads = ["first byte, ms", "time, s", "MiB", "memory grew by, MiB"];
    let mut table = Table::new("The archive as CSV", &heads);
    let cells = [
        format!("{:.1}", ms(first.context("no answer")?)),
        seconds(time),
        mib(bytes),
        mib(peak.saturating_sub(before)),
    ];
    table.row(&format!("{reports} reports"), cells);
    table.print();
    Ok(())
}
