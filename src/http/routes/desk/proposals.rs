//! What the program proposes of stories, and what people decide on it.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

use axum::response::NoContent;
use serde::Serialize;
use utoipa::ToSchema;

use super::stories::StoryHead;
use crate::actions::desk::edit_reports::present;
use crate::actions::desk::proposals::{
    Proposal, ProposalDecision, ReportPair, accept, proposal, refuse, set_apart, title_of,
};
use crate::http::path::ProposalKey;
use crate::http::routes::{Answer, ApiError, ApiResult, App, Editor, Json, Kind, Reader};
use crate::store::Snapshot;

/// Proposals in an answer, at most: reports are opened for each.
const MOST: usize = 50;
const UNTITLED: &str = "Storia senza titolo";

/// What is proposed.
#[derive(Serialize, ToSchema)]
pub struct StoryProposals {
    /// The largest first, 50 at most.
    data: Vec<StoryProposal>,
    /// Whether every report was looked at: false while they are being read.
    ready: bool,
}

/// Reports that may be about the same matter.
#[derive(Serialize, ToSchema)]
pub struct StoryProposal {
    /// What calls it.
    key: String,
    /// Ids of those that belong to no story, oldest first.
    reports: Vec<String>,
    /// Id of the story that they may belong to; null where it would be a new one.
    story: Option<String>,
    /// What that is called, or by its names might be; null where the reports share no name.
    title: Option<String>,
    /// Why, in Italian.
    reasons: Vec<String>,
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
    maybe: Option<MaybeStory>,
}

/// What is proposed of a group, and why. What is joined by reports alone that the caller does not see is none.
fn explained(
    app: &App,
    snapshot: &Snapshot<'_>,
    group: &[i64],
) -> ApiResult<Option<(Proposal, Vec<String>)>> {
    let Some(proposal) = proposal(snapshot, group)? else {
        return Ok(None);
    };
    let reasons = app.search.why_together(snapshot, &proposal.seqs())?;
    Ok((!reasons.is_empty()).then_some((proposal, reasons)))
}

/// Where reports belong, or may: each story and each group is looked up once.
#[derive(Default)]
pub struct Belonging {
    stories: HashMap<String, Option<StoryHead>>,
    groups: HashMap<i64, Option<Proposal>>,
}

impl Belonging {
    pub fn of(
        &mut self,
        app: &App,
        snapshot: &Snapshot<'_>,
        seq: i64,
        story: Option<&str>,
    ) -> ApiResult<Belongs> {
        if story.is_some() {
            let (story, maybe) = (self.head(app, snapshot, story)?, None);
            return Ok(Belongs { story, maybe });
        }
        let group = app.search.story_group_of(seq);
        let first = group.first().copied().unwrap_or(seq);
        let found = match self.groups.entry(first) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) if snapshot.visible_departments().is_all() => {
                new.insert(proposal(snapshot, &group)?)
            }
            Entry::Vacant(new) => {
                let found = explained(app, snapshot, &group)?;
                new.insert(found.map(|(proposal, _)| proposal))
            }
        };
        let Some(found) = found.as_ref().filter(|found| found.has(seq)) else {
            return Ok(Belongs::default());
        };
        let (story, reports) = (found.story.clone(), found.seqs().len() - 1);
        let story = self.head(app, snapshot, story.as_deref())?;
        let maybe = Some(MaybeStory { story, reports });
        Ok(Belongs { story: None, maybe })
    }

    pub fn head(
        &mut self,
        app: &App,
        snapshot: &Snapshot<'_>,
        id: Option<&str>,
    ) -> ApiResult<Option<StoryHead>> {
        let Some(id) = id else {
            return Ok(None);
        };
        if let Some(known) = self.stories.get(id) {
            return Ok(known.clone());
        }
        let head = snapshot
            .story(id)?
            .map(|row| StoryHead::open(app, snapshot, &row));
        let head = head.transpose()?;
        self.stories.insert(id.to_owned(), head.clone());
        Ok(head)
    }
}

/// What is proposed: nothing is joined by itself.
#[utoipa::path(get, path = "/stories/proposals", tag = "storie", responses((status = 200, body = StoryProposals)))]
pub async fn proposals(reader: Reader) -> Answer<StoryProposals> {
    let read = reader.read(|app, snapshot| {
        let groups = app.search.story_groups();
        let ready = groups.is_some();
        let mut groups = groups.unwrap_or_default();
        groups.sort_by_key(|group| Reverse((group.len(), group.iter().max().copied())));
        let mut data = Vec::new();
        for group in groups {
            if let Some((proposal, reasons)) = explained(app, snapshot, &group)? {
                data.push(told(app, snapshot, proposal, reasons)?);
            }
            if data.len() == MOST {
                break;
            }
        }
        data.sort_by_key(|one| Reverse(one.reports.len()));
        Ok::<_, ApiError>(StoryProposals { data, ready })
    });
    read.await.map(Json)
}

fn told(
    app: &App,
    snapshot: &Snapshot<'_>,
    proposal: Proposal,
    reasons: Vec<String>,
) -> ApiResult<StoryProposal> {
    let story = Belonging::default().head(app, snapshot, proposal.story.as_deref())?;
    let title = story.map_or_else(|| title_of(&reasons), |story| Some(story.title));
    Ok(StoryProposal {
        key: proposal.key().to_owned(),
        reports: proposal.new.into_iter().map(|(_, id)| id).collect(),
        story: proposal.story,
        title,
        reasons,
    })
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
        let group = app.search.story_group_of(present(snapshot, &key)?.seq);
        let found = explained(app, snapshot, &group)?;
        let found = found.filter(|(proposal, _)| proposal.key() == key);
        found.ok_or_else(|| Kind::NOT_FOUND.saying("Questa proposta non c'è più."))
    });
    let (proposal, reasons) = read.await?;
    let decided = editor.change(move |act| {
        if !decision.accept {
            return refuse(act, &proposal).map(|()| None);
        }
        let title = decision.title.or_else(|| title_of(&reasons));
        let title = title.unwrap_or_else(|| UNTITLED.to_owned());
        accept(act, proposal, title).map(Some)
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
