import { fireEvent, screen, within } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Examination } from '../../shared/api/schema';
import { problem, type Request } from '../../shared/testing/server';
import { openPage, pass, status } from '../testing/panel-page';
import { sampleExamination } from '../testing/sample-installation';
import { HealthCard } from './health-card';

let told: Examination;
let refused: boolean;
let waiting: Promise<void> | null;

async function answer({ method, path }: Request): Promise<Response> {
  expect([method, path]).toEqual(['POST', '/system/doctor']);
  await waiting;
  return refused ? problem(503, 'occupato') : Response.json(told);
}

beforeEach(() => {
  told = sampleExamination();
  refused = false;
  waiting = null;
});

const open = () => openPage(<HealthCard />, answer);
const again = () => screen.getByRole('button', { name: 'Ricontrolla' });

describe('the state of the system', () => {
  it('is examined when somebody opens it, and has a row a check, with its state in words', async () => {
    const page = await open();
    await pass(0);
    const rows = screen.getAllByRole('listitem');
    expect(rows).toHaveLength(2);
    expect(rows[0]).toHaveTextContent('Archivio A postointegro, 3 segnalazioni');
    expect(rows[1]).toHaveTextContent('Server di posta Attenzionenon configurato');
    expect(status()).toHaveTextContent('Funziona tutto, ma qualcosa merita uno sguardo.');
    expect(page.requests).toHaveLength(1);
  });

  it('is examined anew on demand, and says that it is under way', async () => {
    const page = await open();
    await pass(0);
    let go = () => {};
    waiting = new Promise((resolve) => {
      go = resolve;
    });
    fireEvent.click(again());
    // The servers that it asks may take ten seconds each, and the archive twenty.
    await pass(45_000);
    expect(status()).toHaveTextContent('Controllo in corso…');
    expect(again()).toHaveAttribute('aria-disabled', 'true');
    fireEvent.click(again());
    await pass(0);
    expect(page.requests).toHaveLength(2);
    told = {
      at: new Date().toISOString(),
      worst: 'errore',
      checks: [{ name: 'backup', state: 'errore', message: 'è in ritardo' }],
    };
    go();
    await pass(0);
    expect(status()).toHaveTextContent('Qualcosa non funziona: leggi che cosa fare.');
    expect(within(screen.getByRole('list')).getByText('Errore')).toBeInTheDocument();
  });

  it('that could not be asked for is told, and asked for again', async () => {
    refused = true;
    await open();
    await pass(0);
    expect(screen.getByRole('alert')).toHaveTextContent('Il controllo non è riuscitoFallito: occupato');
    refused = false;
    fireEvent.click(again());
    await pass(0);
    expect(screen.queryByRole('alert')).toBeNull();
    expect(screen.getAllByRole('listitem')).toHaveLength(2);
  });
});
