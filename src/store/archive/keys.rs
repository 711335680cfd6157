//! Tables `key_pairs`, `key_slots`, `epochs`, `secrets`, `credential` and `authenticity`: the newsroom's public key, its private key under
//! password and recovery code, the keys of the hours, what the program itself must use, and the verifier of the password.
//! Must never hold a key, a password or a secret that is not sealed, nor the half of a derivation that opens a slot.

use std::sync::atomic::Ordering;

use rusqlite::params;

use crate::domain::delivery::SecretName;
use crate::store::error::Result;
use crate::store::session::{Snapshot, Tx, columns, statements};

#[derive(Debug, Clone)]
pub struct KeyPairRow {
    pub key_id: String,
    pub public_key: Vec<u8>,
    /// Sealed mode: no copy of the private key lies in the server's key file, by choice.
    pub sealed: bool,
}

#[derive(Debug, Clone)]
pub struct EpochRow {
    /// Random positive number.
    pub id: i64,
    pub key_id: String,
    pub born: i64,
    /// The epoch key, sealed to the newsroom's public key (HPKE).
    pub sealed: Vec<u8>,
}

#[derive(Debug, Clone)]
pub struct SecretRow {
    pub operational: Vec<u8>,
    pub newsroom: Vec<u8>,
    pub key_id: String,
    /// From when on it counts no more, in ms; `None` for one that stays.
    pub until: Option<i64>,
}

/// A row that decides who gets in or where reports go: table, key, content, and what else holds of it.
pub type Guarded = (String, String, Vec<u8>, String);

columns! {
    KeyPairRow { key_id, public_key, sealed }
    EpochRow { id, key_id, born, sealed }
    SecretRow { operational, newsroom, key_id, until }
}

impl Snapshot<'_> {
    statements! {
        /// The key pair that new reports are sealed to.
        find active_key_pair() -> Option<KeyPairRow> = "SELECT key_id, public_key, sealed FROM key_pairs WHERE active = 1";
        /// The pairs that other keys replaced, the first before the others: marked as sealed, though no key file has them.
        values former_pairs() -> Vec<String> =
            "SELECT key_id FROM key_pairs WHERE active = 0 AND sealed = 1 ORDER BY created, rowid";
        /// Whether there are epochs, and none that this pair opens.
        value is_sealed_for_others(key_id: &str) -> bool =
            "SELECT EXISTS (SELECT 1 FROM epochs) AND NOT EXISTS (SELECT 1 FROM epochs WHERE key_id = ?1)";
        list epochs_of(key_id: &str) -> Vec<EpochRow> = "SELECT id, key_id, born, sealed FROM epochs WHERE key_id = ?1";
        value has_slots(key_id: &str) -> bool = "SELECT EXISTS (SELECT 1 FROM key_slots WHERE key_id = ?1)";
        find_value slot(key_id: &str, kind: &str, owner: &str) -> Option<Vec<u8>> =
            "SELECT blob FROM key_slots WHERE key_id = ?1 AND kind = ?2 AND owner = ?3";
        find epoch(id: i64) -> Option<EpochRow> = "SELECT id, key_id, born, sealed FROM epochs WHERE id = ?1";
        find secret(name: SecretName) -> Option<SecretRow> =
            "SELECT operational, newsroom, key_id, until FROM secrets WHERE name = ?1";
        /// The verifier of the one shared password with its parameters, as the action that sets passwords wrote it; `None` until
        /// the first set-up.
        find_value credential() -> Option<String> = "SELECT body FROM credential WHERE id = 1";
        /// Whether nothing is sent before an editor confirms where it goes, and what says that the rows of [`Self::guarded`] are the
        /// program's own.
        find authenticity() -> Option<(bool, Vec<u8>)> = "SELECT held, mac FROM authenticity WHERE id = 1";
        list guarded() -> Vec<Guarded> =
            "SELECT 'key_pairs' AS kind, key_id AS key, public_key, active || ' ' || sealed FROM key_pairs UNION ALL \
            SELECT 'key_slots', kind || ' ' || key_id || ' ' || owner, blob, '' FROM key_slots UNION ALL \
            SELECT 'people', id, CAST(json_array(name, user, role, departments, credential, hex(totp), created, gone, \
            invited_until, hex(invitation)) AS BLOB), '' FROM people UNION ALL \
            SELECT 'passkeys', id, CAST(json_array(person, name, host, hex(handle), credential, hex(salt), created) AS BLOB), '' \
            FROM passkeys UNION ALL \
            SELECT 'notices', person, CAST(email AS BLOB), '' FROM notices WHERE email <> '' UNION ALL \
            SELECT 'departments', key, CAST(json_array(name, email, keywords, matter, place, gone, heir) AS BLOB), '' FROM departments \
            UNION ALL SELECT 'credential', CAST(id AS TEXT), CAST(body AS BLOB), '' FROM credential UNION ALL \
            SELECT 'settings', section, CAST(body AS BLOB), '' FROM settings ORDER BY kind, key";
        value is_in_use() -> bool = "SELECT EXISTS (SELECT 1 FROM credential) OR EXISTS (SELECT 1 FROM settings)";
        /// Whether there is anything that only a program with a key pair writes.
        value has_content() -> bool = "SELECT EXISTS (SELECT 1 FROM credential) OR EXISTS (SELECT 1 FROM settings) \
            OR EXISTS (SELECT 1 FROM key_pairs) OR EXISTS (SELECT 1 FROM segnalazioni)";
    }
}

impl Tx<'_> {
    statements! {
        revised put_authenticity(held: bool, mac: &[u8]) =
            "INSERT OR REPLACE INTO authenticity (id, held, mac) VALUES (1, ?1, ?2)";
        /// Says whether the private half of the active pair is kept out of the key file by choice. One that was replaced stays out.
        execute set_sealed(key_id: &str, sealed: bool) =
            "UPDATE key_pairs SET sealed = ?2 WHERE key_id = ?1 AND active = 1";
        execute put_epoch(id: i64, key_id: &str, sealed: &[u8]) = "UPDATE epochs SET key_id = ?2, sealed = ?3 WHERE id = ?1";
        execute drop_slots() = "DELETE FROM key_slots";
        execute put_slot(key_id: &str, kind: &str, owner: &str, blob: &[u8], now: i64) =
            "INSERT OR REPLACE INTO key_slots (key_id, kind, owner, blob, created) VALUES (?1, ?2, ?3, ?4, ?5)";
        execute drop_slots_of(owner: &str) = "DELETE FROM key_slots WHERE owner = ?1";
        execute insert_epoch(epoch: &EpochRow) =
            "INSERT INTO epochs (id, key_id, born, sealed) VALUES (?1, ?2, ?3, ?4) ON CONFLICT (id) DO NOTHING",
            [epoch.id, epoch.key_id, epoch.born, epoch.sealed];
        execute drop_secret(name: SecretName) = "DELETE FROM secrets WHERE name = ?1";
        execute drop_expired_secrets(now: i64) = "DELETE FROM secrets WHERE until <= ?1";
        execute put_credential(body: &str, now: i64) =
            "INSERT OR REPLACE INTO credential (id, body, updated) VALUES (1, ?1, ?2)";
        execute put_secret(name: SecretName, row: &SecretRow, now: i64) =
            "INSERT OR REPLACE INTO secrets (name, operational, newsroom, key_id, until, updated) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            [name, row.operational, row.newsroom, row.key_id, row.until, now];
    }

    /// Stores an epoch unless it is stored already. Called with every sealed write, so that no row can outlive its key.
    pub fn ensure_epoch(&self, id: i64, made: impl FnOnce() -> EpochRow) -> Result<()> {
        if self.epoch.load(Ordering::Relaxed) != id {
            self.insert_epoch(&made())?;
            self.epoch.store(id, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Makes a key pair the active one, whose private half is in the key file; an earlier one stays, with its slots.
    pub fn activate_key_pair(&self, key_id: &str, public_key: &[u8], now: i64) -> Result<()> {
        self.execute("UPDATE key_pairs SET active = 0 WHERE active = 1", [])?;
        self.execute(
            "INSERT INTO key_pairs (key_id, public_key, created, active) VALUES (?1, ?2, ?3, 1) \
             ON CONFLICT (key_id) DO UPDATE SET public_key = ?2, active = 1, sealed = 0",
            params![key_id, public_key, now],
        )
    }
}
