import { useLayoutEffect, useRef, useState } from 'react';
import { Link } from 'react-router-dom';
import { call } from '../../shared/api/client';
import type {
  BulkAsked,
  BulkChange as BulkEdit,
  BulkOutcome,
  MessagesSent,
  ReportList,
  ReportRow,
} from '../../shared/api/schema';
import { counted, formatNumber } from '../../shared/lib/text';
import { Badge } from '../../shared/ui/badge';
import { Button } from '../../shared/ui/button';
import { Row, Stack, Text } from '../../shared/ui/layout';
import { Message } from '../../shared/ui/message';
import { Failure, useAction } from '../common/action';
import { useDepartments } from '../common/departments';
import { useKeyRegistry } from '../common/keys/registry';
import type { Choice } from '../common/keys/shortcut';
import { LabelChips, useLabels } from '../common/labels/labels';
import type { Asked } from '../common/list/filters';
import { focusRow, rowOf, stepRow } from '../common/list/rows';
import { useSelection } from '../common/list/selection';
import { DONE_KEY } from '../common/list/use-done';
import { paths } from '../common/paths';
import { usePeopleOptions } from '../common/people/people';
import { reporterName } from '../common/reporter-name';
import { useRights } from '../common/session/session-context';
import { snoozes } from '../common/snooze';
import { STATI, toneOf } from '../common/stato';
import { useKnownStories } from '../common/stories';
import { useToast } from '../common/toast';
import { useRead, useRefresh } from '../common/use-read';
import { type Command, useKeyboard, useShortcuts } from '../keyboard/keyboard-context';
import { Unreached } from '../letters/batches';
import styles from './bulk.module.css';
import { NewStoryDialog } from './new-story-dialog';
import { comeBack, useWords } from './words';
import { Writing } from './writing';

/** Changing many takes a while. */
const TIMEOUT_MS = 600_000;
const LOOK_MS = 500;
const LISTED = 50;

const change = (body: BulkAsked) => call('post', '/reports/bulk', { body, timeoutMs: TIMEOUT_MS });

export const takeBack = (batch: number) =>
  call('post', '/reports/bulk/{batch}/undo', { path: { batch }, timeoutMs: TIMEOUT_MS });

type Target = Omit<BulkAsked, 'change'>;

const focusedIn = (rows: readonly ReportRow[]): ReportRow | undefined => {
  const id = rowOf(document.activeElement)?.dataset.rowLink;
  return rows.find((row) => row.id === id);
};

interface Doing {
  apply: (edit: BulkEdit) => void;
  urgent: () => boolean;
  newStory: () => void;
  write: () => void;
  story: string | null | undefined;
  whole: boolean;
}

/** The actions on the chosen reports, or on the one that has the focus: the keys, the palette and the bar take them from here. */
function useBulkCommands(doing: Doing): (Command & { button?: string })[] {
  const { apply, urgent, newStory, write, story, whole } = doing;
  const labels = useLabels();
  const people = usePeopleOptions();
  const stories = useKnownStories();
  const departments = useDepartments();
  const { sees } = useRights();
  const choice = (label: string, edit: BulkEdit): Choice => ({ label, run: () => apply(edit) });
  const stati = STATI.map((stato) => choice(stato, { stato }));
  // A story begins with reports that were chosen one by one.
  const ofStory = [
    ...(whole ? [] : [{ label: 'Nuova storia…', run: newStory }]),
    ...(story ? [choice('Togli dalla storia', { story: null })] : []),
    ...stories
      .filter(({ id }) => id !== story)
      .map(({ id, title }) => choice(`Aggiungi a «${title}»`, { story: id })),
  ];
  const commands: (Command & { button?: string; shown?: boolean })[] = [
    ...stati.map(({ label, run }, index) => ({
      keys: `${index + 1}`,
      label: `Stato: ${label}`,
      ...(run && { run }),
    })),
    { keys: DONE_KEY, label: 'Fatto', button: 'Fatto', run: () => apply({ done: true }) },
    {
      keys: 'r',
      label: 'Cambia reparto',
      button: 'Reparto',
      choices: () =>
        departments.all.map(({ key, name }) =>
          choice(`${name}${sees(key) ? '' : ' (poi non le vedi più)'}`, { department: key }),
        ),
    },
    {
      keys: 'a',
      label: 'Assegna',
      button: 'Assegna',
      shown: people.length > 0,
      choices: () => [
        ...people.map(({ value, label }) => choice(label, { assegnataA: value })),
        choice('Nessuno', { assegnataA: null }),
      ],
    },
    {
      keys: 'l',
      label: 'Etichetta',
      button: 'Etichetta',
      shown: labels.length > 0,
      choices: () => [
        ...labels.map(({ id, name }) => choice(name, { labels: { add: [id], remove: [] } })),
        ...labels.map(({ id, name }) => choice(`Togli ${name}`, { labels: { add: [], remove: [id] } })),
      ],
    },
    { keys: 'u', label: 'Urgente sì o no', button: 'Urgente', run: () => apply({ urgente: !urgent() }) },
    {
      keys: 'h',
      label: 'Rinvia',
      button: 'Rinvia',
      choices: () => snoozes().map(({ label, until }) => choice(label, { snoozedUntil: until })),
    },
    // A message goes to those who were chosen one by one.
    { keys: 'w', label: 'Scrivi a chi ha segnalato', button: 'Scrivi', shown: !whole, run: write },
    {
      keys: 's',
      label: whole ? 'Aggiungi a una storia' : 'Nuova storia, o aggiungi a una',
      button: 'Storia',
      shown: ofStory.length > 0,
      choices: () => ofStory,
    },
  ];
  return commands.filter(({ shown = true }) => shown);
}

function useChoosing(rows: readonly ReportRow[]): Command[] {
  const { has, pick, toggle, clear } = useSelection();
  const extend = (by: 1 | -1) => {
    const ends = [focusedIn(rows)?.id, stepRow(document, by)];
    pick(
      rows.filter(({ id }) => ends.includes(id)),
      true,
    );
  };
  return [
    {
      keys: 'x',
      label: 'Seleziona la riga',
      run: () => {
        const row = focusedIn(rows);
        if (row) {
          toggle(row, false);
        }
      },
    },
    { keys: 'Shift+ArrowDown', label: 'Seleziona anche la successiva', run: () => extend(1), repeats: true },
    { keys: 'Shift+ArrowUp', label: 'Seleziona anche la precedente', run: () => extend(-1), repeats: true },
    {
      keys: '*',
      label: 'Seleziona tutta la pagina, o niente',
      run: () => (rows.every(has) ? clear() : pick(rows, true)),
    },
  ];
}

/** Before a change of the rows: once those that leave the list by it are gone, the row behind the one that had the focus gets it. */
function useFocusKept(rows: readonly ReportRow[]): () => void {
  const following = useRef<readonly string[]>([]);
  useLayoutEffect(() => {
    const [present, ...others] = following.current;
    const left = present !== undefined && rows.every(({ id }) => id !== present);
    if (left && document.activeElement === document.body) {
      following.current = others;
      focusRow(
        document,
        others.find((id) => rows.some((row) => row.id === id)),
      );
    }
  }, [rows]);
  return () => {
    const ids = rows.map(({ id }) => id);
    const at = ids.indexOf(focusedIn(rows)?.id ?? '');
    following.current = at < 0 ? [] : [...ids.slice(at), ...ids.slice(0, at).reverse()];
  };
}

const CHOOSE_FIRST = 'Scegli prima una segnalazione: j e k vanno da una all’altra, x la seleziona.';

const wholeText = (except: number) =>
  except === 0 ? 'Tutte quelle del filtro' : `Tutte quelle del filtro meno ${formatNumber(except)}`;

interface BulkBarProps {
  /** Without `shown`, a list of which all rows are here. */
  list: Pick<ReportList, 'data' | 'matching'> & Partial<Pick<ReportList, 'shown'>>;
  filters: Asked;
  /** Beside an open report the keys are its own. */
  beside: boolean;
  /** The rows of the list that is asked for are not there yet, but those of another one: keys wait. */
  coming?: boolean;
}

export function BulkBar({ list, filters, beside, coming = false }: BulkBarProps) {
  const { data: rows, matching, shown } = list;
  const { chosen, whole, except, has, pick, chooseWhole, clear } = useSelection();
  /** The last outcome that not all reports share. */
  const [partial, setPartial] = useState<BulkOutcome | null>(null);
  /** The reports of which a story is to be made. */
  const [founding, setFounding] = useState<readonly string[] | null>(null);
  /** The reports whose reporters are being written to. */
  const [writing, setWriting] = useState<readonly string[] | null>(null);
  /** Whom the last message did not reach. */
  const [missed, setMissed] = useState<MessagesSent['refused']>([]);
  const refresh = useRefresh();
  const { say, choose } = useKeyboard();
  const { show } = useToast();
  const words = useWords();
  const action = useAction();
  const keys = useKeyRegistry();
  const keepFocus = useFocusKept(rows);
  const ids = () => {
    const row = focusedIn(rows);
    return chosen.length > 0 || !row ? [...chosen] : [{ id: row.id, version: row.versione }];
  };
  const target = (): Target => {
    const { cursor: _, order: __, sort: ___, ...filter } = filters;
    return whole ? { filter, shown: shown ?? null, except: [...except] } : { ids: ids() };
  };
  const settled = async (work: Promise<BulkOutcome>): Promise<BulkOutcome> => {
    const outcome = await work;
    setPartial(outcome.refused.length > 0 ? outcome : null);
    clear();
    await refresh();
    return outcome;
  };
  const run = (edit: BulkEdit) => {
    const [only, ...others] = rows.filter(({ id }) => !whole && ids().some((one) => one.id === id));
    keepFocus();
    // The keys pressed meanwhile are meant for the rows as they are then. A change of a whole filter may take long.
    const arrived = whole ? undefined : keys.hold();
    const work = async () => {
      const { batch, changed } = await settled(change({ ...target(), change: edit }));
      const undo = async () => {
        const back = await settled(takeBack(batch));
        // Where none came back, those that stayed stand above the list.
        return back.changed > 0 ? `Annullato. ${comeBack(back.changed)}` : null;
      };
      const one = edit.done && changed === 1 && only && others.length === 0;
      const text = one ? `Fatto: ${reporterName(only)}` : words(edit, changed);
      show({ text, undo: changed > 0 ? undo : undefined });
    };
    void action.run(work).finally(arrived);
  };
  const apply = (edit: BulkEdit) => {
    if (whole && action.busy) {
      say('Un momento: la modifica di prima è ancora in corso.');
    } else if (whole || ids().length > 0) {
      run(edit);
    } else {
      say(CHOOSE_FIRST);
    }
  };
  const commands = useBulkCommands({
    apply,
    urgent: () => {
      const those = ids().map(({ id }) => id);
      return rows.filter((row) => (whole ? has(row) : those.includes(row.id))).every((row) => row.urgente);
    },
    newStory: () => {
      const those = ids().map(({ id }) => id);
      those.length > 0 ? setFounding(those) : say(CHOOSE_FIRST);
    },
    write: () => {
      const those = ids().map(({ id }) => id);
      those.length > 0 ? setWriting(those) : say(CHOOSE_FIRST);
    },
    story: filters.story,
    whole,
  });
  const choosing = useChoosing(rows);
  const all = matching === null ? null : matching - except.length;
  const count = whole ? all : chosen.length;
  useShortcuts('Nell’elenco', beside ? [] : [...choosing, ...commands], coming && !beside);
  const stati = STATI.map((stato, at) => ({ label: stato, run: () => commands[at]?.run?.() }));
  return (
    <div className={styles.foot}>
      <Failure of={action} title="Modifica non riuscita" />
      {founding ? <NewStoryDialog reports={founding} onClose={() => setFounding(null)} /> : null}
      {action.busy ? <BulkProgress /> : null}
      <Unreached refused={missed} onClose={() => setMissed([])} />
      {writing ? (
        <Writing
          ids={writing}
          rows={rows}
          onSent={(refused) => {
            setMissed(refused);
            setWriting(null);
            clear();
          }}
          onClose={() => setWriting(null)}
        />
      ) : null}
      {partial ? <Stayed outcome={partial} onClose={() => setPartial(null)} /> : null}
      {chosen.length > 0 || whole ? (
        <Row as="section" gap={1} className={styles.bar} aria-label="Modifica insieme">
          <Text as="span" strong>
            {count === null ? wholeText(except.length) : counted(count, 'selezionata', 'selezionate')}
          </Text>
          {whole || rows.every(has) ? null : (
            <Button variant="quiet" aria-keyshortcuts="*" onClick={() => pick(rows, true)}>
              Tutte in questa pagina
            </Button>
          )}
          {whole || rows.length === matching ? null : (
            <Button variant="quiet" onClick={chooseWhole}>
              {matching === null ? 'Tutte quelle trovate' : `Tutte le ${formatNumber(matching)} del filtro`}
            </Button>
          )}
          <Button inactive={action.busy} aria-haspopup="dialog" onClick={() => choose('Stato', stati)}>
            Stato
          </Button>
          {commands.map(({ keys, label, button, choices, run: act }) =>
            button ? (
              <Button
                key={keys}
                inactive={action.busy}
                title={`${label} (${keys})`}
                aria-keyshortcuts={keys}
                aria-haspopup={choices ? 'dialog' : undefined}
                onClick={() => (choices ? choose(label, choices()) : act?.())}
              >
                {button}
              </Button>
            ) : null,
          )}
          <Button variant="quiet" onClick={clear}>
            Deseleziona
          </Button>
        </Row>
      ) : null}
    </div>
  );
}

function BulkProgress() {
  const { data } = useRead('/reports/bulk', { background: true, refetchInterval: LOOK_MS, gcTime: 0 });
  const running = data?.data.find(({ done, total }) => done < total);
  return running ? (
    <Stack gap={1}>
      <Text small>{`${formatNumber(running.done)} di ${formatNumber(running.total)}…`}</Text>
      <progress value={running.done} max={running.total} aria-label="Segnalazioni modificate" />
    </Stack>
  ) : null;
}

interface StayedProps {
  outcome: BulkOutcome;
  onClose: () => void;
}

/** The reports that did not change, each with its reason. */
function Stayed({ outcome: { refused, unnamed }, onClose }: StayedProps) {
  const { nameOf } = useDepartments();
  const stayed = refused.length + unnamed;
  return (
    <Message kind="warning" title={counted(stayed, 'non modificata', 'non modificate')} onDismiss={onClose}>
      <ul>
        {refused.slice(0, LISTED).map(({ id, name, detail, current }) => (
          <li key={id}>
            <Link to={paths.report(id)}>{name || id}</Link>: {detail}
            {current ? (
              <>
                {' Ora: '}
                <Badge tone={toneOf(current.stato)}>{current.stato}</Badge> {nameOf(current.department)}
                {current.urgente ? ', urgente' : ''} <LabelChips ids={current.labels} />
              </>
            ) : null}
          </li>
        ))}
        {stayed > LISTED ? <li>e altre {formatNumber(stayed - LISTED)}</li> : null}
      </ul>
    </Message>
  );
}
