//! The panel's system page: the program, its installation (the checks of `segnalazioni doctor`), its own backups.

use axum::response::NoContent;
use serde::Serialize;
use utoipa::ToSchema;

use super::public::Room;
use crate::actions::access::sign_in::see_newcomer;
use crate::actions::archive::authenticity::{Trust, confirm};
use crate::actions::intake::attachments::{FileRoom, room_of_files};
use crate::actions::settings::in_force::InForce;
use crate::backup::keep::{BackupStatus, backup_status};
use crate::backup::replica::{ReplicaFault, replica_status};
use crate::doctor::{self, Check, CheckState};
use crate::domain::calendar::local_date;
use crate::domain::moment::rfc3339;
use crate::domain::person::Role;
use crate::domain::settings::{BackupFrequency, SecretEnd, entries};
use crate::http::routes::{Administrator, Answer, ApiError, ApiResult, Json, Reader, Shared};
use crate::http::shell::Database;
use crate::http::state::Mode;

/// The program that answers.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SystemInfo {
    /// Version of the program.
    pub version: &'static str,
    /// Short name of the sources it was made from; `unknown` outside of a repository.
    pub commit: &'static str,
    /// When it was made; RFC 3339, UTC.
    pub built: &'static str,
    /// State of the archive: `demo` is a demonstration.
    pub database: Database,
}

/// The program that answers.
#[utoipa::path(get, path = "/system", tag = "impostazioni", responses((status = 200, body = SystemInfo)))]
pub async fn system_info(admin: Administrator) -> Json<SystemInfo> {
    Json(SystemInfo {
        version: crate::VERSION,
        commit: env!("BUILD_COMMIT"),
        built: env!("BUILD_DATE"),
        database: Database::of(&admin),
    })
}

/// The notices that every user of the panel must see.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Alerts {
    /// Room on the disk.
    pub disk: Room,
    /// Free bytes; null in a demonstration.
    pub free_bytes: Option<u64>,
    /// Whether the storage for attachments is nearly full, so that files will soon be refused.
    pub attachments_nearly_full: bool,
    /// Whether files of unfinished reports were dropped within the last day because the storage limit was reached.
    pub attachments_dropped: bool,
    /// When the account was used from an unknown browser during this session; RFC 3339, UTC. Null when it was not, or
    /// when the notice was dismissed.
    pub new_browser: Option<String>,
    /// The end of the secret by which the mail server is entered, from 14 days before; else null.
    pub mail_secret: Option<SecretEnd>,
    /// The fault of the replica on another machine; null if it is healthy or if there is no replica.
    pub replica: Option<ReplicaFault>,
    /// Points that are still to be settled before the public may use the program; for administrators only, and not in a
    /// demonstration.
    pub opening: Vec<&'static str>,
}

/// The notices that every user of the panel must see.
#[utoipa::path(get, path = "/system/alerts", tag = "impostazioni", responses((status = 200, body = Alerts)))]
pub async fn alerts(admin: Reader) -> Answer<Alerts> {
    let (disk, free_bytes) = Room::of(&admin)?;
    let (session, settings) = (admin.token_hash, admin.settings().await?);
    let (data, now) = (admin.data.clone(), admin.clock.now_ms());
    let read = admin.read(move |_, snapshot| {
        let administrators = snapshot.administrators()?;
        let replica = data.and_then(|data| replica_status(&data, now)?.fault);
        Ok::<_, ApiError>((snapshot.newcomer(&session)?, administrators, replica))
    });
    let (newcomer, administrators, replica) = read.await?;
    let settles = admin.mode == Mode::Live && admin.visitor.actor.may(Role::Amministratore);
    let opening = settles.then(|| still_open(&settings, administrators));
    let app: &Shared = &admin;
    let files = app.read(|_, snapshot| FileRoom::of(snapshot)).await?;
    Ok(Json(Alerts {
        disk,
        free_bytes,
        attachments_nearly_full: files.is_nearly_full(room_of_files(&settings.system)),
        attachments_dropped: admin.waiting.dropped_lately(now),
        new_browser: newcomer.map(rfc3339),
        mail_secret: settings.email.secret_end(local_date(now, &admin.time_zone)),
        replica,
        opening: opening.unwrap_or_default(),
    }))
}

/// The points of the list before opening that neither the settings nor the newsroom's word settle.
fn still_open(settings: &InForce, administrators: i64) -> Vec<&'static str> {
    let InForce {
        email,
        system,
        rules,
        ..
    } = settings;
    let unaddressed = email.email_from.is_empty() || email.all_addresses().is_empty();
    let mut desks = email.departments.desks().iter();
    let deskless = desks.all(|desk| desk.email.is_empty());
    let points = [
        ("posta", email.smtp_host.is_empty() || unaddressed),
        ("reparti", email.enable_department_routing && deskless),
        ("domande", true),
        ("recapiti", rules.shut_out()),
        ("promesse", true),
        (
            "backup",
            system.backup_frequency == BackupFrequency::Disabled,
        ),
        ("amministratore", administrators < 2),
    ];
    let settled = |point| entries(&system.opening_settled).any(|one| one == point);
    let open = points
        .into_iter()
        .filter(|(point, open)| *open && !settled(*point));
    open.map(|(point, _)| point).collect()
}

/// Dismisses the notice of a login from a new browser.
#[utoipa::path(delete, path = "/system/alerts/new-browser", tag = "impostazioni",
    responses((status = 204, description = "Dismissed")))]
pub async fn see_new_browser(admin: Reader) -> ApiResult<NoContent> {
    let session = admin.token_hash;
    let seen = admin.change(move |act| see_newcomer(act, &session));
    seen.await.map(|()| NoContent)
}

/// An examination of the installation.
#[derive(Debug, Serialize, ToSchema)]
pub struct Examination {
    /// When it began; RFC 3339, UTC.
    pub at: String,
    /// The worst of what it found.
    pub worst: CheckState,
    /// The findings.
    pub checks: Vec<Check>,
}

/// Examines the installation; busy while another examination runs. It asks the mail server, the webhook's server and the
/// public address, each for 10 seconds at most, reads the archive for 20 at most, and sends nothing.
#[utoipa::path(post, path = "/system/doctor", tag = "impostazioni", responses((status = 200, body = Examination)))]
pub async fn examine(admin: Administrator) -> Answer<Examination> {
    let examined = admin.compute(|app| {
        let now = app.clock.now_ms();
        let _turn = app.jobs.examination.try_lock().ok_or_else(ApiError::busy)?;
        let checks = match &app.installation {
            Some(installation) => doctor::examine(installation, now),
            None => doctor::demonstration(),
        };
        Ok::<_, ApiError>(Examination {
            at: rfc3339(now),
            worst: checks
                .iter()
                .map(|check| check.state)
                .max()
                .unwrap_or(CheckState::Ok),
            checks,
        })
    });
    examined.await.map(Json)
}

/// Whether the data that decides who can log in and where reports are sent was written by this program.
#[derive(Debug, Serialize, ToSchema)]
pub struct Authenticity {
    /// `integro`: this program wrote the data. `da-confermare`: the data came from another machine, and nothing is sent
    /// until an administrator confirms the destinations. `alterato`: another program changed the data; no login is
    /// possible, and nothing is sent.
    pub state: Trust,
}

/// Whether the data that decides who can log in and where reports are sent was written by this program.
#[utoipa::path(get, path = "/system/authenticity", tag = "impostazioni", responses((status = 200, body = Authenticity)))]
pub async fn authenticity(admin: Administrator) -> Answer<Authenticity> {
    let state = admin.settings().await?.trust;
    Ok(Json(Authenticity { state }))
}

/// Confirms the destinations of mail and webhook after a restore from another machine. Waiting deliveries are then
/// sent.
#[utoipa::path(post, path = "/system/authenticity", tag = "impostazioni", responses((status = 200, body = Authenticity)))]
pub async fn confirm_authenticity(admin: Administrator) -> Answer<Authenticity> {
    admin.change(confirm).await?;
    admin.dispatcher.wake();
    authenticity(admin).await
}

/// The state of the server's own backups.
#[utoipa::path(get, path = "/system/backups", tag = "backup", responses((status = 200, body = BackupStatus)))]
pub async fn backups(admin: Administrator) -> Answer<BackupStatus> {
    let frequency = admin.settings().await?.system.backup_frequency;
    let found = admin.compute(move |app| {
        let Some(data) = &app.data else {
            // A demonstration.
            return Ok::<_, ApiError>(BackupStatus {
                frequency,
                ..BackupStatus::default()
            });
        };
        let (failed, now) = (app.jobs.backup_failure.lock().clone(), app.clock.now_ms());
        backup_status(data, frequency, failed, now, &app.time_zone)
            .map_err(|error| ApiError::internal(error.as_ref()))
    });
    found.await.map(Json)
}
