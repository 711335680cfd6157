//! A body that is made while it travels: its maker waits for the client, so memory stays flat.
//! Must never end like a whole one when its maker failed or went away: the connection then breaks off, and the client
//! sees it.

use std::io;

use axum::body::{Body, Bytes};
use tokio::sync::mpsc::{Sender, channel};
use tokio_stream::wrappers::ReceiverStream;
use tokio_stream::{StreamExt as _, once};

/// Where chunks are put in: `None` says that the body is whole. Sending fails when nobody takes them any more.
pub type Maker = Sender<Option<Bytes>>;

/// A body and the end where it is made; so many chunks may be ahead of the client. `held` is kept until the body is
/// dropped.
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

    #[tokio::test]
    async fn the_maker_learns_that_nobody_listens() {
        let (maker, body) = chunks(4, ());
        drop(body);
        assert!(maker.send(Some("in vain".into())).await.is_err());
    }
}
