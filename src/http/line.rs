//! The stream of one connection as the HTTP library sees it. Reading, a line of a head that ends in a bare line feed, where two
//! programs may see different lines, is refused (ASVS 4.2.1). Writing, whoever takes less than a least rate is let go (ASVS
//! 15.2.2): who asks and reads a few bytes a second would else hold the socket and the answer for hours.
//! Must never change a byte of a body, nor count time in which nothing waited.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use memchr::memchr;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};

use super::sockets::Socket;

/// The head is over, and the library has not yet said how long the body is.
const UNKNOWN: u64 = u64::MAX;
/// The body has no length: what follows it on the same connection is not read as a head.
pub const ENDLESS: u64 = u64::MAX - 1;
/// No head may hold it: the library answers 400.
const FORBIDDEN: u8 = 0;

pub struct Line<S> {
    stream: S,
    socket: Arc<Socket>,
    head: Head,
    /// What came behind a head, until it is known what it is.
    behind: Vec<u8>,
    pace: Pace,
}

impl<S> Line<S> {
    pub fn new(stream: S, socket: Arc<Socket>, pace: Pace) -> Self {
        Self {
            stream,
            socket,
            head: Head::default(),
            behind: Vec::new(),
            pace,
        }
    }

    /// Looks at what was read; answers how much of it may go on.
    fn look(&mut self, fresh: &mut [u8]) -> usize {
        let left = self.socket.body();
        let body = usize::try_from(left).map_or(fresh.len(), |left| left.min(fresh.len()));
        self.socket.set_body(left - body as u64);
        let head = self.head.look(&mut fresh[body..]);
        if self.head.over {
            self.head = Head::default();
            self.socket.set_body(UNKNOWN);
        }
        body + head
    }
}

/// How far a head has come.
#[derive(Default)]
struct Head {
    /// Bytes of the present line.
    line: usize,
    last: u8,
    begun: bool,
    over: bool,
}

impl Head {
    /// Looks at what came; answers where the head ends.
    fn look(&mut self, bytes: &mut [u8]) -> usize {
        let mut start = 0;
        while let Some(length) = memchr(b'\n', &bytes[start..]) {
            let end = start + length;
            let before = end.checked_sub(1).map_or(self.last, |before| bytes[before]);
            if before != b'\r' {
                bytes[end] = FORBIDDEN;
                return bytes.len();
            }
            let empty = self.line + length == 1;
            (self.line, start) = (0, end + 1);
            self.over = empty && self.begun;
            if self.over {
                return start;
            }
            // Empty lines before the first are nothing.
            self.begun |= !empty;
        }
        self.line += bytes.len() - start;
        self.last = bytes.last().copied().unwrap_or(self.last);
        bytes.len()
    }
}

/// How what is written is taken.
pub struct Pace {
    /// How long it may wait, until `least` bytes were taken.
    stall: Duration,
    least: usize,
    timer: Pin<Box<Sleep>>,
    /// Since when it waits.
    since: Option<Instant>,
    waited: Duration,
    taken: usize,
}

impl Pace {
    pub fn new(stall: Duration, least: usize) -> Self {
        Self {
            stall,
            least,
            timer: Box::pin(sleep(stall)),
            since: None,
            waited: Duration::ZERO,
            taken: 0,
        }
    }

    /// What became of a try to write, or to flush; `bytes` are those that it says were taken.
    fn keep<T>(
        &mut self,
        context: &mut Context<'_>,
        tried: Poll<io::Result<T>>,
        bytes: fn(&T) -> usize,
    ) -> Poll<io::Result<T>> {
        if let Poll::Ready(done) = tried {
            let since = self.since.take();
            self.waited += since.map_or(Duration::ZERO, |since| since.elapsed());
            self.taken += done.as_ref().map_or(0, bytes);
            if self.taken >= self.least {
                (self.waited, self.taken) = (Duration::ZERO, 0);
            }
            return Poll::Ready(done);
        }
        if self.since.is_none() {
            let now = Instant::now();
            self.since = Some(now);
            let rest = self.stall.saturating_sub(self.waited);
            self.timer.as_mut().reset(now + rest);
        }
        ready!(self.timer.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Line<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        if this.socket.body() == UNKNOWN {
            // The library has a whole head to go on with; it asks again behind it.
            return Poll::Pending;
        }
        let before = into.filled().len();
        if this.behind.is_empty() {
            ready!(Pin::new(&mut this.stream).poll_read(context, into))?;
        } else {
            let fits = this.behind.len().min(into.remaining());
            into.put_slice(&this.behind[..fits]);
            this.behind.drain(..fits);
        }
        let fresh = &mut into.filled_mut()[before..];
        let goes_on = this.look(fresh);
        this.behind.splice(..0, fresh[goes_on..].iter().copied());
        into.set_filled(before + goes_on);
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Line<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.pace.keep(context, written, |bytes| *bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, pieces);
        self.pace.keep(context, written, |bytes| *bytes)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        self.pace.keep(context, flushed, |()| 0)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let closed = Pin::new(&mut self.stream).poll_shutdown(context);
        self.pace.keep(context, closed, |()| 0)
    }
}
