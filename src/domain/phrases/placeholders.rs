//! The placeholders of a sentence: finding them, replacing them. It must never expand what a value holds.

/// What stands between braces in a sentence, and is replaced when it is said.
const PLACEHOLDERS: [&str; 4] = ["name", "org", "minChars", "minWords"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Placeholders<'a> {
    pub name: &'a str,
    pub org: &'a str,
    /// `{minChars}`: smallest account, in characters.
    pub min_chars: u32,
    /// `{minWords}`: smallest account, in words.
    pub min_words: u32,
}

pub(super) fn known() -> String {
    PLACEHOLDERS.map(|name| format!("{{{name}}}")).join(", ")
}

/// The sentence with its placeholders replaced, in one pass: braces inside a value are said as they are. Unknown
/// placeholders stay as written.
pub fn render(phrase: &str, values: &Placeholders<'_>) -> String {
    fill(phrase, |name| match name {
        "name" => Some(values.name.to_owned()),
        "org" => Some(values.org.to_owned()),
        "minChars" => Some(values.min_chars.to_string()),
        "minWords" => Some(values.min_words.to_string()),
        _ => None,
    })
}

/// A text with what stands between its braces replaced by what `value` has for it, in one pass; what it has nothing for
/// stays as written.
pub fn fill(text: &str, value: impl Fn(&str) -> Option<String>) -> String {
    let mut said = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(open) = rest.find('{') {
        let (before, braced) = rest.split_at(open);
        said.push_str(before);
        let Some(close) = braced.find('}') else {
            rest = braced;
            break;
        };
        if let Some(value) = value(&braced[1..close]) {
            said.push_str(&value);
            rest = &braced[close + 1..];
        } else {
            // Only the brace is passed over: a known placeholder may stand inside ("{{name}").
            said.push('{');
            rest = &braced[1..];
        }
    }
    said.push_str(rest);
    said
}

/// The first brace that is not part of a placeholder of the phrases, with what it opens.
pub(super) fn unknown_placeholder(phrase: &str) -> Option<String> {
    unknown_in(phrase, &PLACEHOLDERS)
}

/// The first brace that is not part of one of the `known` placeholders, with what it opens.
pub fn unknown_in(text: &str, known: &[&str]) -> Option<String> {
    let mut rest = text;
    while let Some(open) = rest.find('{') {
        let braced = &rest[open..];
        let Some(close) = braced.find('}') else {
            return Some(excerpt(braced));
        };
        if !known.contains(&&braced[1..close]) {
            return Some(excerpt(&braced[..=close]));
        }
        rest = &braced[close + 1..];
    }
    None
}

/// Enough of a wrong placeholder to find it, not a whole paragraph.
fn excerpt(braced: &str) -> String {
    let mut shown: String = braced.chars().take(30).collect();
    if shown.len() < braced.len() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const VALUES: Placeholders<'static> = Placeholders {
        name: "PelazzAI",
        org: "Le Iene",
        min_chars: 70,
        min_words: 10,
    };

    #[test]
    fn rendering_replaces_once() {
        let tricky = Placeholders {
            name: "{org}{name}",
            org: "{minChars}",
            ..VALUES
        };
        for (phrase, expected) in [
            ("{name}|{org}", "{org}{name}|{minChars}"),
            ("{minChars}/{minWords}", "70/10"),
            ("{foo} {name", "{foo} {name"),
            ("{{org}}", "{{minChars}}"),
            ("}{", "}{"),
            ("{}", "{}"),
            ("{è} {org}", "{è} {minChars}"),
            ("", ""),
        ] {
            assert_eq!(render(phrase, &tricky), expected, "{phrase}");
        }
    }

    proptest! {
        #[test]
        fn rendering_never_panics(phrase in any::<String>(), name in any::<String>()) {
            let said = render(&phrase, &Placeholders { name: &name, ..VALUES });
            if !phrase.contains('{') {
                prop_assert_eq!(said, phrase);
            }
        }

        #[test]
        fn rendering_never_panics_on_braces(phrase in "[{}a-z è]{0,60}|\\{(name|org|minChars|x)?\\}?") {
            let said = render(&phrase, &VALUES);
            let left = said.contains("{name}") || said.contains("{org}");
            prop_assert!(!left, "{}", said);
            let open = said.contains('{');
            prop_assert!(!open || unknown_placeholder(&phrase).is_some(), "{}", said);
        }
    }
}
