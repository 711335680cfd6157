//! The steps of a conversation, as data: the ordered one (`PRODUCT.md §2`) and those of callouts (§17) run by the same engine.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::ChatState;
use crate::domain::callout::{
    Answer, Callout, CalloutAnswers, CalloutQuestion, CalloutRef, Need, Route,
};
use crate::domain::settings::Security;

/// Where a conversation stands, or a question of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ScriptPlace {
    pub state: ChatState,
    /// Which question of the callout, at [`ChatState::OwnQuestion`]; else 0.
    pub own: u8,
}

impl From<ChatState> for ScriptPlace {
    fn from(state: ChatState) -> Self {
        Self { state, own: 0 }
    }
}

/// Answers to the questions of a callout, by their place in it.
pub type Answers = BTreeMap<u8, Answer>;

/// A version of a callout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CalloutVersion {
    pub id: String,
    pub version: u32,
    pub callout: Callout,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct ScriptStep {
    place: ScriptPlace,
    required: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Script {
    steps: Vec<ScriptStep>,
    /// The callout it is of; `None` for the ordered conversation.
    pub callout: Option<Arc<CalloutVersion>>,
}

const OWN: &str = "question:";

impl Script {
    /// The ordered conversation.
    pub fn general(security: &Security) -> Self {
        let required = |state| match state {
            ChatState::CollectPhone => security.phone_required,
            ChatState::CollectEmail => security.email_required,
            ChatState::CollectAddress => security.address_required,
            _ => true,
        };
        let states = ChatState::ALL.into_iter();
        let steps = states
            .filter(|state| *state != ChatState::OwnQuestion)
            .map(|state| ScriptStep {
                place: state.into(),
                required: required(state),
            });
        Self {
            steps: steps.collect(),
            callout: None,
        }
    }

    /// Age, questions, account, personal data, last question (`PRODUCT.md §17`).
    pub fn of(version: &Arc<CalloutVersion>) -> Self {
        let callout = &version.callout;
        let own = callout
            .questions
            .iter()
            .zip(0..u8::MAX)
            .map(|(question, own)| ScriptStep {
                place: ScriptPlace {
                    state: ChatState::OwnQuestion,
                    own,
                },
                required: question.required,
            });
        let account = (ChatState::InvestigativeQuestions, callout.account);
        let asked = std::iter::once(account).chain(callout.personal.needs());
        let asked = asked
            .filter(|(_, need)| *need != Need::Off)
            .map(|(state, need)| step(state, need == Need::Required));
        let steps = std::iter::once(step(ChatState::AgeCheck, true))
            .chain(own)
            .chain(asked)
            .chain(
                [ChatState::CollectReport, ChatState::FinalQuestion].map(|state| step(state, true)),
            );
        Self {
            steps: steps.collect(),
            callout: Some(Arc::clone(version)),
        }
    }

    pub(super) fn requires(&self, place: ScriptPlace) -> bool {
        let step = self.steps.iter().find(|step| step.place == place);
        step.is_none_or(|step| step.required)
    }

    /// Where it stands in the script, from 0; `None` for what is not asked.
    pub(super) fn position(&self, place: ScriptPlace) -> Option<usize> {
        self.steps.iter().position(|step| step.place == place)
    }

    /// The steps that these answers lead along, in their order.
    pub(super) fn path<'a>(
        &'a self,
        answers: &'a Answers,
    ) -> impl Iterator<Item = ScriptPlace> + 'a {
        let mut at = Some(0);
        std::iter::from_fn(move || {
            let place = self.steps.get(at?)?.place;
            at = Some(self.behind(place, answers).unwrap_or(at? + 1));
            Some(place)
        })
    }

    /// The step after `place`; the last one stays.
    pub(super) fn after(&self, place: ScriptPlace, answers: &Answers) -> ScriptPlace {
        let next = self.position(place).map_or(0, |at| at + 1);
        let next = self.behind(place, answers).unwrap_or(next);
        let last = || self.steps.last().map(|step| step.place);
        self.steps
            .get(next)
            .map(|step| step.place)
            .or_else(last)
            .unwrap_or_default()
    }

    /// Where the answer to a question leads, if not to the next step.
    fn behind(&self, place: ScriptPlace, answers: &Answers) -> Option<usize> {
        let callout = &self.callout.as_deref()?.callout;
        let choices = self.question(place)?.choices();
        let chosen = Self::chosen(place, answers)?;
        match choices.get(chosen)?.route() {
            Route::To(key) => {
                let own = u8::try_from(callout.question(key)?.0).ok()?;
                // One that led back would never end.
                let later = own > place.own;
                later.then(|| self.position(ScriptPlace { own, ..place }))?
            }
            Route::On | Route::End(_) => None,
        }
    }

    /// The words with which the answer to a question ends the conversation.
    pub(super) fn ending(&self, place: ScriptPlace, answers: &Answers) -> Option<String> {
        let choices = self.question(place)?.choices();
        match choices.get(Self::chosen(place, answers)?)?.route() {
            Route::End(words) => Some(words.to_owned()),
            _ => None,
        }
    }

    /// The one option that was chosen.
    fn chosen(place: ScriptPlace, answers: &Answers) -> Option<usize> {
        match answers.get(&place.own)? {
            Answer::Chosen(places) if places.len() == 1 => {
                places.first().map(|one| usize::from(*one))
            }
            _ => None,
        }
    }

    pub(super) fn question(&self, place: ScriptPlace) -> Option<&CalloutQuestion> {
        let version = self.callout.as_deref()?;
        let own = (place.state == ChatState::OwnQuestion).then_some(place.own)?;
        version.callout.questions.get(usize::from(own))
    }

    /// The name under which a place is sent and kept.
    pub fn name_of(&self, place: ScriptPlace) -> String {
        self.question(place).map_or_else(
            || place.state.as_str().to_owned(),
            |question| format!("{OWN}{}", question.key),
        )
    }

    /// The place of a name; `None` for what this script does not ask.
    pub fn parse(&self, name: &str) -> Option<ScriptPlace> {
        let place = match name.strip_prefix(OWN) {
            Some(key) => {
                let (own, _) = self.callout.as_deref()?.callout.question(key)?;
                ScriptPlace {
                    state: ChatState::OwnQuestion,
                    own: u8::try_from(own).ok()?,
                }
            }
            None => ChatState::parse(name)?.into(),
        };
        self.position(place).map(|_| place)
    }

    /// What a report keeps of the answers that lead along its path.
    pub(super) fn kept(&self, answers: &Answers) -> CalloutAnswers {
        let Some(version) = self.callout.as_deref() else {
            return CalloutAnswers::default();
        };
        let kept = self.path(answers).filter_map(|place| {
            let question = self.question(place)?;
            question.kept(answers.get(&place.own)?)
        });
        CalloutAnswers {
            inchiesta: Some(CalloutRef {
                id: version.id.clone(),
                slug: version.callout.slug.clone(),
                title: version.callout.title.clone(),
                version: version.version,
            }),
            risposte: kept.collect(),
        }
    }
}

fn step(state: ChatState, required: bool) -> ScriptStep {
    ScriptStep {
        place: state.into(),
        required,
    }
}
