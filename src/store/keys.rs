//! Tables `key_pairs` and `key_slots`: the newsroom's public key, and its private key under password and recovery code.
//! Must never hold a private key that is not sealed.

use rusqlite::params;

use super::error::Result;
use super::session::{Snapshot, Tx};

#[derive(Debug, Clone)]
pub struct KeyPairRow {
    /// Hash of the public key, in hex.
    pub key_id: String,
    pub public_key: Vec<u8>,
    /// Sealed mode: no copy of the private key lies in the server's key file, by choice.
    pub sealed: bool,
}

impl Snapshot<'_> {
    /// The key pair that new reports are sealed to.
    pub fn active_key_pair(&self) -> Result<Option<KeyPairRow>> {
        self.find(
            "SELECT key_id, public_key, sealed FROM key_pairs WHERE active = 1",
            [],
            |row| {
                Ok(KeyPairRow {
                    key_id: row.get(0)?,
                    public_key: row.get(1)?,
                    sealed: row.get(2)?,
                })
            },
        )
    }

    pub fn has_slots(&self, key_id: &str) -> Result<bool> {
        let found = self.value(
            "SELECT EXISTS (SELECT 1 FROM key_slots WHERE key_id = ?1)",
            [key_id],
        )?;
        Ok(found)
    }

    pub fn slot(&self, key_id: &str, kind: &str) -> Result<Option<Vec<u8>>> {
        self.find(
            "SELECT blob FROM key_slots WHERE key_id = ?1 AND kind = ?2",
            [key_id, kind],
            |row| row.get(0),
        )
    }
}

impl Tx<'_> {
    /// Makes a key pair the active one; an earlier one stays, with its slots.
    pub fn activate_key_pair(&self, key_id: &str, public_key: &[u8], now: i64) -> Result<()> {
        self.execute("UPDATE key_pairs SET active = 0 WHERE active = 1", [])?;
        self.execute(
            "INSERT INTO key_pairs (key_id, public_key, created, active) VALUES (?1, ?2, ?3, 1)",
            params![key_id, public_key, now],
        )
    }

    /// Says whether the private half of a pair is kept out of the key file by choice.
    pub fn set_sealed(&self, key_id: &str, sealed: bool) -> Result<()> {
        self.execute(
            "UPDATE key_pairs SET sealed = ?2 WHERE key_id = ?1",
            params![key_id, sealed],
        )
    }

    /// Stores a slot in place of an earlier one of its kind.
    pub fn put_slot(&self, key_id: &str, kind: &str, blob: &[u8], now: i64) -> Result<()> {
        self.execute("INSERT INTO key_slots (key_id, kind, blob, created) VALUES (?1, ?2, ?3, ?4) \
             ON CONFLICT (key_id, kind) DO UPDATE SET blob = excluded.blob, created = excluded.created", params![key_id, kind, blob, now])
    }
}
