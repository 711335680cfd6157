//! Why accounts stand together, in Italian, and what a story of them is called: always what they share, in their words.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

use super::account::{Anchor, AnchorKind, ReadAccount, is_ordinary};
use crate::domain::classify::{TokenizedText, Word};
use crate::domain::text::{fold, lower};

/// Names, and other words, that are said at most; names of a title.
const SAID: usize = 3;
const TITLED: usize = 2;
/// Words that begin a name, whoever writes them small.
const HEADS: &[&str] = &[
    "abbazia",
    "agriturismo",
    "albergo",
    "bar",
    "borgo",
    "ca",
    "cantiere",
    "casa",
    "cascina",
    "castel",
    "castello",
    "centro",
    "clinica",
    "contrada",
    "corso",
    "fondazione",
    "hotel",
    "istituto",
    "largo",
    "liceo",
    "masseria",
    "monte",
    "ospedale",
    "palazzo",
    "piazza",
    "piazzale",
    "pizzeria",
    "ponte",
    "porta",
    "porto",
    "residence",
    "ristorante",
    "rocca",
    "san",
    "sant",
    "santa",
    "santo",
    "scuola",
    "torre",
    "val",
    "valle",
    "via",
    "viale",
    "vicolo",
    "villa",
    "villaggio",
];
/// What stands between the beginning of a name and the rest.
const JOINTS: &[&str] = &[
    "d", "da", "dei", "del", "dell", "della", "delle", "degli", "di",
];
/// Ends of verbs and adverbs: such a word is said only where there is no other.
const VERBAL: &[&str] = &[
    "ando", "endo", "ano", "ono", "are", "ere", "ire", "ato", "ati", "ito", "iti", "uto", "uti",
    "ava", "eva", "iamo", "arlo", "arla", "arsi", "ersi", "irsi", "mente",
];

/// Why accounts stand together.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Reasons {
    /// One Italian sentence; none for fewer than two accounts.
    pub sentence: Option<String>,
    /// The names and numbers that it quotes.
    pub names: Vec<String>,
    /// What a story of them would be called, by names; none where no name is shared.
    pub title: Option<String>,
}

/// What several accounts have in common: a name, a number, or another word.
struct Common<'a> {
    /// As it is written by most, names with their capitals.
    word: &'a str,
    is_name: bool,
    is_number: bool,
    /// The numbers of the accounts that have it, and where.
    holders: Vec<(usize, &'a Anchor)>,
}

impl Common<'_> {
    const fn is_named(&self) -> bool {
        self.is_name || self.is_number
    }

    fn is_of(&self, account: usize) -> bool {
        self.holders.iter().any(|(holder, _)| *holder == account)
    }
}

/// What weighed among two weighed accounts and more.
pub fn reasons(accounts: &[&ReadAccount]) -> Reasons {
    if accounts.len() < 2 {
        return Reasons::default();
    }
    let common = common(accounts);
    let mut named: Vec<_> = common.iter().filter(|one| one.is_named()).collect();
    named.truncate(SAID);
    let titled = named.iter().filter(|one| one.is_name).take(TITLED);
    let titled: Vec<_> = titled.map(|one| whole_name(accounts, one)).collect();
    Reasons {
        sentence: Some(sentence(&named, &words_of(&common), accounts.len())),
        names: named.iter().map(|one| one.word.to_owned()).collect(),
        title: (!titled.is_empty()).then(|| titled.join(", ")),
    }
}

/// The names and numbers of an account that are in others too, and in how many of those one of them is.
pub fn named_elsewhere(own: &ReadAccount, others: &[&ReadAccount]) -> (Vec<String>, usize) {
    let all: Vec<_> = [own].into_iter().chain(others.iter().copied()).collect();
    let common = common(&all);
    let of_own = |one: &&Common<'_>| one.is_named() && one.is_of(0);
    let named: Vec<_> = common.iter().filter(of_own).take(SAID).collect();
    let holders = named.iter().flat_map(|one| &one.holders);
    let holders: BTreeSet<_> = holders.map(|(holder, _)| *holder).collect();
    let said = named.iter().map(|one| one.word.to_owned());
    (said.collect(), holders.len().saturating_sub(1))
}

/// The keys of all that several of these have in common.
pub fn shared_keys(accounts: &[&ReadAccount]) -> BTreeSet<u64> {
    held(accounts).into_keys().collect()
}

/// 'Insieme perché 5 su 5 nominano «A», 2 anche «B»; in comune: c, d.'
fn sentence(named: &[&Common<'_>], words: &[&str], accounts: usize) -> String {
    let Some(first) = named.first() else {
        return match words {
            [] => "Forse: nessun nome in comune, ma racconti simili.".to_owned(),
            words => format!("Forse: nessun nome in comune, ma {}.", quoted(words)),
        };
    };
    let who = match (first.holders.len(), accounts) {
        (2, 2) => "nominano entrambe".to_owned(),
        (some, count) => format!("{some} su {count} nominano"),
    };
    let parts = named.chunk_by(|one, other| one.holders.len() == other.holders.len());
    let told = parts.map(|part| {
        let said = quoted(&part.iter().map(|one| one.word).collect::<Vec<_>>());
        let mut holders = part.iter().flat_map(|one| &one.holders);
        match part[0].holders.len() {
            count if count == first.holders.len() => said,
            count if holders.all(|(holder, _)| first.is_of(*holder)) => {
                format!("{count} anche {said}")
            }
            count => format!("{count} {said}"),
        }
    });
    let told = told.collect::<Vec<_>>().join(", ");
    let also = match (words, accounts) {
        ([], _) => String::new(),
        (words, 2) => format!("; parole in comune: {}", words.join(", ")),
        (words, _) => format!("; in comune: {}", words.join(", ")),
    };
    format!("Insieme perché {who} {told}{also}.")
}

/// Words that are no names, those that may be verbs only where there is nothing else.
fn words_of<'a>(common: &[Common<'a>]) -> Vec<&'a str> {
    let of_kind = |verbal: bool| {
        let words = common.iter().filter(|one| !one.is_named());
        let words = words.map(|one| one.word);
        let words = words.filter(move |word| is_verbal(word) == verbal);
        words.take(SAID).collect::<Vec<_>>()
    };
    let nouns = of_kind(false);
    if nouns.is_empty() && !common.iter().any(Common::is_named) {
        return of_kind(true);
    }
    nouns
}

fn is_verbal(word: &str) -> bool {
    let word = fold(word);
    VERBAL.iter().any(|end| word.ends_with(end))
}

/// The anchors that several accounts have and that weigh something, by key: the number of the account and the anchor.
fn held<'a>(accounts: &[&'a ReadAccount]) -> BTreeMap<u64, Vec<(usize, &'a Anchor)>> {
    let mut held: BTreeMap<u64, Vec<(usize, &Anchor)>> = BTreeMap::new();
    for (number, account) in accounts.iter().enumerate() {
        for anchor in account.anchors.iter().filter(|one| one.weight > 0.0) {
            held.entry(anchor.key).or_default().push((number, anchor));
        }
    }
    held.retain(|_, holders| {
        let mut kinds = holders.iter().map(|(_, one)| one.kind);
        holders.len() > 1 && kinds.any(|kind| kind != AnchorKind::Joined)
    });
    held
}

/// What several accounts have in common, the most frequent first, then the heaviest, without parts of what is already named.
fn common<'a>(accounts: &[&'a ReadAccount]) -> Vec<Common<'a>> {
    let mut shared: Vec<_> = held(accounts).into_iter().collect();
    shared.sort_by(|(_, one), (_, other)| {
        let weight = |holders: &[(usize, &Anchor)]| holders[0].1.weight;
        let more = Reverse(one.len()).cmp(&Reverse(other.len()));
        more.then(weight(other).total_cmp(&weight(one)))
    });
    let mut common: Vec<Common<'_>> = Vec::new();
    for (key, holders) in shared {
        let of_kind = |wanted| {
            let kinds = holders.iter().map(|(_, one)| one.kind);
            kinds.filter(|kind| *kind == wanted).count()
        };
        let is_name = 2 * of_kind(AnchorKind::Name) >= holders.len() && !is_ordinary(key);
        let word = written(accounts, &holders);
        let is_part = |one: &Common<'_>| {
            let (one, word) = (lower(one.word), lower(word));
            one.contains(&word) || word.contains(&one)
        };
        if !common.iter().any(is_part) {
            common.push(Common {
                word,
                is_name,
                is_number: of_kind(AnchorKind::Number) > 0,
                holders,
            });
        }
    }
    common
}

/// How most of those write it that write a name as one; the first of equals.
fn written<'a>(accounts: &[&'a ReadAccount], holders: &[(usize, &'a Anchor)]) -> &'a str {
    let best = holders.iter().map(|(_, one)| one.kind as u8).min();
    let best = holders
        .iter()
        .filter(|(_, one)| Some(one.kind as u8) == best);
    most_frequent(best.map(|(number, one)| raw(accounts[*number], &one.at)))
}

fn raw<'a>(account: &'a ReadAccount, at: &Range<usize>) -> &'a str {
    account.text.get(at.clone()).unwrap_or_default()
}

/// The first of the most frequent ones.
fn most_frequent<'a>(all: impl Iterator<Item = &'a str>) -> &'a str {
    let all: Vec<&str> = all.collect();
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for one in &all {
        *counts.entry(one).or_default() += 1;
    }
    let best = all.iter().rev().max_by_key(|one| counts[**one]);
    best.copied().unwrap_or_default()
}

/// A name in one of the accounts, in words.
struct Place<'a> {
    account: &'a ReadAccount,
    reading: TokenizedText<'a>,
    words: Range<usize>,
}

impl<'a> Place<'a> {
    fn of(account: &'a ReadAccount, anchor: &Anchor) -> Self {
        let reading = TokenizedText::new(&account.text);
        let start = |word: &Word| word.at.start;
        let words = reading
            .words
            .partition_point(|one| start(one) < anchor.at.start)
            ..reading
                .words
                .partition_point(|one| start(one) < anchor.at.end);
        Self {
            account,
            reading,
            words,
        }
    }

    /// The words between so many before it and so many behind it, if there is nothing else among them.
    fn wider(&self, before: usize, behind: usize) -> Option<Range<usize>> {
        let wider = self.words.start.checked_sub(before)?..self.words.end + behind;
        let words = self.reading.words.get(wider.clone())?;
        let gap = |pair: &[Word]| &self.account.text[pair[0].at.end..pair[1].at.start];
        let mut gaps = words.windows(2).map(gap);
        gaps.all(|gap| matches!(gap, " " | "'" | "’" | "-"))
            .then_some(wider)
    }

    fn letters(&self, word: usize) -> &str {
        self.reading.letters(&self.reading.words[word])
    }

    fn is_capital(&self, word: usize) -> bool {
        let word = &self.account.text[self.reading.words[word].at.clone()];
        word.chars().next().is_some_and(char::is_uppercase)
    }

    /// The place with the word that begins the name, where one stands before it: 'clinica dei Frati'.
    fn with_head(&self) -> Option<Range<usize>> {
        let is_head = |at: usize| HEADS.contains(&self.letters(at));
        let is_joint = |at: usize| JOINTS.contains(&self.letters(at));
        let near = self.wider(1, 0).filter(|at| is_head(at.start));
        let far = self.wider(2, 0);
        let far = far.filter(|at| is_joint(at.start + 1) && is_head(at.start));
        near.or(far)
    }

    fn text(&self) -> &'a str {
        let words = &self.reading.words[self.words.clone()];
        match words {
            [first, .., last] => raw(self.account, &(first.at.start..last.at.end)),
            [one] => raw(self.account, &one.at),
            [] => "",
        }
    }
}

/// A name with the capitals beside it that more than half of its accounts write, and the word that begins it.
fn whole_name(accounts: &[&ReadAccount], name: &Common<'_>) -> String {
    let places = name.holders.iter();
    let places = places.map(|(number, one)| Place::of(accounts[*number], one));
    let (mut places, half): (Vec<_>, _) = (places.collect(), name.holders.len() / 2);
    for (before, behind) in [(1, 0), (0, 1), (1, 0), (0, 1)] {
        widen(&mut places, half, before, behind);
    }
    let with_head = places.iter().any(|place| place.with_head().is_some());
    if with_head {
        places.retain_mut(|place| {
            let head = place.with_head();
            head.map(|words| place.words = words).is_some()
        });
    }
    let is_written = |place: &&Place<'_>| place.is_capital(place.words.end - 1);
    let capital = places.iter().any(|place| is_written(&place));
    let written = places.iter().filter(|place| !capital || is_written(place));
    let text = most_frequent(written.map(Place::text));
    let mut letters = text.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters).collect()
}

/// Takes in the neighbouring word that more than `half` have and one writes with a capital; those without it go.
fn widen(places: &mut Vec<Place<'_>>, half: usize, before: usize, behind: usize) {
    let beside = |place: &Place<'_>| {
        let wider = place.wider(before, behind)?;
        let at = if before > 0 {
            wider.start
        } else {
            wider.end - 1
        };
        Some((place.letters(at).to_owned(), place.is_capital(at)))
    };
    let found: Vec<_> = places.iter().filter_map(beside).collect();
    let letters = most_frequent(found.iter().map(|(letters, _)| &**letters));
    let same = || found.iter().filter(|(one, _)| one == letters);
    if same().count() > half && same().any(|(_, capital)| *capital) {
        places.retain_mut(|place| {
            let fits = beside(place).is_some_and(|(one, _)| one == letters);
            if let Some(wider) = place.wider(before, behind).filter(|_| fits) {
                place.words = wider;
            }
            fits
        });
    }
}

/// '«A», «B» e «C»'.
fn quoted(words: &[&str]) -> String {
    match words {
        [] => String::new(),
        [one] => format!("«{one}»"),
        [before @ .., last] => format!("«{}» e «{last}»", before.join("», «")),
    }
}
