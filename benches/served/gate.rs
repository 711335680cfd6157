//! Goals, and the figures that are written down in `docs/BENCH.md`: what is met, what fell since, and how a run ends. Must
//! never take a figure that is missing for a good one, nor judge, or write down, figures of a run whose canary moved.

use std::process::ExitCode;

use anyhow::{Context as _, Result};

use super::figures::{Figure, Table, say};

/// A ratio that reaches this part of what was written down has not fallen.
const STANDS: f64 = 0.85;
/// A run in whose course the canary changed its pace by more than this is void.
pub const STEADY: f64 = 1.2;
/// Where figures are written down.
pub const DOCUMENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/BENCH.md");
/// The block of `make bench`.
pub const FIGURES: &str = "figures";
/// What stands in place of a figure that could not be had.
const MISSING: &str = "not measured";

/// What a figure shall be.
#[derive(Debug, Clone, Copy)]
pub enum Goal {
    /// This or more.
    AtLeast(f64),
    /// This or less.
    AtMost(f64),
}

impl Goal {
    /// As it stands in a table.
    pub fn told(self) -> String {
        match self {
            Self::AtLeast(least) => format!(">= {least}"),
            Self::AtMost(most) => format!("<= {most}"),
        }
    }

    /// Whether a figure does what it shall.
    pub fn verdict(self, found: f64) -> &'static str {
        let met = match self {
            Self::AtLeast(least) => found >= least,
            Self::AtMost(most) => found <= most,
        };
        if met { "met" } else { "falls short" }
    }
}

/// One figure of a run.
pub struct Row {
    title: String,
    found: Figure,
    decimals: usize,
    goal: Option<Goal>,
    compared: bool,
}

impl Row {
    /// One that is only told.
    pub fn new(title: &str, found: &Figure, decimals: usize) -> Self {
        Self {
            title: title.to_owned(),
            found: found.clone(),
            decimals,
            goal: None,
            compared: false,
        }
    }

    /// With a goal. It is not compared with what was written down: it depends on the machine.
    pub fn shall(self, goal: Goal) -> Self {
        Self {
            goal: Some(goal),
            ..self
        }
    }

    /// A ratio with a goal: it means the same on every machine, and is compared with what was written down.
    pub fn ratio(title: &str, found: &Figure, goal: Goal) -> Self {
        Self {
            compared: true,
            ..Self::new(title, found, 3).shall(goal)
        }
    }

    fn cells(&self) -> [String; 3] {
        let median = self.found.median();
        let goal = self.goal.map(Goal::told).unwrap_or_default();
        if median.is_nan() {
            return [goal, MISSING.to_owned(), String::new()];
        }
        let verdict = self.goal.map_or("", |goal| goal.verdict(median));
        [goal, self.found.cell(self.decimals), verdict.to_owned()]
    }

    /// What is to be said of it beside what was written down; `None` where it stands.
    fn against(&self, written: Option<f64>) -> Option<Said> {
        let (title, now) = (&self.title, self.found.median());
        let goal = self.goal.filter(|_| self.compared)?;
        let Some(before) = written else {
            return Some(Said::Fell(format!("{title}: nothing is written down")));
        };
        let share = match goal {
            Goal::AtLeast(_) => now / before,
            Goal::AtMost(_) => before / now,
        };
        if share.is_nan() {
            return Some(Said::Aside(format!("{title}: {MISSING}")));
        }
        let fell = format!("{title}: {now:.3}, written down is {before:.3}");
        (share < STANDS).then_some(Said::Fell(fell))
    }
}

/// What is said of a row.
enum Said {
    /// It fell.
    Fell(String),
    /// It could not be compared.
    Aside(String),
}

/// The rows as a table.
pub fn table(rows: &[Row]) -> Table {
    let heads = ["goal", "found", "verdict"];
    let mut table = Table::new("Goal", &heads);
    for row in rows {
        table.row(&row.title, row.cells());
    }
    table
}

/// How a run ends.
#[derive(Debug, PartialEq, Eq)]
pub enum End {
    /// Nothing fell, or nobody asked.
    Stands,
    /// A ratio fell.
    Fell,
    /// The canary moved: nothing is known.
    Void,
}

impl End {
    /// The exit code: 1 is for answers that were wrong.
    pub fn code(&self) -> ExitCode {
        ExitCode::from(match self {
            Self::Stands => 0,
            Self::Fell => 2,
            Self::Void => 3,
        })
    }
}

/// Compares rows with a written block; answers how the run ends, and a line for each row that fell or was not compared.
pub fn check(rows: &[Row], block: &str, steady: bool) -> (End, Vec<String>) {
    if !steady {
        return (End::Void, Vec::new());
    }
    let (mut end, mut lines) = (End::Stands, Vec::new());
    for row in rows {
        match row.against(written(block, &row.title)) {
            Some(Said::Fell(line)) => {
                end = End::Fell;
                lines.push(format!("FELL: {line}"));
            }
            Some(Said::Aside(line)) => lines.push(format!("not compared: {line}")),
            None => {}
        }
    }
    (end, lines)
}

/// The median of a row of a written block, which is no number where it could not be had; `None` where there is no such row.
fn written(block: &str, title: &str) -> Option<f64> {
    let mut rows = block.lines().map(|line| line.split('|').map(str::trim));
    let mut row = rows.find(|row| row.clone().nth(1) == Some(title))?;
    let median = row.nth(3).and_then(|found| found.split(' ').next());
    let median = median.and_then(|median| median.parse().ok());
    Some(median.unwrap_or(f64::NAN))
}

/// The block of this name in a document, without the lines that mark it.
pub fn block<'a>(document: &'a str, name: &str) -> Result<&'a str> {
    let [begin, end] = marks(name);
    let (_, rest) = document.split_once(&begin).context(begin)?;
    let (block, _) = rest.split_once(&end).context(end)?;
    Ok(block)
}

/// The document with this as its block of this name.
pub fn replace(document: &str, name: &str, new: &str) -> Result<String> {
    let [begin, end] = marks(name);
    let (before, rest) = document.split_once(&begin).context(begin.clone())?;
    let (_, after) = rest.split_once(&end).context(end.clone())?;
    Ok(format!("{before}{begin}\n{new}\n{end}{after}"))
}

/// Writes figures down as the block of this name.
pub fn write_down(name: &str, new: &str) -> Result<()> {
    let document = std::fs::read_to_string(DOCUMENT)?;
    std::fs::write(DOCUMENT, replace(&document, name, new)?)?;
    say(&format!("written into {DOCUMENT}"));
    Ok(())
}

fn marks(name: &str) -> [String; 2] {
    [
        format!("<!-- {name}: written by --write -->"),
        format!("<!-- end of {name} -->"),
    ]
}
