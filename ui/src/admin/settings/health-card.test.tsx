import { fireEvent, screen, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Examination } from '../../shared/api/schema';
import { openPage, pass, problem, type Request } from '../testing/panel-page';
import { sampleExamination } from '../testing/sample-installation';
import { HealthCard } from './health-card';

let told: Examination;
let refused: string | null;

function answer({ method, path }: Request): Response {
  expect(path).toBe('/system/doctor');
  if (refused === method) {
    return problem(503, 'occupato');
  }
  if (method === 'POST') {
    told = { ...told, running: true };
  }
  return Response.json(told);
}

beforeEach(() => {
  vi.useFakeTimers();
  told = sampleExamination();
  refused = null;
});

afterEach(() => {
  vi.useRealTimers();
});

const open = () => openPage(<HealthCard />, answer);
const again = () => screen.getByRole('button', { name: 'Ricontrolla' });

describe('the state of the system', () => {
  it('has a row a check, with its state in words', async () => {
    const page = await open();
    const rows = screen.getAllByRole('listitem');
    expect(rows).toHaveLength(2);
    expect(rows[0]).toHaveTextContent('archivio A postointegro, 3 segnalazioni');
    expect(rows[1]).toHaveTextContent('server di posta Attenzionenon configurato');
    expect(screen.getByRole('status')).toHaveTextContent('Funziona tutto, ma qualcosa merita uno sguardo.');
    expect(page.changes()).toEqual([]);
  });

  it('is examined anew on demand, and says how far it is', async () => {
    const page = await open();
    fireEvent.click(again());
    await pass(0);
    expect(page.changes()).toEqual([{ method: 'POST', path: '/system/doctor', body: undefined }]);
    expect(screen.getByRole('status')).toHaveTextContent('Controllo in corso…');
    expect(again()).toHaveAttribute('aria-disabled', 'true');
    fireEvent.click(again());
    await pass(0);
    expect(page.changes()).toHaveLength(1);
    told = {
      running: false,
      at: new Date().toISOString(),
      worst: 'errore',
      checks: [{ name: 'backup', state: 'errore', message: 'è in ritardo' }],
    };
    await pass(1100);
    expect(screen.getByRole('status')).toHaveTextContent('Qualcosa non funziona: leggi che cosa fare.');
    expect(within(screen.getByRole('list')).getByText('Errore')).toBeInTheDocument();
    const asked = page.requests.length;
    await pass(5000);
    expect(page.requests).toHaveLength(asked);
  });

  it.each([
    ['none has been made', null],
    ['the last is old', '2020-01-01T00:00:00Z'],
  ])('is examined by itself, once, when %s', async (_, at) => {
    told = { ...told, at, checks: at ? told.checks : [] };
    const page = await open();
    await pass(0);
    expect(page.changes()).toHaveLength(1);
    told = sampleExamination();
    await pass(1100);
    expect(screen.getAllByRole('listitem')).toHaveLength(2);
    expect(page.changes()).toHaveLength(1);
  });

  it.each(['GET', 'POST'])(
    'that could not be asked for (%s) is told, and asked for again',
    async (method) => {
      refused = method;
      told = { ...told, at: null, checks: [] };
      await open();
      await pass(0);
      expect(screen.getByRole('alert')).toHaveTextContent('Il controllo non è riuscitoFallito: occupato');
      refused = null;
      told = sampleExamination();
      fireEvent.click(again());
      await pass(0);
      expect(screen.queryByRole('alert')).toBeNull();
      expect(screen.getByRole('status')).toHaveTextContent('Controllo in corso…');
    },
  );
});
