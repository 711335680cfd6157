//! Everything that is shown: synchronous functions over a [`Reading`] and a snapshot, and the answers that they make.
//! Must never change anything, nor know how an answer travels.

pub mod absent_files;
pub mod access;
pub mod archive;
pub mod csv;
pub mod cursors;
pub mod delivery_summary;
pub mod desk;
pub mod intake;
pub mod outbox;
pub mod people;
pub mod reporter;
pub mod settings;

use std::collections::HashMap;
use std::ops::Deref;

use serde::Serialize;
use utoipa::ToSchema;

use crate::actions;
use crate::actions::archive::sealing::{ListItem, open_listed};
use crate::domain::moment::rfc3339;
use crate::domain::report::Stato;
use crate::newsroom::Core;
use crate::search::Search;
use crate::store::{ListRow, Snapshot};

/// The means of reading a snapshot: the keys, the clock and the zone of the core, and the search index.
#[derive(Clone, Copy)]
pub struct Reading<'a> {
    pub core: &'a Core,
    pub search: &'a Search,
}

impl Deref for Reading<'_> {
    type Target = Core;

    fn deref(&self) -> &Core {
        self.core
    }
}

/// A report, as lists name it.
#[derive(Debug, Serialize, ToSchema)]
pub struct ReportHead {
    /// 36-character id.
    pub id: String,
    /// First name.
    pub nome: String,
    /// Surname.
    pub cognome: String,
    /// When it was received; RFC 3339, UTC.
    pub data_creazione: String,
    /// Status.
    pub stato: Stato,
}

impl ReportHead {
    pub fn open(
        reading: Reading<'_>,
        snapshot: &Snapshot<'_>,
        row: ListRow,
    ) -> actions::Result<Self> {
        let ListItem { nome, cognome, .. } = open_listed(snapshot, &reading.vault, &row)?;
        Ok(Self {
            data_creazione: rfc3339(row.data_creazione),
            stato: row.stato,
            id: row.id,
            nome,
            cognome,
        })
    }
}

/// A person, by name.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct PersonHead {
    /// Their id.
    id: String,
    /// Their name, also after they were removed.
    pub name: String,
}

/// All people by id, also those who went.
pub fn people_heads(snapshot: &Snapshot<'_>) -> actions::Result<HashMap<String, PersonHead>> {
    let people = snapshot.named_people()?.into_iter();
    let heads = people.map(|(id, name)| (id.clone(), PersonHead { id, name }));
    Ok(heads.collect())
}
