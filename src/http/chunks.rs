//! A body that is made while it travels: whoever makes it waits for whoever takes it, so memory stays flat.
//! Must never end like a whole one when its maker failed or went away: the connection then breaks off, and the client
//! sees it.

use std::any::Any;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use axum::body::Bytes;
use hyper::body::{Body, Frame};
use tokio::sync::mpsc::{Receiver, Sender, channel};

/// What travels from the maker to the connection.
enum Chunk {
    Bytes(Bytes),
    /// The body is whole.
    End,
}

/// The end that travels.
pub struct Chunks {
    receiver: Receiver<Chunk>,
    whole: bool,
    /// Dropped with the body.
    held: Option<Box<dyn Any + Send>>,
}

/// The end where chunks are put in.
pub struct Maker {
    sender: Sender<Chunk>,
}

/// A body and the end where it is made; so many chunks may be ahead of whoever takes them. Unless [`Maker::end`] was
/// called, the body breaks off when the maker is dropped.
pub fn chunks(ahead: usize) -> (Maker, Chunks) {
    let (sender, receiver) = channel(ahead);
    let body = Chunks {
        receiver,
        whole: false,
        held: None,
    };
    (Maker { sender }, body)
}

impl Maker {
    /// Sends a chunk when there is room; `false` when nobody takes it any more.
    pub async fn send(&self, chunk: impl Into<Bytes>) -> bool {
        self.sender.send(Chunk::Bytes(chunk.into())).await.is_ok()
    }

    /// Says that the body is whole; `false` when nobody takes it any more.
    pub async fn end(&self) -> bool {
        self.sender.send(Chunk::End).await.is_ok()
    }
}

impl Chunks {
    /// Keeps something for as long as somebody takes the body.
    pub fn holding(mut self, held: impl Any + Send) -> Self {
        self.held = Some(Box::new(held));
        self
    }
}

impl Body for Chunks {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        if self.whole {
            return Poll::Ready(None);
        }
        Poll::Ready(match ready!(self.receiver.poll_recv(context)) {
            Some(Chunk::Bytes(bytes)) => Some(Ok(Frame::data(bytes))),
            Some(Chunk::End) => {
                self.whole = true;
                None
            }
            None => Some(Err(io::ErrorKind::UnexpectedEof.into())),
        })
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt;

    use super::*;

    #[tokio::test]
    async fn a_body_is_whole_or_broken_off() {
        let (maker, body) = chunks(4);
        let making = tokio::spawn(async move {
            for number in 0..20_u8 {
                assert!(maker.send(vec![number]).await);
            }
            assert!(maker.end().await);
        });
        let whole = body.collect().await.unwrap().to_bytes();
        assert_eq!(whole, (0..20).collect::<Vec<u8>>());
        making.await.unwrap();

        let (maker, body) = chunks(4);
        tokio::spawn(async move {
            assert!(maker.send("half").await);
        });
        assert!(body.collect().await.is_err());
    }

    #[tokio::test]
    async fn the_maker_learns_that_nobody_listens() {
        let (maker, body) = chunks(4);
        drop(body);
        assert!(!maker.send("in vain").await);
    }
}
