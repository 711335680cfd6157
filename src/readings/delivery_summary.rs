//! How deliveries stand as a whole (PRODUCT.md §9): how many in each state, whether an alarm is due, and which settings are missing
//! for mail to go out.

use serde::Serialize;
use utoipa::ToSchema;

use crate::actions;
use crate::actions::outbox::channel::{Connections, channel_of, connecting};
use crate::domain::delivery::{
    ALARM_AFTER_FAILURES, ALARM_AFTER_MS, DeliveryCounters, DeliveryKind, MailLack,
};
use crate::domain::routing::DepartmentKey;
use crate::domain::settings::Email;
use crate::store::Snapshot;

/// How deliveries stand.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeliverySummary {
    /// How many there are in each state.
    pub counters: DeliveryCounters,
    /// Whether a delivery has failed for good, keeps failing or waits too long, on a channel that is switched on.
    pub failing: bool,
    /// The number of failed deliveries on channels that are switched on.
    pub undelivered: i64,
    /// The settings that are missing for mail to be sent, if mail is switched on.
    pub mail_lacks: Vec<MailLack>,
}

/// How deliveries stand at a moment, in ms. A passing failure raises no alarm, nor does a channel that is switched off.
pub fn summarize(snapshot: &Snapshot<'_>, now: i64) -> actions::Result<DeliverySummary> {
    let stored = connecting(snapshot)?;
    let all = Connections::of(&stored);
    let mut summary = DeliverySummary {
        counters: DeliveryCounters {
            retrying: snapshot.deliveries_retrying()?,
            ..snapshot.delivery_counters(None)?.unwrap_or_default()
        },
        undelivered: 0,
        failing: false,
        mail_lacks: mail_lacks(all.email),
    };
    // Whether a reporter's own address works raises no alarm.
    let on = |kind: &DeliveryKind| !kind.to_reporter() && (channel_of(*kind).is_on)(all);
    for kind in DeliveryKind::ALL.into_iter().filter(on) {
        let counters = snapshot.delivery_counters(Some(kind))?.unwrap_or_default();
        let since = now - ALARM_AFTER_MS;
        let troubled = snapshot.deliveries_troubled(kind, since, ALARM_AFTER_FAILURES)?;
        summary.undelivered += counters.failed;
        summary.failing |= counters.failed > 0 || troubled;
    }
    Ok(summary)
}

fn mail_lacks(email: &Email) -> Vec<MailLack> {
    if !email.email_auto_send {
        return Vec::new();
    }
    let unnamed = |department: DepartmentKey| email.address_of(department).is_empty();
    let lacks = [
        (email.smtp_host.is_empty(), MailLack::Server),
        (email.email_from.is_empty(), MailLack::Sender),
        (email.departments.keys().any(unnamed), MailLack::Recipient),
    ];
    let missing = lacks.into_iter().filter(|(missing, _)| *missing);
    missing.map(|(_, lack)| lack).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mail_that_is_on_says_what_it_lacks() {
        let mut email = Email::default();
        let all = [MailLack::Server, MailLack::Sender, MailLack::Recipient];
        assert_eq!(mail_lacks(&email), all);
        email.smtp_host = "posta.esempio.it".to_owned();
        email.email_from = "chat@esempio.it".to_owned();
        assert_eq!(mail_lacks(&email), [MailLack::Recipient]);
        // A department alone leaves the others without.
        email.departments.desks_mut()[1].email = "sanita@esempio.it".to_owned();
        assert_eq!(mail_lacks(&email), [MailLack::Recipient]);
        email.email_fallback = "altri@esempio.it".to_owned();
        assert_eq!(mail_lacks(&email), []);
        email.smtp_host.clear();
        assert_eq!(mail_lacks(&email), [MailLack::Server]);
        email.email_auto_send = false;
        assert_eq!(mail_lacks(&email), []);
    }
}
