//! Figures of several rounds, goals, and tables in Markdown as they go into `docs/BENCH.md`.

use std::time::Duration;

#[expect(clippy::print_stdout, reason = "this is the bench's output")]
pub fn say(line: &str) {
    println!("{line}");
}

/// One figure, once a round, in ascending order.
#[derive(Debug, Clone, Default)]
pub struct Figure(Vec<f64>);

impl Figure {
    pub fn of(value: f64) -> Self {
        Self(vec![value])
    }

    /// Takes the value of a round. A value that is not a number was not measured.
    pub fn push(&mut self, value: f64) {
        self.0.extend((!value.is_nan()).then_some(value));
        self.0.sort_by(f64::total_cmp);
    }

    /// The lower one of the two in the middle of an even number of rounds.
    pub fn median(&self) -> f64 {
        let middle = self.0.len().saturating_sub(1) / 2;
        self.0.get(middle).copied().unwrap_or(f64::NAN)
    }

    pub fn max(&self) -> f64 {
        self.0.last().copied().unwrap_or(f64::NAN)
    }

    /// The largest as a multiple of the smallest.
    pub fn spread(&self) -> f64 {
        self.max() / self.0.first().copied().unwrap_or(f64::NAN)
    }

    /// The median, then smallest and largest.
    pub fn cell(&self, decimals: usize) -> String {
        let median = self.median();
        match self.0.as_slice() {
            [] => "not measured".to_owned(),
            [_] => format!("{median:.decimals$}"),
            [least, .., most] => {
                format!("{median:.decimals$} ({least:.decimals$}–{most:.decimals$})")
            }
        }
    }
}

/// Times of many requests, in ascending order.
#[derive(Debug, Default)]
pub struct Latencies(Vec<Duration>);

impl Latencies {
    pub fn new(mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        Self(times)
    }

    /// The time in which `share` percent were done, in milliseconds.
    pub fn percentile_ms(&self, share: usize) -> f64 {
        let at = (self.0.len() * share / 100).min(self.0.len().saturating_sub(1));
        self.0.get(at).map_or(f64::NAN, |time| ms(*time))
    }
}

pub fn ms(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}

#[expect(clippy::cast_precision_loss, reason = "counts of a bench are small")]
pub fn number(count: u64) -> f64 {
    count as f64
}

pub fn mib(bytes: u64) -> f64 {
    number(bytes) / 1024.0 / 1024.0
}

#[expect(clippy::cast_precision_loss, reason = "counts of a bench are small")]
pub fn per_second(count: usize, elapsed: Duration) -> f64 {
    count as f64 / elapsed.as_secs_f64()
}

/// What a figure is to be.
#[derive(Debug, Clone, Copy)]
pub enum Goal {
    AtLeast(f64),
    AtMost(f64),
}

/// A figure with its name and its goal, if it has one.
pub struct Row {
    pub title: String,
    pub figure: Figure,
    pub decimals: usize,
    pub goal: Option<Goal>,
}

impl Row {
    pub fn new(title: &str, figure: &Figure, decimals: usize) -> Self {
        Self {
            title: title.to_owned(),
            figure: figure.clone(),
            decimals,
            goal: None,
        }
    }

    pub fn least(self, least: f64) -> Self {
        let goal = Some(Goal::AtLeast(least));
        Self { goal, ..self }
    }

    pub fn most(self, most: f64) -> Self {
        let goal = Some(Goal::AtMost(most));
        Self { goal, ..self }
    }

    pub fn goal_cell(&self) -> String {
        match self.goal {
            None => String::new(),
            Some(Goal::AtLeast(least)) => format!(">= {least}"),
            Some(Goal::AtMost(most)) => format!("<= {most}"),
        }
    }

    /// Whether the median reaches the goal; empty without a goal or a figure.
    pub fn verdict(&self) -> String {
        let median = self.figure.median();
        let met = self
            .goal
            .filter(|_| !median.is_nan())
            .map(|goal| match goal {
                Goal::AtLeast(least) => median >= least,
                Goal::AtMost(most) => median <= most,
            });
        met.map_or("", |met| if met { "met" } else { "falls short" })
            .to_owned()
    }
}

pub fn print_rows(rows: &[Row]) {
    let mut table = Table::new("", ["goal", "found", "verdict"].map(str::to_owned));
    for row in rows {
        let found = row.figure.cell(row.decimals);
        table.row(&row.title, [row.goal_cell(), found, row.verdict()]);
    }
    table.print();
}

pub struct Table(Vec<Vec<String>>);

impl Table {
    pub fn new(title: &str, columns: impl IntoIterator<Item = String>) -> Self {
        let mut table = Self(Vec::new());
        table.row(title, columns);
        table
    }

    pub fn row(&mut self, title: &str, cells: impl IntoIterator<Item = String>) {
        let mut row = vec![title.to_owned()];
        row.extend(cells);
        self.0.push(row);
    }

    pub fn print(&self) {
        let columns = self.0.first().map_or(0, Vec::len);
        let width = |column: usize| {
            let cells = self.0.iter().filter_map(|row| row.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        let line = |cell: &dyn Fn(usize, usize) -> String| {
            let cells = widths.iter().enumerate();
            let cells: Vec<String> = cells.map(|(column, width)| cell(column, *width)).collect();
            say(&format!("| {} |", cells.join(" | ")));
        };
        say("");
        for (place, row) in self.0.iter().enumerate() {
            line(&|column, width| format!("{:width$}", row[column]));
            if place == 0 {
                line(&|_, width| "-".repeat(width));
            }
        }
    }
}
