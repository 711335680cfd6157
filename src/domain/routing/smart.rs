//! Mode `smart`: weighs all departments by the whole text, abstains when unsure, and says why. The answer follows the
//! percentages shown, unless staff moved the same report.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::slice::from_ref;
use std::sync::LazyLock;

use super::lexicon::{Hit, Lexicon};
use super::measure::{BUCKETS, DIMENSIONS, measure};
use super::{Analysis, Department, Memory, Score};
use crate::domain::classify::ngrams::{LONGEST, SHORTEST, each};
use crate::domain::classify::{Features, LinearModel, TokenizedText};
use crate::domain::text::char_count;

/// Written by `make models`. Another size, which a test excludes, would leave every text undecided.
static HEAD: LazyLock<Option<LinearModel<{ Department::ALL.len() }, 8>>> = LazyLock::new(|| {
    let weights = include_bytes!("../../../models/routing/head.bin");
    LinearModel::from_bytes(weights, DIMENSIONS as usize)
});

const WORDS: usize = 6;
const WORD_CHARS: usize = 4;
/// Another department is named from this percentage on.
const NAMED: u8 = 10;

pub(super) fn find(threshold: u32, lexicon: &Lexicon, memory: &Memory, text: &str) -> Analysis {
    let reading = TokenizedText::new(text);
    if reading.words.is_empty() {
        return Analysis::plain("Nessun testo da analizzare: Redazione Generale.");
    }
    let hits = lexicon.find(&reading);
    let scores = scores(&measure(&reading, &hits));
    let likeliest = scores.first().copied();
    let sure = likeliest.filter(|score| u32::from(score.percent) >= threshold);
    let weighed = sure.map_or(Department::Generale, |score| score.department);
    let analysed = match sure {
        Some(score) => certain(score, others(&scores, weighed).next()),
        None => unsure(threshold, others(&scores, weighed)),
    };
    let remembered = memory.recall(reading.all_letters());
    let remembered = remembered.filter(|department| *department != weighed);
    let department = remembered.unwrap_or(weighed);
    let reason = match remembered {
        // The decision of staff comes first.
        Some(moved) => format!(
            "Come una segnalazione quasi uguale che la redazione ha spostato in {}. {analysed}",
            moved.name()
        ),
        None => analysed,
    };
    let spoke_for = remembered.or(likeliest.map(|score| score.department));
    let next = others(&scores, department).next();
    Analysis {
        department,
        reason,
        secondary: next.map(|score| score.department),
        words: explain(&reading, &hits, spoke_for.unwrap_or(department)),
        scores,
        urgente: None,
    }
}

/// The departments beside this one that are worth naming, the likeliest first.
fn others(scores: &[Score], than: Department) -> impl Iterator<Item = Score> {
    let worth_naming = move |score: &&Score| {
        !matches!(score.department, Department::Generale)
            && score.department != than
            && score.percent >= NAMED
    };
    scores.iter().filter(worth_naming).copied()
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

/// The likeliest first; of equals the first in the fixed order.
fn scores(features: &Features) -> Vec<Score> {
    let probabilities = HEAD.as_ref().map(|head| head.probabilities(features));
    let mut scores: Vec<Score> = Department::ALL
        .into_iter()
        .zip(probabilities.unwrap_or_default())
        .map(|(department, probability)| Score {
            department,
            percent: percent(probability),
        })
        .collect();
    scores.sort_by_key(|score| Reverse(score.percent));
    scores
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

/// Words of the lexicon first, then others by their n-grams.
fn explain(reading: &TokenizedText<'_>, hits: &[Hit<'_>], department: Department) -> Vec<String> {
    let class = department.class();
    let speaks = |hit: &&Hit<'_>| hit.weights[class] > 0.0;
    let mut known: Vec<&Hit<'_>> = hits.iter().filter(speaks).collect();
    known.sort_by(|one, other| other.weights[class].total_cmp(&one.weights[class]));
    let known = known.into_iter().take(WORDS);
    let mut words: Vec<String> = known.map(|hit| hit.written(reading)).collect();
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
