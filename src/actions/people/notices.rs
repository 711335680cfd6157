//! Notices by mail: a person's address and hours, and what is due to whom.
//! Must never send to an address that its person has not confirmed, nor count a report that they do not see.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::actions::archive::authenticity::amend;
use crate::actions::{Act, Error, Result};
use crate::domain::calendar::soon;
use crate::domain::fields::is_mailbox;
use crate::domain::invalid::Invalid;
use crate::domain::notice::{DESK_HOUR, Notices, Waiting};
use crate::domain::person::Person;
use crate::domain::report::Stato;
use crate::domain::routing::Departments;
use crate::domain::settings::{Email, entries};
use crate::store::{AgendaReason, NoticeRow, Snapshot};
use crate::vault::Vault;

/// What a link is sealed for, together with the person's id.
const LINK: &str = "notices";
const LINK_MS: i64 = 72 * 60 * 60 * 1_000;
const OLD_LINK: &str =
    "Questo collegamento non vale più: salva di nuovo l’indirizzo per averne un altro.";

/// What of one's account is not the password.
#[derive(Debug, Serialize, ToSchema)]
pub struct Account {
    /// Where notices go, once it is confirmed.
    #[schema(required)]
    pub email: Option<String>,
    /// When they go out.
    pub notices: Notices,
}

/// A change of it: what is absent stays.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AccountChange {
    /// Gets a link, and counts once that was followed; an empty one takes the address away.
    #[schema(max_length = 254)]
    pub email: Option<String>,
    /// When notices go out.
    #[schema(inline)]
    pub notices: Option<Notices>,
}

/// What somebody is to be told.
pub struct Notice {
    /// Id of the person; empty for the newsroom as a whole.
    person: String,
    pub to: Vec<String>,
    pub waiting: Waiting,
    /// What is noted of them once they were told.
    row: NoticeRow,
}

/// Who may be told, and when.
struct Listener {
    person: String,
    departments: Departments,
    to: Vec<String>,
    wanted: Notices,
    row: NoticeRow,
}

fn notices(row: &NoticeRow) -> Notices {
    let hours = row.hours.split_whitespace().map(str::to_owned).collect();
    Notices {
        hours,
        urgent: row.urgent,
    }
}

pub fn account(snapshot: &Snapshot<'_>, person: &Person) -> Result<Account> {
    let row = snapshot.notices_of(&person.id)?.unwrap_or_default();
    Ok(Account {
        notices: notices(&row),
        email: Some(row.email).filter(|email| !email.is_empty()),
    })
}

/// Saves it; answers an address that is to be confirmed, with the word of its link.
pub fn change(
    act: &Act<'_>,
    person: &Person,
    change: AccountChange,
) -> Result<Option<(String, String)>> {
    let mut row = act.notices_of(&person.id)?.unwrap_or_default();
    let email = change.email.map(|email| email.trim().to_owned());
    let mut refused = Vec::new();
    if email
        .as_ref()
        .is_some_and(|email| !email.is_empty() && !is_mailbox(email))
    {
        let message = "Scrivi un indirizzo email, come anna@esempio.it.";
        refused.push(Invalid::new("email", "format", message));
    }
    match change.notices.map(Notices::checked).transpose() {
        Ok(Some(wanted)) => {
            row.hours = wanted.hours.join(" ");
            row.urgent = wanted.urgent;
            row.seen = act.latest_arrival()?;
        }
        Ok(None) => {}
        Err(refusal) => refused.push(refusal),
    }
    if !refused.is_empty() {
        return Err(Error::Invalid(refused));
    }
    if email.as_deref() == Some("") {
        row.email.clear();
    }
    let new = email.filter(|email| !email.is_empty() && *email != row.email);
    amend(act, || Ok(act.tx.put_notices(&person.id, &row)?))?;
    new.map(|email| {
        let kept = format!("{} {email}", act.now + LINK_MS);
        let word = act
            .vault
            .seal_operational(LINK, &person.id, kept.as_bytes())?;
        Ok((email, URL_SAFE_NO_PAD.encode(word)))
    })
    .transpose()
}

/// The link that went to an address was followed by whose it is to be.
pub fn confirm(act: &Act<'_>, person: &Person, word: &str) -> Result<()> {
    let email = linked(act.vault, person, word, act.now).ok_or(Error::Conflict(OLD_LINK))?;
    let row = act.notices_of(&person.id)?.unwrap_or_default();
    amend(act, || {
        Ok(act
            .tx
            .put_notices(&person.id, &NoticeRow { email, ..row })?)
    })?;
    act.log_of(person, "email confermata")
}

fn linked(vault: &Vault, person: &Person, word: &str, now: i64) -> Option<String> {
    let sealed = URL_SAFE_NO_PAD.decode(word).ok()?;
    let kept = vault.open_operational(LINK, &person.id, &sealed).ok()?;
    let (until, email) = std::str::from_utf8(&kept).ok()?.split_once(' ')?;
    let until: i64 = until.parse().ok()?;
    (now < until).then(|| email.to_owned())
}

/// Whom to tell now, and what; of nothing too, which is noted.
pub fn due(
    snapshot: &Snapshot<'_>,
    email: &Email,
    now: i64,
    zone: &TimeZone,
) -> Result<Vec<Notice>> {
    let (mut all, latest) = (Vec::new(), snapshot.latest_arrival()?);
    for Listener {
        person,
        departments,
        to,
        wanted,
        mut row,
    } in listeners(snapshot, email)?
    {
        let seen = snapshot.seeing(departments);
        let hour = wanted.struck(now, zone).filter(|hour| *hour > row.told);
        let urgent = if wanted.urgent {
            seen.urgent_since(row.seen)?
        } else {
            0
        };
        if hour.is_none() && urgent == 0 {
            continue;
        }
        let who = Some(person.as_str()).filter(|id| !id.is_empty());
        let waiting = waiting(&seen, who, urgent, (now, zone))?;
        row.told = hour.unwrap_or(row.told);
        row.seen = latest;
        all.push(Notice {
            person,
            to,
            waiting,
            row,
        });
    }
    Ok(all)
}

/// People with an address that is theirs, or the newsroom as a whole where nobody has a name of their own.
fn listeners(snapshot: &Snapshot<'_>, email: &Email) -> Result<Vec<Listener>> {
    let people = snapshot.people()?.into_iter();
    let people: Vec<_> = people.filter(|row| row.credential.is_some()).collect();
    if people.is_empty() && email.desk_digest {
        return Ok(vec![Listener {
            person: String::new(),
            departments: Departments::ALL,
            to: entries(&email.email_recipient).map(str::to_owned).collect(),
            wanted: Notices {
                hours: vec![DESK_HOUR.to_owned()],
                urgent: false,
            },
            row: snapshot.notices_of("")?.unwrap_or_default(),
        }]);
    }
    let mut listeners = Vec::new();
    for person in people {
        let row = snapshot.notices_of(&person.id)?.unwrap_or_default();
        listeners.push(Listener {
            person: person.id,
            departments: person.departments,
            to: vec![row.email.clone()],
            wanted: notices(&row),
            row,
        });
    }
    listeners.retain(|one| one.to.iter().any(|to| !to.is_empty()));
    Ok(listeners)
}

fn waiting(
    snapshot: &Snapshot<'_>,
    person: Option<&str>,
    urgent: i64,
    (now, zone): (i64, &TimeZone),
) -> Result<Waiting> {
    let counts = snapshot.agenda_counts(person, now, soon(now, zone))?;
    let of = |why| {
        counts
            .iter()
            .find(|(one, _)| *one == why)
            .map_or(0, |(_, n)| *n)
    };
    Ok(Waiting {
        urgent,
        assigned: of(AgendaReason::Assigned),
        answers: of(AgendaReason::Answer),
        due: of(AgendaReason::Due),
        new: snapshot.counted(Some(Stato::Nuova), None)?,
    })
}

pub fn note_told(act: &Act<'_>, notice: &Notice) -> Result<()> {
    Ok(act.tx.put_notices(&notice.person, &notice.row)?)
}
