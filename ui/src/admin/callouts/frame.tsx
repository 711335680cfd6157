/** The parts that the pages of callouts share. */
import type { ReactNode } from 'react';
import { NavLink, useParams } from 'react-router-dom';
import type { CalloutDetail } from '../../shared/api/schema';
import { now } from '../../shared/lib/clock';
import { formatDateTime } from '../../shared/lib/dates';
import { counted } from '../../shared/lib/text';
import { Badge } from '../../shared/ui/badge';
import { Row } from '../../shared/ui/layout';
import { Loaded } from '../common/loaded';
import { Page } from '../common/page';
import { paths } from '../common/paths';
import { pollEvery } from '../common/polling';
import { useRights } from '../common/session/session-context';
import { useRead } from '../common/use-read';
import styles from './callouts.module.css';
import { mayEdit } from './draft';

const STATES = {
  bozza: ['Bozza', 'yellow'],
  early: ['Non ancora aperta', 'blue'],
  aperta: ['Aperta', 'green'],
  chiusa: ['Chiusa', 'grey'],
} as const;

export function Standing({ of }: { of: CalloutDetail }) {
  const { state, opensAt, closesAt, started, received } = of;
  const early = state === 'aperta' && opensAt !== null && Date.parse(opensAt) > now();
  const [word, tone] = STATES[early ? 'early' : state];
  const from = opensAt ? `dal ${formatDateTime(opensAt)} · ` : '';
  const to = closesAt ? `fino al ${formatDateTime(closesAt)} · ` : '';
  return (
    <Row as="p" gap={2}>
      <Badge tone={tone}>{word}</Badge>
      <span>
        {`${from}${to}${counted(started, 'iniziata', 'iniziate')}, ${counted(received, 'ricevuta', 'ricevute')}`}
      </span>
    </Row>
  );
}

/** The callout of the address, kept up to date. */
export function OfCallout({ children }: { children: (callout: CalloutDetail) => ReactNode }) {
  const { id = '' } = useParams();
  const callout = useRead('/callouts/{id}', { with: { path: { id } }, refetchInterval: pollEvery });
  return callout.data ? (
    children(callout.data)
  ) : (
    <Page title="Inchiesta" back={paths.callouts} backLabel="Inchieste">
      <Loaded query={callout} loading="Caricamento…" failed="Non è stato possibile aprire l’inchiesta">
        {() => null}
      </Loaded>
    </Page>
  );
}

interface FrameProps {
  callout: CalloutDetail;
  actions?: ReactNode;
  children: ReactNode;
}

export function Frame({ callout, actions, children }: FrameProps) {
  const { id, title } = callout;
  const edits = mayEdit(useRights(), callout);
  return (
    <Page
      title={title.trim() || 'Senza titolo'}
      back={paths.callouts}
      backLabel="Inchieste"
      actions={actions}
    >
      <Row justify="between" gap={2}>
        <Row as="nav" gap={1} aria-label="Pagine dell’inchiesta" className={styles.tabs}>
          {edits ? (
            <NavLink end to={paths.callout(id)}>
              Domande
            </NavLink>
          ) : null}
          <NavLink to={paths.answers(id)}>Risposte</NavLink>
        </Row>
        <Standing of={callout} />
      </Row>
      {children}
    </Page>
  );
}
