import { fireEvent, screen } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import type { Choice } from '../common/keys/shortcut';
import { openPage, pass } from '../testing/panel-page';
import { KeyboardProvider, useShortcuts } from './keyboard-context';

/** Reports as the server finds them: by name at once, by the words of their accounts when asked for those. */
function rowsOf(path: string): object[] {
  const query = new URLSearchParams(path.split('?')[1]);
  const row = (id: string, excerpt: string) => ({
    id,
    nome: 'Monica',
    cognome: 'Benedetti',
    data_creazione: '2026-11-12T09:00:00Z',
    excerpt,
  });
  const search = query.get('search');
  if (!path.startsWith('/reports?')) {
    return [];
  }
  return search === null
    ? [row('n', 'La più recente')]
    : search === 'benedetti'
      ? [row('a', 'Una mensa'), row('b', 'Un depuratore')]
      : query.get('inText') === 'true'
        ? [row('b', '…dal depuratore di notte…')]
        : [];
}

const done = vi.fn<(what: string) => void>();
const person = (label: string): Choice => ({ label, run: () => done(label) });

function Screen() {
  useShortcuts('prova', [
    { keys: 'u', label: 'Urgente', run: () => done('urgente') },
    { keys: 'a', label: 'Assegna', choices: () => [person('Nicolò Rossi'), person('Anna Bianchi')] },
    { keys: 'j', label: 'Riga successiva', run: () => done('j'), repeats: true },
  ]);
  return <button type="button">qui</button>;
}

const box = () => screen.getByRole('combobox');
const options = () => screen.queryAllByRole('option').map((option) => option.firstChild?.textContent);
const type = (value: string) => fireEvent.change(box(), { target: { value } });
const press = (key: string) => fireEvent.keyDown(box(), { key });

// A part of its own, which comes when it comes.
beforeAll(() => import('./palette'));

beforeEach(async () => {
  vi.useFakeTimers();
  done.mockClear();
  await openPage(
    <KeyboardProvider>
      <Screen />
    </KeyboardProvider>,
    ({ path }) => Response.json({ data: rowsOf(path) }),
  );
});

afterEach(() => void vi.useRealTimers());

const open = async (key: string, init: KeyboardEventInit = {}) => {
  fireEvent.keyDown(document.body, { key, ...init });
  await vi.waitFor(() => expect(screen.getByRole('combobox')).toBeInTheDocument());
};

it('offers what came last, then the commands of the screen, and none that only repeats', async () => {
  await open('k', { ctrlKey: true });
  await pass(10);
  expect(options()).toEqual(['Monica Benedetti', 'Urgente', 'Assegna', 'Mostra le scorciatoie da tastiera']);
  type('urg');
  press('Enter');
  expect(done.mock.calls).toEqual([['urgente']]);
  expect(screen.queryByRole('combobox')).toBeNull();
});

it('asks on for what a command needs, and takes what the arrows mark', async () => {
  await open('k', { ctrlKey: true });
  type('asse');
  press('Enter');
  expect(options()).toEqual(['Nicolò Rossi', 'Anna Bianchi']);
  press('ArrowDown');
  press('Enter');
  expect(done.mock.calls).toEqual([['Anna Bianchi']]);
});

it('opens by the key of such a command, finds without accents, and says when there is nothing', async () => {
  await open('a');
  type('niente');
  expect(screen.getByText('Niente di simile.')).toBeInTheDocument();
  type('nicolo');
  fireEvent.click(screen.getByRole('option'));
  expect(done.mock.calls).toEqual([['Nicolò Rossi']]);
});

it('tells reports of one name apart by day and words, and finds what only an account says', async () => {
  await open('k', { ctrlKey: true });
  const whole = () => screen.getAllByRole('option').map((option) => option.textContent);
  type('benedetti');
  await pass(200);
  await pass(10);
  expect(whole()).toEqual(['Monica BenedettiUna mensa12/11/2026', 'Monica BenedettiUn depuratore12/11/2026']);
  type('depuratore');
  await pass(200);
  await pass(10);
  expect(whole()).toEqual(['Monica Benedetti…dal depuratore di notte…12/11/2026']);
  expect(screen.getByText('depuratore').tagName).toBe('MARK');
});
