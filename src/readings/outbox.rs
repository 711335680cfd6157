//! Deliveries as the panel sees them, with whose reports they tell of.

use serde::Serialize;
use utoipa::ToSchema;

use super::Reading;
use super::cursors::plain_number;
use crate::actions;
use crate::actions::archive::sealing::{ListItem, open_listed};
use crate::actions::outbox::delivery_summary::{DeliverySummary, summarize};
use crate::domain::delivery::DeliveryState;
use crate::store::{DeliveryRow, Snapshot};
use crate::vault::Vault;

/// A delivery, and the report it tells of.
#[derive(Debug, Serialize, ToSchema)]
pub struct DeliveryOfReport {
    /// The delivery.
    #[serde(flatten)]
    pub delivery: DeliveryRow,
    /// First name of its reporter; empty where the report cannot be read.
    pub nome: String,
    /// Surname.
    pub cognome: String,
}

impl DeliveryOfReport {
    pub fn open(snapshot: &Snapshot<'_>, vault: &Vault, row: DeliveryRow) -> actions::Result<Self> {
        let of = snapshot.listed_of(&row.report)?;
        let listed = of.map(|report| open_listed(snapshot, vault, &report));
        let ListItem { nome, cognome, .. } = listed.transpose()?.unwrap_or_default();
        Ok(Self {
            delivery: row,
            nome,
            cognome,
        })
    }
}

/// A page of deliveries.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeliveryList {
    /// Newest first.
    pub data: Vec<DeliveryOfReport>,
    /// Cursor of the page with older ones.
    pub next_cursor: Option<String>,
    /// How they stand, whatever the filter.
    #[serde(flatten)]
    pub summary: DeliverySummary,
}

/// A page of deliveries, newest first: of one state, and only those that wait after a failure, or the others.
pub fn deliveries(
    reading: Reading<'_>,
    snapshot: &Snapshot<'_>,
    which: (Option<DeliveryState>, Option<bool>),
    cursor: Option<&str>,
    limit: usize,
) -> actions::Result<DeliveryList> {
    let below = cursor.map(plain_number).transpose()?;
    let mut rows = snapshot.deliveries(which, below, limit + 1)?;
    let more = rows.len() > limit;
    rows.truncate(limit);
    let last = rows.last().filter(|_| more);
    let next_cursor = last.map(|row| row.id.to_string());
    let rows = rows.into_iter();
    let data = rows.map(|row| DeliveryOfReport::open(snapshot, &reading.vault, row));
    Ok(DeliveryList {
        next_cursor,
        data: data.collect::<actions::Result<_>>()?,
        summary: summarize(snapshot, reading.clock.now_ms())?,
    })
}
