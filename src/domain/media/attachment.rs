//! Files that reporters attach: the kinds that are accepted, told from their first bytes, and the names under which they are
//! kept. Must never trust a name or a sender for the kind, nor keep a name that is a path or hides its ending.

use infer::MatcherType;
use serde::{Deserialize, Serialize};

use crate::domain::media::sound::or_sound;
use crate::domain::text;
use crate::domain::text::counted;

/// In characters, ending included.
const NAME_MAX: usize = 120;
/// The name of a file whose own name says nothing.
const NAMELESS: &str = "allegato";
/// An office file that names no application among its first parts.
const OFFICE: &str = "application/vnd.openxmlformats-officedocument";
/// The first part of every such file, and of no other archive.
const OFFICE_PART: &[u8] = b"[Content_Types].xml";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttachmentKind {
    Photo,
    Video,
    Audio,
    Pdf,
    Document,
}

impl AttachmentKind {
    pub fn of(media_type: &str) -> Self {
        match media_type.split('/').next() {
            Some("image") => Self::Photo,
            Some("video") => Self::Video,
            Some("audio") => Self::Audio,
            _ if media_type == "application/pdf" => Self::Pdf,
            _ => Self::Document,
        }
    }

    pub const fn label(self) -> &'static str {
        match self {
            Self::Photo => "foto",
            Self::Video => "video",
            Self::Audio => "audio",
            Self::Pdf => "PDF",
            Self::Document => "documento",
        }
    }
}

pub const REFUSED: &str = "Questo tipo di file non si può allegare: vanno bene foto, video, audio, PDF e documenti \
                           (Word, Excel, PowerPoint, OpenDocument).";

/// The media type of a file that may be attached, told from its first bytes.
pub fn media_type(start: &[u8]) -> Option<&'static str> {
    let found = infer::get(start)?;
    let named = found.mime_type();
    match found.matcher_type() {
        MatcherType::Video => Some(or_sound(named, start)),
        MatcherType::Image | MatcherType::Audio | MatcherType::Doc => Some(named),
        _ if matches!(named, "application/pdf" | "application/rtf") => Some(named),
        _ if named == "application/zip" && start.get(30..)?.starts_with(OFFICE_PART) => {
            Some(OFFICE)
        }
        _ => None,
    }
}

/// The last part, without characters that are invisible or not allowed in a file's name.
pub fn clean_name(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let kept = |character: char| match character {
        '<' | '>' | ':' | '"' | '|' | '?' | '*' | '\0'..='\x1F' => '_',
        other => other,
    };
    let line: String = text::clean_line(last).chars().map(kept).collect();
    let line = line.trim_matches(['.', ' ', '~']);
    if text::is_blank(line) {
        return NAMELESS.to_owned();
    }
    let over = text::char_count(line).saturating_sub(NAME_MAX);
    // Too long a name loses its beginning: the ending says more.
    line.chars().skip(over).collect()
}

/// Always with an ending of its kind.
pub fn name_of(name: &str, media_type: &str) -> String {
    let mut endings = endings(media_type).split(' ');
    let usual = endings.clone().next().unwrap_or_default();
    let ending = name.rsplit_once('.').map(|(_, ending)| text::lower(ending));
    if ending.is_some_and(|ending| endings.any(|known| known == ending)) {
        return name.to_owned();
    }
    format!("{name}.{usual}")
}

/// The usual ending first.
fn endings(media_type: &str) -> &str {
    match media_type {
        "image/jpeg" => "jpg jpeg jfif",
        "image/heif" => "heic heif",
        "image/tiff" => "tif tiff",
        "video/mp4" => "mp4 m4v mov",
        "video/quicktime" => "mov qt",
        "video/x-matroska" => "mkv webm",
        "video/mpeg" => "mpg mpeg",
        "video/x-msvideo" => "avi",
        "video/x-ms-wmv" => "wmv",
        "audio/m4a" | "audio/mp4" => "m4a mp4 aac",
        "audio/x-matroska" => "mka mkv",
        "audio/ogg" => "ogg oga opus",
        "audio/mpeg" => "mp3",
        "application/msword" => "doc xls ppt",
        "application/vnd.ms-powerpoint" => "ppt",
        OFFICE => "docx xlsx pptx",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document" => "docx",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet" => "xlsx",
        "application/vnd.openxmlformats-officedocument.presentationml.presentation" => "pptx",
        "application/vnd.oasis.opendocument.text" => "odt",
        "application/vnd.oasis.opendocument.spreadsheet" => "ods",
        "application/vnd.oasis.opendocument.presentation" => "odp",
        // Others end like their type: `image/png`, `audio/x-wav`.
        other => {
            let last = other.rsplit(['/', '-']).next();
            last.filter(|last| last.len() < 5).unwrap_or("bin")
        }
    }
}

/// Nothing of name or content.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct AttachmentSummary {
    #[serde(rename = "type")]
    pub media_type: String,
    pub size: u64,
}

/// '2 allegati: foto (1,2 MB), PDF (310 kB)'.
pub fn summary(files: &[AttachmentSummary]) -> String {
    let one = |file: &AttachmentSummary| {
        let kind = AttachmentKind::of(&file.media_type).label();
        format!("{kind} ({})", size(file.size))
    };
    let listed: Vec<String> = files.iter().map(one).collect();
    let count = counted(files.len(), "allegato", "allegati");
    format!("{count}: {}", listed.join(", "))
}

pub fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} byte"),
        1_000..1_000_000 => format!("{} kB", bytes / 1_000),
        _ => format!("{},{} MB", bytes / 1_000_000, bytes % 1_000_000 / 100_000),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::domain::media::attachment::*;

    #[test]
    fn a_kind_is_told_from_bytes_alone() {
        let office = [b"PK\x03\x04".as_slice(), &[0; 26], OFFICE_PART, &[0; 40]].concat();
        for (start, expected) in [
            (
                b"\xFF\xD8\xFF\xE0\0\x10JFIF\0".as_slice(),
                Some("image/jpeg"),
            ),
            (b"%PDF-1.7\n", Some("application/pdf")),
            (b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom", Some("video/mp4")),
            (b"ID3\x04\0\0\0\0\0\0", Some("audio/mpeg")),
            (&office, Some(OFFICE)),
            (b"<!DOCTYPE html><script>alert(1)</script>", None),
            (b"<?xml version=\"1.0\"?><svg onload=\"alert(1)\"/>", None),
            (b"<svg xmlns='http://www.w3.org/2000/svg'/>", None),
            (b"MZ\x90\0\x03\0\0\0", None),
            (b"#!/bin/sh\n", None),
            (
                b"PK\x03\x04\x14\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x05\0\0\0a.exe",
                None,
            ),
            (b"", None),
            (b"ciao", None),
        ] {
            assert_eq!(media_type(start), expected, "{start:?}");
        }
    }

    #[test]
    fn a_name_is_no_path_and_ends_as_its_kind_does() {
        for (name, kept) in [
            ("foto.jpg", "foto.jpg"),
            ("../../etc/passwd", "passwd"),
            ("C:\\Users\\a\\b.jpg", "b.jpg"),
            ("foto\u{202E}gpj.exe", "fotogpj.exe"),
            ("a\0b\n<c>.png", "ab _c_.png"),
            ("...", NAMELESS),
            ("", NAMELESS),
            (" \u{200B} ", NAMELESS),
        ] {
            assert_eq!(clean_name(name), kept, "{name:?}");
        }
        assert_eq!(
            clean_name(&format!("{}.jpg", "è".repeat(300)))
                .chars()
                .count(),
            NAME_MAX
        );
        assert_eq!(name_of("gatto.JPG", "image/jpeg"), "gatto.JPG");
        assert_eq!(name_of("gatto.exe", "image/jpeg"), "gatto.exe.jpg");
        assert_eq!(name_of("gatto", "application/pdf"), "gatto.pdf");
        assert_eq!(name_of("x.msi", "application/msword"), "x.msi.doc");
    }

    #[test]
    fn files_are_told_by_kind_and_size() {
        let told = |media_type: &str, size| AttachmentSummary {
            media_type: media_type.to_owned(),
            size,
        };
        let files = [
            told("image/jpeg", 1_250_000),
            told("application/pdf", 310_400),
        ];
        assert_eq!(summary(&files), "2 allegati: foto (1,2 MB), PDF (310 kB)");
        assert_eq!(summary(&files[..1]), "1 allegato: foto (1,2 MB)");
    }

    proptest! {
        #[test]
        fn any_bytes_and_names_are_taken_or_refused(
            start in prop::sample::select(vec![
                &b""[..], b"PK\x03\x04", b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", b"\0\0\0\x18ftyp", b"RIFF", b"\x1AE\xDF\xA3",
            ]),
            rest in prop::collection::vec(any::<u8>(), 0..200), name in "\\PC*",
        ) {
            let _ = media_type(&[start, &rest].concat());
            let kept = clean_name(&name);
            prop_assert!(!kept.is_empty() && kept.chars().count() <= NAME_MAX);
            prop_assert!(!kept.contains(['/', '\\', '"', '\0', '\n']), "{kept}");
        }
    }
}
