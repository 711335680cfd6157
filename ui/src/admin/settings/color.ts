/**
 * What the server derives from the main colour, for a preview before saving. Must give what the server gives; what the
 * pages really use always comes from the server.
 */

type Rgb = readonly [number, number, number];

export interface Tones {
  /** Text in the main colour, on every background of the theme. */
  text: string;
  /** Focus ring, on every background of the theme. */
  focus: string;
}

export interface Theme {
  primary: string;
  onPrimary: '#ffffff' | '#000000';
  light: Tones;
  dark: Tones;
}

/** Backgrounds of each theme: page, card, inset. */
export const SURFACES = {
  light: ['#f6f7f9', '#ffffff', '#eef0f4'],
  dark: ['#0f1216', '#171b21', '#232a33'],
} as const;

/** Smallest contrast of text (WCAG 2.2, 1.4.3) and of a focus ring (1.4.11). */
export const TEXT_CONTRAST = 4.5;
const FOCUS_CONTRAST = 3;
const LIGHTNESS_STEPS = 400;
const CHROMA_STEPS = 12;
/** Rounding errors at the edge of what a screen shows are forgiven. */
const TOLERANCE = 1e-4;

/** Whether a text is a colour as the settings take it: `#` and six hexadecimal digits. */
export function isColor(text: string): boolean {
  return /^#[0-9a-f]{6}$/i.test(text);
}

function read(hex: string): Rgb {
  const channel = (at: number) => Number.parseInt(hex.slice(at, at + 2), 16);
  return [channel(1), channel(3), channel(5)];
}

function write(color: Rgb): string {
  return `#${color.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
}

/** Channels without the sRGB transfer curve, 0 to 1 (IEC 61966-2-1). */
function linear(color: Rgb): Rgb {
  const straight = (channel: number) => {
    const value = channel / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return [straight(color[0]), straight(color[1]), straight(color[2])];
}

/** The colour of these linear channels; undefined when a screen cannot show it. */
function fromLinear(channels: Rgb): Rgb | undefined {
  if (channels.some((value) => value < -TOLERANCE || value > 1 + TOLERANCE)) {
    return undefined;
  }
  const curved = (value: number) => {
    const channel = value <= 0.0031308 ? value * 12.92 : 1.055 * value ** (1 / 2.4) - 0.055;
    return Math.min(255, Math.max(0, Math.round(channel * 255)));
  };
  return [curved(channels[0]), curved(channels[1]), curved(channels[2])];
}

function luminance(color: Rgb): number {
  const [red, green, blue] = linear(color);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Contrast ratio of WCAG 2.2, 1 to 21. */
export function contrast(one: string, other: string): number {
  const [first, second] = [luminance(read(one)), luminance(read(other))];
  return (Math.max(first, second) + 0.05) / (Math.min(first, second) + 0.05);
}

/** Smallest contrast with any of the backgrounds. */
export function leastContrast(color: string, surfaces: readonly string[]): number {
  return Math.min(...surfaces.map((surface) => contrast(color, surface)));
}

interface Oklch {
  lightness: number;
  chroma: number;
  cosine: number;
  sine: number;
}

/** Lightness, chroma and hue in Oklab, after https://bottosson.github.io/posts/oklab/. */
function oklch(color: Rgb): Oklch {
  const [red, green, blue] = linear(color);
  const long = Math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue);
  const medium = Math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue);
  const short = Math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue);
  const redGreen = 1.9779984951 * long - 2.428592205 * medium + 0.4505937099 * short;
  const yellowBlue = 0.0259040371 * long + 0.7827717662 * medium - 0.808675766 * short;
  const chroma = Math.hypot(redGreen, yellowBlue);
  return {
    lightness: 0.2104542553 * long + 0.793617785 * medium - 0.0040720468 * short,
    chroma,
    cosine: chroma > 0 ? redGreen / chroma : 1,
    sine: chroma > 0 ? yellowBlue / chroma : 0,
  };
}

function shownWith(hue: Oklch, lightness: number, chroma: number): Rgb | undefined {
  const [redGreen, yellowBlue] = [chroma * hue.cosine, chroma * hue.sine];
  const long = (lightness + 0.3963377774 * redGreen + 0.2158037573 * yellowBlue) ** 3;
  const medium = (lightness - 0.1055613458 * redGreen - 0.0638541728 * yellowBlue) ** 3;
  const short = (lightness - 0.0894841775 * redGreen - 1.291485548 * yellowBlue) ** 3;
  return fromLinear([
    4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
    -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
    -0.0041960863 * long - 0.7034186147 * medium + 1.707614701 * short,
  ]);
}

/** The same hue at another lightness, with as much of its chroma as a screen can show there. */
function atLightness(hue: Oklch, lightness: number): Rgb | undefined {
  const whole = shownWith(hue, lightness, hue.chroma);
  let shown = whole ?? shownWith(hue, lightness, 0);
  if (whole || !shown) {
    return shown;
  }
  let [low, high] = [0, hue.chroma];
  for (let step = 0; step < CHROMA_STEPS; step += 1) {
    const middle = (low + high) / 2;
    const color = shownWith(hue, lightness, middle);
    if (color) {
      shown = color;
      low = middle;
    } else {
      high = middle;
    }
  }
  return shown;
}

/** The colour itself if it reads on all backgrounds, else the nearest lightness toward 0 or 1 at which it does. */
function shift(color: string, surfaces: readonly string[], toward: 0 | 1, least: number): string {
  if (leastContrast(color, surfaces) >= least) {
    return color;
  }
  const start = oklch(read(color));
  for (let step = 1; step <= LIGHTNESS_STEPS; step += 1) {
    const lightness = start.lightness + (toward - start.lightness) * (step / LIGHTNESS_STEPS);
    const shifted = atLightness(start, lightness);
    if (shifted && leastContrast(write(shifted), surfaces) >= least) {
      return write(shifted);
    }
  }
  return toward === 1 ? '#ffffff' : '#000000';
}

/** The set that belongs to a main colour, which has to be one (`isColor`). */
export function deriveTheme(color: string): Theme {
  const primary = color.toLowerCase();
  const tones = (surfaces: readonly string[], toward: 0 | 1): Tones => ({
    text: shift(primary, surfaces, toward, TEXT_CONTRAST),
    focus: shift(primary, surfaces, toward, FOCUS_CONTRAST),
  });
  return {
    primary,
    onPrimary: contrast(primary, '#ffffff') >= contrast(primary, '#000000') ? '#ffffff' : '#000000',
    light: tones(SURFACES.light, 0),
    dark: tones(SURFACES.dark, 1),
  };
}
