//! Reporters' files in a form without a script: taken while the form arrives, and shown on its page (PRODUCT.md §4).
//! Must never keep a file that was refused or broke off.

use axum::extract::Request;

use super::arriving::{
    Arriving, MB, UNKNOWN, begin_file, drop_one, empty, lasts, owner_of, prove_once,
    refuse_unwanted, resumed, waiting,
};
use crate::actions::intake::attachments::{AnnouncedFile, waiting_files};
use crate::http::client_address::Client;
use crate::http::gate::Proof;
use crate::http::missing_files::refuse_missing;
use crate::http::plain::{Fields, FormFile, FormFiles};
use crate::http::problem::{ApiError, ApiResult, Kind};
use crate::http::state::Shared;

/// Field of a form that names the files which its page shows as attached, with blanks between.
const SHOWN: &str = "attachments";

/// Takes a form: its texts, and its files while they arrive; one that it names is taken back, unless it is gone already. Where
/// only that was asked, or a file was refused, behind which no other is taken, the page stays, and the answer says what is wrong
/// with the files: empty for nothing.
pub async fn take_form(
    app: &Shared,
    client: Client,
    request: Request,
    said: &mut Fields,
) -> ApiResult<Option<String>> {
    let (mut files, mut refused) = (FormFiles::of(request, said).await?, None);
    while let Some(coming) = &mut files {
        match coming.next(said).await {
            Ok(None) => break,
            Ok(Some(mut file)) => {
                if refused.is_none() {
                    match take_file(app, client, said, &mut file).await {
                        Ok(id) => said.set(SHOWN, [said.get(SHOWN), &id].join(" ")),
                        Err(broken) => refused = Some(broken),
                    }
                }
                file.skip().await?;
            }
            // What was said so far is there all the same.
            Err(broken) if said.given("conversation").is_some() => {
                refused.get_or_insert(broken);
                break;
            }
            Err(broken) => return Err(broken),
        }
    }
    if let Some(id) = said.given("drop") {
        let (receipt, _) = owner_of(app, said.get("conversation").to_owned()).await?;
        let id = id.to_owned();
        drop_one(app, &receipt, id.clone()).await?;
        let others = said.get(SHOWN).split(' ').filter(|other| *other != id);
        said.set(SHOWN, others.collect::<Vec<_>>().join(" "));
    }
    let stays = said
        .given("drop")
        .or(said.given("attach"))
        .map(|_| String::new());
    Ok(refused.map(|refused| refused.told().to_owned()).or(stays))
}

/// Only the end of a file in a form shows how long it is. One that is refused, or breaks off, is dropped. Answers its id.
async fn take_file(
    app: &Shared,
    client: Client,
    said: &Fields,
    file: &mut FormFile,
) -> ApiResult<String> {
    let (receipt, visit) = owner_of(app, said.get("conversation").to_owned()).await?;
    let most = u64::from(app.settings().await?.system.attachment_max_mb) * MB;
    let announced = AnnouncedFile {
        receipt: receipt.clone(),
        after_sending: lasts(app, visit).await?,
        name: file.name.clone(),
        size: i64::try_from(file.bound.min(most)).unwrap_or(i64::MAX),
        onion: client.is_onion(),
    };
    let client = client.in_conversation(&app.vault, &app.vault.report_id(&receipt)?);
    let place = app.uploads.admit(client)?;
    let proof = said.given("salt").and_then(Proof::parse);
    let id = begin_file(app, client, announced, proof.as_ref()).await?;
    let turn = app.uploads.turn(&id).await?;
    let begun = resumed(waiting(app, receipt, id.clone()).await?).await?;
    let begun = begun.ok_or_else(|| ApiError::not_there(UNKNOWN))?;
    let arriving = Arriving::new(app, client, begun, place);
    let taken = match arriving.take(&mut file.content, &turn).await {
        Ok(()) if arriving.incoming.lock().offset() == 0 => Err(empty(&file.name)),
        Ok(()) => arriving.end().await,
        Err(refused) if refused.is(Kind::TOO_LARGE) => {
            refuse_unwanted(app, &file.name, u64::MAX).await
        }
        refused => refused,
    };
    if taken.is_err() {
        arriving.drop_file().await?;
    }
    taken.map(|()| id)
}

/// The place for files in a form.
pub struct FilesField {
    /// Id, name and bytes of those that wait.
    pub files: Vec<(String, String, i64)>,
    /// Whether others may be attached.
    pub more: bool,
    /// Says, in a siege, since when the sender waits.
    pub salt: String,
}

impl FilesField {
    pub fn ids(&self) -> String {
        let ids: Vec<&str> = self.files.iter().map(|(id, ..)| &**id).collect();
        ids.join(" ")
    }

    /// None without a token, and where files are not taken, unless some are shown already.
    pub async fn of(
        app: &Shared,
        client: Client,
        token: Option<&str>,
        shows: bool,
    ) -> ApiResult<Option<Self>> {
        let allowed = app.data.is_some() && app.settings().await?.system.attachments_enabled;
        let Some(token) = token.filter(|_| allowed || shows) else {
            return Ok(None);
        };
        let (receipt, _) = match owner_of(app, token.to_owned()).await {
            // Not yet, or not in this callout.
            Err(refused) if refused.is(Kind::CONFLICT) => return Ok(None),
            owner => owner?,
        };
        let client = client.in_conversation(&app.vault, &app.vault.report_id(&receipt)?);
        let mut salt = String::new();
        if app.siege.is_on()
            && let Err(asked) = prove_once(app, client, &receipt, None).await
        {
            let challenge = asked.challenge().map(|challenge| challenge.salt.clone());
            salt = challenge.ok_or(asked)?;
        }
        let files = app.read(move |app, snapshot| {
            Ok::<_, ApiError>(waiting_files(snapshot, &app.vault, &receipt)?)
        });
        Ok(Some(Self {
            files: files.await?,
            more: allowed,
            salt,
        }))
    }
}

/// What is told of files that a form shows and that are not there any more; `None` where all are.
pub async fn told_missing(app: &Shared, said: &Fields) -> ApiResult<Option<String>> {
    let Some(shown) = shown_in(said) else {
        return Ok(None);
    };
    let (receipt, _) = owner_of(app, said.get("conversation").to_owned()).await?;
    match refuse_missing(app, &receipt, &shown).await {
        Err(refused) if refused.is(Kind::FILES_MISSING) => Ok(Some(refused.told().to_owned())),
        refused => refused.map(|()| None),
    }
}

/// What a form says its page shows; `None` where it says nothing.
pub fn shown_in(said: &Fields) -> Option<Vec<String>> {
    let ids = said.given(SHOWN)?.split_whitespace();
    Some(ids.map(str::to_owned).collect())
}
