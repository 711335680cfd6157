//! The trace of an erased report: a digest of its id, by which a restored copy is recognised.

use sha2::{Digest, Sha256};

const CONTEXT: &[u8] = b"segnalazioni/erased/1\0";

/// Without a key: an id is 122 random bits, and a restore on a machine with other keys must know it too.
pub fn trace(id: &str) -> [u8; 32] {
    Sha256::new()
        .chain_update(CONTEXT)
        .chain_update(id.as_bytes())
        .finalize()
        .into()
}

#[cfg(test)]
mod tests {
    use super::trace;

    #[test]
    fn a_trace_is_that_of_its_id_for_good() {
        let id = "6b1f0c1e-9a53-4a2e-8f5e-0d6f1c2b3a49";
        // A value of another program: printf 'segnalazioni/erased/1\0%s' … | sha256sum
        assert_eq!(
            hex::encode(trace(id)),
            "76399475ff58d04fe7877d4a24764c620a29711bd11d6648821e28ccfed225f6"
        );
        assert_ne!(trace(id), trace("6b1f0c1e-9a53-4a2e-8f5e-0d6f1c2b3a48"));
    }
}
