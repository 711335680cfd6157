//! The newsroom's departments: the list, and what administrators change of it.

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::actions::desk::bulk::STEP;
use crate::actions::desk::edit_reports::ExpectedVersion;
use crate::actions::settings::departments::{
    DepartmentChange, NewDepartment, add, change, move_step, remove, reorder,
};
use crate::actions::{self, Act};
use crate::domain::routing::DepartmentKey;
use crate::http::path::DepartmentPath;
use crate::http::query::Strict;
use crate::http::routes::versions::{expected_version, tagged};
use crate::http::routes::{Administrator, ApiResult, Json, Kind, Reader, Shared};
use crate::readings::desk::departments::{DepartmentList, departments};

/// The departments in a new order.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DepartmentOrder {
    /// The key of each department; `generale` stands last, whether it is named or not.
    keys: Vec<DepartmentKey>,
}

/// Where the reports of a department go that is removed.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct RemovalQuery {
    /// Key of another department; `generale` if absent.
    #[serde(default)]
    to: DepartmentKey,
}

/// Reports that are being moved out of a department that was removed.
#[derive(Serialize, ToSchema)]
pub struct DepartmentMoving {
    /// The number of reports that are still to be moved.
    moving: i64,
}

/// The departments that the caller sees, in the newsroom's order. Address and keywords are for administrators.
#[utoipa::path(get, operation_id = "departments", path = "/departments", tag = "impostazioni",
    responses((status = 200, body = DepartmentList, headers(("ETag" = String, description = "Version of the whole list, in quotes")))))]
pub async fn list(reader: Reader) -> ApiResult<Response> {
    let role = reader.person().map(|person| person.role);
    let read = reader.read(move |_, snapshot| departments(snapshot, role));
    let (version, list) = read.await?;
    Ok(tagged(version, list))
}

/// Adds a department behind the others, on the version of the list that `If-Match` names. Answers the list.
#[utoipa::path(post, operation_id = "add_department", path = "/departments", tag = "impostazioni", request_body = NewDepartment,
    params(("If-Match" = String, Header, description = "Version of the list, in quotes")),
    responses((status = 200, body = DepartmentList, headers(("ETag" = String, description = "Version of the whole list, in quotes")))))]
pub async fn create(
    admin: Administrator,
    headers: HeaderMap,
    Json(new): Json<NewDepartment>,
) -> ApiResult<Response> {
    changed(admin, &headers, move |act, expected| {
        add(act, expected, &new)
    })
    .await
}

/// Changes a department, on the version of the list that `If-Match` names. Of `generale` only the name changes. Answers the list.
#[utoipa::path(patch, operation_id = "change_department", path = "/departments/{key}", tag = "impostazioni",
    request_body = DepartmentChange,
    params(DepartmentPath, ("If-Match" = String, Header, description = "Version of the list, in quotes")),
    responses((status = 200, body = DepartmentList, headers(("ETag" = String, description = "Version of the whole list, in quotes")))))]
pub async fn edit(
    admin: Administrator,
    DepartmentPath(key): DepartmentPath,
    headers: HeaderMap,
    Json(asked): Json<DepartmentChange>,
) -> ApiResult<Response> {
    changed(admin, &headers, move |act, expected| {
        change(act, expected, key, asked)
    })
    .await
}

/// Puts the departments into another order, on the version of the list that `If-Match` names. Answers the list.
#[utoipa::path(put, operation_id = "order_departments", path = "/departments/order", tag = "impostazioni",
    request_body = DepartmentOrder,
    params(("If-Match" = String, Header, description = "Version of the list, in quotes")),
    responses((status = 200, body = DepartmentList, headers(("ETag" = String, description = "Version of the whole list, in quotes")))))]
pub async fn put_order(
    admin: Administrator,
    headers: HeaderMap,
    Json(order): Json<DepartmentOrder>,
) -> ApiResult<Response> {
    changed(admin, &headers, move |act, expected| {
        reorder(act, expected, &order.keys)
    })
    .await
}

/// Removes a department, whose reports are moved to another. Called again, it tells how many are still to be moved. A person who
/// sees no other department stands in the way.
#[utoipa::path(delete, operation_id = "remove_department", path = "/departments/{key}", tag = "impostazioni",
    params(DepartmentPath, RemovalQuery, ("If-Match" = Option<String>, Header, description = "Version of the list, in quotes")),
    responses((status = 202, body = DepartmentMoving), (status = 204, description = "Tolto")))]
pub async fn delete(
    admin: Administrator,
    State(app): State<Shared>,
    DepartmentPath(key): DepartmentPath,
    Strict(query): Strict<RemovalQuery>,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let expected = expected_version(&headers).unwrap_or(ExpectedVersion::Any);
    let removed = admin.change(move |act| {
        remove(act, &expected, key, query.to)?;
        Ok(act.counted(None, Some(key))?)
    });
    let moving = removed.await?;
    if moving == 0 {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    tokio::task::spawn_blocking(move || {
        let step = || app.core.write(move_step);
        while matches!(step(), Ok(STEP)) {}
    });
    Ok((StatusCode::ACCEPTED, Json(DepartmentMoving { moving })).into_response())
}

async fn changed(
    admin: Administrator,
    headers: &HeaderMap,
    work: impl FnOnce(&Act<'_>, &ExpectedVersion) -> actions::Result<()> + Send + 'static,
) -> ApiResult<Response> {
    let expected = expected_version(headers).ok_or(Kind::VERSION_REQUIRED)?;
    let role = admin.person().map(|person| person.role);
    let made = admin.change(move |act| {
        work(act, &expected)?;
        departments(act, role)
    });
    let (version, list) = made.await?;
    Ok(tagged(version, list))
}
