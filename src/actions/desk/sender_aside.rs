//! An editor sets the sender of a report aside, or takes them back: by telephone number, e-mail address and receipt. What they send is
//! taken as before, and stays out of list, counts and notices. Must never tell the sender, nor set aside what the editor does not see.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::actions::archive::sealing::open_report;
use crate::actions::desk::edit_reports::{NO, YES, present, record};
use crate::actions::{Act, Result};
use crate::domain::report::{Origine, Report};
use crate::domain::routing::DepartmentKey;
use crate::domain::text::lower;
use crate::store::{Action, ChangeKind, SenderRow, Snapshot};
use crate::vault::{Vault, VaultError};

/// The purpose that contacts are sealed for.
const TABLE: &str = "asides";

/// By what a sender is known again; empty where they gave nothing.
#[derive(Serialize, Deserialize)]
struct Contacts {
    telefono: String,
    email: String,
}

impl Contacts {
    fn of(report: &Report) -> Self {
        Self {
            telefono: report.telefono.clone(),
            email: lower(&report.email),
        }
    }

    fn shares_one_with(&self, other: &Self) -> bool {
        let same = |one: &str, other: &str| !one.is_empty() && one == other;
        same(&self.telefono, &other.telefono) || same(&self.email, &other.email)
    }
}

/// Sets the sender of a report aside with those of the other reports, given by arrival number, that are theirs.
pub fn put_aside(act: &Act<'_>, id: &str, others: &[i64]) -> Result<()> {
    let row = present(act, id)?;
    if row.da_parte.is_some() {
        return Ok(());
    }
    let contacts = Contacts::of(&open_report(act, act.vault, &row)?);
    let aside = Uuid::new_v4().to_string();
    let plain = serde_json::to_vec(&contacts).map_err(|_| VaultError::Damaged)?;
    act.tx.put_sender(&SenderRow {
        sealed: act.vault.seal_operational(TABLE, &aside, &plain)?,
        departments: act.visible_departments().clone(),
        id: aside.clone(),
    })?;
    set(act, id, Some(&aside))?;
    for seq in others {
        let Some(other) = act
            .report_at(*seq)?
            .filter(|other| other.da_parte.is_none())
        else {
            continue;
        };
        if contacts.shares_one_with(&Contacts::of(&open_report(act, act.vault, &other)?)) {
            set(act, &other.id, Some(&aside))?;
        }
    }
    act.log(Action::ReportUpdated, Some(id))
}

/// Takes the sender of a report back, with all that they sent.
pub fn take_back(act: &Act<'_>, id: &str) -> Result<()> {
    let Some(aside) = present(act, id)?.da_parte else {
        return Ok(());
    };
    for report in act.reports_of_sender(&aside)? {
        set(act, &report, None)?;
    }
    act.tx.forget_sender(&aside)?;
    act.log(Action::ReportUpdated, Some(id))
}

fn set(act: &Act<'_>, report: &str, aside: Option<&str>) -> Result<()> {
    act.tx.set_sender_aside(report, aside)?;
    let done = if aside.is_some() { YES } else { NO };
    record(act, report, [(ChangeKind::Mittente, None, Some(done))])
}

/// The entry by which the sender of a new report is set aside in its department; nothing for what staff enter.
pub(in crate::actions) fn sender_aside(
    act: &Act<'_>,
    report: &Report,
    department: DepartmentKey,
    origine: Origine,
) -> Result<Option<String>> {
    let new = Contacts::of(report);
    let mut rows = senders(act, act.vault)?.into_iter();
    let found = rows
        .find(|(row, contacts)| row.departments.has(department) && contacts.shares_one_with(&new));
    Ok(found
        .filter(|_| origine == Origine::Chat)
        .map(|(row, _)| row.id))
}

/// Senders that are set aside, as far as the operational key opens them: another machine has another one.
fn senders(snapshot: &Snapshot<'_>, vault: &Vault) -> Result<Vec<(SenderRow, Contacts)>> {
    let rows = snapshot.senders_aside()?.into_iter();
    let opened = rows.filter_map(|row| {
        let plain = vault.open_operational(TABLE, &row.id, &row.sealed).ok()?;
        Some((row, serde_json::from_slice(&plain).ok()?))
    });
    Ok(opened.collect())
}

/// Seals them for another operational key.
pub(in crate::actions) fn carry(act: &Act<'_>, from: &Vault) -> Result<()> {
    for (row, contacts) in senders(act, from)? {
        let plain = serde_json::to_vec(&contacts).map_err(|_| VaultError::Damaged)?;
        let sealed = act.vault.seal_operational(TABLE, &row.id, &plain)?;
        act.tx.put_sender(&SenderRow { sealed, ..row })?;
    }
    Ok(())
}
