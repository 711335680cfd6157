import { useState } from 'react';
import { Stack, Text } from '../../shared/ui/layout';
import { DEPARTMENTS, type DepartmentKey } from '../common/departments';
import { Setting } from './controls';
import { EMAIL_CONTROLS } from './email-controls';
import styles from './email-departments.module.css';
import { entriesOf } from './list-input';
import { useSettings } from './section';

/** Address and keywords of each department. */
export function Departments() {
  return (
    <Stack as="ul" gap={2} aria-label="Reparti">
      {DEPARTMENTS.map(({ key, name }) => (
        <li key={key}>
          <Department department={key} name={name} />
        </li>
      ))}
    </Stack>
  );
}

function Department({ department, name }: { department: DepartmentKey; name: string }) {
  const email = `dept_${department}_email` as const;
  const keywords = `dept_${department}_keywords` as const;
  const { form, values } = useSettings<'email'>();
  const { errors } = form.formState;
  const [opened, setOpened] = useState(false);
  const count = entriesOf(values[keywords]).length;
  return (
    <details
      className={styles.department}
      // What is wrong inside must be seen, and be able to take the focus.
      open={opened || errors[email] !== undefined || errors[keywords] !== undefined}
      onToggle={(event) => setOpened(event.currentTarget.open)}
    >
      <summary className={styles.summary}>
        <strong>{name}</strong>
        <Text as="span" tone="muted" small>
          {values[email] || 'nessuna email'} · {count === 1 ? '1 parola' : `${count} parole`}
        </Text>
      </summary>
      <Stack gap={6} className={styles.fields}>
        <Setting name={email} control={EMAIL_CONTROLS[email]} />
        <Setting name={keywords} control={EMAIL_CONTROLS[keywords]} />
      </Stack>
    </details>
  );
}
