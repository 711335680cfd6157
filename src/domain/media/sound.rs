//! Films without a picture: browsers record a voice as `WebM` or MP4, whose first bytes are those of a film.

/// The type of a film that begins so, as the sound it is where its tracks name no picture: by the codecs of Matroska
/// (RFC 9559, §5.1.4.1.21) or by the handlers of MP4 (ISO/IEC 14496-12, 8.4.3).
pub fn or_sound(film: &'static str, start: &[u8]) -> &'static str {
    let names = |mark: &[u8]| start.windows(mark.len()).any(|bytes| bytes == mark);
    let without_picture = |sound: &[u8], picture: &[u8]| names(sound) && !names(picture);
    match film {
        "video/webm" if without_picture(b"A_", b"V_") => "audio/webm",
        "video/x-matroska" if without_picture(b"A_", b"V_") => "audio/x-matroska",
        "video/mp4" if without_picture(b"soun", b"vide") => "audio/mp4",
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
            ("image/webp", "A_OPUS", "image/webp"),
        ] {
            assert_eq!(or_sound(film, start.as_bytes()), found, "{start}");
        }
    }
}
