//! The filters of the list that editors keep under a name, for everybody who sees the same desks.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::actions::archive::sealing::{open_as, or_stand_in, seal};
use crate::actions::{Act, Result};
use crate::domain::invalid::Invalid;
use crate::domain::routing::{DepartmentKey, Sight};
use crate::domain::text::{char_count, clean_line};
use crate::store::ViewRow;
use crate::vault::VaultError;

/// The table that a view is sealed for.
pub const TABLE: &str = "views";
const MOST: i64 = 30;
const NAME_CHARS: usize = 60;
const QUERY_CHARS: usize = 2_000;

/// A filter to be saved under a name.
// It is sealed as it comes.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ViewIn {
    /// Its name.
    #[schema(max_length = 60)]
    pub name: String,
    /// The parameters of `GET /reports`, as a query string without question mark.
    #[schema(max_length = 2000)]
    pub query: String,
}

/// Keeps a filter; answers its id.
pub fn keep_view(act: &Act<'_>, mut view: ViewIn) -> Result<String> {
    let refused = |field: &str, code: &'static str, message: String| {
        Err(Invalid::new(field, code, message).into())
    };
    view.name = clean_line(&view.name);
    if view.name.is_empty() {
        return refused("name", "empty", "Scrivi un nome per la vista.".to_owned());
    }
    for (field, text, most) in [
        ("name", &view.name, NAME_CHARS),
        ("query", &view.query, QUERY_CHARS),
    ] {
        if char_count(text) > most {
            let message = format!("Inserisci al massimo {most} caratteri.");
            return refused(field, "tooLong", message);
        }
    }
    if is_taken(act, &view.name)? {
        let message = "C'è già una vista con questo nome.";
        return refused("name", "taken", message.to_owned());
    }
    if act.view_count()? >= MOST {
        let message = format!("Ci sono già {MOST} viste: eliminane una.");
        return refused("name", "tooMany", message);
    }
    let id = Uuid::new_v4().to_string();
    let bytes = serde_json::to_vec(&view).map_err(|_| VaultError::Damaged)?;
    let (epoch, sealed) = seal(act, TABLE, &id, &bytes)?;
    let row = ViewRow { id, epoch, sealed };
    act.tx.insert_view(&row, act.visible_departments())?;
    Ok(row.id)
}

/// Whether a view that the caller sees has this name: two of one name cannot be told apart where they are offered.
fn is_taken(act: &Act<'_>, name: &str) -> Result<bool> {
    for ViewRow { id, epoch, sealed } in act.views()? {
        let view = open_as(act, act.vault, epoch, TABLE, &id, &sealed);
        let view: Option<ViewIn> = or_stand_in(view.map(Some), &id, || None)?;
        if view.is_some_and(|view| view.name == name) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Where a department was removed, the filters that name it name its heir; who saw it made them for those who see the heir.
pub fn views_follow(act: &Act<'_>, key: DepartmentKey, heir: DepartmentKey) -> Result<()> {
    for ViewRow { id, epoch, sealed } in act.views()? {
        let view = open_as(act, act.vault, epoch, TABLE, &id, &sealed);
        let Some(mut view): Option<ViewIn> = or_stand_in(view.map(Some), &id, || None)? else {
            continue;
        };
        let renamed = view
            .query
            .split('&')
            .map(|part| match part.split_once('=') {
                Some(("department", named)) if named == key.as_str() => {
                    format!("department={heir}")
                }
                _ => part.to_owned(),
            });
        view.query = renamed.collect::<Vec<_>>().join("&");
        let sight = act.view_sight(&id)?.unwrap_or_default();
        let keys = sight
            .keys()
            .iter()
            .map(|one| if *one == key { heir } else { *one });
        let bytes = serde_json::to_vec(&view).map_err(|_| VaultError::Damaged)?;
        let (epoch, sealed) = seal(act, TABLE, &id, &bytes)?;
        let row = ViewRow { id, epoch, sealed };
        act.tx
            .put_view(&row, &Sight::of(&keys.collect::<Vec<_>>()))?;
    }
    Ok(())
}

/// Drops a view; answers whether it was there.
pub fn drop_view(act: &Act<'_>, id: &str) -> Result<bool> {
    Ok(act.tx.delete_view(id)? > 0)
}
