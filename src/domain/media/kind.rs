//! The kind of a file, told from its bytes. Any file can be evidence, so every file has a kind, and an unknown one is
//! opaque. Must never trust a name or a sender for the kind, nor read more of a file than its beginning and its
//! directory.

use std::io;

use infer::MatcherType;
use rawzip::ReaderAt;

use crate::domain::media::container;
use crate::domain::media::film;

/// Bytes at the beginning of a file that its kind is told from.
const HEAD: u64 = 64 * 1024;
/// The type of everything that the program does not know.
pub const OPAQUE: &str = "application/octet-stream";
/// The type of files that a computer would run.
pub const PROGRAM: &str = "application/x-executable";
pub const TEXT: &str = "text/plain";
pub const MAIL: &str = "message/rfc822";
/// Headers that a mail begins with; it has two of them at least.
const HEADERS: [&str; 11] = [
    "from",
    "to",
    "subject",
    "date",
    "received",
    "return-path",
    "message-id",
    "mime-version",
    "delivered-to",
    "reply-to",
    "content-type",
];
/// Before `%PDF-` some programs write a line of their own (ISO 32000-1, annex H, note 13).
const PDF_WITHIN: usize = 1_024;

/// The media type of a file of so many bytes.
pub fn media_type(file: &impl ReaderAt, size: u64) -> io::Result<&'static str> {
    let head = container::read(file, 0, HEAD.min(size))?;
    if container::is_zip(&head) {
        return Ok(container::zip(file, size));
    }
    if container::is_compound(&head) {
        return container::compound(file, &head);
    }
    if let Some(film) = film::of_boxes(&head) {
        let tracks = film::tracks(file, size)?;
        return Ok(film::or_sound(
            film,
            if tracks.is_empty() { &head } else { &tracks },
        ));
    }
    Ok(of_head(&head))
}

/// The media type of what holds no others: neither an archive nor a compound file, nor a film of boxes.
fn of_head(head: &[u8]) -> &'static str {
    film::of_packets(head)
        .or_else(|| marked(head))
        .or_else(|| text(head, false))
        .or_else(|| inferred(head))
        .or_else(|| text(head, true))
        .unwrap_or(OPAQUE)
}

/// By marks that `infer` lacks, or that may begin a file of letters alone.
fn marked(head: &[u8]) -> Option<&'static str> {
    let starts = |mark: &[u8]| head.starts_with(mark);
    let early = &head[..head.len().min(PDF_WITHIN)];
    let is_pdf = starts(b"%PDF-") || (!is_letters(head) && container::contains(early, b"%PDF-"));
    match () {
        () if is_pdf => Some("application/pdf"),
        () if starts(b"{\\rtf") => Some("application/rtf"),
        () if starts(b"#!AMR") => Some("audio/amr"),
        () if starts(b"caff\0\x01") => Some("audio/x-caf"),
        () => None,
    }
}

fn inferred(head: &[u8]) -> Option<&'static str> {
    let found = infer::get(head)?;
    match (found.matcher_type(), found.mime_type()) {
        (MatcherType::Video, named) => Some(film::or_sound(named, head)),
        (MatcherType::Image | MatcherType::Audio, named) => Some(named),
        // Certificates and disks are none.
        (MatcherType::App, named) if !named.contains("x509") && !named.contains("disk") => {
            Some(PROGRAM)
        }
        _ => None,
    }
}

/// A text, or a mail; `any_bytes`: in one of the codes from before Unicode.
fn text(head: &[u8], any_bytes: bool) -> Option<&'static str> {
    if head.is_empty() {
        return None;
    }
    if is_wide_text(head) {
        return Some(TEXT);
    }
    let readable = is_letters(head) && (any_bytes || is_utf8(head));
    readable.then(|| if is_mail(head) { MAIL } else { TEXT })
}

/// Nothing that a text does not hold.
fn is_letters(head: &[u8]) -> bool {
    !head.iter().copied().any(is_control)
}

fn is_control(byte: u8) -> bool {
    matches!(byte, 0..=8 | 0x0B | 0x0E..=0x1A | 0x1C..=0x1F | 0x7F)
}

/// The last character may be cut.
fn is_utf8(head: &[u8]) -> bool {
    std::str::from_utf8(head).map_or_else(|error| error.error_len().is_none(), |_| true)
}

/// UTF-16 with its mark.
fn is_wide_text(head: &[u8]) -> bool {
    let unit: fn([u8; 2]) -> u16 = match head {
        [0xFF, 0xFE, ..] => u16::from_le_bytes,
        [0xFE, 0xFF, ..] => u16::from_be_bytes,
        _ => return false,
    };
    let units = head[2..].as_chunks().0.iter().map(|pair| unit(*pair));
    let units: Vec<u16> = units.collect();
    let control = |unit: &u16| u8::try_from(*unit).is_ok_and(is_control);
    // A pair that the head cuts is no fault.
    let whole = units.len().saturating_sub(1);
    let valid = char::decode_utf16(units[..whole].iter().copied()).filter(Result::is_err);
    !units.iter().any(control) && valid.count() <= 1
}

/// It begins with lines of headers (RFC 5322), behind the line of a mailbox file where there is one.
fn is_mail(head: &[u8]) -> bool {
    let head = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head);
    let lines = head
        .split(|byte| *byte == b'\n')
        .map(<[u8]>::trim_ascii_end);
    let mut lines = lines
        .skip_while(|line| line.starts_with(b"From "))
        .peekable();
    let mut known = 0;
    while let Some(line) = lines.next_if(|line| !line.is_empty()) {
        if line.starts_with(b" ") || line.starts_with(b"\t") {
            continue;
        }
        let Some(name) = header_name(line) else {
            return false;
        };
        known += usize::from(HEADERS.iter().any(|one| name.eq_ignore_ascii_case(one)));
        if known == 2 {
            return true;
        }
    }
    false
}

fn header_name(line: &[u8]) -> Option<&str> {
    let colon = line.iter().position(|byte| *byte == b':')?;
    // Some programs put a blank before the colon.
    let name = std::str::from_utf8(line[..colon].trim_ascii_end()).ok()?;
    let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_graphic());
    is_name.then_some(name)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::DeflateEncoder;
    use proptest::prelude::*;
    use rawzip::{CompressionMethod, ZipArchiveWriter};

    use crate::domain::media::attachment::name_of;
    use crate::domain::media::container::ZIP;
    use crate::domain::media::kind::*;

    fn kind_of(bytes: &[u8]) -> &'static str {
        media_type(&bytes, bytes.len() as u64).expect("bytes do not fail")
    }

    /// An archive of these parts, each with what it says.
    fn zip(parts: &[(&str, &str)], method: CompressionMethod) -> Vec<u8> {
        let mut archive = ZipArchiveWriter::new(Vec::new());
        for (name, said) in parts {
            let part = archive.new_file(name).compression_method(method);
            let (mut entry, config) = part.start().expect("a part");
            let end = if method == CompressionMethod::DEFLATE {
                let packed = DeflateEncoder::new(&mut entry, Compression::default());
                let mut content = config.wrap(packed);
                content.write_all(said.as_bytes()).expect("written");
                let (packed, end) = content.finish().expect("an end");
                packed.finish().expect("packed");
                end
            } else {
                let mut content = config.wrap(&mut entry);
                content.write_all(said.as_bytes()).expect("written");
                content.finish().expect("an end").1
            };
            entry.finish(end).expect("a part");
        }
        archive.finish().expect("an archive")
    }

    fn names(names: &[&str]) -> Vec<u8> {
        let parts: Vec<_> = names.iter().map(|name| (*name, "testo")).collect();
        zip(&parts, CompressionMethod::STORE)
    }

    /// A compound file whose directory begins behind so many sectors and goes on in a sector far away.
    fn compound(before: u32, names: &[&str]) -> Vec<u8> {
        let (table, far) = (0_u32, before + 9);
        let words = |words: &[u32]| -> Vec<u8> {
            words.iter().flat_map(|word| word.to_le_bytes()).collect()
        };
        let mut follows = vec![u32::MAX; 128];
        follows[before as usize] = far;
        follows[far as usize] = 0xFFFF_FFFE;
        let mut file = [
            &b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"[..],
            &[0; 22],
            &[9, 0, 6, 0],
        ]
        .concat();
        file.extend([0; 14]);
        file.extend(words(&[
            before,
            0,
            4096,
            0xFFFF_FFFE,
            0,
            0xFFFF_FFFE,
            0,
            table,
        ]));
        file.resize(512, 0xFF);
        file.extend(words(&follows));
        file.resize(512 * (far as usize + 3), 0);
        let entry = |name: &str| {
            let mut entry: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
            let length = u16::try_from(entry.len() + 2).expect("short").to_le_bytes();
            entry.resize(64, 0);
            entry.extend(length);
            entry.resize(128, 0);
            entry
        };
        for (at, name) in names.iter().enumerate() {
            let sector = if at < 4 { before } else { far } as usize + 1;
            let place = sector * 512 + at % 4 * 128;
            file[place..place + 128].copy_from_slice(&entry(name));
        }
        file
    }

    /// Each with its name, what it is, and the name under which it is handed out.
    type Row<'a> = (&'a str, Vec<u8>, &'a str, &'a str);

    fn all_keep_kind_and_name(rows: Vec<Row<'_>>) {
        for (name, bytes, kind, kept) in rows {
            let found = kind_of(&bytes);
            assert_eq!((found, &*name_of(name, found)), (kind, kept), "{name}");
        }
    }

    const WORD: &str = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
    const EXCEL: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
    const ODT: &str = "application/vnd.oasis.opendocument.text";

    #[test]
    #[rustfmt::skip]
    fn an_archive_is_told_by_its_whole_directory() {
        let types = "[Content_Types].xml";
        let stored = CompressionMethod::STORE;
        let odt = [("content.xml", "<x/>"), ("mimetype", ODT)];
        let cut = names(&["word/document.xml", types])[..60].to_vec();
        all_keep_kind_and_name(vec![
            // python-openxml/python-docx#545, bojand/infer#130: parts in an order of their maker's own.
            ("a.docx", names(&["customXml/item1.xml", types, "word/document.xml"]), WORD, "a.docx"),
            ("a.docx", names(&["docProps/core.xml", "word/document.xml", types]), WORD, "a.docx"),
            ("a.docx", names(&["[trash]/0000.dat", "word/document.xml", types]), WORD, "a.docx"),
            ("a.docx", names(&["word/document2.xml", "[content_types].xml"]), WORD, "a.docx"),
            ("macro.docm", names(&[types, "word/vbaProject.bin"]), WORD, "macro.docm"),
            ("conti.xlsm", names(&["xl/workbook.xml", types]), EXCEL, "conti.xlsm"),
            ("conti.xlsb", names(&["_rels/.rels", "xl/workbook.bin", types]), EXCEL, "conti.xlsb"),
            ("conti.jpg", names(&["xl/workbook.xml", types]), EXCEL, "conti.jpg.xlsx"),
            // OpenDocument and EPUB where `mimetype` is not first, or was packed again.
            ("lettera.odt", zip(&odt, stored), ODT, "lettera.odt"),
            ("lettera", zip(&odt, CompressionMethod::DEFLATE), ODT, "lettera.odt"),
            (
                "libro.epub",
                zip(&[("mimetype", "application/epub+zip\n")], stored),
                "application/epub+zip",
                "libro.epub",
            ),
            // An export of WhatsApp, and other archives.
            ("Chat WhatsApp con Capo.zip", names(&["_chat.txt", "00000012-PHOTO.jpg"]), ZIP, "Chat WhatsApp con Capo.zip"),
            ("documenti", names(&["word/a.txt"]), ZIP, "documenti.zip"),
            ("Verbale del 12.03.2024", names(&["a"]), ZIP, "Verbale del 12.03.2024.zip"),
            ("app.apk", names(&["META-INF/MANIFEST.MF", "classes.dex"]), ZIP, "app.apk"),
            ("relazione.pages", names(&["Index/Document.iwa"]), ZIP, "relazione.pages"),
            ("firma.asice", names(&["mimetype", "META-INF/manifest.xml"]), ZIP, "firma.asice"),
            ("foto.jpg", names(&["a.exe"]), ZIP, "foto.jpg.zip"),
            ("tronco.docx", cut, ZIP, "tronco.docx"),
            ("vuoto.zip", b"PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0".to_vec(), ZIP, "vuoto.zip"),
        ]);
    }

    #[test]
    fn a_compound_file_is_told_by_its_directory() {
        let root = "Root Entry";
        let filler = [root, "\u{1}CompObj", "\u{5}SummaryInformation", "1Table"];
        let late = |name| compound(40, &[&filler[..], &[name]].concat());
        let (doc, xls) = ("application/msword", "application/vnd.ms-excel");
        let msg = "application/vnd.ms-outlook";
        let office = "application/vnd.openxmlformats-officedocument";
        let other = "application/x-ole-storage";
        all_keep_kind_and_name(vec![
            // gabriel-vasile/mimetype#325, h2non/filetype.py#181, google/magika#1256.
            (
                "mail.msg",
                compound(1, &[root, "__properties_version1.0"]),
                msg,
                "mail.msg",
            ),
            (
                "modello.oft",
                late("__nameid_version1.0"),
                msg,
                "modello.oft",
            ),
            ("mail", late("__properties_version1.0"), msg, "mail.msg"),
            (
                "protetto.docx",
                compound(1, &[root, "EncryptionInfo", "EncryptedPackage"]),
                office,
                "protetto.docx",
            ),
            (
                "protetto.xlsm",
                late("EncryptedPackage"),
                office,
                "protetto.xlsm",
            ),
            ("lettera.doc", late("WordDocument"), doc, "lettera.doc"),
            (
                "lettera.xls",
                compound(3, &[root, "WordDocument"]),
                doc,
                "lettera.xls.doc",
            ),
            (
                "x.msi",
                compound(3, &[root, "WordDocument"]),
                doc,
                "x.msi.doc",
            ),
            ("conti.xls", late("Workbook"), xls, "conti.xls"),
            ("vecchi.xls", late("Book"), xls, "vecchi.xls"),
            (
                "slide.pps",
                late("PowerPoint Document"),
                "application/vnd.ms-powerpoint",
                "slide.pps",
            ),
            ("schema.vsd", late("VisioDocument"), other, "schema.vsd"),
            ("progetto.mpp", compound(2, &[root]), other, "progetto.mpp"),
            ("foto.jpg", compound(2, &[root]), other, "foto.jpg"),
            (
                "cortissimo.doc",
                b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1".to_vec(),
                other,
                "cortissimo.doc",
            ),
        ]);
    }

    #[test]
    fn a_compound_file_of_many_megabytes_is_told_by_its_directory() {
        // Its tables are more than the header names (MS-CFB, 2.5): the directory goes on behind them.
        let far = 109 * 128 + 5_u32;
        let mut file = compound(1, &["Root Entry", "a", "b", "c"]);
        file.resize((far as usize + 2) * 512, 0);
        let place = |sector: u32, word: u32| (sector as usize + 1) * 512 + word as usize * 4;
        let mut put = |at: usize, word: u32| file[at..at + 4].copy_from_slice(&word.to_le_bytes());
        // The first of the directory's sectors is far away, and followed by another.
        put(0x30, far - 1);
        put(0x44, 7);
        put(place(7, 0), 8);
        put(place(8, (far - 1) % 128), far);
        let entry = (far as usize + 1) * 512;
        for (at, unit) in "WordDocument".encode_utf16().enumerate() {
            file[entry + 2 * at..][..2].copy_from_slice(&unit.to_le_bytes());
        }
        file[entry + 64] = 26;
        assert_eq!(kind_of(&file), "application/msword");
    }

    fn boxes(brands: &str) -> Vec<u8> {
        let length = u8::try_from(8 + brands.len()).expect("short");
        [
            &[0, 0, 0, length],
            &b"ftyp"[..],
            brands.as_bytes(),
            &[0; 100],
        ]
        .concat()
    }

    /// A film of these tracks, each with long tables, written behind what was recorded.
    fn recorded(tracks: &[&str]) -> Vec<u8> {
        let sized = |kind: &str, content: Vec<u8>| {
            let length = u32::try_from(content.len() + 8)
                .expect("short")
                .to_be_bytes();
            [&length[..], kind.as_bytes(), &content].concat()
        };
        let track = |handler: &&str| {
            let tables = vec![0; 100_000];
            sized(
                "trak",
                [&b"mdia hdlr "[..], handler.as_bytes(), &tables].concat(),
            )
        };
        let moov = sized("moov", tracks.iter().flat_map(track).collect());
        let ftyp = sized("ftyp", b"mp42\0\0\0\0isommp42".to_vec());
        [ftyp, sized("mdat", vec![0xFF; 200_000]), moov].concat()
    }

    fn packets(length: usize, before: usize, stamp: u8) -> Vec<u8> {
        let mut bytes = vec![0xFF; 3 * length];
        for at in (0..bytes.len()).step_by(length) {
            bytes[at..at + 4].fill(stamp);
            bytes[at + before] = 0x47;
        }
        bytes
    }

    #[test]
    #[rustfmt::skip]
    fn what_phones_and_cameras_make_is_known() {
        all_keep_kind_and_name(vec![
            // wordpress-mobile/WordPress-Android#6178, mastodon/mastodon#11186.
            ("rec.3gp", boxes("3gp4\0\0\0\x003gp4isom"), "video/3gpp", "rec.3gp"),
            ("rec.3g2", boxes("3g2a\0\0\0\x003g2a"), "video/3gpp2", "rec.3g2"),
            ("voce.3gp", [boxes("3gp4\0\0\0\0isom"), b"hdlr soun samr".to_vec()].concat(), "audio/3gpp", "voce.3gp"),
            // Brands of makers (mp4ra.org): Sony, Nikon, GoPro, and one that is not registered.
            ("C0001.MP4", boxes("XAVC\0\0\0\0XAVCmp42iso2"), "video/mp4", "C0001.MP4"),
            ("DSC.MOV", boxes("niko\0\0\0\0"), "video/mp4", "DSC.MOV"),
            ("x.mp4", boxes("zzzz\0\0\0\0"), "video/mp4", "x.mp4"),
            ("IMG.MOV", boxes("qt  \0\0\0\0qt  "), "video/quicktime", "IMG.MOV"),
            ("Nota.m4a", boxes("M4A \0\0\0\0M4A isom"), "audio/m4a", "Nota.m4a"),
            ("IMG.CR3", boxes("crx \0\0\0\x01crx isom"), "image/x-canon-cr3", "IMG.CR3"),
            // Photos of iPhones, single and in bursts (ISO/IEC 23008-12, annex B).
            ("IMG.HEIC", boxes("heic\0\0\0\0mif1heic"), "image/heif", "IMG.HEIC"),
            ("IMG.heic", boxes("heix\0\0\0\0mif1heix"), "image/heif", "IMG.heic"),
            ("raffica.heics", boxes("hevc\0\0\0\0msf1hevc"), "image/heif", "raffica.heics"),
            ("raffica.heic", boxes("msf1\0\0\0\0msf1hevc"), "image/heif", "raffica.heic"),
            ("IMG.HIF", boxes("mif1\0\0\0\0mif1heix"), "image/heif", "IMG.HIF"),
            ("x.avif", boxes("mif1\0\0\0\0avifmiaf"), "image/avif", "x.avif"),
            ("x.avif", boxes("avis\0\0\0\0avis"), "image/avif", "x.avif"),
            ("00012.MTS", packets(192, 4, 0), "video/mp2t", "00012.MTS"),
            // A time that begins like an icon.
            ("00013.m2ts", packets(192, 4, 1), "video/mp2t", "00013.m2ts"),
            ("rec.ts", packets(188, 0, 0x47), "video/mp2t", "rec.ts"),
            ("Memo.caf", b"caff\0\x01\0\0desc\0\0\0\0\0\0\0\x20".to_vec(), "audio/x-caf", "Memo.caf"),
            ("rec.amr", b"#!AMR\n\x3C\x48\xF5\x1F".to_vec(), "audio/amr", "rec.amr"),
            ("rec.awb", b"#!AMR-WB\n\x44\x10".to_vec(), "audio/amr", "rec.awb"),
            ("PTT-20241103-WA0001.opus", [&b"OggS\0\x02"[..], &[0; 22], b"OpusHead\x01\x01"].concat(), "audio/opus", "PTT-20241103-WA0001.opus"),
            ("STK.webp", b"RIFF\x24\0\0\0WEBPVP8 ".to_vec(), "image/webp", "STK.webp"),
            // Voice recorders write what a film is behind it; a film may begin with its sound.
            ("Voce 001.m4a", recorded(&["soun"]), "audio/mp4", "Voce 001.m4a"),
            ("VID_001.mp4", recorded(&["soun", "vide"]), "video/mp4", "VID_001.mp4"),
            ("DSC.NEF", b"MM\0\x2A\0\0\0\x08\0\x1C".to_vec(), "image/tiff", "DSC.NEF"),
            ("foto.jpe", b"\xFF\xD8\xFF\xE0\0\x10JFIF\0".to_vec(), "image/jpeg", "foto.jpe"),
            ("gatto.exe", b"\xFF\xD8\xFF\xE0\0\x10JFIF\0".to_vec(), "image/jpeg", "gatto.exe.jpg"),
            ("tavola.psd", b"8BPS\0\x01\0\0\0\0\0\0".to_vec(), "image/vnd.adobe.photoshop", "tavola.psd"),
        ]);
    }

    #[test]
    #[rustfmt::skip]
    fn papers_are_told_from_texts_and_programs_from_both() {
        let mail = "From: a@example.it\r\nTo: b@example.it\r\nSubject: x\r\n\r\nciao\r\n";
        let pec = "Return-Path: <x@pec.example>\nReceived: from y\n\tby z\nX-Riferimento-Message-ID: <1>\n\n";
        let wide = |text: &str| {
            let units = text.encode_utf16().flat_map(u16::to_le_bytes);
            [0xFF, 0xFE].into_iter().chain(units).collect::<Vec<u8>>()
        };
        let of = |text: &str| text.as_bytes().to_vec();
        let exe = b"MZ\x90\0\x03\0\0\0\x04\0\0\0\xFF\xFF\0\0".to_vec();
        all_keep_kind_and_name(vec![
            // globaleaks/GlobaLeaks#2586 and #3550, chatwoot/chatwoot#2697, okfde/froide#494.
            ("appunti.txt", of("È tutto vero.\n"), TEXT, "appunti.txt"),
            ("appunti", of("È tutto vero.\n"), TEXT, "appunti.txt"),
            ("mail.eml", of(mail), MAIL, "mail.eml"),
            ("mail", of(mail), MAIL, "mail.eml"),
            ("mail.txt", of(mail), MAIL, "mail.txt"),
            ("postacert.eml", of(pec), MAIL, "postacert.eml"),
            ("posta.mbox", of(&format!("From a@b Mon\n{mail}")), MAIL, "posta.mbox"),
            ("latino.eml", [mail.as_bytes(), b"perch\xE9\n"].concat(), MAIL, "latino.eml"),
            ("rotta.eml", of("Fro :u <m@a.it>\nTo: b@a.it\nSubject: x\n\nciao"), MAIL, "rotta.eml"),
            ("nota.txt", of("Nota: chiama\nDa: chi?\n"), TEXT, "nota.txt"),
            ("rubrica.vcf", of("BEGIN:VCARD\r\nVERSION:3.0\r\n"), TEXT, "rubrica.vcf"),
            ("conti.csv", b"citt\xE0;totale\r\nForl\xEC;3\r\n".to_vec(), TEXT, "conti.csv"),
            ("conti.csv", wide("nome\tcittà\r\n"), TEXT, "conti.csv"),
            // A table that an office saves as a page and calls a sheet.
            ("elenco.xls", of("<html><table><tr><td>1</table>"), TEXT, "elenco.xls"),
            ("pagina.html", of("<!DOCTYPE html><script>alert(1)</script>"), TEXT, "pagina.html"),
            ("disegno.svg", of("<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>"), TEXT, "disegno.svg"),
            // Words that begin like a picture, a program, a sound.
            ("a.txt", of("BMW rubata"), TEXT, "a.txt"),
            ("a.txt", of("MZ è il capo"), TEXT, "a.txt"),
            ("a.txt", of("ID3 e GIF non c'entrano"), TEXT, "a.txt"),
            ("contratto.pdf.p7m", b"0\x80\x06\t*\x86H\x86\xF7\r\x01\x07\x02".to_vec(), OPAQUE, "contratto.pdf.p7m"),
            ("contratto.pdf.p7m", b"0\x82\x01\0\x06\t*\x86H\x86\xF7\r\x01\x07\x02".to_vec(), OPAQUE, "contratto.pdf.p7m"),
            ("atto.pdf", b"\x1B%-12345X@PJL\x01\n%PDF-1.4\n".to_vec(), "application/pdf", "atto.pdf"),
            ("nota.doc", of("{\\rtf1\\ansi"), "application/rtf", "nota.doc"),
            ("archivio.rar", b"Rar!\x1A\x07\x01\0\0".to_vec(), OPAQUE, "archivio.rar"),
            ("parte.7z.001", b"7z\xBC\xAF\x27\x1C\0\x04".to_vec(), OPAQUE, "parte.7z.001"),
            ("senza", vec![0, 1, 2, 3], OPAQUE, "senza"),
            ("zeri.dat", vec![0; 5_000], OPAQUE, "zeri.dat"),
            ("programma.exe", exe.clone(), PROGRAM, "programma.exe"),
            ("foto.jpg", exe.clone(), PROGRAM, "foto.jpg.bin"),
            ("fattura.docx", exe, PROGRAM, "fattura.docx.bin"),
            ("foto.jpg", vec![0, 1, 2, 3], OPAQUE, "foto.jpg"),
        ]);
    }

    proptest! {
        #[test]
        fn any_bytes_have_a_kind(
            start in prop::sample::select(vec![
                &b""[..], b"PK\x03\x04", b"PK\x05\x06", b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", b"\0\0\0\x18ftyp", b"\0\0\0\x10ftypisom\0\0\0\0", b"RIFF",
                b"\x1AE\xDF\xA3", b"\xFF\xFE", b"From: a\nTo: b",
            ]),
            rest in prop::collection::vec(any::<u8>(), 0..2_000),
        ) {
            let kind = kind_of(&[start, &rest].concat());
            prop_assert!(kind.contains('/') && !kind.contains("svg") && !kind.contains("html"));
        }
    }
}
