import { X } from 'lucide-react';
import { type KeyboardEvent, useRef, useState } from 'react';
import { announce } from '../../shared/ui/announcer';
import { Button } from '../../shared/ui/button';
import { Field } from '../../shared/ui/field';
import { Row, Stack, Text } from '../../shared/ui/layout';
import { TextInput } from '../../shared/ui/text-input';
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
    <Stack>
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
        <Row as="ul" gap={2} aria-label={listLabel}>
          {entries.map((entry) => (
            <li key={entry} className={styles.entry}>
              <Text as="span" mono={single} small={single}>
                {entry}
              </Text>
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
        </Row>
      ) : (
        <Text tone="muted" small>
          {empty}
        </Text>
      )}
    </Stack>
  );
}

/** The entries of a list: commas, semicolons or line breaks between them, as the server splits it. */
export function entriesOf(list: string): readonly string[] {
  return list
    .split(/[,;\n]/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

export function listOf(entries: readonly string[]): string {
  return entries.join(', ');
}

function same(one: string, other: string): boolean {
  return one.toLocaleLowerCase('it-IT') === other.toLocaleLowerCase('it-IT');
}

/** The list with what was typed added, each entry once; `added` holds those that were not there yet. */
export function addTo(
  entries: readonly string[],
  typed: readonly string[],
): { entries: readonly string[]; added: readonly string[] } {
  const result = [...entries];
  const added: string[] = [];
  for (const entry of typed) {
    if (!result.some((known) => same(known, entry))) {
      result.push(entry);
      added.push(entry);
    }
  }
  return { entries: result, added };
}
