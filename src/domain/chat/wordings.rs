//! Short answers that mean something else than what was asked for: a question back, yes, no, a wish to correct.
//! Only a whole answer counts: it must never take an account, an addition or a name for one of them.

use super::State;
use crate::domain::text;

/// What a short answer means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    /// Who reads this, and what for?
    Question,
    /// An earlier answer was wrong.
    Correction,
    /// There is something to add, without saying what.
    Yes,
    /// There is nothing to add.
    Nothing,
}

/// Longest answer that is looked at, in characters.
const LONGEST: usize = 60;

const QUESTIONS: &str = "aiuto|aiutami|help|chi legge|chi mi legge|chi lo legge|chi le legge|chi legge le segnalazioni|\
    chi legge la segnalazione|chi legge quello che scrivo|chi vede i miei dati|chi sei|con chi parlo|con chi sto parlando|\
    come funziona|non capisco|non ho capito|che succede dopo|cosa succede dopo|che cosa succede dopo|\
    cosa fate dei miei dati|cosa fate con i miei dati|che cosa fate dei miei dati|che cosa fate con i miei dati|\
    dove vanno i miei dati|i miei dati sono al sicuro|perche|perche me lo chiedi|perche lo chiedi|perche me lo chiedete|\
    perche lo vuoi sapere|perche vuoi saperlo|perche ti serve|a cosa serve|a che cosa serve|a che serve|a cosa ti serve|\
    posso restare anonimo|posso rimanere anonimo|posso restare anonima|posso rimanere anonima|e anonimo|e anonima|\
    e una chat anonima|la segnalazione e anonima";

/// In an account these are something to tell the newsroom; as a datum they are none.
const RELUCTANCE: &str = "anonimo|anonima|voglio restare anonimo|voglio rimanere anonimo|voglio restare anonima|\
    voglio rimanere anonima|preferisco restare anonimo|preferisco rimanere anonimo|preferisco restare anonima|\
    preferisco rimanere anonima|preferisco non dirlo|non voglio dirlo|non lo dico|non te lo dico";

const CORRECTIONS: &str = "correggi|correggere|vorrei correggere|voglio correggere|indietro|torna indietro|\
    vai indietro|tornare indietro|ho sbagliato|modifica|annulla";

const YES: &str = "si|si si|certo|si certo|certamente|ok|okay|si ok|va bene|d accordo|volentieri|si volentieri|\
    vorrei aggiungere qualcosa|vorrei aggiungere una cosa|voglio aggiungere qualcosa|voglio aggiungere una cosa|\
    si vorrei aggiungere qualcosa|si vorrei aggiungere una cosa|si voglio aggiungere qualcosa|\
    si voglio aggiungere una cosa";

/// Each may stand behind a 'no'.
const NOTHING: &str = "no|niente|nulla|basta|nient altro|niente altro|null altro|nulla altro|e tutto|questo e tutto|\
    tutto qui|basta cosi|va bene cosi|a posto cosi|sono a posto|ho finito|finito|fine|per ora no|per ora basta|\
    per ora e tutto|niente da aggiungere|nulla da aggiungere|non ho altro|non ho altro da aggiungere|\
    non ho niente da aggiungere|non ho nulla da aggiungere|direi di no";

/// What an answer to the question of this state means, where it is none.
pub(super) fn meaning(answer: &str, state: State) -> Option<Meaning> {
    let said = text::clean_line(answer);
    if said.is_empty() || text::char_count(&said) > LONGEST {
        return None;
    }
    let plain = plain(&said);
    let is = |list: &str| list.split('|').any(|one| one == plain);
    let about_a_datum = !state.is_account();
    if is(QUESTIONS)
        || said.chars().all(|character| character == '?')
        || about_a_datum && is(RELUCTANCE)
    {
        return Some(Meaning::Question);
    }
    let names_a_datum = |one: &str| {
        plain
            .strip_prefix(one)
            .is_some_and(|rest| rest.starts_with(' '))
    };
    if state > State::AgeCheck
        && (is(CORRECTIONS) || about_a_datum && CORRECTIONS.split('|').any(names_a_datum))
    {
        return Some(Meaning::Correction);
    }
    (state == State::CollectReport)
        .then(|| closing(&plain))
        .flatten()
}

fn closing(plain: &str) -> Option<Meaning> {
    let polite = plain.strip_suffix(" grazie").unwrap_or(plain);
    let polite = polite.strip_prefix("grazie ").unwrap_or(polite);
    let is = |list: &str, said: &str| list.split('|').any(|one| one == said);
    if is(YES, polite) {
        return Some(Meaning::Yes);
    }
    let behind_a_no = polite.strip_prefix("no ").unwrap_or(polite);
    let behind_thanks = behind_a_no.strip_prefix("grazie ").unwrap_or(behind_a_no);
    is(NOTHING, behind_thanks).then_some(Meaning::Nothing)
}

/// The words alone: folded, one space between them, without punctuation.
fn plain(said: &str) -> String {
    let folded = text::fold(said);
    let words = folded.split(|character: char| !character.is_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_answers_mean_something_else() {
        let (name, account, last) = (
            State::CollectName,
            State::InvestigativeQuestions,
            State::CollectReport,
        );
        for (said, state, expected) in [
            ("AIUTO!", name, Some(Meaning::Question)),
            ("???", State::AgeCheck, Some(Meaning::Question)),
            ("Perché?", account, Some(Meaning::Question)),
            ("Aiutatemi, il mio capo mi minaccia", account, None),
            ("Anonimo", name, Some(Meaning::Question)),
            ("Voglio restare anonimo.", last, None),
            (
                "correggi il nome",
                State::CollectEmail,
                Some(Meaning::Correction),
            ),
            ("ho sbagliato il cognome, è Bianchi", last, None),
            ("indietro", State::AgeCheck, None),
            ("Sì, grazie!", last, Some(Meaning::Yes)),
            ("sì", account, None),
            ("Sì: il capo si chiama Bruno", last, None),
            ("no, grazie, è tutto", last, Some(Meaning::Nothing)),
            ("nient’altro, grazie", last, Some(Meaning::Nothing)),
            ("n\u{200B}o", last, Some(Meaning::Nothing)),
            ("No, aspetta", last, None),
            ("niente foto, ma un video", last, None),
            ("no", name, None),
            ("grazie", last, None),
            ("", last, None),
        ] {
            assert_eq!(meaning(said, state), expected, "{said}");
        }
    }
}
