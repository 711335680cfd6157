import { Link } from 'react-router-dom';
import { Card } from '../../shared/ui/card';
import { paths } from '../common/paths';
import styles from './placeholder-card.module.css';
import { PLACEHOLDER_MEANINGS, PLACEHOLDERS, type PlaceholderValues } from './placeholders';

/** What each placeholder stands for, and what it says at present. */
export function PlaceholderCard({ values }: { values: PlaceholderValues }) {
  return (
    <Card title="Segnaposto">
      <p className={styles.about}>
        Nella chat vengono sostituiti dal valore attuale. Si inseriscono con i pulsanti sotto ogni testo.
      </p>
      <dl className={styles.list}>
        {PLACEHOLDERS.map((name) => (
          <div key={name} className={styles.entry}>
            <dt>
              <code>{`{${name}}`}</code> {PLACEHOLDER_MEANINGS[name]}
            </dt>
            <dd>{values[name]}</dd>
          </div>
        ))}
      </dl>
      <p className={styles.about}>
        I nomi si cambiano in <Link to={paths.system}>Sistema</Link>, i minimi in{' '}
        <Link to={paths.security}>Sicurezza</Link>.
      </p>
    </Card>
  );
}
