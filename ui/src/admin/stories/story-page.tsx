import { useQueryClient } from '@tanstack/react-query';
import { Download, Send as SendIcon } from 'lucide-react';
import { useMemo, useRef, useState } from 'react';
import { Link, useNavigate, useParams } from 'react-router-dom';
import { addressOf, call } from '../../shared/api/client';
import type { BulkMessage, ReportRow, Story } from '../../shared/api/schema';
import { formatDate } from '../../shared/lib/dates';
import { counted } from '../../shared/lib/text';
import { Badge } from '../../shared/ui/badge';
import { Button, buttonClass } from '../../shared/ui/button';
import { Card } from '../../shared/ui/card';
import { Form } from '../../shared/ui/form';
import { Row, Stack, Text } from '../../shared/ui/layout';
import { AreaField, TextField } from '../../shared/ui/text-field';
import { BulkBar } from '../bulk/bulk-bar';
import { Asked, Failure, Send, useAction } from '../common/action';
import { useDepartments } from '../common/departments';
import { isGone, isProblem } from '../common/errors';
import { RecoveredNotice } from '../common/forms/save-bar';
import { useSavedForm } from '../common/forms/use-saved-form';
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
import { useRights } from '../common/session/session-context';
import { STATI, toneOf } from '../common/stato';
import { LOOK_MS, MOST, TITLE_CHARS } from '../common/stories';
import { adopt, keyOf, useRead, useRefresh } from '../common/use-read';
import { type Command, useShortcuts } from '../keyboard/keyboard-context';
import { factsOf } from './api';
import styles from './stories.module.css';
import { BulkMessages, type Sent, SentNotice, WriteToAll } from './write-to-all';

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
  const [writing, setWriting] = useState(false);
  const [sent, setSent] = useState<Sent | null>(null);
  const action = useAction();
  const refresh = useRefresh();
  const navigate = useNavigate();
  const dissolve = async () => {
    await call('delete', '/stories/{id}', { path: { id } });
    navigate(paths.stories);
    void refresh('/stories', '/reports');
  };
  const dissolving = (
    <div>
      <Asked of={action} label="Sciogli la storia" confirmLabel="Sciogli" variant="quiet" work={dissolve}>
        <p>Titolo e note spariscono. Le segnalazioni restano, ognuna per conto suo.</p>
      </Asked>
      <Failure of={action} title="Storia non sciolta" />
    </div>
  );
  const rows = useRef<HTMLElement>(null);
  const { nameOf } = useDepartments();
  const steps: Command[] = [
    { keys: 'j', label: 'Riga successiva', run: () => stepRow(rows.current, 1), repeats: true },
    { keys: 'k', label: 'Riga precedente', run: () => stepRow(rows.current, -1), repeats: true },
  ];
  useShortcuts('Nella storia', steps, reports.isPending);
  useShortcuts(
    'Nella storia',
    edits ? [{ keys: 'w', label: 'Scrivi a tutti', run: () => setWriting(true) }] : [],
  );
  const actions = edits ? (
    <>
      <Button variant="primary" icon={<SendIcon />} aria-keyshortcuts="w" onClick={() => setWriting(true)}>
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
      {sent ? <SentNotice sent={sent} onClose={() => setSent(null)} /> : null}
      {writing ? <WriteToAll to={story} onSent={setSent} onClose={() => setWriting(false)} /> : null}
      <div className={styles.columns}>
        <Stack gap={4}>
          <section className={styles.reports} aria-labelledby="segnalazioni" ref={rows}>
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
          <BulkMessages bulkMessages={bulkMessages} />
        </Stack>
        <Stack gap={4}>
          <Texts story={story} edits={edits} />
          <Chronicle rows={reports.data?.data ?? []} bulkMessages={bulkMessages} />
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

const textsOf = ({ title, note = '' }: Story) => ({ title, note });

/** Title and note of a story, as they were when their editing began: newer ones wait until nothing would be mixed with them. */
export function StoryTexts({ story }: { story: Story }) {
  const client = useQueryClient();
  const [held, setHeld] = useState(story);
  const saved = useMemo(() => textsOf(held), [held]);
  const path = { id: story.id };
  const key = keyOf('/stories/{id}', { path });
  const form = useSavedForm({
    name: `story ${story.id}`,
    saved,
    send: async (body) => {
      const change = call('patch', '/stories/{id}', { path, body, ifMatch: held.version });
      const now = await change.catch(async (error: unknown) => {
        await client.invalidateQueries({ queryKey: key });
        throw error;
      });
      return textsOf(await adopt(client, key, now, keyOf('/stories')));
    },
    success: 'Storia salvata.',
  });
  const overtaken = isProblem(form.failure, 'versione-superata');
  if (held !== story && (!form.dirty || overtaken)) {
    setHeld(story);
  }
  const { title, note } = form.form.watch();
  const { errors } = form.form.formState;
  useLeaveGuard(form.dirty, 'Hai modificato la storia. Se esci adesso, le modifiche vanno perse.');
  return (
    <Card title="Titolo e note">
      <Form label="Titolo e note" onSubmit={() => void form.save()}>
        <RecoveredNotice form={form} />
        <TextField
          label="Titolo"
          error={errors.title?.message}
          value={title}
          maxLength={TITLE_CHARS}
          onValue={(text) => form.type({ title: text })}
        />
        <AreaField
          label="Note"
          placeholder="Aggiungi note per il team..."
          rows={3}
          error={errors.note?.message}
          value={note}
          onValue={(text) => form.type({ note: text })}
        />
        <Failure
          of={form}
          title={overtaken ? 'Un’altra persona ha salvato prima di te' : 'Storia non salvata'}
        >
          {overtaken ? (
            <>
              <Text kept>{`Ora c’è «${held.title}»: ${held.note || 'nessuna nota'}`}</Text>
              <p>Il tuo testo resta qui: «Salva» lo mette al posto di quello.</p>
              <Button onClick={form.discard}>Usa la versione salvata</Button>
            </>
          ) : undefined}
        </Failure>
        <Row>
          <Send busy={form.busy} blocked={!form.dirty} busyLabel="Salvataggio...">
            Salva
          </Send>
        </Row>
      </Form>
    </Card>
  );
}
