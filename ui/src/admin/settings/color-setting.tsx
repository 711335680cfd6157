import type { CSSProperties } from 'react';
import { buttonClass } from '../../shared/ui/button';
import look from '../../shared/ui/control.module.css';
import { Field } from '../../shared/ui/field';
import { Row, Stack, Text } from '../../shared/ui/layout';
import { TextInput } from '../../shared/ui/text-input';
import { SAVE_FORM } from '../common/forms/save-bar';
import styles from './color-setting.module.css';
import type { OwnProps } from './controls';

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

function ColorPreview({ color }: { color: string }) {
  return (
    <Stack as="section" gap={2} aria-label="Anteprima del colore">
      <div className={styles.samples}>
        <Sample title="Chiaro" color={color} scheme="light" />
        <Sample title="Scuro" color={color} scheme="dark" />
      </div>
      <Text small>
        Sul colore il testo è bianco o nero, secondo quale si legge meglio. Come testo il colore viene scurito
        nel tema chiaro e schiarito in quello scuro, quanto basta perché si legga (contrasto di almeno 4,5:1).
      </Text>
    </Stack>
  );
}

/** The colour at work in one theme, whatever the theme of this page. */
function Sample({ title, color, scheme }: { title: string; color: string; scheme: 'light' | 'dark' }) {
  return (
    <figure className={styles.sample} data-theme={scheme} style={{ '--primary': color } as CSSProperties}>
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
          <u className={styles.link}>Link</u>
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
