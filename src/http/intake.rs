//! Taking reports: what stands before a last turn and a file, and the way of a report to the disk.
//! Must never answer before the report is on disk.

use std::sync::Arc;

use super::client_address::Client;
use super::gate::{Proof, Sender};
use super::problem::{ApiError, ApiResult, Kind};
use super::state::{App, Shared};
use crate::actions;
use crate::actions::access::log_access::Actor;
use crate::actions::callouts;
use crate::actions::intake::siege::{count_report, set_aside};
use crate::actions::intake::submit_report::{PreparedReport, Submission, is_stored, submit};
use crate::domain::calendar::promised;
use crate::domain::chat::CalloutVersion;
use crate::domain::label::bits;
use crate::domain::report::Origine;
use crate::domain::routing::Memory;
use crate::domain::text;
use crate::store::Undo;

/// Asks for a proof, unless this is one.
pub async fn prove(app: &Shared, sender: Sender, proof: Option<&Proof>) -> ApiResult<()> {
    if proof.is_some_and(|proof| app.gate.admits(&app.vault, sender, proof)) {
        return Ok(());
    }
    let load = app.siege.load_bits(app.moment().await?);
    let challenge = app.gate.challenge(&app.vault, sender, proof, load);
    Err(ApiError::proof_required(challenge))
}

/// Stores a finished report with what follows from it.
pub async fn store_report(
    app: &Shared,
    client: Client,
    submission: Box<Submission>,
) -> ApiResult<Box<Submission>> {
    let bytes = submission.told().len();
    let besieged = app.siege.is_on();
    if let Err(refusal) = make_room(app, client, bytes, besieged) {
        let now = app.clock.now_ms();
        let looked = app.read(move |_, snapshot| {
            let mut submission = submission;
            let there = is_stored(snapshot, &mut submission, now)?;
            Ok::<_, actions::Error>(there.then_some(submission))
        });
        return looked.await?.ok_or(refusal);
    }
    let stored = queue_report(app, submission, besieged).await;
    if !matches!(stored, Ok((_, true))) {
        app.quotas.reports.refund(client, bytes, besieged);
    }
    let (submission, stored) = stored?;
    if stored {
        app.metrics.reports.inc();
    }
    Ok(submission)
}

/// Takes what a report or a message needs out of the client's quota, as long as the disk has room for reports.
pub fn make_room(app: &App, client: Client, bytes: usize, besieged: bool) -> ApiResult<()> {
    if app.store.is_full() {
        return Err(Kind::DISK_FULL.into());
    }
    let charged = app.quotas.reports.charge(client, bytes, besieged);
    charged.map_err(|seconds| Kind::TOO_MUCH.again_in(seconds))
}

/// Stores it with what follows from it, unless it is stored already; answers whether it did.
pub async fn queue_report(
    app: &Shared,
    submission: Box<Submission>,
    besieged: bool,
) -> ApiResult<(Box<Submission>, bool)> {
    let (mut submission, prepared) = prepare(app, submission).await?;
    let charged = prepared.confirms.then(|| mailbox_of(app, &submission));
    let stored = app.write(Actor::default(), Undo::WithOthers, move |act| {
        let queued = submit(act, &submission, prepared)?;
        if queued.is_none() {
            is_stored(act, &mut submission, act.now)?;
        } else if besieged {
            count_report(act)?;
        }
        Ok((submission, queued))
    });
    let stored = stored.await;
    // Sent again, it is confirmed no second time.
    if let (Some(mailbox), Err(_) | Ok((_, None))) = (charged, &stored) {
        app.quotas.confirmations.refund(mailbox);
    }
    let (mut submission, queued) = stored?;
    if let Some(messages) = queued {
        app.ended.note(&submission.id, app.clock.now_ms());
        let account = std::mem::take(&mut submission.report.segnalazione);
        // Reports that staff enter are no flood and no copies.
        if submission.origine == Origine::Chat
            && follow_siege(app, submission.id.clone(), account)
                .await
                .is_err()
        {
            // The report is stored all the same.
            tracing::warn!("siege mode could not be noted for a report");
        }
        if messages > 0 {
            app.dispatcher.wake();
        }
    }
    Ok((submission, queued.is_some()))
}

/// Routes a report, unless that was done when its account was given, and seals it, before its transaction.
async fn prepare(
    app: &Shared,
    mut submission: Box<Submission>,
) -> ApiResult<(Box<Submission>, PreparedReport)> {
    // Before the settings, so that these are at least as new.
    let revision = app.store.revision();
    let settings = app.settings().await?;
    let memory = routing_memory(app, revision).await?;
    let known = submission.routed.take();
    let known = known.filter(|known| known.basis == (settings.routing, memory.mark));
    let callout = callout_of(app, &submission).await?;
    let prepared = app.weigh(submission.report.segnalazione.len(), move |app| {
        let analyse = || settings.router.route(&memory, &submission.told());
        let mut analysis = known.map_or_else(analyse, |known| known.analysis);
        let own = callout.as_ref().map(|(version, _)| &version.callout);
        if let Some(department) = own.and_then(|callout| callout.department) {
            analysis = analysis.moved_to(department, &settings.email.departments);
        }
        let (now, system) = (app.clock.now_ms(), &settings.system);
        let settings = Some((&*settings, revision));
        let mut prepared = PreparedReport::new(&app.vault, now, &submission, analysis, settings)?;
        if let Some((version, known)) = &callout {
            prepared.labels = bits(&version.callout.labels) & known;
        }
        // During a siege a fake may carry the address of an uninvolved person.
        let wanted = prepared.confirms && !app.siege.is_on();
        prepared.confirms = wanted
            && app
                .quotas
                .confirmations
                .charge(mailbox_of(app, &submission));
        // By telephone no promise was read.
        if submission.origine == Origine::Chat {
            let days = [system.promise_first_days, system.promise_outcome_days];
            prepared.promises = days.map(|days| promised(now, days, &app.time_zone));
        }
        Ok::<_, actions::Error>((submission, prepared))
    });
    prepared.await
}

/// The callout that a report answers, as it was when its conversation began, and the labels that there are.
async fn callout_of(
    app: &Shared,
    submission: &Submission,
) -> ApiResult<Option<(Arc<CalloutVersion>, i64)>> {
    let Some(answered) = submission.callout.inchiesta.clone() else {
        return Ok(None);
    };
    let version = app.read(move |_, snapshot| {
        let version = callouts::version_of(snapshot, &answered.id, answered.version)?;
        Ok::<_, actions::Error>((version, snapshot.known_labels()?))
    });
    version.await.map(Some)
}

/// The masked mailbox that a confirmation goes to.
fn mailbox_of(app: &App, submission: &Submission) -> [u8; 16] {
    let mailbox = text::lower(&submission.report.email);
    app.vault.mask_client(mailbox.as_bytes())
}

/// A new report is stored: it is set aside with its near copies, and siege mode may begin with it.
async fn follow_siege(app: &Shared, id: String, account: String) -> ApiResult<()> {
    let at = app.moment().await?;
    let noted = app.weigh(account.len(), move |app| {
        Ok::<_, ApiError>(app.siege.remember(&id, &account, at.now))
    });
    if app.siege.arrived(at) {
        let settled = app.compute(move |app| app.siege.record_mode(&app.store, at.now));
        settled.await?;
    }
    if let Some(aside) = noted.await? {
        let storing = aside.clone();
        let stored = app.change(move |act| set_aside(act, &storing)).await;
        stored.inspect_err(|_| app.siege.take_back(&aside))?;
    }
    Ok(())
}

/// The routing memory, read from the database only if it has changed; empty while the archive is locked.
pub async fn routing_memory(app: &Shared, revision: u64) -> ApiResult<Arc<Memory>> {
    if !app.vault.is_unlocked() {
        return Ok(Arc::default());
    }
    match app.memory.held(revision) {
        Some(memory) => Ok(memory),
        None => {
            app.read(move |app, snapshot| app.memory.get(revision, snapshot, &app.vault))
                .await
        }
    }
}
