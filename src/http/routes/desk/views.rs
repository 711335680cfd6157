//! The filters of the list that editors keep under a name.

use axum::response::NoContent;

use crate::actions::desk::views::{ViewIn, drop_view, keep_view};
use crate::http::path::ViewId;
use crate::http::routes::{
    Answer, ApiError, ApiResult, Created, Editor, Json, List, Reader, list_of,
};
use crate::readings::desk::views::{View, views};

/// The saved filters, the oldest first.
#[utoipa::path(get, operation_id = "views", path = "/views", tag = "segnalazioni", responses((status = 200, body = List<View>)))]
pub async fn list(admin: Reader) -> Answer<List<View>> {
    let list = admin.read(views);
    list.await.map(list_of).map(Json)
}

/// Saves a filter; 30 can be saved.
#[utoipa::path(post, operation_id = "keep_view", path = "/views", tag = "segnalazioni", request_body = ViewIn,
    responses((status = 200, body = Created<String>)))]
pub async fn keep(admin: Editor, Json(view): Json<ViewIn>) -> Answer<Created<String>> {
    let kept = admin.change(move |act| keep_view(act, view));
    kept.await.map(|id| Json(Created { id }))
}

/// Deletes a saved filter.
#[utoipa::path(delete, operation_id = "drop_view", path = "/views/{id}", tag = "segnalazioni", params(ViewId),
    responses((status = 204, description = "Deleted")))]
pub async fn forget(admin: Editor, ViewId(id): ViewId) -> ApiResult<NoContent> {
    let dropped = admin.change(move |act| drop_view(act, &id)).await?;
    if dropped {
        Ok(NoContent)
    } else {
        Err(ApiError::not_there("Vista non trovata."))
    }
}
