//! `GET /analytics`: every figure against a naive recomputation, over both changes of the clocks, and where conversations
//! stop.

use std::collections::BTreeMap;

use jiff::civil::{Date, date};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan, Zoned};
use segnalazioni::testing::actions::log_access::Actor;
use segnalazioni::testing::actions::submit_report::{Submission, submit_report};
use segnalazioni::testing::actions::update_report::{Change, update_report};
use segnalazioni::testing::clock::zone;
use segnalazioni::testing::domain::report::{Report, Stato};
use segnalazioni::testing::domain::routing::Routing;
use segnalazioni::testing::newsroom;
use serde_json::{Value, json};

use crate::support::chat::{Chat, Person, submit, turn};
use crate::support::panel::Editor;
use crate::support::program::{Program, at};

const MINUTE_MS: i64 = 60_000;
const DAY_MS: i64 = 24 * 60 * MINUTE_MS;
/// Italian public holidays of the seeded year and the turns of it, as printed on a calendar.
const HOLIDAYS: [(i16, i8, i8); 20] = [
    (2025, 12, 8),
    (2025, 12, 25),
    (2025, 12, 26),
    (2026, 1, 1),
    (2026, 1, 6),
    (2026, 4, 6),
    (2026, 4, 25),
    (2026, 5, 1),
    (2026, 6, 2),
    (2026, 8, 15),
    (2026, 10, 4),
    (2026, 11, 1),
    (2026, 12, 8),
    (2026, 12, 25),
    (2026, 12, 26),
    (2027, 1, 1),
    (2027, 1, 6),
    (2027, 3, 29),
    (2027, 4, 25),
    (2027, 5, 1),
];

/// What happened to one report, all of it before "now".
#[derive(Debug, Clone)]
struct Seed {
    id: String,
    received: i64,
    opened: Option<i64>,
    moves: Vec<(i64, Stato)>,
}

impl Seed {
    fn stato(&self) -> Stato {
        self.moves.last().map_or(Stato::Nuova, |(_, stato)| *stato)
    }

    /// When it was resolved, if it still counts as that: told by walking its story.
    fn resolved(&self) -> Option<i64> {
        let mut resolved = None;
        for (at, stato) in &self.moves {
            resolved = match stato {
                Stato::Risolta => resolved.or(Some(*at)),
                Stato::Archiviata => resolved,
                Stato::Nuova | Stato::InLavorazione => None,
            };
        }
        resolved
    }
}

/// A small generator of numbers, the same at each run (`SplitMix64`).
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: i64) -> i64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        i64::try_from((mixed ^ (mixed >> 31)) >> 1).unwrap() % bound
    }
}

fn rome() -> TimeZone {
    zone("Europe/Rome").unwrap()
}

fn local(ms: i64) -> Zoned {
    Timestamp::from_millisecond(ms).unwrap().to_zoned(rome())
}

/// Reports over 150 days, a third of them in the night of a change of the clocks and the two days around it.
fn seeds(now: i64, night: i64, dice: &mut Dice) -> Vec<Seed> {
    let mut seeds: Vec<Seed> = (0..500)
        .map(|number| {
            let received = if number % 3 == 0 {
                night - DAY_MS + dice.below(2 * DAY_MS)
            } else {
                now - dice.below(150 * DAY_MS)
            };
            seed(number, received, now, dice)
        })
        .collect();
    seeds.sort_by_key(|seed| seed.received);
    seeds
}

fn seed(number: usize, received: i64, now: i64, dice: &mut Dice) -> Seed {
    let mut at = received;
    let mut moves = Vec::new();
    for _ in 0..dice.below(5) {
        at += dice.below(12 * DAY_MS);
        let stato = Stato::ALL[usize::try_from(dice.below(4)).unwrap()];
        let last = moves.last().map_or(Stato::Nuova, |(_, stato)| *stato);
        if at < now && stato != last {
            moves.push((at, stato));
        }
    }
    let opened = received + dice.below(3 * DAY_MS);
    Seed {
        id: format!("{number:08}-0000-4000-8000-000000000000"),
        received,
        opened: (opened < now && number % 4 != 1).then_some(opened),
        moves,
    }
}

fn report(id: &str) -> Report {
    Report {
        eta: 40,
        nome: format!("Nome{}", &id[..8]),
        cognome: format!("Cognome{}", &id[..8]),
        telefono: "3123456789".to_owned(),
        email: "a@esempio.it".to_owned(),
        indirizzo: "Via della Prova 1".to_owned(),
        segnalazione: "Racconto".to_owned(),
    }
}

/// Puts the reports into the archive of a program that stands still.
fn plant(program: &mut Program, seeds: Vec<Seed>) {
    program.stop();
    let newsroom = newsroom::open(program.config(), 0, Box::new(|| ())).expect("a newsroom");
    let vault = newsroom.vault;
    newsroom
        .store
        .write(move |tx| {
            let actor = Actor::default();
            for seed in &seeds {
                let submission = Submission {
                    urgente: None,
                    id: seed.id.clone(),
                    report: report(&seed.id),
                    impronta: [0; 16],
                    privacy_version: "v".to_owned(),
                };
                submit_report(tx, &vault, seed.received, &submission, &Routing::default())?;
                for (version, (at, stato)) in (1..).zip(&seed.moves) {
                    let change = Change {
                        department: None,
                        stato: Some(*stato),
                        note: None,
                        urgente: None,
                    };
                    update_report(tx, &vault, *at, &actor, &seed.id, version, &change)?;
                }
                if let Some(at) = seed.opened {
                    tx.mark_opened(&seed.id, at)?;
                }
            }
            Ok::<_, segnalazioni::testing::actions::Error>(())
        })
        .expect("they are planted");
    drop(newsroom.store);
    program.start_again();
}

#[expect(
    clippy::cast_precision_loss,
    reason = "counts and spans of a test are small"
)]
fn float(number: i64) -> f64 {
    number as f64
}

/// Working days by looking at every day in between.
fn worked(from: i64, until: i64) -> f64 {
    let mut days = 0.0;
    let mut day = local(from).date();
    while day <= local(until).date() {
        let start = day.to_zoned(rome()).unwrap().timestamp().as_millisecond();
        let next = day.tomorrow().unwrap().to_zoned(rome()).unwrap();
        let end = next.timestamp().as_millisecond();
        let free = day.weekday().to_monday_one_offset() > 5
            || HOLIDAYS.contains(&(day.year(), day.month(), day.day()));
        if !free {
            let overlap = until.min(end) - from.max(start);
            days += float(overlap) / float(end - start);
        }
        day = day.tomorrow().unwrap();
    }
    days
}

fn count(seeds: &[Seed], mut which: impl FnMut(&Seed) -> bool) -> i64 {
    i64::try_from(seeds.iter().filter(|seed| which(seed)).count()).unwrap()
}

/// Fails unless the figure is this value, rounded to one decimal.
fn near(figure: &Value, value: f64) {
    let shown = figure.as_f64().expect("a figure");
    assert!(
        (shown - value).abs() <= 0.05 + 1e-9,
        "{shown} is not {value}"
    );
    assert!(
        ((shown * 10.0).round() - shown * 10.0).abs() < 1e-9,
        "{shown}"
    );
}

/// The mean over the 30 latest of these, by `key`.
fn mean_of_latest(mut spans: Vec<(i64, i64)>, length: impl Fn(i64, i64) -> f64) -> f64 {
    spans.sort_by_key(|(_, until)| std::cmp::Reverse(*until));
    spans.truncate(30);
    assert_eq!(spans.len(), 30);
    spans
        .iter()
        .map(|(from, until)| length(*from, *until))
        .sum::<f64>()
        / 30.0
}

fn check_counts(figures: &Value, seeds: &[Seed], now: i64) {
    let total = count(seeds, |_| true);
    assert_eq!(figures["total"], total);
    for (share, stato) in figures["byStatus"]
        .as_array()
        .unwrap()
        .iter()
        .zip(Stato::ALL)
    {
        let n = count(seeds, |seed| seed.stato() == stato);
        assert_eq!(
            (&share["stato"], &share["count"]),
            (&json!(stato), &json!(n))
        );
        near(&share["percent"], float(n) * 100.0 / float(total));
    }
    let today = local(now).date();
    let since = |days: i64| local(now).checked_sub(days.days()).unwrap();
    assert_eq!(
        figures["received"],
        json!({
            "today": count(seeds, |seed| local(seed.received).date() == today),
            "week": count(seeds, |seed| local(seed.received) >= since(7)),
            "month": count(seeds, |seed| local(seed.received) >= since(30)),
        })
    );
    let resolved = count(seeds, |seed| seed.resolved().is_some());
    assert_eq!(figures["resolutionRate"]["resolved"], resolved);
    near(
        &figures["resolutionRate"]["percent"],
        float(resolved) * 100.0 / float(total),
    );
}

fn check_month(figures: &Value, seeds: &[Seed], now: i64) {
    let now = local(now).datetime();
    let previous_month = now.date().first_of_month().yesterday().unwrap();
    let moment = |seed: &Seed| local(seed.received).datetime();
    let in_month = |at: Date, of: Date| (at.year(), at.month()) == (of.year(), of.month());
    let current = count(seeds, |seed| in_month(moment(seed).date(), now.date()));
    let previous = count(seeds, |seed| {
        let at = moment(seed);
        in_month(at.date(), previous_month) && (at.day(), at.time()) < (now.day(), now.time())
    });
    let month = &figures["monthChange"];
    assert_eq!(
        (&month["current"], &month["previous"]),
        (&json!(current), &json!(previous))
    );
    assert!(previous > 0);
    near(
        &month["percent"],
        float(current - previous) * 100.0 / float(previous),
    );
}

fn check_times(figures: &Value, seeds: &[Seed]) {
    let resolutions = seeds
        .iter()
        .filter_map(|seed| Some((seed.received, seed.resolved()?)));
    let mean = mean_of_latest(resolutions.collect(), worked);
    near(&figures["resolutionTime"]["workingDays"], mean);
    assert_eq!(figures["resolutionTime"]["reports"], 30);
    let openings = seeds
        .iter()
        .filter_map(|seed| Some((seed.received, seed.opened?)));
    let minutes = |from, until| float(until - from) / float(MINUTE_MS);
    near(
        &figures["openingTime"]["minutes"],
        mean_of_latest(openings.collect(), minutes),
    );
}

fn check_days(figures: &Value, seeds: &[Seed], now: i64) {
    let mut naive: BTreeMap<Date, i64> = BTreeMap::new();
    for seed in seeds {
        *naive.entry(local(seed.received).date()).or_default() += 1;
    }
    let days = figures["perDay"].as_array().unwrap();
    assert_eq!(days.len(), 90);
    for (day, back) in days.iter().zip((0..90).rev()) {
        let date = local(now).date().checked_sub(back.days()).unwrap();
        let n = naive.get(&date).copied().unwrap_or(0);
        assert_eq!(*day, json!({ "date": date.to_string(), "count": n }));
    }
    let latest = figures["recent"].as_array().unwrap();
    assert_eq!(latest.len(), 5);
    for (shown, seed) in latest.iter().zip(seeds.iter().rev()) {
        assert_eq!(
            *shown,
            json!({
                "id": seed.id, "nome": report(&seed.id).nome, "cognome": report(&seed.id).cognome,
                "data_creazione": Timestamp::from_millisecond(seed.received).unwrap().to_string(),
                "stato": seed.stato(),
            })
        );
    }
}

#[test]
fn every_figure_equals_a_naive_recomputation_over_both_changes_of_the_clocks() {
    for (now, night, dice) in [
        ("2026-04-29T08:17:31.250Z", "2026-03-29T01:00:00Z", 1),
        ("2026-11-21T22:59:59.999Z", "2026-10-25T01:00:00Z", 2),
        ("2026-10-25T01:30:00.500Z", "2026-10-25T01:00:00Z", 3),
    ] {
        let (now, night) = (at(now), at(night));
        let mut program = Program::start();
        let keep = json!({ "autoArchiveDays": 3650 });
        program
            .set_up()
            .put("/settings/security", &keep)
            .expect(200);
        let seeds: Vec<Seed> = seeds(now, night, &mut Dice(dice))
            .into_iter()
            .filter(|seed| seed.received < now)
            .collect();
        plant(&mut program, seeds.clone());
        program.clock.set(now);
        let figures = program.log_in().get("/analytics").expect(200).json();
        check_counts(&figures, &seeds, now);
        check_month(&figures, &seeds, now);
        check_times(&figures, &seeds);
        check_days(&figures, &seeds, now);
    }
}

#[test]
fn an_empty_archive_has_no_figures_where_there_is_nothing_to_compute_from() {
    let program = Program::start();
    let figures = program.set_up().get("/analytics").expect(200).json();
    assert_eq!(figures["total"], 0);
    assert_eq!(
        figures["monthChange"],
        json!({ "current": 0, "previous": 0, "percent": null })
    );
    assert_eq!(
        figures["resolutionTime"],
        json!({ "workingDays": null, "reports": 0 })
    );
    assert_eq!(
        figures["resolutionRate"],
        json!({ "resolved": 0, "percent": null })
    );
    assert_eq!(
        figures["openingTime"],
        json!({ "minutes": null, "reports": 0 })
    );
    assert_eq!(figures["byStatus"].as_array().unwrap().len(), 4);
    for share in figures["byStatus"].as_array().unwrap() {
        assert_eq!(
            (&share["count"], &share["percent"]),
            (&json!(0), &Value::Null)
        );
    }
    assert_eq!(figures["recent"], json!([]));
    assert_eq!(figures["perDay"][0]["date"], date(2025, 12, 11).to_string());
    assert_eq!(figures["chatStops"]["unfinished"], 0);
}

#[test]
fn figures_follow_what_staff_do() {
    let program = Program::start();
    program.set_up();
    let id = submit(&program.client(), &Person::numbered(1));
    // Tuesday 10:00 to Thursday 22:00 in Rome.
    program.clock.set(at("2026-03-12T21:00:00Z"));
    let editor = program.log_in();
    editor.report(&id);
    editor
        .patch(&id, &json!(1), &json!({ "stato": "Risolta" }))
        .expect(200);
    let figures = editor.get("/analytics").expect(200).json();
    assert_eq!(
        figures["resolutionTime"],
        json!({ "workingDays": 2.5, "reports": 1 })
    );
    assert_eq!(
        figures["openingTime"],
        json!({ "minutes": 3600.0, "reports": 1 })
    );
    assert_eq!(
        figures["resolutionRate"],
        json!({ "resolved": 1, "percent": 100.0 })
    );
    editor
        .patch(&id, &json!(2), &json!({ "stato": "In lavorazione" }))
        .expect(200);
    let figures = editor.get("/analytics").json();
    assert_eq!(figures["resolutionTime"]["workingDays"], Value::Null);
    assert_eq!(figures["resolutionRate"]["resolved"], 0);
}

/// Reached, answered and unfinished, by question.
fn picture(stops: &Value) -> Vec<(i64, i64, i64)> {
    let number = |value: &Value| value.as_i64().unwrap();
    let states = stops["states"].as_array().unwrap().iter();
    states
        .map(|state| {
            (
                number(&state["reached"]),
                number(&state["answered"]),
                number(&state["unfinished"]),
            )
        })
        .collect()
}

fn stops(program: &Program, editor: &Editor) -> Value {
    program.running().tidy().unwrap();
    editor.get("/analytics").expect(200).json()["chatStops"].clone()
}

#[test]
fn conversations_are_counted_where_they_stop() {
    let mut program = Program::start();
    let editor = program.set_up();
    let client = program.client();
    Chat::start(&client);
    let mut minor = Chat::start(&client);
    minor.say("boh");
    minor.say("17");
    let person = Person::numbered(1);
    Chat::until(&client, &person, "collect_phone").say("chiamami");
    let mut account = Chat::until(&client, &person, "investigative_questions");
    account.say("troppo corto");
    account.say("ho sentito un avvocato");
    account.say("troppo corto");
    let mut whole = Chat::at_the_end(&client, &person);
    let last = whole.token().to_owned();
    whole.say("no");
    // The last turn again, and the first of another conversation twice: each counts once.
    turn(&client, &last, "no").expect(200);
    let again = Chat::start(&client);
    turn(&client, again.token(), "34").expect(200);
    turn(&client, again.token(), "34").expect(200);

    let stops = stops(&program, &editor);
    assert_eq!(
        picture(&stops),
        [
            (6, 4, 1),
            (4, 3, 1),
            (3, 3, 0),
            (3, 2, 1),
            (2, 2, 0),
            (2, 2, 0),
            (2, 1, 1),
            (1, 1, 0)
        ]
    );
    for (key, n) in [
        ("started", 6),
        ("completed", 1),
        ("minors", 1),
        ("unfinished", 4),
    ] {
        assert_eq!(stops[key], n, "{key}");
    }
    assert_eq!(
        stops["states"][6]["refusals"],
        json!([{ "rule": "too_short", "count": 2 }, { "rule": "forbidden", "count": 1 }])
    );
    assert_eq!(stops["states"][3]["state"], "collect_phone");
    assert_eq!(stops["since"], "2025-12-11");

    // They outlive the program, also those that no round has stored.
    Chat::start(&client);
    program.restart();
    let figures = program.log_in().get("/analytics").json();
    assert_eq!(figures["chatStops"]["started"], 7);
}

#[test]
fn counts_of_conversations_hold_nothing_but_day_question_rule_and_number() {
    let mut program = Program::start();
    program.set_up();
    let person = Person::numbered(7);
    Chat::until(&program.client(), &person, "collect_address").say("corto");
    program.stop();
    let database = crate::support::disk::database(program.data());
    let mut rows = database
        .prepare("SELECT day || ' ' || state || ' ' || rule || ' ' || n FROM chat_stops")
        .unwrap();
    let rows: Vec<String> = rows
        .query_map([], |row| row.get(0))
        .unwrap()
        .map(|row| row.unwrap())
        .collect();
    assert_eq!(
        rows,
        [
            "2026-03-10 age_check answered 1",
            "2026-03-10 age_check started 1",
            "2026-03-10 collect_address invalid 1",
            "2026-03-10 collect_email answered 1",
            "2026-03-10 collect_name answered 1",
            "2026-03-10 collect_phone answered 1",
            "2026-03-10 collect_surname answered 1",
        ]
    );
}

#[test]
fn trying_phrases_out_is_no_conversation() {
    let program = Program::start();
    let editor = program.set_up();
    let tried = |said: Value| {
        let answer = editor.api("POST", "/prompts/try").json(&said).send();
        answer.expect(200).json()["conversation"].clone()
    };
    let begun = tried(json!({ "prompts": {} }));
    tried(json!({ "prompts": {}, "conversation": begun, "text": "34" }));
    let stops = stops(&program, &editor);
    assert_eq!(stops["started"], 0);
    assert_eq!(picture(&stops), [(0, 0, 0); 8]);
}

#[test]
fn nobody_without_a_session_sees_a_figure() {
    let program = Program::start();
    program.set_up();
    program
        .client()
        .get("/analytics")
        .problem(401, "non-autenticato");
}
