//! Tests of routing: the three modes, what they say, and hostile texts.

use proptest::prelude::*;

use super::*;
use crate::domain::text::char_count;

const HOSPITAL: &str = "Mia madre è rimasta quattro giorni su una barella in corridoio al pronto soccorso dell'ospedale. I medici \
     non l'hanno visitata, gli infermieri erano due per sessanta pazienti.";

fn config(mode: RoutingMode) -> Email {
    Email {
        routing_mode: mode,
        ..Email::default()
    }
}

#[test]
fn the_whole_text_decides_and_says_why() {
    let routing = route(&config(RoutingMode::Smart), HOSPITAL);
    assert_eq!(routing.department, Matter::Sanita.key());
    assert!(
        routing
            .reason
            .starts_with("Analisi del contenuto: Sanità/Ospedali "),
        "{}",
        routing.reason
    );
    assert!(routing.words.contains(&"pronto soccorso".to_owned()));
    assert!(routing.words.len() <= 6);
    assert_eq!(routing.scores[0].department, Matter::Sanita.key());
    assert_eq!(routing.scores.len(), 7);
    let percents: Vec<u8> = routing.scores.iter().map(|score| score.percent).collect();
    assert!(percents.is_sorted_by(|one, other| one >= other));
    assert!(routing.reason.contains(&format!("{}%", percents[0])));
}

#[test]
fn a_word_in_passing_does_not_decide() {
    let text = "Il sindaco è venuto a trovarci in corsia. Sono ricoverato da due mesi: il chirurgo mi ha operato la gamba \
         sbagliata e la cartella clinica è sparita dall'ospedale.";
    assert_eq!(
        route(&config(RoutingMode::Keywords), text).department,
        Matter::Corruzione.key()
    );
    assert_eq!(
        route(&config(RoutingMode::Smart), text).department,
        Matter::Sanita.key()
    );
}

#[test]
fn below_the_threshold_nobody_is_named() {
    let mut config = config(RoutingMode::Smart);
    config.routing_threshold = 100;
    let routing = route(&config, HOSPITAL);
    assert_eq!(routing.department, DepartmentKey::GENERALE);
    assert!(
        routing.reason.starts_with(
            "Nessun reparto sopra la soglia (100%): Redazione Generale. Più vicini: Sanità "
        ),
        "{}",
        routing.reason
    );
    assert_eq!(routing.secondary, Some(Matter::Sanita.key()));
}

#[test]
fn a_configured_keyword_weighs() {
    let text = "Da mesi i glifoni non passano e nessuno ci dice che cosa succede, vi prego di venire a vedere.";
    let mut config = config(RoutingMode::Smart);
    let percent = |config: &Email| {
        let routing = route(config, text);
        let scores = routing.scores.into_iter();
        let mut of = scores.filter(|score| score.department == Matter::Ambiente.key());
        of.next().map(|score| score.percent)
    };
    let before = percent(&config);
    config.departments.desks_mut()[4]
        .keywords
        .push_str(", glifone");
    assert!(percent(&config) > before);
    let words = route(&config, text).words;
    assert!(words.contains(&"glifoni".to_owned()), "{words:?}");
}

#[test]
fn keywords_take_the_first_department_in_order() {
    let config = config(RoutingMode::Keywords);
    for (text, department, words) in [
        (
            "La SCUOLA e l'OSPEDALE",
            Matter::Sanita.key(),
            vec!["ospedale"],
        ),
        ("una scuola", Matter::Scuola.key(), vec!["scuola"]),
        // A substring, as ordered: 'preside' stands in 'presidente'.
        ("il presidente", Matter::Scuola.key(), vec!["preside"]),
        ("niente di tutto questo", DepartmentKey::GENERALE, vec![]),
        ("", DepartmentKey::GENERALE, vec![]),
    ] {
        let routing = route(&config, text);
        assert_eq!(routing.department, department, "{text}");
        assert_eq!(routing.words, words, "{text}");
        assert!(routing.scores.is_empty() && routing.secondary.is_none());
    }
    let routing = route(&config, "una scuola");
    assert_eq!(
        routing.reason,
        "Parole chiave di Scuola/Istruzione: scuola."
    );
}

#[test]
fn by_hand_and_switched_off_everything_goes_to_the_fallback() {
    let routing = route(&config(RoutingMode::Manual), HOSPITAL);
    assert_eq!(
        (routing.department, &*routing.reason),
        (
            DepartmentKey::GENERALE,
            "Smistamento manuale: Redazione Generale."
        )
    );
    let mut off = config(RoutingMode::Smart);
    off.enable_department_routing = false;
    let routing = route(&off, HOSPITAL);
    assert_eq!(routing.department, DepartmentKey::GENERALE);
}

#[test]
fn nothing_to_read_goes_to_the_fallback() {
    for text in ["", " \n\t", "?!…", "\u{200B}\u{301}"] {
        let routing = route(&Email::default(), text);
        assert_eq!(routing.department, DepartmentKey::GENERALE, "{text:?}");
        assert_eq!(
            routing.reason,
            "Nessun testo da analizzare: Redazione Generale."
        );
    }
}

#[test]
fn long_and_hostile_texts_are_answered() {
    let long = "Al pronto soccorso dell'ospedale i pazienti aspettano in barella. "
        .repeat(400)
        .chars()
        .take(20_000)
        .collect::<String>();
    assert_eq!(
        route(&Email::default(), &long).department,
        Matter::Sanita.key()
    );
    for text in [
        "a".repeat(20_000),
        "🚒".repeat(5_000),
        "e\u{301}\u{323}".repeat(6_000),
        "ospedale\u{202E}\u{0}'; DROP TABLE--<script>".repeat(400),
        "İŞẞﬃ".repeat(4_000),
    ] {
        let routing = route(&Email::default(), &text);
        assert!(char_count(&routing.reason) < 200);
        assert!(routing.words.len() <= 6);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn any_text_is_answered_and_always_the_same_way(text in any::<String>(), mode in 0..3_usize) {
        let mode = [RoutingMode::Smart, RoutingMode::Keywords, RoutingMode::Manual][mode];
        let routing = route(&config(mode), &text);
        prop_assert_eq!(&route(&config(mode), &text), &routing);
        prop_assert!(!routing.reason.is_empty() && routing.words.len() <= 6);
        prop_assert_ne!(routing.secondary, Some(routing.department));
        prop_assert_ne!(routing.secondary, Some(DepartmentKey::GENERALE));
    }
}
