import { useEffect, useRef, useState } from 'react';
import { call } from '../../shared/api/client';
import { Button } from '../../shared/ui/button';
import { TextField } from '../../shared/ui/text-field';
import { Failure, useAction } from '../common/action';
import { errorsOf } from '../common/errors';
import { FormDialog } from '../common/form-dialog';
import { type Filters, readFilters, withFilter, writeFilters } from '../common/list/filters';
import styles from '../common/list/list.module.css';
import { useRead, useRefresh } from '../common/use-read';
import type { Condition } from './conditions';

const LOOK_MS = 30_000;

function useViews(filters: Filters) {
  const { data } = useRead('/views', { background: true, refetchInterval: LOOK_MS });
  const query = writeFilters(withFilter(filters, {})).slice(1);
  const views = data?.data ?? [];
  return { views, query, current: views.find((view) => view.query === query) };
}

/** The saved views, to choose from in the field of the list. */
export function useViewConditions(): readonly Condition[] {
  const { views } = useViews({});
  return views.map(({ name, query }) => ({
    kind: 'Vista',
    label: name,
    change: readFilters(new URLSearchParams(query)),
  }));
}

export function ViewKeeper({ filters }: { filters: Filters }) {
  const { query, current } = useViews(filters);
  const [naming, setNaming] = useState(false);
  const [saved, setSaved] = useState(false);
  const name = useRef<HTMLElement>(null);
  // Where the button was that opened the dialog, there is now one that deletes.
  useEffect(() => {
    if (saved && current) {
      name.current?.focus();
      setSaved(false);
    }
  }, [saved, current]);
  const refresh = useRefresh();
  const action = useAction();
  const drop = async (id: string) => {
    await call('delete', '/views/{id}', { path: { id } });
    await refresh('/views');
    return 'Vista eliminata';
  };
  return (
    <>
      {current ? (
        <span ref={name} tabIndex={-1} className={styles.set} title={`Vista «${current.name}»`}>
          <span className="visually-hidden">Vista </span>
          <span>{current.name}</span>
        </span>
      ) : null}
      {current ? (
        <Button
          variant="quiet"
          inactive={action.busy}
          onClick={() => void action.run(() => drop(current.id))}
        >
          Elimina la vista
        </Button>
      ) : (
        <Button variant="quiet" onClick={() => setNaming(true)}>
          Salva come vista
        </Button>
      )}
      {naming ? (
        <ViewDialog query={query} onSaved={() => setSaved(true)} onClose={() => setNaming(false)} />
      ) : null}
      <Failure of={action} title="Vista non eliminata" />
    </>
  );
}

interface ViewDialogProps {
  query: string;
  onSaved: () => void;
  onClose: () => void;
}

function ViewDialog({ query, onSaved, onClose }: ViewDialogProps) {
  const [name, setName] = useState('');
  const refresh = useRefresh();
  const action = useAction();
  const keep = async () => {
    await call('post', '/views', { body: { name, query } });
    await refresh('/views');
    onClose();
    onSaved();
    return 'Vista salvata';
  };
  return (
    <FormDialog
      title="Salva come vista"
      of={action}
      failed="Vista non salvata"
      label="Salva"
      blocked={name.trim() === ''}
      onSubmit={() => action.run(keep)}
      onClose={onClose}
    >
      <TextField
        label="Nome della vista"
        hint="La vede chi vede almeno i tuoi reparti."
        error={errorsOf(action.failure).name}
        value={name}
        onValue={setName}
      />
    </FormDialog>
  );
}
