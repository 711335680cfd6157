import { act, fireEvent, screen, within } from '@testing-library/react';
import { Route, Routes, useLocation } from 'react-router-dom';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Related, ReportDetail, SamePerson } from '../../shared/api/schema';
import { problem, type Request } from '../../shared/testing/server';
import { ChangesProvider } from '../desk/changes';
import { KeyboardProvider } from '../keyboard/keyboard-context';
import { ErasureNews } from '../reports/list-notices';
import { openPage, pass } from '../testing/panel-page';
import { sampleReport } from '../testing/samples';
import { ReportPage } from './report-page';

const REPORT = sampleReport({ versione: 3 });
const OTHER = '5f0c2f9e-8b0a-4b55-9a51-3d9f0f7a1c11';

let report: ReportDetail;
let person: Related | null;
/** The answer that an erasure gets instead of success. */
let refusal: Response | null;
let gone: boolean;

/** The other reports of the same person. */
function related(...samePerson: readonly SamePerson[]): Related {
  return { samePerson: [...samePerson], maybe: [], shared: null, ready: true, more: false };
}

function row(id: string, nome: string, email: boolean, telefono: boolean): SamePerson {
  return {
    id,
    nome,
    cognome: 'Rossi',
    data_creazione: REPORT.data_creazione,
    stato: 'Nuova',
    email,
    telefono,
  };
}

function answer({ method, path, body }: Request): Response {
  if (/\/(messages|comments|colleagues)$/.test(path)) {
    return Response.json({ data: [], receipt: false, unread: false });
  }
  if (/^\/(reports|sieges|labels|related)(\?|$)/.test(path)) {
    return problem(503, 'occupato');
  }
  if (path.endsWith('/related')) {
    return person ? Response.json(person) : problem(503, 'archivio-sigillato');
  }
  if (method === 'DELETE' || path === '/reports/erasures') {
    if (refusal) {
      return refusal;
    }
    gone = true;
    const ids = (body as { ids?: string[] } | undefined)?.ids;
    return Response.json({ erased: ids?.length ?? 1, settled: true });
  }
  return gone ? problem(410, 'cancellata') : Response.json(report);
}

beforeEach(() => {
  report = REPORT;
  person = related(row(OTHER, 'M.', true, false));
  refusal = null;
  gone = false;
});

function List() {
  return (
    <>
      <p>La lista{useLocation().search}</p>
      <ErasureNews />
    </>
  );
}

const open = () =>
  openPage(
    <KeyboardProvider>
      <Routes>
        <Route path="/admin/reports" element={<List />} />
        <Route
          path="/admin/reports/:id"
          element={
            <ChangesProvider open={REPORT.id}>
              <ReportPage />
            </ChangesProvider>
          }
        />
      </Routes>
    </KeyboardProvider>,
    answer,
    { address: `/admin/reports/${REPORT.id}` },
  );

const press = async (name: string | RegExp) => {
  fireEvent.click(screen.getByRole('button', { name }));
  // The dialog is a part of its own.
  await act(() => vi.dynamicImportSettled());
  await pass(10);
};
const type = (text: string) =>
  fireEvent.change(screen.getByLabelText('Per confermare scrivi CANCELLA'), { target: { value: text } });

describe('erasing a report', () => {
  it('wants the word typed, then erases the version on screen and leads to the list', async () => {
    const page = await open();
    await press('Cancella questa segnalazione…');
    const dialog = screen.getByRole('dialog', { name: 'Cancella la segnalazione' });
    expect(dialog).toHaveTextContent('Maria Rossi');
    expect(dialog).toHaveTextContent('backup già fatti');
    expect(screen.getByRole('button', { name: 'Annulla' })).toHaveFocus();
    for (const wrong of ['', 'cancell']) {
      type(wrong);
      await press('Cancella per sempre');
      expect(screen.getByText('Scrivi CANCELLA per confermare.')).toBeInTheDocument();
      expect(screen.getByLabelText('Per confermare scrivi CANCELLA')).toHaveFocus();
    }
    expect(page.changes()).toEqual([]);
    type('cancella ');
    await press('Cancella per sempre');
    await pass(0);
    expect(page.changes().map(({ method, path }) => [method, path])).toEqual([
      ['DELETE', `/reports/${REPORT.id}`],
    ]);
    expect(screen.getByText('La lista')).toBeInTheDocument();
    expect(screen.getByText('Segnalazione cancellata')).toBeInTheDocument();
    await pass(8100);
    expect(screen.queryByText('Segnalazione cancellata')).toBeNull();
  });

  it('does nothing when it is given up', async () => {
    const page = await open();
    await press('Cancella questa segnalazione…');
    type('CANCELLA');
    await press('Annulla');
    expect(screen.queryByRole('dialog')).toBeNull();
    await press('Cancella questa segnalazione…');
    expect(screen.getByLabelText('Per confermare scrivi CANCELLA')).toHaveValue('');
    expect(page.changes()).toEqual([]);
  });

  it('says why it was refused, and can be tried again', async () => {
    const page = await open();
    await press('Cancella questa segnalazione…');
    type('CANCELLA');
    refusal = problem(412, 'versione-superata', { current: REPORT });
    await press('Cancella per sempre');
    expect(screen.getByRole('alert')).toHaveTextContent('Fallito: versione-superata');
    refusal = null;
    await press('Cancella per sempre');
    await pass(0);
    expect(page.changes()).toHaveLength(2);
    expect(screen.getByText('Segnalazione cancellata')).toBeInTheDocument();
  });

  it('erases of a person exactly what was shown', async () => {
    const page = await open();
    await press('Cancella tutte quelle di questa persona…');
    const shown = within(screen.getByRole('list', { name: 'Segnalazioni che verranno cancellate' }));
    expect(shown.getAllByRole('listitem').map((item) => item.textContent)).toEqual([
      'Maria Rossi20/11/2026 · Nuova · stessa email e stesso telefono',
      'M. Rossi20/11/2026 · Nuova · stessa email',
    ]);
    // Reports that arrive meanwhile were not shown.
    person = related(row(OTHER, 'M.', true, false), row('nuova', 'Maria', true, true));
    type('CANCELLA');
    await press('Cancella 2 segnalazioni');
    await pass(0);
    expect(page.changes().map(({ path, body }) => [path, body])).toEqual([
      ['/reports/erasures', { ids: [REPORT.id, OTHER] }],
    ]);
    expect(screen.getByText('2 segnalazioni cancellate')).toBeInTheDocument();
  });

  it('erases nothing of a person while it is not known what', async () => {
    person = null;
    const page = await open();
    await press('Cancella tutte quelle di questa persona…');
    expect(screen.getByText('Non è stato possibile cercare le altre segnalazioni')).toBeInTheDocument();
    type('CANCELLA');
    await press('Cancella per sempre');
    expect(page.changes()).toEqual([]);
    person = related();
    await press('Riprova');
    expect(screen.getByText(/c’è solo questa/)).toBeInTheDocument();
    expect(screen.getByRole('button', { name: 'Cancella una segnalazione' })).toBeInTheDocument();
  });

  it('shows whoever has it open that it is gone, and asks no more', async () => {
    const page = await open();
    fireEvent.change(screen.getByLabelText('Note Interne'), { target: { value: 'bozza' } });
    gone = true;
    await pass(2100);
    expect(screen.getByRole('heading', { name: 'Segnalazione cancellata' })).toBeInTheDocument();
    expect(screen.getByText('La segnalazione è stata cancellata')).toBeInTheDocument();
    expect(screen.queryByRole('alert')).toBeNull();
    const asked = () => page.requests.filter(({ path }) => path.startsWith('/reports/')).length;
    const before = asked();
    await pass(10_000);
    expect(asked()).toBe(before);
  });

  it('says when its age erases it', async () => {
    report = { ...REPORT, stato: 'Risolta', scadenza: '2026-12-01T08:00:00Z' };
    await open();
    expect(screen.getByText('Verrà cancellata il 01/12/2026 09:00')).toBeInTheDocument();
  });
});
