//! The pure parts, one at a time and without HTTP or disk. Must never measure what the compiler could leave out: every
//! input and output goes through `black_box`.

use std::hint::black_box;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use segnalazioni::testing::domain::Phrases;
use segnalazioni::testing::domain::Report;
use segnalazioni::testing::domain::fold;
use segnalazioni::testing::domain::{Conversation, Rules, State, step};
use segnalazioni::testing::domain::{Security, System};
use segnalazioni::testing::{PasswordParams, Vault, open_row, seal_row};
use segnalazioni::testing::{derive, new_salt};

use super::figures::{Figure, Table, number};
use super::limits;

/// How long each part runs in each round.
const SPAN: Duration = Duration::from_millis(100);
/// Calls between two looks at the clock.
const BURST: u64 = 16;

/// Measures all parts.
pub fn measure(table: &mut Table, rounds: usize) -> Result<()> {
    let mut part = |title: &str, call: &mut dyn FnMut()| {
        let mut figure = Figure::default();
        figure.extend((0..rounds).map(|_| microseconds(call)));
        table.row(title, figure.cells(2));
    };
    let rules = Rules::new(
        &Phrases::default(),
        &Security::default(),
        &System::default(),
    );
    part("rules of a turn from the settings, us", &mut || {
        let (security, system) = (Security::default(), System::default());
        black_box(Rules::new(
            black_box(&Phrases::default()),
            &security,
            &system,
        ));
    });
    let report = limits::report();
    let waiting = Conversation {
        state: State::InvestigativeQuestions,
        draft: Report {
            segnalazione: String::new(),
            ..report.clone()
        },
        helped: false,
    };
    part("engine, the turn that takes the account, us", &mut || {
        let conversation = black_box(waiting.clone());
        black_box(step(&rules, conversation, black_box(&report.segnalazione)));
    });
    let vault = Vault::in_memory()?;
    let plain = serde_json::to_vec(&report)?;
    let token = vault.seal_token(&plain)?;
    part("token sealed, us", &mut || {
        black_box(vault.seal_token(black_box(&plain))).ok();
    });
    part("token opened, us", &mut || {
        black_box(vault.open_token(black_box(&token))).ok();
    });
    let epoch = vault.current_epoch(0)?.epoch.clone();
    let row = seal_row(&epoch, "segnalazioni", "1", &plain)?;
    part("row sealed, us", &mut || {
        black_box(seal_row(&epoch, "segnalazioni", "1", black_box(&plain))).ok();
    });
    part("row opened, us", &mut || {
        black_box(open_row(&epoch, "segnalazioni", "1", black_box(&row))).ok();
    });
    let line = "Niccolò D'Àngelo niccolo.dangelo@esempio.it 3331234567";
    part("contact line folded for search, us", &mut || {
        black_box(fold(black_box(line)));
    });
    password(table, rounds)
}

/// Argon2id takes so long that one call is a round.
fn password(table: &mut Table, rounds: usize) -> Result<()> {
    let (params, salt) = (PasswordParams::default(), new_salt()?);
    let mut figure = Figure::default();
    for _ in 0..rounds {
        let begun = Instant::now();
        derive(black_box(b"una password qualunque"), &params, &salt).context("derivation")?;
        figure.push(begun.elapsed().as_secs_f64() * 1e6);
    }
    table.row("password derived (Argon2id), us", figure.cells(0));
    Ok(())
}

/// Mean time of one call.
fn microseconds(call: &mut dyn FnMut()) -> f64 {
    let begun = Instant::now();
    let mut calls = 0;
    while begun.elapsed() < SPAN {
        (0..BURST).for_each(|_| call());
        calls += BURST;
    }
    begun.elapsed().as_secs_f64() * 1e6 / number(calls)
}
