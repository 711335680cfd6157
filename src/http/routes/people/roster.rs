//! The people who log in by a name of their own, and the invitations by which they choose their password.
//! Must never answer with a token but in the one answer that makes it, nor tell a stranger more than that it is not valid.

use axum::extract::State;
use axum::response::{NoContent, Response};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::actions::access::login_limit;
use crate::actions::people::roster::{self, Invitation, NewPerson, PersonChange};
use crate::http::BASE;
use crate::http::admin::{INVITATION, Visitor, new_cookie, refuse_address, token_hash};
use crate::http::erasing::complete_removal;
use crate::http::path::PersonId;
use crate::http::query::Strict;
use crate::http::routes::access::session::{check_new, derive_new, open_session, origin};
use crate::http::routes::{
    Administrator, Answer, ApiResult, App, Json, List, Reader, Shared, Token, list_of,
};
use crate::readings::people::{self, Colleague, InvitationOpened, PersonOut};
use crate::store::Undo;
use crate::vault::{Secret32, invitation_key};

/// A person who was invited.
#[derive(Serialize, ToSchema)]
pub struct Invited {
    /// 36-character id.
    id: String,
    /// The link, valid once and for 72 hours; without a public address in the configuration, a path of this server.
    invitation: String,
}

/// An answer to an invitation.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct InvitationAnswer {
    /// The token, which follows `#` in the link.
    token: String,
    /// The password to be set.
    password: String,
}

/// Which colleagues.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ColleaguesAsked {
    /// Only those who see this report, by its id.
    report: Option<String>,
}

/// The people who may log in, in alphabetical order.
#[utoipa::path(get, operation_id = "people", path = "/people", tag = "persone",
    responses((status = 200, body = List<PersonOut>)))]
pub async fn list(admin: Administrator) -> Answer<List<PersonOut>> {
    let list = admin.read(people::roster);
    list.await.map(list_of).map(Json)
}

/// The names of all people, removed ones included, in alphabetical order. Every logged-in user may call it.
#[utoipa::path(get, path = "/colleagues", tag = "persone", params(ColleaguesAsked),
    responses((status = 200, body = List<Colleague>)))]
pub async fn colleagues(
    admin: Reader,
    Strict(asked): Strict<ColleaguesAsked>,
) -> Answer<List<Colleague>> {
    let list = admin.read(move |_, snapshot| people::colleagues(snapshot, asked.report.as_deref()));
    list.await.map(list_of).map(Json)
}

/// Adds a person and returns the invitation.
#[utoipa::path(post, operation_id = "add_person", path = "/people", tag = "persone", request_body = NewPerson,
    responses((status = 200, body = Invited)))]
pub async fn add(admin: Administrator, Json(new): Json<NewPerson>) -> Answer<Invited> {
    let (new_link, invitation) = new_invitation(&admin)?;
    let added = admin.change(move |act| roster::add(act, &new, &new_link));
    let id = added.await?;
    Ok(Json(Invited { id, invitation }))
}

/// Changes a person. Administrators see every department.
#[utoipa::path(patch, operation_id = "change_person", path = "/people/{id}", tag = "persone", params(PersonId),
    request_body = PersonChange, responses((status = 204, description = "Changed")))]
pub async fn change(
    admin: Administrator,
    PersonId(id): PersonId,
    Json(change): Json<PersonChange>,
) -> ApiResult<NoContent> {
    let takes_factor = change.second_factor.is_some();
    let changed = admin.change(move |act| roster::change(act, &id, change));
    changed.await?;
    if takes_factor {
        complete_removal(&admin).await?;
    }
    Ok(NoContent)
}

/// Removes a person and ends their sessions at once. Records of what they did keep their name.
#[utoipa::path(delete, operation_id = "remove_person", path = "/people/{id}", tag = "persone", params(PersonId),
    responses((status = 204, description = "Removed")))]
pub async fn remove(admin: Administrator, PersonId(id): PersonId) -> ApiResult<NoContent> {
    let removed = admin.change(move |act| roster::remove(act, &id));
    removed.await?;
    complete_removal(&admin).await.map(|()| NoContent)
}

/// Makes a new invitation, by which a person chooses a password. The earlier link stops working.
#[utoipa::path(post, operation_id = "invite_person", path = "/people/{id}/invitation", tag = "persone", params(PersonId),
    responses((status = 200, body = Invited)))]
pub async fn invite(admin: Administrator, PersonId(id): PersonId) -> Answer<Invited> {
    let (new, invitation) = new_invitation(&admin)?;
    let person = id.clone();
    let invited = admin.change(move |act| roster::invite(act, &person, &new));
    invited.await?;
    Ok(Json(Invited { id, invitation }))
}

/// Returns the person that an invitation is for.
#[utoipa::path(post, path = "/invitations/open", tag = "accesso", request_body = Token,
    responses((status = 200, body = InvitationOpened)))]
pub async fn open_invitation(
    State(app): State<Shared>,
    visitor: Visitor,
    Json(asked): Json<Token>,
) -> Answer<InvitationOpened> {
    refuse_address(&app, &visitor).await?;
    opened(&app, &asked.token).await.map(Json)
}

/// Chooses the password and logs in. The invitation link cannot be used again.
#[utoipa::path(post, path = "/invitations", tag = "accesso", request_body = InvitationAnswer,
    responses((status = 204, description = "The password is set; sets the session cookie")))]
pub async fn answer_invitation(
    State(app): State<Shared>,
    visitor: Visitor,
    Json(answer): Json<InvitationAnswer>,
) -> ApiResult<Response> {
    refuse_address(&app, &visitor).await?;
    let opened = opened(&app, &answer.token).await?;
    let settings = app.settings().await?;
    let own = [opened.name.as_str(), &opened.user];
    check_new("password", &answer.password, &settings.system, &own)?;
    let password = derive_new(&app, answer.password).await?;
    let invitation = invitation(&app, &answer.token)?;
    let origin = origin(&app, &visitor, None);
    let accepted = app.write(visitor.actor.clone(), Undo::Alone, move |act| {
        let account = roster::accept(act, &invitation, &password)?;
        Ok(password.proven(login_limit::attempt(act, &origin, account)?))
    });
    let proven = accepted.await?;
    complete_removal(&app).await?;
    open_session(&app, visitor, proven, None).await
}

async fn opened(app: &Shared, token: &str) -> ApiResult<InvitationOpened> {
    let hash = token_hash(&app.vault, INVITATION, token);
    let found = app.read(move |app, snapshot| people::invitation(app.reading(), snapshot, &hash));
    found.await
}

fn new_invitation(app: &App) -> ApiResult<(Invitation, String)> {
    let (token, _) = new_cookie(&app.vault, INVITATION, Secret32::random()?.expose());
    let origin = app.public_origin.as_deref().unwrap_or_default();
    let link = format!("{origin}{BASE}/invito#{token}");
    Ok((invitation(app, &token)?, link))
}

fn invitation(app: &App, token: &str) -> ApiResult<Invitation> {
    Ok(Invitation {
        token_hash: token_hash(&app.vault, INVITATION, token),
        slot_key: invitation_key(token)?,
    })
}
