//! Logging in by a passkey: counted as a password is, and in one transaction with the counter of the authenticator.
//! Must never let in who has nothing that opens the reports where the rows came from elsewhere: they may be a stranger's.

use crate::actions::access::account::AccountHolder;
use crate::actions::access::login_limit::{
    self, Account, Attempt, Counted, Origin, passkeys_of, take_back,
};
use crate::actions::access::sign_in::{LetIn, let_in, open_archive, open_vault};
use crate::actions::archive::authenticity::{Trust, amend, guard};
use crate::actions::archive::sealing::put_slot;
use crate::actions::{Act, Error, Result};
use crate::store::PasskeyRow;
use crate::vault::passkey::LoginAnswer;
use crate::vault::{PrivateKey, Secret32, SlotKind, passkey_key};

/// An answer that proved right.
pub struct ProvenPasskey {
    /// As it was when the answer was checked.
    pub row: PasskeyRow,
    /// How it is stored from now on, where that is another.
    pub credential: Option<String>,
    /// The result of `prf`, where the authenticator gave one.
    pub computed: Option<Secret32>,
    pub attempt: Attempt,
}

pub enum PasskeyOutcome {
    /// As of a login by password.
    In { key_file_agrees: bool },
    /// The archive came from elsewhere, and this passkey opens nothing: no session began.
    PasswordFirst,
}

/// The passkey that an answer names, where it is one of ours and of this host; whether the answer is right was not looked at. One
/// attempt is counted at its person's account, at nobody's where there is no such passkey.
pub fn admit(
    act: &Act<'_>,
    origin: &Origin,
    host: &str,
    answer: Option<&LoginAnswer>,
) -> Result<(Option<PasskeyRow>, Counted)> {
    guard(act, act.vault)?;
    let named = answer.map(|answer| act.passkey_by_handle(answer.handle()));
    let own = |row: &PasskeyRow| {
        row.host == host && answer.is_some_and(|answer| answer.is_of(&row.person))
    };
    let row = named.transpose()?.flatten().filter(own);
    let person = row.as_ref().map(|row| passkeys_of(&row.person));
    let counted = login_limit::count(act, origin, person.unwrap_or(Account::Nobody))?;
    Ok((row, counted))
}

/// Begins a session, unless the passkey is another by now; opens the archive where the passkey has a slot, and makes it one where
/// it can. The caller does what the key file needs.
pub fn begin_session(
    act: &Act<'_>,
    proven: &ProvenPasskey,
    token_hash: &[u8; 32],
    browser_hash: &[u8; 32],
) -> Result<PasskeyOutcome> {
    let row = &proven.row;
    let holder = holder_of(act, row)?;
    let person = holder.person().ok_or(Error::WrongPassword)?;
    let actor = act.actor.with(person);
    let act = &Act {
        actor: &actor,
        ..*act
    };
    let held = guard(act, act.vault)? == Trust::DaConfermare;
    let key = proven.computed.as_ref();
    let key = key.map(|computed| passkey_key(computed, &row.salt));
    let key = key.transpose()?;
    let private = open(act, row, key.as_ref(), held)?;
    if held && private.is_none() {
        // It was right: that is no failure, and forgives none.
        take_back(act, &proven.attempt)?;
        return Ok(PasskeyOutcome::PasswordFirst);
    }
    keep(act, proven, key.as_ref().filter(|_| private.is_none()))?;
    let by = LetIn {
        attempt: &proven.attempt,
        passkey: Some(row),
        token_hash,
        browser_hash,
    };
    let_in(act, &holder, &by)?;
    let Some(private) = private else {
        return Ok(PasskeyOutcome::In {
            key_file_agrees: true,
        });
    };
    let key_file_agrees = open_vault(act, private)?;
    Ok(PasskeyOutcome::In { key_file_agrees })
}

/// Whose it is, as long as it is the same still. The counter too: of two answers at once, one is the last.
fn holder_of(act: &Act<'_>, row: &PasskeyRow) -> Result<AccountHolder> {
    let same = act
        .passkey(&row.id)?
        .is_some_and(|now| (&now.person, &now.credential) == (&row.person, &row.credential));
    let holder = AccountHolder::of(act, Some(&row.person))?;
    holder.filter(|_| same).ok_or(Error::WrongPassword)
}

fn open(
    act: &Act<'_>,
    row: &PasskeyRow,
    key: Option<&Secret32>,
    held: bool,
) -> Result<Option<PrivateKey>> {
    match key {
        Some(key) if has_slot(act, row)? => {
            open_archive(act, SlotKind::Passkey, &row.id, key, held)
        }
        _ => Ok(None),
    }
}

fn has_slot(act: &Act<'_>, row: &PasskeyRow) -> Result<bool> {
    let slot = act.slot(&act.vault.key_id(), SlotKind::Passkey.as_str(), &row.id)?;
    Ok(slot.is_some())
}

/// Notes the use and the counter, and makes the slot that is lacking where the archive is open.
fn keep(act: &Act<'_>, proven: &ProvenPasskey, key: Option<&Secret32>) -> Result<()> {
    let row = &proven.row;
    act.tx.note_passkey(&row.id, act.now)?;
    let lacking = act.vault.is_unlocked() && !has_slot(act, row)?;
    let key = key.filter(|_| lacking);
    if proven.credential.is_none() && key.is_none() {
        return Ok(());
    }
    amend(act, || {
        if let Some(credential) = &proven.credential {
            act.tx.put_passkey(&row.id, credential)?;
        }
        match key {
            Some(key) => put_slot(act, SlotKind::Passkey, &row.id, key),
            None => Ok(()),
        }
    })
}
