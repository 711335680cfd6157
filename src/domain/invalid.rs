//! The one shape of "this value is not acceptable". Must never hold a refused secret or a reporter's answer: messages are shown
//! and may be logged.

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invalid {
    /// As clients know it, dotted when nested (`collectName.prompt`).
    pub field: String,
    /// Stable, machine-readable reason: `empty`, `short`, `long`, `range`, `format`, `type`, `unknown`,
    /// `placeholder`, `control`, `common` or `predictable`.
    pub code: &'static str,
    /// In Italian, shown beside the field.
    pub message: String,
}

/// Refuses for all of these reasons, where there are any.
pub fn verdict(refusals: impl Iterator<Item = Invalid>) -> Result<(), Vec<Invalid>> {
    let refusals: Vec<Invalid> = refusals.collect();
    if refusals.is_empty() {
        Ok(())
    } else {
        Err(refusals)
    }
}

impl Invalid {
    pub fn new(field: impl Into<String>, code: &'static str, message: impl Into<String>) -> Self {
        Self {
            field: field.into(),
            code,
            message: message.into(),
        }
    }

    /// For rules that do not know which form asked.
    pub fn at(self, field: impl Into<String>) -> Self {
        Self {
            field: field.into(),
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Invalid;

    #[test]
    fn renaming_keeps_the_reason() {
        let refusal = Invalid::new("password", "short", "Troppo corta.").at("new");
        assert_eq!(refusal, Invalid::new("new", "short", "Troppo corta."));
    }
}
