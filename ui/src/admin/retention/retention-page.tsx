import { ArrowLeft, CalendarCheck } from 'lucide-react';
import { Link } from 'react-router-dom';
import type { ExpiringRow } from '../../shared/api/schema';
import { formatDate } from '../../shared/lib/dates';
import { messages } from '../../shared/messages';
import { Badge } from '../../shared/ui/badge';
import { EmptyState } from '../../shared/ui/empty-state';
import { Skeleton } from '../../shared/ui/skeleton';
import { ErrorCard } from '../common/error-card';
import { Loading } from '../common/loading';
import { Page } from '../common/page';
import { paths } from '../common/paths';
import { useExpiring } from '../common/retention';
import { StaleNotice } from '../common/stale-notice';
import { toneOf } from '../common/stato';
import styles from './retention-page.module.css';

/** The reports that their age erases soon, so that somebody can still keep one. */
export function RetentionPage() {
  const expiring = useExpiring();
  return (
    <Page
      title="Segnalazioni in scadenza"
      subtitle="Verranno cancellate da sole, per la durata di conservazione scelta in Sicurezza"
      back={
        <Link className={styles.link ?? ''} to={paths.reports}>
          <ArrowLeft aria-hidden="true" size={18} />
          {messages.reports.backToList}
        </Link>
      }
    >
      {expiring.isError && expiring.data ? <StaleNotice /> : null}
      {expiring.data ? (
        <List rows={expiring.data.data} />
      ) : expiring.isError ? (
        <ErrorCard
          title="Non è stato possibile caricare le segnalazioni in scadenza"
          error={expiring.error}
          onRetry={() => void expiring.refetch()}
        />
      ) : (
        <Loading label="Caricamento delle segnalazioni in scadenza…">
          <div className={styles.card}>
            <Skeleton lines={4} tall />
          </div>
        </Loading>
      )}
    </Page>
  );
}

function List({ rows }: { rows: readonly ExpiringRow[] }) {
  if (rows.length === 0) {
    return (
      <div className={styles.card}>
        <EmptyState icon={<CalendarCheck aria-hidden="true" />} title="Nessuna segnalazione in scadenza">
          <p>Nei prossimi 14 giorni non verrà cancellata nessuna segnalazione.</p>
        </EmptyState>
      </div>
    );
  }
  return (
    <>
      <p className={styles.intro}>
        Per conservarne una, aprila e riportala In lavorazione. Le segnalazioni nuove, in lavorazione o mai
        aperte non vengono mai cancellate da sole.
      </p>
      <div className={styles.card}>
        <ul className={styles.list} aria-label="Segnalazioni in scadenza">
          {rows.map((row) => (
            <li key={row.id} className={styles.row}>
              <div>
                <Link className={styles.link ?? ''} to={paths.report(row.id)}>
                  {`${row.nome} ${row.cognome}`.trim()}
                </Link>
                <p className={styles.facts}>Ricevuta il {formatDate(row.data_creazione)}</p>
              </div>
              <p className={styles.when}>
                <Badge tone={toneOf(row.stato)}>{row.stato}</Badge>
                <strong>
                  Verrà cancellata il <time dateTime={row.scadenza}>{formatDate(row.scadenza)}</time>
                </strong>
              </p>
            </li>
          ))}
        </ul>
      </div>
    </>
  );
}
