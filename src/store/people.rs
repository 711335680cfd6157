//! Table `people`: who logs in by a name of their own, and who is invited to choose a password.
//! Must never hold a password, a key or a link's token, nor lose the name of a person who went.

use rusqlite::params;

use super::error::Result;
use super::session::{Snapshot, Tx, columns, statements};
use crate::domain::person::{Person, Role};
use crate::domain::routing::Sight;

#[derive(Debug, Clone)]
pub struct PersonRow {
    pub id: String,
    pub name: String,
    pub user: String,
    pub role: Role,
    pub departments: Sight,
    /// As the action that sets passwords wrote it; `None` until the invitation is answered.
    pub credential: Option<String>,
    /// Second factor, sealed.
    pub totp: Option<Vec<u8>>,
    pub created: i64,
    pub gone: Option<i64>,
    pub last_login: Option<i64>,
    /// Until when an invitation is valid.
    pub invited_until: Option<i64>,
}

impl PersonRow {
    pub fn person(&self) -> Person {
        Person {
            id: self.id.clone(),
            name: self.name.clone(),
            user: self.user.clone(),
            role: self.role,
            departments: self.departments.clone(),
        }
    }
}

// As the table has them: its rows are read whole.
columns! {
    PersonRow { id, name, user, role, departments, credential, totp, created, gone, last_login, invited_until }
}

impl Snapshot<'_> {
    statements! {
        find person(id: &str) -> Option<PersonRow> = "SELECT * FROM people WHERE id = ?1";
        /// Who logs in by this name.
        find person_of(user: &str) -> Option<PersonRow> = "SELECT * FROM people WHERE user = ?1 AND gone IS NULL";
        /// Whom the link of this token invites, for as long as that is valid.
        find invited(token_hash: &[u8; 32], now: i64) -> Option<PersonRow> =
            "SELECT * FROM people WHERE invitation = ?1 AND invited_until > ?2";
        /// All by name, also who went.
        list people() -> Vec<PersonRow> = "SELECT * FROM people ORDER BY name, id";
        /// Whether there is such a person, who did not go.
        /// Ids and names of all, also who went.
        list named_people() -> Vec<(String, String)> = "SELECT id, name FROM people ORDER BY created, id";
        /// Ids of those who went.
        values gone_people() -> Vec<String> = "SELECT id FROM people WHERE gone IS NOT NULL";
        /// Administrators who can log in.
        value administrators() -> i64 =
            "SELECT count(*) FROM people WHERE role = 'amministratore' AND credential IS NOT NULL";
    }
}

impl Tx<'_> {
    statements! {
        /// Adds a person who cannot log in yet.
        execute insert_person(person: &Person, now: i64) =
            "INSERT INTO people (id, name, user, role, departments, created) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            [person.id, person.name, person.user, person.role, person.departments, now];
        /// Adds a person known by name alone, as one who went, unless there is such a person.
        execute remember_person(id: &str, name: &str, now: i64) =
            "INSERT INTO people (id, name, user, role, departments, created, gone) \
            VALUES (?1, ?2, '', 'lettore', '[\"generale\"]', ?3, ?3) ON CONFLICT (id) DO NOTHING";
        execute change_person(person: &Person) =
            "UPDATE people SET name = ?2, role = ?3, departments = ?4 WHERE id = ?1",
            [person.id, person.name, person.role, person.departments];
        execute put_credential_of(id: &str, credential: &str, totp: Option<&[u8]>) =
            "UPDATE people SET credential = ?2, totp = ?3 WHERE id = ?1";
        execute put_totp(id: &str, totp: Option<&[u8]>) = "UPDATE people SET totp = ?2 WHERE id = ?1";
        execute note_login(id: &str, now: i64) = "UPDATE people SET last_login = ?2 WHERE id = ?1";
        execute put_invitation(id: &str, token_hash: Option<&[u8; 32]>, until: Option<i64>) =
            "UPDATE people SET invitation = ?2, invited_until = ?3 WHERE id = ?1";
    }

    /// Takes from a person all that opens anything; the row stays.
    pub fn let_go(&self, id: &str, now: i64) -> Result<()> {
        self.execute(
            "UPDATE people SET credential = NULL, totp = NULL, invitation = NULL, invited_until = NULL, gone = ?2 WHERE id = ?1",
            params![id, now],
        )?;
        self.drop_slots_of(id)
    }

    /// Forgets invitations past their end, with what opens by them.
    pub fn drop_old_invitations(&self, now: i64) -> Result<()> {
        self.execute(
            "DELETE FROM key_slots WHERE kind = 'invitation' AND owner IN (SELECT id FROM people WHERE invited_until <= ?1)",
            [now],
        )?;
        self.execute(
            "UPDATE people SET invitation = NULL, invited_until = NULL WHERE invited_until <= ?1",
            [now],
        )
    }

    /// Takes from everybody all that opens anything but their passkeys, which open the archive no more; they can be invited anew.
    pub fn close_people(&self) -> Result<()> {
        self.execute(
            "UPDATE people SET credential = NULL, totp = NULL, invitation = NULL, invited_until = NULL",
            [],
        )?;
        self.execute("DELETE FROM key_slots WHERE owner <> ''", [])
    }
}
