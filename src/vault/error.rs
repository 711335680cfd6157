//! What can go wrong with keys and sealed data. A message never holds a secret, nor a byte of what was being sealed.

use thiserror::Error;

/// Why the vault refused. The texts are Italian because operators read them, on the terminal and in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum VaultError {
    /// Reading needs the newsroom's private key, and nobody has brought it.
    #[error("l'archivio è sigillato: per leggerlo serve un accesso")]
    Locked,
    /// A sealed value was altered, cut, moved away from the place it was sealed for, or has a format of another program.
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
    /// Argon2id parameters which no slot of this program has.
    #[error("i parametri della password non sono ammessi")]
    BadParams,
    #[error("memoria insufficiente per verificare la password")]
    NoMemory,
    /// More than a primitive can take in one go (hundreds of gigabytes).
    #[error("dato troppo lungo per essere sigillato")]
    TooLong,
    #[error("il sistema operativo non fornisce numeri casuali")]
    NoRandomness,
}
