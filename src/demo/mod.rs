//! Demonstration mode: eight invented reports and a password that everybody may know, in memory.

use std::sync::Arc;

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::actions::access::set_password::{self, NewPassword};
use crate::actions::desk::edit_reports::{
    ExpectedVersion, ReportPatch, mark_opened, update_report,
};
use crate::actions::intake::submit_report::{Submission, submit_report};
use crate::actions::{Act, Result as Acted};
use crate::domain::callout::CalloutAnswers;
use crate::domain::report::{Origine, Report, Stato};
use crate::domain::routing::{Memory, Router};
use crate::domain::settings::{Email, System};
use crate::newsroom::{self, Newsroom};
use crate::vault::{PasswordParams, RecoveryCode};

/// The password of the demonstration, shown on its login page and nowhere else.
pub const PASSWORD: &str = "dimostrazione-aperta";
const REPORTS: &str = include_str!("reports.json");
const HOUR_MS: i64 = 60 * 60 * 1000;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Invented {
    id: String,
    hours_ago: i64,
    stato: Stato,
    note: String,
    report: Report,
}

/// A newsroom in memory: the password, and the reports at their distance from now.
pub fn newsroom(now: i64, params: PasswordParams) -> Result<Newsroom> {
    let newsroom = newsroom::in_memory(now)?;
    let reports: Vec<Invented> =
        serde_json::from_str(REPORTS).context("segnalazioni dimostrative")?;
    let password = NewPassword::derive(PASSWORD, params)?;
    let code = RecoveryCode::generate()?;
    let vault = Arc::clone(&newsroom.vault);
    newsroom.store.write(move |tx| {
        let act = Act::unattended(tx, &vault, now);
        set_password::set_up(&act, &password, &code)?;
        let mut reports = reports.into_iter();
        reports.try_for_each(|invented| put(&act, invented))
    })?;
    Ok(newsroom)
}

fn put(act: &Act<'_>, invented: Invented) -> Acted<()> {
    let received = act.now - invented.hours_ago * HOUR_MS;
    let at = |now| act.at(now);
    let submission = Submission {
        urgente: None,
        id: invented.id.clone(),
        report: invented.report,
        impronta: act.vault.fingerprint(invented.id.as_bytes()),
        privacy_version: System::default().privacy_version(),
        receipt: None,
        origine: Origine::Chat,
        routed: None,
        callout: CalloutAnswers::default(),
        shown: None,
    };
    let router = Router::new(&Email::default());
    let routing = router.route(&Memory::default(), &submission.told());
    submit_report(&at(received), &submission, &routing)?;
    let change = ReportPatch {
        stato: Some(invented.stato),
        note: Some(invented.note),
        ..ReportPatch::default()
    };
    let worked_on = received + 5 * HOUR_MS;
    if worked_on < act.now && invented.stato != Stato::Nuova {
        mark_opened(&at(worked_on - HOUR_MS), &invented.id)?;
        update_report(&at(worked_on), &invented.id, &ExpectedVersion::Any, &change)?;
    }
    Ok(())
}
