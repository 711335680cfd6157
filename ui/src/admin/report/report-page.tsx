import { useQueryClient } from '@tanstack/react-query';
import { Printer } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useLocation, useParams } from 'react-router-dom';
import { call } from '../../shared/api/client';
import { NetworkError } from '../../shared/api/errors';
import type { ReportDetail } from '../../shared/api/schema';
import { messages } from '../../shared/messages';
import { Button } from '../../shared/ui/button';
import { Card } from '../../shared/ui/card';
import { Stack } from '../../shared/ui/layout';
import { Skeleton } from '../../shared/ui/skeleton';
import { Spinner } from '../../shared/ui/spinner';
import { type Action, ActionNews, useAction } from '../common/action';
import { useBranding } from '../common/branding';
import { saveFile } from '../common/downloads';
import { isProblem } from '../common/errors';
import { useLeaveGuard } from '../common/leave-guard';
import { Loaded } from '../common/loaded';
import { Page } from '../common/page';
import { paths, readTrail } from '../common/paths';
import {
  DeliveriesCard,
  DepartmentCard,
  ExpiryNotice,
  HistoryCard,
  InfoCard,
  PersonCard,
  ReportHeading,
  TextCard,
} from './cards';
import { ErasureCard } from './erasure-dialog';
import { ErasedReport, NotFound } from './not-found';
import { reportKey, useReport } from './queries';
import styles from './report.module.css';
import { StatusCard } from './status-card';
import { speaksOfUrgency, UrgencyButton, UrgencyNotice, useUrgency } from './urgency';
import { useReportForm } from './use-report-form';
import { useReportKeys } from './use-report-keys';

export function ReportPage() {
  const { id = '' } = useParams();
  const { list = '' } = readTrail(useLocation().state);
  // Another report is another page: nothing typed for one may show up on the other.
  return <OneReport key={id} id={id} list={list} />;
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
      heading={<ReportHeading id={id} />}
      back={listAddress}
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
      <ActionNews action={record} failed="Scheda PDF non creata" />
      <Loaded
        query={report}
        loading="Caricamento della segnalazione…"
        failed="Non è stato possibile aprire la segnalazione"
        placeholder={<DetailSkeleton />}
      >
        {(found) => (
          <>
            <UrgencyNotice report={found} urgency={urgency} />
            <ExpiryNotice scadenza={found.scadenza} />
            <Detail report={found} list={list} onPrint={print} onUnsaved={setUnsaved} />
          </>
        )}
      </Loaded>
    </Page>
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
      <Stack gap={6} className={styles.aside}>
        <StatusCard form={form} noteBox={noteBox} />
        <InfoCard report={report} />
      </Stack>
      <Stack gap={6} className={styles.history}>
        <DepartmentCard report={report} />
        <DeliveriesCard deliveries={report.consegne} />
        <HistoryCard entries={report.storia} />
        <ErasureCard report={report} list={list} />
      </Stack>
    </div>
  );
}

function DetailSkeleton() {
  return (
    <div className={styles.columns}>
      <div className={styles.person}>
        <Card>
          <Skeleton lines={4} />
        </Card>
      </div>
      <div className={styles.text}>
        <Card>
          <Skeleton lines={9} />
        </Card>
      </div>
      <div className={styles.aside}>
        <Card>
          <Skeleton lines={6} tall />
        </Card>
      </div>
    </div>
  );
}

interface RecordPrinter extends Action {
  /** Makes and saves the PDF; `unsaved` tells that the form holds changes which are not in it. */
  print: (report: ReportDetail, unsaved: boolean) => void;
}

/** The part that draws is large, and most visits never need it. */
async function loadMaker() {
  try {
    return await import('../pdf/make-record');
  } catch (error) {
    throw new NetworkError(false, error);
  }
}

/** Makes the PDF record. Nothing leaves the panel before the server has noted that it does (PRODUCT.md §6). */
export function useRecord(): RecordPrinter {
  const client = useQueryClient();
  const { productName } = useBranding();
  const action = useAction();
  const print = (report: ReportDetail, unsaved: boolean) =>
    void action.run(async () => {
      const { makeRecord } = await loadMaker();
      const { file, name } = await makeRecord(report, productName);
      await call('post', '/reports/{id}/exports', { path: { id: report.id }, body: { kind: 'pdf' } });
      saveFile(file, name);
      void client.invalidateQueries({ queryKey: reportKey(report.id) });
      return unsaved
        ? 'Scheda PDF scaricata, senza le modifiche non ancora salvate.'
        : 'Scheda PDF scaricata.';
    });
  return { ...action, print };
}
