import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useReducer, useRef, useState } from 'react';
import { call } from '../../shared/api/client';
import type { ReportDetail, ReportPatch } from '../../shared/api/schema';
import type { Desk } from '../common/departments';
import { isProblem } from '../common/errors';
import type { Stato } from '../common/stato';
import { useSession } from '../session/session-context';
import {
  type Draft,
  isDirty,
  patchOf,
  reduceDraft,
  sameValues,
  startDraft,
  valuesOf,
  withPatch,
} from './draft';
import { dropDraft, keepDraft, keptDraft } from './draft-keeper';
import { reportKey } from './queries';

export interface ReportForm {
  draft: Draft;
  dirty: boolean;
  saving: boolean;
  /** Why the last save failed; stays until dismissed or saved. */
  failure: unknown;
  /** Good news of the last save. */
  news: { text: string } | null;
  /** The typed text comes from a session that ended before it was saved. */
  recovered: boolean;
  setStato: (stato: Stato) => void;
  setDepartment: (department: Desk) => void;
  setNote: (note: string) => void;
  save: () => void;
  keepMine: () => void;
  takeSaved: () => void;
  bringBack: () => void;
  forgetDiscarded: () => void;
  dismissFailure: () => void;
  dismissRecovered: () => void;
  dismissNews: () => void;
}

type Outcome =
  | { kind: 'saved'; report: ReportDetail; sent: ReportPatch }
  | { kind: 'refused'; current: ReportDetail };

/**
 * Sends the changes on top of the draft's version; once more by itself when nothing they touch has changed. Where they
 * stand in the report already they are saved: an earlier answer was lost on its way.
 */
async function send(id: string, draft: Draft): Promise<Outcome> {
  const sent = patchOf(draft);
  const patch = (versione: number) =>
    call('patch', '/reports/{id}', { path: { id }, body: sent, ifMatch: versione });
  try {
    return { kind: 'saved', report: await patch(draft.base.versione), sent };
  } catch (error) {
    if (!isProblem(error, 'versione-superata') || !error.current) {
      throw error;
    }
    const stored = valuesOf(error.current);
    if (sameValues(withPatch(stored, sent), stored)) {
      return { kind: 'saved', report: error.current, sent };
    }
    if (!sameValues(stored, draft.base)) {
      return { kind: 'refused', current: error.current };
    }
    return { kind: 'saved', report: await patch(error.current.versione), sent };
  }
}

/** The form over one report: what is typed, and what becomes of it. */
export function useReportForm(report: ReportDetail): ReportForm {
  const client = useQueryClient();
  const session = useSession();
  const [draft, dispatch] = useReducer(
    reduceDraft,
    report,
    (first) => keptDraft(first.id) ?? startDraft(first),
  );
  const [recovered, setRecovered] = useState(() => keptDraft(report.id) !== undefined);
  const [saving, setSaving] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const [news, setNews] = useState<{ text: string } | null>(null);
  const latest = useRef(draft);
  const dirty = isDirty(draft);
  const id = report.id;

  useEffect(() => dispatch({ type: 'server', report }), [report]);
  useEffect(() => {
    latest.current = draft;
  }, [draft]);
  useEffect(() => {
    // From here on the text lives in the form again.
    dropDraft(id);
    return session.onEnd((reason) => {
      if (reason !== 'logout' && isDirty(latest.current)) {
        keepDraft(id, latest.current);
      }
    });
  }, [session, id]);

  const adopt = async (current: ReportDetail) => {
    // An answer that is still on its way is older than this one.
    await client.cancelQueries({ queryKey: reportKey(id) });
    client.setQueryData(reportKey(id), current);
    void client.invalidateQueries({ queryKey: ['reports'] });
  };
  const submit = async (submitted: Draft) => {
    setSaving(true);
    setFailure(null);
    setNews(null);
    try {
      const outcome = await send(id, submitted);
      if (outcome.kind === 'saved') {
        dispatch({ type: 'saved', report: outcome.report, sent: outcome.sent });
        setNews({ text: 'Modifiche salvate.' });
        setRecovered(false);
        await adopt(outcome.report);
      } else {
        dispatch({ type: 'refused', current: outcome.current });
        await adopt(outcome.current);
      }
    } catch (error) {
      if (isProblem(error, 'cancellata')) {
        // The page says so as soon as it has heard it itself.
        await client.invalidateQueries({ queryKey: reportKey(id) });
      }
      setFailure(error);
    } finally {
      setSaving(false);
    }
  };

  return {
    draft,
    dirty,
    saving,
    failure,
    news,
    recovered: recovered && dirty,
    setStato: (stato) => dispatch({ type: 'stato', stato }),
    setDepartment: (department) => dispatch({ type: 'department', department }),
    setNote: (note) => dispatch({ type: 'note', note }),
    save: () => {
      if (dirty && !saving && !draft.conflict) {
        void submit(draft);
      }
    },
    keepMine: () => {
      const mine = reduceDraft(draft, { type: 'keep-mine' });
      dispatch({ type: 'keep-mine' });
      if (isDirty(mine)) {
        void submit(mine);
      } else {
        setNews({ text: 'La versione salvata contiene già le tue modifiche.' });
      }
    },
    takeSaved: () => dispatch({ type: 'use-saved' }),
    bringBack: () => dispatch({ type: 'bring-back' }),
    forgetDiscarded: () => dispatch({ type: 'forget-discarded' }),
    dismissFailure: () => setFailure(null),
    dismissRecovered: () => setRecovered(false),
    dismissNews: () => setNews(null),
  };
}
