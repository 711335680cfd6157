import { describe, expect, it } from 'vitest';
import { changesOf, type EditsAction, isDirty, reduceEdits, startEdits, valuesOf } from './edits';

type Form = { nome: string; giorni: string; attivo: boolean };

const first: Form = { nome: 'Uno', giorni: '30', attivo: true };
const run = (...actions: EditsAction<Form>[]) =>
  actions.reduce<ReturnType<typeof startEdits<Form>>>(reduceEdits, startEdits(first));
const typed = (changes: Partial<Form>): EditsAction<Form> => ({ type: 'typed', changes });

describe('edits', () => {
  it('send only what differs from what is saved', () => {
    expect(changesOf(run(typed({ nome: 'Due' })))).toEqual({ nome: 'Due' });
    expect(changesOf(run(typed({ nome: 'Due' }), typed({ nome: 'Uno' })))).toEqual({});
    expect(isDirty(run(typed({ attivo: false }), typed({ attivo: true })))).toBe(false);
  });

  it('follow the server in fields that nobody touched, and keep those that somebody did', () => {
    const edits = run(typed({ nome: 'Due' }), {
      type: 'server',
      saved: { nome: 'Tre', giorni: '60', attivo: false },
    });
    expect(valuesOf(edits)).toEqual({ nome: 'Due', giorni: '60', attivo: false });
    expect(changesOf(edits)).toEqual({ nome: 'Due' });
  });

  it('forget a change that somebody else has saved too, so that it follows the server again', () => {
    const edits = run(
      typed({ nome: 'Due' }),
      { type: 'server', saved: { ...first, nome: 'Due' } },
      { type: 'server', saved: { ...first, nome: 'Tre' } },
    );
    expect(valuesOf(edits).nome).toBe('Tre');
  });

  it('keep what was typed while a save was under way', () => {
    const edits = run(typed({ nome: 'Due' }), typed({ nome: 'Due e mezzo', giorni: '7' }), {
      type: 'saved',
      saved: { ...first, nome: 'Due' },
      sent: { nome: 'Due' },
    });
    expect(changesOf(edits)).toEqual({ nome: 'Due e mezzo', giorni: '7' });
  });

  it('take what the server made of a value, instead of calling it changed', () => {
    const edits = run(typed({ giorni: '007' }), {
      type: 'saved',
      saved: { ...first, giorni: '7' },
      sent: { giorni: '007' },
    });
    expect([valuesOf(edits).giorni, isDirty(edits)]).toEqual(['7', false]);
  });

  it('are given up as a whole', () => {
    expect(valuesOf(run(typed({ nome: 'Due', attivo: false }), { type: 'discard' }))).toEqual(first);
  });
});
