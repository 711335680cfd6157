//! Callouts ('inchieste') with their figures, and what was answered.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::num::NonZeroUsize;

use lru::LruCache;
use parking_lot::Mutex;
use serde::Serialize;
use utoipa::ToSchema;

use crate::actions::intake::count_stops::Tally;
use crate::actions::{self, callouts};
use crate::domain::calendar::local_date;
use crate::domain::callout::{
    Callout, CalloutAnswers, CalloutOption, CalloutQuestion, CalloutState, ReportAnswer, problems,
};
use crate::domain::moment::rfc3339;
use crate::domain::report::Stato;
use crate::readings::Reading;
use crate::readings::cursors::plain_number;
use crate::search::{Order, ReportReader, open_each};
use crate::store::{CalloutRow, ListFilter, SealedRow, SeqRange, Snapshot};

const QUARTER_MS: i64 = 900_000;
/// Reports read at a time, and bytes of them.
const TOGETHER: (usize, usize) = (512, 1024 * 1024);

/// A callout.
#[derive(Default, Serialize, ToSchema)]
pub struct CalloutDetail {
    /// 36-character id.
    id: String,
    #[serde(flatten)]
    callout: Callout,
    /// Whether the public may answer.
    state: CalloutState,
    /// The version that conversations begin with.
    version: u32,
    /// Grows with each change; the entity tag.
    pub revision: i64,
    /// Conversations that began.
    started: i64,
    /// Reports received through the callout, in the departments that the caller sees.
    received: i64,
    /// Conversations and reports by local day, the earliest first.
    days: Vec<CalloutDay>,
    /// The reasons why the callout cannot be opened, by field.
    problems: BTreeMap<String, String>,
}

/// A day of a callout.
#[derive(Default, Serialize, ToSchema)]
pub struct CalloutDay {
    /// `YYYY-MM-DD`, in the newsroom's zone.
    day: String,
    /// Conversations that began.
    started: i64,
    /// Reports received.
    received: i64,
}

/// A page of answers to a callout.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CalloutReports {
    /// The reports, the newest first.
    data: Vec<CalloutReport>,
    /// All questions that the callout has asked, the present ones first.
    questions: Vec<CalloutQuestion>,
    /// How often each option of a choice was chosen, by question, in all reports that the caller sees; on the first page alone.
    counts: Counts,
    /// Cursor of the next page; null at the end.
    next_cursor: Option<String>,
}

type Counts = BTreeMap<String, Vec<OptionCount>>;

/// Callouts whose counts are kept, each as often as people see different reports of it.
const COUNTED: NonZeroUsize = NonZeroUsize::new(32).unwrap();

/// Counts of the callouts that were looked at last: each of the same reports and questions is made once.
pub struct AnswerCounts(Mutex<LruCache<u64, Counts>>);

impl Default for AnswerCounts {
    fn default() -> Self {
        Self(Mutex::new(LruCache::new(COUNTED)))
    }
}

/// Answers of a report.
#[derive(Serialize, ToSchema)]
pub struct CalloutReport {
    /// 36-character id.
    id: String,
    /// When it was received; RFC 3339, UTC.
    data_creazione: String,
    /// Status.
    stato: Stato,
    /// Its answers in words, by question.
    answers: BTreeMap<String, String>,
}

/// An option, and how many chose it.
#[derive(Clone, Serialize, ToSchema)]
pub struct OptionCount {
    /// Key of the option.
    option: String,
    /// How many.
    n: i64,
}

/// All callouts, the newest first.
pub fn all(
    reading: Reading<'_>,
    snapshot: &Snapshot<'_>,
    tally: &Tally,
) -> actions::Result<Vec<CalloutDetail>> {
    let rows = snapshot.callouts()?.into_iter();
    rows.map(|row| detail_of(reading, snapshot, tally, row))
        .collect()
}

/// One callout.
pub fn detail(
    reading: Reading<'_>,
    snapshot: &Snapshot<'_>,
    tally: &Tally,
    id: &str,
) -> actions::Result<CalloutDetail> {
    let row = snapshot.callout(id)?;
    detail_of(
        reading,
        snapshot,
        tally,
        row.ok_or(actions::Error::CalloutNotFound)?,
    )
}

/// A callout, with its figures; `tally` has those that are not written yet.
fn detail_of(
    reading: Reading<'_>,
    snapshot: &Snapshot<'_>,
    tally: &Tally,
    row: CalloutRow,
) -> actions::Result<CalloutDetail> {
    let callout = callouts::callout_of(&row)?;
    let mut days: BTreeMap<String, CalloutDay> = BTreeMap::new();
    let written = snapshot.callout_starts(&row.id)?.into_iter();
    for (day, n) in written.chain(tally.starts(&row.id)) {
        days.entry(day).or_default().started += n;
    }
    for (quarter, n) in snapshot.callout_arrivals(&row.id)? {
        let day = local_date(quarter * QUARTER_MS, &reading.time_zone);
        days.entry(day.to_string()).or_default().received += n;
    }
    let named = days.into_iter().map(|(day, of)| CalloutDay { day, ..of });
    let days: Vec<CalloutDay> = named.collect();
    let found = problems(&callout).into_iter();
    Ok(CalloutDetail {
        problems: found.map(|one| (one.field, one.message)).collect(),
        state: callouts::state_of(&row, &callout, reading.clock.now_ms()),
        version: row.version,
        revision: row.revision,
        started: days.iter().map(|day| day.started).sum(),
        received: days.iter().map(|day| day.received).sum(),
        days,
        id: row.id,
        callout,
    })
}

/// A page of what was answered, from a cursor on down; `counted` has what was counted before.
pub fn answers(
    reading: Reading<'_>,
    snapshot: &Snapshot<'_>,
    counted: &AnswerCounts,
    id: &str,
    cursor: Option<&str>,
    limit: usize,
) -> actions::Result<CalloutReports> {
    let from = cursor.map(plain_number).transpose()?;
    let questions = callouts::questions_of(snapshot, id)?;
    let filter = ListFilter::of_callout(id.parse().ok());
    let range = from.map_or(SeqRange::ALL, |from| SeqRange::beyond(from, false));
    let mut reader = reports_of(reading, snapshot, &filter, range)?;
    let counts = match from {
        Some(_) => Counts::new(),
        None => counts_in(reading, snapshot, counted, id, &filter, &questions)?,
    };
    let mut data: Vec<(i64, CalloutReport)> = Vec::new();
    let mut more = true;
    while more && data.len() < limit {
        more = next_answers(&mut reader, |row, answers| {
            if data.len() < limit {
                data.push((row.seq, CalloutReport::of(row, answers)));
            }
        })?;
    }
    let last = data.last().filter(|_| data.len() == limit);
    Ok(CalloutReports {
        next_cursor: last.map(|(seq, _)| seq.to_string()),
        counts,
        data: data.into_iter().map(|(_, report)| report).collect(),
        questions,
    })
}

/// How often each option was chosen in all reports of a callout, counted once for the same ones.
fn counts_in(
    reading: Reading<'_>,
    snapshot: &Snapshot<'_>,
    counted: &AnswerCounts,
    id: &str,
    filter: &ListFilter,
    questions: &[CalloutQuestion],
) -> actions::Result<Counts> {
    let mut counts = counts_of(questions);
    let mark = mark_of(snapshot, filter, id, &counts)?;
    if let Some(known) = counted.0.lock().get(&mark) {
        return Ok(known.clone());
    }
    let mut reader = reports_of(reading, snapshot, filter, SeqRange::ALL)?;
    let mut more = true;
    while more {
        more = next_answers(&mut reader, |_, answers| {
            for answer in &answers {
                count(&mut counts, answer);
            }
        })?;
    }
    counted.0.lock().put(mark, counts.clone());
    Ok(counts)
}

fn reports_of<'s, 'c>(
    reading: Reading<'s>,
    snapshot: &'s Snapshot<'c>,
    filter: &'s ListFilter,
    range: SeqRange,
) -> actions::Result<ReportReader<'s, 'c>> {
    let (vault, order) = (&reading.core.vault, Order::NewestFirst);
    ReportReader::new(snapshot, vault, filter, range, order)
}

/// Opens the next reports; `false` where there are none.
fn next_answers(
    reader: &mut ReportReader<'_, '_>,
    mut visit: impl FnMut(&SealedRow, Vec<ReportAnswer>),
) -> actions::Result<bool> {
    let reports = reader.next(TOGETHER.0, TOGETHER.1)?;
    open_each(&reports, |row, content| {
        let said = content.and_then(|content| serde_json::from_slice(content).ok());
        let CalloutAnswers { risposte, .. } = said.unwrap_or_default();
        visit(row, risposte);
    });
    Ok(!reports.is_empty())
}

impl CalloutReport {
    fn of(row: &SealedRow, answers: Vec<ReportAnswer>) -> Self {
        let answers = answers.into_iter().map(|one| (one.key, one.text));
        Self {
            id: row.id.clone(),
            data_creazione: rfc3339(row.data_creazione),
            stato: row.stato,
            answers: answers.collect(),
        }
    }
}

/// A mark of the reports and questions that were counted: answers do not change.
fn mark_of(
    snapshot: &Snapshot<'_>,
    filter: &ListFilter,
    id: &str,
    none: &Counts,
) -> actions::Result<u64> {
    let mut hasher = DefaultHasher::new();
    (id, snapshot.seqs(filter, SeqRange::ALL)?).hash(&mut hasher);
    for (key, options) in none {
        let options: Vec<&str> = options.iter().map(|one| &*one.option).collect();
        (key, options).hash(&mut hasher);
    }
    Ok(hasher.finish())
}

/// The options of all choices, before any was chosen.
fn counts_of(questions: &[CalloutQuestion]) -> Counts {
    let choices = questions.iter().map(|one| (one.key.clone(), one.choices()));
    let choices = choices.filter(|(_, options)| !options.is_empty());
    let none = |CalloutOption { key: option, .. }| OptionCount { option, n: 0 };
    let counts = choices.map(|(key, options)| (key, options.into_iter().map(none).collect()));
    counts.collect()
}

fn count(counts: &mut Counts, answer: &ReportAnswer) {
    let chosen = answer.chosen();
    for option in counts.get_mut(&answer.key).into_iter().flatten() {
        option.n += i64::from(chosen.contains(&&*option.option));
    }
}
