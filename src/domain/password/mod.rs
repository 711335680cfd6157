//! Which passwords the administrator may choose (`PRODUCT.md §6`; NIST SP 800-63B-4 §3.1.1.2: length and a blocklist,
//! no rules about kinds of characters). It must never trim, change or keep a password, nor quote it in a message.

mod effort;

use super::invalid::Invalid;
use super::text;
use effort::Vocabulary;

/// Shortest password, in characters.
pub const PASSWORD_MIN: usize = 12;
/// Longest password, in bytes: what is hashed at each login has a bound.
pub const PASSWORD_MAX_BYTES: usize = 1_024;
/// Independent choices that a password must hold at least; a known word, a walk over the keyboard or a year is one.
const EFFORT_MIN: usize = 6;

/// Passwords of 12 characters and more that turn up in every leak and that are not words, walks or repetitions, one a
/// line, folded.
const COMMON: &str = include_str!("common.txt");
/// Words that passwords are usually built on, and the words of this product, one a line, folded.
const WORDS: &str = include_str!("words.txt");

/// Checks a new password. `context` are names that an attacker tries first: product, assistant, organisation.
pub fn check_password(password: &str, context: &[&str]) -> Result<(), Invalid> {
    let refuse = |code, message: String| Err(Invalid::new("password", code, message));
    if password.len() > PASSWORD_MAX_BYTES {
        return refuse(
            "long",
            format!("La password è troppo lunga: al massimo {PASSWORD_MAX_BYTES} byte."),
        );
    }
    if text::char_count(password) < PASSWORD_MIN {
        return refuse(
            "short",
            format!("La password deve avere almeno {PASSWORD_MIN} caratteri."),
        );
    }
    let folded = text::fold(password);
    let compact: String = folded.chars().filter(|one| one.is_alphanumeric()).collect();
    let mut common = COMMON.lines();
    if common.any(|common| common == folded || common == compact) {
        return refuse(
            "common",
            "Questa password è tra le più usate al mondo: scegline un'altra.".to_owned(),
        );
    }
    let characters: Vec<char> = folded.chars().collect();
    let repeated = effort::period(&characters) < PASSWORD_MIN.min(characters.len());
    let vocabulary = Vocabulary::new(WORDS.lines(), context);
    if repeated || vocabulary.effort(&characters) < EFFORT_MIN {
        return refuse(
            "predictable",
            "Questa password si indovina facilmente: evita ripetizioni, sequenze di tasti e nomi legati \
             alla redazione. Quattro parole scelte a caso vanno bene."
                .to_owned(),
        );
    }
    Ok(())
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
    fn blanks_count_and_are_not_trimmed() {
        assert_eq!(code(" Xk3-mQ9vTz "), None);
        assert_eq!(code("            "), Some("predictable"));
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
    fn known_passwords_are_refused() {
        for common in COMMON.lines() {
            assert_eq!(code(common), Some("common"), "{common}");
            assert_eq!(code(&common.to_uppercase()), Some("common"), "{common}");
        }
        assert_eq!(code("Correct Horse Battery Staple"), Some("common"));
    }

    #[test]
    fn repetitions_sequences_and_walks_are_refused() {
        for password in [
            "aaaaaaaaaaaa",
            "abababababab",
            "abcabcabcabca",
            "x7Kq2mP9x7Kq2mP9",
            "123456789012",
            "0987654321098",
            "abcdefghijkl",
            "qwertyuiop12",
            "qwertyuiopasdfghjkl",
            "1q2w3e4r5t6y",
            "1qaz2wsx3edc",
            "qazwsxedcrfv",
            "zaq12wsxcde3",
            "qwertyqwerty",
            "asdfghjkl123",
            "qwertyuiopè+",
            "112233445566",
            "19841984abcd",
        ] {
            assert_eq!(code(password), Some("predictable"), "{password}");
        }
    }

    #[test]
    fn known_words_with_trimmings_are_refused() {
        for password in [
            "password1234",
            "Password2024!",
            "P@ssw0rd1234",
            "passwordpassword",
            "amministratore",
            "Amministratore1",
            "redazione2024",
            "Redazione!2024",
            "segnalazioni123",
            "leienesegnalazioni",
            "LeIeneRedazione",
            "le-iene-redazione",
            "pelazzai2024!",
            "PelazzAI-PelazzAI",
            "Pelazz4I_admin",
            "gazzettadelladda",
            "LaGazzetta2025",
            "juventus1897!",
            "Forza.Napoli.2023",
            "ciaociao1234",
            "admin123456!",
        ] {
            assert_eq!(code(password), Some("predictable"), "{password}");
        }
    }

    #[test]
    fn a_refusal_never_quotes_the_password() {
        let refusal = check_password("redazione2024", &CONTEXT).unwrap_err();
        assert_eq!(refusal.field, "password");
        assert!(!refusal.message.contains("2024"));
    }

    #[test]
    fn the_lists_are_as_the_code_reads_them() {
        for (list, shortest) in [(COMMON, PASSWORD_MIN), (WORDS, 2)] {
            let lines: Vec<&str> = list.lines().collect();
            let mut sorted = lines.clone();
            sorted.sort_unstable();
            sorted.dedup();
            assert_eq!(lines, sorted, "sorted and unique");
            for line in lines {
                assert_eq!(text::fold(line), line);
                assert!(text::char_count(line) >= shortest, "{line}");
            }
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
            if text::char_count(&password) < PASSWORD_MIN {
                prop_assert!(verdict.is_err());
            }
        }
    }
}
