//! The vault as its callers see it: locking, epochs rolling over, set-up to sealed mode. No real password costs here.

use std::sync::Arc;

use super::epoch::EPOCH_LIFE_MS;
use super::password::{self, SALT_LEN};
use super::*;

const NOW: i64 = 1_790_000_000_000;

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
    let (epoch, sealed) = vault.current_epoch(NOW).unwrap();
    vault.current_epoch(NOW + EPOCH_LIFE_MS).unwrap();
    assert!(vault.is_unlocked());
    vault.lock();
    assert!(vault.is_unlocked());
    assert_eq!(vault.open_epoch(&sealed).unwrap().id, epoch.id);
}

#[test]
fn a_copy_of_another_pair_does_not_unlock() {
    let mut file = KeyFile::generate().unwrap();
    file.newsroom = Some(NewsroomCopy::new(keypair::generate().unwrap().0));
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
fn an_epoch_lasts_one_hour_and_always_comes_with_its_sealed_key() {
    let vault = Vault::in_memory().unwrap();
    let (first, first_sealed) = vault.current_epoch(NOW).unwrap();
    assert_eq!(
        (first.born_ms, first_sealed.id, first_sealed.key_id),
        (NOW, first.id, vault.key_id())
    );
    let (same, same_sealed) = vault.current_epoch(NOW + EPOCH_LIFE_MS - 1).unwrap();
    assert!(Arc::ptr_eq(&first, &same));
    assert_eq!(first_sealed, same_sealed);
    let (next, next_sealed) = vault.current_epoch(NOW + EPOCH_LIFE_MS).unwrap();
    assert_ne!(next.id, first.id);
    assert_eq!(
        (next.born_ms, next_sealed.id),
        (NOW + EPOCH_LIFE_MS, next.id)
    );
    // A caller whose `now` is a moment older, as threads overtake one another, does not begin yet another.
    assert!(Arc::ptr_eq(
        &vault.current_epoch(NOW + EPOCH_LIFE_MS - 5).unwrap().0,
        &next
    ));
}

#[test]
fn each_start_begins_a_new_epoch_and_reads_the_old_one() {
    let mut file = KeyFile::generate().unwrap();
    let (private, public) = keypair::generate().unwrap();
    file.newsroom = Some(NewsroomCopy::new(private));
    let before = Vault::new(&file, public).unwrap();
    let (epoch, sealed) = before.current_epoch(NOW).unwrap();
    let row = seal_row(&epoch, "segnalazioni", "a", b"dati").unwrap();
    let token = before.seal_token(b"stato").unwrap();

    let after = Vault::new(&file, public).unwrap();
    assert_ne!(after.current_epoch(NOW).unwrap().0.id, epoch.id);
    assert_eq!(
        open_row(
            &after.open_epoch(&sealed).unwrap(),
            "segnalazioni",
            "a",
            &row
        )
        .unwrap(),
        b"dati"
    );
    assert_eq!(after.open_token(&token).unwrap(), b"stato");
    assert_eq!(after.fingerprint(b"x"), before.fingerprint(b"x"));
    assert_eq!(after.mask_client(b"x"), before.mask_client(b"x"));
    assert_ne!(after.mask_client(b"x"), after.fingerprint(b"x"));
}

#[test]
fn locked_it_seals_and_reads_the_current_epoch_only() {
    let (vault, private) = sealed_mode();
    let (old, old_sealed) = vault.current_epoch(NOW).unwrap();
    let (_, now_sealed) = vault.current_epoch(NOW + EPOCH_LIFE_MS).unwrap();
    assert!(vault.open_epoch(&now_sealed).is_ok());
    assert_eq!(
        vault.open_epoch(&old_sealed).unwrap_err(),
        VaultError::Locked
    );
    vault.unlock(private).unwrap();
    assert_eq!(vault.open_epoch(&old_sealed).unwrap().id, old.id);
}

#[test]
fn locking_wipes_what_opens_reports() {
    let (vault, private) = sealed_mode();
    let (_, old) = vault.current_epoch(NOW).unwrap();
    let (current, sealed) = vault.current_epoch(NOW + EPOCH_LIFE_MS).unwrap();
    vault.unlock(private).unwrap();
    let opened = vault.open_epoch(&old).unwrap();
    vault.lock();
    assert!(!vault.is_unlocked());
    // The keys held here are the last ones: the vault kept none.
    assert_eq!(
        (Arc::strong_count(&opened), Arc::strong_count(&current)),
        (1, 1)
    );
    assert_eq!(vault.open_epoch(&old).unwrap_err(), VaultError::Locked);
    assert_eq!(vault.open_epoch(&sealed).unwrap_err(), VaultError::Locked);
    let (next, _) = vault.current_epoch(NOW + EPOCH_LIFE_MS).unwrap();
    assert_ne!(next.id, current.id);
    vault.lock();
    assert!(Arc::ptr_eq(
        &vault.current_epoch(NOW + EPOCH_LIFE_MS).unwrap().0,
        &next
    ));
}

#[test]
fn from_set_up_to_sealed_mode_and_back() {
    let vault = Vault::in_memory().unwrap();
    let (epoch, sealed) = vault.current_epoch(NOW).unwrap();
    let row = seal_row(&epoch, "segnalazioni", "a", b"dati").unwrap();
    drop(epoch);
    let (m_kib, t, p) = (8, 1, 1);
    let params = PasswordParams { m_kib, t, p };
    let slot_key = || {
        password::derive(b"una password lunga", &params, &[1; SALT_LEN])
            .unwrap()
            .slot_key
    };
    let slot = vault.seal_slot(SlotKind::Password, &slot_key()).unwrap();
    let code = RecoveryCode::generate().unwrap();
    let spare = vault
        .seal_slot(SlotKind::Recovery, &code.slot_key().unwrap())
        .unwrap();

    vault.set_copy_kept(false);
    assert!(vault.is_unlocked());
    vault.lock();
    assert_eq!(vault.open_epoch(&sealed).unwrap_err(), VaultError::Locked);
    assert_eq!(
        vault
            .seal_slot(SlotKind::Recovery, &slot_key())
            .unwrap_err(),
        VaultError::Locked
    );
    vault.unlock(slot.open(&slot_key()).unwrap()).unwrap();
    assert_eq!(
        open_row(
            &vault.open_epoch(&sealed).unwrap(),
            "segnalazioni",
            "a",
            &row
        )
        .unwrap(),
        b"dati"
    );
    vault.lock();
    vault
        .unlock(spare.open(&code.slot_key().unwrap()).unwrap())
        .unwrap();
    vault.set_copy_kept(true);
    vault.lock();
    assert!(vault.is_unlocked());
}
