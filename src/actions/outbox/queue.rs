//! Puts messages into the outbox, each with its name and its sealed body.

use crate::actions::outbox::channel::{Connections, Subject, channel_of, connecting};
use crate::actions::{Act, Error, Result};
use crate::domain::delivery::DeliveryKind;
use crate::domain::payload::Payload;
use crate::domain::report::Report;
use crate::domain::routing::Analysis;
use crate::store::{Destination, NewDelivery, ReportRow};
use crate::vault::{Vault, VaultError};

/// The purpose that a body is sealed for, together with the name of its message.
const BODY: &str = "deliveries";

/// Where another operational key sealed a body, or it was altered.
const SEALED: &str = "Il contenuto è sigillato con una chiave operativa che questo server non ha più. \
                      Premi «Riprova»: verrà preparato di nuovo dalla segnalazione.";
/// Where it opens and is no payload.
const FORMAT: &str = "Il contenuto è stato scritto da un'altra versione del programma e non si legge. \
                      Premi «Riprova»: verrà preparato di nuovo dalla segnalazione.";

/// A delivery with a name of its own, and a sealed body where there is a payload.
pub(in crate::actions) fn new_delivery(
    vault: &Vault,
    all: Connections<'_>,
    to: Destination,
    report: &str,
    payload: Option<&Payload>,
) -> Result<NewDelivery> {
    let message_id = (channel_of(to.kind).new_message_id)(all);
    let body = payload.map(|payload| seal_body(vault, &message_id, payload));
    Ok(NewDelivery {
        report: report.to_owned(),
        to,
        body: body.transpose()?,
        message_id,
    })
}

/// Queues a mail that says only that there is something, unless the settings want none, or it would tell the newsroom of a sender who
/// is set aside; answers how many.
pub(in crate::actions) fn queue_notice(
    act: &Act<'_>,
    kind: DeliveryKind,
    row: &ReportRow,
    report: &Report,
) -> Result<usize> {
    if kind == DeliveryKind::Message && row.da_parte.is_some() {
        return Ok(0);
    }
    let stored = connecting(act)?;
    let all = Connections::of(&stored);
    let subject = Subject {
        id: &row.id,
        department: row.department,
    };
    let wished = (channel_of(kind).wish)(all, kind, &subject);
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
        urgent: row.urgente,
        ..Payload::default()
    };
    let payload = payload.trimmed(kind);
    let queued = wish.addresses.len();
    for address in wish.addresses {
        let to = Destination { kind, address };
        let notice = new_delivery(act.vault, all, to, &row.id, Some(&payload))?;
        act.tx.put_delivery(&notice, None, act.now)?;
    }
    Ok(queued)
}

pub(in crate::actions) fn seal_body(
    vault: &Vault,
    message_id: &str,
    payload: &Payload,
) -> Result<Vec<u8>> {
    let bytes = serde_json::to_vec(payload).map_err(|_| Error::Vault(VaultError::Damaged))?;
    Ok(vault.seal_operational(BODY, message_id, &bytes)?)
}

/// Seals what waits for another operational key. A body that does not open is made anew by another try, as before.
pub(in crate::actions) fn carry(act: &Act<'_>, from: &Vault) -> Result<()> {
    for (id, message_id, body) in act.delivery_bodies()? {
        if let Ok(plain) = from.open_operational(BODY, &message_id, &body) {
            let body = act.vault.seal_operational(BODY, &message_id, &plain)?;
            act.tx.put_body(id, &body)?;
        }
    }
    Ok(())
}

/// The content of a message. The inner error says why it cannot be sent.
pub(in crate::actions) fn open_body(
    vault: &Vault,
    message_id: &str,
    body: &[u8],
) -> Result<std::result::Result<Payload, &'static str>> {
    match vault.open_operational(BODY, message_id, body) {
        Ok(body) => Ok(serde_json::from_slice(&body).map_err(|_| FORMAT)),
        Err(VaultError::Damaged) => Ok(Err(SEALED)),
        Err(error) => Err(Error::Vault(error)),
    }
}
