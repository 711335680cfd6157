//! Tries routing out: on a text, and on the latest reports under settings that are not saved yet. Also what it remembers of
//! reports that staff moved, and forgetting that (`PRODUCT.md §11`).

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use crate::actions;
use crate::actions::archive::sealing::{open_report, or_stand_in};
use crate::actions::desk::routing_memory::forget_moves;
use crate::actions::outbox::channel::MAIL;
use crate::actions::settings::secrets::draft;
use crate::actions::settings::sections::load;
use crate::domain::report::{Report, Stato};
use crate::domain::routing::{Department, Router, Score};
use crate::domain::settings::{Email, RoutingMode};
use crate::domain::text::char_count;
use crate::http::routes::{Administrator, Answer, Json, refusal};
use crate::store::{ListFilter, Place, ReportRow};

/// Longest text to try, in characters: as long as an account may be.
const TEXT_CHARS: usize = 20_000;
const DRY_RUN: usize = 500;
const NAMED: usize = 10;

/// A text to try.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RoutingTrial {
    /// The text.
    #[schema(max_length = 20_000)]
    text: String,
    /// How to route it; as saved when absent.
    mode: Option<RoutingMode>,
}

/// Where a text would go, and why.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RoutingResult {
    /// Key of the department.
    pub department: Department,
    /// Name of the department.
    pub department_name: &'static str,
    /// Address that mail about it would go to; empty when none is set.
    pub email: String,
    /// Why, in Italian.
    pub reason: String,
    /// The words that spoke most for it, at most six.
    pub matched_keywords: Vec<String>,
    /// How likely each department is, the likeliest first; empty unless the text was analysed.
    pub scores: Vec<Score>,
    /// The other department that it touches.
    pub secondary: Option<Department>,
}

/// What other settings would do to the latest reports.
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
    pub before: Department,
    /// Where it would go.
    pub after: Department,
    /// Where it is now.
    pub department: Department,
    /// Its status.
    pub stato: Stato,
}

/// Where a text would go under the saved settings. Nothing is stored.
#[utoipa::path(post, operation_id = "preview_routing", path = "/routing/preview", tag = "impostazioni",
    request_body = RoutingTrial,
    responses((status = 200, body = RoutingResult)))]
pub async fn preview_routing(
    admin: Administrator,
    Json(trial): Json<RoutingTrial>,
) -> Answer<RoutingResult> {
    if char_count(&trial.text) > TEXT_CHARS {
        let message = format!("Testo troppo lungo: al massimo {TEXT_CHARS} caratteri.");
        return Err(refusal("text", "tooLong", message));
    }
    let revision = admin.store.revision();
    let result = admin.read(move |app, snapshot| {
        let mut email: Email = load(snapshot)?;
        if let Some(mode) = trial.mode {
            email.routing_mode = mode;
            email.enable_department_routing = true;
        }
        let router = Router::new(&email);
        let memory = app.memory.get(revision, snapshot, &app.vault)?;
        let routing = router.route(&memory, &trial.text);
        actions::Result::Ok(RoutingResult {
            department: routing.department,
            department_name: routing.department.name(),
            email: email.address_of(routing.department).to_owned(),
            reason: routing.reason,
            matched_keywords: routing.words,
            scores: routing.scores,
            secondary: routing.secondary,
        })
    });
    Ok(Json(result.await?))
}

/// What e-mail settings that are not saved would do to the latest reports: keys that are absent are as saved. Nothing is
/// stored.
#[utoipa::path(post, operation_id = "dry_run_routing", path = "/routing/dry-run", tag = "impostazioni", request_body = Email,
    responses((status = 200, body = DryRun)))]
pub async fn dry_run(admin: Administrator, Json(body): Json<Map<String, Value>>) -> Answer<DryRun> {
    let revision = admin.store.revision();
    let run = admin.read(move |app, snapshot| {
        let now = app.clock.now_ms();
        let saved = Router::new(&load(snapshot)?);
        let tried = Router::new(&draft::<Email>(snapshot, &app.vault, now, &MAIL, body)?.section);
        let memory = app.memory.get(revision, snapshot, &app.vault)?;
        let page = snapshot.report_page(&ListFilter::default(), Place::Top, DRY_RUN)?;
        let mut run = DryRun::default();
        for listed in page.rows {
            let Some(row) = snapshot.report_at(listed.seq)? else {
                continue;
            };
            let opened = open_report(snapshot, &app.vault, &row).map(Some);
            if let Some(Report { segnalazione, .. }) = or_stand_in(opened, &row.id, || None)? {
                let [before, after] =
                    [&saved, &tried].map(|router| router.route(&memory, &segnalazione));
                run.compare(row, before.department, after.department);
            }
        }
        actions::Result::Ok(run)
    });
    Ok(Json(run.await?))
}

impl DryRun {
    fn compare(&mut self, row: ReportRow, before: Department, after: Department) {
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

/// What routing remembers.
#[derive(Debug, Serialize, ToSchema)]
pub struct RoutingMemory {
    /// Reports that staff moved, and that near copies follow.
    pub moves: i64,
}

/// What routing remembers of reports that staff moved.
#[utoipa::path(get, path = "/routing/memory", tag = "impostazioni", responses((status = 200, body = RoutingMemory)))]
pub async fn routing_memory(admin: Administrator) -> Answer<RoutingMemory> {
    let moves = admin.read(|_, snapshot| snapshot.move_count()).await?;
    Ok(Json(RoutingMemory { moves }))
}

/// Forgets every move. Reports stay where they are.
#[utoipa::path(delete, path = "/routing/memory", tag = "impostazioni", responses((status = 200, body = RoutingMemory)))]
pub async fn forget_routing_memory(admin: Administrator) -> Answer<RoutingMemory> {
    admin.change(forget_moves).await?;
    admin.memory.forget(admin.store.revision());
    Ok(Json(RoutingMemory { moves: 0 }))
}
