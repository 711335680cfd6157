//! Short answers that are no datum: a question, yes, no, a wish to correct (`models/chat/wordings.json`). Only a whole answer
//! counts, so that no account and no name is mistaken for one.

use std::collections::HashSet;
use std::sync::LazyLock;

use serde::Deserialize;

use super::ChatState;
use crate::domain::{fields, text};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    Question,
    /// Help, of whatever kind.
    Help,
    /// Whether the report is anonymous.
    Anonymity,
    /// An earlier answer was wrong; at the last question, also that nothing is to be sent yet.
    Correction,
    /// There is something to add, or all is well.
    Yes,
    Nothing,
}

/// The possible meanings of 'aiuto'.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WhichHelp {
    Now,
    Chat,
}

/// The two meanings of 'aiuto', as buttons.
pub(super) const HELP: [&str; 2] = ["Aiuto adesso", "Aiuto con la chat"];

/// Longer answers (characters) are not looked at.
const LONGEST: usize = 60;
/// The same limit at the last question, where polite words make answers longer.
const LONGEST_CLOSING: usize = 120;
/// The longest phrase of the lists, in words.
const LONGEST_PHRASE: usize = 6;

/// Whole answers, and words of them, folded and without punctuation.
#[derive(Default, Deserialize)]
struct Wordings {
    questions: Phrasings,
    help: Phrasings,
    /// Answers that say which help is meant.
    help_now: Phrasings,
    help_chat: Phrasings,
    anonymity: Phrasings,
    /// Words that are content in an account, and a question in the place of a datum.
    reluctance: Phrasings,
    corrections: Phrasings,
    /// Words that ask to change or to stop, alone or with words of `around_a_wish`.
    wishes: Phrasings,
    /// Words that are also a wish after a 'non'.
    sending: Phrasings,
    around_a_wish: Phrasings,
    assent: Phrasings,
    around_assent: Phrasings,
    around_a_confirmation: Phrasings,
    /// Answers that end a correction without a change.
    leaves: Phrasings,
    /// Answers that there is nothing to say, each also after a 'no'.
    nothing: Phrasings,
    /// Words that send at the last question, alone or with words around them.
    send: Phrasings,
    around_send: Phrasings,
    /// Answers that the reporter has no such datum, or will not give it.
    declines: Phrasings,
    /// Words before a datum in a sentence ('mi chiamo'), and greetings before them.
    introductions: Phrasings,
    greetings: Phrasings,
    /// Polite words around an answer.
    courtesies: Phrasings,
    /// Polite words that send at the last question, as a 'no' does.
    farewells: Phrasings,
    /// Words around a 'no' that add nothing.
    around_nothing: Phrasings,
    /// Words that are hardly ever part of a name.
    unlike_names: Phrasings,
}

type Phrasings = HashSet<String>;

/// The default is never used: tests read the whole file.
static WORDINGS: LazyLock<Wordings> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../../../models/chat/wordings.json")).unwrap_or_default()
});

/// A word with one letter where the same letter stands three times or more ('aiutoooo').
fn not_drawn_out(plain: &str) -> String {
    let letters: Vec<char> = plain.chars().collect();
    let runs = letters.chunk_by(|one, other| one == other);
    runs.flat_map(|run| if run.len() > 2 { &run[..1] } else { run })
        .collect()
}

/// Whether a question mark ends the answer; behind an address it is a slip.
fn asks(said: &str) -> bool {
    said.ends_with('?') && !said.contains('@')
}

/// What a short answer means; `None` for an answer to the question itself.
pub(super) fn meaning(answer: &str, state: ChatState) -> Option<Meaning> {
    let said = text::clean_line(answer);
    let last = state == ChatState::CollectReport;
    let longest = if last { LONGEST_CLOSING } else { LONGEST };
    if said.is_empty() || text::char_count(&said) > longest {
        return None;
    }
    let (plain, listed) = (plain(&said), &*WORDINGS);
    let about_a_datum = !state.is_told();
    if listed.help.contains(&plain) || listed.help.contains(&not_drawn_out(&plain)) {
        return Some(Meaning::Help);
    }
    if listed.anonymity.contains(&plain) && (about_a_datum || said.ends_with('?')) {
        return Some(Meaning::Anonymity);
    }
    if listed.questions.contains(&plain)
        || said.chars().all(|character| character == '?')
        || about_a_datum && (listed.reluctance.contains(&plain) || asks(&said))
    {
        return Some(Meaning::Question);
    }
    if last {
        // '👍', '...'
        if plain.is_empty() {
            return Some(Meaning::Nothing);
        }
        let question = said.ends_with('?').then_some(Meaning::Question);
        return closing(&plain).or(question);
    }
    let names_a_datum = || {
        let mut spaces = plain.match_indices(' ');
        spaces.any(|(at, _)| listed.corrections.contains(&plain[..at]))
    };
    let corrects = listed.corrections.contains(&plain) || about_a_datum && names_a_datum();
    (state > ChatState::AgeCheck && corrects).then_some(Meaning::Correction)
}

/// The reply to a pending confirmation: true for a yes, `None` for neither yes nor no.
pub(super) fn confirms(answer: &str) -> Option<bool> {
    let (plain, listed) = (plain(&text::clean_line(answer)), &*WORDINGS);
    if consists_of(&plain, &listed.assent, &[&listed.around_a_confirmation]) {
        return Some(true);
    }
    let no = listed.leaves.contains(&plain) || listed.nothing.contains(&plain);
    no.then_some(false)
}

/// Which help is meant, after that was asked.
pub(super) fn which_help(answer: &str) -> Option<WhichHelp> {
    let (plain, listed) = (plain(&text::clean_line(answer)), &*WORDINGS);
    if listed.help_now.contains(&plain) {
        return Some(WhichHelp::Now);
    }
    let chat = listed.help_chat.contains(&plain);
    chat.then_some(WhichHelp::Chat)
}

/// The text after a 'no' at the beginning.
pub(super) fn behind_a_no(answer: &str) -> Option<&str> {
    let (no, rest) = answer.trim().split_at_checked(2)?;
    let rest = rest.strip_prefix([',', ' ', '.', ':', ';'])?.trim_start();
    (no.eq_ignore_ascii_case("no") && !rest.is_empty()).then_some(rest)
}

/// Whether the reporter has no such datum; where it is `optional`, also whether they will not give it.
pub(super) fn declines(answer: &str, optional: bool) -> bool {
    let (plain, listed) = (plain(&text::clean_line(answer)), &*WORDINGS);
    let plain = plain.strip_suffix(" grazie").unwrap_or(&plain);
    let behind_a_no = plain.strip_prefix("no ").unwrap_or(plain);
    let declines = [plain, behind_a_no].map(|said| listed.declines.contains(said));
    declines.contains(&true)
        || optional && listed.reluctance.contains(plain)
        || declines_first(answer)
}

/// Whether the answer declines with more words ('Io non ce l'ho, ce l'ha mio nipote'), which then hold no datum.
fn declines_first(answer: &str) -> bool {
    let said = text::clean_line(answer);
    let Some((first, rest)) = said.split_once([',', '.', ';', ':']) else {
        return false;
    };
    let first = plain(first);
    let told = |sign: char| sign.is_ascii_digit() || sign == '@';
    first.split(' ').any(|word| word == "non")
        && WORDINGS.declines.contains(&first)
        && !rest.contains(told)
        && !plain(rest).contains("chiocciola")
}

/// Whether an optional question of a callout is left without an answer.
pub(super) fn skips(answer: &str) -> bool {
    let plain = plain(&text::clean_line(answer));
    text::is_listed(
        "salta|passo|preferisco non dirlo|preferisco non rispondere",
        &plain,
    )
}

/// Whether folded words only lead up to a datum.
pub(super) fn is_introduction(plain: &str) -> bool {
    let listed = &*WORDINGS;
    let mut behind_greetings = plain;
    while let Some((word, rest)) = behind_greetings.split_once(' ')
        && listed.greetings.contains(word)
    {
        behind_greetings = rest;
    }
    listed.introductions.contains(behind_greetings)
}

/// Whether folded words are only polite ('piacere', 'buongiorno signora').
pub(super) fn is_courtesy(plain: &str) -> bool {
    let listed = &*WORDINGS;
    made_of(
        plain,
        &[&listed.courtesies, &listed.greetings, &listed.farewells],
        &[],
    )
}

pub(super) fn is_unlike_a_name(word: &str) -> bool {
    let unlike = |part: &str| WORDINGS.unlike_names.contains(part) || fields::is_numeral(part);
    plain(word).split(' ').any(unlike)
}

pub(super) fn leaves(answer: &str) -> bool {
    WORDINGS.leaves.contains(&plain(&text::clean_line(answer)))
}

fn closing(plain: &str) -> Option<Meaning> {
    let listed = &*WORDINGS;
    let around = [
        &listed.courtesies,
        &listed.greetings,
        &listed.around_nothing,
    ];
    if made_of(plain, &[&listed.nothing, &listed.farewells], &around) {
        return Some(Meaning::Nothing);
    }
    if consists_of(plain, &listed.send, &[&listed.around_send]) {
        return Some(Meaning::Nothing);
    }
    let around = [&listed.around_a_wish, &listed.wishes];
    let unsent =
        plain.split(' ').any(|word| word == "non") && consists_of(plain, &listed.sending, &around);
    if unsent || consists_of(plain, &listed.wishes, &around[..1]) {
        return Some(Meaning::Correction);
    }
    consists_of(plain, &listed.assent, &[&listed.around_assent]).then_some(Meaning::Yes)
}

/// Whether all words are listed, at least one of them in `telling`.
fn consists_of(plain: &str, telling: &Phrasings, around: &[&Phrasings]) -> bool {
    let mut words = plain.split(' ');
    plain.split(' ').any(|word| telling.contains(word))
        && words.all(|word| telling.contains(word) || around.iter().any(|list| list.contains(word)))
}

/// Whether the words consist of phrases of these lists, at least one of them from `telling`.
fn made_of(plain: &str, telling: &[&Phrasings], around: &[&Phrasings]) -> bool {
    let words: Vec<&str> = plain.split(' ').collect();
    // The ends reached with phrases of `around` alone, and with at least one of `telling`.
    let (mut polite, mut told) = (vec![false; words.len() + 1], vec![false; words.len() + 1]);
    polite[0] = true;
    for at in 0..words.len() {
        for end in at + 1..=words.len().min(at + LONGEST_PHRASE) {
            let phrase = words[at..end].join(" ");
            let tells = telling.iter().any(|list| list.contains(&phrase));
            let leads = around.iter().any(|list| list.contains(&phrase));
            told[end] |= tells && (polite[at] || told[at]) || leads && told[at];
            polite[end] |= leads && polite[at];
        }
    }
    told[words.len()]
}

/// The folded words, one space between them, without punctuation.
pub(super) fn plain(said: &str) -> String {
    let folded = text::fold(said);
    let words = folded.split(|character: char| !character.is_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_answers_mean_something_else() {
        let (name, account, last) = (
            ChatState::CollectName,
            ChatState::InvestigativeQuestions,
            ChatState::CollectReport,
        );
        for (said, state, expected) in [
            ("AIUTO!", name, Some(Meaning::Help)),
            ("aiutatemi", account, Some(Meaning::Help)),
            ("È anonimo?", last, Some(Meaning::Anonymity)),
            ("???", ChatState::AgeCheck, Some(Meaning::Question)),
            ("Perché?", account, Some(Meaning::Question)),
            ("Aiutatemi, il mio capo mi minaccia", account, None),
            ("Anonimo", name, Some(Meaning::Anonymity)),
            ("Voglio restare anonimo.", last, None),
            (
                "correggi il nome",
                ChatState::CollectEmail,
                Some(Meaning::Correction),
            ),
            ("ho sbagliato il cognome, è Bianchi", last, None),
            ("indietro", ChatState::AgeCheck, None),
            ("Sì, grazie!", last, Some(Meaning::Yes)),
            ("sì", account, None),
            ("Sì: il capo si chiama Bruno", last, None),
            ("no, grazie, è tutto", last, Some(Meaning::Nothing)),
            ("nient’altro, grazie", last, Some(Meaning::Nothing)),
            ("No, grazie mille!", last, Some(Meaning::Nothing)),
            ("No, per ora.", last, Some(Meaning::Nothing)),
            ("penso di no", last, Some(Meaning::Nothing)),
            ("Per ora ho solo un nome", last, None),
            ("n\u{200B}o", last, Some(Meaning::Nothing)),
            (
                "No, grazie mille, buona giornata",
                last,
                Some(Meaning::Nothing),
            ),
            (
                "No grazie, non ho altro da aggiungere. Buona serata e buon lavoro a tutti",
                last,
                Some(Meaning::Nothing),
            ),
            ("👍", last, Some(Meaning::Nothing)),
            ("nn", last, Some(Meaning::Nothing)),
            ("no no", last, Some(Meaning::Nothing)),
            ("basta cosi", last, Some(Meaning::Nothing)),
            ("ok, a posto", last, Some(Meaning::Nothing)),
            ("tutto qui grazie", last, Some(Meaning::Nothing)),
            ("grazie a voi, arrivederci", last, Some(Meaning::Nothing)),
            ("No, grazie, però il capo è Bruno", last, None),
            ("niente lavoro", last, None),
            ("basta con gli abusi", last, None),
            ("no comment del sindaco", last, None),
            ("addio al lavoro", last, None),
            ("nessuno ci paga, grazie a voi", last, None),
            ("👍 lo sa anche Bruno", last, None),
            ("No, aspetta", last, Some(Meaning::Correction)),
            ("non voglio più inviarla", last, Some(Meaning::Correction)),
            ("sì, aspetta", last, Some(Meaning::Correction)),
            ("va bene", last, Some(Meaning::Yes)),
            ("va bene così", last, Some(Meaning::Nothing)),
            ("sì, ho dei video e un audio", last, Some(Meaning::Yes)),
            ("Ho anche le foto", last, None),
            ("chi leggerà?", last, Some(Meaning::Question)),
            ("chi leggerà?", account, None),
            (
                "Bianchi?",
                ChatState::CollectSurname,
                Some(Meaning::Question),
            ),
            ("non lo posso mandare via mail", last, None),
            ("niente foto, ma un video", last, None),
            ("no", name, None),
            ("grazie", last, Some(Meaning::Yes)),
            ("invia", last, Some(Meaning::Nothing)),
            ("Ok, invia!", last, Some(Meaning::Nothing)),
            ("manda pure", last, Some(Meaning::Nothing)),
            ("inviala", last, Some(Meaning::Nothing)),
            ("Sì, invia la segnalazione", last, Some(Meaning::Nothing)),
            ("non inviarla", last, Some(Meaning::Correction)),
            ("non invia", last, Some(Meaning::Correction)),
            ("invia anche le foto a mio fratello", last, None),
            ("sì", last, Some(Meaning::Yes)),
            ("ok", last, Some(Meaning::Yes)),
            ("", last, None),
        ] {
            assert_eq!(meaning(said, state), expected, "{said}");
        }
    }
}
