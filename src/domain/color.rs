//! The newsroom's main colour, and the colour of text on it. What the pages derive beyond that, their styles do
//! (`ui/src/shared/styles/tokens.css`).

use std::fmt;

pub const DEFAULT_PRIMARY: Color = Color([0x25, 0x63, 0xeb]);

const WHITE: Color = Color([255; 3]);
const BLACK: Color = Color([0; 3]);

/// From linear sRGB to the cones' response, from its cube root to the two axes of hue, and both ways back.
const TO_CONES: [[f64; 3]; 3] = [
    [0.412_221_5, 0.536_332_5, 0.051_446_0],
    [0.211_903_5, 0.680_699_5, 0.107_397_0],
    [0.088_302_5, 0.281_718_8, 0.629_978_7],
];
const TO_HUE: [[f64; 3]; 2] = [
    [1.977_998_5, -2.428_592_2, 0.450_593_7],
    [0.025_904_0, 0.782_771_8, -0.808_675_8],
];
const FROM_LAB: [[f64; 3]; 3] = [
    [1.0, 0.396_337_8, 0.215_803_8],
    [1.0, -0.105_561_3, -0.063_854_2],
    [1.0, -0.089_484_2, -1.291_485_5],
];
const FROM_CONES: [[f64; 3]; 3] = [
    [4.076_741_7, -3.307_711_6, 0.230_969_9],
    [-1.268_438_0, 2.609_757_4, -0.341_319_4],
    [-0.004_196_1, -0.703_418_6, 1.707_614_7],
];

/// A colour of 8-bit sRGB channels; `Display` writes `#rrggbb`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Color([u8; 3]);

impl Color {
    pub fn parse(hex: &str) -> Option<Self> {
        let mut channels = [0; 3];
        hex::decode_to_slice(hex.strip_prefix('#')?, &mut channels).ok()?;
        Some(Self(channels))
    }

    /// White or black, whichever reads better: one of them has a contrast of 4.5 with any colour.
    pub fn ink(self) -> Self {
        if self.contrast(WHITE) >= self.contrast(BLACK) {
            WHITE
        } else {
            BLACK
        }
    }

    /// The ground of the public page's head in this hue, of a lightness that leaves every text its contrast: `--sheet` of the
    /// styles. By way of Oklab (B. Ottosson).
    pub fn sheet(self, dark: bool) -> Self {
        let (lightness, most) = if dark { (0.22, 0.007) } else { (0.995, 0.002) };
        let dot = |row: [f64; 3], of: [f64; 3]| row.iter().zip(of).map(|(a, b)| a * b).sum::<f64>();
        let cones = TO_CONES.map(|row| dot(row, self.0.map(linear)).cbrt());
        let [a, b] = TO_HUE.map(|row| dot(row, cones));
        let faint = (most / a.hypot(b).max(most)).min(1.0);
        let lab = [lightness, a * faint, b * faint];
        let cones = FROM_LAB.map(|row| dot(row, lab).powi(3));
        Self(FROM_CONES.map(|row| encoded(dot(row, cones))))
    }

    /// 1 to 21 (WCAG 2.2).
    fn contrast(self, other: Self) -> f64 {
        let (one, two) = (self.luminance(), other.luminance());
        (one.max(two) + 0.05) / (one.min(two) + 0.05)
    }

    /// Relative luminance, 0 (black) to 1 (white) (WCAG 2.2, IEC 61966-2-1).
    fn luminance(self) -> f64 {
        let [red, green, blue] = self.0.map(linear);
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    }
}

/// Light of an 8-bit channel (IEC 61966-2-1).
fn linear(channel: u8) -> f64 {
    let value = f64::from(channel) / 255.0;
    if value <= 0.040_45 {
        value / 12.92
    } else {
        ((value + 0.055) / 1.055).powf(2.4)
    }
}

/// The nearest 8-bit channel.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "clamped to a byte"
)]
fn encoded(light: f64) -> u8 {
    let value = if light <= 0.003_130_8 {
        light * 12.92
    } else {
        1.055 * light.powf(1.0 / 2.4) - 0.055
    };
    (value.clamp(0.0, 1.0) * 255.0).round() as u8
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
    fn a_sheet_is_what_a_browser_makes_of_the_styles() {
        for (hex, light, dark) in [
            ("#2563eb", "#fdfdff", "#191b1e"),
            ("#ffd21f", "#fefdfc", "#1c1b17"),
            ("#c8102e", "#fffdfd", "#1e1919"),
            ("#00ff00", "#fdfefc", "#191b18"),
            ("#000000", "#fdfdfd", "#1b1b1b"),
            ("#ffffff", "#fdfdfd", "#1b1b1b"),
        ] {
            let sheet = |dark| read(hex).sheet(dark).to_string();
            assert_eq!(
                (sheet(false), sheet(true)),
                (light.to_owned(), dark.to_owned()),
                "{hex}"
            );
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
