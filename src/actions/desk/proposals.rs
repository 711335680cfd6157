//! What the program proposes of stories: reports that it found together, minus what people decided and what the caller does not see.

use std::collections::HashSet;

use serde::Deserialize;
use utoipa::ToSchema;

use crate::actions::access::log_access::Action;
use crate::actions::desk::edit_reports::present;
use crate::actions::desk::stories::{NewStory, add_to_story, create_story, present_story};
use crate::actions::{Act, Result};
use crate::store::Snapshot;

/// Reports that may be about the same matter, or belong to a story.
#[derive(Debug, Clone)]
pub struct Proposal {
    /// Those that belong to no story, oldest first: arrival number and id.
    pub new: Vec<(i64, String)>,
    /// Those of the story that were found with them.
    pub beside: Vec<i64>,
    /// Id of the story that they may belong to.
    pub story: Option<String>,
}

/// What people decide on a proposal.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ProposalDecision {
    /// Whether it is right; refused, none of it is proposed together again.
    pub accept: bool,
    /// What a new story is called; where it is absent, by the names that the reports share.
    #[schema(max_length = 120)]
    pub title: Option<String>,
}

/// Two reports that do not belong together, by id.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ReportPair {
    /// One.
    pub a: String,
    /// The other.
    pub b: String,
}

/// What is left to propose of a group: who stands apart from one that is kept, or from one of the story, is left out.
pub fn proposal(snapshot: &Snapshot<'_>, group: &[i64]) -> Result<Option<Proposal>> {
    if group.len() < 2 {
        return Ok(None);
    }
    let members = snapshot.members_among(group)?;
    let story = members.iter().find_map(|(.., story)| story.clone());
    let apart: HashSet<(i64, i64)> = snapshot.apart_from(group)?.into_iter().collect();
    let mut kept: Vec<i64> = match &story {
        Some(story) => snapshot.story_seqs(story)?,
        None => Vec::new(),
    };
    let (mut new, mut beside) = (Vec::new(), Vec::new());
    for (seq, id, own) in members {
        if own.is_some() {
            beside.extend((own == story).then_some(seq));
        } else if !kept.iter().any(|other| apart.contains(&(seq, *other))) {
            kept.push(seq);
            new.push((seq, id));
        }
    }
    let least = if story.is_some() { 1 } else { 2 };
    let proposal = Proposal { new, beside, story };
    Ok((proposal.new.len() >= least).then_some(proposal))
}

impl Proposal {
    /// What calls it: the first of its reports that the caller sees.
    pub fn key(&self) -> &str {
        self.new.first().map_or("", |(_, id)| id)
    }

    pub fn has(&self, seq: i64) -> bool {
        self.new.iter().any(|(one, _)| *one == seq)
    }

    /// Those that are found together.
    pub fn seqs(&self) -> Vec<i64> {
        let new = self.new.iter().map(|(seq, _)| *seq);
        new.chain(self.beside.iter().copied()).collect()
    }
}

/// The first two names that reasons quote.
pub fn title_of(reasons: &[String]) -> Option<String> {
    let quoted = reasons.iter().flat_map(|reason| reason.split('«').skip(1));
    let names = quoted.filter_map(|quoted| quoted.split_once('»'));
    let names: Vec<&str> = names.map(|(name, _)| name).take(2).collect();
    (!names.is_empty()).then(|| names.join(", "))
}

/// Makes a story of a proposal, or adds to the one that it names; answers its id.
pub fn accept(act: &Act<'_>, proposal: Proposal, title: String) -> Result<String> {
    let reports = proposal.new.into_iter().map(|(_, id)| id).collect();
    let Some(story) = proposal.story else {
        return create_story(act, NewStory { title, reports });
    };
    present_story(act, &story)?;
    add_to_story(act, &story, &reports)?;
    Ok(story)
}

/// Has none of it proposed together again.
pub fn refuse(act: &Act<'_>, proposal: &Proposal) -> Result<()> {
    let new: Vec<i64> = proposal.new.iter().map(|(seq, _)| *seq).collect();
    let mut others = new.clone();
    if let Some(story) = &proposal.story {
        others.extend(act.story_seqs(story)?);
    }
    act.tx.set_apart(&new, &others)?;
    act.log(Action::ReportUpdated, None)
}

/// Says that two reports do not belong together.
pub fn set_apart(act: &Act<'_>, ReportPair { a, b }: &ReportPair) -> Result<()> {
    let (one, other) = (present(act, a)?.seq, present(act, b)?.seq);
    act.tx.set_apart(&[one], &[other])?;
    act.log(Action::ReportUpdated, Some(a))
}
