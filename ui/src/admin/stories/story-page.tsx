import { Download, Send as SendIcon } from 'lucide-react';
import { useRef, useState } from 'react';
import { Link, useNavigate, useParams } from 'react-router-dom';
import { addressOf, call } from '../../shared/api/client';
import type { BulkMessage, CalloutQuestion, MessagesSent, ReportRow, Story } from '../../shared/api/schema';
import { formatDate } from '../../shared/lib/dates';
import { counted } from '../../shared/lib/text';
import { Badge } from '../../shared/ui/badge';
import { Button, buttonClass } from '../../shared/ui/button';
import { Card } from '../../shared/ui/card';
import { Row, Stack, Text } from '../../shared/ui/layout';
import { BulkBar } from '../bulk/bulk-bar';
import { Asked, Failure, useAction } from '../common/action';
import { useDepartments } from '../common/departments';
import { isGone } from '../common/errors';
import { useKeysAhead } from '../common/keys/registry';
import { LabelChips } from '../common/labels/labels';
import { useLeaveGuard } from '../common/leave-guard';
import { writeFilters } from '../common/list/filters';
import list from '../common/list/list.module.css';
import { ReportTable } from '../common/list/report-table';
import { stepRow } from '../common/list/rows';
import { SelectionProvider } from '../common/list/selection';
import { Loaded } from '../common/loaded';
import { Page } from '../common/page';
import { paths } from '../common/paths';
import { reporterName } from '../common/reporter-name';
import { useRights } from '../common/session/session-context';
import { STATI, toneOf } from '../common/stato';
import { LOOK_MS, MOST } from '../common/stories';
import { useToast } from '../common/toast';
import { useRead, useRefresh } from '../common/use-read';
import { type Command, useShortcuts } from '../keyboard/keyboard-context';
import {
  BulkMessages,
  sendToMany,
  sentText,
  takeBack,
  UNSENT,
  Unreached,
  unreached,
} from '../letters/batches';
import { Letter } from '../letters/letter';
import { factsOf, isWritten } from './api';
import styles from './story-page.module.css';
import { StoryTexts } from './story-texts';

export function StoryPage() {
  const { id = '' } = useParams();
  return <OneStory key={id} id={id} />;
}

const BACK = { back: paths.stories, backLabel: 'Storie' };

function OneStory({ id }: { id: string }) {
  const story = useRead('/stories/{id}', { with: { path: { id } }, refetchInterval: LOOK_MS });
  useKeysAhead(story.isPending);
  return story.data && !isGone(story.error) ? (
    <Whole story={story.data} />
  ) : (
    <Page title="Storia" {...BACK}>
      <Loaded query={{ ...story, data: undefined }} loading="Caricamento…" failed="Storia non aperta">
        {() => null}
      </Loaded>
    </Page>
  );
}

const NONE_FRESH: ReadonlySet<string> = new Set();

function Whole({ story }: { story: Story }) {
  const { id, title, statuses, labels } = story;
  const { edits } = useRights();
  const all = { query: { story: id, limit: MOST } };
  const reports = useRead('/reports', { with: all, refetchInterval: LOOK_MS });
  const of = { query: { story: id } };
  const bulkMessages = useRead('/messages/bulk', { with: of, refetchInterval: LOOK_MS }).data?.data ?? [];
  const query = writeFilters({ story: id });
  const files = [
    ['CSV', addressOf('/reports/export.csv', of)],
    ['ZIP', addressOf('/stories/{id}/dossier.zip', { path: { id } })],
  ];
  const rows = reports.data?.data ?? [];
  const without = rows.filter(({ code }) => !code);
  const [writing, setWriting] = useState(false);
  const [letter, setLetter] = useState('');
  const [questions, setQuestions] = useState<readonly CalloutQuestion[]>([]);
  const [refused, setRefused] = useState<MessagesSent['refused']>([]);
  const { show } = useToast();
  const action = useAction();
  const refresh = useRefresh();
  const send = async (text: string, key: string) => {
    const message = await sendToMany({ story: id, text, key, questions: [...questions] });
    setRefused(unreached(message, rows));
    setWriting(false);
    setLetter('');
    setQuestions([]);
    void refresh('/messages/bulk', '/reports');
    const undo = async () => {
      const told = await takeBack(message.batch);
      await refresh('/messages/bulk', '/reports');
      return told;
    };
    show({ text: `${sentText(message.sent)} · ${title}`, ...(message.sent > 0 && { undo }) });
  };
  useLeaveGuard(isWritten({ letter, questions }), UNSENT);
  const navigate = useNavigate();
  const dissolve = async () => {
    await call('delete', '/stories/{id}', { path: { id } });
    await navigate(paths.stories);
    // Not its own: this page listens a moment longer than it is shown, and what it shows is gone.
    void refresh('/stories', '/stories/proposals', '/reports', '/reports/{id}');
    return `Sciolta: ${title}`;
  };
  const dissolving = (
    <div>
      <Asked of={action} label="Sciogli la storia" confirmLabel="Sciogli" variant="quiet" work={dissolve}>
        <p>Titolo e note spariscono. Le segnalazioni restano, ognuna per conto suo.</p>
      </Asked>
      <Failure of={action} title="Storia non sciolta" />
    </div>
  );
  const button = useRef<HTMLButtonElement>(null);
  const section = useRef<HTMLElement>(null);
  const { nameOf } = useDepartments();
  const steps: Command[] = [
    { keys: 'j', label: 'Riga successiva', run: () => stepRow(section.current, 1), repeats: true },
    { keys: 'k', label: 'Riga precedente', run: () => stepRow(section.current, -1), repeats: true },
  ];
  useShortcuts('Nella storia', steps, reports.isPending);
  useShortcuts(
    'Nella storia',
    edits ? [{ keys: 'w', label: 'Scrivi a tutti', run: () => setWriting(true) }] : [],
  );
  const actions = edits ? (
    <>
      <Button
        ref={button}
        // The letter has the filled button while it is open.
        variant={writing ? 'secondary' : 'primary'}
        icon={<SendIcon />}
        aria-keyshortcuts="w"
        aria-expanded={writing}
        onClick={() => setWriting(!writing)}
      >
        Scrivi a tutti
      </Button>
      {files.map(([label, href]) => (
        <a key={label} className={buttonClass} data-variant="secondary" href={href} download="">
          <Download />
          <span className="visually-hidden">Scarica </span>
          {label}
        </a>
      ))}
    </>
  ) : null;
  return (
    <Page title={title} subtitle={factsOf(story, nameOf)} actions={actions} {...BACK}>
      <Row gap={2}>
        {STATI.filter((stato) => statuses[stato]).map((stato) => (
          <Badge key={stato} tone={toneOf(stato)}>{`${stato} ${statuses[stato]}`}</Badge>
        ))}
        <LabelChips ids={labels} />
      </Row>
      <Unreached refused={refused} onClose={() => setRefused([])} />
      {writing ? (
        <Letter
          readers={story.reports - without.length}
          others={without.map(reporterName)}
          text={letter}
          onText={setLetter}
          asked={{ questions, onQuestions: setQuestions }}
          onSend={send}
          onClose={() => {
            setWriting(false);
            button.current?.focus();
          }}
        />
      ) : null}
      <div className={styles.columns}>
        <Stack gap={4}>
          <section className={styles.reports} aria-labelledby="segnalazioni" ref={section}>
            <Row justify="between">
              <h2 id="segnalazioni">Segnalazioni</h2>
              <Link to={paths.reports + query}>Apri nell’elenco</Link>
            </Row>
            <Loaded query={reports} loading="Caricamento…" failed="Segnalazioni non caricate" part>
              {(found) => (
                <div className={list.page}>
                  <SelectionProvider of={id} rows={found.data}>
                    <ReportTable
                      rows={found.data}
                      justArrived={NONE_FRESH}
                      openId={undefined}
                      search=""
                      order={undefined}
                      listQuery={query}
                    />
                    {edits ? <BulkBar list={found} filters={{ story: id }} beside={false} /> : null}
                  </SelectionProvider>
                </div>
              )}
            </Loaded>
          </section>
          <BulkMessages title="Messaggi a tutti" bulkMessages={bulkMessages} />
        </Stack>
        <Stack gap={4}>
          <Texts story={story} edits={edits} />
          <Chronicle rows={rows} bulkMessages={bulkMessages} />
          {edits ? dissolving : null}
        </Stack>
      </div>
    </Page>
  );
}

/** Title and note are of those who see all its reports. */
function Texts({ story, edits }: { story: Story; edits: boolean }) {
  if (story.note === undefined) {
    return <Text tone="muted">Titolo e nota sono di chi vede tutte le segnalazioni della storia.</Text>;
  }
  return edits ? <StoryTexts story={story} /> : <Text kept>{story.note}</Text>;
}

/** What happened to all of it, by days: arrivals and messages. The newest stands at the end. */
function Chronicle({
  rows,
  bulkMessages,
}: {
  rows: readonly ReportRow[];
  bulkMessages: readonly BulkMessage[];
}) {
  const arrived = rows.map(({ data_creazione }) => data_creazione);
  const wrote = bulkMessages.map(({ at }) => at);
  const on = (day: string, instants: string[]) => instants.filter((at) => formatDate(at) === day).length;
  return (
    <Card title="Cronologia">
      <Stack as="ol" gap={2}>
        {[...new Set([...arrived, ...wrote].sort().map(formatDate))].map((day) => (
          <li key={day}>
            {`${day}: ${counted(on(day, arrived), 'arrivata', 'arrivate')}`}
            {on(day, wrote) > 0 ? `, ${counted(on(day, wrote), 'messaggio', 'messaggi')} a tutti` : ''}
          </li>
        ))}
      </Stack>
    </Card>
  );
}
