import { type ReactNode, useId } from 'react';
import { Field } from '../../shared/ui/field';
import { type Option, Select } from '../../shared/ui/select';
import { Switch } from '../../shared/ui/switch';
import { TextInput } from '../../shared/ui/text-input';
import type { Fields } from '../common/edits/edits';
import { SAVE_FORM } from '../common/edits/save-bar';
import type { EditsForm } from '../common/edits/use-edits';
import { SecretField } from '../common/secret-field';
import styles from './fields.module.css';

/** Keys of a section whose values are of one kind. */
export type KeysOf<V extends Fields, Kind> = {
  [K in keyof V & string]: V[K] extends Kind ? (Kind extends V[K] ? K : never) : never;
}[keyof V & string];

interface SettingProps<V extends Fields, Kind> {
  form: EditsForm<V>;
  name: KeysOf<V, Kind>;
  label: string;
  hint?: ReactNode;
}

/** Marks where a setting stands, so that a warning can lead to it. */
export function Setting({ name, children }: { name: string; children: ReactNode }) {
  return <div data-setting={name}>{children}</div>;
}

/** Puts the focus on a setting. */
export function goToSetting(name: string): void {
  document.querySelector<HTMLElement>(`[data-setting="${name}"] input`)?.focus();
}

/** A line of text; `type` picks the keyboard of a phone. */
export function TextSetting<V extends Fields>({
  form,
  name,
  label,
  hint,
  type = 'text',
}: SettingProps<V, string> & { type?: 'text' | 'url' | 'email' }) {
  return (
    <Setting name={name}>
      <Field label={label} hint={hint} error={form.errors[name]}>
        {(control) => (
          <TextInput
            {...control}
            form={SAVE_FORM}
            type={type}
            autoComplete="off"
            value={String(form.values[name])}
            onChange={(event) => form.set(name, event.target.value as V[typeof name])}
          />
        )}
      </Field>
    </Setting>
  );
}

/** A whole number. What is typed goes to the server as it is, which says what is wrong with it. */
export function NumberSetting<V extends Fields>({
  form,
  name,
  label,
  unit,
  hint,
}: SettingProps<V, string> & { unit: string }) {
  const unitId = useId();
  return (
    <Setting name={name}>
      <Field label={label} hint={hint} error={form.errors[name]}>
        {({ 'aria-describedby': described, ...control }) => (
          <div className={styles.number}>
            <TextInput
              {...control}
              aria-describedby={[unitId, described].filter(Boolean).join(' ')}
              form={SAVE_FORM}
              inputMode="numeric"
              autoComplete="off"
              value={String(form.values[name])}
              onChange={(event) => form.set(name, event.target.value as V[typeof name])}
            />
            <span id={unitId}>{unit}</span>
          </div>
        )}
      </Field>
    </Setting>
  );
}

/** One of a few values. */
export function SelectSetting<V extends Fields, Value extends string>({
  form,
  name,
  label,
  hint,
  options,
}: SettingProps<V, Value> & { options: readonly Option<Value>[] }) {
  return (
    <Setting name={name}>
      <Field label={label} hint={hint} error={form.errors[name]}>
        {(control) => (
          <Select
            {...control}
            form={SAVE_FORM}
            value={form.values[name] as unknown as Value}
            options={options}
            onValue={(value) => form.set(name, value as unknown as V[typeof name])}
          />
        )}
      </Field>
    </Setting>
  );
}

export function SwitchSetting<V extends Fields>({ form, name, label, hint }: SettingProps<V, boolean>) {
  return (
    <Setting name={name}>
      <Switch
        label={label}
        hint={hint}
        form={SAVE_FORM}
        checked={form.values[name] === true}
        onChange={(checked) => form.set(name, checked as V[typeof name])}
      />
    </Setting>
  );
}

/** A secret of the server's: written, never read. `stored`: the server holds one. */
export function SecretSetting<V extends Fields>({
  form,
  name,
  stored,
  ...field
}: SettingProps<V, string | null> & { stored: boolean; noun?: string }) {
  return (
    <Setting name={name}>
      <SecretField
        {...field}
        form={SAVE_FORM}
        stored={stored}
        error={form.errors[name]}
        value={form.values[name] as string | null}
        onChange={(value) => form.set(name, value as V[typeof name])}
      />
    </Setting>
  );
}
