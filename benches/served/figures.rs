//! Numbers of several rounds, and tables of them. Must never round a figure to something better than it was.

use std::time::Duration;

/// Writes one line.
#[expect(clippy::print_stdout, reason = "this is the bench's output")]
pub fn say(line: &str) {
    println!("{line}");
}

/// One figure, once a round.
#[derive(Debug, Clone, Default)]
pub struct Figure(Vec<f64>);

impl Figure {
    /// Notes one round's value; nothing, where it could not be had.
    pub fn push(&mut self, value: f64) {
        self.0.extend((!value.is_nan()).then_some(value));
        self.0.sort_by(f64::total_cmp);
    }

    /// Smallest of the rounds.
    pub fn min(&self) -> f64 {
        self.0.first().copied().unwrap_or(f64::NAN)
    }

    /// The one in the middle; of an even number, the lower one of the two.
    pub fn median(&self) -> f64 {
        let middle = self.0.len().saturating_sub(1) / 2;
        self.0.get(middle).copied().unwrap_or(f64::NAN)
    }

    /// Largest of the rounds.
    pub fn max(&self) -> f64 {
        self.0.last().copied().unwrap_or(f64::NAN)
    }

    /// The median, and from where to where the rounds went, as one cell of a table.
    pub fn cell(&self, decimals: usize) -> String {
        let (least, median, most) = (self.min(), self.median(), self.max());
        if self.0.len() == 1 {
            return format!("{median:.decimals$}");
        }
        format!("{median:.decimals$} ({least:.decimals$}–{most:.decimals$})")
    }
}

impl Extend<f64> for Figure {
    fn extend<I: IntoIterator<Item = f64>>(&mut self, values: I) {
        values.into_iter().for_each(|value| self.push(value));
    }
}

/// Times of many requests.
#[derive(Debug, Default)]
pub struct Latencies(Vec<Duration>);

impl Latencies {
    /// Takes the times, in any order.
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

/// A duration in milliseconds.
pub fn ms(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}

/// So many a second.
#[expect(clippy::cast_precision_loss, reason = "counts of a bench are small")]
pub fn per_second(count: usize, elapsed: Duration) -> f64 {
    count as f64 / elapsed.as_secs_f64()
}

/// A count as a figure.
#[expect(clippy::cast_precision_loss, reason = "counts of a bench are small")]
pub fn number(count: u64) -> f64 {
    count as f64
}

/// A table in Markdown, so that it can go into `docs/BENCH.md` as it is printed.
pub struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    /// An empty table with these heads.
    pub fn new(title: &str, columns: &[&str]) -> Self {
        let heads = [&title]
            .into_iter()
            .chain(columns)
            .map(|head| (*head).to_owned());
        Self {
            rows: vec![heads.collect()],
        }
    }

    /// Adds a row.
    pub fn row(&mut self, title: &str, cells: impl IntoIterator<Item = String>) {
        let mut row = vec![title.to_owned()];
        row.extend(cells);
        self.rows.push(row);
    }

    /// Prints it, its columns aligned.
    pub fn print(&self) {
        say("");
        say(&self.text());
    }

    /// Its lines.
    pub fn text(&self) -> String {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let widths: Vec<usize> = (0..columns)
            .map(|column| {
                let cells = self.rows.iter().filter_map(|row| row.get(column));
                cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
            })
            .collect();
        let mut lines = Vec::new();
        for (position, row) in self.rows.iter().enumerate() {
            let cell = |(column, width): (usize, &usize)| {
                let text = row.get(column).map_or("", String::as_str);
                format!("{text:width$}")
            };
            let cells: Vec<String> = widths.iter().enumerate().map(cell).collect();
            lines.push(format!("| {} |", cells.join(" | ")));
            if position == 0 {
                let dashes: Vec<String> = widths.iter().map(|width| "-".repeat(*width)).collect();
                lines.push(format!("| {} |", dashes.join(" | ")));
            }
        }
        lines.join("\n")
    }
}
