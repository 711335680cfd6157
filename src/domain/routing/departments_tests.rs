//! Routing to departments of a newsroom's own: found by their keywords, sharing a matter, or without one that is asked for.

use serde::Deserialize;

use super::*;

#[derive(Deserialize)]
struct Example {
    text: String,
    label: String,
}

fn department(name: &str, matter: Option<Matter>, keywords: &str) -> Department {
    Department {
        key: DepartmentKey::made_from(name, |_| false),
        name: name.to_owned(),
        email: String::new(),
        keywords: keywords.to_owned(),
        matter,
    }
}

fn newsroom(desks: impl IntoIterator<Item = Department>) -> Email {
    let general = Departments::default().general().clone();
    let departments = Departments::of(desks.into_iter().chain([general]), Vec::new());
    Email {
        departments: departments.unwrap(),
        ..Email::default()
    }
}

/// Four departments as a newsroom of the south may have them.
fn four() -> Email {
    newsroom([
        department(
            "Cronaca",
            Some(Matter::Criminalita),
            "droga, spaccio, furto, rapina, truffa, mafia, usura, incidente, carabinieri, polizia, omicidio, aggressione",
        ),
        department(
            "Sport",
            None,
            "calcio, calciatore, partita, squadra, allenatore, palestra, doping, arbitro, campionato, tifosi, stadio, atleta, \
             federazione sportiva, società sportiva, gara",
        ),
        department(
            "Esteri",
            None,
            "ambasciata, consolato, visto, estero, straniero, confine, guerra, profughi, cooperazione internazionale, \
             permesso di soggiorno, ong, missione, migranti, frontiera",
        ),
        department(
            "Salento",
            None,
            "Salento, Lecce, Gallipoli, Otranto, xylella, ulivi, Nardò, Maglie, Brindisi, Leuca, Porto Cesareo, masseria, Tricase",
        ),
    ])
}

/// Four as a newsroom of the mountains may have them.
fn mountain() -> Email {
    newsroom([
        department(
            "Palazzo",
            Some(Matter::Corruzione),
            "sindaco, assessore, giunta, appalto, concorso, consulenza, regione, provincia",
        ),
        department(
            "Fabbriche",
            Some(Matter::Lavoro),
            "fabbrica, operai, cassa integrazione, stipendio, sindacato, cooperativa",
        ),
        department(
            "Trasporti",
            None,
            "treno, treni, pendolari, autobus, ferrovia, autostrada, stazione, casello, binario, tram, corriera, traghetto, \
             passaggio a livello, galleria, viadotto, autista",
        ),
        department(
            "Montagna",
            None,
            "rifugio, seggiovia, funivia, impianti di risalita, valanga, bosco, malga, soccorso alpino, pista da sci, alpeggio, \
             neve, sentiero, Cadore, Cortina, Agordo",
        ),
    ])
}

const SOUTH: &str = include_str!("../../../tests/vectors/departments.jsonl");
const MOUNTAIN: &str = include_str!("../../../tests/vectors/mountain_departments.jsonl");

#[test]
fn four_departments_get_what_is_theirs() {
    for (email, lines) in [(four(), SOUTH), (mountain(), MOUNTAIN)] {
        measured(&email, lines);
    }
}

fn measured(email: &Email, lines: &str) {
    let router = Router::new(email);
    let examples: Vec<Example> = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert!(examples.len() >= 60);
    let mut wrong = Vec::new();
    for Example { text, label } in &examples {
        let found = router.route(&Memory::default(), text);
        assert!(
            found
                .reason
                .contains(email.departments.name(&found.department))
        );
        assert_eq!(found.scores.len(), 5);
        if found.department.as_str() != label {
            wrong.push(format!("{label}: {} ({text:.50})", found.reason));
        }
    }
    let right = examples.len() - wrong.len();
    assert!(right * 100 >= examples.len() * 90, "{}", wrong.join("\n"));
}

#[test]
fn the_reason_says_what_decided() {
    let said = |email: &Email, text: &str| {
        let routed = route(email, text);
        (routed.department.to_string(), routed.reason, routed.words)
    };
    let email = four();
    let (key, reason, words) = said(
        &email,
        "L'arbitro della partita ha preso soldi dalla squadra.",
    );
    assert_eq!(key, "sport");
    assert!(
        reason.starts_with("Analisi del contenuto: Sport "),
        "{reason}"
    );
    assert!(reason.ends_with("Decidono le parole chiave del reparto."));
    assert_eq!(words, ["arbitro", "partita", "squadra"]);
    let ward = "Mia madre è rimasta quattro giorni su una barella in corridoio al pronto soccorso dell'ospedale. I medici non \
         l'hanno visitata.";
    let (key, reason, _) = said(&email, ward);
    assert_eq!(key, "generale");
    assert!(
        reason.ends_with("Nessun reparto si occupa di Sanità/Ospedali."),
        "{reason}"
    );
    let two = newsroom([
        department("Ospedali", Some(Matter::Sanita), "primario"),
        department(
            "Medici di base",
            Some(Matter::Sanita),
            "barella, ambulatorio",
        ),
    ]);
    let (key, reason, _) = said(&two, ward);
    assert_eq!(key, "medici-di-base");
    assert!(
        reason.contains("Medici di base") && reason.ends_with("decidono le parole chiave."),
        "{reason}"
    );
    let (key, reason, _) = said(&two, &ward.replace("barella", "sedia"));
    assert_eq!(key, "ospedali");
    assert!(
        reason.ends_with("È il primo tra i reparti di questa materia."),
        "{reason}"
    );
}

#[test]
fn a_department_that_was_removed_is_not_remembered() {
    let text = "L'arbitro della partita di domenica ha preso soldi dalla squadra avversaria, lo sanno tutti in paese.";
    let gone = DepartmentKey::parse("tennis").unwrap();
    let moved = |to| Memory::from_iter([(Pieces::of(text).unwrap(), to)]);
    let router = Router::new(&four());
    let there = DepartmentKey::parse("esteri").unwrap();
    assert_eq!(router.route(&moved(there), text).department, there);
    assert_eq!(
        router.route(&moved(gone), text).department.as_str(),
        "sport"
    );
}

#[test]
fn the_fallback_is_called_by_its_name() {
    let mut all: Vec<Department> = four().departments.iter().cloned().collect();
    all[4].name = "Desk centrale".to_owned();
    let email = Email {
        departments: Departments::of(all, Vec::new()).unwrap(),
        routing_mode: RoutingMode::Manual,
        ..Email::default()
    };
    let routed = route(&email, "Una segnalazione.");
    assert_eq!(routed.reason, "Smistamento manuale: Desk centrale.");
}
