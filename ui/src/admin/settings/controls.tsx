/** How settings are shown and typed. Must never judge a value: what is wrong with it, the server says. */
import { X } from 'lucide-react';
import {
  type ClipboardEvent,
  type ComponentType,
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useRef,
  useState,
} from 'react';
import { useController } from 'react-hook-form';
import { useLocation } from 'react-router-dom';
import { announce } from '../../shared/ui/announcer';
import { Button } from '../../shared/ui/button';
import { Card } from '../../shared/ui/card';
import { Field } from '../../shared/ui/field';
import { Row, Stack, Text } from '../../shared/ui/layout';
import { PasswordInput } from '../../shared/ui/password-input';
import { SelectField } from '../../shared/ui/select';
import { Switch } from '../../shared/ui/switch';
import { AreaField, TextField } from '../../shared/ui/text-field';
import { TextInput } from '../../shared/ui/text-input';
import { SAVE_FORM } from '../common/forms/save-bar';
import type { SettingsPage } from '../common/settings-pages';
import styles from './controls.module.css';
import { type SettingValues, useSettings } from './settings-page';

/** A setting's row. Truth values are switches, what has `…Set` beside it is a secret; the rest is a text unless said. */
export interface Control<S> {
  label: string;
  hint?: string;
  /** In place of `hint`, where it depends on what is typed or saved. */
  hintOf?(values: S, saved: S): string | undefined;
  /** What of this is otherwise with what is typed. */
  varied?(values: S): Pick<Control<S>, 'label' | 'hint' | 'noun'> | undefined;
  when?(values: S): boolean;
  below?: ComponentType;
  unit?: string;
  options?: Readonly<Record<string, string>>;
  list?: ListTexts;
  /** The name of a secret, with its article: `la chiave`. */
  noun?: string;
  type?: 'url' | 'email' | 'date' | 'area';
  own?: ComponentType<OwnProps>;
}

export interface OwnProps {
  label: string;
  hint: string | undefined;
  error: string | undefined;
  value: string;
  onChange: (value: string) => void;
}

export type Controls<S> = Readonly<Partial<Record<keyof S & string, Control<S>>>>;
/** The settings of a section, by the page that they are on: this alone says where a setting is. */
export type Cards<S> = Readonly<Partial<Record<SettingsPage, Controls<S>>>>;

interface SettingProps {
  name: string;
  control: Control<SettingValues>;
}

function Setting({ name, control }: SettingProps) {
  const { values } = useSettings();
  const { below: Below } = control;
  const place = usePlace(name);
  return control.when?.(values) === false ? null : (
    <>
      <div data-setting={name} ref={place}>
        <Input name={name} control={control} />
      </div>
      {Below ? <Below /> : null}
    </>
  );
}

/** Where a setting stands: it takes the focus when the address names it, as a warning's link does. */
function usePlace(name: string) {
  const place = useRef<HTMLDivElement>(null);
  const { hash, key } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: each press of the link leads there
  useEffect(() => {
    if (hash === `#${name}`) {
      place.current?.querySelector<HTMLElement>('input, select, textarea')?.focus();
    }
  }, [hash, key, name]);
  return place;
}

function Input({ name, control }: SettingProps) {
  const { form, values, saved, setPending } = useSettings();
  const { field, fieldState } = useController({ control: form.control, name });
  const {
    label,
    hint,
    unit,
    options,
    list,
    noun,
    type,
    own: Own,
  } = { ...control, ...control.varied?.(values) };
  const value: unknown = field.value;
  const onChange = (changed: unknown) => field.onChange(changed);
  const text = String(value);
  const shown = {
    label,
    hint: control.hintOf?.(values, saved) ?? hint,
    error: fieldState.error?.message,
  };
  if (typeof value === 'boolean') {
    return <Switch {...shown} form={SAVE_FORM} checked={value} onChange={onChange} />;
  }
  if (`${name}Set` in values) {
    const stored = values[`${name}Set`] === true;
    const secret = { noun, stored, value: typeof value === 'string' ? value : null, onChange };
    return <SecretInput {...shown} {...secret} />;
  }
  if (unit) {
    // A value that is no whole number goes to the server as it was typed.
    const type = (words: string) => onChange(/^\s*\d+\s*$/.test(words) ? Number(words) : words);
    return (
      <Field {...shown}>
        {({ 'aria-describedby': described = '', ...of }) => (
          <Row className={styles.number} nowrap>
            <TextInput
              {...of}
              form={SAVE_FORM}
              autoComplete="off"
              inputMode="numeric"
              aria-describedby={`${of.id}-unit ${described}`.trim()}
              value={text}
              onChange={(event) => type(event.target.value)}
            />
            <Text as="span" tone="muted" id={`${of.id}-unit`}>
              {unit}
            </Text>
          </Row>
        )}
      </Field>
    );
  }
  if (options) {
    const offered = Object.entries(options).map(([one, words]) => ({ value: one, label: words }));
    return <SelectField {...shown} form={SAVE_FORM} value={text} options={offered} onValue={onChange} />;
  }
  if (list) {
    const onPending = (pending: boolean) => setPending(name, pending);
    return <ListInput {...shown} {...{ list, value: text, onChange, onPending }} />;
  }
  if (Own) {
    return <Own {...shown} value={text} onChange={onChange} />;
  }
  return type === 'area' ? (
    <AreaField {...shown} value={text} onValue={onChange} rows={5} />
  ) : (
    <TextField {...shown} value={text} onValue={onChange} type={type ?? 'text'} form={SAVE_FORM} />
  );
}

interface SecretProps extends Omit<OwnProps, 'value' | 'onChange'> {
  noun: string | undefined;
  stored: boolean;
  /** The value that a save will send: null keeps the stored secret, an empty text removes it, any other replaces it. */
  value: string | null;
  onChange: (value: string | null) => void;
}

/** A secret that can be set, replaced and removed, but never read: the server only tells whether there is one. */
export function SecretInput({ label, hint, error, noun = 'la password', ...props }: SecretProps) {
  const { stored, value, onChange } = props;
  const removing = stored && value === '';
  const o = noun.startsWith('il ') ? 'o' : 'a';
  const kept =
    value === null ? `Impostat${o}. Non viene mai mostrat${o}: scrivi qui per sostituirl${o}.` : null;
  const state = removing
    ? `Verrà rimoss${o} quando salvi.`
    : (kept ?? `Sostituirà quell${o} impostat${o}, quando salvi.`);
  const told = (
    <>
      {hint}
      {stored ? <span className={styles.state}>{state}</span> : null}
    </>
  );
  return (
    <Field label={label} error={error} hint={stored || hint ? told : undefined}>
      {(control) => (
        <Row>
          <div className={styles.box}>
            <PasswordInput
              {...control}
              noun={noun}
              form={SAVE_FORM}
              autoComplete="new-password"
              placeholder={stored && value === null ? '••••••••' : undefined}
              value={value ?? ''}
              onChange={(event) => onChange(event.target.value === '' ? null : event.target.value)}
            />
          </div>
          {stored ? (
            <Button
              aria-label={removing ? `${label}: non rimuovere` : `${label}: rimuovi`}
              onClick={() => onChange(removing ? null : '')}
            >
              {removing ? 'Non rimuovere' : 'Rimuovi'}
            </Button>
          ) : null}
        </Row>
      )}
    </Field>
  );
}

export interface ListTexts {
  name: string;
  empty: string;
  placeholder: string;
  /** Entries hold no blanks: then a blank separates them too. */
  single?: boolean;
  inputMode?: 'email';
}

interface ListInputProps extends OwnProps {
  list: ListTexts;
  onPending: (pending: boolean) => void;
}

/** A list with a box to add to it. What was typed but not added yet counts as soon as the box is left. */
export function ListInput({ list, value, onChange, onPending, ...shown }: ListInputProps) {
  const { name, empty, placeholder, single = false, inputMode = 'text' } = list;
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
    const all = addTo(entries, wanted);
    const added = all.slice(entries.length).join(', ');
    if (added) {
      onChange(all.join(', '));
    }
    announce(added ? `Aggiunto: ${added}` : 'È già nell’elenco.');
  };
  const remove = (entry: string) => {
    onChange(entries.filter((other) => other !== entry).join(', '));
    announce(`Rimosso: ${entry}`);
    box.current?.focus();
  };
  const pressed = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && !event.nativeEvent.isComposing && typed.trim() !== '') {
      event.preventDefault();
      add();
    }
  };

  // A box of one line would join what stands on several.
  const pasted = (event: ClipboardEvent) => {
    const text = event.clipboardData.getData('text');
    if (/[\r\n]/u.test(text)) {
      event.preventDefault();
      type(`${typed}${text.replace(/\s*[\r\n]+\s*/gu, ', ')}`);
    }
  };

  return (
    <Stack>
      <Field {...shown}>
        {(control) => (
          <Row className={styles.list} gap={2} nowrap>
            <TextInput
              {...control}
              ref={box}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              inputMode={inputMode}
              placeholder={placeholder}
              value={typed}
              onChange={(event) => type(event.target.value)}
              onKeyDown={pressed}
              onPaste={pasted}
              onBlur={add}
            />
            <Button aria-label={`Aggiungi a ${shown.label}`} inactive={typed.trim() === ''} onClick={add}>
              Aggiungi
            </Button>
          </Row>
        )}
      </Field>
      {entries.length > 0 ? (
        <Row as="ul" gap={2} aria-label={name}>
          {entries.map((entry) => (
            <li key={entry} className={styles.entry}>
              <Text as="span" mono={single} small={single}>
                {entry}
              </Text>
              <Button
                variant="icon"
                className={styles.remove}
                aria-label={`Rimuovi ${entry}`}
                icon={<X />}
                onClick={() => remove(entry)}
              />
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

/** The list with what was typed added, each entry once whatever its case. */
export function addTo(entries: readonly string[], typed: readonly string[]): readonly string[] {
  const all = [...entries];
  for (const entry of typed) {
    if (!all.some((known) => known.toLocaleLowerCase('it-IT') === entry.toLocaleLowerCase('it-IT'))) {
      all.push(entry);
    }
  }
  return all;
}

interface SettingsProps {
  of: Controls<SettingValues>;
  before?: ReactNode;
  children?: ReactNode;
}

export function Settings({ of, before, children }: SettingsProps) {
  return (
    <Stack gap={6}>
      {before}
      {Object.entries(of).map(([name, control]) =>
        control ? <Setting key={name} name={name} control={control} /> : null,
      )}
      {children}
    </Stack>
  );
}

export function SettingsCard({ title, ...settings }: SettingsProps & { title?: string | undefined }) {
  return (
    <Card title={title}>
      <Settings {...settings} />
    </Card>
  );
}
