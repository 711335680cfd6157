import { useState } from 'react';
import { call } from '../../shared/api/client';
import { Button } from '../../shared/ui/button';
import { Row } from '../../shared/ui/layout';
import { TextField } from '../../shared/ui/text-field';
import { Failure, useAction } from '../common/action';
import { errorsOf } from '../common/errors';
import { FormDialog } from '../common/form-dialog';
import {
  type ChangeFilters,
  type Filters,
  isFiltered,
  readFilters,
  withFilter,
  writeFilters,
} from '../common/list/filters';
import styles from '../common/list/list.module.css';
import { useRead, useRefresh } from '../common/use-read';
import { Choice } from './choice';

const NAME_CHARS = 60;
const LOOK_MS = 30_000;

function useViews(filters: Filters) {
  const { data } = useRead('/views', { background: true, refetchInterval: LOOK_MS });
  const query = writeFilters(withFilter(filters, {})).slice(1);
  const views = data?.data ?? [];
  return { views, query, current: views.find((view) => view.query === query) };
}

export function ViewPicker({ filters, onChange }: { filters: Filters; onChange: ChangeFilters }) {
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

export function ViewKeeper({ filters }: { filters: Filters }) {
  const { query, current } = useViews(filters);
  const [naming, setNaming] = useState(false);
  const refresh = useRefresh();
  const action = useAction();
  const drop = async (id: string) => {
    await call('delete', '/views/{id}', { path: { id } });
    await refresh('/views');
    return 'Vista eliminata';
  };
  return (
    <Row>
      {current ? (
        <Button inactive={action.busy} onClick={() => void action.run(() => drop(current.id))}>
          Elimina la vista
        </Button>
      ) : (
        <Button inactive={!isFiltered(filters)} onClick={() => setNaming(true)}>
          Salva come vista
        </Button>
      )}
      {naming ? <ViewDialog query={query} onClose={() => setNaming(false)} /> : null}
      <Failure of={action} title="Vista non eliminata" />
    </Row>
  );
}

function ViewDialog({ query, onClose }: { query: string; onClose: () => void }) {
  const [name, setName] = useState('');
  const refresh = useRefresh();
  const action = useAction();
  const keep = async () => {
    await call('post', '/views', { body: { name, query } });
    await refresh('/views');
    onClose();
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
        hint="La vedono tutte le persone della redazione."
        error={errorsOf(action.failure).name}
        value={name}
        maxLength={NAME_CHARS}
        onValue={setName}
      />
    </FormDialog>
  );
}
