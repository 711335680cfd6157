//! Reads the age out of an answer: years that have been lived, never those to come, and never another person's
//! (`PRODUCT.md §2`). A reading in doubt is asked back.

use jiff::civil::Date;

use super::said::{self, BEHIND_AN_AGE, MONTHS, Number, Piece, YEARS_OF_LIFE, pieces};
use super::{ADULT_AGE, AGE_MAX};
use crate::domain::text::is_listed;

/// The reading of an answer about the reporter's age.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AgeReading {
    /// This age of 18 or more, and nothing else.
    Adult(u8),
    /// An age below 18, and nothing else.
    Minor,
    /// One of these, the likeliest first; never empty.
    Asked(Vec<u8>),
    /// Born in this year: one of these two.
    Born(i16, [u8; 2]),
    /// Numbers that are no age of the reporter's.
    SomebodyElse,
    /// No age.
    Unclear,
}

/// A number with its meaning.
#[derive(Debug, Clone, PartialEq)]
struct Claim {
    ages: Vec<u8>,
    /// The year of birth that leaves these ages.
    born: Option<i16>,
    weight: Weight,
    /// In figures, with nothing beside it that changes or could change it.
    plain: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Weight {
    /// Counts other things.
    Thing,
    /// Somebody else's age.
    Other,
    /// Possibly an age.
    Weak,
    /// A number that stands alone.
    Bare,
    /// With words that say so ('ne ho 67').
    Own,
}

const HAVE: &str = "ho|ne|io|abbiamo|tengo|teng|tegno|tegnu|tengu|tenc|agg|aggio|ajo|aju|aiu|haju|haiu|ciagg|ciaggio|cio|cho|go|gho|gh|gavemo|eta|\
    compiuto|compiuti|compiuta|compiute|compiu|fatto|fatti|fatte|sono|so|son|sugnu|sugno|soy|anni|enne";
const FILLERS: &str = "gia|appena|solo|soltanto|anche|adesso|ora|ormai|oggi|gli|ben|bei|esattamente|precisamente|pure|proprio|purtroppo|la|mia|e'|di|a|li";
const POLITE: &str = "ciao|buongiorno|buonasera|buon|giorno|sera|salve|allora|dunque|ecco|eh|beh|si|guardi|senta|signora|signore|signorina|\
    grazie|prego|no|anzi|scherzo|ok|va|bene|certo|scusi|scusa|mah|dai|d|perche|come|mai";
const RELATIVES: &str = "figlio|figlia|figli|figlie|figliola|figliolo|bambino|bambina|bimbo|bimba|bambini|piccolo|piccola|ragazzo|ragazza|madre|mamma|mammina|padre|papa|babbo|\
    marito|moglie|compagno|compagna|fidanzato|fidanzata|nonno|nonna|nonni|bisnonno|bisnonna|suocera|suocero|genero|nuora|nipote|nipoti|nipotino|\
    nipotina|fratello|sorella|fratelli|sorelle|cugino|cugina|zio|zia|cognato|cognata|amico|amica|collega|capo|padrone|direttore|titolare|datore|vicino|vicina|\
    gemelli|gemelle|maggiore|minore|minori|grande|grandi|genitori|genitore|ex|cane|gatto|paziente|ospite|alunno|studente|studentessa|lui|lei|loro|ha|hanno|aveva|avevano|ce";
const YOURS: &str = "mio|mia|miei|mie|suo|sua|nostro|nostra|me|mi";
const THINGS: &str = "figli|figlie|figlio|figlia|fija|fije|fiji|fioi|fieu|criature|creature|bambini|bambine|bimbi|bimbe|nipoti|nipote|nipotini|nipotine|gatti|gatto|cani|cane|volte|volta|mesi|mese|\
    settimane|settimana|giorni|giorno|ore|ora|notti|notte|minuti|euro|metri|mq|km|chilometri|chili|kg|cm|ettari|colleghi|colleghe|persone|\
    dipendenti|operai|operaie|piano|piani|turni|turno|fratelli|sorelle|maschi|femmine|femmina|maschio|gemelli|case|stanze|appartamenti|interno|lavori|ricoveri|\
    operazioni|interventi|ragazzi|ragazze|alunni|studenti|bisnipoti|pronipoti|famiglie|condomini|rate|mutui|pasti|letti|ospiti|pazienti|mln|mila|milioni|lire|€|%|°|$";
const SCHOOL: &str = "superiore|superiori|media|medie|elementare|elementari|liceo|geometri|ragioneria|asilo|materna|itis|quadrimestre|esima|esimo|ª|º|a|o|b|c|f";
/// Words whose following number names or counts something else.
const NUMBERED: &str = "via|viale|piazza|piazzale|piazzetta|corso|largo|vicolo|strada|contrada|vico|lungomare|salita|borgo|calle|traversa|civico|interno|int|scala|piano|numero|nr|n|\
    appartamento|palazzina|lotto|reparto|stanza|camera|linea|articolo|art|legge|decreto|bus|tram|statale|provinciale|autostrada|uscita|quartiere|zona|cap|km|kg|euro|€|ore|h|alle|dalle|delle|verso|\
    vle|cso|pza|pzza|localita|frazione|fraz|civ|app|sc|edificio|fabbricato|blocco|isolato|padiglione|garage|box|citofono|cella|letto|posto|fila|sportello|binario|cancello|\
    matricola|tessera|protocollo|pratica|fascicolo|sezione|pagina|capitolo|comma|canale|taglia|misura|scarpe|peso";
/// A street, whose number may stand before it ('12, via dei Mille').
const STREETS: &str = "via|viale|piazza|piazzale|piazzetta|corso|largo|vicolo|strada|contrada|vico|lungomare|salita|borgo|calle|traversa|vle|cso|pza|pzza|localita|frazione|fraz";
/// A part of a house, which stands behind its number ('12, interno 7').
const PARTS_OF_A_HOUSE: &str =
    "interno|int|scala|sc|piano|appartamento|app|palazzina|edificio|fabbricato|blocco|isolato";
const BEFORE_SPANS: &str = "da|dal|dall|dai|per|ogni|ultimi|primi|dopo|prima|tra|fra|entro|in|avevo|aveva|avevamo|avevano|quando";
const WORK: &str = "lavoro|contributi|contribuzione|contributo|servizio|carriera|matrimonio|onorata|esperienza|galera|carcere|mutuo|affitto|insegnamento|fabbrica|\
    anzianita|pensione|scuola|cantiere|attivita|attesa|ritardo|differenza|sacrifici|tasse|naja|militare|volontariato|ufficio|ospedale|reparto|mestiere|fatica|condanna|\
    miniera|ferrovia|sposati|fidanzamento|convivenza|lotte|battaglie|silenzio|inferno|turni|precariato|guerra|causa|processo|bugie|mare|strada|assegno|assegni";
const TO_COME: &str = "faccio|facciamo|faro|fare|farne|compio|compiro|compiero|compie|compiere|compierne|compira|divento|diventero|avro|saranno|saro|compi";
const NEARLY: &str = "quasi|verso|vado|vo|vicino|presto|manca|mancano|prossimo|prossima|prossimi|poco|pochi|sto|stare";
const AROUND: &str = "circa|ca|piu|meno|oltre|sopra|over|ultra|almeno|minimo|intorno|attorno|sui|sulla|sugli|passa|rotti|qualcosa|spicci|passati|\
    superato|superati|passato|+|tipo|dovrei|credo|penso|forse|boh|mah|saro|o|oppure|massimo|max";
const BELOW: &str = "sotto|under|meno|minore|minorenne|inferiore|entro|massimo|max";
const NEGATIONS: &str = "non|neanche|nemmeno|neppure|mica|nun|minga";
/// Words that leave no age of majority, so that a doubt does not let a minor in.
const NOT_YET: &str = "non|neanche|nemmeno|neppure|mica|quasi|circa|ca|meno|piu|oltre|sotto|sopra|under|over|minore|inferiore|superiore|\
    almeno|massimo|minimo|entro|prima|verso|vicino|tra|fra|manca|mancano|presto|prossimo|prossima|domani|dopodomani|compio|compiro|compiere|compierne|\
    compira|faro|avro|divento|diventero|breve|rotti|sabato|domenica|lunedi|martedi|mercoledi|giovedi|venerdi|primavera|estate|autunno|inverno|natale|pasqua|+";
const REACHED: &str = "si|e|ho|ne|io|gia|appena|fatto|fatti|compiuto|compiuti|compiuta|anni|enne|sono|maggiorenne|la|mia|eta|di|a|da|poco";
/// Words that adults use of themselves.
const GROWN: &str = "figli|figlio|figlia|figlie|nipoti|nipote|marito|moglie|pensione|pensionato|pensionata|lavoro|lavorato|contributi|nonna|nonno|mamma|madre|padre|papa|\
    avevo|quando|fa|servizio|carriera|sposata|sposato|maggiorenne|adulto|adulta|vedova|vedovo|euro|mutuo|operaio|operaia|infermiera|fabbrica|ufficio";
const BORN: &str = "nato|nata|nati|nascita|classe|annata|leva|nascito|nasciuto|nasciuta|nat|cl";
const YEARS_BEFORE: &str =
    "del|de|do|du|der|dello|dû|dell|nel|nell|d|anno|classe|leva|annata|nato|nata|nascita";

/// Reads an answer that is given on `today`, in the newsroom's time zone.
pub fn read_age(raw: &str, today: Date) -> AgeReading {
    if raw.len() > LONGEST {
        return AgeReading::Unclear;
    }
    let said = Said(pieces(raw, today));
    if let Some(reading) = said.at_once(today) {
        return reading;
    }
    let claims = said.claims(today);
    let best = claims.iter().map(|claim| claim.weight).max();
    match best {
        None | Some(Weight::Thing) => AgeReading::Unclear,
        Some(Weight::Other) => AgeReading::SomebodyElse,
        Some(best) => said.decide(&claims, best),
    }
}

/// The one age in a longer text that says so ('ne ho sessantasette'), to be asked back.
pub fn told_age(raw: &str, today: Date) -> Option<u8> {
    if raw.len() > LONGEST {
        return None;
    }
    let said = Said(pieces(raw, today));
    let mut told = said.numbers().filter_map(|(at, number)| {
        let (before, behind) = said.around(at);
        let lived = behind
            .first()
            .is_some_and(|word| is_listed(YEARS_OF_LIFE, word));
        let Claim { ages, weight, .. } = said.claim(at, number, today);
        let own = weight == Weight::Own && (lived || before.contains(&"ne"));
        ages.first().copied().filter(|_| own && ages.len() == 1)
    });
    told.next().filter(|_| told.next().is_none())
}

/// Bytes of an answer beyond which no age is looked for.
const LONGEST: usize = 4_000;

struct Said(Vec<Piece>);

impl Said {
    fn words(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|piece| match piece {
            Piece::Word(word) => Some(&**word),
            _ => None,
        })
    }

    fn says(&self, list: &str) -> bool {
        self.words().any(|word| is_listed(list, word))
    }

    fn numbers(&self) -> impl Iterator<Item = (usize, Number)> {
        self.0
            .iter()
            .enumerate()
            .filter_map(|(at, piece)| match piece {
                Piece::Number(number) => Some((at, *number)),
                _ => None,
            })
    }

    /// Decisions made before numbers are read one by one.
    fn at_once(&self, today: Date) -> Option<AgeReading> {
        if self.0.contains(&Piece::Odd) {
            return Some(AgeReading::Unclear);
        }
        let mut words = self.words();
        let numbers: Vec<Number> = self.numbers().map(|(_, number)| number).collect();
        let minor = words.any(|word| word.starts_with("minorenn"));
        if minor && !self.says(NEGATIONS) {
            let plainly = self.words().all(|word| is_listed(MINOR, word));
            let told = numbers.is_empty() && plainly;
            return Some(if told {
                AgeReading::Minor
            } else {
                AgeReading::Unclear
            });
        }
        if let [one, other] = numbers[..]
            && one.value < 10
            && other.value < 10
            && one.figures.max(other.figures) < 2
            && self.words().all(|word| is_listed(PLAINLY, word))
            && self
                .0
                .windows(2)
                .any(|pair| matches!(pair, [Piece::Number(_), Piece::Number(_)]))
            && one.value > 0
        {
            return Some(asked(vec![
                u8::try_from(10 * one.value + other.value).ok()?,
            ]));
        }
        if self.says("secolo") && self.says("mezzo") {
            return Some(asked(vec![50]));
        }
        self.since_majority().or_else(|| self.reckoned(today))
    }

    /// 'Sono maggiorenne da 3 mesi'.
    fn since_majority(&self) -> Option<AgeReading> {
        let at = self.0.iter().position(
            |piece| matches!(piece, Piece::Word(word) if word.starts_with("maggiorenn")),
        )?;
        let Some(Piece::Word(since)) = self.0.get(at + 1) else {
            return None;
        };
        if since != "da" {
            return None;
        }
        let years = match (self.0.get(at + 2), self.0.get(at + 3)) {
            (Some(Piece::Number(number)), Some(Piece::Word(word)))
                if is_listed(YEARS_OF_LIFE, word) =>
            {
                number.value
            }
            (Some(Piece::Word(un)), Some(Piece::Word(anno)))
                if is_listed("un|uno|1", un) && anno == "anno" =>
            {
                1
            }
            _ => 0,
        };
        let age = u8::try_from(years + u32::from(ADULT_AGE)).ok()?;
        Some(asked(vec![age]))
    }

    /// '10 anni fa ne avevo cinquanta', 'fra 3 anni ne faccio 70'.
    fn reckoned(&self, today: Date) -> Option<AgeReading> {
        let numbers: Vec<(usize, Number)> = self.numbers().collect();
        let [one, other] = numbers[..] else {
            return None;
        };
        let word_at = |at: usize| match self.0.get(at) {
            Some(Piece::Word(word)) => &**word,
            _ => "",
        };
        let ago = |at: usize| is_listed(YEARS_OF_LIFE, word_at(at + 1)) && word_at(at + 2) == "fa";
        let until = |at: usize| {
            at > 0
                && is_listed("tra|fra", word_at(at - 1))
                && is_listed(YEARS_OF_LIFE, word_at(at + 1))
        };
        let sum = |span: Number, then: Number| u8::try_from(span.value + then.value).ok();
        let now = u32::from(today.year().unsigned_abs());
        let (year, then) = if one.1.figures == 4 {
            (one.1, other.1)
        } else {
            (other.1, one.1)
        };
        let age = if year.figures == 4
            && (self.says("avevo") || self.says(TO_COME) && year.value > now)
        {
            let age = u8::try_from((now + then.value).checked_sub(year.value)?).ok()?;
            return (ADULT_AGE + 1..=AGE_MAX)
                .contains(&age)
                .then(|| asked(vec![age, age - 1]));
        } else if self.says("avevo") && ago(one.0) != ago(other.0) {
            sum(one.1, other.1)?
        } else if until(one.0) && self.says(TO_COME) {
            u8::try_from(other.1.value.checked_sub(one.1.value)?).ok()?
        } else {
            return None;
        };
        (ADULT_AGE..=AGE_MAX)
            .contains(&age)
            .then(|| asked(vec![age]))
    }

    fn claims(&self, today: Date) -> Vec<Claim> {
        (0..self.0.len())
            .filter_map(|at| match self.0[at] {
                Piece::Number(number) => Some(self.claim(at, number, today)),
                Piece::Birth(year, month, day) => Some(self.birth(at, (year, month, day), today)),
                _ => None,
            })
            .collect()
    }

    /// Words before a place, nearest first, and behind it, in its clause and without another number between.
    fn around(&self, at: usize) -> (Vec<&str>, Vec<&str>) {
        let told = |piece: &'_ Piece, breaks: &str| match piece {
            Piece::Word(word) => !is_listed(breaks, word),
            _ => false,
        };
        let before = self.0[..at]
            .iter()
            .rev()
            .take_while(|piece| told(piece, "e|ed|o|oppure|ma|pero|che|mentre|poi|invece"));
        let behind = self.0[at + 1..]
            .iter()
            .take_while(|piece| told(piece, "e|ed|o|oppure|ma|pero|mentre|poi|invece"));
        (before.map(word_of).collect(), behind.map(word_of).collect())
    }

    /// Whether the preceding clause speaks of a person from this list, or of a street, without a number.
    fn clause_before(&self, at: usize, list: &str) -> bool {
        let mut before = self.0[..at]
            .iter()
            .rev()
            .skip_while(|piece| matches!(piece, Piece::Word(_)));
        if before.next() != Some(&Piece::Stop) {
            return false;
        }
        let clause: Vec<&Piece> = before.take_while(|piece| **piece != Piece::Stop).collect();
        !clause.iter().any(|piece| matches!(piece, Piece::Number(_)))
            && clause
                .iter()
                .any(|piece| matches!(piece, Piece::Word(word) if is_listed(list, word)))
    }

    fn claim(&self, at: usize, number: Number, today: Date) -> Claim {
        if let Some(claim) = self.year(at, number, today) {
            return claim;
        }
        let age = u8::try_from(number.value).ok();
        match age.filter(|age| (1..=AGE_MAX).contains(age)) {
            Some(age) => self.age(at, number, age),
            None => Claim {
                ages: Vec::new(),
                born: None,
                weight: Weight::Thing,
                plain: false,
            },
        }
    }

    /// A number that may be an age by its value.
    fn age(&self, at: usize, number: Number, age: u8) -> Claim {
        let (before, behind) = self.around(at);
        let years = behind
            .first()
            .is_some_and(|word| is_listed(YEARS_OF_LIFE, word));
        let rest = &behind[usize::from(years)..];
        let (ages, exact) = Self::changed(age, &before, rest);
        let followed = matches!(self.0.get(at + 1 + behind.len()), Some(Piece::Number(_)));
        let weight = if ages.is_empty() {
            Weight::Thing
        } else {
            Self::weight_behind(rest, years, followed).min(self.weight_before(at, &before, years))
        };
        let known = |word: &&str| {
            is_listed(HAVE, word) || is_listed(FILLERS, word) || is_listed(POLITE, word)
        };
        let behind_known = rest
            .first()
            .is_none_or(|word| is_listed(BEHIND_AN_AGE, word))
            || rest == ["piu"];
        let in_figures = number.figures > 0 && !number.around;
        Claim {
            plain: exact && in_figures && before.iter().all(known) && behind_known,
            ages,
            born: None,
            weight,
        }
    }

    /// A year of birth.
    fn year(&self, at: usize, number: Number, today: Date) -> Option<Claim> {
        let (before, behind) = self.around(at);
        let lived = behind
            .first()
            .is_some_and(|word| is_listed(YEARS_OF_LIFE, word));
        if lived
            || !(number.year
                || number.figures == 4
                || number.value > 9 && number.figures != 1
                || number.figures == 2)
        {
            return None;
        }
        let since = before
            .first()
            .is_some_and(|word| is_listed("dal|dall|fino|al", word));
        let near = before
            .iter()
            .find(|word| !is_listed("il|lo|l|in|di|a|e", word));
        let said = number.year
            || near.is_some_and(|word| {
                is_listed(YEARS_BEFORE, word)
                    && !(*word == "anno" && number.figures == 4 && !self.says(BORN))
            });
        if since || !(number.figures == 4 || said) {
            return None;
        }
        let year = said::full_year(number.value, number.figures, today)?;
        let after = u8::try_from(today.year() - year)
            .ok()
            .filter(|age| *age >= YOUNGEST)?;
        let own = said || self.says(BORN) || self.words().all(|word| is_listed(PLAINLY, word));
        let weight = if own { Weight::Own } else { Weight::Weak };
        Some(Claim {
            ages: vec![after - 1, after],
            born: Some(year),
            weight,
            plain: false,
        })
    }

    /// The age on a day, by the day of birth, or by its month.
    fn birth(&self, at: usize, (year, month, day): (i16, i8, i8), today: Date) -> Claim {
        let passed = (month, day) <= (today.month(), today.day());
        let age = u8::try_from(today.year() - year - i16::from(!passed)).unwrap_or_default();
        let (before, _) = self.around(at);
        let since = before
            .first()
            .is_some_and(|word| is_listed("dal|da|al", word));
        let somebody = before.iter().any(|word| is_listed(RELATIVES, word));
        let unsure = day == 0 && month == today.month();
        let ages = if unsure {
            vec![age - 1, age]
        } else {
            vec![age]
        };
        let plain = self.words().all(|word| is_listed(PLAINLY, word)) && !unsure && day > 0;
        let own = plain || self.says(BORN);
        let weight = match (since || !(1..=AGE_MAX).contains(&age), somebody, own) {
            (true, ..) => Weight::Thing,
            (_, true, _) => Weight::Other,
            (_, _, true) => Weight::Own,
            _ => Weight::Weak,
        };
        Claim {
            ages,
            born: None,
            weight,
            plain: plain && age >= ADULT_AGE,
        }
    }

    fn weight_behind(rest: &[&str], years: bool, followed: bool) -> Weight {
        let Some(first) = rest.first() else {
            return Weight::Own;
        };
        let second = rest.get(1).copied().unwrap_or_default();
        let somebody = |word: &&str| is_listed(RELATIVES, word) && *word != "ce";
        if is_listed(BEHIND_AN_AGE, first) && !is_listed(THINGS, first)
            || rest == ["piu"]
            || is_listed(AROUND, first) && *first != "meno"
        {
            return Weight::Own;
        }
        match *first {
            "fa" => Weight::Thing,
            "di" | "d" if is_listed("eta|vita", second) => Weight::Own,
            "di" if is_listed(WORK, second) => Weight::Thing,
            "in" if is_listed("meno|piu", second) => Weight::Thing,
            "che" | "prima" | "dopo" | "meno" | "piu" if years => Weight::Thing,
            "da" if is_listed("poco|pochi|ieri|pochissimo|un|oggi|due|tre", second) => Weight::Own,
            "a" if is_listed(MONTHS, second) || second.len() > 2 && !years => Weight::Own,
            _ if !years && (is_listed(THINGS, first) || is_listed(SCHOOL, first)) => Weight::Thing,
            _ if is_listed(YOURS, first) || somebody(first) => {
                if followed {
                    Weight::Own
                } else if rest.iter().any(somebody) {
                    Weight::Other
                } else {
                    Weight::Weak
                }
            }
            _ if rest
                .iter()
                .take(2)
                .any(|word| is_listed("ha|hanno|lui|lei", word)) =>
            {
                Weight::Other
            }
            _ => Weight::Weak,
        }
    }

    fn weight_before(&self, at: usize, before: &[&str], years: bool) -> Weight {
        let first = before.first().copied().unwrap_or_default();
        let come = before.iter().any(|word| is_listed(TO_COME, word)) || before.contains(&"vado");
        let numbered = before.iter().any(|word| is_listed(NUMBERED, word));
        if numbered && !is_listed(HAVE, first) && !come && !before.contains(&"verso") {
            return Weight::Thing;
        }
        let span = if come {
            None
        } else {
            Self::weight_of_span(before, years)
        };
        span.or_else(|| Self::weight_of_words(before))
            .unwrap_or_else(|| self.weight_of_clauses(at, years))
    }

    /// The weight of a number that tells since when, how long or until when ('da 16 anni', 'avevo 16 anni').
    fn weight_of_span(before: &[&str], years: bool) -> Option<Weight> {
        let near = before
            .iter()
            .find(|word| !is_listed("i|gli|le|la|piu|oltre|quasi|circa|questi|quei", word))
            .copied()
            .unwrap_or_default();
        let lived = near == "da" && before.contains(&"gia") && before.contains(&"compiuti");
        if !is_listed(BEFORE_SPANS, near) || lived {
            return None;
        }
        Some(if years || near != "in" {
            Weight::Thing
        } else {
            Weight::Weak
        })
    }

    /// By the nearest word before a number that tells whose it is.
    fn weight_of_words(before: &[&str]) -> Option<Weight> {
        let my_age = before.contains(&"eta");
        before.iter().find_map(|word| {
            let light = [FILLERS, POLITE, AROUND, TO_COME, NEARLY]
                .iter()
                .any(|list| is_listed(list, word));
            let somebody = is_listed(RELATIVES, word) || is_listed(YOURS, word);
            match *word {
                "la" | "a" | "di" if !my_age => Some(Weight::Weak),
                word if is_listed(HAVE, word) => Some(Weight::Own),
                "mia" => (!my_age).then_some(Weight::Other),
                _ if somebody => Some(Weight::Other),
                _ if light => None,
                _ if before.iter().any(|word| is_listed(RELATIVES, word)) => Some(Weight::Other),
                _ => Some(Weight::Weak),
            }
        })
    }

    /// The weight of a number without words before it in its clause.
    fn weight_of_clauses(&self, at: usize, years: bool) -> Weight {
        if self.clause_before(at, NUMBERED) && !years {
            return Weight::Thing;
        }
        if self.clause_before(at, RELATIVES) {
            let somebody = self.clause_before(at, YOURS) && !self.clause_before(at, "sono|io");
            return if somebody {
                Weight::Other
            } else {
                Weight::Weak
            };
        }
        if self.leads_to_an_address(at) {
            return Weight::Weak;
        }
        Weight::Bare
    }

    /// Whether a number stands before its street, or before a part of its house.
    fn leads_to_an_address(&self, at: usize) -> bool {
        let [Piece::Stop, behind @ ..] = &self.0[at + 1..] else {
            return false;
        };
        let Some(Piece::Word(first)) = behind.first() else {
            return false;
        };
        let mut clause = behind.iter().take_while(|piece| **piece != Piece::Stop);
        is_listed(PARTS_OF_A_HOUSE, first)
            || is_listed(STREETS, first) && !clause.any(|piece| matches!(piece, Piece::Number(_)))
    }

    /// The ages that words beside a number leave, and whether it is the number itself.
    fn changed(age: u8, before: &[&str], rest: &[&str]) -> (Vec<u8>, bool) {
        let lived = before
            .iter()
            .chain(rest)
            .any(|word| word.starts_with("compiut") || is_listed("fatto|fatti|fatte", word));
        let ahead = |list: &str| before.iter().any(|word| is_listed(list, word));
        let behind = |list: &str| rest.iter().take(4).any(|word| is_listed(list, word));
        let month = |words: &[&str]| words.iter().any(|word| is_listed(MONTHS, word));
        let before_it = age - 1;
        if ahead(NEGATIONS) && !lived {
            return if ahead("ancora") {
                (vec![before_it], false)
            } else {
                (Vec::new(), false)
            };
        }
        if ahead("ancora") && ahead(NEGATIONS) {
            return (vec![before_it], false);
        }
        if ahead(BELOW) && !before.contains(&"piu") {
            return (Vec::new(), false);
        }
        if (ahead(TO_COME) || behind("faccio|compio|faro|compiro")) && !lived {
            return (vec![before_it], false);
        }
        if ahead(NEARLY) && !before.contains(&"piu")
            || rest
                .first()
                .is_some_and(|word| is_listed("quasi|tra|fra", word))
            || ahead("tra|fra")
        {
            return (vec![before_it, age], false);
        }
        if (month(rest) || month(before)) && !lived {
            return (vec![before_it, age], false);
        }
        let loosely = ahead(AROUND) || behind("circa|ca|passa|rotti|qualcosa|spicci|+|oltre");
        (vec![age], !loosely)
    }

    fn decide(&self, claims: &[Claim], best: Weight) -> AgeReading {
        let best = self.likeliest(claims, best);
        let ages = ages_of(&best);
        let alone = claims
            .iter()
            .all(|claim| claim.weight == Weight::Thing || best.contains(&claim));
        let plain = best
            .iter()
            .any(|claim| claim.plain && claim.weight >= Weight::Bare);
        match ages[..] {
            [] | [_, _, _, _, _, ..] => AgeReading::SomebodyElse,
            [ADULT_AGE] => self.majority(&best),
            [age] if age < ADULT_AGE => self.minor(age, claims),
            [age] if alone && plain && self.is_sure(&best) => AgeReading::Adult(age),
            [before, after] if best.len() == 1 && best[0].born.is_some() => {
                AgeReading::Born(best[0].born.unwrap_or_default(), [before, after])
            }
            _ if ages.iter().all(|age| *age <= ADULT_AGE) => AgeReading::Unclear,
            _ => asked(ages),
        }
    }

    /// The claims of the best weight, and those of all of age where they say 'abbiamo'; of weak ones only those of age.
    fn likeliest<'a>(&self, claims: &'a [Claim], best: Weight) -> Vec<&'a Claim> {
        let adult = |age: &u8| *age >= ADULT_AGE;
        let strong = best >= Weight::Bare;
        let likely = claims.iter().filter(|claim| {
            let ours = claim.weight >= Weight::Bare && claim.ages.iter().all(adult);
            claim.weight == best || strong && ours && self.says("abbiamo")
        });
        likely
            .filter(|claim| strong || claim.ages.iter().any(adult))
            .collect()
    }

    /// Nothing before a number that stands alone is unknown.
    fn is_sure(&self, best: &[&Claim]) -> bool {
        let own = best.iter().any(|claim| claim.weight == Weight::Own);
        let before = self
            .0
            .iter()
            .take_while(|piece| !matches!(piece, Piece::Number(_) | Piece::Birth(..)));
        let known = |word: &str| {
            is_listed(HAVE, word)
                || is_listed(FILLERS, word)
                || is_listed(POLITE, word)
                || is_listed(BORN, word)
                || is_listed("il|data", word)
        };
        own && !self.says("quando|se")
            && !before
                .clone()
                .any(|piece| matches!(piece, Piece::Word(word) if is_listed(RELATIVES, word)))
            || before.clone().all(|piece| {
                matches!(piece, Piece::Word(word) if known(word)) || *piece == Piece::Stop
            })
    }

    /// Eighteen: a doubt must not let a minor in.
    fn majority(&self, best: &[&Claim]) -> AgeReading {
        let lived = self
            .words()
            .any(|word| word.starts_with("compiut") || is_listed("fatto|fatti", word));
        if self
            .numbers()
            .all(|(_, number)| number.value != u32::from(ADULT_AGE))
        {
            return asked(vec![ADULT_AGE]);
        }
        let not_yet = self.says(NOT_YET) || self.says(MONTHS) && !lived;
        let reached = self
            .words()
            .all(|word| is_listed(REACHED, word) || lived && is_listed(MONTHS, word));
        let figures = self.numbers().count() == 1 && best.iter().any(|claim| claim.plain);
        match (not_yet, reached && figures) {
            (true, _) => AgeReading::Unclear,
            (_, true) => AgeReading::Adult(ADULT_AGE),
            _ => asked(vec![ADULT_AGE]),
        }
    }

    /// An age below 18 is taken where nothing else can be meant.
    fn minor(&self, age: u8, claims: &[Claim]) -> AgeReading {
        let one = claims.len() == 1 && claims[0].ages == [age] && claims[0].weight >= Weight::Bare;
        let plain = claims[0].plain;
        let only = self.words().all(|word| is_listed(PLAINLY, word)) && plain;
        // 'Ho 2' hardly ends there.
        let only = only && (age > 9 || self.words().next().is_none() || self.says(YEARS_OF_LIFE));
        let framed = self.is_framed() && !self.says(GROWN);
        if one && claims[0].born.is_none() && (only || framed) {
            return AgeReading::Minor;
        }
        if age + 1 == ADULT_AGE && self.says(NOT_YET) {
            return AgeReading::Unclear;
        }
        asked(vec![age])
    }

    /// 'Ho 15 anni', 'ne ho quindici'.
    fn is_framed(&self) -> bool {
        self.numbers().any(|(at, _)| {
            let (before, behind) = self.around(at);
            let known = |word: &&str| {
                is_listed(
                    "ho|io|ne|tengo|gia|solo|appena|ciao|buongiorno|salve|sono",
                    word,
                )
            };
            let ends = behind.len() < 2 || is_listed(BEHIND_AN_AGE, behind[1]);
            behind
                .first()
                .is_some_and(|word| is_listed(YEARS_OF_LIFE, word))
                && ends
                && before.iter().any(|word| is_listed("ho|ne|tengo", word))
                && before.iter().all(known)
        })
    }
}

/// Years of life below which a year is hardly one of birth.
const YOUNGEST: u8 = 10;
const MINOR: &str =
    "sono|io|un|una|ancora|e|minorenne|minorenni|si|purtroppo|ciao|salve|buongiorno|ma";
/// Words that an answer of nothing but an age has.
const PLAINLY: &str = "io|ho|ne|anni|anne|ani|ann|enne|eta|la|mia|gia|e|sono|tengo|nato|nata|nascita|data|il|di|in|del|dell|nel|l|classe|anno|\
    ciao|buongiorno|salve|buonasera|grazie|si|compiuti|compiuto|ok|appena|solo|mezzo|giorno";

fn word_of(piece: &Piece) -> &str {
    match piece {
        Piece::Word(word) => word,
        _ => "",
    }
}

/// The ages of all claims, each once; the one on which all agree ('34, 35 a dicembre').
fn ages_of(claims: &[&Claim]) -> Vec<u8> {
    let certain = claims.iter().find(|claim| claim.ages.len() == 1);
    if let Some(one) = certain.filter(|_| claims.len() > 1)
        && claims.iter().all(|claim| claim.ages.contains(&one.ages[0]))
    {
        return one.ages.clone();
    }
    let mut ages: Vec<u8> = Vec::new();
    for age in claims.iter().flat_map(|claim| &claim.ages) {
        if !ages.contains(age) {
            ages.push(*age);
        }
    }
    ages
}

fn asked(ages: Vec<u8>) -> AgeReading {
    AgeReading::Asked(ages)
}

#[cfg(test)]
mod tests {
    use super::super::numerals;
    use super::*;
    use jiff::civil::date;
    use proptest::prelude::*;
    use serde_json::Value;

    const TODAY: Date = date(2026, 11, 28);

    /// The outcome of the answers of `tests/vectors/ages.json`.
    #[derive(Debug, Default, PartialEq)]
    struct Counts {
        turned_away: Vec<String>,
        taken_wrong: Vec<String>,
        /// Neither understood nor asked back with the right age, though one was said.
        missed: Vec<String>,
    }

    fn count(counts: &mut Counts, text: &str, right: &Value) {
        let reading = read_age(text, TODAY);
        let is_right = |age: &u8| {
            right
                .as_array()
                .is_some_and(|ages| ages.contains(&(*age).into()))
        };
        let minor = right == "minor";
        match &reading {
            AgeReading::Minor if !minor => counts.turned_away.push(text.to_owned()),
            AgeReading::Adult(age) if !is_right(age) => counts.taken_wrong.push(text.to_owned()),
            AgeReading::Asked(ages) if minor && ages.iter().all(|age| *age >= ADULT_AGE) => {
                counts.taken_wrong.push(text.to_owned());
            }
            AgeReading::Asked(ages) if right.is_array() && !ages.iter().any(is_right) => {
                counts.missed.push(text.to_owned());
            }
            AgeReading::Born(_, ages) if right.is_array() && !ages.iter().any(is_right) => {
                counts.missed.push(text.to_owned());
            }
            AgeReading::Unclear | AgeReading::SomebodyElse if right.is_array() => {
                counts.missed.push(text.to_owned());
            }
            _ => {}
        }
    }

    #[test]
    fn nobody_of_age_is_turned_away_and_no_age_is_taken_wrong() {
        let rows: Vec<Value> =
            serde_json::from_str(include_str!("../../../tests/vectors/ages.json")).unwrap();
        let mut counts = Counts::default();
        for row in &rows {
            count(&mut counts, row["text"].as_str().unwrap(), &row["age"]);
        }
        let missed = ["tengo cinquantadoje anne".to_owned()].to_vec();
        let expected = Counts {
            missed,
            ..Counts::default()
        };
        assert_eq!(counts, expected, "of {}", rows.len());
    }

    #[test]
    fn what_is_plain_is_taken_and_the_rest_is_asked_back_or_refused() {
        let asked = |ages: &[u8]| AgeReading::Asked(ages.to_vec());
        for (said, expected) in [
            ("34", AgeReading::Adult(34)),
            ("34 anni, più o meno", AgeReading::Adult(34)),
            ("45 anni, 2 figli", AgeReading::Adult(45)),
            ("34 anni, perché?", AgeReading::Adult(34)),
            ("12/03/1980", AgeReading::Adult(46)),
            ("nata il 29 novembre 1980", AgeReading::Adult(45)),
            ("auto-dichiaro 40 anni", asked(&[40])),
            ("quarantadue", asked(&[42])),
            ("34 o 35", asked(&[34, 35])),
            ("quasi 70", asked(&[69, 70])),
            ("ne faccio 70 a marzo", asked(&[69])),
            ("mia madre ha 80 anni, io 52", asked(&[52])),
            ("sono nata nel 1980", AgeReading::Born(1980, [45, 46])),
            ("classe 63", AgeReading::Born(1963, [62, 63])),
            ("nato il 9 maggio 08", asked(&[18])),
            ("nato il 4 aprile 2011", asked(&[15])),
            ("diciassette", asked(&[17])),
            ("17", AgeReading::Minor),
            ("ho quindici anni", AgeReading::Minor),
            ("sono minorenne", AgeReading::Minor),
            ("ho 2", asked(&[2])),
            ("è per mio figlio, 9 anni", AgeReading::SomebodyElse),
            ("lavoro qui da 16 anni", AgeReading::Unclear),
            ("ho 45 anni di contributi", AgeReading::Unclear),
            ("ne faccio 18 a marzo", asked(&[17])),
            ("34,5", AgeReading::Unclear),
            // A number of an address, or of another thing.
            ("12, via dei Mille", AgeReading::SomebodyElse),
            ("12 via dei Mille", AgeReading::SomebodyElse),
            ("12 - piazza Dante, Napoli", AgeReading::SomebodyElse),
            ("dodici, via dei Mille", AgeReading::SomebodyElse),
            ("12, interno 7", AgeReading::SomebodyElse),
            ("interno 7", AgeReading::Unclear),
            ("scala 3 interno 7", AgeReading::Unclear),
            ("civico 12", AgeReading::Unclear),
            ("al civico 12", AgeReading::Unclear),
            ("matricola 12", AgeReading::Unclear),
            ("45, via dei Mille", asked(&[45])),
            ("67, via Roma 12", AgeReading::Adult(67)),
            ("ho 45 anni, via dei Mille", AgeReading::Adult(45)),
            ("12, via dei Mille, ho 45 anni", asked(&[45])),
        ] {
            assert_eq!(read_age(said, TODAY), expected, "{said}");
        }
    }

    #[test]
    fn one_number_is_its_value_and_nothing_else() {
        for age in ADULT_AGE + 1..=AGE_MAX {
            let words = numerals::spelled(age);
            for (before, behind) in [
                ("", ""),
                ("", " anni"),
                ("ho ", ""),
                ("ho ", " anni"),
                ("ne ho ", ""),
                ("Buongiorno, ho ", " anni compiuti."),
                ("io ne ho ", ", grazie"),
            ] {
                let figures = read_age(&format!("{before}{age}{behind}"), TODAY);
                let said = read_age(&format!("{before}{words}{behind}"), TODAY);
                assert_eq!(figures, AgeReading::Adult(age), "{before}{age}{behind}");
                assert_eq!(said, asked(vec![age]), "{before}{words}{behind}");
            }
        }
    }

    #[test]
    fn the_one_age_in_a_text_is_found() {
        for (said, age) in [
            (
                "Da tre notti in reparto siamo in due per quarantadue ospiti, e il direttore dice di legare chi si alza.",
                None,
            ),
            (
                "Buongiorno, ne ho sessantasette compiuti a marzo e vi scrivo perché in via Roma 12 bruciano i rifiuti.",
                Some(67),
            ),
            (
                "Mio figlio ha 12 anni e da 3 mesi lo picchiano a scuola, il preside dice che sono ragazzi e non fa niente.",
                None,
            ),
            (
                "Mio figlio ha 12 anni, io ho 45 anni e da 3 mesi lo picchiano a scuola, il preside dice che sono ragazzi.",
                Some(45),
            ),
        ] {
            assert_eq!(told_age(said, TODAY), age, "{said}");
        }
    }

    proptest! {
        #[test]
        fn any_answer_is_read(said in "\\PC{0,200}") {
            let ages = match read_age(&said, TODAY) {
                AgeReading::Adult(age) => vec![age],
                AgeReading::Asked(ages) => ages,
                AgeReading::Born(_, ages) => ages.to_vec(),
                _ => vec![1],
            };
            prop_assert!(ages.iter().all(|age| (1..=AGE_MAX).contains(age)) && !ages.is_empty());
        }

        #[test]
        fn one_number_among_letters_is_its_value_or_refused(age in 19_u8..=120, before in "[b-hò ]{0,20}", after in "[b-hè ]{0,20}") {
            let reading = read_age(&format!("{before} {age} {after}"), TODAY);
            let asked = matches!(&reading, AgeReading::Asked(ages) if ages.contains(&age));
            prop_assert!(asked || reading == AgeReading::Adult(age) || matches!(reading, AgeReading::Unclear | AgeReading::SomebodyElse | AgeReading::Born(..)), "{reading:?}");
        }

        #[test]
        fn a_number_below_eighteen_is_never_of_age(age in 1_u8..18, before in "[a-zò ]{0,20}", after in "[a-zè ]{0,20}") {
            let reading = read_age(&format!("{before} {age} {after}"), TODAY);
            prop_assert!(!matches!(reading, AgeReading::Adult(_)), "{reading:?}");
        }
    }
}
