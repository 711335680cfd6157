import { useState } from 'react';
import { Fact, Facts } from '../../../shared/ui/facts';
import { Stack, Text } from '../../../shared/ui/layout';
import { type Part, readMail } from './mail';
import { Inner, LongText, More, Trouble, Wait } from './parts';
import { useMade } from './use-made';

/** Parts that are listed at a time. */
const PAGE = 100;

/** A mail: who, when, what about, its words, and its parts. */
export function MailView({ blob, depth }: { blob: Blob; depth: number }) {
  const { made, failure } = useMade(readMail, blob);
  if (failure !== undefined) {
    return <Trouble failure={failure} />;
  }
  if (!made) {
    return <Wait />;
  }
  return (
    <Stack>
      <Facts layout="lined" label="Intestazioni">
        {made.facts.map(([name, value]) => (
          <Fact key={name} name={name}>
            {value}
          </Fact>
        ))}
      </Facts>
      {made.fromPage ? (
        <Text tone="muted" small>
          Solo le parole: immagini e aspetto della pagina non si caricano.
        </Text>
      ) : null}
      {made.text ? <LongText>{made.text}</LongText> : <Text tone="muted">L’email non contiene testo.</Text>}
      {made.parts.length > 0 ? <Parts parts={made.parts} depth={depth} /> : null}
    </Stack>
  );
}

function Parts({ parts, depth }: { parts: readonly Part[]; depth: number }) {
  const [shown, setShown] = useState(PAGE);
  const left = parts.length - shown;
  return (
    <section aria-label="Allegati dell’email">
      <Text strong>Allegati dell’email ({parts.length})</Text>
      <Stack as="ul" lined>
        {parts.slice(0, shown).map(({ name, content }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a mail may hold a name twice, and never changes
          <li key={index}>
            <Inner name={name} size={content.size} file={async () => content} depth={depth + 1} />
          </li>
        ))}
      </Stack>
      {left > 0 ? (
        <More onClick={() => setShown(shown + PAGE)}>Mostra altri {Math.min(left, PAGE)} allegati</More>
      ) : null}
    </section>
  );
}
