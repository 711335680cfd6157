//! The list of departments: its version, and whether a department is on it.

use crate::actions::Result;
use crate::domain::invalid::Invalid;
use crate::domain::routing::{DepartmentKey, Departments, mark_of};
use crate::store::Snapshot;

/// A number that another list, another order and another name have not; a script's numbers hold it exactly.
pub fn version(departments: &Departments) -> i64 {
    (mark_of(departments) >> 11).cast_signed()
}

/// Refuses a department that there is not, or not any more.
pub fn known(snapshot: &Snapshot<'_>, key: DepartmentKey, field: &str) -> Result<()> {
    if snapshot.has_department(key)? {
        return Ok(());
    }
    let message = "Questo reparto non c'è più: ricarica la pagina.";
    Err(Invalid::new(field, "unknown", message).into())
}

/// Where a report of this department belongs now: to its heir where it was removed, and to `generale` where it was never there.
pub fn standing(snapshot: &Snapshot<'_>, key: DepartmentKey) -> Result<DepartmentKey> {
    if snapshot.has_department(key)? {
        return Ok(key);
    }
    let heir = snapshot.heir(key)?;
    if heir.is_none() {
        tracing::warn!(%key, "there is no such department: what names it goes to «generale»");
    }
    Ok(heir.unwrap_or_default())
}
