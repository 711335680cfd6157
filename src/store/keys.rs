//! Tables `key_pairs`, `key_slots`, `epochs`, `secrets`, `credential` and `authenticity`: the newsroom's public key, its private key under
//! password and recovery code, the keys of the hours, what the program itself must use, and the verifier of the password.
//! Must never hold a key, a password or a secret that is not sealed, nor the half of a derivation that opens a slot.

use rusqlite::params;

use super::error::Result;
use super::session::{Snapshot, Tx, columns};
use crate::domain::declare::names;

#[derive(Debug, Clone)]
pub struct KeyPairRow {
    /// Hash of the public key, in hex.
    pub key_id: String,
    pub public_key: Vec<u8>,
    /// Sealed mode: no copy of the private key lies in the server's key file, by choice.
    pub sealed: bool,
}

/// The key of an hour.
#[derive(Debug, Clone)]
pub struct EpochRow {
    /// Random positive number.
    pub id: i64,
    /// Key pair it is sealed to.
    pub key_id: String,
    /// When it was made, in ms.
    pub born: i64,
    /// The epoch key, sealed to the newsroom's public key (HPKE).
    pub sealed: Vec<u8>,
}

names! {
    /// A password or a key of the settings; its name is also in what it is sealed for.
    pub enum SecretName {
        SmtpPassword = "smtp_password",
        WebhookApiKey = "webhook_api_key",
        WebhookSecret = "webhook_secret",
        /// The one before, which goes on signing for a while.
        WebhookSecretBefore = "webhook_secret_before",
    }
}

/// A secret, sealed twice.
#[derive(Debug, Clone)]
pub struct SecretRow {
    /// Under the operational key.
    pub operational: Vec<u8>,
    /// To the newsroom's key.
    pub newsroom: Vec<u8>,
    /// Which pair of the newsroom's.
    pub key_id: String,
    /// From when on it counts no more, in ms; `None` for one that stays.
    pub until: Option<i64>,
}

/// What says that the rows of [`Snapshot::guarded`] are the program's own.
#[derive(Debug, Clone)]
pub struct AuthenticityRow {
    pub held: bool,
    pub mac: Vec<u8>,
}

/// A row that decides who gets in or where reports go: table, key, content, and what else holds of it.
pub type Guarded = (String, String, Vec<u8>, String);

columns! {
    AuthenticityRow { held, mac }
    KeyPairRow { key_id, public_key, sealed }
    EpochRow { id, key_id, born, sealed }
    SecretRow { operational, newsroom, key_id, until }
}

impl Snapshot<'_> {
    /// The key pair that new reports are sealed to.
    pub fn active_key_pair(&self) -> Result<Option<KeyPairRow>> {
        self.find(
            "SELECT key_id, public_key, sealed FROM key_pairs WHERE active = 1",
            [],
        )
    }

    pub fn has_slots(&self, key_id: &str) -> Result<bool> {
        self.value(
            "SELECT EXISTS (SELECT 1 FROM key_slots WHERE key_id = ?1)",
            [key_id],
        )
    }

    pub fn slot(&self, key_id: &str, kind: &str) -> Result<Option<Vec<u8>>> {
        self.find_value(
            "SELECT blob FROM key_slots WHERE key_id = ?1 AND kind = ?2",
            [key_id, kind],
        )
    }

    pub fn epoch(&self, id: i64) -> Result<Option<EpochRow>> {
        self.find(
            "SELECT id, key_id, born, sealed FROM epochs WHERE id = ?1",
            [id],
        )
    }

    pub fn secret(&self, name: SecretName) -> Result<Option<SecretRow>> {
        self.find(
            "SELECT operational, newsroom, key_id, until FROM secrets WHERE name = ?1",
            [name.as_str()],
        )
    }

    /// The verifier of the one shared password with its parameters, as the action that sets passwords wrote it; `None` until
    /// the first set-up.
    pub fn credential(&self) -> Result<Option<String>> {
        self.find_value("SELECT body FROM credential WHERE id = 1", [])
    }

    pub fn authenticity(&self) -> Result<Option<AuthenticityRow>> {
        self.find("SELECT held, mac FROM authenticity WHERE id = 1", [])
    }

    /// Every row that decides who gets in or where reports go, always in the same order.
    pub fn guarded(&self) -> Result<Vec<Guarded>> {
        self.list(
            "SELECT 'key_pairs' AS kind, key_id AS key, public_key, active || ' ' || sealed FROM key_pairs
             UNION ALL SELECT 'key_slots', kind || ' ' || key_id, blob, '' FROM key_slots
             UNION ALL SELECT 'credential', CAST(id AS TEXT), CAST(body AS BLOB), '' FROM credential
             UNION ALL SELECT 'settings', section, CAST(body AS BLOB), '' FROM settings
             ORDER BY kind, key",
            [],
        )
    }

    /// Whether there is anything that only a program with a key pair writes.
    pub fn has_content(&self) -> Result<bool> {
        let sql = "SELECT EXISTS (SELECT 1 FROM key_pairs) OR EXISTS (SELECT 1 FROM segnalazioni)";
        Ok(self.is_in_use()? || self.value(sql, [])?)
    }

    /// Whether a password was set or settings were saved.
    pub fn is_in_use(&self) -> Result<bool> {
        self.value(
            "SELECT EXISTS (SELECT 1 FROM credential) OR EXISTS (SELECT 1 FROM settings)",
            [],
        )
    }
}

impl Tx<'_> {
    pub fn put_authenticity(&self, held: bool, mac: &[u8]) -> Result<()> {
        self.revise();
        self.execute(
            "INSERT OR REPLACE INTO authenticity (id, held, mac) VALUES (1, ?1, ?2)",
            params![held, mac],
        )
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

    /// Says whether the private half of a pair is kept out of the key file by choice.
    pub fn set_sealed(&self, key_id: &str, sealed: bool) -> Result<()> {
        self.execute(
            "UPDATE key_pairs SET sealed = ?2 WHERE key_id = ?1",
            params![key_id, sealed],
        )
    }

    /// Stores a slot in place of an earlier one of its kind.
    pub fn put_slot(&self, key_id: &str, kind: &str, blob: &[u8], now: i64) -> Result<()> {
        self.execute(
            "INSERT OR REPLACE INTO key_slots (key_id, kind, blob, created) VALUES (?1, ?2, ?3, ?4)",
            params![key_id, kind, blob, now],
        )
    }

    /// Stores an epoch unless it is stored already. Called with every sealed write, so that no row can outlive its key.
    pub fn ensure_epoch(&self, epoch: &EpochRow) -> Result<()> {
        self.execute(
            "INSERT INTO epochs (id, key_id, born, sealed) VALUES (?1, ?2, ?3, ?4) ON CONFLICT (id) DO NOTHING",
            params![epoch.id, epoch.key_id, epoch.born, epoch.sealed],
        )
    }

    pub fn put_secret(&self, name: SecretName, row: &SecretRow, now: i64) -> Result<()> {
        let name = name.as_str();
        self.execute(
            "INSERT OR REPLACE INTO secrets (name, operational, newsroom, key_id, until, updated) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            params![
                name,
                row.operational,
                row.newsroom,
                row.key_id,
                row.until,
                now
            ],
        )
    }

    pub fn drop_secret(&self, name: SecretName) -> Result<()> {
        self.execute("DELETE FROM secrets WHERE name = ?1", [name.as_str()])
    }

    /// Forgets the secrets that count no more.
    pub fn drop_expired_secrets(&self, now: i64) -> Result<()> {
        self.execute("DELETE FROM secrets WHERE until <= ?1", [now])
    }

    pub fn put_credential(&self, body: &str, now: i64) -> Result<()> {
        self.execute(
            "INSERT OR REPLACE INTO credential (id, body, updated) VALUES (1, ?1, ?2)",
            params![body, now],
        )
    }
}
