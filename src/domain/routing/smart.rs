//! Mode `smart`: weighs all departments by the whole text, abstains when unsure, and says why. It must never answer
//! otherwise than the percentages it shows, unless staff moved the same report: then it says so.

use std::collections::{BTreeMap, HashSet};
use std::sync::LazyLock;

use super::lexicon::Lexicon;
use super::measure::{DIMENSIONS, Measured, NGRAMS, measure};
use super::{Analysis, Department, Memory, Score};
use crate::domain::classify::ngrams::letters;
use crate::domain::classify::{Features, Head};
use crate::domain::text::char_count;

/// The weights that `make models` wrote. A file of another size, which a test excludes, would leave every text undecided.
static HEAD: LazyLock<Head> = LazyLock::new(|| {
    read(include_bytes!("../../../data/routing/head.bin"))
        .unwrap_or_else(|| Head::undecided(Department::ALL.len()))
});

fn read(bytes: &[u8]) -> Option<Head> {
    Head::from_bytes(bytes, Department::ALL.len(), DIMENSIONS as usize)
}

/// Most words shown.
const WORDS: usize = 6;
/// Shorter words explain nothing.
const WORD_CHARS: usize = 4;
/// From how many percent on another department is worth naming.
const NAMED: u8 = 10;

pub(super) fn find(threshold: u32, lexicon: &Lexicon, memory: &Memory, text: &str) -> Analysis {
    let measured = measure(lexicon, text);
    if measured.letters.is_empty() {
        return Analysis::plain("Nessun testo da analizzare: Redazione Generale.");
    }
    let scores = scores(&measured.features);
    let likeliest = scores.first().copied();
    let sure = likeliest.filter(|score| u32::from(score.percent) >= threshold);
    let weighed = sure.map_or(Department::Generale, |score| score.department);
    let others = |than: Department| {
        let of_others = move |score: &&Score| {
            !matches!(score.department, Department::Generale)
                && score.department != than
                && score.percent >= NAMED
        };
        scores.iter().filter(of_others).copied()
    };
    let analysed = match sure {
        Some(score) => certain(score, others(weighed).next()),
        None => unsure(threshold, others(weighed)),
    };
    let remembered = memory.recall(&measured.letters);
    let remembered = remembered.filter(|department| *department != weighed);
    let department = remembered.unwrap_or(weighed);
    let reason = match remembered {
        Some(moved) => same_as_before(moved, &analysed),
        None => analysed,
    };
    let spoke_for = remembered.or(likeliest.map(|score| score.department));
    Analysis {
        department,
        reason,
        secondary: others(department).next().map(|score| score.department),
        words: explain(&measured, spoke_for.unwrap_or(department)),
        scores,
        urgente: None,
    }
}

/// Says first what decides: staff, not the analysis.
fn same_as_before(moved: Department, analysed: &str) -> String {
    let name = moved.name();
    format!("Come una segnalazione quasi uguale che la redazione ha spostato in {name}. {analysed}")
}

fn certain(score: Score, next: Option<Score>) -> String {
    let (name, percent) = (score.department.name(), score.percent);
    match next {
        Some(next) => format!(
            "Analisi del contenuto: {name} {percent}%, poi {} {}%.",
            next.department.short_name(),
            next.percent
        ),
        None => format!("Analisi del contenuto: {name} {percent}%."),
    }
}

fn unsure(threshold: u32, nearest: impl Iterator<Item = Score>) -> String {
    let nearest: Vec<String> = nearest
        .take(2)
        .map(|score| format!("{} {}%", score.department.short_name(), score.percent))
        .collect();
    let reason = format!("Nessun reparto sopra la soglia ({threshold}%): Redazione Generale.");
    if nearest.is_empty() {
        return reason;
    }
    format!("{reason} Più vicini: {}.", nearest.join(", "))
}

/// Percentages of all departments, the likeliest first; of equals the first in the fixed order.
fn scores(features: &Features) -> Vec<Score> {
    let mut scores: Vec<Score> = Department::ALL
        .into_iter()
        .zip(HEAD.probabilities(features))
        .map(|(department, probability)| Score {
            department,
            percent: percent(probability),
        })
        .collect();
    scores.sort_by_key(|score| std::cmp::Reverse(score.percent));
    scores
}

/// Never a whole hundred: nothing that was learnt is certain.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "between 0 and 99"
)]
fn percent(probability: f64) -> u8 {
    (probability * 100.0).round().clamp(0.0, 99.0) as u8
}

/// The words that spoke most for a department: those of the lexicon first, then others by their n-grams.
fn explain(measured: &Measured, department: Department) -> Vec<String> {
    let class = department.class();
    let mut known: Vec<(&str, f64)> = measured
        .hits
        .iter()
        .map(|hit| (&*hit.written, hit.weights[class]))
        .filter(|(_, weight)| *weight > 0.0)
        .collect();
    known.sort_by(|one, other| other.1.total_cmp(&one.1));
    let mut words: Vec<String> = known
        .into_iter()
        .map(|(written, _)| written.to_owned())
        .take(WORDS)
        .collect();
    let mut others = weighed_words(measured, class);
    others.sort_by(|one, other| other.1.total_cmp(&one.1).then_with(|| one.0.cmp(other.0)));
    for (written, _) in others {
        if words.len() >= WORDS {
            break;
        }
        if !words.iter().any(|word| word.contains(written)) {
            words.push(written.to_owned());
        }
    }
    words
}

/// Each longer word once, with what its own n-grams add to a class beyond the others; only those that add something.
fn weighed_words(measured: &Measured, class: usize) -> Vec<(&str, f64)> {
    let mut seen = HashSet::new();
    let mut weighed = BTreeMap::new();
    for word in &measured.words {
        let written = &*word.written;
        let worth = char_count(written) >= WORD_CHARS && !written.chars().any(char::is_numeric);
        if worth && seen.insert(written) {
            let padded = format!(" {} ", letters(written));
            let mut sum = 0.0;
            NGRAMS.each(&padded, |bucket| sum += HEAD.contribution(bucket, class));
            if sum > 0.0 {
                weighed.insert(written, sum);
            }
        }
    }
    weighed.into_iter().collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_weights_fit_what_is_measured() {
        assert!(super::read(include_bytes!("../../../data/routing/head.bin")).is_some());
    }
}
