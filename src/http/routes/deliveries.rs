//! Mail and webhook as the panel sees them: what waits, what arrived, what was given up and why, and another try.
//! Must never show a body, nor send anything itself: the dispatcher does.

use axum::extract::State as Of;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::rfc3339;
use crate::actions::Error;
use crate::actions::delivery_standing::{Standing, standing};
use crate::actions::ignore_delivery::{ignore_delivery, ignore_failed, note_ignoring_of_all};
use crate::actions::retry_delivery::{note_retry_of_all, retry_delivery, retry_failed};
use crate::domain::delivery::{Kind, State};
use crate::domain::invalid::Invalid;
use crate::http::admin::Admin;
use crate::http::json::Json;
use crate::http::path::DeliveryId;
use crate::http::problem::{ApiError, ApiResult};
use crate::http::query::{Page, Paged};
use crate::http::state::Shared;
use crate::store::{DeliveryRow, Destination};

/// Which deliveries.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct DeliveryQuery {
    /// Only those in this state.
    #[param(inline)]
    stato: Option<State>,
}

/// A mail, or a call of the webhook.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Delivery {
    /// Its number.
    pub id: i64,
    /// How it is delivered.
    pub tipo: Kind,
    /// Mail address or web address.
    pub destinatario: String,
    /// What became of it.
    pub stato: State,
    /// Attempts so far; since the last 'Riprova' where there was one.
    pub tentativi: u32,
    /// Why the last attempt failed.
    #[schema(required)]
    pub ultimo_errore: Option<String>,
    /// When it is tried next, if it waits; RFC 3339, UTC. In the past: as soon as possible.
    #[schema(required)]
    pub prossimo_tentativo: Option<String>,
    /// When it was made; RFC 3339, UTC.
    pub creata: String,
    /// When it arrived, was given up or put away; RFC 3339, UTC.
    #[schema(required)]
    pub conclusa: Option<String>,
}

/// A delivery, and the report it tells of.
#[derive(Debug, Serialize, ToSchema)]
pub struct DeliveryOfReport {
    /// The delivery.
    #[serde(flatten)]
    pub delivery: Delivery,
    /// Id of the report.
    pub report: String,
}

/// A page of deliveries.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeliveryList {
    /// Newest first.
    pub data: Vec<DeliveryOfReport>,
    /// Cursor of the page with older ones.
    #[schema(required)]
    pub next_cursor: Option<String>,
    /// How they stand, whatever the filter.
    #[serde(flatten)]
    pub summary: Standing,
}

/// Where deliveries go.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = DeliveryDestination)]
pub struct DestinationIn {
    /// How they are delivered.
    tipo: Kind,
    /// Mail address or web address.
    destinatario: String,
}

/// What came of putting away everything that was given up for a destination.
#[derive(Debug, Serialize, ToSchema)]
pub struct Ignored {
    /// Deliveries that were put away.
    pub ignored: usize,
}

/// What came of asking for another try of everything.
#[derive(Debug, Serialize, ToSchema)]
pub struct Retried {
    /// Deliveries that wait again.
    pub retried: usize,
}

/// Deliveries, newest first.
#[utoipa::path(get, operation_id = "deliveries", path = "/deliveries", tag = "consegne", params(DeliveryQuery, Page),
    responses((status = 200, body = DeliveryList)))]
pub async fn list(
    Of(app): Of<Shared>,
    _admin: Admin,
    Paged(query, page): Paged<DeliveryQuery>,
) -> ApiResult<axum::Json<DeliveryList>> {
    let limit = page.limit()?;
    let before = page.cursor.as_deref().map(parse_cursor).transpose()?;
    let (now, state) = (app.clock.now_ms(), query.stato);
    let list = app
        .read(move |_, snapshot| {
            let mut rows = snapshot.deliveries(state, before, limit + 1)?;
            let more = rows.len() > limit;
            rows.truncate(limit);
            let summary = standing(snapshot, now)?;
            Ok::<_, ApiError>(DeliveryList {
                next_cursor: rows
                    .last()
                    .filter(|_| more)
                    .map(|row| format!("p{}", row.id)),
                data: rows.into_iter().map(of_report).collect::<ApiResult<_>>()?,
                summary,
            })
        })
        .await?;
    Ok(axum::Json(list))
}

/// How deliveries stand, for a page that asks often.
#[utoipa::path(get, operation_id = "delivery_summary", path = "/deliveries/summary", tag = "consegne",
    responses((status = 200, body = Standing)))]
pub async fn summary(Of(app): Of<Shared>, _admin: Admin) -> ApiResult<axum::Json<Standing>> {
    let now = app.clock.now_ms();
    let summary = app.read(move |_, snapshot| standing(snapshot, now)).await?;
    Ok(axum::Json(summary))
}

/// Asks for another try of one delivery: at once.
#[utoipa::path(post, operation_id = "retry_delivery", path = "/deliveries/{id}/retry", tag = "consegne",
    params(("id" = i64, Path, description = "Numero della consegna")),
    responses((status = 200, body = DeliveryOfReport)))]
pub async fn retry(
    Of(app): Of<Shared>,
    admin: Admin,
    DeliveryId(id): DeliveryId,
) -> ApiResult<axum::Json<DeliveryOfReport>> {
    let now = app.clock.now_ms();
    let row = app
        .write(move |app, tx| {
            retry_delivery(tx, &app.vault, now, &admin.visitor.actor, id)?;
            tx.delivery(id)?.ok_or(Error::DeliveryNotFound)
        })
        .await?;
    app.dispatcher.wake();
    Ok(axum::Json(of_report(row)?))
}

/// Asks for another try of everything that was given up.
#[utoipa::path(post, operation_id = "retry_deliveries", path = "/deliveries/retry", tag = "consegne",
    responses((status = 200, body = Retried)))]
pub async fn retry_all(Of(app): Of<Shared>, admin: Admin) -> ApiResult<axum::Json<Retried>> {
    let now = app.clock.now_ms();
    app.write(move |_, tx| note_retry_of_all(tx, now, &admin.visitor.actor))
        .await?;
    let (mut after, mut retried) = (0, 0);
    loop {
        let step = app
            .write(move |app, tx| retry_failed(tx, &app.vault, now, after))
            .await?;
        app.dispatcher.wake();
        let Some((last, revived)) = step else {
            return Ok(axum::Json(Retried { retried }));
        };
        after = last;
        retried += revived;
    }
}

/// Puts one delivery away: it did not arrive and need not. For good.
#[utoipa::path(post, operation_id = "ignore_delivery", path = "/deliveries/{id}/ignore", tag = "consegne",
    params(("id" = i64, Path, description = "Numero della consegna")),
    responses((status = 200, body = DeliveryOfReport)))]
pub async fn ignore(
    Of(app): Of<Shared>,
    admin: Admin,
    DeliveryId(id): DeliveryId,
) -> ApiResult<axum::Json<DeliveryOfReport>> {
    let now = app.clock.now_ms();
    let row = app
        .write(move |_, tx| {
            ignore_delivery(tx, now, &admin.visitor.actor, id)?;
            tx.delivery(id)?.ok_or(Error::DeliveryNotFound)
        })
        .await?;
    Ok(axum::Json(of_report(row)?))
}

/// Puts everything away that was given up for a destination.
#[utoipa::path(post, operation_id = "ignore_deliveries", path = "/deliveries/ignore", tag = "consegne",
    request_body = DestinationIn,
    responses((status = 200, body = Ignored)))]
pub async fn ignore_all(
    Of(app): Of<Shared>,
    admin: Admin,
    Json(wanted): Json<DestinationIn>,
) -> ApiResult<axum::Json<Ignored>> {
    let now = app.clock.now_ms();
    let destination = Destination {
        kind: wanted.tipo,
        address: wanted.destinatario,
    };
    app.write(move |_, tx| note_ignoring_of_all(tx, now, &admin.visitor.actor))
        .await?;
    let mut ignored = 0;
    loop {
        let of = destination.clone();
        match app.write(move |_, tx| ignore_failed(tx, now, &of)).await? {
            0 => return Ok(axum::Json(Ignored { ignored })),
            some => ignored += some,
        }
    }
}

/// A delivery as it travels.
pub(super) fn delivery_out(row: DeliveryRow) -> ApiResult<Delivery> {
    let next = (row.state == State::Pending).then_some(row.next_at);
    Ok(Delivery {
        id: row.id,
        tipo: row.kind,
        destinatario: row.destination,
        stato: row.state,
        tentativi: row.attempts,
        ultimo_errore: row.error,
        prossimo_tentativo: next.map(rfc3339).transpose()?,
        creata: rfc3339(row.created)?,
        conclusa: row.concluded.map(rfc3339).transpose()?,
    })
}

fn of_report(row: DeliveryRow) -> ApiResult<DeliveryOfReport> {
    Ok(DeliveryOfReport {
        report: row.report.clone(),
        delivery: delivery_out(row)?,
    })
}

/// A cursor names the delivery at the end of a page.
fn parse_cursor(cursor: &str) -> ApiResult<i64> {
    let number = cursor
        .strip_prefix('p')
        .and_then(|digits| digits.parse().ok());
    number.filter(|id| *id >= 0).ok_or_else(|| {
        ApiError::invalid(vec![Invalid::new("cursor", "format", "Pagina non valida.")])
    })
}
