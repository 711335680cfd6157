//! The listeners: an address, or the onion socket, on which Tor delivers requests to the onion service.

use std::fs::{Permissions, remove_file, set_permissions, symlink_metadata};
use std::io;
use std::io::ErrorKind::{ConnectionRefused, NotFound};
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::os::unix::net::UnixStream as Caller;
use std::path::Path;

use anyhow::{Result, bail};
use tempfile::TempPath;
use tokio::net::{TcpListener, TcpStream, UnixListener, UnixStream};
use tokio_util::either::Either;

use super::client_address::Client;

/// Mode of the socket: members of its group may connect.
const MODE: u32 = 0o660;

pub enum Listener {
    Address(TcpListener),
    Onion {
        listener: UnixListener,
        /// Goes with it.
        _file: TempPath,
    },
}

pub type Stream = Either<TcpStream, UnixStream>;

impl Listener {
    pub fn onion(path: &Path) -> Result<Self> {
        remove_stale(path)?;
        let listener = UnixListener::bind(path)?;
        let file = TempPath::try_from_path(path)?;
        set_permissions(path, Permissions::from_mode(MODE))?;
        Ok(Self::Onion {
            listener,
            _file: file,
        })
    }

    pub async fn accept(&self) -> io::Result<(Stream, Client)> {
        match self {
            Self::Address(listener) => {
                let (stream, address) = listener.accept().await?;
                // Only delays are at stake: a socket that is broken says so when it is used.
                let _ = stream.set_nodelay(true);
                let client = Client::Address(address.ip().to_canonical());
                Ok((Either::Left(stream), client))
            }
            Self::Onion { listener, .. } => {
                let (stream, _) = listener.accept().await?;
                Ok((Either::Right(stream), Client::Onion(None)))
            }
        }
    }
}

/// Removes the socket of a server that was killed, and nothing else.
fn remove_stale(path: &Path) -> Result<()> {
    match Caller::connect(path).map_err(|error| (error.kind(), error)) {
        Ok(_) => bail!("un altro processo vi risponde: forse il programma è già avviato"),
        Err((NotFound, _)) => {}
        Err((ConnectionRefused, _)) if symlink_metadata(path)?.file_type().is_socket() => {
            remove_file(path)?;
        }
        Err((ConnectionRefused, _)) => bail!("c'è già un file che non è un socket"),
        Err((_, error)) => return Err(error.into()),
    }
    Ok(())
}
