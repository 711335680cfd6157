//! Pictures for the logo: kind and size, read from the first bytes. Must never trust a name or a sender for the kind, nor accept
//! a kind that can carry a script.

use imagesize::ImageType;

/// In bytes: every visitor's page loads it.
pub const MAX_BYTES: usize = 512 * 1024;
/// In pixels: a browser holds the whole picture in memory, however few bytes announce it.
const MAX_SIDE: usize = 4_096;
/// In pixels: a smaller picture counts visitors.
const MIN_SIDE: usize = 8;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    pub content_type: &'static str,
    pub bytes: Vec<u8>,
}

pub const HEAVY: &str = "Il logo è troppo pesante: al massimo 512 KB.";
pub const UNKNOWN: &str = "Non è un'immagine leggibile: scegli un file PNG, JPEG o WebP.";
const SVG: &str =
    "I file SVG non sono ammessi, perché possono contenere programmi: esporta il logo in PNG.";
const SIZE: &str = "Il logo deve avere lati tra 8 e 4096 pixel.";

/// Answers why a picture is refused (`PRODUCT.md §8`).
pub fn inspect(bytes: Vec<u8>) -> Result<Image, &'static str> {
    if bytes.len() > MAX_BYTES {
        return Err(HEAVY);
    }
    let content_type = match imagesize::image_type(&bytes) {
        Ok(ImageType::Png) => "image/png",
        Ok(ImageType::Jpeg) => "image/jpeg",
        Ok(ImageType::Webp) => "image/webp",
        _ if is_svg(&bytes) => return Err(SVG),
        _ => return Err(UNKNOWN),
    };
    let size = imagesize::blob_size(&bytes).map_err(|_| UNKNOWN)?;
    let sides = MIN_SIDE..=MAX_SIDE;
    if !sides.contains(&size.width) || !sides.contains(&size.height) {
        return Err(SIZE);
    }
    Ok(Image {
        content_type,
        bytes,
    })
}

/// The tag may follow a declaration or a comment.
fn is_svg(bytes: &[u8]) -> bool {
    let beginning = &bytes[..bytes.len().min(4_096)];
    let text = String::from_utf8_lossy(beginning).to_ascii_lowercase();
    text.contains("<svg")
}

#[cfg(test)]
mod tests {
    use crate::domain::media::image::*;
    use proptest::prelude::*;

    fn png_of(width: u32, height: u32) -> Vec<u8> {
        let mut bytes = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR".to_vec();
        bytes.extend(width.to_be_bytes());
        bytes.extend(height.to_be_bytes());
        bytes.extend([8, 6, 0, 0, 0]);
        bytes
    }

    fn jpeg_of(width: u16, height: u16) -> Vec<u8> {
        // An application segment, tables, then the frame of a progressive picture.
        let mut bytes = vec![0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 1, 2, 0xFF, 0xC4, 0, 3, 9];
        bytes.extend([0xFF, 0xC2, 0, 11, 8]);
        bytes.extend(height.to_be_bytes());
        bytes.extend(width.to_be_bytes());
        bytes
    }

    fn webp_of(kind: [u8; 4], data: &[u8]) -> Vec<u8> {
        let mut bytes = b"RIFF\0\0\0\0WEBP".to_vec();
        bytes.extend(kind);
        bytes.extend([0; 4]);
        bytes.extend(data);
        bytes
    }

    fn webps_of_300_by_200() -> [Vec<u8>; 3] {
        let lossless = (300 - 1) | (200 - 1) << 14_u32;
        [
            webp_of(*b"VP8 ", &[0, 0, 0, 0x9D, 1, 0x2A, 0x2C, 0x01, 0xC8, 0]),
            webp_of(
                *b"VP8L",
                &[&[0x2F][..], &u32::to_le_bytes(lossless)].concat(),
            ),
            webp_of(*b"VP8X", &[0, 0, 0, 0, 0x2B, 1, 0, 0xC7, 0, 0]),
        ]
    }

    #[test]
    fn the_three_kinds_are_known_by_their_content() {
        for (bytes, kind) in [
            (png_of(300, 200), "image/png"),
            (jpeg_of(300, 200), "image/jpeg"),
        ]
        .into_iter()
        .chain(webps_of_300_by_200().map(|bytes| (bytes, "image/webp")))
        {
            let image = inspect(bytes.clone()).expect("a picture");
            assert_eq!((image.content_type, image.bytes), (kind, bytes));
        }
    }

    #[test]
    fn what_is_no_picture_is_refused_for_its_reason() {
        let heavy = [png_of(300, 200), vec![0; MAX_BYTES]].concat();
        let declared = "\u{FEFF}<?xml version=\"1.0\"?>\n<!-- x -->\n<SVG onload=\"alert(1)\"/>";
        for (bytes, refusal) in [
            (heavy, HEAVY),
            (b"<svg xmlns='http://www.w3.org/2000/svg'/>".to_vec(), SVG),
            (declared.as_bytes().to_vec(), SVG),
            (b"GIF89a\x10\0\x10\0".to_vec(), UNKNOWN),
            (b"<html><script>".to_vec(), UNKNOWN),
            (Vec::new(), UNKNOWN),
            (png_of(300, 200)[..18].to_vec(), UNKNOWN),
            (jpeg_of(300, 200)[..20].to_vec(), UNKNOWN),
            (vec![0xFF, 0xD8, 0xFF, 0xD9], UNKNOWN),
            (webp_of(*b"VP8?", &[0; 20]), UNKNOWN),
            (png_of(7, 200), SIZE),
            (png_of(300, 4_097), SIZE),
            (jpeg_of(0, 200), SIZE),
        ] {
            assert_eq!(inspect(bytes), Err(refusal));
        }
    }

    #[test]
    fn bounds_are_as_the_messages_say() {
        assert!(HEAVY.contains("512 KB") && MAX_BYTES == 512 * 1024);
        let sides = format!("tra {MIN_SIDE} e {MAX_SIDE} pixel");
        assert!(SIZE.contains(&sides));
        let full = [png_of(8, 4_096), vec![0; MAX_BYTES - 29]].concat();
        assert!(inspect(full).is_ok());
    }

    proptest! {
        #[test]
        fn nothing_that_is_handed_in_breaks_it(
            start in prop::sample::select(vec![
                &b""[..], b"\x89PNG\r\n\x1a\n", b"\xFF\xD8\xFF", b"RIFF\0\0\0\0WEBPVP8X", b"<svg",
            ]),
            rest in prop::collection::vec(any::<u8>(), 0..200),
        ) {
            let bytes = [start, &rest].concat();
            if let Ok(image) = inspect(bytes.clone()) {
                prop_assert_eq!(image.bytes, bytes);
            }
        }
    }
}
