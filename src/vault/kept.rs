//! What the program itself must be able to read back at any time, such as the password of the mail server: sealed under
//! the operational key, and a second time to the newsroom's key for the day when the operational key is another one.
//! A blob must never open at another place than the one it was sealed for.

use zeroize::Zeroizing;

use super::{Vault, VaultError, keypair};

/// Keeps what is sealed to the newsroom here apart from epochs.
const NEWSROOM: &[u8] = b"segnalazioni kept 1";

impl Vault {
    /// Seals under the operational key, for row `id` of `table`.
    pub fn seal_operational(
        &self,
        table: &str,
        id: &str,
        plaintext: &[u8],
    ) -> Result<Vec<u8>, VaultError> {
        self.operational.seal_kept(table, id, plaintext)
    }

    pub fn open_operational(
        &self,
        table: &str,
        id: &str,
        sealed: &[u8],
    ) -> Result<Zeroizing<Vec<u8>>, VaultError> {
        self.operational
            .open_kept(table, id, sealed)
            .map(Zeroizing::new)
    }

    /// Seals to the newsroom's key, for row `id` of `table`.
    pub fn seal_to_newsroom(
        &self,
        table: &str,
        id: &str,
        plaintext: &[u8],
    ) -> Result<Vec<u8>, VaultError> {
        keypair::seal_to(&self.public, NEWSROOM, &place(table, id), plaintext)
    }

    /// Opens what [`Vault::seal_to_newsroom`] made for the same row.
    pub fn open_from_newsroom(
        &self,
        table: &str,
        id: &str,
        sealed: &[u8],
    ) -> Result<Zeroizing<Vec<u8>>, VaultError> {
        let private = self
            .reading
            .lock()
            .private
            .clone()
            .ok_or(VaultError::Locked)?;
        keypair::open_with(&private, NEWSROOM, &place(table, id), sealed)
    }
}

/// Table and row as associated data; neither holds the byte between them.
fn place(table: &str, id: &str) -> Vec<u8> {
    [table.as_bytes(), &[0], id.as_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vault::{KeyFile, NewsroomCopy, Secret32};

    fn vault(file: &KeyFile) -> Vault {
        let public = file.newsroom.as_ref().unwrap().private.public_key();
        Vault::new(file, public).unwrap()
    }

    fn file() -> KeyFile {
        let mut file = KeyFile::generate().unwrap();
        let (private, _) = keypair::generate().unwrap();
        file.newsroom = Some(NewsroomCopy::new(private));
        file
    }

    /// Secrets outlive upgrades, so the format is pinned: operational key 00…1f, nonce 100…123, made with Python as the
    /// tokens' vector was.
    #[test]
    fn the_format_is_the_pinned_one() {
        const SEALED: &str = "016465666768696a6b6c6d6e6f707172737475767778797a7b\
                              d53ce364dd9a0cd9d792067f357005824c8694155649";
        let mut file = file();
        let key: Vec<u8> = (0..32).collect();
        file.operational = Secret32::from_slice(&key).unwrap();
        let opened = vault(&file)
            .open_operational("secrets", "smtp_password", &hex::decode(SEALED).unwrap())
            .unwrap();
        assert_eq!(*opened, b"valore");
    }

    #[test]
    fn each_opens_at_its_own_place_only() {
        let vault = vault(&file());
        let sealed = vault.seal_operational("secrets", "a", b"valore").unwrap();
        assert_eq!(
            *vault.open_operational("secrets", "a", &sealed).unwrap(),
            b"valore"
        );
        for (table, id) in [("secrets", "b"), ("deliveries", "a"), ("secretsa", "")] {
            assert_eq!(
                vault.open_operational(table, id, &sealed),
                Err(VaultError::Damaged)
            );
        }
        let sealed = vault.seal_to_newsroom("secrets", "a", b"valore").unwrap();
        assert_eq!(
            *vault.open_from_newsroom("secrets", "a", &sealed).unwrap(),
            b"valore"
        );
        assert_eq!(
            vault.open_from_newsroom("secrets", "b", &sealed),
            Err(VaultError::Damaged)
        );
    }

    #[test]
    fn another_machine_opens_only_the_newsrooms_copy() {
        let mut there = file();
        let sealed = vault(&there)
            .seal_operational("secrets", "a", b"valore")
            .unwrap();
        let to_newsroom = vault(&there)
            .seal_to_newsroom("secrets", "a", b"valore")
            .unwrap();
        there.operational = Secret32::random().unwrap();
        let here = vault(&there);
        assert_eq!(
            here.open_operational("secrets", "a", &sealed),
            Err(VaultError::Damaged)
        );
        assert_eq!(
            *here
                .open_from_newsroom("secrets", "a", &to_newsroom)
                .unwrap(),
            b"valore"
        );
        let private = there.newsroom.take().unwrap().private;
        let locked = Vault::new(&there, private.public_key()).unwrap();
        assert_eq!(
            locked.open_from_newsroom("secrets", "a", &to_newsroom),
            Err(VaultError::Locked)
        );
    }
}
