//! Why accounts stand together, in Italian, and what a story of them is called: always what they share, in their words.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

use super::account::{Anchor, AnchorKind, ReadAccount, is_ordinary, tells_of_letter};
use crate::domain::classify::{TokenizedText, Word};
use crate::domain::text::{fold, lower};

/// Names, and other words, that are said at most; names of a title.
const SAID: usize = 3;
const TITLED: usize = 2;
/// The most that a word tells if it names nothing.
const LEAST: f64 = 0.3;
/// Words that begin a name even when they are written small.
const HEADS: &[&str] = &[
    "abbazia",
    "agriturismo",
    "albergo",
    "bar",
    "borgo",
    "ca",
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
/// Words that begin no name, whatever stands in front of a sentence.
const SMALL: &[&str] = &[
    "a", "ad", "ai", "agli", "al", "all", "alla", "alle", "allo", "che", "ci", "col", "con", "d",
    "da", "dagli", "dai", "dal", "dall", "dalla", "dalle", "dallo", "degli", "dei", "del", "dell",
    "della", "delle", "dello", "di", "e", "ed", "fra", "gli", "i", "il", "in", "l", "la", "le",
    "lo", "ma", "ne", "negli", "nei", "nel", "nell", "nella", "nelle", "nello", "non", "o", "per",
    "se", "si", "su", "sugli", "sui", "sul", "sull", "sulla", "sulle", "sullo", "tra", "un", "una",
    "uno",
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
    /// The names and numbers that it quotes; where there are none, the words and phrases that name something.
    pub names: Vec<String>,
    /// What a story of them would be called, by names; none where no name is shared.
    pub title: Option<String>,
}

/// What several accounts have in common: a name, a number, or another word.
struct Common<'a> {
    key: u64,
    /// As it is written by most, names with their capitals; a name that is an ordinary word by itself with what all write beside it.
    word: Cow<'a, str>,
    is_name: bool,
    is_number: bool,
    /// Whether one who has it names something by it, be it no name.
    is_naming: bool,
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

    fn is_of_those_of(&self, other: &Self) -> bool {
        let mut others = other.holders.iter();
        self.holders.len() == others.len() && others.all(|(one, _)| self.is_of(*one))
    }
}

/// The reasons that two or more weighed accounts stand together.
pub fn reasons(accounts: &[&ReadAccount]) -> Reasons {
    if accounts.len() < 2 {
        return Reasons::default();
    }
    let common = common(accounts);
    let mut named: Vec<_> = common.iter().filter(|one| one.is_named()).collect();
    named.sort_by_key(|one| one.is_number);
    named.truncate(SAID);
    let mut told = named.clone();
    if told.is_empty() {
        told.extend(common.iter().filter(|one| one.is_naming).take(SAID));
    }
    let mut titled: Vec<String> = Vec::new();
    for one in named.iter().filter(|one| one.is_name) {
        let whole = titled_name(&WholeName::new(accounts, &one.holders, Share::Most).text());
        if titled.len() < TITLED && !titled.iter().any(|known| is_part(known, &whole)) {
            titled.push(whole);
        }
    }
    Reasons {
        sentence: Some(sentence(&named, &words_of(&common), accounts.len())),
        names: told.iter().map(|one| one.word.to_string()).collect(),
        title: (!titled.is_empty()).then(|| titled.join(", ")),
    }
}

/// What an account names that one of these others names too, by its key and as it writes it; the heaviest first.
pub fn named_elsewhere(own: &ReadAccount, others: &[&ReadAccount]) -> Vec<(u64, String)> {
    let mut named: BTreeMap<u64, (f64, &str)> = BTreeMap::new();
    for &other in others {
        let common = common(&[own, other]).into_iter();
        for one in common.filter(|one| one.is_named() || one.is_naming) {
            let (_, anchor) = one.holders[0];
            named.insert(one.key, (anchor.weight, raw(own, &anchor.at)));
        }
    }
    let mut named: Vec<_> = named.into_iter().collect();
    named.sort_by(|(_, one), (_, other)| other.0.total_cmp(&one.0));
    let told = named.into_iter();
    told.map(|(key, (_, word))| (key, word.to_owned()))
        .collect()
}

/// Those of them that are told: of most others, by how many have a key, and no part of one that is told.
pub fn most_named(
    mut named: Vec<(u64, String)>,
    others: impl Fn(u64) -> usize,
) -> Vec<(u64, String)> {
    named.sort_by_key(|(key, _)| Reverse(others(*key)));
    let mut told: Vec<(u64, String)> = Vec::new();
    for (key, word) in named {
        if told.len() < SAID && !told.iter().any(|(_, known)| is_part(known, &word)) {
            told.push((key, word));
        }
    }
    told
}

/// Whether one of two words is part of the other.
fn is_part(one: &str, other: &str) -> bool {
    let (one, other) = (lower(one), lower(other));
    one.contains(&other) || other.contains(&one)
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
    let mut parts: Vec<Vec<&Common<'_>>> = Vec::new();
    for one in named {
        match parts.iter_mut().find(|part| part[0].is_of_those_of(one)) {
            Some(part) => part.push(one),
            None => parts.push(vec![one]),
        }
    }
    let told = parts.iter().enumerate().map(|(at, part)| {
        let said = quoted(&part.iter().map(|one| &*one.word).collect::<Vec<_>>());
        let mut holders = part[0].holders.iter();
        match part[0].holders.len() {
            _ if at == 0 => said,
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
fn words_of<'c>(common: &'c [Common<'_>]) -> Vec<&'c str> {
    let of_kind = |verbal: bool| {
        let words = common.iter().filter(|one| !one.is_named());
        let words = words.map(|one| &*one.word);
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

fn is_phrase(holders: &[(usize, &Anchor)]) -> bool {
    holders
        .iter()
        .any(|(_, one)| one.kind == AnchorKind::Phrase)
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
        let (number, first) = &holders[0];
        holders.len() > 1
            && kinds.any(|kind| kind != AnchorKind::Joined)
            && !tells_of_letter(raw(accounts[*number], &first.at))
    });
    // A phrase is told only where nothing else names something: words stand beside names by chance.
    let mut names = held
        .values()
        .filter(|holders| !is_phrase(holders))
        .flatten();
    if names.any(|(_, one)| one.is_naming()) {
        held.retain(|_, holders| !is_phrase(holders));
    }
    held
}

/// What several accounts have in common, the most frequent first, then the heaviest, without parts of what is already named.
fn common<'a>(accounts: &[&'a ReadAccount]) -> Vec<Common<'a>> {
    let mut shared: Vec<_> = held(accounts).into_iter().collect();
    shared.sort_by(|(_, one), (_, other)| {
        let weight = |holders: &[(usize, &Anchor)]| holders[0].1.weight;
        let letters = |holders: &[(usize, &Anchor)]| holders[0].1.at.len();
        let more = Reverse(one.len()).cmp(&Reverse(other.len()));
        more.then(weight(other).total_cmp(&weight(one)))
            .then(letters(other).cmp(&letters(one)))
    });
    let mut common: Vec<Common<'_>> = Vec::new();
    for (key, holders) in shared {
        let word = written(accounts, &holders);
        let (mut said, mut is_name) = (Cow::Borrowed(word), is_name(&holders));
        if is_name && is_ordinary(key) {
            is_name = WholeName::new(accounts, &holders, Share::Most).is_wider();
            said = Cow::Owned(WholeName::new(accounts, &holders, Share::All).text());
        }
        let is_naming = holders.iter().any(|(_, one)| one.is_naming());
        let tells = is_naming || holders.iter().any(|(_, one)| one.tells > LEAST);
        let is_known = common.iter().any(|one| is_part(&one.word, &said));
        if (is_name || tells) && !begins_small(word) && !is_known {
            common.push(Common {
                key,
                word: said,
                is_name,
                is_number: of_kind(&holders, AnchorKind::Number) > 0,
                is_naming,
                holders,
            });
        }
    }
    common
}

/// Whether enough of those write a name as one. Of what is in no vocabulary one is enough: many write names small.
fn is_name(holders: &[(usize, &Anchor)]) -> bool {
    let names = of_kind(holders, AnchorKind::Name);
    let mut anchors = holders.iter().map(|(_, one)| one);
    3 * names >= holders.len() || names > 0 && anchors.all(|one| one.is_naming())
}

fn of_kind(holders: &[(usize, &Anchor)], wanted: AnchorKind) -> usize {
    let kinds = holders.iter().map(|(_, one)| one.kind);
    kinds.filter(|kind| *kind == wanted).count()
}

/// Whether a name of two words is only a capital behind the first word of a sentence: 'In Brasile'.
fn begins_small(name: &str) -> bool {
    let first = name.split_once(|one: char| !one.is_alphanumeric());
    first.is_some_and(|(first, _)| SMALL.contains(&&*fold(first)))
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

    /// The words before it that begin the name; with a joint between, as in 'clinica dei Frati', only where `far`.
    fn head(&self, far: bool) -> Option<&'a str> {
        let is_head = |at: usize| HEADS.contains(&self.letters(at));
        let is_joint = |at: usize| JOINTS.contains(&self.letters(at));
        let near = self.wider(1, 0).filter(|at| is_head(at.start));
        let behind = self.wider(2, 0).filter(|_| far);
        let behind = behind.filter(|at| is_joint(at.start + 1) && is_head(at.start));
        let begin = &self.reading.words[near.or(behind)?.start];
        let name = &self.reading.words[self.words.start];
        Some(raw(self.account, &(begin.at.start..name.at.start)))
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

/// Whether most accounts write what belongs to a name, and none writes something else in its place, or all do.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Share {
    Most,
    All,
}

/// A name with the capitals beside it, and the word that begins it, as far as its accounts write them.
struct WholeName<'a> {
    /// Where those write it that write it so.
    places: Vec<Place<'a>>,
    heads: Vec<&'a str>,
    /// How many have to begin it.
    least: usize,
}

impl<'a> WholeName<'a> {
    fn new(accounts: &[&'a ReadAccount], holders: &[(usize, &Anchor)], share: Share) -> Self {
        let all = holders.len();
        let (beside, least) = match share {
            Share::Most => (all / 2 + 1, 1),
            Share::All => (all, all),
        };
        let places = holders.iter();
        let places = places.map(|(number, one)| Place::of(accounts[*number], one));
        let mut places: Vec<_> = places.collect();
        for (before, behind) in [(1, 0), (0, 1), (1, 0), (0, 1)] {
            widen(&mut places, beside, before, behind);
        }
        let heads = |far: bool| places.iter().filter_map(move |place| place.head(far));
        let far = 2 * heads(true).count() >= all;
        Self {
            heads: heads(far).collect(),
            places,
            least,
        }
    }

    /// Whether it is more than one word.
    fn is_wider(&self) -> bool {
        !self.heads.is_empty() || self.places.iter().any(|place| place.words.len() > 1)
    }

    fn text(&self) -> String {
        let begins = self.heads.iter().map(|head| fold(head));
        let same = self.heads.len() >= self.least && begins.collect::<BTreeSet<_>>().len() == 1;
        let heads = self.heads.iter().copied().filter(|_| same);
        let is_written = |place: &&Place<'_>| place.is_capital(place.words.end - 1);
        let capital = self.places.iter().any(|place| is_written(&place));
        let written = self
            .places
            .iter()
            .filter(|place| !capital || is_written(place));
        format!(
            "{}{}",
            most_frequent(heads),
            most_frequent(written.map(Place::text))
        )
    }
}

/// A name as a title begins: with a capital.
fn titled_name(name: &str) -> String {
    let mut letters = name.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters).collect()
}

/// Takes in the neighbouring word that so many have and one writes with a capital, if none has another name there; those without
/// it go.
fn widen(places: &mut Vec<Place<'_>>, least: usize, before: usize, behind: usize) {
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
    let (same, others): (Vec<_>, Vec<_>) = found.iter().partition(|(one, _)| one == letters);
    let is_small = |letters: &str| before > 0 && SMALL.contains(&letters);
    let is_other = others
        .iter()
        .any(|(one, capital)| *capital && !is_small(one));
    let is_name = same.iter().any(|(_, capital)| *capital) && !is_small(letters);
    if is_name && !is_other && same.len() >= least {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::routing::Matter;
    use crate::domain::stories::sketches::SketchIndex;

    fn read(texts: &[&str]) -> Vec<ReadAccount> {
        let index = SketchIndex::new([1, 2]);
        let read = |text: &&str| index.weigh(ReadAccount::new(text, Matter::Sanita.key()));
        texts.iter().map(read).collect()
    }

    fn why(texts: &[&str]) -> Reasons {
        reasons(&read(texts).iter().collect::<Vec<_>>())
    }

    /// Accounts, and why they stand together.
    const SENTENCES: &[(&[&str], &str)] = &[
        (
            &[
                "Alla clinica Serenella il dottor Montaldo incassa",
                "ho visto Montaldo, da serenella",
            ],
            "Insieme perché nominano entrambe «Serenella» e «Montaldo».",
        ),
        (
            &[
                "il conto 48213 della Serenella e i cupoloni",
                "alla serenela il numero 48213, sotto i cupoloni",
            ],
            "Insieme perché nominano entrambe «Serenella» e «48213»; parole in comune: cupoloni.",
        ),
        (
            &[
                "i cupoloni della discarica",
                "sotto i cupoloni c'è un odore",
            ],
            "Forse: nessun nome in comune, ma «cupoloni».",
        ),
        (
            &["da Serenella", "con Serenella", "alla Serenella"],
            "Insieme perché 3 su 3 nominano «Serenella».",
        ),
        (
            &["da Serenella", "con Serenella", "nulla"],
            "Insieme perché 2 su 3 nominano «Serenella».",
        ),
        (
            &[
                "da Serenella, di Montaldo, i cupoloni",
                "la serenela a Montaldo",
                "alla Serenella i cupoloni",
            ],
            "Insieme perché 3 su 3 nominano «Serenella», 2 anche «Montaldo»; in comune: cupoloni.",
        ),
        (
            &[
                "alla Serenella",
                "da Serenella",
                "la Serenella",
                "il dottor Montaldo",
                "da Montaldo",
            ],
            "Insieme perché 3 su 5 nominano «Serenella», 2 «Montaldo».",
        ),
        (
            &[
                "alla Querciola",
                "da Querciola",
                "alla Ginestrola",
                "da Ginestrola",
            ],
            "Insieme perché 2 su 4 nominano «Ginestrola», 2 «Querciola».",
        ),
        (
            &[
                "da Querciola a Montaldo",
                "la Querciola, Montaldo",
                "Querciola con la Ginestrola",
                "di Querciola e Ginestrola",
            ],
            "Insieme perché 4 su 4 nominano «Querciola», 2 anche «Ginestrola», 2 anche «Montaldo».",
        ),
        (
            &["abito in Piazza Garibaldi", "i fusti di via Garibaldi"],
            "Insieme perché nominano entrambe «Garibaldi».",
        ),
        (
            &["sto in via Garibaldi", "i fusti di via Garibaldi"],
            "Insieme perché nominano entrambe «via Garibaldi».",
        ),
        (
            &[
                "alla Scuola Pascoli piove",
                "la Scuola Pascoli è fredda",
                "ieri, alla Pascoli",
            ],
            "Insieme perché 3 su 3 nominano «Pascoli».",
        ),
        (
            &[
                "la querciola è chiusa",
                "alla querciola si paga",
                "ieri alla querciola",
                "odore di querciola",
                "di notte da Querciola",
            ],
            "Insieme perché 5 su 5 nominano «Querciola».",
        ),
        (
            &[
                "Alla Serenella pagano, seguono informazioni aggiuntive",
                "ieri alla Serenella; se servono ho informazioni aggiuntive",
            ],
            "Insieme perché nominano entrambe «Serenella».",
        ),
        (
            &["nella palazzina rosa", "abito nel palazzo rosa"],
            "Forse: nessun nome in comune, ma «palazzina rosa».",
        ),
        (
            &["nulla", "niente"],
            "Forse: nessun nome in comune, ma racconti simili.",
        ),
    ];

    #[test]
    fn a_sentence_quotes_what_is_shared_in_the_words_of_the_accounts() {
        for (texts, sentence) in SENTENCES {
            let why = why(texts);
            assert_eq!(why.sentence.as_deref(), Some(*sentence));
            let quoted: Vec<_> = sentence.split('«').skip(1).collect();
            let quoted = quoted.iter().filter_map(|rest| rest.split('»').next());
            assert_eq!(why.names, quoted.collect::<Vec<_>>());
        }
        assert_eq!(why(&["da Serenella"]), Reasons::default());
    }

    /// Accounts, and the title of their story.
    const TITLES: &[(&[&str], Option<&str>)] = &[
        (
            &[
                "Lavoro di notte in una casa di riposo, «Villa Serenella». Per quarantadue ospiti siamo in due",
                "mia zia alla Serenella aveva i segni delle lenzuola ai polsi",
                "alla cassa della Serenella, sopra Montaldo, chiedono i contanti",
                "la serenella di montaldo: agenda chiusa x chi ha l’impegnativa",
                "Mi chiamo Serenella e insegno in una scuola media",
            ],
            Some("Villa Serenella, Montaldo"),
        ),
        (
            &["la serenela è piena", "alla Serenella di notte"],
            Some("Serenella"),
        ),
        (
            &[
                "sono stato alla clinica dei Frati",
                "ieri dai Frati, alla clinica dei Frati",
            ],
            Some("Clinica dei Frati"),
        ),
        (
            &[
                "il depuratore di Sant'Elmo non va",
                "vivo a Sant’Elmo, accanto al depuratore",
            ],
            Some("Sant'Elmo"),
        ),
        (
            &[
                "l'azienda Azoto Nord scarica di notte",
                "la azoto nord sversa nel canale",
            ],
            Some("Azoto Nord"),
        ),
        (
            &["abito in via Roncaglia da anni", "i fusti di via Roncaglia"],
            Some("Via Roncaglia"),
        ),
        (
            &[
                "Al San Rocco la prima notte",
                "pronto soccorso del San Rocco",
                "davanti al San Rocco",
            ],
            Some("San Rocco"),
        ),
        (
            &[
                "la scuola pertini è fredda",
                "alla elementare Pertini si gela",
            ],
            Some("Scuola Pertini"),
        ),
        (
            &[
                "In Brasile è fuggito lo Scandolo",
                "lo Scandolo sta in Brasile. In Brasile è fuggito",
            ],
            Some("Scandolo, Brasile"),
        ),
        (
            &[
                "a Canneto Belbo",
                "di Canneto Belbo",
                "il sindaco di Canneto",
            ],
            Some("Canneto Belbo"),
        ),
        (
            &["abito in Piazza Garibaldi", "i fusti di via Garibaldi"],
            Some("Garibaldi"),
        ),
        (
            &[
                "il signor Luigi Brandolini",
                "ho visto Luigi Brandolini",
                "con Marco Brandolini",
            ],
            Some("Brandolini"),
        ),
        // Ordinary words, however they are written, and rare ones that name nothing.
        (
            &[
                "mi hanno detto che Tutto va bene",
                "dicono che Tutto va bene",
            ],
            None,
        ),
        (&["pago la Luce da mesi", "non pago la Luce"], None),
        (
            &[
                "l'hanno spianato e lo recintano",
                "spianato ieri, lo recintano oggi",
            ],
            None,
        ),
        (&["il conto 48213", "conto 48213"], None),
        (&["nulla", "niente"], None),
    ];

    #[test]
    fn a_title_is_a_whole_name_as_most_write_it_or_none() {
        for (texts, title) in TITLES {
            assert_eq!(why(texts).title.as_deref(), *title, "{texts:?}");
        }
    }

    #[test]
    fn what_others_name_too_is_told_as_the_account_writes_it() {
        let read = read(&[
            "da serenela, a Montaldo, il conto 48213, in via Garibaldi",
            "la Serenella",
            "vivo a Montaldo",
            "di notte alla Serenella, in Piazza Garibaldi",
            "niente di tutto questo",
            "da Quartapelle",
            "con Quartapelle",
        ]);
        let others: Vec<_> = read[1..].iter().collect();
        let told = |own: &ReadAccount, others: &[&ReadAccount]| {
            let names = named_elsewhere(own, others).into_iter();
            let mut names: Vec<_> = names.map(|(_, name)| name).collect();
            names.sort();
            names
        };
        assert_eq!(
            told(&read[0], &others),
            ["Garibaldi", "Montaldo", "serenela"]
        );
        assert!(told(&read[4], &others[..2]).is_empty());
    }

    #[test]
    fn names_of_most_others_are_told_and_no_part_of_one() {
        let named = ["Rocco", "Montaldo", "San Rocco", "Serenella", "Elmo"];
        let named = (0..).zip(named.map(str::to_owned)).collect();
        let others = |key: u64| [2, 1, 5, 3, 4][usize::try_from(key).unwrap()];
        let told = most_named(named, others).into_iter();
        let told: Vec<_> = told.map(|(_, name)| name).collect();
        assert_eq!(told, ["San Rocco", "Elmo", "Serenella"]);
    }
}
