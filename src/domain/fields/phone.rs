//! Telephone numbers as people type, paste and dictate them. Whether they reach a person is not checked.

use std::mem::take;
use std::ops::RangeInclusive;

use unicode_normalization::UnicodeNormalization;

use super::FieldError;
use crate::domain::{numerals, text};

const MOBILE_DIGITS: usize = 10;
/// The leading zero included.
const LANDLINE_DIGITS: RangeInclusive<usize> = 6..=11;
/// Country code included (ITU-T E.164 has at most 15).
const FOREIGN_DIGITS: RangeInclusive<usize> = 7..=15;
/// Figures beyond which a text is no list of numbers.
const GROUPS_MAX: usize = 40;
/// Ways to read dictated figures that are tried.
const READINGS_MAX: usize = 64;

/// Words around a number that say no more than that it is one.
const LABELS: &str = "tel|telefono|telef|tell|cell|cellulare|cel|mobile|mob|phone|portatile|numero|num|n|nr|whatsapp|wapp|wa|\
                      italia|ita|recapito";
/// Words between dictated figures.
const FILLERS: &str = "e|poi|spazio|trattino|punto|virgola|ancora";

/// Ten digits, without separators and Italian prefix.
pub fn parse_phone(raw: &str) -> Result<String, FieldError> {
    only(raw)
        .filter(|number| is_mobile(number))
        .ok_or(FieldError::Malformed)
}

/// Also landlines and foreign numbers, in international form; an Italian mobile stays ten digits.
pub fn parse_any_phone(raw: &str) -> Result<String, FieldError> {
    only(raw).ok_or(FieldError::Malformed)
}

/// The number, where nothing else stands there.
fn only(raw: &str) -> Option<String> {
    let found = read(raw);
    let [stretch] = &*found.stretches else {
        return None;
    };
    let plain = !found.words && stretch.iter().all(|group| !group.doubtful);
    let figures: Vec<Figures> = stretch.iter().filter_map(Group::first).collect();
    plain.then(|| joined(&figures)).flatten()
}

/// A number or a part of one as it is stored: without separators and Italian prefix, other prefixes behind a `+`. `None`
/// without digits, or with anything else.
pub fn phone_digits(raw: &str) -> Option<String> {
    let found = read(raw);
    let [stretch] = &*found.stretches else {
        return None;
    };
    let plain = !found.words && !found.labels && stretch.iter().all(|group| !group.doubtful);
    let figures: Vec<Figures> = stretch.iter().filter_map(Group::first).collect();
    let digits = plain.then(|| compact(&figures)).flatten()?;
    let digits = without_prefix(&digits);
    (digits.bytes().any(|byte| byte.is_ascii_digit())).then_some(digits)
}

/// All numbers in a text, each once and as it is stored, in their order; also those that are dictated in words. Landlines and
/// foreign numbers are among them.
pub fn find_phones(raw: &str) -> Vec<String> {
    let stretches = read(raw).stretches;
    let mut numbers: Vec<String> = Vec::new();
    let found = stretches
        .iter()
        .flat_map(|stretch| stretch_numbers(stretch));
    for number in found {
        if !numbers.contains(&number) {
            numbers.push(number);
        }
    }
    // 'Prefisso 333, numero 1234567'.
    if numbers.is_empty() && stretches.len() > 1 {
        let all = stretches
            .iter()
            .flatten()
            .map(Group::first)
            .collect::<Option<Vec<_>>>();
        numbers.extend(all.and_then(|all| joined(&all)));
    }
    numbers
}

/// As it is read to a person: '333 123 4567'.
pub fn shown_phone(number: &str) -> String {
    if !is_mobile(number) {
        return number.to_owned();
    }
    let (prefix, rest) = number.split_at(3);
    let (middle, end) = rest.split_at(3);
    format!("{prefix} {middle} {end}")
}

/// A number that was found, where it is taken: else only a mobile, also one behind the zero that a prefix once wanted.
pub fn taken_phone(number: String, other_phones: bool) -> Option<String> {
    if other_phones || is_mobile(&number) {
        return Some(number);
    }
    let mobile = number.strip_prefix("+390")?;
    is_mobile(mobile).then(|| mobile.to_owned())
}

/// Ten digits from 3 on, as they are stored.
fn is_mobile(number: &str) -> bool {
    number.len() == MOBILE_DIGITS
        && number.starts_with('3')
        && number.bytes().all(|byte| byte.is_ascii_digit())
}

/// Digits that stand together.
#[derive(Debug, Clone)]
struct Figures {
    plus: bool,
    digits: String,
}

/// Digits, or words for them, which may be meant in two ways ('quaranta cinque').
#[derive(Debug)]
struct Group {
    ways: Vec<Figures>,
    /// It was said in words, or has a letter for a digit.
    doubtful: bool,
    /// The tens that a word stands for, to which a unit may be added.
    tens: Option<u64>,
}

impl Group {
    fn first(&self) -> Option<Figures> {
        self.ways.first().cloned()
    }
}

#[derive(Debug, Default)]
struct PhoneReading {
    /// Figures between which there is no word.
    stretches: Vec<Vec<Group>>,
    /// Whether there are words that are more than labels.
    words: bool,
    /// Whether there are labels.
    labels: bool,
}

/// Replaces other forms of digits and separators: links, wide, boxed and Arabic digits, `(0)` after a prefix.
fn tidy(raw: &str) -> String {
    let line = text::visible_line(raw).replace(['º', '°', '\u{20E3}'], " ");
    let line = line
        .replace("%20", " ")
        .replace("%2B", "+")
        .replace("%2b", "+");
    let plain: String = line.nfkc().map(as_ascii_digit).collect();
    let plain = without_link(&text::fold(&plain));
    let zero = plain
        .find("(0)")
        .filter(|at| plain[..*at].contains(['+', '0']));
    match zero {
        Some(at) => [&plain[..at], &plain[at + 3..]].join(" "),
        None => plain,
    }
}

/// Digits of scripts that phones show numbers in, and that compatibility does not decompose.
fn as_ascii_digit(character: char) -> char {
    let zeros = ['\u{660}', '\u{6F0}', '\u{966}', '\u{9E6}'];
    let value = zeros.into_iter().find_map(|zero| {
        let value = u32::from(character).checked_sub(u32::from(zero))?;
        char::from_digit(value, 10)
    });
    value.unwrap_or(character)
}

/// The number of a link to call or to write to, with the words around the link.
fn without_link(text: &str) -> String {
    let links = ["wa.me/", "phone=", "tel:", "callto:", "sms:"];
    let Some((before, behind)) = links.iter().find_map(|link| text.split_once(link)) else {
        return text.to_owned();
    };
    let words = before
        .rsplit_once(char::is_whitespace)
        .map_or("", |(words, _)| words);
    let other = behind.find(|sign: char| !sign.is_ascii_digit() && !"+-.()/ ".contains(sign));
    let number = &behind[..other.unwrap_or(behind.len())];
    let rest = &behind[number.len()..];
    // The text that follows at once belongs to the link.
    let rest = match rest.find(char::is_whitespace) {
        _ if number.ends_with([' ', '(']) => rest,
        Some(end) => &rest[end..],
        None => "",
    };
    [words, number, rest].join(" ")
}

fn read(raw: &str) -> PhoneReading {
    let line = tidy(raw);
    let mut found = PhoneReading::default();
    let (mut stretch, mut plus, mut times) = (Vec::new(), false, 1);
    for word in words(&line) {
        if word == "+" || word == "piu" {
            plus = true;
        } else if let Some(many) = repeated(word) {
            times = many;
        } else if let Some(mut group) = group_of(word, plus) {
            group
                .ways
                .iter_mut()
                .for_each(|one| one.digits = one.digits.repeat(times));
            group.doubtful |= times > 1;
            join_tens(&mut stretch, &group);
            stretch.push(group);
            (plus, times) = (false, 1);
        } else if !text::is_listed(FILLERS, word) {
            if text::is_listed(LABELS, word) {
                found.labels = true;
            } else {
                found.words = true;
            }
            found.end(&mut stretch);
            plus = false;
        } else {
            found.words = true;
        }
    }
    found.end(&mut stretch);
    found
}

impl PhoneReading {
    fn end(&mut self, stretch: &mut Vec<Group>) {
        if !stretch.is_empty() {
            self.stretches.push(take(stretch));
        }
    }
}

/// Words, digits and the `+` before them.
fn words(line: &str) -> impl Iterator<Item = &str> {
    let parts = line.split(|sign: char| !sign.is_alphanumeric() && sign != '+');
    parts.flat_map(|part| {
        let mut pieces = Vec::new();
        for piece in part.split_inclusive('+') {
            let digits = piece.strip_suffix('+');
            pieces.extend(digits.or(Some(piece)).filter(|one| !one.is_empty()));
            pieces.extend(digits.map(|_| "+"));
        }
        pieces
    })
}

fn repeated(word: &str) -> Option<usize> {
    match word {
        "doppio" | "doppia" => Some(2),
        "triplo" | "tripla" => Some(3),
        _ => None,
    }
}

/// Digits, also with an O for a zero, or a number in words.
fn group_of(word: &str, plus: bool) -> Option<Group> {
    let figures = |digits: String| Figures { plus, digits };
    if word.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(Group {
            ways: vec![figures(word.to_owned())],
            doubtful: false,
            tens: None,
        });
    }
    if word.bytes().filter(u8::is_ascii_digit).count() > 1 {
        let digits = word.replace('o', "0").replace(['l', 'i'], "1");
        return digits
            .bytes()
            .all(|byte| byte.is_ascii_digit())
            .then(|| Group {
                ways: vec![figures(digits)],
                doubtful: true,
                tens: None,
            });
    }
    let value = numerals::value(word)?;
    Some(Group {
        ways: vec![figures(value.to_string())],
        doubtful: true,
        tens: (value > 0 && value % 10 == 0 && (20..1_000).contains(&value)).then_some(value),
    })
}

/// 'Quaranta' before 'cinque' is 40 or, with it, 45: the unit may take its zero's place.
fn join_tens(stretch: &mut [Group], group: &Group) {
    let Some(before) = stretch.last_mut() else {
        return;
    };
    let unit = group
        .ways
        .first()
        .filter(|one| group.doubtful && !one.digits.is_empty());
    let Some((tens, unit)) = before.tens.zip(unit) else {
        return;
    };
    let tens = tens.to_string();
    let zeros = tens.len() - tens.trim_end_matches('0').len();
    let length = unit.digits.len();
    if length <= zeros && !unit.digits.starts_with('0') {
        before.ways.push(Figures {
            plus: before.ways.first().is_some_and(|one| one.plus),
            digits: tens[..tens.len() - length].to_owned(),
        });
    }
}

/// The numbers of a stretch, by every way to read what was dictated.
fn stretch_numbers(stretch: &[Group]) -> Vec<String> {
    if stretch.len() > GROUPS_MAX {
        return Vec::new();
    }
    let mut readings: Vec<Vec<Figures>> = vec![Vec::new()];
    for group in stretch {
        let longer = readings.iter().flat_map(|before| {
            group
                .ways
                .iter()
                .map(move |way| [&before[..], std::slice::from_ref(way)].concat())
        });
        readings = longer.take(READINGS_MAX).collect();
    }
    let mut wholes = readings
        .iter()
        .filter_map(|figures| partition(figures))
        .flatten()
        .peekable();
    if wholes.peek().is_some() {
        return wholes.collect();
    }
    readings
        .iter()
        .flat_map(|figures| windows(figures))
        .collect()
}

/// The numbers that all figures together are, the fewest.
fn partition(figures: &[Figures]) -> Option<Vec<String>> {
    let mut behind: Vec<Option<Vec<String>>> = vec![Some(Vec::new())];
    for at in (0..figures.len()).rev() {
        let longest = (figures.len() - at).min(*FOREIGN_DIGITS.end());
        let best = (1..=longest).rev().find_map(|count| {
            let rest = behind[behind.len() - count].as_ref()?;
            let number = joined(&figures[at..at + count])?;
            Some([&[number], &rest[..]].concat())
        });
        behind.push(best);
    }
    behind.pop().flatten()
}

/// The mobile numbers among figures that mean something else too.
fn windows(figures: &[Figures]) -> Vec<String> {
    let mut numbers = Vec::new();
    let mut at = 0;
    while at < figures.len() {
        let furthest = figures.len().min(at + *FOREIGN_DIGITS.end());
        let longest = (at + 1..=furthest).rev().find_map(|end| {
            let number = joined(&figures[at..end]).filter(|number| is_mobile(number))?;
            Some((end, number))
        });
        match longest {
            Some((end, number)) => {
                numbers.push(number);
                at = end;
            }
            None => at += 1,
        }
    }
    numbers
}

fn compact(figures: &[Figures]) -> Option<String> {
    let (first, others) = figures.split_first()?;
    if others.iter().any(|one| one.plus) {
        return None;
    }
    let digits: String = figures.iter().map(|one| &*one.digits).collect();
    let prefixed = digits.strip_prefix("00").filter(|_| !first.plus);
    Some(match prefixed {
        Some(number) => format!("+{number}"),
        None if first.plus => format!("+{digits}"),
        None => digits,
    })
}

fn without_prefix(number: &str) -> String {
    number.strip_prefix("+39").unwrap_or(number).to_owned()
}

/// The number as it is stored, if it is one.
fn joined(figures: &[Figures]) -> Option<String> {
    let number = without_prefix(&compact(figures)?);
    // Many write the prefix without its plus.
    if let Some(mobile) = number.strip_prefix("39").filter(|rest| is_mobile(rest)) {
        return Some(mobile.to_owned());
    }
    match number.strip_prefix('+') {
        Some(foreign) => FOREIGN_DIGITS.contains(&foreign.len()).then_some(number),
        None if is_mobile(&number) => Some(number),
        None => (number.starts_with('0') && LANDLINE_DIGITS.contains(&number.len()))
            .then(|| format!("+39{number}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_number_is_its_digits() {
        for (raw, digits) in [
            ("333 123", Some("333123")),
            ("+39333", Some("333")),
            ("0039 (333) 1-2.3", Some("333123")),
            ("4567", Some("4567")),
            ("tel:+39333", Some("333")),
            ("+39", None),
            (" - ", None),
            ("+41 312", Some("+41312")),
            ("0041 312", Some("+41312")),
            ("333x", None),
            ("numero 777", None),
            ("", None),
        ] {
            assert_eq!(phone_digits(raw).as_deref(), digits, "{raw}");
        }
    }

    #[test]
    fn phones_lose_separators_prefix_and_wrapping() {
        for raw in [
            "3123456789",
            " 312 345 6789 ",
            "312.345.67.89",
            "312-345-6789",
            "(312) 3456789",
            "+39 312 3456789",
            "+393123456789",
            "0039 312 3456789",
            "39 312 345 6789",
            "312/3456789",
            "393123456789",
            "(+39) 312\u{2011}345\u{2013}6789",
            "\u{202A}+39 312\u{A0}345 6789\u{202C}",
            // openstreetmap/iD#9559, pietervdvn/MapComplete#602: links.
            "tel:+393123456789",
            "tel://312-345-6789;ext=4",
            "https://wa.me/393123456789?text=ciao",
            "https://api.whatsapp.com/send/?phone=393123456789&text&app_absent=0",
            "callto:%2B39%20312%20345%206789",
            // sebastian-lenz/craft-linkfield#98.
            "+39 (0)312 3456789",
            "0039 (0) 312 345 6789",
            // woocommerce/woocommerce#58000, verbb/hyper#86: what copied contacts bring along.
            "312\u{FE0D}3456789",
            "312\u{200D}345\u{FE0F}6789",
            "312 3456789\u{FFFC}",
            "\u{3164}312 3456789",
            "312\u{2800}3456789",
            "312•345•6789",
            "312_345_6789",
            "312,345,6789",
            "«312 3456789».",
            "📞 312 345 6789 😊",
            "3️⃣1️⃣2️⃣3️⃣4️⃣5️⃣6️⃣7️⃣8️⃣9️⃣",
            "３１２３４５６７８９",
            "٣١٢٣٤٥٦٧٨٩",
            "Cell.: 312 3456789",
            "Mobile +39 312 3456789",
            "n° 312 3456789",
            "312 3456789 (WhatsApp)",
        ] {
            assert_eq!(parse_phone(raw), Ok("3123456789".to_owned()), "{raw:?}");
        }
        assert_eq!(parse_phone("393 1234567"), Ok("3931234567".to_owned()));
    }

    #[test]
    fn phones_that_are_refused() {
        for raw in [
            "",
            "312345678",
            "31234567890",
            "2123456789",
            "0612345678",
            "390612345678",
            "+41 312 3456789",
            "+39+393123456789",
            "312345678a",
            "31234567O9",
            "3123456789 3123456789",
            "312 3456789 (mio figlio)",
            "312 3456789 / 334 7654321",
            "non chiamate il 3123456789",
            "tre uno due tre quattro cinque sei sette otto nove",
        ] {
            assert_eq!(parse_phone(raw), Err(FieldError::Malformed), "{raw:?}");
        }
    }

    #[test]
    fn other_phones_are_stored_in_international_form() {
        for (raw, kept) in [
            ("312 345 6789", Some("3123456789")),
            ("+39 312 3456789", Some("3123456789")),
            ("06 1234 5678", Some("+390612345678")),
            ("+39 06 12345678", Some("+390612345678")),
            ("0041 79 123 45 67", Some("+41791234567")),
            ("+41 (0)79 123 45 67", Some("+41791234567")),
            ("+1 (212) 555-0100", Some("+12125550100")),
            ("+3123456789", Some("+3123456789")),
            ("tel:+39-06-12345678", Some("+390612345678")),
            ("312345678", None),
            ("0612", None),
            ("+41 79", None),
            ("+1234567890123456", None),
            ("800 123456", None),
        ] {
            assert_eq!(parse_any_phone(raw).ok().as_deref(), kept, "{raw}");
        }
        assert_eq!(parse_phone("+3123456789"), Err(FieldError::Malformed));
    }

    #[test]
    fn numbers_are_found_among_words() {
        let one: &[&str] = &["3331234567"];
        let two = &["3331234567", "3347654321"];
        for (raw, numbers) in [
            ("333 1234567 (mio figlio)", one),
            ("3331234567 chiamare dopo le 18", one),
            ("chiamatemi dopo le 18:30 al 333-123 45 67, grazie", one),
            ("333.123.4567 quello di mia figlia", one),
            ("3331234567 3331234567", one),
            ("333 1234567 / 334 7654321", two),
            ("333 1234567 334 7654321", two),
            ("3331234567 oppure +39 334 765 4321", two),
            ("3331234567-3347654321", two),
            ("33312345 6 7", one),
            ("0333 1234567", &["+3903331234567"]),
            (
                "333-1234567 oppure 081 5551234",
                &["3331234567", "+390815551234"],
            ),
            ("333 12345678", &[]),
            ("333 123 456", &[]),
            ("il 12/03/2025 ho chiamato", &["+3912032025"][..0]),
            ("tre tre tre, uno due tre quattro cinque sei sette", one),
            ("tre tre tre uno due tre quarantacinque sessantasette", one),
            (
                "tre tre tre uno due tre quaranta cinque sessanta sette",
                one,
            ),
            (
                "trecentotrentatré centoventitré quarantacinque sessantasette",
                one,
            ),
            ("più trentanove, triplo tre, uno due tre, 4567", one),
            (
                "doppio tre, tre, uno, due, tre, quattro, cinque, sei, sette",
                one,
            ),
            ("333 I23 4567", one),
            ("prefisso 333, numero 1234567", one),
            ("tre tre", &[]),
            ("non ce l'ho", &[]),
        ] {
            assert_eq!(find_phones(raw), numbers, "{raw}");
        }
        assert_eq!(shown_phone("3331234567"), "333 123 4567");
        assert_eq!(
            taken_phone("+3903331234567".to_owned(), false).as_deref(),
            Some("3331234567")
        );
        assert_eq!(taken_phone("+390815551234".to_owned(), false), None);
    }

    #[test]
    fn a_hostile_list_of_figures_is_read_in_bounds() {
        for word in ["quaranta cinque ", "3 ", "+39 333 1234567 ", "0 ", "(0)"] {
            find_phones(&word.repeat(4_000 / word.len()));
        }
    }
}
