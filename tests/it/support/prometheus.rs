//! A reader of Prometheus' text format: as much of it as our own text uses.

use std::collections::BTreeMap;

use super::http::Client;

/// A name of a metric with its labels.
pub type Series = (String, BTreeMap<String, String>);

#[derive(Debug, Default)]
pub struct Sheet {
    samples: BTreeMap<Series, f64>,
}

impl Sheet {
    pub fn of(client: &Client) -> Self {
        let answer = client.page("/metrics").expect(200);
        assert_eq!(
            answer.header("content-type"),
            Some("text/plain; version=0.0.4; charset=utf-8")
        );
        Self::read(answer.text())
    }

    pub fn read(text: &str) -> Self {
        let mut sheet = Self::default();
        for line in text.lines().filter(|line| !line.starts_with("# ")) {
            let (series, value) = sample(line);
            assert!(value >= 0.0, "{line}");
            let known = sheet.samples.insert(series, value);
            assert_eq!(known, None, "twice: {line}");
        }
        sheet
    }

    /// The value of a series; one that is not there fails the test.
    pub fn value(&self, name: &str, labels: &[(&str, &str)]) -> f64 {
        self.find(name, labels)
            .unwrap_or_else(|| panic!("no {name}{labels:?} in {:#?}", self.samples))
    }

    pub fn find(&self, name: &str, labels: &[(&str, &str)]) -> Option<f64> {
        let labels = labels
            .iter()
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
        let series = (format!("segnalazioni_{name}"), labels.collect());
        self.samples.get(&series).copied()
    }
}

/// `name{label="value",…} number`
fn sample(line: &str) -> (Series, f64) {
    let (series, value) = line.rsplit_once(' ').expect("a value");
    let (name, labels) = match series.split_once('{') {
        Some((name, rest)) => (name, rest.strip_suffix("\"}").expect("closed")),
        None => (series, ""),
    };
    let labels = labels.split("\",").filter_map(|label| {
        let (key, value) = label.split_once("=\"")?;
        assert!(!value.contains(['"', '\\']), "{line}");
        Some((key.to_owned(), value.to_owned()))
    });
    let value = value.parse().expect("a number");
    ((name.to_owned(), labels.collect()), value)
}
