import { FileQuestion, Printer } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { Link, useLocation, useParams } from 'react-router-dom';
import { NetworkError } from '../../shared/api/errors';
import type { ReportDetail } from '../../shared/api/schema';
import { formatDateTime } from '../../shared/lib/dates';
import { saveFile } from '../../shared/lib/save-file';
import { messages } from '../../shared/messages';
import { announce } from '../../shared/ui/announcer';
import { Button, buttonClass } from '../../shared/ui/button';
import { Card } from '../../shared/ui/card';
import { EmptyState } from '../../shared/ui/empty-state';
import { Skeleton } from '../../shared/ui/skeleton';
import { Spinner } from '../../shared/ui/spinner';
import { ActionNews, useAction } from '../common/action';
import { useBranding } from '../common/branding';
import { isProblem } from '../common/errors';
import { useLeaveGuard } from '../common/leave-guard';
import { Loaded } from '../common/loaded';
import { Page } from '../common/page';
import { paths, readTrail } from '../common/paths';
import { useRights } from '../session/session-context';
import { useNoteExport, useReport } from './api';
import { AttachmentsCard } from './attachments-card';
import {
  DeliveriesFold,
  ErasureFold,
  ExpiryNotice,
  HistoryFold,
  PersonCard,
  ReasonFold,
  TextCard,
} from './cards';
import { CommentsCard } from './comments-card';
import { MessagesCard } from './messages-card';
import { type Go, Neighbours, useGo } from './neighbours';
import { NoteCard, NoteShown } from './note-card';
import { RelatedFold } from './related-card';
import styles from './report.module.css';
import { StatusBar } from './status-bar';
import { UrgencyNotice } from './urgency';
import { useNoteForm } from './use-note-form';
import { useReportKeys } from './use-report-keys';
import { WithdrawalNotice } from './withdrawal';

export function ReportPage() {
  const { id = '' } = useParams();
  const { list = '' } = readTrail(useLocation().state);
  // Another report is another page: nothing typed for one may show up on the other.
  return <OneReport key={id} id={id} list={list} />;
}

function OneReport({ id, list }: { id: string; list: string }) {
  const report = useReport(id);
  const record = useRecord();
  const { edits } = useRights();
  const [unsaved, setUnsaved] = useState(false);
  const listAddress = paths.reports + list;
  const { go, page } = useGo(report.data ?? { id, data_creazione: '' }, list);
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
      {...(report.data ? { subtitle: `Ricevuta il ${formatDateTime(report.data.data_creazione)}` } : {})}
      back={listAddress}
      ways={
        <>
          <Neighbours id={id} page={page} go={go} />
          {edits ? (
            <Button
              variant="quiet"
              inactive={!report.data || record.busy}
              icon={record.busy ? <Spinner /> : <Printer />}
              onClick={print}
            >
              {record.busy ? 'Preparazione…' : 'Stampa PDF'}
            </Button>
          ) : null}
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
        {(found) => <Detail report={found} list={list} go={go} onPrint={print} onUnsaved={setUnsaved} />}
      </Loaded>
    </Page>
  );
}

function NotFound({ listAddress, erased }: { listAddress: string; erased: boolean }) {
  useEffect(() => {
    if (erased) {
      announce('La segnalazione è stata cancellata.');
    }
  }, [erased]);
  return (
    <Page title={erased ? 'Segnalazione cancellata' : 'Segnalazione non trovata'}>
      <Card>
        <EmptyState
          icon={<FileQuestion />}
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
              ? 'Il suo contenuto, le note e la cronologia non ci sono più, e non si possono recuperare. Il registro dice quando e da quale indirizzo; se non la nomina, è scaduta la durata di conservazione.'
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
  go: Go;
  onPrint: () => void;
  onUnsaved: (unsaved: boolean) => void;
}

function Detail({ report, list, go, onPrint, onUnsaved }: DetailProps) {
  const { edits, administers } = useRights();
  const form = useNoteForm(report);
  const noteBox = useRef<HTMLTextAreaElement>(null);
  useLeaveGuard(
    form.dirty,
    'Hai modificato le note di questa segnalazione. Se esci adesso, le modifiche vanno perse.',
  );
  useReportKeys({ report, list, save: form.save, noteBox, go, onPrint });
  useEffect(() => onUnsaved(form.dirty), [onUnsaved, form.dirty]);
  return (
    <>
      <StatusBar report={report} />
      <UrgencyNotice report={report} />
      <WithdrawalNotice report={report} list={list} />
      <ExpiryNotice scadenza={report.scadenza} />
      <div className={styles.sections}>
        <TextCard text={report.segnalazione} />
        <AttachmentsCard
          report={report.id}
          received={report.data_creazione}
          files={report.attachments}
          zip={edits}
        />
        <PersonCard report={report} />
        {edits ? <NoteCard form={form} noteBox={noteBox} /> : <NoteShown note={report.note} />}
        <CommentsCard id={report.id} />
        <MessagesCard id={report.id} withdrawal={report.withdrawal !== null} />
      </div>
      <div>
        <RelatedFold id={report.id} />
        <ReasonFold report={report} />
        <DeliveriesFold deliveries={report.consegne} />
        <HistoryFold entries={report.storia} />
        {administers ? <ErasureFold report={report} list={list} /> : null}
      </div>
    </>
  );
}

function DetailSkeleton() {
  return (
    <div className={styles.sections}>
      {[2, 9, 4].map((lines) => (
        <Card key={lines}>
          <Skeleton lines={lines} />
        </Card>
      ))}
    </div>
  );
}

/** Makes the PDF record. Nothing leaves the panel before the server has noted that it does (PRODUCT.md §7). */
function useRecord() {
  const noteExport = useNoteExport();
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
      await noteExport(report.id);
      saveFile(file, name);
      return unsaved
        ? 'Scheda PDF scaricata, senza le modifiche non ancora salvate.'
        : 'Scheda PDF scaricata.';
    });
  return { ...action, print };
}
