//! The bench as a gate: figures are written down, read back and compared (`benches/served/gate.rs`).

#[expect(dead_code, reason = "the benches use the rest of it")]
#[path = "../../benches/served/figures.rs"]
mod figures;
#[expect(dead_code, reason = "the benches use the rest of it")]
#[path = "../../benches/served/gate.rs"]
mod gate;

use figures::Figure;
use gate::{End, FIGURES, Goal, Row, block, check, replace, table};

/// Rows as the last run found them, written down as a block.
fn block_of(rows: &[Row]) -> String {
    let document = "before\n<!-- x: written by --write -->\nold\n<!-- end of x -->\nafter\n";
    let new = replace(document, "x", &table(rows).text()).unwrap();
    assert!(new.starts_with("before\n") && new.ends_with("\nafter\n") && !new.contains("old"));
    block(&new, "x").unwrap().to_owned()
}

fn figure(median: f64) -> Figure {
    let mut figure = Figure::default();
    figure.extend([median / 2.0, median, median * 2.0]);
    figure
}

fn share(median: f64) -> Vec<Row> {
    vec![Row::ratio("share", &figure(median), Goal::AtLeast(0.8))]
}

fn times(median: f64) -> Vec<Row> {
    vec![Row::ratio("times", &figure(median), Goal::AtMost(30.0))]
}

#[test]
fn a_ratio_falls_when_it_is_more_than_fifteen_percent_worse() {
    let shares = block_of(&share(0.5));
    assert_eq!(
        check(&share(0.5 * 0.86), &shares, true),
        (End::Stands, Vec::new())
    );
    assert_eq!(
        check(&share(0.5 * 0.84), &shares, true),
        (
            End::Fell,
            vec!["FELL: share: 0.420, written down is 0.500".to_owned()]
        )
    );
    assert_eq!(
        check(&times(20.0 / 0.86), &block_of(&times(20.0)), true).0,
        End::Stands
    );
    assert_eq!(
        check(&times(20.0 / 0.84), &block_of(&times(20.0)), true).0,
        End::Fell
    );
    assert_eq!(check(&share(5.0), &shares, true).0, End::Stands);
}

#[test]
fn a_run_whose_canary_moved_says_nothing() {
    let ends = [0.1, 0.5].map(|now| check(&share(now), &block_of(&share(0.5)), false));
    assert_eq!(ends, [(End::Void, Vec::new()), (End::Void, Vec::new())]);
}

#[test]
fn a_figure_that_is_missing_is_not_a_good_one() {
    let missing = vec![Row::ratio("share", &Figure::default(), Goal::AtLeast(0.8))];
    let aside = (
        End::Stands,
        vec!["not compared: share: not measured".to_owned()],
    );
    assert_eq!(check(&missing, &block_of(&share(0.5)), true), aside);
    assert_eq!(check(&share(0.5), &block_of(&missing), true), aside);
    assert_eq!(
        check(&share(0.5), &block_of(&times(20.0)), true).0,
        End::Fell
    );
    assert!(block("no marks", "x").is_err() && replace("no marks", "x", "").is_err());
    assert!(table(&missing).text().contains("| not measured "));
}

#[test]
fn goals_are_met_or_fall_short_and_depend_on_the_machine_unless_they_are_ratios() {
    let met = |rows: Vec<Row>| table(&rows).text().ends_with("| met     |");
    assert!(met(share(0.8)));
    assert!(!met(share(0.79)));
    assert!(!met(times(30.1)));
    assert!(table(&times(30.1)).text().ends_with("| falls short |"));
    let start = |ms| vec![Row::new("start, ms", &figure(ms), 1).shall(Goal::AtMost(6.0))];
    assert!(met(start(5.0)));
    assert_eq!(
        check(&start(60.0), &block_of(&start(5.0)), true).0,
        End::Stands
    );
}

#[test]
fn the_document_has_a_place_for_figures() {
    let document = include_str!("../../docs/BENCH.md");
    for name in [FIGURES, "growth"] {
        let found = block(document, name).unwrap().trim();
        assert_eq!(replace(document, name, found).unwrap(), document);
    }
}
