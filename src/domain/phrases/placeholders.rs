//! What stands between braces in a sentence: finding it, replacing it. It must never expand what a value holds.

use crate::domain::invalid::Invalid;

/// A text with each `{name}` of `values` replaced, in one pass: braces inside a value stay as they are, and so does what
/// has no value.
pub fn fill(text: &str, values: &[(&str, impl AsRef<str>)]) -> String {
    let mut said = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(open) = rest.find('{') {
        let (before, braced) = rest.split_at(open);
        said.push_str(before);
        let Some(close) = braced.find('}') else {
            rest = braced;
            break;
        };
        let known = values.iter().find(|(name, _)| *name == &braced[1..close]);
        if let Some((_, value)) = known {
            said.push_str(value.as_ref());
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

/// Refuses a text with a brace that is not part of one of the `known` placeholders.
pub fn unknown_in(field: &str, text: &str, known: &[&str]) -> Option<Invalid> {
    let mut rest = text;
    while let Some(open) = rest.find('{') {
        let braced = &rest[open..];
        let Some(close) = braced.find('}') else {
            return Some(refusal(field, braced, known));
        };
        if !known.contains(&&braced[1..close]) {
            return Some(refusal(field, &braced[..=close], known));
        }
        rest = &braced[close + 1..];
    }
    None
}

fn refusal(field: &str, unknown: &str, known: &[&str]) -> Invalid {
    // Enough to find it, not a whole paragraph.
    let mut shown: String = unknown.chars().take(30).collect();
    if shown.len() < unknown.len() {
        shown.push('…');
    }
    let known: Vec<String> = known.iter().map(|name| format!("{{{name}}}")).collect();
    let message = format!(
        "Segnaposto sconosciuto: {shown}. Puoi usare {}.",
        known.join(", ")
    );
    Invalid::new(field, "placeholder", message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    use super::super::PLACEHOLDERS;

    #[test]
    fn rendering_replaces_once() {
        let tricky = [
            ("name", "{org}{name}"),
            ("org", "{minChars}"),
            ("minChars", "70"),
            ("minWords", "10"),
        ];
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
            assert_eq!(fill(phrase, &tricky), expected, "{phrase}");
        }
    }

    proptest! {
        #[test]
        fn rendering_never_panics(phrase in any::<String>(), name in any::<String>()) {
            let said = fill(&phrase, &[("name", &name)]);
            if !phrase.contains('{') {
                prop_assert_eq!(said, phrase);
            }
        }

        #[test]
        fn rendering_never_panics_on_braces(phrase in "[{}a-z è]{0,60}|\\{(name|org|minChars|x)?\\}?") {
            let said = fill(&phrase, &PLACEHOLDERS.map(|name| (name, "x")));
            let left = said.contains("{name}") || said.contains("{org}");
            prop_assert!(!left, "{}", said);
            let open = said.contains('{');
            prop_assert!(!open || unknown_in("f", &phrase, &PLACEHOLDERS).is_some(), "{}", said);
        }
    }
}
