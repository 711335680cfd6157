//! Stories: reports about the same matter, each caller's own view of them.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use axum::http::HeaderMap;
use axum::response::{NoContent, Response};
use serde::Serialize;
use utoipa::ToSchema;

use super::reports::{cursor, expected_version, number_of};
use crate::actions::desk::stories::{
    NewStory, StoryPatch, change_story, create_story, delete_story, open_story, present_story,
    put_into_story, take_out_of_story,
};
use crate::domain::label::numbers;
use crate::domain::moment::rfc3339;
use crate::domain::retention::DAY_MS;
use crate::domain::routing::Department;
use crate::http::path::{StoryId, StoryReport};
use crate::http::query::{PageQuery, Strict};
use crate::http::routes::archive::erasures::complete_erasure;
use crate::http::routes::{
    Answer, ApiError, ApiResult, App, Editor, Json, Kind, PersonHead, Reader, people_heads, place,
    tagged,
};
use crate::store::{Place, Snapshot, StoryRow};

/// In which a report counts as new to its story, in ms.
const WEEK_MS: i64 = 7 * DAY_MS;

/// A page of stories.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StoryList {
    /// Those with a report that the caller sees, the one with the last arrival first.
    data: Vec<StorySummary>,
    /// Cursor of the next page; null at the end.
    next_cursor: Option<String>,
}

/// A story, by name.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct StoryHead {
    /// 36-character id.
    id: String,
    /// What it is called.
    pub title: String,
}

/// A story, with what its reports say that the caller sees.
#[derive(Serialize, ToSchema)]
pub struct StorySummary {
    #[serde(flatten)]
    head: StoryHead,
    /// How many reports.
    reports: usize,
    /// Of these, how many came in the last seven days.
    week: usize,
    /// Of these, how many have each status.
    #[schema(value_type = HashMap<String, usize>)]
    statuses: BTreeMap<&'static str, usize>,
    /// Their departments.
    departments: Vec<Department>,
    /// Whom they are given to.
    people: Vec<PersonHead>,
    /// Their labels, by their numbers.
    labels: Vec<u8>,
    /// When the last of them came; RFC 3339, UTC.
    last: String,
    /// Grows with title and note; the `ETag` in quotes.
    version: i64,
}

/// A whole story.
#[derive(Serialize, ToSchema)]
pub struct StoryDetail {
    #[serde(flatten)]
    summary: StorySummary,
    /// Its note; empty for none.
    note: String,
}

impl StoryHead {
    pub fn open(app: &App, snapshot: &Snapshot<'_>, row: &StoryRow) -> ApiResult<Self> {
        let title = open_story(snapshot, &app.vault, row)?.title;
        let id = row.id.clone();
        Ok(Self { id, title })
    }
}

fn story_detail(
    app: &App,
    snapshot: &Snapshot<'_>,
    row: StoryRow,
    people: &HashMap<String, PersonHead>,
) -> ApiResult<StoryDetail> {
    let members = snapshot.story_members(&row.id)?;
    let text = open_story(snapshot, &app.vault, &row)?;
    let (since, last) = (app.clock.now_ms() - WEEK_MS, members.last());
    let mut statuses = BTreeMap::new();
    for member in &members {
        *statuses.entry(member.stato.as_str()).or_default() += 1;
    }
    let has = |one: &Department| members.iter().any(|member| member.department == *one);
    let given: BTreeSet<_> = members.iter().flat_map(|one| &one.assegnata).collect();
    let summary = StorySummary {
        head: StoryHead {
            id: row.id,
            title: text.title,
        },
        reports: members.len(),
        week: members
            .iter()
            .filter(|one| one.data_creazione > since)
            .count(),
        statuses,
        departments: Department::ALL.into_iter().filter(has).collect(),
        people: given
            .iter()
            .filter_map(|id| people.get(*id).cloned())
            .collect(),
        labels: numbers(members.iter().fold(0, |bits, one| bits | one.labels)),
        last: last.map_or_else(String::new, |last| rfc3339(last.data_creazione)),
        version: row.version,
    };
    let note = text.note;
    Ok(StoryDetail { summary, note })
}

/// The stories.
#[utoipa::path(get, operation_id = "stories", path = "/stories", tag = "storie", params(PageQuery),
    responses((status = 200, body = StoryList)))]
pub async fn list(reader: Reader, Strict(page): Strict<PageQuery>) -> Answer<StoryList> {
    let limit = page.limit()?;
    let list = reader.read(move |app, snapshot| {
        let below = match place(&page, |edge| number_of(app, snapshot, edge))? {
            Place::After(seq) => seq,
            _ => i64::MAX,
        };
        let mut found = snapshot.latest_stories(below, limit + 1)?;
        let more = found.len() > limit;
        found.truncate(limit);
        let last = found.last().filter(|_| more);
        let next_cursor = last.map(|(_, seq)| cursor(app, snapshot, 'p', *seq));
        let (next_cursor, people) = (next_cursor.transpose()?, people_heads(snapshot)?);
        let mut data = Vec::new();
        for (id, _) in found {
            if let Some(row) = snapshot.story(&id)? {
                data.push(story_detail(app, snapshot, row, &people)?.summary);
            }
        }
        Ok::<_, ApiError>(StoryList { data, next_cursor })
    });
    list.await.map(Json)
}

/// Makes a story of reports; 409 where one belongs to another story, which it names.
#[utoipa::path(post, operation_id = "create_story", path = "/stories", tag = "storie", request_body = NewStory,
    responses((status = 200, body = StoryDetail, headers(("ETag" = String, description = "Version, in quotes")))))]
pub async fn create(editor: Editor, Json(new): Json<NewStory>) -> ApiResult<Response> {
    let made = editor.change(move |act| create_story(act, new));
    let id = made.await?;
    answer(&editor, id).await
}

/// One story.
#[utoipa::path(get, operation_id = "story", path = "/stories/{id}", tag = "storie", params(StoryId),
    responses((status = 200, body = StoryDetail, headers(("ETag" = String, description = "Version, in quotes")))))]
pub async fn detail(reader: Reader, StoryId(id): StoryId) -> ApiResult<Response> {
    answer(&reader, id).await
}

/// Changes title or note of a story, on the version named by `If-Match`.
#[utoipa::path(patch, operation_id = "change_story", path = "/stories/{id}", tag = "storie", request_body = StoryPatch,
    params(StoryId, ("If-Match" = String, Header, description = "Version the change was made on, in quotes")),
    responses((status = 200, body = StoryDetail, headers(("ETag" = String, description = "Version, in quotes")))))]
pub async fn change(
    editor: Editor,
    StoryId(id): StoryId,
    headers: HeaderMap,
    Json(patch): Json<StoryPatch>,
) -> ApiResult<Response> {
    let expected = expected_version(&headers).ok_or(Kind::VERSION_REQUIRED)?;
    let story = id.clone();
    let changed = editor.change(move |act| change_story(act, &story, &expected, patch));
    changed.await?;
    answer(&editor, id).await
}

/// Frees the reports of a story.
#[utoipa::path(delete, operation_id = "delete_story", path = "/stories/{id}", tag = "storie", params(StoryId),
    responses((status = 204, description = "Sciolta")))]
pub async fn delete(editor: Editor, StoryId(id): StoryId) -> ApiResult<NoContent> {
    let deleted = editor.change(move |act| delete_story(act, &id));
    deleted.await?;
    editor.store.note_erasure();
    complete_erasure(&editor).await?;
    Ok(NoContent)
}

/// Adds a report to a story; one of another story moves.
#[utoipa::path(put, operation_id = "add_to_story", path = "/stories/{id}/reports/{report}", tag = "storie", params(StoryReport),
    responses((status = 204, description = "Aggiunta")))]
pub async fn join(editor: Editor, StoryReport(id, report): StoryReport) -> ApiResult<NoContent> {
    let joined = editor.change(move |act| put_into_story(act, &id, &report));
    joined.await.map(|()| NoContent)
}

/// Takes a report out of a story: it is not proposed for that again.
#[utoipa::path(delete, operation_id = "take_out_of_story", path = "/stories/{id}/reports/{report}", tag = "storie",
    params(StoryReport), responses((status = 204, description = "Tolta")))]
pub async fn leave(editor: Editor, StoryReport(id, report): StoryReport) -> ApiResult<NoContent> {
    let left = editor.change(move |act| take_out_of_story(act, &id, &report));
    left.await.map(|()| NoContent)
}

async fn answer(reader: &Reader, id: String) -> ApiResult<Response> {
    let read = reader.read(move |app, snapshot| {
        let row = present_story(snapshot, &id)?;
        story_detail(app, snapshot, row, &people_heads(snapshot)?)
    });
    let detail = read.await?;
    Ok(tagged(detail.summary.version, detail))
}
