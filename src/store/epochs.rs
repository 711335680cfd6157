//! Table `epochs`: the sealed symmetric keys, one for each start and hour of life.
//! Must never hold an epoch key in the clear.

use rusqlite::params;

use super::error::Result;
use super::session::{Snapshot, Tx};

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

impl Snapshot<'_> {
    pub fn epoch(&self, id: i64) -> Result<Option<EpochRow>> {
        self.find(
            "SELECT id, key_id, born, sealed FROM epochs WHERE id = ?1",
            [id],
            |row| {
                Ok(EpochRow {
                    id: row.get(0)?,
                    key_id: row.get(1)?,
                    born: row.get(2)?,
                    sealed: row.get(3)?,
                })
            },
        )
    }
}

impl Tx<'_> {
    /// Stores an epoch unless it is stored already. Called with every sealed write, so that no row can outlive its key.
    pub fn ensure_epoch(&self, epoch: &EpochRow) -> Result<()> {
        self.execute("INSERT INTO epochs (id, key_id, born, sealed) VALUES (?1, ?2, ?3, ?4) ON CONFLICT (id) DO NOTHING", params![epoch.id, epoch.key_id, epoch.born, epoch.sealed])
    }
}
