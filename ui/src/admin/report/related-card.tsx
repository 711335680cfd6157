/** What has to do with a report: the same person, nearly the same account, links. A mark, never an action. */
import { type ReactNode, useState } from 'react';
import { Link } from 'react-router-dom';
import { call } from '../../shared/api/client';
import type { Related, ReportHead } from '../../shared/api/schema';
import { formatDateTime } from '../../shared/lib/dates';
import { Badge } from '../../shared/ui/badge';
import { Button } from '../../shared/ui/button';
import { Form } from '../../shared/ui/form';
import { Row, Stack, Text } from '../../shared/ui/layout';
import { TextField } from '../../shared/ui/text-field';
import { type Action, Failure, Send, useAction } from '../common/action';
import { Fold } from '../common/fold';
import { paths } from '../common/paths';
import { reporterName } from '../common/reporter-name';
import { useRights } from '../common/session/session-context';
import { toneOf } from '../common/stato';
import { useRead, useRefresh } from '../common/use-read';

const UUID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/i;

export function RelatedFold({ id }: { id: string }) {
  const { data, isError } = useRead('/reports/{id}/related', { with: { path: { id } } });
  const found = data ? data.samePerson.length + data.similar.length + data.linked.length : 0;
  return (
    <Fold title="Segnalazioni vicine" note={data ? `${found || 'nessuna'}` : ''}>
      {data ? (
        <Groups id={id} related={data} />
      ) : (
        <Text>{isError ? 'Non è stato possibile cercarle. Riprova tra poco.' : 'Caricamento…'}</Text>
      )}
    </Fold>
  );
}

function Groups({ id, related }: { id: string; related: Related }) {
  const { samePerson, similar, linked, ready } = related;
  const { edits } = useRights();
  const refresh = useRefresh();
  const action = useAction();
  const set = (method: 'put' | 'delete') => (other: string) =>
    action.run(async () => {
      await call(method, '/reports/{id}/links/{other}', { path: { id, other } });
      await refresh('/reports/{id}/related');
    });
  const [link, unlink] = [set('put'), set('delete')];
  const isLinked = (other: string) => linked.some((one) => one.id === other);
  const linkButton = (head: ReportHead) =>
    !edits || isLinked(head.id) ? null : (
      <Button
        variant="quiet"
        about={reporterName(head)}
        inactive={action.busy}
        onClick={() => void link(head.id)}
      >
        Collega
      </Button>
    );
  return (
    <Stack gap={4}>
      {ready ? null : <Text small>L’indice è in costruzione: l’elenco può essere incompleto.</Text>}
      <Group title="Stessa persona" heads={samePerson} beside={linkButton} />
      <Group
        title="Racconto quasi uguale"
        heads={similar}
        beside={(head) => (
          <>
            <Text as="span" small>{`${Math.round(head.likeness * 100)} % uguale`}</Text>
            {linkButton(head)}
          </>
        )}
      />
      <Group
        title="Collegate"
        heads={linked}
        beside={(head) =>
          edits ? (
            <Button
              variant="quiet"
              about={reporterName(head)}
              inactive={action.busy}
              onClick={() => void unlink(head.id)}
            >
              Scollega
            </Button>
          ) : null
        }
      />
      {edits ? <LinkForm action={action} onLink={link} /> : null}
      <Failure of={action} title="Collegamento non salvato" />
    </Stack>
  );
}

interface GroupProps<Head> {
  title: string;
  heads: readonly Head[];
  beside: (head: Head) => ReactNode;
}

function Group<Head extends ReportHead>({ title, heads, beside }: GroupProps<Head>) {
  return heads.length > 0 ? (
    <Stack gap={1}>
      <h3>{title}</h3>
      <Stack as="ul" gap={1}>
        {heads.map((head) => (
          <Row as="li" key={head.id}>
            <Link to={paths.report(head.id)}>{reporterName(head)}</Link>
            <Text as="span" small>
              {formatDateTime(head.data_creazione)}
            </Text>
            <Badge tone={toneOf(head.stato)}>{head.stato}</Badge>
            {beside(head)}
          </Row>
        ))}
      </Stack>
    </Stack>
  ) : null;
}

function LinkForm({ action, onLink }: { action: Action; onLink: (other: string) => Promise<boolean> }) {
  const [typed, setTyped] = useState('');
  const [wrong, setWrong] = useState<string>();
  const submit = async () => {
    const other = typed.match(UUID)?.[0].toLowerCase();
    setWrong(other ? undefined : 'Incolla l’ID di una segnalazione, o l’indirizzo della sua pagina.');
    if (other && (await onLink(other))) {
      setTyped('');
    }
  };
  return (
    <Form gap={2} label="Collega una segnalazione" onSubmit={submit}>
      <TextField
        label="Collega un’altra segnalazione"
        error={wrong}
        value={typed}
        placeholder="ID o indirizzo"
        onValue={setTyped}
      />
      <Row>
        <Send busy={action.busy}>Collega</Send>
      </Row>
    </Form>
  );
}
