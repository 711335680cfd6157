//! Errors of keys and sealed data. A message never holds a secret or a part of what is sealed.

use thiserror::Error;

/// The texts are Italian, for operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum VaultError {
    /// Reading needs the newsroom's private key, and no session has brought it.
    #[error("l'archivio è sigillato: per leggerlo serve un accesso")]
    Locked,
    /// A sealed value was altered, cut or moved, or has the format of another program.
    #[error("un dato sigillato è danneggiato o non è al suo posto")]
    Damaged,
    #[error("la chiave è di un'altra coppia di chiavi")]
    WrongKey,
    #[error("la password o il codice di recupero non apre la chiave della redazione")]
    WrongSecret,
    #[error("il token della conversazione non è valido")]
    BadToken,
    #[error("il codice di recupero non è scritto correttamente")]
    BadRecoveryCode,
    /// Argon2id parameters that no slot of this program has.
    #[error("i parametri della password non sono ammessi")]
    BadParams,
    #[error("memoria insufficiente per verificare la password")]
    NoMemory,
    /// The data are hundreds of gigabytes long.
    #[error("dato troppo lungo per essere sigillato")]
    TooLong,
    #[error("il sistema operativo non fornisce numeri casuali")]
    NoRandomness,
}
