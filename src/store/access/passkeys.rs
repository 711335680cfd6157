//! Table `passkeys`: public keys by whose authenticators people log in.
//! Must never hold what an authenticator keeps to itself, nor leave the slot of a passkey that is gone (a trigger sees to that).

use crate::store::session::{Snapshot, Tx, columns, statements};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PasskeyRow {
    pub id: String,
    /// Whose.
    pub person: String,
    pub name: String,
    /// Where alone it is valid.
    pub host: String,
    /// By which authenticators name it.
    pub handle: Vec<u8>,
    /// Public key and counter, as the library writes them.
    pub credential: String,
    /// Of the key of its slot.
    pub salt: [u8; 32],
    pub created: i64,
    pub last_used: Option<i64>,
}

impl PasskeyRow {
    /// As the log names it; its own marks cannot end the quotation.
    pub fn told(&self) -> String {
        format!("passkey «{}»", self.name.replace(['«', '»'], "\""))
    }
}

// As the table has them: its rows are read whole.
columns! {
    PasskeyRow { id, person, name, host, handle, credential, salt, created, last_used }
}

impl Snapshot<'_> {
    statements! {
        find passkey(id: &str) -> Option<PasskeyRow> = "SELECT * FROM passkeys WHERE id = ?1";
        find passkey_by_handle(handle: &[u8]) -> Option<PasskeyRow> = "SELECT * FROM passkeys WHERE handle = ?1";
        /// A person's, the first made before the others.
        list passkeys_of(person: &str) -> Vec<PasskeyRow> = "SELECT * FROM passkeys WHERE person = ?1 ORDER BY created, id";
        /// Whether a person has one that is valid at this host.
        value has_passkey_at(person: &str, host: &str) -> bool = "SELECT EXISTS (SELECT 1 FROM passkeys WHERE person = ?1 AND host = ?2)";
        /// Whether anybody has one that is valid at this host.
        value has_passkeys_at(host: &str) -> bool = "SELECT EXISTS (SELECT 1 FROM passkeys WHERE host = ?1)";
        /// People with passkeys, and how many.
        list passkey_counts() -> Vec<(String, i64)> = "SELECT person, count(*) FROM passkeys GROUP BY person";
        /// Hosts that they are valid at, and how many.
        list passkey_hosts() -> Vec<(String, i64)> = "SELECT host, count(*) FROM passkeys GROUP BY host ORDER BY host";
        values passkey_ids() -> Vec<String> = "SELECT id FROM passkeys";
    }
}

impl Tx<'_> {
    statements! {
        execute insert_passkey(new: &PasskeyRow) =
            "INSERT INTO passkeys (id, person, name, host, handle, credential, salt, created) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            [new.id, new.person, new.name, new.host, new.handle, new.credential, new.salt, new.created];
        execute rename_passkey(id: &str, name: &str) = "UPDATE passkeys SET name = ?2 WHERE id = ?1";
        /// Keeps its counter.
        execute put_passkey(id: &str, credential: &str) = "UPDATE passkeys SET credential = ?2 WHERE id = ?1";
        execute note_passkey(id: &str, now: i64) = "UPDATE passkeys SET last_used = ?2 WHERE id = ?1";
        execute delete_passkey(id: &str) = "DELETE FROM passkeys WHERE id = ?1";
        /// As if none had been used yet.
        execute forget_passkey_uses() = "UPDATE passkeys SET last_used = NULL";
        execute delete_passkeys() = "DELETE FROM passkeys";
    }
}
