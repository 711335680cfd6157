//! A file sealed in pieces, each bound to its place: a key of its own for each file, which is stored only sealed. Whoever wipes
//! the key has erased the file. The key must never be stored open, and a piece of another file or place, or a file that lacks
//! its end, must never open.

use super::{Epoch, Secret32, Vault, VaultError, aead, open_row, seal_row};

/// Keeps pieces apart from every other use of the cipher.
const PIECE: &[u8] = b"segnalazioni file piece";
/// Bytes of a piece; only the last one is shorter.
pub const PIECE_LEN: usize = 64 * 1024;
/// Bytes of a whole piece once it is sealed.
pub const SEALED_LEN: usize = PIECE_LEN + aead::OVERHEAD;

/// Where a key is sealed: table and row.
type Row<'r> = (&'r str, &'r str);

/// The key of one file.
pub struct FileKey(Secret32);

impl FileKey {
    pub fn random() -> Result<Self, VaultError> {
        Secret32::random().map(Self)
    }

    /// Seals it as the data of a row.
    pub fn seal(&self, epoch: &Epoch, (table, id): Row<'_>) -> Result<Vec<u8>, VaultError> {
        seal_row(epoch, table, id, self.0.expose())
    }

    pub fn open(epoch: &Epoch, (table, id): Row<'_>, sealed: &[u8]) -> Result<Self, VaultError> {
        Self::of(&zeroize::Zeroizing::new(open_row(
            epoch, table, id, sealed,
        )?))
    }

    /// Seals it for as long as the file is written, also by a server that cannot read what is sealed to the newsroom.
    pub fn lend(&self, vault: &Vault, (table, id): Row<'_>) -> Result<Vec<u8>, VaultError> {
        vault.seal_operational(table, id, self.0.expose())
    }

    /// Opens what [`FileKey::lend`] made.
    pub fn borrow(vault: &Vault, (table, id): Row<'_>, sealed: &[u8]) -> Result<Self, VaultError> {
        Self::of(&vault.open_operational(table, id, sealed)?)
    }

    fn of(bytes: &[u8]) -> Result<Self, VaultError> {
        let key = Secret32::from_slice(bytes);
        key.map(Self).ok_or(VaultError::Damaged)
    }

    /// Seals a piece; `last` says that the file ends with it.
    pub fn seal_piece(&self, number: u64, last: bool, piece: &[u8]) -> Result<Vec<u8>, VaultError> {
        aead::seal(&self.0, &place(&number.to_be_bytes(), last), piece)
    }

    pub fn open_piece(
        &self,
        number: u64,
        last: bool,
        sealed: &[u8],
    ) -> Result<Vec<u8>, VaultError> {
        aead::open(&self.0, &place(&number.to_be_bytes(), last), sealed)
    }
}

fn place(number: &[u8; 8], last: bool) -> [&[u8]; 3] {
    [PIECE, number, if last { b"last" } else { b"" }]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_opens_only_in_its_place_and_file() {
        let key = FileKey::random().unwrap();
        let sealed = key.seal_piece(3, false, b"foto").unwrap();
        assert_eq!(sealed.len(), 4 + aead::OVERHEAD);
        assert_eq!(key.open_piece(3, false, &sealed).unwrap(), b"foto");
        let other = FileKey::random().unwrap();
        for (key, number, last) in [(&key, 2, false), (&key, 3, true), (&other, 3, false)] {
            let opened = key.open_piece(number, last, &sealed);
            assert_eq!(opened, Err(VaultError::Damaged), "{number} {last}");
        }
    }

    #[test]
    fn a_key_opens_only_for_its_row() {
        let (vault, epoch) = (Vault::in_memory().unwrap(), Epoch::begin().unwrap());
        let key = FileKey::random().unwrap();
        let piece = key.seal_piece(0, true, b"x").unwrap();
        let (kept, lent) = (
            key.seal(&epoch, ("t", "a")).unwrap(),
            key.lend(&vault, ("t", "a")).unwrap(),
        );
        let kept_key = FileKey::open(&epoch, ("t", "a"), &kept).unwrap();
        let lent_key = FileKey::borrow(&vault, ("t", "a"), &lent).unwrap();
        for key in [kept_key, lent_key] {
            assert_eq!(key.open_piece(0, true, &piece).unwrap(), b"x");
        }
        assert!(FileKey::open(&epoch, ("t", "b"), &kept).is_err());
        assert!(FileKey::borrow(&vault, ("t", "b"), &lent).is_err());
    }
}
