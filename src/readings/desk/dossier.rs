//! A whole report for handing on: its record, in words, and its files.

use std::collections::HashMap;
use std::path::Path;

use askama::Template;
use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::actions::desk::comments::{Comment, comments};
use crate::actions::desk::edit_reports::{WITHDRAWN, YES, present};
use crate::actions::reporter::messages_of;
use crate::actions::{self, Error};
use crate::domain::asked::{AskedConsent, ConsentKind};
use crate::domain::calendar::shown;
use crate::domain::media::attachment::size;
use crate::domain::message::Message;
use crate::domain::moment::timestamp;
use crate::readings::Reading;
use crate::readings::desk::attachments::{AttachedFile, Attachment, find};
use crate::readings::desk::report_detail::{HistoryEntry, ReportDetail, detail_out};
use crate::store::{ChangeKind, Snapshot};

/// The record of a report, and its files by their names.
pub struct Dossier {
    pub record: String,
    pub files: Vec<(String, AttachedFile)>,
}

/// The dossier of a report. A demonstration has neither files nor a folder of data.
pub fn dossier(
    reading: Reading<'_>,
    snapshot: &Snapshot<'_>,
    data: Option<&Path>,
    id: &str,
) -> actions::Result<Dossier> {
    let row = present(snapshot, id)?;
    let messages = messages_of(snapshot, &reading.vault, &row)?;
    let report = detail_out(reading, snapshot, row, "")?;
    let said = Correspondence {
        messages,
        comments: comments(snapshot, &reading.vault, id)?,
        names: snapshot.named_people()?.into_iter().collect(),
    };
    let mut files = Vec::new();
    if let Some(data) = data {
        for about in &report.attachments {
            let file = find(reading, snapshot, data, id, about.n)?;
            files.push((entry_name(about), file));
        }
    }
    let record = DossierText::of(&report, &said, &reading.time_zone).render();
    let record = record.map_err(|_| Error::Defect("the record of a report cannot be written"))?;
    Ok(Dossier { record, files })
}

/// The name of a file in the archive: its number keeps those of one name apart.
fn entry_name(file: &Attachment) -> String {
    format!("allegati/{:02} {}", file.n, file.name)
}

/// Comments and messages about a report, and the names of their authors by id.
struct Correspondence {
    messages: Vec<Message>,
    comments: Vec<Comment>,
    names: HashMap<String, String>,
}

impl Correspondence {
    fn name<'a>(&'a self, id: Option<&String>, otherwise: &'a str) -> &'a str {
        id.and_then(|id| self.names.get(id))
            .map_or(otherwise, String::as_str)
    }

    fn messages(&self, zone: &TimeZone) -> Vec<String> {
        let said = self.messages.iter();
        said.map(|one| {
            let lines = one.asked_lines(|at| shown(timestamp(at), zone));
            let text = [vec![one.text.clone()], lines].concat().join("\n");
            speech(timestamp(one.at), one.author.as_str(), &text, zone)
        })
        .collect()
    }

    fn comments(&self, zone: &TimeZone) -> Vec<String> {
        let said = self.comments.iter();
        said.map(|one| {
            let who = self.name(one.author.as_ref(), "redazione");
            speech(one.at, who, &one.text, zone)
        })
        .collect()
    }

    fn event(&self, event: &HistoryEntry) -> String {
        let what = describe_event(event, self.name(event.a.as_ref(), ""));
        match &event.author {
            None => what,
            Some(who) => format!("{what} ({})", who.name),
        }
    }
}

/// A speech, further in than what stands in the record: none can pass for another.
fn speech(at: Timestamp, who: &str, text: &str, zone: &TimeZone) -> String {
    let text = text.replace('\n', "\n    ");
    format!("{}, {who}:\n    {text}", shown(at, zone))
}

/// The record in words. The account stands last: nothing in it can pass for what the newsroom wrote behind it.
#[derive(Template)]
#[template(path = "dossier.txt")]
struct DossierText<'a> {
    report: &'a ReportDetail,
    received: String,
    forwarded: Option<String>,
    lists: [(&'static str, Vec<String>); 5],
}

impl<'a> DossierText<'a> {
    fn of(report: &'a ReportDetail, said: &Correspondence, zone: &TimeZone) -> Self {
        let at = |moment: &str| {
            moment
                .parse()
                .map_or_else(|_| moment.to_owned(), |at| shown(at, zone))
        };
        let file = |about: &Attachment| format!("{} ({})", entry_name(about), size(about.size));
        let event = |event: &HistoryEntry| {
            format!(
                "{}: {}",
                shown(timestamp(event.at), zone),
                said.event(event)
            )
        };
        let lists = [
            ("CONSENSI", standing(&report.consents, zone)),
            ("ALLEGATI", report.attachments.iter().map(file).collect()),
            ("MESSAGGI", said.messages(zone)),
            ("COMMENTI", said.comments(zone)),
            ("CRONOLOGIA", report.storia.iter().map(event).collect()),
        ];
        Self {
            report,
            received: at(&report.data_creazione),
            forwarded: report.inoltrata.as_deref().map(at),
            lists,
        }
    }
}

/// How the consents of a report stand: of each kind what was decided last, else that it was asked for.
fn standing(consents: &[AskedConsent], zone: &TimeZone) -> Vec<String> {
    let of_kind = |kind| {
        let mut all = consents.iter().filter(move |one| one.consent.kind == kind);
        let decided = all.clone().rfind(|one| one.consent.given.is_some());
        let last = decided.or_else(|| all.next_back())?;
        Some(last.consent.line(|at| shown(timestamp(at), zone)))
    };
    ConsentKind::ALL.into_iter().filter_map(of_kind).collect()
}

fn describe_event(event: &HistoryEntry, person: &str) -> String {
    let (before, after) = (event.da.as_deref(), event.a.as_deref());
    let yes = after == Some(YES);
    let text = match event.kind {
        ChangeKind::Stato => {
            let [da, a] = [before, after].map(Option::unwrap_or_default);
            return format!("stato da «{da}» a «{a}»");
        }
        ChangeKind::Reparto => {
            let name = event.to_name.as_deref().unwrap_or_default();
            return format!("spostata al reparto {name}");
        }
        ChangeKind::Assegnata if after.is_some() => return format!("assegnata a {person}"),
        ChangeKind::Assegnata => "non più assegnata",
        ChangeKind::Ricevuta => "ricevuta",
        ChangeKind::Aperta => "aperta la prima volta",
        ChangeKind::Note => "note interne modificate",
        ChangeKind::Esportata => "esportata",
        ChangeKind::Urgente if yes => "segnata come urgente",
        ChangeKind::Urgente => "non più urgente",
        ChangeKind::Inoltrata if yes => "inoltrata alle autorità",
        ChangeKind::Inoltrata => "non più segnata come inoltrata alle autorità",
        ChangeKind::Mittente if yes => "chi l'ha inviata è messo da parte",
        ChangeKind::Mittente => "chi l'ha inviata non è più messo da parte",
        ChangeKind::Fatta if yes => "fatta",
        ChangeKind::Fatta => "rimessa in «Da fare»",
        ChangeKind::Messaggio => "messaggio della redazione",
        ChangeKind::Etichette => "etichette cambiate",
        ChangeKind::Risposta => "messaggio di chi ha segnalato",
        ChangeKind::Rinviata if yes => "rinviata",
        ChangeKind::Rinviata => "rimessa nell'elenco",
        ChangeKind::Ritiro if yes => "chi ha segnalato chiede di ritirarla",
        ChangeKind::Ritiro => "risposto alla richiesta di ritiro",
        ChangeKind::Consenso => {
            let decided = match after {
                _ if yes => "dato",
                Some(WITHDRAWN) => "ritirato",
                _ => "negato",
            };
            return format!("consenso ({}): {decided}", before.unwrap_or_default());
        }
        ChangeKind::Storia if yes => "aggiunta a una storia",
        ChangeKind::Storia => "tolta dalla storia",
        ChangeKind::Allegato => "chi ha segnalato ha ritirato un file",
    };
    text.to_owned()
}
