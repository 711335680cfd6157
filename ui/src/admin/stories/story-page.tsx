import { Download, FileQuestion, Send as SendIcon } from 'lucide-react';
import { useRef, useState } from 'react';
import { Link, useNavigate, useParams } from 'react-router-dom';
import { call } from '../../shared/api/client';
import type { MessageRound, ReportList, ReportRow, StoryDetail } from '../../shared/api/schema';
import { formatDate } from '../../shared/lib/dates';
import { counted } from '../../shared/lib/text';
import { Badge } from '../../shared/ui/badge';
import { Button } from '../../shared/ui/button';
import { Card } from '../../shared/ui/card';
import { EmptyState } from '../../shared/ui/empty-state';
import { Row, Stack, Text } from '../../shared/ui/layout';
import { BulkBar } from '../bulk/bulk-bar';
import { SelectionProvider } from '../bulk/selection';
import { Failure, Asked as Question, useAction } from '../common/action';
import { isGone } from '../common/errors';
import { LabelChips } from '../common/labels/labels';
import { Loaded } from '../common/loaded';
import { Page } from '../common/page';
import { paths } from '../common/paths';
import { STATI, toneOf } from '../common/stato';
import { useRead, useRefresh } from '../common/use-read';
import { useShortcuts } from '../keyboard/keyboard-context';
import { writeFilters } from '../reports/filters';
import { ExportStatus } from '../reports/list-notices';
import { ReportTable } from '../reports/report-table';
import list from '../reports/reports.module.css';
import { useExport } from '../reports/use-export';
import { stepRow } from '../reports/use-list-keys';
import { useRights } from '../session/session-context';
import { factsOf, LOOK_MS, MOST } from './api';
import styles from './stories.module.css';
import { StoryTexts } from './story-texts';
import { Rounds, type Sent, SentNotice, WriteToAll } from './write-to-all';

export function StoryPage() {
  const { id = '' } = useParams();
  return <OneStory key={id} id={id} />;
}

const BACK = { back: paths.stories, backLabel: 'Storie' };

function OneStory({ id }: { id: string }) {
  const story = useRead('/stories/{id}', { with: { path: { id } }, refetchInterval: LOOK_MS });
  if (isGone(story.error)) {
    return (
      <Page title="Storia non trovata" {...BACK}>
        <Card>
          <EmptyState icon={<FileQuestion />} title="Questa storia non c’è">
            <p>Forse è stata sciolta: le sue segnalazioni sono nell’elenco.</p>
          </EmptyState>
        </Card>
      </Page>
    );
  }
  return story.data ? (
    <Whole story={story.data} />
  ) : (
    <Page title="Storia" {...BACK}>
      <Loaded query={story} loading="Caricamento…" failed="Non è stato possibile aprire la storia">
        {() => null}
      </Loaded>
    </Page>
  );
}

const NONE_FRESH: ReadonlySet<string> = new Set();

function Whole({ story }: { story: StoryDetail }) {
  const { id, title, statuses, labels } = story;
  const { edits } = useRights();
  const reports = useRead('/reports', {
    with: { query: { story: id, limit: MOST } },
    refetchInterval: LOOK_MS,
  });
  const rounds =
    useRead('/messages/bulk', { with: { query: { story: id } }, refetchInterval: LOOK_MS }).data?.data ?? [];
  const [writing, setWriting] = useState(false);
  const [sent, setSent] = useState<Sent | null>(null);
  const exporter = useExport();
  const rows = useRef<HTMLElement>(null);
  useShortcuts('Nella storia', [
    { keys: 'j', label: 'Riga successiva', run: () => stepRow(rows.current, 1), repeats: true },
    { keys: 'k', label: 'Riga precedente', run: () => stepRow(rows.current, -1), repeats: true },
    ...(edits ? [{ keys: 'w', label: 'Scrivi a tutti', run: () => setWriting(true) }] : []),
  ]);
  const actions = edits ? (
    <>
      <Button
        variant="primary"
        icon={<SendIcon />}
        aria-haspopup="dialog"
        aria-keyshortcuts="w"
        onClick={() => setWriting(true)}
      >
        Scrivi a tutti
      </Button>
      <Button
        icon={<Download />}
        inactive={exporter.busy}
        onClick={() => exporter.start({ story: id }, story.reports, false)}
      >
        Esporta CSV
      </Button>
    </>
  ) : null;
  return (
    <Page title={title} subtitle={factsOf(story)} actions={actions} {...BACK}>
      <Row gap={2}>
        {STATI.filter((stato) => statuses[stato]).map((stato) => (
          <Badge key={stato} tone={toneOf(stato)}>{`${stato} ${statuses[stato]}`}</Badge>
        ))}
        <LabelChips ids={labels} />
      </Row>
      <ExportStatus exporter={exporter} />
      {sent ? <SentNotice sent={sent} onClose={() => setSent(null)} /> : null}
      {writing ? <WriteToAll to={story} onSent={setSent} onClose={() => setWriting(false)} /> : null}
      <div className={styles.columns}>
        <Stack gap={4}>
          <section className={styles.reports} aria-labelledby="segnalazioni" ref={rows}>
            <Row justify="between">
              <h2 id="segnalazioni">Segnalazioni</h2>
              <Link to={paths.reports + writeFilters({ story: id })}>Apri nell’elenco</Link>
            </Row>
            <Loaded
              query={reports}
              loading="Caricamento delle segnalazioni…"
              failed="Non è stato possibile caricare le segnalazioni"
              part
            >
              {(found) => <Reports story={id} found={found} />}
            </Loaded>
          </section>
          <Rounds rounds={rounds} />
        </Stack>
        <Stack gap={4}>
          {edits ? <StoryTexts story={story} /> : <NoteShown note={story.note} />}
          <Chronicle rows={reports.data?.data ?? []} rounds={rounds} />
          {edits ? <Dissolve id={id} /> : null}
        </Stack>
      </div>
    </Page>
  );
}

function Reports({ story, found }: { story: string; found: ReportList }) {
  const { edits } = useRights();
  return (
    <div className={list.page}>
      <SelectionProvider of={story} rows={found.data}>
        <ReportTable
          rows={found.data}
          fresh={NONE_FRESH}
          open={undefined}
          search=""
          order={undefined}
          list={writeFilters({ story })}
        />
        {edits ? <BulkBar list={found} filters={{ story }} beside={false} /> : null}
      </SelectionProvider>
    </div>
  );
}

const NoteShown = ({ note }: { note: string }) =>
  note ? (
    <Card title="Note">
      <Text kept>{note}</Text>
    </Card>
  ) : null;

interface ChronicleProps {
  rows: readonly ReportRow[];
  rounds: readonly MessageRound[];
}

/** What happened to all of it, by days: arrivals and messages. The newest stands at the end. */
function Chronicle({ rows, rounds }: ChronicleProps) {
  const days = new Map<string, { arrived: number; wrote: number; first: number }>();
  const count = (at: string, what: 'arrived' | 'wrote') => {
    const day = formatDate(at);
    const before = days.get(day) ?? { arrived: 0, wrote: 0, first: Date.parse(at) };
    days.set(day, { ...before, [what]: before[what] + 1, first: Math.min(before.first, Date.parse(at)) });
  };
  for (const { data_creazione } of rows) {
    count(data_creazione, 'arrived');
  }
  for (const { at } of rounds) {
    count(at, 'wrote');
  }
  const told = [...days].sort(([, one], [, other]) => one.first - other.first);
  return told.length === 0 ? null : (
    <Card title="Cronologia">
      <Stack as="ol" gap={2}>
        {told.map(([day, { arrived, wrote }]) => (
          <Row as="li" key={day} gap={2} align="baseline">
            <Text as="span" small tone="muted" digits>
              {day}
            </Text>
            <span>
              {[
                arrived > 0 ? counted(arrived, 'arrivata', 'arrivate') : '',
                wrote > 0 ? counted(wrote, 'messaggio a tutti', 'messaggi a tutti') : '',
              ]
                .filter(Boolean)
                .join(', ')}
            </span>
          </Row>
        ))}
      </Stack>
    </Card>
  );
}

function Dissolve({ id }: { id: string }) {
  const action = useAction();
  const refresh = useRefresh();
  const navigate = useNavigate();
  const dissolve = async () => {
    await call('delete', '/stories/{id}', { path: { id } });
    navigate(paths.stories);
    void refresh('/stories', '/reports');
  };
  return (
    <div>
      <Question of={action} label="Sciogli la storia" confirmLabel="Sciogli" variant="quiet" work={dissolve}>
        <p>Titolo e note spariscono. Le segnalazioni restano, ognuna per conto suo.</p>
      </Question>
      <Failure of={action} title="Storia non sciolta" />
    </div>
  );
}
