//! Who holds an account, and who has proved its password.

use crate::actions::access::login_limit::Attempt;
use crate::actions::{Act, Error, Result};
use crate::domain::person::Person;
use crate::store::{PersonRow, SessionRow, Snapshot};
use crate::vault::{Secret32, Vault, is_mark};

/// At once, of a person or of the shared password.
const SESSIONS: usize = 20;
/// Keeps proofs of sessions apart from every other mark.
const PLACE: &str = "session";

pub struct ProvenPassword {
    pub credential: String,
    /// Second half of its derivation.
    pub slot_key: Secret32,
    pub attempt: Attempt,
}

/// Who holds an account: the person, none for the shared password, and the verifier of the password.
pub(in crate::actions) struct AccountHolder {
    pub(super) person: Option<PersonRow>,
    pub(super) credential: String,
}

impl AccountHolder {
    pub(in crate::actions) fn of(
        snapshot: &Snapshot<'_>,
        person: Option<&str>,
    ) -> Result<Option<Self>> {
        let (person, credential) = match person {
            None => (None, snapshot.credential()?),
            Some(id) => {
                let person = snapshot.person(id)?;
                let credential = person.as_ref().and_then(|row| row.credential.clone());
                (person, credential)
            }
        };
        Ok(credential.map(|credential| Self { person, credential }))
    }

    /// Who proved a password, as long as it is the same one still.
    pub(in crate::actions) fn who_proved(
        snapshot: &Snapshot<'_>,
        proven: &ProvenPassword,
    ) -> Result<Self> {
        let holder = Self::of(snapshot, proven.attempt.account.person())?;
        let same = holder.filter(|holder| holder.credential == proven.credential);
        same.ok_or(Error::WrongPassword)
    }

    /// The content of a proof. Another password, other rights or another passkey give another proof, even if earlier rows are put
    /// back.
    pub(super) fn proof(
        &self,
        vault: &Vault,
        token_hash: &[u8; 32],
        passkey: Option<&str>,
    ) -> [u8; 32] {
        let (id, rights) = self.person.as_ref().map_or_else(Default::default, |row| {
            let rights = format!("{} {:?}", row.role.as_str(), row.departments.keys());
            (row.id.as_str(), rights)
        });
        let credential = self.credential.as_bytes();
        let parts = [token_hash, id.as_bytes(), rights.as_bytes(), credential];
        let passkey = passkey.map(str::as_bytes);
        vault.stamp().mark(PLACE, parts.into_iter().chain(passkey))
    }

    pub(super) fn has_made(&self, vault: &Vault, session: &SessionRow) -> bool {
        let proof = self.proof(vault, &session.token_hash, session.passkey.as_deref());
        is_mark(&proof, &session.proof)
    }

    /// Whose it is; `None` for the shared password.
    pub(in crate::actions) fn person(&self) -> Option<Person> {
        self.person.as_ref().map(PersonRow::person)
    }

    /// Whether this is still the password that was proved once.
    pub(in crate::actions) fn has_credential(&self, proved: &str) -> bool {
        self.credential == proved
    }

    /// Whose, and as it is stored; `None` where no code is asked for.
    pub(in crate::actions) fn second_factor(&self) -> Option<(&str, &[u8])> {
        let row = self.person.as_ref()?;
        Some((&row.id, row.totp.as_deref()?))
    }

    /// Begins a session, by a passkey where one is named.
    pub(in crate::actions) fn begin(
        &self,
        act: &Act<'_>,
        token_hash: &[u8; 32],
        passkey: Option<&str>,
    ) -> Result<()> {
        let new = SessionRow {
            token_hash: *token_hash,
            proof: self.proof(act.vault, token_hash, passkey),
            person: self.person.as_ref().map(|row| row.id.clone()),
            user_agent: act.actor.browser(),
            created: act.now,
            last_seen: act.now,
            passkey: passkey.map(str::to_owned),
        };
        Ok(act.tx.insert_session(&new, SESSIONS)?)
    }
}
