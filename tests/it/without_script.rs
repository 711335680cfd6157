//! The conversation and the return without a script: forms and pages alone (PRODUCT.md §2, §5). What a text browser shows of each
//! page is asked of w3m (Debian), which `tools/test.sh` installs.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::process::{Command, Stdio};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use form_urlencoded::Serializer;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::callouts;
use crate::siege::besiege;
use crate::support::attachments::photo;
use crate::support::chat::{GRAVE, Person};
use crate::support::http::{Answer, Client};
use crate::support::panel::{Editor, cookies_of};
use crate::support::program::Program;
use crate::support::returning::ask;
use crate::support::snapshot::table;
use crate::support::{HOUR, MINUTE, contains, disk};

const FORM: &str = "/paibeta/modulo";
const CALLOUT: &str = "/paibeta/modulo?callout=posti-letto";
const FOLLOW: &str = "/paibeta/seguito";
const ARRIVED: &str = "È arrivata in redazione.";
const REVIEW: &str = "Controlla e invia";
/// In the title of a page that refuses something.
const ERROR: &str = "<title>Errore: ";
/// Most bytes of a page, besides its token and what the person wrote.
const LARGEST: usize = 10_000;
const PIECE: usize = 64 * 1024;

/// A page, where it is, what its first form holds, and the browser that shows it.
pub struct Page {
    pub browser: Browser,
    answer: Answer,
    address: String,
    hidden: BTreeMap<String, String>,
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

/// What a text browser shows.
fn w3m(html: &str) -> String {
    let mut shown = Command::new("w3m");
    shown.args("-dump -cols 72 -T text/html -I UTF-8 -O UTF-8".split(' '));
    shown.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut shown = shown.spawn().expect("w3m: install Debian's package");
    let mut input = shown.stdin.take().expect("an input");
    input.write_all(html.as_bytes()).expect("written");
    drop(input);
    let shown = shown.wait_with_output().expect("w3m");
    assert!(shown.status.success());
    String::from_utf8(shown.stdout).expect("a text")
}

impl Page {
    fn at(browser: Browser, address: &str, answer: Answer) -> Self {
        let fields = form_in(answer.text()).split("<input type=\"hidden\" ");
        let hidden = fields.skip(1).map(|field| {
            let read = |name: &str| plain(between(field, &format!("{name}=\""), "\""));
            (read("name"), read("value"))
        });
        let page = Self {
            browser,
            hidden: hidden.collect(),
            address: address.to_owned(),
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

    pub fn html(&self) -> &str {
        self.answer.text()
    }

    pub fn has(self, words: &[&str]) -> Self {
        contains(plain(self.html()), words);
        self
    }

    fn lacks(self, word: &str) -> Self {
        let text = plain(self.html());
        assert!(!text.contains(word), "{word} in {text}");
        self
    }

    pub fn status(self, status: u16) -> Self {
        assert_eq!(self.answer.status, status, "{}", self.html());
        self
    }

    /// It asks the question of this state.
    fn asks(self, state: &str) -> Self {
        assert_eq!(self.hidden["state"], state);
        self
    }

    /// A text browser shows these words.
    fn drawn(self, words: &[&str]) -> Self {
        contains(w3m(self.html()), words);
        self
    }

    pub fn code(&self) -> String {
        between(self.html(), "<samp>", "</samp>").to_owned()
    }

    /// Its name in its address, in which nothing else of the conversation stands.
    fn hidden_name(&self) -> &str {
        let (place, name) = self.address.split_once("?p=").expect("a name");
        assert_eq!((place, name.len()), (FORM, 34));
        name
    }

    fn fields<'a>(&'a self, more: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
        let hidden = self.hidden.iter().map(|(name, value)| (&**name, &**value));
        hidden.chain(more.iter().copied()).collect()
    }

    /// Sends its form, as it asks to be sent, with what was typed, pressed and chosen.
    pub fn send_files(&self, more: &[(&str, &str)], files: &[(&str, &[u8])]) -> Self {
        let (form, fields) = (form_in(self.html()), self.fields(more));
        let path = between(form, "action=\"", "\"");
        let path = path.split('#').next().expect("a path");
        let answer = if form.contains("enctype=\"multipart/form-data\"") {
            self.browser.post_files(path, &fields, files)
        } else {
            assert!(files.is_empty(), "it takes no files");
            self.browser.post(path, &fields)
        };
        self.browser.arrive(answer)
    }

    pub fn send(&self, more: &[(&str, &str)]) -> Self {
        self.send_files(more, &[])
    }

    fn say(&self, text: &str) -> Self {
        self.send(&[("text", text)])
    }

    /// Presses a button other than the one that sends what was typed, which is nothing.
    fn press(&self, name: &str, value: &str) -> Self {
        self.send(&[("text", ""), (name, value)])
    }

    /// Takes away the file that was attached first.
    fn drop_first(&self) -> Self {
        self.press("drop", between(self.html(), "name=\"drop\" value=\"", "\""))
    }

    /// Attaches files, and stays.
    fn attach(&self, text: &str, files: &[(&str, &[u8])]) -> Self {
        self.send_files(&[("text", text), ("attach", "1")], files)
    }
}

/// The first form of a page; nothing where there is none.
fn form_in(html: &str) -> &str {
    let form = html.split("<form ").nth(1).unwrap_or_default();
    form.split("</form>").next().unwrap_or_default()
}

/// Somebody without a script, and the cookie of their visit.
#[derive(Clone)]
pub struct Browser {
    client: Client,
    cookie: Option<String>,
}

impl Browser {
    pub fn of(client: &Client) -> Self {
        let client = client.clone();
        Self {
            client,
            cookie: None,
        }
    }

    fn client(&self) -> Client {
        match &self.cookie {
            Some(cookie) => self.client.with("cookie", cookie),
            None => self.client.clone(),
        }
    }

    fn fetch(&self, path: &str) -> Answer {
        self.client().page(path)
    }

    pub fn open(&self, path: &str) -> Page {
        // A browser keeps the place to itself.
        let page = path.split('#').next().expect("a path");
        Page::at(self.clone(), page, self.fetch(page))
    }

    /// The page to which a form leads.
    fn arrive(&self, answer: Answer) -> Page {
        let answer = answer.expect(303);
        assert!(answer.body.is_empty());
        let mut browser = self.clone();
        for set in cookies_of(&answer) {
            let (pair, kept) = set.split_once("; ").expect("a cookie");
            // Behind a proxy it is Secure.
            let kept = kept.replace(" Secure;", "");
            assert_eq!(kept, "Path=/paibeta/seguito; HttpOnly; SameSite=Strict");
            browser.cookie = Some(pair.to_owned());
        }
        browser.open(answer.header("location").expect("an address"))
    }

    fn post(&self, path: &str, fields: &[(&str, &str)]) -> Answer {
        let body = Serializer::new(String::new()).extend_pairs(fields).finish();
        let request = self.client().request("POST", path);
        let form = "application/x-www-form-urlencoded";
        request.body(form, body).send()
    }

    fn post_files(&self, path: &str, fields: &[(&str, &str)], files: &[(&str, &[u8])]) -> Answer {
        let body = [parts(fields, files), b"--xYz--\r\n".to_vec()].concat();
        self.post_parts(path, body)
    }

    fn post_parts(&self, path: &str, body: Vec<u8>) -> Answer {
        let request = self.client().request("POST", path);
        let form = "multipart/form-data; boundary=xYz";
        request.body(form, body).send()
    }

    /// The page of a state, everything before it answered.
    pub fn until(&self, person: &Person, state: &str) -> Page {
        let mut page = self.open(FORM);
        for (asked, answer) in person.answers() {
            page = page.asks(asked);
            if asked == state {
                return page;
            }
            page = page.say(answer);
        }
        panic!("no state is called {state}")
    }

    /// The last question of somebody.
    pub fn at_the_end(&self) -> Page {
        self.until(&Person::numbered(1), "collect_report")
    }

    /// Types a code: the page of a visit, or the refusal.
    pub fn enter(&self, code: &str) -> Page {
        self.arrive(self.post(FOLLOW, &[("code", code)]))
    }
}

/// A form's parts, as far as its last file.
fn parts(fields: &[(&str, &str)], files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut body = Vec::new();
    for (name, value) in fields {
        let part =
            format!("--xYz\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n");
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
    body
}

fn only_report(editor: &Editor) -> Value {
    let ids = editor.all_ids();
    assert_eq!(ids.len(), 1);
    editor.report(&ids[0])
}

/// A program, its editor, and a browser without a script.
fn open_house() -> (Program, Editor, Browser) {
    let (program, editor) = Program::with_editor();
    let browser = Browser::of(&program.client());
    (program, editor, browser)
}

#[test]
fn a_whole_conversation_by_forms_makes_the_report_that_the_chat_makes() {
    let (mut program, editor, browser) = open_house();
    let person = Person::numbered(1);
    let before = disk::files(program.data()).len();
    let greeting = [
        "Ciao! Sono PelazzAI",
        "La tua età",
        "Informativa sulla privacy",
    ];
    let mut page = browser.open(FORM).has(&greeting);
    assert_eq!(page.hidden["conversation"], "");
    for (at, (state, answer)) in person.answers().into_iter().enumerate() {
        let place = format!("Domanda {} di 8", at + 1);
        page = page.asks(state).has(&[&place]);
        if state == "collect_report" {
            page = page.has(&[REVIEW, &person.segnalazione, "Invia la segnalazione"]);
            assert_eq!(disk::files(program.data()).len(), before);
            program.hides(&[&person.nome, &person.email]);
            page = page.say("");
        } else {
            page = page.say(answer).status(200);
        }
    }
    let code = page.code();
    assert_eq!(code.len(), 23);
    page.has(&[ARRIVED, "Il tuo codice", "La leggiamo entro il 17/03/2026."])
        .drawn(&[&code, "Segui la segnalazione"]);
    let report = only_report(&editor);
    has!(report, "nome": person.nome, "telefono": person.telefono, "segnalazione": person.segnalazione, "origin": "chat");
    program.stop();
    assert_eq!(program.count("SELECT count(*) FROM segnalazioni"), 1);
}

#[test]
fn the_age_from_the_public_page_begins_and_a_minor_leaves_nothing() {
    const NOTHING: &str = "Di ciò che hai scritto non resta nulla.";
    let program = Program::start();
    let browser = Browser::of(&program.client());
    let public = program.client().page("/paibeta/").expect(200);
    let form = ["action=\"/paibeta/modulo\"", "name=\"text\""];
    contains(public.text(), &form);
    let drawn = w3m(public.text());
    contains(&drawn, &["La tua età", "Inizia"]);
    // Whom to call in danger is in sight, on a terminal of 24 lines too.
    let in_sight = drawn.lines().take(24).any(|line| line.contains("112"));
    assert!(in_sight, "{drawn}");
    let begin = |age: &str| browser.arrive(browser.post(FORM, &[("text", age)]));
    begin("34").asks("collect_name");
    let page = begin("15")
        .status(200)
        .has(&[NOTHING])
        .lacks("Il tuo codice");
    assert_eq!(page.hidden["conversation"], "");
    // It is taken back once.
    let page = page.send(&[("undo", "1")]).status(200).asks("age_check");
    let again = page.say("16").status(200).has(&[NOTHING]);
    assert!(again.lacks("Ho sbagliato").hidden.is_empty());
    page.say("46").status(200).asks("collect_name");
}

/// A refusal stands at the box with what was typed in it.
#[test]
fn a_refused_answer_stays_in_its_box_with_the_reason() {
    let program = Program::start();
    let browser = Browser::of(&program.client());
    for (state, wrong, reason) in [
        ("age_check", "boh", "La tua età"),
        ("collect_name", "Anna1", "cifre"),
        ("collect_phone", "12", "cellulare"),
        ("collect_email", "a@b", "email"),
        ("investigative_questions", "Poco \"<b>&", "caratteri"),
    ] {
        let page = browser.until(&Person::numbered(1), state);
        let page = page.say(wrong).status(200).asks(state);
        assert!(!page.html().contains("<b>&"), "escaped");
        page.has(&["aria-invalid=\"true\"", reason, wrong, ERROR])
            .drawn(&[wrong, "Avanti"]);
    }
}

#[test]
fn what_must_be_read_stands_apart_and_nothing_typed_becomes_markup() {
    let program = Program::start();
    let browser = Browser::of(&program.client());
    let page = browser.until(&Person::numbered(1), "investigative_questions");
    let page = page.say(&format!("{GRAVE}\n\n<b onclick=x>&amp;</b>"));
    assert!(!page.html().contains("<b onclick"));
    page.has(&["class=\"must\" role=\"alert\"", "tel:112", "<b onclick=x>"])
        .drawn(&["chiama subito il 112", "<b onclick=x>&amp;</b>"]);
}

#[test]
fn an_answer_is_corrected_before_the_end() {
    let (_program, editor, browser) = open_house();
    let page = browser.at_the_end();
    let page = page.drawn(&["Il tuo nome", "Correggi", "Invia la segnalazione"]);
    let page = page.send(&[("back", "collect_name")]).asks("collect_name");
    let page = page.say("Ludovica").has(&["Ludovica"]);
    let page = page.asks("collect_report").say("Il cancello è verde.");
    page.has(&[ARRIVED]);
    let report = only_report(&editor);
    has!(report, "nome": "Ludovica");
    let account = report["segnalazione"].as_str().expect("a text");
    contains(account, &["INFORMAZIONI AGGIUNTIVE", "verde"]);
}

/// A form leads to a page with an address: who goes back, forth or reloads sends nothing again.
#[test]
fn back_shows_each_page_with_what_was_typed_until_the_end() {
    let (program, editor, browser) = open_house();
    let person = Person::numbered(1);
    let mut visited = vec![browser.open(FORM)];
    for (_, answer) in &person.answers()[..7] {
        visited.push(visited.last().unwrap().say(answer));
    }
    for (page, (state, answer)) in visited.iter().zip(person.answers()).skip(1) {
        let again = browser.open(&page.address).status(200).asks(state);
        assert_eq!(again.hidden["conversation"], page.hidden["conversation"]);
        if state != "collect_report" {
            again.has(&[answer]);
        }
        page.hidden_name();
    }
    // Back at the name: from there it goes on, and what came after is gone.
    let corrected = browser.open(&visited[1].address).say("Ludovica");
    let corrected = corrected.asks("collect_surname");
    assert_eq!(corrected.address, visited[2].address);
    let on = corrected.address.replace('&', "&amp;");
    let gone = browser.open(&visited[4].address).status(410);
    gone.has(&["Questa pagina non si può più mostrare", &on]);
    // The pages that a browser still shows go on as well.
    let addition = "Il cancello è verde.";
    let waits = format!("{addition}</textarea>");
    let review = visited.last().unwrap();
    let correcting = review.send(&[("text", addition), ("back", "collect_name")]);
    let back = browser.open(&review.address).has(&[REVIEW, &waits]);
    let correcting = browser.open(&correcting.address).has(&["Lascia com’è"]);
    let review = correcting.say("Livia").has(&["Livia", &waits]);
    let end = review.say("");
    let code = end.code();
    assert_eq!(browser.open(&end.address).code(), code);
    for page in [&back, &correcting, &review] {
        let gone = browser.open(&page.address).status(410);
        gone.has(&["Vai dove eri arrivato", &end.address])
            .drawn(&["Vai dove eri arrivato"])
            .lacks(&person.cognome);
    }
    assert_eq!(only_report(&editor)["nome"], "Livia");
    let leaves = format!("/paibeta/modulo/esci?p={}", end.hidden_name());
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
    let mut next = page.say("333 123 4567").asks("collect_email");
    browser.open(&page.address).has(&["333 123 4567"]);
    program.restart();
    next.browser = Browser::of(&program.client());
    next.browser.open(&next.address).status(410);
    next.say("anna@example.it").asks("collect_address");
}

/// What was being written meanwhile waits.
#[test]
fn a_correction_begins_with_the_answer_that_stands_and_may_be_left() {
    let program = Program::start();
    let person = Person::numbered(1);
    let page = Browser::of(&program.client()).at_the_end();
    let addition = "Il cancello è \"verde\".";
    let waits = format!("{addition}</textarea>");
    let account = format!("{}</textarea>", person.segnalazione);
    let leave = "name=\"back\" value=\"collect_report\">Lascia com’è";
    let corrected = |page: &Page, state| {
        let page = page.send(&[("text", addition), ("back", state)]);
        page.asks(state).has(&[leave])
    };
    let page = corrected(&page, "collect_name");
    let page = page.has(&[&format!("value=\"{}\"", person.nome)]);
    let page = page.drawn(&[&person.nome, "Lascia com’è"]);
    let page = page.say("Anna1").has(&["cifre", "value=\"Anna1\"", leave]);
    let page = page.send(&[("text", "Anna1"), ("back", "collect_report")]);
    let page = page.has(&[REVIEW, &waits, &person.nome]).lacks(leave);
    let page = corrected(&page, "investigative_questions").has(&[&account]);
    // Files too leave it as it is.
    let page = page
        .attach(&person.segnalazione, &[])
        .has(&[leave, &account]);
    let page = corrected(&page.say(&person.segnalazione), "collect_name");
    let page = page.say("Ludovica").has(&[REVIEW, "Ludovica", &waits]);
    page.lacks(leave);
}

#[test]
fn the_ticks_of_an_answer_that_is_corrected_stand() {
    let (_program, editor, browser) = open_house();
    let mut callout = callouts::paid();
    callout["questions"] = json!([{ "key": "dove", "kind": "choices", "text": "Dove?", "required": true, "options": [
        { "key": "a", "text": "Sala" }, { "key": "b", "text": "Sala, piano 2" }, { "key": "c", "text": "Cucina" },
    ] }]);
    callouts::open(&editor, &callout);
    let page = browser.open(CALLOUT).say("42");
    let page = page.has(&["Dove?"]).lacks(" checked");
    let page = page.send(&[
        ("text", ""),
        ("choice", "Sala, piano 2"),
        ("choice", "Cucina"),
    ]);
    let page = page.press("skip", "salta").has(&[REVIEW]);
    let page = page.press("back", "question:dove");
    page.has(&[
        "value=\"Sala, piano 2\" checked",
        "value=\"Cucina\" checked",
    ])
    .drawn(&["[ ] Sala [*]", "[*] Cucina"]);
}

#[test]
fn a_callout_that_is_over_leads_to_the_usual_form() {
    let (_program, editor, browser) = open_house();
    let leads_on = |page: Page, status: u16, words: &str| {
        let page = page
            .status(status)
            .has(&[words, "href=\"/paibeta/modulo\""]);
        page.lacks("Ricomincia")
    };
    leads_on(browser.open(CALLOUT), 404, "Controlla l'indirizzo");
    let id = callouts::open(&editor, &callouts::paid());
    let begun = browser.open(CALLOUT);
    let under_way = begun.say("42");
    editor.post(&format!("/callouts/{id}/close")).expect(200);
    let over = "È finita, grazie.";
    leads_on(browser.open(CALLOUT), 409, over);
    leads_on(begun.say("42"), 409, over).drawn(&[over]);
    // Who had begun goes on.
    let page = under_way.press("choice", "No").status(200);
    page.has(&["Racconta"]);
}

#[test]
fn a_datum_may_be_left_out_and_what_is_asked_back_has_buttons() {
    let (_program, editor, browser) = open_house();
    editor.save_security(&json!({ "phoneRequired": false }));
    let page = browser.until(&Person::numbered(1), "collect_phone");
    let page = page.drawn(&["Non ce l’ho"]).press("choice", "Non ce l’ho");
    page.asks("collect_email");
    let page = browser.until(&Person::numbered(1), "collect_name");
    let page = page.say("Mi chiamo Teresa Rossi").drawn(&["Sì", "No"]);
    page.press("choice", "Sì").asks("collect_phone");
}

#[test]
fn a_callout_is_answered_by_forms() {
    let (_program, editor, browser) = open_house();
    browser.open(CALLOUT).status(404);
    // One that takes no files, and whose account may be left out.
    let mut callout = callouts::paid();
    callout["attachments"] = json!(false);
    callout["account"] = json!("optional");
    callouts::open(&editor, &callout);
    let page = browser.open(CALLOUT).has(&["Avete pagato?", "La tua età"]);
    // As many as the answers lead to: a 'no' to the first leaves one out.
    let page = page.has(&["Domanda 1 di 7"]).say("42");
    let page = page.has(&["Hai pagato?", "Domanda 2 di 7"]);
    let page = page.drawn(&["Sì", "Non riguarda me", "Avanti"]);
    page.press("choice", "No")
        .has(&["Racconta", "Domanda 3 di 6"]);
    let page = page.press("choice", "Sì").has(&["Quanto?", "Salta"]);
    page.say("xyz").has(&["Quanto?", ERROR, "value=\"xyz\""]);
    let page = page.press("skip", "salta").has(&["Racconta"]);
    let page = page.say("In nero, al custode.").has(&["Salta"]);
    let page = page.press("skip", "salta").press("skip", "Non ce l’ho");
    let page = page.has(&[REVIEW, "Correggi: Hai pagato?", "al custode"]);
    let page = page.send(&[("back", "question:pagato")]);
    let page = page.say("Non riguarda me");
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
            page.has(&["Premi «Ricomincia»", "href=\"/paibeta/modulo?callout=\""])
                .drawn(&["Ricomincia"]);
        }
    }
    let known = browser.until(&Person::numbered(1), "collect_name");
    known.send(&[("back", "collect_report")]).status(400);
    // Sent twice it is one report; another ending is refused.
    let page = browser.at_the_end();
    assert_eq!(page.say("").code(), page.say("").code());
    let other = page.say("Un altro finale del racconto.").status(409);
    other.has(&["è già stata inviata"]);
}

#[test]
fn one_that_lay_too_long_begins_anew_and_what_was_typed_is_still_there() {
    let program = Program::start();
    let browser = Browser::of(&program.client());
    let page = browser.until(&Person::numbered(1), "investigative_questions");
    program.clock.advance(72 * HOUR + MINUTE);
    let told = "Nel capannone dietro la stazione.\nLa targa è <AB 123 CD>.";
    let old = page.say(told).status(400);
    old.has(&["più di tre giorni", "Ricomincia", "<p>Nel capannone"])
        .drawn(&["La targa è <AB 123 CD>."]);
}

#[test]
fn forms_of_another_kind_or_site_or_size_are_refused() {
    let program = Program::start();
    let (client, browser) = (program.client(), Browser::of(&program.client()));
    let post = |client: &Client, kind: &str, body: &str| {
        client.request("POST", FORM).body(kind, body).send()
    };
    let (form, parted) = (
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
    );
    // Beyond what a line holds: all of it goes by, so that the browser reads the answer.
    let long = "a".repeat(12_000_000);
    let part =
        format!("--x\r\nContent-Disposition: form-data; name=\"text\"\r\n\r\n{long}\r\n--x--\r\n");
    for (kind, body, status) in [
        ("application/json", "{}", 415),
        (form, &format!("text={}", &long[..600_000]), 413),
        (form, &format!("text={long}"), 413),
        (parted, &part, 413),
        (parted, "--x\r\ncut", 400),
    ] {
        let answer = post(&client, kind, body);
        Page::at(browser.clone(), "", answer).status(status);
    }
    let said = json!({ "conversation": "x", "text": long });
    let refused = client.post_json("/chat/turns", &said);
    refused.problem(413, "troppo-grande");
    let foreign = client.with("origin", "https://altrove.example");
    post(&foreign, form, "text=34").problem(403, "origine-non-valida");
    let own = client.with("sec-fetch-site", "same-origin");
    let own = own.with("origin", "null");
    browser.arrive(post(&own, form, "text=34")).status(200);
}

#[test]
fn files_come_with_the_form_sealed_as_they_arrive() {
    let (program, editor, browser) = open_house();
    editor.save_system(&json!({ "attachmentMaxMb": 1, "attachmentsPerReport": 5 }));
    let page = browser.at_the_end();
    let page = page.has(&["multipart/form-data", "type=\"file\""]);
    let (small, exact) = (photo(300), photo(2 * PIECE));
    let large = photo(5 * PIECE + 77);
    let files: [(&str, &[u8]); 4] = [
        ("piazza.jpg", &small),
        ("esatta.jpg", &exact),
        ("", b""),
        ("lunga.jpg", &large),
    ];
    let page = page.attach("Detto prima.", &files);
    let names = ["piazza.jpg, 300 byte", "esatta.jpg, 131 kB", "lunga.jpg"];
    let page = page.has(&names).has(&["Detto prima."]);
    let page = page.drawn(&["piazza.jpg, 300 byte", "Togli"]);
    program.hides(&["Roccapipirozzi", "piazza"]);
    // What is refused is said, nothing of it stays, and no turn was taken. All of it goes by, so that the browser reads the answer.
    let too_large = "è troppo grande: al massimo 1 MB";
    for (name, length, reason) in [
        ("enorme.jpg", (1 << 20) + 1, too_large),
        ("grande.jpg", 3 << 20, too_large),
        ("vuoto.pdf", 0, "è vuoto"),
    ] {
        let bytes = photo(length);
        let refused = page.send_files(&[("text", "Detto dopo.")], &[(name, &bytes)]);
        let refused = refused
            .status(200)
            .has(&[REVIEW, "aria-describedby=\"wrong\""]);
        let refused = refused.has(&[&format!("«{name}» {reason}"), "Detto dopo.</textarea>"]);
        refused.lacks(&format!("{name}, "));
    }
    let page = page.drop_first().lacks("piazza.jpg");
    let page = page.send_files(&[("text", "")], &[("ultima.jpg", &small)]);
    page.has(&[ARRIVED]);
    let report = only_report(&editor);
    let names = table(&report["attachments"], "name");
    assert_eq!(names, "esatta.jpg\nlunga.jpg\nultima.jpg");
    let id = report["id"].as_str().expect("an id");
    for (n, bytes) in [(2, &exact), (3, &large)] {
        let opened = editor.get(&format!("/reports/{id}/attachments/{n}"));
        assert!(opened.expect(200).body == **bytes, "{n}");
    }
}

#[test]
fn a_file_that_is_gone_is_told_at_the_files_and_nothing_is_sent() {
    let (program, _, browser) = open_house();
    let small = photo(300);
    let account = &Person::numbered(1).segnalazione;
    let files: [(&str, &[u8]); 2] = [("piazza.jpg", &small), ("porto.jpg", &small)];
    let telling = |account: &str| {
        let page = browser.until(&Person::numbered(1), "investigative_questions");
        page.send_files(&[("text", account)], &files)
    };
    // What is refused of the text takes no file away.
    telling("Poco.").has(&["piazza.jpg, 300 byte", "Poco.</textarea>"]);
    let [last, early, correcting] = [(); 3].map(|()| telling(account));
    let correcting = correcting.send(&[("text", "Aggiunta."), ("back", "collect_name")]);
    program.clock.advance(25 * HOUR);
    program.round();
    let editor = program.log_in();
    let more = "Anche il vicino del terzo piano ha visto i camion di notte.";
    let both = "piazza.jpg, porto.jpg non ci sono più: allegali di nuovo.";
    let told = last.say(more).status(200);
    let told = told.has(&[REVIEW, both, &format!("{more}</textarea>")]);
    assert_eq!(editor.all_ids().len(), 0, "nothing was sent");
    // Also where another answer was corrected meanwhile, and where only files are sent.
    correcting.say("Anna").has(&[REVIEW, both]);
    let page = early.attach("", &files[..1]);
    page.has(&[both, "piazza.jpg, 300 byte"]);
    let page = told.send_files(&[("text", more)], &files[..1]);
    page.has(&[ARRIVED]);
    let names = table(&only_report(&editor)["attachments"], "name");
    assert_eq!(names, "piazza.jpg");
}

#[test]
fn a_message_whose_file_is_gone_is_not_sent() {
    let (_program, _, browser) = open_house();
    let page = browser.enter(&browser.at_the_end().say("").code());
    let file: [(&str, &[u8]); 1] = [("piazza.jpg", &photo(300))];
    let page = page.attach("", &file).has(&["piazza.jpg, 300 byte"]);
    // In another tab.
    page.drop_first().lacks("piazza.jpg");
    let told = page.say("Ecco la foto.");
    let gone = "piazza.jpg non c'è più: allegalo di nuovo.";
    let told = told.has(&[gone, "Ecco la foto.</textarea>", "Nessun messaggio."]);
    let page = told.send_files(&[("text", "Ecco la foto.")], &file);
    page.has(&["Ecco la foto.</p>", "Ritira piazza.jpg"])
        .lacks("Nessun messaggio.");
}

#[test]
fn a_file_that_breaks_off_leaves_nothing() {
    let program = Program::start();
    let page = Browser::of(&program.client()).at_the_end();
    let body = parts(
        &page.fields(&[("text", "")]),
        &[("a.jpg", &photo(3 * PIECE))],
    );
    let answer = page.browser.post_parts(FORM, body);
    // The conversation goes on where it stood.
    let page = page.browser.arrive(answer).status(200);
    page.has(&["si è interrotto", REVIEW]);
    program.round();
    assert_eq!(disk::paths_with("/allegati/", program.data()).len(), 0);
}

#[test]
fn in_a_siege_a_minute_stands_in_for_the_proof() {
    let program = besiege(Program::start());
    let (editor, browser) = (program.set_up(), Browser::of(&program.client()));
    let there = editor.all_ids().len();
    let page = browser.until(&Person::numbered(99), "collect_report");
    // A file waits from the opening of the page on.
    let file: [(&str, &[u8]); 1] = [("a.jpg", &photo(300))];
    let early = page.attach("", &file).lacks("a.jpg,");
    early.has(&["serve una breve verifica", "un minuto dopo"]);
    program.clock.advance(MINUTE);
    let page = page.attach("", &file).has(&["a.jpg, 300 byte"]);
    let wait = page.say("Il portone è rosso.").status(428);
    let wait = wait.has(&["Aspetta 60 secondi", "dalle 10:02:00"]);
    let wait = wait.drawn(&["60 secondi", "Invia la segnalazione"]);
    program.clock.advance(MINUTE / 2);
    let wait = wait.send(&[]).status(428);
    let wait = wait.has(&["Aspetta 30 secondi", "dalle 10:02:00"]);
    assert_eq!(editor.all_ids().len(), there);
    let back = wait.send(&[("back", "collect_report")]).status(200);
    back.has(&[REVIEW, "Il portone è rosso.</textarea>", "a.jpg, 300 byte"]);
    program.clock.advance(MINUTE / 2);
    wait.send(&[]).status(200).has(&[ARRIVED, "Il tuo codice"]);
    assert_eq!(editor.all_ids().len(), there + 1);
}

#[test]
fn the_reporter_comes_back_reads_answers_and_sends_files() {
    let (program, editor, browser) = open_house();
    let code = browser.at_the_end().say("").code();
    let id = editor.all_ids().remove(0);
    let public = program.client().page(FOLLOW).expect(200);
    assert!(public.header("set-cookie").is_none());
    contains(w3m(public.text()), &["Il tuo codice", "Apri"]);
    let unknown = "Nessuna segnalazione ha questo codice";
    let wrong = browser.enter("00000-00000-00000-00000").status(404);
    let wrong = wrong
        .has(&[unknown, "00000-00000"])
        .drawn(&[unknown, "Apri"]);
    assert_eq!(wrong.browser.cookie, None);
    browser.enter("boh").status(422);

    ask(&editor, &id, "Dove si trova\nil <b>capannone</b>?").expect(200);
    let page = browser.enter(&code.to_lowercase()).status(200);
    let page = page.has(&[
        "È arrivata alla redazione.",
        "il <b>capannone</b>?",
        "Ricevuta",
    ]);
    assert!(!page.html().contains("<b>capannone"));
    let page = page.drawn(&[
        "La redazione",
        "Dove si trova",
        "Invia",
        "Esci",
        "Ricevuta, 10/03/2026",
    ]);

    page.say(" ").has(&["Scrivi il testo.", ERROR]);
    for _ in 0..2 {
        let told = [("text", "Dietro la chiesa.")];
        page.send_files(&told, &[("foto.jpg", &photo(700))])
            .status(200);
    }
    let page = page.browser.open(FOLLOW);
    let page = page.has(&["Dietro la chiesa.", "foto.jpg", "I tuoi file"]);
    assert_eq!(page.html().matches("Dietro la chiesa.").count(), 1);
    let page = page.send_files(&[("text", "Ecco.")], &[("a.exe", b"")]);
    let page = page.has(&["«a.exe» è vuoto", "Ecco.</textarea>"]);
    let page = page.attach("", &[("altra.jpg", &photo(900))]);
    let page = page.has(&["altra.jpg, 900 byte"]).say("");
    let page = page.has(&["Allego: altra.jpg"]);
    let file = page.browser.fetch("/paibeta/seguito/file/1").expect(200);
    assert!(file.body == photo(700));
    let data = page.browser.fetch("/paibeta/seguito/dati").expect(200);
    assert_eq!(data.json()["nome"], "Nomeb");

    // A file is taken back, and the whole asked to be withdrawn.
    let asks = "Chiedi di ritirare tutto";
    let page = page.has(&["Ritira il file", asks]);
    for n in ["1", "1", "x"] {
        let taken = page
            .send(&[("text", "Intanto scrivo."), ("withdraw", n)])
            .status(200);
        let taken = taken.has(&["Intanto scrivo.</textarea>", "altra.jpg"]);
        taken.lacks("/seguito/file/1\"");
    }
    page.browser.fetch("/paibeta/seguito/file/1").expect(404);
    let asking = |text: &str| {
        page.send(&[("text", text), ("withdrawal", "1")])
            .status(200)
    };
    asking(&"a".repeat(1_001)).has(&[ERROR, asks]);
    let asked = asking("Ho paura.").lacks(asks);
    asked
        .has(&["Hai chiesto di ritirare tutto il 10/03/2026.", "Ho paura."])
        .drawn(&["Ritirare tutto", "Entro il 17/03/2026"]);
    has!(editor.report(&id), "withdrawal": { "at": "2026-03-10T09:00:00Z", "due": "2026-03-17T09:00:00Z" });
}

/// By the button, by the quick way out, and by itself: what was typed is not lost.
#[test]
fn a_visit_ends() {
    let program = Program::start();
    let browser = Browser::of(&program.client());
    let code = browser.at_the_end().say("").code();
    let page = browser.enter(&code);
    let left = page.browser.post(FOLLOW, &[("leave", "1")]).expect(303);
    contains(cookies_of(&left)[0], &["Max-Age=0"]);
    let away = page.browser.fetch("/paibeta/seguito/esci").expect(303);
    let ended = ["Max-Age=0", "Path=/paibeta/seguito"];
    contains(cookies_of(&away)[0], &ended);
    assert_ne!(away.header("location"), Some(FOLLOW));
    program.clock.advance(HOUR);
    let over = page.say("Ancora una cosa.").status(401);
    let over = over.has(&["Inserisci di nuovo il codice", "non è partito"]);
    let again = over.send(&[("code", &code)]).status(200);
    again.has(&["Ancora una cosa.</textarea>"]);
}
