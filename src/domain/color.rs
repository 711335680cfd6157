//! From the newsroom's one colour to a set that can be read: fill, text on the fill, text and focus ring on the page,
//! in light and dark. It must never refuse a colour: what is unreadable is shifted in lightness until it is not.

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
/// Steps in which a colour goes to black or white: finer than the eye tells apart.
const STEPS: u32 = 400;

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
    pub fn parse(hex: &str) -> Option<Self> {
        let mut channels = [0; 3];
        hex::decode_to_slice(hex.strip_prefix('#')?, &mut channels).ok()?;
        Some(Self(channels))
    }

    /// Relative luminance, 0 (black) to 1 (white), as WCAG 2.2 defines it.
    fn luminance(self) -> f64 {
        let [red, green, blue] = self.linear();
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    }

    fn contrast(self, other: Self) -> f64 {
        let (one, two) = (self.luminance(), other.luminance());
        (one.max(two) + 0.05) / (one.min(two) + 0.05)
    }

    fn least_contrast(self, surfaces: &[Self]) -> f64 {
        surfaces
            .iter()
            .map(|surface| self.contrast(*surface))
            .fold(f64::INFINITY, f64::min)
    }

    /// Channels without the sRGB transfer curve, 0 to 1 (IEC 61966-2-1).
    fn linear(self) -> [f64; 3] {
        self.0.map(|channel| {
            let value = f64::from(channel) / 255.0;
            if value <= 0.040_45 {
                value / 12.92
            } else {
                ((value + 0.055) / 1.055).powf(2.4)
            }
        })
    }

    /// The colour of these linear channels, or the nearest that a screen can show.
    fn from_linear(channels: [f64; 3]) -> Self {
        Self(channels.map(|value| {
            to_channel(if value <= 0.003_130_8 {
                value * 12.92
            } else {
                1.055 * value.powf(1.0 / 2.4) - 0.055
            })
        }))
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
        let tones = |surfaces: &[Color; 3], toward: f64| {
            let text = shift(primary, surfaces, toward, TEXT_CONTRAST);
            Tones {
                primary_text: text.to_string(),
                focus: shift(primary, surfaces, toward, FOCUS_CONTRAST).to_string(),
                contrast: text.least_contrast(surfaces),
                surfaces: surfaces.map(|surface| surface.to_string()),
            }
        };
        Self {
            primary: primary.to_string(),
            on_primary: on_primary.to_string(),
            contrast: on_primary.contrast(primary),
            light: tones(&LIGHT_SURFACES, 0.0),
            dark: tones(&DARK_SURFACES, 1.0),
        }
    }

    /// The set of a colour as the settings hold it; of the default colour when they hold none that can be read.
    pub fn of(hex: &str) -> Self {
        Self::derive(Color::parse(hex).unwrap_or(DEFAULT_PRIMARY))
    }
}

/// A colour in Oklab: its chroma and hue are the length and the direction of the two opponent axes.
struct Oklab {
    lightness: f64,
    red_green: f64,
    yellow_blue: f64,
}

impl From<Color> for Oklab {
    /// After <https://bottosson.github.io/posts/oklab/>.
    fn from(color: Color) -> Self {
        let [red, green, blue] = color.linear();
        let long =
            (0.412_221_470_8 * red + 0.536_332_536_3 * green + 0.051_445_992_9 * blue).cbrt();
        let medium =
            (0.211_903_498_2 * red + 0.680_699_545_1 * green + 0.107_396_956_6 * blue).cbrt();
        let short =
            (0.088_302_461_9 * red + 0.281_718_837_6 * green + 0.629_978_700_5 * blue).cbrt();
        Self {
            lightness: 0.210_454_255_3 * long + 0.793_617_785_0 * medium - 0.004_072_046_8 * short,
            red_green: 1.977_998_495_1 * long - 2.428_592_205_0 * medium + 0.450_593_709_9 * short,
            yellow_blue: 0.025_904_037_1 * long + 0.782_771_766_2 * medium
                - 0.808_675_766_0 * short,
        }
    }
}

impl Oklab {
    /// This colour with so much of black or white (lightness 0 or 1) in it, 0 to 1: its hue stays.
    fn toward(&self, end: f64, part: f64) -> Color {
        let lightness = self.lightness + (end - self.lightness) * part;
        let left = 1.0 - part;
        let (red_green, yellow_blue) = (left * self.red_green, left * self.yellow_blue);
        let long =
            (lightness + 0.396_337_777_4 * red_green + 0.215_803_757_3 * yellow_blue).powi(3);
        let medium =
            (lightness - 0.105_561_345_8 * red_green - 0.063_854_172_8 * yellow_blue).powi(3);
        let short =
            (lightness - 0.089_484_177_5 * red_green - 1.291_485_548_0 * yellow_blue).powi(3);
        Color::from_linear([
            4.076_741_662_1 * long - 3.307_711_591_3 * medium + 0.230_969_929_2 * short,
            -1.268_438_004_6 * long + 2.609_757_401_1 * medium - 0.341_319_396_5 * short,
            -0.004_196_086_3 * long - 0.703_418_614_7 * medium + 1.707_614_701_0 * short,
        ])
    }
}

/// The colour itself if it reads on all surfaces, else with as little black or white (lightness 0 or 1) in it as makes it read.
fn shift(color: Color, surfaces: &[Color], end: f64, contrast: f64) -> Color {
    let start = Oklab::from(color);
    (0..=STEPS)
        .map(|step| start.toward(end, f64::from(step) / f64::from(STEPS)))
        .find(|shifted| shifted.least_contrast(surfaces) >= contrast)
        // The end of the way, black or white, reads on every surface of its theme.
        .unwrap_or(if end > 0.5 { WHITE } else { BLACK })
}

/// The 8-bit channel nearest to a value of 0 to 1.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "rounded and clamped to 0..=255 before"
)]
fn to_channel(value: f64) -> u8 {
    (value * 255.0).round().clamp(0.0, 255.0) as u8
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
    fn the_way_to_oklab_and_back_loses_nothing() {
        for red in (0..=255).step_by(51) {
            for green in (0..=255).step_by(51) {
                for blue in (0..=255).step_by(51) {
                    let color = Color([red, green, blue]);
                    let oklab = Oklab::from(color);
                    assert_eq!(oklab.toward(1.0, 0.0), color);
                }
            }
        }
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
            let hue = |hex: &str| {
                let oklab = Oklab::from(read(hex));
                oklab.yellow_blue.atan2(oklab.red_green)
            };
            for (tone, surfaces) in [
                (&theme.light.primary_text, LIGHT_SURFACES),
                (&theme.dark.primary_text, DARK_SURFACES),
            ] {
                assert!((hue(tone) - hue(hex)).abs() < 0.05, "{hex} {tone}");
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
