import { act, renderHook } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { isLocalId, useLocalReports } from './local-reports';

const entry = {
  id: 1_795_000_000_000,
  name: 'Maria',
  surname: 'Rossi',
  email: 'maria@esempio.example',
  phone: '3331234567',
  address: 'Via Roma 1, Milano',
  report: 'Un racconto.',
  age: 34,
  timestamp: '2026-11-20T10:26:40.000Z',
  stato: 'Nuova',
  conversation: 'segreta',
  text: 'no',
};
const store = (key: string, value: unknown) => {
  window.localStorage.setItem(key, typeof value === 'string' ? value : JSON.stringify(value));
};

const read = () => renderHook(useLocalReports).result.current;
const readOne = (value: unknown) => {
  store('prova_report_1', value);
  return read()[0];
};

describe('a report kept in this browser', () => {
  it('is read with the names of the panel, without what sends it', () => {
    expect(readOne(entry)).toEqual({
      id: '1795000000000',
      nome: 'Maria',
      cognome: 'Rossi',
      email: 'maria@esempio.example',
      telefono: '3331234567',
      indirizzo: 'Via Roma 1, Milano',
      segnalazione: 'Un racconto.',
      eta: 34,
      data_creazione: '2026-11-20T10:26:40.000Z',
      stato: 'Nuova',
      note: '',
    });
  });

  it('is new when it does not say, and may have a note', () => {
    const { stato: _, ...rest } = entry;
    expect(readOne({ ...rest, note: 'x' })).toMatchObject({ stato: 'Nuova', note: 'x' });
    expect(readOne({ ...rest, stato: 'Boh' })).toMatchObject({ stato: 'Nuova' });
  });

  it.each([
    null,
    7,
    'x',
    {},
    { ...entry, id: '../x' },
    { ...entry, report: 3 },
    { ...entry, timestamp: 'ieri' },
  ])('is not %j', (value) => {
    vi.spyOn(console, 'warn').mockReturnValue();
    expect(readOne(value)).toBeUndefined();
  });

  it('never has an id of the server', () => {
    expect(isLocalId('1795000000000')).toBe(true);
    expect(isLocalId('0b54a6c2-6d1e-4f0e-9f4e-6d2f1c3b7a90')).toBe(false);
    expect(isLocalId('')).toBe(false);
    // A demonstration report's.
    expect(isLocalId('8')).toBe(false);
  });
});

describe('the reports of this browser', () => {
  it('come newest first, whatever name the product had; unreadable ones are skipped, each with one warning that shows no content', () => {
    const warn = vi.spyOn(console, 'warn').mockReturnValue();
    store('prova_report_1', { ...entry, id: 1_795_000_000_001 });
    store('prova_report_20', { ...entry, id: 1_795_000_000_020 });
    store('prova_report_7', '{"report": "un segreto"');
    store('altro-nome_report_3', { ...entry, id: 1_795_000_000_003 });
    store('prova_shortcuts', { ...entry, id: 1_795_000_000_004 });
    expect(read().map((report) => report.id)).toEqual(['1795000000020', '1795000000003', '1795000000001']);
    read();
    expect(warn.mock.calls).toEqual([['local report skipped, it cannot be read: prova_report_7']]);
  });

  it('go when another tab has sent them', () => {
    store('prova_report_1', { ...entry, id: 1_795_000_000_001 });
    const { result } = renderHook(useLocalReports);
    expect(result.current).toHaveLength(1);
    window.localStorage.removeItem('prova_report_1');
    act(() => void window.dispatchEvent(new Event('storage')));
    expect(result.current).toHaveLength(0);
  });
});
