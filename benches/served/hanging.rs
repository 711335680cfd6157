//! What people notice of it when the mail server hangs: the same conversations with four servers, two that send no mail, one
//! whose mail arrives, and one whose mail server takes every connection and never says a word. Must never compare loads of
//! different minutes, call a mail server hanging or well that was not tried meanwhile, nor give a ratio without what the
//! machine's noise alone makes of it.

use std::io::{self, BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use super::figures::{Table, ms, say};
use super::load::{self, Told};
use super::support::http::{API, Connection};
use super::support::panel::{log_in, make_password};
use super::support::server::{Installation, Server};

/// People who talk at once: more than a newsroom ever has, and few enough that they wait for the server and not for each
/// other.
const CLIENTS: usize = 4;
/// How much worse the 99th of a hundred may fare (the goal).
const GOAL: &str = "<= 1.10";
/// Servers that are compared: no mail, no mail once more, mail that arrives, mail that hangs.
const SERVERS: usize = 4;
const QUIET: usize = 0;
const CONTROL: usize = 1;
const ARRIVING: usize = 2;
const HANGING: usize = 3;
/// Blocks of slices a round.
const BLOCKS: usize = 12;
/// A slice is this part of what a load lasts elsewhere: whatever else the machine does soon meets every server.
const SLICES_A_SPAN: u32 = 4;
/// How often blocks are drawn anew for an interval.
const DRAWS: usize = 1_000;

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

/// What each server made of one block: two slices with each of them.
type Block = [Vec<Told>; SERVERS];

/// Measures block by block. Within one each server has a slice on the way there and one on the way back, and which of them is
/// first changes with each block.
pub async fn measure(program: &Path, folder: &Path, rounds: usize, span: Duration) -> Result<()> {
    let (tarpit, letterbox) = (MailServer::open(say_nothing)?, MailServer::open(take_mail)?);
    let none = json!({ "emailAutoSend": false });
    let (quiet, _quiet) = serve(program, &folder.join("quiet"), &none).await?;
    let (control, _control) = serve(program, &folder.join("control"), &none).await?;
    let (arriving, _arriving) =
        serve(program, &folder.join("arriving"), &letterbox.settings()).await?;
    let (hanging, _hanging) = serve(program, &folder.join("hanging"), &tarpit.settings()).await?;
    let servers: [SocketAddr; SERVERS] = [quiet, control, arriving, hanging];
    let mut blocks = Vec::new();
    for number in 0..rounds.max(1) * BLOCKS {
        let mut block = Block::default();
        let there = (0..SERVERS).map(|place| (place + number) % SERVERS);
        for server in there.clone().chain(there.rev()) {
            let told = load::tell(servers[server], CLIENTS, span / SLICES_A_SPAN).await?;
            block[server].extend(told);
        }
        blocks.push(block);
    }
    for (server, complaint) in [
        (&tarpit, "the mail server that hangs was never tried"),
        (&letterbox, "no mail has arrived"),
    ] {
        ensure!(server.met.load(Ordering::SeqCst) > 0, complaint);
    }
    print(&blocks);
    Ok(())
}

/// The time within which `share` percent of a server's conversations were done, in all these blocks together; ms.
fn pooled(blocks: &[&Block], server: usize, share: usize, time: fn(&Told) -> Duration) -> f64 {
    let told = blocks.iter().flat_map(|block| &block[server]);
    let mut times: Vec<Duration> = told.map(time).collect();
    let at = (times.len() * share / 100).min(times.len().saturating_sub(1));
    if times.is_empty() {
        return f64::NAN;
    }
    ms(*times.select_nth_unstable(at).1)
}

/// How a server compares with another one, and within what 95 of a hundred draws of as many blocks (with
/// replacement) lie: the bootstrap's percentile interval. Draws are the same in every run.
fn ratio(
    blocks: &[Block],
    (server, other): (usize, usize),
    share: usize,
    time: fn(&Told) -> Duration,
) -> String {
    let of = |blocks: &[&Block]| {
        pooled(blocks, server, share, time) / pooled(blocks, other, share, time)
    };
    let mut chance = Chance(1);
    let mut drawn: Vec<f64> = (0..DRAWS)
        .map(|_| {
            let draw = || &blocks[chance.below(blocks.len())];
            of(&std::iter::repeat_with(draw)
                .take(blocks.len())
                .collect::<Vec<_>>())
        })
        .collect();
    drawn.sort_by(f64::total_cmp);
    let (low, high) = (drawn[DRAWS * 25 / 1_000], drawn[DRAWS * 975 / 1_000 - 1]);
    let all = of(&blocks.iter().collect::<Vec<_>>());
    format!("{all:.2} ({low:.2} to {high:.2})")
}

/// Numbers that look like chance and are the same in every run (`SplitMix64`).
struct Chance(u64);

impl Chance {
    /// One from 0 to below `limit`.
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let wide = u128::from(mixed ^ (mixed >> 31)) * limit as u128;
        usize::try_from(wide >> 64).unwrap_or(0)
    }
}

fn print(blocks: &[Block]) {
    let heads = [
        "no mail",
        "no mail, again",
        "mail arrives",
        "mail hangs",
        "noise alone: again / no mail (95 %)",
        "mail arrives / no mail (95 %)",
        "mail hangs / arrives (95 %)",
        "goal of the last",
    ];
    let title = format!("Chat while mail hangs, c={CLIENTS}, all slices together");
    let mut table = Table::new(&title, &heads);
    let all: Vec<&Block> = blocks.iter().collect();
    let mut row = |title: &str, goal: &str, share, time: fn(&Told) -> Duration| {
        let times = [QUIET, CONTROL, ARRIVING, HANGING]
            .map(|server| format!("{:.2}", pooled(&all, server, share, time)));
        let ratios = [(CONTROL, QUIET), (ARRIVING, QUIET), (HANGING, ARRIVING)]
            .map(|pair| ratio(blocks, pair, share, time));
        table.row(
            title,
            times.into_iter().chain(ratios).chain([goal.to_owned()]),
        );
    };
    row("last turn, p50, ms", "", 50, |told| told.last);
    row("last turn, p99, ms", GOAL, 99, |told| told.last);
    row("whole conversation, p50, ms", "", 50, |told| told.whole);
    row("whole conversation, p99, ms", GOAL, 99, |told| told.whole);
    table.print();
    let told = [QUIET, CONTROL, ARRIVING, HANGING].map(|server| {
        all.iter()
            .map(|block| block[server].len())
            .sum::<usize>()
            .to_string()
    });
    say("");
    say(&format!(
        "conversations: {}; slices with each server: {}",
        told.join(", "),
        2 * blocks.len()
    ));
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
