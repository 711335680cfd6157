//! One row of personal data as one blob: XChaCha20-Poly1305 under an epoch's key, bound to format, table and row id
//! (PRODUCT.md §4). A blob copied to another row, table or format must never open.

use super::{Epoch, VaultError, aead};

/// The first format of a row: `1 ‖ nonce (24) ‖ ciphertext ‖ tag (16)`.
pub const ROW_FORMAT: u8 = 1;

/// Keeps rows apart from every other use of the cipher.
const PURPOSE: &[u8] = b"segnalazioni row";

/// Seals the personal data of row `id` of `table` under the epoch's key.
pub fn seal_row(
    epoch: &Epoch,
    table: &str,
    id: &str,
    plaintext: &[u8],
) -> Result<Vec<u8>, VaultError> {
    aead::seal(
        epoch.key(),
        ROW_FORMAT,
        &[PURPOSE, table.as_bytes(), id.as_bytes()],
        plaintext,
    )
}

pub fn open_row(
    epoch: &Epoch,
    table: &str,
    id: &str,
    sealed: &[u8],
) -> Result<Vec<u8>, VaultError> {
    aead::open(
        epoch.key(),
        ROW_FORMAT,
        &[PURPOSE, table.as_bytes(), id.as_bytes()],
        sealed,
    )
}

#[cfg(test)]
mod tests {
    use super::super::keypair;
    use super::*;

    /// Archives live for years, so the format is pinned: key 00…1f, nonce 100…123, made with Python (`HChaCha20` by hand
    /// over `ChaCha20Poly1305` of pyca/cryptography).
    #[test]
    fn the_format_is_the_pinned_one() {
        const SEALED: &str = "016465666768696a6b6c6d6e6f707172737475767778797a7b\
                              18128dd9c8219a45a5acf1904d3f75c9bcf347ee";
        let key: Vec<u8> = (0..32).collect();
        let (private, public) = keypair::generate().unwrap();
        let mut sealed_epoch = Epoch::begin(0).unwrap().seal(&public).unwrap();
        let aad = [
            sealed_epoch.id.to_be_bytes().as_slice(),
            public.key_id().as_bytes(),
        ]
        .concat();
        sealed_epoch.sealed =
            keypair::seal_to(&public, b"segnalazioni epoch 1", &aad, &key).unwrap();
        let epoch = sealed_epoch.open(&private).unwrap();
        assert_eq!(
            open_row(&epoch, "segnalazioni", "a-1", &hex::decode(SEALED).unwrap()).unwrap(),
            b"dati"
        );
    }

    #[test]
    fn a_blob_opens_only_in_its_place() {
        let (epoch, other) = (Epoch::begin(0).unwrap(), Epoch::begin(0).unwrap());
        let sealed = seal_row(&epoch, "segnalazioni", "a-1", b"dati").unwrap();
        assert_eq!(
            open_row(&epoch, "segnalazioni", "a-1", &sealed).unwrap(),
            b"dati"
        );
        for (epoch, table, id) in [
            (&epoch, "segnalazioni", "a-2"),
            (&epoch, "consegne", "a-1"),
            (&epoch, "segnalazionia", "-1"),
            (&epoch, "", "segnalazionia-1"),
            (&other, "segnalazioni", "a-1"),
        ] {
            assert_eq!(
                open_row(epoch, table, id, &sealed),
                Err(VaultError::Damaged),
                "{table}/{id}"
            );
        }
    }

    #[test]
    fn another_format_is_named() {
        let epoch = Epoch::begin(0).unwrap();
        let mut sealed = seal_row(&epoch, "t", "1", b"dati").unwrap();
        sealed[0] = 2;
        assert_eq!(
            open_row(&epoch, "t", "1", &sealed),
            Err(VaultError::UnknownFormat(2))
        );
        // Sealed under format 2 and relabelled as format 1: the format is authenticated as well as read.
        let mut foreign = aead::seal(epoch.key(), 2, &[PURPOSE, b"t", b"1"], b"dati").unwrap();
        foreign[0] = ROW_FORMAT;
        assert_eq!(
            open_row(&epoch, "t", "1", &foreign),
            Err(VaultError::Damaged)
        );
    }
}
