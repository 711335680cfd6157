/** The parts that the pages of callouts share. */
import { ArrowLeft } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link, NavLink, useParams } from 'react-router-dom';
import type { CalloutDetail } from '../../shared/api/schema';
import { now } from '../../shared/lib/clock';
import { formatDateTime } from '../../shared/lib/dates';
import { counted } from '../../shared/lib/text';
import { Badge } from '../../shared/ui/badge';
import { buttonClass } from '../../shared/ui/button';
import { Row, Stack, Text } from '../../shared/ui/layout';
import { type Action, Asked, Failure } from '../common/action';
import { Loaded } from '../common/loaded';
import { Page, useHeading } from '../common/page';
import { paths } from '../common/paths';
import { pollEvery } from '../common/polling';
import { useRights } from '../common/session/session-context';
import { useRead } from '../common/use-read';
import { useCalloutChanges } from './api';
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
  const told = [
    opensAt ? `dal ${formatDateTime(opensAt)}` : '',
    closesAt ? `fino al ${formatDateTime(closesAt)}` : '',
    state === 'bozza'
      ? ''
      : `${counted(started, 'iniziata', 'iniziate')}, ${counted(received, 'ricevuta', 'ricevute')}`,
  ];
  return (
    <Row as="p" gap={2}>
      <Badge tone={tone}>{word}</Badge>
      <Text as="span" tone="muted" small>
        {told.filter(Boolean).join(' · ')}
      </Text>
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

interface TurnProps {
  callout: CalloutDetail;
  action: Action;
  /** Something is unsaved, whose button is the filled one. */
  unsaved?: boolean;
  /** In place of opening it as it is. */
  onOpen?: () => Promise<unknown>;
}

/** Opens or closes it to the public. */
export function Turn({ callout: { id, state }, action, unsaved = false, onOpen }: TurnProps) {
  const { open, close } = useCalloutChanges();
  const reopen = () => open(id).then(() => 'Inchiesta aperta.');
  return (
    <Asked
      of={action}
      label={{ bozza: 'Apri', aperta: 'Chiudi', chiusa: 'Riapri' }[state]}
      confirmLabel="Chiudi l’inchiesta"
      variant={unsaved || state === 'aperta' ? 'secondary' : 'primary'}
      unasked={state !== 'aperta'}
      work={() => (state === 'aperta' ? close(id).then(() => 'Inchiesta chiusa.') : (onOpen ?? reopen)())}
    >
      <p>Chi apre il link legge che è chiusa; chi sta già rispondendo può finire. Si può riaprire.</p>
    </Asked>
  );
}

interface FrameProps {
  callout: CalloutDetail;
  action: Action;
  acts?: ReactNode;
  children: ReactNode;
}

export function Frame({ callout, action, acts, children }: FrameProps) {
  const { id, title } = callout;
  const edits = mayEdit(useRights(), callout);
  const name = title.trim() || (id ? 'Senza titolo' : 'Nuova inchiesta');
  const heading = useHeading(name);
  return (
    <div className={styles.page} data-flush="">
      <header className={styles.head}>
        <Link
          className={buttonClass}
          data-variant="icon"
          aria-label="Torna alle inchieste"
          title="Torna alle inchieste"
          to={paths.callouts}
        >
          <ArrowLeft />
        </Link>
        <h1 ref={heading} tabIndex={-1} title={name}>
          {name}
        </h1>
        <Standing of={callout} />
        {id ? (
          <nav aria-label="Pagine dell’inchiesta">
            {edits ? (
              <NavLink end to={paths.callout(id)}>
                Domande
              </NavLink>
            ) : null}
            <NavLink to={paths.answers(id)}>Risposte</NavLink>
          </nav>
        ) : null}
        {acts ? <Row gap={2}>{acts}</Row> : null}
      </header>
      <Stack gap={4} className={styles.body}>
        <Failure of={action} title="Operazione non riuscita" />
        {children}
      </Stack>
    </div>
  );
}
