//! Stories, what is proposed of them, and where a report belongs: each as its caller sees it.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use serde::Serialize;
use utoipa::ToSchema;

use crate::actions::archive::sealing::open_listed;
use crate::actions::desk::edit_reports::present;
use crate::actions::desk::proposals::Proposed;
use crate::actions::desk::stories::{StoryText, present_story, whole_story};
use crate::actions::{self, Error};
use crate::domain::label::numbers;
use crate::domain::moment::rfc3339;
use crate::domain::retention::DAY_MS;
use crate::domain::routing::DepartmentKey;
use crate::domain::stories::passage::Passage;
use crate::readings::cursors::{seq_cursor, seq_of};
use crate::readings::{PersonHead, Reading, people_heads};
use crate::store::{ListRow, Snapshot, StoryRow};

/// In which a report counts as new to its story, in ms.
const WEEK_MS: i64 = 7 * DAY_MS;
/// Proposals in an answer, at most: reports are opened for each.
const PROPOSED: usize = 50;
/// Reports of a story that are opened for a title, at most.
const NAMED_BY: usize = 20;
/// Characters of the passage of an account that holds what it shares with others.
const PASSAGE: usize = 120;
const UNTITLED: &str = "Storia senza titolo";

/// A page of stories.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StoryList {
    /// The stories that contain a report the caller sees, the one with the latest arrival first.
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

/// A story, with figures about those of its reports that the caller sees.
#[derive(Serialize, ToSchema)]
pub struct Story {
    #[serde(flatten)]
    head: StoryHead,
    /// Its note, empty for none; absent in a list, and for callers that do not see all its reports.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    note: Option<String>,
    /// The number of its reports.
    reports: usize,
    /// The number of its reports that arrived in the last seven days.
    week: usize,
    /// The number of its reports that are new to the caller.
    unread: usize,
    /// The number of its reports whose reporter waits for an answer.
    answers: usize,
    /// The number of its reports by status.
    #[schema(value_type = HashMap<String, usize>)]
    statuses: BTreeMap<&'static str, usize>,
    /// Their departments.
    departments: Vec<DepartmentKey>,
    /// The people that its reports are assigned to.
    people: Vec<PersonHead>,
    /// Their labels, by their numbers.
    labels: Vec<u8>,
    /// When the latest of its reports arrived; RFC 3339, UTC.
    last: String,
    /// Grows with title and note; the `ETag` in quotes.
    pub version: i64,
}

/// The proposed stories.
#[derive(Serialize, ToSchema)]
pub struct StoryProposals {
    /// The largest first, 50 at most.
    data: Vec<StoryProposal>,
    /// Whether every report was compared; false while reports are still being read.
    ready: bool,
}

/// Reports that may be about the same matter.
#[derive(Default, Serialize, ToSchema)]
pub struct StoryProposal {
    /// The key of the proposal, which is the id of its first report.
    key: String,
    /// Ids of its reports that belong to no story yet, oldest first.
    pub reports: Vec<String>,
    /// The same, as a list shows them.
    heads: Vec<ProposedReport>,
    /// Id of the story that the reports may belong to; null for a new story.
    pub story: Option<String>,
    /// The title of that story, or the proposed title; null if the reports share no name.
    pub title: Option<String>,
    /// Why, in one Italian sentence.
    reasons: Vec<String>,
    /// The names and numbers that it quotes, the most frequent first.
    names: Vec<String>,
    /// The passage of each of its reports, by arrival number.
    #[serde(skip)]
    passages: HashMap<i64, Passage>,
    /// Arrival numbers of its reports.
    #[serde(skip)]
    pub new: Vec<i64>,
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
    /// The passage of the account with what the reports share: 120 characters at most, and '…' where it was cut.
    excerpt: String,
    /// The shared words in it, as the reporter wrote them: marked are those that a search for this text would mark.
    marks: String,
}

/// A sign that a report may belong with others.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct MaybeStory {
    /// The story that it may belong to; null where there is none yet.
    story: Option<StoryHead>,
    /// The number of reports that it was found with.
    reports: usize,
}

/// The story that a report belongs to, or may belong to.
#[derive(Debug, Default, Serialize, ToSchema)]
#[schema(as = Belongs)]
pub struct StoryPlace {
    /// The story that it belongs to.
    story: Option<StoryHead>,
    /// A sign that the report may belong with others; null if it belongs to a story.
    pub maybe: Option<MaybeStory>,
}

/// These stories by id.
pub fn story_heads(
    reading: Reading<'_>,
    snapshot: &Snapshot<'_>,
    ids: &[&str],
) -> actions::Result<HashMap<String, StoryHead>> {
    let open = |row: StoryRow| {
        let (title, _) = texts_of(reading, snapshot, &row)?;
        Ok((row.id.clone(), StoryHead { id: row.id, title }))
    };
    snapshot.stories_among(ids)?.into_iter().map(open).collect()
}

/// The story that each of these reports belongs to, or may belong to. `reports` are arrival numbers and present stories.
pub fn story_places(
    reading: Reading<'_>,
    snapshot: &Snapshot<'_>,
    reports: &[(i64, Option<String>)],
) -> actions::Result<Vec<StoryPlace>> {
    let free = reports.iter().filter(|(_, story)| story.is_none());
    let free: Vec<i64> = free.map(|(seq, _)| *seq).collect();
    let proposals = proposed(reading, snapshot, &reading.search.story_groups(Some(&free)))?;
    let named = proposals.iter().map(|found| &found.story);
    let named = named.chain(reports.iter().map(|(_, story)| story));
    let ids: HashSet<&str> = named.filter_map(Option::as_deref).collect();
    let heads = story_heads(reading, snapshot, &Vec::from_iter(ids))?;
    let head = |story: &Option<String>| story.as_ref().and_then(|id| heads.get(id).cloned());
    let places = reports.iter().map(|(seq, story)| {
        let found = proposals.iter().find(|found| found.new.contains(seq));
        StoryPlace {
            story: head(story),
            maybe: found.map(|found| MaybeStory {
                story: head(&found.story),
                reports: found.new.len() + found.beside.len() - 1,
            }),
        }
    });
    Ok(places.collect())
}

/// The groups that remain to be proposed, without reports that were declared unrelated to one that is kept or to one of
/// the story. What is left of a group has to be joined by what it shares itself.
fn proposed(
    reading: Reading<'_>,
    snapshot: &Snapshot<'_>,
    groups: &[Vec<i64>],
) -> actions::Result<Vec<StoryProposal>> {
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
        let seqs = [&*found.new, &*found.beside].concat();
        // The evidence may stand in a report that is not shown.
        let shown = || seqs.len() == group.len() || reading.search.share_something(&seqs);
        (found.new.len() >= least && shown()).then_some(found)
    };
    Ok(groups.iter().filter_map(propose).collect())
}

impl StoryProposal {
    /// Adds the reasons and the title.
    fn explained(mut self, reading: Reading<'_>, snapshot: &Snapshot<'_>) -> actions::Result<Self> {
        let seqs = [&*self.new, &*self.beside].concat();
        let (why, passages) = reading.search.why_together(snapshot, &seqs, PASSAGE)?;
        self.passages = passages;
        self.title = why.title;
        self.names = why.names;
        self.reasons = why.sentence.into_iter().collect();
        if let Some(story) = &self.story {
            let row = present_story(snapshot, story)?;
            self.title = Some(texts_of(reading, snapshot, &row)?.0);
        }
        Ok(self)
    }

    /// Adds the reports as lists show them.
    fn shown(self, reading: Reading<'_>, snapshot: &Snapshot<'_>) -> actions::Result<Self> {
        let mut shown = self.explained(reading, snapshot)?;
        for seq in &shown.new {
            let row = snapshot.listed_at(*seq)?.ok_or(Error::NotFound)?;
            let listed = open_listed(snapshot, &reading.vault, &row)?;
            // One that does not open is shown as lists show it.
            let passage = shown.passages.remove(seq).unwrap_or(Passage {
                text: listed.estratto,
                marks: String::new(),
            });
            shown.heads.push(ProposedReport {
                row,
                nome: listed.nome,
                cognome: listed.cognome,
                excerpt: passage.text,
                marks: passage.marks,
            });
        }
        Ok(shown)
    }

    /// Its reports, for a decision on them.
    pub fn decided_on(self) -> Proposed {
        let title = self.title.unwrap_or_else(|| UNTITLED.to_owned());
        Proposed {
            key: self.key,
            reports: self.new.into_iter().zip(self.reports).collect(),
            story: self.story,
            title,
        }
    }
}

/// Title and note of a story. Callers who do not see all its reports get the title that would be proposed for those
/// they see, and no note.
fn texts_of(
    reading: Reading<'_>,
    snapshot: &Snapshot<'_>,
    row: &StoryRow,
) -> actions::Result<(String, Option<String>)> {
    if let Some(StoryText { title, note }) = whole_story(snapshot, &reading.vault, row)? {
        return Ok((title, Some(note)));
    }
    let members = snapshot.story_members(&row.id)?.into_iter();
    let first: Vec<_> = members.map(|one| one.seq).take(NAMED_BY).collect();
    let (why, _) = reading.search.why_together(snapshot, &first, PASSAGE)?;
    Ok((why.title.unwrap_or_else(|| UNTITLED.to_owned()), None))
}

fn story_out(
    reading: Reading<'_>,
    snapshot: &Snapshot<'_>,
    id: &str,
    who: &str,
    people: &HashMap<String, PersonHead>,
) -> actions::Result<Story> {
    let (row, members) = (present_story(snapshot, id)?, snapshot.story_members(id)?);
    let (title, note) = texts_of(reading, snapshot, &row)?;
    let (since, last) = (reading.clock.now_ms() - WEEK_MS, members.last());
    let mut statuses = BTreeMap::new();
    for member in &members {
        *statuses.entry(member.stato.as_str()).or_default() += 1;
    }
    let has = |one: &DepartmentKey| members.iter().any(|member| member.department == *one);
    let departments = snapshot.departments()?;
    let given: BTreeSet<_> = members.iter().flat_map(|one| &one.assegnata).collect();
    let given = given.into_iter().filter_map(|id| people.get(id).cloned());
    let new = members.iter().filter(|one| one.data_creazione > since);
    let ids: Vec<&str> = members.iter().map(|one| &*one.id).collect();
    Ok(Story {
        head: StoryHead { id: row.id, title },
        note,
        reports: members.len(),
        week: new.count(),
        unread: snapshot.new_to(&ids, who)?.len(),
        answers: members.iter().filter(|one| one.answered).count(),
        statuses,
        departments: departments.keys().filter(has).collect(),
        people: given.collect(),
        labels: numbers(members.iter().fold(0, |bits, one| bits | one.labels)),
        last: last.map_or_else(String::new, |last| rfc3339(last.data_creazione)),
        version: row.version,
    })
}

/// A page of the stories with a report that the caller (empty for the shared password) sees, the one with the last arrival first.
pub fn list(
    reading: Reading<'_>,
    snapshot: &Snapshot<'_>,
    who: &str,
    from: Option<&str>,
    limit: usize,
) -> actions::Result<StoryList> {
    let below = from.map(|cursor| seq_of(reading, snapshot, cursor));
    let below = below.transpose()?.unwrap_or(i64::MAX);
    let mut found = snapshot.latest_stories(below, limit + 1)?;
    let more = found.len() > limit;
    found.truncate(limit);
    let last = found.last().filter(|_| more);
    let next_cursor = last.map(|(_, seq)| seq_cursor(reading, snapshot, *seq));
    let (next_cursor, people) = (next_cursor.transpose()?, people_heads(snapshot)?);
    let told = |(id, _): (String, i64)| {
        let story = story_out(reading, snapshot, &id, who, &people)?;
        Ok(Story {
            note: None,
            ..story
        })
    };
    let data = found
        .into_iter()
        .map(told)
        .collect::<actions::Result<_>>()?;
    Ok(StoryList { data, next_cursor })
}

/// One story, for a caller (empty for the shared password).
pub fn story(
    reading: Reading<'_>,
    snapshot: &Snapshot<'_>,
    who: &str,
    id: &str,
) -> actions::Result<Story> {
    story_out(reading, snapshot, id, who, &people_heads(snapshot)?)
}

/// The proposed stories.
pub fn proposals(reading: Reading<'_>, snapshot: &Snapshot<'_>) -> actions::Result<StoryProposals> {
    let mut groups = reading.search.story_groups(None);
    groups.sort_by_key(|group| Reverse((group.len(), group.last().copied())));
    let mut data = Vec::new();
    for some in groups.chunks(PROPOSED) {
        if data.len() < PROPOSED {
            data.extend(proposed(reading, snapshot, some)?);
        }
    }
    data.truncate(PROPOSED);
    data.sort_by_key(|one| Reverse(one.new.len()));
    let data = data.into_iter().map(|one| one.shown(reading, snapshot));
    Ok(StoryProposals {
        data: data.collect::<actions::Result<_>>()?,
        ready: reading.search.has_looked_at_all(snapshot)?,
    })
}

/// The proposal that a report calls, with what it is called; `None` where it is gone.
pub fn proposal(
    reading: Reading<'_>,
    snapshot: &Snapshot<'_>,
    key: &str,
) -> actions::Result<Option<StoryProposal>> {
    let seq = present(snapshot, key)?.seq;
    let groups = reading.search.story_groups(Some(&[seq]));
    let found = proposed(reading, snapshot, &groups)?.pop();
    let found = found.filter(|found| found.key == key);
    found
        .map(|found| found.explained(reading, snapshot))
        .transpose()
}
