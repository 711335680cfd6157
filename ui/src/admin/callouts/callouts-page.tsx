import { Megaphone, Plus } from 'lucide-react';
import { Link, useNavigate } from 'react-router-dom';
import type { CalloutDetail } from '../../shared/api/schema';
import { Card } from '../../shared/ui/card';
import { EmptyState } from '../../shared/ui/empty-state';
import { Row, Stack, Text } from '../../shared/ui/layout';
import { Failure, Send, useAction } from '../common/action';
import { useDepartments } from '../common/departments';
import { Loaded } from '../common/loaded';
import { Page } from '../common/page';
import { paths } from '../common/paths';
import { pollEvery } from '../common/polling';
import { useRights } from '../common/session/session-context';
import { useRead } from '../common/use-read';
import { useCalloutChanges } from './api';
import styles from './callouts.module.css';
import { mayEdit, UNNAMED } from './draft';
import { Standing } from './frame';

export function CalloutsPage() {
  const callouts = useRead('/callouts', { refetchInterval: pollEvery });
  const { edits, administers } = useRights();
  const { seen } = useDepartments();
  const { add } = useCalloutChanges();
  const action = useAction();
  const navigate = useNavigate();
  const make = async () => {
    const department = administers ? null : (seen[0]?.key ?? null);
    const slug = UNNAMED + Date.now().toString(36);
    const asked = { nome: 'optional', cognome: 'optional', telefono: 'optional', email: 'optional' } as const;
    const { id } = await add({
      slug,
      title: 'Nuova inchiesta',
      department,
      attachments: true,
      account: 'optional',
      personal: asked,
    });
    navigate(paths.callout(id));
  };
  const button = (
    <Send variant="primary" icon={<Plus />} busy={action.busy} onClick={() => void action.run(make)}>
      Nuova inchiesta
    </Send>
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
      <Failure of={action} title="Inchiesta non creata" />
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
