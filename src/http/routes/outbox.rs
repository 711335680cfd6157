//! Mail and webhook as the panel sees them: what waits, what arrived, what was given up and why, and another try.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::actions::outbox::retry_delivery::{
    ignore_delivery, ignore_failed, retry_delivery, retry_some,
};
use crate::domain::delivery::{DeliveryKind, DeliveryState};
use crate::http::path::DeliveryId;
use crate::http::query::{PageQuery, StrictPair};
use crate::http::routes::{Administrator, Answer, ApiResult, Json, Reader};
use crate::readings::delivery_summary::{DeliverySummary, summarize};
use crate::readings::outbox::{self, DeliveryList, DeliveryOfReport};
use crate::store::{Action, DeliveryFilter, Destination};

/// Which deliveries.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct DeliveryQuery {
    /// Only those in this state.
    #[param(inline)]
    stato: Option<DeliveryState>,
    /// Only deliveries that wait after a failed attempt; with `false` only the others.
    retrying: Option<bool>,
}

/// The outcome of a change to deliveries.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = DeliveriesChanged)]
pub struct Changed {
    /// The number of deliveries that are scheduled again or ignored.
    pub changed: usize,
}

/// Deliveries, newest first.
#[utoipa::path(get, operation_id = "deliveries", path = "/deliveries", tag = "consegne", params(DeliveryQuery, PageQuery),
    responses((status = 200, body = DeliveryList)))]
pub async fn list(
    admin: Administrator,
    StrictPair(query, page): StrictPair<DeliveryQuery, PageQuery>,
) -> Answer<DeliveryList> {
    let limit = page.limit()?;
    let which = DeliveryFilter {
        state: query.stato,
        retrying: query.retrying,
    };
    let list = admin.read(move |reading, snapshot| {
        outbox::deliveries(reading, snapshot, which, page.cursor.as_deref(), limit)
    });
    list.await.map(Json)
}

/// A short summary of deliveries, for pages that poll.
#[utoipa::path(get, path = "/deliveries/summary", tag = "consegne", responses((status = 200, body = DeliverySummary)))]
pub async fn delivery_summary(admin: Administrator) -> Answer<DeliverySummary> {
    let summary = admin.read(|reading, snapshot| summarize(snapshot, reading.clock.now_ms()));
    summary.await.map(Json)
}

/// Tries one delivery again at once.
#[utoipa::path(post, operation_id = "retry_delivery", path = "/deliveries/{id}/retry", tag = "consegne", params(DeliveryId),
    responses((status = 200, body = DeliveryOfReport)))]
pub async fn retry(admin: Administrator, DeliveryId(id): DeliveryId) -> Answer<DeliveryOfReport> {
    let retried =
        admin.change(move |act| DeliveryOfReport::open(act, act.vault, retry_delivery(act, id)?));
    let retried = retried.await?;
    admin.dispatcher.wake();
    Ok(Json(retried))
}

/// Schedules every failed delivery for another attempt.
#[utoipa::path(post, path = "/deliveries/retry", tag = "consegne", responses((status = 200, body = Changed)))]
pub async fn retry_deliveries(admin: Administrator) -> Answer<Changed> {
    let noted = admin.change(|act| act.log(Action::DeliveryRetried, None));
    noted.await?;
    let changed = retry_each(&admin, None).await?;
    Ok(Json(Changed { changed }))
}

async fn retry_each(admin: &Reader, kinds: Option<Vec<DeliveryKind>>) -> ApiResult<usize> {
    let (mut after, mut retried) = (0, 0);
    let next = |after| {
        let kinds = kinds.clone();
        admin.change(move |act| retry_some(act, kinds.as_deref(), after))
    };
    while let Some((last, revived)) = next(after).await? {
        admin.dispatcher.wake();
        after = last;
        retried += revived;
    }
    Ok(retried)
}

/// Tries everything of these kinds at once that did not arrive: what kept it from arriving may be mended. The answer does not wait
/// for it, as there may be thousands. Where that fails the deliveries stay as they are, each with its 'Riprova'.
pub(in crate::http::routes) fn retry_mended(admin: Administrator, kinds: Vec<DeliveryKind>) {
    if kinds.is_empty() {
        return;
    }
    tokio::spawn(async move {
        if retry_each(&admin, Some(kinds)).await.is_err() {
            tracing::warn!("deliveries could not be tried again");
        }
    });
}

/// Marks one failed delivery as ignored: it did not arrive and need not. This cannot be undone.
#[utoipa::path(post, operation_id = "ignore_delivery", path = "/deliveries/{id}/ignore", tag = "consegne", params(DeliveryId),
    responses((status = 200, body = DeliveryOfReport)))]
pub async fn ignore(admin: Administrator, DeliveryId(id): DeliveryId) -> Answer<DeliveryOfReport> {
    let ignored =
        admin.change(move |act| DeliveryOfReport::open(act, act.vault, ignore_delivery(act, id)?));
    ignored.await.map(Json)
}

/// Marks every failed delivery to a destination as ignored.
#[utoipa::path(post, operation_id = "ignore_deliveries", path = "/deliveries/ignore", tag = "consegne",
    request_body = Destination,
    responses((status = 200, body = Changed)))]
pub async fn ignore_all(
    admin: Administrator,
    Json(destination): Json<Destination>,
) -> Answer<Changed> {
    let noted = admin.change(|act| act.log(Action::DeliveryIgnored, None));
    noted.await?;
    let mut changed = 0;
    loop {
        let of = destination.clone();
        match admin.change(move |act| ignore_failed(act, &of)).await? {
            0 => return Ok(Json(Changed { changed })),
            some => changed += some,
        }
    }
}
