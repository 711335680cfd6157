//! A body that is made while it travels: its maker waits for the client, so memory stays flat.
//! Must never end like a whole one when its maker failed: the connection then breaks off.

use std::io::{self, ErrorKind, Write};
use std::time::Duration;

use axum::body::{Body, Bytes};
use tokio::runtime::Handle;
use tokio::sync::mpsc::{Sender, channel};
use tokio::time::{Instant, timeout_at};
use tokio_stream::wrappers::ReceiverStream;
use tokio_stream::{StreamExt as _, once};

use super::problem::{ApiError, ApiResult};

/// The sending end: `None` says that the body is whole. Sending fails once the client is gone.
pub type Maker = Sender<Option<Bytes>>;

/// A body and its sending end, at most so many chunks ahead of the client. `held` is kept until the body is dropped.
pub fn chunks(ahead: usize, held: impl Send + 'static) -> (Maker, Body) {
    let (maker, chunks) = channel::<Option<Bytes>>(ahead);
    let broken_off = once(Err(io::Error::from(io::ErrorKind::UnexpectedEof)));
    let chunks = ReceiverStream::new(chunks)
        .map(Ok)
        .chain(broken_off)
        .take_while(|chunk| !matches!(chunk, Ok(None)))
        .map(move |chunk| {
            let _ = &held;
            chunk.map(Option::unwrap_or_default)
        });
    (maker, Body::from_stream(chunks))
}

/// The sending end for a thread, which waits for a slow client until a deadline.
pub struct Outlet {
    runtime: Handle,
    deadline: Instant,
    maker: Maker,
}

impl Outlet {
    pub fn open_for(longest: Duration, maker: Maker) -> Self {
        Self {
            runtime: Handle::current(),
            deadline: Instant::now() + longest,
            maker,
        }
    }

    /// Fails once the client is gone, or after the deadline.
    pub fn send(&mut self, chunk: Option<Bytes>) -> ApiResult<()> {
        let sending = async { timeout_at(self.deadline, self.maker.send(chunk)).await };
        match self.runtime.block_on(sending) {
            Ok(Ok(())) => Ok(()),
            _ => Err(ApiError::busy()),
        }
    }

    /// Whether the client is gone.
    pub fn is_closed(&self) -> bool {
        self.maker.is_closed()
    }
}

impl Write for Outlet {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let sent = self.send(Some(Bytes::copy_from_slice(bytes)));
        sent.map_err(|_| ErrorKind::TimedOut)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt;

    use super::*;

    #[tokio::test]
    async fn a_body_is_whole_or_broken_off() {
        let (maker, body) = chunks(4, ());
        let making = tokio::spawn(async move {
            for number in 0..20_u8 {
                maker.send(Some(vec![number].into())).await.unwrap();
            }
            maker.send(None).await.unwrap();
        });
        let whole = body.collect().await.unwrap().to_bytes();
        assert_eq!(whole, (0..20).collect::<Vec<u8>>());
        making.await.unwrap();

        let (maker, body) = chunks(4, ());
        tokio::spawn(async move { maker.send(Some("half".into())).await });
        assert!(body.collect().await.is_err());
    }

    #[test]
    fn a_client_that_takes_nothing_is_waited_for_only_so_long() {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()
            .unwrap();
        let _inside = runtime.enter();
        let (maker, taken) = chunks(8, ());
        let mut outlet = Outlet::open_for(Duration::from_millis(20), maker);
        for _ in 0..8 {
            assert!(outlet.send(Some(Bytes::new())).is_ok(), "there is room");
        }
        let waited = outlet.write(b"more").unwrap_err();
        assert_eq!(waited.kind(), ErrorKind::TimedOut);
        assert!(!outlet.is_closed());
        drop(taken);
        assert!(outlet.send(None).is_err() && outlet.is_closed());
    }

    #[tokio::test]
    async fn the_maker_learns_that_nobody_listens() {
        let (maker, body) = chunks(4, ());
        drop(body);
        assert!(maker.send(Some("in vain".into())).await.is_err());
    }
}
