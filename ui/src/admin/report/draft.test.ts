import { describe, expect, it } from 'vitest';
import type { ReportDetail } from '../../shared/api/schema';
import { sampleReport } from '../testing/samples';
import { type DraftAction, isDirty, patchOf, reduceDraft, startDraft } from './draft';

const first = sampleReport({ versione: 1, stato: 'Nuova', note: 'prima' });
const theirs = (changes: Partial<ReportDetail>) => ({ ...first, versione: 2, ...changes });
const run = (...actions: DraftAction[]) => actions.reduce(reduceDraft, startDraft(first));
const note = (text: string): DraftAction => ({ type: 'note', note: text });

describe('a draft', () => {
  it('follows the server while nothing is typed', () => {
    const draft = run({ type: 'server', report: theirs({ note: 'loro' }) });
    expect(draft.typed).toEqual({ stato: 'Nuova', department: 'generale', note: 'loro' });
    expect(draft.base.versione).toBe(2);
  });

  it('keeps what is typed when the server has moved on, and the version it was typed over', () => {
    const draft = run(note('mia'), { type: 'server', report: theirs({ note: 'loro' }) });
    expect(draft.typed.note).toBe('mia');
    expect(draft.base.versione).toBe(1);
    expect(draft.overtaken).toBe(true);
  });

  it('moves to a version whose status and notes are the same', () => {
    const draft = run(note('mia'), { type: 'server', report: theirs({}) });
    expect([draft.typed.note, draft.base.versione, draft.overtaken]).toEqual(['mia', 2, false]);
  });

  it('never goes back to an older version', () => {
    const draft = run(
      { type: 'server', report: theirs({ note: 'loro' }) },
      { type: 'server', report: first },
    );
    expect(draft.typed.note).toBe('loro');
  });

  it('sends only what was changed', () => {
    expect(patchOf(run(note('mia')))).toEqual({ note: 'mia' });
    expect(patchOf(run({ type: 'stato', stato: 'Risolta' }))).toEqual({ stato: 'Risolta' });
    expect(patchOf(run({ type: 'department', department: 'sanita' }))).toEqual({ department: 'sanita' });
    expect(patchOf(run(note('mia'), note('prima')))).toEqual({});
  });

  it('keeps what was typed while a save was under way', () => {
    const draft = run(note('mia'), note('mia, continuata'), {
      type: 'saved',
      report: theirs({ note: 'mia' }),
      sent: { note: 'mia' },
    });
    expect(draft.typed.note).toBe('mia, continuata');
    expect(patchOf(draft)).toEqual({ note: 'mia, continuata' });
  });

  it('lays only my changes over the other version', () => {
    const current = theirs({ stato: 'Archiviata', note: 'loro' });
    const draft = run(note('mia'), { type: 'refused', current }, { type: 'keep-mine' });
    expect(draft.typed).toEqual({ stato: 'Archiviata', department: 'generale', note: 'mia' });
    expect(draft.base.versione).toBe(2);
    expect(patchOf(draft)).toEqual({ note: 'mia' });
  });

  it('can bring back what was given up for the saved version', () => {
    const current = theirs({ note: 'loro' });
    const given = run(note('mia'), { type: 'refused', current }, { type: 'use-saved' });
    expect([given.typed.note, isDirty(given)]).toEqual(['loro', false]);
    expect(reduceDraft(given, { type: 'bring-back' }).typed.note).toBe('mia');
  });

  it('shows the newest of several saves that stand in the way', () => {
    const draft = run(
      note('mia'),
      { type: 'refused', current: theirs({ note: 'loro' }) },
      { type: 'server', report: theirs({ versione: 3, note: 'ancora loro' }) },
    );
    expect(draft.conflict?.versione).toBe(3);
    expect(draft.typed.note).toBe('mia');
  });
});
