import { X } from 'lucide-react';
import { type KeyboardEvent, useRef, useState } from 'react';
import { announce } from '../../shared/ui/announcer';
import { Button } from '../../shared/ui/button';
import { Field } from '../../shared/ui/field';
import { TextInput } from '../../shared/ui/text-input';
import { addTo, entriesOf, listOf } from './list';
import styles from './list-input.module.css';

interface ListInputProps {
  label: string;
  hint: string | undefined;
  /** Entries separated by commas, as the setting keeps them. */
  value: string;
  error: string | undefined;
  /** Name of the list for screen readers, such as "Parole vietate". */
  listLabel: string;
  /** What to say where there are no entries. */
  empty: string;
  /** Entries hold no blanks: then a blank separates them too. */
  single: boolean;
  placeholder: string;
  onChange: (value: string) => void;
  /** Something is typed and not added yet. */
  onPending: (pending: boolean) => void;
}

/** A list with a box to add to it. What was typed but not added yet counts as soon as the box is left. */
export function ListInput(props: ListInputProps) {
  const { label, hint, value, error, listLabel, empty, single, placeholder, onChange, onPending } = props;
  const [typed, setTyped] = useState('');
  const box = useRef<HTMLInputElement>(null);
  const entries = entriesOf(value);

  const type = (text: string) => {
    setTyped(text);
    onPending(text.trim() !== '');
  };
  const add = () => {
    const wanted = entriesOf(single ? typed.replace(/\s+/gu, ',') : typed);
    type('');
    if (wanted.length === 0) {
      return;
    }
    const { entries: all, added } = addTo(entries, wanted);
    if (added.length > 0) {
      onChange(listOf(all));
    }
    announce(added.length > 0 ? `Aggiunto: ${listOf(added)}` : 'È già nell’elenco.');
  };
  const remove = (entry: string) => {
    onChange(listOf(entries.filter((other) => other !== entry)));
    announce(`Rimosso: ${entry}`);
    box.current?.focus();
  };
  const pressed = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && !event.nativeEvent.isComposing && typed.trim() !== '') {
      event.preventDefault();
      add();
    }
  };

  return (
    <div className={styles.setting}>
      <Field label={label} hint={hint} error={error}>
        {(control) => (
          <div className={styles.row}>
            <TextInput
              {...control}
              ref={box}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              placeholder={placeholder}
              value={typed}
              onChange={(event) => type(event.target.value)}
              onKeyDown={pressed}
              onBlur={add}
            />
            <Button aria-label={`Aggiungi a ${label}`} inactive={typed.trim() === ''} onClick={add}>
              Aggiungi
            </Button>
          </div>
        )}
      </Field>
      {entries.length > 0 ? (
        <ul className={styles.entries} aria-label={listLabel} data-single={single || undefined}>
          {entries.map((entry) => (
            <li key={entry} className={styles.entry}>
              <span>{entry}</span>
              <button
                type="button"
                className={styles.remove}
                aria-label={`Rimuovi ${entry}`}
                onClick={() => remove(entry)}
              >
                <X aria-hidden="true" />
              </button>
            </li>
          ))}
        </ul>
      ) : (
        <p className={styles.empty}>{empty}</p>
      )}
    </div>
  );
}
