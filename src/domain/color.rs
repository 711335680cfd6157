//! From the newsroom's one colour to a set that can be read: fill, text on the fill, text and focus ring on the page,
//! in light and dark. It must never refuse a colour: what is unreadable is mixed with white or black until it is not.

use std::fmt;

use serde::Serialize;
use utoipa::ToSchema;

pub const DEFAULT_PRIMARY: Color = Color([0x25, 0x63, 0xeb]);

const WHITE: Color = Color([255; 3]);
const BLACK: Color = Color([0; 3]);
/// Backgrounds that coloured text can stand on in the light theme: page, card, inset.
const LIGHT_SURFACES: [Color; 3] = [Color([0xf6, 0xf7, 0xf9]), WHITE, Color([0xee, 0xf0, 0xf4])];
/// The same of the dark theme.
const DARK_SURFACES: [Color; 3] = [
    Color([0x0f, 0x12, 0x16]),
    Color([0x17, 0x1b, 0x21]),
    Color([0x23, 0x2a, 0x33]),
];
/// Smallest contrast of text (WCAG 2.2, 1.4.3).
const TEXT_CONTRAST: f64 = 4.5;
/// Smallest contrast of a focus ring (WCAG 2.2, 1.4.11).
const FOCUS_CONTRAST: f64 = 3.0;
/// Steps in which a colour is mixed: one a value of a channel.
const STEPS: u16 = 255;

/// A colour of 8-bit sRGB channels; `Display` writes `#rrggbb`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Color([u8; 3]);

/// What is derived from the main colour, each as `#rrggbb`.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Theme {
    /// The main colour itself, as a fill.
    pub primary: String,
    /// Text on the fill: white or black, whichever reads better (at least 4.5:1).
    pub on_primary: String,
    /// Contrast of the text on the fill, 1 to 21.
    pub contrast: f64,
    /// For the light theme.
    pub light: Tones,
    /// For the dark theme.
    pub dark: Tones,
}

/// The main colour as it reads on one theme's backgrounds.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Tones {
    /// Text in the main colour: 4.5:1 on every background of the theme.
    pub primary_text: String,
    /// Focus ring: 3:1 on every background of the theme.
    pub focus: String,
    /// Smallest contrast of the text with a background, 1 to 21.
    pub contrast: f64,
    /// The theme's backgrounds: page, card, inset.
    pub surfaces: [String; 3],
}

impl Color {
    /// The colour written as `#` and six hexadecimal digits.
    pub fn parse(hex: &str) -> Option<Self> {
        let mut channels = [0; 3];
        hex::decode_to_slice(hex.strip_prefix('#')?, &mut channels).ok()?;
        Some(Self(channels))
    }

    /// Relative luminance, 0 (black) to 1 (white), as WCAG 2.2 defines it.
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

    /// Contrast ratio of WCAG 2.2, 1 to 21.
    fn contrast(self, other: Self) -> f64 {
        let (one, two) = (self.luminance(), other.luminance());
        (one.max(two) + 0.05) / (one.min(two) + 0.05)
    }

    /// Smallest contrast with any of the surfaces.
    fn least_contrast(self, surfaces: &[Self]) -> f64 {
        surfaces
            .iter()
            .map(|surface| self.contrast(*surface))
            .fold(f64::INFINITY, f64::min)
    }

    /// The colour itself if it reads on all surfaces, else mixed with white or black, and no more than it takes.
    fn readable_on(self, surfaces: &[Self], toward: Self, contrast: f64) -> Self {
        (0..=STEPS)
            .map(|step| {
                let mixed = |from: u8, to: u8| {
                    let sum = u16::from(from) * (STEPS - step) + u16::from(to) * step;
                    u8::try_from(sum / STEPS).unwrap_or(u8::MAX)
                };
                let ([r, g, b], [to_r, to_g, to_b]) = (self.0, toward.0);
                Self([mixed(r, to_r), mixed(g, to_g), mixed(b, to_b)])
            })
            .find(|mixed| mixed.least_contrast(surfaces) >= contrast)
            // The end of the way, black or white, reads on every surface of its theme.
            .unwrap_or(toward)
    }
}

impl fmt::Display for Color {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "#{}", hex::encode(self.0))
    }
}

impl Theme {
    pub fn derive(primary: Color) -> Self {
        let on_primary = if primary.contrast(WHITE) >= primary.contrast(BLACK) {
            WHITE
        } else {
            BLACK
        };
        let tones = |surfaces: &[Color; 3], toward: Color| {
            let text = primary.readable_on(surfaces, toward, TEXT_CONTRAST);
            let focus = primary.readable_on(surfaces, toward, FOCUS_CONTRAST);
            Tones {
                primary_text: text.to_string(),
                focus: focus.to_string(),
                contrast: text.least_contrast(surfaces),
                surfaces: surfaces.map(|surface| surface.to_string()),
            }
        };
        Self {
            primary: primary.to_string(),
            on_primary: on_primary.to_string(),
            contrast: on_primary.contrast(primary),
            light: tones(&LIGHT_SURFACES, BLACK),
            dark: tones(&DARK_SURFACES, WHITE),
        }
    }

    /// The set of a colour as the settings hold it; of the default colour when they hold none that can be read.
    pub fn of(hex: &str) -> Self {
        Self::derive(Color::parse(hex).unwrap_or(DEFAULT_PRIMARY))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(hex: &str) -> Color {
        Color::parse(hex).unwrap()
    }

    /// Asserts every promise of a theme for one colour.
    fn assert_readable(primary: Color) {
        let theme = Theme::derive(primary);
        assert_eq!(read(&theme.primary), primary);
        assert!(
            read(&theme.on_primary).contrast(primary) >= 4.5,
            "{theme:?}"
        );
        for (tones, surfaces) in [(&theme.light, LIGHT_SURFACES), (&theme.dark, DARK_SURFACES)] {
            assert!(
                read(&tones.primary_text).least_contrast(&surfaces) >= 4.5,
                "{theme:?}"
            );
            assert!(
                read(&tones.focus).least_contrast(&surfaces) >= 3.0,
                "{theme:?}"
            );
        }
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

    #[test]
    fn every_colour_of_a_grid_gives_a_readable_theme() {
        for red in (0..=255).step_by(17) {
            for green in (0..=255).step_by(17) {
                for blue in (0..=255).step_by(17) {
                    assert_readable(Color([red, green, blue]));
                }
            }
        }
    }

    #[test]
    fn what_reads_already_stays() {
        let theme = Theme::of("#2563eb");
        assert_eq!(theme.on_primary, "#ffffff");
        assert_eq!(theme.light.primary_text, "#2563eb");
        assert_eq!(theme.light.focus, "#2563eb");
        assert_ne!(theme.dark.primary_text, "#2563eb");
        assert_eq!(Theme::of("nonsense"), theme);
    }

    #[test]
    fn a_shift_is_no_larger_than_needed_and_keeps_the_hue() {
        for hex in ["#facc15", "#2563eb", "#dc2626", "#22c55e"] {
            let theme = Theme::of(hex);
            // The order of the channels: what a hue is in essence.
            let order = |hex: &str| {
                let mut channels = [0, 1, 2];
                channels.sort_by_key(|at| read(hex).0[*at]);
                channels
            };
            for (tone, surfaces) in [
                (&theme.light.primary_text, LIGHT_SURFACES),
                (&theme.dark.primary_text, DARK_SURFACES),
            ] {
                assert_eq!(order(tone)[2], order(hex)[2], "{hex} {tone}");
                if tone != hex {
                    assert!(read(tone).least_contrast(&surfaces) < 4.7, "{hex} {tone}");
                }
            }
        }
    }

    proptest! {
        #[test]
        fn any_colour_gives_a_readable_theme(channels in any::<[u8; 3]>()) {
            assert_readable(Color(channels));
        }
    }
}
