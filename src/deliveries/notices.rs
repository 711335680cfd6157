//! Tells people by mail how much waits for them, and sends the link by which they confirm an address.
//! Must never hand anything of a report to the mail server, nor hold the database while it talks to it.

use anyhow::{Result, bail};

use super::OutboundPolicy;
use super::email::{self, Mail};
use super::letter::{Frame, render_waiting};
use super::network::MailSettings;
use crate::actions::archive::authenticity::Trust;
use crate::actions::outbox::channel::{Connections, MAIL};
use crate::actions::people::notices::{due, note_told};
use crate::domain::delivery::{Failure, NO_SERVER, Outcome};
use crate::domain::notice::Waiting;
use crate::domain::settings::entries;
use crate::newsroom::Core;

/// Tells everybody who is to be told now; `list` is where they look. Who is not reached for now is
/// tried again; an address that is refused for good is asked again at its next hour.
pub fn tell(core: &Core, policy: &OutboundPolicy, list: &str) -> Result<()> {
    let settings = core.settings()?;
    let email = settings.email.clone();
    if settings.trust != Trust::Integro || email.smtp_host.is_empty() {
        return Ok(());
    }
    let (now, zone) = (core.clock.now_ms(), core.time_zone.clone());
    let mut failed = None;
    for notice in core
        .store
        .read(move |snapshot| due(snapshot, &email, now, &zone))?
    {
        if notice.waiting != Waiting::default() {
            let render = |frame: &Frame<'_>| render_waiting(frame, &notice.waiting, list);
            match post(core, policy, &notice.to, render) {
                Err(failure) if !failure.permanent => {
                    failed = Some(failure);
                    continue;
                }
                outcome => failed = outcome.err().or(failed),
            }
        }
        core.write(move |act| note_told(act, &notice))?;
    }
    match failed {
        Some(failure) => bail!(failure.message),
        None => Ok(()),
    }
}

/// Sends one mail to a list of addresses, as the settings say.
pub fn post(
    core: &Core,
    policy: &OutboundPolicy,
    to: &str,
    render: impl FnOnce(&Frame<'_>) -> Result<Mail, Failure>,
) -> Outcome {
    let settings = MailSettings::read(core)?;
    let (email, system) = (&settings.email, &settings.system);
    if email.smtp_host.is_empty() {
        return Err(Failure::permanent(NO_SERVER));
    }
    let mail = render(&Frame {
        email,
        system,
        panel: "",
        zone: &core.time_zone,
        to: &entries(to).collect::<Vec<_>>(),
        message_id: &(MAIL.new_message_id)(Connections { email, system }),
        at_ms: settings.now,
    })?;
    email::send(&policy.server(email, settings.password), &mail)
}
