//! Files that reporters attach: the names under which they are kept and handed out, and how they are told in words.
//! Must never keep a name that is a path, that no disk takes, or that hides its ending.

use serde::{Deserialize, Serialize};

use crate::domain::media::container::{COMPOUND, EXCEL, OFFICE, OUTLOOK, POWERPOINT, WORD, ZIP};
use crate::domain::media::kind::{MAIL, OPAQUE, PROGRAM, TEXT};
use crate::domain::text;
use crate::domain::text::counted;

/// Ending included: in characters, and in bytes, of which a file system takes 255 with the number that an archive puts before.
const NAME_MAX: usize = 120;
const NAME_MAX_BYTES: usize = 240;
/// The name of a file whose own name says nothing.
const NAMELESS: &str = "allegato";
/// Longest ending, in letters and digits.
const ENDING_MAX: usize = 10;
/// Names that Windows takes for a device, with any ending.
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "conin$", "conout$"];
/// Added to the name of a program that bears the ending of something else.
const NO_PICTURE: &str = "bin";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttachmentKind {
    Photo,
    Video,
    Audio,
    Pdf,
    Mail,
    Text,
    Archive,
    Document,
    Program,
    /// A kind that the program does not know.
    Other,
}

impl AttachmentKind {
    pub fn of(media_type: &str) -> Self {
        match (media_type.split('/').next(), media_type) {
            (Some("image"), _) => Self::Photo,
            (Some("video"), _) => Self::Video,
            (Some("audio"), _) => Self::Audio,
            (_, "application/pdf") => Self::Pdf,
            (_, MAIL | OUTLOOK) => Self::Mail,
            (_, TEXT) => Self::Text,
            (_, ZIP) => Self::Archive,
            (_, PROGRAM) => Self::Program,
            (_, OPAQUE | COMPOUND) => Self::Other,
            _ => Self::Document,
        }
    }

    pub const fn label(self) -> &'static str {
        match self {
            Self::Photo => "foto",
            Self::Video => "video",
            Self::Audio => "audio",
            Self::Pdf => "PDF",
            Self::Mail => "email",
            Self::Text => "testo",
            Self::Archive => "archivio",
            Self::Document => "documento",
            Self::Program => "programma",
            Self::Other => "file",
        }
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
    let stem = text::lower(line.split('.').next().unwrap_or_default().trim_end());
    let is_port = |port: &str| {
        let number = stem.strip_prefix(port);
        number.is_some_and(|number| {
            text::char_count(number) == 1 && number.contains(|one: char| one.is_numeric())
        })
    };
    if DEVICES.contains(&&*stem) || is_port("com") || is_port("lpt") {
        return shortened(&format!("_{line}"));
    }
    shortened(line)
}

/// Too long a name loses its beginning: the ending says more.
fn shortened(name: &str) -> String {
    let over = text::char_count(name).saturating_sub(NAME_MAX);
    let mut kept = name.chars().skip(over).peekable();
    let mut bytes: usize = kept.clone().map(char::len_utf8).sum();
    while bytes > NAME_MAX_BYTES
        && let Some(first) = kept.next()
    {
        bytes -= first.len_utf8();
    }
    kept.collect()
}

/// With an ending of its kind. One that fits is kept, and so is every ending of what the program does not know; but what is none
/// must not bear the ending of a picture, a sound, a film or a PDF, nor a program that of any kind that is known.
pub fn name_of(name: &str, media_type: &str) -> String {
    let ending = ending_of(name).map(text::lower);
    let fits = |known: &&MediaKind| ending.as_ref().is_some_and(|ending| known.ends(ending));
    let claimed: Vec<_> = KINDS.iter().filter(fits).map(|kind| kind.0).collect();
    let shown = |claimed: &&str| {
        use AttachmentKind::{Audio, Pdf, Photo, Video};
        matches!(AttachmentKind::of(claimed), Photo | Video | Audio | Pdf)
    };
    let keeps = match media_type {
        OPAQUE | TEXT | MAIL => ending.is_some(),
        ZIP | COMPOUND => ending.is_some() && !claimed.iter().any(shown),
        PROGRAM => claimed.is_empty(),
        known => claimed.contains(&known),
    };
    let usual = usual_ending(media_type);
    if keeps || usual.is_empty() {
        return shortened(name);
    }
    shortened(&format!("{name}.{usual}"))
}

fn usual_ending(media_type: &str) -> &'static str {
    match media_type {
        PROGRAM => NO_PICTURE,
        known => {
            let kind = KINDS.iter().find(|kind| kind.0 == known);
            kind.and_then(|kind| kind.1.split(' ').next())
                .unwrap_or_default()
        }
    }
}

/// Letters and digits behind the last full stop: not those of a date.
fn ending_of(name: &str) -> Option<&str> {
    let (_, ending) = name.rsplit_once('.')?;
    let short = text::char_count(ending) <= ENDING_MAX;
    let has_letter = ending.contains(char::is_alphabetic);
    (short && has_letter && ending.chars().all(char::is_alphanumeric)).then_some(ending)
}

/// A media type, and the endings that fit it, the usual one first.
#[derive(Debug, Clone)]
struct MediaKind(&'static str, &'static str);

impl MediaKind {
    fn ends(&self, ending: &str) -> bool {
        self.1.split(' ').any(|known| known == ending)
    }
}

const KINDS: &[MediaKind] = &[
    MediaKind("image/jpeg", "jpg jpeg jpe jfif mpo"),
    MediaKind("image/png", "png apng"),
    MediaKind("image/gif", "gif"),
    MediaKind("image/webp", "webp"),
    MediaKind("image/heif", "heic heif heics heifs hif"),
    MediaKind("image/avif", "avif avifs"),
    // Cameras keep what the sensor saw as TIFF, each under an ending of its own.
    MediaKind(
        "image/tiff",
        "tif tiff dng nef nrw arw sr2 srf srw pef 3fr iiq erf mef mos kdc dcr gpr fff",
    ),
    MediaKind("image/x-canon-cr2", "cr2"),
    MediaKind("image/x-canon-cr3", "cr3"),
    MediaKind("image/bmp", "bmp dib"),
    MediaKind("image/jp2", "jp2 j2k jpf jpx jpm"),
    MediaKind("image/jxl", "jxl"),
    MediaKind("image/vnd.ms-photo", "jxr wdp hdp"),
    MediaKind("image/vnd.adobe.photoshop", "psd psb"),
    MediaKind("image/vnd.microsoft.icon", "ico cur"),
    MediaKind("image/vnd.djvu", "djvu djv"),
    MediaKind("image/vnd.dwg", "dwg dwt"),
    MediaKind("image/openraster", "ora"),
    MediaKind("video/mp4", "mp4 m4v mov f4v f4p 3gp 3g2 insv lrv"),
    MediaKind("video/x-m4v", "m4v mp4"),
    MediaKind("video/quicktime", "mov qt mp4"),
    MediaKind("video/3gpp", "3gp 3gpp 3g2 mp4"),
    MediaKind("video/3gpp2", "3g2 3gp 3gpp2 mp4"),
    MediaKind("video/mp2t", "ts mts m2ts m2t tp trp tod"),
    MediaKind("video/x-matroska", "mkv webm mk3d"),
    MediaKind("video/webm", "webm mkv"),
    MediaKind("video/mpeg", "mpg mpeg mpe m2v m1v vob mod dat"),
    MediaKind("video/x-msvideo", "avi"),
    MediaKind("video/x-ms-wmv", "wmv asf wma"),
    MediaKind("video/x-flv", "flv"),
    MediaKind("audio/m4a", "m4a m4b m4p mp4 m4r aac"),
    MediaKind("audio/mp4", "m4a mp4 aac m4r 3gp"),
    MediaKind("audio/3gpp", "3gp 3gpp amr m4a mp4"),
    MediaKind("audio/3gpp2", "3g2 3gp m4a mp4"),
    MediaKind("audio/x-matroska", "mka mkv"),
    MediaKind("audio/webm", "webm weba"),
    MediaKind("audio/ogg", "ogg oga opus spx ogv ogx"),
    MediaKind("audio/opus", "opus ogg oga"),
    MediaKind("audio/mpeg", "mp3 mp2 mpga"),
    MediaKind("audio/aac", "aac adts"),
    MediaKind("audio/amr", "amr awb 3ga"),
    MediaKind("audio/x-caf", "caf"),
    MediaKind("audio/x-wav", "wav wave bwf"),
    MediaKind("audio/x-aiff", "aiff aif aifc"),
    MediaKind("audio/x-flac", "flac"),
    MediaKind("audio/midi", "midi mid kar"),
    MediaKind("audio/x-dsf", "dsf"),
    MediaKind("audio/x-ape", "ape"),
    MediaKind("application/pdf", "pdf ai"),
    MediaKind("application/rtf", "rtf doc"),
    MediaKind(WORD, "docx docm dotx dotm"),
    MediaKind(EXCEL, "xlsx xlsm xltx xltm xlsb xlam"),
    MediaKind(POWERPOINT, "pptx pptm ppsx ppsm potx potm ppam"),
    MediaKind(
        OFFICE,
        "docx docm dotx dotm xlsx xlsm xltx xltm xlsb pptx pptm ppsx ppsm potx potm",
    ),
    MediaKind("application/msword", "doc dot wiz"),
    MediaKind("application/vnd.ms-excel", "xls xlt xla xlm"),
    MediaKind("application/vnd.ms-powerpoint", "ppt pps pot ppa"),
    MediaKind(OUTLOOK, "msg oft"),
    MediaKind("application/vnd.oasis.opendocument.text", "odt ott"),
    MediaKind("application/vnd.oasis.opendocument.spreadsheet", "ods ots"),
    MediaKind("application/vnd.oasis.opendocument.presentation", "odp otp"),
    MediaKind("application/vnd.oasis.opendocument.graphics", "odg otg"),
    MediaKind("application/epub+zip", "epub"),
    MediaKind(MAIL, "eml"),
    MediaKind(TEXT, "txt"),
    MediaKind(ZIP, "zip"),
];

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
            // Windows opens a device under these, and drops a full stop at the end.
            ("CON", "_CON"),
            ("nul.pdf", "_nul.pdf"),
            ("com1.tar.gz", "_com1.tar.gz"),
            ("Com\u{B9}.txt", "_Com\u{B9}.txt"),
            ("contratto.pdf", "contratto.pdf"),
            ("com10.pdf", "com10.pdf"),
            ("fine.pdf. .", "fine.pdf"),
        ] {
            assert_eq!(clean_name(name), kept, "{name:?}");
        }
    }

    #[test]
    fn a_name_fits_every_disk() {
        for (name, characters, bytes) in [
            (format!("{}.jpg", "a".repeat(300)), 120, 120),
            (format!("{}.jpg", "è".repeat(300)), 120, 236),
            // TryGhost/framework#144: an entry of an archive that ext4 does not take.
            (format!("{}.pdf", "漢字".repeat(70)), 82, 238),
            (format!("{}.pdf", "🎥".repeat(70)), 63, 240),
        ] {
            let kept = clean_name(&name);
            assert_eq!(
                (text::char_count(&kept), kept.len()),
                (characters, bytes),
                "{name}"
            );
            assert_eq!(kept[kept.len() - 4..], name[name.len() - 4..]);
            let handed_out = name_of(&kept, "image/png");
            assert_eq!(ending_of(&handed_out), Some("png"));
            assert!(handed_out.len() <= NAME_MAX_BYTES);
        }
    }

    #[test]
    fn files_are_told_by_what_they_are() {
        for (media_type, label) in [
            ("image/heif", "foto"),
            ("application/pdf", "PDF"),
            (MAIL, "email"),
            (OUTLOOK, "email"),
            (TEXT, "testo"),
            (ZIP, "archivio"),
            (WORD, "documento"),
            (PROGRAM, "programma"),
            (OPAQUE, "file"),
        ] {
            assert_eq!(
                AttachmentKind::of(media_type).label(),
                label,
                "{media_type}"
            );
        }
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
        fn any_name_is_kept_or_mended(name in "\\PC*", kind in prop::sample::select(KINDS)) {
            let kept = clean_name(&name);
            let handed_out = name_of(&kept, kind.0);
            prop_assert!(!kept.is_empty() && text::char_count(&handed_out) <= NAME_MAX && handed_out.len() <= NAME_MAX_BYTES);
            prop_assert!(!kept.contains(['/', '\\', '"', '\0', '\n']), "{kept}");
        }
    }
}
