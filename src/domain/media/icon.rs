//! The picture that stands for a newsroom without a logo where only a PNG is understood: on the start page of a telephone, and
//! beside a shared link. A speech bubble in the ink of the newsroom's colour, on that colour.

use std::io::{self, Write as _};

use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};

use crate::domain::color::Color;

/// The picture is drawn on a square of so many units.
const UNITS: i32 = 1_000;
/// Points at which each pixel is looked at, along a side: edges get as many shades as a pixel has points.
const FINE: u16 = 4;

/// A PNG (ISO/IEC 15948) with sides of so many pixels.
pub fn drawn(ground: Color, side: u16) -> io::Result<Vec<u8>> {
    let shades = u8::try_from(FINE * FINE).map_err(io::Error::other)?;
    let (ground, ink) = (ground.channels(), ground.ink().channels());
    let palette = (0..=shades).flat_map(|part| {
        let mixed = |(from, to)| mixed(from, to, (part, shades));
        [0, 1, 2].map(|channel| mixed((ground[channel], ink[channel])))
    });
    let pixels_a_side = u32::from(side).to_be_bytes();
    // Eight bits a pixel, each of which names a colour of the palette.
    let header = [&pixels_a_side[..], &pixels_a_side, &[8, 3, 0, 0, 0]].concat();
    let mut png = b"\x89PNG\r\n\x1a\n".to_vec();
    chunk(&mut png, *b"IHDR", &header)?;
    chunk(&mut png, *b"PLTE", &palette.collect::<Vec<u8>>())?;
    chunk(&mut png, *b"IDAT", &pixels(side)?)?;
    chunk(&mut png, *b"IEND", &[])?;
    Ok(png)
}

fn mixed(from: u8, to: u8, (part, whole): (u8, u8)) -> u8 {
    let (part, whole) = (u16::from(part), u16::from(whole));
    let sum = u16::from(from) * (whole - part) + u16::from(to) * part;
    u8::try_from(sum / whole).unwrap_or(u8::MAX)
}

fn chunk(png: &mut Vec<u8>, kind: [u8; 4], content: &[u8]) -> io::Result<()> {
    let length = u32::try_from(content.len()).map_err(io::Error::other)?;
    let mut sum = Crc::new();
    sum.update(&kind);
    sum.update(content);
    png.extend(length.to_be_bytes());
    png.extend(kind);
    png.extend(content);
    png.extend(sum.sum().to_be_bytes());
    Ok(())
}

/// How many points of each pixel are ink, row by row, compressed.
fn pixels(side: u16) -> io::Result<Vec<u8>> {
    let steps = i32::from(side) * i32::from(FINE);
    let unit = |pixel: u16, point: u16| {
        let step = i32::from(pixel) * i32::from(FINE) + i32::from(point);
        (2 * step + 1) * UNITS / (2 * steps)
    };
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::default());
    let mut row = vec![0; usize::from(side) + 1];
    for y in 0..side {
        // Before each row stands that it is not filtered.
        for (x, pixel) in (0..side).zip(&mut row[1..]) {
            let points = (0..FINE).flat_map(|down| (0..FINE).map(move |right| (down, right)));
            let inked = points.filter(|(down, right)| is_ink(unit(x, *right), unit(y, *down)));
            *pixel = u8::try_from(inked.count()).map_err(io::Error::other)?;
        }
        packed.write_all(&row)?;
    }
    packed.finish()
}

/// The bubble: a rounded box and its tail, without three dots.
fn is_ink(x: i32, y: i32) -> bool {
    let within = |(dx, dy): (i32, i32), radius: i32| dx * dx + dy * dy <= radius * radius;
    let beside = |(at, middle, half): (i32, i32, i32)| ((at - middle).abs() - half).max(0);
    let boxed = within((beside((x, 500, 180)), beside((y, 450, 100))), 130);
    let tail = x >= 330 && y >= 600 && y - 560 <= 220 - (x - 330) * 6 / 5;
    let dots = [360, 500, 640].map(|middle| within((x - middle, y - 450), 48));
    (boxed || tail) && !dots.contains(&true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::color::DEFAULT_PRIMARY;
    use crate::domain::media::image::inspect;

    #[test]
    fn it_is_a_png_of_its_size_in_the_colours_of_the_newsroom() {
        for side in [180, 512] {
            let png = drawn(DEFAULT_PRIMARY, side).unwrap();
            let size = imagesize::blob_size(&png).unwrap();
            assert_eq!((size.width, size.height), (side.into(), side.into()));
            assert!(png.len() < 8_000, "{} bytes", png.len());
            let palette = png.windows(4).position(|four| four == b"PLTE").unwrap() + 4;
            assert_eq!(png[palette..palette + 3], [0x25, 0x63, 0xeb]);
            assert_eq!(png[palette + 48..palette + 51], [255; 3]);
            assert!(inspect(png).is_ok());
        }
    }

    #[test]
    fn the_bubble_stands_on_the_ground() {
        for (x, y, ink) in [
            (0, 0, false),
            (500, 350, true),
            (500, 450, false),
            (430, 450, true),
            (380, 700, true),
            (700, 700, false),
            (999, 999, false),
        ] {
            assert_eq!(is_ink(x, y), ink, "{x} {y}");
        }
    }
}
