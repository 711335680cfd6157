import { useState } from 'react';
import { useNavigate } from 'react-router-dom';
import { call } from '../../shared/api/client';
import { counted } from '../../shared/lib/text';
import { TextField } from '../../shared/ui/text-field';
import { useAction } from '../common/action';
import { errorsOf } from '../common/errors';
import { FormDialog } from '../common/form-dialog';
import { paths } from '../common/paths';
import { useRefresh } from '../common/use-read';

/** Makes a story of these reports, and goes to it. */
export function NewStoryDialog({ reports, onClose }: { reports: readonly string[]; onClose: () => void }) {
  const [title, setTitle] = useState('');
  const action = useAction();
  const refresh = useRefresh();
  const navigate = useNavigate();
  const make = async () => {
    const { id } = await call('post', '/stories', { body: { title, reports: [...reports] } });
    onClose();
    navigate(paths.story(id));
    void refresh();
  };
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
        hint={`Comincia con ${counted(reports.length, 'segnalazione', 'segnalazioni')}.`}
        error={errorsOf(action.failure).title}
        value={title}
        onValue={setTitle}
      />
    </FormDialog>
  );
}
