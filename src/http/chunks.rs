//! A body that is made while it travels: whoever makes it waits for whoever takes it, so memory stays flat.
//! Must never end like a whole one when its maker failed: the connection then breaks off, and the client sees it.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::Bytes;
use hyper::body::{Body, Frame};
use tokio::sync::mpsc::{Receiver, Sender, channel};

/// Chunks waiting to be taken.
const WAITING: usize = 4;

/// The end that travels.
pub struct Chunks {
    receiver: Receiver<io::Result<Bytes>>,
}

/// The end where chunks are put in.
pub struct Maker {
    sender: Sender<io::Result<Bytes>>,
}

/// A body and the end where it is made. The body ends when the maker is dropped.
pub fn chunks() -> (Maker, Chunks) {
    let (sender, receiver) = channel(WAITING);
    (Maker { sender }, Chunks { receiver })
}

impl Maker {
    /// Sends a chunk when there is room; `false` when nobody takes it any more.
    pub async fn send(&self, chunk: impl Into<Bytes>) -> bool {
        self.sender.send(Ok(chunk.into())).await.is_ok()
    }

    /// Breaks the body off.
    pub async fn fail(self) {
        let broken = io::Error::other("the body could not be made to its end");
        // Nobody takes it any more: then nobody needs to be told.
        let _ = self.sender.send(Err(broken)).await;
    }
}

impl Body for Chunks {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        let chunk = self.get_mut().receiver.poll_recv(context);
        chunk.map(|chunk| chunk.map(|chunk| chunk.map(Frame::data)))
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt;

    use super::*;

    #[tokio::test]
    async fn a_body_is_whole_or_broken_off() {
        let (maker, body) = chunks();
        let making = tokio::spawn(async move {
            for number in 0..20_u8 {
                assert!(maker.send(vec![number]).await);
            }
        });
        let whole = body.collect().await.unwrap().to_bytes();
        assert_eq!(whole, (0..20).collect::<Vec<u8>>());
        making.await.unwrap();

        let (maker, body) = chunks();
        tokio::spawn(async move {
            assert!(maker.send("half").await);
            maker.fail().await;
        });
        assert!(body.collect().await.is_err());
    }

    #[tokio::test]
    async fn the_maker_learns_that_nobody_listens() {
        let (maker, body) = chunks();
        drop(body);
        assert!(!maker.send("in vain").await);
    }
}
