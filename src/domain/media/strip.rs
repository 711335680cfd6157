//! A copy of a picture without place, time and device. [`plan`] reads the picture once and says which bytes make up the copy,
//! which is then made while it is sent, never held whole. Must never decode a pixel, nor keep an unknown part.

use std::io::{self, BufRead, ErrorKind, Read};
use std::ops::Range;

const PICTURES: [&str; 3] = ["image/jpeg", "image/png", "image/webp"];
/// No camera or image editor writes more parts.
const MOST_PARTS: usize = 65_536;
pub const REFUSED: &str =
    "Posizione e dispositivo si possono togliere solo dalle foto JPEG, PNG e WebP.";
pub const UNREADABLE: &str =
    "La foto è incompleta o non è fatta come dovrebbe: non se ne può fare una copia pulita.";

pub fn can_strip(media_type: &str) -> bool {
    PICTURES.contains(&media_type)
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CopyPart {
    /// In ascending order.
    Copied(Range<u64>),
    /// Replaced bytes.
    Written(Vec<u8>),
}

impl CopyPart {
    pub fn len(&self) -> u64 {
        match self {
            Self::Copied(range) => range.end - range.start,
            Self::Written(bytes) => bytes.len() as u64,
        }
    }
}

#[derive(Debug)]
pub enum StripError {
    /// Not a whole picture of this kind.
    NotAPicture,
    /// The picture could not be read.
    Unread(io::Error),
}

type Result<T> = std::result::Result<T, StripError>;

/// The reader stands at the first byte.
pub fn plan(media_type: &str, reader: &mut dyn BufRead) -> Result<Vec<CopyPart>> {
    let mut picture = Picture {
        reader,
        at: 0,
        parts: Vec::new(),
    };
    match media_type {
        "image/jpeg" => jpeg(&mut picture)?,
        "image/png" => png(&mut picture)?,
        "image/webp" => webp(&mut picture)?,
        _ => return Err(StripError::NotAPicture),
    }
    Ok(picture.parts)
}

/// Read from the first byte to the last, with the copy so far.
struct Picture<'r> {
    reader: &'r mut dyn BufRead,
    at: u64,
    parts: Vec<CopyPart>,
}

impl Picture<'_> {
    fn read<const N: usize>(&mut self) -> Result<[u8; N]> {
        let mut bytes = [0; N];
        self.reader.read_exact(&mut bytes).map_err(unread)?;
        self.at += N as u64;
        Ok(bytes)
    }

    fn read_short(&mut self, length: u16) -> Result<Vec<u8>> {
        let mut bytes = vec![0; length.into()];
        self.reader.read_exact(&mut bytes).map_err(unread)?;
        self.at += u64::from(length);
        Ok(bytes)
    }

    fn expect<const N: usize>(&mut self, wanted: [u8; N]) -> Result<()> {
        require(self.read::<N>()? == wanted)
    }

    fn skip(&mut self, length: u64) -> Result<()> {
        let skipped = io::copy(&mut self.reader.take(length), &mut io::sink()).map_err(unread)?;
        self.at += skipped;
        require(skipped == length)
    }

    /// Adds what was read since `start` to the copy.
    fn keep_from(&mut self, start: u64) -> Result<()> {
        if let Some(CopyPart::Copied(last)) = self.parts.last_mut()
            && last.end == start
        {
            last.end = self.at;
            return Ok(());
        }
        self.push(CopyPart::Copied(start..self.at))
    }

    fn keep(&mut self, start: u64, end: u64) -> Result<()> {
        self.skip(end - self.at)?;
        self.keep_from(start)
    }

    fn write(&mut self, bytes: Vec<u8>) -> Result<()> {
        self.push(CopyPart::Written(bytes))
    }

    fn push(&mut self, part: CopyPart) -> Result<()> {
        require(self.parts.len() < MOST_PARTS)?;
        self.parts.push(part);
        Ok(())
    }
}

fn require(holds: bool) -> Result<()> {
    holds.then_some(()).ok_or(StripError::NotAPicture)
}

fn unread(error: io::Error) -> StripError {
    match error.kind() {
        ErrorKind::UnexpectedEof => StripError::NotAPicture,
        _ => StripError::Unread(error),
    }
}

/// The segments of the image and its scans, to the end of the first image. The orientation stays.
fn jpeg(picture: &mut Picture<'_>) -> Result<()> {
    picture.expect(*b"\xFF\xD8")?;
    picture.keep_from(0)?;
    let mut turned = false;
    let mut marker = next_marker(picture)?;
    loop {
        match marker {
            0xD9 => return picture.write(b"\xFF\xD9".to_vec()),
            0x01 | 0xD0..=0xD7 => {}
            _ => turned |= jpeg_segment(picture, marker, turned)?,
        }
        marker = if marker == 0xDA {
            end_of_scan(picture)?
        } else {
            next_marker(picture)?
        };
    }
}

fn next_marker(picture: &mut Picture<'_>) -> Result<u8> {
    while picture.read()? != [0xFF] {}
    next_after_fill(picture)
}

/// Keeps the data of a scan up to the next marker that is no restart, and answers that marker.
fn end_of_scan(picture: &mut Picture<'_>) -> Result<u8> {
    let start = picture.at;
    loop {
        let bytes = picture.reader.fill_buf().map_err(unread)?;
        require(!bytes.is_empty())?;
        let found = memchr::memchr(0xFF, bytes);
        let passed = found.unwrap_or(bytes.len());
        picture.reader.consume(passed);
        picture.at += passed as u64;
        if found.is_none() {
            continue;
        }
        let end = picture.at;
        let [_, marker] = picture.read()?;
        if !matches!(marker, 0x00 | 0xD0..=0xD7) {
            if start < end {
                picture.push(CopyPart::Copied(start..end))?;
            }
            return if marker == 0xFF {
                next_after_fill(picture)
            } else {
                Ok(marker)
            };
        }
    }
}

fn next_after_fill(picture: &mut Picture<'_>) -> Result<u8> {
    loop {
        match picture.read()? {
            [0xFF] => {}
            [marker] => return Ok(marker),
        }
    }
}

/// Keeps what makes up the image; answers whether the segment held the orientation.
fn jpeg_segment(picture: &mut Picture<'_>, marker: u8, turned: bool) -> Result<bool> {
    let start = picture.at - 2;
    let length = u16::from_be_bytes(picture.read()?).saturating_sub(2);
    let body = picture.read_short(length)?;
    if marker == 0xE1 {
        let exif = body.strip_prefix(b"Exif\0\0").filter(|_| !turned);
        let Some(upright) = exif.and_then(orientation) else {
            return Ok(false);
        };
        let exif = upright_exif(upright);
        picture.write([b"\xFF\xE1\0\x22Exif\0\0", &exif[..]].concat())?;
        return Ok(true);
    }
    let Some(kept) = kept_length(marker, &body) else {
        return Ok(false);
    };
    let kept = body.get(..kept).ok_or(StripError::NotAPicture)?;
    let length = u16::try_from(kept.len() + 2).map_err(|_| StripError::NotAPicture)?;
    let head = [&[0xFF, marker], &length.to_be_bytes()[..]].concat();
    if marker == 0xE0 {
        // The thumbnail goes: its width and height come last.
        picture.write([&head, &kept[..kept.len() - 2], &[0, 0]].concat())?;
    } else if kept.len() == body.len() {
        picture.keep_from(start)?;
    } else {
        picture.write(head)?;
        picture.push(CopyPart::Copied(start + 4..start + 4 + kept.len() as u64))?;
    }
    Ok(false)
}

/// Bytes at the beginning of a segment that make up the image: tables, frames, scans, and the heads of JFIF and Adobe files,
/// each with the length of its kind. Colour profiles name device and date.
fn kept_length(marker: u8, body: &[u8]) -> Option<usize> {
    let count = |at: usize| body.get(at).copied().map_or(usize::MAX, usize::from);
    match marker {
        0xE0 => body.starts_with(b"JFIF\0").then_some(14),
        0xEE => body.starts_with(b"Adobe").then_some(12),
        0xC4 | 0xCC | 0xDB => Some(body.len()),
        0xDA => Some(count(0).saturating_mul(2).saturating_add(4)),
        0xC0..=0xCF | 0xDE => Some(count(5).saturating_mul(3).saturating_add(6)),
        0xDC | 0xDD => Some(2),
        0xDF => Some(1),
        _ => None,
    }
}

/// The orientation in Exif data: 1 to 8.
fn orientation(exif: &[u8]) -> Option<u8> {
    let little = exif.starts_with(b"II");
    let short = |at: usize| {
        let pair = *exif.get(at..)?.first_chunk::<2>()?;
        let value = if little {
            u16::from_le_bytes(pair)
        } else {
            u16::from_be_bytes(pair)
        };
        Some(usize::from(value))
    };
    // The first directory begins near the start: its place fits in two of its four bytes.
    let directory = short(if little { 4 } else { 6 })?;
    let entries = (0..short(directory)?).map(|entry| directory + 2 + 12 * entry);
    let found = entries.take(200).find(|at| short(*at) == Some(0x0112))?;
    let value = u8::try_from(short(found + 8)?).ok()?;
    (1..=8).contains(&value).then_some(value)
}

/// Exif data with the orientation alone.
fn upright_exif(turned: u8) -> [u8; 26] {
    let mut exif = *b"MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\0\0\0\0\0\0\0";
    exif[19] = turned;
    exif
}

/// Keeps the chunks of the image. A chunk longer than its kind allows holds something else.
fn png(picture: &mut Picture<'_>) -> Result<()> {
    picture.expect(*b"\x89PNG\r\n\x1a\n")?;
    picture.keep_from(0)?;
    loop {
        let start = picture.at;
        let length = u32::from_be_bytes(picture.read()?);
        let kind: [u8; 4] = picture.read()?;
        picture.skip(u64::from(length) + 4)?;
        let longest = match &kind {
            b"IDAT" | b"fdAT" => u32::MAX,
            b"PLTE" => 768,
            b"hIST" => 512,
            b"tRNS" => 256,
            b"cHRM" => 32,
            b"fcTL" => 26,
            b"IHDR" => 13,
            b"pHYs" => 9,
            b"acTL" => 8,
            b"bKGD" => 6,
            b"gAMA" | b"sBIT" | b"cICP" => 4,
            b"sRGB" => 1,
            _ => 0,
        };
        if kind == *b"IEND" {
            // Its checksum is always this one.
            return picture.write(b"\0\0\0\0IEND\xAE\x42\x60\x82".to_vec());
        }
        if (1..=longest).contains(&length) {
            picture.keep_from(start)?;
        }
    }
}

fn webp(picture: &mut Picture<'_>) -> Result<()> {
    picture.expect(*b"RIFF")?;
    let end = 8 + u64::from(u32::from_le_bytes(picture.read()?));
    picture.expect(*b"WEBP")?;
    picture.write(b"RIFF\0\0\0\0WEBP".to_vec())?;
    webp_chunks(picture, end, false)?;
    set_length(picture, 0)
}

/// Keeps the chunks of an image up to `end`. A frame holds neither a header nor another frame.
fn webp_chunks(picture: &mut Picture<'_>, end: u64, in_frame: bool) -> Result<()> {
    while picture.at < end {
        let start = picture.at;
        let kind: [u8; 4] = picture.read()?;
        let length = u32::from_le_bytes(picture.read()?);
        let after = picture.at + u64::from(length).next_multiple_of(2);
        require(after <= end)?;
        match (&kind, length) {
            (b"VP8 " | b"VP8L" | b"ALPH", _) => picture.keep(start, after)?,
            (b"ANIM", 6) if !in_frame => picture.keep(start, after)?,
            (b"VP8X", 10) if !in_frame => {
                let mut body: [u8; 10] = picture.read()?;
                // Animation and transparency stay announced; colour profile, Exif and XMP are gone.
                body[0] &= 0x12;
                picture.write([b"VP8X\x0A\0\0\0", &body[..]].concat())?;
            }
            (b"ANMF", 16..) if !in_frame => {
                let first = picture.parts.len();
                let head: [u8; 16] = picture.read()?;
                picture.write([b"ANMF\0\0\0\0", &head[..]].concat())?;
                webp_chunks(picture, after, true)?;
                set_length(picture, first)?;
            }
            _ => picture.skip(after - picture.at)?,
        }
    }
    Ok(())
}

/// Writes into the head of a part (kind and length) how long the copy is behind it.
fn set_length(picture: &mut Picture<'_>, part: usize) -> Result<()> {
    let length: u64 = picture.parts.iter().skip(part).map(CopyPart::len).sum();
    let length = u32::try_from(length - 8);
    let length = length.map_err(|_| StripError::NotAPicture)?;
    if let Some(CopyPart::Written(bytes)) = picture.parts.get_mut(part) {
        bytes[4..8].copy_from_slice(&length.to_le_bytes());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn stripped(media_type: &str, bytes: &[u8]) -> Option<Vec<u8>> {
        let parts = plan(media_type, &mut &bytes[..]).ok()?;
        let copy = parts.into_iter().flat_map(|part| match part {
            CopyPart::Copied(range) => {
                let place = |at: u64| usize::try_from(at).unwrap();
                bytes[place(range.start)..place(range.end)].to_vec()
            }
            CopyPart::Written(bytes) => bytes,
        });
        Some(copy.collect())
    }

    const SECRET: &[u8] = b"GPS 45.07 iPhone 15";
    /// EXIF of a picture that is to be turned, with a tag before that names something else.
    const EXIF: &[u8] =
        b"Exif\0\0II*\0\x08\0\0\0\x02\0\x10\x01\x02\0\x05\0\0\0\0\0\0\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0";

    fn segment(marker: u8, body: &[u8]) -> Vec<u8> {
        let length = u16::try_from(body.len() + 2).unwrap().to_be_bytes();
        [&[0xFF, marker], &length[..], body].concat()
    }

    /// A photo as a phone takes it: Exif with orientation and place, XMP, a comment, colours, and a small one behind its end.
    fn photo() -> Vec<u8> {
        let scan = segment(0xDA, b"\x01\x01\0\0\x3F\0");
        let parts = [
            b"\xFF\xD8".to_vec(),
            segment(0xE0, b"JFIF\0\x01\x01\0\0\x01\0\x01\0\0"),
            segment(0xE1, &[EXIF, SECRET].concat()),
            segment(0xE1, &[b"http://ns.adobe.com/xap/1.0/\0", SECRET].concat()),
            segment(0xE2, b"ICC_PROFILE\0\x01\x01colori"),
            segment(0xE2, &[b"MPF\0", SECRET].concat()),
            segment(0xED, SECRET),
            segment(0xFE, SECRET),
            segment(0x02, SECRET),
            segment(0xDB, b"tavola"),
            scan,
            b"dati\xFF\0dati\xFF\xD3dati".to_vec(),
            b"\xFF\xD9".to_vec(),
            [b"\xFF\xD8\xFF\xE1\0\x15", SECRET, b"\xFF\xD9"].concat(),
        ];
        parts.concat()
    }

    fn holds(bytes: &[u8], words: &[u8]) -> bool {
        bytes.windows(words.len()).any(|window| window == words)
    }

    #[test]
    fn jpeg_copy_keeps_the_image_and_how_it_is_turned() {
        let (photo, kept) = (photo(), stripped("image/jpeg", &photo()).unwrap());
        assert!(holds(&photo, SECRET) && !holds(&kept, SECRET));
        assert!(!holds(&kept, b"adobe") && !holds(&kept, b"MPF") && !holds(&kept, b"ICC"));
        for part in [
            &b"JFIF\0"[..],
            b"tavola",
            b"dati\xFF\0dati\xFF\xD3dati\xFF\xD9",
        ] {
            assert!(holds(&kept, part), "{part:?}");
        }
        assert!(kept.ends_with(b"\xFF\xD9"));
        assert_eq!(orientation(&kept[30..]), Some(6), "{kept:?}");
        assert_eq!(
            stripped("image/jpeg", &kept).unwrap(),
            kept,
            "once is enough"
        );
    }

    #[test]
    fn jpeg_segments_are_cut_to_what_their_kind_holds() {
        let hidden = |body: &[u8]| [body, SECRET].concat();
        let parts = [
            b"\xFF\xD8".to_vec(),
            segment(0xE0, &hidden(b"JFIF\0\x01\x01\0\0\x01\0\x01\x09\x09")),
            segment(0xEE, &hidden(b"Adobe\0\x64\0\0\0\0\x01")),
            segment(0xC0, &hidden(b"\x08\0\x01\0\x01\x01\x01\x11\0")),
            segment(0xDD, &hidden(b"\0\x04")),
            segment(0xDC, &hidden(b"\0\x01")),
            segment(0xDF, &hidden(b"\x11")),
            segment(0xDA, &hidden(b"\x01\x01\0\0\x3F\0")),
            b"dati\xFF\xD9".to_vec(),
        ];
        let kept = stripped("image/jpeg", &parts.concat()).unwrap();
        assert!(!holds(&kept, SECRET), "{kept:?}");
        let wanted = [
            b"\xFF\xD8".to_vec(),
            segment(0xE0, b"JFIF\0\x01\x01\0\0\x01\0\x01\0\0"),
            segment(0xEE, b"Adobe\0\x64\0\0\0\0\x01"),
            segment(0xC0, b"\x08\0\x01\0\x01\x01\x01\x11\0"),
            segment(0xDD, b"\0\x04"),
            segment(0xDC, b"\0\x01"),
            segment(0xDF, b"\x11"),
            segment(0xDA, b"\x01\x01\0\0\x3F\0"),
            b"dati\xFF\xD9".to_vec(),
        ];
        assert_eq!(kept, wanted.concat());
    }

    #[test]
    fn png_and_webp_copies_keep_the_image() {
        let chunk = |kind: &[u8], body: &[u8]| {
            let length = u32::try_from(body.len()).unwrap().to_be_bytes();
            [&length[..], kind, body, b"crc!"].concat()
        };
        let magic = b"\x89PNG\r\n\x1a\n".to_vec();
        let (head, data) = (chunk(b"IHDR", &[1; 13]), chunk(b"IDAT", b"dati"));
        let end = b"\0\0\0\0IEND\xAE\x42\x60\x82".to_vec();
        let told = [
            chunk(b"pHYs", SECRET),
            chunk(b"sBIT", SECRET),
            chunk(b"iCCP", SECRET),
            chunk(b"eXIf", SECRET),
            chunk(b"tEXt", SECRET),
            chunk(b"boHo", SECRET),
        ]
        .concat();
        let png = [&magic[..], &head, &told, &data, &end, SECRET].concat();
        assert_eq!(
            stripped("image/png", &png).unwrap(),
            [&magic[..], &head, &data, &end].concat()
        );

        let chunk = |kind: &[u8], body: &[u8]| {
            let length = u32::try_from(body.len()).unwrap().to_le_bytes();
            [kind, &length[..], body, &vec![0; body.len() % 2]].concat()
        };
        let whole = |parts: &[Vec<u8>]| {
            let body = [b"WEBP".to_vec(), parts.concat()].concat();
            [
                b"RIFF".as_slice(),
                &u32::try_from(body.len()).unwrap().to_le_bytes(),
                &body,
            ]
            .concat()
        };
        let head = |flags: u8| chunk(b"VP8X", &[flags, 0, 0, 0, 1, 0, 0, 1, 0, 0]);
        let image = chunk(b"VP8 ", b"dat");
        let frame = |parts: &[Vec<u8>]| chunk(b"ANMF", &[&[7; 16], &parts.concat()[..]].concat());
        let webp = whole(&[
            head(0x3E),
            chunk(b"ICCP", SECRET),
            image.clone(),
            frame(&[
                image.clone(),
                chunk(b"EXIF", SECRET),
                chunk(b"boHo", SECRET),
            ]),
            chunk(b"EXIF", SECRET),
            chunk(b"XMP ", SECRET),
        ]);
        let kept = whole(&[head(0x12), image.clone(), frame(&[image])]);
        assert_eq!(stripped("image/webp", &webp).unwrap(), kept);
    }

    #[test]
    fn cut_pictures_have_no_copy() {
        let photo = photo();
        let end = photo
            .windows(2)
            .position(|pair| pair == b"\xFF\xD9")
            .unwrap();
        for length in 0..=end {
            assert_eq!(stripped("image/jpeg", &photo[..length]), None, "{length}");
        }
        assert_eq!(stripped("image/heif", &photo), None);
        assert_eq!(
            stripped("image/png", b"\x89PNG\r\n\x1a\n\xFF\xFF\xFF\xFFIDAT"),
            None
        );
    }

    proptest! {
        #[test]
        fn any_bytes_are_copied_or_refused(
            start in prop::sample::select(vec![&b"\xFF\xD8"[..], b"\x89PNG\r\n\x1a\n", b"RIFF\x40\0\0\0WEBPVP8X", b""]),
            rest in prop::collection::vec(any::<u8>(), 0..300),
            at in any::<prop::sample::Index>(), byte in any::<u8>(),
        ) {
            let mut photo = photo();
            let at = at.index(photo.len());
            photo[at] = byte;
            for bytes in [[start, &rest].concat(), photo] {
                for kind in PICTURES {
                    if let Some(kept) = stripped(kind, &bytes) {
                        prop_assert!(kept.len() <= bytes.len() + 36);
                    }
                }
            }
        }
    }
}
