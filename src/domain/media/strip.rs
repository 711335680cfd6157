//! A copy of a picture without what tells where, when and with what it was taken: only the parts that make up the image are
//! copied, and nothing behind its end. It must never decode a pixel, keep a part that it does not know, or read beyond its input.

/// Kinds of which there is such a copy.
const PICTURES: [&str; 3] = ["image/jpeg", "image/png", "image/webp"];
/// Largest picture that is copied so, in bytes: it is held in memory.
pub const MAX_BYTES: u64 = 64 * 1024 * 1024;
/// Why there is no such copy.
pub const REFUSED: &str =
    "Posizione e dispositivo si possono togliere solo dalle foto JPEG, PNG e WebP.";
pub const HEAVY: &str = "La foto è troppo grande per una copia pulita: al massimo 64 MB.";
pub const UNREADABLE: &str =
    "La foto è incompleta o non è fatta come dovrebbe: non se ne può fare una copia pulita.";

/// The copy; `None` where the picture is not as its kind is.
pub fn stripped(media_type: &str, bytes: &[u8]) -> Option<Vec<u8>> {
    match media_type {
        "image/jpeg" => jpeg(bytes),
        "image/png" => png(bytes),
        "image/webp" => webp(bytes),
        _ => None,
    }
}

/// Whether there is such a copy of this kind.
pub fn can_strip(media_type: &str) -> bool {
    PICTURES.contains(&media_type)
}

/// The segments of the image, each scan with its data, to the end of the first image. How it is turned stays.
fn jpeg(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut rest = bytes.strip_prefix(b"\xFF\xD8")?;
    let (mut kept, mut turned) = (b"\xFF\xD8".to_vec(), None);
    loop {
        let marker = loop {
            match rest.split_first()? {
                (0xFF, after) => rest = after,
                (marker, after) => {
                    rest = after;
                    break *marker;
                }
            }
        };
        match marker {
            0xD9 => break,
            0x01 | 0xD0..=0xD7 => continue,
            _ => {}
        }
        let length = usize::from(u16::from_be_bytes(*rest.first_chunk()?));
        let (segment, after) = rest.split_at_checked(length.max(2))?;
        rest = after;
        turned = turned.or_else(|| orientation(exif(marker, segment)?));
        if belongs(marker, segment) {
            kept.extend([0xFF, marker]);
            kept.extend(segment);
        }
        if marker == 0xDA {
            let length = scan_length(rest)?;
            kept.extend(&rest[..length]);
            rest = &rest[length..];
        }
    }
    kept.extend(b"\xFF\xD9");
    if let Some(turned) = turned {
        let segment = [b"\xFF\xE1\0\x22Exif\0\0", &upright(turned)[..]];
        kept.splice(2..2, segment.concat());
    }
    Some(kept)
}

/// Whether a segment makes up the image: tables, frames and scans, its colours, and the plain head of a JFIF file.
fn belongs(marker: u8, segment: &[u8]) -> bool {
    let body = segment.get(2..).unwrap_or_default();
    match marker {
        0xE0 => body.starts_with(b"JFIF\0"),
        0xE2 => body.starts_with(b"ICC_PROFILE\0"),
        0xEE => body.starts_with(b"Adobe"),
        0xC0..=0xDF => true,
        _ => false,
    }
}

/// Bytes of a scan's data: up to the next marker that is no restart.
fn scan_length(data: &[u8]) -> Option<usize> {
    let mut pairs = data.windows(2);
    pairs.position(|pair| pair[0] == 0xFF && !matches!(pair[1], 0x00 | 0xD0..=0xD7))
}

/// The Exif data of a segment.
fn exif(marker: u8, segment: &[u8]) -> Option<&[u8]> {
    let data = segment.get(2..).filter(|_| marker == 0xE1)?;
    data.strip_prefix(b"Exif\0\0")
}

/// How the picture is to be turned, as its Exif data say: 1 to 8.
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
    // The first directory begins near the beginning: its place fits in two of its four bytes.
    let directory = short(if little { 4 } else { 6 })?;
    let entries = (0..short(directory)?).map(|entry| directory + 2 + 12 * entry);
    let found = entries.take(200).find(|at| short(*at) == Some(0x0112))?;
    let value = u8::try_from(short(found + 8)?).ok()?;
    (1..=8).contains(&value).then_some(value)
}

/// Exif data that say that alone.
fn upright(turned: u8) -> [u8; 26] {
    let mut exif = *b"MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\0\0\0\0\0\0\0";
    exif[19] = turned;
    exif
}

/// The chunks of a PNG that make up the image.
fn png(bytes: &[u8]) -> Option<Vec<u8>> {
    const OWN: [&[u8; 4]; 17] = [
        b"IHDR", b"PLTE", b"IDAT", b"IEND", b"tRNS", b"cHRM", b"gAMA", b"iCCP", b"sBIT", b"sRGB",
        b"bKGD", b"pHYs", b"hIST", b"acTL", b"fcTL", b"fdAT", b"cICP",
    ];
    const MAGIC: &[u8] = b"\x89PNG\r\n\x1a\n";
    let mut rest = bytes.strip_prefix(MAGIC)?;
    let mut kept = MAGIC.to_vec();
    loop {
        let length = usize::try_from(u32::from_be_bytes(*rest.first_chunk()?)).ok()?;
        let (chunk, after) = rest.split_at_checked(length.checked_add(12)?)?;
        let kind = chunk.get(4..)?.first_chunk::<4>()?;
        if OWN.contains(&kind) {
            kept.extend(chunk);
        }
        if kind == b"IEND" {
            return Some(kept);
        }
        rest = after;
    }
}

/// The chunks of a WebP file that make up the image.
fn webp(bytes: &[u8]) -> Option<Vec<u8>> {
    const OWN: [&[u8; 4]; 7] = [
        b"VP8 ", b"VP8L", b"VP8X", b"ANIM", b"ANMF", b"ALPH", b"ICCP",
    ];
    let length = u32::from_le_bytes(*bytes.strip_prefix(b"RIFF")?.first_chunk()?);
    let whole = bytes.get(8..)?.get(..usize::try_from(length).ok()?)?;
    let mut rest = whole.strip_prefix(b"WEBP")?;
    let mut kept = b"RIFF\0\0\0\0WEBP".to_vec();
    while !rest.is_empty() {
        let kind = rest.first_chunk::<4>()?;
        let length = u32::from_le_bytes(*rest.get(4..)?.first_chunk()?);
        let length = usize::try_from(length).ok()?.checked_next_multiple_of(2)?;
        let (chunk, after) = rest.split_at_checked(length.checked_add(8)?)?;
        let at = kept.len();
        if OWN.contains(&kind) {
            kept.extend(chunk);
        }
        if kind == b"VP8X" {
            // It says which other chunks follow: no Exif, no XMP.
            *kept.get_mut(at + 8)? &= !0x0C;
        }
        rest = after;
    }
    let length = u32::try_from(kept.len() - 8).ok()?;
    kept[4..8].copy_from_slice(&length.to_le_bytes());
    Some(kept)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::domain::media::strip::*;

    const SECRET: &[u8] = b"GPS 45.07 iPhone 15";
    /// Of a picture that is to be turned; before that it names something else.
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
    fn of_a_phones_photo_the_image_its_colours_and_how_it_is_turned_stay() {
        let (photo, kept) = (photo(), stripped("image/jpeg", &photo()).unwrap());
        assert!(holds(&photo, SECRET) && !holds(&kept, SECRET));
        assert!(!holds(&kept, b"adobe") && !holds(&kept, b"MPF"));
        for part in [
            &b"JFIF\0"[..],
            b"ICC_PROFILE\0\x01\x01colori",
            b"tavola",
            b"dati\xFF\0dati\xFF\xD3dati\xFF\xD9",
        ] {
            assert!(holds(&kept, part), "{part:?}");
        }
        assert!(kept.ends_with(b"\xFF\xD9"));
        assert_eq!(orientation(&kept[12..]), Some(6), "{kept:?}");
        assert_eq!(
            stripped("image/jpeg", &kept).unwrap(),
            kept,
            "once is enough"
        );
    }

    #[test]
    fn of_png_and_webp_the_image_stays() {
        let chunk = |kind: &[u8], body: &[u8]| {
            let length = u32::try_from(body.len()).unwrap().to_be_bytes();
            [&length[..], kind, body, b"crc!"].concat()
        };
        let magic = b"\x89PNG\r\n\x1a\n".to_vec();
        let (head, data, end) = (
            chunk(b"IHDR", &[1; 13]),
            chunk(b"IDAT", b"dati"),
            chunk(b"IEND", b""),
        );
        let told = [
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
        let webp = whole(&[
            head(0x2C),
            image.clone(),
            chunk(b"EXIF", SECRET),
            chunk(b"XMP ", SECRET),
        ]);
        assert_eq!(
            stripped("image/webp", &webp).unwrap(),
            whole(&[head(0x20), image])
        );
    }

    #[test]
    fn what_is_cut_or_no_picture_has_no_copy() {
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
