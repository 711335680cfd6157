import { fireEvent, screen } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
import type { SealedMode } from '../../shared/api/schema';
import { problem, type Request } from '../../shared/testing/server';
import { openPage, press } from '../testing/panel-page';
import { SealCard } from './seal-card';

let mode: SealedMode;
let refusal: Response | null;

function answer({ method }: Request): Response {
  if (refusal && method !== 'GET') {
    return refusal.clone();
  }
  if (method !== 'GET') {
    mode = { ...mode, sealed: method === 'POST' };
  }
  return Response.json(mode);
}

beforeEach(() => {
  mode = { sealed: false, complete: true };
  refusal = null;
});

const open = () => openPage(<SealCard />, answer);
const inDialog = (name: string) => press(name, screen.getByRole('dialog'));
const type = (code: string) =>
  fireEvent.change(screen.getByLabelText('Codice di recupero'), { target: { value: code } });

describe('sealed mode', () => {
  it('is entered once asked twice, with the recovery code in between', async () => {
    const page = await open();
    expect(screen.getByText('Non attiva')).toBeInTheDocument();
    await press('Attiva la modalità sigillata');
    expect(screen.getByRole('dialog')).toHaveTextContent('se si perdono entrambi');
    await inDialog('Continua');
    expect(screen.getByLabelText('Codice di recupero')).toHaveFocus();
    expect(screen.getByRole('button', { name: 'Sigilla' })).toHaveAttribute('aria-disabled', 'true');
    type('bcdf');
    await press('Sigilla');
    expect(screen.getByRole('dialog')).toHaveTextContent('Sei sicuro?');
    expect(page.changes()).toEqual([]);
    await inDialog('Sigilla');
    expect(page.changes()).toEqual([
      { method: 'POST', path: '/security/sealed', body: { recoveryCode: 'bcdf' } },
    ]);
    expect(screen.getByText('Attiva')).toBeInTheDocument();
    expect(screen.getByText('Modalità sigillata attivata.')).toBeInTheDocument();
    expect(screen.queryByLabelText('Codice di recupero')).toBeNull();
  });

  it('can be thought better of at each question', async () => {
    const page = await open();
    await press('Attiva la modalità sigillata');
    await inDialog('Annulla');
    await press('Attiva la modalità sigillata');
    await inDialog('Continua');
    type('bcdf');
    await press('Sigilla');
    await inDialog('Annulla');
    expect(screen.getByLabelText('Codice di recupero')).toHaveValue('bcdf');
    await press('Annulla');
    expect(screen.queryByLabelText('Codice di recupero')).toBeNull();
    expect(page.changes()).toEqual([]);
  });

  it('says at the code what is wrong with it, and elsewhere what else went wrong', async () => {
    await open();
    await press('Attiva la modalità sigillata');
    await inDialog('Continua');
    type('x');
    refusal = problem(422, 'dati-non-validi', { errors: { recoveryCode: 'Ricontrolla le lettere.' } });
    await press('Sigilla');
    await inDialog('Sigilla');
    const field = screen.getByLabelText('Codice di recupero');
    expect(field).toHaveAccessibleDescription(/Ricontrolla le lettere\./);
    expect(field).toHaveFocus();
    expect(screen.queryByRole('alert')).toBeNull();
    refusal = problem(503, 'file-delle-chiavi');
    type('xy');
    await press('Sigilla');
    await inDialog('Sigilla');
    expect(screen.getByRole('alert')).toHaveTextContent('Modalità sigillata non cambiata');
    expect(screen.getByText('Non attiva')).toBeInTheDocument();
  });

  it('is left once asked', async () => {
    mode.sealed = true;
    const page = await open();
    await press('Disattiva la modalità sigillata');
    await inDialog('Disattiva');
    expect(page.changes()).toEqual([{ method: 'DELETE', path: '/security/sealed', body: undefined }]);
    expect(screen.getByText('Non attiva')).toBeInTheDocument();
  });

  it('that was cut off says so', async () => {
    mode = { ...mode, sealed: true, complete: false };
    await open();
    expect(screen.getByText(/esci e accedi di nuovo/)).toBeInTheDocument();
  });
});
