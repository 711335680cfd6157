import { keepPreviousData } from '@tanstack/react-query';
import { type CSSProperties, useEffect, useState } from 'react';
import type { Theme } from '../../shared/api/schema';
import { buttonClass } from '../../shared/ui/button';
import look from '../../shared/ui/control.module.css';
import { Field } from '../../shared/ui/field';
import { Row, Stack, Text } from '../../shared/ui/layout';
import { TextInput } from '../../shared/ui/text-input';
import { SAVE_FORM } from '../common/forms/save-bar';
import { useRead } from '../common/use-read';
import styles from './color-setting.module.css';
import type { OwnProps } from './controls';

/** How long a colour stays as it is before the server is asked what becomes of it, in milliseconds. */
const PAUSE_MS = 200;

/** The main colour, typed or picked, and how it will look in both themes. */
export function ColorSetting({ value, onChange, ...shown }: OwnProps) {
  const valid = /^#[0-9a-f]{6}$/i.test(value);
  return (
    <Stack gap={4}>
      <Field {...shown}>
        {(control) => (
          <Row nowrap>
            <input
              className={`${look.control} ${styles.picker}`}
              type="color"
              aria-label="Scegli con la tavolozza"
              value={valid ? value.toLowerCase() : '#000000'}
              onChange={(event) => onChange(event.target.value)}
            />
            <Text as="span" mono className={styles.code}>
              <TextInput
                {...control}
                form={SAVE_FORM}
                autoComplete="off"
                autoCapitalize="none"
                spellCheck={false}
                value={value}
                onChange={(event) => onChange(event.target.value.trim())}
              />
            </Text>
          </Row>
        )}
      </Field>
      {valid ? (
        <ColorPreview color={value.toLowerCase()} />
      ) : (
        <Text tone="muted" small>
          L’anteprima compare con un colore di sei cifre, ad esempio #2563eb.
        </Text>
      )}
    </Stack>
  );
}

/** A ratio as Italians write it: `5,2:1`. Cut, not rounded: 4.49 must not look like enough. */
function ratio(value: number): string {
  const tenths = Math.floor(value * 10) / 10;
  return `${tenths.toLocaleString('it-IT', { minimumFractionDigits: 1 })}:1`;
}

function useSettled(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

/** What the server makes of the colour; the colours of before stay while it is asked. */
function ColorPreview({ color }: { color: string }) {
  const { data: theme, isError } = useRead('/settings/palette', {
    with: { query: { color: useSettled(color) } },
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (!theme) {
    return isError ? (
      <Text tone="muted" small>
        L’anteprima non è disponibile: il server non risponde.
      </Text>
    ) : null;
  }
  return (
    <Stack as="section" gap={2} aria-label="Anteprima del colore">
      <div className={styles.samples}>
        <Sample title="Chiaro" theme={theme} scheme="light" />
        <Sample title="Scuro" theme={theme} scheme="dark" />
      </div>
      <Text small>
        Sul colore il testo è {theme.onPrimary === '#ffffff' ? 'bianco' : 'nero'}: contrasto{' '}
        {ratio(theme.contrast)}, si legge bene.
      </Text>
      <Text small>{verdictOf(theme)}</Text>
    </Stack>
  );
}

function verdictOf({ primary, light, dark }: Theme): string {
  const [darker, lighter] = [light.primaryText !== primary, dark.primaryText !== primary];
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

interface SampleProps {
  title: string;
  theme: Theme;
  scheme: 'light' | 'dark';
}

/** The colour at work in one theme, whatever the theme of this page. */
function Sample({ title, theme, scheme }: SampleProps) {
  const { primaryText, focus, contrast } = theme[scheme];
  const colors = {
    '--primary': theme.primary,
    '--on-primary': theme.onPrimary,
    '--primary-text': primaryText,
    '--focus': focus,
  } as CSSProperties;
  return (
    <figure className={styles.sample} data-theme={scheme} style={colors}>
      <Stack>
        <Text as="figcaption" small strong>
          {title}
        </Text>
        <ul className="bubbles">
          <li className="bubble" data-from="bot">
            <p className="bubble-text">Come ti chiami?</p>
          </li>
          <li className="bubble" data-from="user">
            <p className="bubble-text">Giulia</p>
          </li>
        </ul>
        <Text small>
          <u className={styles.link}>Collegamento</u> {primaryText}, {ratio(contrast)}
        </Text>
        <div>
          <span className={`${buttonClass} ${styles.focused}`} data-variant="primary">
            Pulsante
          </span>
        </div>
      </Stack>
    </figure>
  );
}
