/** What was done to many in the last ten minutes: what the toast told for eight seconds can be taken back here. */
import { Undo2 } from 'lucide-react';
import type { Answer } from '../../shared/api/client';
import { counted } from '../../shared/lib/text';
import { Card } from '../../shared/ui/card';
import { EmptyState } from '../../shared/ui/empty-state';
import { Row, Stack, Text } from '../../shared/ui/layout';
import { Failure, Send, useAction } from '../common/action';
import { Time } from '../common/list/list';
import { Loaded } from '../common/loaded';
import { Page } from '../common/page';
import { useRead, useRefresh } from '../common/use-read';
import { BulkMessages } from '../letters/batches';
import { takeBack } from './bulk-bar';
import { comeBack, useWords } from './words';

const LOOK_MS = 5000;

type Change = Answer<'/reports/bulk'>['data'][number];

export function ChangesPage() {
  const changes = useRead('/reports/bulk', { background: true, refetchInterval: LOOK_MS });
  return (
    <Page
      title="Ultime modifiche"
      subtitle="Si annullano per dieci minuti, dove nessuno ha cambiato altro dopo; i messaggi, finché nessuno li legge"
    >
      <Loaded
        query={changes}
        loading="Caricamento…"
        failed="Non è stato possibile leggere le ultime modifiche"
      >
        {({ data }) => <Changes done={data.filter(({ changed }) => changed > 0)} />}
      </Loaded>
      <Written />
    </Page>
  );
}

/** The last messages to many, and what was answered. */
function Written() {
  const { data } = useRead('/messages/bulk', { background: true, refetchInterval: LOOK_MS });
  return <BulkMessages title="Messaggi a più persone" bulkMessages={data?.data ?? []} />;
}

function Changes({ done }: { done: readonly Change[] }) {
  const words = useWords();
  const refresh = useRefresh();
  const action = useAction();
  const undo = (batch: number) =>
    void action.run(async () => {
      const { changed, refused, unnamed } = await takeBack(batch);
      await refresh();
      const stayed = refused.length + unnamed;
      const others = stayed > 0 ? `; ${counted(stayed, 'cambiata', 'cambiate')} dopo` : '';
      return `Annullato. ${comeBack(changed)}${others}`;
    });
  return (
    <Card>
      <Failure of={action} title="Non annullato" />
      {done.length === 0 ? (
        <EmptyState icon={<Undo2 />} title="Niente da annullare">
          <p>Quello che cambia in una segnalazione sola sta nella sua storia.</p>
        </EmptyState>
      ) : (
        <Stack as="ul" lined aria-label="Ultime modifiche">
          {done.map(({ batch, at, author, change, changed }) => {
            const what = words(change, changed);
            return (
              <Row as="li" key={batch} justify="between" nowrap>
                <div>
                  <Text strong>{what}</Text>
                  <Text small tone="muted">
                    {author?.name ?? 'Password della redazione'} · <Time at={at} />
                  </Text>
                </div>
                <Send busy={action.busy} about={what} onClick={() => undo(batch)}>
                  Annulla
                </Send>
              </Row>
            );
          })}
        </Stack>
      )}
    </Card>
  );
}
