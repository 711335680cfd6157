use super::*;
use proptest::prelude::*;

fn reporter(account: &str) -> Report {
    Report {
        eta: 41,
        nome: "Maria Rosa".to_owned(),
        cognome: "D'Angelo".to_owned(),
        telefono: "3331234567".to_owned(),
        email: "mr.dangelo@example.it".to_owned(),
        indirizzo: "Via dei Mille 12, Lecco".to_owned(),
        segnalazione: account.to_owned(),
    }
}

/// The proposed places as they stand in the account.
fn proposed(account: &str) -> Vec<(String, Naming)> {
    let characters: Vec<char> = account.chars().collect();
    let place = |proposal: &Proposal| characters[proposal.start..proposal.end].iter().collect();
    let found = proposals(&reporter(account));
    found.iter().map(|one| (place(one), one.why)).collect()
}

/// Accounts with what names somebody between brackets of its kind.
const NAMED: &[(Naming, &str)] = &[
    (Naming::Phone, "Chiamatemi al [333 1234567] dopo le 18."),
    (Naming::Phone, "il mio numero è [+39 347.12.34.567], grazie"),
    (Naming::Phone, "cell [3471234567]"),
    (Naming::Phone, "in ufficio: [02/12345678] (interno)"),
    (Naming::Phone, "dall'estero [0041 79 123 45 67]"),
    (Naming::Phone, "tel. [(0341) 123456]"),
    (
        Naming::Phone,
        "numero [tre quattro sette uno due tre quattro cinque sei sette]",
    ),
    (
        Naming::Phone,
        "La caposala risponde al [0341-123456] la mattina",
    ),
    (Naming::Email, "scrivetemi a [anna.rossi85@libero.it]."),
    (Naming::Email, "mail [ANNA_ROSSI@PEC.it] o niente"),
    (
        Naming::Email,
        "a [g.ferraro@example.it]. Il responsabile lo sa",
    ),
    (Naming::Email, "a [anna@posta.example.it]. Grazie"),
    (Naming::Email, "a [anna @ example . it] Grazie"),
    (Naming::Email, "[anna chiocciola gmail punto com]"),
    (
        Naming::Email,
        "a [anna punto rossi chiocciola gmail punto it], ciao",
    ),
    (Naming::Email, "[anna(at)example.it]"),
    (Naming::Email, "su instagram sono [@annina_85]"),
    (
        Naming::Email,
        "scritto da ([info@ditta-rossi.example]) ieri",
    ),
    (Naming::TaxCode, "codice fiscale [RSSMRA80A01H501U]"),
    (Naming::TaxCode, "cf [rss mra 80a01 h501u] come da tessera"),
    (Naming::TaxCode, "la ditta, P.IVA [01234567890], ha vinto"),
    (
        Naming::Iban,
        "ho pagato su [IT60X0542811101000000123456] a lui",
    ),
    (Naming::Iban, "iban [it60 x054 2811 1010 0000 0123 456]"),
    (Naming::Iban, "con la carta [4111 1111 1111 1111]"),
    (Naming::Plate, "un furgone bianco [AB 123 CD] fermo"),
    (Naming::Plate, "targa [ab123cd]"),
    (
        Naming::Plate,
        "lo scooter targato [X5BK9L] e la moto targata [AA 12345]",
    ),
    (
        Naming::Address,
        "abita in [via Giuseppe Verdi 12/b] al terzo piano",
    ),
    (Naming::Address, "il cantiere di [Piazza XXV Aprile, n. 3]"),
    (
        Naming::Address,
        "sto in [v.le dei tigli 45], palazzo giallo",
    ),
    (Naming::Address, "[Contrada San Nicola n°7, scala B]"),
    (Naming::Document, "ho la matricola [004512] da dieci anni"),
    (Naming::Document, "carta d'identità n. [CA12345AA]"),
    (Naming::Birth, "nata a Lecco il [12/03/1975]"),
    (Naming::Birth, "mio figlio è nato il [3 maggio 2011] e"),
    (Naming::OwnName, "Sono [Maria Rosa D'Angelo] e lavoro qui"),
    (Naming::OwnName, "mi firmo [mariarosa]"),
    (Naming::Name, "mio marito [Luca] lo sa"),
    (Naming::Name, "mio marito [luca] lo sa"),
    (Naming::Name, "MIO MARITO [LUCA] LO SA"),
    (Naming::Name, "la collega [Sara Conti] piangeva"),
    (
        Naming::Name,
        "il dott. [Bianchi] e la dott.ssa [P. Neri] firmano",
    ),
    (
        Naming::Name,
        "il sig. [De Santis] comanda, la signora [Del Vecchio] tace",
    ),
    (Naming::Name, "mia figlia, [Noemi], ha otto anni"),
    (Naming::Name, "il capo si chiama [Franco Galli]"),
    (Naming::Name, "Me l'ha detto [Giuseppe Lo Presti] ieri."),
    (Naming::Name, "parlate con [Ferrari Giulia] del primo piano"),
    (
        Naming::Name,
        "l'assessore [Brambilla] e il sindaco lo sapevano",
    ),
];

/// What looks like it.
const NAMELESS: &[&str] = &[
    "Il 12/03/2024 alle 15.30 ho pagato 1.234,56 euro",
    "dal 2019 al 2024, 350 000 euro in 24 rate",
    "in via Roma ci sono i lavori, via alle 15 tutti a casa",
    "San Giuseppe, Santa Maria e via Giulia sono chiuse",
    "La signora delle pulizie. Poi il capo dell'ufficio",
    "il direttore dell'Asl e il sindaco del Comune",
    "da 100 mq a 200 mq",
    "un muro di 120 cm e 3 km di strada",
    "lo dico al responsabile. Adesso basta, il titolare. Mio padre no",
    "i lavori in corso da 3 anni, la regione paga 300 euro",
    "IL CAPO GRIDA SEMPRE A TUTTI",
    "tre o quattro volte, due o tre persone",
    "delibera 123/2023, capitolo 4567, articolo 12 comma 3",
];

#[test]
fn every_form_is_read() {
    assert_eq!(rules::unread(), [""; 0]);
}

#[test]
fn what_names_somebody_is_proposed() {
    let mut wrong = Vec::new();
    for (why, row) in NAMED {
        let account = row.replace(['[', ']'], "");
        let expected: Vec<_> = row
            .split('[')
            .skip(1)
            .filter_map(|part| part.split_once(']'))
            .map(|(place, _)| (place.to_owned(), *why))
            .collect();
        let found = proposed(&account);
        if found != expected {
            wrong.push(format!("{account}: {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_name_stands_beside_who_that_is() {
    let account = "Ieri mia moglie Ludovica c'era, con Luca.";
    let found = proposals(&reporter(account));
    let beside: Vec<_> = found.iter().map(|one| one.beside).collect();
    assert_eq!(beside, [Some(Span { start: 5, end: 15 }), None]);
}

#[test]
fn what_only_looks_like_it_is_not() {
    for account in NAMELESS {
        assert_eq!(proposed(account), [], "{account}");
    }
}

#[test]
fn a_bar_does_not_tell_how_much_it_covers() {
    let spans = |places: &[(usize, usize)]| -> Vec<Span> {
        let span = |(start, end): &(usize, usize)| Span {
            start: *start,
            end: *end,
        };
        places.iter().map(span).collect()
    };
    for (text, places, expected) in [
        ("Sono Anna Rossi.", &[(5, 15)][..], "Sono █████."),
        ("Sono Anna Rossi.", &[(10, 15), (5, 9)], "Sono █████."),
        (
            "Sono Anna, Rossi.",
            &[(5, 9), (11, 16)],
            "Sono █████, █████.",
        ),
        ("perché è lei", &[(7, 8)], "perché █████ lei"),
        ("Anna", &[(0, 4), (2, 3)], "█████"),
        ("Anna e", &[(0, 4)], "█████ e"),
        ("Anna", &[(9, 20), (2, 2)], "Anna"),
        ("", &[(0, 1)], ""),
    ] {
        assert_eq!(covered(text, &spans(places)), expected, "{text} {places:?}");
    }
}

proptest! {
    #[test]
    fn nothing_covered_is_left(text in "[a-zà-ú 0-9@.\n]{0,60}", places in prop::collection::vec((0usize..70, 0usize..70), 0..6)) {
        let spans: Vec<Span> = places.iter().map(|(start, end)| Span { start: *start, end: *end }).collect();
        let kept: String = text
            .chars()
            .enumerate()
            .filter(|(at, _)| !spans.iter().any(|span| (span.start..span.end).contains(at)))
            .map(|(_, character)| character)
            .collect();
        let shown = covered(&text, &spans);
        let blank = |text: &str| text.replace(' ', "");
        prop_assert_eq!(blank(&shown.replace(BAR, "")), blank(&kept));
    }

    #[test]
    fn any_text_has_places_in_order(text in any::<String>()) {
        let length = text.chars().count();
        let found = proposals(&reporter(&text));
        prop_assert!(found.iter().all(|one| one.start < one.end && one.end <= length));
        prop_assert!(found.windows(2).all(|pair| pair[0].end <= pair[1].start));
    }
}
