//! An invented reporter and the conversation they have.

use anyhow::{Context as _, Result};
use serde_json::json;

use super::client::{Connection, post};

/// What each account says, after its number.
const ACCOUNT: &str = "nel cantiere di via Roma si lavora di notte senza alcuna protezione e gli operai vengono pagati \
                       in contanti, ho visto più volte i furgoni scaricare materiale di scarto lungo il fiume; la ditta \
                       cambia nome ogni pochi mesi ma le persone restano le stesse, e chi ha provato a parlarne ha perso \
                       il posto il giorno dopo.";

/// The answers before the last turn, in the order of the questions.
fn answers(number: usize) -> [String; 7] {
    [
        format!("ho {} anni", 18 + number % 80),
        "Anna Maria".to_owned(),
        "Prova".to_owned(),
        format!("3{:09}", number % 1_000_000_000),
        format!("persona{number}@esempio.it"),
        format!("Via della Prova {number}, Milano"),
        account(number),
    ]
}

/// The account of the reporter with this number, 330 characters long.
pub fn account(number: usize) -> String {
    format!("Racconto {number}: {ACCOUNT}")
}

/// All requests of a conversation. The last one, which saves the report, is not sent.
pub fn talk(connection: &mut Connection, number: usize) -> Result<Vec<Vec<u8>>> {
    let mut requests = vec![post("/chat", &json!({}))];
    for answer in answers(number).map(Some).into_iter().chain([None]) {
        let request = requests.last().context("no turns")?;
        let reply = connection.call(request)?.json()?;
        let conversation = reply["conversation"].as_str().context("no conversation")?;
        let text = answer.as_deref().unwrap_or("no");
        let turn = json!({ "conversation": conversation, "text": text });
        requests.push(post("/chat/turns", &turn));
    }
    Ok(requests)
}

/// The last request of a conversation that was had up to it.
pub fn talk_to_the_end(connection: &mut Connection, number: usize) -> Result<Vec<u8>> {
    talk(connection, number)?.pop().context("no turns")
}

/// Sends a last turn, which must save a report.
pub fn finish(connection: &mut Connection, last_turn: &[u8]) -> Result<()> {
    let reply = connection.call(last_turn)?.json()?;
    reply["reportId"].as_str().context("no report").map(drop)
}
