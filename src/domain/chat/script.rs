//! The steps of a conversation, as data: the ordered one (`PRODUCT.md §2`) and those of callouts (§17) run by the same engine.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::ChatState;
use crate::domain::callout::{
    Answer, Callout, CalloutAnswers, CalloutQuestion, CalloutRef, Need, Personal, Route,
};
use crate::domain::settings::Security;

/// Where a conversation stands, or one of its questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ScriptPlace {
    pub state: ChatState,
    /// Which question of the callout, at [`ChatState::OwnQuestion`]; else 0.
    pub question: u8,
}

impl From<ChatState> for ScriptPlace {
    fn from(state: ChatState) -> Self {
        Self { state, question: 0 }
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
    /// The steps in their order, each with whether it needs an answer.
    steps: Vec<(ScriptPlace, bool)>,
    /// The callout that asks; `None` for the ordered conversation.
    pub callout: Option<Arc<CalloutVersion>>,
}

const QUESTION_PREFIX: &str = "question:";

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
        let questions = (0..).zip(&callout.questions).map(|(question, asked)| {
            let state = ChatState::OwnQuestion;
            (ScriptPlace { state, question }, asked.required)
        });
        let account = [(ChatState::InvestigativeQuestions, callout.account)];
        let asked = account.into_iter().chain(needs(&callout.personal));
        let asked = asked.filter(|(_, need)| *need != Need::Off);
        let always = |state: ChatState| (state.into(), true);
        let steps = [ChatState::AgeCheck]
            .map(always)
            .into_iter()
            .chain(questions);
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

    /// The position of a place in the script, from 0; `None` for what is not asked.
    pub(super) fn position(&self, place: ScriptPlace) -> Option<usize> {
        self.steps.iter().position(|(one, _)| *one == place)
    }

    /// The steps on the path of these answers, in their order.
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

    /// The step after `place`; after the last step, that step itself.
    pub(super) fn after(&self, place: ScriptPlace, answers: &Answers) -> ScriptPlace {
        let next = self.position(place).map_or(0, |at| at + 1);
        let next = self.behind(place, answers).unwrap_or(next);
        let step = self.steps.get(next).or(self.steps.last());
        step.map(|(place, _)| *place).unwrap_or_default()
    }

    /// The position that the answer to a question leads to, if it is not the next one.
    fn behind(&self, place: ScriptPlace, answers: &Answers) -> Option<usize> {
        let Route::To(key) = self.route(place, answers)? else {
            return None;
        };
        let target = self.place_of_key(key)?;
        // A route back would never end.
        (target.question > place.question).then(|| self.position(target))?
    }

    /// The farewell, if the answer to a question ends the conversation.
    pub(super) fn ending(&self, place: ScriptPlace, answers: &Answers) -> Option<&str> {
        match self.route(place, answers)? {
            Route::End(words) => Some(words),
            _ => None,
        }
    }

    /// The route of the chosen option; `None` if several were chosen.
    fn route(&self, place: ScriptPlace, answers: &Answers) -> Option<Route<'_>> {
        let options = &self.question(place)?.options;
        match answers.get(&place.question)?.bare() {
            Answer::Chosen(places) if places.len() == 1 => {
                let chosen = options.get(usize::from(*places.first()?))?;
                Some(chosen.route())
            }
            _ => None,
        }
    }

    /// The place of the question with this key.
    fn place_of_key(&self, key: &str) -> Option<ScriptPlace> {
        let (question, _) = self.callout.as_deref()?.callout.question(key)?;
        Some(ScriptPlace {
            state: ChatState::OwnQuestion,
            question: u8::try_from(question).ok()?,
        })
    }

    pub(super) fn question(&self, place: ScriptPlace) -> Option<&CalloutQuestion> {
        let version = self.callout.as_deref()?;
        let number = (place.state == ChatState::OwnQuestion).then_some(place.question)?;
        version.callout.questions.get(usize::from(number))
    }

    /// The name under which a place is sent and kept.
    pub fn name_of(&self, place: ScriptPlace) -> String {
        self.question(place).map_or_else(
            || place.state.as_str().to_owned(),
            |question| format!("{QUESTION_PREFIX}{}", question.key),
        )
    }

    /// The place with this name; `None` if this script does not ask it.
    pub fn parse(&self, name: &str) -> Option<ScriptPlace> {
        let place = match name.strip_prefix(QUESTION_PREFIX) {
            Some(key) => self.place_of_key(key)?,
            None => ChatState::parse(name)?.into(),
        };
        self.position(place).map(|_| place)
    }

    /// The answers that a report keeps: those on its path.
    pub(super) fn kept(&self, answers: &Answers) -> CalloutAnswers {
        let Some(version) = self.callout.as_deref() else {
            return CalloutAnswers::default();
        };
        let kept = self.path(answers).filter_map(|place| {
            let question = self.question(place)?;
            question.kept(answers.get(&place.question)?)
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
