import { useQueryClient } from '@tanstack/react-query';
import { FileQuestion, Printer } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { Link, useLocation, useParams } from 'react-router-dom';
import { call } from '../../shared/api/client';
import { NetworkError } from '../../shared/api/errors';
import type { ReportDetail } from '../../shared/api/schema';
import { messages } from '../../shared/messages';
import { announce } from '../../shared/ui/announcer';
import { Button, buttonClass } from '../../shared/ui/button';
import { Card } from '../../shared/ui/card';
import { EmptyState } from '../../shared/ui/empty-state';
import { Stack } from '../../shared/ui/layout';
import { Skeleton } from '../../shared/ui/skeleton';
import { Spinner } from '../../shared/ui/spinner';
import { ActionNews, useAction } from '../common/action';
import { useBranding } from '../common/branding';
import { saveFile } from '../common/downloads';
import { isProblem } from '../common/errors';
import { useLeaveGuard } from '../common/leave-guard';
import { Loaded } from '../common/loaded';
import { Page } from '../common/page';
import { paths, readTrail } from '../common/paths';
import { AttachmentsCard } from './attachments-card';
import {
  DeliveriesCard,
  DepartmentCard,
  ExpiryNotice,
  HistoryCard,
  InfoCard,
  PersonCard,
  TextCard,
} from './cards';
import { ErasureCard } from './erasure-dialog';
import { MessagesCard } from './messages-card';
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

  const erased = isProblem(report.error, 'cancellata');
  if (erased || isProblem(report.error, 'non-trovato')) {
    return <NotFound listAddress={listAddress} erased={erased} />;
  }
  return (
    <Page
      title={`Segnalazione #${id}`}
      heading={
        <>
          Segnalazione <span className={styles.id}>#{id}</span>
        </>
      }
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
            {record.busy ? 'Preparazione…' : 'Stampa PDF'}
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

interface NotFoundProps {
  listAddress: string;
  /** It was there, and was erased, perhaps while somebody had it open. */
  erased: boolean;
}

function NotFound({ listAddress, erased }: NotFoundProps) {
  useEffect(() => {
    if (erased) {
      announce('La segnalazione è stata cancellata.');
    }
  }, [erased]);
  return (
    <Page title={erased ? 'Segnalazione cancellata' : 'Segnalazione non trovata'}>
      <Card>
        <EmptyState
          icon={<FileQuestion aria-hidden="true" />}
          title={
            erased
              ? 'La segnalazione è stata cancellata'
              : 'Questo indirizzo non porta a nessuna segnalazione'
          }
          action={
            <Link className={buttonClass} data-variant="primary" to={listAddress}>
              {messages.reports.backToList}
            </Link>
          }
        >
          <p>
            {erased
              ? 'Il suo contenuto, le note e la cronologia non ci sono più, e non si possono recuperare. Chi l’ha cancellata è nel registro degli accessi; se nessuno, è scaduta la durata di conservazione.'
              : 'Forse è stata cancellata, o il collegamento è incompleto.'}
          </p>
        </EmptyState>
      </Card>
    </Page>
  );
}

interface DetailProps {
  report: ReportDetail;
  list: string;
  onPrint: () => void;
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
      <Stack gap={6} className={styles.text}>
        <TextCard text={report.segnalazione} />
        <AttachmentsCard report={report.id} files={report.attachments} />
        <MessagesCard id={report.id} />
      </Stack>
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
      {(
        [
          ['person', 4],
          ['text', 9],
          ['aside', 6],
        ] as const
      ).map(([place, lines]) => (
        <div key={place} className={styles[place]}>
          <Card>
            <Skeleton lines={lines} tall={place === 'aside'} />
          </Card>
        </div>
      ))}
    </div>
  );
}

/** Makes the PDF record. Nothing leaves the panel before the server has noted that it does (PRODUCT.md §6). */
function useRecord() {
  const client = useQueryClient();
  const { productName } = useBranding();
  const action = useAction();
  /** `unsaved`: the form holds changes which are not in it. */
  const print = (report: ReportDetail, unsaved: boolean) =>
    void action.run(async () => {
      // The part that draws is large, and most visits never need it.
      const { makeRecord } = await import('../pdf/make-record').catch((error: unknown) => {
        throw new NetworkError(false, error);
      });
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
