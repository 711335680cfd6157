//! Stories: reports about the same matter, what the program proposes of them, and what people decide; each caller's own view.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use axum::http::HeaderMap;
use axum::response::{NoContent, Response};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::reports::{cursor, number_of};
use crate::actions::archive::sealing::open_listed;
use crate::actions::desk::edit_reports::present;
use crate::actions::desk::stories::{
    NewStory, ReportPair, StoryPatch, StoryText, add_to_story, change_story, create_story,
    delete_story, present_story, put_into_story, refuse_proposal, set_apart, take_out_of_story,
    whole_story,
};
use crate::domain::label::numbers;
use crate::domain::moment::rfc3339;
use crate::domain::retention::DAY_MS;
use crate::domain::routing::Department;
use crate::http::erasing::complete_erasure;
use crate::http::path::{ProposalKey, StoryId, StoryReport};
use crate::http::query::{PageQuery, Strict};
use crate::http::routes::versions::{expected_version, tagged};
use crate::http::routes::{Answer, ApiError, ApiResult, App, Editor, Json, Kind, Reader, place};
use crate::readings::{PersonHead, people_heads};
use crate::store::{ListRow, Place, Snapshot, StoryRow};

/// In which a report counts as new to its story, in ms.
const WEEK_MS: i64 = 7 * DAY_MS;
/// Proposals in an answer, at most: reports are opened for each.
const PROPOSED: usize = 50;
/// Reports of a story that are opened for a title, at most.
const NAMED_BY: usize = 20;
const UNTITLED: &str = "Storia senza titolo";

/// A page of stories.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StoryList {
    /// Those with a report that the caller sees, the one with the last arrival first.
    data: Vec<Story>,
    /// Cursor of the next page; null at the end.
    next_cursor: Option<String>,
}

/// A story, by name.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct StoryHead {
    /// 36-character id.
    id: String,
    /// Its title; for callers that do not see all its reports, the title that would be proposed for those they see.
    pub title: String,
}

/// A story, with what its reports say that the caller sees.
#[derive(Serialize, ToSchema)]
pub struct Story {
    #[serde(flatten)]
    head: StoryHead,
    /// Its note, empty for none; absent in a list, and for callers that do not see all its reports.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    note: Option<String>,
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

/// What is proposed.
#[derive(Serialize, ToSchema)]
pub struct StoryProposals {
    /// The largest first, 50 at most.
    data: Vec<StoryProposal>,
    /// Whether every report was looked at: false while they are being read.
    ready: bool,
}

/// Reports that may be about the same matter.
#[derive(Default, Serialize, ToSchema)]
pub struct StoryProposal {
    /// What calls it: the first of its reports.
    key: String,
    /// Ids of those that belong to no story, oldest first.
    reports: Vec<String>,
    /// The same, as a list shows them.
    heads: Vec<ProposedReport>,
    /// Id of the story that they may belong to; null where it would be a new one.
    story: Option<String>,
    /// What that is called, or by its names might be; null where the reports share no name.
    title: Option<String>,
    /// Why, in Italian.
    reasons: Vec<String>,
    /// Arrival numbers of its reports.
    #[serde(skip)]
    new: Vec<i64>,
    /// Those of the story that were found with them.
    #[serde(skip)]
    beside: Vec<i64>,
}

/// A report of a proposal.
#[derive(Serialize, ToSchema)]
pub struct ProposedReport {
    #[serde(flatten)]
    row: ListRow,
    /// First name.
    nome: String,
    /// Surname.
    cognome: String,
    /// The beginning of the account: 120 characters at most.
    excerpt: String,
}

/// What people decide on a proposal.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ProposalDecision {
    /// Whether it is right; refused, none of it is proposed together again.
    accept: bool,
    /// What a new story is called; where it is absent, by the names that the reports share.
    #[schema(max_length = 120)]
    title: Option<String>,
}

/// What was decided.
#[derive(Serialize, ToSchema)]
pub struct ProposalDecided {
    /// Id of the story that was made or grew; null where it was refused.
    story: Option<String>,
}

/// That a report may belong with others.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct MaybeStory {
    /// The story that it may belong to; null where there is none yet.
    story: Option<StoryHead>,
    /// With how many reports it was found.
    reports: usize,
}

/// Where a report belongs, or may.
#[derive(Debug, Default, Serialize, ToSchema)]
pub struct Belongs {
    /// The story that it belongs to.
    story: Option<StoryHead>,
    /// That it may belong with others; null for one that belongs to a story.
    pub maybe: Option<MaybeStory>,
}

/// These stories by id.
pub fn story_heads(
    app: &App,
    snapshot: &Snapshot<'_>,
    ids: &[&str],
) -> ApiResult<HashMap<String, StoryHead>> {
    let open = |row: StoryRow| {
        let (title, _) = texts_of(app, snapshot, &row)?;
        Ok((row.id.clone(), StoryHead { id: row.id, title }))
    };
    snapshot.stories_among(ids)?.into_iter().map(open).collect()
}

/// Where each of these reports belongs, or may; each with its story.
pub fn belongings(
    app: &App,
    snapshot: &Snapshot<'_>,
    reports: &[(i64, Option<String>)],
) -> ApiResult<Vec<Belongs>> {
    let free = reports.iter().filter(|(_, story)| story.is_none());
    let free: Vec<i64> = free.map(|(seq, _)| *seq).collect();
    let proposals = proposed(snapshot, &app.search.story_groups(Some(&free)))?;
    let named = proposals.iter().map(|found| &found.story);
    let named = named.chain(reports.iter().map(|(_, story)| story));
    let ids: HashSet<&str> = named.filter_map(Option::as_deref).collect();
    let heads = story_heads(app, snapshot, &Vec::from_iter(ids))?;
    let head = |story: &Option<String>| story.as_ref().and_then(|id| heads.get(id).cloned());
    let belongs = reports.iter().map(|(seq, story)| {
        let found = proposals.iter().find(|found| found.new.contains(seq));
        Belongs {
            story: head(story),
            maybe: found.map(|found| MaybeStory {
                story: head(&found.story),
                reports: found.new.len() + found.beside.len() - 1,
            }),
        }
    });
    Ok(belongs.collect())
}

/// What is left to propose of groups: who stands apart from one that is kept, or from one of the story, is left out.
fn proposed(snapshot: &Snapshot<'_>, groups: &[Vec<i64>]) -> ApiResult<Vec<StoryProposal>> {
    let all = groups.concat();
    let members = snapshot.members_among(&all)?.into_iter();
    let members: BTreeMap<_, _> = members.map(|(seq, id, story)| (seq, (id, story))).collect();
    let mut of_story: HashMap<&str, Vec<i64>> = HashMap::new();
    for (seq, (_, story)) in &members {
        if let Some(story) = story {
            of_story.entry(story).or_default().push(*seq);
        }
    }
    let apart: HashSet<(i64, i64)> = snapshot.apart_from(&all)?.into_iter().collect();
    let propose = |group: &Vec<i64>| {
        let mut found = StoryProposal::default();
        let seen = || group.iter().filter_map(|seq| members.get_key_value(seq));
        found.story = seen().find_map(|(_, (_, story))| story.clone());
        let whole = found.story.as_deref().and_then(|story| of_story.get(story));
        let mut kept = whole.cloned().unwrap_or_default();
        let among = kept.iter().filter(|seq| group.contains(*seq));
        found.beside = among.copied().collect();
        for (seq, (id, _)) in seen().filter(|(_, (_, story))| story.is_none()) {
            if !kept.iter().any(|other| apart.contains(&(*seq, *other))) {
                kept.push(*seq);
                found.new.push(*seq);
                found.reports.push(id.clone());
            }
        }
        found.key = found.reports.first().cloned().unwrap_or_default();
        let least = if found.story.is_some() { 1 } else { 2 };
        (found.new.len() >= least).then_some(found)
    };
    Ok(groups.iter().filter_map(propose).collect())
}

impl StoryProposal {
    /// The same with why, and what it is called.
    fn explained(mut self, app: &App, snapshot: &Snapshot<'_>) -> ApiResult<Self> {
        let seqs = [&*self.new, &*self.beside].concat();
        self.reasons = app.search.why_together(snapshot, &seqs)?;
        self.title = title_of(&self.reasons);
        if let Some(story) = &self.story {
            let row = present_story(snapshot, story)?;
            self.title = Some(texts_of(app, snapshot, &row)?.0);
        }
        Ok(self)
    }

    /// The same with whose reports they are, too.
    fn shown(self, app: &App, snapshot: &Snapshot<'_>) -> ApiResult<Self> {
        let mut shown = self.explained(app, snapshot)?;
        for seq in &shown.new {
            let row = snapshot.listed_at(*seq)?.ok_or(Kind::NOT_FOUND)?;
            let listed = open_listed(snapshot, &app.vault, &row)?;
            shown.heads.push(ProposedReport {
                row,
                nome: listed.nome,
                cognome: listed.cognome,
                excerpt: listed.estratto,
            });
        }
        Ok(shown)
    }
}

/// Title and note of a story; for who does not see all its reports the title that those which they see would be proposed under, and
/// no note.
fn texts_of(
    app: &App,
    snapshot: &Snapshot<'_>,
    row: &StoryRow,
) -> ApiResult<(String, Option<String>)> {
    if let Some(StoryText { title, note }) = whole_story(snapshot, &app.vault, row)? {
        return Ok((title, Some(note)));
    }
    let seqs = snapshot.story_seqs(&row.id)?;
    let first = &seqs[..seqs.len().min(NAMED_BY)];
    let title = title_of(&app.search.why_together(snapshot, first)?);
    Ok((title.unwrap_or_else(|| UNTITLED.to_owned()), None))
}

/// The first two names that reasons quote.
fn title_of(reasons: &[String]) -> Option<String> {
    let quoted = reasons.iter().flat_map(|reason| reason.split('«').skip(1));
    let names = quoted.filter_map(|quoted| quoted.split_once('»'));
    let names: Vec<&str> = names.map(|(name, _)| name).take(2).collect();
    (!names.is_empty()).then(|| names.join(", "))
}

fn story_out(
    app: &App,
    snapshot: &Snapshot<'_>,
    id: &str,
    people: &HashMap<String, PersonHead>,
) -> ApiResult<Story> {
    let (row, members) = (present_story(snapshot, id)?, snapshot.story_members(id)?);
    let (title, note) = texts_of(app, snapshot, &row)?;
    let (since, last) = (app.clock.now_ms() - WEEK_MS, members.last());
    let mut statuses = BTreeMap::new();
    for member in &members {
        *statuses.entry(member.stato.as_str()).or_default() += 1;
    }
    let has = |one: &Department| members.iter().any(|member| member.department == *one);
    let given: BTreeSet<_> = members.iter().flat_map(|one| &one.assegnata).collect();
    let given = given.into_iter().filter_map(|id| people.get(id).cloned());
    let new = members.iter().filter(|one| one.data_creazione > since);
    Ok(Story {
        head: StoryHead { id: row.id, title },
        note,
        reports: members.len(),
        week: new.count(),
        statuses,
        departments: Department::ALL.into_iter().filter(has).collect(),
        people: given.collect(),
        labels: numbers(members.iter().fold(0, |bits, one| bits | one.labels)),
        last: last.map_or_else(String::new, |last| rfc3339(last.data_creazione)),
        version: row.version,
    })
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
        let told = |(id, _): (String, i64)| {
            let story = story_out(app, snapshot, &id, &people)?;
            Ok(Story {
                note: None,
                ..story
            })
        };
        let data = found.into_iter().map(told).collect::<ApiResult<_>>()?;
        Ok::<_, ApiError>(StoryList { data, next_cursor })
    });
    list.await.map(Json)
}

/// Makes a story of reports; 409 where one belongs to another story, which it names.
#[utoipa::path(post, operation_id = "create_story", path = "/stories", tag = "storie", request_body = NewStory,
    responses((status = 200, body = Story, headers(("ETag" = String, description = "Version, in quotes")))))]
pub async fn create(editor: Editor, Json(new): Json<NewStory>) -> ApiResult<Response> {
    let made = editor.change(move |act| create_story(act, new));
    let id = made.await?;
    answer(&editor, id).await
}

/// One story.
#[utoipa::path(get, operation_id = "story", path = "/stories/{id}", tag = "storie", params(StoryId),
    responses((status = 200, body = Story, headers(("ETag" = String, description = "Version, in quotes")))))]
pub async fn detail(reader: Reader, StoryId(id): StoryId) -> ApiResult<Response> {
    answer(&reader, id).await
}

/// Changes title or note of a story, on the version named by `If-Match`.
#[utoipa::path(patch, operation_id = "change_story", path = "/stories/{id}", tag = "storie", request_body = StoryPatch,
    params(StoryId, ("If-Match" = String, Header, description = "Version the change was made on, in quotes")),
    responses((status = 200, body = Story, headers(("ETag" = String, description = "Version, in quotes")))))]
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
        let people = people_heads(snapshot)?;
        story_out(app, snapshot, &id, &people)
    });
    let story = read.await?;
    Ok(tagged(story.version, story))
}

/// What is proposed: nothing is joined by itself.
#[utoipa::path(get, path = "/stories/proposals", tag = "storie", responses((status = 200, body = StoryProposals)))]
pub async fn proposals(reader: Reader) -> Answer<StoryProposals> {
    let read = reader.read(|app, snapshot| {
        let mut groups = app.search.story_groups(None);
        groups.sort_by_key(|group| Reverse((group.len(), group.last().copied())));
        let mut data = Vec::new();
        for some in groups.chunks(PROPOSED) {
            if data.len() < PROPOSED {
                data.extend(proposed(snapshot, some)?);
            }
        }
        data.truncate(PROPOSED);
        data.sort_by_key(|one| Reverse(one.new.len()));
        let data = data.into_iter().map(|one| one.shown(app, snapshot));
        let (data, ready) = (
            data.collect::<ApiResult<_>>()?,
            app.search.has_looked_at_all(snapshot)?,
        );
        Ok::<_, ApiError>(StoryProposals { data, ready })
    });
    read.await.map(Json)
}

/// Makes a story of a proposal or adds to the one that it names; or has it proposed no more.
#[utoipa::path(post, path = "/stories/proposals/{key}", tag = "storie", params(ProposalKey), request_body = ProposalDecision,
    responses((status = 200, body = ProposalDecided)))]
pub async fn decide(
    editor: Editor,
    ProposalKey(key): ProposalKey,
    Json(decision): Json<ProposalDecision>,
) -> Answer<ProposalDecided> {
    let read = editor.read(move |app, snapshot| {
        let groups = app
            .search
            .story_groups(Some(&[present(snapshot, &key)?.seq]));
        let found = proposed(snapshot, &groups)?
            .pop()
            .filter(|found| found.key == key);
        let gone = || ApiError::not_there("Questa proposta non c'è più.");
        found.ok_or_else(gone)?.explained(app, snapshot)
    });
    let StoryProposal {
        new,
        reports,
        story,
        title: names,
        ..
    } = read.await?;
    let decided = editor.change(move |act| {
        if !decision.accept {
            return refuse_proposal(act, &new, story.as_deref()).map(|()| None);
        }
        if let Some(story) = story {
            present_story(act, &story)?;
            return add_to_story(act, &story, &reports).map(|()| Some(story));
        }
        let title = decision.title.or(names);
        let title = title.unwrap_or_else(|| UNTITLED.to_owned());
        create_story(act, NewStory { title, reports }).map(Some)
    });
    let story = decided.await?;
    Ok(Json(ProposalDecided { story }))
}

/// Says that two reports do not belong together: they are not proposed together again.
#[utoipa::path(post, operation_id = "set_apart", path = "/stories/apart", tag = "storie", request_body = ReportPair,
    responses((status = 204, description = "Annotato")))]
pub async fn apart(editor: Editor, Json(pair): Json<ReportPair>) -> ApiResult<NoContent> {
    let set = editor.change(move |act| set_apart(act, &pair));
    set.await.map(|()| NoContent)
}
