//! Table `secrets`: passwords and keys that the program itself must use, sealed.
//! Must never hold one in the clear.

use rusqlite::params;

use super::error::Result;
use super::session::{Snapshot, Tx};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SecretName {
    SmtpPassword,
    WebhookApiKey,
    WebhookSecret,
    /// The one before, which goes on signing for a while.
    WebhookSecretBefore,
}

impl SecretName {
    pub const ALL: [Self; 4] = [
        Self::SmtpPassword,
        Self::WebhookApiKey,
        Self::WebhookSecret,
        Self::WebhookSecretBefore,
    ];

    /// Its name in the table, and in what it is sealed for.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::SmtpPassword => "smtp_password",
            Self::WebhookApiKey => "webhook_api_key",
            Self::WebhookSecret => "webhook_secret",
            Self::WebhookSecretBefore => "webhook_secret_before",
        }
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

impl Snapshot<'_> {
    pub fn secret(&self, name: SecretName) -> Result<Option<SecretRow>> {
        self.find(
            "SELECT operational, newsroom, key_id, until FROM secrets WHERE name = ?1",
            [name.as_str()],
            |row| {
                Ok(SecretRow {
                    operational: row.get(0)?,
                    newsroom: row.get(1)?,
                    key_id: row.get(2)?,
                    until: row.get(3)?,
                })
            },
        )
    }
}

impl Tx<'_> {
    pub fn put_secret(&self, name: SecretName, secret: &SecretRow, now: i64) -> Result<()> {
        self.execute(
            "INSERT OR REPLACE INTO secrets (name, operational, newsroom, key_id, until, updated) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            params![
                name.as_str(),
                secret.operational,
                secret.newsroom,
                secret.key_id,
                secret.until,
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
}
