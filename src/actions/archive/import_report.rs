//! A report as the panel's backup holds it, in the clear: made of a stored one, and stored again with its past.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::actions::archive::sealing::{
    NOTE, ReportContent, SealedReport, open_content, open_note, seal_report, seal_text,
};
use crate::actions::desk::comments::{Comment, comments, store_comment};
use crate::actions::desk::labels::known;
use crate::actions::desk::routing_memory::remember;
use crate::actions::settings::department_list::standing;
use crate::actions::{Act, Error, Result};
use crate::domain::callout::{CalloutAnswers, CalloutRef, ReportAnswer};
use crate::domain::label::numbers;
use crate::domain::message::Withdrawal;
use crate::domain::moment::timestamp;
use crate::domain::report::{Origine, Report, Stato};
use crate::domain::routing::{Analysis, DepartmentKey};
use crate::store::{self, ChangeKind, HistoryRow, LedgerRow, ReportRow, Snapshot};
use crate::vault::{Vault, VaultError};

const ID_MAX: usize = 36;

/// A report with its history.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BackupReport {
    /// Its id, kept.
    pub id: String,
    pub nome: String,
    pub cognome: String,
    pub telefono: String,
    pub email: String,
    pub indirizzo: String,
    pub segnalazione: String,
    pub eta: u8,
    /// The callout that it answers.
    #[serde(default)]
    #[schema(required)]
    pub inchiesta: Option<CalloutRef>,
    /// Its answers to the callout.
    #[serde(default)]
    pub risposte: Vec<ReportAnswer>,
    pub stato: Stato,
    /// Key of its present department.
    pub department: DepartmentKey,
    /// Where the program sent it, and why.
    #[schema(value_type = Object)]
    pub analysis: Analysis,
    /// Whether it counts as urgent.
    pub urgente: bool,
    /// The channel through which it was received.
    #[serde(default)]
    pub origine: Origine,
    /// Its labels, by their numbers.
    #[serde(default)]
    pub labels: Vec<u8>,
    /// Id of the story that it belongs to.
    #[serde(default)]
    #[schema(required)]
    pub story: Option<String>,
    /// Internal note; empty for none.
    pub note: String,
    /// Internal comments, oldest first.
    #[serde(default)]
    pub commenti: Vec<Comment>,
    /// Id of the person that the report is assigned to.
    #[serde(rename = "assegnataA", default)]
    #[schema(required)]
    pub assegnata: Option<String>,
    /// When it was received; RFC 3339, UTC.
    pub data_creazione: Timestamp,
    /// When it was last changed; RFC 3339, UTC.
    pub data_aggiornamento: Timestamp,
    /// The entity tag.
    pub versione: i64,
    /// When staff first opened it; RFC 3339, UTC.
    #[schema(required)]
    pub aperta: Option<Timestamp>,
    /// When the reporter was promised that the report is read, and that they learn the outcome; RFC 3339, UTC.
    #[serde(default)]
    #[schema(value_type = Vec<Option<String>>)]
    pub promesse: [Option<Timestamp>; 2],
    /// When its reporter asked for withdrawal, if the request is open; RFC 3339, UTC.
    #[serde(default)]
    #[schema(required)]
    pub ritiro: Option<Timestamp>,
    /// When staff dealt with what waited, where nothing came since; RFC 3339, UTC.
    #[serde(default)]
    #[schema(required)]
    pub fatta: Option<Timestamp>,
    /// Version of the privacy notice that was shown.
    #[serde(rename = "privacyVersion")]
    pub privacy_version: String,
    /// Changes made by staff, oldest first.
    pub storia: Vec<HistoryRow>,
}

impl BackupReport {
    pub fn of(snapshot: &Snapshot<'_>, vault: &Vault, row: ReportRow) -> Result<Self> {
        let ReportContent {
            report,
            analysis,
            callout,
        } = open_content(snapshot, vault, &row)?;
        Ok(Self {
            nome: report.nome,
            cognome: report.cognome,
            telefono: report.telefono,
            email: report.email,
            indirizzo: report.indirizzo,
            segnalazione: report.segnalazione,
            eta: report.eta,
            inchiesta: callout.inchiesta,
            risposte: callout.risposte,
            stato: row.stato,
            department: row.department,
            analysis,
            urgente: row.urgente,
            origine: row.origine,
            labels: numbers(row.labels),
            story: row.storia.clone(),
            note: open_note(snapshot, vault, &row)?,
            commenti: comments(snapshot, vault, &row.id)?,
            assegnata: row.assegnata,
            data_creazione: timestamp(row.data_creazione),
            data_aggiornamento: timestamp(row.data_aggiornamento),
            versione: row.versione,
            aperta: row.aperta.map(timestamp),
            promesse: [row.prima_entro, row.esito_entro].map(|at| at.map(timestamp)),
            ritiro: row.ritiro.map(|asked| timestamp(asked.at)),
            fatta: row.fatta.map(timestamp),
            storia: snapshot.history(&row.id)?,
            id: row.id,
            privacy_version: row.privacy_version,
        })
    }

    /// Stores it under an arrival number, sealed with this newsroom's key. One that staff moved counts as moved again.
    pub fn store(self, act: &Act<'_>, seq: i64) -> Result<()> {
        check_id(&self.id)?;
        let report = self.report();
        let said = self.answers().said_with(&report);
        let said = said.map_err(|_| VaultError::Damaged)?;
        let (sealed, ms) = (self.sealed(act, &report)?, Timestamp::as_millisecond);
        let [prima_entro, esito_entro] = self.promesse.map(|at| at.map(ms));
        let (note_epoch, note) = seal_text(act, NOTE, &self.id, &self.note)?;
        let row = ReportRow {
            seq,
            note_epoch,
            note,
            id: self.id.clone(),
            data_creazione: self.data_creazione.as_millisecond(),
            department: standing(act, self.department)?,
            urgente: self.urgente,
            origine: self.origine,
            privacy_version: self.privacy_version,
            impronta: act.vault.fingerprint(&said),
            stato: self.stato,
            inchiesta: self.inchiesta.as_ref().map(|one| one.id.clone()),
            labels: known(act, &self.labels)?,
            storia: self.story,
            assegnata: self.assegnata,
            data_aggiornamento: self.data_aggiornamento.as_millisecond(),
            versione: self.versione,
            aperta: self.aperta.map(ms),
            prima_entro,
            esito_entro,
            ritiro: self.ritiro.map(|at| Withdrawal::asked(at.as_millisecond())),
            fatta: self.fatta.map(ms),
            ..ReportRow::default()
        };
        let row = sealed.store(act, row)?;
        let moved_at = last_move(&self.storia).unwrap_or(row.data_aggiornamento);
        act.tx.insert_past_report(&row, self.storia)?;
        let mut comments = self.commenti.into_iter();
        comments.try_for_each(|comment| store_comment(act, &row.id, comment))?;
        let account = (self.analysis.department != self.department).then_some(&report.segnalazione);
        account.map_or(Ok(()), |account| remember(act, moved_at, &self.id, account))
    }

    fn sealed(&self, act: &Act<'_>, report: &Report) -> Result<SealedReport> {
        let analysis = &self.analysis;
        let answers = self.answers();
        let callout = answers.given();
        let content = ReportContent {
            report,
            analysis,
            callout,
        };
        seal_report(act.vault, act.now, &self.id, &content, None)
    }

    fn answers(&self) -> CalloutAnswers {
        CalloutAnswers {
            inchiesta: self.inchiesta.clone(),
            risposte: self.risposte.clone(),
        }
    }

    fn report(&self) -> Report {
        Report {
            eta: self.eta,
            nome: self.nome.clone(),
            cognome: self.cognome.clone(),
            telefono: self.telefono.clone(),
            email: self.email.clone(),
            indirizzo: self.indirizzo.clone(),
            segnalazione: self.segnalazione.clone(),
        }
    }
}

fn last_move(history: &[HistoryRow]) -> Option<i64> {
    let is_move = |change: &&HistoryRow| change.kind == ChangeKind::Reparto;
    history.iter().rfind(is_move).map(|change| change.at)
}

fn check_id(id: &str) -> Result<()> {
    let harmless = |character: char| character.is_ascii_alphanumeric() || character == '-';
    if (1..=ID_MAX).contains(&id.len()) && id.chars().all(harmless) {
        return Ok(());
    }
    Err(Error::Store(store::Error::Damaged("id".to_owned())))
}

/// Enters a report into the ledger of what was erased: no backup brings it back.
pub fn remember_erased(act: &Act<'_>, row: &LedgerRow) -> Result<()> {
    Ok(act.tx.enter_into_ledger(row)?)
}
