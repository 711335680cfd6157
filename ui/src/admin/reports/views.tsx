/** Filters of the list that are kept under a name, for everybody at the desk. */
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';
import { call } from '../../shared/api/client';
import { Button } from '../../shared/ui/button';
import { Dialog } from '../../shared/ui/dialog';
import { Field } from '../../shared/ui/field';
import { Row } from '../../shared/ui/layout';
import { TextInput } from '../../shared/ui/text-input';
import { ActionNews, useAction } from '../common/action';
import { useRead } from '../common/use-read';
import { Choice } from './choice';
import {
  type ChangeFilters,
  type Filters,
  isFiltered,
  readFilters,
  withFilter,
  writeFilters,
} from './filters';
import styles from './reports.module.css';

const NAME_CHARS = 60;
/** Pause between two looks, in milliseconds. */
const LOOK_MS = 30_000;

function useViews(filters: Filters) {
  const { data } = useRead('/views', { background: true, refetchInterval: LOOK_MS });
  const query = writeFilters(withFilter(filters, {})).slice(1);
  const views = data?.data ?? [];
  return { views, query, current: views.find((view) => view.query === query) };
}

interface ViewPickerProps {
  filters: Filters;
  onChange: ChangeFilters;
}

export function ViewPicker({ filters, onChange }: ViewPickerProps) {
  const { views, current } = useViews(filters);
  if (views.length === 0) {
    return null;
  }
  return (
    <div className={styles.views}>
      <Choice
        label="Vista salvata"
        all="Viste"
        options={views.map(({ id, name }) => ({ value: id, label: name }))}
        value={current?.id}
        onValue={(id) => {
          const query = views.find((view) => view.id === id)?.query ?? '';
          onChange(readFilters(new URLSearchParams(query)));
        }}
      />
    </div>
  );
}

/** Keeps the present filters under a name, or drops the view that they are. */
export function ViewKeeper({ filters }: { filters: Filters }) {
  const { query, current } = useViews(filters);
  const [naming, setNaming] = useState(false);
  const [name, setName] = useState('');
  const client = useQueryClient();
  const action = useAction();
  const form = useId();
  const refresh = () => client.invalidateQueries({ queryKey: ['/views'] });
  const keep = async (event: FormEvent) => {
    event.preventDefault();
    setNaming(false);
    const kept = await action.run(async () => {
      await call('post', '/views', { body: { name, query } });
      await refresh();
      return 'Vista salvata.';
    });
    if (kept) {
      setName('');
    }
  };
  const drop = (id: string) =>
    action.run(async () => {
      await call('delete', '/views/{id}', { path: { id } });
      await refresh();
      return 'Vista eliminata.';
    });
  return (
    <Row>
      {current ? (
        <Button inactive={action.busy} onClick={() => void drop(current.id)}>
          Elimina la vista
        </Button>
      ) : (
        <Button inactive={action.busy || !isFiltered(filters)} onClick={() => setNaming(true)}>
          Salva come vista
        </Button>
      )}
      <Dialog
        open={naming}
        title="Salva come vista"
        onCancel={() => setNaming(false)}
        actions={
          <>
            <Button onClick={() => setNaming(false)}>Annulla</Button>
            <Button variant="primary" type="submit" form={form} inactive={name.trim() === ''}>
              Salva
            </Button>
          </>
        }
      >
        <form id={form} onSubmit={(event) => void keep(event)}>
          <Field label="Nome della vista" hint="La vedono tutte le persone della redazione.">
            {(control) => (
              <TextInput
                {...control}
                value={name}
                maxLength={NAME_CHARS}
                autoComplete="off"
                onChange={(event) => setName(event.target.value)}
              />
            )}
          </Field>
        </form>
      </Dialog>
      <ActionNews action={action} failed="Operazione sulla vista non riuscita" />
    </Row>
  );
}
