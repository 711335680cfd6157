//! The list of reports: its rows, its pages and its counts.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::actions::archive::sealing::{self, EXCERPT, open_listed};
use crate::actions::{self, Error};
use crate::domain::calendar::soon;
use crate::domain::callout::CalloutRef;
use crate::domain::moment::rfc3339;
use crate::domain::report::Stato;
use crate::readings::Reading;
use crate::readings::cursors::{place_cursor, place_of};
use crate::readings::desk::report_detail::DuePromise;
use crate::readings::desk::selection::Selection;
use crate::readings::desk::stories::{StoryPlace, story_places};
use crate::readings::desk::todo::Todo;
use crate::search::{CancelToken, Request, Terms};
use crate::store::{ListFilter, ListPage, ListRow, Snapshot};
use crate::vault::VaultError;

/// A page of the list.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReportList {
    /// The reports, in the order that was asked for.
    pub data: Vec<ReportRowOut>,
    /// Cursor of the next page.
    pub next_cursor: Option<String>,
    /// Cursor of the page before.
    pub prev_cursor: Option<String>,
    /// The number of matching reports; null when a search has found more than this page, since those are not counted.
    pub matching: Option<i64>,
    /// The number of matching reports before this page; null in a search, and beyond the first 10,000 reports.
    pub ahead: Option<i64>,
    /// All reports that the caller may see, by status.
    pub counters: Counters,
    /// When the list was read. Send it with a bulk change of a filter, so that later arrivals are left alone.
    pub shown: ListMoment,
    /// Of all reports that the caller may see, those whose reporter waits for an answer.
    pub answers_waiting: i64,
    /// Of all reports that the caller may see, those with an open request for withdrawal.
    pub withdrawals_waiting: i64,
    /// All reports that the caller may see, by other marks.
    pub counts: MarkCounts,
    /// How far the search index has come.
    pub search: SearchProgress,
}

/// Reports by mark, as the list shows them: 1,000 stands for that many and more.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MarkCounts {
    /// Reports that wait for the newsroom.
    pub todo: i64,
    /// Reports that staff have not opened yet, without snoozed ones.
    pub unread: i64,
    /// Open reports whose reporter has not answered what the newsroom wrote last.
    pub waiting: i64,
    /// Reports with files, without snoozed ones.
    pub files: i64,
    /// Urgent reports, without snoozed ones.
    pub urgent: i64,
    /// Reports with a promise that is due today or on the three days after.
    pub due_soon: i64,
    /// Reports with an overdue promise.
    pub due_late: i64,
    /// Snoozed reports.
    pub snoozed: i64,
    /// Reports whose senders are set aside; they are in no other count.
    pub aside: i64,
}

impl MarkCounts {
    fn of(reading: Reading<'_>, snapshot: &Snapshot<'_>, now: i64) -> actions::Result<Self> {
        let count = |filter: ListFilter| snapshot.count_marked(&filter);
        let all = ListFilter::usual;
        let awake = || ListFilter {
            snoozed: Some((false, now)),
            ..all()
        };
        let due = |from, to| ListFilter {
            due: Some((from, to)),
            ..all()
        };
        Ok(Self {
            todo: count(ListFilter {
                todo: Some(now),
                ..all()
            })?,
            unread: count(ListFilter {
                unread: true,
                ..awake()
            })?,
            waiting: count(ListFilter {
                waiting: true,
                ..all()
            })?,
            files: count(ListFilter {
                files: true,
                ..awake()
            })?,
            urgent: count(ListFilter {
                urgente: Some(true),
                ..awake()
            })?,
            due_soon: count(due(now, soon(now, &reading.time_zone)))?,
            due_late: count(due(i64::MIN, now))?,
            snoozed: count(ListFilter {
                snoozed: Some((true, now)),
                ..all()
            })?,
            aside: count(ListFilter {
                aside: Some(true),
                ..all()
            })?,
        })
    }
}

/// All reports that the caller may see, by status.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Counters {
    /// All.
    pub total: i64,
    /// Nuova.
    pub new: i64,
    /// In lavorazione.
    pub in_progress: i64,
    /// Risolta.
    pub resolved: i64,
}

impl Counters {
    fn from_rows(counts: &[(Stato, i64)]) -> Self {
        let count_of = |stato| {
            let found = counts.iter().find(|(one, _)| *one == stato);
            found.map_or(0, |(_, n)| *n)
        };
        Self {
            total: counts.iter().map(|(_, n)| n).sum(),
            new: count_of(Stato::Nuova),
            in_progress: count_of(Stato::InLavorazione),
            resolved: count_of(Stato::Risolta),
        }
    }
}

/// When a list was read. It does not show what arrived or changed later.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Shown)]
pub struct ListMoment {
    /// Arrival number of the newest report at that time; null for callers who do not see all departments: for them `at`
    /// decides what the list had.
    #[schema(required)]
    pub newest: Option<i64>,
    /// Moment, in ms.
    pub at: i64,
}

/// How far the search index has come. Until it is ready, a search finds only what is indexed (accounts are always
/// searched in full).
#[derive(Debug, Serialize, ToSchema)]
pub struct SearchProgress {
    /// Every report is indexed.
    pub ready: bool,
    /// Reports that a search reaches.
    pub indexed: i64,
    /// Reports in the archive.
    pub total: i64,
}

/// A report in the list.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ReportRow)]
pub struct ReportRowOut {
    #[serde(flatten)]
    row: ListRow,
    /// First name.
    nome: String,
    /// Surname.
    cognome: String,
    /// The callout that it answers; null for the usual conversation.
    inchiesta: Option<CalloutRef>,
    /// E-mail address.
    email: String,
    /// Telephone number: an Italian mobile as 10 digits, others with their prefix.
    telefono: String,
    /// At most 240 characters of what the reporter told: its beginning, or the passage found if the search matched only further down.
    excerpt: String,
    /// Whether another report may come from the same person, or a story is proposed for it. A hint, which may be wrong.
    related: bool,
    /// Whether it arrived, or its reporter wrote, since the caller opened it last.
    #[serde(rename = "newToYou")]
    new_to_you: bool,
    /// Why it waits for the newsroom; null if nothing does.
    todo: Option<Todo>,
    /// The next open promise to its reporter; null if there is none.
    due: Option<DuePromise>,
    /// When its snooze ends; null if it is not snoozed. RFC 3339, UTC.
    #[serde(rename = "snoozedUntil")]
    snoozed_until: Option<String>,
    #[serde(flatten)]
    story_place: StoryPlace,
}

impl ReportRowOut {
    pub fn id(&self) -> &str {
        &self.row.id
    }
}

/// The page that is asked for.
pub struct PageRequest<'a> {
    /// Id of the person who asks; empty for the shared password.
    pub who: &'a str,
    pub cursor: Option<&'a str>,
    pub limit: usize,
    pub cancel: CancelToken,
}

/// A page of the list, with the number of matching reports and of those before the page if they are counted.
struct FoundPage {
    page: ListPage,
    matching: Option<i64>,
    ahead: Option<i64>,
}

fn found_page(
    reading: Reading<'_>,
    snapshot: &Snapshot<'_>,
    selection: &Selection,
    page: &PageRequest<'_>,
) -> actions::Result<FoundPage> {
    let Selection { filter, terms, .. } = selection;
    let place = place_of(reading, snapshot, page.cursor)?;
    let limit = page.limit;
    let found = if let Some(terms) = terms {
        let request = Request {
            terms,
            filter,
            cancel: &page.cancel,
        };
        reading.search.page(snapshot, &request, place, limit)?
    } else {
        snapshot.report_page(filter, place, limit)?
    };
    let matching = match (terms, found.before || found.after) {
        (None, _) => Some(snapshot.matching(filter)?),
        (Some(_), false) => i64::try_from(found.rows.len()).ok(),
        (Some(_), true) => None,
    };
    let ahead = match (found.before, found.rows.first()) {
        (false, _) => Some(0),
        (true, Some(first)) if terms.is_none() => {
            snapshot.count_before(filter, first.position())?
        }
        (true, _) => None,
    };
    Ok(FoundPage {
        page: found,
        matching,
        ahead,
    })
}

/// A page of the list as the snapshot has it. `at` (ms) decides what is snoozed or due.
pub fn list(
    reading: Reading<'_>,
    snapshot: &Snapshot<'_>,
    selection: &Selection,
    page: &PageRequest<'_>,
    at: i64,
) -> actions::Result<ReportList> {
    selection.check(snapshot)?;
    let found = found_page(reading, snapshot, selection, page)?;
    let (next, previous) = (found.page.next(), found.page.previous(&selection.filter));
    let counters = Counters::from_rows(&snapshot.status_counts()?);
    let may_see_numbers = snapshot.visible_departments().is_all();
    let newest = may_see_numbers.then(|| snapshot.newest_seq());
    Ok(ReportList {
        next_cursor: place_cursor(reading, snapshot, next)?,
        prev_cursor: place_cursor(reading, snapshot, previous)?,
        matching: found.matching,
        ahead: found.ahead,
        search: progress(reading, &counters),
        answers_waiting: snapshot.answers_waiting()?,
        withdrawals_waiting: snapshot.withdrawals_waiting()?,
        shown: ListMoment {
            newest: newest.transpose()?,
            at,
        },
        counts: MarkCounts::of(reading, snapshot, at)?,
        counters,
        data: rows_out(
            reading,
            snapshot,
            found.page.rows,
            selection.terms.as_ref(),
            (page.who, at),
        )?,
    })
}

/// Rows as a list shows them, with the passage that matches the terms, to a person (empty for the shared password) at a moment (ms).
pub fn rows_out(
    reading: Reading<'_>,
    snapshot: &Snapshot<'_>,
    rows: Vec<ListRow>,
    terms: Option<&Terms>,
    (who, now): (&str, i64),
) -> actions::Result<Vec<ReportRowOut>> {
    let seqs: Vec<i64> = rows.iter().map(|row| row.seq).collect();
    let same_person = reading.search.has_same_reporter(snapshot, &seqs)?;
    let ids: Vec<&str> = rows.iter().map(|row| &*row.id).collect();
    let new = HashSet::<String>::from_iter(snapshot.new_to(&ids, who)?);
    let stories = rows.iter().map(|row| (row.seq, row.storia.clone()));
    let story_places = story_places(reading, snapshot, &stories.collect::<Vec<_>>())?;
    let rows = rows.into_iter().zip(same_person).zip(story_places);
    rows.map(|((row, same_person), story_place)| {
        let listed = open_listed(snapshot, &reading.vault, &row)?;
        let passage = match terms {
            Some(terms) if terms.in_text() => passage(reading, snapshot, row.seq, terms)?,
            _ => None,
        };
        Ok(ReportRowOut {
            nome: listed.nome,
            cognome: listed.cognome,
            inchiesta: listed.inchiesta,
            email: listed.email,
            telefono: listed.telefono,
            excerpt: passage.unwrap_or(listed.estratto),
            related: same_person || story_place.maybe.is_some(),
            new_to_you: new.contains(&row.id),
            todo: Todo::of(reading, snapshot, &row, now)?,
            due: DuePromise::of(&row),
            snoozed_until: row.rinviata.filter(|until| *until > now).map(rfc3339),
            story_place,
            row,
        })
    })
    .collect()
}

/// A ready index reaches every report, since each search first adds those that arrived since.
fn progress(reading: Reading<'_>, counters: &Counters) -> SearchProgress {
    let (progress, total) = (reading.search.progress(), counters.total);
    let indexed = i64::try_from(progress.indexed).unwrap_or(total);
    SearchProgress {
        ready: progress.ready,
        indexed: if progress.ready {
            total
        } else {
            indexed.min(total)
        },
        total,
    }
}

/// The passage of what was told that matches; `None` if its beginning already shows a match, or there is none.
fn passage(
    reading: Reading<'_>,
    snapshot: &Snapshot<'_>,
    seq: i64,
    terms: &Terms,
) -> actions::Result<Option<String>> {
    let Some(row) = snapshot.report_at(seq)? else {
        return Ok(None);
    };
    match sealing::open_content(snapshot, &reading.vault, &row) {
        Ok(content) => {
            let told = sealing::told(&content.report, content.callout.given());
            Ok(terms.passage(&told, EXCERPT))
        }
        // The row already shows that the report cannot be read.
        Err(Error::Vault(error)) if error != VaultError::Locked => Ok(None),
        Err(error) => Err(error),
    }
}
