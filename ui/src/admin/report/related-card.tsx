/** Other reports that may be of the same person. A mark, never an action. */
import { Link } from 'react-router-dom';
import type { Related } from '../../shared/api/schema';
import { formatDateTime } from '../../shared/lib/dates';
import { Badge } from '../../shared/ui/badge';
import { Row, Stack, Text } from '../../shared/ui/layout';
import { Fold } from '../common/fold';
import { List } from '../common/list/list';
import { paths } from '../common/paths';
import { reporterName } from '../common/reporter-name';
import { toneOf } from '../common/stato';
import { useRead } from '../common/use-read';

export function RelatedFold({ id }: { id: string }) {
  const { data, isError } = useRead('/reports/{id}/related', { with: { path: { id } } });
  return (
    <Fold title="Stessa persona" note={data ? `${data.samePerson.length || 'nessun’altra'}` : ''}>
      {data ? (
        <SamePerson related={data} />
      ) : (
        <Text>{isError ? 'Non è stato possibile cercarle. Riprova tra poco.' : 'Caricamento…'}</Text>
      )}
    </Fold>
  );
}

function SamePerson({ related: { samePerson, ready } }: { related: Related }) {
  return (
    <Stack gap={2}>
      {ready ? null : <Text small>L’indice è in costruzione: l’elenco può essere incompleto.</Text>}
      <List of={samePerson} label="Stessa persona" empty="Non ce ne sono altre.">
        {(head) => (
          <Row as="li" key={head.id}>
            <Link to={paths.report(head.id)}>{reporterName(head)}</Link>
            <Text as="span" small>
              {`${formatDateTime(head.data_creazione)}, ${head.telefono ? 'stesso telefono' : 'stessa email'}`}
            </Text>
            <Badge tone={toneOf(head.stato)}>{head.stato}</Badge>
          </Row>
        )}
      </List>
    </Stack>
  );
}
