//! The departments as the panel lists them.

use std::collections::HashMap;

use serde::Serialize;
use utoipa::ToSchema;

use crate::actions;
use crate::domain::person::Role;
use crate::domain::routing::{DepartmentKey, Matter};
use crate::store::Snapshot;

/// A department.
#[derive(Serialize, ToSchema)]
#[schema(as = Department)]
pub struct DepartmentOut {
    /// Its key, which never changes.
    pub key: DepartmentKey,
    /// Its name.
    pub name: String,
    /// The matter that it works on, of those that the analysis knows; null for another one.
    pub matter: Option<Matter>,
    /// Who gets its mail, separated by commas; for administrators. That of `generale` is `emailFallback`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, required = false)]
    pub email: Option<String>,
    /// Words and phrases that speak for it, separated by commas; for administrators.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, required = false)]
    pub keywords: Option<String>,
    /// The number of its reports.
    pub reports: i64,
}

/// A department whose reports the caller does not see.
#[derive(Serialize, ToSchema)]
pub struct OtherDepartment {
    /// Its key.
    pub key: DepartmentKey,
    /// Its name.
    pub name: String,
}

/// Departments in the newsroom's order.
#[derive(Serialize, ToSchema)]
pub struct DepartmentList {
    /// Those that the caller sees; `generale` stands last.
    pub data: Vec<DepartmentOut>,
    /// The others, to which the caller can move a report out of sight.
    pub others: Vec<OtherDepartment>,
    /// Version of the whole list, as in `ETag`.
    pub version: i64,
    /// The number of reports that are still in departments that were removed; 0 for callers who do not see all departments.
    pub moving: i64,
}

/// With the version of the whole list.
pub fn departments(
    snapshot: &Snapshot<'_>,
    role: Option<Role>,
) -> actions::Result<(i64, DepartmentList)> {
    let all = snapshot.departments()?;
    let whole = role.is_none_or(|role| role == Role::Amministratore);
    let mut counts: HashMap<_, _> = snapshot.department_counts()?.into_iter().collect();
    let seen = all.seen(snapshot.visible_departments());
    let data = seen.map(|one| DepartmentOut {
        key: one.key,
        name: one.name.clone(),
        matter: one.matter,
        email: whole.then(|| one.email.clone()),
        keywords: whole.then(|| one.keywords.clone()),
        reports: counts.remove(&one.key).unwrap_or_default(),
    });
    let data = data.collect();
    let sight = snapshot.visible_departments();
    let unseen = all.iter().filter(|one| !sight.has(one.key));
    let others = unseen.map(|one| OtherDepartment {
        key: one.key,
        name: one.name.clone(),
    });
    let others = others.collect();
    // The remaining counts are of removed departments.
    let moving = counts.into_values().sum();
    let version = actions::settings::department_list::version(&all);
    let list = DepartmentList {
        data,
        others,
        version,
        moving,
    };
    Ok((version, list))
}
