//! Names of other people in an account: those beside a word for who somebody is ('mio marito', 'la collega',
//! 'dottor'), and common first names with what follows them.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::LazyLock;

use super::{Found, Naming};
use crate::domain::text::fold;

/// Common first names in Italy, folded.
const FIRST_NAMES: &str = include_str!("first_names.txt");
/// Whom a name follows, folded.
const RELATIONS: &str = "marito|moglie|figlio|figlia|figli|figlie|fratello|sorella|fratelli|sorelle|padre|madre|papa|babbo|mamma|cugino|cugina|zio|\
    zia|nonno|nonna|nipote|suocero|suocera|cognato|cognata|genero|nuora|compagno|compagna|fidanzato|fidanzata|ex|collega|\
    colleghi|amico|amica|amici|vicino|vicina|capo|capoturno|caporeparto|caposala|capocantiere|dottore|dottor|dottoressa|dott|\
    dottssa|dr|avvocato|avvocata|avvocatessa|avv|ingegnere|ingegner|ing|architetto|arch|geometra|geom|ragioniere|ragionier|rag|\
    professore|professor|professoressa|prof|profssa|maestro|maestra|signore|signor|signora|signorina|sig|sigra|sigr|don|suor|\
    maresciallo|brigadiere|appuntato|commissario|ispettore|colonnello|capitano|assessore|assessora|assessorato|sindaco|sindaca|\
    consigliere|consigliera|onorevole|preside|infermiere|infermiera|medico|primario|direttore|direttrice|responsabile|titolare|\
    proprietario|proprietaria|presidente|segretaria|segretario|amministratore|amministratrice|bidello|bidella|badante|paziente|\
    coordinatore|coordinatrice|funzionario|funzionaria|imprenditore|operaio|operaia|autista|chiamo|chiama|chiamano|chiamato|chiamata|\
    chiamava|soprannominato|soprannominata|nome|cognome|firmato|firmata|mister|mr|tale";
/// Words between the person and the name: 'mio marito, che si chiama Luca', 'il dottor P. Rossi'.
const BETWEEN: &str =
    "che|si|tutti|chiama|di|nome|e|era|il|la|signor|signora|dottor|dott|dottssa|ssa|sa|ra";
/// Of them, those that are written with a point.
const SHORTENED: &str = "dott|dr|avv|ing|arch|geom|rag|prof|sig|sigra|sigr|mr|ssa|sa|ra";
/// Parts of surnames.
const PARTICLES: &str =
    "de|di|da|del|della|dello|dei|degli|dal|dalla|d|la|lo|li|van|von|el|al|ben|bin";
/// Offices and places that are written with a capital letter behind a person's title.
const NOT_NAMES: &str = "asl|ausl|asst|inps|inail|comune|provincia|regione|ospedale|scuola|ufficio|reparto|azienda|ditta|cooperativa|signor|signora|\
    signore|polizia|carabinieri|guardia|procura|tribunale|ministero|prefettura|universita|istituto|casa|villa|via|piazza|corso|\
    il|la|lo|le|gli|un|una|mi|ci|vi|si|non|che|ma|e|o|se|poi|quando|dopo|ho|ha|sono|era|con|per|in|su|lunedi|martedi|mercoledi|\
    giovedi|venerdi|sabato|domenica|gennaio|febbraio|marzo|aprile|maggio|giugno|luglio|agosto|settembre|ottobre|novembre|\
    dicembre|pasqua|natale|san|santa|sant|santo|ds|rsa|rsu|pm|tso|iva|srl|spa|asp|cup|tac|dia|gip|gup|usl|ats";
/// Parts of a name, at most.
const LONGEST: usize = 4;

static KNOWN: LazyLock<HashSet<&str>> = LazyLock::new(|| FIRST_NAMES.split_whitespace().collect());
static RELATED: LazyLock<HashSet<&str>> = LazyLock::new(|| RELATIONS.split('|').collect());
static LINKS: LazyLock<HashSet<&str>> = LazyLock::new(|| BETWEEN.split('|').collect());
static SHORT: LazyLock<HashSet<&str>> = LazyLock::new(|| SHORTENED.split('|').collect());
pub static PARTS: LazyLock<HashSet<&str>> = LazyLock::new(|| PARTICLES.split('|').collect());
static OTHERS: LazyLock<HashSet<&str>> = LazyLock::new(|| NOT_NAMES.split('|').collect());

/// A word of a text, and what stands before it.
pub struct Word<'t> {
    pub at: Range<usize>,
    pub written: &'t str,
    pub folded: String,
    /// Whether only a blank, an apostrophe, or the point of a shortened title parts it from the word before.
    joined: bool,
    /// Whether a sentence begins with it.
    pub begins: bool,
    /// The sign behind it.
    pub behind: Option<char>,
    /// Whether it is written in capitals, as the word before.
    shouted: bool,
}

impl Word<'_> {
    pub fn is_capital(&self) -> bool {
        self.written.chars().next().is_some_and(char::is_uppercase)
    }

    /// Whether it can be part of a name by the way it is written.
    fn is_namelike(&self) -> bool {
        self.is_capital() && !self.shouted && !OTHERS.contains(&*self.folded)
    }
}

/// The places of all names but the reporter's own.
pub fn found(words: &[Word<'_>]) -> Vec<Found> {
    let mut places = Vec::new();
    for at in 0..words.len() {
        let beside = beside(words, at);
        places.extend(related(words, at).map(|name| Found {
            beside: Some(beside),
            ..Found::of(name, Naming::Name)
        }));
        places.extend(known(words, at).map(|name| Found::of(name, Naming::Name)));
    }
    places
}

/// A word for who somebody is, with whose they are.
fn beside(words: &[Word<'_>], at: usize) -> Range<usize> {
    const WHOSE: [&str; 12] = [
        "mio", "mia", "miei", "mie", "suo", "sua", "nostro", "nostra", "tuo", "tua", "il", "la",
    ];
    let before = at.checked_sub(1).map(|before| &words[before]);
    let whose = before.filter(|word| words[at].joined && WHOSE.contains(&&*word.folded));
    whose.map_or(words[at].at.start, |word| word.at.start)..words[at].at.end
}

/// 'Santa Maria', 'via Giulia'.
pub fn is_of_place(words: &[Word<'_>], at: usize) -> bool {
    const BEFORE: [&str; 8] = [
        "san", "santa", "sant", "santo", "via", "viale", "piazza", "corso",
    ];
    let before = at.checked_sub(1).map(|before| &*words[before].folded);
    words[at].joined && before.is_some_and(|before| BEFORE.contains(&before))
}

/// The name behind a word for who somebody is.
fn related(words: &[Word<'_>], at: usize) -> Option<Range<usize>> {
    RELATED.contains(&*words[at].folded).then_some(())?;
    let mut first = at + 1;
    while words.get(first).is_some_and(|word| {
        let link = LINKS.contains(&*word.folded) || RELATED.contains(&*word.folded);
        link && !word.begins && first - at <= LONGEST
    }) {
        first += 1;
    }
    let word = words.get(first).filter(|word| !word.begins)?;
    // 'mio marito luca', as it is written on a phone.
    let small = (word.joined || word.shouted) && KNOWN.contains(&*word.folded);
    if !(word.is_namelike() || small) {
        return None;
    }
    Some(name_from(words, first))
}

/// A common first name with a capital letter, and the surname before or behind it.
fn known(words: &[Word<'_>], at: usize) -> Option<Range<usize>> {
    let word = &words[at];
    if is_of_place(words, at)
        || OTHERS.contains(&*word.folded)
        || !word.is_capital()
        || !KNOWN.contains(&*word.folded)
    {
        return None;
    }
    let before = at
        .checked_sub(1)
        .map(|before| &words[before])
        .filter(|before| {
            let surname = before.is_namelike() && !before.begins && before.written.len() > 2;
            surname && word.joined && !RELATED.contains(&*before.folded)
        });
    let name = name_from(words, at);
    Some(before.map_or(name.start, |before| before.at.start)..name.end)
}

/// From a part of a name to its last.
fn name_from(words: &[Word<'_>], first: usize) -> Range<usize> {
    let mut last = first;
    for (at, word) in words
        .iter()
        .enumerate()
        .take(first + LONGEST)
        .skip(first + 1)
    {
        let small = PARTS.contains(&*word.folded);
        if !word.joined || !(word.is_namelike() || small) {
            break;
        }
        if word.is_namelike() {
            last = at;
        }
    }
    words[first].at.start..words[last].at.end
}

/// The words of an account.
pub fn words_of(text: &str) -> Vec<Word<'_>> {
    let mut words: Vec<Word<'_>> = Vec::new();
    let mut rest = 0;
    while let Some(start) = text[rest..].find(char::is_alphabetic).map(|at| rest + at) {
        let length = text[start..].find(|sign: char| !sign.is_alphanumeric());
        let end = length.map_or(text.len(), |length| start + length);
        let between = &text[rest..start];
        let title = words
            .last()
            .is_some_and(|before| before.folded.len() == 1 || SHORT.contains(&*before.folded));
        let near =
            matches!(between, " " | "'" | "’" | "-") || (title && matches!(between, "." | ". "));
        let ended = between.contains(['.', '!', '?', '\n', ';', ':']) && !near;
        let capitals = |word: &str| word.len() > 1 && !word.contains(char::is_lowercase);
        let loud = words.last().is_some_and(|before| capitals(before.written));
        words.push(Word {
            shouted: loud && capitals(&text[start..end]),
            at: start..end,
            written: &text[start..end],
            folded: fold(&text[start..end]),
            joined: near && !words.is_empty(),
            begins: ended || words.is_empty(),
            behind: text[end..].chars().next(),
        });
        rest = end;
    }
    words
}
