/** The newsroom's departments: ordered, added, changed, removed. Must never remove one without asking where its reports go. */
import { ArrowDown, ArrowUp, GripVertical, Plus, Trash2 } from 'lucide-react';
import { type DragEvent, useEffect, useRef, useState } from 'react';
import type { Department, Matter } from '../../shared/api/schema';
import { counted, formatNumber } from '../../shared/lib/text';
import { announce } from '../../shared/ui/announcer';
import { Button } from '../../shared/ui/button';
import { Card } from '../../shared/ui/card';
import { Row, Stack, Text } from '../../shared/ui/layout';
import { Message } from '../../shared/ui/message';
import { SelectField } from '../../shared/ui/select';
import { TextField } from '../../shared/ui/text-field';
import { type Action, Failure, useAction } from '../common/action';
import { GENERAL, MOST, optionsOf } from '../common/departments';
import { errorsOf } from '../common/errors';
import { FormDialog } from '../common/form-dialog';
import { Loaded } from '../common/loaded';
import { useRead } from '../common/use-read';
import { type DepartmentList, useDepartmentChanges, useDepartmentList } from './api';
import { entriesOf, ListInput } from './controls';

/** What the trained analysis tells apart; a department of another matter is found by its keywords. */
const MATTERS: Readonly<Record<Matter | '', string>> = {
  '': 'Altro: lo trovano le sue parole chiave',
  corruzione: 'Corruzione e politica',
  sanita: 'Sanità e ospedali',
  lavoro: 'Lavoro e sfruttamento',
  scuola: 'Scuola e istruzione',
  ambiente: 'Ambiente e territorio',
  criminalita: 'Criminalità e sicurezza',
};
const MATTER_OPTIONS = Object.entries(MATTERS).map(([key, label]) => ({
  value: key as Matter | '',
  label,
}));

export const recipientsOf = (name: string) => ({
  name,
  empty: 'Nessun indirizzo: le email vanno a «Chi riceve le segnalazioni».',
  placeholder: 'nome@esempio.it',
  inputMode: 'email' as const,
  single: true,
});

const LINE = { overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' } as const;

/** Null for a new one. */
type Open = { form: Department | null } | { removed: Department } | null;

export function DepartmentsCard() {
  const list = useDepartmentList();
  const action = useAction();
  const [open, setOpen] = useState<Open>(null);
  const close = () => setOpen(null);
  const present = list.data;
  const full = present !== undefined && present.data.length > MOST;
  return (
    <Card
      title="I reparti"
      aside={
        <Button icon={<Plus />} inactive={!present || full} onClick={() => setOpen({ form: null })}>
          Aggiungi un reparto
        </Button>
      }
    >
      <Stack gap={4}>
        <Text tone="muted" small>
          Ciò che cambi qui vale subito. L’ordine è quello di elenchi e menu; l’ultimo riceve ciò che non è di
          altri.{full ? ` Sono già ${MOST}: per aggiungerne uno, prima togline un altro.` : ''}
        </Text>
        <Loaded
          query={list}
          part
          loading="Caricamento dei reparti…"
          failed="Non è stato possibile leggere i reparti"
        >
          {(now) => <Departments {...{ now, action }} onOpen={setOpen} />}
        </Loaded>
        <Failure of={action} title="Ordine non cambiato" />
      </Stack>
      {present && open && 'form' in open ? (
        <DepartmentDialog now={present} department={open.form} onClose={close} />
      ) : null}
      {present && open && 'removed' in open ? (
        <RemovalDialog now={present} department={open.removed} onClose={close} />
      ) : null}
    </Card>
  );
}

interface DepartmentsProps {
  now: DepartmentList;
  action: Action;
  onOpen: (open: Open) => void;
}

function Departments({ now, action, onOpen }: DepartmentsProps) {
  const { data, moving } = now;
  const area = useRef<HTMLOListElement>(null);
  const [dragged, setDragged] = useState<number | null>(null);
  /** The button that gets the focus once the new order is drawn. */
  const [focus, setFocus] = useState<string | null>(null);
  const { reorder } = useDepartmentChanges(now);
  useEffect(() => {
    // The order may be there by now.
    if (focus && data.length > 0) {
      area.current?.querySelector<HTMLElement>(`[name="${focus}"]`)?.focus();
      setFocus(null);
    }
  }, [focus, data]);
  const own = data.filter(({ key }) => key !== GENERAL);
  const move = (from: number, to: number, button: 'up' | 'down') =>
    void action.run(async () => {
      const keys = own.map(({ key }) => key);
      await reorder(keys.toSpliced(from, 1).toSpliced(to, 0, ...keys.slice(from, from + 1)));
      setFocus(`${button}.${to}`);
      announce(`Ora è il reparto ${to + 1} di ${own.length}.`);
    });
  return (
    <>
      <Stack as="ol" lined ref={area} aria-label="Reparti">
        {data.map((one, at) => (
          <Row
            as="li"
            key={one.key}
            justify="between"
            gap={2}
            onDragOver={(event: DragEvent) => dragged !== null && at < own.length && event.preventDefault()}
            onDrop={() => dragged !== null && dragged !== at && move(dragged, at, 'up')}
          >
            <Entry
              {...{ one, draggable: at < own.length, onDrag: (on: boolean) => setDragged(on ? at : null) }}
            />
            <Row gap={1}>
              {at < own.length
                ? (
                    [
                      ['up', 'Sposta su', ArrowUp, at > 0, at - 1],
                      ['down', 'Sposta giù', ArrowDown, at < own.length - 1, at + 1],
                    ] as const
                  ).map(([name, words, Icon, able, to]) => (
                    <Button
                      key={name}
                      variant="icon"
                      name={`${name}.${at}`}
                      aria-label={`${words} ${one.name}`}
                      icon={<Icon />}
                      inactive={!able || action.busy}
                      onClick={() => move(at, to, name)}
                    />
                  ))
                : null}
              <Button about={one.name} onClick={() => onOpen({ form: one })}>
                Modifica
              </Button>
              {at < own.length ? (
                <Button
                  variant="icon"
                  aria-label={`Togli ${one.name}`}
                  icon={<Trash2 />}
                  onClick={() => onOpen({ removed: one })}
                />
              ) : null}
            </Row>
          </Row>
        ))}
      </Stack>
      {/* The region is there before the first report is on its way. */}
      <div role="status">
        {moving > 0 ? (
          <Message kind="info">
            <p>
              {counted(moving, 'segnalazione sta', 'segnalazioni stanno')} passando dal reparto tolto al suo
              erede. Puoi chiudere la pagina.
            </p>
          </Message>
        ) : null}
      </div>
    </>
  );
}

interface EntryProps {
  one: Department;
  draggable: boolean;
  onDrag: (on: boolean) => void;
}

function Entry({ one, draggable, onDrag }: EntryProps) {
  const { key, name, matter, email = '', keywords = '', reports } = one;
  const [first = 'nessuna email', ...others] = entriesOf(email);
  const to = others.length === 0 ? first : `${others.length + 1} destinatari`;
  const facts = [
    matter ? MATTERS[matter] : null,
    to,
    counted(entriesOf(keywords).length, 'parola chiave', 'parole chiave'),
    counted(reports, 'segnalazione', 'segnalazioni'),
  ];
  return (
    <Row
      gap={2}
      nowrap
      style={{ minWidth: 0, flex: '1 1 12rem', ...(draggable && { cursor: 'grab' }) }}
      draggable={draggable}
      title={draggable ? 'Trascina per cambiare posto' : undefined}
      onDragStart={() => onDrag(true)}
      onDragEnd={() => onDrag(false)}
    >
      {draggable ? <GripVertical aria-hidden="true" style={{ flex: 'none' }} /> : null}
      <Stack gap={1} style={{ minWidth: 0 }}>
        <Text strong title={name} style={LINE}>
          {name}
        </Text>
        <Text tone="muted" small>
          {key === GENERAL
            ? counted(reports, 'segnalazione', 'segnalazioni')
            : facts.filter(Boolean).join(' · ')}
        </Text>
      </Stack>
    </Row>
  );
}

interface DialogProps<One> {
  now: DepartmentList;
  department: One;
  onClose: () => void;
}

function DepartmentDialog({ now, department, onClose }: DialogProps<Department | null>) {
  const { name = '', email = '', keywords = '', matter = null } = department ?? {};
  const [typed, setTyped] = useState({ name, email, keywords, matter });
  const type = (change: Partial<typeof typed>) => setTyped((before) => ({ ...before, ...change }));
  const changes = useDepartmentChanges(now);
  const action = useAction();
  const wrong = errorsOf(action.failure);
  const general = department?.key === GENERAL;
  const save = async () => {
    const saved = { name, email, keywords, matter };
    const differing = Object.entries(typed).filter(
      ([field, value]) => value !== saved[field as keyof typeof saved],
    );
    await (department ? changes.change(department.key, Object.fromEntries(differing)) : changes.add(typed));
    onClose();
  };
  const list = (field: 'email' | 'keywords') => ({
    value: typed[field],
    error: wrong[field],
    onChange: (value: string) => type({ [field]: value }),
    onPending: () => undefined,
  });
  return (
    <FormDialog
      title={department ? department.name : 'Aggiungi un reparto'}
      of={action}
      failed={department ? 'Modifica non salvata' : 'Reparto non aggiunto'}
      label={department ? 'Salva' : 'Aggiungi il reparto'}
      blocked={typed.name.trim() === ''}
      onSubmit={() => action.run(save)}
      onClose={onClose}
    >
      <TextField
        label="Nome"
        error={wrong.name}
        value={typed.name}
        onValue={(value) => type({ name: value })}
      />
      {general ? null : (
        <>
          <ListInput label="Email" hint={undefined} list={recipientsOf('Destinatari')} {...list('email')} />
          <SelectField
            label="Di che cosa si occupa"
            hint="Una di queste materie la riconosce l’analisi del contenuto."
            error={wrong.matter}
            value={typed.matter ?? ''}
            options={MATTER_OPTIONS}
            onValue={(value) => type({ matter: value || null })}
          />
          <ListInput
            label="Parole chiave"
            hint={undefined}
            list={{
              name: 'Elenco delle parole chiave',
              empty: 'Nessuna parola chiave.',
              placeholder: 'Parola o frase',
            }}
            {...list('keywords')}
          />
        </>
      )}
    </FormDialog>
  );
}

function RemovalDialog({ now, department, onClose }: DialogProps<Department>) {
  const { key, name, reports } = department;
  const [to, setTo] = useState<string>(GENERAL);
  const { remove } = useDepartmentChanges(now);
  const action = useAction();
  const wrong = errorsOf(action.failure);
  const callouts = useRead('/callouts', { background: true }).data?.data ?? [];
  const people = useRead('/people', { background: true }).data?.data ?? [];
  const views = useRead('/views', { background: true }).data?.data ?? [];
  const naming = [
    ...callouts.filter((one) => one.department === key).map((one) => `l’inchiesta «${one.title}»`),
    ...people.filter(({ departments }) => departments.includes(key)).map((one) => one.name),
    ...views
      .filter(({ query }) => query.split('&').includes(`department=${key}`))
      .map((one) => `il filtro «${one.name}»`),
  ];
  return (
    <FormDialog
      title={`Togliere ${name}?`}
      of={action}
      failed="Reparto non tolto"
      label="Togli"
      variant="danger"
      cautious
      onSubmit={() => action.run(() => remove(key, to).then(onClose))}
      onClose={onClose}
    >
      <SelectField
        label={`Le sue segnalazioni (${formatNumber(reports)}) vanno a`}
        hint="Anche le inchieste e i filtri salvati passano lì; nella cronologia resta il vecchio nome."
        error={wrong.to}
        value={to}
        options={optionsOf(now.data.filter((one) => one.key !== key))}
        onValue={setTo}
      />
      {naming.length > 0 ? (
        <p>
          Lo nominano: {naming.join(', ')}. Le persone continueranno a vedere le sue segnalazioni solo se
          vedono anche il reparto a cui vanno.
        </p>
      ) : null}
    </FormDialog>
  );
}
