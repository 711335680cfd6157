//! Which passwords may be chosen (`PRODUCT.md §7`; NIST SP 800-63B-4 §3.1.1.2: length and a blocklist, no rules about kinds of
//! characters), and the one form in which they are compared. Must never trim or keep a password, nor quote it in a message.

use unicode_normalization::UnicodeNormalization;
use zeroize::Zeroizing;

use super::invalid::Invalid;
use super::text;

pub const PASSWORD_MIN: usize = 12;
/// In bytes: bounds what each login hashes.
pub const PASSWORD_MAX_BYTES: usize = 1_024;
/// Leaked passwords and the words that they are built on, one a line, folded.
const COMMON: &str = include_str!("common.txt");

/// `context` holds names that an attacker tries first: product, assistant, organisation.
pub fn check_password(password: &str, context: &[&str]) -> Result<(), Invalid> {
    let refuse = |code, message: String| Err(Invalid::new("password", code, message));
    if password.len() > PASSWORD_MAX_BYTES {
        return refuse(
            "long",
            format!("La password è troppo lunga: al massimo {PASSWORD_MAX_BYTES} byte."),
        );
    }
    let compared = comparable(password);
    // RFC 8265 §4.2.1: they are typed by accident, and not again.
    if text::has_controls(&compared, true) {
        return refuse(
            "characters",
            "La password contiene un a capo o un altro carattere di controllo, che non si vede: toglilo.".to_owned(),
        );
    }
    if text::char_count(&compared) < PASSWORD_MIN {
        return refuse(
            "short",
            format!("La password deve avere almeno {PASSWORD_MIN} caratteri."),
        );
    }
    if is_common(password, context) {
        return refuse(
            "common",
            "Questa password è tra le più usate, o è un nome che si indovina: scegline un'altra. Quattro parole scelte a caso \
             vanno bene."
                .to_owned(),
        );
    }
    Ok(())
}

/// A password as keyboards and browsers write it differently, in one form: every blank is a space, then NFC (RFC 8265 §4.2).
pub fn comparable(password: &str) -> Zeroizing<String> {
    // A growing buffer would leave parts of the password in memory: NFC has at most three times the bytes (Unicode UAX #15 §9.1).
    let mut form = Zeroizing::new(String::with_capacity(3 * password.len()));
    let spaced = password
        .chars()
        .map(|one| if is_blank(one) { ' ' } else { one });
    form.extend(spaced.nfc());
    form
}

/// General category Zs, which RFC 8265 means by a space.
fn is_blank(one: char) -> bool {
    matches!(
        one,
        '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}'
    )
}

/// A listed password or name, also with signs and a number behind it.
fn is_common(password: &str, context: &[&str]) -> bool {
    let folded = text::fold(password);
    let compact = letters_and_digits(&folded);
    let word = compact.trim_end_matches(|one: char| one.is_ascii_digit());
    let names: Vec<_> = context
        .iter()
        .map(|name| letters_and_digits(&text::fold(name)))
        .collect();
    let known = |text: &str| {
        COMMON.lines().any(|common| common == text) || names.iter().any(|name| name == text)
    };
    word.is_empty() || [&folded, &*compact, word].into_iter().any(known)
}

fn letters_and_digits(folded: &str) -> String {
    folded.chars().filter(|one| one.is_alphanumeric()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const CONTEXT: [&str; 3] = ["PelazzAI", "Le Iene", "La Gazzetta dell'Adda"];

    fn code(password: &str) -> Option<&'static str> {
        check_password(password, &CONTEXT)
            .err()
            .map(|refusal| refusal.code)
    }

    #[test]
    fn length_is_counted_in_characters_and_bounded_in_bytes() {
        assert_eq!(code(""), Some("short"));
        assert_eq!(code("Xk3-mQ9vTz7"), Some("short"));
        assert_eq!(code("Xk3-mQ9vTz7w"), None);
        assert_eq!(code("èòàùìéçÈÒÀÙ"), Some("short"));
        let long: String = "Xk3-mQ9vTz7w ".chars().cycle().take(1_025).collect();
        assert_eq!(code(&long), Some("long"));
        assert_eq!(code(&long[..1_024]), None);
    }

    #[test]
    fn length_is_counted_in_the_form_that_is_compared_and_controls_are_refused() {
        assert_eq!(code("perche\u{301} citt"), Some("short"));
        for typed in [
            "una password lunga\r",
            "una\0password lunga",
            "una password\u{202e} lunga",
            "due\nrighe di password",
        ] {
            assert_eq!(code(typed), Some("characters"), "{typed:?}");
        }
        assert_eq!(code("famiglia 👩\u{200d}👩\u{200d}👧 unita"), None);
    }

    #[test]
    fn blanks_count_and_are_not_trimmed() {
        assert_eq!(code(" Xk3-mQ9vTz "), None);
        assert_eq!(code("            "), Some("common"));
    }

    #[test]
    fn good_passwords_pass() {
        for password in [
            "gatto-lampada-nuvola-treno",
            "correct zebra nine staple",
            "Il mio cane mangia le pesche",
            "h7$Kq2!mWz9&",
            "qpwhxyzmvkdt",
            "trentatré trentini a Trento",
            "密码很长而且不容易猜到的哦",
        ] {
            assert_eq!(code(password), None, "{password}");
        }
    }

    #[test]
    fn common_passwords_are_refused() {
        for common in COMMON.lines().filter(|line| line.len() >= PASSWORD_MIN) {
            assert_eq!(code(common), Some("common"), "{common}");
            assert_eq!(code(&common.to_uppercase()), Some("common"), "{common}");
        }
        for password in [
            "Correct Horse Battery Staple",
            "123456789012",
            "abcabcabcabc",
            "1q2w3e4r5t6y",
            "qwertyuiop12",
            "Password2024!",
            "P@ssw0rd1234",
            "Amministratore1",
            "Redazione!2024",
            "juventus1897!",
            "ciaociao1234",
            "PelazzAI-2024",
            "La Gazzetta dell'Adda 1",
        ] {
            assert_eq!(code(password), Some("common"), "{password}");
        }
    }

    #[test]
    fn a_refusal_never_quotes_the_password() {
        let refusal = check_password("redazione2024", &CONTEXT).unwrap_err();
        assert_eq!(refusal.field, "password");
        assert!(!refusal.message.contains("2024"));
    }

    #[test]
    fn list_is_sorted_and_folded() {
        let lines: Vec<&str> = COMMON.lines().collect();
        assert!(
            lines.is_sorted_by(|one, next| one < next),
            "sorted and unique"
        );
        for line in lines {
            assert_eq!(text::fold(line), line);
        }
    }

    proptest! {
        #[test]
        fn random_passwords_pass(password in "[a-z0-9]{28,40}") {
            prop_assert_eq!(code(&password), None);
        }

        #[test]
        fn any_text_is_judged(password in any::<String>(), context in any::<String>()) {
            let verdict = check_password(&password, &[&context]);
            if text::char_count(&comparable(&password)) < PASSWORD_MIN {
                prop_assert!(verdict.is_err());
            }
        }
    }
}
