//! The newsroom's main colour, and the colour of text on it. What the pages derive beyond that, their styles do
//! (`ui/src/shared/styles/tokens.css`).

use std::fmt;

pub const DEFAULT_PRIMARY: Color = Color([0x25, 0x63, 0xeb]);

const WHITE: Color = Color([255; 3]);
const BLACK: Color = Color([0; 3]);

/// A colour of 8-bit sRGB channels; `Display` writes `#rrggbb`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Color([u8; 3]);

impl Color {
    pub fn parse(hex: &str) -> Option<Self> {
        let mut channels = [0; 3];
        hex::decode_to_slice(hex.strip_prefix('#')?, &mut channels).ok()?;
        Some(Self(channels))
    }

    /// Red, green and blue.
    pub fn channels(self) -> [u8; 3] {
        self.0
    }

    /// White or black, whichever reads better: one of them has a contrast of 4.5 with any colour.
    pub fn ink(self) -> Self {
        if self.contrast(WHITE) >= self.contrast(BLACK) {
            WHITE
        } else {
            BLACK
        }
    }

    /// 1 to 21 (WCAG 2.2).
    fn contrast(self, other: Self) -> f64 {
        let (one, two) = (self.luminance(), other.luminance());
        (one.max(two) + 0.05) / (one.min(two) + 0.05)
    }

    /// Relative luminance, 0 (black) to 1 (white) (WCAG 2.2, IEC 61966-2-1).
    fn luminance(self) -> f64 {
        let [red, green, blue] = self.0.map(|channel| {
            let value = f64::from(channel) / 255.0;
            if value <= 0.040_45 {
                value / 12.92
            } else {
                ((value + 0.055) / 1.055).powf(2.4)
            }
        });
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    }
}

impl fmt::Display for Color {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "#{}", hex::encode(self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(hex: &str) -> Color {
        Color::parse(hex).unwrap()
    }

    #[test]
    fn hex_is_read_and_written() {
        for hex in ["#000000", "#2563eb", "#ffffff", "#0a0b0c"] {
            assert_eq!(read(hex).to_string(), hex);
        }
        assert_eq!(read("#FFaa09").to_string(), "#ffaa09");
        for bad in [
            "", "#", "2563eb", "#256", "#2563eb0", "#2563eg", "#+12345", "#é1234",
        ] {
            assert_eq!(Color::parse(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn contrast_is_that_of_wcag() {
        assert!((BLACK.contrast(WHITE) - 21.0).abs() < 1e-9);
        assert!((read("#2563eb").contrast(WHITE) - 5.17).abs() < 0.01);
        assert!((read("#777777").contrast(WHITE) - 4.48).abs() < 0.01);
    }

    proptest! {
        #[test]
        fn ink_reads_on_any_colour(channels in any::<[u8; 3]>()) {
            let color = Color(channels);
            prop_assert!(color.ink().contrast(color) >= 4.5);
        }
    }
}
