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

/// Kinds of writing, each account with its places between ⟦ and ⟧.
const KINDS: &[(&str, Naming, &str)] = &[
    (
        "capitals",
        Naming::Name,
        "mio marito ⟦FRANCO ESPOSITO⟧ beve",
    ),
    ("capitals", Naming::Name, "⟦FRANCO ESPOSITO⟧ mi ha visto"),
    (
        "capitals",
        Naming::Name,
        "IL SIGNOR ⟦ARMELLINO⟧ URLA SEMPRE",
    ),
    ("capitals", Naming::Name, "LA COLLEGA ⟦M. R⟧. LO SA"),
    (
        "capitals",
        Naming::Name,
        "MIO MARITO ⟦LUCA ESPOSITO⟧ PICCHIA",
    ),
    (
        "capitals",
        Naming::Name,
        "MIO MARITO ⟦LUCA⟧ LO PICCHIAVA, LUI LA PICCHIA",
    ),
    (
        "capitals",
        Naming::Name,
        "LA COLLEGA ⟦GRAZIA PIA LO CASCIO⟧ PIANGEVA",
    ),
    (
        "small",
        Naming::Name,
        "il signor ⟦giuseppe verdi⟧ ha chiamato",
    ),
    ("small", Naming::Name, "mia figlia ⟦sara esposito⟧ piange"),
    (
        "small",
        Naming::Name,
        "mia figlia ⟦sara⟧ piange, mio figlio ⟦marco⟧ la odia",
    ),
    (
        "small",
        Naming::Name,
        "il dottor ⟦bianchi⟧ e l'avv. ⟦armellino⟧ ridono",
    ),
    ("particles", Naming::Name, "La collega ⟦Lo Cascio⟧ lo sa"),
    ("particles", Naming::Name, "il collega ⟦de Luca⟧ lo sa"),
    ("particles", Naming::Name, "il prof. ⟦Di Pietro⟧ insegna"),
    (
        "particles",
        Naming::Name,
        "la sig.ra ⟦La Torre⟧ e il collega ⟦Del Vecchio⟧",
    ),
    (
        "rows",
        Naming::Name,
        "le mie amiche ⟦Pina⟧, ⟦Lella⟧ e ⟦Samy⟧",
    ),
    (
        "rows",
        Naming::Name,
        "le mie amiche ⟦pina⟧, ⟦lella⟧ e ⟦samy⟧",
    ),
    (
        "rows",
        Naming::Name,
        "i colleghi ⟦De Luca⟧, ⟦Lo Cascio⟧ e ⟦Ceruti⟧ tacciono",
    ),
    (
        "digits",
        Naming::Phone,
        "il mio numero è ⟦３３３１２３４５６７⟧, sì",
    ),
    ("digits", Naming::Phone, "il suo è ⟦٣٤٧١٢٣٤٥٦٧⟧, sì"),
    (
        "digits",
        Naming::Phone,
        "il suo è ⟦3️⃣4️⃣7️⃣1️⃣2️⃣3️⃣4️⃣5️⃣6️⃣7️⃣⟧, sì",
    ),
    (
        "digits",
        Naming::Phone,
        "il mio: ⟦333 *123* 4567⟧, ⟦333_123_4567⟧",
    ),
    ("wide", Naming::Email, "a ⟦anna＠example.org⟧ Grazie"),
    ("wide", Naming::OwnName, "sono ⟦Ｄ＇Ａｎｇｅｌｏ⟧ io"),
    ("wide", Naming::OwnName, "sono ⟦𝐃’𝐀𝐧𝐠𝐞𝐥𝐨⟧ io"),
    (
        "decomposed",
        Naming::OwnName,
        "sono ⟦Mari\u{301}a Rosa\u{300}⟧ io",
    ),
    (
        "decomposed",
        Naming::Name,
        "è mio marito ⟦Nicolo\u{300} Ceruti⟧, sì",
    ),
    ("cut", Naming::OwnName, "sono ⟦D' Ange-\nlo⟧ io"),
    ("cut", Naming::OwnName, "SONO ⟦MARIA RO-\n  SA⟧ IO"),
    ("cut", Naming::Phone, "al ⟦333-\n1234567⟧ la sera"),
    ("spelled", Naming::OwnName, "sono ⟦A.N.G.E.L.O⟧. e basta"),
    ("spelled", Naming::OwnName, "sono ⟦m a r i a⟧ io"),
    ("initials", Naming::OwnName, "mi firmo ⟦M. D⟧. e basta"),
    ("initials", Naming::Name, "la collega ⟦P. R⟧. piange"),
    (
        "health card",
        Naming::Document,
        "la tessera sanitaria ⟦80380001234567890123⟧",
    ),
    (
        "health card",
        Naming::Document,
        "TEAM ⟦8038 0001 2345 6789 0123⟧ scaduta",
    ),
    (
        "mail",
        Naming::Email,
        "a ⟦anna.bianchi [at] gmail.com⟧. CF no",
    ),
    (
        "mail",
        Naming::Email,
        "⟦anna chiocciola gmail punto com⟧. Poi",
    ),
    (
        "mail",
        Naming::Email,
        "⟦annà@exämple.org⟧. Instagram ⟦@xyz⟧. Poi",
    ),
    ("mail", Naming::Email, "scrivete ad ⟦anna@gmail⟧. Poi"),
    (
        "titles",
        Naming::Name,
        "l'avv. ⟦Ceruti⟧ e la dott.ssa ⟦Neri⟧, suor ⟦Pia⟧",
    ),
    (
        "titles",
        Naming::Name,
        "il M.llo ⟦Cardone⟧, l'on. ⟦Ceruti⟧, don ⟦Ciccillo⟧",
    ),
    ("titles", Naming::Name, "Avv.to ⟦Ceruti⟧ e sig.na ⟦Perego⟧"),
    (
        "nicknames",
        Naming::Name,
        "⟦Luca⟧ \"⟦il Secco⟧\" ⟦Ceruti⟧ comanda",
    ),
    (
        "nicknames",
        Naming::Name,
        "⟦Pietro Ruggi⟧, detto il ⟦Bomba⟧, comanda",
    ),
    (
        "nicknames",
        Naming::Name,
        "⟦Pietro Ruggi⟧ detto «⟦u curtu⟧» comanda",
    ),
    (
        "double",
        Naming::Name,
        "la collega ⟦Sara Conti-Ceruti⟧ piange",
    ),
    ("double", Naming::Name, "⟦Anna Conti⟧ ved. ⟦Perego⟧ piange"),
    (
        "foreign",
        Naming::Name,
        "il collega ⟦Mohamed El Amrani⟧ e il signor ⟦van der Berg⟧",
    ),
    (
        "foreign",
        Naming::Name,
        "mio marito ⟦王伟⟧ e mio zio ⟦محمد⟧",
    ),
    (
        "apostrophes",
        Naming::Name,
        "il collega ⟦D`Amico⟧ e il signor ⟦dell’Orto⟧",
    ),
    (
        "apostrophes",
        Naming::Name,
        "il signor ⟦O'Connor⟧ e la signora ⟦D' Amico⟧",
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
    "il signor sindaco non risponde, la signora che urla no",
    "LE COLLEGHE A CUI CAPITA, I MEDICI A GETTONE E TU",
    "SARÀ DIFFICILE NELLO STESSO OSPEDALE",
    "Sarà difficile, me lo ha detto la Rai",
    "i medici, Milano e il resto, un 5 × 100 m² e ½",
    "mio figlio lo sa e mia figlia la odia",
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
fn every_kind_of_writing_is_read() {
    let mut wrong = Vec::new();
    for (kind, why, row) in KINDS {
        let account = row.replace(['⟦', '⟧'], "");
        let marked = row.split('⟦').skip(1);
        let expected: Vec<_> = marked
            .filter_map(|part| part.split_once('⟧'))
            .map(|(place, _)| (place.to_owned(), *why))
            .collect();
        let found = proposed(&account);
        if found != expected {
            wrong.push(format!("{kind}: {account}: {found:?}"));
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
