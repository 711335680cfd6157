import type { ReactNode } from 'react';
import { Link } from 'react-router-dom';
import type { Analytics } from '../../shared/api/schema';
import { formatNumber } from '../../shared/lib/text';
import { paths } from '../common/paths';
import type { Stato } from '../common/stato';
import { change } from './figures';
import { queryOf } from './links';
import styles from './overview.module.css';

/** The four cards of the archive and the three counters of what has come in lately. */
export function Overview({
  analytics: { total, byStatus, monthChange, received },
}: {
  analytics: Analytics;
}) {
  const count = (wanted: Stato) => byStatus.find(({ stato }) => stato === wanted)?.count ?? 0;
  return (
    <div className={styles.overview}>
      <ul className={styles.cards} aria-label="Riepilogo">
        <CardLink name="Totale Segnalazioni" figure={total} stato={null}>
          <strong>{change(monthChange.percent)}</strong> vs mese scorso
          <span className={styles.detail}>
            {formatNumber(monthChange.current)} questo mese, {formatNumber(monthChange.previous)} nello stesso
            periodo del mese scorso
          </span>
        </CardLink>
        <CardLink name="Nuove" figure={count('Nuova')} stato="Nuova">
          Richiedono attenzione
        </CardLink>
        <CardLink name="In Lavorazione" figure={count('In lavorazione')} stato="In lavorazione">
          In corso di gestione
        </CardLink>
        <CardLink name="Risolte" figure={count('Risolta')} stato="Risolta">
          Completate con successo
        </CardLink>
      </ul>
      <dl className={styles.received} aria-label="Segnalazioni ricevute">
        <Counter name="Oggi" note="da mezzanotte" figure={received.today} />
        <Counter name="Questa settimana" note="ultimi 7 giorni" figure={received.week} />
        <Counter name="Questo mese" note="ultimi 30 giorni" figure={received.month} />
      </dl>
    </div>
  );
}

interface CardLinkProps {
  name: string;
  figure: number;
  stato: Stato | null;
  children: ReactNode;
}

function CardLink({ name, figure, stato, children }: CardLinkProps) {
  return (
    <li>
      <Link className={styles.card ?? ''} data-stato={stato} to={paths.reports + queryOf(stato)}>
        <span className={styles.name}>{name}</span>
        <span className={styles.figure}>{formatNumber(figure)}</span>
        <span className={styles.note}>{children}</span>
      </Link>
    </li>
  );
}

function Counter({ name, note, figure }: { name: string; note: string; figure: number }) {
  return (
    <div>
      <dt>
        {name} <span className={styles.note}>({note})</span>
      </dt>
      <dd>{formatNumber(figure)}</dd>
    </div>
  );
}
