import { useState } from 'react';
import { useNavigate } from 'react-router-dom';
import { call } from '../../shared/api/client';
import { TextField } from '../../shared/ui/text-field';
import { useAction } from '../common/action';
import { errorsOf } from '../common/errors';
import { FormDialog } from '../common/form-dialog';
import { paths } from '../common/paths';
import { useRefresh } from '../common/use-read';
import { TITLE_CHARS } from './api';

/** Makes a story of these reports, and goes to it. */
export function NewStoryDialog({ reports, onClose }: { reports: readonly string[]; onClose: () => void }) {
  const [title, setTitle] = useState('');
  const action = useAction();
  const refresh = useRefresh();
  const navigate = useNavigate();
  const make = async () => {
    const { id } = await call('post', '/stories', { body: { title, reports: [...reports] } });
    void refresh('/stories', '/reports', '/reports/{id}', '/reports/{id}/related');
    onClose();
    navigate(paths.story(id));
  };
  const n = reports.length;
  return (
    <FormDialog
      title="Nuova storia"
      of={action}
      failed="Storia non creata"
      label="Crea la storia"
      blocked={title.trim() === ''}
      onSubmit={() => action.run(make)}
      onClose={onClose}
    >
      <TextField
        label="Titolo"
        hint={n === 1 ? 'Comincia con una segnalazione.' : `Mette insieme ${n} segnalazioni.`}
        error={errorsOf(action.failure).title}
        value={title}
        maxLength={TITLE_CHARS}
        onValue={setTitle}
      />
    </FormDialog>
  );
}
