import { ArrowLeft, Printer } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { Link, useLocation, useParams } from 'react-router-dom';
import type { ReportDetail } from '../../shared/api/schema';
import { messages } from '../../shared/messages';
import { Button } from '../../shared/ui/button';
import { Message } from '../../shared/ui/message';
import { Skeleton } from '../../shared/ui/skeleton';
import { Spinner } from '../../shared/ui/spinner';
import { StatusMessage } from '../../shared/ui/status-message';
import { ErrorCard, FaultText } from '../common/error-card';
import { isProblem } from '../common/errors';
import { useLeaveGuard } from '../common/leave-guard';
import { Loading } from '../common/loading';
import { isLocalId } from '../common/local-reports';
import { Page } from '../common/page';
import { paths, readTrail } from '../common/paths';
import { StaleNotice } from '../common/stale-notice';
import { DeliveriesCard } from './deliveries-card';
import { DepartmentCard } from './department-card';
import { ErasedReport } from './erased-report';
import { ErasureCard } from './erasure-card';
import { ExpiryNotice } from './expiry-notice';
import { HistoryCard } from './history-card';
import { InfoCard } from './info-card';
import { LocalReportPage } from './local-report-page';
import { NotFound } from './not-found';
import { PersonCard } from './person-card';
import { useReport } from './queries';
import styles from './report-page.module.css';
import { StatusCard } from './status-card';
import { TextCard } from './text-card';
import { speaksOfUrgency, UrgencyButton, UrgencyNotice } from './urgency-notice';
import { type RecordPrinter, useRecord } from './use-record';
import { useReportForm } from './use-report-form';
import { useReportKeys } from './use-report-keys';
import { useUrgency } from './use-urgency';

export function ReportPage() {
  const { id = '' } = useParams();
  const { list = '' } = readTrail(useLocation().state);
  // Another report is another page: nothing typed for one may show up on the other.
  return isLocalId(id) ? (
    <LocalReportPage key={id} id={id} list={list} />
  ) : (
    <OneReport key={id} id={id} list={list} />
  );
}

interface OneReportProps {
  id: string;
  /** Query of the list it was opened from. */
  list: string;
}

function OneReport({ id, list }: OneReportProps) {
  const report = useReport(id);
  const record = useRecord();
  const urgency = useUrgency(report.data?.urgenteOra);
  const [unsaved, setUnsaved] = useState(false);
  const listAddress = paths.reports + list;
  const print = () => {
    if (report.data) {
      record.print(report.data, unsaved);
    }
  };

  if (isProblem(report.error, 'non-trovato')) {
    return (
      <NotFound listAddress={listAddress}>
        <p>Forse è stata cancellata, o il collegamento è incompleto.</p>
      </NotFound>
    );
  }
  if (isProblem(report.error, 'cancellata')) {
    return <ErasedReport listAddress={listAddress} />;
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
      actions={
        <>
          {report.data && !speaksOfUrgency(report.data) ? (
            <UrgencyButton report={report.data} urgency={urgency} />
          ) : null}
          <Button
            inactive={!report.data || record.busy}
            icon={record.busy ? <Spinner /> : <Printer aria-hidden="true" />}
            onClick={print}
          >
            {record.busy ? messages.reports.printing : messages.reports.printPdf}
          </Button>
        </>
      }
    >
      <RecordNews record={record} />
      {report.data ? (
        <>
          {report.isError ? <StaleNotice /> : null}
          <UrgencyNotice report={report.data} urgency={urgency} />
          <ExpiryNotice scadenza={report.data.scadenza} />
          <Detail report={report.data} list={list} onPrint={print} onUnsaved={setUnsaved} />
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

function RecordNews({ record }: { record: RecordPrinter }) {
  return (
    <div className={styles.news}>
      {record.failure ? (
        <Message kind="error" title="Scheda PDF non creata" onDismiss={record.dismissFailure}>
          <FaultText error={record.failure} />
        </Message>
      ) : null}
      <StatusMessage message={record.news} onDone={record.dismissNews} />
    </div>
  );
}

interface DetailProps {
  report: ReportDetail;
  list: string;
  onPrint: () => void;
  /** The form has begun or ceased to hold changes. */
  onUnsaved: (unsaved: boolean) => void;
}

function Detail({ report, list, onPrint, onUnsaved }: DetailProps) {
  const form = useReportForm(report);
  const noteBox = useRef<HTMLTextAreaElement>(null);
  useLeaveGuard(
    form.dirty,
    'Hai modificato stato, reparto o note di questa segnalazione. Se esci adesso, le modifiche vanno perse.',
  );
  useReportKeys({ report, form, list, noteBox, onPrint });
  useEffect(() => onUnsaved(form.dirty), [onUnsaved, form.dirty]);
  return (
    <div className={styles.columns}>
      <div className={styles.person}>
        <PersonCard report={report} />
      </div>
      <div className={styles.text}>
        <TextCard text={report.segnalazione} />
      </div>
      <div className={styles.aside}>
        <StatusCard form={form} noteBox={noteBox} />
        <InfoCard report={report} />
      </div>
      <div className={styles.history}>
        <DepartmentCard report={report} />
        <DeliveriesCard deliveries={report.consegne} />
        <HistoryCard entries={report.storia} />
        <ErasureCard report={report} list={list} />
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
