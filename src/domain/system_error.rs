//! Italian texts for errors that the operating system gives in English.

use std::io;

use rustix::io::Errno;

const SAID: [(Errno, &str); 17] = [
    (Errno::NOENT, "non esiste"),
    (Errno::ACCESS, "permesso negato"),
    (Errno::PERM, "operazione non permessa"),
    (Errno::EXIST, "esiste già"),
    (Errno::NOTDIR, "una parte del percorso non è una cartella"),
    (Errno::ISDIR, "è una cartella"),
    (Errno::NOSPC, "il disco è pieno"),
    (Errno::DQUOT, "la quota di spazio su disco è esaurita"),
    (Errno::ROFS, "il disco è in sola lettura"),
    (Errno::LOOP, "è un collegamento che non porta a nulla"),
    (Errno::IO, "il disco non legge o non scrive"),
    (Errno::MFILE, "troppi file aperti"),
    (Errno::NAMETOOLONG, "il nome è troppo lungo"),
    (Errno::PIPE, "chi leggeva ha chiuso"),
    (Errno::CONNREFUSED, "connessione rifiutata"),
    (Errno::AGAIN, "nessuna risposta in tempo"),
    (Errno::TIMEDOUT, "nessuna risposta in tempo"),
];

/// A text of ours with what it quotes of the system in Italian.
pub fn in_italian(text: &str) -> String {
    // As the library for temporary files says where it wanted one.
    let text = text.replace(" at path \"", ": \"");
    SAID.iter().fold(text, |text, (code, said)| {
        text.replace(&io::Error::from(*code).to_string(), said)
    })
}
