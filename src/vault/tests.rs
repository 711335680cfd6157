//! The vault as its callers see it: locking, epochs rolling over, set-up to sealed mode. No real password costs here.

use std::sync::Arc;

use super::password::{self, SALT_LEN};
use super::*;

const NOW: i64 = 1_790_000_000_000;

fn open(vault: &Vault, sealed: &CurrentEpoch) -> Result<Arc<Epoch>, VaultError> {
    vault.open_epoch(sealed.epoch.id, &vault.key_id(), &sealed.sealed)
}

/// A vault in sealed mode, with its private key aside.
fn sealed_mode() -> (Vault, PrivateKey) {
    let (private, public) = keypair::generate().unwrap();
    (
        Vault::new(&KeyFile::generate().unwrap(), public).unwrap(),
        private,
    )
}

#[test]
fn the_copy_in_the_key_file_unlocks_and_cannot_be_locked() {
    let vault = Vault::in_memory().unwrap();
    let first = vault.current_epoch(NOW).unwrap();
    vault.current_epoch(NOW + EPOCH_LIFE_MS).unwrap();
    assert!(vault.is_unlocked());
    vault.lock();
    assert!(vault.is_unlocked());
    assert_eq!(open(&vault, &first).unwrap().id, first.epoch.id);
}

#[test]
fn a_copy_of_another_pair_does_not_unlock() {
    let mut file = KeyFile::generate().unwrap();
    file.newsroom = Some(keypair::generate().unwrap().0);
    let (private, public) = keypair::generate().unwrap();
    let vault = Vault::new(&file, public).unwrap();
    assert!(!vault.is_unlocked());
    assert_eq!(
        (vault.public_key(), vault.key_id()),
        (public, public.key_id())
    );
    vault.unlock(private).unwrap();
    vault.lock();
    assert!(!vault.is_unlocked());
}

#[test]
fn only_the_newsrooms_key_unlocks() {
    let (vault, private) = sealed_mode();
    assert_eq!(
        vault.unlock(keypair::generate().unwrap().0),
        Err(VaultError::WrongKey)
    );
    assert!(!vault.is_unlocked());
    vault.unlock(private).unwrap();
    assert!(vault.is_unlocked());
}

#[test]
fn an_epoch_lasts_one_hour_either_way() {
    let vault = Vault::in_memory().unwrap();
    let first = vault.current_epoch(NOW).unwrap();
    assert_eq!(first.born_ms, NOW);
    // A caller whose `now` is a moment older, as threads overtake one another, does not begin yet another.
    for now in [NOW + EPOCH_LIFE_MS - 1, NOW - 5, NOW - EPOCH_LIFE_MS + 1] {
        assert!(Arc::ptr_eq(&first, &vault.current_epoch(now).unwrap()));
    }
    let mut last = first;
    for now in [NOW + EPOCH_LIFE_MS, NOW, i64::MIN, i64::MAX] {
        let next = vault.current_epoch(now).unwrap();
        assert_ne!(next.epoch.id, last.epoch.id, "{now}");
        assert_eq!(next.born_ms, now);
        last = next;
    }
}

#[test]
fn each_start_begins_a_new_epoch_and_reads_the_old_one() {
    let mut file = KeyFile::generate().unwrap();
    let (private, public) = keypair::generate().unwrap();
    file.newsroom = Some(private);
    let before = Vault::new(&file, public).unwrap();
    let sealed = before.current_epoch(NOW).unwrap();
    let row = seal_row(&sealed.epoch, "segnalazioni", "a", b"dati").unwrap();
    let token = before.seal_token(b"stato").unwrap();

    let after = Vault::new(&file, public).unwrap();
    assert_ne!(after.current_epoch(NOW).unwrap().epoch.id, sealed.epoch.id);
    let opened = open(&after, &sealed).unwrap();
    let dati = open_row(&opened, "segnalazioni", "a", &row).unwrap();
    assert_eq!(dati, b"dati");
    assert_eq!(after.open_token(&token).unwrap(), b"stato");
    assert_eq!(after.fingerprint(b"x"), before.fingerprint(b"x"));
    assert_eq!(after.mask_client(b"x"), before.mask_client(b"x"));
    assert_ne!(after.mask_client(b"x"), after.fingerprint(b"x"));
}

#[test]
fn locked_it_seals_and_reads_the_current_epoch_only() {
    let (vault, private) = sealed_mode();
    let old = vault.current_epoch(NOW).unwrap();
    let now = vault.current_epoch(NOW + EPOCH_LIFE_MS).unwrap();
    assert!(open(&vault, &now).is_ok());
    assert_eq!(open(&vault, &old).unwrap_err(), VaultError::Locked);
    vault.unlock(private).unwrap();
    assert_eq!(open(&vault, &old).unwrap().id, old.epoch.id);
    let another = vault.open_epoch(old.epoch.id, &"0".repeat(32), &old.sealed);
    assert_eq!(another.unwrap_err(), VaultError::WrongKey);
}

#[test]
fn locking_wipes_what_opens_reports() {
    let (vault, private) = sealed_mode();
    let old = vault.current_epoch(NOW).unwrap();
    let current = vault.current_epoch(NOW + EPOCH_LIFE_MS).unwrap();
    vault.unlock(private).unwrap();
    let opened = open(&vault, &old).unwrap();
    vault.lock();
    assert!(!vault.is_unlocked());
    // The keys held here are the last ones: the vault kept none.
    assert_eq!(
        (Arc::strong_count(&opened), Arc::strong_count(&current)),
        (1, 1)
    );
    assert_eq!(open(&vault, &old).unwrap_err(), VaultError::Locked);
    assert_eq!(open(&vault, &current).unwrap_err(), VaultError::Locked);
    let next = vault.current_epoch(NOW + EPOCH_LIFE_MS).unwrap();
    assert_ne!(next.epoch.id, current.epoch.id);
    vault.lock();
    let again = vault.current_epoch(NOW + EPOCH_LIFE_MS).unwrap();
    assert!(Arc::ptr_eq(&again, &next));
}

#[test]
fn from_set_up_to_sealed_mode_and_back() {
    let vault = Vault::in_memory().unwrap();
    let sealed = vault.current_epoch(NOW).unwrap();
    let row = seal_row(&sealed.epoch, "segnalazioni", "a", b"dati").unwrap();
    let (m_kib, t, p) = (8, 1, 1);
    let params = PasswordParams { m_kib, t, p };
    let slot_key = || {
        password::derive(b"una password lunga", &params, &[1; SALT_LEN])
            .unwrap()
            .slot_key
    };
    let slot = vault.seal_slot(SlotKind::Password, &slot_key()).unwrap();
    let code_key = RecoveryCode::generate().unwrap().slot_key().unwrap();
    let spare = vault.seal_slot(SlotKind::Recovery, &code_key).unwrap();

    vault.set_copy_kept(false);
    assert!(vault.is_unlocked());
    vault.lock();
    assert_eq!(open(&vault, &sealed).unwrap_err(), VaultError::Locked);
    let refused = vault.seal_slot(SlotKind::Recovery, &slot_key());
    assert_eq!(refused.unwrap_err(), VaultError::Locked);
    let opened = vault.open_slot(SlotKind::Password, &slot_key(), &slot);
    vault.unlock(opened.unwrap()).unwrap();
    let epoch = open(&vault, &sealed).unwrap();
    assert_eq!(
        open_row(&epoch, "segnalazioni", "a", &row).unwrap(),
        b"dati"
    );
    vault.lock();
    let opened = vault.open_slot(SlotKind::Recovery, &code_key, &spare);
    vault.unlock(opened.unwrap()).unwrap();
    vault.set_copy_kept(true);
    vault.lock();
    assert!(vault.is_unlocked());
}
