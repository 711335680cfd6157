//! A file sealed in pieces, each bound to its place, under a key of its own that is stored only sealed: wiping the key erases
//! the file. Must never open a piece of another file or place, nor a file without its end.

use zeroize::Zeroizing;

use super::receipt::{open_with_receipt, seal_for_receipt};
use super::{Epoch, Secret32, VaultError, aead, open_row, seal_row};

const PIECE: &[u8] = b"segnalazioni file piece";
const NAME: &[u8] = b"segnalazioni file name";
/// The bytes of a piece; only the last one is shorter.
pub const PIECE_LEN: usize = 64 * 1024;
/// The bytes of a whole sealed piece.
pub const SEALED_LEN: usize = PIECE_LEN + aead::OVERHEAD;

type Row<'r> = (&'r str, &'r str);

pub struct FileKey(Secret32);

impl FileKey {
    pub fn random() -> Result<Self, VaultError> {
        Secret32::random().map(Self)
    }

    pub fn seal(&self, epoch: &Epoch, (table, id): Row<'_>) -> Result<Vec<u8>, VaultError> {
        seal_row(epoch, table, id, self.0.expose())
    }

    pub fn open(epoch: &Epoch, (table, id): Row<'_>, sealed: &[u8]) -> Result<Self, VaultError> {
        Self::of(open_row(epoch, table, id, sealed)?)
    }

    /// Seals the key for a receipt, so that the reporter can write the file while the archive is locked.
    pub fn seal_for(&self, receipt: &Secret32, place: &str) -> Result<Vec<u8>, VaultError> {
        seal_for_receipt(receipt, place, self.0.expose())
    }

    pub fn open_with(receipt: &Secret32, place: &str, sealed: &[u8]) -> Result<Self, VaultError> {
        Self::of(open_with_receipt(receipt, place, sealed)?)
    }

    pub fn seal_name(&self, name: &str) -> Result<Vec<u8>, VaultError> {
        aead::seal(&self.0, &[NAME], name.as_bytes())
    }

    pub fn open_name(&self, sealed: &[u8]) -> Result<Vec<u8>, VaultError> {
        aead::open(&self.0, &[NAME], sealed)
    }

    fn of(bytes: Vec<u8>) -> Result<Self, VaultError> {
        let key = Secret32::from_slice(&Zeroizing::new(bytes));
        key.map(Self).ok_or(VaultError::Damaged)
    }

    /// Seals a piece; `last` marks the end of the file.
    pub fn seal_piece(&self, number: u64, last: bool, piece: &[u8]) -> Result<Vec<u8>, VaultError> {
        let number = number.to_be_bytes();
        aead::seal(&self.0, &associated_data(&number, last), piece)
    }

    pub fn open_piece(
        &self,
        number: u64,
        last: bool,
        sealed: &[u8],
    ) -> Result<Vec<u8>, VaultError> {
        let number = number.to_be_bytes();
        aead::open(&self.0, &associated_data(&number, last), sealed)
    }
}

fn associated_data(number: &[u8; 8], last: bool) -> [&[u8]; 3] {
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
        let (receipt, epoch) = (Secret32::random().unwrap(), Epoch::begin().unwrap());
        let key = FileKey::random().unwrap();
        let (piece, name) = (
            key.seal_piece(0, true, b"x").unwrap(),
            key.seal_name("x").unwrap(),
        );
        let (kept, copy) = (
            key.seal(&epoch, ("t", "a")).unwrap(),
            key.seal_for(&receipt, "a").unwrap(),
        );
        let of_newsroom = FileKey::open(&epoch, ("t", "a"), &kept).unwrap();
        let of_reporter = FileKey::open_with(&receipt, "a", &copy).unwrap();
        for key in [of_newsroom, of_reporter] {
            assert_eq!(key.open_piece(0, true, &piece).unwrap(), b"x");
            assert_eq!(key.open_name(&name).unwrap(), b"x");
            assert!(key.open_name(&piece).is_err());
        }
        assert!(FileKey::open(&epoch, ("t", "b"), &kept).is_err());
        assert!(FileKey::open_with(&receipt, "b", &copy).is_err());
    }
}
