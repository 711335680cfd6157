//! The filters of the list that editors have saved.

use serde::Serialize;
use utoipa::ToSchema;

use crate::actions;
use crate::actions::archive::sealing::{open_as, or_stand_in};
use crate::actions::desk::views::{TABLE, ViewIn};
use crate::readings::Reading;
use crate::store::{Snapshot, ViewRow};

/// A saved filter.
#[derive(Debug, Serialize, ToSchema)]
pub struct View {
    /// Its id.
    id: String,
    /// Its name.
    name: String,
    /// The parameters of `GET /reports`, as a query string without question mark.
    query: String,
}

/// The saved filters, the oldest first. One that is damaged hides no other.
pub fn views(reading: Reading<'_>, snapshot: &Snapshot<'_>) -> actions::Result<Vec<View>> {
    let opened = |row: ViewRow| {
        let view = open_as(
            snapshot,
            &reading.vault,
            row.epoch,
            TABLE,
            &row.id,
            &row.sealed,
        );
        let ViewIn { name, query } = or_stand_in(view, &row.id, || ViewIn {
            name: "(vista non leggibile)".to_owned(),
            query: String::new(),
        })?;
        let id = row.id;
        Ok(View { id, name, query })
    };
    snapshot.views()?.into_iter().map(opened).collect()
}
