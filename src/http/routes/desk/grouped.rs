//! The list in groups: reports that are alike stand together under the newest of them.

use std::cmp::Reverse;
use std::collections::HashMap;

use serde::Serialize;
use utoipa::ToSchema;

use crate::http::routes::{ApiResult, App, Kind};
use crate::http::selection::Selection;
use crate::search::{CancelToken, Membership};
use crate::store::{ListPage, Place, Snapshot};

/// Reports that are grouped, at most: each is compared with each.
const MOST: usize = 10_000;
const TOO_MANY: &str = "Restringi i filtri: si raggruppano al massimo 10.000 segnalazioni.";

/// The group that a report stands in.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Group {
    /// Whether it is the newest, under which the others stand.
    pub first: bool,
    /// How many they are.
    pub reports: usize,
    /// What it has in common with the newest, in Italian; nothing for that itself.
    #[schema(value_type = Vec<String>)]
    pub reasons: Vec<&'static str>,
}

impl Group {
    /// That of the report at a place; `None` for one that is alone.
    fn of(at: usize, member: &Membership, sizes: &[usize]) -> Option<Self> {
        let reports = sizes[member.first];
        (reports > 1).then(|| Self {
            first: member.first == at,
            reports,
            reasons: member.reasons.clone(),
        })
    }
}

/// The page that is asked for.
pub struct PageRequest {
    pub place: Place,
    pub limit: usize,
    pub cancel: CancelToken,
}

/// A page of the list, how many reports the whole list has, and how many are before the page, as far as that is known.
pub struct FoundPage {
    pub page: ListPage,
    pub matching: Option<i64>,
    pub ahead: Option<i64>,
    /// By arrival number, of those that are not alone.
    pub groups: HashMap<i64, Group>,
}

pub fn grouped(
    app: &App,
    snapshot: &Snapshot<'_>,
    selection: &Selection,
    page: &PageRequest,
) -> ApiResult<FoundPage> {
    let (place, limit) = (page.place, page.limit);
    let mut seqs = selection.all(app, snapshot, &page.cancel)?;
    if seqs.len() > MOST {
        return Err(Kind::CONFLICT.saying(TOO_MANY));
    }
    seqs.sort_unstable_by_key(|seq| Reverse(*seq));
    let members = app.search.groups(snapshot, &seqs)?;
    let sizes = group_sizes(&members);
    let mut order: Vec<usize> = (0..seqs.len()).collect();
    order.sort_by_key(|at| (members[*at].first, *at));
    let from = start(place, limit, order.iter().map(|at| seqs[*at]));
    let shown: Vec<usize> = order.iter().copied().skip(from).take(limit).collect();
    let mut groups = HashMap::new();
    let mut rows = Vec::new();
    for at in shown.iter().copied() {
        rows.extend(snapshot.listed_at(seqs[at])?);
        let group = Group::of(at, &members[at], &sizes);
        groups.extend(group.map(|group| (seqs[at], group)));
    }
    Ok(FoundPage {
        page: ListPage {
            rows,
            before: from > 0,
            after: from + shown.len() < order.len(),
        },
        groups,
        matching: i64::try_from(order.len()).ok(),
        ahead: i64::try_from(from).ok(),
    })
}

/// How many reports stand under each, by the place of the newest of its group.
fn group_sizes(members: &[Membership]) -> Vec<usize> {
    let mut sizes = vec![0; members.len()];
    for member in members {
        sizes[member.first] += 1;
    }
    sizes
}

/// Where a page begins; one beside a report that is gone is the first.
fn start(place: Place, limit: usize, mut order: impl Iterator<Item = i64>) -> usize {
    let mut found = |seq| order.position(|one| one == seq);
    let from = match place {
        Place::Top => None,
        Place::After(seq) => found(seq).map(|at| at + 1),
        Place::Before(seq) => found(seq).map(|at| at.saturating_sub(limit)),
    };
    from.unwrap_or(0)
}
