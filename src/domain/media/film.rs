//! Films, and what shares their containers: sound without a picture, and photos that cameras keep as a film of one frame.

use std::io;

use rawzip::ReaderAt;

use crate::domain::media::container::{contains, read};

/// A packet of an MPEG transport stream begins with it (ISO/IEC 13818-1, 2.4.3.2).
const SYNC: u8 = 0x47;
/// Bytes from one packet to the next, and of the first that lie before its mark: cameras (AVCHD) put a time before each.
const PACKETS: [(usize, usize); 3] = [(188, 0), (192, 4), (204, 0)];
/// So many packets in a row are no accident.
const ENOUGH_PACKETS: usize = 4;
const FEWEST_PACKETS: usize = 2;
/// Boxes that are looked at: more are the pieces of a stream, whose tracks stand at its beginning.
const MOST_BOXES: usize = 1_000;
/// Bytes of a track at whose beginning stands what it is.
const TRACK_START: u64 = 1_024;

/// A file of boxes by its brands (ISO/IEC 14496-12, 4.3): whatever brand a maker invents is a film.
pub fn of_boxes(start: &[u8]) -> Option<&'static str> {
    let length = u32::from_be_bytes(*start.first_chunk()?);
    let major = start.strip_prefix_at(4, b"ftyp")?.first_chunk::<4>()?;
    let length = usize::try_from(length)
        .ok()?
        .clamp(16, 512)
        .min(start.len());
    let others = start.get(16..length).unwrap_or_default().as_chunks::<4>().0;
    Some(match major {
        _ if is_avif(*major) => "image/avif",
        b"mif1" | b"mif2" | b"msf1" | b"miaf" if others.iter().any(|one| is_avif(*one)) => {
            "image/avif"
        }
        b"mif1" | b"mif2" | b"msf1" | b"miaf" | [b'h', b'e', b'i' | b'v', ..] => "image/heif",
        b"crx " => "image/x-canon-cr3",
        b"qt  " => "video/quicktime",
        [b'M', b'4', b'A' | b'B' | b'P', ..] => "audio/m4a",
        [b'M', b'4', b'V', ..] => "video/x-m4v",
        [b'3', b'g', b'2', ..] => or_sound("video/3gpp2", start),
        [b'3', b'g', ..] => or_sound("video/3gpp", start),
        _ => or_sound("video/mp4", start),
    })
}

/// The types of a film's tracks in order, wherever it keeps them (voice recorders do so at the end); empty if they are
/// not found.
pub fn tracks(file: &impl ReaderAt, size: u64) -> io::Result<Vec<u8>> {
    let mut found = Vec::new();
    let Some((start, end)) = box_within(file, (0, size), *b"moov")? else {
        return Ok(found);
    };
    let mut rest = (start, end);
    while let Some((start, end)) = box_within(file, rest, *b"trak")? {
        found.extend(read(file, start, TRACK_START.min(end - start))?);
        rest.0 = end;
    }
    Ok(found)
}

/// Where the content of the first box of this kind begins and ends.
fn box_within(
    file: &impl ReaderAt,
    (mut at, end): (u64, u64),
    wanted: [u8; 4],
) -> io::Result<Option<(u64, u64)>> {
    for _ in 0..MOST_BOXES {
        let header = read(file, at, 16)?;
        let Some(([length, kind], _)) = header.as_chunks::<4>().0.split_first_chunk() else {
            break;
        };
        let (head, length) = match (u32::from_be_bytes(*length), header.get(8..)) {
            (0, _) => (8, end - at),
            (1, Some(long)) => {
                let long = long.first_chunk();
                (16, long.map_or(0, |long| u64::from_be_bytes(*long)))
            }
            (length, _) => (8, length.into()),
        };
        let next = at.saturating_add(length);
        if length < head || next > end {
            break;
        }
        if *kind == wanted {
            return Ok(Some((at + head, next)));
        }
        at = next;
    }
    Ok(None)
}

trait StripPrefixAt {
    /// The bytes after a mark at this place.
    fn strip_prefix_at(&self, at: usize, mark: &[u8]) -> Option<&[u8]>;
}

impl StripPrefixAt for [u8] {
    fn strip_prefix_at(&self, at: usize, mark: &[u8]) -> Option<&[u8]> {
        self.get(at..)?.strip_prefix(mark)
    }
}

fn is_avif(brand: [u8; 4]) -> bool {
    matches!(&brand, b"avif" | b"avis")
}

/// An MPEG transport stream: of television, or of a camera.
pub fn of_packets(start: &[u8]) -> Option<&'static str> {
    let is_stream = |(length, before): &(usize, usize)| {
        let marks = start.iter().skip(*before).step_by(*length);
        let marks = marks.take(ENOUGH_PACKETS);
        marks.clone().count() >= FEWEST_PACKETS && marks.copied().all(|mark| mark == SYNC)
    };
    PACKETS.iter().any(is_stream).then_some("video/mp2t")
}

/// The type of a film that begins so, as the sound it is where its tracks name no picture: by the codecs of Matroska
/// (RFC 9559, §5.1.4.1.21) or by the handlers of MP4 (ISO/IEC 14496-12, 8.4.3). Browsers record a voice so.
pub fn or_sound(film: &'static str, start: &[u8]) -> &'static str {
    let without_picture =
        |sound: &[u8], picture: &[u8]| contains(start, sound) && !contains(start, picture);
    match film {
        "video/webm" if without_picture(b"A_", b"V_") => "audio/webm",
        "video/x-matroska" if without_picture(b"A_", b"V_") => "audio/x-matroska",
        "video/mp4" if without_picture(b"soun", b"vide") => "audio/mp4",
        "video/3gpp" if without_picture(b"soun", b"vide") => "audio/3gpp",
        "video/3gpp2" if without_picture(b"soun", b"vide") => "audio/3gpp2",
        film => film,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_film_without_a_picture_is_sound() {
        for (film, start, found) in [
            ("video/webm", "webm\u{86}A_OPUS", "audio/webm"),
            ("video/x-matroska", "matroska A_VORBIS", "audio/x-matroska"),
            ("video/webm", "webm V_VP8 A_OPUS", "video/webm"),
            ("video/webm", "webm", "video/webm"),
            ("video/mp4", "ftypiso5 moov trak hdlrsoun", "audio/mp4"),
            ("video/mp4", "moov hdlrsoun hdlrvide", "video/mp4"),
            ("video/mp4", "moov", "video/mp4"),
            ("video/3gpp", "moov hdlrsoun samr", "audio/3gpp"),
            ("image/webp", "A_OPUS", "image/webp"),
        ] {
            assert_eq!(or_sound(film, start.as_bytes()), found, "{start}");
        }
    }
}
