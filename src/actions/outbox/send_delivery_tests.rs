use std::sync::Arc;

use uuid::Uuid;

use crate::actions::Error;
use crate::actions::archive::authenticity::amend;
use crate::actions::intake::submit_report::{Submission, submit_report};
use crate::actions::outbox::send_delivery::*;
use crate::domain::delivery::DeliveryState;
use crate::domain::report::{Origine, Report};
use crate::domain::routing::Analysis;
use crate::newsroom::{Newsroom, in_memory};
use crate::store::{DeliveryFilter, Section};

const ADDRESS: &str = "redazione@esempio.it";

fn destination() -> Destination {
    Destination {
        kind: DeliveryKind::Email,
        address: ADDRESS.to_owned(),
    }
}

fn write<T: Send + 'static>(
    newsroom: &Newsroom,
    change: impl FnOnce(&Act<'_>) -> Result<T> + Send + 'static,
) -> T {
    let vault = Arc::clone(&newsroom.vault);
    let written = newsroom
        .store
        .write(move |tx| change(&Act::unattended(tx, &vault, 0)));
    written.unwrap()
}

/// A newsroom to whose address so many mails wait.
fn newsroom_of(mails: usize) -> Newsroom {
    let newsroom = in_memory(0).unwrap();
    write(&newsroom, move |act| {
        let body = format!(r#"{{"smtpHost":"posta.esempio.it","emailRecipient":"{ADDRESS}"}}"#);
        amend(act, || Ok(act.tx.put_settings(Section::Email, &body, 0)?))?;
        for _ in 0..mails {
            let submission = Submission {
                id: Uuid::new_v4().to_string(),
                report: Report::default(),
                impronta: [1; 16],
                urgente: None,
                privacy_version: "1".to_owned(),
                receipt: None,
                origine: Origine::Chat,
                routed: None,
                callout: crate::domain::callout::CalloutAnswers::default(),
                shown: None,
            };
            submit_report(act, &submission, &Analysis::default())?;
        }
        Ok(())
    });
    newsroom
}

fn step(newsroom: &Newsroom) -> NextStep {
    let vault = Arc::clone(&newsroom.vault);
    let found = newsroom
        .store
        .read(move |snapshot| next_step(snapshot, &vault, &destination(), 0));
    found.unwrap()
}

/// Begins with a vault that opens no body of the newsroom.
fn begin_blind(newsroom: &Newsroom, step: NextStep) -> Option<Box<Sending>> {
    let stranger = in_memory(0).unwrap();
    let vault = Arc::clone(&stranger.vault);
    let begun = newsroom
        .store
        .write(move |tx| begin(&Act::unattended(tx, &vault, 0), &destination(), step));
    begun.unwrap()
}

/// Reason of the delivery that was given up last.
fn reason(newsroom: &Newsroom) -> String {
    let failed = newsroom.store.read(|snapshot| {
        let failed = DeliveryFilter {
            state: Some(DeliveryState::Failed),
            retrying: None,
        };
        let rows = snapshot.deliveries(failed, None, 1)?;
        Ok::<_, Error>(rows.into_iter().next().and_then(|row| row.error))
    });
    failed.unwrap().unwrap_or_default()
}

#[test]
fn digest_of_a_flood_marks_a_thousand_rows_and_opens_no_body_in_its_transaction() {
    let newsroom = newsroom_of(1_100);
    let step = step(&newsroom);
    let sending = begin_blind(&newsroom, step).unwrap();
    assert_eq!((sending.items.len(), sending.payloads.len()), (1_000, 500));
    // The control: fewer than fit go as one.
    let few = newsroom_of(3);
    let step = self::step(&few);
    let sending = begin_blind(&few, step).unwrap();
    assert_eq!((sending.items.len(), sending.payloads.len()), (3, 3));
}

#[test]
fn step_whose_rows_changed_meanwhile_sends_nothing() {
    let newsroom = newsroom_of(2);
    let stale = step(&newsroom);
    write(&newsroom, |act| {
        Ok(act.tx.revive_delivery(1, "altri@esempio.it", &[0], 0)?)
    });
    assert!(begin_blind(&newsroom, stale).is_none());
    let sending = begin_blind(&newsroom, step(&newsroom)).unwrap();
    assert_eq!(sending.items.len(), 1);
}

#[test]
fn body_that_does_not_open_and_body_that_does_not_parse_are_told_apart() {
    for (own_name, words) in [
        (false, "chiave operativa"),
        (true, "altra versione del programma"),
    ] {
        let newsroom = newsroom_of(1);
        write(&newsroom, move |act| {
            let message_id = act
                .delivery(1)?
                .map(|row| row.message_id)
                .unwrap_or_default();
            let name = if own_name {
                message_id.as_str()
            } else {
                "other"
            };
            let body = act
                .vault
                .seal_operational("deliveries", name, b"{\"id\":7}")?;
            Ok(act.tx.revive_delivery(1, ADDRESS, &body, 0)?)
        });
        let step = step(&newsroom);
        assert!(begin_blind(&newsroom, step).is_none());
        let reason = reason(&newsroom);
        assert!(
            reason.contains(words) && reason.contains("Riprova"),
            "{reason}"
        );
    }
}
