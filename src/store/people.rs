//! Tables `people` (who logs in by a name of their own) and `invitations` (who may choose a password).
//! Must never hold a password, a key or a link's token, nor lose the name of somebody who went.

use rusqlite::params;

use super::error::Result;
use super::session::{Snapshot, Tx, columns, statements};
use crate::domain::person::{Person, Role};
use crate::domain::routing::Departments;

#[derive(Debug, Clone)]
pub struct PersonRow {
    pub id: String,
    pub name: String,
    pub user: String,
    pub role: Role,
    pub departments: Departments,
    /// As the action that sets passwords wrote it; `None` until the invitation is answered.
    pub credential: Option<String>,
    /// Second factor, sealed.
    pub totp: Option<Vec<u8>>,
    pub created: i64,
    pub gone: Option<i64>,
    pub last_login: Option<i64>,
}

impl PersonRow {
    pub fn person(&self) -> Person {
        Person {
            id: self.id.clone(),
            name: self.name.clone(),
            user: self.user.clone(),
            role: self.role,
            departments: self.departments,
        }
    }
}

#[derive(Debug, Clone)]
pub struct InvitationRow {
    pub person: String,
    pub until: i64,
    /// The private key, under a key derived from the token.
    pub slot: Vec<u8>,
}

columns! {
    PersonRow { id, name, user, role, departments, credential, totp, created, gone, last_login }
    InvitationRow { person, until, slot }
}

impl Snapshot<'_> {
    statements! {
        find person(id: &str) -> Option<PersonRow> =
            "SELECT id, name, user, role, departments, credential, totp, created, gone, last_login FROM people WHERE id = ?1";
        /// Who logs in by this name.
        find person_of(user: &str) -> Option<PersonRow> =
            "SELECT id, name, user, role, departments, credential, totp, created, gone, last_login FROM people \
            WHERE user = ?1 AND gone IS NULL";
        /// All by name, also who went.
        list people() -> Vec<PersonRow> =
            "SELECT id, name, user, role, departments, credential, totp, created, gone, last_login FROM people \
            ORDER BY name, id";
        /// Whether there is such a person, who did not go.
        value has_person(id: &str) -> bool = "SELECT EXISTS (SELECT 1 FROM people WHERE id = ?1 AND gone IS NULL)";
        /// Ids and names of all, also who went.
        list named_people() -> Vec<(String, String)> = "SELECT id, name FROM people ORDER BY created, id";
        /// Ids of those who went.
        values gone_people() -> Vec<String> = "SELECT id FROM people WHERE gone IS NOT NULL";
        /// Administrators who can log in.
        value administrators() -> i64 =
            "SELECT count(*) FROM people WHERE role = 'amministratore' AND credential IS NOT NULL";
        find invitation(token_hash: &[u8; 32]) -> Option<InvitationRow> =
            "SELECT person, until, slot FROM invitations WHERE token_hash = ?1";
        /// Who is invited, and until when.
        list invitations() -> Vec<(String, i64)> = "SELECT person, until FROM invitations";
    }
}

impl Tx<'_> {
    statements! {
        /// Adds a person who cannot log in yet.
        execute insert_person(person: &Person, now: i64) =
            "INSERT INTO people (id, name, user, role, departments, created) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            [person.id, person.name, person.user, person.role, person.departments, now];
        /// Adds who is known by name alone, as somebody who went, unless there is such a person.
        execute remember_person(id: &str, name: &str, now: i64) =
            "INSERT INTO people (id, name, user, role, departments, created, gone) \
            VALUES (?1, ?2, '', 'lettore', 1, ?3, ?3) ON CONFLICT (id) DO NOTHING";
        execute change_person(person: &Person) =
            "UPDATE people SET name = ?2, role = ?3, departments = ?4 WHERE id = ?1",
            [person.id, person.name, person.role, person.departments];
        execute put_credential_of(id: &str, credential: &str, totp: Option<&[u8]>) =
            "UPDATE people SET credential = ?2, totp = ?3 WHERE id = ?1";
        execute put_totp(id: &str, totp: Option<&[u8]>) = "UPDATE people SET totp = ?2 WHERE id = ?1";
        execute note_login(id: &str, now: i64) = "UPDATE people SET last_login = ?2 WHERE id = ?1";
        execute put_invitation(token_hash: &[u8; 32], row: &InvitationRow) =
            "INSERT OR REPLACE INTO invitations (person, token_hash, until, slot) VALUES (?2, ?1, ?3, ?4)",
            [token_hash, row.person, row.until, row.slot];
        execute drop_invitation(person: &str) = "DELETE FROM invitations WHERE person = ?1";
        changed drop_old_invitations(now: i64) -> usize = "DELETE FROM invitations WHERE until <= ?1";
    }

    /// Takes from a person all that opens anything; the row stays.
    pub fn let_go(&self, id: &str, now: i64) -> Result<()> {
        self.execute(
            "UPDATE people SET credential = NULL, totp = NULL, gone = ?2 WHERE id = ?1",
            params![id, now],
        )?;
        self.drop_slots_of(id)?;
        self.drop_invitation(id)
    }

    /// Takes from everybody all that opens anything; they can be invited anew.
    pub fn close_people(&self) -> Result<()> {
        self.execute("UPDATE people SET credential = NULL, totp = NULL", [])?;
        self.execute("DELETE FROM key_slots WHERE owner <> ''", [])?;
        self.execute("DELETE FROM invitations", [])
    }
}
