//! Lines on their way to stderr or stdout. Its reader may stop reading (a pipe, a terminal after Ctrl-S), and a write would then wait for it:
//! a thread of its own does that, and lines that find no room meanwhile are counted.
//! Must never hold up the thread that logs.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

/// Room for lines that wait, in bytes: some 1,500.
const ROOM: usize = 256 * 1024;
/// How long the end of the program waits for the reader.
const PATIENCE: Duration = Duration::from_secs(2);

pub(super) struct Lines {
    waiting: Mutex<Unwritten>,
    changed: Condvar,
}

#[derive(Default)]
struct Unwritten {
    lines: VecDeque<Vec<u8>>,
    bytes: usize,
    is_writing: bool,
    dropped: u64,
}

impl Lines {
    /// Begins to write to `out`; `tell` says there how many lines were dropped.
    pub(super) fn start(
        mut out: impl Write + Send + 'static,
        tell: impl Fn(u64) + Send + 'static,
    ) -> io::Result<Arc<Self>> {
        let lines = Arc::new(Self {
            waiting: Mutex::default(),
            changed: Condvar::new(),
        });
        let written = Arc::clone(&lines);
        let write = move || {
            loop {
                let line = written.next();
                let is_taken = out.write_all(&line).and_then(|()| out.flush()).is_ok();
                if let Some(dropped) = written.dropped_before(is_taken) {
                    tell(dropped);
                }
                written.finish();
            }
        };
        std::thread::Builder::new()
            .name("log".to_owned())
            .spawn(write)?;
        Ok(lines)
    }

    pub(super) fn push(&self, line: &[u8]) {
        let mut waiting = self.waiting.lock();
        if waiting.bytes + line.len() > ROOM {
            waiting.dropped += 1;
            return;
        }
        waiting.bytes += line.len();
        waiting.lines.push_back(line.to_owned());
        self.changed.notify_all();
    }

    /// Waits until all is written, for a while.
    pub(super) fn flush(&self) {
        let end = Instant::now() + PATIENCE;
        let mut waiting = self.waiting.lock();
        while waiting.is_writing || !waiting.lines.is_empty() {
            if self.changed.wait_until(&mut waiting, end).timed_out() {
                return;
            }
        }
    }

    fn next(&self) -> Vec<u8> {
        let mut waiting = self.waiting.lock();
        loop {
            if let Some(line) = waiting.lines.pop_front() {
                waiting.bytes -= line.len();
                waiting.is_writing = true;
                return line;
            }
            self.changed.wait(&mut waiting);
        }
    }

    /// How many lines were dropped, as soon as the reader has caught up by half; it may stop again.
    fn dropped_before(&self, is_taken: bool) -> Option<u64> {
        let mut waiting = self.waiting.lock();
        waiting.dropped += u64::from(!is_taken);
        let is_due = is_taken && waiting.dropped > 0 && waiting.bytes <= ROOM / 2;
        is_due.then(|| std::mem::take(&mut waiting.dropped))
    }

    fn finish(&self) {
        self.waiting.lock().is_writing = false;
        self.changed.notify_all();
    }
}
