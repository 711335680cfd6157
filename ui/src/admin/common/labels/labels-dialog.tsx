import { Pencil, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { Label } from '../../../shared/api/schema';
import { Button } from '../../../shared/ui/button';
import { Checkbox } from '../../../shared/ui/checkbox';
import { Dialog } from '../../../shared/ui/dialog';
import { Form } from '../../../shared/ui/form';
import { Row, Stack, Text } from '../../../shared/ui/layout';
import { SelectField } from '../../../shared/ui/select';
import { TextField } from '../../../shared/ui/text-field';
import { type Action, Asked, Failure, Send, useAction } from '../action';
import { errorsOf } from '../errors';
import { COLORS, LabelChip, useLabelChanges, useLabels } from './labels';

type Color = Label['color'];
const COLOR_OPTIONS = (Object.keys(COLORS) as Color[]).map((value) => ({ value, label: value }));

interface LabelsDialogProps {
  title: string;
  ids: readonly number[];
  onChange: (ids: number[]) => void;
  onClose: () => void;
}

/** Chooses labels; each is chosen at once. Also makes new ones, and changes or deletes those that there are. */
export default function LabelsDialog({ title, ids, onChange, onClose }: LabelsDialogProps) {
  const labels = useLabels();
  const [edited, setEdited] = useState<Label | null>(null);
  const action = useAction();
  const changes = useLabelChanges();
  const remove = (label: Label) => async () => {
    await changes.remove(label.id);
    setEdited(null);
    return `Etichetta «${label.name}» eliminata.`;
  };
  return (
    <Dialog open title={title} onCancel={onClose} actions={<Button onClick={onClose}>Chiudi</Button>}>
      <Stack gap={4}>
        {labels.length === 0 ? <Text>Non ci sono ancora etichette.</Text> : null}
        {labels.map((label) => (
          <Row key={label.id} justify="between">
            <Checkbox
              checked={ids.includes(label.id)}
              onChange={(chosen) =>
                onChange(chosen ? [...ids, label.id] : ids.filter((id) => id !== label.id))
              }
            >
              <LabelChip label={label} />
            </Checkbox>
            <Row gap={1}>
              <Button
                variant="icon"
                aria-label={`Modifica l’etichetta ${label.name}`}
                icon={<Pencil />}
                onClick={() => setEdited(label)}
              />
              <Asked
                of={action}
                label="Elimina"
                about={`l’etichetta ${label.name}`}
                title={`Eliminare «${label.name}»?`}
                confirmLabel="Elimina"
                variant="quiet"
                icon={<Trash2 />}
                work={remove(label)}
              >
                <p>Viene tolta da tutte le segnalazioni che la hanno.</p>
              </Asked>
            </Row>
          </Row>
        ))}
        <LabelForm
          key={edited?.id ?? 0}
          edited={edited}
          action={action}
          onDone={(made) => {
            setEdited(null);
            if (made !== null) {
              onChange([...ids, made]);
            }
          }}
        />
        <Failure of={action} title="Etichetta non salvata" />
      </Stack>
    </Dialog>
  );
}

interface LabelFormProps {
  edited: Label | null;
  action: Action;
  onDone: (made: number | null) => void;
}

function LabelForm({ edited, action, onDone }: LabelFormProps) {
  const [name, setName] = useState(edited?.name ?? '');
  const [color, setColor] = useState<Color>(edited?.color ?? 'grigio');
  const changes = useLabelChanges();
  const save = async () => {
    const made = await changes.save(edited?.id ?? null, { name, color });
    setName('');
    onDone(made);
  };
  return (
    <Form
      gap={2}
      label={edited ? `Etichetta ${edited.name}` : 'Nuova etichetta'}
      onSubmit={() => action.run(save)}
    >
      <TextField
        label={edited ? 'Nome' : 'Nuova etichetta'}
        error={errorsOf(action.failure).name}
        value={name}
        onValue={setName}
      />
      <SelectField label="Colore" value={color} options={COLOR_OPTIONS} onValue={setColor} />
      <Row>
        <Send busy={action.busy} variant="primary">
          {edited ? 'Salva' : 'Aggiungi'}
        </Send>
        {edited ? <Button onClick={() => onDone(null)}>Annulla</Button> : null}
      </Row>
    </Form>
  );
}
