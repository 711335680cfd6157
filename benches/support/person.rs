//! Somebody with something to tell, and the conversation they have. Every text is made up.

use anyhow::{Context as _, Result};
use serde_json::json;

use super::http::{Connection, post};

/// What most accounts say.
const ACCOUNT: &str = "nel cantiere di via Roma si lavora di notte senza alcuna protezione e gli operai vengono pagati \
                       in contanti, ho visto più volte i furgoni scaricare materiale di scarto lungo il fiume; la ditta \
                       cambia nome ogni pochi mesi ma le persone restano le stesse, e chi ha provato a parlarne ha perso \
                       il posto il giorno dopo.";

/// How often an account says what it has to say.
pub const SHORT: usize = 1;
/// An account that fills several pages of the database.
pub const LONG: usize = 12;

/// What this person answers before the last turn, in the order of the questions.
fn answers(number: usize, length: usize) -> [String; 7] {
    [
        format!("ho {} anni", 18 + number % 80),
        "Anna Maria".to_owned(),
        "Prova".to_owned(),
        format!("3{:09}", number % 1_000_000_000),
        format!("persona{number}@esempio.it"),
        format!("Via della Prova {number}, Milano"),
        account(number, length),
    ]
}

/// What this person has to tell, said `length` times.
pub fn account(number: usize, length: usize) -> String {
    format!("Racconto {number}: {}", ACCOUNT.repeat(length))
}

/// The request that ends a conversation and saves its report. Sent twice, it saves one.
#[derive(Clone)]
pub struct LastTurn(pub Vec<u8>);

/// Has the conversation up to its last turn, with an account of that length.
pub async fn talk(connection: &mut Connection, number: usize, length: usize) -> Result<LastTurn> {
    let mut requests = requests(connection, number, length).await?;
    Ok(LastTurn(requests.pop().context("no turns")?))
}

/// The same; answers all its requests, the last of which is not sent.
pub async fn requests(
    connection: &mut Connection,
    number: usize,
    length: usize,
) -> Result<Vec<Vec<u8>>> {
    let mut requests = vec![post("/chat", &json!({}))];
    for answer in answers(number, length).map(Some).into_iter().chain([None]) {
        let request = requests.last().context("no turns")?;
        let reply = connection.call(request).await?.json()?;
        let conversation = reply["conversation"].as_str().context("no conversation")?;
        let text = answer.as_deref().unwrap_or("no");
        requests.push(post(
            "/chat/turns",
            &json!({ "conversation": conversation, "text": text }),
        ));
    }
    Ok(requests)
}

/// Ends the conversation; answers the id of its report.
pub async fn finish(connection: &mut Connection, last: &LastTurn) -> Result<String> {
    let reply = connection.call(&last.0).await?.json()?;
    let id = reply["reportId"].as_str();
    Ok(id
        .with_context(|| format!("no report: {reply}"))?
        .to_owned())
}
