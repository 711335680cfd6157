//! The newsroom's labels: made, changed, taken away.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::actions::archive::retention::STEP;
use crate::actions::archive::sealing::{open, readable, seal};
use crate::actions::{Act, Error, Result};
use crate::domain::invalid::Invalid;
use crate::domain::label::{LabelColor, MOST, NAME_CHARS, bits};
use crate::domain::text;
use crate::store::{Action, LabelRow, Snapshot};
use crate::vault::Vault;

const NAME: &str = "labels";

/// A label.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Label {
    /// Its number.
    pub id: u8,
    /// Its name.
    pub name: String,
    /// Its colour.
    pub color: LabelColor,
}

/// A change to a label, or a new label. Absent fields stay as they are.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct LabelChange {
    /// Its name.
    #[schema(max_length = 30)]
    pub name: Option<String>,
    /// Its colour.
    #[schema(inline)]
    pub color: Option<LabelColor>,
}

/// All labels, by name.
pub fn labels(snapshot: &Snapshot<'_>, vault: &Vault) -> Result<Vec<Label>> {
    let mut labels = snapshot
        .labels()?
        .iter()
        .map(|row| opened(snapshot, vault, row))
        .collect::<Result<Vec<_>>>()?;
    labels.sort_by_cached_key(|label| text::fold(&label.name));
    Ok(labels)
}

/// A label; one whose name is damaged stands among the others, to be named anew.
fn opened(snapshot: &Snapshot<'_>, vault: &Vault, row: &LabelRow) -> Result<Label> {
    let id = row.id.to_string();
    let name = open(snapshot, vault, row.epoch, NAME, &id, &row.name);
    Ok(Label {
        id: row.id,
        name: readable(name, &id, &format!("Etichetta {id} illeggibile"))?,
        color: row.color,
    })
}

/// Makes a label; answers its number.
pub fn create_label(act: &Act<'_>, new: LabelChange) -> Result<u8> {
    let taken = act.labels()?;
    let free = (1..=MOST).find(|id| taken.iter().all(|row| row.id != *id));
    let id = free.ok_or(Error::conflict(
        "Ci sono già 50 etichette: eliminane una prima di crearne un'altra.",
    ))?;
    let label = Label {
        id,
        name: new.name.unwrap_or_default(),
        color: new.color.unwrap_or_default(),
    };
    store_label(act, &label)?;
    Ok(id)
}

/// A label stands on reports of every desk: who does not see them all must not change them by it.
fn of_whole_newsroom(act: &Act<'_>) -> Result<()> {
    if act.visible_departments().is_all() {
        return Ok(());
    }
    Err(Error::conflict(
        "Le etichette sono di tutta la redazione: le cambia chi vede tutti i reparti.",
    ))
}

/// Changes a label; answers whether there is one.
pub fn change_label(act: &Act<'_>, id: u8, change: LabelChange) -> Result<bool> {
    of_whole_newsroom(act)?;
    let known = labels(act, act.vault)?;
    let Some(before) = known.into_iter().find(|label| label.id == id) else {
        return Ok(false);
    };
    let label = Label {
        id,
        name: change.name.unwrap_or(before.name),
        color: change.color.unwrap_or(before.color),
    };
    store_label(act, &label)?;
    Ok(true)
}

/// Stores a label, one out of a backup too.
pub fn store_label(act: &Act<'_>, label: &Label) -> Result<()> {
    let name = text::clean_line(&label.name);
    let refused = |code, message: &str| Err(Invalid::new("name", code, message).into());
    if text::is_blank(&name) {
        return refused("required", "Dai un nome all'etichetta.");
    }
    if text::char_count(&name) > NAME_CHARS {
        return refused("tooLong", "Il nome può avere al massimo 30 caratteri.");
    }
    let others = labels(act, act.vault)?;
    let same = |other: &Label| other.id != label.id && text::fold(&other.name) == text::fold(&name);
    if others.iter().any(same) {
        return refused("taken", "C'è già un'etichetta con questo nome.");
    }
    let (epoch, name) = seal(act, NAME, &label.id.to_string(), name.as_bytes())?;
    act.tx.put_label(&LabelRow {
        id: label.id,
        color: label.color,
        epoch,
        name,
    })?;
    act.log(Action::SettingsChanged, None)
}

/// Removes a label from some of the reports above an arrival number; returns from where to continue. The label itself is deleted
/// once a pass over the archive has found none.
pub fn remove_label(act: &Act<'_>, id: u8, above: i64) -> Result<Option<i64>> {
    of_whole_newsroom(act)?;
    let seqs = act.labelled(id, above, STEP)?;
    for seq in &seqs {
        act.tx.unlabel(*seq, id)?;
    }
    match seqs.last() {
        Some(last) => Ok(Some(*last)),
        None if above > 0 => Ok(Some(0)),
        None => {
            act.tx.delete_label(id)?;
            act.log(Action::SettingsChanged, None)?;
            Ok(None)
        }
    }
}

/// The bits of these labels, all of which there must be.
pub(in crate::actions) fn known(act: &Act<'_>, labels: &[u8]) -> Result<i64> {
    let (asked, known) = (bits(labels), act.known_labels()?);
    if labels.iter().any(|one| bits(&[*one]) & known == 0) {
        let gone = "Questa etichetta non c'è più: ricarica la pagina.";
        return Err(Invalid::new("labels", "unknown", gone).into());
    }
    Ok(asked)
}
