//! What people notice of it when the mail server hangs: the same conversations with three servers, two whose mail arrives, and
//! one whose mail server takes every connection and never says a word. Must never compare loads of different minutes, call a
//! mail server hanging or well that was not tried meanwhile, nor give a ratio without what the machine's noise alone makes of it.

use std::io::{self, BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use super::figures::{Figure, Latencies};
use super::gate::{Goal, Row};
use super::load::{self, Told};
use super::support::panel::{expect_a_flood, log_in, make_password, save};
use super::support::server::{Installation, Server};

/// People who talk at once: more than a newsroom ever has, and few enough that they wait for the server and not for each
/// other.
const CLIENTS: usize = 4;
/// How much worse the 99th of a hundred may fare.
const GOAL: Goal = Goal::AtMost(1.1);
/// Servers that are compared: mail that arrives, mail that arrives once more, mail that hangs.
const SERVERS: usize = 3;
/// Turns of slices a round.
const TURNS: usize = 12;
/// A slice is this part of what a load lasts elsewhere: whatever else the machine does soon meets every server.
const SLICES_A_SPAN: u32 = 4;

/// A mail server of this process.
struct MailServer {
    address: SocketAddr,
    /// Mails that it took, or connections that it left without a word.
    met: Arc<AtomicUsize>,
}

impl MailServer {
    /// One that does this with each connection, in a thread of its own. It ends with the process: there is nothing to tidy up.
    fn open(treat: fn(&TcpStream, &AtomicUsize) -> io::Result<()>) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let met = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&met);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let counted = Arc::clone(&counted);
                // A program that hangs up has nothing more to say.
                std::thread::spawn(move || drop(treat(&stream, &counted)));
            }
        });
        Ok(Self { address, met })
    }

    fn settings(&self) -> Value {
        json!({
            "emailAutoSend": true, "emailRecipient": "redazione@esempio.it", "emailFrom": "chat@esempio.it",
            "smtpHost": "127.0.0.1", "smtpPort": self.address.port(), "smtpSecure": false,
        })
    }
}

/// Keeps a connection in silence until the other side has had enough.
fn say_nothing(mut stream: &TcpStream, met: &AtomicUsize) -> io::Result<()> {
    met.fetch_add(1, Ordering::SeqCst);
    io::copy(&mut stream, &mut io::sink()).map(drop)
}

/// Takes whatever mail comes (RFC 5321).
fn take_mail(mut stream: &TcpStream, met: &AtomicUsize) -> io::Result<()> {
    let mut lines = BufReader::new(stream);
    stream.write_all(b"220 esempio.it\r\n")?;
    let (mut line, mut in_mail) = (Vec::new(), false);
    loop {
        line.clear();
        if lines.read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        let verb = line.get(..4).unwrap_or_default().to_ascii_uppercase();
        let answer: &[u8] = match (in_mail, verb.as_slice()) {
            (true, _) if line == b".\r\n" => {
                in_mail = false;
                met.fetch_add(1, Ordering::SeqCst);
                b"250 taken\r\n"
            }
            (true, _) => continue,
            (false, b"DATA") => {
                in_mail = true;
                b"354 go on\r\n"
            }
            (false, b"QUIT") => return stream.write_all(b"221 bye\r\n"),
            _ => b"250 fine\r\n",
        };
        stream.write_all(answer)?;
    }
}

/// What each server was told in one round.
type Block = [Vec<Told>; SERVERS];

/// Measures round by round, in slices: each server has one on the way there and one on the way back, and which of them is
/// first changes with each turn.
pub async fn measure(
    program: &Path,
    folder: &Path,
    rounds: usize,
    span: Duration,
) -> Result<Vec<Row>> {
    let (tarpit, letterbox) = (MailServer::open(say_nothing)?, MailServer::open(take_mail)?);
    let (arriving, _arriving) = serve(program, &folder.join("arriving"), &letterbox).await?;
    let (control, _control) = serve(program, &folder.join("control"), &letterbox).await?;
    let (hanging, _hanging) = serve(program, &folder.join("hanging"), &tarpit).await?;
    let servers: [SocketAddr; SERVERS] = [arriving, control, hanging];
    let mut found: [Figure; 4] = Default::default();
    for _ in 0..rounds.max(1) {
        let mut block = Block::default();
        for turn in 0..TURNS {
            let there = (0..SERVERS).map(|place| (place + turn) % SERVERS);
            for server in there.clone().chain(there.rev()) {
                let told = load::tell(servers[server], CLIENTS, span / SLICES_A_SPAN).await?;
                block[server].extend(told);
            }
        }
        let last = block.each_ref().map(|told| p99(told, |one| one.last));
        let whole = block.each_ref().map(|told| p99(told, |one| one.whole));
        for (figure, [arrives, again, hangs]) in found.chunks_mut(2).zip([last, whole]) {
            figure[0].push(hangs / arrives);
            figure[1].push(again / arrives);
        }
    }
    for (server, complaint) in [
        (&tarpit, "the mail server that hangs was never tried"),
        (&letterbox, "no mail has arrived"),
    ] {
        ensure!(server.met.load(Ordering::SeqCst) > 0, complaint);
    }
    let [last, last_noise, whole, whole_noise] = &found;
    let noise = "mail arrives against the same again (noise)";
    let hangs = "mail hangs against mail arrives";
    Ok(vec![
        Row::new(&format!("last turn, p99: {hangs}"), last, 3).shall(GOAL),
        Row::new(&format!("last turn, p99: {noise}"), last_noise, 3),
        Row::new(&format!("whole conversation, p99: {hangs}"), whole, 3).shall(GOAL),
        Row::new(&format!("whole conversation, p99: {noise}"), whole_noise, 3),
    ])
}

/// The time within which 99 of a hundred were done, in milliseconds.
fn p99(told: &[Told], time: fn(&Told) -> Duration) -> f64 {
    Latencies::new(told.iter().map(time).collect()).percentile_ms(99)
}

/// A server of its own that sends its mail there; it ends with its handle.
async fn serve(program: &Path, folder: &Path, mail: &MailServer) -> Result<(SocketAddr, Server)> {
    std::fs::create_dir(folder)?;
    let installation = Installation::new(program, folder)?;
    let password = make_password(&installation)?;
    let server = installation.start()?;
    let (cookie, _) = log_in(server.address, &password).await?;
    save(server.address, &cookie, "email", &mail.settings()).await?;
    expect_a_flood(server.address, &cookie).await?;
    Ok((server.address, server))
}
