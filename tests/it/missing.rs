//! What is not there is called by its name.

use serde_json::json;

use crate::support::program::Program;

const NEVER: &str = "00000000-0000-4000-8000-000000000000";

#[test]
fn each_thing_that_is_not_there_is_named() {
    let (program, editor) = Program::with_editor();
    for (path, title) in [
        ("/reports/{}", "Segnalazione non trovata"),
        ("/reports/{}/messages", "Segnalazione non trovata"),
        ("/callouts/{}", "Inchiesta non trovata."),
        ("/callouts/{}/answers", "Inchiesta non trovata."),
        ("/callouts/x/answers", "Inchiesta non trovata."),
        ("/stories/{}", "Storia non trovata."),
        ("/altrove", "Questo indirizzo dell'API non esiste."),
    ] {
        let told = editor
            .get(&path.replace("{}", NEVER))
            .problem(404, "non-trovato");
        has!(told, "title": title, "detail": title);
    }
    for (path, title) in [
        ("/people/{}", "Persona non trovata."),
        ("/views/{}", "Vista non trovata."),
        ("/callouts/{}", "Inchiesta non trovata."),
    ] {
        let path = path.replace("{}", NEVER);
        let told = editor
            .with("if-match", "\"1\"")
            .delete(&path)
            .problem(404, "non-trovato");
        has!(told, "title": title, "detail": title);
    }
    for id in ["x", "99"] {
        let told = editor.post(&format!("/deliveries/{id}/retry"));
        has!(told.problem(404, "non-trovato"), "title": "Consegna non trovata.");
    }
    let told = program
        .client()
        .post_json("/chat", &json!({ "callout": "nessuna" }));
    let told = told.problem(404, "non-trovato");
    assert_eq!(told["title"], told["detail"]);
}
