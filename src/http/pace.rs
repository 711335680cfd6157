//! The stream of one connection, whose client has to take what is written at a least rate (ASVS 15.2.2): one that asks and
//! reads a few bytes a second would else hold the socket and the answer for hours.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};

pub struct Paced<S> {
    stream: S,
    pace: Pace,
}

impl<S> Paced<S> {
    pub fn new(stream: S, pace: Pace) -> Self {
        Self { stream, pace }
    }
}

/// How fast what is written is taken.
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

    /// Notes the outcome of a write or a flush; `bytes` is the number that it reports as taken.
    fn track<T>(
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

impl<S: AsyncRead + Unpin> AsyncRead for Paced<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, into)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Paced<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.pace.track(context, written, |bytes| *bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, pieces);
        self.pace.track(context, written, |bytes| *bytes)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        self.pace.track(context, flushed, |()| 0)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let closed = Pin::new(&mut self.stream).poll_shutdown(context);
        self.pace.track(context, closed, |()| 0)
    }
}
