use serde::Deserialize;

use super::account::ReadAccount;
use super::sketches::{CANDIDATES, SketchIndex};
use super::*;
use crate::domain::routing::{DepartmentKey, Matter};

#[derive(Deserialize)]
struct Row {
    story: Option<String>,
    department: String,
    text: String,
}

fn rows() -> Vec<Row> {
    parsed(include_str!("../../../models/stories/dev_stories.jsonl"))
}

fn town() -> Vec<Row> {
    parsed(include_str!("../../../models/stories/town.jsonl"))
}

fn parsed(jsonl: &str) -> Vec<Row> {
    jsonl
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn read(row: &Row) -> ReadAccount {
    ReadAccount::new(&row.text, DepartmentKey::parse(&row.department).unwrap())
}

/// Takes a report in as the program does; answers those whose group changed.
fn arrive(index: &mut SketchIndex, rows: &[Row], seq: i64) -> Vec<i64> {
    let of = |seq: i64| read(&rows[usize::try_from(seq).unwrap() - 1]);
    let account = index.weigh(of(seq));
    let alike = index.candidates(&account);
    let crowd = alike.len();
    let opened = alike.into_iter().take(CANDIDATES);
    let opened: Vec<_> = opened
        .map(|other| (other, index.weigh(of(other))))
        .collect();
    index.arrive(Weights::bundled(), seq, &account, &opened, crowd)
}

fn seqs(rows: &[Row]) -> std::ops::RangeInclusive<i64> {
    1..=i64::try_from(rows.len()).unwrap()
}

/// Precision and F1 (B-cubed) over accounts of stories, and the part of singles that are in a group, in per mille.
fn reached(rows: &[Row]) -> [usize; 3] {
    let mut index = SketchIndex::new([1, 2]);
    for seq in seqs(rows) {
        assert_eq!(arrive(&mut index, rows, seq).first(), Some(&seq));
    }
    let story = |seq: i64| rows[usize::try_from(seq).unwrap() - 1].story.as_ref();
    let (mut precision, mut recall, mut told, mut joined) = (0.0, 0.0, 0.0, 0.0);
    for seq in seqs(rows) {
        let group = index.groups(Some(&[seq])).pop().unwrap_or(vec![seq]);
        assert!(group.contains(&seq));
        let Some(own) = story(seq) else {
            joined += if group.len() > 1 { 1.0 } else { 0.0 };
            continue;
        };
        let same = whole(group.iter().filter(|one| story(**one) == Some(own)).count());
        let all = seqs(rows).filter(|one| story(*one) == Some(own)).count();
        precision += same / whole(group.len());
        recall += same / whole(all);
        told += 1.0;
    }
    let (precision, recall) = (precision / told, recall / told);
    let f1 = 2.0 * precision * recall / (precision + recall);
    let mille = |part: f64| {
        (0..1_000)
            .take_while(|one| f64::from(*one) < part * 1e3)
            .count()
    };
    [precision, f1, joined / (whole(rows.len()) - told)].map(mille)
}

/// The first set by weights that were fitted to it (`make models` prints what others reach on it), the second one of another
/// pen, where all names of places are of one town.
#[test]
fn accounts_of_a_matter_come_together_and_others_stay_alone() {
    for (rows, precise, good, wrong) in [(rows(), 950, 700, 40), (town(), 850, 620, 120)] {
        let [precision, f1, joined] = reached(&rows);
        assert!(precision >= precise, "{precision}");
        assert!(f1 >= good, "{f1}");
        assert!(joined <= wrong, "{joined}");
    }
}

/// What most reporters add at last, generic words and parts of names, and a department, are no matter.
#[test]
fn words_that_all_use_bring_no_one_together() {
    let all = [
        "La mensa serve il pollo crudo.\nSono disponibile a parlare.",
        "Il dottore vuole soldi in nero.\nSono disponibile a parlare.",
        "Di notte bruciano i rifiuti, siamo a Montelieto.\nSono disponibile a parlare.",
        "alle elementari il tetto perde.\nPer favore non fate il mio nome.",
        "Mia figlia va alle elementari, la maestra urla.\nPer favore non fate il mio nome.",
        "Abito a Torre Vecchia: da mesi senza acqua. Ho scritto al comune.",
        "Da Torre Nuova non passa la corriera. Ho scritto al comune.",
        "A Santa Croce hanno chiuso la posta. Non ho altro.",
        "Il parroco di Santa Lucia affitta il campanile. Non ho altro.",
        "La Madonna del Sasso è stata rubata dalla chiesa.",
        "Vicino alla Madonna della Neve fanno una discarica.",
        "Il canile lascia i cani al sole. Seguiranno informazioni aggiuntive.",
        "Mia nonna ha firmato una polizza. Posso dare informazioni aggiuntive.",
        // Of a tester's pen: laws, numbers to call, companies, networks and first names.
        "Assisto mia madre con la legge 104 e il datore mi nega i permessi.",
        "Un mio collega usa la 104 per andare a pescare, ha le foto su Facebook.",
        "Su Facebook Marketplace uno vende cuccioli senza vaccini.",
        "Il consigliere comunale pubblica su Facebook insulti.",
        "Trenitalia ha soppresso il regionale delle 6:50.",
        "Il capostazione, dipendente Trenitalia, vende i posti del parcheggio.",
        "Don Antonio chiede 200 euro per un funerale, senza ricevuta.",
        "mio cugino antonio è stato picchiato nel carcere. Chiamatemi la sera.",
        "Il dottor Antonio Ferrero fa le visite private in contanti. Chiamatemi di mattina.",
    ];
    let row = |text: &&str| Row {
        story: None,
        department: "generale".to_owned(),
        text: (*text).to_owned(),
    };
    let rows: Vec<_> = all.iter().map(row).collect();
    assert_eq!(reached(&rows)[2], 0);
}

#[test]
fn an_account_goes_out_of_a_group_when_its_names_have_become_common() {
    let row = |text: &str| Row {
        story: None,
        department: "generale".to_owned(),
        text: text.to_owned(),
    };
    let mut rows = vec![
        row("Il signor Brandolini tiene i cani alla catena."),
        row("Ho affittato una stanza dal signor Brandolini."),
    ];
    rows.extend((0..150).map(|_| row("Ne parlava ieri Brandolini.")));
    rows.push(row("Mio zio lavora per Brandolini, che non paga."));
    let mut index = SketchIndex::new([1, 2]);
    arrive(&mut index, &rows, 1);
    arrive(&mut index, &rows, 2);
    assert_eq!(index.groups(None), [[1, 2]]);
    for seq in 3..=152 {
        let account = index.weigh(read(&rows[2]));
        index.arrive(Weights::bundled(), seq, &account, &[], 0);
    }
    let account = index.weigh(read(&rows[152]));
    let opened = [1, 2].map(|seq| {
        (
            seq,
            index.weigh(read(&rows[usize::try_from(seq - 1).unwrap()])),
        )
    });
    let changed = index.arrive(Weights::bundled(), 153, &account, &opened, 2);
    assert_eq!(changed, [153, 1, 2]);
    assert!(index.groups(None).is_empty());
}

#[test]
fn sketches_taken_up_are_the_same_desk_and_a_forgotten_account_takes_its_counts_along() {
    let rows = rows();
    let (mut index, mut without) = (SketchIndex::new([3, 4]), SketchIndex::new([3, 4]));
    let gone = 60;
    for seq in 1..gone {
        arrive(&mut index, &rows, seq);
        arrive(&mut without, &rows, seq);
    }
    arrive(&mut index, &rows, gone);
    index.forget(gone);
    assert!(index.groups(Some(&[gone])).is_empty() && index.kept(gone).is_none());
    for seq in gone + 1..120 {
        arrive(&mut index, &rows, seq);
        arrive(&mut without, &rows, seq);
        assert_eq!(index.kept(seq), without.kept(seq), "{seq}");
    }
    let mut again = SketchIndex::new([3, 4]);
    for seq in 1..120 {
        let kept = index.kept(seq);
        assert!(seq == gone || again.take_up(seq, kept.unwrap()));
    }
    assert!(!again.take_up(120, &[1; 5]));
    assert_eq!(again.groups(None), index.groups(None));
    for seq in seqs(&rows).skip(119) {
        assert_eq!(
            arrive(&mut again, &rows, seq),
            arrive(&mut index, &rows, seq)
        );
        assert_eq!(again.kept(seq), index.kept(seq), "{seq}");
    }
}

/// Bits, not nearness: another machine would group otherwise.
#[test]
fn bits_are_fixed() {
    let (rows, index) = (rows(), SketchIndex::new([1, 2]));
    let [one, other] = [5, 46].map(|at: usize| index.weigh(read(&rows[at])));
    let score = pair_score(Weights::bundled(), &one, &other);
    assert_eq!(score.to_bits(), 13_841_656_105_903_797_759);
}

#[test]
fn without_the_salt_a_hash_tells_nothing() {
    let rows = rows();
    let kept = |salt| {
        let mut index = SketchIndex::new(salt);
        arrive(&mut index, &rows, 1);
        index.kept(1).unwrap().to_vec()
    };
    let shared = |one: &[u8], other: &[u8]| {
        let other: Vec<_> = other[..21]
            .chunks(3)
            .filter(|hash| *hash != [0; 3])
            .collect();
        one.chunks(3).filter(|hash| other.contains(hash)).count()
    };
    assert_eq!(shared(&kept([1, 2]), &kept([5, 6])), 0);
}

/// A word is the same in its forms, and a name written together the same as one written apart; part of a name is none.
#[test]
fn forms_of_a_name_are_one() {
    let index = SketchIndex::new([1, 2]);
    let read = |text| index.weigh(ReadAccount::new(text, Matter::Sanita.key()));
    for (one, other, words) in [
        ("ieri da Serenella ho visto", "la clinica serenela", 1),
        ("l'inceneritore di Pontefosco", "lavoro a Ponte Fosco", 1),
        ("ho visto Torre Saracena", "abito a Torre Vecchia", 0),
        ("scrivo a Voi il lunedì di Pasqua", "lunedì a Pasqua", 0),
        ("il conto 48213", "numero 48213 del 2019", 1),
        ("nel 2019 erano 2000", "nel 2019 erano 2000", 0),
    ] {
        let (one, other) = (read(one), read(other));
        let names = shared(&one, &other);
        let names = names.iter().filter(|(one, _)| one.weight > 0.0);
        assert_eq!(names.count(), words, "{:?}", other.text);
    }
}

/// A name, a number or a seldom phrase, however it is written; not what all say.
#[test]
fn only_what_names_the_same_is_near() {
    let index = SketchIndex::new([1, 2]);
    let read = |text| index.weigh(ReadAccount::new(text, Matter::Sanita.key()));
    for (one, other, is_near) in [
        ("da Serenella ho pagato", "alla serenella si paga", true),
        ("Ho il conto 48213", "sul 48213 arrivano soldi", true),
        ("sta nella palazzina rosa", "abito nel palazzo rosa", true),
        ("In via dei Mille spacciano", "ero in via dei mille", true),
        (
            "La maestra delle elementari",
            "alle elementari piove",
            false,
        ),
        ("davanti al municipio piove", "In municipio si ruba", false),
        ("mi hanno fatto firmare", "ieri mi hanno fatto male", false),
        (
            "seguiranno informazioni aggiuntive",
            "se servono informazioni aggiuntive",
            false,
        ),
        ("ho ulteriori dettagli", "a voce ulteriori dettagli", false),
        ("Chiamatemi la sera", "chiamatemi di mattina", false),
        (
            "Marco, il mio capo, urla",
            "Il prof, tale Marco, urla",
            false,
        ),
        ("Ho perso 1500 euro", "mi chiede 1500 euro", false),
    ] {
        let score = near(Weights::bundled(), &read(one), &read(other));
        assert_eq!(score.is_some(), is_near, "{one}, {other}");
    }
}

/// Any text gives finite numbers.
#[test]
fn any_text_is_read() {
    let index = SketchIndex::new([1, 2]);
    for text in [
        "",
        "?!",
        "à",
        "«È»",
        "🚒 A'B",
        "L'",
        "X Y Z",
        "1 22 333 4444",
    ] {
        let account = index.weigh(ReadAccount::new(text, DepartmentKey::GENERALE));
        let features = pair_features(&account, &account);
        assert!(features.iter().all(|one| one.is_finite()), "{text:?}");
    }
}
