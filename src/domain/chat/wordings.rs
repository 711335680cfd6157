//! Short answers that mean something else than what was asked for: a question back, yes, no, a wish to correct.
//! Only a whole answer counts: it must never take an account, an addition or a name for one of them.

use super::State;
use crate::domain::text::{self, is_listed};

/// What a short answer means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    /// Who reads this, and what for?
    Question,
    /// An earlier answer was wrong, or, at the last question, nothing is to be sent yet.
    Correction,
    /// There is something to add, without saying what; or all is well.
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

/// Words that ask to change or to stop; an answer that holds one of them and else only [`AROUND_A_WISH`] tells nothing.
const WISHES: &str = "correggi|correggere|correggo|correzione|modifica|modificare|modifico|cambiare|rivedere|rileggere|\
    sbagliato|sbagliata|sbagliati|indietro|annulla|annullare|cancella|cancellare|cancellate|elimina|eliminare|ritirare|\
    ripensato|ricomincia|ricominciare|esci|esco|uscire|stop|aspetta|aspettate|aspetti|fermo|ferma|fermati|attimo|momento|\
    lascia|lasciamo|lascio|rinuncio";

/// Behind a 'non' these are wishes too.
const SENDING: &str = "inviare|inviarla|inviate|inviatela|invia|mandare|mandarla|mandate";

const AROUND_A_WISH: &str = "si|no|non|ma|e|a|di|da|in|il|lo|la|le|i|gli|l|un|una|mio|mia|mie|miei|ci|ho|ti|mi|come|faccio|\
    puo|posso|potrei|vorrei|voglio|devo|piu|ancora|tutto|tutta|qualcosa|cosa|solo|torna|torno|tornare|vai|stare|perdere|\
    nome|cognome|telefono|cellulare|numero|mail|email|indirizzo|eta|dato|dati|risposta|risposte|racconto|segnalazione|\
    per|favore|grazie|scusa|scusi|prego";

/// One of these says that there is more, or that all is well.
const ASSENT: &str =
    "si|sii|certo|certamente|ok|okay|bene|accordo|volentieri|aggiungere|altro|altra|invia|procedi";

const AROUND_ASSENT: &str = "va|d|grazie|pure|vorrei|voglio|devo|ho|c|e|ce|da|dire|ancora|anche|un|una|qualche|qualcosa|cosa|\
    cose|delle|dei|il|i|le|la|foto|fotografie|video|audio|documenti|documento|prove|prova";

/// While an earlier answer is being corrected: it stays as it was.
const LEAVES: &str = "no|no grazie|niente|nulla|annulla|lascia stare|lascia perdere|lascia cosi|lascia com e|lascia com era";

/// Each may stand behind a 'no'.
const NOTHING: &str = "no|niente|nulla|basta|nient altro|niente altro|null altro|nulla altro|e tutto|questo e tutto|\
    tutto qui|basta cosi|va bene cosi|a posto cosi|sono a posto|ho finito|finito|fine|per ora|per ora no|per ora basta|\
    per ora e tutto|niente da aggiungere|nulla da aggiungere|non ho altro|non ho altro da aggiungere|\
    non ho niente da aggiungere|non ho nulla da aggiungere|direi di no|penso di no|credo di no";

/// What an answer to the question of this state means, where it is none.
pub(super) fn meaning(answer: &str, state: State) -> Option<Meaning> {
    let said = text::clean_line(answer);
    if said.is_empty() || text::char_count(&said) > LONGEST {
        return None;
    }
    let plain = plain(&said);
    let about_a_datum = !state.is_account();
    if is_listed(QUESTIONS, &plain)
        || said.chars().all(|character| character == '?')
        || about_a_datum && (is_listed(RELUCTANCE, &plain) || said.ends_with('?'))
    {
        return Some(Meaning::Question);
    }
    if state == State::CollectReport {
        let question = said.ends_with('?').then_some(Meaning::Question);
        return closing(&plain).or(question);
    }
    let names_a_datum = || {
        let mut spaces = plain.match_indices(' ');
        spaces.any(|(at, _)| is_listed(CORRECTIONS, &plain[..at]))
    };
    let corrects = is_listed(CORRECTIONS, &plain) || about_a_datum && names_a_datum();
    (state > State::AgeCheck && corrects).then_some(Meaning::Correction)
}

/// Whether an answer to a question that was put again only says that nothing is to change.
pub(super) fn leaves(answer: &str) -> bool {
    is_listed(LEAVES, &plain(&text::clean_line(answer)))
}

fn closing(plain: &str) -> Option<Meaning> {
    let polite = plain.strip_suffix(" mille").unwrap_or(plain);
    let polite = polite.strip_suffix(" grazie").unwrap_or(polite);
    let polite = polite.strip_prefix("grazie ").unwrap_or(polite);
    let behind_a_no = polite.strip_prefix("no ").unwrap_or(polite);
    let behind_thanks = behind_a_no.strip_prefix("grazie ").unwrap_or(behind_a_no);
    if is_listed(NOTHING, behind_thanks) {
        return Some(Meaning::Nothing);
    }
    let unsent = plain.split(' ').any(|word| word == "non")
        && consists_of(plain, SENDING, &format!("{AROUND_A_WISH}|{WISHES}"));
    if unsent || consists_of(plain, WISHES, AROUND_A_WISH) {
        return Some(Meaning::Correction);
    }
    consists_of(plain, ASSENT, AROUND_ASSENT).then_some(Meaning::Yes)
}

/// Whether every word is one of the two lists, and at least one of `telling`.
fn consists_of(plain: &str, telling: &str, around: &str) -> bool {
    plain.split(' ').any(|word| is_listed(telling, word))
        && plain
            .split(' ')
            .all(|word| is_listed(telling, word) || is_listed(around, word))
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
            ("No, grazie mille!", last, Some(Meaning::Nothing)),
            ("No, per ora.", last, Some(Meaning::Nothing)),
            ("penso di no", last, Some(Meaning::Nothing)),
            ("Per ora ho solo un nome", last, None),
            ("n\u{200B}o", last, Some(Meaning::Nothing)),
            ("No, aspetta", last, Some(Meaning::Correction)),
            ("non voglio più inviarla", last, Some(Meaning::Correction)),
            ("sì, aspetta", last, Some(Meaning::Correction)),
            ("va bene", last, Some(Meaning::Yes)),
            ("va bene così", last, Some(Meaning::Nothing)),
            ("sì, ho dei video e un audio", last, Some(Meaning::Yes)),
            ("Ho anche le foto", last, None),
            ("chi leggerà?", last, Some(Meaning::Question)),
            ("chi leggerà?", account, None),
            ("Bianchi?", State::CollectSurname, Some(Meaning::Question)),
            ("non lo posso mandare via mail", last, None),
            ("niente foto, ma un video", last, None),
            ("no", name, None),
            ("grazie", last, None),
            ("", last, None),
        ] {
            assert_eq!(meaning(said, state), expected, "{said}");
        }
    }
}
