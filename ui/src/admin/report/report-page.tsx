import { ArrowLeft, FileQuestion } from 'lucide-react';
import { Link, useLocation, useParams } from 'react-router-dom';
import type { ReportDetail } from '../../shared/api/schema';
import { messages } from '../../shared/messages';
import { buttonClass } from '../../shared/ui/button';
import { EmptyState } from '../../shared/ui/empty-state';
import { Skeleton } from '../../shared/ui/skeleton';
import { ErrorCard } from '../common/error-card';
import { isProblem } from '../common/errors';
import { useLeaveGuard } from '../common/leave-guard';
import { Loading } from '../common/loading';
import { Page } from '../common/page';
import { paths, readTrail } from '../common/paths';
import { StaleNotice } from '../common/stale-notice';
import { HistoryCard } from './history-card';
import { InfoCard } from './info-card';
import { PersonCard } from './person-card';
import { useReport } from './queries';
import styles from './report-page.module.css';
import { StatusCard } from './status-card';
import { TextCard } from './text-card';
import { useReportForm } from './use-report-form';

export function ReportPage() {
  const { id = '' } = useParams();
  // Another report is another page: nothing typed for one may show up on the other.
  return <OneReport key={id} id={id} />;
}

function OneReport({ id }: { id: string }) {
  const report = useReport(id);
  const { list = '' } = readTrail(useLocation().state);
  const listAddress = paths.reports + list;

  if (isProblem(report.error, 'non-trovato')) {
    return <NotFound listAddress={listAddress} />;
  }
  return (
    <Page
      title={`Segnalazione #${id}`}
      heading={
        <>
          Segnalazione <span className={styles.id}>#{id}</span>
        </>
      }
      back={
        <Link className={styles.back ?? ''} to={listAddress}>
          <ArrowLeft aria-hidden="true" />
          {messages.reports.backToList}
        </Link>
      }
    >
      {report.data ? (
        <>
          {report.isError ? <StaleNotice /> : null}
          <Detail report={report.data} />
        </>
      ) : report.isError ? (
        <ErrorCard
          title="Non è stato possibile aprire la segnalazione"
          error={report.error}
          onRetry={() => void report.refetch()}
        />
      ) : (
        <Loading label="Caricamento della segnalazione…">
          <DetailSkeleton />
        </Loading>
      )}
    </Page>
  );
}

function Detail({ report }: { report: ReportDetail }) {
  const form = useReportForm(report);
  useLeaveGuard(
    form.dirty,
    'Hai modificato lo stato o le note di questa segnalazione. Se esci adesso, le modifiche vanno perse.',
  );
  return (
    <div className={styles.columns}>
      <div className={styles.person}>
        <PersonCard report={report} />
      </div>
      <div className={styles.text}>
        <TextCard text={report.segnalazione} />
      </div>
      <div className={styles.aside}>
        <StatusCard form={form} />
        <InfoCard report={report} />
      </div>
      <div className={styles.history}>
        <HistoryCard entries={report.storia} />
      </div>
    </div>
  );
}

function DetailSkeleton() {
  return (
    <div className={styles.columns}>
      <div className={`${styles.person} ${styles.block}`}>
        <Skeleton lines={4} />
      </div>
      <div className={`${styles.text} ${styles.block}`}>
        <Skeleton lines={9} />
      </div>
      <div className={styles.aside}>
        <div className={styles.block}>
          <Skeleton lines={6} tall />
        </div>
      </div>
    </div>
  );
}

function NotFound({ listAddress }: { listAddress: string }) {
  return (
    <Page title={messages.reports.notFound}>
      <div className={styles.block}>
        <EmptyState
          icon={<FileQuestion aria-hidden="true" />}
          title="Questo indirizzo non porta a nessuna segnalazione"
          action={
            <Link className={buttonClass} data-variant="primary" to={listAddress}>
              {messages.reports.backToList}
            </Link>
          }
        >
          <p>Forse è stata cancellata, o il collegamento è incompleto.</p>
        </EmptyState>
      </div>
    </Page>
  );
}
