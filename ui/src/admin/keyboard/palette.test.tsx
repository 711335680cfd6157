import { fireEvent, screen } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import type { Choice } from '../common/keys/shortcut';
import { openPage } from '../testing/panel-page';
import { KeyboardProvider, useShortcuts } from './keyboard-context';

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
    () => Response.json({ data: [] }),
  );
});

afterEach(() => void vi.useRealTimers());

const open = async (key: string, init: KeyboardEventInit = {}) => {
  fireEvent.keyDown(document.body, { key, ...init });
  await vi.waitFor(() => expect(screen.getByRole('combobox')).toBeInTheDocument());
};

it('offers the commands of the screen, the pages first, and none that only repeats', async () => {
  await open('k', { ctrlKey: true });
  expect(options()).toEqual(['Urgente', 'Assegna', 'Mostra le scorciatoie da tastiera']);
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
