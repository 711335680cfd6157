//! The filters of the list that editors keep under a name.
//! Must never hold a rule: those are in the actions.

use axum::response::NoContent;
use serde::Serialize;
use utoipa::ToSchema;

use super::Answer;
use crate::actions::views::{ViewIn, drop_view, keep_view, views};
use crate::http::admin::{Editor, Reader};
use crate::http::json::Json;
use crate::http::path::ReportId;
use crate::http::problem::{ApiError, ApiResult, Kind};

/// A filter under a name, as it is kept.
#[derive(Serialize, ToSchema)]
#[schema(as = View)]
pub struct ViewOut {
    /// Its id.
    id: String,
    /// Its name.
    name: String,
    /// The parameters of `GET /reports`, as a query string.
    query: String,
}

impl ViewOut {
    fn of((id, ViewIn { name, query }): (String, ViewIn)) -> Self {
        Self { id, name, query }
    }
}

/// The filters that are kept.
#[derive(Serialize, ToSchema)]
pub struct ViewList {
    /// The first one made first.
    data: Vec<ViewOut>,
}

/// A filter that was kept.
#[derive(Serialize, ToSchema)]
pub struct ViewKept {
    /// Its id.
    id: String,
}

/// The filters that are kept.
#[utoipa::path(get, operation_id = "views", path = "/views", tag = "segnalazioni", responses((status = 200, body = ViewList)))]
pub async fn list(admin: Reader) -> Answer<ViewList> {
    let list = admin.read(|app, snapshot| {
        let views = views(snapshot, &app.vault)?.into_iter();
        let data = views.map(ViewOut::of).collect();
        Ok::<_, ApiError>(ViewList { data })
    });
    list.await.map(axum::Json)
}

/// Keeps a filter, 30 at most.
#[utoipa::path(post, operation_id = "keep_view", path = "/views", tag = "segnalazioni", request_body = ViewIn,
    responses((status = 200, body = ViewKept)))]
pub async fn keep(admin: Editor, Json(view): Json<ViewIn>) -> Answer<ViewKept> {
    let kept = admin.change(move |act| keep_view(act, &view));
    kept.await.map(|id| axum::Json(ViewKept { id }))
}

/// Drops a filter.
#[utoipa::path(delete, operation_id = "drop_view", path = "/views/{id}", tag = "segnalazioni", params(ReportId),
    responses((status = 204, description = "Eliminata")))]
pub async fn forget(admin: Editor, ReportId(id): ReportId) -> ApiResult<NoContent> {
    let dropped = admin.change(move |act| drop_view(act, &id)).await?;
    if dropped {
        Ok(NoContent)
    } else {
        Err(Kind::NOT_FOUND.saying("Vista non trovata."))
    }
}
