//! A finished conversation becomes a report, with a mail and a webhook call (PRODUCT.md §9) in the outbox. Sent twice, it stays
//! one report.
//! Must never answer before its transaction is durable, send anything, nor store anything in the clear.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::actions::archive::sealing::{ReportContent, SealedReport, seal_report};
use crate::actions::desk::sender_aside::sender_aside;
use crate::actions::intake::attachments::{give, missing_of, refuse_missing, summaries};
use crate::actions::outbox::channel::{Connections, Subject, Wish, channel_of, connecting};
use crate::actions::outbox::queue::{new_delivery, queue_notice};
use crate::actions::settings::department_list::standing;
use crate::actions::settings::in_force::InForce;
use crate::actions::{Act, Error, Result, SENT};
use crate::domain::callout::CalloutAnswers;
use crate::domain::care::Concern;
use crate::domain::delivery::DeliveryKind;
use crate::domain::media::attachment::AttachmentSummary;
use crate::domain::payload::Payload;
use crate::domain::report::{Origine, Report, own_words};
use crate::domain::routing::Analysis;
use crate::store::{Destination, NewDelivery, ReportRow, Snapshot};
use crate::vault::{ReceiptCode, Vault};

/// How long a repeated last turn is answered like the first one, in ms (PRODUCT.md §2).
const REPEATED_MS: i64 = 3_600_000;

pub struct Submission {
    /// The id that the conversation has had from its start.
    pub id: String,
    pub report: Report,
    /// Keyed fingerprint of the reporter's answers.
    pub impronta: [u8; 16],
    pub urgente: Option<Concern>,
    pub privacy_version: String,
    /// The code of its receipt; `None` if reporters get none.
    pub receipt: Option<ReceiptCode>,
    /// The channel through which it was received.
    pub origine: Origine,
    /// Its department, if that was chosen when the account was given and nothing was added since.
    pub routed: Option<RoutedAccount>,
    /// The answers to a callout.
    pub callout: CalloutAnswers,
    /// Ids of the files that its page showed as attached; `None` if the page does not say.
    pub shown: Option<Vec<String>>,
}

impl Submission {
    /// The text of its author: the account, and answers to a callout.
    pub fn told(&self) -> Cow<'_, str> {
        let account = own_words(&self.report.segnalazione);
        if self.callout.risposte.is_empty() {
            return account;
        }
        format!("{account}\n{}", self.callout.told())
            .trim()
            .to_owned()
            .into()
    }
}

/// The department of an account, by the settings and the routing memory at one time.
#[derive(Clone, Serialize, Deserialize)]
pub struct RoutedAccount {
    /// The versions of settings and memory. The choice is void with others.
    pub basis: (u64, u64),
    pub analysis: Analysis,
}

/// A submission prepared for its transaction.
pub struct PreparedReport {
    /// When it was received, in ms.
    received: i64,
    analysis: Analysis,
    sealed: SealedReport,
    /// The messages for a report without files, by the settings of one revision of the store.
    messages: Option<(u64, Vec<Message>)>,
    /// Whether its arrival is confirmed to its reporter.
    pub confirms: bool,
    /// The times (ms) by which its reporter is promised that it is read, and an outcome.
    pub promises: [Option<i64>; 2],
    /// The labels of its callout, one bit per label.
    pub labels: i64,
}

/// A message, and the reason in Italian if the settings cannot send it.
type Message = (NewDelivery, Option<&'static str>);

impl PreparedReport {
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
        let content = ReportContent {
            report: &submission.report,
            analysis: &analysis,
            callout: submission.callout.given(),
        };
        let asked = settings.map(|(InForce { email, system, .. }, revision)| {
            let arrival = payload(submission, &analysis, received, Vec::new());
            let messages = messages(vault, Connections { email, system }, &arrival)?;
            Ok::<_, Error>((revision, messages))
        });
        let (id, receipt) = (&submission.id, submission.receipt.as_ref());
        Ok(Self {
            confirms: settings.is_some_and(|(settings, _)| settings.email.confirmation_mail)
                && !submission.report.email.is_empty(),
            promises: [None; 2],
            labels: 0,
            received,
            sealed: seal_report(vault, received, id, &content, receipt)?,
            messages: asked.transpose()?,
            analysis,
        })
    }
}

/// Seals and stores a report, all in one transaction.
pub fn submit_report(act: &Act<'_>, submission: &Submission, routing: &Analysis) -> Result<()> {
    let prepared = PreparedReport::new(act.vault, act.now, submission, routing.clone(), None)?;
    submit(act, submission, prepared).map(drop)
}

/// Stores the report with its messages, which are made anew if settings were saved meanwhile or files arrived; returns how many
/// messages it puts into the outbox. `None` if the report is stored already: repeating it changes nothing.
pub fn submit(
    act: &Act<'_>,
    submission: &Submission,
    prepared: PreparedReport,
) -> Result<Option<usize>> {
    let (id, received) = (&submission.id, prepared.received);
    if is_repeated(act, submission)? {
        return Ok(None);
    }
    let mut row = report_row(submission, &prepared);
    // It may have been removed since it was found.
    row.department = standing(act, row.department)?;
    row.da_parte = sender_aside(act, &submission.report, row.department, row.origine)?;
    let row = prepared.sealed.store(act, row)?;
    act.tx.insert_report(&row)?;
    let attached = take_files(act, submission, received)?;
    let messages = match prepared.messages {
        // No person is told of a sender who is set aside.
        _ if row.da_parte.is_some() => Vec::new(),
        Some((revision, made)) if !attached && revision == act.tx.revision() => made,
        _ => {
            let settings = connecting(act)?;
            let files = summaries(act, id)?;
            let arrival = payload(submission, &prepared.analysis, received, files);
            messages(act.vault, Connections::of(&settings), &arrival)?
        }
    };
    for (message, lack) in &messages {
        act.tx.put_delivery(message, *lack, act.now)?;
    }
    let mut queued = messages.len();
    if prepared.confirms {
        queued += queue_notice(act, DeliveryKind::Confirmation, &row, &submission.report)?;
    }
    Ok(Some(queued))
}

/// Whether this report is stored already, with these files. Refuses if another report has its id, or if a file is missing.
fn is_repeated(act: &Act<'_>, submission: &Submission) -> Result<bool> {
    let (id, shown) = (&submission.id, submission.shown.as_deref());
    match act.sent(id)? {
        None => refuse_missing(act, id, shown).map(|()| false),
        // With files that the first one did not take along it is another submission.
        Some(stored)
            if stored == submission.impronta
                && missing_of(act, id, shown.unwrap_or_default())?.is_empty() =>
        {
            Ok(true)
        }
        // A browser that did not learn of the erasure must not bring an erased report back.
        Some(_) => Err(SENT),
    }
}

/// The row of a new report, without its sealed parts.
fn report_row(submission: &Submission, prepared: &PreparedReport) -> ReportRow {
    let [prima_entro, esito_entro] = prepared.promises;
    ReportRow {
        id: submission.id.clone(),
        data_creazione: prepared.received,
        department: prepared.analysis.department,
        urgente: submission.urgente.is_some(),
        privacy_version: submission.privacy_version.clone(),
        impronta: submission.impronta,
        origine: submission.origine,
        labels: prepared.labels,
        inchiesta: submission
            .callout
            .inchiesta
            .as_ref()
            .map(|one| one.id.clone()),
        prima_entro,
        esito_entro,
        ..ReportRow::default()
    }
}

/// Whether this very submission is stored already. Sent again, it is answered like the first time, without the code of a receipt
/// that was not stored with it. After an hour a reporter's submission gets no such answer any more.
pub fn is_stored(snapshot: &Snapshot<'_>, submission: &mut Submission, now: i64) -> Result<bool> {
    let row = snapshot.report(&submission.id)?;
    let row = row.filter(|row| row.impronta == submission.impronta);
    let old = |row: &ReportRow| now - row.data_creazione > REPEATED_MS;
    if submission.origine == Origine::Chat && row.as_ref().is_some_and(old) {
        return Err(SENT);
    }
    if row.as_ref().is_some_and(|row| row.chiave.is_none()) {
        submission.receipt = None;
    }
    Ok(row.is_some())
}

/// Gives the report its files, and drops the others; returns whether it has any.
fn take_files(act: &Act<'_>, submission: &Submission, received: i64) -> Result<bool> {
    // Asked first: most reports have no files, and a statement that writes costs more.
    if act.attachments_begun(&submission.id)? == 0 {
        return Ok(false);
    }
    let attached = give(act, &submission.id, received, submission.shown.as_deref())?;
    act.tx.drop_all_waiting(&submission.id)?;
    Ok(attached > 0)
}

fn payload(
    submission: &Submission,
    analysis: &Analysis,
    received: i64,
    attachments: Vec<AttachmentSummary>,
) -> Payload {
    Payload {
        id: submission.id.clone(),
        report: submission.report.clone(),
        callout: submission.callout.clone(),
        data_creazione: received,
        urgent: analysis.urgente.is_some(),
        analysis: analysis.clone(),
        attachments,
    }
}

/// The messages that the settings ask for. One that cannot be sent is queued as given up, with the reason, so that it can be
/// tried again once the settings are complete.
fn messages(vault: &Vault, all: Connections<'_>, payload: &Payload) -> Result<Vec<Message>> {
    let subject = Subject {
        id: &payload.id,
        department: payload.analysis.department,
    };
    let mut messages = Vec::new();
    let kinds = DeliveryKind::ALL.into_iter();
    for kind in kinds.filter(|kind| kind.tells_of_arrival()) {
        let Some(Wish { addresses, lack }) = (channel_of(kind).wish)(all, kind, &subject) else {
            continue;
        };
        // A message that cannot be sent is not kept: another attempt makes it from the report.
        let payload = lack.is_none().then_some(payload);
        let unnamed = addresses.is_empty().then(String::new);
        for address in addresses.into_iter().chain(unnamed) {
            let to = Destination { kind, address };
            messages.push((new_delivery(vault, all, to, subject.id, payload)?, lack));
        }
    }
    Ok(messages)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use uuid::Uuid;

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
            callout: CalloutAnswers::default(),
            shown: None,
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
        let prepared =
            PreparedReport::new(&newsroom.vault, 0, &submission, routing, known).unwrap();
        let vault = Arc::clone(&newsroom.vault);
        let found = newsroom
            .store
            .write(move |tx| save(&Act::unattended(tx, &vault, 0)));
        found.unwrap();
        let vault = Arc::clone(&newsroom.vault);
        let found = newsroom.store.write(move |tx| {
            let act = Act::unattended(tx, &vault, 0);
            let queued = submit(&act, &submission, prepared)?;
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
