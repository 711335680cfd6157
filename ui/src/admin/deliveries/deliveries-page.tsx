import { keepPreviousData } from '@tanstack/react-query';
import { Send } from 'lucide-react';
import { Link, useSearchParams } from 'react-router-dom';
import type { DeliveryList, DeliveryOfReport } from '../../shared/api/schema';
import { counted, formatNumber } from '../../shared/lib/text';
import { Button, buttonClass } from '../../shared/ui/button';
import { Card } from '../../shared/ui/card';
import { EmptyState } from '../../shared/ui/empty-state';
import { Row, Stack, Text } from '../../shared/ui/layout';
import { type Option, SelectField } from '../../shared/ui/select';
import { Spinner } from '../../shared/ui/spinner';
import { Failure } from '../common/action';
import { type DeliveryActions, useDeliveryActions } from '../common/deliveries/api';
import { DeliveryEntry, inShort, isOpen } from '../common/deliveries/delivery-entry';
import { MailLacks } from '../common/deliveries/mail-lacks';
import { Details } from '../common/fold';
import { Time } from '../common/list/list';
import { Loaded } from '../common/loaded';
import { Page } from '../common/page';
import { paths } from '../common/paths';
import { reporterName } from '../common/reporter-name';
import { useRead } from '../common/use-read';
import styles from './deliveries-page.module.css';

/** Pause between two readings of the page, in milliseconds: attempts are at least seconds apart. */
const POLL_MS = 5000;

type State = DeliveryList['data'][number]['stato'] | 'in errore';

const OPTIONS: readonly Option<State | ''>[] = [
  { value: '', label: 'Tutte' },
  { value: 'in attesa', label: 'In attesa' },
  { value: 'in errore', label: 'In errore' },
  { value: 'fallita', label: 'Fallite' },
  { value: 'consegnata', label: 'Consegnate' },
  { value: 'ignorata', label: 'Ignorate' },
];

/** Deliveries that wait after a failed attempt are shown apart from those that simply wait, as the totals count them. */
function asked(stato: State | '') {
  const waits = { stato: 'in attesa' } as const;
  return stato === ''
    ? {}
    : stato === 'in errore'
      ? { ...waits, retrying: true }
      : { stato, ...(stato === 'in attesa' && { retrying: false }) };
}

export function DeliveriesPage() {
  // The address bar holds filter and page; what it says and is not understood counts as not set.
  const [params, setParams] = useSearchParams();
  const stato = OPTIONS.find(({ value }) => value === params.get('stato'))?.value ?? '';
  const cursor = params.get('cursor') ?? '';
  const deliveries = useRead('/deliveries', {
    with: { query: { ...asked(stato), ...(cursor ? { cursor } : {}) } },
    placeholderData: keepPreviousData,
    refetchInterval: POLL_MS,
  });
  const actions = useDeliveryActions();
  const lacks = deliveries.data?.mailLacks ?? [];
  const failed = deliveries.data?.counters.failed ?? 0;
  /** Nothing was ever sent: there is nothing to filter. */
  const empty = !stato && !cursor && deliveries.data?.data.length === 0;
  return (
    <Page
      title="Consegne"
      subtitle="Email e webhook partiti per le segnalazioni, con il loro esito"
      actions={
        failed === 0 ? null : (
          <Button
            inactive={actions.busy !== null}
            icon={actions.busy === 'all' ? <Spinner /> : undefined}
            onClick={actions.retryAll}
          >
            {actions.busy === 'all' ? 'Attendi…' : 'Riprova tutte'}
          </Button>
        )
      }
    >
      <Stack gap={4} className={styles.column}>
        <Failure of={actions} title={actions.failed} />
        <MailLacks lacks={lacks}>
          <Link
            to={paths.setting(
              lacks.every((lack) => lack === 'recipient') ? 'email/recipients' : 'email/mail-server',
            )}
          >
            Completa le impostazioni email
          </Link>
        </MailLacks>
        {empty ? null : (
          <Row align="end" gap={6}>
            <SelectField
              label="Stato"
              value={stato}
              options={OPTIONS}
              onValue={(chosen) => setParams(chosen ? { stato: chosen } : {})}
            />
            {deliveries.data ? <Totals counters={deliveries.data.counters} /> : null}
          </Row>
        )}
        <Loaded
          query={deliveries}
          loading="Caricamento delle consegne…"
          failed="Non è stato possibile caricare le consegne"
        >
          {(list) => (
            <Results
              list={list}
              stato={stato}
              cursor={cursor}
              busy={deliveries.isPlaceholderData}
              actions={actions}
            />
          )}
        </Loaded>
      </Stack>
    </Page>
  );
}

function Totals({ counters }: { counters: DeliveryList['counters'] }) {
  const { pending, retrying, failed, delivered, ignored } = counters;
  return (
    <Text tone="muted" digits>
      {formatNumber(pending - retrying)} in attesa ·{' '}
      {retrying > 0 ? `${formatNumber(retrying)} in errore · ` : ''}
      {counted(failed, 'fallita', 'fallite')} · {counted(delivered, 'consegnata', 'consegnate')}
      {ignored > 0 ? ` · ${counted(ignored, 'ignorata', 'ignorate')}` : ''}
    </Text>
  );
}

interface ResultsProps {
  list: DeliveryList;
  stato: State | '';
  cursor: string;
  busy: boolean;
  actions: DeliveryActions;
}

function Results({ list, stato, cursor, busy, actions }: ResultsProps) {
  if (list.data.length === 0) {
    return (
      <Card>
        <EmptyState icon={<Send />} title="Nessuna consegna">
          <p>
            {stato || cursor
              ? 'Nessuna consegna in questo stato.'
              : 'Qui compaiono le email e i webhook che partono per ogni segnalazione, quando sono attivi nelle impostazioni.'}
          </p>
        </EmptyState>
      </Card>
    );
  }
  const query = (page: string) =>
    `?${new URLSearchParams({ ...(stato ? { stato } : {}), ...(page ? { cursor: page } : {}) })}`;
  return (
    <Stack gap={4}>
      <Card>
        <Stack as="ul" lined aria-label="Consegne, dalla più recente" aria-busy={busy}>
          {byReport(list.data).map((deliveries) => (
            <OfReport key={deliveries[0].report} deliveries={deliveries} actions={actions} />
          ))}
        </Stack>
      </Card>
      {cursor || list.nextCursor ? (
        <Row as="nav" justify="center" aria-label="Pagine">
          {cursor ? (
            <Link className={buttonClass} data-variant="secondary" to={query('')}>
              Più recenti
            </Link>
          ) : null}
          {list.nextCursor ? (
            <Link className={buttonClass} data-variant="secondary" to={query(list.nextCursor)}>
              Più vecchie
            </Link>
          ) : null}
        </Row>
      ) : null}
    </Stack>
  );
}

type Group = readonly [DeliveryOfReport, ...DeliveryOfReport[]];

/** The deliveries on the page by report, in the order of the newest of each. */
function byReport(deliveries: readonly DeliveryOfReport[]): readonly Group[] {
  const groups = new Map<string, Group>();
  for (const one of deliveries) {
    const known = groups.get(one.report);
    groups.set(one.report, known ? [...known, one] : [one]);
  }
  return [...groups.values()];
}

function OfReport({ deliveries, actions }: { deliveries: Group; actions: DeliveryActions }) {
  const [{ report, nome, cognome }] = deliveries;
  const name = reporterName({ id: report, nome, cognome });
  const summary = (
    <p>
      {deliveries.map(inShort).join(', ')} · <Time at={deliveries[0].creata} />
    </p>
  );
  return (
    <li>
      <Link className={styles.report ?? ''} to={paths.report(report)} title={report}>
        {name}
      </Link>
      <Details summary={summary} alarming={deliveries.some(isOpen)}>
        <Stack as="ul" lined aria-label={`Consegne: ${name}`}>
          {deliveries.map((delivery) => (
            <DeliveryEntry key={delivery.id} delivery={delivery} actions={actions} />
          ))}
        </Stack>
      </Details>
    </li>
  );
}
