import type { KeyboardEvent, ReactNode } from 'react';
import { type Option, Select } from '../../shared/ui/select';
import styles from './chooser.module.css';

/** A closed select would take each option that an arrow passes: it is opened instead, and takes the one that is chosen. */
function openInstead(event: KeyboardEvent<HTMLSelectElement>): void {
  const passes = /^(Arrow|Home|End|Page)/.test(event.key) || (event.key.length === 1 && event.key !== ' ');
  if (passes && !event.ctrlKey && !event.metaKey && 'showPicker' in event.currentTarget) {
    event.preventDefault();
    event.currentTarget.showPicker();
  }
}

interface ChooserProps<Value extends string> {
  label: string;
  title: string;
  keys?: string;
  value: Value;
  options: readonly Option<Value>[];
  icon?: ReactNode;
  /** The visible text; the option itself if absent. */
  shown?: string;
  /** Stands behind 'Altro' on a phone. */
  second?: boolean;
  onValue: (value: Value) => void;
}

/** A choice that looks like a button; the list is the browser's own, over it. */
export function Chooser<Value extends string>(props: ChooserProps<Value>) {
  const { label, title, keys, icon, shown, second, ...select } = props;
  const { value, options } = select;
  return (
    <div className={styles.chooser} title={title} data-second={second ? '' : undefined}>
      {icon}
      <span aria-hidden="true">{shown ?? options.find((option) => option.value === value)?.label}</span>
      <Select {...select} aria-label={label} aria-keyshortcuts={keys} onKeyDown={openInstead} />
    </div>
  );
}
