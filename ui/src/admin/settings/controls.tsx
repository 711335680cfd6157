/** How each kind of setting is shown and typed. Must never judge a value: what is wrong with it, the server says. */
import { type ComponentType, type ReactNode, useId } from 'react';
import { useController } from 'react-hook-form';
import { Card } from '../../shared/ui/card';
import { Field } from '../../shared/ui/field';
import { Stack } from '../../shared/ui/layout';
import { SelectField } from '../../shared/ui/select';
import { Switch } from '../../shared/ui/switch';
import { TextArea } from '../../shared/ui/text-area';
import { TextInput } from '../../shared/ui/text-input';
import { SAVE_FORM } from '../common/forms/save-bar';
import { SecretField } from '../common/secret-field';
import styles from './controls.module.css';
import { ListInput } from './list-input';
import { type FormOf, useSettings } from './section';

/** What every setting has. */
interface Common<S, Place extends string> {
  /** The card it stands in, in the order of the table. */
  card: Place;
  label: string;
  hint?: string | ((values: FormOf<S>, saved: FormOf<S>) => string | undefined);
  /** Whether it is shown; absent: always. */
  when?: (values: FormOf<S>) => boolean;
  /** What follows it in the card. */
  below?: ComponentType;
}

type SelectKind = { kind: 'select'; options: Readonly<Record<string, string>> };
type SecretKind = { kind: 'secret'; noun?: string };
type NumberKind = { kind: 'number'; unit: string };
type TextKind =
  | { kind: 'text'; type?: 'url' | 'email' }
  | { kind: 'area' }
  | { kind: 'list'; listLabel: string; empty: string; placeholder: string; single?: boolean }
  | { kind: 'own'; control: ComponentType<OwnProps> };

/** The control of a setting that looks like no other. */
export interface OwnProps {
  label: string;
  hint: string | undefined;
  error: string | undefined;
  value: string;
  onChange: (value: string) => void;
}

/** The kinds that fit a value. */
type KindFor<T> = [T] extends [boolean]
  ? { kind: 'switch' }
  : [T] extends [number]
    ? NumberKind
    : null extends T
      ? SecretKind
      : string extends T
        ? TextKind
        : { kind: 'select'; options: Readonly<Record<T & string, string>> };

/** A control for every setting of a section, but for those that only tell whether a secret is stored. */
export type Controls<S, Place extends string> = {
  readonly [K in Exclude<keyof S, `${string}Set`>]-?: Common<S, Place> & KindFor<S[K]>;
};

type AnyControl = Common<never, string> &
  ({ kind: 'switch' } | SelectKind | SecretKind | NumberKind | TextKind);

interface SettingProps {
  name: string;
  control: Common<never, string>;
}

/** One setting: label, hint, control, and what the server found wrong. */
export function Setting({ name, control }: SettingProps) {
  const { values } = useSettings();
  const { when, below: Below } = control;
  return !when || when(values as never) ? (
    <>
      {/* Marks where a setting stands, so that a warning can lead to it. */}
      <div data-setting={name}>
        <Control name={name} control={control as AnyControl} />
      </div>
      {Below ? <Below /> : null}
    </>
  ) : null;
}

/** Puts the focus on a setting. */
export function goToSetting(name: string): void {
  document.querySelector<HTMLElement>(`[data-setting="${name}"] input`)?.focus();
}

function Control({ name, control }: { name: string; control: AnyControl }) {
  const { form, values, saved, setPending } = useSettings();
  const { field, fieldState } = useController({ control: form.control, name: name as never });
  const { label, hint: told, kind } = control;
  const [value, onChange] = [field.value as unknown, field.onChange as (value: unknown) => void];
  const shown = {
    label,
    hint: typeof told === 'function' ? told(values as never, saved as never) : told,
    error: fieldState.error?.message,
  };
  const typed = {
    form: SAVE_FORM,
    autoComplete: 'off',
    value: String(value),
    onChange: (event: { target: { value: string } }) => onChange(event.target.value),
  };
  switch (kind) {
    case 'switch':
      return <Switch {...shown} form={SAVE_FORM} checked={value === true} onChange={onChange} />;
    case 'number':
      return <NumberInput {...shown} unit={control.unit} typed={typed} />;
    case 'text':
      return (
        <Field {...shown}>{(of) => <TextInput {...of} {...typed} type={control.type ?? 'text'} />}</Field>
      );
    case 'area':
      return (
        <Field {...shown}>
          {(of) => <TextArea {...of} rows={5} value={typed.value} onChange={typed.onChange} />}
        </Field>
      );
    case 'select': {
      const options = Object.entries(control.options).map(([one, text]) => ({ value: one, label: text }));
      return (
        <SelectField {...shown} form={SAVE_FORM} value={typed.value} options={options} onValue={onChange} />
      );
    }
    case 'secret': {
      const stored = (values as Record<string, unknown>)[`${name}Set`] === true;
      return (
        <SecretField
          {...shown}
          {...(control.noun ? { noun: control.noun } : {})}
          form={SAVE_FORM}
          stored={stored}
          value={value as string | null}
          onChange={onChange}
        />
      );
    }
    case 'list': {
      const { listLabel, empty, placeholder, single = false } = control;
      const list = { listLabel, empty, placeholder, single, value: typed.value, onChange };
      return <ListInput {...shown} {...list} onPending={(pending) => setPending(name, pending)} />;
    }
    case 'own':
      return <control.control {...shown} value={typed.value} onChange={onChange} />;
  }
}

interface NumberProps {
  label: string;
  hint: ReactNode;
  error: string | undefined;
  unit: string;
  typed: object;
}

/** A whole number. What is typed goes to the server as it is, which says what is wrong with it. */
function NumberInput({ unit, typed, ...shown }: NumberProps) {
  const id = useId();
  return (
    <Field {...shown}>
      {({ 'aria-describedby': described, ...of }) => (
        <div className={styles.number}>
          <TextInput
            {...of}
            {...typed}
            aria-describedby={[id, described].filter(Boolean).join(' ')}
            inputMode="numeric"
          />
          <span id={id}>{unit}</span>
        </div>
      )}
    </Field>
  );
}

interface RowsProps<Place extends string> {
  of: Readonly<Record<string, Common<never, Place>>>;
  card: NoInfer<Place>;
}

/** The settings of one card, in the order of the table. */
export function Rows<Place extends string>({ of, card }: RowsProps<Place>) {
  return Object.entries(of)
    .filter(([, control]) => control.card === card)
    .map(([name, control]) => <Setting key={name} name={name} control={control} />);
}

/** A card of settings: what else it holds comes before or after them. */
export function SettingsCard<Place extends string>({
  title,
  before,
  children,
  ...rows
}: RowsProps<Place> & { title: string; before?: ReactNode; children?: ReactNode }) {
  return (
    <Card title={title}>
      <Stack gap={6}>
        {before}
        <Rows {...rows} />
        {children}
      </Stack>
    </Card>
  );
}
