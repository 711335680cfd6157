//! Callouts ('inchieste'): the newsroom's own questions to its public, and what was answered.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::num::NonZeroUsize;

use axum::http::HeaderMap;
use axum::response::{NoContent, Response};
use lru::LruCache;
use parking_lot::Mutex;
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use crate::actions::desk::edit_reports::ExpectedVersion;
use crate::actions::{self, Act, callouts};
use crate::domain::calendar::local_date;
use crate::domain::callout::{
    Callout, CalloutAnswers, CalloutOption, CalloutQuestion, CalloutState, ReportAnswer, problems,
};
use crate::domain::invalid::Invalid;
use crate::domain::moment::rfc3339;
use crate::domain::person::Role;
use crate::domain::report::Stato;
use crate::domain::routing::Department;
use crate::http::json::meant;
use crate::http::path::CalloutId;
use crate::http::query::{PageQuery, Strict};
use crate::http::routes::versions::{expected_version, tagged};
use crate::http::routes::{
    Answer, ApiError, ApiResult, App, Editor, Json, Kind, List, Reader, list_of, no_page,
    plain_number, refusal,
};
use crate::http::state::wait_for;
use crate::search::{Order, ReportReader, open_each};
use crate::store::{CalloutRow, ListFilter, SealedRow, Snapshot};

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
    revision: i64,
    /// Conversations that began.
    started: i64,
    /// Reports that came of them, of the departments that the caller sees.
    received: i64,
    /// The same by local day, the first one first.
    days: Vec<CalloutDay>,
    /// What keeps it from being opened, by field.
    problems: BTreeMap<String, String>,
}

/// A day of a callout.
#[derive(Default, Serialize, ToSchema)]
pub struct CalloutDay {
    /// `YYYY-MM-DD`, in the newsroom's zone.
    day: String,
    /// Conversations that began.
    started: i64,
    /// Reports that came.
    received: i64,
}

/// What was answered to a callout.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CalloutReports {
    /// The reports, the newest first.
    data: Vec<CalloutReport>,
    /// All that it asked so far, what it asks now first.
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

/// The callouts, the newest first.
#[utoipa::path(get, operation_id = "callouts", path = "/callouts", tag = "inchieste",
    responses((status = 200, body = List<CalloutDetail>)))]
pub async fn list(reader: Reader) -> Answer<List<CalloutDetail>> {
    let list = reader.read(|app, snapshot| {
        let rows = snapshot.callouts()?.into_iter();
        rows.map(|row| detail_of(app, snapshot, row))
            .collect::<ApiResult<Vec<_>>>()
    });
    list.await.map(list_of).map(Json)
}

/// Keeps a new draft. An unfinished one may be kept; what cannot be opened says so in `problems`.
#[utoipa::path(post, operation_id = "create_callout", path = "/callouts", tag = "inchieste", request_body = Callout,
    responses((status = 200, body = CalloutDetail, headers(("ETag" = String, description = "Version, in quotes")))))]
pub async fn create(editor: Editor, Json(body): Json<Map<String, Value>>) -> ApiResult<Response> {
    let callout = sent(body)?;
    let made = editor.change(move |act| {
        allow(act, callout.department)?;
        callouts::create(act, &callout)
    });
    let id = made.await?;
    answer(&editor, id).await
}

/// One callout.
#[utoipa::path(get, operation_id = "callout", path = "/callouts/{id}", tag = "inchieste", params(CalloutId),
    responses((status = 200, body = CalloutDetail, headers(("ETag" = String, description = "Version, in quotes")))))]
pub async fn detail(reader: Reader, CalloutId(id): CalloutId) -> ApiResult<Response> {
    answer(&reader, id).await
}

/// Saves a callout on the version named by `If-Match`. What is asked changes for conversations that begin afterwards.
#[utoipa::path(put, operation_id = "save_callout", path = "/callouts/{id}", tag = "inchieste", request_body = Callout,
    params(CalloutId, ("If-Match" = String, Header, description = "Version the change was made on, in quotes")),
    responses((status = 200, body = CalloutDetail, headers(("ETag" = String, description = "Version, in quotes")))))]
pub async fn save(
    editor: Editor,
    CalloutId(id): CalloutId,
    headers: HeaderMap,
    Json(body): Json<Map<String, Value>>,
) -> ApiResult<Response> {
    let callout = sent(body)?;
    let expected = expected_version(&headers).ok_or(Kind::VERSION_REQUIRED)?;
    change(&editor, id, expected, move |act, row| {
        allow(act, callout.department)?;
        callouts::edit(act, row, &callout)
    })
    .await
}

/// Lets the public answer; 409 with what is wrong, by field, where it cannot.
#[utoipa::path(post, operation_id = "open_callout", path = "/callouts/{id}/open", tag = "inchieste", params(CalloutId),
    responses((status = 200, body = CalloutDetail, headers(("ETag" = String, description = "Version, in quotes")))))]
pub async fn open(editor: Editor, CalloutId(id): CalloutId) -> ApiResult<Response> {
    let opened = change(&editor, id, ExpectedVersion::Any, callouts::open).await;
    opened.map_err(|error| error.into_conflict("L’inchiesta non si può ancora aprire."))
}

/// Ends it: its page says that it is over, and conversations under way may end.
#[utoipa::path(post, operation_id = "close_callout", path = "/callouts/{id}/close", tag = "inchieste", params(CalloutId),
    responses((status = 200, body = CalloutDetail, headers(("ETag" = String, description = "Version, in quotes")))))]
pub async fn close(editor: Editor, CalloutId(id): CalloutId) -> ApiResult<Response> {
    change(&editor, id, ExpectedVersion::Any, callouts::close).await
}

/// Deletes a callout that has no reports, on the version named by `If-Match`.
#[utoipa::path(delete, operation_id = "delete_callout", path = "/callouts/{id}", tag = "inchieste",
    params(CalloutId, ("If-Match" = String, Header, description = "Version it was seen in, in quotes")),
    responses((status = 204, description = "Eliminata")))]
pub async fn delete(
    editor: Editor,
    CalloutId(id): CalloutId,
    headers: HeaderMap,
) -> ApiResult<NoContent> {
    let expected = expected_version(&headers).ok_or(Kind::VERSION_REQUIRED)?;
    let deleted = editor.change(move |act| {
        let row = editable(act, &id, &expected)?;
        callouts::delete(act, &row)
    });
    deleted.await.map(|()| NoContent)
}

/// What was answered: a report a row.
#[utoipa::path(get, operation_id = "callout_answers", path = "/callouts/{id}/answers", tag = "inchieste",
    params(CalloutId, PageQuery), responses((status = 200, body = CalloutReports)))]
pub async fn answers(
    reader: Reader,
    CalloutId(id): CalloutId,
    Strict(page): Strict<PageQuery>,
) -> Answer<CalloutReports> {
    // One at a time: the first page opens all of them, and holds one of the few readers.
    let _turn = wait_for(&reader.turns.answers).await?;
    let read = reader.read(move |app, snapshot| {
        let cursor = page.cursor.as_deref();
        let from = cursor.map(|cursor| plain_number(cursor).ok_or_else(no_page));
        read_answers(app, snapshot, &id, from.transpose()?, page.limit()?)
    });
    read.await.map(Json)
}

/// What is sent: also a callout as it was read, with what was answered beside it, which is left as it is.
fn sent(body: Map<String, Value>) -> ApiResult<Callout> {
    let read = serde_json::to_value(CalloutDetail::default());
    let read = read.map_err(|error| ApiError::internal(&error))?;
    match body.keys().find(|field| read.get(field).is_none()) {
        Some(unknown) => Err(refusal(unknown, "unknown", "Campo sconosciuto.")),
        None => meant(body.into()),
    }
}

/// Administrators edit all callouts, editors those of a department that they see.
fn may_edit(act: &Act<'_>, department: Option<Department>) -> bool {
    let own = department.is_some_and(|one| act.visible_departments().has(one));
    own || act.actor.may(Role::Amministratore)
}

fn allow(act: &Act<'_>, department: Option<Department>) -> actions::Result<()> {
    if may_edit(act, department) {
        return Ok(());
    }
    let message = "Scegli un reparto che vedi: le altre inchieste sono degli amministratori.";
    Err(Invalid::new("department", "range", message).into())
}

/// A callout that the caller may edit, in a version that they know.
fn editable(act: &Act<'_>, id: &str, expected: &ExpectedVersion) -> actions::Result<CalloutRow> {
    let row = act.callout(id)?.ok_or(actions::Error::CalloutNotFound)?;
    if !may_edit(act, row.department) {
        let message = "Questa inchiesta è di un altro reparto.";
        return Err(actions::Error::Forbidden(message));
    }
    expected.check(row.revision).map(|()| row)
}

async fn change(
    editor: &Editor,
    id: String,
    expected: ExpectedVersion,
    work: impl FnOnce(&Act<'_>, CalloutRow) -> actions::Result<()> + Send + 'static,
) -> ApiResult<Response> {
    let asked = id.clone();
    let changed = editor.change(move |act| {
        let row = editable(act, &asked, &expected)?;
        work(act, row)
    });
    changed.await?;
    answer(editor, id).await
}

async fn answer(reader: &Reader, id: String) -> ApiResult<Response> {
    let read = reader.read(move |app, snapshot| {
        let row = snapshot
            .callout(&id)?
            .ok_or(actions::Error::CalloutNotFound)?;
        detail_of(app, snapshot, row)
    });
    let detail = read.await?;
    Ok(tagged(detail.revision, detail))
}

fn detail_of(app: &App, snapshot: &Snapshot<'_>, row: CalloutRow) -> ApiResult<CalloutDetail> {
    let callout = callouts::callout_of(&row)?;
    let mut days: BTreeMap<String, CalloutDay> = BTreeMap::new();
    let written = snapshot.callout_starts(&row.id)?.into_iter();
    for (day, n) in written.chain(app.stops.starts(&row.id)) {
        days.entry(day).or_default().started += n;
    }
    for (quarter, n) in snapshot.callout_arrivals(&row.id)? {
        let day = local_date(quarter * QUARTER_MS, &app.time_zone);
        days.entry(day.to_string()).or_default().received += n;
    }
    let named = days.into_iter().map(|(day, of)| CalloutDay { day, ..of });
    let days: Vec<CalloutDay> = named.collect();
    let found = problems(&callout).into_iter();
    Ok(CalloutDetail {
        problems: found.map(|one| (one.field, one.message)).collect(),
        state: callouts::state_of(&row, &callout, app.clock.now_ms()),
        version: row.version,
        revision: row.revision,
        started: days.iter().map(|day| day.started).sum(),
        received: days.iter().map(|day| day.received).sum(),
        days,
        id: row.id,
        callout,
    })
}

fn read_answers(
    app: &App,
    snapshot: &Snapshot<'_>,
    id: &str,
    from: Option<i64>,
    limit: usize,
) -> ApiResult<CalloutReports> {
    let questions = callouts::questions_of(snapshot, id)?;
    let filter = ListFilter::of_callout(id.parse().ok());
    let mut counts = counts_of(&questions);
    let mut counting = None;
    if from.is_none() {
        let mark = mark_of(snapshot, &filter, (id, &counts))?;
        match app.answer_counts.0.lock().get(&mark) {
            Some(known) => counts.clone_from(known),
            None => counting = Some(mark),
        }
    }
    let range = (0, from.unwrap_or(i64::MAX).saturating_sub(1));
    let order = Order::NewestFirst;
    let mut reader = ReportReader::new(snapshot, &app.vault, &filter, range, order)?;
    let mut data: Vec<(i64, CalloutReport)> = Vec::new();
    while counting.is_some() || data.len() < limit {
        let reports = reader.next(TOGETHER.0, TOGETHER.1)?;
        if reports.is_empty() {
            break;
        }
        open_each(&reports, |row, content| {
            let said = content.and_then(|content| serde_json::from_slice(content).ok());
            let CalloutAnswers { risposte, .. } = said.unwrap_or_default();
            for answer in risposte.iter().filter(|_| counting.is_some()) {
                count(&mut counts, answer);
            }
            if data.len() < limit {
                data.push((row.seq, CalloutReport::of(row, risposte)));
            }
        });
    }
    if let Some(mark) = counting {
        app.answer_counts.0.lock().put(mark, counts.clone());
    }
    let last = data.last().filter(|_| data.len() == limit);
    Ok(CalloutReports {
        next_cursor: last.map(|(seq, _)| seq.to_string()),
        counts: from.map_or(counts, |_| Counts::new()),
        data: data.into_iter().map(|(_, report)| report).collect(),
        questions,
    })
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

/// What tells reports and questions from all others: what was answered does not change.
fn mark_of(
    snapshot: &Snapshot<'_>,
    filter: &ListFilter,
    (id, none): (&str, &Counts),
) -> ApiResult<u64> {
    let mut hasher = DefaultHasher::new();
    (id, snapshot.seqs(filter, (0, i64::MAX))?).hash(&mut hasher);
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
