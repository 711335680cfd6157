import { act, fireEvent, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { problem } from '../shared/testing/server';
import { SessionStore } from './common/session/session-store';
import { RequireOpen } from './panel';
import { openPage, pass, press, type } from './testing/panel-page';
import { sampleWho } from './testing/samples';

let locked = false;

/** A panel with something typed in it, of a session whose archive is as `locked` says. */
async function open() {
  const hour = 3_600_000;
  const session = new SessionStore({
    read: () => Promise.resolve({ endsAt: Date.now() + hour, idleMs: hour, who: sampleWho(), locked }),
    end: () => Promise.resolve(),
    tell: () => undefined,
  });
  await session.check();
  const page = (
    <RequireOpen>
      <input aria-label="Nota" defaultValue="" />
    </RequireOpen>
  );
  await openPage(
    page,
    ({ body }) => {
      locked = (body as { password: string }).password !== 'una parola';
      return locked ? problem(401, 'password-non-valida') : new Response(null, { status: 204 });
    },
    { session },
  );
  await import('./account/unlock');
  await pass(10);
  return session;
}

const note = () => screen.queryByLabelText('Nota');
const heading = () => screen.queryByRole('heading', { name: 'Apri l’archivio' });
const give = async (password: string) => {
  type('La tua password', password);
  await press('Apri');
  await pass(10);
};

it('comes after the password where the archive is closed', async () => {
  locked = true;
  await open();
  expect(note()).toBeNull();
  await give('un’altra');
  expect(note()).toBeNull();
  await give('una parola');
  expect(note()).toBeInTheDocument();
  expect(heading()).toBeNull();
});

it('can be entered without opening, until the next time that it closes', async () => {
  locked = true;
  const session = await open();
  await press('Continua senza aprire');
  expect(note()).toBeInTheDocument();
  expect(heading()).toBeNull();
  await act(() => session.stay());
  await pass(0);
  expect(heading()).toBeNull();
});

it('keeps what was typed when the archive closes meanwhile, and asks above it', async () => {
  locked = false;
  const session = await open();
  expect(heading()).toBeNull();
  fireEvent.change(screen.getByLabelText('Nota'), { target: { value: 'Richiamare' } });
  locked = true;
  await act(() => session.doubt());
  await pass(10);
  expect(screen.getByRole('dialog', { name: 'Apri l’archivio' })).toBeInTheDocument();
  await give('una parola');
  expect(screen.queryByRole('dialog')).toBeNull();
  expect(note()).toHaveValue('Richiamare');
});
