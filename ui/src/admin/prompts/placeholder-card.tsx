import { Link } from 'react-router-dom';
import { Card } from '../../shared/ui/card';
import { Fact, Facts } from '../../shared/ui/facts';
import { Stack, Text } from '../../shared/ui/layout';
import { paths } from '../common/paths';
import { PLACEHOLDER_MEANINGS, PLACEHOLDERS, type PlaceholderValues } from './placeholders';

/** What each placeholder stands for, and what it says at present. */
export function PlaceholderCard({ values }: { values: PlaceholderValues }) {
  return (
    <Card title="Segnaposto">
      <Stack>
        <Text tone="muted" small>
          Nella chat vengono sostituiti dal valore attuale. Si inseriscono con i pulsanti sotto ogni testo.
        </Text>
        <Facts layout="lined">
          {PLACEHOLDERS.map((name) => (
            <Fact
              key={name}
              name={
                <>
                  <code>{`{${name}}`}</code> {PLACEHOLDER_MEANINGS[name]}
                </>
              }
            >
              {values[name]}
            </Fact>
          ))}
        </Facts>
        <Text tone="muted" small>
          I nomi si cambiano in <Link to={paths.system}>Sistema</Link>, i minimi in{' '}
          <Link to={paths.security}>Sicurezza</Link>.
        </Text>
      </Stack>
    </Card>
  );
}
