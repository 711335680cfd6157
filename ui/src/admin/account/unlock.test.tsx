import { screen } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { noContent, problem } from '../../shared/testing/server';
import { openPage, pass, press, type } from '../testing/panel-page';
import { sampleWho } from '../testing/samples';
import { Unlock } from './unlock';

const wrong = () => problem(401, 'password-non-valida', { detail: 'Password sbagliata.' });

describe.each([
  ['in place of the panel', false],
  ['above an open page', true],
])('a closed archive, %s', (_, above) => {
  const open = (answer: () => Response, who = sampleWho()) => {
    const left = vi.fn();
    return openPage(<Unlock above={above} onLeave={left} />, answer, { who }).then((page) => ({
      ...page,
      left,
    }));
  };

  it('is opened by one’s own password, of which the session hears', async () => {
    const { session, changes } = await open(noContent);
    const renewed = vi.spyOn(session, 'renew');
    type('La tua password', 'una parola');
    await press('Apri');
    await pass(10);
    expect(changes()).toEqual([
      { method: 'POST', path: '/session/unlock', body: { password: 'una parola' } },
    ]);
    expect(renewed).toHaveBeenCalledOnce();
  });

  it('tells a wrong password at its field, and keeps it', async () => {
    await open(wrong);
    type('La tua password', 'un’altra');
    await press('Apri');
    await pass(10);
    expect(screen.getByText('Password sbagliata.')).toBeInTheDocument();
    expect(screen.getByLabelText('La tua password')).toHaveValue('un’altra');
    expect(screen.getByLabelText('La tua password')).toHaveFocus();
    expect(screen.queryByRole('alert')).toBeNull();
  });

  it('says what else went wrong', async () => {
    await open(() => problem(429, 'troppi-tentativi', { detail: 'Troppi tentativi.' }));
    type('La tua password', 'una parola');
    await press('Apri');
    await pass(10);
    expect(screen.getByRole('alert')).toHaveTextContent('Archivio non apertoTroppi tentativi.');
  });

  it('can be left closed', async () => {
    const { left } = await open(noContent);
    await press(above ? 'Annulla' : 'Continua senza aprire');
    expect(left).toHaveBeenCalledOnce();
  });
});

it('asks for the newsroom’s password where that is the session’s', async () => {
  await openPage(<Unlock above={false} onLeave={vi.fn()} />, noContent);
  expect(screen.getByLabelText('Password della redazione')).toBeInTheDocument();
});
