//! Defaults, refusals and subjects of the e-mail section.

use super::*;
use serde_json::json;

#[test]
fn defaults_are_valid_and_named_as_published() {
    let email = Email::default();
    assert_eq!(email.validate(), Ok(()));
    let json = serde_json::to_value(&email).unwrap();
    for (key, value) in [
        ("emailRecipient", ""),
        ("emailContent", "completa"),
        ("routingMode", "smart"),
    ] {
        assert_eq!(json[key], value, "{key}");
    }
    assert_eq!(
        (&json["smtpPort"], &json["smtpSecure"]),
        (&587.into(), &true.into())
    );
    assert_eq!(json["emailAutoSend"], true);
    assert_eq!(json["routingThreshold"], 40);
    let fields = email.desk_fields();
    assert_eq!(fields["dept_sanita_email"], "");
    let found = &fields["dept_criminalita_keywords"];
    assert!(found.starts_with("droga, spaccio, furto"));
    assert_eq!(
        (&json["replyNotice"], &json["confirmationMail"]),
        (&true.into(), &false.into())
    );
    assert_eq!(json["deskDigest"], false);
    assert_eq!(json["smtpAccess"], "password");
    assert_eq!(json.as_object().unwrap().len() + fields.len(), 34);
    assert_eq!(serde_json::from_str::<Email>("{}").unwrap(), email);
}

#[test]
fn every_department_is_there_in_its_order() {
    let email = Email::default();
    for desk in email.departments.desks() {
        assert!(
            super::super::entries(&desk.keywords).count() >= 9,
            "{desk:?}"
        );
    }
}

#[test]
fn bad_fields_are_named() {
    let mut email = Email {
        email_recipient: "redazione".to_owned(),
        email_from: "a@b.it\r\nBcc: c@d.it".to_owned(),
        email_subject: "Da {nome}".to_owned(),
        smtp_host: "https://smtp.esempio.it".to_owned(),
        smtp_port: 0,
        smtp_username: "u\nv".to_owned(),
        routing_threshold: 101,
        email_fallback: "a@b.it, c@d".to_owned(),
        ..Email::default()
    };
    let wrong = &mut email.departments.desks_mut()[3];
    (wrong.email, wrong.keywords) = ("scuola@".to_owned(), "scuola, x".to_owned());
    let refusals = email.validate().unwrap_err();
    let found: Vec<(&str, &str)> = refusals
        .iter()
        .map(|refusal| (refusal.field.as_str(), refusal.code))
        .collect();
    assert_eq!(
        found,
        [
            ("emailRecipient", "format"),
            ("emailFrom", "format"),
            ("emailSubject", "placeholder"),
            ("routingThreshold", "range"),
            ("emailFallback", "format"),
            ("smtpHost", "format"),
            ("smtpPort", "range"),
            ("smtpUsername", "control"),
            ("dept_scuola_email", "format"),
            ("dept_scuola_keywords", "format"),
        ]
    );
    assert!(refusals[2].message.contains("{nome}") && refusals[2].message.contains("{product}"));
}

#[test]
fn hosts_are_names_or_addresses() {
    for (host, fits) in [
        ("smtp.esempio.it", true),
        ("localhost", true),
        ("192.0.2.1", true),
        ("2001:db8::1", true),
        ("smtp.esempio.it:587", false),
        ("smtp esempio", false),
        ("smtp.esempio.it/", false),
        ("user@smtp.esempio.it", false),
        (" ", false),
    ] {
        let email = Email {
            smtp_host: host.to_owned(),
            ..Email::default()
        };
        assert_eq!(email.validate().is_ok(), fits, "{host}");
    }
}

#[test]
fn keywords_are_bounded() {
    let check = |list: &str| check_keywords("f", list).map(|refusal| refusal.code);
    assert_eq!(check(""), None);
    assert_eq!(check("asl, pronto soccorso;\nclinica"), None);
    assert_eq!(check(&"parola,".repeat(200)), None);
    assert_eq!(check(&"parola,".repeat(201)), Some("long"));
    assert_eq!(check(&"x".repeat(64)), None);
    assert_eq!(check(&"x".repeat(65)), Some("format"));
    assert_eq!(check("voto\u{202E}"), Some("format"));
}

#[test]
fn an_address_that_is_missing_is_replaced() {
    let mut email = Email {
        email_recipient: "redazione@example.it".to_owned(),
        email_fallback: "generale@example.it".to_owned(),
        ..Email::default()
    };
    email.departments.desks_mut()[1].email = "sanita@example.it".to_owned();
    for (department, address) in [
        (Matter::Sanita.key(), "sanita@example.it"),
        (DepartmentKey::GENERALE, "generale@example.it"),
        (Matter::Lavoro.key(), "redazione@example.it"),
    ] {
        assert_eq!(email.address_of(department), address);
    }
    for (list, once) in [
        ("b@x.it, A@x.it;\nB@x.it", &["a@x.it", "b@x.it"][..]),
        ("a@perché.it, a@xn--perch-fsa.it", &["a@perché.it"]),
        ("a@xn--perch-fsa.it, a@PERCHÉ.it", &["a@xn--perch-fsa.it"]),
    ] {
        list.clone_into(&mut email.departments.desks_mut()[2].email);
        let several = email.addresses_of(Matter::Lavoro.key());
        assert_eq!(Vec::from_iter(several), once);
    }
    email.departments.desks_mut()[2].email.clear();
    email.enable_department_routing = false;
    assert_eq!(
        email.address_of(Matter::Sanita.key()),
        "redazione@example.it"
    );
    email.email_recipient.clear();
    assert_eq!(
        email.address_of(Matter::Lavoro.key()),
        "generale@example.it"
    );
    email.email_fallback.clear();
    assert_eq!(email.address_of(Matter::Lavoro.key()), "");
}

#[test]
fn a_field_holds_several_recipients() {
    let refused = |list: &str| {
        let mut email = Email::default();
        list.clone_into(&mut email.departments.desks_mut()[1].email);
        email.validate().err().map(|all| all[0].message.clone())
    };
    assert_eq!(refused("a@b.it, c@d.it;\n e@f.it"), None);
    assert!(refused("a@b.it, Mario").unwrap().contains("«Mario»"));
    assert!(refused(",").is_some());
    assert_eq!(refused(&vec!["a@b.it"; 20].join(",")), None);
    assert!(refused(&vec!["a@b.it"; 21].join(",")).is_some());
}

/// Sign-in by Microsoft 365, complete.
fn by_token() -> Email {
    Email {
        smtp_access: MailAccess::Microsoft365,
        smtp_username: "segnalazioni@esempio.it".to_owned(),
        smtp_tenant: "esempio.onmicrosoft.com".to_owned(),
        smtp_client_id: "11112222-bbbb-3333-cccc-4444dddd5555".to_owned(),
        ..Email::default()
    }
}

#[test]
fn microsoft_365_is_named_as_published_and_brings_its_server_along() {
    let email = by_token().completed();
    assert_eq!(email.validate(), Ok(()));
    assert_eq!(
        serde_json::to_value(email.smtp_access).unwrap(),
        "microsoft365"
    );
    assert_eq!(
        (email.smtp_host.as_str(), email.smtp_port),
        ("smtp.office365.com", 587)
    );
    let own = Email {
        smtp_host: "smtp.esempio.it".to_owned(),
        smtp_port: 2525,
        ..by_token()
    };
    assert_eq!(own.clone().completed(), own);
    assert_eq!(Email::default().completed(), Email::default());
}

#[test]
fn tokens_are_asked_for_at_the_provider_unless_the_settings_name_another_place() {
    let request = by_token().token_request().unwrap();
    assert_eq!(
        request.url,
        "https://login.microsoftonline.com/esempio.onmicrosoft.com/oauth2/v2.0/token"
    );
    assert_eq!(request.scope, "https://outlook.office365.com/.default");
    // The national cloud of the United States.
    let elsewhere = Email {
        smtp_token_url: "https://login.microsoftonline.us/{tenant}/oauth2/v2.0/token".to_owned(),
        smtp_scope: "https://outlook.office365.us/.default".to_owned(),
        ..by_token()
    };
    assert_eq!(elsewhere.validate(), Ok(()));
    let request = elsewhere.token_request().unwrap();
    assert_eq!(
        request.url,
        "https://login.microsoftonline.us/esempio.onmicrosoft.com/oauth2/v2.0/token"
    );
    assert_eq!(request.scope, "https://outlook.office365.us/.default");
    let by_password = Email {
        smtp_access: MailAccess::Password,
        ..elsewhere
    };
    assert_eq!(by_password.token_request(), None);
}

#[test]
fn what_a_token_needs_is_asked_for_and_bad_values_are_named() {
    type Set = fn(&mut Email, String);
    let refused = |email: Email| -> Vec<(String, &str)> {
        let refusals = email.validate().err().unwrap_or_default();
        refusals
            .into_iter()
            .map(|one| (one.field, one.code))
            .collect()
    };
    let lacking = Email {
        smtp_access: MailAccess::Microsoft365,
        ..Email::default()
    };
    let empty =
        ["smtpUsername", "smtpTenant", "smtpClientId"].map(|field| (field.to_owned(), "empty"));
    assert_eq!(refused(lacking), empty);
    let tenant: Set = |email, value| email.smtp_tenant = value;
    let client: Set = |email, value| email.smtp_client_id = value;
    let url: Set = |email, value| email.smtp_token_url = value;
    let scope: Set = |email, value| email.smtp_scope = value;
    let day: Set = |email, value| email.smtp_secret_expires = value;
    for (field, set, value, fits) in [
        (
            "smtpTenant",
            tenant,
            "11112222-bbbb-3333-cccc-4444dddd5555",
            true,
        ),
        ("smtpTenant", tenant, "common", false),
        ("smtpTenant", tenant, "Organizations", false),
        ("smtpTenant", tenant, "consumers", false),
        ("smtpTenant", tenant, "common.example.it", true),
        ("smtpTenant", tenant, "../common", false),
        ("smtpTenant", tenant, "a/b?c", false),
        ("smtpClientId", client, "due parole", false),
        ("smtpTokenUrl", url, "http://127.0.0.1:8080/{tenant}", true),
        ("smtpTokenUrl", url, "http://login.esempio.it/token", false),
        ("smtpScope", scope, "uno due", false),
        ("smtpSecretExpires", day, "2027-06-30", true),
        ("smtpSecretExpires", day, "30/06/2027", false),
        ("smtpSecretExpires", day, "2027-06-30T10:00:00", false),
        ("smtpSecretExpires", day, "2027-02-30", false),
    ] {
        let mut email = by_token();
        set(&mut email, value.to_owned());
        let expected = if fits {
            vec![]
        } else {
            vec![(field.to_owned(), "format")]
        };
        assert_eq!(refused(email), expected, "{field} {value}");
    }
}

#[test]
fn the_end_of_a_secret_is_told_from_fourteen_days_before() {
    let email = Email {
        smtp_secret_expires: "2026-12-31".to_owned(),
        ..by_token()
    };
    let told = |today: &str| email.secret_end(today.parse().unwrap()).map(|end| end.past);
    assert_eq!(told("2026-12-16"), None);
    assert_eq!(told("2026-12-17"), Some(false));
    assert_eq!(told("2026-12-31"), Some(false));
    assert_eq!(told("2027-01-01"), Some(true));
    let unknown = by_token();
    assert_eq!(unknown.secret_end("2030-01-01".parse().unwrap()), None);
    let by_password = Email {
        smtp_access: MailAccess::Password,
        ..email
    };
    assert_eq!(by_password.secret_end("2030-01-01".parse().unwrap()), None);
}

#[test]
fn a_body_changes_departments_that_there_are() {
    let body = |body: serde_json::Value| body.as_object().unwrap().clone();
    let (before, good) = (
        Email::default(),
        json!({"dept_lavoro_email": "l@x.it", "smtpPort": 25}),
    );
    let after = before.changed_by(body(good)).unwrap();
    assert_eq!(after.departments.desks()[2].email, "l@x.it");
    assert_eq!(after.smtp_port, 25);
    assert_eq!(
        after.departments.desks()[2].keywords,
        Matter::Lavoro.keywords()
    );
    let bad = json!({"dept_sport_email": "s@x.it", "dept_generale_email": "", "dept_lavoro_keywords": 1, "smtpPort": true});
    let refused = before.changed_by(body(bad)).unwrap_err();
    let mut fields: Vec<_> = refused.iter().map(|one| (&*one.field, one.code)).collect();
    fields.sort_unstable();
    assert_eq!(
        fields,
        [
            ("dept_generale_email", "unknown"),
            ("dept_lavoro_keywords", "type"),
            ("dept_sport_email", "unknown"),
            ("smtpPort", "type"),
        ]
    );
}
