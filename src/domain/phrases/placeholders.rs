//! Placeholders in sentences. A value is never expanded again.

use memchr::memmem;

use crate::domain::invalid::Invalid;

pub fn fill(text: &str, values: &[(&str, impl AsRef<str>)]) -> String {
    fill_between(text, "{", "}", |name| {
        let known = values.iter().find(|(known, _)| *known == name);
        known.map(|(_, value)| value.as_ref().to_owned())
    })
}

/// Replaces known names between these marks, in one pass: values and unknown names stay as they are.
pub fn fill_between(
    text: &str,
    open: &str,
    close: &str,
    value: impl Fn(&str) -> Option<String>,
) -> String {
    let mut said = String::with_capacity(text.len() * 2);
    let mut rest = text;
    while let Some((before, inside)) = cut(rest, open) {
        said.push_str(before);
        let slot = cut(inside, close);
        if let Some((value, after)) = slot.and_then(|(name, after)| Some((value(name)?, after))) {
            said.push_str(&value);
            rest = after;
        } else {
            // Skips one character: a known name may begin behind it ("{{name}").
            said.push_str(&open[..1]);
            rest = &rest[before.len() + 1..];
        }
    }
    said + rest
}

/// By `memmem`, which is faster than `split_once`.
fn cut<'t>(text: &'t str, mark: &str) -> Option<(&'t str, &'t str)> {
    let at = memmem::find(text.as_bytes(), mark.as_bytes())?;
    Some((&text[..at], &text[at + mark.len()..]))
}

/// Refuses a brace that is not part of a known placeholder.
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
    // Enough to find it.
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
