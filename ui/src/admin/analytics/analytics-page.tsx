import { Fragment, type ReactNode } from 'react';
import { Link } from 'react-router-dom';
import type { Analytics } from '../../shared/api/schema';
import { formatDateTime } from '../../shared/lib/dates';
import { formatNumber } from '../../shared/lib/text';
import { messages } from '../../shared/messages';
import { Badge, type BadgeTone } from '../../shared/ui/badge';
import { Card } from '../../shared/ui/card';
import { Skeleton } from '../../shared/ui/skeleton';
import { ErrorCard } from '../common/error-card';
import { Loading } from '../common/loading';
import { Page } from '../common/page';
import { paths } from '../common/paths';
import { StaleNotice } from '../common/stale-notice';
import { toneOf } from '../common/stato';
import styles from './analytics-page.module.css';
import { DailyChart } from './daily-chart';
import { duration, share, workingDays } from './figures';
import { queryOf, queryOfDesk } from './links';
import { Overview } from './overview';
import { useAnalytics } from './queries';
import { StopsCard } from './stops-card';

/** Every figure there is, computed by the server from the data of this moment. */
export function AnalyticsPage() {
  const analytics = useAnalytics();
  return (
    <Page title="Analytics" subtitle="Come vanno le segnalazioni, calcolato sui dati di questo momento">
      {analytics.data ? (
        <>
          {analytics.isError ? <StaleNotice /> : null}
          <Figures analytics={analytics.data} />
        </>
      ) : analytics.isError ? (
        <ErrorCard
          title="Non è stato possibile calcolare le statistiche"
          error={analytics.error}
          onRetry={() => void analytics.refetch()}
        />
      ) : (
        <Loading label="Calcolo delle statistiche…">
          <div className={styles.placeholder}>
            <Skeleton lines={8} tall />
          </div>
        </Loading>
      )}
    </Page>
  );
}

function Figures({ analytics }: { analytics: Analytics }) {
  return (
    <div className={styles.grid}>
      <div className={styles.whole}>
        <Overview analytics={analytics} />
      </div>
      <div className={styles.whole}>
        <Card title="Segnalazioni al giorno" aside={<span className={styles.aside}>ultimi 90 giorni</span>}>
          <DailyChart days={analytics.perDay} />
        </Card>
      </div>
      <Card title="Distribuzione per stato">
        <Distribution analytics={analytics} />
      </Card>
      <Card title="Segnalazioni per reparto">
        <Departments analytics={analytics} />
      </Card>
      <Card title="Tempi e risultati">
        <Times analytics={analytics} />
      </Card>
      <Card title="Dove si fermano le conversazioni">
        <StopsCard stops={analytics.chatStops} />
      </Card>
      <Card title="Attività Recente">
        <Recent reports={analytics.recent} />
      </Card>
    </div>
  );
}

function Distribution({ analytics: { byStatus } }: { analytics: Analytics }) {
  return (
    <ul className={styles.bars}>
      {byStatus.map(({ stato, ...share }) => (
        <Bar key={stato} {...share} tone={toneOf(stato)}>
          <Link to={paths.reports + queryOf(stato)}>{stato}</Link>
        </Bar>
      ))}
    </ul>
  );
}

function Departments({ analytics: { byDepartment } }: { analytics: Analytics }) {
  return (
    <ul className={styles.bars}>
      {byDepartment.map(({ department, name, ...share }) => (
        <Bar key={department} {...share} tone="blue">
          <Link to={paths.reports + queryOfDesk(department)}>
            <DepartmentName name={name} />
          </Link>
        </Bar>
      ))}
    </ul>
  );
}

/** A name that may go on in another line after a slash: on a narrow screen `Sanità/Ospedali` is no single word. */
function DepartmentName({ name }: { name: string }) {
  const [first, ...others] = name.split('/');
  return (
    <>
      {first}
      {others.map((part) => (
        <Fragment key={part}>
          /<wbr />
          {part}
        </Fragment>
      ))}
    </>
  );
}

interface BarProps {
  count: number;
  percent: number | null;
  tone: BadgeTone;
  children: ReactNode;
}

/** A bar with its number and share; the words say all that the bar does. */
function Bar({ count, percent, tone, children }: BarProps) {
  return (
    <li className={styles.bar} data-tone={tone}>
      <span className={styles.barName}>{children}</span>
      <span className={styles.barFigure}>
        {formatNumber(count)} <span className={styles.muted}>({share(percent)})</span>
      </span>
      <span className={styles.track}>
        <span className={styles.fill} style={{ inlineSize: `${percent ?? 0}%` }} />
      </span>
    </li>
  );
}

function Times({
  analytics: { resolutionTime, resolutionRate, openingTime, total },
}: {
  analytics: Analytics;
}) {
  return (
    <dl className={styles.facts}>
      <Fact
        name="Tempo Medio di Risoluzione"
        value={workingDays(resolutionTime.workingDays)}
        basis={basis(resolutionTime.reports, 'risolta', 'risolte')}
      />
      <Fact
        name="Tasso di Risoluzione"
        value={share(resolutionRate.percent)}
        basis={
          total === 0
            ? 'Nessuna segnalazione finora'
            : `${formatNumber(resolutionRate.resolved)} su ${formatNumber(total)}, comprese quelle poi archiviate`
        }
      />
      <Fact
        name="Tempo alla prima apertura"
        value={duration(openingTime.minutes)}
        basis={basis(openingTime.reports, 'aperta', 'aperte')}
      />
    </dl>
  );
}

function basis(reports: number, one: string, many: string): string {
  if (reports === 0) {
    return `Nessuna segnalazione ${one} finora`;
  }
  return reports === 1 ? `Basato sull’unica ${one}` : `Basato sulle ultime ${reports} segnalazioni ${many}`;
}

function Fact({ name, value, basis: text }: { name: string; value: string; basis: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd className={styles.value}>{value}</dd>
      <dd className={styles.muted}>{text}</dd>
    </div>
  );
}

function Recent({ reports }: { reports: Analytics['recent'] }) {
  if (reports.length === 0) {
    return (
      <p className={styles.muted}>
        {messages.reports.none}. Quando qualcuno conclude la chat, la segnalazione compare qui.
      </p>
    );
  }
  return (
    <ul className={styles.recent}>
      {reports.map(({ id, nome, cognome, data_creazione, stato }) => (
        <li key={id}>
          <Link to={paths.report(id)}>
            {nome} {cognome}
          </Link>
          <Badge tone={toneOf(stato)}>{stato}</Badge>
          <span className={styles.when}>
            <span title={id}>#{id.slice(0, 8)}</span> ·{' '}
            <time dateTime={data_creazione}>{formatDateTime(data_creazione)}</time>
          </span>
        </li>
      ))}
    </ul>
  );
}
