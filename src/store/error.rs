//! What can go wrong in the database, as the rest of the program needs to tell it apart.
//! Must never carry a value that was bound to a statement: those may be personal data.

#[derive(Debug, Clone, thiserror::Error)]
pub enum Error {
    /// The disk (or the quota) is full: nothing was saved, and the same write may succeed later.
    #[error("spazio su disco esaurito")]
    DiskFull,
    /// The disk refuses reads or writes (I/O error, read-only file system).
    #[error("il disco non risponde: {0}")]
    Disk(String),
    /// More writes are waiting than the queue holds.
    #[error("troppe scritture in attesa")]
    QueueFull,
    /// The store was closed, or stopped after a failed sync.
    #[error("archivio chiuso")]
    Closed,
    /// The data folder is held by another process.
    #[error("la cartella dei dati {0} è già in uso da un altro processo segnalazioni")]
    InUse(String),
    /// The file is not a database of this product.
    #[error("{0} non è un archivio di segnalazioni")]
    Foreign(String),
    /// The database was written by a newer version of the program.
    #[error(
        "l'archivio ha la versione {found}, questo programma arriva alla {known}: aggiornare il programma"
    )]
    Newer { found: i64, known: i64 },
    #[error("nella cartella {0} non c'è un archivio")]
    Missing(String),
    /// The database does not have the schema that its version has.
    #[error("lo schema dell'archivio non è quello della sua versione: {0}")]
    Schema(String),
    /// A stored value cannot be read back.
    #[error("dato illeggibile nell'archivio: {0}")]
    Damaged(String),
    /// A check took longer than it was given.
    #[error("il controllo ha richiesto troppo tempo")]
    TooLong,
    /// Any other refusal of SQLite, by its code; never with the statement's values.
    #[error("errore dell'archivio: {0}")]
    Sqlite(String),
}

pub type Result<T> = std::result::Result<T, Error>;

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::ErrorCode as Code;
        match &error {
            rusqlite::Error::SqliteFailure(failure, _) => match failure.code {
                Code::DiskFull => Self::DiskFull,
                Code::SystemIoFailure
                | Code::ReadOnly
                | Code::CannotOpen
                | Code::PermissionDenied => Self::Disk(failure.to_string()),
                Code::OperationInterrupted => Self::TooLong,
                Code::DatabaseBusy | Code::DatabaseLocked => Self::QueueFull,
                Code::NotADatabase | Code::DatabaseCorrupt => Self::Damaged(failure.to_string()),
                _ => Self::Sqlite(failure.to_string()),
            },
            rusqlite::Error::FromSqlConversionFailure(column, kind, _) => {
                Self::Damaged(format!("colonna {column}, tipo {kind}"))
            }
            other => Self::Sqlite(kind_of(other).to_owned()),
        }
    }
}

/// A name for errors whose own text could repeat a value.
fn kind_of(error: &rusqlite::Error) -> &'static str {
    match error {
        rusqlite::Error::QueryReturnedNoRows => "nessuna riga",
        rusqlite::Error::InvalidColumnType(..) => "tipo di colonna inatteso",
        rusqlite::Error::InvalidParameterCount(..) => "numero di parametri errato",
        _ => "richiesta non valida",
    }
}
