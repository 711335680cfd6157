//! The steps of a conversation, as data: the ordered one (`PRODUCT.md §2`) and those of callouts (§17) run by the same engine.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::ChatState;
use crate::domain::callout::{
    Answer, Callout, CalloutAnswers, CalloutQuestion, CalloutRef, Need, Personal, Route,
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
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CalloutVersion {
    pub id: String,
    pub version: u32,
    pub callout: Callout,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Script {
    /// In their order, each with whether it needs an answer.
    steps: Vec<(ScriptPlace, bool)>,
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
        let states = states.filter(|state| *state != ChatState::OwnQuestion);
        Self {
            steps: states
                .map(|state| (state.into(), required(state)))
                .collect(),
            callout: None,
        }
    }

    /// Age, questions, account, personal data, last question (`PRODUCT.md §17`).
    pub fn of(version: &Arc<CalloutVersion>) -> Self {
        let callout = &version.callout;
        let own = (0..).zip(&callout.questions).map(|(own, question)| {
            let state = ChatState::OwnQuestion;
            (ScriptPlace { state, own }, question.required)
        });
        let account = [(ChatState::InvestigativeQuestions, callout.account)];
        let asked = account.into_iter().chain(needs(&callout.personal));
        let asked = asked.filter(|(_, need)| *need != Need::Off);
        let always = |state: ChatState| (state.into(), true);
        let steps = [ChatState::AgeCheck].map(always).into_iter().chain(own);
        let steps = steps
            .chain(asked.map(|(state, need)| (state.into(), need == Need::Required)))
            .chain([ChatState::CollectReport, ChatState::FinalQuestion].map(always));
        Self {
            steps: steps.collect(),
            callout: Some(Arc::clone(version)),
        }
    }

    pub(super) fn requires(&self, place: ScriptPlace) -> bool {
        let step = self.steps.iter().find(|(one, _)| *one == place);
        step.is_none_or(|(_, required)| *required)
    }

    /// Where it stands in the script, from 0; `None` for what is not asked.
    pub(super) fn position(&self, place: ScriptPlace) -> Option<usize> {
        self.steps.iter().position(|(one, _)| *one == place)
    }

    /// The steps that these answers lead along, in their order.
    pub(super) fn path<'a>(
        &'a self,
        answers: &'a Answers,
    ) -> impl Iterator<Item = ScriptPlace> + 'a {
        let mut at = Some(0);
        std::iter::from_fn(move || {
            let (place, _) = *self.steps.get(at?)?;
            at = Some(self.behind(place, answers).unwrap_or(at? + 1));
            Some(place)
        })
    }

    /// The step after `place`; the last one stays.
    pub(super) fn after(&self, place: ScriptPlace, answers: &Answers) -> ScriptPlace {
        let next = self.position(place).map_or(0, |at| at + 1);
        let next = self.behind(place, answers).unwrap_or(next);
        let step = self.steps.get(next).or(self.steps.last());
        step.map(|(place, _)| *place).unwrap_or_default()
    }

    /// Where the answer to a question leads, if not to the next step.
    fn behind(&self, place: ScriptPlace, answers: &Answers) -> Option<usize> {
        let Route::To(key) = self.route(place, answers)? else {
            return None;
        };
        let own = self.own(key)?;
        // One that led back would never end.
        (own.own > place.own).then(|| self.position(own))?
    }

    /// The words with which the answer to a question ends the conversation.
    pub(super) fn ending(&self, place: ScriptPlace, answers: &Answers) -> Option<&str> {
        match self.route(place, answers)? {
            Route::End(words) => Some(words),
            _ => None,
        }
    }

    /// The route of the one option that was chosen.
    fn route(&self, place: ScriptPlace, answers: &Answers) -> Option<Route<'_>> {
        let options = &self.question(place)?.options;
        match answers.get(&place.own)?.bare() {
            Answer::Chosen(places) if places.len() == 1 => {
                let chosen = options.get(usize::from(*places.first()?))?;
                Some(chosen.route())
            }
            _ => None,
        }
    }

    /// The question with a key.
    fn own(&self, key: &str) -> Option<ScriptPlace> {
        let (own, _) = self.callout.as_deref()?.callout.question(key)?;
        Some(ScriptPlace {
            state: ChatState::OwnQuestion,
            own: u8::try_from(own).ok()?,
        })
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
            Some(key) => self.own(key)?,
            None => ChatState::parse(name)?.into(),
        };
        self.position(place).map(|_| place)
    }

    /// The answers that a report keeps: those along its path.
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

/// The personal data of a callout, in the order in which they are asked.
const fn needs(of: &Personal) -> [(ChatState, Need); 5] {
    [
        (ChatState::CollectName, of.nome),
        (ChatState::CollectSurname, of.cognome),
        (ChatState::CollectPhone, of.telefono),
        (ChatState::CollectEmail, of.email),
        (ChatState::CollectAddress, of.indirizzo),
    ]
}
