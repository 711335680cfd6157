//! Notices by mail: a person's address and hours, and what is due to whom.
//! Must never send to an address that its person has not confirmed, nor count a report that they do not see.

use std::collections::HashMap;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::actions::archive::authenticity::amend;
use crate::actions::{Act, Error, Result};
use crate::domain::calendar::soon;
use crate::domain::fields::{is_mailbox, parse_email};
use crate::domain::invalid::Invalid;
use crate::domain::notice::{DESK_HOUR, Waiting, hours, struck};
use crate::domain::person::Person;
use crate::domain::report::Stato;
use crate::domain::routing::Departments;
use crate::domain::settings::Email;
use crate::store::{AgendaReason, Snapshot};
use crate::vault::{Vault, VaultError};

/// The purpose that a link is sealed for, together with the person's id.
const LINK: &str = "notices";
const LINK_MS: i64 = 72 * 60 * 60 * 1_000;
const OLD_LINK: Error = Error::conflict(
    "Questo collegamento non vale più: salva di nuovo l’indirizzo per averne un altro.",
);

/// The caller's notification settings.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MailNotices {
    /// The address that notices go to; empty for none. A new address takes effect once the link that is mailed to it
    /// has been followed.
    #[schema(max_length = 254)]
    pub email: String,
    /// When they go out.
    pub notices: Notices,
}

/// When a person is told by mail what waits for them.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Notices {
    /// Hours of the newsroom's day, such as `08:00`; none: never. At most 6.
    pub hours: Vec<String>,
    /// Whether an urgent report is told at once.
    pub urgent: bool,
}

/// A notice that is due to a person.
pub struct DueNotice {
    /// Id of the person; empty for the newsroom as a whole.
    person: String,
    /// Addresses, as a list.
    pub to: String,
    pub waiting: Waiting,
    told: i64,
    seen: i64,
}

pub fn account(snapshot: &Snapshot<'_>, person: &Person) -> Result<MailNotices> {
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

/// Saves it; answers an address that is to be confirmed, with the word of its link.
pub fn change(
    act: &Act<'_>,
    person: &Person,
    mut new: MailNotices,
) -> Result<Option<(String, String)>> {
    let mut row = act.notices_of(&person.id)?.unwrap_or_default();
    if let Ok(address) = parse_email(&new.email) {
        new.email = address;
    }
    if !new.email.is_empty() && !is_mailbox(&new.email) {
        let message = "Scrivi un indirizzo email, come anna@esempio.it.";
        return Err(Invalid::new("email", "format", message).into());
    }
    (row.hours, row.urgent) = (hours(new.notices.hours)?, new.notices.urgent);
    row.seen = act.newest_seq()?;
    if new.email.is_empty() {
        row.email.clear();
    }
    amend(act, || Ok(act.tx.put_notices(&person.id, &row)?))?;
    if new.email == row.email {
        return Ok(None);
    }
    let word = word_of(act, person, (&new.email, &row.email))?;
    Ok(Some((new.email, word)))
}

/// The content of the link to a new address, with the address that it replaces: the link is void once another one is
/// confirmed.
fn word_of(act: &Act<'_>, person: &Person, (email, before): (&str, &str)) -> Result<String> {
    let kept = serde_json::to_vec(&(act.now + LINK_MS, email, before));
    let kept = kept.map_err(|_| VaultError::Damaged)?;
    let word = act.vault.seal_operational(LINK, &person.id, &kept)?;
    Ok(URL_SAFE_NO_PAD.encode(word))
}

/// The link that went to an address was followed by whose it is to be.
pub fn confirm(act: &Act<'_>, person: &Person, word: &str) -> Result<()> {
    let mut row = act.notices_of(&person.id)?.unwrap_or_default();
    let linked = linked(act.vault, person, word, act.now);
    let linked = linked.filter(|(_, before)| *before == row.email);
    let (email, _) = linked.ok_or(OLD_LINK)?;
    (row.email, row.seen) = (email, act.newest_seq()?);
    amend(act, || Ok(act.tx.put_notices(&person.id, &row)?))?;
    act.log_of(person, "email confermata")
}

fn linked(vault: &Vault, person: &Person, word: &str, now: i64) -> Option<(String, String)> {
    let sealed = URL_SAFE_NO_PAD.decode(word).ok()?;
    let kept = vault.open_operational(LINK, &person.id, &sealed).ok()?;
    let (until, email, before): (i64, _, _) = serde_json::from_slice(&kept).ok()?;
    (now < until).then_some((email, before))
}

/// Whom to tell now, and what; of nothing too, which is noted.
pub fn due(
    snapshot: &Snapshot<'_>,
    email: &Email,
    now: i64,
    zone: &TimeZone,
) -> Result<Vec<DueNotice>> {
    let people = snapshot.people()?.into_iter();
    let people = people.filter(|row| row.credential.is_some());
    let mut people: Vec<_> = people.map(|row| (row.id, row.departments)).collect();
    if people.is_empty() && email.desk_digest {
        people.push((String::new(), Departments::ALL));
    }
    let (mut all, latest) = (Vec::new(), snapshot.newest_seq()?);
    for (person, departments) in people {
        let mut row = snapshot.notices_of(&person)?.unwrap_or_default();
        if person.is_empty() {
            (row.email, row.hours) = (email.email_recipient.clone(), DESK_HOUR.to_owned());
        }
        let seen = snapshot.seeing(departments);
        let hour = struck(&row.hours, now, zone).filter(|hour| *hour > row.told);
        let urgent = if row.urgent {
            seen.urgent_since(row.seen)?
        } else {
            0
        };
        if !row.email.is_empty() && (hour.is_some() || urgent > 0) {
            let who = Some(person.as_str()).filter(|id| !id.is_empty());
            all.push(DueNotice {
                waiting: waiting(&seen, who, (urgent, row.seen), (now, zone))?,
                person,
                to: row.email,
                told: hour.unwrap_or(row.told),
                seen: latest,
            });
        }
    }
    Ok(all)
}

fn waiting(
    snapshot: &Snapshot<'_>,
    person: Option<&str>,
    (urgent, seen): (i64, i64),
    (now, zone): (i64, &TimeZone),
) -> Result<Waiting> {
    let counts = snapshot.agenda_counts(person, now, soon(now, zone))?;
    let counts: HashMap<_, _> = counts.into_iter().collect();
    let of = |why| counts.get(&why).copied().unwrap_or_default();
    Ok(Waiting {
        urgent,
        assigned: of(AgendaReason::Assigned),
        answers: of(AgendaReason::Answer),
        due: of(AgendaReason::Due),
        new: snapshot.counted(Some(Stato::Nuova), None)?,
        grown: snapshot.grown_since(seen)?,
    })
}

pub fn note_told(act: &Act<'_>, notice: &DueNotice) -> Result<()> {
    Ok(act.tx.note_told(&notice.person, notice.told, notice.seen)?)
}
