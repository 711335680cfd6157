//! Says what of a JSON backup is not taken, or not as it stands, for `restore` and `verify`.
//! Must never repeat a word out of the file: it goes to terminals and logs.

use serde_json::{Value, json};

use crate::backup::json::{Remark, Remarks};

/// Remarks that are shown one by one; `--json` has more of them.
const SHOWN: usize = 20;

/// All of them, for machines.
pub(super) fn remarks_json(remarks: &Remarks) -> Value {
    let list: Vec<Value> = remarks
        .list
        .iter()
        .map(
            |remark| json!({ "report": remark.report, "taken": remark.taken, "text": remark.text }),
        )
        .collect();
    json!({
        "list": list,
        "more": remarks.more,
        "reportsLeftOut": remarks.reports_left_out,
        "logsLeftOut": remarks.logs_left_out,
        "closed": remarks.closed,
    })
}

/// The first of them and how many there are, for people; nothing where there are none.
pub(super) fn remarks_told(remarks: &Remarks) -> Vec<String> {
    let mut lines = Vec::new();
    let closed =
        "sigillate con chiavi abbandonate, che nessuno poteva leggere quando è stato fatto";
    match remarks.closed {
        0 => {}
        1 => lines.push(format!(
            "Nel file non c'è 1 segnalazione, tra quelle {closed}."
        )),
        many => lines.push(format!(
            "Nel file non ci sono {many} segnalazioni {closed}."
        )),
    }
    match remarks.reports_left_out {
        0 => {}
        1 => lines.push("1 segnalazione del file non è stata ripresa.".to_owned()),
        many => lines.push(format!(
            "{many} segnalazioni del file non sono state riprese."
        )),
    }
    let told = |remark: &Remark| {
        let fate = if remark.taken {
            "ripresa"
        } else {
            "non ripresa"
        };
        format!(
            "  segnalazione {} del file, {fate}: {}.",
            remark.report, remark.text
        )
    };
    lines.extend(remarks.list.iter().take(SHOWN).map(told));
    let unshown = remarks.list.len().saturating_sub(SHOWN) + remarks.more;
    if unshown > 0 {
        lines.push(format!("  … e altre osservazioni: {unshown}."));
    }
    if remarks.logs_left_out > 0 {
        lines.push(format!(
            "Voci del registro accessi non riprese: {}.",
            remarks.logs_left_out
        ));
    }
    lines
}
