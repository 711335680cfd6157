import { Check, Circle } from 'lucide-react';
import type { PasswordRule } from './password-rules';
import styles from './rule-list.module.css';

/** The rules of a new password, ticked off while it is typed. */
export function RuleList({ rules }: { rules: readonly PasswordRule[] }) {
  return (
    <ul className={styles.list} aria-label="Requisiti della password">
      {rules.map((rule) => (
        <li key={rule.text} className={styles.rule} data-met={rule.met || undefined}>
          {rule.met ? <Check aria-hidden="true" /> : <Circle aria-hidden="true" />}
          {rule.text}
          <span className="visually-hidden">{rule.met ? ': soddisfatto' : ': da soddisfare'}</span>
        </li>
      ))}
    </ul>
  );
}
