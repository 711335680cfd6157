import { useQueryClient } from '@tanstack/react-query';
import { FileQuestion } from 'lucide-react';
import { type RefObject, type TouchEvent, useEffect, useRef, useState } from 'react';
import { createPortal, flushSync } from 'react-dom';
import { Link, useLocation, useParams } from 'react-router-dom';
import { call } from '../../shared/api/client';
import { NetworkError } from '../../shared/api/errors';
import type { ReportDetail } from '../../shared/api/schema';
import { saveFile } from '../../shared/lib/save-file';
import { messages } from '../../shared/messages';
import { announce } from '../../shared/ui/announcer';
import { buttonClass } from '../../shared/ui/button';
import { Card } from '../../shared/ui/card';
import { EmptyState } from '../../shared/ui/empty-state';
import { Text } from '../../shared/ui/layout';
import { Skeleton } from '../../shared/ui/skeleton';
import { Failure, useAction } from '../common/action';
import { useBranding } from '../common/branding';
import { isProblem } from '../common/errors';
import { useKeysAhead } from '../common/keys/registry';
import { useLeaveGuard } from '../common/leave-guard';
import { Loaded } from '../common/loaded';
import { Page, useHeading } from '../common/page';
import { paths, readTrail } from '../common/paths';
import { useRights } from '../common/session/session-context';
import { reportKey } from '../desk/changes';
import { Acts } from './acts';
import { usePresence, useReport } from './api';
import { Account, Answers } from './cards';
import { ChoiceConflict } from './choice-conflict';
import { Composer, type Drafts, unsentOf, useDrafts, useLastWay, type Way } from './composer';
import { ConsentsLine } from './consents-line';
import { Facts } from './facts';
import { Files } from './files';
import { Head } from './head';
import { type Go, useGo } from './neighbours';
import { Notices } from './notices';
import styles from './report.module.css';
import { SenderAsideLine, useSenderAside } from './sender-aside';
import { Stream } from './stream';
import { Urgency } from './urgency';
import { useChangesOfOthers } from './use-changes-of-others';
import { useFit } from './use-fit';
import { useNoteForm } from './use-note-form';
import { useReportKeys, useWayKeys } from './use-report-keys';

export function ReportPage() {
  const { id = '' } = useParams();
  const { list = '' } = readTrail(useLocation().state);
  // Another report is another page: nothing typed for one may show up on the other.
  return <OneReport key={id} id={id} list={list} />;
}

function OneReport({ id, list }: { id: string; list: string }) {
  const report = useReport(id);
  const [unsaved, setUnsaved] = useState(false);
  const [drafts, setDrafts] = useDrafts(id);
  const unsent = unsentOf(drafts);
  const [acts, setActs] = useState<HTMLElement | null>(null);
  const present = usePresence(id, unsaved || unsent.length > 0, report.isSuccess);
  const listAddress = paths.reports + list;
  const { go, page } = useGo(report.data ?? { id, data_creazione: '' }, list);
  const heading = useHeading(`Segnalazione #${id}`);
  const swipe = useSwipe(go);
  useWayKeys(listAddress, go);
  useKeysAhead(report.isPending);
  const row = page?.data.find((one) => one.id === id);

  const erased = isProblem(report.error, 'cancellata');
  if (erased || isProblem(report.error, 'non-trovato')) {
    return <NotFound listAddress={listAddress} erased={erased} unsent={unsent} />;
  }
  return (
    <article className={styles.page} data-bar="scrolls" {...swipe}>
      <Head
        heading={heading}
        id={id}
        report={report.data ?? row}
        listAddress={listAddress}
        page={page}
        go={go}
        present={present}
        acts={setActs}
      />
      <Loaded
        query={report}
        loading="Caricamento della segnalazione…"
        failed="Non è stato possibile aprire la segnalazione"
        placeholder={<Coming excerpt={row?.excerpt} />}
      >
        {(found) => (
          <Detail {...{ list, acts, drafts }} report={found} onUnsaved={setUnsaved} onDrafts={setDrafts} />
        )}
      </Loaded>
    </article>
  );
}

/** How far a finger goes sideways to turn the page, in pixels. */
const SWIPE_PX = 80;

function useSwipe(go: Go) {
  const from = useRef<{ x: number; y: number } | null>(null);
  return {
    onTouchStart: ({ touches, target }: TouchEvent) => {
      const first = touches[0];
      // An element that scrolls sideways by itself does not turn the page.
      const held = target instanceof Element && target.closest('ul, textarea, select, dialog') !== null;
      // Two fingers, and one on an enlarged page, move the page itself.
      const zoomed = touches.length > 1 || (window.visualViewport?.scale ?? 1) > 1;
      from.current = first && !held && !zoomed ? { x: first.clientX, y: first.clientY } : null;
    },
    onTouchEnd: ({ changedTouches }: TouchEvent) => {
      const last = changedTouches[0];
      if (from.current && last && window.getSelection()?.isCollapsed !== false) {
        const [x, y] = [last.clientX - from.current.x, last.clientY - from.current.y];
        if (Math.abs(x) > SWIPE_PX && Math.abs(x) > 2 * Math.abs(y)) {
          void go(x < 0 ? 'next' : 'previous');
        }
      }
    },
  };
}

interface NotFoundProps {
  listAddress: string;
  erased: boolean;
  unsent: readonly string[];
}

function NotFound({ listAddress, erased, unsent }: NotFoundProps) {
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
              : 'Forse è stata cancellata, o il link è incompleto.'}
          </p>
        </EmptyState>
      </Card>
      {unsent.map((text) => (
        <Card key={text} title="Quello che avevi scritto, e non è partito">
          <Text kept>{text}</Text>
        </Card>
      ))}
    </Page>
  );
}

interface DetailProps {
  report: ReportDetail;
  list: string;
  /** Where in the head its acts stand. */
  acts: HTMLElement | null;
  onUnsaved: (unsaved: boolean) => void;
  drafts: Drafts;
  onDrafts: (change: (now: Drafts) => Drafts) => void;
}

function Detail({ report, list, acts, onUnsaved, drafts, onDrafts }: DetailProps) {
  const { edits } = useRights();
  const form = useNoteForm(report);
  const record = useRecord();
  const sender = useSenderAside(report);
  const onPrint = () => record.print(report, form.dirty);
  const noteBox = useRef<HTMLTextAreaElement>(null);
  const labelsButton = useRef<HTMLButtonElement>(null);
  const doneButton = useRef<HTMLButtonElement>(null);
  const snoozeButton = useRef<HTMLButtonElement>(null);
  const [factsOpen, setFactsOpen] = useState(false);
  const { box, way, setWay, write } = useBox(report);
  const fit = useFit(report);
  const sending = useRef(false);
  const onSend = () => {
    sending.current = true;
  };
  const reach = (part: RefObject<HTMLElement | null>) => {
    flushSync(() => setFactsOpen(true));
    part.current?.focus();
    return part.current;
  };
  const save = () => {
    const inForm = document.activeElement?.closest<HTMLFormElement>('article form');
    inForm ? inForm.requestSubmit() : form.save();
  };
  useLeaveGuard(
    form.dirty,
    'Hai modificato le note di questa segnalazione. Se esci adesso, le modifiche vanno perse.',
  );
  useReportKeys({
    report,
    save,
    write,
    toNote: () => reach(noteBox),
    toLabels: () => reach(labelsButton)?.click(),
    onDone: () => doneButton.current?.click(),
    toSnooze: () => snoozeButton.current?.click(),
    onPrint,
    onAside: sender.turn,
  });
  useChangesOfOthers(report);
  useEffect(() => onUnsaved(form.dirty), [onUnsaved, form.dirty]);
  return (
    <>
      {acts
        ? createPortal(
            <Acts {...{ report, doneButton, snoozeButton, sender, onPrint }} printing={record.busy} />,
            acts,
          )
        : null}
      <div className={styles.told} data-short={fit.short || undefined}>
        <Failure of={record} title="Scheda PDF non creata" />
        <Failure of={sender} title="Non salvato" />
        <ChoiceConflict report={report} />
        <Urgency report={report} />
        <SenderAsideLine {...{ report, sender }} />
        <ConsentsLine report={report} />
        <Notices report={report} list={list} onAnswer={() => write('out')} />
        <Answers report={report} />
        {report.inchiesta && report.segnalazione === '' ? null : <Account report={report} />}
        {fit.short ? null : (
          <Files report={report.id} received={report.data_creazione} files={report.attachments} />
        )}
      </div>
      <Facts {...{ report, list, form, noteBox, labelsButton }} open={factsOpen} onOpen={setFactsOpen} />
      <Stream {...{ report, fit, sending }} />
      {edits ? (
        <Composer {...{ report, way, box, drafts, onDrafts, onSend }} onWay={setWay} onWrite={write} />
      ) : null}
    </>
  );
}

/** The box to write in, and whom it is for: whom the last word was with, until one has begun to write. */
function useBox(report: ReportDetail) {
  const last = useLastWay(report);
  const [chosen, setWay] = useState<Way | null>(null);
  const box = useRef<HTMLTextAreaElement>(null);
  const write = (to: Way) => {
    flushSync(() => setWay(to));
    box.current?.focus({ preventScroll: true });
    box.current?.form?.scrollIntoView({ block: 'nearest' });
  };
  return { box, way: chosen ?? last, setWay, write };
}

/** The beginning of the account as the list knows it, until the whole of it is there. */
function Coming({ excerpt }: { excerpt: string | undefined }) {
  return (
    <div className={styles.told}>
      {excerpt ? <p className={styles.account}>{excerpt}</p> : <Skeleton lines={9} />}
    </div>
  );
}

/** Makes the PDF record. Nothing leaves the panel before the server has noted that it does (PRODUCT.md §7). */
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
      await call('post', '/reports/{id}/exports', { path: { id: report.id } });
      void client.invalidateQueries({ queryKey: reportKey(report.id) });
      saveFile(file, name);
      return unsaved
        ? 'Scheda PDF scaricata, senza le modifiche non ancora salvate.'
        : 'Scheda PDF scaricata.';
    });
  return { ...action, print };
}
