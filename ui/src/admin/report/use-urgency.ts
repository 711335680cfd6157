import { useQueryClient } from '@tanstack/react-query';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { call } from '../../shared/api/client';
import type { ReportDetail } from '../../shared/api/schema';
import { isProblem } from '../common/errors';
import { reportKey } from './queries';

export interface Urgency {
  busy: boolean;
  failure: unknown;
  news: { text: string } | null;
  /** The button that says the opposite of what is: after a decision it stands elsewhere, and the focus follows it. */
  button: RefObject<HTMLButtonElement | null>;
  /** Saves the opposite of what the report says. */
  turn: (report: ReportDetail) => void;
  dismissFailure: () => void;
  dismissNews: () => void;
}

/**
 * Saves what the editor decided on the version that is shown. Where somebody else saved meanwhile the decision stands all
 * the same: it is one of two, and a version in which it is taken already is as good as saved.
 */
async function decide({ id, versione }: ReportDetail, urgente: boolean): Promise<ReportDetail> {
  const patch = (ifMatch: number) =>
    call('patch', '/reports/{id}', { path: { id }, body: { urgente }, ifMatch });
  try {
    return await patch(versione);
  } catch (error) {
    if (!isProblem(error, 'versione-superata') || !error.current) {
      throw error;
    }
    return error.current.urgenteOra === urgente ? error.current : await patch(error.current.versione);
  }
}

/** A decision of which no answer says that it was saved: where only the answer was lost, it may be. */
interface Failed {
  error: unknown;
  wanted: boolean;
}

const newsOf = (urgente: boolean) => ({
  text: urgente ? 'Segnata come urgente.' : 'Tolto il segno «urgente».',
});

/** Takes back that a report is urgent, or says that it is. */
export function useUrgency(urgenteOra: boolean | undefined): Urgency {
  const client = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [failed, setFailed] = useState<Failed | null>(null);
  const [news, setNews] = useState<{ text: string } | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  const decided = useRef<boolean | null>(null);

  useEffect(() => {
    if (failed !== null && failed.wanted === urgenteOra) {
      decided.current = failed.wanted;
      setFailed(null);
      setNews(newsOf(failed.wanted));
    }
    if (decided.current !== null && decided.current === urgenteOra) {
      decided.current = null;
      // Only where it was lost with the button: whoever writes elsewhere by now goes on writing.
      if (document.activeElement === document.body) {
        button.current?.focus({ preventScroll: true });
      }
    }
  }, [urgenteOra, failed]);

  const save = async (report: ReportDetail) => {
    const urgente = !report.urgenteOra;
    setBusy(true);
    setFailed(null);
    setNews(null);
    try {
      const saved = await decide(report, urgente);
      decided.current = urgente;
      // An answer that is still on its way is older than this one.
      await client.cancelQueries({ queryKey: reportKey(report.id) });
      client.setQueryData(reportKey(report.id), saved);
      void client.invalidateQueries({ queryKey: ['reports'] });
      setNews(newsOf(urgente));
    } catch (error) {
      setFailed({ error, wanted: urgente });
      // Whether it was saved all the same, or the report was erased: the page says so as soon as it has heard it itself.
      void client.invalidateQueries({ queryKey: reportKey(report.id) });
    } finally {
      setBusy(false);
    }
  };
  return {
    busy,
    failure: failed?.error ?? null,
    news,
    button,
    turn: (report) => {
      if (!busy) {
        void save(report);
      }
    },
    dismissFailure: () => setFailed(null),
    dismissNews: () => setNews(null),
  };
}
