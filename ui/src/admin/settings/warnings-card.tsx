import { ShieldCheck, TriangleAlert } from 'lucide-react';
import type { Security } from '../../shared/api/schema';
import { Button } from '../../shared/ui/button';
import { Card } from '../../shared/ui/card';
import { goToSetting } from './controls';
import { warningsOf } from './warnings';
import styles from './warnings-card.module.css';

/** What the settings in force leave open, each with the way to where it is set. */
export function WarningsCard({ security }: { security: Security }) {
  const warnings = warningsOf(security, window.isSecureContext);
  return (
    <Card title="Avvisi di sicurezza">
      {warnings.length === 0 ? (
        <p className={styles.fine}>
          <ShieldCheck aria-hidden="true" />
          Nessun avviso: le impostazioni salvate non lasciano nulla di aperto.
        </p>
      ) : (
        <ul className={styles.list}>
          {warnings.map(({ setting, title, text }) => (
            <li key={title} className={styles.warning}>
              <TriangleAlert aria-hidden="true" />
              <div>
                <p className={styles.title}>{title}</p>
                <p>{text}</p>
              </div>
              {setting ? (
                <Button
                  variant="quiet"
                  aria-label={`Vai all’impostazione: ${title}`}
                  onClick={() => goToSetting(setting)}
                >
                  Vai
                </Button>
              ) : null}
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
