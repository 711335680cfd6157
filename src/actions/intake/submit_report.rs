//! A finished conversation becomes a report, and a mail and a call of the webhook (PRODUCT.md §5) wait in the outbox. Sent
//! twice, it stays one report.
//! Must never answer before its transaction is durable, send anything, nor store anything in the clear.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::actions::archive::sealing::{Content, SealedReport, seal_report};
use crate::actions::intake::attachments::told;
use crate::actions::settings::in_force::InForce;
use crate::actions::settings::sections::load;
use crate::actions::{Act, Error, Result};
use crate::domain::care::Concern;
use crate::domain::delivery::{Kind, NO_RECIPIENT, NO_SERVER};
use crate::domain::media::attachment::Told;
use crate::domain::payload::Payload;
use crate::domain::report::{Origine, Report};
use crate::domain::routing::{Analysis, Department};
use crate::domain::settings::{Email, System};
use crate::store::{NewDelivery, ReportRow};
use crate::vault::{ReceiptCode, Vault, VaultError};

/// Nothing more can be said or attached.
pub(in crate::actions) const SENT: Error =
    Error::Conflict("Questa segnalazione è già stata inviata.");

pub struct Submission {
    /// Id the conversation has carried from its start.
    pub id: String,
    pub report: Report,
    /// Keyed fingerprint of what the reporter said.
    pub impronta: [u8; 16],
    pub urgente: Option<Concern>,
    pub privacy_version: String,
    /// The code of its receipt; none where reporters get none.
    pub receipt: Option<ReceiptCode>,
    /// The way by which it came.
    pub origine: Origine,
    /// Where it goes, if that was found when its account was given and nothing was added since.
    pub routed: Option<Routed>,
}

/// Where an account goes, by the settings and the memory of one moment.
#[derive(Clone, Serialize, Deserialize)]
pub struct Routed {
    /// Marks of these settings and of this memory: with others it is worth nothing.
    pub basis: (u64, u64),
    pub analysis: Analysis,
}

/// What is made of a submission before its transaction.
pub struct Ready {
    /// When it was received, in ms.
    received: i64,
    analysis: Analysis,
    sealed: SealedReport,
    /// What the settings of a revision of the store ask to be sent of a report without files.
    messages: Option<(u64, Vec<Message>)>,
    /// Whether its arrival is confirmed to its reporter.
    pub confirms: bool,
}

/// A message, and what the settings lack for it to go out at all, in Italian.
type Message = (NewDelivery, Option<&'static str>);

impl Ready {
    pub fn new(
        vault: &Vault,
        received: i64,
        submission: &Submission,
        routing: Analysis,
        settings: Option<(&InForce, u64)>,
    ) -> Result<Self> {
        let analysis = Analysis {
            urgente: submission.urgente,
            ..routing
        };
        let content = Content {
            report: &submission.report,
            analysis: &analysis,
        };
        let asked = settings.map(|(InForce { email, system, .. }, revision)| {
            let settings = (email, system);
            let messages = messages(vault, received, submission, &analysis, settings, Vec::new());
            messages.map(|messages| (revision, messages))
        });
        let (id, receipt) = (&submission.id, submission.receipt.as_ref());
        Ok(Self {
            confirms: settings.is_some_and(|(settings, _)| settings.email.confirmation_mail)
                && !submission.report.email.is_empty(),
            received,
            sealed: seal_report(vault, received, id, &content, receipt)?,
            messages: asked.transpose()?,
            analysis,
        })
    }
}

/// Seals and stores a report, all in one transaction.
pub fn submit_report(act: &Act<'_>, submission: &Submission, routing: &Analysis) -> Result<()> {
    let ready = Ready::new(act.vault, act.now, submission, routing.clone(), None)?;
    submit(act, submission, ready).map(drop)
}

/// Stores the report and what follows from it, made anew where somebody has saved other settings meanwhile, or files came;
/// answers how many messages it puts into the outbox. `None` for one that is stored already: repeating it changes nothing.
pub fn submit(act: &Act<'_>, submission: &Submission, ready: Ready) -> Result<Option<usize>> {
    let (id, analysis, received) = (&submission.id, &ready.analysis, ready.received);
    match act.sent(id)? {
        Some(stored) if stored == submission.impronta => return Ok(None),
        // Also one that was erased since must not come back, out of a browser that never heard so.
        Some(_) => return Err(SENT),
        None => {}
    }
    let row = ReportRow {
        id: id.clone(),
        data_creazione: received,
        department: analysis.department,
        urgente: submission.urgente.is_some(),
        privacy_version: submission.privacy_version.clone(),
        impronta: submission.impronta,
        origine: submission.origine,
        ..ReportRow::default()
    };
    let row = ready.sealed.store(act, row)?;
    act.tx.insert_report(&row)?;
    let attached = take_files(act, id, received)?;
    let messages = match ready.messages {
        Some((revision, made)) if !attached && revision == act.tx.revision() => made,
        _ => {
            let (settings, files) = ((&load(act)?, &load(act)?), told(act, id)?);
            messages(act.vault, received, submission, analysis, settings, files)?
        }
    };
    for (message, lack) in &messages {
        act.tx.put_delivery(message, *lack, act.now)?;
    }
    let mut queued = messages.len();
    if ready.confirms {
        queued += queue_notice(act, Kind::Confirmation, &row, &submission.report)?;
    }
    Ok(Some(queued))
}

/// Gives the report the files that are whole, and forgets the others; answers whether any is.
fn take_files(act: &Act<'_>, report: &str, received: i64) -> Result<bool> {
    // Asked first: of most reports there are none, and to look for what is to be written costs more.
    if act.attachments_begun(report)? == 0 {
        return Ok(false);
    }
    let attached = act.tx.attach(report, received)?;
    act.tx.drop_all_waiting(report)?;
    Ok(attached > 0)
}

const NOWHERE: &str = "segnalazioni.invalid";

/// What a body is sealed for, together with its message's name.
const BODY: &str = "deliveries";

/// What the settings ask to be sent. What they ask for and cannot work will be there as given up, with the reason, so that it
/// can be asked for again once they can.
fn messages(
    vault: &Vault,
    received: i64,
    submission: &Submission,
    analysis: &Analysis,
    (email, system): (&Email, &System),
    attachments: Vec<Told>,
) -> Result<Vec<Message>> {
    let place = (analysis.department, submission.id.as_str());
    let wish = |kind| Some((kind, wish(kind, email, system, place)?));
    let wishes: Vec<_> = [Kind::Email, Kind::Webhook]
        .into_iter()
        .filter_map(wish)
        .collect();
    if wishes.is_empty() {
        return Ok(Vec::new());
    }
    let id = &submission.id;
    let payload = Payload {
        id: id.clone(),
        report: submission.report.clone(),
        data_creazione: received,
        urgent: analysis.urgente.is_some(),
        analysis: analysis.clone(),
        attachments,
    };
    let mut messages = Vec::new();
    for (kind, Wish { addresses, lack }) in wishes {
        // Where nothing can be sent nothing is kept that could be: another try makes it of the report.
        let says = lack.is_none().then_some(&payload);
        let nobody = addresses.is_empty().then(String::new);
        for address in addresses.into_iter().chain(nobody) {
            let new = new_delivery(vault, (kind, &address), email, id, says)?;
            messages.push((new, lack));
        }
    }
    Ok(messages)
}

/// Who gets a delivery whose address the settings name no more: the first of those named who have none of its report, while
/// deliveries of their own are made for the others. `None` where all have theirs.
pub(in crate::actions) fn successor(
    act: &Act<'_>,
    (kind, report): (Kind, &str),
    mut named: BTreeSet<String>,
    email: &Email,
    says: &Payload,
) -> Result<Option<String>> {
    for row in act.deliveries_of(report)? {
        if row.kind == kind {
            named.remove(&row.destination);
        }
    }
    let first = named.pop_first();
    for address in &named {
        let new = new_delivery(act.vault, (kind, address), email, report, Some(says))?;
        act.tx.put_delivery(&new, None, act.now)?;
    }
    Ok(first)
}

/// A delivery with a name of its own, and a sealed body where it says something.
fn new_delivery(
    vault: &Vault,
    (kind, address): (Kind, &str),
    email: &Email,
    report: &str,
    says: Option<&Payload>,
) -> Result<NewDelivery> {
    let message_id = new_message_id(kind, email);
    let body = says.map(|payload| seal_body(vault, &message_id, address, payload));
    Ok(NewDelivery {
        report: report.to_owned(),
        kind,
        destination: address.to_owned(),
        body: body.transpose()?,
        message_id,
    })
}

/// Queues a mail that says only that there is something, unless the settings want none; answers how many.
pub(in crate::actions) fn queue_notice(
    act: &Act<'_>,
    kind: Kind,
    row: &ReportRow,
    report: &Report,
) -> Result<usize> {
    let email: Email = load(act)?;
    let wished = wish(kind, &email, &load(act)?, (row.department, &row.id));
    let Some(wish) = wished.filter(|wish| wish.lack.is_none()) else {
        return Ok(0);
    };
    let payload = Payload {
        id: row.id.clone(),
        report: report.clone(),
        data_creazione: row.data_creazione,
        analysis: Analysis {
            department: row.department,
            ..Analysis::default()
        },
        attachments: Vec::new(),
        urgent: row.urgente,
    };
    let says = payload.trimmed(kind);
    for address in &wish.addresses {
        let notice = new_delivery(act.vault, (kind, address), &email, &row.id, Some(&says))?;
        act.tx.put_delivery(&notice, None, act.now)?;
    }
    Ok(wish.addresses.len())
}

pub(in crate::actions) struct Wish {
    /// None where they name nobody.
    pub(in crate::actions) addresses: BTreeSet<String>,
    /// What they lack for the message to go out at all, in Italian.
    lack: Option<&'static str>,
}

/// The message of this kind that the settings ask for. Mail is switched on from the first day: as long as nobody has named a
/// server, sender or recipient, nobody has asked for it.
pub(in crate::actions) fn wish(
    kind: Kind,
    email: &Email,
    system: &System,
    (department, report): (Department, &str),
) -> Option<Wish> {
    let (wanted, addresses, lack) = match kind {
        Kind::Email | Kind::Message => {
            let addresses = email.addresses_of(department);
            let lack = if email.smtp_host.is_empty() {
                Some(NO_SERVER)
            } else {
                addresses.is_empty().then_some(NO_RECIPIENT)
            };
            (is_begun(email), addresses, lack)
        }
        Kind::Reply | Kind::Confirmation => {
            let can = !email.smtp_host.is_empty() && !email.email_from.is_empty();
            (can, BTreeSet::from([report.to_owned()]), None)
        }
        Kind::Webhook => {
            let can = system.enable_webhook && !system.webhook_url.is_empty();
            (can, BTreeSet::from([system.webhook_url.clone()]), None)
        }
    };
    wanted.then_some(Wish { addresses, lack })
}

fn is_begun(email: &Email) -> bool {
    let named = [
        &email.smtp_host,
        &email.email_from,
        &email.email_recipient,
        &email.email_fallback,
    ];
    let begun = named.into_iter().any(|one| !one.is_empty())
        || email.desks().iter().any(|(address, _)| !address.is_empty());
    email.email_auto_send && begun
}

pub(in crate::actions) fn seal_body(
    vault: &Vault,
    message_id: &str,
    address: &str,
    payload: &Payload,
) -> Result<Vec<u8>> {
    let bytes = serde_json::to_vec(payload).map_err(|_| Error::Vault(VaultError::Damaged))?;
    Ok(vault.seal_operational(BODY, &body_of(message_id, address), &bytes)?)
}

/// A message's name holds no blank.
fn body_of(message_id: &str, address: &str) -> String {
    format!("{message_id} {address}")
}

/// What a delivery says; `None` when another operational key sealed it, or it or its address was altered.
pub(in crate::actions) fn open_body(
    vault: &Vault,
    message_id: &str,
    address: &str,
    body: &[u8],
) -> Result<Option<Payload>> {
    match vault.open_operational(BODY, &body_of(message_id, address), body) {
        Ok(body) => Ok(serde_json::from_slice(&body).ok()),
        Err(VaultError::Damaged) => Ok(None),
        Err(error) => Err(Error::Vault(error)),
    }
}

/// A name for a message: for a mail as in RFC 5322 §3.6.4, for a webhook as the Standard Webhooks specification has it.
pub fn new_message_id(kind: Kind, email: &Email) -> String {
    let random = Uuid::new_v4();
    match kind {
        Kind::Webhook => format!("msg_{}", random.simple()),
        _ => format!("<{random}@{}>", host_of(&email.email_from)),
    }
}

/// The host of the sender's address, as far as it can stand in a message's name.
fn host_of(from: &str) -> &str {
    let host = from.rsplit_once('@').map_or("", |(_, host)| host);
    let host = host.trim().trim_end_matches('>');
    let plain = |character: char| character.is_ascii_alphanumeric() || ".-".contains(character);
    if host.is_empty() || !host.chars().all(plain) {
        NOWHERE
    } else {
        host
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::actions::intake::submit_report::*;
    use crate::actions::settings::in_force::Settings;
    use crate::newsroom::in_memory;
    use crate::store::Section;

    fn submission() -> Submission {
        Submission {
            id: Uuid::new_v4().to_string(),
            report: Report::default(),
            impronta: [1; 16],
            urgente: None,
            privacy_version: "1".to_owned(),
            receipt: None,
            origine: Origine::Chat,
            routed: None,
        }
    }

    /// How many deliveries a report has that was made ready before `save` and stored after it.
    fn deliveries_after(save: fn(&Act<'_>) -> Result<()>) -> usize {
        let newsroom = in_memory(0).unwrap();
        let submission = submission();
        let revision = newsroom.store.revision();
        let settings = Settings::since(0)
            .in_force(&newsroom.store, newsroom.vault.stamp())
            .unwrap();
        let routing = Analysis::default();
        let known = Some((&*settings, revision));
        let ready = Ready::new(&newsroom.vault, 0, &submission, routing, known).unwrap();
        let vault = Arc::clone(&newsroom.vault);
        let found = newsroom
            .store
            .write(move |tx| save(&Act::unattended(tx, &vault, 0)));
        found.unwrap();
        let vault = Arc::clone(&newsroom.vault);
        let found = newsroom.store.write(move |tx| {
            let act = Act::unattended(tx, &vault, 0);
            let queued = submit(&act, &submission, ready)?;
            assert_eq!(queued, Some(act.deliveries_of(&submission.id)?.len()));
            Ok::<_, Error>(act.deliveries_of(&submission.id)?.len())
        });
        found.unwrap()
    }

    #[test]
    fn settings_saved_while_a_report_was_made_ready_decide_what_it_sends() {
        assert_eq!(deliveries_after(|_| Ok(())), 0);
        let asked = deliveries_after(|act| {
            let body = r#"{"enableWebhook":true,"webhookUrl":"https://esempio.it/"}"#;
            Ok(act.tx.put_settings(Section::System, body, 0)?)
        });
        assert_eq!(asked, 1);
    }
}
