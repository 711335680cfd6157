//! What names somebody by its form: numbers, addresses, codes. Forms of Italian codes: D.M. 12 marzo 1974 (tax code), ISO 13616
//! (IBAN), D.P.R. 495/1992 art. 250 and D.M. 15 maggio 2006 (plates).

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex_lite::Regex;

use super::{Found, Naming};
use crate::domain::fields::find_phones;

type Check = fn(&str) -> bool;

/// Reason, form, and what the form cannot say. The first group is the place, where there is one.
const FORMS: &[(Naming, &str, Check)] = &[
    // Anna.Rossi@example.it; 'anna rossi @ example . it', where no name of a domain stands without spaces: the next sentence is none.
    // Behind a blank, '@x' is a name on a social network.
    (
        Naming::Email,
        r#"[^\s@<>()\[\],;:"«»“”]+(?:@ ?| @ )(?:[^\s@<>()\[\],;:"«»“”!?]+\.[A-Za-z]{2,}|[^\s@<>()\[\],;:"«»“”!?]+ ?\. ?(?:it|com|org|net|eu|info|edu|gov|example|fr|de|ch|uk|es|ro|me|io)\b)"#,
        any,
    ),
    // 'anna punto rossi chiocciola gmail punto com', 'anna(at)example.it'; with spaces around a point only before what ends a domain.
    (
        Naming::Email,
        r"(?i)(?:[\w.-]+ (?:punto|trattino|underscore) )*[\w.-]+ ?(?: chiocciol(?:a|ina) | at |[(\[] ?(?:at|chiocciola) ?[)\]]) ?[\w-]+(?:(?:(?:\.| punto | dot | ?[(\[] ?(?:dot|punto) ?[)\]] ?)[\w-]+)+(?: ?\. ?(?:it|com|org|net|eu)\b)?| ?\. ?(?:it|com|org|net|eu|info|edu|gov|example|fr|de|ch|uk|es|ro|me|io)\b)",
        any,
    ),
    // 'anna@gmail', whose end was left out.
    (
        Naming::Email,
        r"[A-Za-z0-9._%+-]{2,}@[A-Za-z0-9-]{4,}\b",
        any,
    ),
    (
        Naming::Email,
        r"(?:^|[\s(])(@[A-Za-z0-9_.]{2,29}[A-Za-z0-9_])",
        any,
    ),
    (
        Naming::Iban,
        r"(?i)\b(?:[a-z]{2} ?[0-9]{2}(?:[ .-]?[a-z0-9]{4}){2,7}(?:[ .-]?[a-z0-9]{1,4})?|it[ .-]?[0-9]{2}[ .-]?[a-z][ .-]?[0-9]{5}[ .-]?[0-9]{5}[ .-]?[a-z0-9]{12})\b",
        is_iban,
    ),
    // The health card's (D.M. 11 marzo 2004): 80, the state's 380, and fifteen more.
    (
        Naming::Document,
        r"\b80[ .-]?3[ .-]?8[ .-]?0(?:[ .-]?[0-9]){15}\b",
        any,
    ),
    // Card numbers, mostly in fours.
    (
        Naming::Iban,
        r"\b[0-9]{4}[ -]?[0-9]{4}[ -]?[0-9]{4}[ -]?[0-9]{4}\b",
        any,
    ),
    (
        Naming::TaxCode,
        r"(?i)\b[a-z]{3}[ -]?[a-z]{3}[ -]?[0-9lmnp-v]{2}[ -]?[abcdehlmprst][ -]?[0-9lmnp-v]{2}[ -]?[a-z][ -]?[0-9lmnp-v]{3}[ -]?[a-z]\b",
        is_tax_code,
    ),
    (
        Naming::TaxCode,
        r"(?i)\b(?:partita iva|p\. ?iva|p\.i\.)[ :n°.]*((?:it ?)?[0-9]{11})\b",
        any,
    ),
    (
        Naming::Plate,
        r"(?i)\b[abcdefghjklmnprstvwxyz]{2}[ -]?[0-9]{3}[ -]?[abcdefghjklmnprstvwxyz]{2}\b",
        is_plate,
    ),
    // Motorcycles, and the old ones by province ('MI 12345A', 'Roma A12345'); mopeds; those of the armed forces.
    (
        Naming::Plate,
        r"\b(?:Roma|[A-Z]{2})[ -]?(?:[0-9]{5,6}|[0-9]{5}[A-Z]|[A-Z0-9][A-Z0-9]?[0-9]{4,5})\b",
        any,
    ),
    (Naming::Plate, r"\bX[0-9][A-Z0-9]{4}\b", any),
    (
        Naming::Plate,
        r"\b(?:CC|EI|AM|MM|VF|CRI)[ -]?[A-Z]{2}[ -]?[0-9]{3}\b",
        any,
    ),
    // Foreign ones have no form of their own.
    (
        Naming::Plate,
        r"(?i:\btarg(?:ata|ato|ati|ate|a|he)\b)(?: (?i:è|e|era|numero|n\.?|del[a-z]*))*[ :]*((?:[A-Z]{1,3}[ -]?){0,2}[A-Za-z]*[0-9][A-Za-z0-9]*(?:[ -]?[A-Za-z0-9]*[0-9][A-Za-z0-9]*)*(?:[ -]?[A-Z]{1,3}\b){0,2})",
        any,
    ),
    (Naming::Address, STREET, is_street),
    (
        Naming::Document,
        r"(?i)\b(?:matricola|tessera(?: sanitaria| europea)?|TEAM|badge|passaporto|carta d['’]identit[aà]|c\. ?i\.|patente|polizza|codice (?:cliente|paziente|utente)|pratica|cartella clinica|permesso di soggiorno)(?: (?:è|numero|n\.?|nr\.?|num\.?))*[ :n°.]*([a-z]{0,3}[ -]?[0-9][a-z0-9/-]{2,})",
        any,
    ),
    (
        Naming::Birth,
        r"(?i)\bnat[oaie](?: [a-zàèéìòù'’]+(?: \([a-z]{2}\))?){0,5},? (?:il |l['’]|in data |nel )?([0-9]{1,2}(?:[/.-][0-9]{1,2}[/.-]| (?:gennaio|febbraio|marzo|aprile|maggio|giugno|luglio|agosto|settembre|ottobre|novembre|dicembre) )(?:19|20)?[0-9]{2})",
        any,
    ),
    (
        Naming::Phone,
        r"(?:\+|00)?[(]?[0-9](?:[ .\-–/()•·\u{A0}\u{AD}\u{200B}-\u{200D}\u{2060}\u{FE00}-\u{FE0F}]{0,3}[0-9]){5,}",
        is_phone,
    ),
    (Naming::Phone, DICTATED, is_dictated_phone),
];

/// Figures in words, in a row.
const DICTATED: &str = r"(?i)\b(?:(?:(?:zero|uno?|due|tr[eé]|quattro|cinque|sei|sette|otto|nove|dieci|undici|dodici|tredici|quattordici|quindici|sedici|diciassette|diciotto|diciannove|venti?|trenta?|quaranta?|cinquanta?|sessanta?|settanta?|ottanta?|novanta?|cento|mila|doppio|triplo)+|e|[0-9]{1,4})[ ,.-]+){2,}(?:(?:zero|uno|due|tr[eé]|quattro|cinque|sei|sette|otto|nove|dieci|venti?|trenta?|quaranta?|cinquanta?|sessanta?|settanta?|ottanta?|novanta?|cento|mila)+\b|[0-9]{1,4}\b)";

/// 'Via Giuseppe Verdi, n. 12/b, scala C'.
const STREET: &str = r"(?i)\b(?:via|viale|v\.le|v\.|piazza|p\.zza|p\.za|piazzale|piazzetta|corso|c\.so|largo|vicolo|contrada|c\.da|strada|salita|discesa|borgo|localit[aà]|loc\.|lungomare|lungarno|lungotevere|lungofiume|lungolago|calle|campiello|fondamenta|rione|traversa|vico|rampa|regione|frazione|fraz\.|circonvallazione)(?: [a-zà-ÿ'’]+| [a-zà-ÿ]{1,3}\.(?: ?[a-z]{2,3}\b)?| [0-9]{1,2} [a-zà-ÿ]{4,}){1,6}?,?(?: (?:al )?(?:n\.?|n°|nr\.?|num\.?|numero|civico|civ\.?))*[ °]*[0-9]{1,4}(?: ?/ ?[a-z0-9]{1,3}\b| ?[a-dg-h]\b| bis| ter)?(?:,? (?:scala|scal\.|sc\.|interno|int\.|piano|palazzina|lotto|edificio) ?[a-z0-9]{1,4}\b)*";

static RULES: LazyLock<Vec<(Naming, Regex, Check)>> = LazyLock::new(|| {
    let rule = |(why, form, check): &(Naming, &str, Check)| {
        Regex::new(form).ok().map(|form| (*why, form, *check))
    };
    FORMS.iter().filter_map(rule).collect()
});

#[cfg(test)]
pub fn unread() -> Vec<&'static str> {
    let unread = |form: &&str| Regex::new(form).is_err();
    FORMS
        .iter()
        .map(|(_, form, _)| *form)
        .filter(unread)
        .collect()
}

/// The bytes of all places with such a form; of two at one place the earlier rule's comes first.
pub fn found(text: &str) -> Vec<Found> {
    let mut taken: BTreeMap<usize, usize> = BTreeMap::new();
    let mut places = Vec::new();
    for (why, form, check) in RULES.iter() {
        for captures in form.captures_iter(text) {
            let Some(place) = captures.get(1).or_else(|| captures.get(0)) else {
                continue;
            };
            let at = place.range();
            let before = taken.range(..at.end).next_back();
            let free = before.is_none_or(|(_, end)| *end <= at.start);
            if free && check(place.as_str()) {
                taken.insert(at.start, at.end);
                places.push(Found::of(at, *why));
            }
        }
    }
    places
}

const fn any(_: &str) -> bool {
    true
}

fn digits(text: &str) -> usize {
    text.bytes().filter(u8::is_ascii_digit).count()
}

/// Letters stand for figures only in codes that would be twice; words have none.
fn is_tax_code(text: &str) -> bool {
    let apart = text.contains([' ', '-']);
    digits(text) >= if apart { 5 } else { 2 } || (!apart && !text.contains(char::is_lowercase))
}

/// Words in groups of four letters are no IBAN.
fn is_iban(text: &str) -> bool {
    digits(text) >= 10
}

/// 'da 100 mq' is no plate.
fn is_plate(text: &str) -> bool {
    let (head, tail) = (text.get(..2), text.get(text.len().saturating_sub(2)..));
    let units = ["mq", "km", "kg", "mt", "cm", "gr", "ml", "hz", "kw"];
    let small = [
        "da", "di", "in", "su", "se", "ne", "le", "al", "ho", "ha", "da",
    ];
    let is_one_of = |words: &[&str], part: Option<&str>| {
        part.is_some_and(|part| words.contains(&&*part.to_lowercase()))
    };
    let apart = text.contains(' ');
    !(apart && (is_one_of(&small, head) || is_one_of(&units, tail)))
}

/// 'Via alle 15' names no street, nor does 'in corso da 3 anni'.
fn is_street(text: &str) -> bool {
    const HOURS: [&str; 11] = [
        "alle", "dalle", "ore", "verso", "entro", "per", "con", "circa", "anni", "euro", "giorni",
    ];
    const WORDS: [&str; 12] = [
        "corso", "strada", "salita", "discesa", "borgo", "calle", "rione", "traversa", "rampa",
        "regione", "frazione", "largo",
    ];
    let mut words = text.split(' ');
    let kind = words.next().unwrap_or_default();
    let plain = WORDS.contains(&kind);
    let named = words.clone().find(|word| word.len() > 3);
    let small = named.is_none_or(|word| !word.starts_with(char::is_uppercase));
    let timed = words.any(|word| HOURS.contains(&&*word.to_lowercase()));
    (!plain || !small) && !timed
}

/// Dates, amounts and years have the digits of a number, too.
fn is_phone(text: &str) -> bool {
    let parts: Vec<&str> = text.split(|sign: char| !sign.is_ascii_digit()).collect();
    let date = parts.len() == 3 && parts[0].len() <= 2 && parts[1].len() <= 2;
    let thousands = text.contains('.')
        && parts.iter().skip(1).all(|part| part.len() == 3)
        && parts[0].len() <= 3;
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    if text.starts_with('+') || begins_as_service(&digits) {
        return digits.len() <= 15;
    }
    // Others stand behind each other: '333 1234567 / 334 7654321'.
    !date && !thousands && !find_phones(&text.replace(['•', '·'], " ")).is_empty()
}

/// Numbers that cost nothing, or much.
fn begins_as_service(digits: &str) -> bool {
    const SERVICES: [&str; 7] = ["800", "803", "840", "848", "892", "895", "899"];
    (8..=10).contains(&digits.len()) && SERVICES.iter().any(|one| digits.starts_with(one))
}

fn is_dictated_phone(text: &str) -> bool {
    text.chars().any(char::is_alphabetic) && !find_phones(text).is_empty()
}
