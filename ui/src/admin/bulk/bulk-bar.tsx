import { useState } from 'react';
import { Link } from 'react-router-dom';
import { call } from '../../shared/api/client';
import type { BulkAsked, BulkOutcome, ReportList } from '../../shared/api/schema';
import { formatNumber } from '../../shared/lib/text';
import { Badge } from '../../shared/ui/badge';
import { Button } from '../../shared/ui/button';
import { Row, Stack, Text } from '../../shared/ui/layout';
import { Message } from '../../shared/ui/message';
import { type Option, Select } from '../../shared/ui/select';
import { ActionNews, Send, useAction } from '../common/action';
import { DESKS, deskName } from '../common/departments';
import { LabelChips, useLabels } from '../common/labels/labels';
import { paths } from '../common/paths';
import { usePeopleOptions } from '../common/people/people';
import { STATI, toneOf } from '../common/stato';
import { useRead, useRefresh } from '../common/use-read';
import type { Asked } from '../reports/filters';
import { useRights } from '../session/session-context';
import styles from './bulk.module.css';
import { useSelection } from './selection';

/** Changing many takes a while. */
const TIMEOUT_MS = 600_000;
const LOOK_MS = 500;
const LISTED = 50;

type BulkEdit = BulkAsked['change'];

const change = (body: BulkAsked) => call('post', '/reports/bulk', { body, timeoutMs: TIMEOUT_MS });
const takeBack = (batch: number) =>
  call('post', '/reports/bulk/{batch}/undo', { path: { batch }, timeoutMs: TIMEOUT_MS });

/** Everything that may be done, as one choice: what it is called, and what the server is asked. */
function useChoices(): readonly { value: string; label: string; change: BulkEdit }[] {
  const labels = useLabels();
  const people = usePeopleOptions();
  const { sees } = useRights();
  return [
    ...STATI.map((stato) => ({ value: `s${stato}`, label: `Stato: ${stato}`, change: { stato } })),
    ...DESKS.map(({ key }) => ({
      value: `d${key}`,
      label: `Reparto: ${deskName(key)}${sees(key) ? '' : ' (poi non le vedi più)'}`,
      change: { department: key },
    })),
    ...people.map(({ value, label }) => ({
      value: `p${value}`,
      label: `Assegna a: ${label}`,
      change: { assegnataA: value },
    })),
    ...(people.length > 0
      ? [{ value: 'p', label: 'Togli l’assegnazione', change: { assegnataA: null } }]
      : []),
    { value: 'u1', label: 'Segna come urgenti', change: { urgente: true } },
    { value: 'u0', label: 'Togli «urgente»', change: { urgente: false } },
    ...labels.map(({ id, name }) => ({
      value: `a${id}`,
      label: `Aggiungi etichetta: ${name}`,
      change: { labels: { add: [id], remove: [] } },
    })),
    ...labels.map(({ id, name }) => ({
      value: `r${id}`,
      label: `Togli etichetta: ${name}`,
      change: { labels: { add: [], remove: [id] } },
    })),
  ];
}

const changedText = (n: number) =>
  n === 1 ? '1 segnalazione modificata.' : `${formatNumber(n)} segnalazioni modificate.`;

const wholeText = (except: number) =>
  except === 0 ? 'Tutte quelle del filtro' : `Tutte quelle del filtro meno ${formatNumber(except)}`;

/** The last change of many that this session made and may still take back: also after a reload, or one that broke off. */
function useLast() {
  const { data } = useRead('/reports/bulk', { background: true });
  return data?.data.find(({ own, changed }) => own && changed > 0);
}

export function BulkBar({ list, filters }: { list: ReportList; filters: Asked }) {
  const { data: rows, matching, shown } = list;
  const { chosen, whole, except, chooseWhole, choose, clear } = useSelection();
  const [done, setDone] = useState<BulkOutcome | null>(null);
  const [closed, setClosed] = useState(0);
  const last = useLast();
  const [value, setValue] = useState('');
  const choices = useChoices();
  const refresh = useRefresh();
  const action = useAction();
  const picked = choices.find((choice) => choice.value === value);
  const run = (undo?: number) =>
    void action.run(async () => {
      const { cursor: _, order: __, ...filter } = filters;
      const target = whole ? { filter, shown, except: [...except] } : { ids: [...chosen] };
      const outcome = await (undo === undefined
        ? change({ ...target, change: picked?.change ?? {} })
        : takeBack(undo));
      setDone(undo === undefined ? outcome : { ...outcome, batch: 0 });
      setClosed(undo ?? 0);
      clear();
      setValue('');
      await refresh();
      return undo === undefined ? changedText(outcome.changed) : `Annullato. ${changedText(outcome.changed)}`;
    });
  const options: Option<string>[] = [{ value: '', label: 'Scegli che cosa fare…' }, ...choices];
  const all = matching === null ? null : matching - except.length;
  const count = whole ? all : chosen.length;
  const told = done ?? (last && last.batch !== closed ? { ...last, refused: [], unnamed: 0 } : null);
  return (
    <>
      <ActionNews action={action} failed="Modifica non riuscita" />
      {action.busy ? <BulkProgress /> : null}
      {told && !action.busy ? (
        <Outcome
          done={told}
          onUndo={() => run(told.batch)}
          onClose={() => {
            setDone(null);
            setClosed(told.batch);
          }}
        />
      ) : null}
      {chosen.length > 0 || whole ? (
        <Row as="section" className={styles.bar} aria-label="Modifica insieme">
          <Text as="span">
            {count === null ? wholeText(except.length) : `${formatNumber(count)} selezionate`}
          </Text>
          {whole ? null : <Button onClick={() => choose(rows)}>Tutte in questa pagina</Button>}
          {whole || rows.length === matching ? null : (
            <Button onClick={chooseWhole}>
              {matching === null ? 'Tutte quelle trovate' : `Tutte le ${formatNumber(matching)} del filtro`}
            </Button>
          )}
          <Select
            aria-label="Che cosa fare con le segnalazioni selezionate"
            value={value}
            options={options}
            onValue={setValue}
          />
          <Send busy={action.busy} blocked={!picked || count === 0} variant="primary" onClick={() => run()}>
            Applica
          </Send>
          <Button variant="quiet" onClick={clear}>
            Deseleziona
          </Button>
        </Row>
      ) : null}
    </>
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

function Outcome({ done, onUndo, onClose }: { done: BulkOutcome; onUndo: () => void; onClose: () => void }) {
  const { batch, changed, refused, unnamed } = done;
  const stayed = refused.length + unnamed;
  const undo = batch > 0 && changed > 0 ? <Button onClick={onUndo}>Annulla la modifica</Button> : undefined;
  if (!undo && refused.length === 0) {
    return null;
  }
  const title =
    refused.length > 0
      ? `${changedText(changed)} ${formatNumber(stayed)} non modificate`
      : changedText(changed);
  return (
    <Message kind={refused.length > 0 ? 'warning' : 'info'} title={title} actions={undo} onDismiss={onClose}>
      {refused.length > 0 ? (
        <ul>
          {refused.slice(0, LISTED).map(({ id, name, detail, version, current }) => (
            <li key={id}>
              <Link to={paths.report(id)}>{name || id}</Link>: {detail}
              {current ? (
                <>
                  {` Ora (versione ${current.versione}${version === null ? '' : `, tu vedevi la ${version}`}): `}
                  <Badge tone={toneOf(current.stato)}>{current.stato}</Badge> {deskName(current.department)}
                  {current.urgente ? ', urgente' : ''} <LabelChips ids={current.labels} />
                </>
              ) : null}
            </li>
          ))}
          {stayed > LISTED ? <li>e altre {formatNumber(stayed - LISTED)}</li> : null}
        </ul>
      ) : (
        <p>Si può annullare per dieci minuti, dove nessuno l’ha modificata dopo.</p>
      )}
    </Message>
  );
}
