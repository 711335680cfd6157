//! Errors of the database, as far as the rest of the program must distinguish them. Must never carry a value that was
//! bound to a statement: those may be personal data.

use std::io;
use std::path::Path;

use rusqlite::ffi;

#[derive(Debug, Clone, thiserror::Error)]
pub enum Error {
    /// The disk (or the quota) is full: nothing was saved, and the same write may succeed later.
    #[error(
        "spazio su disco esaurito, o raggiunto il limite di file o la quota: liberarne e riprovare"
    )]
    DiskFull,
    /// The disk refuses reads or writes (I/O error, read-only file system, permissions), and what to do.
    #[error("impossibile leggere o scrivere: {0}")]
    Disk(String),
    #[error("troppe scritture in attesa")]
    QueueFull,
    /// The store was closed, or stopped after a failed sync.
    #[error("archivio chiuso")]
    Closed,
    #[error("la cartella dei dati {0} è già in uso da un altro processo: fermare prima il server")]
    InUse(String),
    #[error("{0} non è un archivio di segnalazioni")]
    Foreign(String),
    #[error(
        "l'archivio ha la versione {found}, questo programma arriva alla {known}: aggiornare il programma"
    )]
    Newer { found: i64, known: i64 },
    #[error("nella cartella {0} non c'è un archivio")]
    Missing(String),
    #[error("lo schema dell'archivio non è quello della sua versione: {0}")]
    Schema(String),
    #[error(
        "la generazione {0} è l'ultima che c'è: nessuno l'ha raggiunta promuovendo. Guardare che cosa c'è nel deposito, o usarne uno \
         vuoto (RISERVA.md)"
    )]
    LastGeneration(i64),
    #[error("dato illeggibile nell'archivio: {0}")]
    Damaged(String),
    #[error("il controllo ha richiesto troppo tempo")]
    TooLong,
    /// Any other refusal of SQLite, by its code; never with the statement's values.
    #[error("errore dell'archivio: {0}")]
    Sqlite(String),
}

pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// An error of the disk with a file or folder.
    pub(super) fn at(path: &Path) -> impl Fn(io::Error) -> Self {
        move |error| {
            let mend = match error.kind() {
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                    return Self::DiskFull;
                }
                io::ErrorKind::PermissionDenied => {
                    ". Dare il comando con l'utente a cui appartiene la cartella dei dati"
                }
                io::ErrorKind::ReadOnlyFilesystem => {
                    ". Rimontarlo in scrittura; il registro del kernel dice perché non lo è"
                }
                _ => "",
            };
            Self::Disk(format!("{}: {error}{mend}", path.display()))
        }
    }

    /// Whether what was read is no archive, or no sound one.
    pub fn is_damage(&self) -> bool {
        matches!(self, Self::Damaged(_) | Self::Foreign(_) | Self::Schema(_))
    }
}

fn code(failure: ffi::Error) -> String {
    format!("codice {} di SQLite", failure.extended_code)
}

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::ErrorCode as Code;
        match &error {
            rusqlite::Error::SqliteFailure(failure, _) => match failure.code {
                Code::DiskFull => Self::DiskFull,
                Code::SystemIoFailure
                | Code::ReadOnly
                | Code::CannotOpen
                | Code::PermissionDenied => Self::Disk(code(*failure)),
                Code::OperationInterrupted => Self::TooLong,
                Code::DatabaseBusy | Code::DatabaseLocked => Self::QueueFull,
                Code::NotADatabase | Code::DatabaseCorrupt => Self::Damaged(code(*failure)),
                _ => Self::Sqlite(code(*failure)),
            },
            rusqlite::Error::FromSqlConversionFailure(column, kind, _) => {
                Self::Damaged(format!("colonna {column}, tipo {kind}"))
            }
            // Their own text could repeat a value.
            _ => Self::Sqlite("richiesta non valida".to_owned()),
        }
    }
}
