//! A strict reader of the text format of Prometheus, version 0.0.4, written from its description: whatever a monitor could
//! stumble over fails the test.

use std::collections::{BTreeMap, BTreeSet};

use super::http::Client;

/// A name of a metric with its labels.
pub type Series = (String, BTreeMap<String, String>);

/// What was read.
#[derive(Debug, Default)]
pub struct Sheet {
    samples: BTreeMap<Series, f64>,
}

/// The family whose samples may come now.
#[derive(Default)]
struct Family {
    name: String,
    kind: String,
    helped: bool,
}

impl Sheet {
    /// Asks for the text and reads it.
    pub fn of(client: &Client) -> Self {
        let answer = client.request("GET", "/metrics").send().expect(200);
        assert_eq!(
            answer.header("content-type"),
            Some("text/plain; version=0.0.4; charset=utf-8")
        );
        Self::read(answer.text())
    }

    /// Reads a whole text.
    pub fn read(text: &str) -> Self {
        assert!(text.ends_with('\n') && !text.contains('\r'), "lines");
        let (mut sheet, mut seen) = (Self::default(), BTreeSet::new());
        let mut family = Family::default();
        for line in text.lines() {
            if let Some(told) = line.strip_prefix("# ") {
                family.told(told, &mut seen);
            } else {
                let (series, value) = sample(line);
                assert!(family.owns(&series), "{line} in {}", family.name);
                assert!(value >= 0.0, "{line}");
                let known = sheet.samples.insert(series, value);
                assert_eq!(known, None, "twice: {line}");
            }
        }
        sheet.check_histograms();
        sheet
    }

    /// The value of a series; one that is not there fails the test.
    pub fn value(&self, name: &str, labels: &[(&str, &str)]) -> f64 {
        self.find(name, labels)
            .unwrap_or_else(|| panic!("no {name}{labels:?} in {:#?}", self.samples))
    }

    /// The value of a series, where there is one.
    pub fn find(&self, name: &str, labels: &[(&str, &str)]) -> Option<f64> {
        let labels = labels
            .iter()
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
        let series = (format!("segnalazioni_{name}"), labels.collect());
        self.samples.get(&series).copied()
    }

    /// Every series there is.
    pub fn series(&self) -> BTreeSet<Series> {
        self.samples.keys().cloned().collect()
    }

    /// Every value that a label has.
    pub fn labels(&self, key: &str) -> BTreeSet<&str> {
        let labels = self
            .samples
            .keys()
            .filter_map(|(_, labels)| labels.get(key));
        labels.map(String::as_str).collect()
    }

    /// Buckets never fall, and the last of them holds everything that was counted.
    fn check_histograms(&self) {
        let mut buckets: BTreeMap<Series, Vec<(f64, f64)>> = BTreeMap::new();
        for ((name, labels), value) in &self.samples {
            let Some(base) = name.strip_suffix("_bucket") else {
                continue;
            };
            let mut others = labels.clone();
            let bound = match others.remove("le").expect("a bound").as_str() {
                "+Inf" => f64::INFINITY,
                text => text.parse().expect("a bound"),
            };
            let all = buckets.entry((base.to_owned(), others)).or_default();
            all.push((bound, *value));
        }
        for ((base, labels), mut bounds) in buckets {
            bounds.sort_by(|one, other| one.0.total_cmp(&other.0));
            assert!(bounds.windows(2).all(|pair| pair[0].1 <= pair[1].1));
            let last = bounds.last().expect("a bucket");
            let count = self.samples[&(format!("{base}_count"), labels.clone())];
            assert_eq!((last.0, last.1), (f64::INFINITY, count));
            assert!(self.samples.contains_key(&(format!("{base}_sum"), labels)));
        }
    }
}

impl Family {
    /// `HELP`, then `TYPE` of a family, which begins with the first of them.
    fn told(&mut self, line: &str, seen: &mut BTreeSet<String>) {
        let mut words = line.splitn(3, ' ');
        let mut word = || words.next().expect("three words").to_owned();
        let (what, name, told) = (word(), word(), word());
        assert!(is_name(&name), "{line}");
        if name != self.name {
            assert!(seen.insert(name.clone()), "{name} comes twice");
            *self = Self {
                name,
                ..Self::default()
            };
        }
        match what.as_str() {
            "HELP" => {
                assert!(!self.helped && !told.contains(['\\', '"']), "{line}");
                self.helped = true;
            }
            "TYPE" => {
                assert!(self.kind.is_empty(), "{line}");
                self.kind = told;
            }
            _ => panic!("{line}"),
        }
    }

    /// Whether a sample may stand in this family.
    fn owns(&self, (name, labels): &Series) -> bool {
        let Some(suffix) = name.strip_prefix(&self.name) else {
            return false;
        };
        let fits = match self.kind.as_str() {
            "counter" => suffix.is_empty() && name.ends_with("_total"),
            "gauge" => suffix.is_empty() && !name.ends_with("_total"),
            "histogram" => ["_bucket", "_sum", "_count"].contains(&suffix),
            _ => false,
        };
        fits && self.helped && labels.contains_key("le") == (suffix == "_bucket")
    }
}

/// `name{label="value",…} number`
fn sample(line: &str) -> (Series, f64) {
    let (series, value) = line.rsplit_once(' ').expect("a value");
    let (name, labels) = match series.split_once('{') {
        Some((name, rest)) => (name, labels(rest.strip_suffix('}').expect("closed"))),
        None => (series, BTreeMap::new()),
    };
    assert!(is_name(name), "{line}");
    ((name.to_owned(), labels), value.parse().expect("a number"))
}

fn labels(mut text: &str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    while !text.is_empty() {
        let (key, rest) = text.split_once("=\"").expect("a label");
        assert!(is_name(key) && !key.contains(':'), "{text}");
        let mut value = String::new();
        let mut characters = rest.char_indices();
        let end = loop {
            match characters.next().expect("a closing quote") {
                (at, '"') => break at,
                (_, '\\') => match characters.next().expect("an escape").1 {
                    'n' => value.push('\n'),
                    escaped @ ('"' | '\\') => value.push(escaped),
                    other => panic!("escaped {other}"),
                },
                (_, plain) => value.push(plain),
            }
        };
        assert!(found.insert(key.to_owned(), value).is_none(), "{text}");
        text = &rest[end + 1..];
        if let Some(more) = text.strip_prefix(',') {
            assert!(!more.is_empty(), "a comma at the end");
            text = more;
        } else {
            assert!(text.is_empty(), "{text}");
        }
    }
    found
}

fn is_name(name: &str) -> bool {
    let rest = |character: char| character.is_ascii_alphanumeric() || "_:".contains(character);
    name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name.chars().all(rest)
}
