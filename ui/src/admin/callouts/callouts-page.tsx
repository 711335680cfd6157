import { Megaphone, Plus } from 'lucide-react';
import { Link } from 'react-router-dom';
import type { CalloutDetail } from '../../shared/api/schema';
import { buttonClass } from '../../shared/ui/button';
import { Card } from '../../shared/ui/card';
import { EmptyState } from '../../shared/ui/empty-state';
import { Row, Stack, Text } from '../../shared/ui/layout';
import { useDepartments } from '../common/departments';
import { Loaded } from '../common/loaded';
import { Page } from '../common/page';
import { paths } from '../common/paths';
import { pollEvery } from '../common/polling';
import { useRights } from '../common/session/session-context';
import { useRead } from '../common/use-read';
import styles from './callouts.module.css';
import { mayEdit, NEW } from './draft';
import { Standing } from './frame';

export function CalloutsPage() {
  const callouts = useRead('/callouts', { refetchInterval: pollEvery });
  const { edits } = useRights();
  const button = (
    <Link className={buttonClass} data-variant="primary" to={paths.callout(NEW)}>
      <Plus />
      Nuova inchiesta
    </Link>
  );
  const none = (
    <EmptyState icon={<Megaphone />} title="Nessuna inchiesta, per ora">
      Serve a chiedere al pubblico una cosa sola: «Avete pagato per un posto letto?». Scrivi poche domande, la
      apri e diffondi il link o il QR. Ogni risposta arriva come segnalazione, e qui le vedi tutte insieme.
    </EmptyState>
  );
  return (
    <Page
      title="Inchieste"
      subtitle="Una domanda vostra al pubblico, con il suo link"
      actions={edits && button}
    >
      <Loaded query={callouts} loading="Caricamento…" failed="Non è stato possibile caricare le inchieste">
        {({ data }) => (
          <Card>
            {data.length === 0 ? none : null}
            <Stack as="ul" lined aria-label="Inchieste">
              {data.map((callout) => (
                <Entry key={callout.id} callout={callout} />
              ))}
            </Stack>
          </Card>
        )}
      </Loaded>
    </Page>
  );
}

function Entry({ callout }: { callout: CalloutDetail }) {
  const { id, title, department, state } = callout;
  const { nameOf } = useDepartments();
  const edited = mayEdit(useRights(), callout) && state === 'bozza';
  return (
    <Row as="li" justify="between" gap={2} className={styles.entry}>
      <div>
        <Link className={styles.whole ?? ''} to={edited ? paths.callout(id) : paths.answers(id)}>
          {title.trim() || 'Senza titolo'}
        </Link>
        <Text tone="muted" small>
          {department ? nameOf(department) : 'Secondo lo smistamento'}
        </Text>
      </div>
      <Standing of={callout} />
    </Row>
  );
}
