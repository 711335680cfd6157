//! Every change of state: synchronous functions over an [`Act`] and an input.

pub mod access;
pub mod archive;
pub mod ask_back;
pub mod asked;
pub mod callouts;
pub mod desk;
pub mod intake;
pub mod outbox;
pub mod people;
pub mod reporter;
pub mod settings;

use std::borrow::Cow;
use std::cell::Cell;
use std::net::IpAddr;
use std::ops::Deref;

use crate::actions::access::log_access::Actor;
use crate::domain::invalid::Invalid;
use crate::store::{self, Snapshot, Tx};
use crate::vault::{PrivateKey, Vault, VaultError};

/// What a change is made with: its transaction, the keys, one moment, and who makes it.
#[derive(Clone, Copy)]
pub struct Act<'a> {
    pub(in crate::actions) tx: &'a Tx<'a>,
    pub vault: &'a Vault,
    /// In ms.
    pub now: i64,
    pub actor: &'a Actor,
    vault_change: Option<&'a Cell<VaultChange>>,
}

/// What a change means for the private key in memory. It is done once the change is on disk: a commit may fail.
#[derive(Default)]
pub enum VaultChange {
    #[default]
    None,
    /// A session has begun.
    Unlock(PrivateKey),
    /// The last session has ended.
    Lock,
}

impl VaultChange {
    /// Answers whether the vault was opened or locked by it.
    pub fn apply(self, vault: &Vault) -> bool {
        let before = vault.is_unlocked();
        match self {
            Self::Lock => vault.lock(),
            Self::Unlock(private) if !before => {
                if let Err(error) = vault.unlock(private) {
                    tracing::error!(%error, "the archive stays locked after a login");
                }
            }
            Self::None | Self::Unlock(_) => {}
        }
        vault.is_unlocked() != before
    }
}

impl<'a> Act<'a> {
    /// A change that may begin or end sessions: `vault_change` is applied after the commit.
    pub fn new(
        tx: &'a Tx<'a>,
        vault: &'a Vault,
        now: i64,
        actor: &'a Actor,
        vault_change: &'a Cell<VaultChange>,
    ) -> Self {
        Self {
            tx,
            vault,
            now,
            actor,
            vault_change: Some(vault_change),
        }
    }

    /// The same at another moment.
    pub fn at(self, now: i64) -> Self {
        Self { now, ..self }
    }

    pub(in crate::actions) fn after_commit(&self, change: VaultChange) {
        if let Some(cell) = self.vault_change {
            cell.set(change);
        }
    }

    /// A change by a command on the server or by the program itself. It begins and ends no session of this process.
    pub fn unattended(tx: &'a Tx<'a>, vault: &'a Vault, now: i64) -> Self {
        static NOBODY: Actor = Actor {
            ip: String::new(),
            user_agent: String::new(),
            person: None,
        };
        Self {
            tx,
            vault,
            now,
            actor: &NOBODY,
            vault_change: None,
        }
    }
}

impl<'a> Deref for Act<'a> {
    type Target = Snapshot<'a>;

    fn deref(&self) -> &Snapshot<'a> {
        self.tx
    }
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Store(#[from] store::Error),
    #[error(transparent)]
    Vault(#[from] VaultError),
    #[error("dati non validi")]
    Invalid(Vec<Invalid>),
    #[error("segnalazione non trovata")]
    NotFound,
    #[error("segnalazione cancellata")]
    Erased,
    /// The report was changed since; this change was not made.
    #[error("segnalazione modificata nel frattempo")]
    Stale,
    /// A conversation that this server did not seal, or a damaged one.
    #[error("conversazione non valida")]
    BadToken,
    /// A conversation whose last turn is too long ago.
    #[error("conversazione scaduta")]
    OldToken,
    /// A conversation in a state that the engine does not know; carries the whole message.
    #[error("{0}")]
    UnknownState(String),
    #[error("password già impostata")]
    AlreadySetUp,
    #[error("consegna non trovata")]
    DeliveryNotFound,
    #[error("inchiesta non trovata")]
    CalloutNotFound,
    #[error("storia non trovata")]
    StoryNotFound,
    #[error("reparto non trovato")]
    DepartmentNotFound,
    #[error("persona non trovata")]
    PersonNotFound,
    #[error("passkey non trovata")]
    PasskeyNotFound,
    #[error("invito non valido")]
    BadInvitation,
    /// These of the files that are to go with it are not there.
    #[error("allegati mancanti")]
    FilesMissing(Vec<String>),
    /// What is there does not allow it; carries the whole message.
    #[error("{0}")]
    Conflict(Cow<'static, str>),
    /// The caller may not; carries the whole message.
    #[error("{0}")]
    Forbidden(&'static str),
    #[error("Il tuo indirizzo {0} non è nell'elenco: salvando perderesti l'accesso al pannello.")]
    WouldLockOut(IpAddr),
    #[error("allegato non trovato")]
    AttachmentNotFound,
    #[error("commento chiuso")]
    CommentClosed,
    #[error("commento non trovato")]
    CommentNotFound,
    #[error("password non valida")]
    WrongPassword,
    #[error("l'archivio è stato modificato fuori dal programma")]
    Altered,
    /// What cannot be, unless the program is wrong; for its log.
    #[error("{0}")]
    Defect(&'static str),
}

impl From<Invalid> for Error {
    fn from(invalid: Invalid) -> Self {
        Self::Invalid(vec![invalid])
    }
}

pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// Where what is there does not allow it; with the whole message.
    pub const fn conflict(message: &'static str) -> Self {
        Self::Conflict(Cow::Borrowed(message))
    }
}

/// Nothing more can be said of the report, or attached.
pub const SENT: Error = Error::conflict("Questa segnalazione è già stata inviata.");
