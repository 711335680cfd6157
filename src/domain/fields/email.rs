//! E-mail addresses as people type, paste and dictate them. Whether they reach a person is not checked.

use idna::AsciiDenyList;
use idna::uts46::{DnsLength, Hyphens, Uts46};
use unicode_normalization::char::is_combining_mark;

use super::{FieldError, bounded};
use crate::domain::{numerals, text};

/// In characters: a forward path has 256 octets, two of them brackets (RFC 5321 §4.5.3.1.3).
const EMAIL_MAX: usize = 254;

/// Words before an address that say no more than that it is one.
const LABELS: &str = "e-mail|email|mail|e mail|mailto|smtp|posta|pec|posta elettronica|indirizzo|indirizzo email|indirizzo e-mail|\
                      indirizzo mail|a|da|to|from|cc|contatto|user|username|utente|login|account";
/// Domains at which Italians have their mail.
const COMMON: [&str; 40] = [
    "gmail.com",
    "libero.it",
    "hotmail.it",
    "hotmail.com",
    "virgilio.it",
    "yahoo.it",
    "yahoo.com",
    "outlook.it",
    "outlook.com",
    "alice.it",
    "tiscali.it",
    "icloud.com",
    "live.it",
    "live.com",
    "tin.it",
    "tim.it",
    "fastwebnet.it",
    "inwind.it",
    "iol.it",
    "msn.com",
    "me.com",
    "aruba.it",
    "pec.it",
    "legalmail.it",
    "arubapec.it",
    "postecert.it",
    "poste.it",
    "vodafone.it",
    "teletu.it",
    "email.it",
    "protonmail.com",
    "proton.me",
    "pm.me",
    "mac.com",
    "googlemail.com",
    "katamail.com",
    "istruzione.it",
    "supereva.it",
    "gmx.com",
    "yahoo.fr",
];
/// Real domains that are one slip from a common one.
const NEIGHBOURS: &str = "mail.com|ymail.com|email.com|mailw.com|hotmail.at|outlook.at|outlook.ie|yahoo.in|yahoo.ie|yahoo.at|libera.it|\
                          posta.it|post.it|slice.it|mail.it|vodafone.ie|datamail.com|cloud.com";
/// Shorter names have too many real neighbours: only a slip in their ending is looked at.
const NAME_MIN: usize = 5;
/// Mistyped forms of `.com` and `.it`, where no such ending exists.
const ENDINGS: [(&str, &str); 14] = [
    ("con", "com"),
    ("cmo", "com"),
    ("ocm", "com"),
    ("comm", "com"),
    ("vom", "com"),
    ("xom", "com"),
    ("coom", "com"),
    ("cpm", "com"),
    ("ti", "it"),
    ("itt", "it"),
    ("iit", "it"),
    ("i", "it"),
    ("ot", "it"),
    ("itl", "it"),
];

/// As typed, without what is invisible or stands around it: no spaces, one @, a dotted domain that the net can have.
pub fn parse_email(raw: &str) -> Result<String, FieldError> {
    let line = tidy(raw);
    let bare = unwrapped(&line);
    let address = if is_address(bare) {
        bare.to_owned()
    } else {
        the_one(&line).ok_or(FieldError::Malformed)?
    };
    bounded(address, "L'indirizzo email", 0..=EMAIL_MAX)
}

/// An address that mail servers accept once its domain is in ASCII: the part before it is a dot-atom (RFC 5321 §4.1.2), in any
/// script (RFC 6531 §3.3).
pub fn is_mailbox(address: &str) -> bool {
    let of_atom = |byte: u8| {
        !byte.is_ascii() || byte.is_ascii_alphanumeric() || b"!#$%&'*+/=?^_`{|}~-".contains(&byte)
    };
    let atom = |part: &str| !part.is_empty() && part.bytes().all(of_atom);
    let local = address.split('@').next().unwrap_or_default();
    local.len() <= 64
        && local.split('.').all(atom)
        && parse_email(address).is_ok_and(|cleaned| cleaned == address)
}

/// The address as servers hand it on: its domain in ASCII (RFC 5891). `None` for no address.
pub fn ascii_email(address: &str) -> Option<String> {
    let (local, domain) = address.rsplit_once('@')?;
    if domain.is_ascii() {
        return Some(address.to_owned());
    }
    Some(format!("{local}@{}", ascii_domain(domain)?))
}

fn ascii_domain(domain: &str) -> Option<String> {
    let (deny, hyphens) = (AsciiDenyList::STD3, Hyphens::CheckFirstLast);
    let ascii = Uts46::new().to_ascii(domain.as_bytes(), deny, hyphens, DnsLength::Verify);
    ascii.ok().map(std::borrow::Cow::into_owned)
}

/// On one line, with plain signs for those that keyboards and copied texts bring in their place, and none around the @.
fn tidy(raw: &str) -> String {
    let plain: String = text::visible_line(raw)
        .chars()
        .map(|sign| match sign {
            '\u{FF01}'..='\u{FF5E}' => char::from_u32(u32::from(sign) - 0xFEE0).unwrap_or(sign),
            '﹫' => '@',
            '。' => '.',
            '\u{2010}' | '\u{2011}' => '-',
            '’' => '\'',
            other => other,
        })
        .collect();
    let parts: Vec<&str> = plain.split('@').map(str::trim).collect();
    parts.join("@")
}

/// Signs that no one begins or ends an address with, and marks in pairs around it.
fn unwrapped(line: &str) -> &str {
    let mut bare = line;
    loop {
        let begins = |sign: char| sign.is_alphanumeric() || "!#$%&'*+/=?^_`{|}~-@".contains(sign);
        let ends = |sign: char| sign.is_alphanumeric() || is_combining_mark(sign) || sign == '@';
        let paired = ['\'', '*', '`', '_', '{', '|', '~'];
        let mut shorter = bare.trim_start_matches(|sign| !begins(sign));
        let wrap = shorter
            .chars()
            .next()
            .filter(|sign| paired.contains(sign) && closes(shorter, *sign));
        shorter = shorter.trim_start_matches(|sign| Some(sign) == wrap);
        shorter = shorter.trim_end_matches(|sign| !ends(sign));
        shorter = shorter.strip_prefix("- ").unwrap_or(shorter);
        shorter = without_label(shorter);
        if shorter == bare {
            return bare;
        }
        bare = shorter;
    }
}

/// Whether a mark at the beginning has its other one at the end.
fn closes(text: &str, mark: char) -> bool {
    let end = match mark {
        '{' => '}',
        other => other,
    };
    text.trim_end_matches([' ', '.', ',', ';']).ends_with(end)
}

/// Cuts 'E-mail:' and the like off, and what a link says behind the address.
fn without_label(text: &str) -> &str {
    if let Some((label, rest)) = text.split_once([':', '=', ' '])
        && text::is_listed(LABELS, &text::fold(label.trim_end_matches(':')))
    {
        let linked = label.eq_ignore_ascii_case("mailto");
        let end = rest.find('?').filter(|_| linked).unwrap_or(rest.len());
        return rest[..end].trim_start_matches([':', '=', ' ', '/']);
    }
    let long = text
        .split_once(':')
        .filter(|(label, _)| text::is_listed(LABELS, &text::fold(label.trim())));
    long.map_or(text, |(_, rest)| rest.trim_start())
}

fn is_address(text: &str) -> bool {
    let Some((local, domain)) = text.split_once('@') else {
        return false;
    };
    let local_ok = !local.is_empty()
        && !local
            .chars()
            .any(|sign| sign.is_whitespace() || "()<>[]:;,\\\"".contains(sign));
    // Two addresses that stand together would each be half of the other.
    local_ok
        && domain.contains('.')
        && !domain.ends_with('.')
        && !domain.contains(|sign: char| sign.is_whitespace() || sign == '@')
        && ascii_domain(domain).is_some()
}

/// The one address of a text in which nothing else stands but it again, its label, or a name before its brackets.
fn the_one(line: &str) -> Option<String> {
    let [address] = &*find(line) else {
        return None;
    };
    let name_before = line.split_once('<').is_some_and(|(before, inside)| {
        !before.contains('@') && inside.trim_end_matches(['.', ',', ';', ' ']).ends_with('>')
    });
    let others = pieces(line).filter(|piece| !unwrapped(piece).eq_ignore_ascii_case(address));
    let mut others = others.filter(|piece| !text::is_listed(LABELS, &text::fold(piece)));
    (name_before || others.next().is_none()).then(|| address.clone())
}

fn pieces(line: &str) -> impl Iterator<Item = &str> {
    let parts = line.split(|sign: char| sign.is_whitespace() || "<>()[]\"«»“”;,|:/".contains(sign));
    parts.filter(|part| part.contains(char::is_alphanumeric))
}

/// Addresses that stand in a text, each once.
fn find(line: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for piece in pieces(line) {
        let piece = unwrapped(piece.split('?').next().unwrap_or(piece));
        let again = |one: &String| one.eq_ignore_ascii_case(piece);
        if is_address(piece) && text::char_count(piece) <= EMAIL_MAX && !found.iter().any(again) {
            found.push(piece.to_owned());
        }
    }
    found
}

/// Addresses that stand in a text as they are written, each once, and the text without them.
pub(super) fn written_emails(raw: &str) -> (Vec<String>, String) {
    let line = joined_domain(&tidy(raw));
    let found = find(&line);
    let rest = found
        .iter()
        .fold(line, |line, one| line.replace(one.as_str(), " ; "));
    (found, rest)
}

/// The addresses that a text may mean, none of which is certain: those in a sentence, or the one that a slip of the keyboard or
/// of dictation hides.
pub fn find_emails(raw: &str) -> Vec<String> {
    let line = tidy(raw);
    let found = find(&joined_domain(&line));
    if !found.is_empty() {
        return with_words_before(&line, found);
    }
    let mended = [dictated(&line), mended_signs(&line), without_at(&line)];
    let mut mended = mended
        .into_iter()
        .flatten()
        .map(|text| with_words_before(&text, find(&text)));
    mended.find(|found| !found.is_empty()).unwrap_or_default()
}

/// 'Anna rossi@posta.it' may be one address, which a blank parts.
fn with_words_before(line: &str, mut found: Vec<String>) -> Vec<String> {
    let words: Vec<&str> = line
        .split([' ', ','])
        .filter(|word| !word.is_empty())
        .collect();
    if let ([before, address], [one]) = (&*words, &*found)
        && unwrapped(address) == one
        && before
            .trim_end_matches('.')
            .chars()
            .all(|sign| sign.is_alphanumeric() || sign == '.')
        && !text::is_listed(LABELS, &text::fold(before))
    {
        let before = before.trim_end_matches('.');
        found = vec![
            format!("{before}{one}"),
            format!("{before}.{one}"),
            one.clone(),
        ];
    }
    found
}

/// A blank beside a dot of the domain goes, where it is no domain without it.
fn joined_domain(line: &str) -> String {
    let Some((before, domain)) = line.split_once('@') else {
        return line.to_owned();
    };
    let name = domain.split([' ', ',']).next().unwrap_or_default();
    if name.trim_end_matches('.').contains('.') {
        return line.to_owned();
    }
    let domain = domain.replacen(" .", ".", 1).replacen(". ", ".", 1);
    format!("{before}@{domain}")
}

/// Repairs signs that a finger beside the key writes.
fn mended_signs(line: &str) -> Option<String> {
    let text = with_signs(line);
    let (before, domain) = text.split_once('@')?;
    let mut before = before.trim_end_matches(['.', ' ']);
    for start in ["www.", "http://", "https://"] {
        before = before.trim_start_matches(start);
    }
    let domain = domain
        .trim()
        .trim_start_matches(['.', '@'])
        .trim_start_matches("www.");
    Some(format!("{before}@{}", dotted(&with_ending(domain))))
}

/// With the @ and the dots for which something else was written.
fn with_signs(line: &str) -> String {
    let mut text = line.to_owned();
    for written in ATS {
        if !text.contains('@') || written == "@@" {
            text = text.replacen(written, "@", 1);
        }
    }
    for written in ["(dot)", "[dot]", " dot ", "(punto)", "[punto]"] {
        text = text.replace(written, ".");
    }
    text
}

/// Ways of writing the @, by a cautious hand or by a key beside it.
const ATS: [&str; 12] = [
    "(at)",
    "[at]",
    "{at}",
    " at ",
    "(chiocciola)",
    "[chiocciola]",
    "@@",
    "ò",
    "ç",
    "#",
    "°",
    "™",
];

/// A domain without an ending gets the one of the provider whose name it is.
fn with_ending(domain: &str) -> String {
    let name = domain.split([' ', '.', ',']).next().unwrap_or_default();
    let ending = domain[name.len()..].trim_matches([' ', '.', ',', ';']);
    let whole = if ending.is_empty() {
        completed(name)
    } else {
        None
    };
    whole.unwrap_or_else(|| domain.to_owned())
}

/// With single dots between its parts, whatever stood there.
fn dotted(domain: &str) -> String {
    let mut parted = domain
        .replace([',', ';', ':'], ".")
        .replace(" .", ".")
        .replace(". ", ".");
    if !parted.contains('.') {
        parted = parted.replace(['-', '_', ' '], ".");
    }
    let parts: Vec<&str> = parted.split('.').filter(|part| !part.is_empty()).collect();
    parts.join(".")
}

/// A common name without its ending, or without the dot before it.
fn completed(name: &str) -> Option<String> {
    let name = text::fold(name);
    let common = COMMON.iter().find(|domain| {
        let bare = domain.replace('.', "");
        domain.split('.').next() == Some(&name) || bare == name
    });
    common.map(|domain| (*domain).to_owned())
}

/// 'Teresa punto rossi chiocciola posta punto it'.
fn dictated(line: &str) -> Option<String> {
    let folded = text::fold(line);
    let words: Vec<&str> = folded
        .split([' ', ','])
        .map(|word| word.trim_end_matches(['.', ',', ':', ';', '!']))
        .filter(|word| !word.is_empty())
        .collect();
    let mut address = String::new();
    let mut glued = true;
    for (at, word) in words.iter().enumerate() {
        let behind = words.get(at + 1).copied().unwrap_or_default();
        let before = at.checked_sub(1).map_or("", |at| words[at]);
        let sign = match *word {
            "chiocciola" | "chiocciolina" | "chiociola" | "chioccola" | "at" => "@",
            "punto" | "dot" => ".",
            "trattino" if behind == "basso" => "_",
            "trattino" | "meno" => "-",
            "underscore" => "_",
            "basso" | "minuscolo" | "attaccato" | "tutto" if !before.is_empty() => "",
            _ => {
                let number = numerals::value(word).or_else(|| word.parse().ok());
                if !glued && number.is_none() && !address.contains('@') {
                    address.push(' ');
                }
                address.push_str(
                    &number.map_or_else(|| (*word).to_owned(), |value| value.to_string()),
                );
                glued = false;
                continue;
            }
        };
        address.push_str(sign);
        glued = true;
    }
    address.contains('@').then_some(address)
}

/// A common domain, with its name before it, where the @ is missing.
fn without_at(line: &str) -> Option<String> {
    let bare = unwrapped(line);
    if bare.contains('@') {
        return None;
    }
    let folded = text::fold(bare);
    let domain = COMMON
        .iter()
        .filter(|domain| folded.ends_with(**domain))
        .max_by_key(|domain| domain.len())?;
    let before = folded
        .strip_suffix(domain)?
        .trim_end_matches([' ', '.', ',', '-', '/', '\\', '*', '"']);
    (!before.is_empty() && before.len() + 1 < folded.len()).then(|| format!("{before}@{domain}"))
}

/// The address that is likely meant where its domain is one slip from a common one or ends in what no domain ends in, or where a
/// page's 'www.' or dots that no server takes stand in it.
pub fn slip_of(address: &str) -> Option<String> {
    let (local, domain) = address.split_once('@')?;
    let folded = text::fold(domain);
    let bare = folded.strip_prefix("www.").unwrap_or(&folded);
    let mended = meant_domain(bare).or_else(|| (bare != folded).then(|| bare.to_owned()));
    let named = local.strip_prefix("www.").unwrap_or(local);
    let parts: Vec<&str> = named.split('.').filter(|part| !part.is_empty()).collect();
    let named = parts.join(".");
    let meant = format!("{named}@{}", mended.as_deref().unwrap_or(domain));
    (meant != address && !named.is_empty()).then_some(meant)
}

fn meant_domain(domain: &str) -> Option<String> {
    if is_known(domain) {
        return None;
    }
    let (name, ending) = domain.rsplit_once('.')?;
    let mended = ENDINGS.iter().find(|(wrong, _)| *wrong == ending);
    let mended = mended.map(|(_, right)| format!("{name}.{right}"));
    let written = mended.as_deref().unwrap_or(domain);
    if is_known(written) {
        return mended;
    }
    let common = match written.split('.').next().unwrap_or_default() {
        // Two that have no other ending.
        "gmail" => Some("gmail.com"),
        "icloud" => Some("icloud.com"),
        near if ending == "it" && is_nearly_gmail(near) => Some("gmail.com"),
        _ if mended.is_some() => of_provider(name, written),
        _ => one_slip_from(written),
    };
    common.map(str::to_owned).or(mended)
}

fn is_known(domain: &str) -> bool {
    COMMON.contains(&domain) || text::is_listed(NEIGHBOURS, domain)
}

fn is_nearly_gmail(name: &str) -> bool {
    let com = format!("{name}.com");
    !is_known(&com) && is_one_slip(&com, "gmail.com")
}

/// The common domain of a provider whose ending was mistyped ('libero.con'), by its name or one that is a slip from it.
fn of_provider(name: &str, written: &str) -> Option<&'static str> {
    let named = |is_name: &dyn Fn(&str) -> bool| {
        let own = |domain: &&&str| domain.split_once('.').is_some_and(|(own, _)| is_name(own));
        COMMON.iter().find(own).copied()
    };
    let nearly = |own: &str| own.len() >= NAME_MIN && is_one_slip(name, own);
    named(&|own| own == name)
        .or_else(|| one_slip_from(written))
        .or_else(|| named(&nearly))
}

fn one_slip_from(domain: &str) -> Option<&'static str> {
    let mut near = COMMON
        .iter()
        .filter(|common| common.find('.') >= Some(NAME_MIN));
    near.find(|common| is_one_slip(domain, common)).copied()
}

/// Whether two words differ by one letter more, less or other, or by two that changed places.
fn is_one_slip(one: &str, other: &str) -> bool {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let same = one
        .iter()
        .zip(&other)
        .take_while(|(one, other)| one == other)
        .count();
    let (one, other) = (&one[same..], &other[same..]);
    match (one, other) {
        ([], []) => false,
        ([a, b, rest @ ..], [c, d, others @ ..]) if a == d && b == c && rest == others => true,
        _ => {
            let behind = |letters: &[char]| letters.get(1..).map(<[char]>::to_vec);
            let (shorter, shortest) = (behind(one), behind(other));
            shorter.as_deref() == Some(other)
                || shortest.as_deref() == Some(one)
                || (shorter.is_some() && shorter == shortest)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn emails_are_stored_as_typed() {
        for raw in [
            "mario@example.it",
            "Mario.Rossi+tag@Sub.Example.COM",
            "a@b.c",
            "o'neil@example.org",
            "perché@città.it",
            "x_y-z@ex-ample.co.uk",
            "mario@xn--citt-3na.it",
            "mario@例え.jp",
        ] {
            assert_eq!(parse_email(&format!("  {raw}\n")), Ok(raw.to_owned()));
        }
    }

    #[test]
    fn emails_lose_what_is_invisible_and_what_stands_around_them() {
        for raw in [
            // antiwork/gumroad#6522, jquery-validation#1287: stored with invisible characters.
            "mario\u{FE0F}@example.it",
            "\u{200D}mario@example.it",
            "mario\u{FFFC}@example.it",
            "\u{FEFF}mario@example.it\u{200B}",
            "\u{3164}mario@exam\u{AD}ple.it",
            "mario@example.it\u{A0}",
            // mysociety/foi-register#280, everyauth#270, voluptuous#526: how it is copied.
            "mario@example.it.",
            "mario@example.it;",
            "mario@example.it, ",
            "mario@example.it 😊",
            "mailto:mario@example.it",
            "MAILTO:mario@example.it?subject=Ciao%20a%20tutti",
            "Mario Rossi <mario@example.it>",
            "\"Rossi, Mario\" <mario@example.it>;",
            "<mario@example.it>",
            "«mario@example.it»",
            "“mario@example.it”",
            "'mario@example.it'",
            "*mario@example.it*",
            "(mario@example.it)",
            "[mario@example.it](mailto:mario@example.it)",
            "mario@example.it<mailto:mario@example.it>",
            "mario @ example.it",
            "mario@ example.it",
            "E-mail: mario@example.it",
            "email mario@example.it",
            "Indirizzo email: mario@example.it",
            "✉ mario@example.it",
            "- mario@example.it",
            "SMTP:mario@example.it",
            "ｍａｒｉｏ＠ｅｘａｍｐｌｅ．ｉｔ",
            "mario@example.it MARIO@EXAMPLE.IT",
        ] {
            assert_eq!(
                parse_email(raw),
                Ok("mario@example.it".to_owned()),
                "{raw:?}"
            );
        }
        assert_eq!(
            parse_email("o’neil@example.org"),
            Ok("o'neil@example.org".to_owned())
        );
    }

    #[test]
    fn emails_that_are_refused() {
        for raw in [
            "",
            "mario",
            "mario@",
            "@example.it",
            "mario@example",
            "mario@@example.it",
            "mario@ex@ample.it",
            "mario rossi@example.it",
            "mario@exam ple.it",
            "mario@.it",
            "mario@example.",
            "mario@example..it",
            "mario@-example.it",
            "mario@example-.it",
            "mario@exa_mple.it",
            "mario,rossi@example.it",
            "non scrivetemi a mario@example.it",
            "a@b.it\nBcc: c@d.it",
            "mario@example.it, anna@example.it",
            "mario@xn--a.it",
        ] {
            assert_eq!(parse_email(raw), Err(FieldError::Malformed), "{raw:?}");
        }
        let long = format!("{}@example.it", "a".repeat(250));
        assert!(matches!(parse_email(&long), Err(FieldError::TooLong(_))));
    }

    #[test]
    fn what_may_be_meant_is_found() {
        for (raw, found) in [
            ("scrivetemi a mario@example.it, grazie", "mario@example.it"),
            ("mario@example.it (lavoro)", "mario@example.it"),
            ("mario@example. it", "mario@example.it"),
            ("mario@example.it. Grazie", "mario@example.it"),
            (
                "mario@example.it o anna@example.it",
                "mario@example.it anna@example.it",
            ),
            (
                "anna bianchi@posta.it",
                "annabianchi@posta.it anna.bianchi@posta.it bianchi@posta.it",
            ),
            ("gennaro@libero,it", "gennaro@libero.it"),
            ("gennaro@libero..it", "gennaro@libero.it"),
            ("gennaro@@libero.it", "gennaro@libero.it"),
            ("gennaro@libero", "gennaro@libero.it"),
            ("gennaro@liberoit", "gennaro@libero.it"),
            ("gennaro@gmail", "gennaro@gmail.com"),
            ("gennaro@libero it", "gennaro@libero.it"),
            ("gennaro(at)libero.it", "gennaro@libero.it"),
            ("gennaro [at] libero [dot] it", "gennaro@libero.it"),
            ("gennaroòlibero.it", "gennaro@libero.it"),
            ("www.gennaro@@libero.it", "gennaro@libero.it"),
            ("gennaro.libero.it", "gennaro@libero.it"),
            ("gennaro libero.it", "gennaro@libero.it"),
            (
                "teresa punto rossi chiocciola posta punto it",
                "teresa.rossi@posta.it",
            ),
            (
                "teresa trattino basso rossi chiocciola gmail punto com",
                "teresa_rossi@gmail.com",
            ),
            (
                "teresa ottantadue chiocciola libero punto it",
                "teresa82@libero.it",
            ),
            (
                "Teresa punto Rossi @ libero punto it",
                "teresa.rossi@libero.it",
            ),
            (
                "anna bianchi 67 chiocciola posta punto it",
                "annabianchi67@posta.it anna.bianchi67@posta.it bianchi67@posta.it",
            ),
            (
                "anna@posta.it/anna@libero.it",
                "anna@posta.it anna@libero.it",
            ),
            ("teresa, chiocciola, libero, punto, it.", "teresa@libero.it"),
            ("libero.it", ""),
            ("mario", ""),
            ("non ce l'ho", ""),
        ] {
            assert_eq!(find_emails(raw).join(" "), found, "{raw}");
        }
    }

    #[test]
    fn slips_are_told_from_real_domains() {
        for (domain, meant) in [
            // liberapay#1255, fxa-content-server#1155.
            ("gmial.com", Some("gmail.com")),
            ("gmail.con", Some("gmail.com")),
            ("gmai.com", Some("gmail.com")),
            ("gmaill.com", Some("gmail.com")),
            ("gnail.com", Some("gmail.com")),
            ("gmail.co", Some("gmail.com")),
            ("gmail.it", Some("gmail.com")),
            ("gmial.it", Some("gmail.com")),
            ("gmail.cmo", Some("gmail.com")),
            ("GMIAL.COM", Some("gmail.com")),
            ("hotmial.it", Some("hotmail.it")),
            ("hotmai.com", Some("hotmail.com")),
            ("libero.ti", Some("libero.it")),
            ("libero.itt", Some("libero.it")),
            ("libro.it", Some("libero.it")),
            ("lib3ro.it", Some("libero.it")),
            ("yaho.it", Some("yahoo.it")),
            ("virglio.it", Some("virgilio.it")),
            ("outlok.it", Some("outlook.it")),
            ("tiscali.ti", Some("tiscali.it")),
            ("live.ti", Some("live.it")),
            ("example.con", Some("example.com")),
            // A provider whose domain has another ending.
            ("libero.con", Some("libero.it")),
            ("libero.cmo", Some("libero.it")),
            ("lbero.con", Some("libero.it")),
            ("virgilio.con", Some("virgilio.it")),
            ("virgillio.con", Some("virgilio.it")),
            ("alice.con", Some("alice.it")),
            ("tiscali.xom", Some("tiscali.it")),
            ("tin.con", Some("tin.it")),
            ("pec.con", Some("pec.it")),
            ("proton.con", Some("proton.me")),
            ("protonmail.ti", Some("protonmail.com")),
            ("googlemail.ti", Some("googlemail.com")),
            ("hotmail.con", Some("hotmail.com")),
            ("hotmial.con", Some("hotmail.com")),
            ("yahoo.con", Some("yahoo.com")),
            ("live.con", Some("live.com")),
            ("comune.libero.con", Some("comune.libero.com")),
            // mailcheck#63, #168: real domains are not slips.
            ("mail.ru", None),
            ("mailw.com", None),
            ("mail.com", None),
            ("ymail.com", None),
            ("email.com", None),
            ("gmx.com", None),
            ("gmx.net", None),
            ("me.com", None),
            ("live.it", None),
            ("tin.it", None),
            ("tim.it", None),
            ("hotmail.fr", None),
            ("hotmail.co.uk", None),
            ("yahoo.fr", None),
            ("posta.it", None),
            ("libera.it", None),
            ("nice.it", None),
            ("example.it", None),
            ("comune.milano.it", None),
            ("b.c", None),
        ] {
            let address = format!("mario@{domain}");
            let meant = meant.map(|domain| format!("mario@{domain}"));
            assert_eq!(slip_of(&address), meant, "{domain}");
        }
        for (address, meant) in [
            ("www.mario@example.it", "mario@example.it"),
            ("mario@www.libero.it", "mario@libero.it"),
            ("mario..rossi.@example.it", "mario.rossi@example.it"),
        ] {
            assert_eq!(slip_of(address).as_deref(), Some(meant), "{address}");
        }
        for domain in COMMON {
            assert_eq!(slip_of(&format!("mario@{domain}")), None, "{domain}");
        }
    }

    #[test]
    fn servers_get_ascii() {
        assert_eq!(
            ascii_email("mario@città.it").as_deref(),
            Some("mario@xn--citt-3na.it")
        );
        assert_eq!(
            ascii_email("Mario@Example.it").as_deref(),
            Some("Mario@Example.it")
        );
        assert_eq!(ascii_email("mario"), None);
    }

    #[test]
    fn mailboxes_are_dot_atoms_in_any_script() {
        for address in [
            "redazione@example.it",
            "a.b+c@sub.example.it",
            "o'neil@example.org",
            "a@città.it",
            "josé@example.it",
            "почта@пример.рф",
        ] {
            assert!(is_mailbox(address), "{address}");
        }
        let long = format!("{}@example.it", "a".repeat(65));
        for address in [
            "",
            "redazione",
            " a@example.it",
            "a@example.it\n",
            "a@example.it\r\nBcc: b@example.it",
            "a@example.it,b@example.it",
            "Redazione <a@example.it>",
            "a..b@example.it",
            ".a@example.it",
            "jo sé@example.it",
            "josé\u{200B}@example.it",
            long.as_str(),
        ] {
            assert!(!is_mailbox(address), "{address:?}");
        }
    }
}
