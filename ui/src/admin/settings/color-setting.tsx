import type { CSSProperties } from 'react';
import { Field } from '../../shared/ui/field';
import { TextInput } from '../../shared/ui/text-input';
import { SAVE_FORM } from '../common/edits/save-bar';
import type { EditsForm } from '../common/edits/use-edits';
import { contrast, deriveTheme, isColor, leastContrast, SURFACES, type Theme, type Tones } from './color';
import styles from './color-setting.module.css';
import { Setting } from './fields';
import type { SystemForm } from './sections';

/** The main colour, typed or picked, and how it will look in both themes. */
export function ColorSetting({ form }: { form: EditsForm<SystemForm> }) {
  const value = form.values.primaryColor;
  const valid = isColor(value);
  return (
    <Setting name="primaryColor">
      <div className={styles.setting}>
        <Field
          label="Colore principale"
          hint="Pulsanti, bolle di chi scrive, collegamenti. Nessun colore è vietato: dove non si leggerebbe, viene schiarito o scurito da solo."
          error={form.errors.primaryColor}
        >
          {(control) => (
            <div className={styles.row}>
              <input
                className={styles.picker}
                type="color"
                aria-label="Scegli con la tavolozza"
                value={valid ? value.toLowerCase() : '#000000'}
                onChange={(event) => form.set('primaryColor', event.target.value)}
              />
              <div className={styles.code}>
                <TextInput
                  {...control}
                  form={SAVE_FORM}
                  autoComplete="off"
                  autoCapitalize="none"
                  spellCheck={false}
                  value={value}
                  onChange={(event) => form.set('primaryColor', event.target.value.trim())}
                />
              </div>
            </div>
          )}
        </Field>
        {valid ? (
          <ColorPreview theme={deriveTheme(value)} />
        ) : (
          <p className={styles.note}>L’anteprima compare con un colore di sei cifre, ad esempio #2563eb.</p>
        )}
      </div>
    </Setting>
  );
}

/** A ratio as Italians write it: `5,2:1`. Cut, not rounded: 4.49 must not look like enough. */
function ratio(value: number): string {
  const tenths = Math.floor(value * 10) / 10;
  return `${tenths.toLocaleString('it-IT', { minimumFractionDigits: 1 })}:1`;
}

function ColorPreview({ theme }: { theme: Theme }) {
  const onFill = contrast(theme.primary, theme.onPrimary);
  return (
    <section className={styles.preview} aria-label="Anteprima del colore">
      <div className={styles.samples}>
        <Sample title="Chiaro" theme={theme} tones={theme.light} scheme="light" />
        <Sample title="Scuro" theme={theme} tones={theme.dark} scheme="dark" />
      </div>
      <p>
        Sul colore il testo è {theme.onPrimary === '#ffffff' ? 'bianco' : 'nero'}: contrasto {ratio(onFill)},
        si legge bene.
      </p>
      <p>{verdictOf(theme)}</p>
    </section>
  );
}

/** How the colour fares as text, in words. */
export function verdictOf({ primary, light, dark }: Theme): string {
  const [darker, lighter] = [light.text !== primary, dark.text !== primary];
  if (darker && lighter) {
    return 'Come testo viene scurito nel tema chiaro e schiarito in quello scuro, perché si legga.';
  }
  if (darker) {
    return 'Come testo viene scurito nel tema chiaro, perché si legga; nel tema scuro resta com’è.';
  }
  return lighter
    ? 'Come testo viene schiarito nel tema scuro, perché si legga; nel tema chiaro resta com’è.'
    : 'Come testo si legge bene così com’è in tutti e due i temi.';
}

const INK = {
  light: { text: '#14181f', line: '#dde1e7' },
  dark: { text: '#e8ebf0', line: '#2c343e' },
} as const;

interface SampleProps {
  title: string;
  theme: Theme;
  tones: Tones;
  scheme: 'light' | 'dark';
}

/** The colour at work in one theme, whatever the theme of this page. */
function Sample({ title, theme, tones, scheme }: SampleProps) {
  const [page, card, inset] = SURFACES[scheme];
  const look = {
    '--sample-page': page,
    '--sample-card': card,
    '--sample-inset': inset,
    '--sample-ink': INK[scheme].text,
    '--sample-line': INK[scheme].line,
    '--sample-fill': theme.primary,
    '--sample-on-fill': theme.onPrimary,
    '--sample-text': tones.text,
    '--sample-focus': tones.focus,
  } as CSSProperties;
  return (
    <figure className={styles.sample} style={look}>
      <figcaption>{title}</figcaption>
      <div className={styles.card}>
        <p className={styles.bot}>Come ti chiami?</p>
        <p className={styles.user}>Giulia</p>
        <p>
          <span className={styles.link}>Collegamento</span>{' '}
          <small>
            {tones.text}, {ratio(leastContrast(tones.text, SURFACES[scheme]))}
          </small>
        </p>
        <span className={styles.button}>Pulsante</span>
      </div>
    </figure>
  );
}
