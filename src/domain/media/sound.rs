//! Films without a picture: browsers record a voice as `WebM` or MP4, whose first bytes are those of a film.
//! Must never call one sound whose list of tracks is not wholly among the bytes.

use std::iter;

/// Elements of Matroska, which `WebM` is (RFC 9559).
const SEGMENT: u64 = 0x1853_8067;
const TRACKS: u64 = 0x1654_AE6B;
const TRACK: u64 = 0xAE;
const TRACK_TYPE: u64 = 0x83;
const AUDIO: &[u8] = &[2];
/// Where a box `hdlr` of MP4 says what its track holds (ISO/IEC 14496-12, 8.4.3).
const HANDLER: std::ops::Range<usize> = 8..12;

/// The type of a film that begins so, as the sound it is where it has no picture.
pub fn or_sound(film: &'static str, start: &[u8]) -> &'static str {
    match film {
        "video/webm" if matroska_is_sound(start) => "audio/webm",
        "video/x-matroska" if matroska_is_sound(start) => "audio/x-matroska",
        "video/mp4" if mp4_is_sound(start) => "audio/mp4",
        film => film,
    }
}

fn matroska_is_sound(start: &[u8]) -> bool {
    let tracks = content(elements(start), &TRACKS).unwrap_or_default();
    let mut kinds = elements(tracks)
        .filter(|(id, _)| *id == TRACK)
        .map(|(_, track)| content(elements(track), &TRACK_TYPE))
        .peekable();
    kinds.peek().is_some() && kinds.all(|kind| kind == Some(AUDIO))
}

fn mp4_is_sound(start: &[u8]) -> bool {
    let film = content(boxes(start), b"moov").unwrap_or_default();
    let handler = |track| {
        let media = content(boxes(track), b"mdia")?;
        content(boxes(media), b"hdlr")?.get(HANDLER)
    };
    let mut kinds = boxes(film)
        .filter(|(name, _)| name == b"trak")
        .map(|(_, track)| handler(track))
        .peekable();
    kinds.peek().is_some() && kinds.all(|kind| kind == Some(b"soun"))
}

fn content<'a, Id: PartialEq>(
    mut parts: impl Iterator<Item = (Id, &'a [u8])>,
    wanted: &Id,
) -> Option<&'a [u8]> {
    let part = parts.find(|(id, _)| id == wanted);
    part.map(|(_, content)| content)
}

/// Those that lie wholly among the bytes; what is in a segment stands beside it, since its end is seldom known.
fn elements(mut bytes: &[u8]) -> impl Iterator<Item = (u64, &[u8])> {
    iter::from_fn(move || {
        let mut head = || Some((number(&mut bytes, 0)?, number(&mut bytes, 1)?));
        let (mut id, mut size) = head()?;
        if id == SEGMENT {
            (id, size) = head()?;
        }
        let (content, rest) = bytes.split_at_checked(usize::try_from(size).ok()?)?;
        bytes = rest;
        Some((id, content))
    })
}

/// A number that says its own length by its leading zeros; `unmarked` is 1 where the bit behind them is no part of it.
fn number(bytes: &mut &[u8], unmarked: u64) -> Option<u64> {
    let length = bytes.first()?.leading_zeros() as usize + 1;
    let (digits, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    let number = digits.iter().fold(0, |n, digit| n << 8 | u64::from(*digit));
    Some(number & !(unmarked << (7 * length)))
}

/// Those that lie wholly among the bytes, with their names.
fn boxes(mut bytes: &[u8]) -> impl Iterator<Item = ([u8; 4], &[u8])> {
    iter::from_fn(move || {
        let (size, rest) = bytes.split_first_chunk()?;
        let (name, rest) = rest.split_first_chunk()?;
        let length = u32::from_be_bytes(*size).checked_sub(8)?;
        let (content, rest) = rest.split_at_checked(length.try_into().ok()?)?;
        bytes = rest;
        Some((*name, content))
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// An element of up to 126 bytes.
    fn element(id: &[u8], content: &[u8]) -> Vec<u8> {
        let size = 0x80 | u8::try_from(content.len()).unwrap();
        [id, &[size], content].concat()
    }

    /// Tracks of these types in a segment of unknown size, as browsers record.
    fn webm(types: &[u8]) -> Vec<u8> {
        let track = |kind: &u8| {
            let parts = [element(&[0xD7], &[1]), element(&[0x83], &[*kind])];
            element(&[0xAE], &parts.concat())
        };
        let tracks: Vec<u8> = types.iter().flat_map(track).collect();
        [
            element(b"\x1A\x45\xDF\xA3", b"\x42\x82\x84webm"),
            b"\x18\x53\x80\x67\x01\xFF\xFF\xFF\xFF\xFF\xFF\xFF".to_vec(),
            element(b"\x15\x49\xA9\x66", &[0xEC; 40]),
            element(b"\x16\x54\xAE\x6B", &tracks),
            b"\x1F\x43\xB6\x75\x01\xFF\xFF\xFF\xFF\xFF\xFF\xFF".to_vec(),
        ]
        .concat()
    }

    fn boxed(name: &[u8], content: &[u8]) -> Vec<u8> {
        let size = u32::try_from(content.len() + 8).unwrap();
        [&size.to_be_bytes(), name, content].concat()
    }

    fn mp4(handlers: &[&[u8]]) -> Vec<u8> {
        let track = |handler: &&[u8]| {
            let handler = boxed(b"hdlr", &[&[0; 8], *handler, &[0; 13]].concat());
            let media = boxed(b"mdia", &[boxed(b"mdhd", &[0; 24]), handler].concat());
            boxed(b"trak", &[boxed(b"tkhd", &[0; 84]), media].concat())
        };
        let tracks: Vec<u8> = handlers.iter().flat_map(track).collect();
        [boxed(b"ftyp", b"iso5\0\0\0\0"), boxed(b"moov", &tracks)].concat()
    }

    #[test]
    fn a_film_without_a_picture_is_sound() {
        for (film, start, found) in [
            ("video/webm", webm(&[2]), "audio/webm"),
            ("video/x-matroska", webm(&[2, 2]), "audio/x-matroska"),
            ("video/webm", webm(&[1, 2]), "video/webm"),
            ("video/webm", webm(&[2, 1]), "video/webm"),
            ("video/webm", webm(&[]), "video/webm"),
            ("video/mp4", mp4(&[b"soun"]), "audio/mp4"),
            ("video/mp4", mp4(&[b"soun", b"vide"]), "video/mp4"),
            ("video/mp4", mp4(&[]), "video/mp4"),
            ("image/webp", webm(&[2]), "image/webp"),
        ] {
            assert_eq!(or_sound(film, &start), found);
        }
    }

    #[test]
    fn a_list_of_tracks_that_is_cut_off_tells_nothing() {
        for (film, whole) in [
            ("video/webm", webm(&[2, 2])),
            ("video/mp4", mp4(&[b"soun"])),
        ] {
            // The last of WebM is what begins behind the tracks.
            let end = whole.len() - if film == "video/webm" { 12 } else { 0 };
            for cut in 0..end {
                assert_eq!(or_sound(film, &whole[..cut]), film, "{cut}");
            }
            assert_ne!(or_sound(film, &whole[..end]), film);
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_read(
            start in prop::sample::select(vec![webm(&[2, 2]), mp4(&[b"soun"])]), at in any::<prop::sample::Index>(),
            other in prop::collection::vec(any::<u8>(), 0..24),
        ) {
            let cut = at.index(start.len());
            for film in ["video/webm", "video/mp4"] {
                let _ = or_sound(film, &[&start[..cut], &other].concat());
            }
        }
    }
}
