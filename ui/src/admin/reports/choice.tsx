import { type Option, Select } from '../../shared/ui/select';
import styles from '../common/list/list.module.css';

interface ChoiceProps<Value extends string> {
  label: string;
  all: string;
  options: readonly Option<Value>[];
  value: Value | undefined;
  onValue: (value: Value | '') => void;
}

export function Choice<Value extends string>({
  label,
  all,
  options,
  value = '' as Value,
  onValue,
}: ChoiceProps<Value>) {
  return (
    <div className={styles.choice} data-set={value !== '' || undefined}>
      <Select<Value | ''>
        aria-label={label}
        value={value}
        options={[{ value: '', label: all }, ...options]}
        onValue={onValue}
      />
    </div>
  );
}
