//! Sessions: how one begins once a password proved right, whose it is, when it ends, logging out.
//! Must never leave the cookie of an ended session usable, nor one of a person whose password or rights are others by now, or
//! whose passkey, by which it began, is gone.

use std::sync::Arc;

use crate::actions::access::account::{AccountHolder, ProvenPassword};
use crate::actions::access::login_limit::{Attempt, forgive, know_browser};
use crate::actions::archive::authenticity::{Trust, guard, sample};
use crate::actions::archive::sealing::open_slot;
use crate::actions::people::second_factor;
use crate::actions::people::second_factor::CodeCheck;
use crate::actions::settings::secrets;
use crate::actions::settings::sections::security;
use crate::actions::{Act, Error, Result, VaultChange};
use crate::domain::person::{Person, SecondFactorState};
use crate::domain::settings::Security;
use crate::store::{Action, PasskeyRow, PersonRow, SessionRow, Snapshot};
use crate::vault::{PrivateKey, Secret32, SlotKind, Vault, VaultError};

/// A session ends after 12 hours whatever happens (PRODUCT.md §7), in ms.
const SESSION_MS: i64 = 12 * 60 * MINUTE_MS;
/// A stored time this far ahead of the clock is believed, in ms; what lies further ahead was written by a wrong clock.
const CLOCK_SLACK_MS: i64 = MINUTE_MS;
const MINUTE_MS: i64 = 60_000;

/// When a session without further activity ends (ms), given the time of the last activity. One from the future has ended: a
/// clock that ran ahead was set right, and would else keep it alive until it catches up.
pub fn session_end(session: &SessionRow, seen: i64, now: i64, security: &Security) -> i64 {
    let idle = i64::from(security.session_timeout) * MINUTE_MS;
    let ahead = session.created.max(seen) > now + CLOCK_SLACK_MS;
    if ahead {
        return now;
    }
    (seen + idle).min(session.created + SESSION_MS)
}

/// A session that lasts, and who is logged in by it.
pub struct SessionRights {
    pub session: SessionRow,
    /// `None` for the shared password.
    pub person: Option<Arc<Person>>,
    pub second_factor: SecondFactorState,
}

/// The rights of a session in this snapshot. `host` is where passkeys are valid.
pub fn session_rights(
    snapshot: &Snapshot<'_>,
    vault: &Vault,
    token_hash: &[u8; 32],
    (security, host): (&Security, Option<&str>),
    now: i64,
) -> Result<Option<SessionRights>> {
    let Some(session) = snapshot.session(token_hash)? else {
        return Ok(None);
    };
    let open = session.person.is_some() || security.shared_password;
    let holder = AccountHolder::of(snapshot, session.person.as_deref())?;
    let made = |holder: &AccountHolder| holder.has_made(vault, &session);
    let open = open && keeps_passkey(snapshot, &session)?;
    let lasts = open && session_end(&session, session.last_seen, now, security) > now;
    let Some(holder) = holder.filter(made).filter(|_| lasts) else {
        return Ok(None);
    };
    let row = holder.person.as_ref();
    let second_factor = match row {
        Some(row) if row.totp.is_some() => SecondFactorState::On,
        Some(row) if security.require_second_factor => {
            let met = host.map(|host| snapshot.has_passkey_at(&row.id, host));
            match met.transpose()? {
                Some(true) => SecondFactorState::Off,
                _ => SecondFactorState::Required,
            }
        }
        _ => SecondFactorState::Off,
    };
    Ok(Some(SessionRights {
        person: row.map(|row| Arc::new(row.person())),
        second_factor,
        session,
    }))
}

/// Whether the passkey by which a session began, if by one, is its person's still.
fn keeps_passkey(snapshot: &Snapshot<'_>, session: &SessionRow) -> Result<bool> {
    let Some(id) = &session.passkey else {
        return Ok(true);
    };
    let passkey = snapshot.passkey(id)?;
    Ok(passkey.is_some_and(|row| Some(row.person) == session.person))
}

/// Refuses a change of a person who was removed, or whose rights changed, since it began: its body was long on its way, or it
/// is one step of many.
pub fn keeps_rights(act: &Act<'_>) -> Result<()> {
    let Some(person) = &act.actor.person else {
        return Ok(());
    };
    let row = act.person(&person.id)?.filter(|row| row.gone.is_none());
    let same = |row: PersonRow| row.role == person.role && row.departments == person.departments;
    if row.is_some_and(same) {
        return Ok(());
    }
    Err(Error::conflict(
        "I tuoi permessi sono cambiati: ricarica la pagina.",
    ))
}

/// A person's rights are others from now on than `before`: the sessions that they had go on with those.
pub(in crate::actions) fn renew_sessions(act: &Act<'_>, before: PersonRow) -> Result<()> {
    let Some(holder) = AccountHolder::of(act, Some(&before.id))? else {
        return Ok(());
    };
    let before = AccountHolder {
        credential: holder.credential.clone(),
        person: Some(before),
    };
    for session in act.sessions_of(holder.person.as_ref().map(|row| row.id.as_str()))? {
        if before.has_made(act.vault, &session) {
            let (hash, passkey) = (&session.token_hash, session.passkey.as_deref());
            let proof = holder.proof(act.vault, hash, passkey);
            act.tx.put_proof(hash, &proof)?;
        }
    }
    Ok(())
}

/// How a login goes on once the password proved right.
pub enum LoginOutcome {
    /// The person is logged in; whether the key file says the same as the database: not so after a restore on a new machine, or a
    /// change of sealed mode that was cut off.
    In { key_file_agrees: bool },
    /// No session began: the second factor is missing or wrong.
    CodeNeeded(CodeCheck),
    /// No session began: the password does not open this archive.
    Refused,
}

/// By what a login goes on beside its password.
#[derive(Clone, Copy)]
pub struct SecondFactor<'s> {
    pub code: Option<&'s str>,
    /// Where passkeys are valid.
    pub host: Option<&'s str>,
}

/// The password was right: asks for the second factor, opens the slot, begins a session and knows the browser. The vault is
/// unlocked once that is on disk. The caller does what the key file needs.
pub fn begin_session(
    act: &Act<'_>,
    proven: &ProvenPassword,
    second: SecondFactor<'_>,
    token_hash: &[u8; 32],
    browser_hash: &[u8; 32],
) -> Result<LoginOutcome> {
    let holder = AccountHolder::who_proved(act, proven)?;
    let actor = match holder.person() {
        None => act.actor.clone(),
        Some(person) => act.actor.with(person),
    };
    let act = &Act {
        actor: &actor,
        ..*act
    };
    let held = guard(act, act.vault)? == Trust::DaConfermare;
    match second_factor::ask(act, &holder, proven, second.code, second.host)? {
        CodeCheck::Enough => {}
        asked => return Ok(LoginOutcome::CodeNeeded(asked)),
    }
    let Some(private) = open_by_password(act, proven, held)? else {
        return Ok(LoginOutcome::Refused);
    };
    let by = LetIn {
        attempt: &proven.attempt,
        passkey: None,
        token_hash,
        browser_hash,
    };
    let_in(act, &holder, &by)?;
    let key_file_agrees = open_vault(act, private)?;
    Ok(LoginOutcome::In { key_file_agrees })
}

/// The proof by which a session begins, and the marks of its cookies.
pub(super) struct LetIn<'i> {
    pub attempt: &'i Attempt,
    pub passkey: Option<&'i PasskeyRow>,
    pub token_hash: &'i [u8; 32],
    pub browser_hash: &'i [u8; 32],
}

/// Begins a session and knows the browser, once all was proved.
pub(super) fn let_in(act: &Act<'_>, holder: &AccountHolder, by: &LetIn<'_>) -> Result<()> {
    forgive(act, by.attempt)?;
    know_browser(act, by.attempt, by.browser_hash)?;
    end_expired_sessions(act)?;
    let passkey = by.passkey.map(|row| row.id.as_str());
    holder.begin(act, by.token_hash, passkey)?;
    if let Some(id) = by.attempt.account.person() {
        act.tx.note_login(id, act.now)?;
    }
    let about = by.passkey.map(PasskeyRow::told);
    act.log_login(about)
}

/// Unlocks the vault once that is on disk. Answers whether the key file says the same as the database.
pub(super) fn open_vault(act: &Act<'_>, private: PrivateKey) -> Result<bool> {
    let pair = act.active_key_pair()?.ok_or(VaultError::Damaged)?;
    act.after_commit(VaultChange::Unlock(private));
    Ok(pair.sealed != act.vault.is_copy_kept())
}

/// Opens the archive, once that is on disk, by the password of who is logged in already; what the key file needs then is the
/// caller's to do. Answers as a login does.
pub fn unlock(act: &Act<'_>, proven: &ProvenPassword) -> Result<LoginOutcome> {
    AccountHolder::who_proved(act, proven)?;
    let held = guard(act, act.vault)? == Trust::DaConfermare;
    let Some(private) = open_by_password(act, proven, held)? else {
        return Ok(LoginOutcome::Refused);
    };
    forgive(act, &proven.attempt)?;
    let key_file_agrees = open_vault(act, private)?;
    Ok(LoginOutcome::In { key_file_agrees })
}

pub fn end_expired_sessions(act: &Act<'_>) -> Result<()> {
    let idle = i64::from(security(act)?.session_timeout) * MINUTE_MS;
    let (tx, now) = (act.tx, act.now);
    Ok(tx.delete_expired_sessions(now - SESSION_MS, now - idle, now + CLOCK_SLACK_MS)?)
}

/// Notes that a person did something.
pub fn note_activity(act: &Act<'_>, session: &[u8; 32]) -> Result<()> {
    Ok(act.tx.touch_session(session, act.now)?)
}

/// A login from a browser that was not known was seen in this session.
pub fn see_newcomer(act: &Act<'_>, session: &[u8; 32]) -> Result<()> {
    Ok(act.tx.forget_newcomer(session)?)
}

/// Sessions of one account, by marks.
#[derive(Clone, Copy)]
pub enum SessionSelection<'m> {
    One(&'m [u8]),
    AllBut(&'m [u8; 32]),
}

/// Ends sessions of the actor; answers how many. With the last one a sealed archive is locked.
pub fn end_own(act: &Act<'_>, which: SessionSelection<'_>) -> Result<usize> {
    let person = act.actor.person.as_ref().map(|person| person.id.as_str());
    let ended = match which {
        SessionSelection::One(token_hash) => act.tx.delete_session_of(person, token_hash),
        SessionSelection::AllBut(token_hash) => act.tx.delete_sessions_of(person, Some(token_hash)),
    };
    let ended = ended?;
    if ended > 0 {
        act.log(Action::Logout, None)?;
    }
    lock_when_alone(act)?;
    Ok(ended)
}

/// Locks a sealed archive when no session is left. One that is not sealed stays as it is.
pub fn lock_when_alone(act: &Act<'_>) -> Result<()> {
    if act.session_count()? == 0 {
        act.after_commit(VaultChange::Lock);
    }
    Ok(())
}

/// The private key, where the password opens this archive.
fn open_by_password(
    act: &Act<'_>,
    proven: &ProvenPassword,
    held: bool,
) -> Result<Option<PrivateKey>> {
    let owner = proven.attempt.account.person().unwrap_or_default();
    let opened = open_archive(act, SlotKind::Password, owner, &proven.slot_key, held)?;
    if opened.is_none() {
        tracing::error!("a right password does not open the archive: nobody is let in");
    }
    Ok(opened)
}

/// The private key, where this slot opens to it; the secrets of the settings are sealed anew where they need it. Where the rows
/// came from elsewhere (`held`), the key must open the reports.
pub(super) fn open_archive(
    act: &Act<'_>,
    kind: SlotKind,
    owner: &str,
    slot_key: &Secret32,
    held: bool,
) -> Result<Option<PrivateKey>> {
    let private = match open_slot(act, act.vault, kind, owner, slot_key) {
        Err(Error::Vault(error)) => {
            let kind = kind.as_str();
            tracing::warn!(%error, kind, "a slot does not open");
            return Ok(None);
        }
        opened => opened?,
    };
    let vault = &act.vault.unlocked_with(private.clone())?;
    if held && !act.vault.is_unlocked() && sample(act, vault)?.is_foreign() {
        let kind = kind.as_str();
        tracing::warn!(kind, "a slot has a key that does not open the reports");
        return Ok(None);
    }
    secrets::refresh(&Act { vault, ..*act }, held)?;
    Ok(Some(private))
}
