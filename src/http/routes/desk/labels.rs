//! The newsroom's labels.

use axum::response::NoContent;

use crate::actions::desk::labels::{self, Label, LabelChange, remove_label};
use crate::http::path::LabelId;
use crate::http::routes::{
    Answer, ApiError, ApiResult, Created, Editor, Json, List, Reader, list_of,
};

/// The labels in alphabetical order, 50 at most.
#[utoipa::path(get, path = "/labels", tag = "segnalazioni", responses((status = 200, body = List<Label>)))]
pub async fn labels(admin: Reader) -> Answer<List<Label>> {
    let read = admin.read(|reading, snapshot| labels::labels(snapshot, &reading.vault));
    read.await.map(list_of).map(Json)
}

/// Creates a label.
#[utoipa::path(post, path = "/labels", tag = "segnalazioni", request_body = LabelChange,
    responses((status = 200, body = Created<u8>)))]
pub async fn create_label(admin: Editor, Json(new): Json<LabelChange>) -> Answer<Created<u8>> {
    let made = admin.change(move |act| labels::create_label(act, new));
    let id = made.await?;
    Ok(Json(Created { id }))
}

/// Changes the name or colour of a label.
#[utoipa::path(patch, path = "/labels/{id}", tag = "segnalazioni", params(LabelId), request_body = LabelChange,
    responses((status = 204, description = "Saved")))]
pub async fn change_label(
    admin: Editor,
    LabelId(id): LabelId,
    Json(change): Json<LabelChange>,
) -> ApiResult<NoContent> {
    let changed = admin.change(move |act| labels::change_label(act, id, change));
    if !changed.await? {
        return Err(ApiError::not_there("Questa etichetta non c'è più."));
    }
    Ok(NoContent)
}

/// Deletes a label and removes it from every report.
#[utoipa::path(delete, operation_id = "delete_label", path = "/labels/{id}", tag = "segnalazioni", params(LabelId),
    responses((status = 204, description = "Deleted")))]
pub async fn delete_label(admin: Editor, LabelId(id): LabelId) -> ApiResult<NoContent> {
    // Runs to its end even if the client hangs up.
    let whole = tokio::spawn(async move {
        let mut above = Some(0);
        while let Some(from) = above {
            above = admin.change(move |act| remove_label(act, id, from)).await?;
        }
        Ok(NoContent)
    });
    whole.await.map_err(|error| ApiError::internal(&error))?
}
