import { Link } from 'react-router-dom';
import type { ReportRow } from '../../shared/api/schema';
import { formatDateTime } from '../../shared/lib/dates';
import { Badge } from '../../shared/ui/badge';
import { Button } from '../../shared/ui/button';
import { Dialog } from '../../shared/ui/dialog';
import { Row, Text } from '../../shared/ui/layout';
import { List } from '../common/list';
import { Loaded } from '../common/loaded';
import { paths, type Trail } from '../common/paths';
import { reporterName } from '../common/reporter-name';
import { toneOf } from '../common/stato';
import { useRead } from '../common/use-read';

interface AlikeDialogProps {
  of: ReportRow;
  trail: Trail;
  onClose: () => void;
}

/** The group of a row: what says nearly the same, and what comes from the same telephone or email. */
export function AlikeDialog({ of, trail, onClose }: AlikeDialogProps) {
  const related = useRead('/reports/{id}/related', { with: { path: { id: of.id } } });
  return (
    <Dialog
      open
      title={`Simili a ${reporterName(of)}`}
      onCancel={onClose}
      actions={<Button onClick={onClose}>Chiudi</Button>}
    >
      <Loaded query={related} loading="Caricamento…" failed="Non è stato possibile cercarle" part>
        {({ similar, samePerson }) => (
          <List
            of={[
              ...similar.map((head) => ({ head, why: 'stesso testo' })),
              ...samePerson.map((head) => ({
                head,
                why: head.telefono ? 'stesso telefono' : 'stessa email',
              })),
            ]}
            label="Simili"
            empty="Non ce ne sono più."
          >
            {({ head, why }) => (
              <Row as="li" key={head.id}>
                <Link to={paths.report(head.id)} state={trail} onClick={onClose}>
                  {reporterName(head)}
                </Link>
                <Badge tone={toneOf(head.stato)}>{head.stato}</Badge>
                <Text as="span" small>{`${formatDateTime(head.data_creazione)}, ${why}`}</Text>
              </Row>
            )}
          </List>
        )}
      </Loaded>
    </Dialog>
  );
}
