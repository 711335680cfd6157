import type { ReactNode } from 'react';
import { Link } from 'react-router-dom';
import { Card } from '../../shared/ui/card';
import { Fact, Facts } from '../../shared/ui/facts';
import { Row, Stack, Text } from '../../shared/ui/layout';
import { useBranding } from '../common/branding';
import { paths } from '../common/paths';
import styles from './preview.module.css';
import { fillIn, type Phrase, PLACEHOLDERS, type PlaceholderValues } from './sections';

interface PreviewProps {
  phrase: Phrase;
  text: string;
  values: PlaceholderValues;
}

export function Preview({ phrase, text, values }: PreviewProps) {
  const said = fillIn(text, values);
  return (
    <Stack as="section" gap={2} aria-label="Anteprima della chat">
      <Text strong>
        Anteprima{' '}
        <Text as="span" tone="muted" small>
          · {phrase.label}
        </Text>
      </Text>
      <Phone>
        <div className={styles.screen}>
          {said.trim() === '' ? (
            <Text tone="muted">
              <em>Il messaggio è vuoto.</em>
            </Text>
          ) : (
            <ul className="bubbles">
              <Bubble from="bot" text={said} />
            </ul>
          )}
        </div>
      </Phone>
    </Stack>
  );
}

export interface Utterance {
  from: 'bot' | 'user';
  text: string;
}

export function Bubble({ from, text }: Utterance) {
  const { assistantName } = useBranding();
  return (
    <li className="bubble" data-from={from}>
      <span className="visually-hidden">{from === 'user' ? 'Tu: ' : `${assistantName}: `}</span>
      {(from === 'bot' ? text.split('\n\n') : [text]).map((part, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts stand in the order of the text
        <p key={place} className="bubble-text">
          {part}
        </p>
      ))}
    </li>
  );
}

export function Phone({ children }: { children: ReactNode }) {
  const { organizationName, productName, logoUrl } = useBranding();
  return (
    <div className={styles.phone}>
      <Row nowrap className={styles.head}>
        <img src={logoUrl ?? `${import.meta.env.BASE_URL}logo/icon.svg`} alt="" width={36} height={36} />
        <div>
          <Text strong>{organizationName}</Text>
          <Text tone="muted" small>
            {productName}
          </Text>
        </div>
      </Row>
      {children}
    </div>
  );
}

export function PlaceholderCard({ values }: { values: PlaceholderValues }) {
  return (
    <Card title="Segnaposto">
      <Stack>
        <Text tone="muted" small>
          Nella chat vengono sostituiti dal valore attuale. Si inseriscono con i pulsanti sotto ogni testo.
        </Text>
        <Facts layout="lined">
          {Object.entries(PLACEHOLDERS).map(([name, meaning]) => (
            <Fact
              key={name}
              name={
                <>
                  <code>{`{${name}}`}</code> {meaning}
                </>
              }
            >
              {fillIn(`{${name}}`, values)}
            </Fact>
          ))}
        </Facts>
        <Text tone="muted" small>
          I nomi si cambiano in <Link to={paths.setting('system/names')}>Nomi</Link>, i minimi in{' '}
          <Link to={paths.setting('security/rules')}>Validazioni Segnalazioni</Link>.
        </Text>
      </Stack>
    </Card>
  );
}
