//! Names of other people in an account: those beside a word for who somebody is ('mio marito', 'la collega',
//! 'dottor'), and common first names with what follows them.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::LazyLock;

use super::words::{Word, Writing};
use super::{Found, Naming};

/// Whom a name follows, folded.
const RELATIONS: &str = "marito|moglie|figlio|figlia|fratello|sorella|padre|madre|papa|babbo|mamma|cugino|cugina|zio|\
    zia|nonno|nonna|nipote|suocero|suocera|cognato|cognata|genero|nuora|compagno|compagna|fidanzato|fidanzata|convivente|ex|collega|\
    amico|amica|vicino|vicina|coinquilino|coinquilina|capo|capoturno|caporeparto|caposala|capocantiere|capoufficio|\
    dottore|dottor|dottoressa|dott|dottssa|dr|avvocato|avvocata|avvocatessa|avv|ingegnere|ingegner|ing|architetto|arch|geometra|\
    geom|ragioniere|ragionier|rag|notaio|professore|professor|professoressa|prof|profssa|maestro|maestra|insegnante|educatore|\
    educatrice|signore|signor|signora|signorina|sig|sigra|sigr|don|suor|suora|frate|fra|monsignor|monsignore|parroco|vescovo|\
    maresciallo|llo|brigadiere|appuntato|commissario|ispettore|ispettrice|colonnello|capitano|tenente|generale|sergente|vigile|agente|\
    assessore|assessora|assessorato|sindaco|sindaca|vicesindaco|consigliere|consigliera|onorevole|senatore|senatrice|deputato|\
    ministro|ministra|giudice|preside|vicepreside|infermiere|infermiera|medico|primario|fisioterapista|psicologo|psicologa|oss|\
    direttore|direttrice|responsabile|titolare|proprietario|proprietaria|presidente|vicepresidente|segretaria|segretario|\
    amministratore|amministratrice|bidello|bidella|badante|paziente|coordinatore|coordinatrice|funzionario|funzionaria|imprenditore|\
    operaio|operaia|autista|portiere|custode|allenatore|allenatrice|chiamo|chiama|chiamano|chiamato|chiamata|\
    chiamava|soprannominato|soprannominata|nome|cognome|firmato|firmata|mister|mr|mrs|tale";
/// More than one of them: names follow in a row.
const RELATIONS_OF_MANY: &str = "figli|figlie|fratelli|sorelle|cugini|cugine|zii|zie|nonni|nipoti|suoceri|cognati|cognate|compagni|compagne|\
    colleghi|colleghe|amici|amiche|vicini|vicine|dottori|signori|signore|sigg|avvocati|ingegneri|professori|professoresse|\
    maestri|maestre|insegnanti|educatrici|medici|infermieri|infermiere|operai|operaie|consiglieri|assessori|chiamano";
/// Titles that need a name, however it is written.
const TITLES: &str =
    "signor|dottor|professor|ingegner|ragionier|monsignor|don|suor|sigra|dottssa|profssa";
/// Those of them that are words when no point stands behind them.
const POINTED: &str =
    "sig|sigg|dott|dr|avv|ing|geom|rag|arch|prof|mr|on|sen|gen|col|ten|brig|mons|cav|comm|magg|isp";
/// Words between the person and the name: 'mio marito, che si chiama Luca', 'il dottor P. Rossi'.
const BETWEEN: &str =
    "che|si|tutti|chiama|di|nome|e|era|il|la|signor|signora|dottor|dott|dottssa|ssa|sa|ra|na|to|ri";
/// Offices and places that are written with a capital letter behind a person's title.
const NOT_NAMES: &str = "asl|ausl|asst|inps|inail|comune|provincia|regione|ospedale|scuola|ufficio|reparto|azienda|ditta|cooperativa|signor|signora|\
    signore|polizia|carabinieri|guardia|procura|tribunale|ministero|prefettura|universita|istituto|casa|villa|via|piazza|corso|\
    il|la|lo|le|gli|un|una|mi|ci|vi|si|non|che|ma|e|o|se|poi|quando|dopo|ho|ha|sono|era|con|per|in|su|lunedi|martedi|mercoledi|\
    giovedi|venerdi|sabato|domenica|gennaio|febbraio|marzo|aprile|maggio|giugno|luglio|agosto|settembre|ottobre|novembre|\
    dicembre|pasqua|natale|san|santa|sant|santo|ds|rsa|rsu|pm|tso|iva|srl|spa|asp|cup|tac|dia|gip|gup|usl|ats";
/// Small particles that begin a surname behind a word for who somebody is; others begin a place ('il direttore della Caritas').
const LEADING: [&str; 9] = ["de", "d", "lo", "van", "von", "ben", "bin", "el", "ibn"];
/// Surnames behind 'la' and 'li', which else are pronouns of a verb ('luca la picchia').
const BEHIND_AN_ARTICLE: &str = "rosa|russa|torre|porta|rocca|mantia|monica|barbera|spina|malfa|marca|greca|manna|grassa|placa|causi|vigni|\
    pira|gotti|pera|corte|licata|mura|scala|volpe|face|gioia|penna|motta|bella|iacono|giudice|conte|monte|verde|vecchio|piccolo";
/// Parts of a name, and words of a nickname, at most.
const LONGEST: usize = 4;

type Words = LazyLock<HashSet<&'static str>>;
static RELATED: Words = LazyLock::new(|| RELATIONS.split('|').collect());
static MANY: Words = LazyLock::new(|| RELATIONS_OF_MANY.split('|').collect());
static TITLED: Words = LazyLock::new(|| TITLES.split('|').collect());
static WITH_POINT: Words = LazyLock::new(|| POINTED.split('|').collect());
static LINKS: Words = LazyLock::new(|| BETWEEN.split('|').collect());
static OTHERS: Words = LazyLock::new(|| NOT_NAMES.split('|').collect());
static ARTICLED: Words = LazyLock::new(|| BEHIND_AN_ARTICLE.split('|').collect());

impl Word<'_> {
    /// Whether it can be part of a name by the way it is written.
    fn is_namelike(&self) -> bool {
        self.writing != Writing::Small && !self.shouted && !OTHERS.contains(&*self.folded)
    }

    /// 'M.'
    fn is_initial(&self) -> bool {
        self.folded.len() == 1 && self.is_capital() && self.behind == Some('.')
    }

    fn is_relation(&self) -> bool {
        RELATED.contains(&*self.folded) || MANY.contains(&*self.folded) || self.is_pointed()
    }

    fn is_pointed(&self) -> bool {
        self.behind == Some('.') && WITH_POINT.contains(&*self.folded)
    }

    /// 'signor', 'avv.'.
    fn is_title(&self) -> bool {
        TITLED.contains(&*self.folded) || self.is_pointed()
    }
}

/// The places of all names but the reporter's own.
pub fn found(words: &[Word<'_>]) -> Vec<Found> {
    let mut places = Vec::new();
    let place = |parts: &Range<usize>| words[parts.start].at.start..words[parts.end - 1].at.end;
    for at in 0..words.len() {
        let beside = beside(words, at);
        places.extend(related(words, at).iter().map(|name| Found {
            beside: Some(beside.clone()),
            ..Found::of(place(name), Naming::Name)
        }));
        let others = known(words, at).into_iter().chain(nickname(words, at));
        places.extend(others.map(|name| Found::of(place(&name), Naming::Name)));
    }
    places
}

/// A word for who somebody is, with whose they are.
fn beside(words: &[Word<'_>], at: usize) -> Range<usize> {
    const WHOSE: [&str; 14] = [
        "mio", "mia", "miei", "mie", "suo", "sua", "nostro", "nostra", "tuo", "tua", "il", "la",
        "i", "le",
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

/// The names behind a word for who somebody is.
fn related(words: &[Word<'_>], at: usize) -> Vec<Range<usize>> {
    if !words[at].is_relation() {
        return Vec::new();
    }
    let mut first = at + 1;
    let mut titled = words[at].is_title();
    while let Some(word) = words.get(first).filter(|word| {
        let link = LINKS.contains(&*word.folded) || word.is_relation();
        link && !word.begins && first - at <= LONGEST
    }) {
        titled = word.is_title() || (titled && !word.is_relation());
        first += 1;
    }
    first = led(words, at, first, titled);
    let many = MANY.contains(&*words[at].folded);
    let reached = words.get(first).is_some_and(|word| {
        let near = !many || word.joined || word.is_known();
        near && !word.begins
    });
    if !reached || !(starts(words, first, titled) || is_evident(words, first, titled)) {
        return Vec::new();
    }
    let name = first..name_end(words, first, true);
    let mut names = Vec::from([name]);
    if many {
        listed(words, &mut names);
    }
    names
}

/// The particle that was taken for a link: 'il prof. Di Pietro'.
fn led(words: &[Word<'_>], at: usize, first: usize, titled: bool) -> usize {
    let particle = (first > at + 1).then(|| &words[first - 1]);
    let leads = particle.is_some_and(|particle| {
        let capital = particle.writing == Writing::Initial
            || (titled && particle.writing == Writing::Capitals);
        capital && particle.is_particle()
    });
    let name = words.get(first).filter(|word| word.joined);
    let named = name.is_some_and(|word| word.writing != Writing::Small);
    if leads && named { first - 1 } else { first }
}

/// Whether a name can begin here by the way it is written.
fn starts(words: &[Word<'_>], first: usize, titled: bool) -> bool {
    let word = &words[first];
    let next = words.get(first + 1).filter(|next| next.joined);
    let surname = word.is_particle() && next.is_some_and(|next| next.is_namelike());
    let leads = match word.writing {
        Writing::Small => titled || LEADING.contains(&&*word.folded),
        Writing::Initial => true,
        Writing::Capitals => !word.shouted,
    };
    if word.is_particle() && word.folded.len() > 1 {
        return surname && leads;
    }
    word.is_namelike() || (surname && leads)
}

/// Whether a name begins here, though all is written in one way: 'mio marito luca', 'IL SIGNOR ESPOSITO'.
fn is_evident(words: &[Word<'_>], first: usize, titled: bool) -> bool {
    let word = &words[first];
    if word.is_particle() {
        let surname = words.get(first + 1).filter(|next| next.joined);
        let same = |next: &Word<'_>| next.writing == word.writing && next.is_uncommon();
        let leads = titled || LEADING.contains(&&*word.folded);
        return (leads && (titled || word.writing == Writing::Capitals))
            && surname.is_some_and(|next| same(next) && is_surname_behind(word, next));
    }
    if word.folded.len() == 1 {
        return word.is_initial();
    }
    let near = word.joined || word.shouted;
    let plain = titled || word.writing == Writing::Capitals;
    near && !OTHERS.contains(&*word.folded)
        && (word.is_known()
            || (titled && word.is_uncommon())
            || (plain && word.writing == Writing::Capitals && word.is_surname()))
}

/// A common first name with a capital letter, and the surname before or behind it.
fn known(words: &[Word<'_>], at: usize) -> Option<Range<usize>> {
    let word = &words[at];
    let preposition = word.writing == Writing::Capitals && word.folded == "nello";
    if is_of_place(words, at)
        || preposition
        || OTHERS.contains(&*word.folded)
        || !word.is_capital()
        || !word.is_known()
    {
        return None;
    }
    let before = at
        .checked_sub(1)
        .map(|before| &words[before])
        .filter(|before| {
            let shouted = before.writing == Writing::Capitals && before.is_surname();
            let surname = (before.is_namelike() && !before.begins) || shouted;
            surname && before.written.len() > 2 && word.joined && !before.is_relation()
        });
    let first = if before.is_some() { at - 1 } else { at };
    Some(first..name_end(words, at, false))
}

/// The end of the name that begins at a word.
fn name_end(words: &[Word<'_>], first: usize, beside: bool) -> usize {
    let mut end = first + 1;
    for at in first + 1..words.len().min(first + LONGEST) {
        let word = &words[at];
        if !word.joined {
            break;
        }
        let whole = word.is_namelike() && !(word.is_particle() && word.folded.len() > 1);
        if whole || word.is_initial() {
            end = at + 1;
        } else if goes_on(words, first, at, beside) {
            end = at + 1;
            if !word.is_known() {
                break;
            }
        } else if !word.is_particle() {
            break;
        }
    }
    end
}

/// Whether a word of the same writing belongs to a name in capitals, or in small letters beside a word for who that is.
fn goes_on(words: &[Word<'_>], first: usize, at: usize, beside: bool) -> bool {
    let (name, word, before) = (&words[first], &words[at], &words[at - 1]);
    let same = match name.writing {
        Writing::Capitals => word.writing == Writing::Capitals,
        Writing::Small => beside && word.writing == Writing::Small,
        Writing::Initial => false,
    };
    let open = before.is_known() || before.is_particle() || before.is_initial();
    same && open
        && !word.is_particle()
        && !OTHERS.contains(&*word.folded)
        && word.is_uncommon()
        && is_surname_behind(before, word)
}

/// 'LO CASCIO', but not 'LO PICCHIANO'.
fn is_surname_behind(particle: &Word<'_>, word: &Word<'_>) -> bool {
    match &*particle.folded {
        "lo" => {
            let verb = ["ano", "ono", "ero", "vo"].iter();
            let verb = verb.clone().any(|ending| word.folded.ends_with(ending));
            ARTICLED.contains(&*word.folded) || (word.folded.ends_with(['o', 'i']) && !verb)
        }
        "la" | "li" | "le" => ARTICLED.contains(&*word.folded),
        _ => true,
    }
}

/// The names behind the first one: 'le mie amiche Pina, Lella e Rosy'.
fn listed(words: &[Word<'_>], names: &mut Vec<Range<usize>>) {
    while let Some(last) = names.last().cloned() {
        let Some(next) = words.get(last.end) else {
            return;
        };
        let and = matches!(&*next.folded, "e" | "ed") && matches!(next.gap, " " | ", ");
        let first = last.end + usize::from(and);
        let Some(word) = words.get(first) else {
            return;
        };
        let near = word.gap == if and { " " } else { ", " };
        let same = word.writing == words[last.start].writing && !OTHERS.contains(&*word.folded);
        let plain = same && (word.is_known() || (and && word.is_uncommon()));
        if !near || word.is_relation() || !(starts(words, first, false) || plain) {
            return;
        }
        names.push(first..name_end(words, first, true));
    }
}

/// 'Rossi, detto il Bomba', 'Luca "il Secco" Bianchi', 'Anna Verdi ved. Neri'.
fn nickname(words: &[Word<'_>], at: usize) -> Option<Range<usize>> {
    let word = &words[at];
    let before = at.checked_sub(1).map(|before| &words[before])?;
    if word.gap.strip_prefix(is_closing) == Some(" ") && word.is_namelike() {
        return is_behind_quoted(words, at).then(|| at..name_end(words, at, false));
    }
    let behind_name = before.writing != Writing::Small
        && !OTHERS.contains(&*before.folded)
        && !before.is_common();
    if !behind_name || word.begins {
        return None;
    }
    if opens(word.gap) {
        return quoted(words, at);
    }
    let near = matches!(word.gap, " " | ", ");
    match &*word.folded {
        "detto" | "detta" | "alias" | "vulgo" if near => called(words, at + 1),
        "ved" | "vedova" | "nata" | "coniugata" | "maritata" if near => {
            let surname = words.get(at + 1).filter(|next| next.joined)?;
            surname
                .is_namelike()
                .then(|| at + 1..name_end(words, at + 1, false))
        }
        _ => None,
    }
}

fn opens(gap: &str) -> bool {
    matches!(
        gap,
        " \"" | " «" | " “" | " '" | " ‘" | ", \"" | ", «" | ", “"
    )
}

fn is_closing(sign: char) -> bool {
    matches!(sign, '"' | '»' | '”' | '\'' | '’')
}

/// Few words in quotes behind a name: with a capital letter, or with a surname behind them.
fn quoted(words: &[Word<'_>], first: usize) -> Option<Range<usize>> {
    let end = quote_end(words, first)?;
    let capital = words[first..end].iter().any(Word::is_namelike);
    let surname = words.get(end).is_some_and(|next| {
        let near = next.gap.strip_prefix(is_closing) == Some(" ");
        near && next.is_namelike()
    });
    (capital || surname).then_some(first..end)
}

/// Whether the words that end here are a nickname behind a first name: 'Luca "il Secco" Bianchi'.
fn is_behind_quoted(words: &[Word<'_>], at: usize) -> bool {
    let few = at.saturating_sub(LONGEST)..at;
    let first = few.rev().find(|at| opens(words[*at].gap));
    first.is_some_and(|first| {
        let name = first.checked_sub(1).map(|before| &words[before]);
        name.is_some_and(|name| name.is_known() && name.is_capital())
            && quote_end(words, first) == Some(at)
    })
}

fn quote_end(words: &[Word<'_>], first: usize) -> Option<usize> {
    let few = words.len().min(first + LONGEST);
    let closing = |at: &usize| words[*at].behind.is_some_and(is_closing);
    let last = (first..few).find(|at| {
        let next = words.get(at + 1);
        closing(at) && next.is_none_or(|next| !next.joined)
    })?;
    let whole = words[first + 1..=last].iter().all(|word| word.joined);
    whole.then_some(last + 1)
}

/// 'il Bomba', 'Pino', '«u Curtu»'.
fn called(words: &[Word<'_>], first: usize) -> Option<Range<usize>> {
    let word = words.get(first)?;
    if matches!(&*word.folded, "anche" | "pure") && word.joined {
        return called_plainly(words, first + 1);
    }
    called_plainly(words, first)
}

fn called_plainly(words: &[Word<'_>], first: usize) -> Option<Range<usize>> {
    let word = words.get(first)?;
    if opens(word.gap) {
        return quote_end(words, first).map(|end| first..end);
    }
    let article = matches!(&*word.folded, "il" | "lo" | "la" | "l" | "u" | "a" | "o");
    let name = first + usize::from(article);
    let near = word.joined && words.get(name)?.joined;
    let named = words[name].is_namelike() || (article && !words[name].is_particle());
    (near && named).then(|| name..name_end(words, name, false))
}
