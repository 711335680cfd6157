//! Where texts and the latest reports would go under settings that may not be saved yet.

use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use crate::actions;
use crate::actions::archive::sealing::{open_report, or_stand_in};
use crate::actions::outbox::channel::MAIL;
use crate::actions::settings::secrets::draft;
use crate::actions::settings::sections::load;
use crate::domain::report::{Report, Stato, own_words};
use crate::domain::routing::{DepartmentKey, Memory, Router, Score};
use crate::domain::settings::{Email, RoutingMode};
use crate::readings::Reading;
use crate::store::{ListFilter, Place, ReportRow, Snapshot};

const DRY_RUN: usize = 500;
const NAMED: usize = 10;

/// Where a text would go, and why.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RoutingResult {
    /// Key of the department.
    pub department: DepartmentKey,
    /// Name of the department.
    pub department_name: String,
    /// Address that mail about it would go to; empty when none is set.
    pub email: String,
    /// Why, in Italian.
    pub reason: String,
    /// The words that spoke most for it, at most six.
    pub matched_keywords: Vec<String>,
    /// How likely each department is, the likeliest first; empty unless the text was analysed.
    pub scores: Vec<Score>,
    /// A second department that the report may concern.
    pub secondary: Option<DepartmentKey>,
}

/// The effect that other settings would have on the latest reports.
#[derive(Debug, Default, Serialize, ToSchema)]
pub struct DryRun {
    /// Reports that were routed again: the latest, at most 500.
    pub looked: usize,
    /// How many of them would go to another department than under the saved settings. Where staff moved a report since
    /// makes no difference.
    pub changed: usize,
    /// The latest of those.
    pub examples: Vec<RoutingChange>,
}

/// A report that would go to another department.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Change)]
pub struct RoutingChange {
    /// 36-character id.
    pub id: String,
    /// Where it goes under the saved settings.
    pub before: DepartmentKey,
    /// Where it would go.
    pub after: DepartmentKey,
    /// Key of its present department.
    pub department: DepartmentKey,
    /// Its status.
    pub stato: Stato,
}

impl DryRun {
    fn compare(&mut self, row: ReportRow, before: DepartmentKey, after: DepartmentKey) {
        self.looked += 1;
        if before == after {
            return;
        }
        self.changed += 1;
        if self.examples.len() < NAMED {
            self.examples.push(RoutingChange {
                id: row.id,
                before,
                after,
                department: row.department,
                stato: row.stato,
            });
        }
    }
}

/// Where a text would go under the saved settings, in another mode where one is given.
pub fn preview(
    snapshot: &Snapshot<'_>,
    memory: &Memory,
    mode: Option<RoutingMode>,
    text: &str,
) -> actions::Result<RoutingResult> {
    let mut email: Email = load(snapshot)?;
    if let Some(mode) = mode {
        email.routing_mode = mode;
        email.enable_department_routing = true;
    }
    let routing = Router::new(&email).route(memory, text);
    Ok(RoutingResult {
        department: routing.department,
        department_name: email.departments.name(&routing.department).to_owned(),
        email: email.address_of(routing.department).to_owned(),
        reason: routing.reason,
        matched_keywords: routing.words,
        scores: routing.scores,
        secondary: routing.secondary,
    })
}

/// Tries e-mail settings on the latest reports without saving them. Absent keys keep their saved values.
pub fn dry_run(
    reading: Reading<'_>,
    snapshot: &Snapshot<'_>,
    memory: &Memory,
    body: Map<String, Value>,
) -> actions::Result<DryRun> {
    let now = reading.clock.now_ms();
    let saved = Router::new(&load(snapshot)?);
    let tried = Router::new(&draft::<Email>(snapshot, &reading.vault, now, &MAIL, body)?.section);
    let page = snapshot.report_page(&ListFilter::default(), Place::Top, DRY_RUN)?;
    let mut run = DryRun::default();
    for listed in page.rows {
        let Some(row) = snapshot.report_at(listed.seq)? else {
            continue;
        };
        let opened = open_report(snapshot, &reading.vault, &row).map(Some);
        if let Some(Report { segnalazione, .. }) = or_stand_in(opened, &row.id, || None)? {
            let account = own_words(&segnalazione);
            let [before, after] = [&saved, &tried].map(|router| router.route(memory, &account));
            run.compare(row, before.department, after.department);
        }
    }
    Ok(run)
}
