import { fireEvent, screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { ReportList, ReportRow } from '../../shared/api/schema';
import type { Answer } from '../../shared/testing/server';
import { SelectBox, SelectionProvider } from '../common/list/selection';
import { KeyboardProvider } from '../keyboard/keyboard-context';
import { openPage, pass } from '../testing/panel-page';
import { BulkBar } from './bulk-bar';

const rows = ['a', 'b', 'c', 'd'].map(
  (id, at) => ({ id, nome: 'Persona', cognome: id.toUpperCase(), versione: at + 1 }) as ReportRow,
);
const list = { data: rows, matching: 48, shown: { newest: 9, at: 7 } } as ReportList;

/** A server that has changed all it was asked for, but for those it refuses. */
const server =
  (refused: number): Answer =>
  ({ method }) => {
    if (method === 'GET') {
      return Response.json({ data: [] });
    }
    const one = { id: 'x', name: 'Persona', detail: 'Cambiata.', version: null, current: null };
    const named = Array.from({ length: refused }, (_, at) => ({ ...one, id: `${at}` }));
    return Response.json({ batch: 7, changed: 2, refused: named, unnamed: 0 });
  };

const open = (answer: Answer) =>
  openPage(
    <KeyboardProvider>
      <SelectionProvider rows={rows} of="">
        <BulkBar list={list} filters={{ stato: 'Nuova', cursor: 'p9', order: 'asc' }} beside={false} />
        {rows.map((row) => (
          <SelectBox key={row.id} row={row} />
        ))}
      </SelectionProvider>
    </KeyboardProvider>,
    answer,
  );

const box = (name: string) => screen.getByRole('checkbox', { name: new RegExp(`Persona ${name}$`) });
const ticked = () => rows.filter(({ cognome }) => (box(cognome) as HTMLInputElement).checked);
const press = (name: string | RegExp) => fireEvent.click(screen.getByRole('button', { name }));
const apply = async () => {
  fireEvent.keyDown(document.body, { key: '3' });
  await pass(10);
};

describe('what is chosen', () => {
  it('is sent with the versions that were shown, a range by the shift key', async () => {
    const page = await open(server(0));
    fireEvent.click(box('B'));
    fireEvent.click(box('D'), { shiftKey: true });
    fireEvent.click(box('C'));
    expect(screen.getByText('2 selezionate')).toBeInTheDocument();
    await apply();
    const ids = [
      { id: 'b', version: 2 },
      { id: 'd', version: 4 },
    ];
    expect(page.changes()).toMatchObject([{ path: '/reports/bulk', body: { ids } }]);
    expect(ticked()).toEqual([]);
  });

  it('is the whole filter but for the rows whose tick is taken away', async () => {
    const page = await open(server(0));
    fireEvent.click(box('A'));
    press('Tutte le 48 del filtro');
    expect(ticked()).toHaveLength(4);
    fireEvent.click(box('C'));
    fireEvent.click(box('D'));
    fireEvent.click(box('D'));
    expect(ticked().map(({ id }) => id)).toEqual(['a', 'b', 'd']);
    expect(screen.getByText('47 selezionate')).toBeInTheDocument();
    await apply();
    const body = {
      filter: { stato: 'Nuova' },
      shown: list.shown,
      except: ['c'],
      change: { stato: 'Risolta' },
    };
    expect(page.changes().map((one) => one.body)).toEqual([body]);
  });

  it('begins a story only when it was chosen one by one', async () => {
    await open(server(0));
    fireEvent.click(box('A'));
    expect(screen.getByRole('button', { name: 'Storia' })).toBeInTheDocument();
    press('Tutte le 48 del filtro');
    // There is no story yet that they could be added to.
    expect(screen.queryByRole('button', { name: 'Storia' })).toBeNull();
  });
});

describe('what is done', () => {
  it('leaves the list in one request, told by its name where it is one', async () => {
    const page = await open(({ method }) =>
      Response.json(method === 'GET' ? { data: [] } : { batch: 7, changed: 1, refused: [], unnamed: 0 }),
    );
    fireEvent.click(box('B'));
    press('Fatto');
    await pass(10);
    expect(page.changes()).toMatchObject([
      { path: '/reports/bulk', body: { ids: [{ id: 'b', version: 2 }], change: { done: true } } },
    ]);
    expect(screen.getByText('Fatto: Persona B')).toBeInTheDocument();
  });

  it('is the whole filter too', async () => {
    const page = await open(server(0));
    fireEvent.click(box('A'));
    press('Tutte le 48 del filtro');
    fireEvent.keyDown(document.body, { key: 'e' });
    await pass(10);
    expect(page.changes()).toMatchObject([{ body: { filter: { stato: 'Nuova' }, change: { done: true } } }]);
    expect(screen.getByText('Fatto: 2 segnalazioni')).toBeInTheDocument();
  });
});

describe('what became of it', () => {
  it('is told with those that stayed, 50 of them by name, and taken back in one step', async () => {
    const page = await open(server(60));
    fireEvent.click(box('A'));
    await apply();
    expect(screen.getByText('2 segnalazioni risolte')).toBeInTheDocument();
    expect(screen.getByText('60 non modificate')).toBeInTheDocument();
    expect(screen.getAllByRole('link', { name: 'Persona' })).toHaveLength(50);
    expect(screen.getByText('e altre 10')).toBeInTheDocument();
    press('Annulla');
    await pass(10);
    expect(page.changes().at(-1)?.path).toBe('/reports/bulk/7/undo');
    expect(screen.getByText('Annullato. 2 segnalazioni come prima')).toBeInTheDocument();
    expect(screen.queryByRole('button', { name: 'Annulla' })).toBeNull();
  });

  it('is told once where nothing came back, without numbers of versions', async () => {
    const current = { stato: 'Risolta', department: 'sanita', urgente: false, labels: [], versione: 2 };
    const stayed = { id: 'a', name: 'Persona A', detail: 'Nel frattempo è cambiata.', version: 1, current };
    await open((call) =>
      call.path.endsWith('/undo')
        ? Response.json({ changed: 0, refused: [stayed], unnamed: 0 })
        : server(0)(call),
    );
    fireEvent.click(box('A'));
    await apply();
    press('Annulla');
    await pass(10);
    expect(screen.getByText('1 non modificata')).toBeInTheDocument();
    expect(screen.getByRole('listitem')).toHaveTextContent('Nel frattempo è cambiata. Ora: Risolta');
    expect(screen.queryByText(/come prima|version/)).toBeNull();
  });
});

describe('a message', () => {
  const writing: Answer = ({ method }) =>
    method === 'GET'
      ? Response.json({ data: [] })
      : Response.json({
          batch: 'b7',
          sent: 1,
          undone: 1,
          refused: [
            { id: 'a', name: 'Persona A', detail: 'Non ha un codice.' },
            { id: 'c', name: 'Persona C', detail: 'Ha chiesto di ritirare tutto.' },
          ],
        });

  it('goes to the chosen reports with its questions, says whom it did not reach, and is taken back', async () => {
    const page = await openPage(
      <KeyboardProvider>
        <SelectionProvider rows={rows} of="">
          <BulkBar
            list={{ ...list, data: rows.map((row) => ({ ...row, code: row.id !== 'a' })) }}
            filters={{}}
            beside={false}
          />
          {rows.map((row) => (
            <SelectBox key={row.id} row={row} />
          ))}
        </SelectionProvider>
      </KeyboardProvider>,
      writing,
    );
    for (const name of ['A', 'B', 'C']) {
      fireEvent.click(box(name));
    }
    fireEvent.keyDown(document.body, { key: 'w' });
    await pass(10);
    expect(screen.getByText(/senza messaggio: Persona A$/)).toBeInTheDocument();
    fireEvent.change(screen.getByLabelText('Messaggio'), { target: { value: 'Una cosa:' } });
    press('Domanda');
    await pass(0);
    fireEvent.change(screen.getByLabelText('Domanda 1'), { target: { value: 'Quando?' } });
    press('Invia a 2 con 1 domanda');
    await pass(10);
    const body = { ids: ['a', 'b', 'c'], text: 'Una cosa:', questions: [{ kind: 'text', text: 'Quando?' }] };
    expect(page.changes()).toMatchObject([{ path: '/messages/bulk', body }]);
    expect(screen.getByText(/Ha chiesto di ritirare tutto/)).toBeInTheDocument();
    expect(screen.queryByText(/Non ha un codice/)).toBeNull();
    expect(ticked()).toEqual([]);
    press(/^Annulla/);
    await pass(10);
    expect(page.changes().at(-1)?.path).toBe('/messages/bulk/b7/undo');
  });

  it('goes to nobody who was not chosen one by one', async () => {
    await open(server(0));
    fireEvent.click(box('A'));
    expect(screen.getByRole('button', { name: 'Scrivi' })).toBeInTheDocument();
    press('Tutte le 48 del filtro');
    expect(screen.queryByRole('button', { name: 'Scrivi' })).toBeNull();
  });
});
