//! Deliveries as the panel sees them, with whose reports they tell of.

use serde::Serialize;
use utoipa::ToSchema;

use super::Reading;
use super::cursors::plain_number;
use super::delivery_summary::{DeliverySummary, summarize};
use crate::actions;
use crate::actions::archive::sealing::{ListItem, open_listed};
use crate::domain::delivery::{DeliveryKind, DeliveryState};
use crate::store::{DeliveryFilter, DeliveryRow, Snapshot};
use crate::vault::Vault;

/// Most deliveries of a state that are counted: bounds what a look at a full outbox costs.
const COUNTED: usize = 100_000;

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

/// A page of the deliveries of a filter, newest first.
pub fn deliveries(
    reading: Reading<'_>,
    snapshot: &Snapshot<'_>,
    which: DeliveryFilter,
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

/// The messages of a channel that have not arrived.
pub struct ChannelBacklog {
    pub kind: DeliveryKind,
    pub waiting: i64,
    /// Messages that were given up and not dealt with.
    pub failed: i64,
    /// Since when the oldest waiting message has waited, in ms.
    pub oldest: Option<i64>,
}

/// The backlog of each channel, for monitoring.
pub fn backlogs(snapshot: &Snapshot<'_>) -> actions::Result<Vec<ChannelBacklog>> {
    let waiting = snapshot.backlog(DeliveryState::Pending, COUNTED)?;
    let failed = snapshot.backlog(DeliveryState::Failed, COUNTED)?;
    let channels = DeliveryKind::ALL.into_iter().map(|kind| {
        let waiting = waiting.iter().find(|one| one.kind == kind);
        let failed = failed.iter().find(|one| one.kind == kind);
        ChannelBacklog {
            kind,
            waiting: waiting.map_or(0, |one| one.count),
            failed: failed.map_or(0, |one| one.count),
            oldest: waiting.map(|one| one.oldest),
        }
    });
    Ok(channels.collect())
}
