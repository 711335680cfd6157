import { fireEvent, screen, within } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import type { Mask } from '../../shared/api/schema';
import { KeyboardProvider } from '../keyboard/keyboard-context';
import { openPage, pass, press } from '../testing/panel-page';
import { sampleReport } from '../testing/samples';
import { CleanCopyPage } from './clean-copy-page';

const TEXT = 'Sono Anna Rossi, mia moglie Lia lo sa.';
const LIA = { start: 28, end: 31, why: 'nome' as const, beside: { start: 17, end: 27 } };

const sampleMask = (changes: Partial<Mask> = {}): Mask => ({
  fields: ['nome', 'cognome'],
  spans: [],
  left: [],
  textVersion: 'a1',
  proposals: [{ start: 5, end: 15, why: 'nome di chi ha segnalato', beside: null }, LIA],
  saved: false,
  version: 0,
  ...changes,
});

const problem = (status: number, slug: string, errors = {}) =>
  Response.json(
    { type: `urn:segnalazioni:problem:${slug}`, title: 'No', detail: 'No.', status, errors },
    { status, headers: { 'content-type': 'application/problem+json' } },
  );

beforeEach(() => void vi.useFakeTimers());

const FILES = [
  { n: 1, name: 'io.jpg', type: 'image/jpeg', size: 900, at: '2026-03-10T09:00:00Z' },
  { n: 2, name: 'carta.pdf', type: 'application/pdf', size: 900, at: '2026-03-10T09:00:00Z' },
];

interface Answers {
  mask?: Mask[];
  put?: (body: unknown) => Response;
  zip?: () => Response;
}

async function open({ mask = [sampleMask()], put, zip }: Answers = {}) {
  const masks = [...mask];
  return openPage(
    <KeyboardProvider>
      <CleanCopyPage />
    </KeyboardProvider>,
    ({ method, path, body }) => {
      if (path.endsWith('/mask')) {
        if (method === 'PUT') {
          return put?.(body) ?? Response.json(sampleMask({ ...(body as Mask), saved: true, version: 1 }));
        }
        return Response.json(masks.length > 1 ? masks.shift() : masks[0]);
      }
      if (path.includes('redacted.zip')) {
        return zip?.() ?? problem(500, 'errore');
      }
      return Response.json(sampleReport({ segnalazione: TEXT, attachments: FILES }));
    },
    { path: '/admin/reports/:id/copia', address: '/admin/reports/r1/copia' },
  );
}

const words = () => screen.getByRole('listbox', { name: /^Parole del racconto/ });
const coveredWords = () =>
  within(words())
    .queryAllByRole('option', { selected: true })
    .map(({ textContent }) => textContent);

it('counts what was not looked at, and covers what is taken', async () => {
  const { changes } = await open();
  expect(screen.getByText('2 proposte ancora da guardare')).toBeInTheDocument();
  expect(screen.getByText('accanto a «mia moglie» · da guardare')).toBeInTheDocument();
  await press('Copri «Lia»');
  await press('Lascia «Anna Rossi»');
  expect(coveredWords()).toEqual(['Lia']);
  expect(screen.getByText(/^Guardate tutte/)).toBeInTheDocument();
  await press('Salva');
  expect(changes()).toEqual([
    {
      method: 'PUT',
      path: '/reports/0b54a6c2-6d1e-4f0e-9f4e-6d2f1c3b7a90/mask',
      body: {
        fields: ['nome', 'cognome'],
        spans: [{ start: 28, end: 31 }],
        left: [{ start: 5, end: 15 }],
        textVersion: 'a1',
      },
    },
  ]);
  expect(screen.getByText('Salvato')).toBeInTheDocument();
});

it('goes by keys from word to word, covers them, and takes a step back', async () => {
  await open();
  const key = (name: string, more = {}) => fireEvent.keyDown(words(), { key: name, ...more });
  key('ArrowRight');
  key('ArrowRight');
  key('ArrowRight', { shiftKey: true });
  key(' ');
  expect(coveredWords()).toEqual(['Anna', 'Rossi']);
  key('End');
  key('Enter');
  expect(coveredWords()).toEqual(['Anna', 'Rossi', 'sa']);
  key(' ');
  expect(coveredWords()).toEqual(['Anna', 'Rossi']);
  await press('Annulla');
  await press('Annulla');
  await press('Annulla');
  expect(coveredWords()).toEqual([]);
});

it('looks again at a proposal of which a part was covered and uncovered', async () => {
  await open();
  const key = (name: string) => fireEvent.keyDown(words(), { key: name });
  for (const name of ['ArrowRight', 'ArrowRight', 'ArrowRight', ' ', ' ']) {
    key(name);
  }
  expect(screen.getByText('2 proposte ancora da guardare')).toBeInTheDocument();
  await press('Lascia «Anna Rossi»');
  key(' ');
  expect(screen.getByText('2 proposte ancora da guardare')).toBeInTheDocument();
  await press('Prendi tutte');
  expect(coveredWords()).toEqual(['Anna', 'Rossi', 'Lia']);
  fireEvent.keyDown(words(), { key: 'a', ctrlKey: true });
  key(' ');
  expect(coveredWords()).toHaveLength(8);
});

it('shows what leaves', async () => {
  await open();
  await press('Prendi tutte');
  fireEvent.click(screen.getByRole('switch', { name: 'Anteprima' }));
  expect(screen.getByText('Sono █████, mia moglie █████ lo sa.')).toBeInTheDocument();
  expect(screen.queryByText('Rossi')).toBeNull();
});

it('loses nothing when another person saved first, and keeps both', async () => {
  const theirs = sampleMask({ saved: true, version: 4, spans: [{ start: 0, end: 4 }] });
  const sent: unknown[] = [];
  await open({
    mask: [sampleMask(), theirs],
    put: (body) => {
      sent.push(body);
      return sent.length === 1
        ? problem(412, 'versione-superata')
        : Response.json(sampleMask({ ...(body as Mask), saved: true, version: 5 }));
    },
  });
  await press('Copri «Lia»');
  await press('Salva');
  const panel = screen.getByRole('region', { name: 'Un’altra persona ha salvato prima di te' });
  expect(within(panel).getByText('«Sono»')).toBeInTheDocument();
  expect(within(panel).getByText('«Lia»')).toBeInTheDocument();
  await press('Tieni entrambe');
  await pass(0);
  expect(sent.at(-1)).toMatchObject({
    spans: [
      { start: 0, end: 4 },
      { start: 28, end: 31 },
    ],
  });
  expect(coveredWords()).toEqual(['Sono', 'Lia']);
});

it('says that a text is another one than that which was covered', async () => {
  await open({ mask: [sampleMask({ version: 3 })] });
  expect(screen.getByText('Il testo è cambiato dall’ultimo salvataggio')).toBeInTheDocument();
});

it('names the file that cannot go, at its tick', async () => {
  const refusal = () => problem(422, 'dati-non-validi', { 'attachments.1': 'File 1: La foto è incompleta.' });
  await open({ mask: [sampleMask({ saved: true, version: 1 })], zip: refusal });
  const tick = screen.getByRole('checkbox', { name: /io\.jpg/ });
  expect(screen.getByRole('checkbox', { name: /carta\.pdf.*Esce com’è/ })).not.toBeChecked();
  fireEvent.click(tick);
  await press('ZIP');
  expect(tick.closest('div')).toHaveTextContent('File 1: La foto è incompleta.');
  expect(screen.getByRole('alert')).toHaveTextContent('File 1: La foto è incompleta.');
});

it('lets nothing leave before it is saved', async () => {
  const { requests } = await open();
  await press('PDF');
  await press('ZIP');
  await press('Copia il testo');
  expect(requests.filter(({ path }) => path.includes('redacted'))).toEqual([]);
  expect(screen.getByText('Prima salva: esce ciò che è salvato.')).toBeInTheDocument();
});
