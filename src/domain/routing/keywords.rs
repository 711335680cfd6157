//! Mode `keywords`, as ordered: the first department in the fixed order of which a keyword stands in the text, upper
//! and lower case alike. It must never be cleverer than that: a newsroom that chooses it wants to know what happens.

use super::{Config, Department, Found};
use crate::domain::text::lower;

pub(super) fn find(config: &Config, text: &str) -> Found {
    let text = lower(text);
    for (department, desk) in Department::ALL.into_iter().zip(&config.desks) {
        let words: Vec<String> = desk
            .keywords
            .iter()
            .map(|keyword| keyword.trim())
            .filter(|keyword| !keyword.is_empty() && text.contains(&lower(keyword)))
            .map(str::to_owned)
            .collect();
        if !words.is_empty() {
            return Found {
                department,
                reason: format!(
                    "Parole chiave di {}: {}.",
                    department.name(),
                    words.join(", ")
                ),
                words,
                ..Found::default()
            };
        }
    }
    Found::plain("Nessuna parola chiave trovata: Redazione Generale.")
}
