//! The conversation and the return without a script: forms and pages alone (PRODUCT.md §2, §5). What a text browser shows of each
//! page is asked of w3m (Debian), which `tools/test.sh` installs.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::process::{Command, Stdio};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use form_urlencoded::Serializer;
use serde_json::json;
use sha2::{Digest as _, Sha256};

use crate::callouts;
use crate::receipts::ask;
use crate::support::attachments::{listed, photo};
use crate::support::chat::{GRAVE, Person, submit};
use crate::support::http::{Answer, Client};
use crate::support::panel::{Editor, cookies_of};
use crate::support::program::Program;
use crate::support::{HOUR, MINUTE, contains, disk};

const FORM: &str = "/paibeta/modulo";
pub const FOLLOW: &str = "/paibeta/seguito";
/// Most bytes of a page, besides its token and what the person wrote.
const LARGEST: usize = 10_000;
const PIECE: usize = 64 * 1024;

/// A page, where it is, what its first form holds, and the cookies that were set on the way there.
pub struct Page {
    answer: Answer,
    address: String,
    hidden: BTreeMap<String, String>,
    cookies: Vec<String>,
}

/// A character reference of ours, back.
fn plain(escaped: &str) -> String {
    let pairs = [
        ("&#34;", "\""),
        ("&#39;", "'"),
        ("&#60;", "<"),
        ("&#62;", ">"),
        ("&#38;", "&"),
    ];
    let text = escaped.to_owned();
    pairs
        .into_iter()
        .fold(text, |text, (from, to)| text.replace(from, to))
}

fn between<'a>(text: &'a str, from: &str, to: &str) -> &'a str {
    let (_, rest) = text
        .split_once(from)
        .unwrap_or_else(|| panic!("no {from} in {text}"));
    rest.split_once(to).expect("an end").0
}

impl Page {
    fn of(answer: Answer) -> Self {
        Self::at("", answer)
    }

    fn at(address: &str, answer: Answer) -> Self {
        let html = answer.text().to_owned();
        let fields = html.split("<input type=\"hidden\" ").skip(1);
        let hidden = fields.map(|field| {
            let [name, value] = ["name", "value"];
            let read = |name: &str| plain(between(field, &format!("{name}=\""), "\""));
            (read(name), read(value))
        });
        let page = Self {
            hidden: hidden.collect(),
            address: address.to_owned(),
            cookies: cookies_of(&answer).into_iter().map(str::to_owned).collect(),
            answer,
        };
        page.checked()
    }

    /// One request, no script, no picture, and not more bytes than were promised.
    fn checked(self) -> Self {
        let html = self.html();
        let token = self.hidden.get("conversation").map_or(0, String::len);
        assert!(html.len() - token < LARGEST, "{} bytes", html.len() - token);
        for no in [
            "<script",
            "<img",
            " style=",
            "<link rel=\"stylesheet",
            "url(",
        ] {
            assert!(!html.contains(no), "{no} in {html}");
        }
        let styles = between(html, "<style>", "</style>");
        let hash = STANDARD.encode(Sha256::digest(styles));
        let policy = format!(
            "default-src 'none'; style-src 'sha256-{hash}'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
        );
        self.answer.has_headers(&[
            ("content-type", "text/html; charset=utf-8"),
            ("content-security-policy", &policy),
            ("cache-control", "no-store"),
            ("x-robots-tag", "noindex, nofollow"),
            ("x-frame-options", "DENY"),
            ("x-content-type-options", "nosniff"),
        ]);
        self
    }

    fn html(&self) -> &str {
        self.answer.text()
    }

    pub fn has(self, words: &[&str]) -> Self {
        contains(plain(self.html()), words);
        self
    }

    fn lacks(self, word: &str) -> Self {
        assert!(
            !plain(self.html()).contains(word),
            "{word} in {}",
            self.html()
        );
        self
    }

    pub fn status(self, status: u16) -> Self {
        assert_eq!(self.answer.status, status, "{}", self.html());
        self
    }

    /// That in its address.
    fn hidden_name(&self) -> &str {
        self.address.split_once("?p=").expect("a name").1
    }

    pub fn fields<'a>(&'a self, more: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
        let hidden = self.hidden.iter().map(|(name, value)| (&**name, &**value));
        hidden.chain(more.iter().copied()).collect()
    }
}

/// Somebody without a script.
pub struct Browser {
    client: Client,
}

impl Browser {
    pub fn of(client: &Client) -> Self {
        let client = client.clone();
        Self { client }
    }

    pub fn open(&self, path: &str) -> Page {
        Page::at(path, self.client.page(path))
    }

    /// The page to which a form leads.
    pub fn arrive(&self, answer: Answer) -> Page {
        let answer = answer.expect(303);
        let there = answer.header("location").expect("an address").to_owned();
        assert!(answer.body.is_empty());
        let cookies: Vec<String> = cookies_of(&answer).into_iter().map(str::to_owned).collect();
        let mut client = self.client.clone();
        for cookie in &cookies {
            let (pair, _) = cookie.split_once(';').expect("a cookie");
            client = client.with("cookie", pair);
        }
        let page = Page::at(&there, client.page(&there));
        Page { cookies, ..page }
    }

    pub fn post(&self, path: &str, fields: &[(&str, &str)]) -> Answer {
        let body = Serializer::new(String::new()).extend_pairs(fields).finish();
        let request = self.client.request("POST", path);
        request
            .body("application/x-www-form-urlencoded", body)
            .send()
    }

    /// Sends the form of a page, with what was typed or pressed.
    fn send(&self, page: &Page, more: &[(&str, &str)]) -> Page {
        self.arrive(self.post(FORM, &page.fields(more)))
    }

    pub fn post_files(
        &self,
        path: &str,
        fields: &[(&str, &str)],
        files: &[(&str, &[u8])],
    ) -> Answer {
        let mut body = Vec::new();
        for (name, value) in fields {
            let part = format!(
                "--xYz\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n"
            );
            body.extend(part.into_bytes());
        }
        for (name, bytes) in files {
            let part = format!(
                "--xYz\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\nContent-Type: image/jpeg\r\n\r\n"
            );
            body.extend(part.into_bytes());
            body.extend_from_slice(bytes);
            body.extend(b"\r\n");
        }
        body.extend(b"--xYz--\r\n");
        let request = self.client.request("POST", path);
        request
            .body("multipart/form-data; boundary=xYz", body)
            .send()
    }

    pub fn send_files(&self, page: &Page, more: &[(&str, &str)], files: &[(&str, &[u8])]) -> Page {
        self.arrive(self.post_files(FORM, &page.fields(more), files))
    }

    /// The page of a state, everything before it answered.
    pub fn until(&self, person: &Person, state: &str) -> Page {
        let mut page = self.open(FORM);
        for (asked, answer) in person.answers() {
            assert_eq!(page.hidden["state"], asked);
            if asked == state {
                return page;
            }
            page = self.send(&page, &[("text", answer)]);
        }
        panic!("no state is called {state}")
    }
}

/// What a text browser shows.
fn w3m(html: &str) -> String {
    let mut shown = Command::new("w3m")
        .args([
            "-dump",
            "-cols",
            "72",
            "-T",
            "text/html",
            "-I",
            "UTF-8",
            "-O",
            "UTF-8",
        ])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("w3m: install Debian's package");
    let mut input = shown.stdin.take().expect("an input");
    input.write_all(html.as_bytes()).expect("written");
    drop(input);
    let shown = shown.wait_with_output().expect("w3m");
    assert!(shown.status.success());
    String::from_utf8(shown.stdout).expect("a text")
}

pub fn code_in(page: &Page) -> String {
    between(page.html(), "<samp>", "</samp>").to_owned()
}

fn only_report(editor: &Editor) -> serde_json::Value {
    let ids = editor.all_ids();
    assert_eq!(ids.len(), 1);
    editor.report(&ids[0])
}

#[test]
fn a_whole_conversation_by_forms_makes_the_report_that_the_chat_makes() {
    let mut program = Program::start();
    let (editor, browser) = (program.set_up(), Browser::of(&program.client()));
    let person = Person::numbered(1);
    let before = disk::files(program.data()).len();
    let mut page = browser.open(FORM).has(&[
        "Ciao! Sono PelazzAI",
        "La tua età",
        "Informativa sulla privacy",
    ]);
    assert_eq!(page.hidden["conversation"], "");
    for (at, (state, answer)) in person.answers().into_iter().enumerate() {
        assert_eq!(page.hidden["state"], state);
        let place = format!("Domanda {} di 8", at + 1);
        page = page.has(&[&place]);
        if state == "collect_report" {
            page = page.has(&[
                "Controlla e invia",
                &person.segnalazione,
                "Invia la segnalazione",
            ]);
            assert_eq!(disk::files(program.data()).len(), before);
            program.hides(&[&person.nome, &person.email]);
            page = browser.send(&page, &[("text", "")]);
        } else {
            page = browser.send(&page, &[("text", answer)]).status(200);
        }
    }
    let page = page.has(&[
        "È arrivata in redazione.",
        "Il tuo codice",
        "La leggiamo entro il 17/03/2026.",
    ]);
    let report = only_report(&editor);
    has!(report, "nome": person.nome, "telefono": person.telefono, "segnalazione": person.segnalazione, "origin": "chat");
    let code = code_in(&page);
    assert_eq!(code.len(), 23);
    contains(w3m(page.html()), &[&code, "Segui la segnalazione"]);
    program.stop();
    assert_eq!(program.count("SELECT count(*) FROM segnalazioni"), 1);
}

#[test]
fn the_age_from_the_public_page_begins_and_a_minor_leaves_nothing() {
    let program = Program::start();
    let browser = Browser::of(&program.client());
    let page = program.client().page("/paibeta/").expect(200);
    contains(
        page.text(),
        &["action=\"/paibeta/modulo\"", "name=\"text\""],
    );
    contains(w3m(page.text()), &["La tua età", "Inizia"]);
    let page = browser.arrive(browser.post(FORM, &[("text", "34")]));
    assert_eq!(page.hidden["state"], "collect_name");
    let page = browser
        .arrive(browser.post(FORM, &[("text", "15")]))
        .status(200);
    let page = page
        .has(&["Di ciò che hai scritto non resta nulla."])
        .lacks("Il tuo codice");
    assert_eq!(page.hidden["conversation"], "");
    // It is taken back once.
    let page = browser.send(&page, &[("undo", "1")]).status(200);
    assert_eq!(page.hidden["state"], "age_check");
    let again = browser.send(&page, &[("text", "16")]).status(200);
    let again = again.has(&["Di ciò che hai scritto non resta nulla."]);
    assert!(again.lacks("Ho sbagliato").hidden.is_empty());
    let adult = browser.send(&page, &[("text", "46")]).status(200);
    assert_eq!(adult.hidden["state"], "collect_name");
}

/// A refusal stands at the box with what was typed in it.
#[test]
fn a_refused_answer_stays_in_its_box_with_the_reason() {
    let program = Program::start();
    let browser = Browser::of(&program.client());
    let person = Person::numbered(1);
    for (state, wrong, reason) in [
        ("age_check", "boh", "La tua età"),
        ("collect_name", "Anna1", "cifre"),
        ("collect_phone", "12", "cellulare"),
        ("collect_email", "a@b", "email"),
        ("investigative_questions", "Poco \"<b>&", "caratteri"),
    ] {
        let page = browser.until(&person, state);
        let page = browser.send(&page, &[("text", wrong)]).status(200);
        assert_eq!(page.hidden["state"], state);
        let page = page.has(&["aria-invalid=\"true\"", reason, wrong, "<title>Errore: "]);
        assert!(!page.html().contains("<b>&"), "escaped");
        contains(w3m(page.html()), &[wrong, "Avanti"]);
    }
}

#[test]
fn what_must_be_read_stands_apart_and_nothing_typed_becomes_markup() {
    let program = Program::start();
    let browser = Browser::of(&program.client());
    let page = browser.until(&Person::numbered(1), "investigative_questions");
    let page = browser.send(
        &page,
        &[("text", &format!("{GRAVE}\n\n<b onclick=x>&amp;</b>"))],
    );
    assert!(!page.html().contains("<b onclick"));
    let page = page.has(&["class=\"must\" role=\"alert\"", "tel:112", "<b onclick=x>"]);
    contains(
        w3m(page.html()),
        &["chiama subito il 112", "<b onclick=x>&amp;</b>"],
    );
}

#[test]
fn an_answer_is_corrected_before_the_end() {
    let program = Program::start();
    let (editor, browser) = (program.set_up(), Browser::of(&program.client()));
    let page = browser.until(&Person::numbered(1), "collect_report");
    contains(
        w3m(page.html()),
        &["Il tuo nome", "Correggi", "Invia la segnalazione"],
    );
    let page = browser.send(&page, &[("back", "collect_name")]);
    assert_eq!(page.hidden["state"], "collect_name");
    let page = browser
        .send(&page, &[("text", "Ludovica")])
        .has(&["Ludovica"]);
    assert_eq!(page.hidden["state"], "collect_report");
    let page = browser.send(&page, &[("text", "Il cancello è verde.")]);
    page.has(&["È arrivata in redazione."]);
    let report = only_report(&editor);
    has!(report, "nome": "Ludovica");
    contains(
        report["segnalazione"].as_str().unwrap(),
        &["INFORMAZIONI AGGIUNTIVE", "verde"],
    );
}

/// A form leads to a page with an address: who goes back, forth or reloads sends nothing again.
#[test]
fn back_shows_each_page_with_what_was_typed_until_the_end() {
    let program = Program::start();
    let (editor, browser) = (program.set_up(), Browser::of(&program.client()));
    let person = Person::numbered(1);
    let mut visited = vec![browser.open(FORM)];
    for (_, answer) in person.answers() {
        let page = browser.send(visited.last().unwrap(), &[("text", answer)]);
        if page.hidden["state"] == "collect_report" {
            visited.push(page);
            break;
        }
        visited.push(page);
    }
    for (page, (state, answer)) in visited.iter().zip(person.answers()).skip(1) {
        let again = browser.open(&page.address).status(200);
        assert_eq!(again.hidden["state"], state);
        assert_eq!(again.hidden["conversation"], page.hidden["conversation"]);
        if state != "collect_report" {
            again.has(&[answer]);
        }
        // Nothing of the conversation stands in an address.
        let (place, name) = page.address.split_once("?p=").expect("a name");
        assert_eq!((place, name.len()), (FORM, 34));
    }
    // Back at the name: from there it goes on, and what came after is gone.
    let named = browser.open(&visited[1].address);
    let corrected = browser.send(&named, &[("text", "Ludovica")]);
    assert_eq!(corrected.hidden["state"], "collect_surname");
    assert_eq!(corrected.address, visited[2].address);
    browser.open(&visited[4].address).status(410).has(&[
        "Questa pagina non si può più mostrare",
        &corrected.address.replace('&', "&amp;"),
    ]);
    // The pages that a browser still shows go on as well.
    let addition = "Il cancello è verde.";
    let review = visited.last().unwrap();
    let correcting = browser.send(review, &[("text", addition), ("back", "collect_name")]);
    let back = browser.open(&review.address);
    let back = back.has(&["Controlla e invia", &format!("{addition}</textarea>")]);
    let correcting = browser.open(&correcting.address).has(&["Lascia com’è"]);
    let review = browser.send(&correcting, &[("text", "Livia")]);
    let review = review.has(&["Livia", &format!("{addition}</textarea>")]);
    let end = browser.send(&review, &[("text", "")]);
    let code = code_in(&end);
    assert_eq!(code_in(&browser.open(&end.address)), code);
    for page in [&back, &correcting, &review] {
        let gone = browser.open(&page.address).status(410);
        let gone = gone.has(&["Vai dove eri arrivato", &end.address]);
        contains(w3m(gone.html()), &["Vai dove eri arrivato"]);
        gone.lacks(&person.cognome);
    }
    assert_eq!(only_report(&editor)["nome"], "Livia");
    let leaves = format!("/paibeta/modulo/esci?p={}", &end.hidden_name());
    let away = program.client().page(&leaves).expect(303);
    assert!(!away.header("location").unwrap().contains("paibeta"));
    let gone = browser.open(&end.address).status(410);
    gone.lacks("Vai dove eri arrivato").lacks(&code);
}

#[test]
fn a_page_is_held_for_half_an_hour_and_goes_on_after_a_restart() {
    let mut program = Program::start();
    let browser = Browser::of(&program.client());
    let page = browser.until(&Person::numbered(1), "collect_phone");
    program.clock.advance(29 * MINUTE);
    browser.open(&page.address).has(&["Il tuo cellulare"]);
    program.clock.advance(MINUTE);
    for address in [&page.address, "/paibeta/modulo?p=", "/paibeta/modulo?p=x.1"] {
        let gone = browser.open(address).status(410);
        gone.has(&["href=\"/paibeta/modulo\""]);
    }
    // Whoever has it before them loses nothing: one step back stands again.
    let next = browser.send(&page, &[("text", "333 123 4567")]);
    assert_eq!(next.hidden["state"], "collect_email");
    browser.open(&page.address).has(&["333 123 4567"]);
    program.restart();
    let browser = Browser::of(&program.client());
    browser.open(&next.address).status(410);
    let page = browser.send(&next, &[("text", "anna@example.it")]);
    assert_eq!(page.hidden["state"], "collect_address");
}

/// What was being written meanwhile waits.
#[test]
fn a_correction_begins_with_the_answer_that_stands_and_may_be_left() {
    let program = Program::start();
    let browser = Browser::of(&program.client());
    let person = Person::numbered(1);
    let page = browser.until(&person, "collect_report");
    let addition = "Il cancello è \"verde\".";
    let waits = format!("{addition}</textarea>");
    let leave = "name=\"back\" value=\"collect_report\">Lascia com’è";
    let corrected = |page: &Page, state, text| {
        let page = browser.send(page, &[("text", text), ("back", state)]);
        assert_eq!(page.hidden["state"], state);
        page.has(&[leave])
    };
    let page = corrected(&page, "collect_name", addition);
    let page = page.has(&[&format!("value=\"{}\"", person.nome)]);
    contains(w3m(page.html()), &[&person.nome, "Lascia com’è"]);
    let page = browser.send(&page, &[("text", "Anna1")]);
    let page = page.has(&["cifre", "value=\"Anna1\"", leave]);
    let page = browser.send(&page, &[("text", "Anna1"), ("back", "collect_report")]);
    let page = page
        .has(&["Controlla e invia", &waits, &person.nome])
        .lacks(leave);
    let page = corrected(&page, "investigative_questions", addition);
    let page = page.has(&[&format!("{}</textarea>", person.segnalazione)]);
    // Files too leave it as it is.
    let page = browser.send_files(
        &page,
        &[("text", &person.segnalazione), ("attach", "1")],
        &[],
    );
    let page = page.has(&[leave, &format!("{}</textarea>", person.segnalazione)]);
    let page = corrected(
        &browser.send(&page, &[("text", &person.segnalazione)]),
        "collect_name",
        addition,
    );
    let page = browser.send(&page, &[("text", "Ludovica")]);
    page.has(&["Controlla e invia", "Ludovica", &waits])
        .lacks(leave);
}

#[test]
fn the_ticks_of_an_answer_that_is_corrected_stand() {
    let program = Program::start();
    let (editor, browser) = (program.set_up(), Browser::of(&program.client()));
    let mut callout = callouts::paid();
    callout["questions"] = json!([{ "key": "dove", "kind": "choices", "text": "Dove?", "required": true, "options": [
        { "key": "a", "text": "Sala" }, { "key": "b", "text": "Sala, piano 2" }, { "key": "c", "text": "Cucina" },
    ] }]);
    callouts::open(&editor, &callout);
    let page = browser.open("/paibeta/modulo?callout=posti-letto");
    let page = browser
        .send(&page, &[("text", "42")])
        .has(&["Dove?"])
        .lacks(" checked");
    let page = browser.send(
        &page,
        &[
            ("text", ""),
            ("choice", "Sala, piano 2"),
            ("choice", "Cucina"),
        ],
    );
    let page = browser.send(&page, &[("text", ""), ("skip", "salta")]);
    let page = browser.send(
        &page.has(&["Controlla e invia"]),
        &[("text", ""), ("back", "question:dove")],
    );
    let page = page.has(&[
        "value=\"Sala, piano 2\" checked",
        "value=\"Cucina\" checked",
    ]);
    contains(w3m(page.html()), &["[ ] Sala [*]", "[*] Cucina"]);
}

#[test]
fn a_callout_that_is_over_leads_to_the_usual_form() {
    let program = Program::start();
    let (editor, browser) = (program.set_up(), Browser::of(&program.client()));
    let address = "/paibeta/modulo?callout=posti-letto";
    let leads_on = |page: Page, status: u16, words: &str| {
        let page = page
            .status(status)
            .has(&[words, "href=\"/paibeta/modulo\""]);
        page.lacks("Ricomincia")
    };
    leads_on(browser.open(address), 404, "Controlla l'indirizzo");
    let id = callouts::open(&editor, &callouts::paid());
    let begun = browser.open(address);
    let under_way = browser.send(&begun, &[("text", "42")]);
    editor.post(&format!("/callouts/{id}/close")).expect(200);
    leads_on(browser.open(address), 409, "È finita, grazie.");
    let page = leads_on(
        browser.send(&begun, &[("text", "42")]),
        409,
        "È finita, grazie.",
    );
    contains(w3m(page.html()), &["È finita, grazie."]);
    // Who had begun goes on.
    browser
        .send(&under_way, &[("text", ""), ("choice", "No")])
        .status(200)
        .has(&["Racconta"]);
}

#[test]
fn a_datum_may_be_left_out_and_what_is_asked_back_has_buttons() {
    let program = Program::start();
    let (editor, browser) = (program.set_up(), Browser::of(&program.client()));
    editor.save_security(&json!({ "phoneRequired": false }));
    let page = browser.until(&Person::numbered(1), "collect_phone");
    contains(w3m(page.html()), &["Non ce l’ho"]);
    let page = browser.send(&page, &[("text", ""), ("choice", "Non ce l’ho")]);
    assert_eq!(page.hidden["state"], "collect_email");
    let page = browser.until(&Person::numbered(1), "collect_name");
    let page = browser.send(&page, &[("text", "Mi chiamo Teresa Rossi")]);
    contains(w3m(page.html()), &["Sì", "No"]);
    let page = browser.send(&page, &[("text", ""), ("choice", "Sì")]);
    assert_eq!(page.hidden["state"], "collect_phone");
}

#[test]
fn a_callout_is_answered_by_forms() {
    let program = Program::start();
    let (editor, browser) = (program.set_up(), Browser::of(&program.client()));
    let address = "/paibeta/modulo?callout=posti-letto";
    browser.open(address).status(404);
    // One that takes no files, and whose account may be left out.
    let mut callout = callouts::paid();
    callout["attachments"] = json!(false);
    callout["account"] = json!("optional");
    callouts::open(&editor, &callout);
    let page = browser.open(address).has(&["Avete pagato?", "La tua età"]);
    // As many as the answers lead to: a 'no' to the first leaves one out.
    let page = page.has(&["Domanda 1 di 7"]);
    let page = browser.send(&page, &[("text", "42")]);
    let page = page.has(&["Hai pagato?", "Domanda 2 di 7"]);
    let no = browser.send(&page, &[("text", ""), ("choice", "No")]);
    no.has(&["Racconta", "Domanda 3 di 6"]);
    contains(w3m(page.html()), &["Sì", "Non riguarda me", "Avanti"]);
    let page = browser.send(&page, &[("text", ""), ("choice", "Sì")]);
    let page = page.has(&["Quanto?", "Salta"]);
    let refused = browser.send(&page, &[("text", "xyz")]);
    refused.has(&["Quanto?", "<title>Errore: ", "value=\"xyz\""]);
    let page = browser.send(&page, &[("text", ""), ("skip", "salta")]);
    let page = browser.send(
        &page.has(&["Racconta"]),
        &[("text", "In nero, al custode.")],
    );
    let page = browser.send(&page.has(&["Salta"]), &[("text", ""), ("skip", "salta")]);
    let page = browser.send(&page, &[("text", ""), ("skip", "Non ce l’ho")]);
    let page = page.has(&["Controlla e invia", "Correggi: Hai pagato?", "al custode"]);
    let page = browser.send(&page, &[("back", "question:pagato")]);
    let page = browser.send(&page, &[("text", "Non riguarda me")]);
    page.has(&["Grazie lo stesso.", "non resta nulla"]);
    assert_eq!(editor.all_ids().len(), 0);
}

#[test]
fn a_conversation_that_is_none_begins_anew_with_a_sentence() {
    let program = Program::start();
    let browser = Browser::of(&program.client());
    for token in ["x", &"A".repeat(400)] {
        for more in [
            ("text", "34"),
            ("back", "age_check"),
            ("attach", "1"),
            ("drop", "x"),
        ] {
            let fields = [("conversation", token), ("state", "collect_name"), more];
            let page = browser.arrive(browser.post(FORM, &fields)).status(400);
            let page = page.has(&["Premi «Ricomincia»", "href=\"/paibeta/modulo?callout=\""]);
            contains(w3m(page.html()), &["Ricomincia"]);
        }
    }
    let known = browser.until(&Person::numbered(1), "collect_name");
    let fields = known.fields(&[("back", "collect_report")]);
    browser.arrive(browser.post(FORM, &fields)).status(400);
    // Sent twice it is one report; another ending is refused.
    let page = browser.until(&Person::numbered(1), "collect_report");
    let codes = [0, 1].map(|_| code_in(&browser.send(&page, &[("text", "")])));
    assert_eq!(codes[0], codes[1]);
    let other = browser
        .send(&page, &[("text", "Un altro finale del racconto.")])
        .status(409);
    other.has(&["è già stata inviata"]);
}

#[test]
fn one_that_lay_too_long_begins_anew_and_what_was_typed_is_still_there() {
    let program = Program::start();
    let browser = Browser::of(&program.client());
    let page = browser.until(&Person::numbered(1), "investigative_questions");
    program.clock.advance(72 * HOUR + MINUTE);
    let told = "Nel capannone dietro la stazione.\nLa targa è <AB 123 CD>.";
    let old = browser.send(&page, &[("text", told)]).status(400);
    let old = old.has(&["più di tre giorni", "Ricomincia", "<p>Nel capannone"]);
    contains(w3m(old.html()), &["La targa è <AB 123 CD>."]);
}

#[test]
fn forms_of_another_kind_or_site_or_size_are_refused() {
    let program = Program::start();
    let (client, browser) = (program.client(), Browser::of(&program.client()));
    let post = |client: &Client, kind: &str, body: &str| {
        client.request("POST", FORM).body(kind, body).send()
    };
    let form = "application/x-www-form-urlencoded";
    Page::of(post(&client, "application/json", "{}")).status(415);
    Page::of(post(
        &client,
        form,
        &format!("text={}", "a".repeat(600_000)),
    ))
    .status(413);
    // Beyond what a line holds: all of it goes by, so that the browser reads the answer.
    let long = "a".repeat(12_000_000);
    Page::of(post(&client, form, &format!("text={long}"))).status(413);
    let part =
        format!("--x\r\nContent-Disposition: form-data; name=\"text\"\r\n\r\n{long}\r\n--x--\r\n");
    Page::of(post(&client, "multipart/form-data; boundary=x", &part)).status(413);
    let said = json!({ "conversation": "x", "text": long });
    client
        .post_json("/chat/turns", &said)
        .problem(413, "troppo-grande");
    Page::of(post(
        &client,
        "multipart/form-data; boundary=x",
        "--x\r\ncut",
    ))
    .status(400);
    let foreign = client.with("origin", "https://altrove.example");
    post(&foreign, form, "text=34").problem(403, "origine-non-valida");
    let own = client
        .with("sec-fetch-site", "same-origin")
        .with("origin", "null");
    browser.arrive(post(&own, form, "text=34")).status(200);
}

#[test]
fn files_come_with_the_form_sealed_as_they_arrive() {
    let program = Program::start();
    let (editor, browser) = (program.set_up(), Browser::of(&program.client()));
    editor.save_system(&json!({ "attachmentMaxMb": 1, "attachmentsPerReport": 5 }));
    let page = browser.until(&Person::numbered(1), "collect_report");
    let page = page.has(&["multipart/form-data", "type=\"file\""]);
    let (small, exact) = (photo(300), photo(2 * PIECE));
    let large = photo(5 * PIECE + 77);
    let files: [(&str, &[u8]); 4] = [
        ("piazza.jpg", &small),
        ("esatta.jpg", &exact),
        ("", b""),
        ("lunga.jpg", &large),
    ];
    let page = browser.send_files(&page, &[("text", "Detto prima."), ("attach", "1")], &files);
    let page = page.has(&[
        "piazza.jpg, 300 byte",
        "esatta.jpg, 131 kB",
        "lunga.jpg",
        "Detto prima.",
    ]);
    contains(w3m(page.html()), &["piazza.jpg, 300 byte", "Togli"]);
    program.hides(&["Roccapipirozzi", "piazza"]);
    // What is refused is said, nothing of it stays, and no turn was taken.
    let too_long = photo(1024 * 1024 + 1);
    for (name, bytes, reason) in [
        (
            "enorme.jpg",
            &too_long[..],
            "«enorme.jpg» è troppo grande: al massimo 1 MB",
        ),
        ("vuoto.pdf", b"".as_slice(), "«vuoto.pdf» è vuoto"),
    ] {
        let refused = browser.send_files(&page, &[("text", "")], &[(name, bytes)]);
        let refused = refused.has(&["Controlla e invia", "aria-describedby=\"wrong\""]);
        contains(plain(refused.html()), &[reason]);
        refused.lacks(&format!("{name}, "));
    }
    let dropped = between(page.html(), "name=\"drop\" value=\"", "\"").to_owned();
    let page = browser
        .send(&page, &[("text", ""), ("drop", &dropped)])
        .lacks("piazza.jpg");
    let page = browser.send_files(&page, &[("text", "")], &[("ultima.jpg", &small)]);
    page.has(&["È arrivata in redazione."]);
    let report = only_report(&editor);
    let names: Vec<String> = listed(&report).into_iter().map(|file| file.1).collect();
    assert_eq!(names, ["esatta.jpg", "lunga.jpg", "ultima.jpg"]);
    let id = report["id"].as_str().unwrap();
    for (n, bytes) in [(2, &exact), (3, &large)] {
        let opened = editor
            .get(&format!("/reports/{id}/attachments/{n}"))
            .expect(200);
        assert!(opened.body == **bytes, "{n}");
    }
}

#[test]
fn a_file_that_is_gone_is_told_at_the_files_and_nothing_is_sent() {
    let program = Program::start();
    program.set_up();
    let browser = Browser::of(&program.client());
    let small = photo(300);
    let account = &Person::numbered(1).segnalazione;
    let files: [(&str, &[u8]); 2] = [("piazza.jpg", &small), ("porto.jpg", &small)];
    let telling = || {
        let page = browser.until(&Person::numbered(1), "investigative_questions");
        browser.send_files(&page, &[("text", account)], &files)
    };
    // What is refused of the text takes no file away.
    let page = browser.until(&Person::numbered(1), "investigative_questions");
    let page = browser.send_files(&page, &[("text", "Poco.")], &files);
    page.has(&["piazza.jpg, 300 byte", "Poco.</textarea>"]);
    let [last, early] = [(); 2].map(|()| telling());
    let correcting = browser.send(
        &telling(),
        &[("text", "Aggiunta."), ("back", "collect_name")],
    );
    program.clock.advance(25 * HOUR);
    program.round();
    let editor = program.log_in();
    let told = browser.send(
        &last,
        &[(
            "text",
            "Anche il vicino del terzo piano ha visto i camion di notte.",
        )],
    );
    let told = told.status(200).has(&[
        "Controlla e invia",
        "Anche il vicino del terzo piano ha visto i camion di notte.</textarea>",
    ]);
    let both = "piazza.jpg, porto.jpg non ci sono più: allegali di nuovo.";
    contains(plain(told.html()), &[both]);
    assert_eq!(editor.all_ids().len(), 0, "nothing was sent");
    // Also where another answer was corrected meanwhile, and where only files are sent.
    let page = browser.send(&correcting, &[("text", "Anna")]);
    contains(plain(page.html()), &["Controlla e invia", both]);
    let page = browser.send_files(&early, &[("text", ""), ("attach", "1")], &files[..1]);
    contains(plain(page.html()), &[both, "piazza.jpg, 300 byte"]);
    let page = browser.send_files(
        &told,
        &[(
            "text",
            "Anche il vicino del terzo piano ha visto i camion di notte.",
        )],
        &files[..1],
    );
    page.has(&["È arrivata in redazione."]);
    let names = listed(&only_report(&editor)).into_iter().map(|file| file.1);
    assert_eq!(names.collect::<Vec<_>>(), ["piazza.jpg"]);
}

#[test]
fn a_message_whose_file_is_gone_is_not_sent() {
    let program = Program::start();
    program.set_up();
    let browser = Browser::of(&program.client());
    let end = browser.until(&Person::numbered(1), "collect_report");
    let code = code_in(&browser.send(&end, &[("text", "")]));
    let opened = browser.arrive(browser.post(FOLLOW, &[("code", &code)]));
    let visit = Browser::of(&program.client().with("cookie", &cookie(&opened)));
    let page = visit.open(FOLLOW);
    let send = |page: &Page, more: &[(&str, &str)], files: &[(&str, &[u8])]| {
        visit.arrive(visit.post_files(FOLLOW, &page.fields(more), files))
    };
    let attached = [("text", ""), ("attach", "1")];
    let page = send(&page, &attached, &[("piazza.jpg", &photo(300))]);
    let page = page.has(&["piazza.jpg, 300 byte"]);
    // In another tab.
    let dropped = between(page.html(), "name=\"drop\" value=\"", "\"").to_owned();
    send(&page, &[("text", ""), ("drop", &dropped)], &[]).lacks("piazza.jpg");
    let told = send(&page, &[("text", "Ecco la foto.")], &[]);
    let told = told.has(&["Ecco la foto.</textarea>", "Nessun messaggio."]);
    contains(
        plain(told.html()),
        &["piazza.jpg non c'è più: allegalo di nuovo."],
    );
    let page = send(
        &told,
        &[("text", "Ecco la foto.")],
        &[("piazza.jpg", &photo(300))],
    );
    page.has(&["Ecco la foto.</p>", "Ritira piazza.jpg"])
        .lacks("Nessun messaggio.");
}

/// All of it goes by, so that the browser reads the answer.
#[test]
fn of_a_large_file_that_is_refused_the_reason_is_said() {
    let program = Program::start();
    let (editor, browser) = (program.set_up(), Browser::of(&program.client()));
    editor.save_system(&json!({ "attachmentMaxMb": 1 }));
    let page = browser.until(&Person::numbered(1), "collect_report");
    let large = photo(3 * 1024 * 1024);
    let files: [(&str, &[u8]); 2] = [("grande.jpg", &large), ("vuota.jpg", b"")];
    let page = browser.send_files(&page, &[("text", "Detto prima.")], &files);
    let page = page
        .status(200)
        .has(&["«grande.jpg» è troppo grande", "Detto prima.</textarea>"]);
    let page = browser.send_files(&page, &[("text", "")], &files[1..]);
    page.status(200)
        .has(&["«vuota.jpg» è vuoto"])
        .lacks("0 byte");
}

#[test]
fn a_file_that_breaks_off_leaves_nothing() {
    let program = Program::start();
    let browser = Browser::of(&program.client());
    let page = browser.until(&Person::numbered(1), "collect_report");
    let fields = page.fields(&[("text", "")]);
    let mut body = Vec::new();
    for (name, value) in fields {
        body.extend(
            format!("--x\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n")
                .into_bytes(),
        );
    }
    body.extend(
        b"--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.jpg\"\r\n\r\n",
    );
    body.extend(photo(3 * PIECE));
    let request = program.client().request("POST", FORM);
    let answer = request.body("multipart/form-data; boundary=x", body).send();
    // The conversation goes on where it stood.
    browser
        .arrive(answer)
        .status(200)
        .has(&["si è interrotto", "Controlla e invia"]);
    program.round();
    assert_eq!(disk::paths_with("/allegati/", program.data()).len(), 0);
}

#[test]
fn in_a_siege_a_minute_stands_in_for_the_proof() {
    let program = Program::start();
    let (client, browser) = (program.client(), Browser::of(&program.client()));
    for number in 0..=50 {
        let words = (0..40).map(|word| format!("parola{}", number * 100 + word));
        let account = words.collect::<Vec<_>>().join(" ");
        submit(&client, &Person::telling(number, &account));
    }
    assert_eq!(client.read("/status")["siege"], true);
    let editor = program.set_up();
    let there = editor.all_ids().len();
    let page = browser.until(&Person::numbered(99), "collect_report");
    // A file waits from the opening of the page on.
    let early = browser.send_files(
        &page,
        &[("text", ""), ("attach", "1")],
        &[("a.jpg", &photo(300))],
    );
    early
        .has(&["serve una breve verifica", "un minuto dopo"])
        .lacks("a.jpg,");
    program.clock.advance(MINUTE);
    let page = browser.send_files(
        &page,
        &[("text", ""), ("attach", "1")],
        &[("a.jpg", &photo(300))],
    );
    let page = page.has(&["a.jpg, 300 byte"]);
    let wait = browser
        .send(&page, &[("text", "Il portone è rosso.")])
        .status(428);
    let wait = wait.has(&[
        "Aspetta 60 secondi",
        "dalle 10:02:00",
        "Invia la segnalazione",
    ]);
    contains(w3m(wait.html()), &["60 secondi", "Invia la segnalazione"]);
    program.clock.advance(MINUTE / 2);
    let wait = browser
        .send(&wait, &[])
        .status(428)
        .has(&["Aspetta 30 secondi", "dalle 10:02:00"]);
    assert_eq!(editor.all_ids().len(), there);
    let back = browser
        .send(&wait, &[("back", "collect_report")])
        .status(200);
    back.has(&[
        "Controlla e invia",
        "Il portone è rosso.</textarea>",
        "a.jpg, 300 byte",
    ]);
    program.clock.advance(MINUTE / 2);
    let end = browser.send(&wait, &[]).status(200);
    end.has(&["È arrivata in redazione.", "Il tuo codice"]);
    assert_eq!(editor.all_ids().len(), there + 1);
}

/// The cookie of a visit, which these pages alone get.
fn cookie(page: &Page) -> String {
    let (pair, kept) = page.cookies[0].split_once("; ").expect("a cookie");
    assert_eq!(kept, "Path=/paibeta/seguito; HttpOnly; SameSite=Strict");
    pair.to_owned()
}

#[test]
fn the_reporter_comes_back_reads_answers_and_sends_files() {
    let program = Program::start();
    let (editor, browser) = (program.set_up(), Browser::of(&program.client()));
    let page = browser.until(&Person::numbered(1), "collect_report");
    let code = code_in(&browser.send(&page, &[("text", "")]));
    let id = editor.all_ids().remove(0);
    let public = program.client().page(FOLLOW).expect(200);
    assert!(public.header("set-cookie").is_none());
    contains(w3m(public.text()), &["Il tuo codice", "Apri"]);
    let wrong = browser
        .arrive(browser.post(FOLLOW, &[("code", "00000-00000-00000-00000")]))
        .status(404);
    let wrong = wrong.has(&["Nessuna segnalazione ha questo codice", "00000-00000"]);
    assert!(wrong.cookies.is_empty());
    contains(
        w3m(wrong.html()),
        &["Nessuna segnalazione ha questo codice", "Apri"],
    );
    browser
        .arrive(browser.post(FOLLOW, &[("code", "boh")]))
        .status(422);

    ask(&editor, &id, "Dove si trova\nil <b>capannone</b>?").expect(200);
    let opened = browser
        .arrive(browser.post(FOLLOW, &[("code", &code.to_lowercase())]))
        .status(200);
    let visit = Browser::of(&program.client().with("cookie", &cookie(&opened)));
    let page = visit.open(FOLLOW);
    let page = page.has(&[
        "È arrivata alla redazione.",
        "il <b>capannone</b>?",
        "Ricevuta",
    ]);
    assert!(!page.html().contains("<b>capannone"));
    let shown = w3m(page.html());
    contains(
        shown,
        &[
            "La redazione",
            "Dove si trova",
            "Invia",
            "Esci",
            "Ricevuta, 10/03/2026",
        ],
    );

    let empty = visit.post_files(FOLLOW, &page.fields(&[("text", " ")]), &[]);
    visit
        .arrive(empty)
        .has(&["Scrivi il testo.", "<title>Errore: "]);
    let told = page.fields(&[("text", "Dietro la chiesa.")]);
    for _ in 0..2 {
        visit
            .arrive(visit.post_files(FOLLOW, &told, &[("foto.jpg", &photo(700))]))
            .status(200);
    }
    let page = visit.open(FOLLOW);
    let page = page.has(&["Dietro la chiesa.", "foto.jpg", "I tuoi file"]);
    assert_eq!(page.html().matches("Dietro la chiesa.").count(), 1);
    let refused = page.fields(&[("text", "Ecco.")]);
    let refused = visit.arrive(visit.post_files(FOLLOW, &refused, &[("a.exe", b"")]));
    let page = refused.has(&["«a.exe» è vuoto", "Ecco.</textarea>"]);
    let waiting = page.fields(&[("text", ""), ("attach", "1")]);
    let waiting = visit.post_files(FOLLOW, &waiting, &[("altra.jpg", &photo(900))]);
    let page = visit.arrive(waiting).has(&["altra.jpg, 900 byte"]);
    let page = visit.arrive(visit.post_files(FOLLOW, &page.fields(&[("text", "")]), &[]));
    page.has(&["Allego: altra.jpg"]);
    let file = visit.client.page("/paibeta/seguito/file/1").expect(200);
    assert!(file.body == photo(700));
    let data = visit.client.page("/paibeta/seguito/dati").expect(200);
    assert_eq!(data.json()["nome"], "Nomeb");

    // A file is taken back, and the whole asked to be withdrawn.
    let page = visit
        .open(FOLLOW)
        .has(&["Ritira il file", "Chiedi di ritirare tutto"]);
    for n in ["1", "1", "x"] {
        let taken = page.fields(&[("text", "Intanto scrivo."), ("withdraw", n)]);
        let taken = visit
            .arrive(visit.post_files(FOLLOW, &taken, &[]))
            .status(200);
        taken
            .has(&["Intanto scrivo.</textarea>", "altra.jpg"])
            .lacks("/seguito/file/1\"");
    }
    visit.client.page("/paibeta/seguito/file/1").expect(404);
    let asking = |text: &str| {
        let fields = page.fields(&[("text", text), ("withdrawal", "1")]);
        visit
            .arrive(visit.post_files(FOLLOW, &fields, &[]))
            .status(200)
    };
    asking(&"a".repeat(1_001)).has(&["<title>Errore: ", "Chiedi di ritirare tutto"]);
    let asked = asking("Ho paura.").has(&[
        "Hai chiesto di ritirare tutto il 10/03/2026.",
        "Entro il 17/03/2026",
        "Ho paura.",
    ]);
    let asked = asked.lacks("Chiedi di ritirare tutto");
    contains(
        w3m(asked.html()),
        &["Ritirare tutto", "Entro il 17/03/2026"],
    );
    has!(editor.report(&id), "withdrawal": { "at": "2026-03-10T09:00:00Z", "due": "2026-03-17T09:00:00Z" });
}

/// By the button, by the quick way out, and by itself: what was typed is not lost.
#[test]
fn a_visit_ends() {
    let program = Program::start();
    let browser = Browser::of(&program.client());
    let page = browser.until(&Person::numbered(1), "collect_report");
    let code = code_in(&browser.send(&page, &[("text", "")]));
    let opened = browser.arrive(browser.post(FOLLOW, &[("code", &code)]));
    let visit = Browser::of(&program.client().with("cookie", &cookie(&opened)));
    let left = visit.post(FOLLOW, &[("leave", "1")]).expect(303);
    contains(cookies_of(&left)[0], &["Max-Age=0"]);
    let away = visit.client.page("/paibeta/seguito/esci").expect(303);
    contains(
        cookies_of(&away)[0],
        &["Max-Age=0", "Path=/paibeta/seguito"],
    );
    assert_ne!(away.header("location"), Some(FOLLOW));
    program.clock.advance(HOUR);
    let over = visit.post_files(FOLLOW, &[("key", "k"), ("text", "Ancora una cosa.")], &[]);
    let over = visit.arrive(over).status(401);
    let over = over.has(&["Inserisci di nuovo il codice", "non è partito"]);
    let again = browser.arrive(browser.post(FOLLOW, &over.fields(&[("code", &code)])));
    again.status(200).has(&["Ancora una cosa.</textarea>"]);
}
