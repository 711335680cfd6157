//! What routing has learnt from staff: how it stands, one step back, and back to the beginning (`PRODUCT.md §5`).
//! Must never tell what was learnt from a report, nor which one.

use axum::extract::State;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::rfc3339;
use crate::actions::learn_routing::{Told, reset, tell, undo};
use crate::http::admin::Admin;
use crate::http::json::Json;
use crate::http::problem::ApiResult;
use crate::http::query::Strict;
use crate::http::state::Shared;
use crate::store::{AttemptRow, HeadFacts};

/// What routing has learnt.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RoutingModel {
    /// Number of the version in force; null while only what the program came with is.
    #[schema(required)]
    pub active: Option<i64>,
    /// Versions that there are, the one in force first; at most ten.
    pub versions: Vec<ModelVersion>,
    /// Reports that staff moved, and that count.
    pub corrections: i64,
    /// Whether something is still to be learnt. It happens within a minute, while the archive is not sealed.
    pub due: bool,
    /// The last attempt at learning; null before the first and after a reset.
    #[schema(required)]
    pub last: Option<LearningAttempt>,
}

/// Something that was learnt.
#[derive(Debug, Serialize, ToSchema)]
pub struct ModelVersion {
    /// Its number.
    pub version: i64,
    /// When it was learnt; RFC 3339, UTC.
    pub made: String,
    /// Reports that it was learnt from.
    pub corrections: i64,
}

/// An attempt at learning.
#[derive(Debug, Serialize, ToSchema)]
pub struct LearningAttempt {
    /// When; RFC 3339, UTC.
    pub at: String,
    /// Whether what was learnt is used.
    pub kept: bool,
    /// Reports that it was learnt from.
    pub corrections: i64,
    /// Bundled reports that it was tried on.
    pub tested: i64,
    /// Of these, put where they belong with what was learnt.
    pub right: i64,
    /// Of these, put where they belong without it. More than one in a hundred fewer than this, and nothing is kept.
    pub bundled: i64,
}

impl RoutingModel {
    fn new(told: &Told) -> ApiResult<Self> {
        let versions = told.versions.iter().copied().map(version_out);
        Ok(Self {
            versions: versions.collect::<ApiResult<Vec<ModelVersion>>>()?,
            active: told.versions.first().map(|head| head.version),
            corrections: told.corrections,
            due: told.due,
            last: told.last.map(attempt_out).transpose()?,
        })
    }
}

fn version_out(head: HeadFacts) -> ApiResult<ModelVersion> {
    Ok(ModelVersion {
        version: head.version,
        made: rfc3339(head.made)?,
        corrections: head.corrections,
    })
}

fn attempt_out(last: AttemptRow) -> ApiResult<LearningAttempt> {
    Ok(LearningAttempt {
        at: rfc3339(last.at)?,
        kept: last.kept,
        corrections: last.corrections,
        tested: last.tested,
        right: last.right,
        bundled: last.bundled,
    })
}

/// The version to take back.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct UndoLearning {
    /// Number of the version in force.
    version: i64,
}

/// What goes with what was learnt.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ResetLearning {
    /// Also forget which reports staff moved; else they count again as soon as there is another.
    forget: Option<bool>,
}

/// What routing has learnt from staff.
#[utoipa::path(get, operation_id = "routing_model", path = "/routing/model", tag = "impostazioni",
    responses((status = 200, body = RoutingModel)))]
pub async fn get(State(app): State<Shared>, _admin: Admin) -> ApiResult<axum::Json<RoutingModel>> {
    let told = app.read(|_, snapshot| tell(snapshot)).await?;
    Ok(axum::Json(RoutingModel::new(&told)?))
}

/// Takes the version in force back: the one before it is in force again, bit for bit. What only it had learnt counts no
/// more. 409 when another version is in force by now.
#[utoipa::path(post, operation_id = "undo_routing_model", path = "/routing/model/undo", tag = "impostazioni",
    request_body = UndoLearning,
    responses((status = 200, body = RoutingModel)))]
pub async fn undo_last(
    State(app): State<Shared>,
    admin: Admin,
    Json(asked): Json<UndoLearning>,
) -> ApiResult<axum::Json<RoutingModel>> {
    let now = app.clock.now_ms();
    let told = app.write(move |_, tx| {
        undo(tx, now, &admin.visitor.actor, asked.version)?;
        tell(tx)
    });
    Ok(axum::Json(RoutingModel::new(&told.await?)?))
}

/// Takes everything back that was learnt.
#[utoipa::path(delete, operation_id = "reset_routing_model", path = "/routing/model", tag = "impostazioni",
    params(ResetLearning),
    responses((status = 200, body = RoutingModel)))]
pub async fn delete(
    State(app): State<Shared>,
    admin: Admin,
    Strict(asked): Strict<ResetLearning>,
) -> ApiResult<axum::Json<RoutingModel>> {
    let now = app.clock.now_ms();
    let told = app.write(move |_, tx| {
        reset(tx, now, &admin.visitor.actor, asked.forget.unwrap_or(false))?;
        tell(tx)
    });
    Ok(axum::Json(RoutingModel::new(&told.await?)?))
}
