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
use crate::domain::person::{Person, Role};
use crate::domain::report::Stato;
use crate::domain::routing::Sight;
use crate::domain::settings::Email;
use crate::store::{AgendaReason, PersonRow, Snapshot};
use crate::vault::{Vault, VaultError};

/// The purpose that a link is sealed for, together with the person's id.
const LINK: &str = "notices";
const LINK_MS: i64 = 72 * 60 * 60 * 1_000;
const OLD_LINK: Error =
    Error::conflict("Questo link non vale più: salva di nuovo l’indirizzo per averne un altro.");

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

/// An address that its person is to confirm.
pub struct AddressToConfirm {
    pub email: String,
    /// The content of the link that goes to it.
    pub token: String,
}

/// The change of an address that a link confirms. It is void once another address is confirmed.
#[derive(Serialize, Deserialize)]
struct AddressLink {
    /// Until when it is good, in ms.
    until: i64,
    email: String,
    /// The address that it replaces.
    before: String,
}

/// Saves the notification settings; answers an address that is to be confirmed first.
pub fn change(
    act: &Act<'_>,
    person: &Person,
    mut new: MailNotices,
) -> Result<Option<AddressToConfirm>> {
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
    let link = AddressLink {
        until: act.now + LINK_MS,
        email: new.email,
        before: row.email,
    };
    let kept = serde_json::to_vec(&link).map_err(|_| VaultError::Damaged)?;
    let sealed = act.vault.seal_operational(LINK, &person.id, &kept)?;
    Ok(Some(AddressToConfirm {
        email: link.email,
        token: URL_SAFE_NO_PAD.encode(sealed),
    }))
}

/// The person followed the link that went to their new address.
pub fn confirm(act: &Act<'_>, person: &Person, token: &str) -> Result<()> {
    let mut row = act.notices_of(&person.id)?.unwrap_or_default();
    let link = opened(act.vault, person, token);
    let link = link.filter(|link| act.now < link.until && link.before == row.email);
    (row.email, row.seen) = (link.ok_or(OLD_LINK)?.email, act.newest_seq()?);
    amend(act, || Ok(act.tx.put_notices(&person.id, &row)?))?;
    act.log_of(person, "email confermata")
}

fn opened(vault: &Vault, person: &Person, token: &str) -> Option<AddressLink> {
    let sealed = URL_SAFE_NO_PAD.decode(token).ok()?;
    let kept = vault.open_operational(LINK, &person.id, &sealed).ok()?;
    serde_json::from_slice(&kept).ok()
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
    let acts = |row: &PersonRow| row.role <= Role::Redattore;
    let mut people: Vec<_> = people
        .map(|row| (acts(&row), row.id, row.departments))
        .collect();
    if people.is_empty() && email.desk_digest {
        people.push((true, String::new(), Sight::ALL));
    }
    let (mut all, latest) = (Vec::new(), snapshot.newest_seq()?);
    for (acts, person, departments) in people {
        let mut row = snapshot.notices_of(&person)?.unwrap_or_default();
        if person.is_empty() {
            (row.email, row.hours) = (email.email_recipient.clone(), DESK_HOUR.to_owned());
        }
        let seen = snapshot.seeing(&departments);
        let hour = struck(&row.hours, now, zone).filter(|hour| *hour > row.told);
        let urgent = row.urgent.then(|| seen.urgent_since(row.seen));
        let urgent = urgent.transpose()?.unwrap_or(0);
        if !row.email.is_empty() && (hour.is_some() || urgent > 0) {
            let who = Some(person.as_str()).filter(|id| !id.is_empty());
            all.push(DueNotice {
                waiting: Waiting {
                    urgent,
                    grown: seen.grown_since(row.seen)?,
                    ..waiting(&seen, (who, acts), now, zone)?
                },
                person,
                to: row.email,
                told: hour.unwrap_or(row.told),
                seen: latest,
            });
        }
    }
    Ok(all)
}

/// What waits for a person, who may act on reports or only read them, whenever they were told last.
fn waiting(
    snapshot: &Snapshot<'_>,
    (person, acts): (Option<&str>, bool),
    now: i64,
    zone: &TimeZone,
) -> Result<Waiting> {
    let counts = snapshot.agenda_counts(person, now, soon(now, zone), acts)?;
    let counts: HashMap<_, _> = counts.into_iter().collect();
    let of = |why| counts.get(&why).copied().unwrap_or_default();
    Ok(Waiting {
        assigned: of(AgendaReason::Assigned),
        answers: of(AgendaReason::Answer),
        due: of(AgendaReason::Due),
        new: snapshot.counted(Some(Stato::Nuova), None)?,
        ..Waiting::default()
    })
}

pub fn note_told(act: &Act<'_>, notice: &DueNotice) -> Result<()> {
    Ok(act.tx.note_told(&notice.person, notice.told, notice.seen)?)
}
