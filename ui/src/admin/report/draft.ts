/**
 * What an editor types over a report that others may change meanwhile. Must never overwrite or forget typed text unless
 * its author said so (PRODUCT.md §4).
 */
import type { ReportDetail, ReportPatch } from '../../shared/api/schema';
import type { Desk } from '../common/departments';
import type { Stato } from '../common/stato';

export interface Values {
  stato: Stato;
  department: Desk;
  note: string;
}

export interface Draft {
  /** The version the typing started from: what a save compares with. */
  base: Values & { versione: number };
  typed: Values;
  /** Somebody else's save that stands in the way, until the editor has chosen. */
  conflict: ReportDetail | null;
  /** Typed text that was given up for the saved version, while it can still be brought back. */
  discarded: Values | null;
  /** Another person has saved since the typing began. */
  overtaken: boolean;
}

export type DraftAction =
  | { type: 'server'; report: ReportDetail }
  | { type: 'stato'; stato: Stato }
  | { type: 'department'; department: Desk }
  | { type: 'note'; note: string }
  | { type: 'saved'; report: ReportDetail; sent: ReportPatch }
  | { type: 'refused'; current: ReportDetail }
  | { type: 'keep-mine' }
  | { type: 'use-saved' }
  | { type: 'bring-back' }
  | { type: 'forget-discarded' };

export function valuesOf(report: ReportDetail): Values {
  return { stato: report.stato, department: report.department, note: report.note ?? '' };
}

function baseOf(report: ReportDetail): Draft['base'] {
  return { ...valuesOf(report), versione: report.versione };
}

export function sameValues(one: Values, other: Values): boolean {
  return one.stato === other.stato && one.department === other.department && one.note === other.note;
}

export function startDraft(report: ReportDetail): Draft {
  const typed = valuesOf(report);
  return { base: baseOf(report), typed, conflict: null, discarded: null, overtaken: false };
}

export function isDirty(draft: Draft): boolean {
  return !sameValues(draft.typed, draft.base);
}

/** Only what the editor has changed: the rest may have been changed by somebody else. */
export function patchOf(draft: Draft): ReportPatch {
  return {
    ...(draft.typed.stato === draft.base.stato ? {} : { stato: draft.typed.stato }),
    ...(draft.typed.department === draft.base.department ? {} : { department: draft.typed.department }),
    ...(draft.typed.note === draft.base.note ? {} : { note: draft.typed.note }),
  };
}

/** The values once a patch is laid over them. */
export function withPatch(values: Values, { stato, department, note }: ReportPatch): Values {
  return {
    stato: stato ?? values.stato,
    department: department ?? values.department,
    note: note ?? values.note,
  };
}

/** The typed changes laid over another version of the report. */
function rebase(draft: Draft, report: ReportDetail): Draft {
  const mine = patchOf(draft);
  return {
    ...draft,
    base: baseOf(report),
    typed: withPatch(valuesOf(report), mine),
    conflict: null,
    overtaken: false,
  };
}

function onServer(draft: Draft, report: ReportDetail): Draft {
  if (report.versione <= draft.base.versione) {
    return draft;
  }
  if (draft.conflict) {
    return report.versione > draft.conflict.versione ? { ...draft, conflict: report } : draft;
  }
  // Clean, or changed only in parts the form does not show: nothing typed is at stake.
  if (!isDirty(draft) || sameValues(valuesOf(report), draft.base)) {
    return rebase(draft, report);
  }
  return { ...draft, overtaken: true };
}

function onSaved(draft: Draft, report: ReportDetail, sent: ReportPatch): Draft {
  // What was typed while the save was under way is still to be saved.
  const [before, now] = [withPatch(draft.base, sent), valuesOf(report)];
  const typed: Values = {
    stato: draft.typed.stato === before.stato ? now.stato : draft.typed.stato,
    department: draft.typed.department === before.department ? now.department : draft.typed.department,
    note: draft.typed.note === before.note ? now.note : draft.typed.note,
  };
  return { base: baseOf(report), typed, conflict: null, discarded: null, overtaken: false };
}

export function reduceDraft(draft: Draft, action: DraftAction): Draft {
  switch (action.type) {
    case 'server':
      return onServer(draft, action.report);
    case 'stato':
      return { ...draft, typed: { ...draft.typed, stato: action.stato } };
    case 'department':
      return { ...draft, typed: { ...draft.typed, department: action.department } };
    case 'note':
      return { ...draft, typed: { ...draft.typed, note: action.note } };
    case 'saved':
      return onSaved(draft, action.report, action.sent);
    case 'refused':
      return { ...draft, conflict: action.current, overtaken: false };
    case 'keep-mine':
      return draft.conflict ? rebase(draft, draft.conflict) : draft;
    case 'use-saved':
      return draft.conflict ? { ...startDraft(draft.conflict), discarded: draft.typed } : draft;
    case 'bring-back':
      return draft.discarded ? { ...draft, typed: draft.discarded, discarded: null } : draft;
    case 'forget-discarded':
      return { ...draft, discarded: null };
  }
}
