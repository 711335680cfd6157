//! Mode `smart`: weighs all departments by the whole text, abstains when unsure, and says why. The answer follows the
//! percentages shown, unless staff moved the same report.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::slice::from_ref;
use std::sync::LazyLock;

use super::lexicon::{self, CLASSES, Hit, Lexicon, NONE, PLACES};
use super::measure::{BUCKETS, DIMENSIONS, DOUBT, measure, weights};
use super::{Analysis, Department, DepartmentKey, Departments, Matter, Memory, Score};
use crate::domain::classify::math::exp;
use crate::domain::classify::ngrams::{LONGEST, SHORTEST, each};
use crate::domain::classify::{LinearModel, TokenizedText};
use crate::domain::text::char_count;

/// Written by `make models`. Another size, which a test excludes, would leave every text undecided.
static HEAD: LazyLock<Option<LinearModel<CLASSES, 8>>> = LazyLock::new(|| {
    let weights = include_bytes!("../../../models/routing/head.bin");
    LinearModel::from_bytes(weights, DIMENSIONS as usize)
});

const WORDS: usize = 6;
const WORD_CHARS: usize = 4;
/// Another department is named from this percentage on.
const NAMED: u8 = 10;
/// How much a share of the words found tells for a department without a matter: as much as the trained head takes it for its own
/// classes, on average.
const PULL: f64 = 12.8;

pub struct Smart {
    departments: Departments,
    matters: Lexicon<CLASSES>,
    own: Lexicon<PLACES>,
    threshold: u32,
}

/// The words of a text that count: those of the lexicon, and keywords of departments that the model does not tell apart.
struct Found<'r> {
    hits: Vec<Hit<'r, CLASSES>>,
    own: Vec<Hit<'r, PLACES>>,
}

/// How likely each department is, in the order of the list, and why.
struct Weighed {
    shares: Vec<f64>,
    /// A sentence of its own, by department: empty where the model alone decided.
    because: Vec<String>,
}

impl Smart {
    pub(super) fn new(departments: &Departments, threshold: u32) -> Self {
        Self {
            matters: lexicon::of_matters(departments),
            own: lexicon::of_departments(departments),
            departments: departments.clone(),
            threshold,
        }
    }

    pub(super) fn find(&self, memory: &Memory, text: &str) -> Analysis {
        let (reading, general) = (TokenizedText::new(text), self.departments.general());
        if reading.words.is_empty() {
            return Analysis::plain(format!("Nessun testo da analizzare: {}.", general.name));
        }
        let found = Found {
            hits: self.matters.find(&reading),
            own: self.own.find(&reading),
        };
        let weighed = self.weigh(&reading, &found);
        let scores = self.scores(&weighed.shares);
        let likeliest = scores.first().copied();
        let sure = likeliest.filter(|score| u32::from(score.percent) >= self.threshold);
        let decided = sure.map_or(DepartmentKey::GENERALE, |score| score.department);
        let analysed = match sure {
            Some(score) => self.certain(score, others(&scores, decided).next(), &weighed),
            None => self.unsure(others(&scores, decided)),
        };
        let remembered = memory.recall(reading.all_letters());
        let moved = remembered.filter(|one| *one != decided && self.departments.has(*one));
        let department = moved.unwrap_or(decided);
        let reason = match &moved {
            // The decision of staff comes first.
            Some(moved) => format!(
                "Come una segnalazione quasi uguale che la redazione ha spostato in {}. {analysed}",
                self.departments.name(moved)
            ),
            None => analysed,
        };
        let spoke_for = moved.or(likeliest.map(|score| score.department));
        let next = others(&scores, department).next();
        Analysis {
            department,
            reason,
            secondary: next.map(|score| score.department),
            words: self.explain(&reading, &found, spoke_for.unwrap_or(department)),
            scores,
            urgente: None,
        }
    }

    /// A matter stands for the department that has it; one that none has stands for `generale`.
    fn weigh(&self, reading: &TokenizedText<'_>, found: &Found<'_>) -> Weighed {
        let features = measure(reading, &found.hits);
        let head = HEAD.as_ref().map(|head| head.probabilities(&features));
        let head = head.unwrap_or_else(|| vec![0.0; CLASSES]);
        let (own, desks) = (weights(&found.own), self.departments.desks());
        let last = desks.len();
        let mut weighed = Weighed {
            shares: vec![0.0; last + 1],
            because: vec![String::new(); last + 1],
        };
        let mut strongest = head[NONE];
        weighed.shares[last] = head[NONE];
        for matter in Matter::ALL {
            let class = matter.class();
            let (place, because) = self.holder(matter, &own);
            weighed.shares[place] += head[class];
            if place < last {
                because.clone_into(&mut weighed.because[place]);
            } else if head[class] > strongest {
                strongest = head[class];
                let nobody = format!("Nessun reparto si occupa di {}.", matter.name());
                weighed.because[last] = nobody;
            }
        }
        let words: f64 = weights(&found.hits).iter().sum();
        self.weigh_keywords(&mut weighed, &own, words + DOUBT);
        weighed
    }

    /// The place of the department for a matter, and what decided between several: their own keywords, else their order.
    fn holder(&self, matter: Matter, own: &[f64; PLACES]) -> (usize, &'static str) {
        let desks = self.departments.desks();
        let having = (0..desks.len()).filter(|place| desks[*place].matter == Some(matter));
        let having: Vec<usize> = having.collect();
        let found = |place: &usize| own.get(*place).copied().unwrap_or_default();
        let most = having.iter().map(found).fold(0.0, f64::max);
        match having.iter().find(|place| found(place) >= most) {
            None => (desks.len(), ""),
            Some(place) if having.len() == 1 => (*place, ""),
            Some(place) if most > 0.0 => (
                *place,
                "Tra i reparti di questa materia decidono le parole chiave.",
            ),
            Some(place) => (*place, "È il primo tra i reparti di questa materia."),
        }
    }

    /// Departments without a matter take their part of what would go to `generale`, by the share of their keywords among all
    /// words that were found.
    fn weigh_keywords(&self, weighed: &mut Weighed, own: &[f64; PLACES], words: f64) {
        let desks = self.departments.desks().iter().enumerate();
        let without = desks.filter(|(_, desk)| desk.matter.is_none());
        let named = without.filter_map(|(place, _)| own.get(place).map(|found| (place, *found)));
        let named: Vec<(usize, f64)> = named.filter(|(_, found)| *found > 0.0).collect();
        if named.is_empty() {
            return;
        }
        let words = named.iter().map(|(_, found)| found).sum::<f64>() + words;
        let free = weighed.shares.last().copied().unwrap_or_default();
        for (place, found) in named {
            weighed.shares[place] = free * exp(PULL * found / words);
            "Decidono le parole chiave del reparto.".clone_into(&mut weighed.because[place]);
        }
        let all: f64 = weighed.shares.iter().sum();
        weighed.shares.iter_mut().for_each(|share| *share /= all);
    }

    /// The likeliest first; of equals the first in order.
    fn scores(&self, shares: &[f64]) -> Vec<Score> {
        let score = |(department, share): (DepartmentKey, &f64)| Score {
            department,
            percent: percent(*share),
        };
        let mut scores: Vec<Score> = self.departments.keys().zip(shares).map(score).collect();
        scores.sort_by_key(|score| Reverse(score.percent));
        scores
    }

    fn certain(&self, score: Score, next: Option<Score>, weighed: &Weighed) -> String {
        let (name, percent) = (self.departments.name(&score.department), score.percent);
        let next = next.map_or_else(String::new, |next| format!(", poi {}", self.short(next)));
        let mut said = format!("Analisi del contenuto: {name} {percent}%{next}.");
        let because = self.departments.keys().zip(&weighed.because);
        for (_, because) in because.filter(|(key, why)| *key == score.department && !why.is_empty())
        {
            said.push(' ');
            said.push_str(because);
        }
        said
    }

    fn unsure(&self, nearest: impl Iterator<Item = Score>) -> String {
        let nearest: Vec<String> = nearest.take(2).map(|score| self.short(score)).collect();
        let (threshold, general) = (self.threshold, &self.departments.general().name);
        let reason = format!("Nessun reparto sopra la soglia ({threshold}%): {general}.");
        if nearest.is_empty() {
            return reason;
        }
        format!("{reason} Più vicini: {}.", nearest.join(", "))
    }

    fn short(&self, score: Score) -> String {
        let name = self.departments.get(score.department);
        let name = name.map_or_else(|| score.department.as_str(), Department::short_name);
        format!("{name} {}%", score.percent)
    }

    /// The words that spoke for a department: those of its matter, or its keywords.
    fn explain(
        &self,
        reading: &TokenizedText<'_>,
        found: &Found<'_>,
        department: DepartmentKey,
    ) -> Vec<String> {
        let mut desks = self.departments.desks().iter().enumerate();
        match desks.find(|(_, desk)| desk.key == department) {
            Some((place, Department { matter: None, .. })) => {
                known_words(reading, &found.own, place)
            }
            Some((_, desk)) => explain_class(
                reading,
                &found.hits,
                desk.matter.map_or(NONE, Matter::class),
            ),
            None => explain_class(reading, &found.hits, NONE),
        }
    }
}

/// The departments beside this one that are worth naming, the likeliest first.
fn others(scores: &[Score], than: DepartmentKey) -> impl Iterator<Item = Score> {
    let worth_naming = move |score: &&Score| {
        score.department != DepartmentKey::GENERALE
            && score.department != than
            && score.percent >= NAMED
    };
    scores.iter().filter(worth_naming).copied()
}

/// Never 100: no learnt result is certain.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "between 0 and 99"
)]
fn percent(probability: f64) -> u8 {
    (probability * 100.0).round().clamp(0.0, 99.0) as u8
}

/// The words found for a class or a place, the heaviest first.
fn known_words<const N: usize>(
    reading: &TokenizedText<'_>,
    hits: &[Hit<'_, N>],
    class: usize,
) -> Vec<String> {
    let weight = |hit: &Hit<'_, N>| hit.weights.get(class).copied().unwrap_or_default();
    let mut known: Vec<_> = hits.iter().filter(|hit| weight(hit) > 0.0).collect();
    known.sort_by(|one, other| weight(other).total_cmp(&weight(one)));
    let known = known.into_iter().take(WORDS);
    known.map(|hit| hit.written(reading)).collect()
}

/// Words of the lexicon first, then others by their n-grams.
fn explain_class(
    reading: &TokenizedText<'_>,
    hits: &[Hit<'_, CLASSES>],
    class: usize,
) -> Vec<String> {
    let mut words = known_words(reading, hits, class);
    if words.len() == WORDS {
        return words;
    }
    let mut others = weighed_words(reading, class);
    others.sort_unstable();
    for (_, word) in others {
        if words.len() == WORDS {
            break;
        }
        if !words.iter().any(|other| other.contains(&*word)) {
            words.push(word.into_owned());
        }
    }
    words
}

/// Longer words with what their n-grams add to a class; only positive ones.
fn weighed_words<'r>(
    reading: &'r TokenizedText<'_>,
    class: usize,
) -> Vec<(Reverse<i64>, Cow<'r, str>)> {
    let Some(head) = &*HEAD else {
        return Vec::new();
    };
    let worth = reading.words.iter().filter(|word| {
        let letters = reading.letters(word);
        char_count(letters) >= WORD_CHARS && !letters.chars().any(char::is_numeric)
    });
    let weighed = worth.filter_map(|word| {
        let (alone, mut sum) = (reading.padded(from_ref(word)), 0);
        each::<SHORTEST, LONGEST>(alone, |hash| {
            sum += i64::from(head.contribution(hash % BUCKETS, class));
        });
        (sum > 0).then(|| (Reverse(sum), reading.written(word)))
    });
    weighed.collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_weights_fit_what_is_measured() {
        assert!(super::HEAD.is_some());
    }
}
