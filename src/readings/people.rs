//! The people who log in by a name of their own, and their sessions.

use std::collections::HashMap;

use serde::Serialize;
use utoipa::ToSchema;

use super::Reading;
use crate::actions;
use crate::actions::Error;
use crate::actions::desk::edit_reports::present;
use crate::actions::people::notices::{MailNotices, Notices};
use crate::actions::people::roster;
use crate::domain::declare::names;
use crate::domain::moment::rfc3339;
use crate::domain::person::{Person, Role};
use crate::domain::routing::{DepartmentKey, Departments};
use crate::store::{PasskeyRow, PersonRow, ReportRow, Snapshot};
use crate::vault::SlotKind;

names! {
    /// Whether a person can log in.
    pub enum PersonState {
        /// Has not answered the invitation yet.
        Invitata = "invitata",
        /// Has a password.
        Attiva = "attiva",
        /// Has no password, nor an invitation that is valid.
        Scaduta = "scaduta",
    }
}

/// A person.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Person)]
pub struct PersonOut {
    /// 36-character id.
    id: String,
    /// First name and surname.
    name: String,
    /// The name to log in by.
    user: String,
    /// Their role.
    role: Role,
    /// Departments that they see; empty: all.
    departments: Vec<DepartmentKey>,
    /// Whether they can log in.
    state: PersonState,
    /// Whether a second factor is asked for.
    second_factor: bool,
    /// The number of their passkeys.
    passkeys: i64,
    /// When they were added; RFC 3339, UTC.
    created: String,
    /// When they logged in last; RFC 3339, UTC.
    last_login: Option<String>,
}

impl PersonOut {
    fn of(row: PersonRow, departments: &Departments, passkeys: i64, now: i64) -> Self {
        let invited = row.invited_until.is_some_and(|until| now < until);
        let state = match (&row.credential, invited) {
            (Some(_), _) => PersonState::Attiva,
            (None, true) => PersonState::Invitata,
            (None, false) => PersonState::Scaduta,
        };
        Self {
            state,
            departments: row.departments.named(departments),
            second_factor: row.totp.is_some(),
            passkeys,
            created: rfc3339(row.created),
            last_login: row.last_login.map(rfc3339),
            id: row.id,
            name: row.name,
            user: row.user,
            role: row.role,
        }
    }
}

/// A person who did something, or may be given something to do.
#[derive(Serialize, ToSchema)]
pub struct Colleague {
    /// 36-character id.
    id: String,
    /// First name and surname.
    name: String,
    /// Whether the person was removed.
    gone: bool,
    /// Whether the person works on reports and may be given them, instead of only reading.
    edits: bool,
}

/// Whom an invitation is for.
#[derive(Serialize, ToSchema)]
pub struct InvitationOpened {
    /// First name and surname.
    pub name: String,
    /// The name to log in by.
    pub user: String,
}

/// A passkey.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Passkey)]
pub struct PasskeyOut {
    /// 36-character id.
    id: String,
    /// The name that its owner gave it.
    name: String,
    /// When it was added; RFC 3339, UTC.
    created: String,
    /// When it was used last; RFC 3339, UTC.
    last_used: Option<String>,
    /// Whether a login by it opens the reports in sealed mode.
    opens: bool,
    /// The host at which alone it is valid.
    host: String,
}

impl PasskeyOut {
    fn of(reading: Reading<'_>, snapshot: &Snapshot<'_>, row: PasskeyRow) -> actions::Result<Self> {
        let kind = SlotKind::Passkey.as_str();
        let slot = snapshot.slot(&reading.vault.key_id(), kind, &row.id)?;
        Ok(Self {
            id: row.id,
            name: row.name,
            created: rfc3339(row.created),
            last_used: row.last_used.map(rfc3339),
            opens: slot.is_some(),
            host: row.host,
        })
    }
}

/// A session.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = OwnSession)]
pub struct SessionOut {
    /// Its id, which cannot be used to log in.
    id: String,
    /// When it began; RFC 3339, UTC.
    created: String,
    /// When it was used last; RFC 3339, UTC.
    last_seen: String,
    /// The browser's own description.
    user_agent: String,
    /// Whether this is the calling session.
    current: bool,
}

/// The notification settings of a person.
pub fn account(snapshot: &Snapshot<'_>, person: &Person) -> actions::Result<MailNotices> {
    let row = snapshot.notices_of(&person.id)?.unwrap_or_default();
    let hours = row.hours.split_whitespace().map(str::to_owned).collect();
    Ok(MailNotices {
        email: row.email,
        notices: Notices {
            hours,
            urgent: row.urgent,
        },
    })
}

/// The people who may log in, in alphabetical order.
pub fn roster(reading: Reading<'_>, snapshot: &Snapshot<'_>) -> actions::Result<Vec<PersonOut>> {
    let now = reading.clock.now_ms();
    let here = snapshot
        .people()?
        .into_iter()
        .filter(|row| row.gone.is_none());
    let departments = snapshot.departments()?;
    let counts: HashMap<String, i64> = snapshot.passkey_counts()?.into_iter().collect();
    let shown = here.map(|row| {
        let passkeys = counts.get(&row.id).copied().unwrap_or_default();
        PersonOut::of(row, &departments, passkeys, now)
    });
    Ok(shown.collect())
}

/// The passkeys of a person, the first made before the others.
pub fn passkeys(
    reading: Reading<'_>,
    snapshot: &Snapshot<'_>,
    person: &str,
) -> actions::Result<Vec<PasskeyOut>> {
    let rows = snapshot.passkeys_of(person)?.into_iter();
    let shown = rows.map(|row| PasskeyOut::of(reading, snapshot, row));
    shown.collect()
}

/// One of a person's passkeys.
pub fn passkey(
    reading: Reading<'_>,
    snapshot: &Snapshot<'_>,
    id: &str,
) -> actions::Result<PasskeyOut> {
    let row = snapshot.passkey(id)?;
    PasskeyOut::of(reading, snapshot, row.ok_or(Error::PasskeyNotFound)?)
}

/// The names of all people by name, also of removed people.
/// With a report, only those who see it.
pub fn colleagues(
    snapshot: &Snapshot<'_>,
    report: Option<&str>,
) -> actions::Result<Vec<Colleague>> {
    let report = report.map(|id| present(snapshot, id)).transpose()?;
    let sees = |row: &PersonRow| {
        let among =
            |report: &ReportRow| row.gone.is_none() && row.departments.has(report.department);
        report.as_ref().is_none_or(among)
    };
    let rows = snapshot.people()?.into_iter().filter(sees);
    let named = rows.map(|row| Colleague {
        gone: row.gone.is_some(),
        edits: row.role != Role::Lettore,
        id: row.id,
        name: row.name,
    });
    Ok(named.collect())
}

/// Whom the invitation with this mark is for.
pub fn invitation(
    reading: Reading<'_>,
    snapshot: &Snapshot<'_>,
    mark: &[u8; 32],
) -> actions::Result<InvitationOpened> {
    let row = roster::invited(snapshot, mark, reading.clock.now_ms())?;
    Ok(InvitationOpened {
        name: row.name,
        user: row.user,
    })
}

/// The sessions of a person, or of the shared password, the latest used first; `own` is the mark of the one that asks.
pub fn sessions(
    snapshot: &Snapshot<'_>,
    person: Option<&str>,
    own: &[u8; 32],
) -> actions::Result<Vec<SessionOut>> {
    let rows = snapshot.sessions_of(person)?.into_iter();
    let shown = rows.map(|row| SessionOut {
        id: hex::encode(row.token_hash),
        created: rfc3339(row.created),
        last_seen: rfc3339(row.last_seen),
        current: row.token_hash == *own,
        user_agent: row.user_agent,
    });
    Ok(shown.collect())
}
