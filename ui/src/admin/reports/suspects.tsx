import { Link } from 'react-router-dom';
import { call } from '../../shared/api/client';
import { counted, formatNumber } from '../../shared/lib/text';
import { Button } from '../../shared/ui/button';
import { Row, Stack, Text } from '../../shared/ui/layout';
import { Message } from '../../shared/ui/message';
import { type Action, Asked, Failure, useAction } from '../common/action';
import { paths } from '../common/paths';
import { useRights } from '../common/session/session-context';
import { useRefresh } from '../common/use-read';
import { useSieges } from './use-sieges';

const suspects = (n: number) =>
  n === 0 ? 'Nessuna segnalazione sospetta' : counted(n, 'segnalazione sospetta', 'segnalazioni sospette');

const DONE = { restore: 'ripristinate', archive: 'archiviate', erase: 'cancellate' };

interface ChoicesProps {
  of: Action;
  n: number;
  /** Last arrival number that is shown: later ones stay. */
  upTo: number;
  group?: { group: number; excerpt: string };
}

function Choices({ of, n, upTo, group }: ChoicesProps) {
  const refresh = useRefresh();
  const work = (action: keyof typeof DONE) => async () => {
    const body = { action, upTo, ...(group && { group: group.group }) };
    const { changed, left } = await call('post', '/sieges/aside', { body, timeoutMs: 120_000 });
    await refresh();
    const kept =
      left > 0 ? ` Rimaste, perché dicono qualcosa che le altre non dicono: ${formatNumber(left)}.` : '';
    return `Segnalazioni ${DONE[action]}: ${formatNumber(changed)}.${kept}`;
  };
  const all = group ? '' : ' tutte';
  const about = group ? { about: group.excerpt } : {};
  return (
    <Row>
      <Button {...about} inactive={of.busy} onClick={() => void of.run(work('restore'))}>
        {`Ripristina${all}`}
      </Button>
      <Asked
        {...about}
        of={of}
        label={`Archivia${all}`}
        confirmLabel="Archivia"
        variant="secondary"
        work={work('archive')}
      >
        <p>{suspects(n)}: passano allo stato Archiviata.</p>
      </Asked>
      <Asked {...about} of={of} label={`Cancella${all}`} confirmLabel="Cancella" work={work('erase')}>
        <p>
          {suspects(n)}: la cancellazione è definitiva. Restano quelle con una frase che nessun’altra del loro
          gruppo ha.
        </p>
      </Asked>
    </Row>
  );
}

/** Stands above the list as long as reports are set aside. `shown`: the list shows them, and only them. */
export function Suspects({ shown, onShow }: { shown: boolean; onShow: (shown: boolean) => void }) {
  const { data } = useSieges();
  const { administers } = useRights();
  const action = useAction();
  const { aside = 0, upTo = 0, groups = [] } = data ?? {};
  return (
    <>
      <Failure of={action} title="Operazione non riuscita" />
      {aside > 0 || shown ? (
        <Message kind="warning" title={suspects(aside)}>
          <Stack>
            <p>
              Quasi uguali tra loro e arrivate durante un assedio: sono messe da parte, non perse. Le email le
              contano soltanto, anche se poi le ripristini.
            </p>
            <Row>
              <Button onClick={() => onShow(!shown)}>{shown ? 'Torna all’elenco' : 'Mostra'}</Button>
              {aside > 0 && administers ? <Choices of={action} n={aside} upTo={upTo} /> : null}
            </Row>
            {administers
              ? groups.map(({ group, n, excerpt, unlike }) => (
                  <Stack key={group}>
                    {groups.length > 1 ? (
                      <Text
                        small
                      >{`${formatNumber(n)} come questa: ${excerpt || 'racconto non leggibile'}`}</Text>
                    ) : null}
                    {unlike && n > 1 ? (
                      <Text small>
                        La più diversa dalle altre: <Link to={paths.report(unlike.id)}>{unlike.excerpt}</Link>
                      </Text>
                    ) : null}
                    {groups.length > 1 ? (
                      <Choices of={action} n={n} upTo={upTo} group={{ group, excerpt }} />
                    ) : null}
                  </Stack>
                ))
              : null}
          </Stack>
        </Message>
      ) : null}
    </>
  );
}
