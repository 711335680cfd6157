//! A socket whose other end must take what is written at a least rate, or is let go (ASVS 15.2.2): whoever asks and reads a few
//! bytes a second would else hold the socket and the answer for hours. Must never count time in which nothing waited.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep, sleep};

pub struct Paced {
    stream: TcpStream,
    /// How long what is written may wait, until `least` bytes were taken.
    stall: Duration,
    least: usize,
    timer: Pin<Box<Sleep>>,
    /// Since when it waits.
    since: Option<Instant>,
    waited: Duration,
    taken: usize,
}

impl Paced {
    pub fn new(stream: TcpStream, stall: Duration, least: usize) -> Self {
        Self {
            stream,
            stall,
            least,
            timer: Box::pin(sleep(stall)),
            since: None,
            waited: Duration::ZERO,
            taken: 0,
        }
    }

    fn keep(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        if let Poll::Ready(written) = written {
            let since = self.since.take();
            self.waited += since.map_or(Duration::ZERO, |since| since.elapsed());
            self.taken += written.as_ref().map_or(0, |bytes| *bytes);
            if self.taken >= self.least {
                (self.waited, self.taken) = (Duration::ZERO, 0);
            }
            return Poll::Ready(written);
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

impl AsyncRead for Paced {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, into)
    }
}

impl AsyncWrite for Paced {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.keep(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, pieces);
        self.keep(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
